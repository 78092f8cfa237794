//! One of the stores that a query walks, once its rows have to be looked up.

use super::side::{Fit, OwnerPage, Owners, Read, Side, is_aligned, same_entities};
use crate::column::Entry;
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
    fn rows_mut(&mut self) -> &mut Rows<'a>;
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
        self.rows().has_all()
    }
    /// Whether hardly any of the rows found follow one another, so that it is not worth while to look for runs.
    fn is_scattered(&self) -> bool {
        self.rows().stretches.is_empty()
    }
    /// Makes it possible to leave out some of so many entities of the page entered.
    fn spell_out(&mut self, count: usize) {
        self.rows_mut().spell_out(count);
    }
    /// Leaves out the entity at this place.
    fn leave_out(&mut self, at: usize) {
        self.rows_mut().found[at] = NOWHERE;
    }
    /// All rows of the page entered, of so many entities, will be taken.
    fn take_whole(&mut self, count: usize);
    /// `count` rows of the page entered from a place on, a `None` for each that is missing or left out; all of them are
    /// taken. `is_whole`: there is no such.
    fn gather(&mut self, from: usize, count: usize, is_whole: bool) -> &mut [Option<Self::Item>];
}

/// How many rows are compared before the question is asked whether any of them differs.
const BLOCK: usize = 32;

/// After so many rows alone, no more of a page are asked whether they follow one another.
pub(super) const PATIENCE: u32 = 8;

/// In the place of a row: the entity has none.
const NOWHERE: u32 = u32::MAX;

/// The rows that the entities of a page have in a column. They are found for the whole page at once, in a loop
/// that does nothing else; whether they follow one another is then a comparison of numbers.
pub struct Rows<'a> {
    owners: Owners<'a>,
    index: IndexRef<'a>,
    found: Vec<u32>,
    /// The rows are those from this one on, one after another, and `found` is empty.
    in_order_from: Option<u32>,
    /// Places between which rows are known to follow one another, in order.
    stretches: Vec<(usize, usize)>,
    is_aligned: bool,
}

impl<'a> Rows<'a> {
    fn new(owners: Owners<'a>, index: IndexRef<'a>) -> Self {
        Self {
            owners,
            index,
            found: Vec::new(),
            in_order_from: None,
            stretches: Vec::new(),
            is_aligned: false,
        }
    }

    fn enter(&mut self, page: usize, owners: &'a OwnerPage) {
        self.is_aligned = is_aligned(self.owners, page, owners);
    }

    /// Finds the rows of the entities of the page entered.
    #[inline(never)]
    fn find(&mut self, page: usize, entities: &[Entity]) {
        self.found.clear();
        self.stretches.clear();
        self.in_order_from = self.is_aligned.then_some((page * PAGE) as u32);
        if self.is_aligned {
            return;
        }
        let mut rest = entities;
        let mut alone = 0;
        while let (Some(&entity), true) = (rest.first(), alone < PATIENCE) {
            let row = self.index.row(entity);
            let (rows, is_asked) = row.map_or((0, true), |row| self.stretch(row, rest));
            match row {
                Some(row) if rows > 0 => {
                    let at = self.found.len();
                    self.stretches.push((at, at + rows));
                    self.found.extend(row as u32..(row + rows) as u32);
                }
                _ => self.found.push(row.map_or(NOWHERE, |row| row as u32)),
            }
            alone = if rows > 0 { 0 } else { alone + u32::from(is_asked) };
            rest = &rest[rows.max(1)..];
        }
        let index = self.index;
        self.found.extend(rest.iter().map(|&entity| index.row(entity).map_or(NOWHERE, |row| row as u32)));
    }

    /// Whether each entity of the page entered has a row.
    fn has_all(&self) -> bool {
        // All are looked at, which is done several at a time.
        self.found.iter().map(|&row| u32::from(row == NOWHERE)).sum::<u32>() == 0
    }

