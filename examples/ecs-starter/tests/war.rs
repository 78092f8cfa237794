//! The war itself, and what a world that is a value makes of it.

use acme_motion::{Lifetime, Velocity};
use acme_space::{GlobalPosition, Position};
use ecs_starter::{
    AgainError, Collider, Game, Health, Hit, Pages, RATE, Replay, STEP, Scenes, Score, Shot, Side,
    collisions, schedule, score, touching,
};
use std_ecs::{Columns, Entity, Schedule, Store, World, pairs};

fn fleet(entities: u32) -> Game {
    let mut game = Game::default();
    ecs_starter::fleet(&mut game, entities);
    game
}

fn steps() -> Schedule<Game> {
    schedule(RATE, &Scenes::read().unwrap()).unwrap()
}

fn after(entities: u32, count: u32) -> Replay {
    let mut replay = Replay::new(fleet(entities), steps(), 1_000);
    for _ in 0..count {
        replay.step().unwrap();
    }
    replay
}

fn step(game: &mut Game) {
    steps().step(game);
}

fn body(game: &mut Game, x: f32, side: Side, radius: f32) -> Entity {
    game.spawn_with((GlobalPosition { x, y: 0.0 }, side, Collider { radius }))
}

#[test]
fn a_fleet_has_the_entities_it_was_asked_for() {
    for entities in [1, 15, 16, 100, 1_234] {
        let game = fleet(entities);
        let ships = entities as usize / 16;
        assert_eq!(game.entities.len(), entities as usize);
        assert_eq!((game.arena.health.len(), game.motions.launchers.len()), (ships, 2 * ships));
        assert_eq!(game.places.globals.len(), entities as usize);
        assert_eq!(game.check(), Ok(()));
    }
}

#[test]
fn a_turret_goes_where_its_ship_goes() {
    let mut game = fleet(16);
    let turret = game.motions.launchers.owners().next().unwrap();
    let ship = game.hierarchy.parent(turret).unwrap();
    for _ in 0..10 {
        step(&mut game);
    }
    let (ship, mount) = (*game.get::<Position>(ship).unwrap(), *game.get::<Position>(turret).unwrap());
    let expected = GlobalPosition { x: ship.x + mount.x, y: ship.y + mount.y };
    assert_eq!(game.get(turret), Some(&expected));
}

#[test]
fn the_colliders_that_touch_are_those_that_all_combinations_show() {
    let replay = after(400, 90);
    for game in replay.worlds().step_by(30) {
        let mut expected: Vec<_> = pairs(&game.places.globals, &game.arena.colliders)
            .combinations()
            .filter(|((_, here, reach), (_, there, other))| {
                let (x, y, reach) = (here.x - there.x, here.y - there.y, reach.radius + other.radius);
                x * x + y * y <= reach * reach
            })
            .map(|((first, ..), (second, ..))| (first.min(second), first.max(second)))
            .collect();
        let mut found: Vec<_> = touching(game).into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
        expected.sort();
        found.sort();
        assert!(!expected.is_empty());
        assert_eq!(found, expected);
    }
}

#[test]
fn a_shot_is_spent_on_the_other_side_and_passes_its_own() {
    let mut game = Game::default();
    let red = body(&mut game, 0.0, Side::Red, 1.0);
    let blue = body(&mut game, 1.0, Side::Blue, 1.0);
    game.attach(red, Health(2));
    game.attach(blue, Health(2));
    let shot = body(&mut game, 0.5, Side::Red, 0.1);
    game.attach(shot, Shot);
    collisions(&mut game);
    assert!(!game.is_alive(shot));
    assert_eq!((game.get(red), game.get(blue)), (Some(&Health(2)), Some(&Health(1))));
    assert_eq!(game.arena.hits.iter().collect::<Vec<_>>(), [&Hit { side: Side::Blue, is_lost: false }]);
}

#[test]
fn a_ship_that_is_lost_takes_its_turrets_along_and_costs_no_second_shot() {
    let mut game = fleet(16);
    let ship = game.arena.health.owners().next().unwrap();
    let place = *game.get::<GlobalPosition>(ship).unwrap();
    *game.get_mut::<Health>(ship).unwrap() = Health(1);
    let shots = [0, 1].map(|_| body(&mut game, place.x, Side::Blue, 0.1));
    for shot in shots {
        game.attach(shot, place);
        game.attach(shot, Shot);
    }
    collisions(&mut game);
    assert!(!game.is_alive(ship) && game.motions.launchers.is_empty());
    assert_eq!(shots.map(|shot| game.is_alive(shot)).iter().filter(|alive| **alive).count(), 1);
    assert_eq!(game.arena.hits.iter().collect::<Vec<_>>(), [&Hit { side: Side::Red, is_lost: true }]);
    assert_eq!(game.check(), Ok(()));
}

