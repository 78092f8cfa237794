//! A page that is written at rows that are looked up, while rows are taken out of it.

use crate::column::Entry;
use crate::column::stamps::Stamps;
use crate::pages::{PAGE, place};

/// What is left of a page. Each row is handed out once, and who has taken it out of here has it alone.
pub(super) struct WritePage<'a, T> {
    /// All of it, until the first row is taken.
    pub(super) entry: Option<&'a mut Entry<T>>,
    /// If runs of rows are asked for, one after another: the rows from `next` on, and those passed over.
    pub(super) rest: &'a mut [T],
    next: usize,
    passed: Vec<(usize, &'a mut [T])>,
    /// From the first single row on, and from the first step back: each row in a slot of its own.
    pub(super) slots: Vec<Option<&'a mut T>>,
    /// The stamps, as long as only runs of rows are taken; none if all rows are stamped.
    stamps: Option<&'a mut Stamps>,
    /// From the first single row on: the stamp of each row.
    changed: &'a mut [u64],
}

impl<'a, T: Clone> WritePage<'a, T> {
    pub(super) fn new(entry: Option<&'a mut Entry<T>>) -> Self {
        let (passed, slots) = (Vec::new(), Vec::new());
        Self { entry, rest: &mut [], next: 0, passed, slots, stamps: None, changed: &mut [] }
    }

    pub(super) fn stamp_of(&self, row: usize) -> u64 {
        match (&self.entry, &self.stamps) {
            (Some(entry), _) => entry.rows.changed.get(row),
            (None, Some(stamps)) => stamps.get(row),
            (None, None) => self.changed.get(row).copied().unwrap_or(0),
        }
    }

    /// How many rows from this one on can be had as one slice.
    pub(super) fn together(&self, row: usize) -> usize {
        match &self.entry {
            Some(entry) => entry.rows.values.len() - row,
            None if row >= self.next => (self.next + self.rest.len()).saturating_sub(row).max(1),
            None => 1,
        }
    }

    #[inline(always)]
    pub(super) fn take(&mut self, row: usize, stamp: u64) -> Option<&'a mut T> {
        if row >= self.slots.len() {
            self.spread(stamp);
        }
        if let Some(changed) = self.changed.get_mut(row) {
            *changed = stamp;
        }
        self.slots.get_mut(row)?.take()
    }

    /// As many rows as are [`together`](Self::together).
    pub(super) fn take_run(&mut self, row: usize, rows: usize, stamp: u64) -> Option<&'a mut [T]> {
        self.open(stamp);
        let (passed, rest) =
            std::mem::take(&mut self.rest).split_at_mut_checked(row.checked_sub(self.next)?)?;
        let (taken, rest) = rest.split_at_mut_checked(rows)?;
        let length = row + rows + rest.len();
        if !passed.is_empty() {
            self.passed.push((self.next, passed));
        }
        (self.rest, self.next) = (rest, row + rows);
        match &mut self.stamps {
            Some(stamps) => stamps.set_range(length, row..row + rows, stamp),
            None => self.changed.get_mut(row..row + rows).unwrap_or_default().fill(stamp),
        }
        Some(taken)
    }

    /// Takes a row, if none before it is asked for later.
    #[inline(always)]
    pub(super) fn take_next(&mut self, row: usize, stamp: u64) -> Option<&'a mut T> {
        if !self.slots.is_empty() {
            return self.take(row, stamp);
        }
        if self.entry.is_some() || self.stamps.is_some() {
            self.open_for_each(stamp);
        }
        if let Some(changed) = self.changed.get_mut(row) {
            *changed = stamp;
        }
        let from_here = std::mem::take(&mut self.rest).split_at_mut_checked(row.checked_sub(self.next)?)?;
        let (value, after) = from_here.1.split_first_mut()?;
        (self.rest, self.next) = (after, row + 1);
        Some(value)
    }

    /// Takes rows of this page.
    pub(super) fn take_each(&mut self, rows: &[u32], stamp: u64, taken: &mut Vec<Option<&'a mut T>>) {
        if self.slots.is_empty() {
            self.spread(stamp);
        }
        taken.extend(rows.iter().map(|&row| {
            let at = row as usize % PAGE;
            if let Some(changed) = self.changed.get_mut(at) {
                *changed = stamp;
            }
            self.slots[at].take()
        }));
    }

    fn open(&mut self, stamp: u64) {
        if let Some(entry) = self.entry.take() {
            let (values, stamps) = entry.rewrite_stamped(stamp);
            (self.rest, self.stamps) = (values, Some(stamps));
        }
    }

    /// Opens the page for rows that are taken one by one.
    fn open_for_each(&mut self, stamp: u64) {
        self.open(stamp);
        if let Some(stamps) = self.stamps.take() {
            self.changed = stamps.as_mut_slice(self.next + self.rest.len());
        }
    }

    /// Gives each row that is left a slot of its own.
    #[cold]
    #[inline(never)]
    fn spread(&mut self, stamp: u64) {
        self.open_for_each(stamp);
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

/// Takes rows of which none comes after a greater one, nor will any later.
pub(super) struct InOrder<'s, 'a, T: Clone> {
    pages: &'s mut [WritePage<'a, T>],
    stamp: u64,
    held: Held<'a, T>,
}

