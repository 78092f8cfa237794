//! Ten core operations, to be counted rather than timed: `benches/instructions.sh` runs each of them under
//! callgrind, once with three repetitions and once with four, and compares the difference with what is recorded.

use std::hint::black_box;

use std_ecs::{Column, Columns, Entities, Entity, Hierarchy, Parent, Store, World, pairs, query};

const ROWS: usize = 10_000;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Position([f32; 3]);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Velocity([f32; 3]);

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Bodies {
    positions: Column<Position>,
    velocities: Column<Velocity>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    bodies: Bodies,
}

/// What is done `repetitions` times with a world of 10,000 bodies; `order` are they in an order without
/// pattern.
type Operation = fn(&mut Game, order: &[Entity], repetitions: usize);

const OPERATIONS: [(&str, Operation); 10] = [
    ("spawn_and_despawn", |game, _, repetitions| {
        for _ in 0..repetitions * ROWS {
            let entity = game.spawn_with((Position::default(), Velocity::default()));
            game.despawn(black_box(entity));
        }
    }),
    ("spawn_batch", |_, _, repetitions| {
        for _ in 0..repetitions {
            let mut game = Game::default();
            game.spawn_batch((0..ROWS).map(|_| (Position::default(), Velocity::default())));
            black_box(&game);
        }
    }),
    ("remove_and_insert", |game, order, repetitions| {
        for _ in 0..repetitions {
            for &entity in order {
                if let Some(velocity) = game.remove::<Velocity>(entity) {
                    game.attach(entity, velocity);
                }
            }
        }
    }),
    ("insert_over", |game, order, repetitions| {
        for &entity in order.iter().cycle().take(repetitions * ROWS) {
            game.attach(entity, Velocity([1.0; 3]));
        }
    }),
    ("get", |game, order, repetitions| {
        for &entity in order.iter().cycle().take(repetitions * ROWS) {
            black_box(game.get::<Position>(entity));
        }
    }),
    ("walk_for", |game, _, repetitions| {
        for _ in 0..repetitions {
            for (_, position, velocity) in pairs(&mut game.bodies.positions, &game.bodies.velocities) {
                position.0[0] += velocity.0[0];
            }
        }
    }),
    ("walk_for_each", |game, _, repetitions| {
        for _ in 0..repetitions {
            pairs(&mut game.bodies.positions, &game.bodies.velocities)
                .for_each(|(_, position, velocity)| position.0[0] += velocity.0[0]);
        }
    }),
    ("walk_looked_up", |game, order, repetitions| {
        let mut half = Column::default();
        half.extend(order.iter().step_by(2).map(|&entity| (entity, 1.0)));
        for _ in 0..repetitions {
            pairs(&mut game.bodies.positions, &half).for_each(|(_, position, step)| position.0[0] += step);
        }
    }),
    ("snapshot_and_first_write", |game, order, repetitions| {
        for &entity in order.iter().cycle().take(repetitions * 100) {
            let snapshot = game.clone();
            game.get_mut::<Position>(entity);
            black_box(snapshot);
        }
    }),
    ("changed_and_depth_order", |game, order, repetitions| {
        for &entity in order.iter().cycle().take(repetitions * 10) {
            let stamp = game.bodies.positions.clock();
            game.get_mut::<Position>(entity);
            black_box(query(&game.bodies.positions).changed_since(stamp).count());
            // To the end of its siblings, so that the depth order has to be worked out again.
            if let Some(parent) = game.hierarchy.parent(entity) {
                game.attach(entity, Parent::of(parent));
            }
            black_box(game.hierarchy.depth_order(&game.bodies.positions).len());
        }
    }),
];

/// The same numbers in an order without pattern, from a generator that every run repeats.
fn shuffled(mut entities: Vec<Entity>) -> Vec<Entity> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for at in (1..entities.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        entities.swap(at, (state >> 33) as usize % (at + 1));
    }
    entities
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (Some(name), Some(repetitions)) = (arguments.next(), arguments.next()) else {
        for (name, _) in OPERATIONS {
            println!("{name}");
        }
        return;
    };
    let Some((_, operation)) = OPERATIONS.iter().find(|(known, _)| *known == name) else {
        panic!("there is no operation `{name}`");
    };
    let repetitions = repetitions.parse().expect("the second argument is a number of repetitions");
    let mut game = Game::default();
    let bodies = game.spawn_batch((0..ROWS).map(|_| (Position::default(), Velocity::default())));
    for (at, &child) in bodies.iter().enumerate().skip(1) {
        game.attach(child, Parent::of(bodies[(at - 1) / 4]));
    }
    operation(&mut game, &shuffled(bodies), repetitions);
}