    /// How many of these entities, a block at least, the column has one after another from this row on: only the
    /// beginning of such a stretch is looked up. And whether there was a block to compare, as at the end of a
    /// page there is none.
    fn stretch(&self, row: usize, entities: &[Entity]) -> (usize, bool) {
        let (page, at) = place(row);
        let own = self.owners.get(page).and_then(|page| page.0.get(at..)).unwrap_or_default();
        let blocks = own.chunks_exact(BLOCK).zip(entities.chunks_exact(BLOCK));
        let rows = BLOCK * blocks.take_while(|(own, theirs)| same_entities(own, theirs)).count();
        if rows == 0 {
            return (0, own.len() >= BLOCK);
        }
        let beyond = own[rows..].iter().zip(&entities[rows..]);
        (rows + beyond.take_while(|(own, theirs)| own == theirs).count(), true)
    }

    #[inline(always)]
    fn get(&self, at: usize) -> u32 {
        match self.in_order_from {
            Some(first) => first + at as u32,
            None => self.found.get(at).copied().unwrap_or(NOWHERE),
        }
    }

    #[inline(always)]
    fn run(&self, at: usize, most: usize) -> usize {
        match self.found.get(at + 1) {
            Some(&next) if next != self.get(at).wrapping_add(1) => 1,
            _ if most > 1 => self.long_run(at, most),
            _ => 1,
        }
    }

    #[inline(never)]
    fn long_run(&self, at: usize, most: usize) -> usize {
        let first = self.get(at);
        // A slice does not go on in the next page.
        let most = most.min(PAGE - first as usize % PAGE);
        if self.in_order_from.is_some() {
            return most;
        }
        let stretch = self.stretches.partition_point(|&(_, end)| end <= at);
        match self.stretches.get(stretch) {
            Some(&(start, end)) if start <= at => most.min(end - at),
            _ => {
                let found = self.found[at..at + most].iter().zip(first..);
                found.take_while(|(row, expected)| *row == expected).count()
            }
        }
    }

    /// Each row for itself, so that some can be left out.
    fn spell_out(&mut self, count: usize) {
        if let Some(first) = self.in_order_from.take() {
            self.found.extend(first..first + count as u32);
        }
        self.stretches.clear();
    }

    /// Forgets the rows that are not asked for, of so many entities.
    fn retain(&mut self, count: usize, is_asked_for: impl Fn(usize) -> bool) {
        self.spell_out(count);
        for row in &mut self.found {
            if *row != NOWHERE && !is_asked_for(*row as usize) {
                *row = NOWHERE;
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
    gathered: Vec<Option<&'a T>>,
}

impl<'a, T> ReadSeek<'a, T> {
    pub(super) fn new(column: Read<'a, T>, owners: Owners<'a>, index: IndexRef<'a>) -> Self {
        Self { column, rows: Rows::new(owners, index), aligned: &[], gathered: Vec::new() }
    }
}

impl<'a, T: 'a> Seek<'a> for ReadSeek<'a, T> {
    type Chunk = &'a [T];
    type Item = &'a T;

    #[inline(always)]
    fn rows(&self) -> &Rows<'a> {
        &self.rows
    }

    fn rows_mut(&mut self) -> &mut Rows<'a> {
        &mut self.rows
    }

    fn enter(&mut self, page: usize, owners: &'a OwnerPage) -> Fit {
        self.rows.enter(page, owners);
        self.column.page_fits(page, self.rows.is_aligned)
    }

    fn find(&mut self, page: usize, owners: &'a OwnerPage) {
        self.rows.find(page, &owners.0);
        self.aligned = self.column.values(page).filter(|_| self.rows.is_aligned).unwrap_or_default();
        if Side::is_filtered(&self.column) {
            self.rows.retain(owners.0.len(), |row| self.column.is_asked_for(row));
        }
    }

    fn chunk(&mut self, page: usize, rows: usize) -> &'a [T] {
        self.column.chunk(page, rows)
    }

