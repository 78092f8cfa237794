//! Each file of `tests/bad` is refused with the message that is recorded beside it.
//!
//! With `SCENE_RECORD=1` in the environment the messages are recorded anew: read the difference.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::Bodies;
use serde::{Deserialize, Serialize};
use std_ecs::{Entities, Entity, Hierarchy, World};
use std_scene::{Behaviours, Folder, Registry, SceneNode};

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    bodies: Bodies,
    behaviours: Behaviours<Game>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Helm {
    thrust: f32,
}

impl SceneNode<Game> for Helm {
    fn process(&mut self, _: &mut Game, _: Entity, _: Duration) {
        self.thrust = 0.0;
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")
}

fn files() -> Vec<String> {
    let names =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "ron")).collect();
    names.sort();
    names
}

fn registry() -> Registry<Game> {
    let mut registry = Registry::new();
    common::register(&mut registry);
    registry.add_node::<Helm>("Helm").unwrap();
    registry
}

#[test]
fn each_file_is_refused_with_the_message_that_is_recorded() {
    let (registry, folder) = (registry(), folder());
    let record = std::env::var_os("SCENE_RECORD").is_some();
    let mut kinds = BTreeSet::new();
    let mut wrong = Vec::new();
    for name in files() {
        let mut game = Game::default();
        let errors = registry
            .load(&Folder::new(&folder), &name, &mut game)
            .map(drop)
            .expect_err(&format!("{name} is faulty"));
        assert_eq!(game, Game::default(), "{name} has changed the world");
        kinds.extend(errors.iter().map(|error| error.kind));
        let (found, path) = (errors.render() + "\n", folder.join(name.replace(".ron", ".txt")));
        if record {
            std::fs::write(&path, &found).unwrap();
        } else if std::fs::read_to_string(&path).unwrap_or_default() != found {
            wrong.push(format!("{name}:\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "messages have changed:\n{}", wrong.join("\n"));
    assert!(kinds.len() >= 35, "only {} kinds of errors: {kinds:?}", kinds.len());
}

#[test]
fn a_message_names_the_line_and_the_entity() {
    for (name, line, column) in [
        ("missing_comma", 5, 22),
        ("missing_field", 5, 9),
        ("unknown_component", 5, 9),
        ("wrong_type", 5, 23),
        ("unknown_name", 5, 18),
        ("unclosed_comment", 5, 9),
        ("windows_lines", 5, 23),
        ("byte_order_mark", 5, 22),
    ] {
        let errors = registry()
            .load(&Folder::new(folder()), &format!("{name}.ron"), &mut Game::default())
            .map(drop)
            .unwrap_err();
        let error = errors.iter().next().unwrap();
        assert_eq!((name, error.line, error.column), (name, line, column));
        if name == "missing_field" {
            assert_eq!(error.entity.as_deref(), Some("ship"));
        }
    }
}

fn scene(arguments: &[&str]) -> (bool, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_scene")).args(arguments).current_dir(folder()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_command_checks_what_needs_no_components() {
    let (good, said, _) = scene(&["check", "parts/rock.ron"]);
    assert!(good && said.contains("good, entities: 3, files: 1"), "{said}");
    for name in ["cycle", "unknown_path", "two_siblings", "missing_comma", "unknown_word", "leaves_the_root"]
    {
        let file = format!("{name}.ron");
        let (good, _, complaint) = scene(&["check", &file]);
        let recorded = std::fs::read_to_string(folder().join(format!("{name}.txt"))).unwrap();
        assert!(!good && complaint.trim() == recorded.trim(), "{complaint}");
    }
    assert!(!scene(&["check"]).0 && !scene(&["fmt", "--what"]).0);
}

#[test]
fn the_command_refuses_every_file_when_it_knows_the_components() {
    let (registry, game) = (registry(), Game::default());
    for name in files() {
        let words = ["check".to_owned(), folder().join(&name).to_str().unwrap().to_owned()];
        assert!(
            !std_scene::scene_command(&words, |scene| registry.check(scene, &game)),
            "{name} was accepted"
        );
    }
}

#[test]
fn the_command_formats_files_in_place() {
    let folder = std::env::temp_dir().join(format!("std-scene-fmt-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a.ron");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "scene( entity(\"a\" ,\n Health( 3 ) ) ) // end").unwrap();
    assert!(!scene(&["fmt", "--check", path]).0);
    assert!(scene(&["fmt", path]).0 && scene(&["fmt", "--check", path]).0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, "scene(entity(\"a\",\n    Health(3),\n)) // end\n");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_out_of_the_folder() {
    use std_scene::{SceneSource, SourceError};
    let root = std::env::temp_dir().join(format!("std-scene-link-{}", std::process::id()));
    std::fs::create_dir_all(root.join("scenes")).unwrap();
    std::fs::write(root.join("secret.ron"), "scene()").unwrap();
    std::fs::write(root.join("scenes/a.ron"), "scene()").unwrap();
    std::os::unix::fs::symlink(root.join("secret.ron"), root.join("scenes/out.ron")).unwrap();
    std::os::unix::fs::symlink(&root, root.join("scenes/up")).unwrap();
    std::os::unix::fs::symlink("a.ron", root.join("scenes/in.ron")).unwrap();
    let scenes = Folder::new(root.join("scenes"));
    let read = |path: &str| scenes.read(path, 100);
    assert!(read("a.ron").is_ok() && read("in.ron").is_ok());
    for path in
        ["out.ron", "up/secret.ron", "../secret.ron", "/etc/passwd", "a/../../secret.ron", "C:\\a.ron", ""]
    {
        assert!(matches!(read(path), Err(SourceError::OutsideRoot { .. })), "{path}");
    }
    assert!(
        matches!(read("A.ron"), Err(SourceError::NotFound { known, .. }) if known.contains(&"a.ron".to_owned()))
    );
    assert!(matches!(scenes.read("a.ron", 3), Err(SourceError::TooLong { .. })));
    std::fs::write(root.join("scenes/b.ron"), b"\xff\xfe").unwrap();
    assert!(matches!(read("b.ron"), Err(SourceError::NotUtf8 { .. })));
    std::fs::remove_dir_all(&root).unwrap();
}
