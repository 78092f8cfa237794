//! Writing rows one by one: inserting, changing and removing them.

use triomphe::Arc;

use super::index::{Index, Slot};
use super::stamps::Stamps;
use super::{ChunksMut, Column, Entry, IterMut, Rows, Stale};
use crate::entity::Entity;
use crate::key::component_key;
use crate::pages::{PAGE, Pages, place};
use crate::shared::{Shared, unique};

impl<T: Clone> Column<T> {
    /// Gives the entity a value: in a new last row, or in the row it has.
    ///
    /// `Ok(None)`: the row is new. `Ok(Some(old))`: the index had a row, and this is what it held; if it
    /// belonged to an older entity, the row counts as attached.
    ///
    /// # Errors
    ///
    /// [`Stale`] with the value, if the column holds a newer entity with that index. Nothing has changed.
    #[inline]
    pub fn insert(&mut self, entity: Entity, value: T) -> Result<Option<T>, Stale<T>> {
        let Some(Room { rows, owners, stamp }) = self.claim(entity) else {
            return self.insert_otherwise(entity, value);
        };
        let at = rows.values.len();
        rows.attached.push(at, stamp);
        rows.changed.push(at, stamp);
        rows.values.push(value);
        owners.push(entity);
        Ok(None)
    }

    /// [`insert`](Self::insert) where the index has a row, or where room has to be made first.
    #[inline(never)]
    fn insert_otherwise(&mut self, entity: Entity, value: T) -> Result<Option<T>, Stale<T>> {
        if self.index.occupant(entity).is_some() {
            return self.overwrite(entity, value, self.clock.saturating_add(1));
        }
        self.make_room(entity);
        self.insert(entity, value)
    }

