//! The systems of this package in a world that a program would compose.

use std::time::Duration;

use acme_motion::{Gravity, Launcher, Lifetime, Motions, Reload, Velocity, expire, fall, fire, movement};
use acme_space::{GlobalPosition, Places, Position};
use std_ecs::{Columns, Entities, Entity, World};

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    places: Places,
    motions: Motions,
}

const STEP: Duration = Duration::from_millis(250);

fn lifetime(steps: u32) -> Lifetime {
    Lifetime { remaining: STEP * steps }
}

fn turret(game: &mut Game, x: f32, wait: u32, every: u32) -> Entity {
    let launcher =
        Launcher { velocity: Velocity { x: 4.0, y: 0.0 }, lifetime: STEP * 3, every: STEP * every };
    game.spawn_with((GlobalPosition { x, y: 1.0 }, launcher, Reload { remaining: STEP * wait }))
}

#[test]
fn only_what_has_a_velocity_moves() {
    let mut game = Game::default();
    let rock = game.spawn_with((Position { x: 3.0, y: 3.0 },));
    let ship = game.spawn_with((Position { x: 1.0, y: 0.0 }, Velocity { x: 2.0, y: -4.0 }));
    let before = game.places.positions.clock();
    movement(&mut game, STEP);
    assert_eq!(game.get(ship), Some(&Position { x: 1.5, y: -1.0 }));
    assert_eq!(game.get(rock), Some(&Position { x: 3.0, y: 3.0 }));
    assert!(game.places.positions.clock() > before);
}

#[test]
fn gravity_is_part_of_a_snapshot_and_pulls_on_what_moves() {
    let mut game = Game::default();
    let apple = game.spawn_with((Velocity::default(),));
    let weightless = game.clone();
    fall(&mut game, STEP);
    assert_eq!(game.motions.velocities.clock(), weightless.motions.velocities.clock());

    *game.motions.gravity = Gravity { x: 1.0, y: -8.0 };
    fall(&mut game, STEP);
    assert_eq!(game.get(apple), Some(&Velocity { x: 0.25, y: -2.0 }));

    game = weightless;
    fall(&mut game, STEP);
    assert_eq!(game.get(apple), Some(&Velocity::default()));
}

#[test]
fn a_bullet_starts_where_its_launcher_is_and_in_the_order_of_the_launchers() {
    let mut game = Game::default();
    let (left, right) = (turret(&mut game, -1.0, 1, 2), turret(&mut game, 1.0, 1, 2));
    let (shooters, bullets): (Vec<_>, Vec<_>) = fire(&mut game, STEP).into_iter().unzip();
    assert_eq!(shooters, [left, right]);
    let starts: Vec<_> = bullets.iter().map(|&bullet| *game.get::<Position>(bullet).unwrap()).collect();
    assert_eq!(starts, [Position { x: -1.0, y: 1.0 }, Position { x: 1.0, y: 1.0 }]);
    assert!(bullets.iter().all(|&bullet| game.get(bullet) == Some(&lifetime(3))));
    assert!([left, right].iter().all(|&turret| game.get(turret) == Some(&Reload { remaining: STEP * 2 })));
}

#[test]
fn a_launcher_waits_between_two_bullets() {
    let mut game = Game::default();
    turret(&mut game, 0.0, 2, 3);
    let fired: Vec<_> = (0..8).map(|_| fire(&mut game, STEP).len()).collect();
    assert_eq!(fired, [0, 1, 0, 0, 1, 0, 0, 1]);
}

#[test]
fn what_is_spawned_while_launchers_are_walked_is_in_the_world_and_not_in_its_snapshot() {
    let mut game = Game::default();
    turret(&mut game, 0.0, 0, 1);
    let turrets = game.clone();
    let bullets = fire(&mut game, STEP);
    assert_eq!(bullets.len(), 1);
    assert_eq!((turrets.entities.len(), game.entities.len()), (1, 2));
    assert!(game.is_alive(bullets[0].1) && !turrets.is_alive(bullets[0].1));
}

#[test]
fn what_has_no_time_left_is_despawned_while_lifetimes_are_walked() {
    let mut game = Game::default();
    let spawned = game.spawn_batch((1..=4).map(|steps| (lifetime(steps % 2 + 1), Velocity::default())));
    expire(&mut game, STEP);
    let alive: Vec<_> = spawned.iter().map(|&entity| game.is_alive(entity)).collect();
    assert_eq!(alive, [true, false, true, false]);
    assert_eq!(game.motions.velocities.len(), 2);
    expire(&mut game, STEP);
    assert!(game.entities.is_empty());
    assert_eq!(game.check(), Ok(()));
}

#[test]
fn a_step_that_is_longer_than_a_lifetime_ends_it_once() {
    let mut game = Game::default();
    let spark = game.spawn_with((lifetime(1),));
    expire(&mut game, Duration::MAX);
    assert!(!game.is_alive(spark));
    expire(&mut game, Duration::MAX);
    assert!(game.entities.is_empty());
}

#[test]
fn a_rolled_back_game_fires_the_same_bullets_again() {
    let mut game = Game::default();
    for at in 0..5_u8 {
        turret(&mut game, f32::from(at), 1 + u32::from(at), 3);
    }
    let snapshot = game.clone();
    let run = |game: &mut Game| {
        for _ in 0..20 {
            movement(game, STEP);
            fire(game, STEP);
            expire(game, STEP);
        }
    };
    run(&mut game);
    let future = std::mem::replace(&mut game, snapshot);
    assert_ne!(game, future);
    run(&mut game);
    assert_eq!(game, future);
}
