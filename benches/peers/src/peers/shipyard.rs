//! `shipyard`: sparse sets, borrowed as views, and workloads on the threads of rayon.

use rayon::prelude::*;
use shipyard::{
    AddComponent, AllStoragesViewMut, Delete, EntitiesViewMut, EntityId, Get, IntoIter, IntoWorkload, Remove,
    View, ViewMut, Workload, World,
};

use crate::components::{
    self, Global, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Rotation, Shared, Tracked, Transform,
    Velocity, below, bundle, invert_often, position, rotation, step, tracked, velocity, with_kinds,
};
use crate::contender::{Entry, Way};
use crate::plan;
use crate::sums::{found_in, sum};
use crate::workloads::Kind;

const PEER: &str = "shipyard";

struct State {
    world: World,
    entities: Vec<EntityId>,
}

fn full(size: usize) -> State {
    let mut world = World::new();
    let entities = world.bulk_add_entity((0..size).map(bundle)).collect();
    State { world, entities }
}

fn half(size: usize) -> State {
    let mut state = full(size);
    detach_all(&mut state);
    // In order: taking away every second one would leave the others in the order of swaps.
    for (index, entity) in state.entities.iter().enumerate().step_by(2) {
        state.world.add_component(*entity, velocity(index));
    }
    state
}

fn churned(size: usize) -> State {
    let State { mut world, mut entities } = full(size);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        world.delete_component::<Velocity>(entities[index]);
        world.add_component(entities[index], velocity(index));
    }
    for index in replaced {
        world.delete_entity(entities[index]);
        entities[index] = world.add_entity(bundle(size + index));
    }
    State { world, entities }
}

fn walk(state: &mut State) {
    state.world.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
        (&mut positions, &velocities).iter().for_each(|(position, velocity)| step(position, velocity));
    });
}

fn walk_for(state: &mut State) {
    state.world.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
        for (position, velocity) in (&mut positions, &velocities).iter() {
            step(position, velocity);
        }
    });
}

macro_rules! sum_of {
    ($world:expr, $component:ty) => {
        $world.run(|view: View<$component>| sum(view.iter()))
    };
}

fn positions(state: &mut State) -> u64 {
    sum_of!(state.world, Position)
}

fn velocities(state: &mut State) -> u64 {
    sum_of!(state.world, Velocity)
}

fn detach_all(state: &mut State) {
    state.world.run(|mut velocities: ViewMut<Velocity>| {
        for entity in &state.entities {
            velocities.remove(*entity);
        }
    });
}

fn attach_all(state: &mut State) {
    state.world.run(|mut velocities: ViewMut<Velocity>| {
        for (index, entity) in state.entities.iter().enumerate() {
            velocities.add_component_unchecked(*entity, velocity(index));
        }
    });
}

fn detach_all_by_world(state: &mut State) {
    for entity in &state.entities {
        state.world.remove::<Velocity>(*entity);
    }
}

