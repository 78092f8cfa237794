//! Events: what happened, for whoever wants to read it, in a buffer that is part of the value.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::slice;

use triomphe::Arc;

use crate::entity::{Entities, Entity};
use crate::guard::Guard;
use crate::key::{ComponentKey, component_key};
use crate::pages::{Page, Pages};
use crate::part::{CheckError, Part, PartKind, PartView, Visit};
use crate::shared::{Shared, unique};

#[cfg(feature = "serde")]
mod compared;

#[cfg(feature = "serde")]
pub use compared::EventsChange;

#[cfg(feature = "serde")]
mod serial;

/// How old an event becomes if no fixed step runs, in frames.
const OLDEST: usize = 8;

/// What happened: a field of a group, in which events wait until everybody had time to read them.
///
/// Whoever wants to know keeps a [`Reader`], a small value, in a group of its own, so that reading needs no
/// more than a `&Events`, and a world that is rolled back rolls its readers back. There are no callbacks.
///
/// Each reader gets each event exactly once, in order, in whichever stage of the frame it reads. At the
/// end of a frame ([`World::advance`](crate::World::advance)) events are dropped that were emitted in an
/// earlier frame, if a fixed step ran in this one: by then every stage had its turn, the fixed steps too.
/// While no fixed step runs, events are kept for eight frames and no longer, so that nothing piles up in a
/// pause; a reader that waits for longer is told how many it [`missed`](Reader::missed).
///
/// | operation | cost |
/// | --- | --- |
/// | `clone` | two increments |
/// | `emit` | O(1); the first one after a clone copies at most one page of 1,024 events |
/// | `len`, `read` | O(1) |
/// | end of a frame | O(1), and the drops |
///
/// ```
/// use std_ecs::{Columns, Entities, Events, Reader, Single, World};
///
/// #[derive(Clone, Debug, PartialEq)]
/// struct Damaged(u32);
///
/// #[derive(Clone, Debug, Default, PartialEq, Columns)]
/// struct Fights {
///     damaged: Events<Damaged>,
/// }
///
/// #[derive(Clone, Debug, Default, PartialEq, Columns)]
/// struct Sounds {
///     heard: Single<Reader<Damaged>>,
///     volume: Single<u32>,
/// }
///
/// #[derive(Clone, Debug, Default, PartialEq, World)]
/// struct Game {
///     entities: Entities,
///     fights: Fights,
///     sounds: Sounds,
/// }
///
/// let mut game = Game::default();
/// game.fights.damaged.emit(Damaged(3));
/// game.fights.damaged.emit(Damaged(4));
/// for damage in game.fights.damaged.read(&mut game.sounds.heard) {
///     *game.sounds.volume += damage.0;
/// }
/// assert_eq!(*game.sounds.volume, 7);
/// assert_eq!(game.fights.damaged.read(&mut game.sounds.heard).count(), 0);
///
/// game.advance(1);
/// game.advance(1);
/// assert!(game.fights.damaged.is_empty());
/// ```
pub struct Events<E> {
    /// The number of the next event; they are counted from 0.
    pub(crate) next: u64,
    /// Those of the frames before this one, the oldest first. The first has events.
    pub(crate) past: Arc<Vec<Pages<E>>>,
    /// Those of this frame.
    pub(crate) current: Pages<E>,
    guard: Guard,
}

impl<E> Clone for Events<E> {
    fn clone(&self) -> Self {
        Self {
            next: self.next,
            past: self.past.clone(),
            current: self.current.clone(),
            guard: self.guard.clone(),
        }
    }
}

impl<E> Default for Events<E> {
    fn default() -> Self {
        Self { next: 0, past: Arc::new(Vec::new()), current: Pages::default(), guard: Guard::default() }
    }
}

impl<E> Events<E> {
    /// How many events are buffered.
    pub fn len(&self) -> usize {
        let length = self.frames().map(Pages::len).sum();
        if length == 0 {
            self.missed();
        }
        length
    }

