//! The operations in a world of four columns with more and more entities, beside what bare memory allows.

use ::std_ecs::{Entity, World, digest};

use super::{Case, Operation};
use crate::components::{bundle, position, step, velocity};
use crate::contender::Entry;
use crate::peers::std_ecs_worlds::Game;
use crate::peers::{OURS, slices, sparse_set, std_ecs};
use crate::plan::Random;
use crate::sums::sum;
use crate::workloads::Kind;

/// How many snapshots are written to in a run, each in one row.
pub const COPIES: usize = 64;

pub fn cases(size: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    cases.extend(walks(size));
    cases.extend(snapshots(size));
    cases.push(first_write(size));
    if size > 2_000 {
        cases.push(next_write(size));
    }
    cases.extend(digests(size));
    cases.extend(despawns(size));
    cases
}

/// Puts so many values that are picked at random behind the others.
pub fn keep_last<T>(random: &mut Random, values: &mut [T], picked: usize) {
    for last in (values.len() - picked..values.len()).rev() {
        let other = random.below(last + 1);
        values.swap(last, other);
    }
}

fn full(size: usize) -> (Game, Vec<Entity>) {
    let mut game = Game::default();
    let entities = game.spawn_batch((0..size).map(bundle));
    (game, entities)
}

fn only(mut entries: Vec<Entry>) -> Entry {
    let mut entry = entries.swap_remove(0);
    entry.way = "";
    entry
}

fn walks(size: usize) -> [Case; 2] {
    let case = |make: Box<dyn Fn() -> Entry>| Case {
        operation: Operation::Walk,
        times: 1,
        repeats: true,
        make,
        expected: Box::new(move || {
            (0..size).fold(0_u64, |total, index| {
                let mut moved = position(index);
                step(&mut moved, &velocity(index));
                total.wrapping_add(sum([&moved]))
            })
        }),
    };
    [
        case(Box::new(move || only(std_ecs::entries(Kind::WalkForEach, size)))),
        case(Box::new(move || only(slices::entries(Kind::WalkForEach, size)))),
    ]
}

fn snapshots(size: usize) -> [Case; 2] {
    let case = |make: Box<dyn Fn() -> Entry>| Case {
        operation: Operation::Snapshot,
        times: 1,
        repeats: true,
        make,
        expected: Box::new(move || {
            (0..size).fold(0_u64, |total, index| total.wrapping_add(sum([&position(index)])))
        }),
    };
    [
        case(Box::new(move || only(std_ecs::entries(Kind::Snapshot, size)))),
        case(Box::new(move || Entry { way: "memcpy", ..only(slices::entries(Kind::Snapshot, size)) })),
    ]
}

struct Written {
    game: Game,
    copies: Vec<Game>,
    /// One for each copy.
    entities: Vec<Entity>,
    before: Vec<Entity>,
}

impl Written {
    fn new(size: usize) -> Self {
        let (game, entities) = full(size);
        let mut random = Random::new(3);
        let places: Vec<usize> = (0..COPIES).map(|_| random.below(size)).collect();
        Self {
            entities: places.iter().map(|place| entities[*place]).collect(),
            // Half of the world away, so in another page.
            before: places.iter().map(|place| entities[(place + size / 2) % size]).collect(),
            game,
            copies: Vec::new(),
        }
    }

    fn write(&mut self) {
        for (copy, entity) in self.copies.iter_mut().zip(&self.entities) {
            copy.four.positions.get_mut(*entity).expect("all are alive").x += 1.0;
        }
    }

    /// How much the copies hold more than the world they were taken of, in the rows that are written.
    fn gained(&mut self) -> u64 {
        let x =
            |game: &Game, entity: Entity| game.four.positions.get(entity).map_or(0.0, |position| position.x);
        let gained = self.copies.iter().zip(&self.entities);
        gained.map(|(copy, entity)| x(copy, *entity) - x(&self.game, *entity)).sum::<f32>() as u64
    }
}

fn first_write(size: usize) -> Case {
    writes(size, "first write", |_| {})
}

fn next_write(size: usize) -> Case {
    writes(size, "next write, to another page", |state| {
        std::mem::swap(&mut state.entities, &mut state.before);
        state.write();
        std::mem::swap(&mut state.entities, &mut state.before);
    })
}