fn attach_all_by_world(state: &mut State) {
    for (index, entity) in state.entities.iter().enumerate() {
        state.world.add_component(*entity, velocity(index));
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach => vec![
            Entry::fresh(
                PEER,
                "views held",
                World::new,
                move |world| insert_with_views(world, size),
                |world| sum_of!(world, Position),
            ),
            Entry::fresh(
                PEER,
                "add_entity",
                World::new,
                move |world| {
                    (0..size).for_each(|index| {
                        world.add_entity(bundle(index));
                    });
                },
                |world| sum_of!(world, Position),
            ),
        ],
        Kind::InsertBatch | Kind::Memory => vec![Entry::fresh(
            PEER,
            "bulk_add_entity",
            World::new,
            move |world| {
                world.bulk_add_entity((0..size).map(bundle));
            },
            |world| sum_of!(world, Position),
        )],
        Kind::WalkForEach => vec![Entry::steady(PEER, "views", full(size), walk, positions)],
        Kind::WalkFor => vec![Entry::steady(PEER, "views", full(size), walk_for, positions)],
        Kind::HalfAsItComes => vec![Entry::steady(PEER, "views", half(size), walk, positions)],
        Kind::ChurnedAsItComes => vec![Entry::steady(PEER, "views", churned(size), walk, positions)],
        Kind::Kinds => vec![Entry::steady(
            PEER,
            "view",
            kinds(size / KINDS),
            |world| {
                world.run(|mut shared: ViewMut<Shared>| {
                    (&mut shared).iter().for_each(|shared| shared.0 += 0.5);
                });
            },
            |world| sum_of!(world, Shared),
        )],
        Kind::Add => vec![
            Entry::prepared(PEER, "view held", full(size), detach_all, attach_all, velocities),
            Entry::prepared(PEER, "world", full(size), detach_all_by_world, attach_all_by_world, velocities),
        ],
        Kind::Remove => vec![
            Entry::prepared(PEER, "view held", full(size), attach_all, detach_all, velocities),
            Entry::prepared(PEER, "world", full(size), attach_all_by_world, detach_all_by_world, velocities),
        ],
        Kind::Get => vec![get(size)],
        Kind::Parallel => vec![Entry::steady(
            PEER,
            "par_iter",
            full(size),
            |state| {
                state.world.run(|mut transforms: ViewMut<Transform>| {
                    (&mut transforms).par_iter().for_each(invert_often);
                });
            },
            |state| sum_of!(state.world, Transform),
        )],
        Kind::TrackedWrite => vec![tracked_write(size)],
        Kind::ScanScattered => vec![scan(size, &plan::scattered(size))],
        Kind::ScanTogether => vec![scan(size, &plan::together(size))],
        Kind::ScanNone => vec![scan(size, &[])],
        Kind::Despawn => {
            let ways: [Way<State>; 2] =
                [("delete_entity", despawn_by_world), ("storages held", despawn_by_storages)];
            let entry = |(way, run): (&'static str, fn(&mut State))| {
                let make = move || {
                    let mut state = full(size);
                    state.entities = plan::in_shuffled_order(&state.entities);
                    state
                };
                Entry::fresh(PEER, way, make, run, positions)
            };
            ways.into_iter().map(entry).collect()
        }
        Kind::Propagate => vec![propagate(size)],
        Kind::Schedule => vec![schedule(size)],
        Kind::Rounds => vec![Entry::fresh(
            PEER,
            "views held",
            move || full(size),
            move |state| rounds(state, size),
            positions,
        )],
        _ => Vec::new(),
    }
}

fn despawn_by_world(state: &mut State) {
    for entity in &state.entities {
        state.world.delete_entity(*entity);
    }
}

fn despawn_by_storages(state: &mut State) {
    state.world.run(|mut storages: AllStoragesViewMut| {
        for entity in &state.entities {
            storages.delete_entity(*entity);
        }
    });
}

fn insert_with_views(world: &World, size: usize) {
    world.run(
        |mut entities: EntitiesViewMut,
         mut transforms: ViewMut<Transform>,
         mut positions: ViewMut<Position>,
         mut rotations: ViewMut<Rotation>,
         mut velocities: ViewMut<Velocity>| {
            for index in 0..size {
                entities.add_entity(
                    (&mut transforms, &mut positions, &mut rotations, &mut velocities),
                    bundle(index),
                );
            }
        },
    );
}

