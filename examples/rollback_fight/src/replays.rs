//! Writes and plays replays.

use std::path::Path;
use std::time::Instant;

use std_ecs::digest;
use std_rollback::{Recorder, Replay};

use crate::arena::Arena;
use crate::failure::Failure;
use crate::view;

/// Writes what was recorded.
pub(crate) fn write(recorder: &Recorder<Arena>, path: &Path) -> Result<(), Failure> {
    let bytes = recorder.to_bytes().map_err(|source| Failure::Replay { path: path.to_owned(), source })?;
    std::fs::write(path, bytes).map_err(|source| Failure::File { path: path.to_owned(), source })
}

/// Plays a file to its end, or to the frame that is sought, and shows the world there.
pub(crate) fn play(path: &Path, seek: Option<u32>) -> Result<(), Failure> {
    let failed = |source| Failure::Replay { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(|source| Failure::File { path: path.to_owned(), source })?;
    let mut replay = Replay::<Arena>::from_bytes(&bytes).map_err(failed)?;
    if let Some(damage) = replay.damage() {
        eprintln!("{damage}");
    }
    let frames = replay.frames();
    let start = Instant::now();
    replay.seek(frames).map_err(failed)?;
    println!("played {frames} frames in {:?}, digests as recorded", start.elapsed());
    let frame = seek.unwrap_or(frames);
    let start = Instant::now();
    let world = replay.seek(frame).map_err(failed)?;
    let line = format!("digest {:032x}, sought in {:?}", digest(world), start.elapsed());
    print!("{}", view::draw(world, frame.cast_signed(), &line));
    Ok(())
}
