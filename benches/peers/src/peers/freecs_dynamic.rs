//! `freecs`, its dynamic world: component types registered while the program runs.

use freecs::Entity;
use freecs::dynamic::{ComponentKey, DynWorld};

use crate::components::{
    self, Global, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Rotation, Shared, Tracked, Transform,
    Velocity, below, bundle, invert_often, position, rotation, step, step_slices, tracked, velocity,
    with_kinds,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::{found_in, sum};
use crate::workloads::Kind;

const PEER: &str = "freecs dynamic";

freecs::impl_component!(Transform, Position, Rotation, Velocity, Global, Tracked, Shared);

macro_rules! mark {
    ($($kind:ident),*) => {
        freecs::impl_component!($(components::$kind),*);
    };
}
with_kinds!(mark);

struct State {
    world: DynWorld,
    entities: Vec<Entity>,
    transforms: ComponentKey<Transform>,
    positions: ComponentKey<Position>,
    rotations: ComponentKey<Rotation>,
    velocities: ComponentKey<Velocity>,
}

impl State {
    fn new() -> Self {
        let mut world = DynWorld::new();
        Self {
            transforms: world.register(),
            positions: world.register(),
            rotations: world.register(),
            velocities: world.register(),
            world,
            entities: Vec::new(),
        }
    }

    fn spawn_batch(&mut self, size: usize) -> Vec<Entity> {
        let Self { world, transforms, positions, rotations, velocities, .. } = self;
        let mask = transforms.mask | positions.mask | rotations.mask | velocities.mask;
        let mut entities = Vec::new();
        // Filling a table column by column looks each column up once.
        let mut next = 0;
        entities.append(&mut world.spawn_entities(mask, size));
        world.for_each_tables_mut(mask, 0, |table| {
            let rows = table.column(*transforms).len();
            let (transform_rows, position_rows) = table.columns_pair_mut(*transforms, *positions);
            for (row, (transform, place)) in transform_rows.iter_mut().zip(position_rows).enumerate() {
                *transform = components::transform(row);
                *place = position(row);
            }
            let (rotation_rows, velocity_rows) = table.columns_pair_mut(*rotations, *velocities);
            for (row, (turn, speed)) in rotation_rows.iter_mut().zip(velocity_rows).enumerate() {
                *turn = rotation(row);
                *speed = velocity(row);
            }
            next += rows;
        });
        entities
    }
}

fn full(size: usize) -> State {
    let mut state = State::new();
    state.entities = state.spawn_batch(size);
    state
}

fn half(size: usize) -> State {
    let mut state = full(size);
    for entity in state.entities.iter().skip(1).step_by(2) {
        state.world.remove::<Velocity>(*entity);
    }
    state
}

fn churned(size: usize) -> State {
    let mut state = full(size);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        state.world.remove::<Velocity>(state.entities[index]);
        state.world.set(state.entities[index], velocity(index));
    }
    for index in replaced {
        state.world.despawn_entities(&[state.entities[index]]);
        state.entities[index] = state.world.spawn(bundle(size + index));
    }
    state
}

fn walk(state: &mut State) {
    state
        .world
        .query::<(&mut Position, &Velocity)>()
        .for_each(|_, (position, velocity)| step(position, velocity));
}

fn walk_tables(state: &mut State) {
    let (positions, velocities) = (state.positions, state.velocities);
    state.world.for_each_tables_mut(positions.mask | velocities.mask, 0, |table| {
        let (positions, velocities) = table.columns_pair(positions, velocities);
        step_slices(positions, velocities);
    });
}

/// The values of one component.
macro_rules! values {
    ($world:expr, $component:ty) => {
        $world.query_ref::<&$component>().iter().map(|(_, value)| value)
    };
}

fn positions(state: &mut State) -> u64 {
    sum(values!(state.world, Position))
}

fn velocities(state: &mut State) -> u64 {
    sum(values!(state.world, Velocity))
}

