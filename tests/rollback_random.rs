//! Ten thousand ticks with rollbacks at random end like the same ticks run straight, on any number of threads.

#![cfg(feature = "serde")]

mod arena;

use std::time::Duration;

use arena::{Arena, Health, Heat, Place, Random};
use std_ecs::{History, Schedule, Stage, System, World, digest, pairs, query};

const TICKS: u64 = 10_000;

fn input(tick: u64, is_predicted: bool) -> u64 {
    let mut random = Random(tick * 2 + u64::from(is_predicted));
    random.below(1 << 20)
}

/// Systems that run side by side, one that spawns, and then what the arena does by itself.
fn schedule() -> Schedule<Arena> {
    let drift = |world: &mut Arena, _: Duration| {
        for (_, place, health) in pairs(&mut world.places.places, &world.fighters.health) {
            place.y = place.y.wrapping_add(health.0.cast_signed());
        }
    };
    let cool = |world: &mut Arena, _: Duration| {
        for (_, heat) in query(&mut world.places.heats) {
            heat.0 *= 0.75;
        }
    };
    let tire = |world: &mut Arena, _: Duration| {
        for (_, health) in query(&mut world.fighters.health) {
            health.0 = health.0.saturating_sub(1);
        }
    };
    let reinforce = |world: &mut Arena, _: Duration| {
        if world.entities.len() < 60 {
            world.spawn_with((Place { x: 1, y: 2 }, Heat(30.0)));
        }
    };
    let mut schedule = Schedule::new();
    for system in [
        System::new("drift", drift).writes::<Place>().reads::<Health>(),
        System::new("cool", cool).writes::<Heat>(),
        System::new("tire", tire).writes::<Health>(),
        System::new("reinforce", reinforce).spawns().writes::<Place>().writes::<Heat>(),
    ] {
        schedule.add(Stage::Fixed, system).unwrap();
    }
    schedule
}

fn start() -> Arena {
    let mut world = Arena::seeded(77);
    world.squad(0..30);
    world
}

fn straight() -> Vec<u128> {
    let (mut world, mut schedule) = (start(), schedule());
    schedule.set_parallel(false);
    (0..TICKS)
        .map(|tick| {
            schedule.step(&mut world);
            world.step(input(tick, false));
            digest(&world)
        })
        .collect()
}

/// Runs with a wrong input at the head now and then, and goes back up to eight ticks when the right one is
/// known.
fn rolled_back(threads: usize) -> Vec<u128> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut chance = Random(threads as u64);
    let (mut world, mut schedule) = (start(), schedule());
    let mut history = History::new(9);
    let mut digests = vec![0; TICKS as usize];
    let (mut tick, mut confirmed, mut rollbacks) = (0, 0, 0);
    let mut advance = |world: &mut Arena, history: &mut History<Arena>, tick: u64, is_predicted: bool| {
        history.record(tick, world);
        schedule.step(world);
        world.step(input(tick, is_predicted));
        digests[tick as usize] = digest(world);
    };
    pool.install(|| {
        while confirmed < TICKS {
            let ahead = (1 + chance.below(8)).min(TICKS - confirmed);
            for tick in confirmed..confirmed + ahead {
                advance(&mut world, &mut history, tick, chance.below(3) == 0);
            }
            world = history.rewind_to(confirmed).unwrap();
            rollbacks += 1;
            for _ in 0..ahead {
                advance(&mut world, &mut history, confirmed, false);
                confirmed += 1;
            }
            tick = confirmed;
        }
    });
    assert!(rollbacks > 1_000 && tick == TICKS);
    world.check().unwrap();
    digests
}

#[test]
fn random_rollbacks_end_like_the_straight_run() {
    let straight = straight();
    for threads in [1, 2, 4] {
        let rolled_back = rolled_back(threads);
        let first = (0..TICKS as usize).find(|&tick| straight[tick] != rolled_back[tick]);
        assert_eq!(first, None, "the first tick that differs on {threads} threads");
    }
    assert!(straight.windows(2).all(|pair| pair[0] != pair[1]));
}
