//! One of the stores that a query walks, once its rows have to be looked up.

use triomphe::Arc;

use super::found::{Found, NOWHERE, Places};
use super::side::{Fit, OwnerPage, Owners, Read, Side, is_aligned};
use super::write_page::{InOrder, WritePage, each_once, not_there};
use crate::column::Entry;
use crate::column::arrangement::Arrangement;
use crate::column::index::IndexRef;
use crate::entity::Entity;
use crate::pages::{PAGE, place};

/// A column during the walk, once rows have to be looked up. `at` is a place in the page of entities that
/// was entered last.
pub trait Seek<'a> {
    type Chunk;
    type Item;

    /// The rows found.
    fn rows(&self) -> &Rows<'a>;
    /// As [`Side::fits`].
    fn enter(&mut self, page: usize, owners: &'a OwnerPage) -> Fit;
    /// Finds the rows of all entities of the page entered, which has to be looked at row by row.
    fn find(&mut self, page: usize, owners: &'a OwnerPage);
    fn chunk(&mut self, page: usize, rows: usize) -> Self::Chunk;
    /// Whether the entity has what is asked for.
    #[inline(always)]
    fn has(&self, at: usize) -> bool {
        self.rows().get(at) != NOWHERE
    }
    /// How many of up to `most` entities from this place on have rows that follow one another and can be had
    /// as one slice.
    fn run(&self, at: usize, most: usize) -> usize;
    /// One row. None is asked for twice, and the second time would get `None`.
    fn take(&mut self, at: usize) -> Option<Self::Item>;
    fn take_run(&mut self, at: usize, rows: usize) -> Self::Chunk;
    /// Whether there is what is asked for, for each entity of the page entered.
    fn has_all(&self) -> bool {
        self.rows().found.is_whole
    }
    /// Whether hardly any of the rows found follow one another, so that it is not worth while to look for runs.
    fn is_scattered(&self) -> bool {
        self.rows().found.stretches.is_empty()
    }
    /// All rows of the page entered, of so many entities, will be taken.
    fn take_whole(&mut self, count: usize);
    /// All rows of the page entered, as a slice would yield them, if it has all of them in its order.
    fn in_step(&mut self) -> Option<impl Iterator<Item = Self::Item>>;
    /// The rows of the entities asked for, each of which has what is asked for; all of them are taken.
    fn gather(&mut self, asked: Asked<'_>) -> impl Iterator<Item = Self::Item>;
    /// Whether [`in_order`](Self::in_order) can be called.
    fn is_in_order(&self) -> bool;
    /// As [`gather`](Self::gather), but each row is taken when it is yielded.
    fn in_order(&mut self, asked: Asked<'_>) -> impl Iterator<Item = Self::Item> {
        self.gather(asked)
    }
}

/// Entities of the page entered.
#[derive(Clone, Copy)]
pub enum Asked<'s> {
    /// All from a place on.
    From(usize),
    /// Those at these places, in order.
    At(&'s [u32]),
}

/// Where a walk that looks rows up begins, and what drives it.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// The first page that has to be looked at row by row.
    pub(super) page: usize,
    /// How many pages of entities there are, those before it included.
    pub(super) pages: usize,
    pub(super) arrangement: Option<&'a Arrangement>,
}

/// The rows that the entities of the page entered have in a column.
pub struct Rows<'a> {
    owners: Owners<'a>,
    index: IndexRef<'a>,
    found: Arc<Found>,
    /// What is remembered of all pages.
    places: Option<std::sync::Arc<Places>>,
    /// Whether all rows that will be looked up are known to ascend.
    is_ascending: bool,
    /// How many entities the page entered has, and whether their rows are those of the page of that number.
    count: usize,
    is_aligned: bool,
}

impl<'a> Rows<'a> {
    fn new(owners: Owners<'a>, index: IndexRef<'a>, start: &Start<'a>) -> Self {
        let places = match (start.arrangement, index.arrangement) {
            (Some(driver), Some(own)) if !std::ptr::eq(driver, own) => driver.places_in(own, start.pages),
            _ => None,
        };
        let is_ascending = places.as_ref().is_some_and(|places| places.ascend_from(start.page));
        Self { owners, index, found: Arc::default(), places, is_ascending, count: 0, is_aligned: false }
    }

    fn enter(&mut self, page: usize, owners: &'a OwnerPage) {
        self.is_aligned = is_aligned(self.owners, page, owners);
    }

    /// Finds the rows of the entities of the page entered.
    fn find(&mut self, page: usize, entities: &[Entity]) {
        self.count = entities.len();
        let Self { owners, index, found, places, is_aligned, .. } = self;
        let find = |found: &mut Found| {
            if *is_aligned {
                found.set_aligned(page, entities.len());
            } else {
                found.look_up(entities, owners, *index);
            }
        };
        match places.as_ref().and_then(|places| places.page(page, find)) {
            Some(remembered) => *found = remembered,
            None => find(Arc::make_mut(found)),
        }
    }

