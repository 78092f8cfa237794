//! `specs`: storages borrowed from a world, joined by bit sets, systems on a dispatcher.

use specs::prelude::*;
use specs::shred::DispatcherBuilder;
use specs::shrev::ReaderId;
use specs::storage::ComponentEvent;

use crate::components::{
    self, Global, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Rotation, Shared, Tracked, Transform,
    Velocity, below, bundle, invert_often, position, rotation, step, tracked, velocity, with_kinds,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::{Summed, sum};
use crate::workloads::Kind;

const PEER: &str = "specs";

struct State {
    world: World,
    entities: Vec<Entity>,
}

fn empty() -> World {
    let mut world = World::new();
    world.register::<Transform>();
    world.register::<Position>();
    world.register::<Rotation>();
    world.register::<Velocity>();
    world
}

fn create(world: &mut World, (transform, position, rotation, velocity): components::Bundle) -> Entity {
    world.create_entity().with(transform).with(position).with(rotation).with(velocity).build()
}

fn full(size: usize) -> State {
    let mut world = empty();
    let entities = (0..size).map(|index| create(&mut world, bundle(index))).collect();
    State { world, entities }
}

fn half(size: usize) -> State {
    let state = full(size);
    for entity in state.entities.iter().skip(1).step_by(2) {
        state.world.write_storage::<Velocity>().remove(*entity);
    }
    state
}

fn churned(size: usize) -> State {
    let State { mut world, mut entities } = full(size);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        let mut velocities = world.write_storage::<Velocity>();
        velocities.remove(entities[index]);
        velocities.insert(entities[index], velocity(index)).expect("all are alive");
    }
    for index in replaced {
        world.delete_entity(entities[index]).expect("all are alive");
        entities[index] = create(&mut world, bundle(size + index));
    }
    State { world, entities }
}

fn walk(state: &mut State) {
    let (mut positions, velocities) =
        (state.world.write_storage::<Position>(), state.world.read_storage::<Velocity>());
    (&mut positions, &velocities).join().for_each(|(position, velocity)| step(position, velocity));
}

fn walk_for(state: &mut State) {
    let (mut positions, velocities) =
        (state.world.write_storage::<Position>(), state.world.read_storage::<Velocity>());
    for (position, velocity) in (&mut positions, &velocities).join() {
        step(position, velocity);
    }
}

fn all<T: Summed + Component>(world: &World) -> u64 {
    sum(world.read_storage::<T>().join())
}

fn positions(state: &mut State) -> u64 {
    all::<Position>(&state.world)
}

fn velocities(state: &mut State) -> u64 {
    all::<Velocity>(&state.world)
}

fn detach_all(state: &mut State) {
    let mut velocities = state.world.write_storage::<Velocity>();
    for entity in &state.entities {
        velocities.remove(*entity);
    }
}

fn attach_all(state: &mut State) {
    let mut velocities = state.world.write_storage::<Velocity>();
    for (index, entity) in state.entities.iter().enumerate() {
        velocities.insert(*entity, velocity(index)).expect("all are alive");
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach | Kind::Memory => vec![
            Entry::fresh(
                PEER,
                "storages held",
                empty,
                move |world| insert_with_storages(world, size),
                |world| all::<Position>(world),
            ),
            Entry::fresh(
                PEER,
                "create_entity",
                empty,
                move |world| {
                    (0..size).for_each(|index| {
                        create(world, bundle(index));
                    });
                },
                |world| all::<Position>(world),
            ),
        ],
        Kind::InsertBatch => vec![Entry::fresh(
            PEER,
            "storages held",
            empty,
            move |world| insert_with_storages(world, size),
            |world| all::<Position>(world),
        )],
        Kind::WalkForEach => vec![Entry::steady(PEER, "join", full(size), walk, positions)],
        Kind::WalkFor => vec![Entry::steady(PEER, "join", full(size), walk_for, positions)],
        Kind::HalfAsItComes => vec![Entry::steady(PEER, "join", half(size), walk, positions)],
        Kind::ChurnedAsItComes => vec![Entry::steady(PEER, "join", churned(size), walk, positions)],
        Kind::Kinds => vec![Entry::steady(
            PEER,
            "join",
            kinds(size / KINDS),
            |world| (&mut world.write_storage::<Shared>()).join().for_each(|shared| shared.0 += 0.5),
            |world| all::<Shared>(world),
        )],
        Kind::Add => {
            vec![Entry::prepared(PEER, "storage held", full(size), detach_all, attach_all, velocities)]
        }
        Kind::Remove => {
            vec![Entry::prepared(PEER, "storage held", full(size), attach_all, detach_all, velocities)]
        }
        Kind::Get => vec![get(size)],
        Kind::Parallel => vec![Entry::steady(
            PEER,
            "par_join",
            full(size),
            |state| {
                let mut transforms = state.world.write_storage::<Transform>();
                (&mut transforms).par_join().for_each(invert_often);
            },
            |state| all::<Transform>(&state.world),
        )],
        Kind::TrackedWrite => vec![tracked_write(size)],
        Kind::Despawn => vec![Entry::fresh(
            PEER,
            "delete_entity",
            move || {
                let mut state = full(size);
                state.entities = plan::in_shuffled_order(&state.entities);
                state
            },
            |state| {
                for entity in &state.entities {
                    state.world.delete_entity(*entity).expect("all are alive");
                }
            },
            positions,
        )],
        Kind::Propagate => vec![propagate(size)],
        Kind::Schedule => vec![schedule(size)],
        Kind::Rounds => vec![Entry::fresh(
            PEER,
            "storages held",
            move || full(size),
            move |state| rounds(state, size),
            positions,
        )],
        _ => Vec::new(),
    }
}

