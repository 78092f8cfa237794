//! Sample components, groups and worlds, and the ways to save and load, that the test files share.

#![allow(dead_code, unused_imports, reason = "each test file uses a part of this")]

use std::num::NonZeroU32;

use std_ecs::{Column, Columns, Entities, Entity, Single, World};

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

pub(crate) mod drops;
pub(crate) mod saving;

/// The entity of an index and a generation.
pub(crate) fn entity(index: u32, generation: u32) -> Entity {
    Entity::new(index, NonZeroU32::new(generation).expect("generations begin at 1"))
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(crate) struct Position(pub(crate) f32, pub(crate) f32);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(crate) struct Velocity(pub(crate) f32, pub(crate) f32);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(crate) struct Health(pub(crate) i32);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(crate) struct Name(pub(crate) String);

/// A component that names other entities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(crate) struct Inventory(pub(crate) Vec<Entity>);

/// A marker: it has no size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(crate) struct Burning;

#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(crate) struct Motions {
    pub(crate) positions: Column<Position>,
    pub(crate) velocities: Column<Velocity>,
    pub(crate) gravity: Single<f32>,
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(crate) struct Bodies {
    pub(crate) health: Column<Health>,
    pub(crate) names: Column<Name>,
    pub(crate) inventories: Column<Inventory>,
    pub(crate) burning: Column<Burning>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(crate) struct Game {
    pub(crate) entities: Entities,
    pub(crate) motions: Motions,
    pub(crate) bodies: Bodies,
    pub(crate) score: Single<u64>,
}

/// Takes the answer of a call that is made for what it does.
pub(crate) fn ignore<T>(_answer: T) {}