/// What is held of a page, until another is entered. It is handed over as a value, so that it can live in registers.
struct Held<'a, T> {
    page: usize,
    rest: &'a mut [T],
    next: usize,
    changed: &'a mut [u64],
}

impl<T> Default for Held<'_, T> {
    fn default() -> Self {
        Self { page: usize::MAX, rest: &mut [], next: 0, changed: &mut [] }
    }
}

impl<'s, 'a, T: Clone> InOrder<'s, 'a, T> {
    pub(super) fn new(pages: &'s mut [WritePage<'a, T>], stamp: u64) -> Self {
        Self { pages, stamp, held: Held::default() }
    }

    #[inline(always)]
    pub(super) fn rows(mut self, rows: &'s [u32]) -> impl Iterator<Item = &'a mut T> {
        rows.iter().map(move |&row| self.take(row))
    }

    #[inline(always)]
    fn take(&mut self, row: u32) -> &'a mut T {
        let (page, at) = place(row as usize);
        if page != self.held.page {
            self.held.put_back(self.pages);
            self.held = Held::of(self.pages, page, self.stamp);
        }
        let Held { rest, next, changed, .. } = &mut self.held;
        if let Some(changed) = changed.get_mut(at) {
            *changed = self.stamp;
        }
        let from_here = std::mem::take(rest).split_at_mut_checked(at.wrapping_sub(*next));
        let Some((value, after)) = from_here.and_then(|(_, rest)| rest.split_first_mut()) else {
            not_there(row)
        };
        (*rest, *next) = (after, at + 1);
        value
    }
}

impl<T: Clone> Drop for InOrder<'_, '_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.held.put_back(self.pages);
    }
}

impl<'a, T: Clone> Held<'a, T> {
    #[cold]
    #[inline(never)]
    fn of(pages: &mut [WritePage<'a, T>], page: usize, stamp: u64) -> Self {
        let entered = &mut pages[page];
        entered.open_for_each(stamp);
        let (rest, changed) = (std::mem::take(&mut entered.rest), std::mem::take(&mut entered.changed));
        Self { page, rest, next: entered.next, changed }
    }

    #[inline(always)]
    fn put_back(&mut self, pages: &mut [WritePage<'a, T>]) {
        let Self { page, rest, next, changed } = std::mem::take(self);
        if let Some(left) = pages.get_mut(page) {
            (left.rest, left.next, left.changed) = (rest, next, changed);
        }
    }
}

/// Takes all out.
#[inline(always)]
pub(super) fn each_once<X>(gathered: &mut [Option<X>]) -> impl Iterator<Item = X> {
    gathered.iter_mut().map(|item| item.take().unwrap_or_else(|| unreachable!("it was gathered above")))
}

#[cold]
pub(super) fn not_there(row: u32) -> ! {
    unreachable!("row {row} was found, and is asked for once")
}
