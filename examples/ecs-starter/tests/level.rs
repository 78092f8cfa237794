//! The level is loaded from its file, and plays.

use std::path::Path;
use std::process::{Command, Output};

use acme_space::{GlobalPosition, Position};
use ecs_starter::{Aims, Game, Health, RATE, Replay, Scenes, fleet, registry, schedule};
use std_ecs::{Columns, Entity, Store, World, digest};
use std_scene::{
    Folder, Limits, Loaded, SceneSource, WorldFormat, format_scene, world_from_bytes, world_to_bytes,
};

fn run(arguments: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    Command::new(env!("CARGO_BIN_EXE_ecs-starter")).args(arguments).current_dir(folder).output().unwrap()
}

fn level() -> (Game, Loaded, Scenes) {
    let (mut game, scenes) = (Game::default(), Scenes::read().unwrap());
    let loaded = scenes.load("level.ron", &mut game).unwrap();
    (game, loaded, scenes)
}

/// The game after each of so many steps, the first before them.
fn worlds(game: Game, scenes: &Scenes, steps: u32) -> Vec<Game> {
    let mut replay = Replay::new(game, schedule(RATE, scenes).unwrap(), steps);
    (0..steps).for_each(|_| replay.step().unwrap());
    let worlds = replay.worlds().cloned().collect();
    replay.again(u64::from(steps)).unwrap();
    worlds
}

fn x(game: &Game, entity: Entity) -> f32 {
    game.get::<Position>(entity).unwrap().x
}

#[test]
fn the_program_loads_the_level_and_plays_it() {
    let output = run(&["--entities", "100"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for start in [
        "loaded: 11 entities of 2 files",
        r#"tree: ["ship", "hull", "turret"]"#,
        r#"one frame: ["ship at 0.5", "free frame 1 at 0.25"]"#,
        "the game    600 steps of 1/60 s; 111 entities at first",
        "rollback    from step 600 to step 300",
        "again       300 steps in",
    ] {
        assert!(said.lines().any(|found| found.starts_with(start)), "{start} is missing in\n{said}");
    }
}

#[test]
fn the_ship_flies_and_the_camera_follows() {
    let (game, loaded, scenes) = level();
    let [ship, camera] = ["ship", "camera"].map(|name| loaded.entity(name).unwrap());
    for (step, game) in (0_u16..).zip(worlds(game, &scenes, 120)) {
        assert!((x(&game, ship) - f32::from(step) / 60.0).abs() < 1e-3);
        assert!((x(&game, ship) - x(&game, camera)).abs() < f32::EPSILON);
    }
}

#[test]
fn the_turret_destroys_what_it_aims_at() {
    let (game, loaded, scenes) = level();
    let [turret, rock, core] =
        ["ship/turret", "asteroid-1", "asteroid-1/core"].map(|path| loaded.entity(path).unwrap());
    assert_eq!(game.get(turret), Some(&Aims { at: core }));
    let worlds = worlds(game, &scenes, 300);
    assert_eq!(worlds[0].get(rock), Some(&Health(3)));
    let last = worlds.last().unwrap();
    assert!(!last.is_alive(rock) && !last.is_alive(core) && last.is_alive(turret));
    assert_eq!(last.arena.score.destroyed, 1);
}

#[test]
fn a_turret_turns_towards_its_target_and_keeps_its_speed() {
    use acme_motion::{Launcher, Velocity};
    let mut game = Game::default();
    let at = game.spawn_with((GlobalPosition { x: 3.0, y: 4.0 },));
    let launcher = Launcher { velocity: Velocity { x: 10.0, y: 0.0 }, ..Launcher::default() };
    let turret = game.spawn_with((GlobalPosition::default(), launcher, Aims { at }));
    ecs_starter::aim(&mut game);
    let Velocity { x, y } = game.get::<Launcher>(turret).unwrap().velocity;
    assert!((x - 6.0).abs() < 1e-5 && (y - 8.0).abs() < 1e-5);
    let turned = game.clone();
    game.attach(at, GlobalPosition::default());
    ecs_starter::aim(&mut game);
    game.despawn(at);
    ecs_starter::aim(&mut game);
    assert_eq!(game.get::<Launcher>(turret), turned.get::<Launcher>(turret));
}

#[test]
fn the_spawner_loads_a_scene_every_two_seconds() {
    let (game, _, scenes) = level();
    let worlds = worlds(game, &scenes, 300);
    let far = |game: &Game| game.arena.sides.owners().filter(|&entity| x(game, entity) > 19.0).count();
    assert_eq!([100, 125, 245].map(|step| far(&worlds[step])), [0, 1, 2]);
}

#[test]
fn the_same_future_comes_out_of_a_snapshot_and_of_a_saved_game() {
    let (mut game, _, scenes) = level();
    fleet(&mut game, 200);
    let half = worlds(game, &scenes, 150).pop().unwrap();
    let bytes = world_to_bytes(&half, WorldFormat::Postcard).unwrap();
    let mut saved: Game = world_from_bytes(&bytes).unwrap();
    registry().unwrap().revive(&mut saved).unwrap();
    let [first, second] = [half, saved].map(|game| worlds(game, &scenes, 150).pop().unwrap());
    assert_eq!(first, second);
    assert_eq!(digest(&first), digest(&second));
}

#[test]
fn the_command_of_the_program_knows_its_components() {
    let output = run(&["scene", "check", "scenes/level.ron", "scenes/asteroid.ron"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let folder = std::env::temp_dir().join(format!("ecs-starter-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("faulty.ron");
    std::fs::write(&file, "scene(entity(\"a\", Helth(3)))\n").unwrap();
    let output = run(&["scene", "check", file.to_str().unwrap()]);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && complaint.contains("did you mean `Health`?"), "{complaint}");
    assert!(run(&["scene", "fmt", "--check", file.to_str().unwrap()]).status.success());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_scenes_are_good_and_formatted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let scenes = Scenes::read().unwrap();
    assert_eq!(scenes.names().collect::<Vec<_>>(), ["asteroid.ron", "level.ron"]);
    for name in scenes.names() {
        let text = Folder::new(&folder).read(name, 1 << 20).unwrap();
        assert_eq!(format_scene(name, &text, &Limits::default()).unwrap(), text);
        let mut game = Game::default();
        let loaded = scenes.load(name, &mut game).unwrap();
        assert_eq!(registry().unwrap().save(&game, &loaded).unwrap(), text);
    }
}
