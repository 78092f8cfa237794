//! The command for scene files, to be built into a program that knows their components.

use std::path::Path;

use crate::error::SceneErrors;
use crate::limits::Limits;
use crate::load::Scene;
use crate::source::Folder;
use crate::value::format_scene;
use crate::world_file::write_text;

const USAGE: &str = "\
usage: scene check [--root FOLDER] FILE..   reads scenes and all that they instance
       scene fmt [--check] FILE..           brings white space and commas into order

The folder that paths in files start from is that of the file, unless --root names another.";

/// Does what the words after the name of a program ask for: `check FILE..` or `fmt FILE..`. False if something was
/// wrong, which has been printed then.
///
/// What `check` finds in a scene beside its structure is what the given function finds: a program that passes
/// `|scene| registry.check(scene, &world)` checks the values of components too.
///
/// ```
/// use std_scene::scene_command;
///
/// let arguments = ["check".to_owned(), "no/such/file.ron".to_owned()];
/// assert!(!scene_command(&arguments, |_| Ok(())));
/// ```
pub fn scene_command(arguments: &[String], check: impl Fn(&Scene) -> Result<(), SceneErrors>) -> bool {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["check", "--root", root, files @ ..] if takes(files) => {
            each(files, |file| check_file(Some(Path::new(root)), Path::new(file), &check))
        }
        ["check", files @ ..] if takes(files) => {
            each(files, |file| check_file(None, Path::new(file), &check))
        }
        ["fmt", "--check", files @ ..] if takes(files) => each(files, |file| format(Path::new(file), true)),
        ["fmt", files @ ..] if takes(files) => each(files, |file| format(Path::new(file), false)),
        ["--help" | "-h"] => {
            println!("{USAGE}");
            true
        }
        _ => {
            eprintln!("{USAGE}");
            false
        }
    }
}

fn takes(files: &[&str]) -> bool {
    !files.is_empty() && files.iter().all(|file| !file.starts_with('-'))
}

/// Does this with each file, and says what went wrong.
fn each(files: &[&str], work: impl Fn(&str) -> Result<(), String>) -> bool {
    let mut good = true;
    for file in files {
        if let Err(message) = work(file) {
            eprintln!("{message}\n");
            good = false;
        }
    }
    good
}

fn check_file(
    root: Option<&Path>,
    file: &Path,
    check: &impl Fn(&Scene) -> Result<(), SceneErrors>,
) -> Result<(), String> {
    let folder = root.unwrap_or_else(|| file.parent().unwrap_or(Path::new("")));
    let path = file.strip_prefix(folder).map_err(|_| {
        format!("{} is not below {}: name a root that it is in", file.display(), folder.display())
    })?;
    let path: Vec<String> =
        path.components().map(|name| name.as_os_str().to_string_lossy().into_owned()).collect();
    let read = Scene::read(&Folder::new(folder), &path.join("/"), &Limits::default());
    let scene = read.and_then(|scene| check(&scene).map(|()| scene)).map_err(|errors| errors.render())?;
    println!("{}: good, entities: {}, files: {}", file.display(), scene.len(), scene.files().count());
    Ok(())
}

fn format(file: &Path, only_check: bool) -> Result<(), String> {
    let io = |error: std::io::Error| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(io)?;
    let formatted = format_scene(&file.display().to_string(), &text, &Limits::default())
        .map_err(|errors| errors.render())?;
    if formatted == text {
        return Ok(());
    }
    if only_check {
        return Err(format!("{} is not formatted: run `scene fmt` on it", file.display()));
    }
    write_text(file, &formatted).map_err(io)?;
    println!("{}: formatted", file.display());
    Ok(())
}
