//! Stages: when in a frame a system runs.

use std::fmt;

/// When in a frame a system runs. A schedule starts with `Input`, `Fixed`, `Update` and `Late`, in this
/// order; a program puts stages of its own between any two with
/// [`Schedule::insert_stage_before`](crate::Schedule::insert_stage_before) and
/// [`insert_stage_after`](crate::Schedule::insert_stage_after).
///
/// | stage | runs | `elapsed` is |
/// | --- | --- | --- |
/// | `Input` | once a frame, first | the time of the frame |
/// | `Fixed`, `Step(..)` | once for each whole step of the frame: never, once or several times | the step |
/// | `Update`, `Late`, `Frame(..)` | once a frame | the time of the frame |
///
/// In a frame with several steps all stages of a step run before the next step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// What the player, the network and the window said since the last frame.
    Input,
    /// The simulation, in whole steps.
    Fixed,
    /// What follows the frame rate: cameras, animations.
    Update,
    /// What needs the frame's last word: drawing, sound, saving.
    Late,
    /// A stage of the program's own, once a frame.
    Frame(&'static str),
    /// A stage of the program's own, in each fixed step; it stands beside `Fixed` or another such stage.
    Step(&'static str),
}

impl Stage {
    /// Whether it runs once for each fixed step.
    pub const fn is_step(self) -> bool {
        matches!(self, Self::Fixed | Self::Step(_))
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Input => "Input",
            Self::Fixed => "Fixed",
            Self::Update => "Update",
            Self::Late => "Late",
            Self::Frame(name) | Self::Step(name) => name,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
