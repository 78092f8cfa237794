//! Plays what was recorded.

use std::collections::BTreeMap;

use ggrs::InputStatus;
use serde::de::DeserializeOwned;
use std_ecs::digest;

use crate::recorder::Recorded;
use crate::world::Rollback;

pub(crate) mod format;

/// Every how many frames a world is kept to seek from. Keeping one is a clone.
const KEYFRAME: u32 = 60;

/// A recorded game: plays forwards, and seeks to any frame.
///
/// While frames run for the first time their worlds are compared with the recorded digests. Every
/// sixtieth world is kept, so that going back costs at most sixty steps. An example is at
/// [`Recorder`](crate::Recorder).
///
/// A file that was cut off or changed still plays up to the damage, which [`damage`](Self::damage) names.
#[derive(Clone, Debug)]
pub struct Replay<W: Rollback> {
    inputs: Vec<Vec<Recorded<W::Input>>>,
    digests: BTreeMap<u32, u128>,
    damage: Option<Damage>,
    world: W,
    frame: u32,
    keyframes: BTreeMap<u32, W>,
}

/// Where a file is not what was written, as [`Replay::damage`] tells.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the replay is damaged at byte {offset}: {problem}; the {frames} frames before it can be played")]
pub struct Damage {
    /// The byte at which the piece begins that cannot be read.
    pub offset: usize,
    /// How many frames lie before it.
    pub frames: u32,
    /// What is wrong there.
    pub problem: String,
}

/// Why a replay cannot be written, read or played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file is something else.
    #[error("this is no replay: it does not begin with `{}`", format::MAGIC.escape_ascii())]
    NotAReplay,
    /// The file was written by a version that is not known here.
    #[error("the replay has format {found}, and this program reads format {}", format::VERSION)]
    OtherVersion {
        /// The version of the file.
        found: u16,
    },
    /// Nothing of the file can be played.
    #[error(transparent)]
    Unreadable(Damage),
    /// A component or an input cannot be serialised.
    #[error("the replay cannot be written: {0}")]
    Unwritable(String),
    /// There is no such frame.
    #[error("frame {frame} was not recorded: the replay has frames 0 to {frames}{}", after(damage.as_ref()))]
    NotRecorded {
        /// The frame asked for.
        frame: u32,
        /// How many there are.
        frames: u32,
        /// Why there are no more, if the file is damaged.
        damage: Option<Damage>,
    },
    /// The world came out differently from how it was when it was recorded.
    #[error(
        "frame {frame} came out differently from the recording: its digest is {found:032x}, and was \
         {recorded:032x}; the program has changed since, or its step depends on something beside the world"
    )]
    Diverged {
        /// The frame.
        frame: u32,
        /// The digest then.
        recorded: u128,
        /// The digest now.
        found: u128,
    },
}

fn after(damage: Option<&Damage>) -> String {
    damage.map_or(String::new(), |damage| format!("; {damage}"))
}

impl<W: Rollback> Replay<W> {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] if not even the start can be read. Damage further on is no error here: see
    /// [`damage`](Self::damage).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReplayError>
    where
        W: DeserializeOwned,
    {
        let format::Contents { start, inputs, digests, damage } = format::read::<W>(bytes)?;
        let keyframes = BTreeMap::from([(0, start.clone())]);
        Ok(Self { inputs, digests, damage, world: start, frame: 0, keyframes })
    }

    /// How many frames can be played.
    pub fn frames(&self) -> u32 {
        self.inputs.len() as u32
    }

    /// Where the file is damaged, if it is.
    pub fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }

    /// The world at the frame that was last sought.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// How many frames that world has run.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// The world after so many frames; 0 is the start.
    ///
    /// Costs a step for each frame that was never reached before, and at most 60 for one that was.
    ///
    /// # Errors
    ///
    /// [`ReplayError::NotRecorded`] if there are not so many frames, and [`ReplayError::Diverged`] at the
    /// first frame that came out differently from the recording. The world then is the last that was right.
    pub fn seek(&mut self, frame: u32) -> Result<&W, ReplayError> {
        let frames = self.frames();
        if frame > frames {
            return Err(ReplayError::NotRecorded { frame, frames, damage: self.damage.clone() });
        }
        let keyframe = self.keyframes.range(..=frame).next_back();
        let (from, world) = keyframe.map_or((self.frame, &self.world), |(&from, world)| (from, world));
        if self.frame > frame || self.frame < from {
            (self.frame, self.world) = (from, world.clone());
        }
        while self.frame < frame {
            let inputs: Vec<(W::Input, InputStatus)> = self.inputs[self.frame as usize]
                .iter()
                .map(|&(input, is_gone)| {
                    (input, if is_gone { InputStatus::Disconnected } else { InputStatus::Confirmed })
                })
                .collect();
            let mut next = self.world.clone();
            next.step(&inputs);
            let reached = self.frame + 1;
            if let Some(&recorded) = self.digests.get(&reached) {
                let found = digest(&next);
                if found != recorded {
                    return Err(ReplayError::Diverged { frame: reached, recorded, found });
                }
            }
            (self.frame, self.world) = (reached, next);
            if reached.is_multiple_of(KEYFRAME) {
                self.keyframes.entry(reached).or_insert_with(|| self.world.clone());
            }
        }
        Ok(&self.world)
    }
}
