//! Starts the peers and the network between them, and compares what comes out.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::relay::Relay;

/// What a peer said, or nothing once it ended.
type Said = (usize, Option<String>);

/// A process, killed when it is not needed any more.
struct Peer {
    child: Child,
    result: Option<String>,
    has_ended: bool,
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the fight, and answers whether all agree.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let relay = Relay::start(arguments)?;
    let (sender, receiver) = channel();
    let mut peers = Vec::new();
    for own in 0..arguments.peers {
        peers.push(start(arguments, &relay, own, &sender)?);
    }
    println!(
        "{} peers, {} frames at {} a second; packets take {} to {} ms, {} % get lost, {} % are held back",
        arguments.peers,
        arguments.frames,
        arguments.fps,
        arguments.delay,
        arguments.delay + arguments.jitter,
        arguments.loss,
        arguments.reorder,
    );
    let outcome = match arguments.restart {
        None => listen(&mut peers, &receiver),
        Some(frame) => restart(arguments, &relay, &mut peers, frame, &sender, &receiver),
    };
    let results: Vec<(usize, String)> =
        (0..).zip(&peers).filter_map(|(at, peer)| Some((at, peer.result.clone()?))).collect();
    drop(peers);
    let traffic = relay.stop();
    println!("network | {} packets, {} lost, {} held back", traffic.sent, traffic.lost, traffic.held_back);
    outcome?;
    let (_, first) = results.first().ok_or(Failure::NoResult { peer: 0 })?;
    if results.iter().any(|(_, result)| result != first) {
        let all: Vec<String> =
            results.iter().map(|(peer, result)| format!("peer {peer}: {result}")).collect();
        return Err(Failure::Apart(all.join(", ")));
    }
    println!("{} peers agree: {first}", results.len());
    Ok(())
}

fn start(arguments: &Arguments, relay: &Relay, own: usize, sender: &Sender<Said>) -> Result<Peer, Failure> {
    let failed = |source| Failure::Start { peer: own, source };
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    for (word, value) in [
        ("--peer", own.to_string()),
        ("--peers", arguments.peers.to_string()),
        ("--frames", arguments.frames.to_string()),
        ("--fps", arguments.fps.to_string()),
        ("--seed", arguments.seed.to_string()),
    ] {
        command.args([word, &value]);
    }
    if let Some(port) = arguments.port {
        command.args(["--port", &port.to_string()]);
    }
    for other in (0..arguments.peers).filter(|&other| other != own) {
        command.args(["--remote", &other.to_string(), &relay.port(own, other).to_string()]);
    }
    if own == 0 {
        if arguments.watch {
            command.arg("--watch");
        }
        if let Some(path) = &arguments.record {
            command.arg("--record").arg(path);
        }
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(if arguments.watch && own == 0 { Stdio::inherit() } else { Stdio::piped() })
        .spawn()
        .map_err(failed)?;
    let (output, problems) = (child.stdout.take(), child.stderr.take());
    let sender = sender.clone();
    thread::spawn(move || {
        let said = output.into_iter().flat_map(|output| BufReader::new(output).lines());
        for line in said.map_while(Result::ok) {
            // Nobody listens any more when the fight is over.
            let _ = sender.send((own, Some(line)));
        }
        let problems = problems.into_iter().flat_map(|problems| BufReader::new(problems).lines());
        for line in problems.map_while(Result::ok) {
            let _ = sender.send((own, Some(line)));
        }
        let _ = sender.send((own, None));
    });
    Ok(Peer { child, result: None, has_ended: false })
}

/// Passes on what the peers say until each has a result.
fn listen(peers: &mut [Peer], receiver: &Receiver<Said>) -> Result<(), Failure> {
    while let Some(peer) = peers.iter().position(|peer| peer.result.is_none()) {
        if peers[peer].has_ended {
            return Err(Failure::NoResult { peer });
        }
        match receiver.recv() {
            Ok(said) => hear(peers, said),
            Err(_) => return Err(Failure::NoResult { peer }),
        }
    }
    Ok(())
}

fn hear(peers: &mut [Peer], (peer, line): Said) {
    match line {
        None => peers[peer].has_ended = true,
        Some(line) => {
            println!("peer {peer}  | {line}");
            if let Some(result) = line.strip_prefix("digest ") {
                peers[peer].result = Some(result.to_owned());
            }
        }
    }
}

/// Kills the last peer in the middle of the fight, starts it again, and waits for what both sides say.
fn restart(
    arguments: &Arguments,
    relay: &Relay,
    peers: &mut Vec<Peer>,
    frame: u32,
    sender: &Sender<Said>,
    receiver: &Receiver<Said>,
) -> Result<(), Failure> {
    let last = arguments.peers - 1;
    // Peers find each other within a second; frames are counted from there.
    let moment = Instant::now() + Duration::from_secs(1) + Duration::from_secs(1) * frame / arguments.fps;
    while Instant::now() < moment {
        match receiver.recv_timeout(moment.saturating_duration_since(Instant::now())) {
            Ok(said) => hear(peers, said),
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return Err(Failure::NoResult { peer: last }),
        }
    }
    drop(peers.pop());
    println!("peer {last}  | killed, and started again");
    while let Ok((peer, line)) = receiver.recv() {
        match (peer == last, line) {
            (true, None) => break,
            (true, Some(line)) => println!("peer {peer}  | {line}"),
            (false, line) => hear(peers, (peer, line)),
        }
    }
    let mut returned = start(arguments, relay, last, sender)?;
    while !returned.has_ended || peers.iter().any(|peer| peer.result.is_none() && !peer.has_ended) {
        match receiver.recv() {
            Ok((peer, None)) if peer == last => returned.has_ended = true,
            Ok((peer, Some(line))) if peer == last => println!("peer {peer}  | {line}"),
            Ok(said) => hear(peers, said),
            Err(_) => break,
        }
    }
    match peers.iter().position(|peer| peer.result.is_none()) {
        Some(peer) => Err(Failure::NoResult { peer }),
        None => Ok(()),
    }
}
