//! A sample package: where things are, and where that is in the space of the whole world.
//!
//! It owns two components and the columns that keep them, [`Places`]. A program writes a [`Position`], in
//! the space of the parent, and a [`GlobalPosition`] is computed from it, so that what was set and what was
//! computed cannot be confused.

use std_ecs::{Column, Columns};

/// Where something is, in the space of its parent, or in that of the world where it has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Position {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

/// Where something is in the space of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GlobalPosition {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

/// The columns of this package.
#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Places {
    /// What the program wrote.
    pub positions: Column<Position>,
    /// What was computed from it.
    pub globals: Column<GlobalPosition>,
}
