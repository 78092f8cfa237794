//! The hierarchy as a field of a world, and as the store of [`Parent`].

use std::fmt;

use super::links::{Links, NONE};
use super::{Hierarchy, HierarchyError, Parent};
use crate::column::Column;
use crate::entity::{Entities, Entity};
use crate::guard::Guard;
use crate::key::{ComponentKey, component_key};
use crate::part::{CheckError, Part, PartKind, PartView, Visit};
use crate::store::{Columns, Owned, Store};

impl Owned for Parent {
    type Columns = Hierarchy;
}

impl Columns for Hierarchy {}

impl Store<Parent> for Hierarchy {
    type Storage = Self;

    #[inline]
    fn storage(&self) -> &Self {
        self
    }

    #[inline]
    fn storage_mut(&mut self) -> &mut Self {
        self
    }

    #[inline]
    fn column(&self) -> &Column<Parent> {
        &self.parents
    }

    /// Makes the entity the last child of the parent; the order number in the value does not matter.
    /// `false` if a handle is stale.
    ///
    /// # Panics
    ///
    /// If that would make a cycle; [`set_parent`](Hierarchy::set_parent) answers with an error instead.
    fn attach(&mut self, entity: Entity, value: Parent) -> bool {
        match self.set_parent(entity, value.entity) {
            Ok(()) => true,
            Err(error @ (HierarchyError::OwnParent { .. } | HierarchyError::Cycle { .. })) => {
                panic!("attaching a parent: {error}")
            }
            Err(_) => false,
        }
    }

    /// Makes the entity a root. Its children stay its children.
    fn detach(&mut self, entity: Entity) -> Option<Parent> {
        let value = self.parents.remove(entity)?;
        self.orders.begin_anew();
        self.links.unlink(entity.index());
        Some(value)
    }

    #[inline]
    fn requires(value: &Parent) -> Option<Entity> {
        Some(value.entity)
    }
}

impl Part for Hierarchy {
    /// Makes the entity's children roots and takes it out of the tree.
    #[inline]
    fn detach_all(&mut self, entity: Entity) {
        if self.links.get(entity).or_else(|| self.nobody()).is_none() {
            return;
        }
        let children: Vec<Entity> = self.children(entity).collect();
        for child in children {
            self.detach(child);
        }
        self.detach(entity);
    }

    fn clear_all(&mut self) {
        self.parents.clear();
        self.links = Links::default();
        self.orders.begin_anew();
    }

    fn end_frame(&mut self, _steps: u32) {}

    /// All descendants, each after its parent.
    #[inline]
    fn dependents(&self, entity: Entity, found: &mut Vec<Entity>) {
        if self.links.get(entity).or_else(|| self.nobody()).is_none_or(|slot| slot.first == NONE) {
            return;
        }
        found.extend(self.descendants(entity));
    }

    fn visit<'a>(&'a self, path: &mut Vec<&'static str>, visit: &mut Visit<'_, 'a>) {
        visit(path, self);
    }

    fn verify(&self, entities: &Entities) -> Result<(), CheckError> {
        self.parents.verify(entities)?;
        match self.parents.iter().find(|(_, parent)| !entities.is_alive(parent.entity)) {
            Some((entity, parent)) => {
                let key = component_key::<Parent>();
                Err(CheckError::NamesTheDead { key, entity, named: parent.entity })
            }
            None => Ok(()),
        }
    }

    fn withhold(&mut self, guard: &Guard) {
        *self = Self { parents: Column::withheld(guard.clone()), ..Self::default() };
    }

    fn same(&self, other: &Self) -> bool {
        self.parents.same(&other.parents) && self.links.same(&other.links)
    }
}

impl PartView for Hierarchy {
    /// A column: that of the parents.
    fn kind(&self) -> PartKind {
        PartKind::Column
    }

    fn key(&self) -> ComponentKey {
        component_key::<Parent>()
    }

    fn length(&self) -> usize {
        self.parents.length()
    }

    fn time(&self) -> u64 {
        self.parents.time()
    }

    fn bytes(&self) -> usize {
        self.parents.bytes() + self.links.bytes()
    }

    fn is_withheld(&self) -> bool {
        self.parents.is_withheld()
    }

    fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        self.parents.allocations(each);
        self.links.allocations(each);
    }

    fn describe(&self, entity: Entity) -> Option<&dyn fmt::Debug> {
        PartView::describe(&self.parents, entity)
    }
}
