//! Where the entities of one column have their rows in another.

use std::sync::OnceLock;

use triomphe::Arc;

use super::side::{Owners, same_entities};
use crate::column::index::IndexRef;
use crate::entity::Entity;
use crate::pages::{PAGE, place};

/// In the place of a row: the entity has none.
pub(super) const NOWHERE: u32 = u32::MAX;

/// How many rows are compared before the question is asked whether any of them differs.
const BLOCK: usize = 32;

/// After so many rows alone, no more of a page are asked whether they follow one another.
pub(super) const PATIENCE: u32 = 8;

/// The rows that the entities of a page have in a column. They are found for the whole page at once, in a loop
/// that does nothing else; whether they follow one another is then a comparison of numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The rows are those from this one on, one after another, and `rows` is empty.
    pub(super) in_order_from: Option<u32>,
    /// The row of each entity, [`NOWHERE`] for those that have none.
    pub(super) rows: Vec<u32>,
    /// Places between which rows are known to follow one another, in order.
    pub(super) stretches: Vec<(usize, usize)>,
    /// Whether each entity has a row.
    pub(super) is_whole: bool,
    /// The first row and the end of the last, if each is known to be greater than the one before.
    ascending: Option<(u32, u32)>,
}

impl Found {
    /// All rows from the first of a page on.
    pub(super) fn set_aligned(&mut self, page: usize, count: usize) {
        let first = (page * PAGE) as u32;
        self.rows.clear();
        self.stretches.clear();
        self.in_order_from = Some(first);
        self.is_whole = true;
        self.ascending = Some((first, first + count as u32));
    }

    /// Finds the rows of the entities of a page.
    #[inline(never)]
    pub(super) fn look_up(&mut self, entities: &[Entity], owners: Owners<'_>, index: IndexRef<'_>) {
        self.rows.clear();
        self.stretches.clear();
        self.in_order_from = None;
        self.ascending = None;
        let mut rest = entities;
        let mut alone = 0;
        while let (Some(&entity), true) = (rest.first(), alone < PATIENCE) {
            let row = index.row(entity);
            let (rows, is_asked) = row.map_or((0, true), |row| stretch(owners, row, rest));
            match row {
                Some(row) if rows > 0 => {
                    let at = self.rows.len();
                    self.stretches.push((at, at + rows));
                    self.rows.extend(row as u32..(row + rows) as u32);
                }
                _ => self.rows.push(row.map_or(NOWHERE, |row| row as u32)),
            }
            alone = if rows > 0 { 0 } else { alone + u32::from(is_asked) };
            rest = &rest[rows.max(1)..];
        }
        self.rows.extend(rest.iter().map(|&entity| index.row_or_max(entity)));
        // All are looked at, which is done several at a time.
        self.is_whole = self.rows.iter().map(|&row| u32::from(row == NOWHERE)).sum::<u32>() == 0;
    }

    /// Finds out whether the rows ascend, which only pays where it is remembered.
    fn look_at_order(&mut self) {
        let found = || self.rows.iter().copied().filter(|&row| row != NOWHERE);
        let end = found().try_fold(0, |end, row| (row >= end).then_some(row + 1));
        self.ascending = end.map(|end| (found().next().unwrap_or(end), end));
    }

    /// Each row for itself, so that some can be left out.
    pub(super) fn spell_out(&mut self, count: usize) {
        if let Some(first) = self.in_order_from.take() {
            self.rows.extend(first..first + count as u32);
        }
        self.stretches.clear();
    }

    #[inline(always)]
    pub(super) fn get(&self, at: usize) -> u32 {
        match self.in_order_from {
            Some(first) => first + at as u32,
            None => self.rows.get(at).copied().unwrap_or(NOWHERE),
        }
    }

    #[inline(always)]
    pub(super) fn run(&self, at: usize, most: usize) -> usize {
        match self.rows.get(at + 1) {
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
                let found = self.rows[at..at + most].iter().zip(first..);
                found.take_while(|(row, expected)| *row == expected).count()
            }
        }
    }

    /// How many bytes are taken.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.rows.capacity() * size_of::<u32>()
            + self.stretches.capacity() * size_of::<(usize, usize)>()
    }
}

/// How many of these entities, a block at least, the column has one after another from this row on: only the
/// beginning of such a stretch is looked up. And whether there was a block to compare, as at the end of a
/// page there is none.
fn stretch(owners: Owners<'_>, row: usize, entities: &[Entity]) -> (usize, bool) {
    let (page, at) = place(row);
    let own = owners.get(page).and_then(|page| page.0.get(at..)).unwrap_or_default();
    let blocks = own.chunks_exact(BLOCK).zip(entities.chunks_exact(BLOCK));
    let rows = BLOCK * blocks.take_while(|(own, theirs)| same_entities(own, theirs)).count();
    if rows == 0 {
        return (0, own.len() >= BLOCK);
    }
    let beyond = own[rows..].iter().zip(&entities[rows..]);
    (rows + beyond.take_while(|(own, theirs)| own == theirs).count(), true)
}

/// The rows that the entities of one arrangement have in another, remembered page by page as walks look them up.
#[derive(Debug)]
pub(crate) struct Places {
    pages: Box<[OnceLock<Arc<Found>>]>,
}

impl Places {
    pub(crate) fn new(pages: usize) -> Self {
        Self { pages: (0..pages).map(|_| OnceLock::new()).collect() }
    }

    /// What is remembered of a page. It is found out if that is the first time, and is none of the walk's business
    /// from then on: who wants to leave out rows does so in a copy.
    pub(super) fn page(&self, page: usize, find: impl FnOnce(&mut Found)) -> Option<Arc<Found>> {
        let remembered = self.pages.get(page)?.get_or_init(|| {
            let mut found = Found::default();
            find(&mut found);
            if found.ascending.is_none() {
                found.look_at_order();
            }
            Arc::new(found)
        });
        Some(remembered.clone())
    }

    /// Whether all rows from a page on are known, and each is greater than the one before.
    pub(super) fn ascend_from(&self, page: usize) -> bool {
        let mut pages = self.pages.iter().skip(page);
        let end = pages.try_fold(0, |end, page| match page.get()?.ascending {
            Some((first, its_end)) if first >= end => Some(its_end.max(end)),
            _ => None,
        });
        end.is_some()
    }

    /// Shows each allocation: where it is, and how many bytes it has.
    pub(crate) fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        each(self.pages.as_ptr().addr(), size_of_val(&*self.pages));
        for page in self.pages.iter().filter_map(OnceLock::get) {
            each(Arc::as_ptr(page).addr(), page.bytes());
        }
    }
}