fn detach_all(state: &mut State) {
    for entity in &state.entities {
        state.world.remove_components(*entity, state.velocities.mask);
    }
}

fn attach_all(state: &mut State) {
    for (index, entity) in state.entities.iter().enumerate() {
        state.world.set_keyed(state.velocities, *entity, velocity(index));
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach => vec![Entry::fresh(
            PEER,
            "spawn",
            State::new,
            move |state| {
                (0..size).for_each(|index| {
                    state.world.spawn(bundle(index));
                });
            },
            positions,
        )],
        Kind::InsertBatch | Kind::Memory => vec![Entry::fresh(
            PEER,
            "spawn_entities, columns",
            State::new,
            move |state| {
                state.spawn_batch(size);
            },
            positions,
        )],
        Kind::WalkForEach => vec![Entry::steady(PEER, "query", full(size), walk, positions)],
        Kind::WalkChunks => vec![Entry::steady(PEER, "columns_pair", full(size), walk_tables, positions)],
        Kind::HalfAsItComes | Kind::HalfSorted => {
            vec![Entry::steady(PEER, "query", half(size), walk, positions)]
        }
        Kind::ChurnedAsItComes | Kind::ChurnedSorted => {
            vec![Entry::steady(PEER, "query", churned(size), walk, positions)]
        }
        Kind::Kinds => vec![Entry::steady(
            PEER,
            "query",
            kinds(size / KINDS),
            |world| world.query::<&mut Shared>().for_each(|_, shared| shared.0 += 0.5),
            |world| sum(values!(world, Shared)),
        )],
        Kind::Add => vec![Entry::prepared(PEER, "set_keyed", full(size), detach_all, attach_all, velocities)],
        Kind::Remove => {
            vec![Entry::prepared(PEER, "remove_components", full(size), attach_all, detach_all, velocities)]
        }
        Kind::Get => vec![get(size)],
        Kind::Parallel => vec![Entry::steady(
            PEER,
            "par_for_each",
            full(size),
            |state| {
                state.world.query::<&mut Transform>().par_for_each(|_, transform| invert_often(transform))
            },
            |state| sum(values!(state.world, Transform)),
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
        Kind::Propagate => vec![propagate(size)],
        Kind::Schedule => vec![schedule(size)],
        Kind::Rounds => vec![Entry::fresh(
            PEER,
            "remove_bundle, insert_bundle",
            move || full(size),
            move |state| rounds(state, size),
            positions,
        )],
        _ => Vec::new(),
    }
}

fn kinds(each: usize) -> DynWorld {
    let mut world = DynWorld::new();
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

fn get(size: usize) -> Entry {
    let mut state = full(size);
    let order = plan::in_shuffled_order(&state.entities);
    state.entities = order;
    Entry::steady(
        PEER,
        "get_keyed",
        (state, 0_u64),
        |(state, total)| {
            *total = state.entities.iter().fold(0, |total, entity| {
                let found = state.world.get_keyed(state.positions, *entity);
                total + found.map_or(0, |at| u64::from(at.x.to_bits()))
            });
        },
        |state| state.1,
    )
}

fn tracked_world(size: usize) -> (DynWorld, Vec<Entity>) {
    let mut world = DynWorld::new();
    world.set_change_detection(true);
    let entities = (0..size).map(|index| world.spawn((tracked(index), velocity(index)))).collect();
    world.step();
    world.step();
    (world, entities)
}

fn tracked_write(size: usize) -> Entry {
    let (mut world, entities) = tracked_world(size);
    let key = world.register::<Tracked>();
    let order: Vec<Entity> = plan::scattered(size).into_iter().map(|index| entities[index]).collect();
    Entry::steady(
        PEER,
        "get_mut_keyed",
        (world, order),
        move |(world, order)| {
            for entity in order.iter() {
                world.get_mut_keyed(key, *entity).expect("all are alive").x += 1.0;
            }
        },
        |state| sum(values!(state.0, Tracked)),
    )
}

fn scan(size: usize, changed: &[usize]) -> Entry {
    let (mut world, entities) = tracked_world(size);
    for index in changed {
        world.get_mut::<Tracked>(entities[*index]).expect("all are alive").x += 1.0;
    }
    Entry::steady(
        PEER,
        "changed",
        (world, 0_u64),
        |(world, found)| {
            *found =
                found_in(world.query_ref::<&Tracked>().changed::<Tracked>().iter().map(|(_, value)| value));
        },
        |state| state.1,
    )
}

fn propagate(size: usize) -> Entry {
    let mut world = DynWorld::new();
    let (locals, globals) = (world.register::<Position>(), world.register::<Global>());
    let entities: Vec<Entity> =
        (0..size).map(|index| world.spawn((position(index), Global::default()))).collect();
    let parents = plan::random_parents(size);
    let order: Vec<(Entity, Option<Entity>)> = plan::depth_order(&parents)
        .into_iter()
        .map(|node| (entities[node], parents[node].map(|parent| entities[parent])))
        .collect();
    Entry::steady(
        PEER,
        "keyed by depth",
        (world, order),
        move |(world, order)| {
            world.get_mut_keyed(locals, order[0].0).expect("the root lives").y += 1.0;
            for (node, parent) in order.iter() {
                let parent = parent
                    .and_then(|parent| world.get_keyed(globals, parent))
                    .map_or(Global::default(), |global| *global);
                let Some(local) = world.get_keyed(locals, *node).copied() else { continue };
                if let Some(global) = world.get_mut_keyed(globals, *node) {
                    *global = below(parent, &local);
                }
            }
        },
        |state| sum(values!(state.0, Global)),
    )
}

fn schedule(size: usize) -> Entry {
    let each = size / 4;
    let mut world = DynWorld::new();
    let a = |index: usize| KindA(index as f32);
    let b = |index: usize| KindB(index as f32 + 0.25);
    let c = |index: usize| KindC(index as f32 + 0.5);
    for index in 0..each * 4 {
        match index / each {
            0 => world.spawn((a(index), b(index))),
            1 => world.spawn((a(index), b(index), KindC(-1.0))),
            2 => world.spawn((a(index), b(index), c(index), KindD(index as f32 + 0.75))),
            _ => world.spawn((a(index), b(index), c(index), KindE(index as f32 + 1.0))),
        };
    }
    let mut schedule = freecs::Schedule::new();
    schedule.push("a and b", |world: &mut DynWorld| {
        world.query::<(&mut KindA, &mut KindB)>().for_each(|_, (a, b)| std::mem::swap(&mut a.0, &mut b.0));
    });
    schedule.push("c and d", |world: &mut DynWorld| {
        world.query::<(&mut KindC, &mut KindD)>().for_each(|_, (c, d)| std::mem::swap(&mut c.0, &mut d.0));
    });
    schedule.push("c and e", |world: &mut DynWorld| {
        world.query::<(&mut KindC, &mut KindE)>().for_each(|_, (c, e)| std::mem::swap(&mut c.0, &mut e.0));
    });
    Entry::steady(
        PEER,
        "schedule",
        (world, schedule),
        |(world, schedule)| schedule.run(world),
        |(world, _)| {
            sum(values!(world, KindA))
                .wrapping_add(sum(values!(world, KindB)))
                .wrapping_add(sum(values!(world, KindD)))
                .wrapping_add(sum(values!(world, KindE)))
        },
    )
}

fn rounds(state: &mut State, size: usize) {
    let State { world, entities, .. } = state;
    for round in plan::ROUNDS {
        for entity in entities.iter().step_by(round) {
            world.remove_bundle::<(Position, Rotation, Velocity)>(*entity);
        }
        for (index, entity) in entities.iter().enumerate().step_by(round) {
            world.insert_bundle(*entity, (position(index), rotation(index), velocity(index)));
        }
    }
    for index in size..size + plan::newcomers(size) {
        world.spawn((position(index), rotation(index), velocity(index)));
    }
}