    #[inline(always)]
    fn get(&self, at: usize) -> u32 {
        self.found.get(at)
    }

    /// The rows of the entities asked for; `list` is where they are listed if they are not.
    #[inline(always)]
    fn asked<'s>(&'s self, asked: Asked<'_>, list: &'s mut Vec<u32>) -> &'s [u32] {
        list.clear();
        match asked {
            Asked::From(from) if !self.found.rows.is_empty() => return &self.found.rows[from..],
            Asked::From(from) => {
                let first = self.found.in_order_from.unwrap_or_default();
                list.extend(first + from as u32..first + self.count as u32);
            }
            Asked::At(places) => list.extend(places.iter().map(|&at| self.get(at as usize))),
        }
        list
    }

    /// Forgets the rows that are not asked for.
    fn retain(&mut self, is_asked_for: impl Fn(usize) -> bool) {
        let found = Arc::make_mut(&mut self.found);
        found.spell_out(self.count);
        for row in &mut found.rows {
            if *row != NOWHERE && !is_asked_for(*row as usize) {
                *row = NOWHERE;
                found.is_whole = false;
            }
        }
    }
}

/// A column that is read at rows that are looked up.
pub struct ReadSeek<'a, T> {
    column: Read<'a, T>,
    rows: Rows<'a>,
    /// The values of the page entered, if its rows are in the order of what drives.
    aligned: &'a [T],
    asked_for: Vec<u32>,
}

impl<'a, T> ReadSeek<'a, T> {
    pub(super) fn new(
        column: Read<'a, T>,
        owners: Owners<'a>,
        index: IndexRef<'a>,
        start: &Start<'a>,
    ) -> Self {
        Self { column, rows: Rows::new(owners, index, start), aligned: &[], asked_for: Vec::new() }
    }
}

impl<'a, T: 'a> Seek<'a> for ReadSeek<'a, T> {
    type Chunk = &'a [T];
    type Item = &'a T;

    #[inline(always)]
    fn rows(&self) -> &Rows<'a> {
        &self.rows
    }

    fn enter(&mut self, page: usize, owners: &'a OwnerPage) -> Fit {
        self.rows.enter(page, owners);
        self.column.page_fits(page, self.rows.is_aligned)
    }

    fn find(&mut self, page: usize, owners: &'a OwnerPage) {
        self.rows.find(page, &owners.0);
        self.aligned = if self.rows.is_aligned { self.chunk(page, owners.0.len()) } else { &[] };
        if Side::is_filtered(&self.column) {
            self.rows.retain(|row| self.column.is_asked_for(row));
        }
    }

    fn chunk(&mut self, page: usize, rows: usize) -> &'a [T] {
        self.column.chunk(page, rows)
    }

    #[inline(always)]
    fn run(&self, at: usize, most: usize) -> usize {
        self.rows.found.run(at, most)
    }

    #[inline(always)]
    fn take(&mut self, at: usize) -> Option<&'a T> {
        if let Some(value) = self.aligned.get(at) {
            return Some(value);
        }
        let (page, at) = place(self.rows.get(at) as usize);
        self.column.values(page)?.get(at)
    }

    fn take_run(&mut self, at: usize, rows: usize) -> &'a [T] {
        let (page, at) = place(self.rows.get(at) as usize);
        self.column.values(page).and_then(|values| values.get(at..at + rows)).unwrap_or_default()
    }

    fn in_step(&mut self) -> Option<impl Iterator<Item = &'a T>> {
        (self.rows.is_aligned && self.rows.found.is_whole).then(|| self.aligned.iter())
    }

    fn gather(&mut self, asked: Asked<'_>) -> impl Iterator<Item = &'a T> {
        let Self { column, rows, asked_for, .. } = self;
        let table = column.table();
        rows.asked(asked, asked_for).iter().map(move |&row| {
            let (page, at) = place(row as usize);
            &table[page].rows.values[at]
        })
    }

    fn is_in_order(&self) -> bool {
        true
    }

    fn take_whole(&mut self, _count: usize) {}
}

/// A column that is written at rows that are looked up.
pub struct WriteSeek<'a, T> {
    pages: Vec<WritePage<'a, T>>,
    rows: Rows<'a>,
    /// The page entered.
    page: usize,
    stamp: u64,
    since: Option<u64>,
    gathered: Vec<Option<&'a mut T>>,
    asked_for: Vec<u32>,
}

/// From how many rows of a page on it pays to enter that page for all of them.
const ROWS_WORTH_ENTERING: usize = 8;

