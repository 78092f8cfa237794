//! Events, readers and input under any pattern of frames and fixed steps.

use std::time::Duration;

use proptest::prelude::*;
use std_ecs::{Columns, Entities, Events, Reader, Schedule, Single, Stage, System, World};

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Feed {
    sent: Events<u64>,
    count: Single<u64>,
}

/// What somebody in some stage has read.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    reader: Reader<u64>,
    events: Vec<u64>,
    missed: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Consumers {
    input: Single<Seen>,
    fixed: Single<Seen>,
    update: Single<Seen>,
    late: Single<Seen>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    feed: Feed,
    consumers: Consumers,
}

const STEP: Duration = Duration::from_millis(10);

type Place = fn(&mut Game) -> &mut Single<Seen>;

fn places() -> [(Stage, Place); 4] {
    [
        (Stage::Input, |game| &mut game.consumers.input),
        (Stage::Fixed, |game| &mut game.consumers.fixed),
        (Stage::Update, |game| &mut game.consumers.update),
        (Stage::Late, |game| &mut game.consumers.late),
    ]
}

fn consumer(stage: Stage, place: Place) -> System<Game> {
    let read = move |game: &mut Game, _: Duration| {
        let sent = game.feed.sent.clone();
        let Seen { reader, events, missed } = &mut **place(game);
        events.extend(sent.read(reader));
        *missed += reader.missed();
    };
    System::new(format!("read in {stage}"), read).reads_part(|game| &mut game.feed.sent).writes_part(place)
}

fn producer() -> System<Game> {
    let send = |game: &mut Game, _: Duration| {
        let Feed { sent, count } = &mut game.feed;
        **count += 1;
        sent.emit(**count);
    };
    System::new("send", send).writes_part(|game| &mut game.feed.sent).writes_part(|game| &mut game.feed.count)
}

/// A consumer in each stage, and a producer in this one, before the consumer there or after it.
fn schedule(sends: Stage, first: bool) -> Schedule<Game> {
    let mut schedule = Schedule::with_step(STEP);
    if first {
        schedule.add(sends, producer()).unwrap();
    }
    for (stage, place) in places() {
        schedule.add(stage, consumer(stage, place)).unwrap();
    }
    if !first {
        schedule.add(sends, producer()).unwrap();
    }
    schedule
}

/// Runs frames of these numbers of steps, and then some more so that everybody sees the last events.
/// Answers with the longest that the buffer was.
fn play(schedule: &mut Schedule<Game>, game: &mut Game, frames: &[u32]) -> usize {
    let mut longest = 0;
    for &steps in frames {
        assert_eq!(schedule.run(game, STEP * steps).steps, steps);
        longest = longest.max(game.feed.sent.len());
    }
    schedule.remove("send").unwrap();
    for steps in [1, 1, 1] {
        schedule.run(game, STEP * steps);
    }
    longest
}

fn all_seen(game: &mut Game) {
    let expected: Vec<u64> = (1..=*game.feed.count).collect();
    for (stage, place) in places() {
        let seen = &**place(game);
        assert_eq!((&seen.events, seen.missed), (&expected, 0), "in {stage}");
    }
    assert!(game.feed.sent.is_empty(), "all have seen them, nobody keeps them");
}

#[test]
fn a_consumer_in_the_fixed_step_gets_each_event_once() {
    let mut schedule = schedule(Stage::Input, true);
    let mut game = Game::default();
    play(&mut schedule, &mut game, &[0, 0, 0, 1, 3, 0, 2, 3, 0, 0, 1]);
    assert_eq!(*game.feed.count, 11);
    all_seen(&mut game);
}

#[test]
fn a_consumer_in_any_stage_gets_each_event_of_any_stage_once() {
    for sends in [Stage::Input, Stage::Fixed, Stage::Update, Stage::Late] {
        for first in [true, false] {
            for frames in
                [&[0, 0, 0, 1, 3, 0, 2][..], &[1; 12], &[0, 0, 0, 0, 0, 0, 1], &[3, 3, 0, 3], &[0, 1, 0, 1]]
            {
                let mut schedule = schedule(sends, first);
                let mut game = Game::default();
                play(&mut schedule, &mut game, frames);
                all_seen(&mut game);
            }
        }
    }
}

