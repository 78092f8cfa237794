//! `sparsey`: sparse sets, with groups that keep rows of several components in step.

use sparsey::component::{View, ViewMut};
use sparsey::{Entity, World};

use crate::components::{
    self, Global, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Rotation, Shared, Transform, Velocity,
    below, bundle, invert_often, position, rotation, step, step_slices, velocity, with_kinds,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::{Summed, sum};
use crate::workloads::Kind;

const PEER: &str = "sparsey";

struct State {
    world: World,
    entities: Vec<Entity>,
}

/// Whether the components of a walk are declared as a group.
#[derive(Clone, Copy)]
enum Layout {
    Apart,
    Grouped,
}

fn empty(layout: Layout) -> World {
    match layout {
        Layout::Apart => World::builder()
            .register::<Transform>()
            .register::<Position>()
            .register::<Rotation>()
            .register::<Velocity>()
            .build(),
        Layout::Grouped => World::builder()
            .register::<Transform>()
            .register::<Rotation>()
            .add_group::<(Position, Velocity)>()
            .build(),
    }
}

fn full(size: usize, layout: Layout) -> State {
    let mut world = empty(layout);
    let entities = world.extend((0..size).map(bundle)).to_vec();
    State { world, entities }
}

fn half(size: usize, layout: Layout) -> State {
    let mut state = full(size, layout);
    detach_all(&mut state);
    // In order: taking away every second one would leave the others in the order of swaps.
    for (index, entity) in state.entities.iter().enumerate().step_by(2) {
        state.world.insert(*entity, (velocity(index),));
    }
    state
}

fn churned(size: usize, layout: Layout) -> State {
    let State { mut world, mut entities } = full(size, layout);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        world.delete::<(Velocity,)>(entities[index]);
        world.insert(entities[index], (velocity(index),));
    }
    for index in replaced {
        world.destroy(entities[index]);
        entities[index] = world.create(bundle(size + index));
    }
    State { world, entities }
}

fn walk(state: &mut State) {
    state.world.for_each::<(&mut Position, &Velocity)>(|(position, velocity)| step(position, velocity));
}

fn walk_for(state: &mut State) {
    for (position, velocity) in state.world.query_all::<(&mut Position, &Velocity)>().iter() {
        step(position, velocity);
    }
}

fn walk_slices(state: &mut State) {
    let mut query = state.world.query_all::<(&mut Position, &Velocity)>();
    let (positions, velocities) = query.slice().expect("a group of just these");
    step_slices(positions, velocities);
}

fn all<T: Summed + Send + Sync + 'static>(world: &World) -> u64 {
    sum(world.borrow::<T>().as_slice())
}

fn positions(state: &mut State) -> u64 {
    all::<Position>(&state.world)
}

fn velocities(state: &mut State) -> u64 {
    all::<Velocity>(&state.world)
}

fn detach_all(state: &mut State) {
    for entity in &state.entities {
        state.world.delete::<(Velocity,)>(*entity);
    }
}

fn attach_all(state: &mut State) {
    for (index, entity) in state.entities.iter().enumerate() {
        state.world.insert(*entity, (velocity(index),));
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach => vec![Entry::fresh(
            PEER,
            "create",
            || empty(Layout::Apart),
            move |world| {
                (0..size).for_each(|index| {
                    world.create(bundle(index));
                });
            },
            |world| all::<Position>(world),
        )],
        Kind::InsertBatch | Kind::Memory => vec![Entry::fresh(
            PEER,
            "extend",
            || empty(Layout::Apart),
            move |world| {
                world.extend((0..size).map(bundle));
            },
            |world| all::<Position>(world),
        )],
        Kind::WalkForEach => vec![
            Entry::steady(PEER, "group", full(size, Layout::Grouped), walk, positions),
            Entry::steady(PEER, "no group", full(size, Layout::Apart), walk, positions),
        ],
        Kind::WalkFor => vec![
            Entry::steady(PEER, "group", full(size, Layout::Grouped), walk_for, positions),
            Entry::steady(PEER, "no group", full(size, Layout::Apart), walk_for, positions),
        ],
        Kind::WalkChunks => {
            vec![Entry::steady(PEER, "group", full(size, Layout::Grouped), walk_slices, positions)]
        }
        Kind::HalfAsItComes => {
            vec![Entry::steady(PEER, "no group", half(size, Layout::Apart), walk, positions)]
        }
        Kind::HalfSorted => {
            vec![Entry::steady(PEER, "group", half(size, Layout::Grouped), walk, positions)]
        }
        Kind::ChurnedAsItComes => {
            vec![Entry::steady(PEER, "no group", churned(size, Layout::Apart), walk, positions)]
        }
        Kind::ChurnedSorted => {
            vec![Entry::steady(PEER, "group", churned(size, Layout::Grouped), walk, positions)]
        }
        Kind::Kinds => vec![Entry::steady(
            PEER,
            "for_each",
            kinds(size / KINDS),
            |world| world.for_each::<&mut Shared>(|shared| shared.0 += 0.5),
            |world| all::<Shared>(world),
        )],
        Kind::Add => vec![Entry::prepared(
            PEER,
            "insert",
            full(size, Layout::Apart),
            detach_all,
            attach_all,
            velocities,
        )],
        Kind::Remove => vec![Entry::prepared(
            PEER,
            "delete",
            full(size, Layout::Apart),
            attach_all,
            detach_all,
            velocities,
        )],
        Kind::Get => get(size),
        Kind::Parallel => vec![Entry::steady(
            PEER,
            "par_for_each",
            full(size, Layout::Apart),
            |state| state.world.par_for_each::<&mut Transform>(invert_often),
            |state| all::<Transform>(&state.world),
        )],
        Kind::Despawn => vec![Entry::fresh(
            PEER,
            "destroy",
            move || {
                let mut state = full(size, Layout::Apart);
                state.entities = plan::in_shuffled_order(&state.entities);
                state
            },
            |state| {
                for entity in &state.entities {
                    state.world.destroy(*entity);
                }
            },
            positions,
        )],
        Kind::Propagate => vec![propagate(size)],
        Kind::Schedule => vec![schedule(size)],
        Kind::Rounds => vec![Entry::fresh(
            PEER,
            "delete, insert",
            move || full(size, Layout::Apart),
            move |state| rounds(state, size),
            positions,
        )],
        _ => Vec::new(),
    }
}