    #[inline(always)]
    fn run(&self, at: usize, most: usize) -> usize {
        self.rows.run(at, most)
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

    fn gather(&mut self, from: usize, count: usize, is_whole: bool) -> &mut [Option<&'a T>] {
        let Self { column, rows, aligned, gathered } = self;
        gathered.clear();
        let values = aligned.get(from..from + count);
        if let Some(values) = values
            && is_whole
        {
            gathered.extend(values.iter().map(Some));
            return gathered;
        }
        rows.spell_out(from + count);
        let found = &rows.found[from..from + count];
        match values {
            Some(values) => gathered
                .extend(values.iter().zip(found).map(|(value, &row)| (row != NOWHERE).then_some(value))),
            None => gathered.extend(found.iter().map(|&row| {
                let (page, at) = place(row as usize);
                column.values(page)?.get(at)
            })),
        }
        gathered
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
}

impl<'a, T: Clone> WriteSeek<'a, T> {
    /// `entries` are the pages from `page` on: what lies before has been walked, and its entities will not
    /// come again.
    pub(super) fn new(
        page: usize,
        entries: impl Iterator<Item = &'a mut Entry<T>>,
        owners: Owners<'a>,
        index: IndexRef<'a>,
        stamp: u64,
        since: Option<u64>,
    ) -> Self {
        let done = std::iter::repeat_with(|| None).take(page.min(owners.len()));
        let pages = done.chain(entries.map(Some)).map(WritePage::new).collect();
        Self { pages, rows: Rows::new(owners, index), page, stamp, since, gathered: Vec::new() }
    }
}

/// What is left of a page. Each row is handed out once, and who has taken it out of here has it alone.
struct WritePage<'a, T> {
    /// All of it, until the first row is taken.
    entry: Option<&'a mut Entry<T>>,
    /// If runs of rows are asked for, one after another: the rows from `next` on, and those passed over.
    rest: &'a mut [T],
    next: usize,
    passed: Vec<(usize, &'a mut [T])>,
    /// From the first single row on, and from the first step back: each row in a slot of its own.
    slots: Vec<Option<&'a mut T>>,
    /// The stamps; none if all rows are stamped.
    changed: &'a mut [u64],
}

impl<'a, T: Clone> WritePage<'a, T> {
    fn new(entry: Option<&'a mut Entry<T>>) -> Self {
        let (passed, slots) = (Vec::new(), Vec::new());
        Self { entry, rest: &mut [], next: 0, passed, slots, changed: &mut [] }
    }

    fn stamp_of(&self, row: usize) -> u64 {
        match &self.entry {
            Some(entry) => entry.rows.changed.get(row),
            None => self.changed.get(row).copied().unwrap_or(0),
        }
    }

    /// How many rows from this one on can be had as one slice.
    fn together(&self, row: usize) -> usize {
        match &self.entry {
            Some(entry) => entry.rows.values.len() - row,
            None if row >= self.next => (self.next + self.rest.len()).saturating_sub(row).max(1),
            None => 1,
        }
    }

    #[inline(always)]
    fn take(&mut self, row: usize, stamp: u64) -> Option<&'a mut T> {
        if row >= self.slots.len() {
            self.spread(stamp);
        }
        if let Some(changed) = self.changed.get_mut(row) {
            *changed = stamp;
        }
        self.slots.get_mut(row)?.take()
    }

    /// As many rows as are [`together`](Self::together).
    fn take_run(&mut self, row: usize, rows: usize, stamp: u64) -> Option<&'a mut [T]> {
        self.open(stamp);
        let (passed, rest) =
            std::mem::take(&mut self.rest).split_at_mut_checked(row.checked_sub(self.next)?)?;
        let (taken, rest) = rest.split_at_mut_checked(rows)?;
        if !passed.is_empty() {
            self.passed.push((self.next, passed));
        }
        (self.rest, self.next) = (rest, row + rows);
        if let Some(changed) = self.changed.get_mut(row..row + rows) {
            changed.fill(stamp);
        }
        Some(taken)
    }