impl<'a, T: Clone> WriteSeek<'a, T> {
    /// `entries` are the pages from where the walk starts on: what lies before has been walked, and its entities
    /// will not come again.
    pub(super) fn new(
        start: &Start<'a>,
        entries: impl Iterator<Item = &'a mut Entry<T>>,
        owners: Owners<'a>,
        index: IndexRef<'a>,
        stamp: u64,
        since: Option<u64>,
    ) -> Self {
        let page = start.page;
        let done = std::iter::repeat_with(|| None).take(page.min(owners.len()));
        let pages = done.chain(entries.map(Some)).map(WritePage::new).collect();
        let rows = Rows::new(owners, index, start);
        Self { pages, rows, page, stamp, since, gathered: Vec::new(), asked_for: Vec::new() }
    }
}

impl<'a, T: Clone + 'a> Seek<'a> for WriteSeek<'a, T> {
    type Chunk = &'a mut [T];
    type Item = &'a mut T;

    #[inline(always)]
    fn rows(&self) -> &Rows<'a> {
        &self.rows
    }

    fn enter(&mut self, page: usize, owners: &'a OwnerPage) -> Fit {
        self.rows.enter(page, owners);
        match (self.pages.get(page).and_then(|page| page.entry.as_deref()), self.since) {
            (Some(_), None) if self.rows.is_aligned => Fit::All,
            (Some(entry), Some(since)) if self.rows.is_aligned && entry.newest <= since => Fit::None,
            _ => Fit::Each,
        }
    }

    fn find(&mut self, page: usize, owners: &'a OwnerPage) {
        self.page = page;
        self.rows.find(page, &owners.0);
        if let Some(since) = self.since {
            let pages = &self.pages;
            self.rows.retain(|row| pages[row / PAGE].stamp_of(row % PAGE) > since);
        }
    }

    fn chunk(&mut self, page: usize, rows: usize) -> &'a mut [T] {
        match self.pages[page].entry.take() {
            Some(entry) => entry.rewrite_first(rows, self.stamp),
            None => &mut [],
        }
    }

    #[inline(always)]
    fn run(&self, at: usize, most: usize) -> usize {
        match self.rows.found.run(at, most) {
            1 => 1,
            rows => {
                let (page, at) = place(self.rows.get(at) as usize);
                rows.min(self.pages[page].together(at))
            }
        }
    }

    #[inline(always)]
    fn take(&mut self, at: usize) -> Option<&'a mut T> {
        let (page, at) = place(self.rows.get(at) as usize);
        let page = self.pages.get_mut(page)?;
        if self.rows.is_ascending { page.take_next(at, self.stamp) } else { page.take(at, self.stamp) }
    }

    fn take_run(&mut self, at: usize, rows: usize) -> &'a mut [T] {
        let (page, at) = place(self.rows.get(at) as usize);
        self.pages[page].take_run(at, rows, self.stamp).unwrap_or_default()
    }

    fn in_step(&mut self) -> Option<impl Iterator<Item = &'a mut T>> {
        if !self.rows.is_aligned || !self.rows.found.is_whole {
            return None;
        }
        let entry = self.pages.get_mut(self.page)?.entry.take()?;
        Some(entry.rewrite_first(self.rows.count, self.stamp).iter_mut())
    }

    fn gather(&mut self, asked: Asked<'_>) -> impl Iterator<Item = &'a mut T> {
        let is_in_order = self.is_in_order();
        let Self { pages, rows, stamp, gathered, asked_for, .. } = self;
        let stamp = *stamp;
        gathered.clear();
        let asked_for = rows.asked(asked, asked_for);
        let page_of = |row: u32| row as usize / PAGE;
        let in_one_page = || asked_for.chunk_by(|&a, &b| page_of(a) == page_of(b));
        if is_in_order {
            gathered.extend(InOrder::new(pages, stamp).rows(asked_for).map(Some));
        } else if in_one_page().count() * ROWS_WORTH_ENTERING < asked_for.len() {
            for rows in in_one_page() {
                pages[page_of(rows[0])].take_each(rows, stamp, gathered);
            }
        } else {
            gathered.extend(asked_for.iter().map(|&row| {
                let Some(value) = pages[page_of(row)].take(row as usize % PAGE, stamp) else {
                    not_there(row)
                };
                Some(value)
            }));
        }
        each_once(gathered)
    }

    fn is_in_order(&self) -> bool {
        let is_entered_in_order =
            || self.rows.is_aligned && self.pages.get(self.page).is_some_and(|page| page.slots.is_empty());
        self.rows.is_ascending || is_entered_in_order()
    }

    fn in_order(&mut self, asked: Asked<'_>) -> impl Iterator<Item = &'a mut T> {
        let Self { pages, rows, stamp, asked_for, .. } = self;
        InOrder::new(pages, *stamp).rows(rows.asked(asked, asked_for))
    }

    fn take_whole(&mut self, count: usize) {
        if self.rows.is_aligned
            && let Some(page) = self.pages.get_mut(self.page)
            && let Some(entry) = page.entry.take()
        {
            page.rest = entry.rewrite_first(count, self.stamp);
        }
    }
}
