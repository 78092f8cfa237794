//! The world of this program.

use acme_motion::Motions;
use acme_space::Places;
use acme_sprite::Sprites;
use serde::{Deserialize, Serialize};
use std_ecs::{Entities, Hierarchy, World};
use std_scene::Behaviours;

use crate::Arena;

/// The world: one field for each package it is made of.
///
/// That is all there is to declare. Every component of every package is now a component of this world, and
/// a clone of it is a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
pub struct Game {
    /// Who is alive.
    pub entities: Entities,
    /// Whose turret it is.
    pub hierarchy: Hierarchy,
    /// Where things are.
    pub places: Places,
    /// How they move, fire and end.
    pub motions: Motions,
    /// What they look like.
    pub sprites: Sprites,
    /// What this program adds.
    pub arena: Arena,
    /// What has a will of its own.
    pub behaviours: Behaviours<Game>,
}
