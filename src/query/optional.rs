//! Components that an entity may lack.

use super::seek::{Asked, Rows, Seek, Start};
use super::side::{Driver, Fit, Missing, Open, OwnerPage, Side, Source};
use crate::entity::Entity;
use crate::pages::Pages;

/// A store of which a query yields `Some` for entities that have the component and `None` for the others.
///
/// ```
/// use std_ecs::{Column, Entities, optional, pairs};
///
/// let mut entities = Entities::default();
/// let (a, b) = (entities.spawn(), entities.spawn());
/// let (mut names, mut ages) = (Column::default(), Column::default());
/// names.extend([(a, "Ada"), (b, "Bob")]);
/// ages.extend([(b, 30)]);
///
/// let all: Vec<_> = pairs(&names, optional(&ages)).collect();
/// assert_eq!(all, [(a, &"Ada", None), (b, &"Bob", Some(&30))]);
/// ```
pub fn optional<'a, T, S: Source<'a, T>>(store: S) -> Optional<S::Open> {
    Optional(store.open())
}

/// Made by [`optional`].
#[derive(Debug)]
pub struct Optional<X>(X);

impl<'a, X: Open<'a>> Source<'a, <X::Side as Side<'a>>::Component> for Optional<X> {
    type Open = Self;

    fn open(self) -> Self {
        self
    }
}

impl<'a, X: Open<'a>> Open<'a> for Optional<X> {
    type Side = OptionalSide<X::Side>;

    fn rows(&self) -> usize {
        usize::MAX
    }

    fn owners(&self) -> Option<Pages<Entity>> {
        None
    }

    fn adopt(&mut self, owners: &Pages<Entity>) {
        self.0.adopt(owners);
    }

    fn start(self) -> OptionalSide<X::Side> {
        OptionalSide(self.0.start())
    }
}

/// An optional column during a walk.
pub struct OptionalSide<X>(X);

impl<'a, X: Side<'a>> OptionalSide<X> {
    fn is_empty(&self) -> bool {
        self.0.driver().is_none_or(|driver| driver.owners.is_empty())
    }
}

/// The rows of a chunk, or as many times nothing.
pub enum OptionalRun<R> {
    Present(R),
    Absent(usize),
}

impl<R: Iterator> Iterator for OptionalRun<R> {
    type Item = Option<R::Item>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Present(run) => run.next().map(Some),
            Self::Absent(0) => None,
            Self::Absent(left) => {
                *left -= 1;
                Some(None)
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Present(run) => run.size_hint(),
            Self::Absent(left) => (*left, Some(*left)),
        }
    }
}

/// A chunk of rows, or how many rows lack the component.
pub enum OptionalChunk<C> {
    Present(C),
    Absent(usize),
}

impl<'a, X: Side<'a>> Side<'a> for OptionalSide<X> {
    type Component = X::Component;
    type Kind = Missing;
    type Item = Option<X::Item>;
    type Chunk = OptionalChunk<X::Chunk>;
    type Slice = Option<X::Slice>;
    type Run = OptionalRun<X::Run>;
    type Seek = OptionalSeek<X::Seek>;

    fn nothing() -> Self {
        Self(X::nothing())
    }

    fn no_chunk() -> Self::Chunk {
        OptionalChunk::Absent(0)
    }

    fn is_filtered(&self) -> bool {
        false
    }

    fn driver(&self) -> Option<Driver<'a>> {
        None
    }

    fn since(&mut self, _stamp: u64) -> bool {
        false
    }

    #[inline]
    fn fits(&self, page: usize, owners: &'a OwnerPage) -> Fit {
        if self.is_empty() { Fit::All } else { self.0.fits(page, owners) }
    }

    #[inline]
    fn chunk(&mut self, page: usize, rows: usize) -> Self::Chunk {
        if self.is_empty() {
            OptionalChunk::Absent(rows)
        } else {
            OptionalChunk::Present(self.0.chunk(page, rows))
        }
    }

    #[inline]
    fn can_skip(&self, page: usize, owners: &'a OwnerPage) -> bool {
        self.is_empty() || self.0.can_skip(page, owners)
    }

    #[inline]
    fn skip(&mut self) {
        self.0.skip();
    }

    fn seek(self, start: &Start<'a>) -> Self::Seek {
        let is_empty = self.is_empty();
        OptionalSeek {
            inner: self.0.seek(start),
            is_empty,
            count: 0,
            asked_for: Vec::new(),
            present: Vec::new(),
        }
    }

    #[inline]
    fn run(chunk: Self::Chunk) -> Self::Run {
        match chunk {
            OptionalChunk::Present(chunk) => OptionalRun::Present(X::run(chunk)),
            OptionalChunk::Absent(rows) => OptionalRun::Absent(rows),
        }
    }

    #[inline(always)]
    fn one(item: Option<X::Item>) -> Self::Chunk {
        match item {
            Some(item) => OptionalChunk::Present(X::one(item)),
            None => OptionalChunk::Absent(1),
        }
    }

    fn slice(chunk: Self::Chunk) -> Self::Slice {
        match chunk {
            OptionalChunk::Present(chunk) => Some(X::slice(chunk)),
            OptionalChunk::Absent(_) => None,
        }
    }

    fn split(chunk: Self::Chunk, at: usize) -> (Self::Chunk, Self::Chunk) {
        match chunk {
            OptionalChunk::Present(chunk) => {
                let (front, back) = X::split(chunk, at);
                (OptionalChunk::Present(front), OptionalChunk::Present(back))
            }
            OptionalChunk::Absent(rows) => (OptionalChunk::Absent(at), OptionalChunk::Absent(rows - at)),
        }
    }
}

