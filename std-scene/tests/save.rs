//! Saving edits the text that was read, and nothing else of it.

mod common;

use common::*;
use std_ecs::{Columns, Parent, Store, World};
use std_scene::{Embedded, Loaded};

const LEVEL: &str = r#"// The level.
scene(
    version(1),
    entity("ship", // flies
        Transform( position: (0.0 , 0) ), // here
        Velocity(1.0, 0.0),
        Health(1_00), Player, Mode(Free),
        entity("turret", Aims(at: "ship")), /* top */
    ),
    entity("rock-1",
        instance("rock.ron"),
        Transform(position: (4.0, 0.0)),
        at("core", Glow(color: Red)),
    ),
    entity("rock-2", instance("rock.ron")),
    entity("camera", Mode(Chase(distance: 3.0, prey: Some("ship")))),
)
"#;

fn saved(game: &Game, loaded: &Loaded) -> String {
    registry().save(game, loaded).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The lines that differ, those of before and those of after.
fn changed<'t>(before: &'t str, after: &'t str) -> (Vec<&'t str>, Vec<&'t str>) {
    let gone = before.lines().filter(|line| !after.lines().any(|other| other == *line));
    let new = after.lines().filter(|line| !before.lines().any(|other| other == *line));
    (gone.map(str::trim).collect(), new.map(str::trim).collect())
}

/// What comes of doing this to the loaded level: the lines that go, and the lines that come.
fn after(work: impl FnOnce(&mut Game, &mut Loaded)) -> (Vec<String>, Vec<String>) {
    let (mut game, mut loaded) = level(LEVEL);
    work(&mut game, &mut loaded);
    let text = saved(&game, &loaded);
    let (gone, new) = changed(LEVEL, &text);
    let own = |lines: Vec<&str>| lines.into_iter().map(str::to_owned).collect();
    (own(gone), own(new))
}

fn refused(work: impl FnOnce(&mut Game, &mut Loaded)) -> String {
    let (mut game, mut loaded) = level(LEVEL);
    work(&mut game, &mut loaded);
    registry().save(&game, &loaded).expect_err("it cannot be saved").to_string()
}

#[test]
fn an_unchanged_scene_is_saved_to_the_byte() {
    for text in [
        LEVEL.to_owned(),
        LEVEL.replace('\n', "\r\n"),
        format!("\u{feff}{LEVEL}// end"),
        "scene()".to_owned(),
    ] {
        let (game, loaded) = level(&text);
        assert_eq!(saved(&game, &loaded), text);
    }
}

#[test]
fn what_is_written_without_changing_is_saved_to_the_byte() {
    let (mut game, loaded) = level(LEVEL);
    let all: Vec<_> = loaded.entities().collect();
    for entity in all {
        for _ in [game.get_mut::<Transform>(entity).is_some(), game.get_mut::<Health>(entity).is_some()] {}
        for _ in [game.get_mut::<Glow>(entity).is_some(), game.get_mut::<Mode>(entity).is_some()] {}
        let _ = (game.get_mut::<Aims>(entity).is_some(), game.get_mut::<Collider>(entity).is_some());
    }
    assert_eq!(saved(&game, &loaded), LEVEL);
}

#[test]
fn a_change_is_made_at_the_deepest_place_that_has_a_text() {
    let (gone, new) = after(|game, loaded| {
        let ship = loaded.entity("ship").unwrap();
        game.get_mut::<Transform>(ship).unwrap().position.1 = 2.5;
        game.get_mut::<Health>(ship).unwrap().0 = 90;
    });
    assert_eq!(gone, ["Transform( position: (0.0 , 0) ), // here", "Health(1_00), Player, Mode(Free),"]);
    assert_eq!(new, ["Transform( position: (0.0 , 2.5) ), // here", "Health(90), Player, Mode(Free),"]);
}

#[test]
fn a_field_that_had_no_text_gets_one() {
    let (_, new) =
        after(|game, loaded| game.get_mut::<Transform>(loaded.entity("ship").unwrap()).unwrap().angle = 1.0);
    assert_eq!(new, ["Transform( position: (0.0 , 0), angle: 1.0 ), // here"]);
}

