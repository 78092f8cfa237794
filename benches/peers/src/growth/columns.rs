//! The operations in worlds of more and more columns, with ten thousand rows each.

use std_ecs::{Entity, digest};

use super::entities::{COPIES, keep_last};
use super::worlds::{
    Value, WideWorld, World1, World2, World5, World10, World20, World50, World100, World200,
};
use super::{Case, Operation};
use crate::contender::Entry;
use crate::peers::OURS;
use crate::plan::Random;
use crate::sums::sum;

/// How many columns there are.
pub const COUNTS: [usize; 8] = [1, 2, 5, 10, 20, 50, 100, 200];

/// How many entities have a row in every column.
pub const ROWS: usize = 10_000;

/// How many of them are despawned in a run.
const VICTIMS: usize = 1_000;

pub fn cases(columns: usize) -> Vec<Case> {
    match columns {
        World1::COLUMNS => cases_of::<World1>(),
        World2::COLUMNS => cases_of::<World2>(),
        World5::COLUMNS => cases_of::<World5>(),
        World10::COLUMNS => cases_of::<World10>(),
        World20::COLUMNS => cases_of::<World20>(),
        World50::COLUMNS => cases_of::<World50>(),
        World100::COLUMNS => cases_of::<World100>(),
        World200::COLUMNS => cases_of::<World200>(),
        _ => Vec::new(),
    }
}

struct State<W> {
    world: W,
    entities: Vec<Entity>,
}

fn full<W: WideWorld>() -> State<W> {
    let mut world = W::default();
    let entities = world.entities_mut().spawn_many(ROWS);
    world.fill(&entities, 0);
    State { world, entities }
}

/// The same world, made row by row.
fn row_by_row<W: WideWorld>() -> State<W> {
    let mut state = State { world: W::default(), entities: Vec::new() };
    for index in 0..ROWS {
        let entity = state.world.spawn();
        state.world.fill(&[entity], index);
        state.entities.push(entity);
    }
    state
}

/// What a world holds whose columns all have these values, but the first one.
fn total<W: WideWorld>(first: impl Iterator<Item = f32>, others: &[f32]) -> u64 {
    let share = |value: f32| sum([&Value::<0, 0>(value)]);
    let other = others.iter().fold(0_u64, |total, value| total.wrapping_add(share(*value)));
    first.fold(other.wrapping_mul(W::COLUMNS as u64 - 1), |total, value| total.wrapping_add(share(value)))
}

fn numbers() -> Vec<f32> {
    (0..ROWS).map(|index| index as f32).collect()
}

fn cases_of<W: WideWorld>() -> Vec<Case> {
    let mut cases = Vec::new();
    if W::COLUMNS > 1 {
        cases.push(Case {
            operation: Operation::Walk,
            times: 1,
            repeats: true,
            make: Box::new(|| {
                Entry::steady(OURS, "", full::<W>(), |state| state.world.walk(), |state| state.world.sum())
            }),
            expected: Box::new(|| total::<W>(numbers().into_iter().map(|value| value + value), &numbers())),
        });
    }
    cases.extend([
        Case {
            operation: Operation::Snapshot,
            times: 1,
            repeats: true,
            make: Box::new(|| {
                let state = (full::<W>().world, W::default());
                Entry::steady(OURS, "", state, |(live, saved)| *saved = live.clone(), |state| state.1.sum())
            }),
            expected: Box::new(|| total::<W>(numbers().into_iter(), &numbers())),
        },
        Case {
            operation: Operation::FirstWrite,
            times: COPIES,
            repeats: false,
            make: Box::new(first_write::<W>),
            expected: Box::new(|| COPIES as u64),
        },
    ]);
    cases.extend(digests::<W>());
    cases.extend(despawns::<W>());
    cases
}

