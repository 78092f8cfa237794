//! The reference of the format says what is true.

mod common;

use common::*;
use std_scene::{ErrorKind, Scene, format_scene};

const PAGE: &str = include_str!("../../docs/scenes.md");

#[test]
fn the_scene_of_the_page_is_one() {
    let text = PAGE.split("```ron\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let source = with_rock(text).with(
        "asteroid.ron",
        r#"scene(entity("asteroid", Transform(position: (0.0, 0.0)), Velocity(0.0, 0.0), Collider(radius: 1.0),
            entity("core", Glow(color: Blue, power: 1.0)), entity("moon")))"#,
    );
    let limits = std_scene::Limits::default();
    let scene =
        Scene::read(&source, "level.ron", &limits).unwrap_or_else(|errors| panic!("{}", errors.render()));
    assert_eq!(scene.len(), 7);
    assert!(format_scene("level.ron", text, &limits).is_ok());
}

#[test]
fn the_limits_of_the_page_are_those_of_the_program() {
    let limits = std_scene::Limits::default();
    let said = format!("values ({}), the depth of entities ({})", limits.value_depth, limits.entity_depth);
    assert!(
        PAGE.contains(&said)
            && limits.entities == 1_000_000
            && limits.files == 256
            && limits.bytes == 64 << 20
    );
}

#[test]
fn every_word_of_the_page_is_known_and_no_other() {
    for word in ["scene", "version", "entity", "instance", "at", "remove", "without", "replace", "node"] {
        assert!(PAGE.contains(&format!("| `{word}(")), "{word} is missing in the table");
    }
    assert_eq!(error("scene(entity(\"a\", entities()))").kind, ErrorKind::UnknownWord);
}
