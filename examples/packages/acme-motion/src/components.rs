//! The components of this package, and the group that owns their columns.

use std::time::Duration;

use std_ecs::{Column, Columns, Single};

/// How fast something moves, in units a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Velocity {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

/// How long something goes on. [`expire`](crate::expire) ends it then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lifetime {
    /// What is left of it.
    pub remaining: Duration,
}

/// Something that [`fire`](crate::fire) launches bullets from.
///
/// It never changes while it fires, so that snapshots share it; what does change is its [`Reload`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Launcher {
    /// How fast a bullet leaves it.
    pub velocity: Velocity,
    /// How long a bullet flies.
    pub lifetime: Duration,
    /// The time from one bullet to the next.
    pub every: Duration,
}

/// How long a [`Launcher`] has to wait before its next bullet. A launcher without one never fires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reload {
    /// What is left of the wait.
    pub remaining: Duration,
}

/// What pulls on everything that has a [`Velocity`], in units a second, each second. None at first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Gravity {
    /// To the right.
    pub x: f32,
    /// Upwards; what pulls down is negative.
    pub y: f32,
}

/// The columns of this package, and its one singleton.
#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motions {
    /// Who moves.
    pub velocities: Column<Velocity>,
    /// Who ends after a while.
    pub lifetimes: Column<Lifetime>,
    /// Who launches bullets.
    pub launchers: Column<Launcher>,
    /// Who launches the next one when.
    pub reloads: Column<Reload>,
    /// What pulls on everything that moves.
    pub gravity: Single<Gravity>,
}
