//! Columns: the values of one component type, dense, with the entity of each row and its stamps.

use std::cmp::Ordering;
use std::fmt;

use triomphe::Arc;

use crate::entity::Entity;
use crate::guard::Guard;
use crate::key::component_key;
use crate::pages::{PAGE, Pages, place};
use crate::query::same_entities;
use crate::shared::{Shared, unique};

mod append;
pub(crate) mod diff;
pub(crate) mod index;
mod iter;
mod reorder;
#[cfg(feature = "serde")]
mod serial;
pub(crate) mod stamps;

pub use append::EntityPage;
pub use diff::{Change, Diff};
pub use iter::{Chunks, ChunksMut, Iter, IterMut, Since};

use index::{Index, Slot};
use stamps::Stamps;

/// The values and stamps of up to [`PAGE`] rows.
#[derive(Debug)]
pub(crate) struct Rows<T> {
    pub(crate) values: Vec<T>,
    pub(crate) attached: Stamps,
    pub(crate) changed: Stamps,
}

impl<T: Clone> Clone for Rows<T> {
    fn clone(&self) -> Self {
        let mut values = Vec::with_capacity((2 * self.values.len()).clamp(8, PAGE));
        values.extend_from_slice(&self.values);
        Self { values, attached: self.attached.clone(), changed: self.changed.clone() }
    }
}

/// A page in the table of a column. `newest` is at least the newest stamp of its rows; it stands here so
/// that a scan for changes reads the table and nothing else where nothing changed.
#[derive(Debug)]
pub(crate) struct Entry<T> {
    pub(crate) newest: u64,
    pub(crate) rows: Shared<Rows<T>>,
}

impl<T> Clone for Entry<T> {
    fn clone(&self) -> Self {
        Self { newest: self.newest, rows: self.rows.clone() }
    }
}

impl<T: Clone> Entry<T> {
    /// The values for writing, all of their rows stamped.
    #[inline]
    pub(crate) fn rewrite(&mut self, stamp: u64) -> &mut [T] {
        self.newest = stamp;
        let rows = self.rows.write();
        rows.changed.set_all(stamp);
        &mut rows.values
    }
}

/// The values of one component type: dense, in the order of insertion, each with the entity it belongs to.
///
/// A column is a value. Its rows lie in pages of 1,024, whatever the type, each behind a reference count:
/// a clone is a handful of increments, and the first write to a shared page copies that page and nothing
/// else. [`remove`](Self::remove) swaps the last row into the hole, so columns that were filled and
/// emptied by the same operations hold the same entities in the same rows.
///
/// Each row has two stamps, *attached* and *changed*. Every call that writes advances the column's clock
/// once and stamps the rows it wrote, so that [`changed_since`](Self::changed_since) finds them again. An
/// attached row counts as changed as well. The clock has 64 bits; it never wraps, and in the year 60,000 it
/// stands still at its end.
///
/// There is at most one row per entity *index*: a handle older than the row's is refused, a newer one
/// replaces the row.
///
/// | operation | cost |
/// | --- | --- |
/// | `clone`, `len`, `clock` | O(1), whatever the length |
/// | `get`, `contains`, `row`, `stamp` | O(1), four dependent loads |
/// | `insert`, `remove`, `get_mut` | O(1); the first write to a shared page copies it, and the table of pages once |
/// | `changed_since`, `attached_since` | O(pages), plus the rows of pages with a newer stamp |
/// | `diff`, `==` | O(pages), plus the rows of pages that are not shared |
/// | `sort_by`, `sort_as` | O(n log n) and O(n) |
/// | memory | the values, 8 bytes a row for the entity, 8 for the index, up to 16 for stamps |
///
/// Dense values with a sparse index are the sparse sets of Briggs and Torczon as `EnTT` uses them for
/// components; the stamps are the change ticks of bevy.
///
/// ```
/// use std_ecs::{Column, Entities};
///
/// let mut entities = Entities::default();
/// let (ship, rock) = (entities.spawn(), entities.spawn());
///
/// let mut health = Column::default();
/// health.insert(ship, 100)?;
/// health.insert(rock, 3)?;
///
/// let snapshot = health.clone();
/// *health.get_mut(ship).unwrap() -= 30;
/// assert_eq!((health.get(ship), snapshot.get(ship)), (Some(&70), Some(&100)));
/// assert_eq!(health.changed_since(snapshot.clock()).collect::<Vec<_>>(), [(ship, &70)]);
///
/// health = snapshot; // rolled back
/// assert_eq!(health.iter().collect::<Vec<_>>(), [(ship, &100), (rock, &3)]);
/// # Ok::<_, std_ecs::Stale<i32>>(())
/// ```
pub struct Column<T> {
    pub(crate) clock: u64,
    pub(crate) table: Arc<Vec<Entry<T>>>,
    pub(crate) owners: Pages<Entity>,
    pub(crate) index: Index,
    pub(crate) guard: Guard,
}

