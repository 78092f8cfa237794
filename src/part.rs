//! What a field of a group or a world has to be able to do.

use std::fmt;

use crate::column::Column;
use crate::entity::{Entities, Entity};
use crate::guard::Guard;
use crate::key::{ComponentKey, component_key};

/// A field of a columns group or of a world: a column, a single, events, the entities, the hierarchy, or a
/// whole group of those.
///
/// The derives of [`Columns`](crate::Columns) and [`World`](crate::World) implement it, field by field. It
/// is what a world can do to all of its storage without naming a component type; programs call the methods
/// of [`Columns`](crate::Columns) and [`World`](crate::World) instead.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in a columns group or a world as it is",
    label = "wrap it: `Single<{Self}>`",
    note = "each field is a `Column<..>`, a `Single<..>`, an `Events<..>`, the `Entities`, the `Hierarchy`, or a group with `#[derive(Columns)]`"
)]
pub trait Part: Clone + 'static {
    /// Takes away whatever belongs to an entity, which is about to die.
    fn detach_all(&mut self, entity: Entity);

    /// Takes away everything that belongs to entities. Singles keep their values.
    fn clear_all(&mut self);

    /// The end of a frame in which this many fixed steps ran.
    fn end_frame(&mut self, steps: u32);

    /// Adds the entities that die with this one, each after the one that it depends on.
    fn dependents(&self, entity: Entity, found: &mut Vec<Entity>) {
        let _ = (entity, found);
    }

    /// Shows each storage, in the order of the fields, with the names of the fields that lead to it.
    fn visit<'a>(&'a self, path: &mut Vec<&'static str>, visit: &mut Visit<'_, 'a>);

    /// Whether this is consistent in itself and with who is alive.
    ///
    /// # Errors
    ///
    /// The first [`CheckError`] found.
    fn verify(&self, entities: &Entities) -> Result<(), CheckError>;

    /// Becomes a hollow stand-in: touching it panics with what the guard says.
    fn withhold(&mut self, guard: &Guard);

    /// Whether both are the same allocations, so that nothing was written to only one of them.
    fn same(&self, other: &Self) -> bool;
}

/// What [`Part::visit`] calls: with the path of field names, and what is there.
pub type Visit<'v, 'a> = dyn FnMut(&[&'static str], &'a dyn PartView) + 'v;

/// What can be said of a storage without naming its type. Shown by [`Part::visit`].
pub trait PartView {
    /// What kind of storage it is.
    fn kind(&self) -> PartKind;

    /// The type of its values.
    fn key(&self) -> ComponentKey;

    /// How many rows, values or events there are.
    fn length(&self) -> usize;

    /// Its time, which advances with each call that writes.
    fn time(&self) -> u64;

    /// How many bytes it holds, those it shares with clones included. What the values themselves own on
    /// the heap is not counted.
    fn bytes(&self) -> usize;

    /// Shows each allocation that clones may share: where it is, and how many bytes it has. Addresses are
    /// for counting each allocation once; nothing else may depend on them.
    fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        let _ = each;
    }

    /// Whether this is a stand-in that panics when it is touched, because what belongs here is elsewhere.
    fn is_withheld(&self) -> bool {
        false
    }

    /// The value of an entity, for showing.
    fn describe(&self, entity: Entity) -> Option<&dyn fmt::Debug> {
        let _ = entity;
        None
    }
}

/// The kinds of storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// A [`Column`].
    Column,
    /// A [`Single`](crate::Single).
    Single,
    /// An [`Events`](crate::Events).
    Events,
    /// The [`Entities`].
    Entities,
}

/// What is inconsistent in a world, as [`World::check`](crate::World::check) finds it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A column has a row of an entity that is not alive.
    #[error("{key} has a row of {entity}, which is not alive")]
    RowOfTheDead {
        /// The component.
        key: ComponentKey,
        /// The owner of the row.
        entity: Entity,
    },
    /// A value names an entity that is not alive, where it must not.
    #[error("{key} of {entity} names {named}, which is not alive")]
    NamesTheDead {
        /// The component.
        key: ComponentKey,
        /// The owner of the row.
        entity: Entity,
        /// The dead entity.
        named: Entity,
    },
}

impl<T: Clone + fmt::Debug + 'static> Part for Column<T> {
    fn detach_all(&mut self, entity: Entity) {
        self.take(entity);
    }

    fn clear_all(&mut self) {
        self.clear();
    }

    fn end_frame(&mut self, _steps: u32) {}

    fn visit<'a>(&'a self, path: &mut Vec<&'static str>, visit: &mut Visit<'_, 'a>) {
        visit(path, self);
    }

    fn verify(&self, entities: &Entities) -> Result<(), CheckError> {
        match self.owners().find(|&entity| !entities.is_alive(entity)) {
            Some(entity) => Err(CheckError::RowOfTheDead { key: component_key::<T>(), entity }),
            None => Ok(()),
        }
    }

    fn withhold(&mut self, guard: &Guard) {
        *self = Self::withheld(guard.clone());
    }

    fn same(&self, other: &Self) -> bool {
        Column::same(self, other)
    }
}

impl<T: fmt::Debug> PartView for Column<T> {
    fn kind(&self) -> PartKind {
        PartKind::Column
    }

    fn key(&self) -> ComponentKey {
        component_key::<T>()
    }

    fn length(&self) -> usize {
        self.owners.len()
    }

    fn time(&self) -> u64 {
        self.clock
    }

    fn bytes(&self) -> usize {
        Column::bytes(self)
    }

    fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        Column::allocations(self, each);
    }

    fn is_withheld(&self) -> bool {
        self.guard.is_set()
    }

    fn describe(&self, entity: Entity) -> Option<&dyn fmt::Debug> {
        self.get(entity).map(|value| value as &dyn fmt::Debug)
    }
}

impl Part for Entities {
    /// Nothing: the world ends an entity here after it has been detached everywhere.
    fn detach_all(&mut self, _entity: Entity) {}

    fn clear_all(&mut self) {
        self.clear();
    }

    fn end_frame(&mut self, _steps: u32) {}

    fn visit<'a>(&'a self, path: &mut Vec<&'static str>, visit: &mut Visit<'_, 'a>) {
        visit(path, self);
    }

    fn verify(&self, _entities: &Entities) -> Result<(), CheckError> {
        Ok(())
    }

    fn withhold(&mut self, guard: &Guard) {
        *self = Self::withheld(guard.clone());
    }

    fn same(&self, other: &Self) -> bool {
        Entities::same(self, other)
    }
}

impl PartView for Entities {
    fn kind(&self) -> PartKind {
        PartKind::Entities
    }

    fn key(&self) -> ComponentKey {
        component_key::<Entity>()
    }

    fn length(&self) -> usize {
        self.alive_count()
    }

    /// Always 0: the entities keep no time.
    fn time(&self) -> u64 {
        0
    }

    fn bytes(&self) -> usize {
        Entities::bytes(self)
    }

    fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        Entities::allocations(self, each);
    }

    fn is_withheld(&self) -> bool {
        self.guard.is_set()
    }
}
