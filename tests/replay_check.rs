//! The replay check finds what a step depends on beside the world.

#![cfg(feature = "serde")]

mod arena;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use arena::{Arena, Heat, Place};
use serde::{Deserialize, Serialize};
use std_ecs::{Column, Columns, Entities, Entity, ReplayCheck, ReplayError, Schedule, Stage, System, World};

fn arena() -> (Arena, Vec<Entity>) {
    let mut world = Arena::seeded(4);
    let entities = world.squad(0..3_000);
    (world, entities)
}

fn first_error(step: impl FnMut(&mut Arena, u64) + 'static) -> ReplayError {
    ReplayCheck::new(step).run(&mut arena().0, 0..50).unwrap_err()
}

#[test]
fn an_honest_step_passes_and_leaves_the_world_after_the_last_tick() {
    let (mut world, _) = arena();
    let mut straight = world.clone();
    ReplayCheck::new(Arena::step).run(&mut world, 0..20).unwrap();
    (0..20).for_each(|tick| straight.step(tick));
    assert_eq!(world, straight);
}

#[test]
fn a_static_counter_is_found_with_tick_column_entity_and_both_values() {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let (_, entities) = arena();
    let (hit, other) = (entities[2_000], entities[1]);
    let error = first_error(move |world, tick| {
        world.get_mut::<Place>(other).unwrap().x += 1;
        if tick == 7 {
            world.get_mut::<Place>(hit).unwrap().y = COUNTER.fetch_add(1, Ordering::Relaxed).cast_signed();
        }
    });
    let difference = error.difference.clone().unwrap();
    assert_eq!((error.tick, error.run.as_str()), (7, "again"));
    assert_eq!((difference.path.as_str(), difference.entity), ("places.places", Some(hit)));
    assert_eq!(difference.left, "Place { x: 2000, y: 0 }");
    assert_eq!(difference.right, "Place { x: 2000, y: 1 }");
    let text = error.to_string();
    assert!(text.starts_with("tick 7 came out differently when it ran again: places.places ("), "{text}");
}

#[test]
fn state_in_a_closure_is_found() {
    let calls = Cell::new(0);
    let error = first_error(move |world, _| {
        calls.set(calls.get() + 1);
        world.fighters.random.0 += calls.get();
    });
    assert_eq!((error.tick, error.difference.unwrap().path.as_str()), (0, "fighters.random"));
}

#[test]
fn the_order_of_a_hash_map_is_found() {
    let error = first_error(|world, _| {
        let map: HashMap<Entity, i32> = world.places.places.iter().map(|(e, place)| (e, place.x)).collect();
        let last = map.into_keys().last().unwrap();
        world.despawn(last);
    });
    assert_eq!(error.run, "again");
}

#[test]
fn the_clock_is_found() {
    let start = Instant::now();
    let error = first_error(move |world, _| world.fighters.random.0 = start.elapsed().as_nanos() as u64);
    assert_eq!((error.run.as_str(), error.difference.unwrap().entity), ("again", None));
}

/// Sums in as many pieces as there are threads, which rounds differently for each number of them.
fn sum_by_threads(world: &mut Arena, threads: usize) {
    let heats: Vec<f32> =
        world.places.places.iter().map(|(_, place)| 1.0 / (f32::from(place.x as i16) + 1.5)).collect();
    let sum: f32 = heats.chunks(heats.len().div_ceil(threads)).map(|part| part.iter().sum::<f32>()).sum();
    world.places.heats.iter_mut().for_each(|(_, heat)| heat.0 = sum);
}

#[test]
fn a_sum_that_depends_on_the_number_of_threads_is_found() {
    let (mut world, entities) = arena();
    world.places.heats.insert(entities[5], Heat(0.0)).unwrap();
    let error = ReplayCheck::new(|world: &mut Arena, _| sum_by_threads(world, 1))
        .and("on 4 threads", |world, _| sum_by_threads(world, 4))
        .run(&mut world, 0..5)
        .unwrap_err();
    let difference = error.difference.unwrap();
    assert_eq!((error.tick, error.run.as_str()), (0, "on 4 threads"));
    assert_eq!((difference.path.as_str(), difference.entity), ("places.heats", Some(entities[5])));
}

