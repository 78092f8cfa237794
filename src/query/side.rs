//! One of the stores that a query walks, and how it is read or written.

use super::seek::{ReadSeek, Seek, Start, WriteSeek};
use crate::column::arrangement::Arrangement;
use crate::column::index::IndexRef;
use crate::column::stamps::effective;
use crate::column::{Column, Entry};
use crate::entity::Entity;
use crate::pages::{Page, Pages, place};
use crate::shared::{Shared, unique};
use crate::store::{Store, StoreMut};

/// The pages that say which entity a row belongs to.
pub(super) type Owners<'a> = &'a [OwnerPage];
/// One of them.
pub(super) type OwnerPage = Shared<Page<Entity>>;

/// What can be handed to a query: `&store`, `&mut store` or [`optional`](crate::optional) of one of them.
///
/// `T` is the component; it follows from the store where that has only one, as a column has, and where a
/// bound names it. Otherwise it is named: `query::<Position, _>(&world)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be walked by a query",
    label = "hand over `&store`, `&mut store` or `optional(&store)`"
)]
pub trait Source<'a, T> {
    #[doc(hidden)]
    type Open: Open<'a>;

    #[doc(hidden)]
    fn open(self) -> Self::Open;
}

impl<'a, T: 'a, G: Store<T>> Source<'a, T> for &'a G {
    type Open = &'a Column<T>;

    #[inline]
    fn open(self) -> &'a Column<T> {
        self.column()
    }
}

impl<'a, T: Clone + 'a, G: StoreMut<T>> Source<'a, T> for &'a mut G {
    type Open = &'a mut Column<T>;

    #[inline]
    fn open(self) -> &'a mut Column<T> {
        self.column_mut()
    }
}

/// A column before the walk: pages of entities can still be shared.
pub trait Open<'a> {
    type Side: Side<'a>;

    /// How many rows it asks for; `usize::MAX` if it asks for none.
    fn rows(&self) -> usize;

    /// The entities of its rows, if it asks for rows.
    fn owners(&self) -> Option<Pages<Entity>>;

    /// Takes over the pages that say the same, if it may write.
    fn adopt(&mut self, owners: &Pages<Entity>);

    fn start(self) -> Self::Side;
}

impl<'a, T: 'a> Open<'a> for &'a Column<T> {
    type Side = Read<'a, T>;

    #[inline]
    fn rows(&self) -> usize {
        self.len()
    }

    fn owners(&self) -> Option<Pages<Entity>> {
        Some(self.owners.clone())
    }

    #[inline]
    fn adopt(&mut self, _owners: &Pages<Entity>) {}

    #[inline]
    fn start(self) -> Read<'a, T> {
        self.look();
        Read {
            table: &self.table,
            owners: self.owners.table(),
            index: self.index.by_ref(),
            clock: self.clock,
            since: None,
        }
    }
}

impl<'a, T: Clone + 'a> Open<'a> for &'a mut Column<T> {
    type Side = Write<'a, T>;

    #[inline]
    fn rows(&self) -> usize {
        self.len()
    }

    fn owners(&self) -> Option<Pages<Entity>> {
        Some(self.owners.clone())
    }

    #[inline]
    fn adopt(&mut self, owners: &Pages<Entity>) {
        self.owners.adopt(owners, same_entities);
    }

    #[inline]
    fn start(self) -> Write<'a, T> {
        self.look();
        let clock = self.clock;
        let stamp = self.tick();
        Write {
            entries: unique(&mut self.table).iter_mut(),
            owners: self.owners.table(),
            index: self.index.by_ref(),
            clock,
            stamp,
            since: None,
        }
    }
}

/// A column whose entities can be walked.
#[derive(Clone, Copy, Default)]
pub struct Driver<'a> {
    pub(super) owners: Owners<'a>,
    pub(super) arrangement: Option<&'a Arrangement>,
}

/// What a page of entities has in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Every row, in the same order: slices will do.
    All,
    /// Nothing that is asked for.
    None,
    /// It has to be looked at row by row.
    Each,
}

impl Fit {
    /// What two say of one page.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, other) => other,
            (Self::None, _) | (_, Self::None) => Self::None,
            _ => Self::Each,
        }
    }
}

/// Whether two pages name the same entities. The differences of 32 entities are gathered before the
/// question is asked, which is done several at a time.
#[inline]
pub(crate) fn same_entities(a: &[Entity], b: &[Entity]) -> bool {
    let differ = |a: &[Entity], b: &[Entity]| {
        a.iter().zip(b).fold(0, |so_far, (a, b)| so_far | (a.to_bits() ^ b.to_bits())) != 0
    };
    a.len() == b.len() && a.chunks(32).zip(b.chunks(32)).all(|(a, b)| !differ(a, b))
}

