//! Bringing rows into another order.

use triomphe::Arc;

use super::stamps::Stamps;
use super::{Column, Entry, Rows};
use crate::entity::Entity;
use crate::pages::{PAGE, Pages, place};
use crate::shared::{Shared, unique};

impl<T: Clone> Column<T> {
    /// Makes row `i` what row `order[i]` was; rows that `order` does not name are dropped. Stamps move with
    /// their rows. Nothing is written if that changes nothing.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        let rows = self.owners.len();
        if order.len() == rows && (0..).zip(order).all(|(row, &old)| row == old) {
            return;
        }
        let mut values = self.take_values();
        let mut entries = Vec::with_capacity(order.len().div_ceil(PAGE));
        for page in order.chunks(PAGE) {
            entries.push(self.gather(page, &mut values));
        }
        let owners: Vec<Entity> = self.owners.iter().copied().collect();
        if order.len() < rows {
            for &entity in &owners {
                self.index.slot_mut(entity).generation = 0;
            }
        }
        self.owners = order.iter().map(|&old| owners[old as usize]).collect::<Pages<_>>();
        for (row, &entity) in (0..).zip(self.owners.iter()) {
            let slot = self.index.slot_mut(entity);
            (slot.row, slot.generation) = (row, entity.generation().get());
        }
        self.table = Arc::new(entries);
        self.tick();
    }

    /// All values, in row order; the pages are left without, their stamps still in place.
    fn take_values(&mut self) -> Vec<Option<T>> {
        let table = unique(&mut self.table);
        // The clones of values may panic: here, where nothing has been taken yet.
        for entry in table.iter_mut() {
            entry.rows.write();
        }
        let mut values = Vec::with_capacity(table.len() * PAGE);
        for entry in table {
            values.extend(std::mem::take(&mut entry.rows.write().values).into_iter().map(Some));
        }
        values
    }

    /// One page of the rows named, their values taken out of `values`.
    fn gather(&self, old_rows: &[u32], values: &mut [Option<T>]) -> Entry<T> {
        let mut page = Rows {
            values: Vec::with_capacity(old_rows.len().next_power_of_two().clamp(8, PAGE)),
            attached: Stamps::default(),
            changed: Stamps::default(),
        };
        let mut newest = 0;
        for (row, &old) in old_rows.iter().enumerate() {
            let (old_page, at) = place(old as usize);
            let stamps = &self.table[old_page].rows;
            let changed = stamps.changed.get(at);
            newest = newest.max(changed);
            page.attached.push(row, stamps.attached.get(at));
            page.changed.push(row, changed);
            page.values.extend(values[old as usize].take());
        }
        Entry { newest, rows: Shared::new(page) }
    }
}
