//! The walk: an iterator with one producer.
//!
//! `next` yields from `hot` and from nothing else; a row that had to be looked up becomes a run of length
//! one and is put there. Nothing takes the iterator's address, so that its state can live in registers:
//! what is not inlined gets values, or a pointer into the box of the slow path. Both are worth a factor of
//! two.

use std::iter::FusedIterator;

use super::filter::Filters;
use super::found::PATIENCE;
use super::seek::Start;
use super::side::{Driver, Fit, OwnerPage};
use super::sides::{LookedUp, Seeks, Sides, rows};
use crate::column::arrangement::Arrangement;
use crate::entity::Entity;

/// A walk over one to four stores, made by [`query`](crate::query), [`pairs`](crate::pairs),
/// [`triples`](crate::triples) and [`quadruples`](crate::quadruples).
///
/// It is an iterator of `(Entity, ..)`. Until its first item is taken, filters can be added and its order
/// pinned. [`for_each`](Iterator::for_each), [`fold`](Iterator::fold) and what is built on them run a loop
/// over slices for each page and are faster than `for`.
///
/// **Order.** The rows of the shortest store that is not optional, those of [`with`](Self::with) included;
/// of equals the first. [`in_order_of_first`](Self::in_order_of_first) pins it to the first.
///
/// **Cost.** That of the rows of the store that drives. Where the stores hold the same entities in the same
/// rows, whole pages are walked as slices; pages of entities that say the same are shared from the first walk
/// on that may write one of the stores. Other rows are looked up, one by one. From the second walk over the same
/// stores on it is remembered where they are, 4 bytes for each row and store, until one of the stores attaches,
/// detaches or moves a row. Clones share what is remembered, and no result depends on it.
///
/// **Stamps.** A store handed over with `&mut` has its clock advanced once. All rows of a page count as
/// changed when the walk enters it, rows that are looked up one by one.
pub struct Query<'a, S: Sides<'a>, F = ()> {
    hot: S::Hot,
    owners: std::slice::Iter<'a, OwnerPage>,
    page: usize,
    /// That of the store that drives.
    arrangement: Option<&'a Arrangement>,
    pub(super) sides: S,
    pub(super) filters: F,
    is_pinned: bool,
    slow: Cold<Slow<'a, S::Seeks, F>>,
}

/// A box whose drop does not need the address of its owner.
struct Cold<T>(Option<Box<T>>);

impl<T> Drop for Cold<T> {
    #[inline(always)]
    fn drop(&mut self) {
        #[cold]
        #[inline(never)]
        fn drop_box<T>(content: Box<T>) {
            drop(content);
        }
        if let Some(content) = self.0.take() {
            drop_box(content);
        }
    }
}

impl<'a, S: Sides<'a>> Query<'a, S> {
    #[inline]
    pub(super) fn new(sides: S) -> Self {
        let driver = sides.shortest();
        Self {
            hot: S::hot(&[], S::no_chunks()),
            owners: driver.owners.iter(),
            page: 0,
            arrangement: driver.arrangement,
            sides,
            filters: (),
            is_pinned: false,
            slow: Cold(None),
        }
    }
}