/// Whether a page of a column is in the order of a page of entities: it may go on where that one ends, which
/// only a last page does.
#[inline]
pub(super) fn is_aligned(own: Owners<'_>, page: usize, owners: &OwnerPage) -> bool {
    own.get(page).is_some_and(|own| own.same(owners) || begins_with(own, owners))
}

#[inline(never)]
fn begins_with(own: &OwnerPage, owners: &OwnerPage) -> bool {
    // Most pages that differ do so from the first entity on.
    own.0.first() == owners.0.first()
        && own.0.get(..owners.0.len()).is_some_and(|own| same_entities(own, &owners.0))
}

/// A column during the walk, as long as its pages are met in order.
pub trait Side<'a>: Sized {
    type Component;
    /// [`Required`] or [`Missing`].
    type Kind: Kind;
    type Item;
    /// A page's rows, or one row.
    type Chunk;
    /// A chunk as it is handed to the caller.
    type Slice;
    type Run: Iterator<Item = Self::Item>;
    type Seek: Seek<'a, Chunk = Self::Chunk, Item = Self::Item>;

    /// In place of a side that was moved out.
    fn nothing() -> Self;
    fn no_chunk() -> Self::Chunk;
    fn is_filtered(&self) -> bool;
    /// The entities of its rows, if it asks for rows, and where these are.
    fn driver(&self) -> Option<Driver<'a>>;
    /// Only rows written after this stamp are asked for. `false` if that is not possible here.
    fn since(&mut self, stamp: u64) -> bool;
    fn fits(&self, page: usize, owners: &'a OwnerPage) -> Fit;
    /// The rows of a page that fits.
    fn chunk(&mut self, page: usize, rows: usize) -> Self::Chunk;
    /// Whether no row of this page is one of an entity that comes in another page, so that it can be left out.
    fn can_skip(&self, page: usize, owners: &'a OwnerPage) -> bool;
    /// Leaves out a page of which nothing is asked for.
    fn skip(&mut self);
    fn seek(self, start: &Start<'a>) -> Self::Seek;
    fn run(chunk: Self::Chunk) -> Self::Run;
    /// One row as a chunk.
    fn one(item: Self::Item) -> Self::Chunk;
    fn slice(chunk: Self::Chunk) -> Self::Slice;
    fn split(chunk: Self::Chunk, at: usize) -> (Self::Chunk, Self::Chunk);
}

/// Whether a side asks for rows, as a type, so that a query of which nothing is required does not compile.
pub trait Kind {
    type Or<K: Kind>: Kind;
    /// How many rows are required: 1 or none.
    const COUNT: usize;
}

/// Only entities that have the component are walked.
#[derive(Debug)]
pub enum Required {}

/// Entities that lack the component are walked as well.
#[derive(Debug)]
pub enum Missing {}

impl Kind for Required {
    type Or<K: Kind> = Self;
    const COUNT: usize = 1;
}

impl Kind for Missing {
    type Or<K: Kind> = K;
    const COUNT: usize = 0;
}

/// That at least one store of a query is not optional.
#[diagnostic::on_unimplemented(
    message = "every store of this query is optional, so nothing says which entities to walk",
    label = "hand over at least one store as it is",
    note = "to walk all entities, walk `world.entities().iter()`"
)]
pub trait Drives {}

impl Drives for Required {}

/// A column that is read.
#[derive(Clone, Copy)]
pub struct Read<'a, T> {
    table: &'a [Entry<T>],
    owners: Owners<'a>,
    index: IndexRef<'a>,
    clock: u64,
    since: Option<u64>,
}

impl<'a, T> Read<'a, T> {
    #[inline(always)]
    pub(super) fn values(&self, page: usize) -> Option<&'a [T]> {
        self.table.get(page).map(|entry| entry.rows.values.as_slice())
    }

    #[inline(always)]
    pub(super) fn table(&self) -> &'a [Entry<T>] {
        self.table
    }

    /// Whether the row was written after the stamp that is asked for, if one is.
    #[inline(always)]
    pub(super) fn is_asked_for(&self, row: usize) -> bool {
        let (page, at) = place(row);
        self.since.is_none_or(|since| self.table[page].rows.changed.get(at) > since)
    }

    #[inline]
    pub(super) fn page_fits(&self, page: usize, is_aligned: bool) -> Fit {
        match self.since {
            _ if !is_aligned => Fit::Each,
            None => Fit::All,
            Some(since) if self.table[page].newest <= since => Fit::None,
            Some(_) => Fit::Each,
        }
    }
}

impl<'a, T: 'a> Side<'a> for Read<'a, T> {
    type Component = T;
    type Kind = Required;
    type Item = &'a T;
    type Chunk = &'a [T];
    type Slice = &'a [T];
    type Run = std::slice::Iter<'a, T>;
    type Seek = ReadSeek<'a, T>;