    /// Gives an entity a new last row, which is to be filled at once, and advances the clock. `None`, and all is as it
    /// was, if its index has a row, if something is shared that would be written, or if the last page is full.
    #[inline(always)]
    fn claim(&mut self, entity: Entity) -> Option<Room<'_, T>> {
        let slot = self.index.free_slot(entity)?;
        let owners = self.owners.unshared_tail()?;
        let (Entry { newest, rows }, full) = Arc::get_mut(&mut self.table)?.split_last_mut()?;
        let rows = rows.write_unshared()?;
        let at = rows.values.len();
        if at == PAGE {
            return None;
        }
        *slot = Slot::new(entity, full.len() * PAGE + at);
        let stamp = self.clock.saturating_add(1);
        self.clock = stamp;
        *newest = stamp;
        Some(Room { rows, owners, stamp })
    }

    /// Copies what is shared and adds a page where the last is full. The clone of a value may panic: nothing has
    /// been written then.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, entity: Entity) {
        let table = unique(&mut self.table);
        match table.last_mut().map(|entry| entry.rows.write()) {
            Some(rows) if rows.values.len() < PAGE => {}
            last => {
                if last.is_none() {
                    self.guard.check(component_key::<T>);
                }
                push_page(table);
            }
        }
        self.owners.make_room();
        self.index.slot_mut(entity);
    }

    /// [`insert`](Self::insert) where the index has a row.
    pub(super) fn overwrite(&mut self, entity: Entity, value: T, stamp: u64) -> Result<Option<T>, Stale<T>> {
        let generation = entity.generation().get();
        let Some((row, stored)) = self.index.occupant(entity) else { unreachable!("the index has a row") };
        if generation < stored {
            let Some(&stored) = self.owners.get(row) else { unreachable!("the index names a row") };
            return Err(Stale { asked: entity, stored, value });
        }
        let (page, at) = place(row);
        // Where nothing is shared, this looks once at each count, and `unique` alone would twice.
        let table = match Arc::get_mut(&mut self.table) {
            Some(table) => table,
            None => unique(&mut self.table),
        };
        let Entry { newest, rows } = &mut table[page];
        let rows = match rows.write_unshared() {
            Some(rows) => rows,
            None => rows.write(),
        };
        let length = rows.values.len();
        *newest = stamp;
        rows.changed.set(length, at, stamp);
        if generation > stored {
            rows.attached.set(length, at, stamp);
            *self.index.slot_mut(entity) = Slot::new(entity, row);
            if let Some(owner) = self.owners.get_mut(row) {
                *owner = entity;
            }
        }
        self.clock = stamp;
        Ok(Some(std::mem::replace(&mut rows.values[at], value)))
    }

    /// The value of an entity for writing. The row counts as changed from now on.
    #[inline]
    pub fn get_mut(&mut self, entity: Entity) -> Option<&mut T> {
        let row = self.row(entity)?;
        let stamp = self.tick();
        Some(self.write(row, stamp))
    }

    /// The value of a row, stamped as changed.
    #[inline]
    fn write(&mut self, row: usize, stamp: u64) -> &mut T {
        let (page, at) = place(row);
        let entry = &mut unique(&mut self.table)[page];
        entry.newest = stamp;
        let rows = entry.rows.write();
        rows.changed.set(rows.values.len(), at, stamp);
        &mut rows.values[at]
    }

    /// The values of several entities at once, for writing; `None` for each that has no row. The rows
    /// count as changed by one call. Costs a sort of the entities by row.
    ///
    /// # Panics
    ///
    /// If an entity is named twice.
    ///
    /// ```
    /// # use std_ecs::{Column, Entities};
    /// # let mut entities = Entities::default();
    /// # let (a, b) = (entities.spawn(), entities.spawn());
    /// # let mut column = Column::default();
    /// # column.extend([(a, 1), (b, 2)]);
    /// if let [Some(left), Some(right)] = column.get_many_mut([a, b]) {
    ///     std::mem::swap(left, right);
    /// }
    /// assert_eq!((column.get(a), column.get(b)), (Some(&2), Some(&1)));
    /// ```
    pub fn get_many_mut<const N: usize>(&mut self, entities: [Entity; N]) -> [Option<&mut T>; N] {
        let mut wanted: Vec<(usize, usize)> = Vec::with_capacity(N);
        for (at, &entity) in entities.iter().enumerate() {
            if let Some(row) = self.row(entity) {
                wanted.push((row, at));
            }
        }
        wanted.sort_unstable();
        if let Some(pair) = wanted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            panic!("get_many_mut: {} is named twice", entities[pair[0].1]);
        }
        let mut found = [const { None }; N];
        if wanted.is_empty() {
            return found;
        }
        let stamp = self.tick();
        let mut entries = unique(&mut self.table).iter_mut();
        let mut next_page = 0;
        for group in wanted.chunk_by(|a, b| a.0 / PAGE == b.0 / PAGE) {
            let page = group[0].0 / PAGE;
            let Some(entry) = entries.nth(page - next_page) else { unreachable!("the index names a row") };
            next_page = page + 1;
            entry.newest = stamp;
            let rows = entry.rows.write();
            let length = rows.values.len();
            let mut values = rows.values.iter_mut();
            let mut next = 0;
            for &(row, at) in group {
                let row = row % PAGE;
                rows.changed.set(length, row, stamp);
                found[at] = values.nth(row - next);
                next = row + 1;
            }
        }
        found
    }

    /// The value of an entity for writing; if it has none, it is given what `value` answers.
    ///
    /// # Errors
    ///
    /// [`Stale`] if the column holds a newer entity with that index; `value` is not called then.
    pub fn get_or_insert_with(&mut self, entity: Entity, value: impl FnOnce() -> T) -> Result<&mut T, Stale> {
        if let Some(row) = self.row(entity) {
            let stamp = self.tick();
            return Ok(self.write(row, stamp));
        }
        if let Some(stored) = self.newer_than(entity) {
            return Err(Stale { asked: entity, stored, value: () });
        }
        let inserted = self.insert(entity, value());
        debug_assert!(inserted.is_ok(), "no newer entity has the index");
        let Some(row) = self.row(entity) else { unreachable!("the row was inserted above") };
        Ok(self.write(row, self.clock))
    }

    /// The entity that makes this handle stale.
    fn newer_than(&self, entity: Entity) -> Option<Entity> {
        let (row, generation) = self.index.occupant(entity)?;
        if generation <= entity.generation().get() {
            return None;
        }
        self.owners.get(row).copied()
    }

    /// Takes the value of an entity out; the last row moves into the hole, with its stamps.
    /// `None`, and not a page touched, if the entity has no row.
    #[inline]
    pub fn remove(&mut self, entity: Entity) -> Option<T> {
        self.take(entity)
    }

    /// [`remove`](Self::remove), compiled where it is called: nothing is moved out where the value is dropped.
    #[inline(always)]
    pub(crate) fn take(&mut self, entity: Entity) -> Option<T> {
        let row = self.row(entity)?;
        match self.swap_remove(entity, row) {
            Some(value) => Some(value),
            None => self.remove_shared(entity, row),
        }
    }

    /// Takes out the row of an entity. `None`, and all is as it was, if something is shared that would be written.
    #[inline(always)]
    fn swap_remove(&mut self, entity: Entity, row: usize) -> Option<T> {
        let (page, at) = place(row);
        let (tail, full) = Arc::get_mut(&mut self.table)?.split_last_mut()?;
        let (tail_owners, full_owners) = self.owners.unshared()?.split_last_mut()?;
        let rows = tail.rows.write_unshared()?;
        let owners = &mut tail_owners.write_unshared()?.0;
        let last = *owners.last()?;
        let length = rows.values.len();
        let value = if page < full.len() {
            // The last row moves over into an earlier page.
            let Entry { newest, rows: hole } = &mut full[page];
            let hole = hole.write_unshared()?;
            let hole_owners = &mut full_owners.get_mut(page)?.write_unshared()?.0;
            self.index.replace(entity, last, row)?;
            owners.pop();
            hole_owners[at] = last;
            let (attached, changed) = (rows.attached.pop(length), rows.changed.pop(length));
            let value = rows.values.pop()?;
            let length = hole.values.len();
            *newest = changed.max(*newest);
            hole.attached.set(length, at, attached);
            hole.changed.set(length, at, changed);
            std::mem::replace(&mut hole.values[at], value)
        } else {
            // Each list of the last page fills its own hole.
            self.index.replace(entity, last, row)?;
            owners.swap_remove(at);
            let (attached, changed) = (rows.attached.pop(length), rows.changed.pop(length));
            if at + 1 < length {
                rows.attached.set(length - 1, at, attached);
                rows.changed.set(length - 1, at, changed);
            }
            rows.values.swap_remove(at)
        };
        self.clock = self.clock.saturating_add(1);
        if length == 1 {
            self.drop_page();
        }
        Some(value)
    }

    /// Drops the last page, which is empty.
    #[cold]
    #[inline(never)]
    fn drop_page(&mut self) {
        unique(&mut self.table).pop();
        self.owners.table_mut().pop();
    }

    /// [`remove`](Self::remove) where something is shared that the removal of a row writes: copies it. The clone of a
    /// value may panic: nothing has been written then.
    #[cold]
    #[inline(never)]
    fn remove_shared(&mut self, entity: Entity, row: usize) -> Option<T> {
        let last_row = self.owners.len() - 1;
        for row in [row, last_row] {
            unique(&mut self.table)[row / PAGE].rows.write();
            self.owners.get_mut(row);
        }
        self.index.slot_mut(entity);
        if let Some(&last) = self.owners.get(last_row) {
            self.index.slot_mut(last);
        }
        self.remove(entity)
    }

    /// The rows with their entities, in row order, for writing. The clock advances once; all rows of a page
    /// count as changed when the walk enters it.
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        self.len();
        IterMut::new(self)
    }

    /// The rows a page at a time, for writing. As [`iter_mut`](Self::iter_mut).
    pub fn chunks_mut(&mut self) -> ChunksMut<'_, T> {
        self.len();
        ChunksMut::new(self)
    }

    /// Removes every row. The clock goes on.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.tick();
            self.table = Arc::new(Vec::new());
            self.owners = Pages::default();
            self.index = Index::default();
        }
    }
}

/// Where a new last row goes, and its stamp.
struct Room<'a, T> {
    rows: &'a mut Rows<T>,
    owners: &'a mut Vec<Entity>,
    stamp: u64,
}

pub(crate) fn push_page<T>(table: &mut Vec<Entry<T>>) {
    // A page after the first will most likely be filled: its room is taken at once.
    let room = if table.is_empty() { 8 } else { PAGE };
    let rows =
        Rows { values: Vec::with_capacity(room), attached: Stamps::default(), changed: Stamps::default() };
    table.push(Entry { newest: 0, rows: Shared::new(rows) });
}