#[test]
fn a_hit_is_scored_once_and_again_after_a_rollback() {
    let mut game = Game::default();
    game.arena.hits.emit(Hit { side: Side::Blue, is_lost: true });
    game.arena.hits.emit(Hit { side: Side::Nobody, is_lost: false });
    let snapshot = game.clone();
    let expected = Score { ships_hit: 1, destroyed: 1, rocks_hit: 1 };
    for _ in 0..2 {
        score(&mut game);
        assert_eq!(*game.arena.score, expected);
    }
    game = snapshot;
    assert_eq!(*game.arena.score, Score::default());
    score(&mut game);
    assert_eq!(*game.arena.score, expected);
}

#[test]
fn a_shot_flies_for_its_lifetime() {
    let mut game = fleet(16);
    let mut flights = 0;
    for _ in 0..240 {
        let before = game.clone();
        step(&mut game);
        for (entity, lifetime) in &before.motions.lifetimes {
            flights += usize::from(!game.is_alive(entity) && lifetime.remaining <= STEP);
        }
    }
    assert!(flights > 0);
    assert_eq!(game.check(), Ok(()));
}

#[test]
fn a_step_is_a_sixtieth_of_a_second_and_runs_these_systems() {
    let schedule = steps();
    assert_eq!(schedule.fixed_step().step(), STEP);
    assert_eq!(
        schedule.names(),
        ["grant", "movement", "propagate", "collisions", "aim", "fire", "score", "expire"]
    );
}

#[test]
fn the_war_is_the_same_without_threads() {
    let mut games = [true, false].map(|parallel| {
        let (mut game, mut schedule) = (fleet(400), steps());
        schedule.set_parallel(parallel);
        (0..120).for_each(|_| schedule.step(&mut game));
        game
    });
    assert_eq!(games[0], games[1]);
    step(&mut games[0]);
    assert_ne!(games[0], games[1]);
}

#[test]
fn the_same_number_gives_the_same_war() {
    assert_eq!(after(200, 60).game(), after(200, 60).game());
    assert_ne!(after(200, 60).game(), after(201, 60).game());
}

#[test]
fn every_world_of_a_replay_is_what_it_was_when_it_is_run_again() {
    let mut replay = after(400, 200);
    let rollback = replay.again(150).unwrap();
    assert_eq!((rollback.from, rollback.to), (200, 50));
    assert!(rollback.gone > 0 && rollback.back > 0, "{rollback:?}");
    let last = replay.game().clone();
    assert_eq!(replay.again(u64::MAX).unwrap().to, 0);
    assert_eq!(replay.again(0).unwrap().to, 200);
    assert_eq!((replay.game(), replay.worlds().count()), (&last, 201));
}

#[test]
fn a_future_that_was_tampered_with_is_found() {
    let mut replay = after(80, 30);
    let (first, _) = replay.game().motions.velocities.iter().next().unwrap();
    replay.change(|game| game.attach(first, Velocity { x: 0.0, y: 9.0 }));
    for _ in 0..10 {
        replay.step().unwrap();
    }
    assert_eq!(replay.again(5).map(|rollback| rollback.to), Ok(35));
    assert_eq!(replay.again(20), Err(AgainError::Differs { step: 30 }));
}

#[test]
fn a_snapshot_shares_what_stands_still() {
    let replay = after(16_000, 3);
    let worlds: Vec<_> = replay.worlds().collect();
    let pages = Pages::between(worlds[2], worlds[1]);
    assert!(pages.shared * 2 > pages.all, "{pages:?}");
    assert!(pages.own() > 0, "{pages:?}");
    // Two thirds of the entities are rocks, and their pages of places are the same allocations for ever.
    let (all, shared) = worlds[2].places.globals.shared_pages(&worlds[0].places.globals);
    assert!(shared * 16 >= all * 9 && shared < all, "{shared} of {all}");
    assert!(worlds[2].motions.lifetimes.iter().all(|(_, &Lifetime { remaining })| remaining > STEP));
}