    /// The slots of the rows, each of which is there as long as its row was not taken, and the stamps.
    #[inline(always)]
    fn slots(&mut self, stamp: u64) -> (&mut [Option<&'a mut T>], &mut [u64]) {
        if self.slots.is_empty() {
            self.spread(stamp);
        }
        (&mut self.slots, self.changed)
    }

    fn open(&mut self, stamp: u64) {
        if let Some(entry) = self.entry.take() {
            (self.rest, self.changed) = entry.rewrite_some(stamp);
        }
    }

    /// Gives each row that is left a slot of its own.
    #[cold]
    #[inline(never)]
    fn spread(&mut self, stamp: u64) {
        self.open(stamp);
        let rest = std::mem::take(&mut self.rest);
        if self.next == 0 {
            self.slots = rest.iter_mut().map(Some).collect();
            return;
        }
        self.slots.resize_with(self.next + rest.len(), || None);
        for (row, rows) in std::mem::take(&mut self.passed).into_iter().chain([(self.next, rest)]) {
            for (slot, value) in self.slots[row..].iter_mut().zip(rows) {
                *slot = Some(value);
            }
        }
    }
}

/// Takes the rows that were found, and stamps them. As long as they are of one page, that is entered once.
fn take_by_page<'a, T: Clone>(
    pages: &mut [WritePage<'a, T>],
    found: &[u32],
    stamp: u64,
    taken: &mut [Option<&'a mut T>],
) {
    let mut from = 0;
    while let Some(&first) = found.get(from) {
        let page = first as usize / PAGE;
        let Some(entered) = pages.get_mut(page) else {
            from += 1;
            continue;
        };
        let (slots, changed) = entered.slots(stamp);
        for (&row, taken) in found[from..].iter().zip(&mut taken[from..]) {
            let (its_page, at) = place(row as usize);
            if its_page != page {
                break;
            }
            if let Some(changed) = changed.get_mut(at) {
                *changed = stamp;
            }
            *taken = slots.get_mut(at).and_then(Option::take);
            from += 1;
        }
    }
}

impl<'a, T: Clone + 'a> Seek<'a> for WriteSeek<'a, T> {
    type Chunk = &'a mut [T];
    type Item = &'a mut T;

    #[inline(always)]
    fn rows(&self) -> &Rows<'a> {
        &self.rows
    }

    fn rows_mut(&mut self) -> &mut Rows<'a> {
        &mut self.rows
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
            self.rows.retain(owners.0.len(), |row| pages[row / PAGE].stamp_of(row % PAGE) > since);
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
        match self.rows.run(at, most) {
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
        self.pages.get_mut(page)?.take(at, self.stamp)
    }

    fn take_run(&mut self, at: usize, rows: usize) -> &'a mut [T] {
        let (page, at) = place(self.rows.get(at) as usize);
        self.pages[page].take_run(at, rows, self.stamp).unwrap_or_default()
    }

    fn gather(&mut self, from: usize, count: usize, is_whole: bool) -> &mut [Option<&'a mut T>] {
        let Self { pages, rows, page, stamp, gathered, .. } = self;
        let stamp = *stamp;
        gathered.clear();
        let entry = if rows.is_aligned && from == 0 { pages.get_mut(*page) } else { None };
        let entry = entry.and_then(|page| page.entry.take());
        if is_whole && let Some(entry) = entry {
            gathered.extend(entry.rewrite_first(count, stamp).iter_mut().map(Some));
            return gathered;
        }
        rows.spell_out(from + count);
        let found = &rows.found[from..from + count];
        if let Some(entry) = entry {
            let (values, changed) = entry.rewrite_some(stamp);
            gathered.extend(values.iter_mut().zip(changed).zip(found).map(|((value, changed), &row)| {
                (row != NOWHERE).then(|| {
                    *changed = stamp;
                    value
                })
            }));
        } else {
            // To enter a page pays from eight rows on.
            let entered = found.windows(2).map(|two| u32::from(two[0] / PAGE as u32 != two[1] / PAGE as u32));
            if entered.sum::<u32>() as usize * 8 < count {
                gathered.resize_with(count, || None);
                take_by_page(pages, found, stamp, gathered);
            } else {
                gathered.extend(found.iter().map(|&row| {
                    let (page, at) = place(row as usize);
                    pages.get_mut(page)?.take(at, stamp)
                }));
            }
        }
        gathered
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