    fn nothing() -> Self {
        Self { table: &[], owners: &[], index: IndexRef::default(), clock: 0, since: None }
    }

    #[inline(always)]
    fn no_chunk() -> &'a [T] {
        &[]
    }

    fn is_filtered(&self) -> bool {
        self.since.is_some()
    }

    #[inline]
    fn driver(&self) -> Option<Driver<'a>> {
        Some(Driver { owners: self.owners, arrangement: self.index.arrangement })
    }

    fn since(&mut self, stamp: u64) -> bool {
        self.since = Some(effective(stamp, self.clock));
        true
    }

    #[inline]
    fn fits(&self, page: usize, owners: &'a OwnerPage) -> Fit {
        self.page_fits(page, is_aligned(self.owners, page, owners))
    }

    #[inline]
    fn chunk(&mut self, page: usize, rows: usize) -> &'a [T] {
        self.values(page).and_then(|values| values.get(..rows)).unwrap_or_default()
    }

    #[inline]
    fn can_skip(&self, _page: usize, _owners: &'a OwnerPage) -> bool {
        true
    }

    #[inline]
    fn skip(&mut self) {}

    fn seek(self, start: &Start<'a>) -> ReadSeek<'a, T> {
        let (owners, index) = (self.owners, self.index);
        ReadSeek::new(self, owners, index, start)
    }

    #[inline]
    fn run(chunk: &'a [T]) -> Self::Run {
        chunk.iter()
    }

    #[inline(always)]
    fn one(item: &'a T) -> &'a [T] {
        std::slice::from_ref(item)
    }

    #[inline]
    fn slice(chunk: &'a [T]) -> &'a [T] {
        chunk
    }

    fn split(chunk: &'a [T], at: usize) -> (&'a [T], &'a [T]) {
        chunk.split_at(at)
    }
}

/// A column that is written.
pub struct Write<'a, T> {
    entries: std::slice::IterMut<'a, Entry<T>>,
    owners: Owners<'a>,
    index: IndexRef<'a>,
    clock: u64,
    stamp: u64,
    since: Option<u64>,
}

impl<'a, T: Clone + 'a> Side<'a> for Write<'a, T> {
    type Component = T;
    type Kind = Required;
    type Item = &'a mut T;
    type Chunk = &'a mut [T];
    type Slice = &'a mut [T];
    type Run = std::slice::IterMut<'a, T>;
    type Seek = WriteSeek<'a, T>;

    fn nothing() -> Self {
        Self {
            entries: [].iter_mut(),
            owners: &[],
            index: IndexRef::default(),
            clock: 0,
            stamp: 0,
            since: None,
        }
    }

    #[inline(always)]
    fn no_chunk() -> Self::Chunk {
        Default::default()
    }

    fn is_filtered(&self) -> bool {
        self.since.is_some()
    }

    #[inline]
    fn driver(&self) -> Option<Driver<'a>> {
        Some(Driver { owners: self.owners, arrangement: self.index.arrangement })
    }

    fn since(&mut self, stamp: u64) -> bool {
        self.since = Some(effective(stamp, self.clock));
        true
    }

    #[inline]
    fn fits(&self, page: usize, owners: &'a OwnerPage) -> Fit {
        if !is_aligned(self.owners, page, owners) {
            return Fit::Each;
        }
        match (self.since, self.entries.as_slice().first()) {
            (Some(since), Some(entry)) if entry.newest <= since => Fit::None,
            (Some(_), _) => Fit::Each,
            (None, _) => Fit::All,
        }
    }

    #[inline]
    fn chunk(&mut self, _page: usize, rows: usize) -> &'a mut [T] {
        match self.entries.next() {
            Some(entry) => entry.rewrite_first(rows, self.stamp),
            None => &mut [],
        }
    }

    #[inline]
    fn can_skip(&self, page: usize, owners: &'a OwnerPage) -> bool {
        is_aligned(self.owners, page, owners)
    }

    #[inline]
    fn skip(&mut self) {
        self.entries.next();
    }

    fn seek(self, start: &Start<'a>) -> WriteSeek<'a, T> {
        WriteSeek::new(start, self.entries, self.owners, self.index, self.stamp, self.since)
    }

    #[inline]
    fn run(chunk: &'a mut [T]) -> Self::Run {
        chunk.iter_mut()
    }

    #[inline]
    fn slice(chunk: &'a mut [T]) -> &'a mut [T] {
        chunk
    }

    #[inline(always)]
    fn one(item: &'a mut T) -> &'a mut [T] {
        std::slice::from_mut(item)
    }

    fn split(chunk: &'a mut [T], at: usize) -> (&'a mut [T], &'a mut [T]) {
        chunk.split_at_mut(at)
    }
}
