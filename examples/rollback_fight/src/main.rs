//! A fight between processes over UDP on the loopback interface, with rollback.
//!
//! `cargo run --release -p rollback_fight` starts two peers and a bad network between them. After a minute both
//! print the digest of the same world, whatever the network did. `--help` lists what can be set.

mod arena;
mod arguments;
mod bots;
mod failure;
mod launcher;
mod peer;
mod relay;
mod replays;
mod view;

use std::process::ExitCode;

use arguments::Arguments;
use failure::Failure;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    if arguments.help {
        print!("{}", arguments::HELP);
        return Ok(());
    }
    match (&arguments.play, arguments.peer) {
        (Some(path), _) => replays::play(path, arguments.seek),
        (None, Some(own)) => peer::run(&arguments, own),
        (None, None) => launcher::run(&arguments),
    }
}
