//! `legion`: archetypes, queries that keep their matches, schedules on the threads of rayon.

use legion::query::Query;
use legion::systems::{ParallelRunnable, SystemBuilder};
use legion::world::SubWorld;
use legion::{Entity, EntityStore, IntoQuery, Read, Resources, Schedule, World, Write};

use crate::components::{
    self, Global, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Shared, Transform, Velocity, below,
    bundle, invert_often, position, rotation, step, step_slices, velocity, with_kinds,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::{Summed, sum};
use crate::workloads::Kind;

const PEER: &str = "legion";

type Walk = Query<(Write<Position>, Read<Velocity>)>;

struct State {
    world: World,
    entities: Vec<Entity>,
    walk: Walk,
}

fn full(size: usize) -> State {
    let mut world = World::default();
    let entities = world.extend((0..size).map(bundle)).to_vec();
    State { world, entities, walk: <(Write<Position>, Read<Velocity>)>::query() }
}

fn detach(world: &mut World, entity: Entity) {
    world.entry(entity).expect("all are alive").remove_component::<Velocity>();
}

fn half(size: usize) -> State {
    let mut state = full(size);
    for entity in state.entities.iter().skip(1).step_by(2) {
        detach(&mut state.world, *entity);
    }
    state
}

fn churned(size: usize) -> State {
    let mut state = full(size);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        detach(&mut state.world, state.entities[index]);
        state.world.entry(state.entities[index]).expect("all are alive").add_component(velocity(index));
    }
    for index in replaced {
        state.world.remove(state.entities[index]);
        state.entities[index] = state.world.push(bundle(size + index));
    }
    state
}

fn walk(state: &mut State) {
    state.walk.for_each_mut(&mut state.world, |(position, velocity)| step(position, velocity));
}

fn walk_for(state: &mut State) {
    for (position, velocity) in state.walk.iter_mut(&mut state.world) {
        step(position, velocity);
    }
}

fn walk_slices(state: &mut State) {
    state.walk.for_each_chunk_mut(&mut state.world, |chunk| {
        let (positions, velocities) = chunk.into_components();
        step_slices(positions, velocities);
    });
}

fn all<T: Summed + Send + Sync + 'static>(world: &World) -> u64 {
    sum(<Read<T>>::query().iter(world))
}

fn positions(state: &mut State) -> u64 {
    all::<Position>(&state.world)
}

fn velocities(state: &mut State) -> u64 {
    all::<Velocity>(&state.world)
}

fn detach_all(state: &mut State) {
    for entity in &state.entities {
        detach(&mut state.world, *entity);
    }
}

fn attach_all(state: &mut State) {
    for (index, entity) in state.entities.iter().enumerate() {
        state.world.entry(*entity).expect("all are alive").add_component(velocity(index));
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach => vec![Entry::fresh(
            PEER,
            "push",
            World::default,
            move |world| {
                (0..size).for_each(|index| {
                    world.push(bundle(index));
                });
            },
            |world| all::<Position>(world),
        )],
        Kind::InsertBatch | Kind::Memory => vec![
            Entry::fresh(
                PEER,
                "extend",
                World::default,
                move |world| {
                    world.extend((0..size).map(bundle));
                },
                |world| all::<Position>(world),
            ),
            Entry::fresh(
                PEER,
                "columns",
                World::default,
                move |world| {
                    let columns = (
                        (0..size).map(components::transform).collect::<Vec<_>>(),
                        (0..size).map(position).collect::<Vec<_>>(),
                        (0..size).map(rotation).collect::<Vec<_>>(),
                        (0..size).map(velocity).collect::<Vec<_>>(),
                    );
                    world.extend(legion::storage::IntoSoa::into_soa(columns));
                },
                |world| all::<Position>(world),
            ),
        ],
        Kind::WalkForEach => vec![Entry::steady(PEER, "for_each_mut", full(size), walk, positions)],
        Kind::WalkFor => vec![Entry::steady(PEER, "iter_mut", full(size), walk_for, positions)],
        Kind::WalkChunks => {
            vec![Entry::steady(PEER, "for_each_chunk_mut", full(size), walk_slices, positions)]
        }
        Kind::HalfAsItComes | Kind::HalfSorted => {
            vec![Entry::steady(PEER, "for_each_mut", half(size), walk, positions)]
        }
        Kind::ChurnedAsItComes | Kind::ChurnedSorted => {
            vec![Entry::steady(PEER, "for_each_mut", churned(size), walk, positions)]
        }
        Kind::Kinds => vec![Entry::steady(
            PEER,
            "for_each_mut",
            (kinds(size / KINDS), <Write<Shared>>::query()),
            |(world, query)| query.for_each_mut(world, |shared| shared.0 += 0.5),
            |state| all::<Shared>(&state.0),
        )],
        Kind::Add => {
            vec![Entry::prepared(PEER, "entry", full(size), detach_all, attach_all, velocities)]
        }
        Kind::Remove => {
            vec![Entry::prepared(PEER, "entry", full(size), attach_all, detach_all, velocities)]
        }
        Kind::Get => vec![get(size)],
        Kind::Parallel => vec![Entry::steady(
            PEER,
            "par_for_each_mut",
            (full(size).world, <Write<Transform>>::query()),
            |(world, query)| query.par_for_each_mut(world, invert_often),
            |state| all::<Transform>(&state.0),
        )],
        Kind::Despawn => vec![Entry::fresh(
            PEER,
            "remove",
            move || {
                let mut state = full(size);
                state.entities = plan::in_shuffled_order(&state.entities);
                state
            },
            |state| {
                for entity in &state.entities {
                    state.world.remove(*entity);
                }
            },
            positions,
        )],
        Kind::Propagate => vec![propagate(size)],
        Kind::Schedule => vec![schedule(size)],
        _ => Vec::new(),
    }
}

