//! Events: every reader gets each of them once, in order, whatever the frames are like.

mod common;

use common::saving::reload;
use proptest::prelude::*;
use std_ecs::{Columns, Entities, Events, Reader, Single, World};

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Signals {
    signals: Events<u64>,
    /// The event to emit next: its number since the start.
    number: Single<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Listeners {
    readers: Single<Vec<Reader<u64>>>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Game {
    entities: Entities,
    signals: Signals,
    listeners: Listeners,
}

impl Game {
    /// What a reader gets if it takes at most `most`.
    fn read(&mut self, reader: usize, most: usize) -> Vec<u64> {
        self.signals.signals.read(&mut self.listeners.readers[reader]).take(most).copied().collect()
    }
}

fn all<'a>(events: &'a Events<u64>, reader: &'a mut Reader<u64>) -> Vec<u64> {
    events.read(reader).copied().collect()
}

#[test]
fn events_are_read_in_the_order_in_which_they_were_emitted() {
    let mut events = Events::default();
    let mut reader = Reader::from_start();
    events.extend(0..5_000);
    assert_eq!(events.read(&mut reader).len(), 5_000);
    assert_eq!(all(&events, &mut reader), (0..5_000).collect::<Vec<_>>());
    assert_eq!(all(&events, &mut reader), [0_u64; 0]);
    events.emit(5_000);
    assert_eq!(all(&events, &mut reader), [5_000]);
    assert_eq!(events.iter().copied().collect::<Vec<_>>(), (0..5_001).collect::<Vec<_>>());
}

#[test]
fn what_was_not_taken_is_there_the_next_time() {
    let mut events = Events::default();
    events.extend(0..10);
    let mut reader = Reader::from_start();
    assert_eq!(events.read(&mut reader).take(3).count(), 3);
    for event in events.read(&mut reader) {
        if *event == 5 {
            break;
        }
    }
    assert_eq!(all(&events, &mut reader), [6, 7, 8, 9]);
}

#[test]
fn a_reader_begins_at_the_start_or_now_as_its_name_says() {
    let mut events = Events::default();
    events.extend(0..3);
    let (mut start, mut now) = (Reader::from_start(), Reader::from_now(&events));
    assert_eq!(Reader::<u64>::default(), start);
    events.emit(3);
    assert_eq!(all(&events, &mut start), [0, 1, 2, 3]);
    assert_eq!(all(&events, &mut now), [3]);
    assert_eq!(start, now, "both have read everything");
}

#[test]
fn a_reader_is_told_once_how_many_it_missed() {
    let mut game = Game::default();
    let mut reader = Reader::from_start();
    game.signals.signals.extend(0..5);
    assert_eq!(game.signals.signals.read(&mut reader).next(), Some(&0));
    assert_eq!(reader.missed(), 0);
    game.advance(1);
    game.advance(1);
    game.signals.signals.emit(5);
    assert_eq!(all(&game.signals.signals, &mut reader), [5]);
    assert_eq!(reader.missed(), 4);
    assert_eq!(all(&game.signals.signals, &mut reader), [0_u64; 0]);
    assert_eq!(reader.missed(), 0);
}

#[test]
fn clearing_a_world_drops_events_and_leaves_readers_right() {
    let mut game = Game::default();
    let mut reader = Reader::from_start();
    game.signals.signals.extend(0..3);
    game.clear();
    assert!(game.signals.signals.is_empty());
    game.signals.signals.emit(3);
    assert_eq!(all(&game.signals.signals, &mut reader), [3]);
    assert_eq!(reader.missed(), 3);
}

#[test]
fn a_reader_from_a_future_that_was_rolled_back_misses_nothing() {
    let mut events = Events::default();
    events.emit(0);
    let snapshot = events.clone();
    events.extend(1..9);
    let mut reader = Reader::from_now(&events);
    events = snapshot;
    assert_eq!(all(&events, &mut reader), [0]);
    events.emit(1);
    assert_eq!(all(&events, &mut reader), [1]);
}

#[test]
fn a_rolled_back_world_reads_the_same_again() {
    let mut game = Game::default();
    game.listeners.readers.push(Reader::from_start());
    game.signals.signals.extend(0..3_000);
    game.read(0, 1_500);
    let snapshot = game.clone();
    game.advance(1);
    game.signals.signals.emit(7);
    let first = game.read(0, usize::MAX);
    game = snapshot.clone();
    assert_eq!(game, snapshot);
    game.advance(1);
    game.signals.signals.emit(7);
    assert_eq!(game.read(0, usize::MAX), first);
    assert_eq!(first.len(), 1_501);
}

#[test]
fn a_pause_of_ten_thousand_frames_piles_nothing_up() {
    for consumer_reads in [true, false] {
        let mut game = Game::default();
        let mut reader = Reader::from_start();
        let mut missed = 0;
        for frame in 0..10_000 {
            game.signals.signals.emit(frame);
            if consumer_reads {
                assert_eq!(all(&game.signals.signals, &mut reader), [frame]);
            }
            assert!(game.signals.signals.len() <= 8);
            game.advance(0);
        }
        let rest = all(&game.signals.signals, &mut reader);
        missed += reader.missed();
        let expected = if consumer_reads { (0, 0) } else { (7, 9_993) };
        assert_eq!((rest.len(), missed), expected);
    }
}

#[test]
fn a_quiet_buffer_is_not_written() {
    let mut game = Game::default();
    game.signals.signals.emit(1);
    game.advance(1);
    game.advance(1);
    let quiet = game.clone();
    game.advance(0);
    game.advance(3);
    assert_eq!(game, quiet);
}

#[test]
fn a_clone_shares_its_pages_and_an_event_copies_one() {
    use common::drops::{Count, Counted};
    let count = Count::new();
    let mut events = Events::default();
    events.extend((0..3_000).map(|number| Counted::new(number, &count)));
    count.take_clones();
    let snapshot = events.clone();
    assert_eq!(count.take_clones(), 0);
    events.emit(Counted::new(3_000, &count));
    assert_eq!(count.take_clones(), 3_000 % 1_024, "the last page");
    drop(snapshot);
    assert_eq!(count.alive(), 3_001);
    drop(events);
    assert_eq!(count.alive(), 0);
}

#[test]
fn dropped_events_are_dropped_for_good() {
    use common::drops::{Count, Counted};
    use std_ecs::Part;
    let count = Count::new();
    let mut events = Events::default();
    for frame in 0..100 {
        events.emit(Counted::new(frame, &count));
        events.end_frame(1);
        assert_eq!(count.alive(), 1);
    }
    events.clear_all();
    assert_eq!(count.alive(), 0);
}

/// An event of the model: its frame, and whether a step ran in a later one.
#[derive(Clone, Debug)]
struct Emitted {
    frame: u64,
    stepped: bool,
    dropped: bool,
}

/// Every event ever emitted; its number is its value.
#[derive(Clone, Debug, Default)]
struct Model {
    frame: u64,
    emitted: Vec<Emitted>,
    readers: Vec<usize>,
}

impl Model {
    fn end_frame(&mut self, steps: u32) {
        self.frame += 1;
        for event in &mut self.emitted {
            let age = self.frame - event.frame;
            event.stepped |= steps > 0 && age >= 2;
            event.dropped |= age >= 2 && event.stepped || age >= 8;
        }
    }

    fn read(&mut self, reader: usize, most: usize) -> (Vec<u64>, u64) {
        let from = self.readers[reader];
        let live = |&number: &usize| !self.emitted[number].dropped;
        let missed = (from..self.emitted.len()).take_while(|number| !live(number)).count();
        let read: Vec<usize> = (from + missed..self.emitted.len()).take(most).collect();
        assert!(read.iter().all(live), "only the oldest are dropped");
        self.readers[reader] = from + missed + read.len();
        (read.into_iter().map(|number| number as u64).collect(), missed as u64)
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Emit(usize),
    Read(usize, usize),
    EndFrame(u32),
    FromNow,
    FromStart,
    Clear,
    Snapshot,
    Restore(usize),
    Reload,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (1..4_usize).prop_map(Operation::Emit),
        1 => (1_000..2_500_usize).prop_map(Operation::Emit),
        6 => (any::<usize>(), 0..4_usize).prop_map(|(reader, most)| Operation::Read(reader, most)),
        4 => any::<usize>().prop_map(|reader| Operation::Read(reader, usize::MAX)),
        6 => prop_oneof![3 => Just(0), 2 => 1..4_u32].prop_map(Operation::EndFrame),
        1 => Just(Operation::FromNow),
        1 => Just(Operation::FromStart),
        1 => prop::bool::weighted(0.2).prop_map(|rare| if rare { Operation::Clear } else { Operation::FromNow }),
        2 => Just(Operation::Snapshot),
        2 => any::<usize>().prop_map(Operation::Restore),
        1 => Just(Operation::Reload),
    ]
}

/// Runs an operation on a world; what a reader was given, and how many it missed.
fn apply(game: &mut Game, operation: &Operation) -> (Vec<u64>, u64) {
    let (events, readers) = (&mut game.signals.signals, &mut game.listeners.readers);
    match *operation {
        Operation::Emit(count) => {
            for _ in 0..count {
                events.emit(*game.signals.number);
                *game.signals.number += 1;
            }
        }
        Operation::Read(reader, most) if !readers.is_empty() => {
            let reader = reader % readers.len();
            let read = game.read(reader, most);
            return (read, game.listeners.readers[reader].missed());
        }
        Operation::EndFrame(steps) => game.advance(steps),
        Operation::FromNow => readers.push(Reader::from_now(events)),
        Operation::FromStart => readers.push(Reader::from_start()),
        Operation::Clear => game.clear(),
        _ => {}
    }
    Default::default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn readers_agree_with_a_list_of_all_events(operations in prop::collection::vec(operation(), 1..80)) {
        let (mut game, mut model) = (Game::default(), Model::default());
        let mut twin = game.clone();
        let mut snapshots = vec![(game.clone(), model.clone())];
        for operation in operations {
            match operation {
                Operation::Snapshot => snapshots.push((game.clone(), model.clone())),
                Operation::Restore(at) => {
                    (game, model) = snapshots[at % snapshots.len()].clone();
                    twin = reload(&game);
                }
                Operation::Reload => twin = reload(&twin),
                _ => {}
            }
            let answer = apply(&mut game, &operation);
            match operation {
                Operation::Emit(count) => {
                    let event = Emitted { frame: model.frame, stepped: false, dropped: false };
                    model.emitted.extend(std::iter::repeat_n(event, count));
                }
                Operation::Read(reader, most) if !model.readers.is_empty() => {
                    let reader = reader % model.readers.len();
                    prop_assert_eq!(&answer, &model.read(reader, most));
                }
                Operation::EndFrame(steps) => model.end_frame(steps),
                Operation::FromNow => model.readers.push(model.emitted.len()),
                Operation::FromStart => model.readers.push(0),
                Operation::Clear => model.emitted.iter_mut().for_each(|event| event.dropped = true),
                _ => {}
            }
            let buffered = (0..).zip(&model.emitted).filter(|(_, event)| !event.dropped);
            let buffered: Vec<u64> = buffered.map(|(number, _)| number).collect();
            prop_assert_eq!(game.signals.signals.len(), buffered.len());
            prop_assert_eq!(game.signals.signals.iter().copied().collect::<Vec<_>>(), buffered);
            prop_assert_eq!(apply(&mut twin, &operation), answer, "the reloaded world answers the same");
            prop_assert_eq!(&twin, &game);
        }
        for (mut snapshot, mut model) in snapshots {
            for reader in 0..model.readers.len() {
                prop_assert_eq!(snapshot.read(reader, usize::MAX), model.read(reader, usize::MAX).0);
            }
        }
    }

    /// Four stages, each with an emitter that runs before or after a consumer; steps as the pattern says.
    #[test]
    fn every_consumer_in_every_stage_gets_every_event_once(
        steps in prop::collection::vec(prop_oneof![3 => Just(0_u32), 2 => 1..4_u32], 1..60),
        emitter_first in prop::array::uniform4(any::<bool>()),
    ) {
        const FIXED: usize = 1;
        let mut game = Game::default();
        game.listeners.readers.resize(4, Reader::from_start());
        let mut seen = [const { Vec::new() }; 4];
        let run_stage = |game: &mut Game, stage: usize, seen: &mut [Vec<u64>; 4]| {
            let number = *game.signals.number;
            if emitter_first[stage] {
                game.signals.signals.emit(number);
            }
            seen[stage].extend(game.read(stage, usize::MAX));
            assert_eq!(game.listeners.readers[stage].missed(), 0);
            if !emitter_first[stage] {
                game.signals.signals.emit(number);
            }
            *game.signals.number += 1;
        };
        let mut frames_without_step = 0;
        for steps in steps.into_iter().chain([1, 1]) {
            // A step at least every seventh frame: beyond that a buffer drops what the steps did not see.
            let steps = if frames_without_step == 6 { steps.max(1) } else { steps };
            frames_without_step = if steps == 0 { frames_without_step + 1 } else { 0 };
            for stage in 0..4 {
                let runs = if stage == FIXED { steps } else { 1 };
                for _ in 0..runs {
                    run_stage(&mut game, stage, &mut seen);
                }
            }
            game.advance(steps);
        }
        for (reader, seen) in seen.iter_mut().enumerate() {
            seen.extend(game.read(reader, usize::MAX));
            prop_assert_eq!(&*seen, &(0..*game.signals.number).collect::<Vec<_>>());
        }
    }
}

#[cfg(feature = "serde")]
mod saved {
    use super::common::saving::{from_json, from_postcard, to_json, to_postcard};
    use super::*;

    /// The frames of which a buffer consists, and the count.
    fn load(next: u64, past: &[&[u64]], current: &[u64]) -> Result<Events<u64>, String> {
        let postcard = to_postcard(&(next, past, current));
        let json = serde_json::json!({ "next": next, "past": past, "current": current }).to_string();
        let (a, b) = (from_postcard::<Events<u64>>(&postcard), from_json::<Events<u64>>(&json));
        assert_eq!(a.as_ref().ok(), b.as_ref().ok());
        b
    }

    #[test]
    fn a_buffer_whose_counts_disagree_is_refused() {
        assert!(load(3, &[&[1], &[]], &[2, 3]).is_ok());
        let refused = [
            (load(2, &[&[1], &[]], &[2, 3]), "3 are buffered, but 2 were counted"),
            (load(u64::MAX, &[], &[]), "0 are buffered, but 18446744073709551615 were counted"),
            (load(9, &[&[], &[1]], &[]), "the oldest frame has none"),
            (load(9, &[&[1], &[], &[], &[], &[], &[], &[], &[]], &[]), "8 earlier frames, but 7 are kept"),
        ];
        for (loaded, problem) in refused {
            let error = loaded.unwrap_err();
            assert!(error.contains(problem) && error.contains("u64"), "{error}");
        }
        assert!(load(9, &[&[1], &[], &[], &[], &[], &[], &[]], &[]).is_ok());
    }

    #[test]
    fn a_truncated_buffer_is_refused() {
        let mut events = Events::<u64>::default();
        events.extend(0..20);
        let bytes = to_postcard(&events);
        for length in 0..bytes.len() {
            assert!(from_postcard::<Events<u64>>(&bytes[..length]).is_err(), "{length} bytes");
        }
        let text = to_json(&events).replace("current", "currant");
        assert!(from_json::<Events<u64>>(&text).is_err());
    }

    #[test]
    fn a_length_that_is_claimed_and_not_there_is_refused_in_time() {
        let mut bytes = to_postcard(&(u64::MAX / 2, 0_u8));
        bytes.extend(to_postcard(&(1_u64 << 60)));
        let error = from_postcard::<Events<()>>(&bytes).unwrap_err();
        assert!(error.contains("Serde") || error.contains("16777216"), "{error}");
    }

    #[test]
    fn a_reader_comes_back_as_it_was() {
        let mut events = Events::<u64>::default();
        events.extend(0..20);
        let mut reader = Reader::from_start();
        events.read(&mut reader).take(7).count();
        let (mut copy, events) = (reload(&reader), reload(&events));
        assert_eq!(copy, reader);
        assert_eq!(events.read(&mut copy).collect::<Vec<_>>(), events.read(&mut reader).collect::<Vec<_>>());
    }
}
