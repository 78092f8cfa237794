//! An entity component system whose world is a value.

// The derives write `::std_ecs`, in the tests of this crate too.
extern crate self as std_ecs;

mod column;
mod entity;
mod guard;
mod key;
mod pages;
mod part;
mod query;
mod shared;
mod single;
mod store;
mod world;

pub use column::{Change, Chunks, ChunksMut, Column, Diff, Iter, IterMut, Since, Stale, Stamp};
pub use entity::{Entities, Entity, SpawnAtError};
pub use guard::Guard;
pub use key::{ComponentKey, component_key};
pub use part::{CheckError, Part, PartKind, PartView, Visit};
pub use query::{
    Combinations, Optional, Query, SingleError, Source, optional, pairs, quadruples, query, triples,
};
pub use single::Single;
pub use std_ecs_derive::{Columns, World};
pub use store::{Columns, Described, Has, Owned, Store, StoreMut};
pub use world::{Bundle, World};
