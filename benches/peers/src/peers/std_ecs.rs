//! This library.

use std::mem::swap;
use std::time::Duration;

use ::std_ecs::{Columns, Entity, EntityPage, Schedule, Stage, Store, System, World, pairs, query};

use super::std_ecs_worlds::many::{Kinds, Zoo};
use super::std_ecs_worlds::{Four, Game, Observed};
use super::{OURS, std_ecs_trees};
use crate::components::{
    self, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Shared, Tracked, Velocity, bundle,
    invert_often, position, rotation, step, step_slices, tracked, velocity, with_kinds,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::{Summed, found_in, sum};
use crate::workloads::Kind;

struct State {
    game: Game,
    entities: Vec<Entity>,
}

fn full(size: usize) -> State {
    let mut game = Game::default();
    let entities = game.spawn_batch((0..size).map(bundle));
    State { game, entities }
}

fn half(size: usize) -> State {
    let mut state = full(size);
    state.game.four.velocities.clear();
    for (index, entity) in state.entities.iter().enumerate().step_by(2) {
        state.game.attach(*entity, velocity(index));
    }
    state
}

fn churned(size: usize) -> State {
    let State { mut game, mut entities } = full(size);
    let plan::Churn { reattached, replaced } = plan::churn(size);
    for index in reattached {
        game.remove::<Velocity>(entities[index]);
        game.attach(entities[index], velocity(index));
    }
    for index in replaced {
        game.despawn(entities[index]);
        entities[index] = game.spawn_with(bundle(size + index));
    }
    State { game, entities }
}

fn sorted(mut state: State) -> State {
    let Four { positions, velocities, .. } = &mut state.game.four;
    positions.sort_as(velocities);
    state
}

fn walk(state: &mut State) {
    let Four { positions, velocities, .. } = &mut state.game.four;
    pairs(positions, &*velocities).for_each(|(_, position, velocity): (_, &mut Position, &Velocity)| {
        step(position, velocity);
    });
}

fn walk_for(state: &mut State) {
    let Four { positions, velocities, .. } = &mut state.game.four;
    for (_, position, velocity) in pairs(positions, &*velocities) {
        step(position, velocity);
    }
}

fn walk_chunks(state: &mut State) {
    let Four { positions, velocities, .. } = &mut state.game.four;
    pairs(positions, &*velocities)
        .for_each_chunk(|(_, positions, velocities)| step_slices(positions, velocities));
}

fn all<T: Summed>(store: &impl Store<T>) -> u64 {
    sum(store.column().iter().map(|(_, value)| value))
}

fn positions(state: &mut State) -> u64 {
    all::<Position>(&state.game)
}

fn velocities(state: &mut State) -> u64 {
    all::<Velocity>(&state.game)
}

fn detach_all(state: &mut State) {
    let velocities = &mut state.game.four.velocities;
    for entity in &state.entities {
        velocities.remove(*entity);
    }
}

fn attach_all(state: &mut State) {
    let velocities = &mut state.game.four.velocities;
    for (index, entity) in state.entities.iter().enumerate() {
        velocities.insert(*entity, velocity(index)).expect("all are alive");
    }
}

fn detach_all_by_world(state: &mut State) {
    for entity in &state.entities {
        state.game.remove::<Velocity>(*entity);
    }
}

fn attach_all_by_world(state: &mut State) {
    for (index, entity) in state.entities.iter().enumerate() {
        state.game.attach(*entity, velocity(index));
    }
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach => vec![
            Entry::fresh(
                OURS,
                "spawn_with",
                Game::default,
                move |game| {
                    (0..size).for_each(|index| {
                        game.spawn_with(bundle(index));
                    });
                },
                |game| all::<Position>(game),
            ),
            Entry::fresh(
                OURS,
                "columns",
                Game::default,
                move |game| insert_into_columns(game, size),
                |game| all::<Position>(game),
            ),
        ],
        Kind::InsertBatch | Kind::Memory => vec![
            Entry::fresh(
                OURS,
                "spawn_batch",
                Game::default,
                move |game| drop(game.spawn_batch((0..size).map(bundle))),
                |game| all::<Position>(game),
            ),
            Entry::fresh(
                OURS,
                "columns",
                Game::default,
                move |game| spawn_columns(game, size),
                |game| all::<Position>(game),
            ),
            Entry::fresh(
                OURS,
                "attach_page",
                Game::default,
                move |game| spawn_pages(game, size),
                |game| all::<Position>(game),
            ),
        ],
        Kind::WalkForEach => vec![Entry::steady(OURS, "pairs", full(size), walk, positions)],
        Kind::WalkFor => vec![Entry::steady(OURS, "pairs", full(size), walk_for, positions)],
        Kind::WalkChunks => vec![Entry::steady(OURS, "for_each_chunk", full(size), walk_chunks, positions)],
        Kind::HalfAsItComes => vec![Entry::steady(OURS, "pairs", half(size), walk, positions)],
        Kind::HalfSorted => vec![Entry::steady(OURS, "pairs, sort_as", sorted(half(size)), walk, positions)],
        Kind::ChurnedAsItComes => vec![Entry::steady(OURS, "pairs", churned(size), walk, positions)],
        Kind::ChurnedSorted => {
            vec![Entry::steady(OURS, "pairs, sort_as", sorted(churned(size)), walk, positions)]
        }
        Kind::Kinds => vec![
            Entry::steady(
                OURS,
                "query",
                kinds(size / KINDS),
                |zoo| query(&mut zoo.kinds.shared).for_each(|(_, shared): (_, &mut Shared)| shared.0 += 0.5),
                |zoo| all::<Shared>(zoo),
            ),
            Entry::steady(
                OURS,
                "for_each_chunk",
                kinds(size / KINDS),
                |zoo| {
                    query(&mut zoo.kinds.shared).for_each_chunk(|(_, shared): (_, &mut [Shared])| {
                        shared.iter_mut().for_each(|shared| shared.0 += 0.5);
                    });
                },
                |zoo| all::<Shared>(zoo),
            ),
        ],
        Kind::Add => vec![
            Entry::prepared(OURS, "column", full(size), detach_all, attach_all, velocities),
            Entry::prepared(OURS, "world", full(size), detach_all_by_world, attach_all_by_world, velocities),
        ],
        Kind::Remove => vec![
            Entry::prepared(OURS, "column", full(size), attach_all, detach_all, velocities),
            Entry::prepared(OURS, "world", full(size), attach_all_by_world, detach_all_by_world, velocities),
        ],
        Kind::Get => get(size),
        Kind::Parallel => vec![Entry::steady(
            OURS,
            "par_for_each",
            full(size),
            |state| {
                query(&mut state.game.four.transforms)
                    .par_for_each(|(_, transform): (_, &mut components::Transform)| invert_often(transform));
            },
            |state| all::<components::Transform>(&state.game),
        )],
        Kind::TrackedWrite => vec![tracked_write(size)],
        Kind::ScanScattered => vec![scan(size, &plan::scattered(size))],
        Kind::ScanTogether => vec![scan(size, &plan::together(size))],
        Kind::ScanNone => vec![scan(size, &[])],
        Kind::Snapshot => vec![Entry::steady(
            OURS,
            "clone",
            (full(size).game, Game::default()),
            |(live, saved)| *saved = live.clone(),
            |state| all::<Position>(&state.1),
        )],
        Kind::Restore => vec![Entry::steady(
            OURS,
            "clone",
            (Game::default(), full(size).game),
            |(live, saved)| *live = saved.clone(),
            |state| all::<Position>(&state.0),
        )],
        Kind::Despawn => vec![Entry::fresh(
            OURS,
            "despawn",
            move || {
                let mut state = full(size);
                state.entities = plan::in_shuffled_order(&state.entities);
                state
            },
            |state| {
                for entity in &state.entities {
                    state.game.despawn(*entity);
                }
            },
            positions,
        )],
        Kind::Propagate => std_ecs_trees::propagate(size),
        Kind::Schedule => {
            vec![schedule(size, true), schedule(size, false), systems_in_turn(size), slices_in_turn(size)]
        }
        Kind::Rounds => vec![Entry::fresh(
            OURS,
            "columns",
            move || full(size),
            move |state| rounds(state, size),
            positions,
        )],
        Kind::Forest => std_ecs_trees::forest(),
    }
}

