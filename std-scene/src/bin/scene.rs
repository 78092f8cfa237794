//! `scene check FILE..` and `scene fmt FILE..`: scene files without the program they belong to.

use std::path::Path;
use std::process::ExitCode;

use std_scene::{Folder, Limits, Scene, format_scene};

const USAGE: &str = "\
usage: scene check [--root FOLDER] FILE..   reads scenes and all that they instance
       scene fmt [--check] FILE..           brings white space and commas into order

check knows no components: whether their values fit is for the program's own `Registry::check`.
The folder that paths in files start from is that of the file, unless --root names another.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let good = match words.as_slice() {
        ["check", "--root", root, files @ ..] if !files.is_empty() => {
            each(files, |file| check(Some(Path::new(root)), Path::new(file)))
        }
        ["check", files @ ..] if takes(files) => each(files, |file| check(None, Path::new(file))),
        ["fmt", "--check", files @ ..] if takes(files) => each(files, |file| format(Path::new(file), true)),
        ["fmt", files @ ..] if takes(files) => each(files, |file| format(Path::new(file), false)),
        ["--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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

fn check(root: Option<&Path>, file: &Path) -> Result<(), String> {
    let folder = root.unwrap_or_else(|| file.parent().unwrap_or(Path::new("")));
    let path = file.strip_prefix(folder).map_err(|_| {
        format!("{} is not below {}: name a root that it is in", file.display(), folder.display())
    })?;
    let path: Vec<String> =
        path.components().map(|name| name.as_os_str().to_string_lossy().into_owned()).collect();
    match Scene::read(&Folder::new(folder), &path.join("/"), &Limits::default()) {
        Ok(scene) => {
            println!("{}: {} entities of {} files", file.display(), scene.len(), scene.files().count());
            Ok(())
        }
        Err(errors) => Err(errors.render()),
    }
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
    std_scene::write_text(file, &formatted).map_err(io)?;
    println!("{}: formatted", file.display());
    Ok(())
}