/// Writes to a world after a snapshot of it, and what is done between the two.
fn writes(size: usize, way: &'static str, between: fn(&mut Written)) -> Case {
    let make = move || {
        Entry::prepared(
            OURS,
            way,
            Written::new(size),
            move |state| {
                state.copies = vec![state.game.clone(); COPIES];
                between(state);
            },
            Written::write,
            Written::gained,
        )
    };
    Case {
        operation: Operation::FirstWrite,
        times: COPIES,
        repeats: false,
        make: Box::new(make),
        expected: Box::new(|| COPIES as u64),
    }
}

fn digests(size: usize) -> [Case; 3] {
    let whole = move || {
        Entry::fresh(
            OURS,
            "nothing known",
            move || (full(size).0, 0),
            |(game, found)| *found = digest(game) as u64,
            |state| state.1,
        )
    };
    let after_one = move || {
        let (game, entities) = full(size);
        digest(&game);
        Entry::prepared(
            OURS,
            "one row written",
            (game, entities[size / 3], 0),
            |(game, entity, _)| write(game, *entity),
            |(game, _, found)| *found = digest(game) as u64,
            |state| state.2,
        )
    };
    let after_none = move || {
        Entry::steady(
            OURS,
            "nothing written",
            (full(size).0, 0),
            |(game, found)| *found = digest(game) as u64,
            |state| state.1,
        )
    };
    let case = |make: Box<dyn Fn() -> Entry>, repeats, writes: usize| Case {
        operation: Operation::Digest,
        times: 1,
        repeats,
        make,
        // A world that was made row by row says the same.
        expected: Box::new(move || {
            let mut game = Game::default();
            let entities: Vec<Entity> = (0..size).map(|index| game.spawn_with(bundle(index))).collect();
            (0..writes).for_each(|_| write(&mut game, entities[size / 3]));
            digest(&game) as u64
        }),
    };
    [
        case(Box::new(whole), false, 0),
        case(Box::new(after_one), false, 1),
        case(Box::new(after_none), true, 0),
    ]
}

fn write(game: &mut Game, entity: Entity) {
    game.four.positions.get_mut(entity).expect("all are alive").x += 1.0;
}

/// Some of the entities end and as many new ones come, over and over.
struct Dying<W, E> {
    world: W,
    entities: Vec<E>,
    random: Random,
}

fn despawns(size: usize) -> [Case; 2] {
    let victims = (size / 10).min(10_000);
    let ours = move || {
        let (world, entities) = full(size);
        Entry::prepared(
            OURS,
            "",
            Dying { world, entities, random: Random::new(5) },
            move |Dying { world, entities, random }| {
                while entities.len() < size {
                    entities.push(world.spawn_with(bundle(entities.len())));
                }
                keep_last(random, entities, victims);
            },
            move |Dying { world, entities, .. }| {
                for entity in entities.drain(size - victims..) {
                    world.despawn(entity);
                }
            },
            |Dying { world, .. }| sum(world.four.positions.iter().map(|(_, value)| value)),
        )
    };
    let bound = move || {
        Entry::prepared(
            sparse_set::PEER,
            "",
            Dying {
                world: sparse_set::Sets::full(size),
                entities: (0..size as u32).collect(),
                random: Random::new(5),
            },
            move |Dying { world, entities, random }| {
                while entities.len() < size {
                    entities.push(world.spawn(bundle(entities.len())));
                }
                keep_last(random, entities, victims);
            },
            move |Dying { world, entities, .. }| {
                for entity in entities.drain(size - victims..) {
                    world.despawn(entity);
                }
            },
            |Dying { world, .. }| sparse_set::positions(world),
        )
    };
    let case = |make: Box<dyn Fn() -> Entry>| Case {
        operation: Operation::Despawn,
        times: victims,
        repeats: false,
        make,
        expected: Box::new(move || {
            let mut left: Vec<usize> = (0..size).collect();
            keep_last(&mut Random::new(5), &mut left, victims);
            left.truncate(size - victims);
            left.into_iter().fold(0_u64, |total, index| total.wrapping_add(sum([&position(index)])))
        }),
    };
    [case(Box::new(ours)), case(Box::new(bound))]
}
