//! `freecs`, its macro: archetypes whose columns are named fields, known when the program is compiled.

use std::mem::swap;

use freecs::Entity;

use self::four::{POSITION, ROTATION, TRACKED, TRANSFORM, VELOCITY};
use super::freecs_kinds;
use crate::components::{bundle, invert_often, position, rotation, step, step_slices, tracked, velocity};
use crate::contender::Entry;
use crate::plan;
use crate::sums::sum;
use crate::workloads::Kind;

pub const PEER: &str = "freecs macro";

mod four {
    use crate::components::{Position, Rotation, Tracked, Transform, Velocity};

    freecs::ecs! {
        World {
            transform: Transform => TRANSFORM,
            position: Position => POSITION,
            rotation: Rotation => ROTATION,
            velocity: Velocity => VELOCITY,
            tracked: Tracked => TRACKED,
        }
        Resources {}
    }
}

const FOUR: u64 = TRANSFORM | POSITION | ROTATION | VELOCITY;

struct State {
    world: four::World,
    entities: Vec<Entity>,
}

fn spawn_batch(world: &mut four::World, size: usize) -> Vec<Entity> {
    let mut next = 0;
    world.spawn_batch(FOUR, size, |table, row| {
        fill(table, row, next);
        next += 1;
    })
}

#[inline(always)]
fn fill(table: &mut four::ComponentArrays, row: usize, index: usize) {
    let (transform, position, rotation, velocity) = bundle(index);
    table.transform[row] = transform;
    table.position[row] = position;
    table.rotation[row] = rotation;
    table.velocity[row] = velocity;
}

fn full(size: usize) -> State {
    let mut world = four::World::default();
    let entities = spawn_batch(&mut world, size);
    State { world, entities }
}

fn half(size: usize) -> State {
    let mut state = full(size);
    for entity in state.entities.iter().skip(1).step_by(2) {
        state.world.remove_velocity(*entity);
    }
    state
}

fn churned(size: usize) -> State {
    let State { mut world, mut entities } = full(size);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        world.remove_velocity(entities[index]);
        world.set_velocity(entities[index], velocity(index));
    }
    for index in replaced {
        world.despawn_entities(&[entities[index]]);
        entities[index] = world.spawn_batch(FOUR, 1, |table, row| fill(table, row, size + index))[0];
    }
    State { world, entities }
}

fn walk(state: &mut State) {
    state.world.for_each_mut(POSITION | VELOCITY, 0, |_, table, row| {
        step(&mut table.position[row], &table.velocity[row]);
    });
}

fn walk_tables_for(state: &mut State) {
    for table in &mut state.world.tables {
        for (position, velocity) in table.position.iter_mut().zip(&table.velocity) {
            step(position, velocity);
        }
    }
}

fn walk_tables(state: &mut State) {
    for table in &mut state.world.tables {
        if table.mask & VELOCITY != 0 {
            step_slices(&mut table.position, &table.velocity);
        }
    }
}

fn positions(state: &mut State) -> u64 {
    sum(state.world.query_position())
}

fn velocities(state: &mut State) -> u64 {
    sum(state.world.query_velocity())
}

fn detach_all(state: &mut State) {
    for entity in &state.entities {
        state.world.remove_velocity(*entity);
    }
}