/// The two stamps of a row, as [`Column::stamp`] answers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// The column's clock when the row was attached.
    pub attached: u64,
    /// The column's clock when the row was last written, attaching included.
    pub changed: u64,
}

/// A row was refused because the column holds a newer entity with that index.
///
/// The value comes back, so that nothing is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale<T = ()> {
    /// The handle that was used.
    pub asked: Entity,
    /// The newer entity that has the row.
    pub stored: Entity,
    /// What should have been stored.
    pub value: T,
}

impl<T> fmt::Display for Stale<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is a stale handle: the row belongs to {}, look the entity up again",
            self.asked, self.stored
        )
    }
}

impl<T: fmt::Debug> std::error::Error for Stale<T> {}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        Self {
            clock: self.clock,
            table: self.table.clone(),
            owners: self.owners.clone(),
            index: self.index.clone(),
            guard: self.guard.clone(),
        }
    }
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self {
            clock: 0,
            table: Arc::new(Vec::new()),
            owners: Pages::default(),
            index: Index::default(),
            guard: Guard::default(),
        }
    }
}

impl<T> Column<T> {
    /// How many rows there are.
    #[inline]
    pub fn len(&self) -> usize {
        let rows = self.owners.len();
        if rows == 0 {
            self.missed();
        }
        rows
    }

    /// Whether there is no row.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The column's time: it advances by one with every call that writes. Keep it, and
    /// [`changed_since`](Self::changed_since) answers what was written after.
    #[inline]
    pub fn clock(&self) -> u64 {
        if self.table.is_empty() {
            self.missed();
        }
        self.clock
    }

    /// The value of an entity; `None` for one that has none here, dead handles included.
    #[inline]
    pub fn get(&self, entity: Entity) -> Option<&T> {
        let row = self.row(entity)?;
        let (page, at) = place(row);
        Some(&self.table[page].rows.values[at])
    }

    /// Whether the entity has a row.
    #[inline]
    pub fn contains(&self, entity: Entity) -> bool {
        self.row(entity).is_some()
    }

    /// The row of an entity, from 0. Removing another entity may change it.
    #[inline]
    pub fn row(&self, entity: Entity) -> Option<usize> {
        let row = self.index.row(entity);
        if row.is_none() {
            self.missed();
        }
        row
    }

    /// When the row of an entity was attached and last changed.
    pub fn stamp(&self, entity: Entity) -> Option<Stamp> {
        let (page, at) = place(self.row(entity)?);
        let rows = &self.table[page].rows;
        Some(Stamp { attached: rows.attached.get(at), changed: rows.changed.get(at) })
    }

    /// The entities, in row order.
    pub fn owners(&self) -> impl DoubleEndedIterator<Item = Entity> {
        self.len();
        self.owners.iter().copied()
    }

