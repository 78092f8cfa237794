//! `hecs`: archetypes behind a small interface.

use hecs::{ColumnBatchBuilder, ColumnBatchType, Entity, World};
use rayon::prelude::*;

use crate::components::{
    self, Global, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Rotation, Shared, Transform, Velocity,
    below, bundle, invert_often, position, rotation, step, step_slices, velocity, with_kinds,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::sum;
use crate::workloads::Kind;

const PEER: &str = "hecs";

struct State {
    world: World,
    entities: Vec<Entity>,
}

fn full(size: usize) -> State {
    let mut world = World::new();
    let entities = world.spawn_batch((0..size).map(bundle)).collect();
    State { world, entities }
}

fn half(size: usize) -> State {
    let mut state = full(size);
    for entity in state.entities.iter().skip(1).step_by(2) {
        state.world.remove_one::<Velocity>(*entity).expect("all have a velocity");
    }
    state
}

fn churned(size: usize) -> State {
    let State { mut world, mut entities } = full(size);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        world.remove_one::<Velocity>(entities[index]).expect("all have a velocity");
        world.insert_one(entities[index], velocity(index)).expect("all are alive");
    }
    for index in replaced {
        world.despawn(entities[index]).expect("all are alive");
        entities[index] = world.spawn(bundle(size + index));
    }
    State { world, entities }
}

fn walk(state: &mut State) {
    state.world.query_mut::<(&mut Position, &Velocity)>().into_iter().for_each(|(position, velocity)| {
        step(position, velocity);
    });
}

fn walk_for(state: &mut State) {
    for (position, velocity) in state.world.query_mut::<(&mut Position, &Velocity)>() {
        step(position, velocity);
    }
}

fn walk_slices(state: &mut State) {
    for archetype in state.world.archetypes() {
        if let (Some(mut positions), Some(velocities)) =
            (archetype.get::<&mut Position>(), archetype.get::<&Velocity>())
        {
            step_slices(&mut positions, &velocities);
        }
    }
}

fn positions(state: &mut State) -> u64 {
    sum(state.world.query_mut::<&Position>())
}

fn velocities(state: &mut State) -> u64 {
    sum(state.world.query_mut::<&Velocity>())
}

fn detach_all(state: &mut State) {
    for entity in &state.entities {
        // The first round begins with nothing to take away.
        let _ = state.world.remove_one::<Velocity>(*entity);
    }
}

fn attach_all(state: &mut State) {
    for (index, entity) in state.entities.iter().enumerate() {
        state.world.insert_one(*entity, velocity(index)).expect("all are alive");
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach => vec![Entry::fresh(
            PEER,
            "spawn",
            World::new,
            move |world| {
                (0..size).for_each(|index| {
                    world.spawn(bundle(index));
                });
            },
            |world| sum(world.query_mut::<&Position>()),
        )],
        Kind::InsertBatch | Kind::Memory => vec![
            Entry::fresh(
                PEER,
                "spawn_batch",
                World::new,
                move |world| drop(world.spawn_batch((0..size).map(bundle))),
                |world| sum(world.query_mut::<&Position>()),
            ),
            Entry::fresh(
                PEER,
                "column batch",
                World::new,
                move |world| spawn_columns(world, size),
                |world| sum(world.query_mut::<&Position>()),
            ),
        ],
        Kind::WalkForEach => vec![Entry::steady(PEER, "query_mut", full(size), walk, positions)],
        Kind::WalkFor => vec![Entry::steady(PEER, "query_mut", full(size), walk_for, positions)],
        Kind::WalkChunks => vec![Entry::steady(PEER, "archetypes", full(size), walk_slices, positions)],
        Kind::HalfAsItComes | Kind::HalfSorted => {
            vec![Entry::steady(PEER, "query_mut", half(size), walk, positions)]
        }
        Kind::ChurnedAsItComes | Kind::ChurnedSorted => {
            vec![Entry::steady(PEER, "query_mut", churned(size), walk, positions)]
        }
        Kind::Kinds => vec![Entry::steady(
            PEER,
            "query_mut",
            kinds(size / KINDS),
            |world| world.query_mut::<&mut Shared>().into_iter().for_each(|shared| shared.0 += 0.5),
            |world| sum(world.query_mut::<&Shared>()),
        )],
        Kind::Add => {
            vec![Entry::prepared(PEER, "insert_one", full(size), detach_all, attach_all, velocities)]
        }
        Kind::Remove => {
            vec![Entry::prepared(PEER, "remove_one", full(size), attach_all, detach_all, velocities)]
        }
        Kind::Get => get(size),
        Kind::Parallel => vec![Entry::steady(
            PEER,
            "iter_batched, rayon",
            full(size),
            move |state| {
                let mut query = state.world.query::<&mut Transform>();
                query
                    .iter_batched((size / 16).max(1) as u32)
                    .par_bridge()
                    .for_each(|batch| batch.for_each(invert_often));
            },
            |state| sum(state.world.query_mut::<&Transform>()),
        )],
        Kind::Despawn => vec![Entry::fresh(
            PEER,
            "despawn",
            move || {
                let mut state = full(size);
                state.entities = plan::in_shuffled_order(&state.entities);
                state
            },
            |state| {
                for entity in &state.entities {
                    state.world.despawn(*entity).expect("all are alive");
                }
            },
            positions,
        )],
        Kind::Propagate => vec![propagate(size)],
        Kind::Schedule => vec![schedule(size)],
        Kind::Rounds => vec![Entry::fresh(
            PEER,
            "remove, insert",
            move || full(size),
            move |state| rounds(state, size),
            positions,
        )],
        _ => Vec::new(),
    }
}

