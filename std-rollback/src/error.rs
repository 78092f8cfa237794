//! What can go wrong in a session, in words that say what to do.

use std_ecs::Difference;

/// Why a session cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RollbackError {
    /// Two peers hold different worlds.
    #[error(
        "desync at frame {frame}: the digest is {local:032x} here and {remote:032x} at {peer}; \
         compare `digest_report` of both worlds to find the column, and run `SyncTest` or `ReplayCheck` \
         to find the cause"
    )]
    Desync {
        /// The frame in which it was found.
        frame: i32,
        /// The digest of the world here.
        local: u128,
        /// The digest of the world there.
        remote: u128,
        /// The address of the other peer.
        peer: String,
    },
    /// A frame that ran again came out differently.
    #[error(
        "frame {frame} came out differently when it ran again{}; the step depends on something that is not in \
         the world: `ReplayCheck` says on what kind of thing",
        at(difference.as_deref())
    )]
    NotDeterministic {
        /// The first frame with a different result.
        frame: i32,
        /// The first place that differs: the first result on the left, the second on the right.
        difference: Option<Box<Difference>>,
    },
    /// A sync test with these settings would compare nothing.
    #[error(
        "a sync test that runs {frames} frames and goes back {distance} compares nothing: \
         go back 2 frames or more, and run for longer than that"
    )]
    ComparesNothing {
        /// How many frames it goes back.
        distance: usize,
        /// How many frames it runs.
        frames: u32,
    },
    /// A spectator is too far behind the host to ever catch up.
    #[error("too far behind the host to catch up: start watching again, or let the host keep more frames")]
    TooFarBehind,
    /// The session was used in a way that it does not allow.
    #[error("the session refused: {0}")]
    Refused(String),
    /// The session itself failed, and cannot be used any more.
    #[error(
        "the session broke: {0}; peers that play on after one of them vanished cannot always agree on its last \
         input: start a new session from the same world"
    )]
    Broken(String),
    /// The session asks for a world that was never saved.
    #[error(
        "the session asks for the world of frame {frame}, which was not saved: use one driver for each session"
    )]
    NotSaved {
        /// The frame.
        frame: i32,
    },
}

fn at(difference: Option<&Difference>) -> String {
    difference.map_or(String::new(), |difference| format!(": {difference}"))
}
