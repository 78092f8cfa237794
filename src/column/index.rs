//! The sparse half of a column: from an entity to its row.

use std::iter;
use std::sync::LazyLock;

use triomphe::{Arc, HeaderSlice};

use super::arrangement::Arrangement;
use crate::entity::Entity;
use crate::pages::{PAGE, place};
use crate::shared::unique;

/// Where the row of one index is: zero if there is none, otherwise the bits of the entity that has it, the row
/// exclusive-ored into their lower half. The same again with the bits of an entity leaves the row if it is this
/// entity's, and more than any row if it is not, so that a look-up is one load and asks one question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Slot(u64);

impl Slot {
    /// The slot of an entity that has this row.
    #[inline(always)]
    pub(crate) fn new(entity: Entity, row: usize) -> Self {
        Self(entity.to_bits() ^ row as u64)
    }

    /// Whether no entity has a row here.
    #[inline(always)]
    pub(crate) fn is_free(self) -> bool {
        self.0 == 0
    }

    /// The row of exactly this entity, whose index is that of the slot; if there is none, a number that is greater
    /// than any row.
    #[inline(always)]
    fn row_or_beyond(self, entity: Entity) -> usize {
        usize::try_from(self.0 ^ entity.to_bits()).unwrap_or(usize::MAX)
    }

    /// The row that any entity of this index has, and the generation of that entity.
    fn occupant(self, index: u32) -> Option<(usize, u32)> {
        (!self.is_free()).then_some(((self.0 as u32 ^ index) as usize, (self.0 >> 32) as u32))
    }
}

#[derive(Clone)]
pub(crate) struct IndexPage([Slot; PAGE]);

type Table = [Arc<IndexPage>];

/// Stands in tables for every page in which there never was a row. It is shared by its owner here, so that
/// whoever writes it gets a page of its own, like of any page that is shared.
static BLANK: LazyLock<Arc<IndexPage>> = LazyLock::new(|| Arc::new(IndexPage([Slot::default(); PAGE])));

/// Slots by entity index, in copy-on-write pages of 1,024 that exist only where there is a row or was one.
#[derive(Clone)]
pub(crate) struct Index {
    /// As many pages as there are, or twice that, a slice and not a vector: finding them takes one load less. Before
    /// them which arrangement of rows this is: whatever hands out a part of the table for writing makes it another.
    table: Arc<HeaderSlice<Arrangement, Table>>,
}

/// An [`Index`] while its column's values are borrowed for writing.
#[derive(Clone, Copy, Default)]
pub(crate) struct IndexRef<'a> {
    table: &'a Table,
    /// None in place of a column that was moved out.
    pub(crate) arrangement: Option<&'a Arrangement>,
}

impl IndexRef<'_> {
    /// The row of exactly this entity, or [`u32::MAX`], which none is: where many are looked up, the least of two
    /// numbers is found without a branch.
    #[inline(always)]
    pub(crate) fn row_or_max(self, entity: Entity) -> u32 {
        let (page, at) = place(entity.index() as usize);
        self.table
            .get(page)
            .map_or(u32::MAX, |page| page.0[at].row_or_beyond(entity).min(u32::MAX as usize) as u32)
    }

    /// The row of exactly this entity.
    #[inline(always)]
    pub(crate) fn row(self, entity: Entity) -> Option<usize> {
        let (page, at) = place(entity.index() as usize);
        let row = self.table.get(page)?.0[at].row_or_beyond(entity);
        u32::try_from(row).is_ok().then_some(row)
    }
}

impl Default for Index {
    fn default() -> Self {
        Self { table: Arc::from_header_and_vec(Arrangement::default(), Vec::new()) }
    }
}

