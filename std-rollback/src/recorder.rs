//! Keeps what was played: the start and the inputs, which is all that a world depends on.

use std::collections::BTreeMap;

use ggrs::InputStatus;
use serde::Serialize;

use crate::replay::format;
use crate::world::Rollback;

/// The input of a player in a frame, and whether the player was gone.
pub(crate) type Recorded<I> = (I, bool);

/// Records a game: the world it started from, the inputs of each frame, and digests to check a replay by.
///
/// [`Driver::recording`](crate::Driver::recording) fills one from a session, where an input only counts once
/// it is final. Without a session, call [`step`](Self::step) before each frame and
/// [`confirm`](Self::confirm) after it.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use std_ecs::{Entities, Single, World, digest};
/// # use std_rollback::*;
/// # #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
/// # struct Game { entities: Entities, score: Single<u32> }
/// # impl Rollback for Game {
/// #     type Input = u8;
/// #     fn step(&mut self, inputs: &[(u8, InputStatus)]) { *self.score += u32::from(inputs[0].0); }
/// # }
/// let mut game = Game::default();
/// let mut recorder = Recorder::new(&game);
/// for frame in 0..100 {
///     let inputs = [(frame as u8, InputStatus::Confirmed)];
///     recorder.step(frame, &inputs);
///     game.step(&inputs);
///     recorder.digest(frame + 1, digest(&game));
///     recorder.confirm(frame);
/// }
/// let file = recorder.to_bytes()?;
///
/// let mut replay = Replay::<Game>::from_bytes(&file)?;
/// assert_eq!(replay.seek(100)?, &game);
/// assert_eq!(*replay.seek(3)?.score, 0 + 1 + 2);
/// # Ok::<_, ReplayError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recorder<W: Rollback> {
    start: W,
    inputs: Vec<Vec<Recorded<W::Input>>>,
    digests: BTreeMap<u32, u128>,
    /// How many frames have inputs that are final.
    frames: u32,
}

impl<W: Rollback> Recorder<W> {
    /// Starts with the world before frame 0.
    pub fn new(start: &W) -> Self {
        Self { start: start.clone(), inputs: Vec::new(), digests: BTreeMap::new(), frames: 0 }
    }

    /// Keeps the inputs of a frame; those of a frame that runs again replace the earlier ones. Frames that
    /// are final, and frames before 0, are not touched.
    pub fn step(&mut self, frame: i32, inputs: &[(W::Input, InputStatus)]) {
        let Ok(frame) = usize::try_from(frame) else { return };
        if frame < self.frames as usize {
            return;
        }
        self.inputs.resize(self.inputs.len().max(frame + 1), Vec::new());
        self.inputs[frame] =
            inputs.iter().map(|&(input, status)| (input, status == InputStatus::Disconnected)).collect();
    }

    /// Keeps the digest of the world before a frame, to compare a replay with.
    pub fn digest(&mut self, frame: i32, digest: u128) {
        if let Ok(frame) = u32::try_from(frame) {
            self.digests.insert(frame, digest);
        }
    }

    /// Says that the inputs of this frame and of those before it are final.
    pub fn confirm(&mut self, frame: i32) {
        let confirmed = u32::try_from(frame).map_or(0, |frame| frame.saturating_add(1));
        self.frames = self.frames.max(confirmed.min(self.inputs.len() as u32));
    }

    /// How many frames are recorded and final.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// The digest of the world before a frame, if one was kept and all inputs that led there are final.
    pub fn digest_of(&self, frame: u32) -> Option<u128> {
        self.digests.get(&frame).copied().filter(|_| frame <= self.frames)
    }

    /// The bytes of a file, with a checksum for every few frames.
    ///
    /// # Errors
    ///
    /// [`ReplayError::Unwritable`](crate::ReplayError::Unwritable) if a component or an input cannot be
    /// serialised.
    pub fn to_bytes(&self) -> Result<Vec<u8>, crate::ReplayError>
    where
        W: Serialize,
    {
        let digests = self.digests.iter().map(|(&frame, &digest)| (frame, digest));
        format::write(&self.start, &self.inputs[..self.frames as usize], &digests.collect::<Vec<_>>())
    }
}