/// An optional column whose rows are looked up.
pub struct OptionalSeek<S> {
    inner: S,
    is_empty: bool,
    /// How many entities the page entered has.
    count: usize,
    asked_for: Vec<u32>,
    present: Vec<u32>,
}

impl<'a, S: Seek<'a>> Seek<'a> for OptionalSeek<S> {
    type Chunk = OptionalChunk<S::Chunk>;
    type Item = Option<S::Item>;

    #[inline(always)]
    fn rows(&self) -> &Rows<'a> {
        self.inner.rows()
    }

    fn enter(&mut self, page: usize, owners: &'a OwnerPage) -> Fit {
        if self.is_empty { Fit::All } else { self.inner.enter(page, owners) }
    }

    fn find(&mut self, page: usize, owners: &'a OwnerPage) {
        self.count = owners.0.len();
        if !self.is_empty {
            self.inner.find(page, owners);
        }
    }

    fn chunk(&mut self, page: usize, rows: usize) -> Self::Chunk {
        if self.is_empty {
            OptionalChunk::Absent(rows)
        } else {
            OptionalChunk::Present(self.inner.chunk(page, rows))
        }
    }

    #[inline(always)]
    fn has(&self, _at: usize) -> bool {
        true
    }

    #[inline(always)]
    fn run(&self, at: usize, most: usize) -> usize {
        if self.inner.has(at) {
            return self.inner.run(at, most);
        }
        (1..most).take_while(|on| !self.inner.has(at + on)).count() + 1
    }

    #[inline(always)]
    fn take(&mut self, at: usize) -> Option<Option<S::Item>> {
        Some(if self.inner.has(at) { self.inner.take(at) } else { None })
    }

    fn take_run(&mut self, at: usize, rows: usize) -> Self::Chunk {
        if self.inner.has(at) {
            OptionalChunk::Present(self.inner.take_run(at, rows))
        } else {
            OptionalChunk::Absent(rows)
        }
    }

    fn has_all(&self) -> bool {
        true
    }

    fn is_scattered(&self) -> bool {
        self.is_empty || self.inner.is_scattered()
    }

    fn take_whole(&mut self, count: usize) {
        if !self.is_empty && self.inner.has_all() {
            self.inner.take_whole(count);
        }
    }

    fn is_in_order(&self) -> bool {
        false
    }

    fn in_step(&mut self) -> Option<impl Iterator<Item = Option<S::Item>>> {
        None::<std::iter::Empty<_>>
    }

    fn gather(&mut self, asked: Asked<'_>) -> impl Iterator<Item = Option<S::Item>> {
        let Self { inner, is_empty, count, asked_for, present } = self;
        asked_for.clear();
        match asked {
            Asked::From(from) => asked_for.extend(from as u32..*count as u32),
            Asked::At(places) => asked_for.extend(places),
        }
        let has = |&at: &u32| !*is_empty && inner.has(at as usize);
        present.clear();
        present.extend(asked_for.iter().copied().filter(has));
        let mut rows = present.iter().zip(inner.gather(Asked::At(present))).peekable();
        asked_for.iter().map(move |at| Some(rows.next_if(|(next, _)| *next == at)?.1))
    }
}
