//! Sync tests, peers over a bad network, and a spectator.

mod duel;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use duel::{Duel, Keys, keys};
use std_ecs::{World, digest};
use std_rollback::{
    DesyncDetection, Driver, InputStatus, Message, NonBlockingSocket, P2PSession, PlayerType,
    PredictRepeatLast, Replay, Rollback, RollbackConfig, RollbackError, SessionBuilder, Skip, SyncTest,
};

type Config = RollbackConfig<Duel, u8, PredictRepeatLast>;

/// Packets on their way: when they arrive, from whom, to whom.
type Air = Rc<RefCell<VecDeque<(u32, u8, u8, Message)>>>;

/// A network that takes three to eleven ticks for a packet, and loses one of ten.
#[derive(Clone, Default)]
struct Network {
    air: Air,
    now: Rc<Cell<u32>>,
    random: Rc<Cell<u32>>,
    lossless: bool,
}

struct Socket {
    network: Network,
    own: u8,
}

impl NonBlockingSocket<u8> for Socket {
    fn send_to(&mut self, message: &Message, to: &u8) {
        let random = self.network.random.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.network.random.set(random);
        if self.network.lossless || random >> 8 & 15 > 1 {
            let arrives = self.network.now.get() + 3 + (random >> 16 & 7);
            self.network.air.borrow_mut().push_back((arrives, self.own, *to, message.clone()));
        }
    }

    fn receive_all_messages(&mut self) -> Vec<(u8, Message)> {
        let (now, own) = (self.network.now.get(), self.own);
        let mut air = self.network.air.borrow_mut();
        let (arrived, rest) = air.drain(..).partition(|&(at, _, to, _)| at <= now && to == own);
        *air = rest;
        let arrived: VecDeque<_> = arrived;
        arrived.into_iter().map(|(_, from, _, message)| (from, message)).collect()
    }
}

fn session(network: &Network, own: u8, is_watched: bool) -> P2PSession<Config> {
    let mut builder = SessionBuilder::<Config>::new()
        .with_num_players(2)
        .unwrap()
        .with_max_prediction_window(8)
        .with_desync_detection_mode(DesyncDetection::On { interval: 10 });
    for player in 0..2 {
        let kind = if player == own { PlayerType::Local } else { PlayerType::Remote(player) };
        builder = builder.add_player(kind, usize::from(player)).unwrap();
    }
    if is_watched && own == 0 {
        builder = builder.add_player(PlayerType::Spectator(7), 2).unwrap();
    }
    builder.start_p2p_session(Socket { network: network.clone(), own }).unwrap()
}