fn insert_into_columns(game: &mut Game, size: usize) {
    let Game { entities, four } = game;
    for index in 0..size {
        let (transform, position, rotation, velocity) = bundle(index);
        let entity = entities.spawn();
        four.transforms.insert(entity, transform).expect("just born");
        four.positions.insert(entity, position).expect("just born");
        four.rotations.insert(entity, rotation).expect("just born");
        four.velocities.insert(entity, velocity).expect("just born");
    }
}

fn spawn_columns(game: &mut Game, size: usize) {
    let Game { entities, four } = game;
    let born = entities.spawn_many(size);
    let each = || born.iter().copied();
    four.transforms.extend(each().zip((0..size).map(components::transform)));
    four.positions.extend(each().zip((0..size).map(position)));
    four.rotations.extend(each().zip((0..size).map(rotation)));
    four.velocities.extend(each().zip((0..size).map(velocity)));
}

/// What `spawn_batch` does, with the components apart from the start.
fn spawn_pages(game: &mut Game, size: usize) {
    let Game { entities, four } = game;
    for begin in (0..size).step_by(EntityPage::MOST) {
        let indices = begin..size.min(begin + EntityPage::MOST);
        let page = EntityPage::new(entities.spawn_many(indices.len()));
        four.transforms.attach_page(&page, indices.clone().map(components::transform).collect());
        four.positions.attach_page(&page, indices.clone().map(position).collect());
        four.rotations.attach_page(&page, indices.clone().map(rotation).collect());
        four.velocities.attach_page(&page, indices.map(velocity).collect());
    }
}