    /// Whether no event is buffered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All events that are buffered, the oldest first, whoever has read them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &E> {
        self.len();
        self.frames().flat_map(Pages::iter)
    }

    /// The events that the reader has not been given yet, the oldest first.
    ///
    /// The reader goes on by one with each event that is taken out of the iterator: whoever stops early
    /// finds the rest the next time.
    ///
    /// Events that were dropped before the reader came to them are counted in
    /// [`missed`](Reader::missed), once. A reader that is ahead of the events comes from a future that was
    /// rolled back without it: it is given all that are buffered, so that nothing is missed. Keep readers in
    /// the world, and that does not happen.
    ///
    /// ```
    /// use std_ecs::{Events, Reader};
    ///
    /// let mut events = Events::default();
    /// events.extend([1, 2, 3]);
    /// let mut reader = Reader::from_start();
    /// assert_eq!(events.read(&mut reader).next(), Some(&1));
    /// assert_eq!(events.read(&mut reader).collect::<Vec<_>>(), [&2, &3]);
    /// ```
    pub fn read<'a>(&'a self, reader: &'a mut Reader<E>) -> Read<'a, E> {
        let first = self.next - self.len() as u64;
        reader.missed = first.saturating_sub(reader.next);
        if reader.next < first || reader.next > self.next {
            reader.next = first;
        }
        let mut skip = (reader.next - first) as usize;
        let mut frames = self.past.iter();
        let mut pages = [].iter();
        let mut last = Some(&self.current);
        while let Some(frame) = frames.next().or_else(|| last.take()) {
            if skip < frame.len() {
                pages = frame.table().iter();
                break;
            }
            skip -= frame.len();
        }
        let mut hot = [].iter();
        for page in pages.by_ref() {
            if let Some(rest) = page.0.get(skip..).filter(|rest| !rest.is_empty()) {
                hot = rest.iter();
                break;
            }
            skip -= page.0.len();
        }
        Read { hot, pages, frames, last, left: (self.next - reader.next) as usize, reader }
    }

    /// The frames, the oldest first.
    fn frames(&self) -> impl DoubleEndedIterator<Item = &Pages<E>> {
        self.past.iter().chain(std::iter::once(&self.current))
    }

    /// Called where there is no event, which is always so if they are withheld.
    fn missed(&self) {
        self.guard.check_part(component_key::<E>);
    }
}

impl<E: Clone> Events<E> {
    /// Adds an event. Each reader will find it after those that were emitted before.
    pub fn emit(&mut self, event: E) {
        if self.current.len() == 0 {
            self.missed();
        }
        self.current.push(event);
        self.next += 1;
    }
}

impl<E: Clone> Extend<E> for Events<E> {
    /// Adds events, as a call of [`emit`](Events::emit) for each would.
    fn extend<I: IntoIterator<Item = E>>(&mut self, events: I) {
        if self.current.len() == 0 {
            self.missed();
        }
        let before = self.current.len();
        self.current.extend(events);
        self.next += (self.current.len() - before) as u64;
    }
}

impl<E: PartialEq> PartialEq for Events<E> {
    /// Whether both hold equal events of the same ages and have counted the same number since the start.
    /// Pages that are one allocation are equal without a look.
    fn eq(&self, other: &Self) -> bool {
        self.next == other.next && self.current == other.current && *self.past == *other.past
    }
}

impl<E: fmt::Debug> fmt::Debug for Events<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// How far somebody has read in some [`Events`].
///
/// A small value that belongs into the world, `Single<Reader<Damaged>>`, in the group of whoever reads.
pub struct Reader<E> {
    /// The number of the next event to read.
    next: u64,
    /// How many were dropped before the last read came to them.
    missed: u64,
    events: PhantomData<fn() -> E>,
}

impl<E> Reader<E> {
    /// A reader that begins with the first event ever emitted. Those that are no longer buffered when it
    /// first reads count as missed. This is the default, right for readers that are there from the start.
    pub const fn from_start() -> Self {
        Self { next: 0, missed: 0, events: PhantomData }
    }

    /// A reader that begins with what will be emitted from now on.
    ///
    /// ```
    /// # use std_ecs::{Events, Reader};
    /// # let mut events = Events::default();
    /// events.emit("before");
    /// let mut reader = Reader::from_now(&events);
    /// events.emit("after");
    /// assert_eq!(events.read(&mut reader).collect::<Vec<_>>(), [&"after"]);
    /// ```
    pub fn from_now(events: &Events<E>) -> Self {
        if events.next == 0 {
            events.missed();
        }
        Self { next: events.next, missed: 0, events: PhantomData }
    }

