//! `bevy_ecs`: archetypes with change ticks on every row, schedules on its own thread pool.

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};

use super::{THREADS, bevy_forest};
use crate::components::{
    self, Global, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Rotation, Shared, Tracked, Transform,
    Velocity, below, bundle, invert_often, position, rotation, step, step_slices, tracked, velocity,
    with_kinds,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::{Summed, found_in, sum};
use crate::workloads::Kind;

pub const PEER: &str = "bevy_ecs";

type Walk = QueryState<(&'static mut Position, &'static Velocity)>;

struct State {
    world: World,
    entities: Vec<Entity>,
    walk: Walk,
}

impl State {
    fn new(mut world: World, entities: Vec<Entity>) -> Self {
        let walk = world.query();
        Self { world, entities, walk }
    }
}

fn full(size: usize) -> State {
    let mut world = World::new();
    let entities = world.spawn_batch((0..size).map(bundle)).collect();
    State::new(world, entities)
}

fn half(size: usize) -> State {
    let mut state = full(size);
    for entity in state.entities.iter().skip(1).step_by(2) {
        state.world.entity_mut(*entity).remove::<Velocity>();
    }
    state
}

fn churned(size: usize) -> State {
    let mut state = full(size);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        state.world.entity_mut(state.entities[index]).remove::<Velocity>().insert(velocity(index));
    }
    for index in replaced {
        state.world.despawn(state.entities[index]);
        state.entities[index] = state.world.spawn(bundle(size + index)).id();
    }
    state
}

fn walk(state: &mut State) {
    state.walk.iter_mut(&mut state.world).for_each(|(mut position, velocity)| step(&mut position, velocity));
}

fn walk_for(state: &mut State) {
    for (mut position, velocity) in state.walk.iter_mut(&mut state.world) {
        step(&mut position, velocity);
    }
}

fn walk_slices(state: &mut State) {
    let chunks = state.walk.contiguous_iter_mut(&mut state.world).expect("the query is dense");
    for (mut positions, velocities) in chunks {
        step_slices(&mut positions, velocities);
    }
}

fn walk_slices_unmarked(state: &mut State) {
    let chunks = state.walk.contiguous_iter_mut(&mut state.world).expect("the query is dense");
    for (mut positions, velocities) in chunks {
        step_slices(positions.bypass_change_detection(), velocities);
    }
}

fn all<T: Component + Summed>(world: &mut World) -> u64 {
    sum(world.query::<&T>().iter(world))
}

fn positions(state: &mut State) -> u64 {
    all::<Position>(&mut state.world)
}

fn detach_all(state: &mut State) {
    for entity in &state.entities {
        state.world.entity_mut(*entity).remove::<Velocity>();
    }
}

