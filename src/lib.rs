//! An entity component system whose world is a value.

// The derives write `::std_ecs`, in the tests of this crate too.
extern crate self as std_ecs;

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
