//! The level is loaded from its file, and plays.

use std::path::Path;
use std::process::Command;

use std_scene::{Folder, Limits, Scene, SceneSource, format_scene};

#[test]
fn the_level_is_loaded_and_plays_as_it_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_level")).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for line in [
        "loaded: 11 entities of 2 files",
        r#"tree: ["ship", "hull", "turret"]"#,
        r#"one frame: ["ship at 0.5", "free frame 1 at 0.25"]"#,
        "rolled back 300 steps and run again: the same",
        "their digests are equal: true",
    ] {
        assert!(said.lines().any(|found| found == line), "{line} is missing in\n{said}");
    }
}

#[test]
fn the_scenes_are_good_and_formatted() {
    let scenes = Folder::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes"));
    for name in ["level.ron", "asteroid.ron"] {
        Scene::read(&scenes, name, &Limits::default()).unwrap_or_else(|errors| panic!("{}", errors.render()));
        let text = scenes.read(name, 1 << 20).unwrap();
        assert_eq!(format_scene(name, &text, &Limits::default()).unwrap(), text);
    }
}
