//! `flecs_ecs`: the C library flecs behind Rust queries.

use flecs_ecs::prelude::*;

use crate::components::{
    self, Global, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Rotation, Shared, Transform, Velocity,
    below, position, rotation, step, velocity, with_kinds,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::Summed;
use crate::workloads::Kind;

const PEER: &str = "flecs_ecs";

/// The query stands before the world, so that it is dropped first.
struct State {
    walk: Query<(&'static mut Position, &'static Velocity)>,
    world: World,
    entities: Vec<Entity>,
}

fn full(size: usize) -> State {
    let world = World::new();
    let entities = spawn_bulk(&world, size);
    let walk = world.query::<(&mut Position, &Velocity)>().set_cached().build();
    State { walk, world, entities }
}

fn spawn_bulk(world: &World, size: usize) -> Vec<Entity> {
    let transforms: Vec<Transform> = (0..size).map(components::transform).collect();
    let positions: Vec<Position> = (0..size).map(position).collect();
    let rotations: Vec<Rotation> = (0..size).map(rotation).collect();
    let velocities: Vec<Velocity> = (0..size).map(velocity).collect();
    world.entity_bulk(size as u32).set(&transforms).set(&positions).set(&rotations).set(&velocities).build()
}

fn spawn(world: &World, index: usize) -> Entity {
    world
        .entity()
        .set(components::transform(index))
        .set(position(index))
        .set(rotation(index))
        .set(velocity(index))
        .id()
}

fn half(size: usize) -> State {
    let state = full(size);
    for entity in state.entities.iter().skip(1).step_by(2) {
        state.world.entity_from_id(*entity).remove(Velocity::id());
    }
    state
}

fn churned(size: usize) -> State {
    let mut state = full(size);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        state.world.entity_from_id(state.entities[index]).remove(Velocity::id()).set(velocity(index));
    }
    for index in replaced {
        state.world.entity_from_id(state.entities[index]).destruct();
        state.entities[index] = spawn(&state.world, size + index);
    }
    state
}

fn walk(state: &mut State) {
    state.walk.each(|(position, velocity)| step(position, velocity));
}

macro_rules! sum_of {
    ($world:expr, $component:ty) => {{
        let mut total = 0_u64;
        $world.new_query::<&$component>().each(|value| total = total.wrapping_add(value.share()));
        total
    }};
}

fn positions(state: &mut State) -> u64 {
    sum_of!(state.world, Position)
}

fn velocities(state: &mut State) -> u64 {
    sum_of!(state.world, Velocity)
}

fn detach_all(state: &mut State) {
    for entity in &state.entities {
        state.world.entity_from_id(*entity).remove(Velocity::id());
    }
}

fn attach_all(state: &mut State) {
    for (index, entity) in state.entities.iter().enumerate() {
        state.world.entity_from_id(*entity).set(velocity(index));
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach => vec![Entry::fresh(
            PEER,
            "entity, set",
            World::new,
            move |world| {
                (0..size).for_each(|index| {
                    spawn(world, index);
                });
            },
            |world| sum_of!(world, Position),
        )],
        Kind::InsertBatch | Kind::Memory => vec![Entry::fresh(
            PEER,
            "entity_bulk",
            World::new,
            move |world| drop(spawn_bulk(world, size)),
            |world| sum_of!(world, Position),
        )],
        Kind::WalkForEach => vec![Entry::steady(PEER, "cached query", full(size), walk, positions)],
        Kind::HalfAsItComes | Kind::HalfSorted => {
            vec![Entry::steady(PEER, "cached query", half(size), walk, positions)]
        }
        Kind::ChurnedAsItComes | Kind::ChurnedSorted => {
            vec![Entry::steady(PEER, "cached query", churned(size), walk, positions)]
        }
        Kind::Kinds => vec![kinds(size / KINDS)],
        Kind::Add => vec![Entry::prepared(PEER, "set", full(size), detach_all, attach_all, velocities)],
        Kind::Remove => {
            vec![Entry::prepared(PEER, "remove", full(size), attach_all, detach_all, velocities)]
        }
        Kind::Get => vec![get(size)],
        Kind::Despawn => vec![Entry::fresh(
            PEER,
            "destruct",
            move || {
                let mut state = full(size);
                state.entities = plan::in_shuffled_order(&state.entities);
                state
            },
            |state| {
                for entity in &state.entities {
                    state.world.entity_from_id(*entity).destruct();
                }
            },
            positions,
        )],
        Kind::Propagate => vec![propagate(size)],
        Kind::Schedule => vec![schedule(size)],
        _ => Vec::new(),
    }
}

