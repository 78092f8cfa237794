//! What a query leaves out.

use super::side::{Driver, Fit, OwnerPage, Owners, is_aligned};
use crate::column::Column;
use crate::column::index::IndexRef;
use crate::entity::Entity;

/// The filters of a query: `()`, or a filter and those before it.
pub trait Filters: Copy {
    /// Whether nothing is left out.
    const PASS_ALL: bool = false;

    /// What passes of a page of entities.
    fn fits(&self, page: usize, owners: &OwnerPage) -> Fit;

    /// Whether an entity passes.
    fn passes(&self, entity: Entity) -> bool;
}

impl Filters for () {
    const PASS_ALL: bool = true;

    #[inline]
    fn fits(&self, _page: usize, _owners: &OwnerPage) -> Fit {
        Fit::All
    }

    #[inline]
    fn passes(&self, _entity: Entity) -> bool {
        true
    }
}

impl<Before: Filters, F: Filters> Filters for (Before, F) {
    #[inline]
    fn fits(&self, page: usize, owners: &OwnerPage) -> Fit {
        self.0.fits(page, owners).and(self.1.fits(page, owners))
    }

    #[inline]
    fn passes(&self, entity: Entity) -> bool {
        self.0.passes(entity) && self.1.passes(entity)
    }
}

/// Entities that have a row in a column.
#[derive(Clone, Copy)]
pub(super) struct With<'a> {
    owners: Owners<'a>,
    index: IndexRef<'a>,
}

impl<'a> With<'a> {
    pub(super) fn new<T>(column: &'a Column<T>) -> Self {
        column.len();
        Self { owners: column.owners.table(), index: column.index.by_ref() }
    }

    pub(super) fn driver(&self) -> Driver<'a> {
        Driver { owners: self.owners, arrangement: self.index.arrangement }
    }
}

impl Filters for With<'_> {
    #[inline]
    fn fits(&self, page: usize, owners: &OwnerPage) -> Fit {
        if self.owners.is_empty() {
            Fit::None
        } else if is_aligned(self.owners, page, owners) {
            Fit::All
        } else {
            Fit::Each
        }
    }

    #[inline]
    fn passes(&self, entity: Entity) -> bool {
        self.index.row(entity).is_some()
    }
}

/// Entities that have no row in a column.
#[derive(Clone, Copy)]
pub(super) struct Without<'a>(pub(super) With<'a>);

impl Filters for Without<'_> {
    #[inline]
    fn fits(&self, page: usize, owners: &OwnerPage) -> Fit {
        match self.0.fits(page, owners) {
            Fit::All => Fit::None,
            Fit::None => Fit::All,
            Fit::Each => Fit::Each,
        }
    }

    #[inline]
    fn passes(&self, entity: Entity) -> bool {
        !self.0.passes(entity)
    }
}