fn kinds(each: usize) -> Zoo {
    let mut zoo = Zoo::default();
    let mut next = 0;
    macro_rules! spawn {
        ($($kind:ident),*) => {$(
            zoo.spawn_batch((next..next + each).map(|index| (components::$kind(0.0), Shared(index as f32))));
            next += each;
        )*};
    }
    with_kinds!(spawn);
    zoo
}

fn get(size: usize) -> Vec<Entry> {
    let shuffled = || {
        let state = full(size);
        let order = plan::in_shuffled_order(&state.entities);
        (state.game, order, 0_u64)
    };
    vec![
        Entry::steady(
            OURS,
            "column",
            shuffled(),
            |(game, order, total)| {
                let positions = &game.four.positions;
                *total = order.iter().fold(0, |total, entity| {
                    total + positions.get(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
                });
            },
            |state| state.2,
        ),
        Entry::steady(
            OURS,
            "world",
            shuffled(),
            |(game, order, total)| {
                *total = order.iter().fold(0, |total, entity| {
                    total + game.get::<Position>(*entity).map_or(0, |at| u64::from(at.x.to_bits()))
                });
            },
            |state| state.2,
        ),
    ]
}

fn observed(size: usize) -> (Observed, Vec<Entity>) {
    let mut world = Observed::default();
    let entities = world.spawn_batch((0..size).map(|index| (tracked(index), velocity(index))));
    (world, entities)
}

fn tracked_write(size: usize) -> Entry {
    let (world, entities) = observed(size);
    let order: Vec<Entity> = plan::scattered(size).into_iter().map(|index| entities[index]).collect();
    Entry::steady(
        OURS,
        "get_mut",
        (world, order),
        |(world, order)| {
            for entity in order.iter() {
                world.watched.tracked.get_mut(*entity).expect("all are alive").x += 1.0;
            }
        },
        |state| all::<Tracked>(&state.0),
    )
}

fn scan(size: usize, changed: &[usize]) -> Entry {
    let (mut world, entities) = observed(size);
    let stamp = world.watched.tracked.clock();
    for index in changed {
        world.watched.tracked.get_mut(entities[*index]).expect("all are alive").x += 1.0;
    }
    Entry::steady(
        OURS,
        "changed_since",
        (world, 0_u64),
        move |(world, found)| {
            *found = found_in(world.watched.tracked.changed_since(stamp).map(|(_, value)| value));
        },
        |state| state.1,
    )
}

fn populations(size: usize) -> Zoo {
    let each = size / 4;
    let mut zoo = Zoo::default();
    let a = |index: usize| KindA(index as f32);
    let b = |index: usize| KindB(index as f32 + 0.25);
    let c = |index: usize| KindC(index as f32 + 0.5);
    zoo.spawn_batch((0..each).map(|index| (a(index), b(index))));
    zoo.spawn_batch((each..2 * each).map(|index| (a(index), b(index), KindC(-1.0))));
    zoo.spawn_batch(
        (2 * each..3 * each).map(|index| (a(index), b(index), c(index), KindD(index as f32 + 0.75))),
    );
    zoo.spawn_batch(
        (3 * each..4 * each).map(|index| (a(index), b(index), c(index), KindE(index as f32 + 1.0))),
    );
    zoo
}

fn swap_a_b(zoo: &mut Zoo) {
    pairs(&mut zoo.kinds.kind_a, &mut zoo.kinds.kind_b)
        .for_each(|(_, a, b): (_, &mut KindA, &mut KindB)| swap(&mut a.0, &mut b.0));
}

fn swap_c_d(zoo: &mut Zoo) {
    pairs(&mut zoo.kinds.kind_c, &mut zoo.kinds.kind_d)
        .for_each(|(_, c, d): (_, &mut KindC, &mut KindD)| swap(&mut c.0, &mut d.0));
}

fn swap_c_e(zoo: &mut Zoo) {
    pairs(&mut zoo.kinds.kind_c, &mut zoo.kinds.kind_e)
        .for_each(|(_, c, e): (_, &mut KindC, &mut KindE)| swap(&mut c.0, &mut e.0));
}

fn swapped(zoo: &Zoo) -> u64 {
    all::<KindA>(zoo)
        .wrapping_add(all::<KindB>(zoo))
        .wrapping_add(all::<KindD>(zoo))
        .wrapping_add(all::<KindE>(zoo))
}

fn schedule(size: usize, parallel: bool) -> Entry {
    let mut schedule = Schedule::new();
    schedule.set_parallel(parallel);
    let systems = [
        System::new("a and b", |zoo: &mut Zoo, _| swap_a_b(zoo)).writes::<KindA>().writes::<KindB>(),
        System::new("c and d", |zoo: &mut Zoo, _| swap_c_d(zoo)).writes::<KindC>().writes::<KindD>(),
        System::new("c and e", |zoo: &mut Zoo, _| swap_c_e(zoo)).writes::<KindC>().writes::<KindE>(),
    ];
    for system in systems {
        schedule.add(Stage::Update, system).expect("the names differ");
    }
    Entry::steady(
        OURS,
        if parallel { "schedule" } else { "schedule, one thread" },
        (populations(size), schedule),
        |(zoo, schedule)| {
            schedule.run(zoo, Duration::ZERO);
        },
        |(zoo, _)| swapped(zoo),
    )
}

fn systems_in_turn(size: usize) -> Entry {
    Entry::steady(
        OURS,
        "three functions",
        populations(size),
        |zoo| {
            swap_a_b(zoo);
            swap_c_d(zoo);
            swap_c_e(zoo);
        },
        |zoo| swapped(zoo),
    )
}

/// The same three systems over slices.
fn slices_in_turn(size: usize) -> Entry {
    Entry::steady(
        OURS,
        "three functions, for_each_chunk",
        populations(size),
        |zoo| {
            let Kinds { kind_a, kind_b, kind_c, kind_d, kind_e, .. } = &mut zoo.kinds;
            pairs(kind_a, kind_b).for_each_chunk(|(_, a, b)| {
                swap_slices(a, b, |a: &mut KindA, b: &mut KindB| swap(&mut a.0, &mut b.0))
            });
            pairs(&mut *kind_c, kind_d).for_each_chunk(|(_, c, d)| {
                swap_slices(c, d, |c: &mut KindC, d: &mut KindD| swap(&mut c.0, &mut d.0))
            });
            pairs(kind_c, kind_e).for_each_chunk(|(_, c, e)| {
                swap_slices(c, e, |c: &mut KindC, e: &mut KindE| swap(&mut c.0, &mut e.0))
            });
        },
        |zoo| swapped(zoo),
    )
}

/// A function of its own, so that the two slices are known to be disjoint.
#[inline(never)]
fn swap_slices<A, B>(ones: &mut [A], others: &mut [B], swap_one: impl Fn(&mut A, &mut B)) {
    ones.iter_mut().zip(others).for_each(|(one, other)| swap_one(one, other));
}

fn rounds(state: &mut State, size: usize) {
    let State { game, entities } = state;
    for round in plan::ROUNDS {
        let Four { positions, rotations, velocities, .. } = &mut game.four;
        for entity in entities.iter().step_by(round) {
            positions.remove(*entity);
            rotations.remove(*entity);
            velocities.remove(*entity);
        }
        for (index, entity) in entities.iter().enumerate().step_by(round) {
            positions.insert(*entity, position(index)).expect("all are alive");
            rotations.insert(*entity, rotation(index)).expect("all are alive");
            velocities.insert(*entity, velocity(index)).expect("all are alive");
        }
    }
    for index in size..size + plan::newcomers(size) {
        game.spawn_with((position(index), rotation(index), velocity(index)));
    }
}