#[test]
fn a_change_in_an_instance_becomes_a_patch_of_that_field_alone() {
    let (gone, new) = after(|game, loaded| {
        game.get_mut::<Glow>(loaded.entity("rock-1/core").unwrap()).unwrap().power = 9.0;
        game.get_mut::<Health>(loaded.entity("rock-1").unwrap()).unwrap().0 = 7;
        game.get_mut::<Transform>(loaded.entity("rock-2").unwrap()).unwrap().angle = 2.0;
        game.get_mut::<Glow>(loaded.entity("rock-2/moon").unwrap()).unwrap().color = Color::Blue;
    });
    assert_eq!(gone, ["at(\"core\", Glow(color: Red)),", "entity(\"rock-2\", instance(\"rock.ron\")),"]);
    assert_eq!(
        new,
        [
            "at(\"core\", Glow(color: Red, power: 9.0)),",
            "Health(7),",
            "entity(\"rock-2\", instance(\"rock.ron\"), Transform(angle: 2.0), at(\"moon\", Glow(color: Blue))),",
        ]
    );
}

#[test]
fn a_patch_stays_although_it_equals_the_base() {
    let (gone, new) = after(|game, loaded| {
        game.get_mut::<Glow>(loaded.entity("rock-1/core").unwrap()).unwrap().color = Color::Blue;
    });
    assert_eq!(
        (gone, new),
        (vec!["at(\"core\", Glow(color: Red)),".into()], vec!["at(\"core\", Glow(color: Blue)),".into()])
    );
}

#[test]
fn base_values_are_not_frozen_in() {
    let (mut game, loaded) = level(LEVEL);
    game.get_mut::<Transform>(loaded.entity("rock-2").unwrap()).unwrap().position = (9.0, 9.0);
    let text = saved(&game, &loaded);
    let source =
        Embedded::new().with("rock.ron", ROCK.replace("angle: 0.5", "angle: 0.75")).with("level.ron", text);
    let (game, loaded) = load(&source).unwrap();
    let found = game.get::<Transform>(loaded.entity("rock-2").unwrap()).unwrap();
    assert_eq!(*found, Transform { position: (9.0, 9.0), angle: 0.75 });
}

#[test]
fn components_that_come_and_go_are_written() {
    let (gone, new) = after(|game, loaded| {
        let [ship, one, two] = ["ship", "rock-1", "rock-2"].map(|name| loaded.entity(name).unwrap());
        game.remove::<Player>(ship);
        game.remove::<Velocity>(ship);
        game.attach(ship, Glow { color: Color::Blue, power: 0.5 });
        game.remove::<Transform>(one);
        game.remove::<Health>(two);
    });
    assert_eq!(
        gone,
        [
            "Velocity(1.0, 0.0),",
            "Health(1_00), Player, Mode(Free),",
            "Transform(position: (4.0, 0.0)),",
            "entity(\"rock-2\", instance(\"rock.ron\")),"
        ]
    );
    assert_eq!(
        new,
        [
            "Health(1_00), Mode(Free),",
            "Glow(color: Blue, power: 0.5),",
            "without(Transform),",
            "entity(\"rock-2\", instance(\"rock.ron\"), without(Health)),"
        ]
    );
}

#[test]
fn entities_that_come_and_go_are_written() {
    let (gone, new) = after(|game, loaded| {
        let [turret, moon, core] =
            ["ship/turret", "rock-1/moon", "rock-2/core"].map(|name| loaded.entity(name).unwrap());
        game.despawn(turret);
        game.despawn(moon);
        let flag = game.spawn_with((Parent::of(core), Health(3)));
        loaded.name(flag, "flag");
        let flier = game.spawn_with((Aims { at: flag },));
        loaded.name(flier, "flier");
        game.spawn_with((Parent::of(flier), Player));
    });
    assert_eq!(
        gone,
        ["entity(\"turret\", Aims(at: \"ship\")), /* top */", "entity(\"rock-2\", instance(\"rock.ron\")),"]
    );
    assert_eq!(
        new,
        [
            "/* top */",
            "remove(\"moon\"),",
            "entity(\"rock-2\", instance(\"rock.ron\"), at(\"core\", entity(\"flag\", Health(3)))),",
            "entity(\"flier\", Aims(at: \"flag\"), entity(Player)),",
        ]
    );
}