impl Index {
    #[inline(always)]
    pub(crate) fn by_ref(&self) -> IndexRef<'_> {
        IndexRef { table: &self.table.slice, arrangement: Some(&self.table.header) }
    }

    /// The row of exactly this entity.
    #[inline]
    pub(crate) fn row(&self, entity: Entity) -> Option<usize> {
        self.by_ref().row(entity)
    }

    /// What a table of pages has for the row of exactly this entity, and the place of the row in it. A row that is
    /// another's is beyond every table, so that this is one question.
    #[inline(always)]
    pub(crate) fn find<'a, P>(&self, entity: Entity, pages: &'a [P]) -> Option<(&'a P, usize)> {
        let (page, at) = place(entity.index() as usize);
        let (page, at) = place(self.table.slice.get(page)?.0[at].row_or_beyond(entity));
        Some((pages.get(page)?, at))
    }

    /// The row of an entity's index and the generation that has it.
    pub(crate) fn occupant(&self, entity: Entity) -> Option<(usize, u32)> {
        let (page, at) = place(entity.index() as usize);
        self.table.slice.get(page)?.0[at].occupant(entity.index())
    }

    /// The slot of an entity's index, for writing.
    #[inline(always)]
    pub(crate) fn slot_mut(&mut self, entity: Entity) -> &mut Slot {
        let (page, at) = place(entity.index() as usize);
        &mut self.page_mut(page)[at]
    }

    /// The slots of a page, for writing.
    #[inline(always)]
    fn page_mut(&mut self, page: usize) -> &mut [Slot; PAGE] {
        if page >= self.table.slice.len() || !self.table.is_unique() {
            self.copy_table(page + 1);
        }
        let Some(HeaderSlice { header, slice: table }) = Arc::get_mut(&mut self.table) else {
            unreachable!("nobody else has seen the copy")
        };
        header.changed();
        &mut unique(&mut table[page]).0
    }

    /// Copies the table, which is too short or shared. It grows by doubling.
    #[cold]
    #[inline(never)]
    fn copy_table(&mut self, pages: usize) {
        let table = &self.table.slice;
        let length = if pages > table.len() { pages.next_power_of_two() } else { table.len() };
        let blanks = iter::repeat_with(|| BLANK.clone());
        let copy = table.iter().cloned().chain(blanks).take(length).collect();
        self.table = Arc::from_header_and_vec(Arrangement::default(), copy);
    }

    /// Gives rows to entities from `row` on, up to the first whose index has a row. Answers to how many.
    pub(crate) fn claim(&mut self, entities: &[Entity], row: usize) -> usize {
        let mut claimed = 0;
        while let Some(&next) = entities.get(claimed) {
            let (page, at) = place(next.index() as usize);
            let slots = &mut self.page_mut(page)[at..];
            let count = slots.len().min(entities.len() - claimed);
            if !claim_in_a_row(&mut slots[..count], &entities[claimed..claimed + count], row + claimed) {
                return claimed + self.claim_each(&entities[claimed..], row + claimed);
            }
            claimed += count;
        }
        claimed
    }

    fn claim_each(&mut self, entities: &[Entity], row: usize) -> usize {
        let Some(&first) = entities.first() else { return 0 };
        let mut page = place(first.index() as usize).0;
        let mut slots = self.page_mut(page);
        for (claimed, &entity) in entities.iter().enumerate() {
            let (its_page, at) = place(entity.index() as usize);
            if its_page != page {
                page = its_page;
                slots = self.page_mut(page);
            }
            if !slots[at].is_free() {
                return claimed;
            }
            slots[at] = Slot::new(entity, row + claimed);
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

    /// The slot of an entity's index, to give a row to, if no entity has a row there and nobody else holds what the
    /// slot is in.
    #[inline(always)]
    pub(crate) fn free_slot(&mut self, entity: Entity) -> Option<&mut Slot> {
        let HeaderSlice { header, slice: table } = Arc::get_mut(&mut self.table)?;
        let slot = unshared_slot(table, entity)?;
        if !slot.is_free() {
            return None;
        }
        header.changed();
        Some(slot)
    }

    /// Takes the row of an entity away and gives it to another, or to nobody if both are the same. `None` if something
    /// is shared that would be written: the other may have the row then all the same.
    #[inline(always)]
    pub(crate) fn replace(&mut self, entity: Entity, by: Entity, row: usize) -> Option<()> {
        let HeaderSlice { header, slice: table } = Arc::get_mut(&mut self.table)?;
        header.changed();
        *unshared_slot(table, by)? = Slot::new(by, row);
        *unshared_slot(table, entity)? = Slot::default();
        Some(())
    }

    /// Shows each allocation: where it is, and how many bytes it has.
    pub(crate) fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        each(Arc::as_ptr(&self.table).addr(), size_of_val(&*self.table));
        for page in self.pages() {
            each(Arc::as_ptr(page).addr(), size_of::<IndexPage>());
        }
        self.table.header.allocations(each);
    }

    /// How many bytes the pages and the table hold.
    pub(crate) fn bytes(&self) -> usize {
        self.pages().count() * size_of::<IndexPage>() + size_of_val(&*self.table) + self.table.header.bytes()
    }

    /// The pages in which there are rows or were.
    fn pages(&self) -> impl Iterator<Item = &Arc<IndexPage>> {
        self.table.slice.iter().filter(|page| !Arc::ptr_eq(page, &BLANK))
    }
}

/// Gives rows to entities from `row` on if their indices follow one another, as those of new entities do, and all of
/// their slots are free. Each of the questions and the writing is done for several at a time.
fn claim_in_a_row(slots: &mut [Slot], entities: &[Entity], row: usize) -> bool {
    let Some(first) = entities.first() else { return true };
    let gaps =
        entities.iter().zip(first.index()..).fold(0, |bits, (entity, index)| bits | entity.index() ^ index);
    let taken = slots.iter().fold(0, |bits, slot| bits | slot.0);
    if gaps != 0 || taken != 0 {
        return false;
    }
    for ((slot, &entity), row) in slots.iter_mut().zip(entities).zip(row..) {
        *slot = Slot::new(entity, row);
    }
    true
}

/// The slot of an entity's index for writing, if its page exists and nobody else holds it.
#[inline(always)]
fn unshared_slot(table: &mut Table, entity: Entity) -> Option<&mut Slot> {
    let (page, at) = place(entity.index() as usize);
    Some(&mut Arc::get_mut(table.get_mut(page)?)?.0[at])
}