fn attach_all(state: &mut State) {
    for (index, entity) in state.entities.iter().enumerate() {
        state.world.entity_mut(*entity).insert(velocity(index));
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(THREADS).build());
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
            all::<Position>,
        )],
        Kind::InsertBatch | Kind::Memory => vec![Entry::fresh(
            PEER,
            "spawn_batch",
            World::new,
            move |world| drop(world.spawn_batch((0..size).map(bundle))),
            all::<Position>,
        )],
        Kind::WalkForEach => vec![Entry::steady(PEER, "iter_mut", full(size), walk, positions)],
        Kind::WalkFor => vec![Entry::steady(PEER, "iter_mut", full(size), walk_for, positions)],
        Kind::WalkChunks => vec![
            Entry::steady(PEER, "contiguous_iter_mut", full(size), walk_slices, positions),
            Entry::steady(PEER, "contiguous, unmarked", full(size), walk_slices_unmarked, positions),
        ],
        Kind::HalfAsItComes | Kind::HalfSorted => {
            vec![Entry::steady(PEER, "iter_mut", half(size), walk, positions)]
        }
        Kind::ChurnedAsItComes | Kind::ChurnedSorted => {
            vec![Entry::steady(PEER, "iter_mut", churned(size), walk, positions)]
        }
        Kind::Kinds => {
            let mut world = kinds(size / KINDS);
            let shared = world.query::<&mut Shared>();
            vec![Entry::steady(
                PEER,
                "iter_mut",
                (world, shared),
                |(world, shared)| shared.iter_mut(world).for_each(|mut shared| shared.0 += 0.5),
                |state| all::<Shared>(&mut state.0),
            )]
        }
        Kind::Add => vec![Entry::prepared(PEER, "insert", full(size), detach_all, attach_all, |state| {
            all::<Velocity>(&mut state.world)
        })],
        Kind::Remove => vec![Entry::prepared(PEER, "remove", full(size), attach_all, detach_all, |state| {
            all::<Velocity>(&mut state.world)
        })],
        Kind::Get => get(size),
        Kind::Parallel => {
            let mut world = full(size).world;
            let transforms = world.query::<&mut Transform>();
            vec![Entry::steady(
                PEER,
                "par_iter_mut",
                (world, transforms),
                |(world, transforms)| {
                    transforms.par_iter_mut(world).for_each(|mut transform| invert_often(&mut transform));
                },
                |state| all::<Transform>(&mut state.0),
            )]
        }
        Kind::TrackedWrite => tracked_write(size),
        Kind::ScanScattered => vec![scan(size, &plan::scattered(size))],
        Kind::ScanTogether => vec![scan(size, &plan::together(size))],
        Kind::ScanNone => vec![scan(size, &[])],
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
                    state.world.despawn(*entity);
                }
            },
            positions,
        )],
        Kind::Propagate => vec![propagate(size)],
        Kind::Schedule => vec![
            schedule(size, "single-threaded"),
            schedule(size, "multi-threaded"),
            schedule(size, "single-threaded, contiguous"),
        ],
        Kind::Forest => bevy_forest::entries(),
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
        let mut state = full(size);
        let order = plan::in_shuffled_order(&state.entities);
        let query = state.world.query::<&Position>();
        (state.world, query, order, 0_u64)
    };
    vec![
        Entry::steady(
            PEER,
            "query get",
            shuffled(),
            |(world, query, order, total)| {
                let query = query.query_manual(world);
                *total = order.iter().fold(0, |total, entity| {
                    total + query.get(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
                });
            },
            |state| state.3,
        ),
        Entry::steady(
            PEER,
            "world get",
            shuffled(),
            |(world, _, order, total)| {
                *total = order.iter().fold(0, |total, entity| {
                    total + world.get::<Position>(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
                });
            },
            |state| state.3,
        ),
    ]
}

fn tracked_world(size: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let entities = world.spawn_batch((0..size).map(|index| (tracked(index), velocity(index)))).collect();
    world.clear_trackers();
    (world, entities)
}

fn tracked_write(size: usize) -> Vec<Entry> {
    let written = || {
        let (mut world, entities) = tracked_world(size);
        let order: Vec<Entity> = plan::scattered(size).into_iter().map(|index| entities[index]).collect();
        let query = world.query::<&mut Tracked>();
        (world, query, order)
    };
    vec![
        Entry::steady(
            PEER,
            "query get_mut",
            written(),
            |(world, query, order)| {
                let mut query = query.query_mut(world);
                for entity in order.iter() {
                    query.get_mut(*entity).expect("all are alive").x += 1.0;
                }
            },
            |state| all::<Tracked>(&mut state.0),
        ),
        Entry::steady(
            PEER,
            "world get_mut",
            written(),
            |(world, _, order)| {
                for entity in order.iter() {
                    world.get_mut::<Tracked>(*entity).expect("all are alive").x += 1.0;
                }
            },
            |state| all::<Tracked>(&mut state.0),
        ),
    ]
}

fn scan(size: usize, changed: &[usize]) -> Entry {
    let (mut world, entities) = tracked_world(size);
    for index in changed {
        world.get_mut::<Tracked>(entities[*index]).expect("all are alive").x += 1.0;
    }
    let query = world.query_filtered::<&Tracked, Changed<Tracked>>();
    Entry::steady(
        PEER,
        "Changed",
        (world, query, 0),
        |(world, query, found)| *found = found_in(query.iter(world)),
        |state| state.2,
    )
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
    let nodes = world.query::<(&Position, &mut Global)>();
    Entry::steady(
        PEER,
        "get by depth",
        (world, nodes, order),
        |(world, nodes, order)| {
            world.get_mut::<Position>(order[0].0).expect("the root lives").y += 1.0;
            let mut nodes = nodes.query_mut(world);
            for (node, parent) in order.iter() {
                let parent = parent
                    .and_then(|parent| nodes.get(parent).ok())
                    .map_or(Global::default(), |(_, global)| *global);
                if let Ok((local, mut global)) = nodes.get_mut(*node) {
                    *global = below(parent, local);
                }
            }
        },
        |state| all::<Global>(&mut state.0),
    )
}

fn swap_a_b(mut rows: Query<(&mut KindA, &mut KindB)>) {
    rows.iter_mut().for_each(|(mut a, mut b)| std::mem::swap(&mut a.0, &mut b.0));
}

fn swap_c_d(mut rows: Query<(&mut KindC, &mut KindD)>) {
    rows.iter_mut().for_each(|(mut c, mut d)| std::mem::swap(&mut c.0, &mut d.0));
}

fn swap_c_e(mut rows: Query<(&mut KindC, &mut KindE)>) {
    rows.iter_mut().for_each(|(mut c, mut e)| std::mem::swap(&mut c.0, &mut e.0));
}

fn swap_slices<A, B>(ones: &mut [A], others: &mut [B], swap_one: impl Fn(&mut A, &mut B)) {
    ones.iter_mut().zip(others).for_each(|(one, other)| swap_one(one, other));
}

macro_rules! contiguous {
    ($name:ident, $one:ident, $other:ident) => {
        fn $name(mut rows: Query<(&mut $one, &mut $other)>) {
            for (mut ones, mut others) in rows.contiguous_iter_mut().expect("the query is dense") {
                swap_slices(&mut ones, &mut others, |one: &mut $one, other: &mut $other| {
                    std::mem::swap(&mut one.0, &mut other.0);
                });
            }
        }
    };
}

contiguous!(swap_slices_a_b, KindA, KindB);
contiguous!(swap_slices_c_d, KindC, KindD);
contiguous!(swap_slices_c_e, KindC, KindE);

fn schedule(size: usize, way: &'static str) -> Entry {
    let each = size / 4;
    let mut world = World::new();
    let a = |index: usize| KindA(index as f32);
    let b = |index: usize| KindB(index as f32 + 0.25);
    let c = |index: usize| KindC(index as f32 + 0.5);
    world.spawn_batch((0..each).map(|index| (a(index), b(index))));
    world.spawn_batch((each..2 * each).map(|index| (a(index), b(index), KindC(-1.0))));
    world.spawn_batch(
        (2 * each..3 * each).map(|index| (a(index), b(index), c(index), KindD(index as f32 + 0.75))),
    );
    world.spawn_batch(
        (3 * each..4 * each).map(|index| (a(index), b(index), c(index), KindE(index as f32 + 1.0))),
    );
    let mut schedule = Schedule::default();
    if way != "multi-threaded" {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    if way.ends_with("contiguous") {
        schedule.add_systems((swap_slices_a_b, swap_slices_c_d, swap_slices_c_e));
    } else {
        schedule.add_systems((swap_a_b, swap_c_d, swap_c_e));
    }
    Entry::steady(
        PEER,
        way,
        (world, schedule),
        |(world, schedule)| schedule.run(world),
        |(world, _)| {
            all::<KindA>(world)
                .wrapping_add(all::<KindB>(world))
                .wrapping_add(all::<KindD>(world))
                .wrapping_add(all::<KindE>(world))
        },
    )
}

fn rounds(state: &mut State, size: usize) {
    let State { world, entities, .. } = state;
    for round in plan::ROUNDS {
        for entity in entities.iter().step_by(round) {
            world.entity_mut(*entity).remove::<(Position, Rotation, Velocity)>();
        }
        for (index, entity) in entities.iter().enumerate().step_by(round) {
            world.entity_mut(*entity).insert((position(index), rotation(index), velocity(index)));
        }
    }
    for index in size..size + plan::newcomers(size) {
        world.spawn((position(index), rotation(index), velocity(index)));
    }
}
