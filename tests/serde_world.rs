//! How entities and whole worlds are saved and loaded, and what bytes are refused.

#![cfg(feature = "serde")]

mod common;

use common::saving::{from_json, from_postcard, from_ron, reload, to_json, to_postcard, to_ron};
use common::{Burning, Game, Health, Inventory, Name, Position, Velocity, entity};
use proptest::prelude::*;
use serde_json::{Value, json};
use std_ecs::{CheckError, Columns, Entities, Entity, Store, World, component_key};

fn used() -> Entities {
    let mut entities = Entities::default();
    let all = entities.spawn_many(6);
    for at in [4, 1] {
        entities.despawn(all[at]);
    }
    entities.spawn_at(entity(4, u32::MAX)).expect("the index is free");
    entities.despawn(entity(4, u32::MAX));
    entities
}

fn form() -> Value {
    json!({ "alive": 4, "generations": [1, 2, 1, 1, u32::MAX, 1], "free": [1], "retired": [4] })
}

fn world() -> Game {
    let mut game = Game::default();
    let ships = game.spawn_batch((0..1_100).map(|at| (Health(at), Position(0.0, 1.0), Burning)));
    for &ship in ships.iter().step_by(7) {
        game.despawn(ship);
    }
    let sword = game.spawn_with((Name("sword".into()),));
    let hero = game.spawn_with((Inventory(vec![sword, ships[0]]), Velocity(0.5, -0.0)));
    game.attach(hero, Name("Ada".into()));
    game.remove::<Burning>(ships[9]);
    *game.score = u64::MAX;
    *game.motions.gravity = -9.81;
    game
}

#[test]
fn the_form_of_entities_is_generations_and_the_lists_of_the_dead() {
    assert_eq!(from_json::<Value>(&to_json(&used())), Ok(form()));
    assert_eq!(from_json::<Entities>(&form().to_string()), Ok(used()));
}

#[test]
fn loaded_entities_hand_out_the_same_handles() {
    let mut entities = used();
    let mut loaded = reload(&entities);
    assert_eq!(loaded, entities);
    assert!(!loaded.is_alive(entity(4, u32::MAX)) && loaded.is_alive(entity(5, 1)));
    let next: Vec<Entity> = (0..4).map(|_| loaded.spawn()).collect();
    assert_eq!(next, [entity(1, 2), entity(6, 1), entity(7, 1), entity(8, 1)]);
    assert_eq!(next, (0..4).map(|_| entities.spawn()).collect::<Vec<_>>());
}

#[test]
fn a_generation_is_saved_so_that_old_handles_stay_dead_and_new_ones_alive() {
    let mut entities = Entities::default();
    let first = entities.spawn();
    entities.despawn(first);
    let second = entities.spawn();
    let loaded = reload(&entities);
    assert!(loaded.is_alive(second) && !loaded.is_alive(first));
}