fn kinds(each: usize) -> World {
    let mut world = World::new();
    let mut next = 0;
    macro_rules! spawn {
        ($($kind:ident),*) => {$(
            for index in next..next + each {
                world.add_entity((components::$kind(0.0), Shared(index as f32)));
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
        "view",
        (state.world, order, 0_u64),
        |(world, order, total)| {
            *total = world.run(|positions: View<Position>| {
                order.iter().fold(0, |total, entity| {
                    total + (&positions).get(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
                })
            });
        },
        |state| state.2,
    )
}

fn tracked_world(size: usize) -> (World, Vec<EntityId>) {
    let mut world = World::new();
    let entities = world.bulk_add_entity((0..size).map(|index| (tracked(index), velocity(index)))).collect();
    world.clear_all_inserted_and_modified();
    (world, entities)
}

fn write_all(world: &World, order: &[EntityId]) {
    world.run(|mut view: ViewMut<Tracked>| {
        for entity in order {
            (&mut view).get(*entity).expect("all are alive").x += 1.0;
        }
    });
}

fn tracked_write(size: usize) -> Entry {
    let (world, entities) = tracked_world(size);
    let order: Vec<EntityId> = plan::scattered(size).into_iter().map(|index| entities[index]).collect();
    Entry::steady(
        PEER,
        "view",
        (world, order),
        |(world, order)| write_all(world, order),
        |state| sum_of!(state.0, Tracked),
    )
}

fn scan(size: usize, changed: &[usize]) -> Entry {
    let (world, entities) = tracked_world(size);
    let order: Vec<EntityId> = changed.iter().map(|index| entities[*index]).collect();
    let before = world.get_tracking_timestamp();
    // Only what is later than the moment counts; borrowing a view moves it on.
    world.run(|_: View<Tracked>| {});
    write_all(&world, &order);
    Entry::steady(
        PEER,
        "modified",
        (world, 0_u64),
        move |(world, found)| {
            *found = world.run(|mut view: View<Tracked>| {
                view.override_last_modification(before);
                found_in(view.modified().iter())
            });
        },
        |state| state.1,
    )
}

fn propagate(size: usize) -> Entry {
    let mut world = World::new();
    let entities: Vec<EntityId> =
        world.bulk_add_entity((0..size).map(|index| (position(index), Global::default()))).collect();
    let parents = plan::random_parents(size);
    let order: Vec<(EntityId, Option<EntityId>)> = plan::depth_order(&parents)
        .into_iter()
        .map(|node| (entities[node], parents[node].map(|parent| entities[parent])))
        .collect();
    Entry::steady(
        PEER,
        "views by depth",
        (world, order),
        |(world, order)| {
            world.run(|mut locals: ViewMut<Position>| locals[order[0].0].y += 1.0);
            world.run(|locals: View<Position>, mut globals: ViewMut<Global>| {
                for (node, parent) in order.iter() {
                    let parent = parent
                        .and_then(|parent| (&globals).get(parent).ok())
                        .map_or(Global::default(), |global| *global);
                    if let (Ok(local), Ok(mut global)) = ((&locals).get(*node), (&mut globals).get(*node)) {
                        *global = below(parent, local);
                    }
                }
            });
        },
        |state| sum_of!(state.0, Global),
    )
}

fn swap_a_b(mut a: ViewMut<KindA>, mut b: ViewMut<KindB>) {
    (&mut a, &mut b).iter().for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
}

fn swap_c_d(mut c: ViewMut<KindC>, mut d: ViewMut<KindD>) {
    (&mut c, &mut d).iter().for_each(|(c, d)| std::mem::swap(&mut c.0, &mut d.0));
}

fn swap_c_e(mut c: ViewMut<KindC>, mut e: ViewMut<KindE>) {
    (&mut c, &mut e).iter().for_each(|(c, e)| std::mem::swap(&mut c.0, &mut e.0));
}

fn swaps() -> Workload {
    (swap_a_b, swap_c_d, swap_c_e).into_workload()
}

fn schedule(size: usize) -> Entry {
    let each = size / 4;
    let mut world = World::new();
    let a = |index: usize| KindA(index as f32);
    let b = |index: usize| KindB(index as f32 + 0.25);
    let c = |index: usize| KindC(index as f32 + 0.5);
    world.bulk_add_entity((0..each).map(|index| (a(index), b(index))));
    world.bulk_add_entity((each..2 * each).map(|index| (a(index), b(index), KindC(-1.0))));
    world.bulk_add_entity(
        (2 * each..3 * each).map(|index| (a(index), b(index), c(index), KindD(index as f32 + 0.75))),
    );
    world.bulk_add_entity(
        (3 * each..4 * each).map(|index| (a(index), b(index), c(index), KindE(index as f32 + 1.0))),
    );
    world.add_workload(swaps);
    Entry::steady(
        PEER,
        "workload",
        world,
        |world| world.run_workload(swaps).expect("the workload was added"),
        |world| {
            sum_of!(world, KindA)
                .wrapping_add(sum_of!(world, KindB))
                .wrapping_add(sum_of!(world, KindD))
                .wrapping_add(sum_of!(world, KindE))
        },
    )
}

fn rounds(state: &mut State, size: usize) {
    let State { world, entities } = state;
    world.run(
        |mut born: EntitiesViewMut,
         mut positions: ViewMut<Position>,
         mut rotations: ViewMut<Rotation>,
         mut velocities: ViewMut<Velocity>| {
            for round in plan::ROUNDS {
                for entity in entities.iter().step_by(round) {
                    (&mut positions, &mut rotations, &mut velocities).delete(*entity);
                }
                for (index, entity) in entities.iter().enumerate().step_by(round) {
                    (&mut positions, &mut rotations, &mut velocities).add_component_unchecked(
                        *entity,
                        (position(index), rotation(index), velocity(index)),
                    );
                }
            }
            for index in size..size + plan::newcomers(size) {
                born.add_entity(
                    (&mut positions, &mut rotations, &mut velocities),
                    (position(index), rotation(index), velocity(index)),
                );
            }
        },
    );
}