fn attach_all(state: &mut State) {
    for (index, entity) in state.entities.iter().enumerate() {
        state.world.set_velocity(*entity, velocity(index));
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach => vec![
            Entry::fresh(
                PEER,
                "spawn_batch of one",
                four::World::default,
                move |world| {
                    for index in 0..size {
                        world.spawn_batch(FOUR, 1, |table, row| fill(table, row, index));
                    }
                },
                |world| sum(world.query_position()),
            ),
            Entry::fresh(
                PEER,
                "EntityBuilder",
                four::World::default,
                move |world| {
                    for index in 0..size {
                        let (transform, position, rotation, velocity) = bundle(index);
                        four::EntityBuilder::new()
                            .with_transform(transform)
                            .with_position(position)
                            .with_rotation(rotation)
                            .with_velocity(velocity)
                            .spawn(world, 1);
                    }
                },
                |world| sum(world.query_position()),
            ),
        ],
        Kind::InsertBatch | Kind::Memory => vec![Entry::fresh(
            PEER,
            "spawn_batch",
            four::World::default,
            move |world| {
                spawn_batch(world, size);
            },
            |world| sum(world.query_position()),
        )],
        Kind::WalkForEach => vec![
            Entry::steady(PEER, "for_each_mut", full(size), walk, positions),
            Entry::steady(PEER, "tables", full(size), walk_tables, positions),
        ],
        Kind::WalkFor => vec![Entry::steady(PEER, "tables", full(size), walk_tables_for, positions)],
        Kind::WalkChunks => vec![Entry::steady(PEER, "tables", full(size), walk_tables, positions)],
        Kind::HalfAsItComes | Kind::HalfSorted => {
            vec![Entry::steady(PEER, "tables", half(size), walk_tables, positions)]
        }
        Kind::ChurnedAsItComes | Kind::ChurnedSorted => {
            vec![Entry::steady(PEER, "tables", churned(size), walk_tables, positions)]
        }
        Kind::Kinds => freecs_kinds::kinds(size),
        Kind::Add => vec![Entry::prepared(PEER, "set", full(size), detach_all, attach_all, velocities)],
        Kind::Remove => {
            vec![Entry::prepared(PEER, "remove", full(size), attach_all, detach_all, velocities)]
        }
        Kind::Get => vec![get(size)],
        Kind::Parallel => vec![Entry::steady(
            PEER,
            "par_for_each_mut",
            full(size),
            |state| state.world.par_for_each_transform_mut(invert_often),
            |state| sum(state.world.query_transform()),
        )],
        Kind::TrackedWrite => vec![tracked_write(size)],
        Kind::ScanScattered => vec![scan(size, &plan::scattered(size))],
        Kind::ScanTogether => vec![scan(size, &plan::together(size))],
        Kind::ScanNone => vec![scan(size, &[])],
        Kind::Despawn => vec![Entry::fresh(
            PEER,
            "despawn_entities of one",
            move || {
                let mut state = full(size);
                state.entities = plan::in_shuffled_order(&state.entities);
                state
            },
            |state| {
                for entity in &state.entities {
                    state.world.despawn_entities(&[*entity]);
                }
            },
            positions,
        )],
        Kind::Schedule => vec![freecs_kinds::schedule(size)],
        Kind::Rounds => vec![Entry::fresh(
            PEER,
            "remove_components, add_components",
            move || full(size),
            move |state| rounds(state, size),
            positions,
        )],
        _ => Vec::new(),
    }
}

fn get(size: usize) -> Entry {
    let state = full(size);
    let order = plan::in_shuffled_order(&state.entities);
    Entry::steady(
        PEER,
        "get",
        (state.world, order, 0_u64),
        |(world, order, total)| {
            *total = order.iter().fold(0, |total, entity| {
                total + world.get_position(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
            });
        },
        |state| state.2,
    )
}

fn tracked_world(size: usize) -> (four::World, Vec<Entity>) {
    let mut world = four::World::default();
    let mut next = 0;
    let entities = world.spawn_batch(TRACKED | VELOCITY, size, |table, row| {
        table.tracked[row] = tracked(next);
        table.velocity[row] = velocity(next);
        next += 1;
    });
    world.step();
    world.step();
    (world, entities)
}

fn tracked_write(size: usize) -> Entry {
    let (world, entities) = tracked_world(size);
    let order: Vec<Entity> = plan::scattered(size).into_iter().map(|index| entities[index]).collect();
    Entry::steady(
        PEER,
        "get_mut",
        (world, order),
        |(world, order)| {
            for entity in order.iter() {
                world.get_tracked_mut(*entity).expect("all are alive").x += 1.0;
            }
        },
        |state| sum(state.0.query_tracked()),
    )
}

fn scan(size: usize, changed: &[usize]) -> Entry {
    let (mut world, entities) = tracked_world(size);
    for index in changed {
        world.get_tracked_mut(entities[*index]).expect("all are alive").x += 1.0;
    }
    Entry::steady(
        PEER,
        "for_each_mut_changed",
        (world, 0_u64),
        |(world, found)| {
            *found = 0;
            world.for_each_mut_changed(TRACKED, 0, |_, table, row| {
                *found += u64::from(table.tracked[row].x.to_bits());
            });
        },
        |state| state.1,
    )
}

fn rounds(state: &mut State, size: usize) {
    let State { world, entities } = state;
    let three = POSITION | ROTATION | VELOCITY;
    for round in plan::ROUNDS {
        for entity in entities.iter().step_by(round) {
            world.remove_components(*entity, three);
        }
        for (index, entity) in entities.iter().enumerate().step_by(round) {
            world.add_components(*entity, three);
            world.set_position(*entity, position(index));
            world.set_rotation(*entity, rotation(index));
            world.set_velocity(*entity, velocity(index));
        }
    }
    for index in size..size + plan::newcomers(size) {
        world.spawn_batch(three, 1, |table, row| {
            table.position[row] = position(index);
            table.rotation[row] = rotation(index);
            table.velocity[row] = velocity(index);
        });
    }
}

/// What a system of the schedule does with two columns of the same table.
pub fn swap_columns<A, B>(ones: &mut [A], others: &mut [B], swap_one: impl Fn(&mut A, &mut B)) {
    ones.iter_mut().zip(others).for_each(|(one, other)| swap_one(one, other));
}

/// Swaps what two kinds hold.
pub fn swap_values(one: &mut f32, other: &mut f32) {
    swap(one, other);
}