fn spawn_columns(world: &mut World, size: usize) {
    let mut types = ColumnBatchType::new();
    types.add::<Transform>().add::<Position>().add::<Rotation>().add::<Velocity>();
    let mut batch = types.into_batch(size as u32);
    fill(&mut batch, size, components::transform);
    fill(&mut batch, size, position);
    fill(&mut batch, size, rotation);
    fill(&mut batch, size, velocity);
    drop(world.spawn_column_batch(batch.build().expect("all columns are full")));
}

fn fill<T: hecs::Component>(batch: &mut ColumnBatchBuilder, size: usize, value: impl Fn(usize) -> T) {
    let mut column = batch.writer::<T>().expect("a column of the batch");
    for index in 0..size {
        assert!(column.push(value(index)).is_ok(), "the batch has room for all");
    }
}

fn kinds(each: usize) -> World {
    let mut world = World::new();
    let mut next = 0;
    macro_rules! spawn {
        ($($kind:ident),*) => {$(
            for index in next..next + each {
                world.spawn((components::$kind(0.0), Shared(index as f32)));
            }
            next += each;
        )*};
    }
    with_kinds!(spawn);
    world
}

fn get(size: usize) -> Vec<Entry> {
    let shuffled = || {
        let state = full(size);
        let order = plan::in_shuffled_order(&state.entities);
        (state.world, order, 0_u64)
    };
    vec![
        Entry::steady(
            PEER,
            "view",
            shuffled(),
            |(world, order, total)| {
                let view = world.view_mut::<&Position>();
                *total = order.iter().fold(0, |total, entity| {
                    total + view.get(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
                });
            },
            |state| state.2,
        ),
        Entry::steady(
            PEER,
            "get",
            shuffled(),
            |(world, order, total)| {
                *total = order.iter().fold(0, |total, entity| {
                    total + world.get::<&Position>(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
                });
            },
            |state| state.2,
        ),
    ]
}

fn propagate(size: usize) -> Entry {
    let mut world = World::new();
    let entities: Vec<Entity> =
        world.spawn_batch((0..size).map(|index| (position(index), Global::default()))).collect();
    let parents = plan::random_parents(size);
    let order: Vec<(Entity, Option<Entity>)> = plan::depth_order(&parents)
        .into_iter()
        .map(|node| (entities[node], parents[node].map(|parent| entities[parent])))
        .collect();
    Entry::steady(
        PEER,
        "views by depth",
        (world, order),
        |(world, order)| {
            world.query_one_mut::<&mut Position>(order[0].0).expect("the root lives").y += 1.0;
            let (mut locals, mut globals) = (world.query::<&Position>(), world.query::<&mut Global>());
            let (locals, mut globals) = (locals.view(), globals.view());
            for (node, parent) in order {
                let parent = parent
                    .and_then(|parent| globals.get_mut(parent))
                    .map_or(Global::default(), |global| *global);
                if let (Some(local), Some(global)) = (locals.get(*node), globals.get_mut(*node)) {
                    *global = below(parent, local);
                }
            }
        },
        |state| sum(state.0.query_mut::<&Global>()),
    )
}

fn schedule(size: usize) -> Entry {
    let each = size / 4;
    let mut world = World::new();
    let a = |index: usize| (KindA(index as f32), KindB(index as f32 + 0.25));
    let c = |index: usize| KindC(index as f32 + 0.5);
    world.spawn_batch((0..each).map(a));
    world.spawn_batch((each..2 * each).map(|index| (a(index).0, a(index).1, KindC(-1.0))));
    world.spawn_batch(
        (2 * each..3 * each).map(|index| (a(index).0, a(index).1, c(index), KindD(index as f32 + 0.75))),
    );
    world.spawn_batch(
        (3 * each..4 * each).map(|index| (a(index).0, a(index).1, c(index), KindE(index as f32 + 1.0))),
    );
    Entry::steady(
        PEER,
        "three functions",
        world,
        |world| {
            let a_and_b = world.query_mut::<(&mut KindA, &mut KindB)>();
            a_and_b.into_iter().for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            let c_and_d = world.query_mut::<(&mut KindC, &mut KindD)>();
            c_and_d.into_iter().for_each(|(c, d)| std::mem::swap(&mut c.0, &mut d.0));
            let c_and_e = world.query_mut::<(&mut KindC, &mut KindE)>();
            c_and_e.into_iter().for_each(|(c, e)| std::mem::swap(&mut c.0, &mut e.0));
        },
        |world| {
            sum(world.query_mut::<&KindA>())
                .wrapping_add(sum(world.query_mut::<&KindB>()))
                .wrapping_add(sum(world.query_mut::<&KindD>()))
                .wrapping_add(sum(world.query_mut::<&KindE>()))
        },
    )
}

fn rounds(state: &mut State, size: usize) {
    let State { world, entities } = state;
    for round in plan::ROUNDS {
        for entity in entities.iter().step_by(round) {
            world.remove::<(Position, Rotation, Velocity)>(*entity).expect("all have three");
        }
        for (index, entity) in entities.iter().enumerate().step_by(round) {
            world
                .insert(*entity, (position(index), rotation(index), velocity(index)))
                .expect("all are alive");
        }
    }
    for index in size..size + plan::newcomers(size) {
        world.spawn((position(index), rotation(index), velocity(index)));
    }
}