fn insert_with_storages(world: &World, size: usize) {
    let entities = world.entities();
    let mut transforms = world.write_storage::<Transform>();
    let mut positions = world.write_storage::<Position>();
    let mut rotations = world.write_storage::<Rotation>();
    let mut velocities = world.write_storage::<Velocity>();
    for index in 0..size {
        let (transform, position, rotation, velocity) = bundle(index);
        let entity = entities.create();
        transforms.insert(entity, transform).expect("just created");
        positions.insert(entity, position).expect("just created");
        rotations.insert(entity, rotation).expect("just created");
        velocities.insert(entity, velocity).expect("just created");
    }
}

fn kinds(each: usize) -> World {
    let mut world = World::new();
    world.register::<Shared>();
    let mut next = 0;
    macro_rules! spawn {
        ($($kind:ident),*) => {$(
            world.register::<components::$kind>();
            for index in next..next + each {
                world.create_entity().with(components::$kind(0.0)).with(Shared(index as f32)).build();
            }
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
        "storage",
        (state.world, order, 0_u64),
        |(world, order, total)| {
            let positions = world.read_storage::<Position>();
            *total = order.iter().fold(0, |total, entity| {
                total + positions.get(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
            });
        },
        |state| state.2,
    )
}

/// Writes are events here: whoever wants them reads the channel, so reading is part of the work.
fn tracked_write(size: usize) -> Entry {
    let mut world = World::new();
    world.register::<Tracked>();
    let entities: Vec<Entity> =
        (0..size).map(|index| world.create_entity().with(tracked(index)).build()).collect();
    let reader: ReaderId<ComponentEvent> = world.write_storage::<Tracked>().register_reader();
    let order: Vec<Entity> = plan::scattered(size).into_iter().map(|index| entities[index]).collect();
    Entry::steady(
        PEER,
        "flagged, events read",
        (world, order, reader),
        |(world, order, reader)| {
            let mut storage = world.write_storage::<Tracked>();
            for entity in order.iter() {
                storage.get_mut(*entity).expect("all are alive").x += 1.0;
            }
            std::hint::black_box(storage.channel().read(reader).count());
        },
        |state| all::<Tracked>(&state.0),
    )
}

fn propagate(size: usize) -> Entry {
    let mut world = World::new();
    world.register::<Position>();
    world.register::<Global>();
    let entities: Vec<Entity> = (0..size)
        .map(|index| world.create_entity().with(position(index)).with(Global::default()).build())
        .collect();
    let parents = plan::random_parents(size);
    let order: Vec<(Entity, Option<Entity>)> = plan::depth_order(&parents)
        .into_iter()
        .map(|node| (entities[node], parents[node].map(|parent| entities[parent])))
        .collect();
    Entry::steady(
        PEER,
        "storages by depth",
        (world, order),
        |(world, order)| {
            world.write_storage::<Position>().get_mut(order[0].0).expect("the root lives").y += 1.0;
            let (locals, mut globals) = (world.read_storage::<Position>(), world.write_storage::<Global>());
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

macro_rules! swap {
    ($name:ident, $one:ident, $other:ident) => {
        struct $name;

        impl<'a> System<'a> for $name {
            type SystemData = (WriteStorage<'a, $one>, WriteStorage<'a, $other>);

            fn run(&mut self, (mut ones, mut others): Self::SystemData) {
                (&mut ones, &mut others)
                    .join()
                    .for_each(|(one, other)| std::mem::swap(&mut one.0, &mut other.0));
            }
        }
    };
}

swap!(SwapAB, KindA, KindB);
swap!(SwapCD, KindC, KindD);
swap!(SwapCE, KindC, KindE);

fn schedule(size: usize) -> Entry {
    let each = size / 4;
    let mut world = World::new();
    let mut dispatcher = DispatcherBuilder::new()
        .with(SwapAB, "a and b", &[])
        .with(SwapCD, "c and d", &[])
        .with(SwapCE, "c and e", &["c and d"])
        .build();
    dispatcher.setup(&mut world);
    for index in 0..each * 4 {
        let value = index as f32;
        let entity = world.create_entity().with(KindA(value)).with(KindB(value + 0.25));
        match index / each {
            0 => entity,
            1 => entity.with(KindC(-1.0)),
            2 => entity.with(KindC(value + 0.5)).with(KindD(value + 0.75)),
            _ => entity.with(KindC(value + 0.5)).with(KindE(value + 1.0)),
        }
        .build();
    }
    Entry::steady(
        PEER,
        "dispatcher",
        (world, dispatcher),
        |(world, dispatcher)| dispatcher.dispatch(world),
        |(world, _)| {
            all::<KindA>(world)
                .wrapping_add(all::<KindB>(world))
                .wrapping_add(all::<KindD>(world))
                .wrapping_add(all::<KindE>(world))
        },
    )
}

fn rounds(state: &mut State, size: usize) {
    let State { world, entities } = state;
    let born = world.entities();
    let mut positions = world.write_storage::<Position>();
    let mut rotations = world.write_storage::<Rotation>();
    let mut velocities = world.write_storage::<Velocity>();
    let mut attach = |entity: Entity, index: usize, remove: bool| {
        if remove {
            positions.remove(entity);
            rotations.remove(entity);
            velocities.remove(entity);
        } else {
            positions.insert(entity, position(index)).expect("all are alive");
            rotations.insert(entity, rotation(index)).expect("all are alive");
            velocities.insert(entity, velocity(index)).expect("all are alive");
        }
    };
    for round in plan::ROUNDS {
        entities.iter().step_by(round).for_each(|entity| attach(*entity, 0, true));
        entities.iter().enumerate().step_by(round).for_each(|(index, entity)| attach(*entity, index, false));
    }
    for index in size..size + plan::newcomers(size) {
        attach(born.create(), index, false);
    }
}