#[test]
fn nothing_piles_up_in_a_pause() {
    let mut schedule = schedule(Stage::Update, true);
    let mut game = Game::default();
    let longest = play(&mut schedule, &mut game, &vec![0; 10_000]);
    assert!(longest <= 8, "{longest} events were buffered");
    let expected: Vec<u64> = (1..=10_000).collect();
    assert_eq!((&game.consumers.update.events, game.consumers.update.missed), (&expected, 0));
    assert_eq!((&game.consumers.input.events, game.consumers.late.missed), (&expected, 0));
    let fixed = &*game.consumers.fixed;
    assert_eq!(fixed.events.len() as u64 + fixed.missed, 10_000, "whoever slept is told what was missed");
    assert!(fixed.events.len() <= 8);
}

#[test]
fn nothing_piles_up_without_a_fixed_stage() {
    let mut schedule = Schedule::with_step(Duration::MAX);
    schedule.add(Stage::Update, producer()).unwrap();
    schedule.add(Stage::Late, consumer(Stage::Late, |game| &mut game.consumers.late)).unwrap();
    let mut game = Game::default();
    for _ in 0..1_000 {
        schedule.run(&mut game, STEP);
        assert!(game.feed.sent.len() <= 8);
    }
    assert_eq!(game.consumers.late.events.len(), 1_000);
}

#[test]
fn lockstep_steps_drop_what_everybody_read() {
    let mut schedule = Schedule::with_step(STEP);
    schedule.add(Stage::Fixed, producer()).unwrap();
    schedule.add(Stage::Fixed, consumer(Stage::Fixed, |game| &mut game.consumers.fixed)).unwrap();
    let mut game = Game::default();
    for _ in 0..100 {
        schedule.step(&mut game);
        assert!(game.feed.sent.len() <= 2);
    }
    assert_eq!(game.consumers.fixed.events, (1..=100).collect::<Vec<_>>());
}

#[test]
fn a_press_reaches_exactly_one_step() {
    // What the window says arrives as an event in Input; the first step that runs takes it.
    let button: Place = |game| &mut game.consumers.fixed;
    for frames in [&[0, 1][..], &[3], &[0, 0, 3, 1], &[1, 1], &[2]] {
        let mut schedule = Schedule::with_step(STEP);
        schedule.add(Stage::Input, producer().run_if(|game| *game.feed.count == 0)).unwrap();
        schedule.add(Stage::Fixed, consumer(Stage::Fixed, button)).unwrap();
        let count = |game: &mut Game, _: Duration| {
            let pressed = game.consumers.fixed.events.len() as u64;
            game.consumers.update.events.push(pressed);
        };
        let count = System::new("count", count).reads_part(button);
        schedule.add(Stage::Fixed, count.writes_part(|game| &mut game.consumers.update)).unwrap();
        let mut game = Game::default();
        for &steps in frames {
            schedule.run(&mut game, STEP * steps);
        }
        assert_eq!(game.consumers.fixed.events, [1], "{frames:?}");
        let steps = frames.iter().sum::<u32>() as usize;
        assert_eq!(game.consumers.update.events, vec![1; steps], "the first step had it: {frames:?}");
    }
}

#[test]
fn readers_roll_back_with_the_world() {
    let mut schedule = schedule(Stage::Input, true);
    let mut game = Game::default();
    for steps in [0, 1, 0] {
        schedule.run(&mut game, STEP * steps);
    }
    let (snapshot, fixed) = (game.clone(), schedule.fixed_step().clone());
    let run = |schedule: &mut Schedule<Game>, game: &mut Game| {
        for steps in [2, 0, 1, 0] {
            schedule.run(game, STEP * steps);
        }
    };
    run(&mut schedule, &mut game);
    let first = game;
    (game, *schedule.fixed_step_mut()) = (snapshot, fixed);
    run(&mut schedule, &mut game);
    assert!(game == first);
    assert_eq!(game.consumers.late.events, (1..=7).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_event_is_seen_once_under_any_pattern_of_frames(
        frames in prop::collection::vec(prop_oneof![Just(0_u32), 0_u32..4], 1..40),
        sends in 0_usize..4,
        first: bool,
    ) {
        // A fixed step that comes every eighth frame at least misses nothing.
        let mut paced = Vec::new();
        for steps in frames {
            let quiet = paced.iter().rev().take_while(|&&steps| steps == 0).count();
            paced.push(if quiet == 6 { steps.max(1) } else { steps });
        }
        let sends = places()[sends].0;
        let mut schedule = schedule(sends, first);
        let mut game = Game::default();
        let longest = play(&mut schedule, &mut game, &paced);
        all_seen(&mut game);
        prop_assert!(longest <= 24);
    }
}
