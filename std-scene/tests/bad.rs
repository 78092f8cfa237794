//! Each file of `tests/bad` and of `tests/bad_components` is refused with the message that is recorded beside it:
//! the first by `scene check`, which knows no components, the others by a program that has registered some.
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
use std_scene::{Behaviours, ErrorKind, Folder, Registry, SceneNode};

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

/// Faults that show without knowing any component.
const BAD: &str = "tests/bad";
/// Faults that only the types of the components show.
const BAD_COMPONENTS: &str = "tests/bad_components";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The names of the scenes in a folder, without those that they instance.
fn files(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| is_scene(Path::new(name))).collect();
    names.sort();
    names
}

fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "ron")
}

/// Compares what was said about each file of a folder with what is recorded beside it.
fn compare(folder: &Path, said: impl Fn(&str) -> String) {
    let record = std::env::var_os("SCENE_RECORD").is_some();
    let mut wrong = Vec::new();
    for name in files(folder) {
        let (found, path) = (said(&name), folder.join(name.replace(".ron", ".txt")));
        if record {
            std::fs::write(&path, &found).unwrap();
        } else if std::fs::read_to_string(&path).unwrap_or_default() != found {
            wrong.push(format!("{name}:\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "messages have changed:\n{}", wrong.join("\n"));
}

fn registry() -> Registry<Game> {
    let mut registry = Registry::new();
    common::register(&mut registry);
    registry.add_node::<Helm>("Helm").unwrap();
    registry
}

/// The kinds of the errors that a program finds in the files of a folder, none of which it loads.
fn kinds(folder: &Path) -> BTreeSet<ErrorKind> {
    let mut kinds = BTreeSet::new();
    for name in files(folder) {
        let mut game = Game::default();
        let errors = registry().load(&Folder::new(folder), &name, &mut game).map(drop);
        let errors = errors.expect_err(&format!("{name} is faulty"));
        assert_eq!(game, Game::default(), "{name} has changed the world");
        kinds.extend(errors.iter().map(|error| error.kind));
    }
    kinds
}

#[test]
fn the_plain_command_refuses_each_file_with_the_message_that_is_recorded() {
    compare(&folder(BAD), |name| {
        let (good, said, complaint) = scene(&["check", name]);
        assert!(!good && said.is_empty(), "{name} was accepted: {said}");
        complaint.trim_end().to_owned() + "\n"
    });
}

#[test]
fn a_program_refuses_each_file_with_the_message_that_is_recorded() {
    for folder in [BAD, BAD_COMPONENTS].map(folder) {
        compare(&folder, |name| {
            let loaded = registry().load(&Folder::new(&folder), name, &mut Game::default()).map(drop);
            loaded.expect_err(&format!("{name} is faulty")).render() + "\n"
        });
    }
}

#[test]
fn a_file_that_needs_the_components_has_nothing_else_wrong() {
    for name in files(&folder(BAD_COMPONENTS)) {
        let path = folder(BAD_COMPONENTS).join(&name);
        let (good, said, complaint) = scene(&["check", path.to_str().unwrap()]);
        assert!(good && said.contains("good"), "{name} belongs into {BAD}: {complaint}");
    }
}

#[test]
fn the_files_show_most_kinds_of_errors() {
    let (plain, typed) = (kinds(&folder(BAD)), kinds(&folder(BAD_COMPONENTS)));
    assert!(plain.len() >= 25, "only {} kinds of errors: {plain:?}", plain.len());
    assert!(typed.is_disjoint(&plain), "{typed:?} and {plain:?}");
    assert!(plain.len() + typed.len() >= 40, "{plain:?} and {typed:?}");
}

#[test]
fn the_plain_command_accepts_every_other_scene_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let found = scenes(root);
    assert!(found.iter().any(|path| path.ends_with("ecs-starter/scenes/level.ron")), "{found:?}");
    for path in found {
        let (good, _, complaint) = scene(&["check", path.to_str().unwrap()]);
        assert!(good, "{}:\n{complaint}", path.display());
    }
}

/// All scenes below a folder but for the faulty ones and what was built.
fn scenes(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap_or_default();
            if path.is_dir() {
                let other = name.starts_with('.')
                    || name == "target"
                    || [BAD, BAD_COMPONENTS].iter().any(|bad| path.ends_with(bad));
                open.extend((!other).then_some(path));
            } else if is_scene(&path)
                && std::fs::read_to_string(&path).is_ok_and(|text| text.contains("scene("))
            {
                found.push(path);
            }
        }
    }
    found
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
        let file = format!("{name}.ron");
        let folder = [BAD, BAD_COMPONENTS].map(folder).into_iter().find(|folder| folder.join(&file).exists());
        let errors = registry().load(&Folder::new(folder.unwrap()), &file, &mut Game::default());
        let errors = errors.map(drop).unwrap_err();
        let error = errors.iter().next().unwrap();
        assert_eq!((name, error.line, error.column), (name, line, column));
        if name == "missing_field" {
            assert_eq!(error.entity.as_deref(), Some("ship"));
        }
    }
}

fn scene(arguments: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scene"));
    let output = command.args(arguments).current_dir(folder(BAD)).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_command_says_what_it_has_read() {
    let (good, said, _) = scene(&["check", "parts/rock.ron"]);
    assert!(good && said.contains("good, entities: 3, files: 1"), "{said}");
    assert!(!scene(&["check"]).0 && !scene(&["fmt", "--what"]).0);
}

#[test]
fn the_command_refuses_every_file_when_it_knows_the_components() {
    let (registry, game) = (registry(), Game::default());
    for folder in [BAD, BAD_COMPONENTS].map(folder) {
        for name in files(&folder) {
            let words = ["check".to_owned(), folder.join(&name).to_str().unwrap().to_owned()];
            let good = std_scene::scene_command(&words, |scene| registry.check(scene, &game));
            assert!(!good, "{name} was accepted");
        }
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
