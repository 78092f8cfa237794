//! The links between parents, children and siblings, which make every change of the tree constant time.

use triomphe::Arc;

use crate::entity::Entity;
use crate::shared::unique;

/// In the place of an index: nobody.
pub(super) const NONE: u32 = u32::MAX;

/// How many slots a page has: 16 KiB of them.
const PAGE: usize = 512;

/// The page of an index and its place in it.
#[inline]
const fn place(index: u32) -> (usize, usize) {
    (index as usize / PAGE, index as usize % PAGE)
}

/// What lies between the order numbers of two children that were added one after the other.
const STEP: i64 = 1 << 16;

/// One entity of the tree. The others are named by index: an index has one generation at a time here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Zero where the entity has neither a parent nor children.
    generation: u32,
    pub(super) parent: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    /// A copy of the order number in the column of parents.
    pub(super) order: i64,
}

const EMPTY: Slot =
    Slot { generation: 0, parent: NONE, first: NONE, last: NONE, previous: NONE, next: NONE, order: 0 };

#[derive(Clone)]
struct LinkPage([Slot; PAGE]);

/// Slots by entity index, in copy-on-write pages of 512 that exist only where there is a slot or was one.
#[derive(Clone, Default)]
pub(super) struct Links {
    table: Arc<Vec<Option<Arc<LinkPage>>>>,
}

impl Links {
    /// Whoever has this index in the tree.
    #[inline]
    pub(super) fn at(&self, index: u32) -> Option<&Slot> {
        let (page, at) = place(index);
        let slot = &self.table.get(page)?.as_ref()?.0[at];
        (slot.generation != 0).then_some(slot)
    }

    /// The slot of exactly this entity.
    #[inline]
    pub(super) fn get(&self, entity: Entity) -> Option<&Slot> {
        self.at(entity.index()).filter(|slot| slot.generation == entity.generation().get())
    }

    /// The entity that has this index in the tree.
    #[inline]
    pub(super) fn entity(&self, index: u32) -> Option<Entity> {
        let generation = self.at(index)?.generation;
        Some(Entity::new(index, generation.try_into().ok()?))
    }

    /// No index in the tree is as high as this.
    pub(super) fn end(&self) -> usize {
        self.table.len() * PAGE
    }

    /// Whether both are one allocation.
    pub(super) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table)
    }

    /// Shows each allocation: where it is, and how many bytes it has.
    pub(super) fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        let table = self.table.capacity() * size_of::<Option<Arc<LinkPage>>>();
        each(Arc::as_ptr(&self.table).addr(), table);
        for page in self.table.iter().flatten() {
            each(Arc::as_ptr(page).addr(), size_of::<LinkPage>());
        }
    }

    /// How many bytes the pages and the table hold.
    pub(super) fn bytes(&self) -> usize {
        let pages = self.table.iter().flatten().count();
        pages * size_of::<LinkPage>() + self.table.capacity() * size_of::<Option<Arc<LinkPage>>>()
    }

    #[inline]
    pub(super) fn slot_mut(&mut self, index: u32) -> &mut Slot {
        let (page, at) = place(index);
        let table = unique(&mut self.table);
        if !matches!(table.get(page), Some(Some(_))) {
            grow(table, page);
        }
        let Some(Some(page)) = table.get_mut(page) else { unreachable!("the page was made above") };
        &mut unique(page).0[at]
    }

    /// The order number for a child that comes before `next`, or at the end; `None` if there is no gap.
    pub(super) fn number_before(&self, parent: Entity, next: u32) -> Option<i64> {
        let follower = self.at(next);
        let previous = match follower {
            Some(slot) => slot.previous,
            None => self.get(parent).map_or(NONE, |slot| slot.last),
        };
        match (self.at(previous), follower) {
            (None, None) => Some(0),
            (Some(previous), None) => previous.order.checked_add(STEP),
            (None, Some(next)) => next.order.checked_sub(STEP),
            (Some(previous), Some(next)) => {
                let half = previous.order.abs_diff(next.order) / 2;
                previous.order.checked_add_unsigned(half).filter(|_| half > 0)
            }
        }
    }

    /// The order number of the child with this many siblings before it, when all are numbered anew.
    pub(super) const fn fresh_number(before: i64) -> i64 {
        before * STEP
    }

    /// Puts a child without a parent into the list of a parent: before `next`, or at the end.
    pub(super) fn link(&mut self, child: Entity, parent: Entity, next: u32, order: i64) {
        let generation = parent.generation().get();
        let slot = self.slot_mut(parent.index());
        slot.generation = generation;
        let previous = if next == NONE {
            std::mem::replace(&mut slot.last, child.index())
        } else {
            std::mem::replace(&mut self.slot_mut(next).previous, child.index())
        };
        if previous == NONE {
            self.slot_mut(parent.index()).first = child.index();
        } else {
            self.slot_mut(previous).next = child.index();
        }
        let slot = self.slot_mut(child.index());
        slot.generation = child.generation().get();
        (slot.parent, slot.previous, slot.next, slot.order) = (parent.index(), previous, next, order);
    }

    /// Takes a child out of the list of its parent; nothing if it has none.
    pub(super) fn unlink(&mut self, child: u32) {
        let Some(&Slot { parent, previous, next, .. }) = self.at(child) else { return };
        if parent == NONE {
            return;
        }
        let slot = self.slot_mut(child);
        (slot.parent, slot.previous, slot.next, slot.order) = (NONE, NONE, NONE, 0);
        if previous == NONE {
            self.slot_mut(parent).first = next;
        } else {
            self.slot_mut(previous).next = next;
        }
        if next == NONE {
            self.slot_mut(parent).last = previous;
        } else {
            self.slot_mut(next).previous = previous;
        }
        for index in [child, parent] {
            let slot = self.slot_mut(index);
            if slot.parent == NONE && slot.first == NONE {
                slot.generation = 0;
            }
        }
    }

    /// The next entity below `top` after this one, a parent before its children.
    pub(super) fn next_below(&self, top: u32, from: u32) -> Option<u32> {
        let mut slot = self.at(from)?;
        if slot.first != NONE {
            return Some(slot.first);
        }
        let mut at = from;
        while at != top {
            if slot.next != NONE {
                return Some(slot.next);
            }
            at = slot.parent;
            slot = self.at(at)?;
        }
        None
    }
}

#[cold]
#[inline(never)]
fn grow(table: &mut Vec<Option<Arc<LinkPage>>>, page: usize) {
    if table.len() <= page {
        table.resize(page + 1, None);
    }
    table[page] = Some(Arc::new(LinkPage([EMPTY; PAGE])));
}