#[test]
fn own_entities_that_moved_take_their_text_along() {
    let (mut game, loaded) = level(LEVEL);
    let [ship, turret, camera] = ["ship", "ship/turret", "camera"].map(|name| loaded.entity(name).unwrap());
    game.hierarchy.set_parent(turret, camera).unwrap();
    game.get_mut::<Aims>(turret).unwrap().at = camera;
    game.hierarchy.set_parent(loaded.entity("rock-2").unwrap(), ship).unwrap();
    let text = saved(&game, &loaded);
    let (again, read) = level(&text);
    let at = |path: &str| read.entity(path).unwrap();
    assert_eq!(again.get::<Aims>(at("camera/turret")), Some(&Aims { at: at("camera") }));
    assert!(read.entity("ship/rock-2/moon").is_some());
    assert!(text.contains("// flies") && text.contains("/* top */"), "{text}");
}

#[test]
fn what_cannot_be_said_is_refused_by_path() {
    let text = refused(|game, loaded| {
        let [ship, core] = ["ship", "rock-1/core"].map(|name| loaded.entity(name).unwrap());
        game.hierarchy.set_parent(core, ship).unwrap();
    });
    assert!(text.contains("`rock-1/core` cannot be saved: it is inside of an instance"), "{text}");
    let text = refused(|game, loaded| {
        let nobody = game.spawn();
        game.get_mut::<Aims>(loaded.entity("ship/turret").unwrap()).unwrap().at = nobody;
    });
    assert!(
        text.contains("`ship/turret` cannot be saved: Aims: it names") && text.contains("no name"),
        "{text}"
    );
    // The camera was not touched, and still names the ship.
    let text = refused(|game, loaded| {
        game.despawn(loaded.entity("ship").unwrap());
    });
    assert!(text.contains("`camera` cannot be saved: Mode") && text.contains("not alive"), "{text}");
}

#[test]
fn a_value_that_would_be_read_back_as_another_is_refused() {
    let (mut game, mut loaded) = level("scene(entity(\"a\"))");
    let a = loaded.entity("a").unwrap();
    game.attach(a, Loose::Target { target: a });
    loaded.name(a, "a");
    let text = registry().save(&game, &loaded).unwrap_err().to_string();
    assert!(text.contains("cannot be read"), "{text}");
}

#[test]
fn what_is_put_into_a_file_with_line_ends_of_windows_ends_like_it() {
    let text = LEVEL.replace('\n', "\r\n");
    let (mut game, loaded) = level(&text);
    let ship = loaded.entity("ship").unwrap();
    game.attach(ship, Glow { color: Color::Blue, power: 0.5 });
    let text = saved(&game, &loaded);
    assert!(text.contains("/* top */\r\n        Glow(color: Blue, power: 0.5),\r\n    ),"), "{text}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
}

#[test]
fn the_order_of_registration_changes_nothing() {
    let mut other = std_scene::Registry::new();
    other.add::<Glow>("Glow").unwrap().add::<Health>("Health").unwrap().add::<Aims>("Aims").unwrap();
    common::register(&mut other);
    let (mut game, loaded) = level(LEVEL);
    let two = loaded.entity("rock-2").unwrap();
    game.attach(two, Player);
    game.attach(two, Velocity(1.0, 2.0));
    game.get_mut::<Health>(two).unwrap().0 = 3;
    let text = saved(&game, &loaded);
    assert!(text.contains("Health(3), Player, Velocity(1.0, 2.0)"), "{text}");
    assert_eq!(other.save(&game, &loaded).unwrap(), text);
}

#[test]
fn saving_twice_and_from_a_clone_gives_the_same_text() {
    let (mut game, loaded) = level(LEVEL);
    game.get_mut::<Health>(loaded.entity("rock-1").unwrap()).unwrap().0 = 7;
    game.despawn(loaded.entity("rock-2").unwrap());
    let text = saved(&game, &loaded);
    assert_eq!(saved(&game.clone(), &loaded.clone()), text);
    let (again, read) = level(&text);
    assert_eq!(saved(&again, &read), text);
    assert_eq!(again.bodies.health.iter().map(|(_, health)| health.0).collect::<Vec<_>>(), [100, 7]);
}