/// Runs two peers until both know all inputs of these frames.
fn play(drivers: &mut [Driver<Duel>; 2], frames: u32) -> Result<(), RollbackError> {
    let network = Network::default();
    let mut sessions = [session(&network, 0, false), session(&network, 1, false)];
    for tick in 0..100_000 {
        network.now.set(tick);
        for (player, (driver, session)) in drivers.iter_mut().zip(&mut sessions).enumerate() {
            session.add_local_input(player, keys(driver.frame().unsigned_abs(), player)).unwrap();
            driver.advance(session)?;
        }
        if drivers.iter().all(|driver| driver.recorder().unwrap().frames() >= frames) {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
    panic!("the peers did not get through");
}

/// The same game with all inputs known.
fn straight(frames: u32) -> Duel {
    let mut duel = Duel::new(5);
    for frame in 0..frames {
        duel.step(&[0, 1].map(|player| (keys(frame, player), InputStatus::Confirmed)));
    }
    duel
}

#[test]
fn a_sync_test_of_an_honest_game_passes() {
    let end = SyncTest::new(2).distance(7).run(Duel::new(5), 300, keys).unwrap();
    assert_eq!(end, straight(300));
    assert!(*end.things.score > 10);
    end.check().unwrap();
}

#[test]
fn a_sync_test_that_would_compare_nothing_is_refused() {
    for (distance, frames) in [(0, 100), (1, 100), (4, 6)] {
        let error = SyncTest::new(2).distance(distance).run(Duel::new(5), frames, keys).unwrap_err();
        assert_eq!(error, RollbackError::ComparesNothing { distance, frames });
    }
    assert!(SyncTest::new(2).distance(4).run(Duel::new(5), 7, keys).is_ok());
}

/// A duel whose steps count themselves outside of the world.
#[derive(Clone, Debug, Default, World)]
struct Leaky {
    entities: std_ecs::Entities,
    count: std_ecs::Single<u32>,
}

thread_local! {
    static STEPS: Cell<u32> = const { Cell::new(0) };
}

impl Rollback for Leaky {
    type Input = Keys;

    fn step(&mut self, _inputs: &[(Keys, InputStatus)]) {
        STEPS.set(STEPS.get() + 1);
        *self.count = STEPS.get();
    }
}

#[test]
fn a_sync_test_finds_state_outside_of_the_world() {
    for (distance, frames) in [(2, 100), (2, 5), (7, 100), (7, 10)] {
        let error = SyncTest::new(2).distance(distance).run(Leaky::default(), frames, keys).unwrap_err();
        let RollbackError::NotDeterministic { frame, difference } = error else { panic!("{error}") };
        let difference = difference.unwrap();
        assert!(frame <= 8, "frame {frame}");
        assert_eq!((difference.path.as_str(), difference.entity), ("count", None));
        assert_ne!(difference.left, difference.right);
    }
}

#[test]
fn peers_over_a_bad_network_hold_the_same_world() {
    let mut drivers = [Driver::recording(Duel::new(5)), Driver::recording(Duel::new(5))];
    play(&mut drivers, 600).unwrap();
    for driver in &drivers {
        let statistics = driver.statistics();
        assert!(statistics.loads.count > 20, "{statistics}");
        assert!(statistics.longest_rollback > 3 && statistics.longest_rollback <= 9, "{statistics}");
        assert!(statistics.digests.count * 3 < statistics.saves.count, "{statistics}");
    }
    let end = digest(&straight(600));
    for driver in &drivers {
        let file = driver.recorder().unwrap().to_bytes().unwrap();
        let mut replay = Replay::<Duel>::from_bytes(&file).unwrap();
        assert_eq!(digest(replay.seek(600).unwrap()), end);
        // The digests in the file are those of the live game, compared while the replay runs.
        replay.seek(replay.frames()).unwrap();
    }
}

#[test]
fn a_desync_is_an_error_that_names_the_frame() {
    let mut other = Duel::new(5);
    *other.things.leak += 1;
    let mut drivers = [Driver::recording(Duel::new(5)), Driver::recording(other)];
    let error = play(&mut drivers, 600).unwrap_err();
    let RollbackError::Desync { frame, local, remote, .. } = error else { panic!("{error}") };
    assert!(frame % 10 == 0 && local != remote);
    assert!(error.to_string().contains("compare `digest_report` of both worlds"), "{error}");
}

#[test]
fn a_session_without_peers_skips_its_ticks() {
    let network = Network::default();
    let mut session = session(&network, 0, false);
    let mut driver = Driver::new(Duel::new(5));
    session.add_local_input(0, Keys(1)).unwrap();
    let progress = driver.advance(&mut session).unwrap();
    assert_eq!((progress.skipped, driver.frame()), (Some(Skip::Synchronizing), 0));
    assert_eq!(driver.world(), &Duel::new(5));
}

#[test]
fn a_spectator_sees_what_the_players_play() {
    let network = Network { lossless: true, ..Network::default() };
    let mut sessions = [session(&network, 0, true), session(&network, 1, true)];
    let mut watching = SessionBuilder::<Config>::new()
        .with_num_players(2)
        .unwrap()
        .start_spectator_session(0, Socket { network: network.clone(), own: 7 });
    let mut drivers = [Driver::new(Duel::new(5)), Driver::new(Duel::new(5))];
    let mut spectator = Driver::new(Duel::new(5));
    let mut tick = 0;
    while spectator.frame() < 120 {
        network.now.set(tick);
        for (player, (driver, session)) in drivers.iter_mut().zip(&mut sessions).enumerate() {
            session.add_local_input(player, keys(driver.frame().unsigned_abs(), player)).unwrap();
            driver.advance(session).unwrap();
        }
        spectator.advance(&mut watching).unwrap();
        let frame = spectator.frame().unsigned_abs();
        assert_eq!(digest(spectator.world()), digest(&straight(frame)), "at frame {frame}");
        tick += 1;
        assert!(tick < 50_000, "the spectator did not get to see anything");
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
}
