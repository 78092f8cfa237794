//! One process of the fight.

use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use std_rollback::{
    DesyncDetection, Driver, GgrsEvent, P2PSession, PeerSocket, PlayerType, RollbackConfig, RollbackError,
    SessionBuilder, Skip, Stranger, Strangers,
};

use crate::arena::Arena;
use crate::arguments::Arguments;
use crate::bots;
use crate::failure::Failure;
use crate::replays;
use crate::view;

/// Every how many frames the peers compare digests.
pub(crate) const INTERVAL: u32 = 30;

/// For how long to look for the others.
const PATIENCE: Duration = Duration::from_secs(8);

type Config = RollbackConfig<Arena>;

/// Plays until the result is final, prints it, and goes on answering the others until the input is closed.
pub(crate) fn run(arguments: &Arguments, own: usize) -> Result<(), Failure> {
    let (mut session, strangers) = connect(arguments, own)?;
    let mut driver = Driver::recording(Arena::new(arguments.peers, arguments.seed));
    let goal = arguments.frames.next_multiple_of(INTERVAL);
    let closed = input_closed();
    let pace = Duration::from_secs(1) / arguments.fps;
    let (start, mut next) = (Instant::now(), Instant::now());
    let (mut is_connected, mut is_done, mut wait, mut told) = (false, false, 0, 0);
    while !(is_done && closed.load(Ordering::Relaxed)) {
        next += pace;
        thread::sleep(next.saturating_duration_since(Instant::now()));
        if wait > 0 {
            wait -= 1;
            session.poll_remote_clients();
            continue;
        }
        let keys = bots::keys(arguments.seed, driver.frame().unsigned_abs(), own);
        session.add_local_input(own, keys).map_err(|error| RollbackError::Refused(error.to_string()))?;
        let progress = driver.advance(&mut session)?;
        match progress.skipped {
            Some(Skip::Synchronizing) if start.elapsed() > PATIENCE => {
                return Err(Failure::NoAnswer { seconds: PATIENCE.as_secs() });
            }
            Some(Skip::Synchronizing) => {}
            _ if !is_connected => {
                is_connected = true;
                println!("connected after {:?}", start.elapsed());
            }
            _ => {}
        }
        let refused = strangers.all();
        for &(address, stranger) in refused.iter().skip(told) {
            let other = name(arguments, address);
            match stranger {
                Stranger::PlaysWithAnother => return Err(Failure::TooLate { other }),
                Stranger::CameBack => {
                    println!("{other} was started again: it cannot come back into this fight");
                }
            }
        }
        told = refused.len();
        for event in progress.events {
            match event {
                GgrsEvent::Disconnected { addr } => {
                    println!("{} left: its fighter stands still from here on", name(arguments, addr));
                }
                GgrsEvent::NetworkInterrupted { addr, .. } => println!("{} is silent", name(arguments, addr)),
                GgrsEvent::NetworkResumed { addr } => println!("{} is back", name(arguments, addr)),
                GgrsEvent::WaitRecommendation { skip_frames } => wait = skip_frames,
                _ => {}
            }
        }
        if arguments.watch && driver.frame() % 4 == 0 {
            let line = format!("{} rollbacks", driver.statistics().loads.count);
            eprint!("\x1b[H\x1b[2J{}", view::draw(driver.world(), driver.frame(), &line));
        }
        if let Some(recorder) = driver.recorder().filter(|_| !is_done)
            && let Some(digest) = recorder.digest_of(goal)
        {
            is_done = true;
            println!("{}", driver.statistics());
            if let Some(path) = &arguments.record {
                replays::write(recorder, path)?;
                println!("wrote {}", path.display());
            }
            println!("digest {digest:032x} at frame {goal}");
        }
    }
    Ok(())
}

fn name(arguments: &Arguments, address: SocketAddr) -> String {
    let peer = arguments.remotes.iter().find(|(_, port)| *port == address.port());
    peer.map_or(format!("{address}"), |(peer, _)| format!("peer {peer}"))
}

fn connect(arguments: &Arguments, own: usize) -> Result<(P2PSession<Config>, Strangers), Failure> {
    let port = arguments.port.map_or(0, |port| port + own as u16);
    let socket = PeerSocket::bind_to_port(port).map_err(|error| Failure::of_port(port, error))?;
    let strangers = socket.strangers();
    let refuse =
        |error: std_rollback::SessionError| Failure::Rollback(RollbackError::Refused(error.to_string()));
    let mut builder = SessionBuilder::<Config>::new()
        .with_num_players(arguments.peers)
        .map_err(refuse)?
        .with_fps(arguments.fps as usize)
        .map_err(refuse)?
        .with_max_prediction_window(12)
        .with_input_delay(2)
        .with_disconnect_timeout(Duration::from_secs(3))
        .with_desync_detection_mode(DesyncDetection::On { interval: INTERVAL })
        .add_player(PlayerType::Local, own)
        .map_err(refuse)?;
    for &(peer, port) in &arguments.remotes {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        builder = builder.add_player(PlayerType::Remote(address), peer).map_err(refuse)?;
    }
    Ok((builder.start_p2p_session(socket).map_err(refuse)?, strangers))
}

/// Becomes true when whoever started this process wants it to end.
fn input_closed() -> Arc<AtomicBool> {
    let closed = Arc::new(AtomicBool::new(false));
    let close = closed.clone();
    thread::spawn(move || {
        // An error is the end as well.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        close.store(true, Ordering::Relaxed);
    });
    closed
}
