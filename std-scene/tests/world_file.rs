//! World files hold a world exactly, or say what is wrong.

use serde::{Deserialize, Serialize};
use std_ecs::{Column, Columns, Entities, Hierarchy, Parent, Single, Store, World, digest};
use std_scene::{WorldFileError, WorldFormat, load_world, save_world, world_from_bytes, world_to_bytes};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Health(i64);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
struct Bodies {
    health: Column<Health>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    bodies: Bodies,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
struct Other {
    entities: Entities,
    weather: Single<String>,
}

const FORMATS: [WorldFormat; 2] = [WorldFormat::Ron, WorldFormat::Postcard];

/// A game with a history: slots are free, generations differ, rows have moved.
fn game() -> Game {
    let mut game = Game::default();
    let all: Vec<_> = (0..50).map(|number| game.spawn_with((Health(number),))).collect();
    for pair in all.chunks(2) {
        game.attach(pair[1], Parent::of(pair[0]));
    }
    game.despawn_many(all.iter().step_by(6).copied());
    game.spawn();
    game
}

#[test]
fn a_world_comes_back_exactly_and_goes_on_the_same() {
    for format in FORMATS {
        let mut game = game();
        let mut again: Game = world_from_bytes(&world_to_bytes(&game, format).unwrap()).unwrap();
        assert_eq!((&again, digest(&again)), (&game, digest(&game)));
        assert_eq!(world_to_bytes(&again, format).unwrap(), world_to_bytes(&game, format).unwrap());
        let next = |game: &mut Game| (game.spawn_with((Health(-1),)), game.spawn(), game.spawn());
        assert_eq!(next(&mut again), next(&mut game));
        assert_eq!(again, game);
    }
}

#[test]
fn files_that_are_cut_off_edited_or_foreign_say_so() {
    for format in FORMATS {
        let bytes = world_to_bytes(&game(), format).unwrap();
        let read = |bytes: &[u8]| world_from_bytes::<Game>(bytes).expect_err("it is damaged");
        for length in 0..bytes.len() {
            let error = read(&bytes[..length]);
            assert!(
                matches!(error, WorldFileError::Foreign | WorldFileError::Length { .. }),
                "{length}: {error}"
            );
        }
        let header = bytes.iter().position(|&byte| byte == b'\n').unwrap();
        for at in (header + 1..bytes.len()).step_by(7) {
            let mut edited = bytes.clone();
            edited[at] ^= 0x10;
            assert!(matches!(read(&edited), WorldFileError::Checksum), "{at}");
        }
        let longer: Vec<u8> = bytes.iter().copied().chain([b' ']).collect();
        assert!(matches!(read(&longer), WorldFileError::Length { .. }));
        let newer = String::from_utf8_lossy(&bytes[..header]).replace(" 1 ", " 2 ");
        let newer: Vec<u8> = newer.bytes().chain(bytes[header..].iter().copied()).collect();
        assert!(matches!(read(&newer), WorldFileError::Version { version, .. } if version == "2"));
        assert!(matches!(world_from_bytes::<Other>(&bytes), Err(WorldFileError::Decode { .. })));
    }
    assert!(matches!(world_from_bytes::<Game>(b"\x89PNG\r\n"), Err(WorldFileError::Foreign)));
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let folder = std::env::temp_dir().join(format!("std-scene-world-file-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("save.world");
    for format in FORMATS {
        save_world(&game(), &path, format).unwrap();
        assert_eq!(load_world::<Game>(&path).unwrap(), game());
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
    let error = save_world(&game(), folder.join("none").join("save.world"), WorldFormat::Ron).unwrap_err();
    assert!(matches!(error, WorldFileError::Io { .. }));
    assert!(load_world::<Game>(folder.join("none")).unwrap_err().to_string().contains("none"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_world_that_is_not_consistent_is_refused() {
    let mut game = game();
    let dead = game.spawn_with((Health(1),));
    game.entities.despawn(dead);
    for format in FORMATS {
        let bytes = world_to_bytes(&game, format).unwrap();
        assert!(matches!(world_from_bytes::<Game>(&bytes), Err(WorldFileError::Inconsistent(_))));
    }
}
