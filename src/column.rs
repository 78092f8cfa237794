//! Columns: the values of one component type, dense, with the entity of each row and its stamps.

use std::fmt;

use triomphe::Arc;

use crate::entity::Entity;
use crate::guard::Guard;
use crate::key::component_key;
use crate::pages::{PAGE, Pages, place};
use crate::shared::Shared;

mod append;
pub(crate) mod arrangement;
pub(crate) mod diff;
pub(crate) mod index;
mod iter;
mod reorder;
mod runs;
#[cfg(feature = "serde")]
mod serial;
pub(crate) mod stamps;
mod write;

pub use append::EntityPage;
pub use diff::{Change, Diff};
pub use iter::{Chunks, ChunksMut, Iter, IterMut, Since};
#[cfg(feature = "serde")]
pub(crate) use write::push_page;

use index::Index;
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

    /// The first values for writing, their rows stamped.
    #[inline]
    pub(crate) fn rewrite_first(&mut self, count: usize, stamp: u64) -> &mut [T] {
        if count >= self.rows.values.len() {
            return self.rewrite(stamp);
        }
        let (values, changed) = self.rewrite_stamped(stamp);
        changed.set_range(values.len(), 0..count, stamp);
        &mut values[..count]
    }

    /// The values for writing, and the stamps, of which those of the rows that are written are to be set.
    #[inline]
    pub(crate) fn rewrite_stamped(&mut self, stamp: u64) -> (&mut [T], &mut Stamps) {
        self.newest = stamp;
        let rows = self.rows.write();
        (&mut rows.values, &mut rows.changed)
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
/// | memory | the values, 8 bytes a row for the entity, 8 for the index, up to 16 for stamps, 4 for each other column in which walks look its entities up |
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
        let Some((entry, at)) = self.index.find(entity, &self.table) else {
            self.missed();
            return None;
        };
        entry.rows.values.get(at)
    }

    /// Whether the entity has a row.
    #[inline]
    pub fn contains(&self, entity: Entity) -> bool {
        self.row(entity).is_some()
    }

    /// The row of an entity, from 0. Removing another entity may change it.
    #[inline]
    pub fn row(&self, entity: Entity) -> Option<usize> {
        let Some(row) = self.index.row(entity) else {
            self.missed();
            return None;
        };
        Some(row)
    }

    /// When the row of an entity was attached and last changed.
    pub fn stamp(&self, entity: Entity) -> Option<Stamp> {
        let (page, at) = place(self.row(entity)?);
        let rows = &self.table[page].rows;
        Some(Stamp { attached: rows.attached.get(at), changed: rows.changed.get(at) })
    }

    /// The entities, in row order.
    pub fn owners(&self) -> impl DoubleEndedIterator<Item = Entity> + ExactSizeIterator + Clone {
        self.iter().map(|(entity, _)| entity)
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
    #[inline]
    pub fn changed_since(&self, stamp: u64) -> Since<'_, T> {
        self.look();
        Since::new(self, stamp, |rows| &rows.changed)
    }

    /// The rows that were attached after `stamp`, in row order. As [`changed_since`](Self::changed_since).
    #[inline]
    pub fn attached_since(&self, stamp: u64) -> Since<'_, T> {
        self.look();
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