fn first_write<W: WideWorld>() -> Entry {
    let State { world, entities } = full::<W>();
    let mut random = Random::new(3);
    let written: Vec<Entity> = (0..COPIES).map(|_| entities[random.below(ROWS)]).collect();
    Entry::prepared(
        OURS,
        "",
        (world, Vec::new(), written),
        |(world, copies, _)| *copies = vec![world.clone(); COPIES],
        |(_, copies, written)| {
            for (copy, entity) in copies.iter_mut().zip(written) {
                copy.write(*entity);
            }
        },
        |(world, copies, written)| {
            let gained =
                copies.iter().zip(written).map(|(copy, entity)| copy.read(*entity) - world.read(*entity));
            gained.sum::<f32>() as u64
        },
    )
}

fn digests<W: WideWorld>() -> [Case; 3] {
    let whole = || {
        Entry::fresh(
            OURS,
            "nothing known",
            || (full::<W>().world, 0),
            |(world, found)| *found = digest(world) as u64,
            |state| state.1,
        )
    };
    let after_one = || {
        let State { world, entities } = full::<W>();
        digest(&world);
        Entry::prepared(
            OURS,
            "one row written",
            (world, entities[ROWS / 3], 0),
            |(world, entity, _)| world.write(*entity),
            |(world, _, found)| *found = digest(world) as u64,
            |state| state.2,
        )
    };
    let after_none = || {
        Entry::steady(
            OURS,
            "nothing written",
            (full::<W>().world, 0),
            |(world, found)| *found = digest(world) as u64,
            |state| state.1,
        )
    };
    let expected = |writes: usize| -> Box<dyn Fn() -> u64> {
        Box::new(move || {
            let State { mut world, entities } = row_by_row::<W>();
            (0..writes).for_each(|_| world.write(entities[ROWS / 3]));
            digest(&world) as u64
        })
    };
    let case = |make: Box<dyn Fn() -> Entry>, repeats, writes| Case {
        operation: Operation::Digest,
        times: 1,
        repeats,
        make,
        expected: expected(writes),
    };
    [
        case(Box::new(whole), false, 0),
        case(Box::new(after_one), false, 1),
        case(Box::new(after_none), true, 0),
    ]
}

fn despawns<W: WideWorld>() -> [Case; 2] {
    let in_all = || {
        Entry::prepared(
            OURS,
            "with a row in every column",
            (full::<W>(), Random::new(5)),
            |(State { world, entities }, random)| {
                let born = world.entities_mut().spawn_many(ROWS - entities.len());
                world.fill(&born, ROWS);
                entities.extend(born);
                keep_last(random, entities, VICTIMS);
            },
            |(State { world, entities }, _)| {
                for entity in entities.drain(ROWS - VICTIMS..) {
                    world.despawn(entity);
                }
            },
            |(state, _)| state.world.sum(),
        )
    };
    let in_first = || {
        Entry::prepared(
            OURS,
            "with a row in the first column",
            (full::<W>().world, Vec::new()),
            |(world, born)| {
                *born = world.entities_mut().spawn_many(VICTIMS);
                world.fill_first(born, ROWS);
            },
            |(world, born)| {
                for entity in born.drain(..) {
                    world.despawn(entity);
                }
            },
            |(world, _)| world.sum().wrapping_add(world.entities().len() as u64),
        )
    };
    [
        Case {
            operation: Operation::Despawn,
            times: VICTIMS,
            repeats: false,
            make: Box::new(in_all),
            expected: Box::new(|| {
                let mut left = numbers();
                keep_last(&mut Random::new(5), &mut left, VICTIMS);
                left.truncate(ROWS - VICTIMS);
                total::<W>(left.iter().copied(), &left)
            }),
        },
        Case {
            operation: Operation::Despawn,
            times: VICTIMS,
            repeats: false,
            make: Box::new(in_first),
            expected: Box::new(|| total::<W>(numbers().into_iter(), &numbers()).wrapping_add(ROWS as u64)),
        },
    ]
}
