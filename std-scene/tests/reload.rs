//! Reloading lays what was edited over the running world.

mod common;

use common::*;
use std_ecs::{Columns, Parent, Store, World};
use std_scene::{Embedded, Loaded, Reloaded};

const LEVEL: &str = r#"scene(
    entity("ship", Transform(position: (1.0, 2.0), angle: 0.5), Health(100), Aims(at: "a"), entity("gun", Health(5))),
    entity("a", instance("rock.ron")),
    entity("b", instance("rock.ron"), Health(30)),
)"#;

fn start() -> (Game, Loaded) {
    level(LEVEL)
}

fn reload(game: &mut Game, loaded: &mut Loaded, source: &Embedded) -> Reloaded {
    let done = registry().reload(source, game, loaded).unwrap_or_else(|errors| panic!("{}", errors.render()));
    game.check().unwrap();
    done
}

#[test]
fn reloading_what_has_not_changed_does_nothing() {
    let (mut game, mut loaded) = start();
    game.get_mut::<Health>(loaded.entity("ship").unwrap()).unwrap().0 = 1;
    let before = game.clone();
    assert!(reload(&mut game, &mut loaded, &with_rock(LEVEL)).is_empty());
    assert_eq!(game, before);
}

#[test]
fn what_the_game_changed_stays_unless_that_very_field_was_edited() {
    let (mut game, mut loaded) = start();
    let ship = loaded.entity("ship").unwrap();
    *game.get_mut::<Transform>(ship).unwrap() = Transform { position: (7.0, 7.0), angle: 7.0 };
    game.get_mut::<Health>(ship).unwrap().0 = 42;
    let done = reload(&mut game, &mut loaded, &with_rock(&LEVEL.replace("angle: 0.5", "angle: 0.75")));
    assert_eq!(done.changed, [("ship".to_owned(), "Transform".to_owned())]);
    assert_eq!(game.get::<Transform>(ship), Some(&Transform { position: (7.0, 7.0), angle: 0.75 }));
    assert_eq!(game.get::<Health>(ship), Some(&Health(42)));
    assert_eq!(loaded.entity("ship"), Some(ship));
}

#[test]
fn an_edit_of_a_base_reaches_all_instances_but_what_they_patch() {
    let (mut game, mut loaded) = start();
    let rock = ROCK.replace("Health(20)", "Health(25)").replace("power: 2.0", "power: 4.0");
    let done = reload(&mut game, &mut loaded, &with_rock(LEVEL).with("rock.ron", rock));
    let [a, b, moon] = ["a", "b", "b/moon"].map(|path| loaded.entity(path).unwrap());
    assert_eq!((game.get::<Health>(a), game.get::<Health>(b)), (Some(&Health(25)), Some(&Health(30))));
    assert_eq!(game.get::<Glow>(moon), Some(&Glow { color: Color::Red, power: 4.0 }));
    assert_eq!(done.changed.len(), 3);
}

#[test]
fn entities_come_go_and_move_with_the_files() {
    let (mut game, mut loaded) = start();
    let [ship, gun, b] = ["ship", "ship/gun", "b"].map(|path| loaded.entity(path).unwrap());
    let bullet = game.spawn_with((Parent::of(b), Player));
    let text = r#"scene(
        entity("ship", Transform(position: (1.0, 2.0), angle: 0.5), Health(100), Aims(at: "a")),
        entity("a", instance("rock.ron"), entity("gun", Health(5), Aims(at: "new"))),
        entity("new", Player),
    )"#;
    let done = reload(&mut game, &mut loaded, &with_rock(text));
    assert_eq!((done.added, done.moved), (vec!["new".to_owned()], vec!["a/gun".to_owned()]));
    assert_eq!(done.removed, ["b", "b/core", "b/moon"]);
    assert_eq!((loaded.entity("ship"), loaded.entity("a/gun")), (Some(ship), Some(gun)));
    assert_eq!(game.get::<Parent>(gun).unwrap().entity(), loaded.entity("a").unwrap());
    assert_eq!(game.get::<Aims>(gun), Some(&Aims { at: loaded.entity("new").unwrap() }));
    assert!(!game.is_alive(b) && !game.is_alive(bullet));
}