impl<'a, S: Sides<'a>, F: Filters> Query<'a, S, F> {
    /// Adds a filter. One that asks for rows may be what drives from now on.
    #[inline]
    pub(super) fn filtered<G>(self, filter: G, asked: Option<Driver<'a>>) -> Query<'a, S, (F, G)> {
        let (mut owners, mut arrangement) = (self.owners, self.arrangement);
        if let Some(asked) = asked
            && !self.is_pinned
            && rows(asked.owners) < rows(owners.as_slice())
        {
            (owners, arrangement) = (asked.owners.iter(), asked.arrangement);
        }
        Query {
            hot: self.hot,
            owners,
            page: self.page,
            arrangement,
            sides: self.sides,
            filters: (self.filters, filter),
            is_pinned: self.is_pinned,
            slow: Cold(None),
        }
    }

    /// Walks the rows of the first store that is not optional, in its order, whatever is shorter.
    ///
    /// ```
    /// use std_ecs::{Column, Entities, pairs};
    ///
    /// let mut entities = Entities::default();
    /// let (a, b, c) = (entities.spawn(), entities.spawn(), entities.spawn());
    /// let (mut names, mut ages) = (Column::default(), Column::default());
    /// names.extend([(a, "Ada"), (b, "Bob"), (c, "Cyd")]);
    /// ages.extend([(c, 40), (a, 30)]);
    ///
    /// let order = |rows: Vec<(_, &&str, &i32)>| rows.iter().map(|row| row.0).collect::<Vec<_>>();
    /// assert_eq!(order(pairs(&names, &ages).collect()), [c, a]); // the ages are fewer
    /// assert_eq!(order(pairs(&names, &ages).in_order_of_first().collect()), [a, c]);
    /// ```
    #[inline]
    pub fn in_order_of_first(mut self) -> Self {
        let first = self.sides.first();
        (self.owners, self.arrangement) = (first.owners.iter(), first.arrangement);
        self.is_pinned = true;
        self
    }

    /// The next page of rows, or the next row that had to be looked up, as slices.
    #[inline(always)]
    pub(super) fn next_run(&mut self) -> Option<(&'a [Entity], S::Chunks)> {
        loop {
            if let Some(slow) = &mut self.slow.0 {
                return match slow.next() {
                    Found::Row(entity, items) => Some((std::slice::from_ref(entity), S::one(items))),
                    Found::Run(owners, chunks) => Some((owners, chunks)),
                    Found::End => None,
                };
            }
            match self.next_page() {
                Next::Page(owners, chunks) => return Some((owners, chunks)),
                Next::LookUp => {}
                Next::End => return None,
            }
        }
    }

    /// The next page, as long as pages can be had as slices.
    #[inline(always)]
    fn next_page(&mut self) -> Next<'a, S::Chunks> {
        loop {
            let Some(owners) = self.owners.next() else { return Next::End };
            let page = self.page;
            self.page += 1;
            match self.sides.fits(page, owners).and(self.filters.fits(page, owners)) {
                Fit::All => return Next::Page(&owners.0, self.sides.chunks(page, owners.0.len())),
                Fit::None if self.sides.can_skip(page, owners) => self.sides.skip(),
                Fit::None | Fit::Each => {
                    let sides = std::mem::replace(&mut self.sides, S::nothing());
                    let pages = self.page + self.owners.len();
                    let start = Start { page, pages, arrangement: self.arrangement };
                    let first = std::slice::from_ref(owners);
                    self.slow = Cold(Some(Slow::new(sides, self.filters, first, self.owners.clone(), start)));
                    return Next::LookUp;
                }
            }
        }
    }

    /// How many rows of the store that drives are left.
    fn rows_left(&self) -> usize {
        let looked_up = self.slow.0.as_ref().map_or(0, |slow| slow.rows_left());
        rows(self.owners.as_slice()) * usize::from(self.slow.0.is_none()) + looked_up
    }
}

impl<'a, S: Sides<'a>, F: Filters> Iterator for Query<'a, S, F> {
    type Item = S::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<S::Item> {
        loop {
            if let Some(raw) = self.hot.next() {
                return Some(S::item(raw));
            }
            let (owners, chunks) = self.next_run()?;
            self.hot = S::hot(owners, chunks);
        }
    }

    /// Exact for a query of one store, the others optional, without filters.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let (at_least, at_most) = self.hot.size_hint();
        let left = self.rows_left();
        let is_exact = S::ONE_DECIDES && F::PASS_ALL && !self.sides.is_filtered();
        (at_least + if is_exact { left } else { 0 }, at_most.map(|rows| rows + left))
    }

    #[inline]
    fn fold<B, G: FnMut(B, S::Item) -> B>(mut self, init: B, mut f: G) -> B {
        let hot = std::mem::replace(&mut self.hot, S::hot(&[], S::no_chunks()));
        let mut so_far = hot.fold(init, |so_far, raw| f(so_far, S::item(raw)));
        if self.slow.0.is_none() {
            while let Next::Page(owners, chunks) = self.next_page() {
                so_far = S::fold(owners, chunks, so_far, &mut f);
            }
        }
        match self.slow.0.take() {
            Some(slow) => slow.fold::<S, B>(so_far, &mut f),
            None => so_far,
        }
    }
}

impl<'a, S: Sides<'a>, F: Filters> FusedIterator for Query<'a, S, F> {}

/// What comes before the slow path.
enum Next<'a, Chunks> {
    /// A page, as slices.
    Page(&'a [Entity], Chunks),
    /// From here on rows are looked up: the slow path is there now.
    LookUp,
    /// There is nothing left.
    End,
}

/// What the slow path yields.
enum Found<'a, Items, Chunks> {
    /// A row that was looked up.
    Row(&'a Entity, Items),
    /// Rows of entities that follow one another, as slices.
    Run(&'a [Entity], Chunks),
    /// There is nothing left.
    End,
}

/// What a page of the slow path has.
enum Entered<'a, Chunks> {
    /// All rows, as slices.
    Slices(&'a [Entity], Chunks),
    /// Rows to be looked up, if any.
    Rows,
    /// There is no page left.
    End,
}

/// The walk from the first page on that has to be looked at row by row.
struct Slow<'a, K, F> {
    seeks: K,
    filters: F,
    /// The page where it began, until that is entered.
    first: &'a [OwnerPage],
    owners: std::slice::Iter<'a, OwnerPage>,
    /// The page to enter next.
    page: usize,
    /// The entities of the page entered, and the place of the next.
    current: &'a [Entity],
    at: usize,
    is_filtered: bool,
    /// How many rows of this page came alone, since the last that did not.
    alone: u32,
}