fn kinds(each: usize) -> World {
    let mut builder = World::builder();
    builder.register::<Shared>();
    macro_rules! register {
        ($($kind:ident),*) => {$(
            builder.register::<components::$kind>();
        )*};
    }
    with_kinds!(register);
    let mut world = builder.build();
    let mut next = 0;
    macro_rules! spawn {
        ($($kind:ident),*) => {$(
            for index in next..next + each {
                world.create((components::$kind(0.0), Shared(index as f32)));
            }
            next += each;
        )*};
    }
    with_kinds!(spawn);
    world
}

fn get(size: usize) -> Vec<Entry> {
    let shuffled = || {
        let state = full(size, Layout::Apart);
        let order = plan::in_shuffled_order(&state.entities);
        (state.world, order, 0_u64)
    };
    vec![
        Entry::steady(
            PEER,
            "view",
            shuffled(),
            |(world, order, total)| {
                let view: View<Position> = world.borrow();
                *total = order.iter().fold(0, |total, entity| {
                    total + view.get(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
                });
            },
            |state| state.2,
        ),
        Entry::steady(
            PEER,
            "query_one",
            shuffled(),
            |(world, order, total)| {
                *total = order.iter().fold(0, |total, entity| {
                    let mut query = world.query_one::<&Position>();
                    total + query.get(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
                });
            },
            |state| state.2,
        ),
    ]
}

fn propagate(size: usize) -> Entry {
    let mut world = World::builder().register::<Position>().register::<Global>().build();
    let entities = world.extend((0..size).map(|index| (position(index), Global::default()))).to_vec();
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
            world.borrow_mut::<Position>()[order[0].0].y += 1.0;
            let locals: View<Position> = world.borrow();
            let mut globals: ViewMut<Global> = world.borrow_mut();
            for (node, parent) in order {
                let parent =
                    parent.and_then(|parent| globals.get(parent)).map_or(Global::default(), |global| *global);
                if let (Some(local), Some(global)) = (locals.get(*node), globals.get_mut(*node)) {
                    *global = below(parent, local);
                }
            }
        },
        |state| all::<Global>(&state.0),
    )
}

fn schedule(size: usize) -> Entry {
    let each = size / 4;
    let mut world = World::builder()
        .add_group::<(KindA, KindB)>()
        .add_group::<(KindC, KindD)>()
        .register::<KindE>()
        .build();
    let a = |index: usize| KindA(index as f32);
    let b = |index: usize| KindB(index as f32 + 0.25);
    let c = |index: usize| KindC(index as f32 + 0.5);
    world.extend((0..each).map(|index| (a(index), b(index))));
    world.extend((each..2 * each).map(|index| (a(index), b(index), KindC(-1.0))));
    world
        .extend((2 * each..3 * each).map(|index| (a(index), b(index), c(index), KindD(index as f32 + 0.75))));
    world.extend((3 * each..4 * each).map(|index| (a(index), b(index), c(index), KindE(index as f32 + 1.0))));
    Entry::steady(
        PEER,
        "three functions, groups",
        world,
        |world| {
            world.for_each::<(&mut KindA, &mut KindB)>(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            world.for_each::<(&mut KindC, &mut KindD)>(|(c, d)| std::mem::swap(&mut c.0, &mut d.0));
            world.for_each::<(&mut KindC, &mut KindE)>(|(c, e)| std::mem::swap(&mut c.0, &mut e.0));
        },
        |world| {
            all::<KindA>(world)
                .wrapping_add(all::<KindB>(world))
                .wrapping_add(all::<KindD>(world))
                .wrapping_add(all::<KindE>(world))
        },
    )
}

fn rounds(state: &mut State, size: usize) {
    let State { world, entities } = state;
    for round in plan::ROUNDS {
        for entity in entities.iter().step_by(round) {
            world.delete::<(Position, Rotation, Velocity)>(*entity);
        }
        for (index, entity) in entities.iter().enumerate().step_by(round) {
            world.insert(*entity, (position(index), rotation(index), velocity(index)));
        }
    }
    for index in size..size + plan::newcomers(size) {
        world.create((position(index), rotation(index), velocity(index)));
    }
}