#[test]
fn the_parallel_schedule_passes_on_any_number_of_threads() {
    let schedule = || {
        let mut schedule = Schedule::<Arena>::new();
        let fall = |world: &mut Arena, _: Duration| {
            world.places.places.iter_mut().for_each(|(_, place)| place.y -= 1);
        };
        let cool = |world: &mut Arena, _: Duration| {
            world.places.heats.iter_mut().for_each(|(_, heat)| heat.0 *= 0.75);
        };
        let (fall, cool) = (System::new("fall", fall), System::new("cool", cool));
        schedule.add(Stage::Fixed, fall.writes::<Place>()).unwrap();
        schedule.add(Stage::Fixed, cool.writes::<Heat>()).unwrap();
        schedule
    };
    let on_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut schedule = schedule();
        move |world: &mut Arena, _: u64| pool.install(|| schedule.step(world))
    };
    let mut one_thread = schedule();
    one_thread.set_parallel(false);
    let (mut world, entities) = arena();
    world.places.heats.insert(entities[5], Heat(90.0)).unwrap();
    ReplayCheck::new(move |world: &mut Arena, _| one_thread.step(world))
        .and("on 1 thread", on_threads(1))
        .and("on 2 threads", on_threads(2))
        .and("on 4 threads", on_threads(4))
        .run(&mut world, 0..30)
        .unwrap();
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Engine {
    speed: i32,
    #[serde(skip)]
    boost: i32,
}

#[derive(Clone, Debug, Default, Columns)]
struct Engines {
    engines: Column<Engine>,
}

#[derive(Clone, Debug, Default, World)]
struct Race {
    entities: Entities,
    engines: Engines,
}

#[test]
fn a_field_that_is_read_and_not_serialised_is_found() {
    let mut race = Race::default();
    let car = race.spawn_with((Engine { speed: 1, boost: 0 },));
    let error = ReplayCheck::new(move |race: &mut Race, tick| {
        let engine = race.get_mut::<Engine>(car).unwrap();
        engine.speed += engine.boost;
        if tick == 3 {
            engine.boost = 5;
        }
    })
    .run(&mut race, 0..10)
    .unwrap_err();
    assert_eq!((error.tick, error.run.as_str()), (4, "saved and loaded"));
    let difference = error.difference.unwrap();
    assert_eq!((difference.path.as_str(), difference.entity), ("engines.engines", Some(car)));
    assert_eq!(race.get::<Engine>(car).unwrap().boost, 5, "the world is as it was before tick 4");
}

#[test]
fn simulation_that_reads_presentation_is_found() {
    let (mut world, _) = arena();
    *world.frames_drawn = 3;
    let step = |world: &mut Arena, _| world.fighters.random.0 += *world.frames_drawn;
    let error = ReplayCheck::new(step).run(&mut world, 0..3).unwrap_err();
    assert_eq!((error.tick, error.run.as_str()), (0, "saved and loaded"));
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Loose {
    Number(u32),
    Text(String),
}

#[derive(Clone, Debug, Default, Columns)]
struct Notes {
    notes: Column<Loose>,
}

#[derive(Clone, Debug, Default, World)]
struct Book {
    entities: Entities,
    notes: Notes,
}

#[test]
fn a_world_that_cannot_be_reloaded_is_an_error_that_names_the_way_out() {
    let mut book = Book::default();
    book.spawn_with((Loose::Number(1),));
    book.spawn_with((Loose::Text("x".to_owned()),));
    let error = ReplayCheck::new(|_: &mut Book, _| {}).run(&mut book, 0..1).unwrap_err();
    assert!(error.to_string().contains("`ReplayCheck::without_reloading` does without"), "{error}");
    ReplayCheck::without_reloading(|_: &mut Book, _| {}).run(&mut book, 0..1).unwrap();
}
