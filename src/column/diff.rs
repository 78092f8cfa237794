//! The difference between two values of one column.

use std::iter::FusedIterator;

use super::Column;
use crate::entity::Entity;
use crate::pages::{PAGE, place};

/// One difference between two values of a column, as [`Column::diff`] yields them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change<'a, T> {
    /// The entity has a row now and had none.
    Attached {
        /// Whose row.
        entity: Entity,
        /// The value now.
        new: &'a T,
    },
    /// The entity had another value.
    Changed {
        /// Whose row.
        entity: Entity,
        /// The value before.
        old: &'a T,
        /// The value now.
        new: &'a T,
    },
    /// The entity had a row and has none now.
    Detached {
        /// Whose row.
        entity: Entity,
        /// The value before.
        old: &'a T,
    },
}

impl<T> Change<'_, T> {
    /// Whose row differs.
    pub fn entity(&self) -> Entity {
        match *self {
            Self::Attached { entity, .. } | Self::Changed { entity, .. } | Self::Detached { entity, .. } => {
                entity
            }
        }
    }
}

/// What differs between two values of a column: first what was attached or changed, in the row order of the
/// newer value, then what was detached, in the row order of the earlier. Made by [`Column::diff`].
#[derive(Debug)]
pub struct Diff<'a, T> {
    new: &'a Column<T>,
    old: &'a Column<T>,
    detached: bool,
    row: usize,
}

impl<'a, T: PartialEq> Diff<'a, T> {
    pub(super) fn new(new: &'a Column<T>, old: &'a Column<T>) -> Self {
        Self { new, old, detached: false, row: 0 }
    }

    /// Whether a page holds the same values for the same entities in both, without a look at its rows.
    fn shares(&self, page: usize) -> bool {
        let (Some(new), Some(old)) = (self.new.table.get(page), self.old.table.get(page)) else {
            return false;
        };
        let (new_owners, old_owners) = (&self.new.owners.table()[page], &self.old.owners.table()[page]);
        new.rows.same(&old.rows) && (new_owners.same(old_owners) || new_owners.0 == old_owners.0)
    }

    /// The next row, of the side that is walked now, in a page that is not shared.
    fn next_row(&mut self) -> Option<(Entity, &'a T)> {
        let side = if self.detached { self.old } else { self.new };
        if self.row.is_multiple_of(PAGE) {
            while self.shares(self.row / PAGE) {
                self.row += PAGE;
            }
        }
        let entity = *side.owners.get(self.row)?;
        let (page, at) = place(self.row);
        self.row += 1;
        Some((entity, &side.table[page].rows.values[at]))
    }
}

impl<'a, T: PartialEq> Iterator for Diff<'a, T> {
    type Item = Change<'a, T>;

    fn next(&mut self) -> Option<Change<'a, T>> {
        loop {
            match self.next_row() {
                Some((entity, old)) if self.detached => {
                    if !self.new.contains(entity) {
                        return Some(Change::Detached { entity, old });
                    }
                }
                Some((entity, new)) => match self.old.get(entity) {
                    None => return Some(Change::Attached { entity, new }),
                    Some(old) if old != new => return Some(Change::Changed { entity, old, new }),
                    Some(_) => {}
                },
                None if self.detached => return None,
                None => (self.detached, self.row) = (true, 0),
            }
        }
    }
}

impl<T: PartialEq> FusedIterator for Diff<'_, T> {}