#[test]
fn components_come_and_go_with_the_files() {
    let (mut game, mut loaded) = start();
    let ship = loaded.entity("ship").unwrap();
    let text = LEVEL.replace("Health(100)", "Velocity(1.0, 1.0)");
    reload(&mut game, &mut loaded, &with_rock(&text));
    assert!(!game.has::<Health>(ship) && game.has::<Velocity>(ship));
    // What the game has ended is not brought back by an edit elsewhere.
    game.despawn(loaded.entity("a").unwrap());
    game.remove::<Velocity>(ship);
    game.attach(ship, Player);
    reload(&mut game, &mut loaded, &with_rock(&text.replace("angle: 0.5", "angle: 1.5")));
    assert!(loaded.entity("a").is_none() && game.has::<Player>(ship) && !game.has::<Velocity>(ship));
}

#[test]
fn a_failed_reload_changes_nothing() {
    let (mut game, mut loaded) = start();
    let (before, paths) = (game.clone(), loaded.entities().collect::<Vec<_>>());
    let bad = with_rock(&LEVEL.replace("Health(100)", "Health(\"a\")"));
    let errors = registry().reload(&bad, &mut game, &mut loaded).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!((game, loaded.entities().collect::<Vec<_>>()), (before, paths));
    assert_eq!(loaded.scene().text(), LEVEL);
}

#[test]
fn a_reloaded_scene_is_saved_from_its_new_text() {
    let (mut game, mut loaded) = start();
    let text = LEVEL.replace("Health(30)", "Health(31) /* more */");
    reload(&mut game, &mut loaded, &with_rock(&text));
    assert_eq!(registry().save(&game, &loaded).unwrap(), text);
}

#[test]
fn reloading_what_was_saved_keeps_the_entities_that_were_saved() {
    let (mut game, mut loaded) = start();
    let [ship, core] = ["ship", "b/core"].map(|path| loaded.entity(path).unwrap());
    let flag = game.spawn_with((Parent::of(core), Health(3)));
    let flier = game.spawn_with((Aims { at: flag },));
    loaded.name(flag, "flag");
    loaded.name(flier, "flier");
    game.get_mut::<Health>(ship).unwrap().0 = 7;
    let text = registry().save(&game, &loaded).unwrap();
    let count = game.entities.len();
    let done = reload(&mut game, &mut loaded, &with_rock(&text));
    assert!(done.added.is_empty() && done.removed.is_empty() && done.moved.is_empty(), "{done:?}");
    assert_eq!((loaded.entity("b/core/flag"), loaded.entity("flier")), (Some(flag), Some(flier)));
    assert_eq!((game.entities.len(), game.get::<Health>(ship)), (count, Some(&Health(7))));
    assert_eq!(registry().save(&game, &loaded).unwrap(), text);
}

#[test]
fn who_was_brought_to_the_place_of_one_that_died_is_not_removed_with_its_old_path() {
    let text = r#"scene(entity("a", entity("gun", Health(1))), entity("b", entity("gun", Health(2))))"#;
    let (mut game, mut loaded) = level(text);
    let [b, gun, other] = ["b", "a/gun", "b/gun"].map(|path| loaded.entity(path).unwrap());
    game.despawn(other);
    game.hierarchy.set_parent(gun, b).unwrap();
    let saved = registry().save(&game, &loaded).unwrap();
    let before = game.clone();
    registry().reload(&with_rock(&saved), &mut game, &mut loaded).unwrap();
    assert_eq!((game.is_alive(gun), game.hierarchy.parent(gun)), (true, Some(b)));
    assert_eq!(game.bodies.health, before.bodies.health);
    assert_eq!(loaded.entity("b/gun"), Some(gun));
}