fn kinds(each: usize) -> Entry {
    let world = World::new();
    let mut next = 0;
    macro_rules! spawn {
        ($($kind:ident),*) => {$(
            for index in next..next + each {
                world.entity().set(components::$kind(0.0)).set(Shared(index as f32));
            }
            next += each;
        )*};
    }
    with_kinds!(spawn);
    let query = world.query::<&mut Shared>().set_cached().build();
    Entry::steady(
        PEER,
        "cached query",
        (query, world),
        |(query, _)| {
            query.each(|shared| shared.0 += 0.5);
        },
        |(_, world)| sum_of!(world, Shared),
    )
}

fn get(size: usize) -> Entry {
    let mut state = full(size);
    state.entities = plan::in_shuffled_order(&state.entities);
    Entry::steady(
        PEER,
        "get",
        (state, 0_u64),
        |(state, total)| {
            *total = state.entities.iter().fold(0, |total, entity| {
                let entity = state.world.entity_from_id(*entity);
                total + entity.try_get::<&Position>(|at| u64::from(at.x.to_bits())).unwrap_or_default()
            });
        },
        |state| state.1,
    )
}

fn propagate(size: usize) -> Entry {
    let world = World::new();
    let entities: Vec<Entity> =
        (0..size).map(|index| world.entity().set(position(index)).set(Global::default()).id()).collect();
    let parents = plan::random_parents(size);
    let order: Vec<(Entity, Option<Entity>)> = plan::depth_order(&parents)
        .into_iter()
        .map(|node| (entities[node], parents[node].map(|parent| entities[parent])))
        .collect();
    Entry::steady(
        PEER,
        "get by depth",
        (world, order),
        |(world, order)| {
            world.entity_from_id(order[0].0).get::<&mut Position>(|local| local.y += 1.0);
            for (node, parent) in order.iter() {
                let parent = parent
                    .and_then(|parent| world.entity_from_id(parent).try_get::<&Global>(|global| *global))
                    .unwrap_or_default();
                world.entity_from_id(*node).get::<(&Position, &mut Global)>(|(local, global)| {
                    *global = below(parent, local);
                });
            }
        },
        |(world, _)| sum_of!(world, Global),
    )
}

fn schedule(size: usize) -> Entry {
    let each = size / 4;
    let world = World::new();
    for index in 0..each * 4 {
        let value = index as f32;
        let entity = world.entity().set(KindA(value)).set(KindB(value + 0.25));
        match index / each {
            0 => entity,
            1 => entity.set(KindC(-1.0)),
            2 => entity.set(KindC(value + 0.5)).set(KindD(value + 0.75)),
            _ => entity.set(KindC(value + 0.5)).set(KindE(value + 1.0)),
        };
    }
    world.system::<(&mut KindA, &mut KindB)>().each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
    world.system::<(&mut KindC, &mut KindD)>().each(|(c, d)| std::mem::swap(&mut c.0, &mut d.0));
    world.system::<(&mut KindC, &mut KindE)>().each(|(c, e)| std::mem::swap(&mut c.0, &mut e.0));
    Entry::steady(
        PEER,
        "progress",
        world,
        |world| {
            world.progress_time(0.016);
        },
        |world| {
            sum_of!(world, KindA)
                .wrapping_add(sum_of!(world, KindB))
                .wrapping_add(sum_of!(world, KindD))
                .wrapping_add(sum_of!(world, KindE))
        },
    )
}