    /// How many events were dropped before this reader came to them, as the last call of
    /// [`Events::read`] found: each missed event is reported after one read and not again after the next.
    pub const fn missed(&self) -> u64 {
        self.missed
    }
}

impl<E> Clone for Reader<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Reader<E> {}

impl<E> Default for Reader<E> {
    fn default() -> Self {
        Self::from_start()
    }
}

impl<E> PartialEq for Reader<E> {
    fn eq(&self, other: &Self) -> bool {
        (self.next, self.missed) == (other.next, other.missed)
    }
}

impl<E> Eq for Reader<E> {}

impl<E> fmt::Debug for Reader<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("next", &self.next).field("missed", &self.missed).finish()
    }
}

/// The events that a reader had not been given. Made by [`Events::read`].
pub struct Read<'a, E> {
    hot: slice::Iter<'a, E>,
    pages: slice::Iter<'a, Shared<Page<E>>>,
    frames: slice::Iter<'a, Pages<E>>,
    last: Option<&'a Pages<E>>,
    left: usize,
    reader: &'a mut Reader<E>,
}

impl<'a, E> Iterator for Read<'a, E> {
    type Item = &'a E;

    #[inline]
    fn next(&mut self) -> Option<&'a E> {
        loop {
            if let Some(event) = self.hot.next() {
                self.left -= 1;
                self.reader.next += 1;
                return Some(event);
            }
            match self.pages.next() {
                Some(page) => self.hot = page.0.iter(),
                None => self.pages = self.frames.next().or_else(|| self.last.take())?.table().iter(),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<E> ExactSizeIterator for Read<'_, E> {}
impl<E> FusedIterator for Read<'_, E> {}

impl<E: fmt::Debug> fmt::Debug for Read<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read").field("left", &self.left).field("reader", &self.reader).finish()
    }
}

impl<E: Clone + 'static> Part for Events<E> {
    fn detach_all(&mut self, _entity: Entity) {}

    /// Drops what is buffered. The count goes on, so that readers find what is emitted from now on.
    fn clear_all(&mut self) {
        self.missed();
        self.past = Arc::new(Vec::new());
        self.current = Pages::default();
    }

    fn end_frame(&mut self, steps: u32) {
        let is_quiet = self.past.is_empty() && self.current.len() == 0;
        if is_quiet {
            return;
        }
        let past = unique(&mut self.past);
        if steps > 0 {
            // All of them are two frames old now, and were there when the step ran.
            past.clear();
        }
        past.push(std::mem::take(&mut self.current));
        let too_old = past.len().saturating_sub(OLDEST - 1);
        let empty = past[too_old..].iter().take_while(|frame| frame.len() == 0).count();
        past.drain(..too_old + empty);
    }

    fn visit<'a>(&'a self, path: &mut Vec<&'static str>, visit: &mut Visit<'_, 'a>) {
        visit(path, self);
    }

    fn verify(&self, _entities: &Entities) -> Result<(), CheckError> {
        Ok(())
    }

    fn withhold(&mut self, guard: &Guard) {
        *self = Self { guard: guard.clone(), ..Self::default() };
    }

    fn same(&self, other: &Self) -> bool {
        self.next == other.next && self.current.same(&other.current) && Arc::ptr_eq(&self.past, &other.past)
    }
}

impl<E> PartView for Events<E> {
    fn kind(&self) -> PartKind {
        PartKind::Events
    }

    fn key(&self) -> ComponentKey {
        component_key::<E>()
    }

    fn length(&self) -> usize {
        self.frames().map(Pages::len).sum()
    }

    /// How many events were emitted since the start.
    fn time(&self) -> u64 {
        self.next
    }

    fn bytes(&self) -> usize {
        self.frames().map(Pages::bytes).sum()
    }

    fn is_withheld(&self) -> bool {
        self.guard.is_set()
    }

    fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        self.frames().for_each(|frame| frame.allocations(each));
    }
}