impl<'a, K: Seeks<'a>, F: Filters> Slow<'a, K, F> {
    #[cold]
    #[inline(never)]
    #[expect(
        clippy::unnecessary_box_returns,
        reason = "what is not inlined answers a pointer, not the state"
    )]
    fn new<S: Sides<'a, Seeks = K>>(
        sides: S,
        filters: F,
        first: &'a [OwnerPage],
        owners: std::slice::Iter<'a, OwnerPage>,
        start: Start<'a>,
    ) -> Box<Self> {
        let seeks = sides.seek(&start);
        Box::new(Self {
            seeks,
            filters,
            first,
            owners,
            page: start.page,
            current: &[],
            at: 0,
            is_filtered: false,
            alone: 0,
        })
    }

    fn rows_left(&self) -> usize {
        self.current.len() - self.at + rows(self.first) + rows(self.owners.as_slice())
    }

    /// The next row that has all that is asked for, or the next rows that can be had as slices.
    #[inline(always)]
    fn next(&mut self) -> Found<'a, K::Items, K::Chunks> {
        loop {
            while let Some(entity) = self.current.get(self.at) {
                let at = self.at;
                match self.look_up(*entity) {
                    LookedUp::Nothing => self.at += 1,
                    LookedUp::Row(items) => {
                        (self.at, self.alone) = (at + 1, self.alone + 1);
                        return Found::Row(entity, items);
                    }
                    LookedUp::Run(rows, chunks) => {
                        (self.at, self.alone) = (at + rows, 0);
                        return Found::Run(&self.current[at..at + rows], chunks);
                    }
                }
            }
            match self.enter() {
                Entered::Slices(owners, chunks) => return Found::Run(owners, chunks),
                Entered::Rows => {}
                Entered::End => return Found::End,
            }
        }
    }

    /// What the next entity has, and those after it.
    #[inline(always)]
    fn look_up(&mut self, entity: Entity) -> LookedUp<K::Items, K::Chunks> {
        if self.is_filtered && !self.filters.passes(entity) {
            return LookedUp::Nothing;
        }
        self.seeks.look_up(self.at, self.most(self.current.len() - self.at, self.alone))
    }

    /// How many of the entities left are asked whether their rows follow one another.
    #[inline(always)]
    fn most(&self, left: usize, alone: u32) -> usize {
        if self.is_filtered || alone >= PATIENCE { 1 } else { left }
    }

    /// Enters the next page.
    #[inline(always)]
    fn enter(&mut self) -> Entered<'a, K::Chunks> {
        let owners = match self.first {
            [first] => first,
            _ => match self.owners.next() {
                Some(owners) => owners,
                None => return Entered::End,
            },
        };
        self.first = &[];
        let page = self.page;
        self.page += 1;
        (self.current, self.at, self.alone) = (&[], 0, 0);
        let passing = self.filters.fits(page, owners);
        self.is_filtered = passing == Fit::Each;
        match self.seeks.enter(page, owners).and(passing) {
            Fit::All => return Entered::Slices(&owners.0, self.seeks.chunks(page, owners.0.len())),
            Fit::None => {}
            Fit::Each => {
                self.seeks.find(page, owners);
                self.current = &owners.0;
            }
        }
        Entered::Rows
    }

    #[inline(never)]
    #[expect(clippy::boxed_local, reason = "what is not inlined gets a pointer, not the state")]
    fn fold<S, B>(self: Box<Self>, init: B, f: &mut impl FnMut(B, S::Item) -> B) -> B
    where
        S: Sides<'a, Chunks = K::Chunks, Items = K::Items>,
    {
        // Out of the box, so that the loop can keep the state in registers.
        let mut slow = *self;
        let mut so_far = init;
        loop {
            let entities = std::mem::take(&mut slow.current);
            let (mut at, mut alone) = (slow.at, slow.alone);
            if slow.seeks.is_scattered() {
                let passes = slow.is_filtered.then_some(|entity| slow.filters.passes(entity));
                so_far = slow.seeks.fold_rows(at, entities, passes, so_far, |so_far, entity, items| {
                    f(so_far, S::together(entity, items))
                });
                at = entities.len();
            } else if at == 0 && !slow.is_filtered {
                slow.seeks.take_whole(entities.len());
            }
            while let Some(entity) = entities.get(at) {
                if slow.is_filtered && !slow.filters.passes(*entity) {
                    at += 1;
                    continue;
                }
                match slow.seeks.look_up(at, slow.most(entities.len() - at, alone)) {
                    LookedUp::Nothing => at += 1,
                    LookedUp::Row(items) => {
                        (at, alone) = (at + 1, alone + 1);
                        so_far = f(so_far, S::together(*entity, items));
                    }
                    LookedUp::Run(rows, chunks) => {
                        so_far = S::fold(&entities[at..at + rows], chunks, so_far, f);
                        (at, alone) = (at + rows, 0);
                    }
                }
            }
            match slow.enter() {
                Entered::Slices(owners, chunks) => so_far = S::fold(owners, chunks, so_far, f),
                Entered::Rows => {}
                Entered::End => return so_far,
            }
        }
    }
}