fn kinds(each: usize) -> World {
    let mut world = World::default();
    let mut next = 0;
    macro_rules! spawn {
        ($($kind:ident),*) => {$(
            world.extend((next..next + each).map(|index| (components::$kind(0.0), Shared(index as f32))));
            next += each;
        )*};
    }
    with_kinds!(spawn);
    world
}

fn get(size: usize) -> Entry {
    let state = full(size);
    let order = plan::in_shuffled_order(&state.entities);
    Entry::steady(
        PEER,
        "query get",
        (state.world, <Read<Position>>::query(), order, 0_u64),
        |(world, query, order, total)| {
            *total = order.iter().fold(0, |total, entity| {
                total + query.get(world, *entity).map_or(0, |at| u64::from(at.x.to_bits()))
            });
        },
        |state| state.3,
    )
}

fn propagate(size: usize) -> Entry {
    let mut world = World::default();
    let entities = world.extend((0..size).map(|index| (position(index), Global::default()))).to_vec();
    let parents = plan::random_parents(size);
    let order: Vec<(Entity, Option<Entity>)> = plan::depth_order(&parents)
        .into_iter()
        .map(|node| (entities[node], parents[node].map(|parent| entities[parent])))
        .collect();
    Entry::steady(
        PEER,
        "entries by depth",
        (world, order),
        |(world, order)| {
            let mut root = world.entry(order[0].0).expect("the root lives");
            root.get_component_mut::<Position>().expect("all have a position").y += 1.0;
            for (node, parent) in order.iter() {
                let parent = parent
                    .and_then(|parent| world.entry_ref(parent).ok()?.into_component::<Global>().ok().copied())
                    .unwrap_or_default();
                if let Some(mut entry) = world.entry(*node) {
                    let local = *entry.get_component::<Position>().expect("all have a position");
                    *entry.get_component_mut::<Global>().expect("all have one") = below(parent, &local);
                }
            }
        },
        |state| all::<Global>(&state.0),
    )
}

macro_rules! swap {
    ($name:literal, $one:ident, $other:ident) => {
        SystemBuilder::new($name).with_query(<(Write<$one>, Write<$other>)>::query()).build(
            |_, world: &mut SubWorld, (), query| {
                query.for_each_mut(world, |(one, other)| std::mem::swap(&mut one.0, &mut other.0));
            },
        )
    };
}

fn runnable(system: impl ParallelRunnable + 'static) -> impl ParallelRunnable + 'static {
    system
}

fn schedule(size: usize) -> Entry {
    let each = size / 4;
    let mut world = World::default();
    let a = |index: usize| KindA(index as f32);
    let b = |index: usize| KindB(index as f32 + 0.25);
    let c = |index: usize| KindC(index as f32 + 0.5);
    world.extend((0..each).map(|index| (a(index), b(index))));
    world.extend((each..2 * each).map(|index| (a(index), b(index), KindC(-1.0))));
    world
        .extend((2 * each..3 * each).map(|index| (a(index), b(index), c(index), KindD(index as f32 + 0.75))));
    world.extend((3 * each..4 * each).map(|index| (a(index), b(index), c(index), KindE(index as f32 + 1.0))));
    let schedule = Schedule::builder()
        .add_system(runnable(swap!("a and b", KindA, KindB)))
        .add_system(runnable(swap!("c and d", KindC, KindD)))
        .add_system(runnable(swap!("c and e", KindC, KindE)))
        .build();
    Entry::steady(
        PEER,
        "schedule",
        (world, schedule, Resources::default()),
        |(world, schedule, resources)| schedule.execute(world, resources),
        |(world, ..)| {
            all::<KindA>(world)
                .wrapping_add(all::<KindB>(world))
                .wrapping_add(all::<KindD>(world))
                .wrapping_add(all::<KindE>(world))
        },
    )
}