    /// The rows with their entities, in row order.
    pub fn iter(&self) -> Iter<'_, T> {
        self.len();
        Iter::new(self)
    }

    /// The rows a page at a time, as slices of up to 1,024.
    ///
    /// ```
    /// # use std_ecs::{Column, Entities};
    /// # let mut entities = Entities::default();
    /// # let mut speeds = Column::default();
    /// speeds.extend(entities.spawn_many(2_000).into_iter().map(|entity| (entity, 1.5)));
    /// let lengths: Vec<_> = speeds.chunks().map(|(entities, _)| entities.len()).collect();
    /// assert_eq!(lengths, [1_024, 976]);
    /// ```
    pub fn chunks(&self) -> Chunks<'_, T> {
        self.len();
        Chunks::new(self)
    }

    /// The rows that were written after `stamp`, in row order; attached ones are among them.
    ///
    /// A stamp later than [`clock`](Self::clock) comes from a future that was rolled back: then all rows
    /// are answered, so that nothing is missed. Costs two loads for each page that was not written.
    pub fn changed_since(&self, stamp: u64) -> Since<'_, T> {
        self.len();
        Since::new(self, stamp, |rows| &rows.changed)
    }

    /// The rows that were attached after `stamp`, in row order. As [`changed_since`](Self::changed_since).
    pub fn attached_since(&self, stamp: u64) -> Since<'_, T> {
        self.len();
        Since::new(self, stamp, |rows| &rows.attached)
    }

    /// What was attached, changed and detached between `earlier` and this value of the column.
    ///
    /// Costs a comparison of two pointers for each page that both share, and a look at each row of the
    /// others. It compares values and not stamps, so it is exact between any two columns, also of different
    /// branches: it is the removal log, the structural log and the undo record in one.
    ///
    /// ```
    /// use std_ecs::{Change, Column, Entities};
    ///
    /// let mut entities = Entities::default();
    /// let (a, b) = (entities.spawn(), entities.spawn());
    /// let mut names = Column::default();
    /// names.insert(a, "Ada")?;
    /// let earlier = names.clone();
    ///
    /// names.insert(b, "Bob")?;
    /// names.remove(a);
    /// let changes: Vec<_> = names.diff(&earlier).collect();
    /// assert_eq!(
    ///     changes,
    ///     [Change::Attached { entity: b, new: &"Bob" }, Change::Detached { entity: a, old: &"Ada" }],
    /// );
    /// # Ok::<_, std_ecs::Stale<&str>>(())
    /// ```
    pub fn diff<'a>(&'a self, earlier: &'a Self) -> Diff<'a, T>
    where
        T: PartialEq,
    {
        self.len();
        earlier.len();
        Diff::new(self, earlier)
    }

    /// An empty column in place of one that is elsewhere: touching it panics with the guard's message.
    pub(crate) fn withheld(guard: Guard) -> Self {
        Self { guard, ..Self::default() }
    }

    /// Panics if the column is withheld; costs a look at the table.
    #[inline]
    pub(crate) fn look(&self) {
        if self.table.is_empty() {
            self.missed();
        }
    }

    /// Called where a row was not found, which is always so in a column that is withheld.
    #[inline]
    pub(crate) fn missed(&self) {
        self.guard.check(component_key::<T>);
    }

    /// Whether both are the same allocations, so that nothing was written to one of them.
    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && self.owners.same(&other.owners)
    }

    #[inline]
    pub(crate) fn tick(&mut self) -> u64 {
        self.clock = self.clock.saturating_add(1);
        self.clock
    }

    /// How many bytes the column holds, those it shares with clones included. What the values
    /// themselves own on the heap is not counted.
    pub fn bytes(&self) -> usize {
        let values: usize = self
            .table
            .iter()
            .map(|entry| {
                let Rows { values, attached, changed } = &*entry.rows;
                size_of::<Rows<T>>() + values.capacity() * size_of::<T>() + attached.bytes() + changed.bytes()
            })
            .sum();
        self.owners.bytes() + values + self.index.bytes() + self.table.capacity() * size_of::<Entry<T>>()
    }

    /// Shows each allocation: where it is, and how many bytes it has.
    pub(crate) fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        each(Arc::as_ptr(&self.table).addr(), self.table.capacity() * size_of::<Entry<T>>());
        for Entry { rows, .. } in self.table.iter() {
            let stamps = rows.attached.bytes() + rows.changed.bytes();
            each(rows.address(), size_of::<Rows<T>>() + rows.values.capacity() * size_of::<T>() + stamps);
        }
        self.owners.allocations(each);
        self.index.allocations(each);
    }

    /// How many pages of values there are, and how many of them `other` shares.
    pub fn shared_pages(&self, other: &Self) -> (usize, usize) {
        let shared = self.table.iter().zip(other.table.iter()).filter(|(a, b)| a.rows.same(&b.rows));
        (self.table.len(), shared.count())
    }
}

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
        let stamp = self.clock.saturating_add(1);
        let slot = self.index.slot_mut(entity);
        if slot.generation != 0 {
            return self.overwrite(entity, value, stamp);
        }
        let table = unique(&mut self.table);
        if table.last().is_none_or(|entry| entry.rows.values.len() == PAGE) {
            if table.is_empty() {
                self.guard.check(component_key::<T>);
            }
            push_page(table);
        }
        let full = (table.len() - 1) * PAGE;
        let Some(entry) = table.last_mut() else { unreachable!("a page was pushed above") };
        // The clone of a value may panic: here, where nothing has been written yet.
        let rows = entry.rows.write();
        let at = rows.values.len();
        entry.newest = stamp;
        rows.attached.push(at, stamp);
        rows.changed.push(at, stamp);
        rows.values.push(value);
        *slot = Slot { row: (full + at) as u32, generation: entity.generation().get() };
        self.owners.push(entity);
        self.clock = stamp;
        Ok(None)
    }

    /// [`insert`](Self::insert) where the index has a row.
    #[inline(never)]
    fn overwrite(&mut self, entity: Entity, value: T, stamp: u64) -> Result<Option<T>, Stale<T>> {
        let slot = self.index.slot_mut(entity);
        let (row, generation) = (slot.row as usize, entity.generation().get());
        if generation < slot.generation {
            let Some(&stored) = self.owners.get(row) else { unreachable!("the index names a row") };
            return Err(Stale { asked: entity, stored, value });
        }
        let (page, at) = place(row);
        let entry = &mut unique(&mut self.table)[page];
        let rows = entry.rows.write();
        let length = rows.values.len();
        entry.newest = stamp;
        rows.changed.set(length, at, stamp);
        if generation > slot.generation {
            rows.attached.set(length, at, stamp);
            slot.generation = generation;
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
        let row = self.row(entity)?;
        let (page, at) = place(row);
        let table = unique(&mut self.table);
        let (tail, full) = table.split_last_mut()?;
        // The clones of values may panic: here, where nothing has been written yet.
        let hole = full.get_mut(page).map(|entry| (&mut entry.newest, entry.rows.write()));
        let rows = tail.rows.write();
        let length = rows.values.len();
        let (attached, changed) = (rows.attached.pop(length), rows.changed.pop(length));
        let mut value = rows.values.pop()?;
        let last = self.owners.swap_remove(row)?;
        self.index.swap_remove(entity, last, row);
        if last != entity {
            let (newest, rows) = hole.unwrap_or((&mut tail.newest, rows));
            *newest = changed.max(*newest);
            let length = rows.values.len();
            rows.attached.set(length, at, attached);
            rows.changed.set(length, at, changed);
            std::mem::swap(&mut rows.values[at], &mut value);
        }
        if length == 1 {
            table.pop();
        }
        self.tick();
        Some(value)
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
    /// From then on a walk over both goes over slices, and full pages of entities are shared between them.
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
}

#[cold]
#[inline(never)]
pub(crate) fn push_page<T>(table: &mut Vec<Entry<T>>) {
    // A page after the first will most likely be filled: its room is taken at once.
    let room = if table.is_empty() { 8 } else { PAGE };
    let rows =
        Rows { values: Vec::with_capacity(room), attached: Stamps::default(), changed: Stamps::default() };
    table.push(Entry { newest: 0, rows: Shared::new(rows) });
}

impl<T: PartialEq> PartialEq for Column<T> {
    /// Whether both hold the same values for the same entities in the same rows. Stamps and clocks are not
    /// compared. Pages that are one allocation are equal without a look, so a column equals its clone even
    /// where a value does not equal itself.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.owners == other.owners
            && self
                .table
                .iter()
                .zip(other.table.iter())
                .all(|(a, b)| a.rows.same(&b.rows) || a.rows.values == b.rows.values)
    }
}

impl<T: fmt::Debug> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'a, T> IntoIterator for &'a Column<T> {
    type Item = (Entity, &'a T);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut Column<T> {
    type Item = (Entity, &'a mut T);
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}
