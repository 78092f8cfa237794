//! An entity component system whose world is a value: `let snapshot = world.clone();` is a snapshot,
//! `world = snapshot;` is a rollback, and a `Vec` of worlds is a replay.
//!
//! ```
//! use std_ecs::{Column, Columns, Entities, World, pairs};
//!
//! #[derive(Clone, Debug, PartialEq)]
//! pub struct Position(f32);
//! #[derive(Clone, Debug, PartialEq)]
//! pub struct Velocity(f32);
//!
//! #[derive(Clone, Debug, Default, PartialEq, Columns)] // what a package ships
//! pub struct Places { positions: Column<Position>, velocities: Column<Velocity> }
//! #[derive(Clone, Debug, Default, PartialEq, World)] // what a program composes of packages
//! pub struct Game { entities: Entities, places: Places }
//!
//! let mut world = Game::default();
//! let ship = world.spawn_with((Position(0.0), Velocity(0.5)));
//! let snapshot = world.clone();
//! for (_, position, velocity) in pairs(&mut world.places.positions, &world.places.velocities) {
//!     position.0 += velocity.0;
//! }
//! assert_eq!(world.get::<Position>(ship), Some(&Position(0.5)));
//! world = snapshot;
//! assert_eq!(world.get::<Position>(ship), Some(&Position(0.0)));
//! ```
//!
//! # Goals, the most important first
//!
//! 1. A clone is exact (who is alive, who is handed out next, the order of rows, stamps, events, readers) and
//!    costs a few reference counts a column. A write afterwards copies one page of 1,024 rows.
//! 2. The set of component types is open and nothing is erased. Packages ship groups of typed columns, a
//!    program composes them, and every system is compiled for the types it is used with. There is no `Any`, no
//!    registry of types, no downcast and no `unsafe`.
//! 3. Order is a promise: the same operations in the same order give the same bytes, on every machine and with
//!    any number of threads.
//! 4. It walks as fast as slices do, and attaches, detaches, snapshots and finds changes in constant time.
//! 5. It is small enough to be read in an afternoon.
//!
//! # Where to begin
//!
//! A package declares components, which are ordinary types, and a group of [`Column`]s and [`Single`]s with
//! `#[derive(Columns)]`. Its systems are functions with [`Store`] and [`StoreMut`] as bounds. A program
//! puts one field for each package beside its [`Entities`] and derives [`World`]. [`query`], [`pairs`],
//! [`triples`] and [`quadruples`] walk rows. The package `ecs-starter` is a program to copy.
//!
//! # Features
//!
//! `parallel` (default) uses the threads of `rayon`, `serde` (default) serialises everything that stores data.
//! Results are the same without them.

// The derives write `::std_ecs`, in the tests of this crate too.
extern crate self as std_ecs;

/// The examples of the README, which have to run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod both;
mod column;
#[cfg(feature = "serde")]
mod delta;
#[cfg(feature = "serde")]
mod digest;
mod entity;
mod events;
mod guard;
mod hierarchy;
mod history;
mod key;
mod pages;
mod part;
mod query;
#[cfg(feature = "serde")]
mod replay_check;
mod schedule;
mod shared;
mod single;
mod store;
mod world;

pub use both::both;
pub use column::{Change, Chunks, ChunksMut, Column, Diff, EntityPage, Iter, IterMut, Since, Stale, Stamp};
#[cfg(feature = "serde")]
pub use delta::{ColumnChange, Delta, DeltaError, EntitiesChange, SingleChange, WorldDelta, delta};
#[cfg(feature = "serde")]
pub use digest::{
    Difference, Digest, DigestReport, DigestVisit, PartDigest, difference, digest, digest_report,
};
pub use entity::{Entities, Entity, SpawnAtError};
#[cfg(feature = "serde")]
pub use events::EventsChange;
pub use events::{Events, Read, Reader};
pub use guard::Guard;
pub use hierarchy::{DepthOrder, Hierarchy, HierarchyError, InDepthOrder, Parent};
pub use history::{History, MemoryReport, Undo};
pub use key::{ComponentKey, component_key};
pub use part::{CheckError, Part, PartKind, PartView, Visit};
pub use query::{
    Combinations, Optional, Query, SingleError, Source, optional, pairs, quadruples, query, triples,
};
#[cfg(feature = "serde")]
pub use replay_check::{ReplayCheck, ReplayError};
pub use schedule::{
    Cause, Conflict, FixedStep, Plan, PlannedStage, Schedule, ScheduleError, Stage, Steps, System, Timing,
    Wait,
};
pub use single::Single;
pub use std_ecs_derive::{Columns, World};
pub use store::{Columns, Described, Has, Owned, Store, StoreMut};
pub use world::{Bundle, World};

#[cfg(feature = "serde")]
#[doc(hidden)]
pub use delta::DeltaField;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use digest::DigestField;

/// What the derives write for worlds that can be serialised: there only with feature `serde`, which a
/// derive cannot see.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! with_serde {
    ($($item:item)*) => { $($item)* };
}

/// What the derives write for worlds that can be serialised: nothing without feature `serde`.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! with_serde {
    ($($item:item)*) => {};
}
