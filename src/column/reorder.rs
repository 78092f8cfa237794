//! Bringing rows into another order.

use std::cmp::Ordering;

use triomphe::Arc;

use super::index::Slot;
use super::stamps::Stamps;
use super::{Column, Entry, Rows};
use crate::entity::Entity;
use crate::pages::{PAGE, Pages, place};
use crate::query::same_entities;
use crate::shared::{Shared, unique};

impl<T: Clone> Column<T> {
    /// Keeps the rows for which `keep` answers true, in their order and with their stamps. If `keep`
    /// panics, nothing has changed.
    pub fn retain(&mut self, mut keep: impl FnMut(Entity, &T) -> bool) {
        let kept: Vec<u32> = (0..)
            .zip(self.iter())
            .filter_map(|(row, (entity, value))| keep(entity, value).then_some(row))
            .collect();
        self.reorder(&kept);
    }

    /// Sorts the rows; equal ones keep their order. Stamps move with their rows, and no row counts as
    /// changed. O(n log n); nothing is written if the rows are in order already.
    ///
    /// ```
    /// # use std_ecs::{Column, Entities};
    /// # let mut entities = Entities::default();
    /// # let (a, b) = (entities.spawn(), entities.spawn());
    /// # let mut depths = Column::default();
    /// # depths.extend([(a, 2), (b, 1)]);
    /// depths.sort_by(|(_, left), (_, right)| left.cmp(right));
    /// assert_eq!(depths.iter().collect::<Vec<_>>(), [(b, &1), (a, &2)]);
    /// ```
    pub fn sort_by(&mut self, mut compare: impl FnMut((Entity, &T), (Entity, &T)) -> Ordering) {
        let rows: Vec<(Entity, &T)> = self.iter().collect();
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_by(|&a, &b| compare(rows[a as usize], rows[b as usize]));
        self.reorder(&order);
    }

    /// Brings the rows into the order of another column: first those that both own, as the other has them,
    /// then the rest in the order they have. O(n).
    ///
    /// From then on a walk over both goes over slices, and pages of entities are shared between them.
    /// This is the sorting of groups in `EnTT`.
    pub fn sort_as<U>(&mut self, other: &Column<U>) {
        self.len();
        other.len();
        let mut rest = vec![true; self.owners.len()];
        let mut order = Vec::with_capacity(rest.len());
        for &entity in other.owners.iter() {
            if let Some(row) = self.index.row(entity) {
                rest[row] = false;
                order.push(row as u32);
            }
        }
        order.extend((0..).zip(&rest).filter_map(|(row, &is_rest)| is_rest.then_some(row)));
        self.reorder(&order);
        self.owners.adopt(&other.owners, same_entities);
    }

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
                *self.index.slot_mut(entity) = Slot::default();
            }
        }
        self.owners = order.iter().map(|&old| owners[old as usize]).collect::<Pages<_>>();
        for (row, &entity) in self.owners.iter().enumerate() {
            *self.index.slot_mut(entity) = Slot::new(entity, row);
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
