//! `scene check FILE..` and `scene fmt FILE..`: scene files without the program they belong to.
//!
//! It knows no components: whether their values fit is for a program that passes its own registry to
//! [`std_scene::scene_command`].

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if std_scene::scene_command(&arguments, |_| Ok(())) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
