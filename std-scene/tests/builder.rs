//! A scene that a function builds is the scene that a file would be.

mod common;

use common::*;
use std_ecs::Columns;
use std_scene::{Embedded, SceneBuilder};

/// Three rocks in a row, as code.
fn row() -> SceneBuilder {
    let mut scene = SceneBuilder::new();
    let row = scene.entity("row");
    let first = scene.child_instance(row, "rock-0", "rock.ron");
    let core = scene.inside(first, "core");
    for index in 1..3_u8 {
        let rock = scene.child_instance(row, &format!("rock-{index}"), "rock.ron");
        scene.component(rock, "Transform", &Transform { position: (f32::from(index), 0.0), angle: 0.0 });
        scene.component_at(rock, "core", "Aims", &Aims { at: core });
        scene.remove(rock, "moon");
        scene.without(rock, "Health");
    }
    scene
}

#[test]
fn files_and_functions_mix_and_give_the_same_world() {
    let by_hand = r#"scene(entity("row",
        entity("rock-0", instance("rock.ron")),
        entity("rock-1", instance("rock.ron"), Transform(position: (1.0, 0.0), angle: 0.0),
            at("core", Aims(at: "rock-0/core")), remove("moon"), without(Health)),
        entity("rock-2", instance("rock.ron"), Transform(position: (2.0, 0.0), angle: 0.0),
            at("core", Aims(at: "rock-0/core")), remove("moon"), without(Health))))"#;
    let (written, _) = level(by_hand);
    let mut source = with_rock("");
    row().add_to(&mut source, "level.ron").unwrap();
    let (built, loaded) = load(&source).unwrap();
    assert_eq!(built, written);
    assert_eq!(registry().save(&built, &loaded).unwrap(), row().finish().unwrap());

    // A file instances what a function built, which instances a file.
    let mut source = with_rock("scene(entity(\"all\", instance(\"row.ron\"), at(\"rock-1\", Health(7))))");
    row().add_to(&mut source, "row.ron").unwrap();
    let (game, loaded) = load(&source).unwrap();
    assert_eq!(game.get::<Health>(loaded.entity("all/rock-1").unwrap()), Some(&Health(7)));
}

#[test]
fn equal_names_below_different_parents_are_told_apart() {
    let mut scene = SceneBuilder::new();
    let [left, right] = [scene.entity("left"), scene.entity("right")];
    let [_, gun] = [scene.child(left, "gun"), scene.child(right, "gun")];
    scene.component(left, "Aims", &Aims { at: gun });
    scene.child(gun, "left"); // a name that comes later makes no reference ambiguous
    let source = Embedded::new().with("level.ron", scene.finish().unwrap());
    let (game, loaded) = load(&source).unwrap();
    let aims = game.get::<Aims>(game.bodies.aims.owners().next().unwrap()).unwrap();
    assert_eq!(Some(aims.at), loaded.entity("right/gun"));
}

#[test]
fn a_reference_to_what_has_no_name_is_an_error() {
    let mut scene = SceneBuilder::new();
    let nobody = scene.entity("");
    let somebody = scene.entity("somebody");
    scene.component(somebody, "Aims", &Aims { at: nobody });
    assert!(scene.finish().unwrap_err().to_string().contains("`Aims(at: ..` names"));
}