#[test]
fn entities_that_contradict_themselves_are_refused_with_the_slot() {
    let faults = [
        ("/free", json!([1, 1]), "entity slot 1 is listed as dead twice"),
        ("/retired", json!([4, 1]), "entity slot 1 is listed as dead twice"),
        ("/free", json!([1, 9]), "there is no entity slot 9"),
        ("/free", json!([1, u32::MAX]), "there is no entity slot 4294967295"),
        ("/retired", json!([4, 6]), "there is no entity slot 6"),
        ("/retired", json!([4, 5]), "entity slot 5 is retired, but has generations left"),
        ("/free", json!([1, 2]), "4 entities should be alive, but 3 slots"),
        ("/free", json!([]), "4 entities should be alive, but 5 slots"),
        ("/retired", json!([]), "4 entities should be alive, but 5 slots"),
        ("/generations", json!([1, 2, 1, 1, u32::MAX]), "4 entities should be alive, but 3 slots"),
        ("/generations", json!([]), "there is no entity slot 1"),
        ("/generations/3", json!(0), "nonzero"),
        ("/generations/3", json!(u64::MAX), "18446744073709551615"),
        ("/alive", json!(5), "5 entities should be alive, but 4 slots"),
        ("/alive", json!(-1), "-1"),
    ];
    for (place, value, expected) in faults {
        let mut form = form();
        *form.pointer_mut(place).expect("the form has it") = value;
        let error = from_json::<Entities>(&form.to_string()).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    for field in ["alive", "generations", "free", "retired"] {
        let mut short = form();
        short.as_object_mut().expect("a map").remove(field);
        let error = from_json::<Entities>(&short.to_string()).expect_err("a field is missing");
        assert!(error.contains(&format!("missing field `{field}`")), "{error}");
    }
}

#[test]
fn a_huge_length_of_entities_in_a_few_bytes_is_an_error_at_once() {
    for numbers in [vec![0, u64::MAX >> 1], vec![0, u64::MAX >> 1, 1, 1], vec![1, 1, 1, u64::MAX >> 1, 1]] {
        let bytes: Vec<u8> = numbers.iter().flat_map(to_postcard).collect();
        assert!(from_postcard::<Entities>(&bytes).is_err());
    }
}

#[test]
fn a_world_comes_back_exactly() {
    let game = world();
    let loaded = reload(&game);
    assert_eq!(loaded, game);
    assert_eq!(loaded.clocks(), game.clocks());
    assert_eq!(loaded.score.clock(), game.score.clock());
    assert_eq!(loaded.check(), Ok(()));
    for owner in game.entities().iter() {
        let health = |game: &Game| game.column_of::<Health>().stamp(owner);
        assert_eq!(health(&loaded), health(&game));
        assert_eq!(format!("{:?}", loaded.describe(owner)), format!("{:?}", game.describe(owner)));
    }
}

#[test]
fn a_loaded_world_goes_on_in_lockstep_with_the_one_that_was_saved() {
    let step = |game: &mut Game| {
        let first = game.column_of::<Health>().owners().nth(3).expect("there are many");
        game.despawn(first);
        game.spawn_with((Health(1), Velocity(1.0, 0.0)));
        game.column_of_mut::<Health>().iter_mut().for_each(|(_, health)| health.0 += 1);
        game.column_of_mut::<Burning>().retain(|owner, _| owner.index() % 5 != 0);
    };
    let mut game = world();
    for _ in 0..5 {
        let mut loaded = reload(&game);
        loaded = reload(&loaded);
        for game in [&mut game, &mut loaded] {
            step(game);
        }
        assert_eq!(loaded, game);
        assert_eq!(loaded.clocks(), game.clocks());
        assert_eq!(to_postcard(&loaded), to_postcard(&game));
    }
}

#[test]
fn a_save_has_the_same_bytes_from_a_clone_from_a_loaded_world_and_when_run_again() {
    let bytes = (to_ron(&world()), to_json(&world()), to_postcard(&world()));
    for game in [world().clone(), reload(&world())] {
        assert_eq!((to_ron(&game), to_json(&game), to_postcard(&game)), bytes);
    }
}

#[test]
fn loading_replaces_whatever_the_world_held() {
    let saved = to_ron(&world());
    let mut game = Game::default();
    game.spawn_batch((0..50).map(|at| (Health(at),)));
    for _ in 0..2 {
        game = from_ron(&saved).expect("the save is good");
        assert_eq!(game, world());
        let all: Vec<Entity> = game.entities().iter().collect();
        game.despawn_many(all);
    }
    assert!(game.entities().is_empty());
}

#[test]
fn entities_spawned_after_a_load_meet_nobody_who_was_loaded() {
    let mut game: Game = reload(&world());
    let before: Vec<Entity> = game.entities().iter().collect();
    let spawned = game.spawn_batch((0..500).map(|_| (Name("new".into()),)));
    assert!(spawned.iter().all(|new| before.binary_search(new).is_err()));
    assert_eq!(game.entities().len(), before.len() + 500);
    for owner in before {
        assert_eq!(format!("{:?}", game.describe(owner)), format!("{:?}", world().describe(owner)));
    }
}

#[test]
fn five_cycles_of_loading_and_spawning_keep_count_and_content() {
    let mut game = Game::default();
    for cycle in 0..5u8 {
        game = reload(&game);
        let new = game.spawn_with((Health(i32::from(cycle)), Name(format!("cycle {cycle}"))));
        assert_eq!(new.index(), u32::from(cycle));
        assert_eq!(game.entities().len(), usize::from(cycle) + 1);
    }
    let names: Vec<&str> = game.column_of::<Name>().iter().map(|(_, name)| name.0.as_str()).collect();
    assert_eq!(names, ["cycle 0", "cycle 1", "cycle 2", "cycle 3", "cycle 4"]);
}

#[test]
fn undo_over_a_save_frees_an_index_once() {
    let mut game = Game::default();
    let first = game.spawn_with((Health(1),));
    let saved = to_json(&game);
    game.despawn(first);
    game = from_json(&saved).expect("the save is good");
    game.despawn(first);
    assert_ne!(game.spawn(), game.spawn());
}

#[test]
fn a_failed_load_leaves_the_world_as_it_was() {
    let (mut game, before) = (world(), world());
    let mut bytes = to_postcard(&game);
    bytes.truncate(bytes.len() / 2);
    match from_postcard::<Game>(&bytes) {
        Ok(loaded) => game = loaded,
        Err(error) => assert!(!error.is_empty()),
    }
    assert_eq!(game, before);
}

#[test]
fn rows_of_the_dead_in_a_save_are_found_by_a_check() {
    let mut game = Game::default();
    let ship = game.spawn_with((Health(1), Burning));
    let mut form: Value = from_json(&to_json(&game)).expect("it is JSON");
    form["entities"] = json!({ "alive": 0, "generations": [2], "free": [0], "retired": [] });
    let loaded: Game = from_json(&form.to_string()).expect("each part is good by itself");
    let expected = CheckError::RowOfTheDead { key: component_key::<Health>(), entity: ship };
    assert_eq!(loaded.check(), Err(expected));
}

#[test]
fn a_fault_deep_in_a_world_is_named() {
    let mut game = Game::default();
    game.spawn_with((Health(1),));
    let mut form: Value = from_json(&to_json(&game)).expect("it is JSON");
    form["bodies"]["health"]["clock"] = json!(0);
    let error = from_json::<Game>(&form.to_string()).expect_err("the stamp is ahead");
    assert!(error.contains("::Health: a stamp of the run (1, 1, 0) is ahead of the clock, 0"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bytes_are_an_error_or_a_world_that_works(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut small = Game::default();
        let all = small.spawn_batch((0..12).map(|at| (Health(at), Burning)));
        small.despawn(all[3]);
        let mut bytes = to_postcard(&small);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(mut game) = from_postcard::<Game>(&bytes) {
            let consistent = game.check().is_ok();
            let alive: Vec<Entity> = game.entities().iter().collect();
            prop_assert_eq!(alive.len(), game.entities().len());
            prop_assert_eq!(game.despawn_many(alive.iter().copied()), alive.len());
            if consistent {
                prop_assert!(game.lengths().iter().all(|(_, length)| *length == 0));
            }
            let spawned = game.spawn_batch((0..20).map(|at| (Health(at),)));
            prop_assert!(spawned.iter().all(|new| !alive.contains(new)));
        }
    }
}
