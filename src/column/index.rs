//! The sparse half of a column: from an entity to its row.

use triomphe::Arc;

use crate::entity::Entity;
use crate::pages::{PAGE, place};
use crate::shared::unique;

/// Where the row of one index is. A generation of zero says that there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Slot {
    pub(crate) row: u32,
    pub(crate) generation: u32,
}

#[derive(Clone)]
pub(crate) struct IndexPage([Slot; PAGE]);

pub(crate) type Table = Vec<Option<Arc<IndexPage>>>;

/// Slots by entity index, in copy-on-write pages of 1,024 that exist only where there is a row or was one.
#[derive(Clone, Default)]
pub(crate) struct Index {
    table: Arc<Table>,
}

/// The table of an [`Index`] while its rows are not borrowed.
#[derive(Clone, Copy, Default)]
pub(crate) struct IndexRef<'a> {
    table: &'a [Option<Arc<IndexPage>>],
}

impl IndexRef<'_> {
    /// The row of exactly this entity.
    #[inline(always)]
    pub(crate) fn row(self, entity: Entity) -> Option<usize> {
        let (page, at) = place(entity.index() as usize);
        let slot = self.table.get(page)?.as_ref()?.0[at];
        (slot.generation == entity.generation().get()).then_some(slot.row as usize)
    }
}

impl Index {
    #[inline(always)]
    pub(crate) fn by_ref(&self) -> IndexRef<'_> {
        IndexRef { table: &self.table }
    }

    /// The row of exactly this entity.
    #[inline]
    pub(crate) fn row(&self, entity: Entity) -> Option<usize> {
        self.by_ref().row(entity)
    }

    /// The row of an entity's index and the generation that has it.
    pub(crate) fn occupant(&self, entity: Entity) -> Option<(usize, u32)> {
        let (page, at) = place(entity.index() as usize);
        let slot = self.table.get(page)?.as_ref()?.0[at];
        (slot.generation != 0).then_some((slot.row as usize, slot.generation))
    }

    /// The slot of an entity's index, for writing.
    #[inline(always)]
    pub(crate) fn slot_mut(&mut self, entity: Entity) -> &mut Slot {
        let (page, at) = place(entity.index() as usize);
        &mut page_mut(unique(&mut self.table), page)[at]
    }

    /// Gives rows to entities from `row` on, up to the first whose index has a row. Answers to how many.
    pub(crate) fn claim(&mut self, entities: &[Entity], row: usize) -> usize {
        let table = unique(&mut self.table);
        let Some(&first) = entities.first() else { return 0 };
        let mut page = place(first.index() as usize).0;
        let mut slots = page_mut(table, page);
        for (claimed, &entity) in entities.iter().enumerate() {
            let (its_page, at) = place(entity.index() as usize);
            if its_page != page {
                page = its_page;
                slots = page_mut(table, page);
            }
            if slots[at].generation != 0 {
                return claimed;
            }
            slots[at] = Slot { row: (row + claimed) as u32, generation: entity.generation().get() };
        }
        entities.len()
    }

    /// Takes back what [`claim`](Self::claim) gave to the first of these entities, those whose row it is.
    pub(crate) fn give_back(&mut self, entities: &[Entity], row: usize) {
        for (row, &entity) in (row..).zip(entities) {
            if self.row(entity) != Some(row) {
                return;
            }
            *self.slot_mut(entity) = Slot::default();
        }
    }

    /// The table for writing, if nobody else holds it.
    #[inline(always)]
    pub(crate) fn unshared(&mut self) -> Option<&mut Table> {
        Arc::get_mut(&mut self.table)
    }

    /// Shows each allocation: where it is, and how many bytes it has.
    pub(crate) fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        let table = self.table.capacity() * size_of::<Option<Arc<IndexPage>>>();
        each(Arc::as_ptr(&self.table).addr(), table);
        for page in self.table.iter().flatten() {
            each(Arc::as_ptr(page).addr(), size_of::<IndexPage>());
        }
    }

    /// How many bytes the pages and the table hold.
    pub(crate) fn bytes(&self) -> usize {
        let pages = self.table.iter().flatten().count();
        pages * size_of::<IndexPage>() + self.table.capacity() * size_of::<Option<Arc<IndexPage>>>()
    }
}

/// The slot of an entity's index for writing, if its page exists and nobody else holds it.
#[inline(always)]
pub(crate) fn unshared_slot(table: &mut Table, entity: Entity) -> Option<&mut Slot> {
    let (page, at) = place(entity.index() as usize);
    Some(&mut Arc::get_mut(table.get_mut(page)?.as_mut()?)?.0[at])
}

/// The slots of a page, for writing.
#[inline(always)]
fn page_mut(table: &mut Table, page: usize) -> &mut [Slot; PAGE] {
    if !matches!(table.get(page), Some(Some(_))) {
        grow(table, page);
    }
    let Some(Some(page)) = table.get_mut(page) else { unreachable!("the page was made above") };
    &mut unique(page).0
}

#[cold]
#[inline(never)]
fn grow(table: &mut Table, page: usize) {
    if table.len() <= page {
        table.resize(page + 1, None);
    }
    table[page] = Some(Arc::new(IndexPage([Slot::default(); PAGE])));
}
