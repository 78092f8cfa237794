//! The stamps of the rows of one page.

use std::ops::Range;

use super::runs::Runs;
use crate::pages::PAGE;

/// How many rows are searched at once.
pub(crate) const BLOCK: usize = 16;

/// What to compare stamps with to find those after `since`: a stamp from a future that was rolled back lets every
/// row through, and where the clock stands still at its end, what is written there is never taken for seen.
pub(crate) fn effective(since: u64, clock: u64) -> u64 {
    if since > clock { 0 } else { since.min(u64::MAX - 1) }
}

/// One stamp a row, from 1 on. As long as the rows were written by one call (all equal) or one after another
/// (each one more than the row before it), that is two numbers and no memory. Where a stretch of the page was
/// written, it is up to three such runs, still in place; beyond that, and where a row is written by itself, it is
/// a list.
///
/// The number of rows is the page's business and comes with each call.
///
/// What every insert, write and removal calls is made for one run and the list. No stamp is 0, so a `first` and a
/// `step` of 0 agree with none, and the comparison that is made anyway leads to the runs.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    /// The stamp of the first row; the others add `step` each, which is 0 or 1. Both are 0 while `runs` is in
    /// use, and void while `each` is.
    first: u64,
    step: u64,
    /// Empty, or the stamp of each row.
    each: Vec<u64>,
    /// In use where `each` is empty and `first` is 0.
    runs: Runs,
}

impl Clone for Stamps {
    fn clone(&self) -> Self {
        let mut each = Vec::new();
        if !self.each.is_empty() {
            each.reserve_exact((2 * self.each.len()).clamp(8, PAGE));
            each.extend_from_slice(&self.each);
        }
        Self { first: self.first, step: self.step, each, runs: self.runs }
    }
}

impl Stamps {
    #[inline]
    pub(crate) fn get(&self, row: usize) -> u64 {
        if !self.each.is_empty() {
            return self.each[row];
        }
        match self.first + self.step * row as u64 {
            0 => self.get_of_runs(row),
            stamp => stamp,
        }
    }

    #[cold]
    #[inline(never)]
    fn get_of_runs(&self, row: usize) -> u64 {
        self.runs.last(row + 1)
    }

    /// The stamp of the row after the last of `rows`.
    #[inline]
    pub(crate) fn push(&mut self, rows: usize, stamp: u64) {
        debug_assert_ne!(stamp, 0, "no stamp is 0");
        if self.each.is_empty() {
            // Past the end of time this wraps to 0, which no stamp is.
            if rows > 1 && stamp == self.first.wrapping_add(self.step * rows as u64) {
                return;
            }
            if self.push_second(rows, stamp) {
                return;
            }
        }
        self.each.push(stamp);
    }

    /// Whether the stamp could be kept without a list; the list is there otherwise.
    #[cold]
    #[inline(never)]
    fn push_second(&mut self, rows: usize, stamp: u64) -> bool {
        match rows {
            0 => {
                (self.first, self.step) = (stamp, 0);
                true
            }
            1 if self.first != 0 && stamp.wrapping_sub(self.first) <= 1 => {
                self.step = stamp - self.first;
                true
            }
            _ => {
                self.spell_out(rows);
                false
            }
        }
    }

    /// The runs of a page without a list.
    fn runs(&self) -> Runs {
        if self.first == 0 { self.runs } else { Runs::one(self.first, self.step) }
    }

    /// Keeps the runs, in a page without a list.
    fn set_runs(&mut self, runs: Runs) {
        (self.first, self.step) = runs.as_one().unwrap_or((0, 0));
        self.runs = runs;
    }

    fn spell_out(&mut self, rows: usize) {
        let runs = self.runs();
        self.each.reserve((2 * rows).clamp(8, PAGE));
        runs.spell_out(rows, &mut self.each);
    }

    /// The stamps as a list, for writing.
    pub(crate) fn as_mut_slice(&mut self, rows: usize) -> &mut [u64] {
        if self.each.is_empty() {
            self.spell_out(rows);
        }
        &mut self.each
    }

    /// Every row gets this stamp.
    #[inline]
    pub(crate) fn set_all(&mut self, stamp: u64) {
        debug_assert_ne!(stamp, 0, "no stamp is 0");
        self.first = stamp;
        self.step = 0;
        self.each.clear();
    }

    /// Every row of the range gets this stamp.
    ///
    /// Costs a few comparisons where the outcome is three runs at the most, so wherever a page of one run is
    /// written at its beginning or its end or in one stretch between them, and where the range goes on behind one
    /// with the same stamp: a page written from its first row to its last, in whatever stretches, is one run in the
    /// end. Otherwise the stamps become a list and cost the length of the range. A list ends with the stretch that
    /// leaves all rows with one stamp, if that is the last of the page.
    #[inline]
    pub(crate) fn set_range(&mut self, rows: usize, range: Range<usize>, stamp: u64) {
        debug_assert_ne!(stamp, 0, "no stamp is 0");
        debug_assert!(range.end <= rows, "{range:?} of {rows} rows");
        if range.len() >= rows {
            self.set_all(stamp);
        } else if !range.is_empty() {
            self.set_stretch(rows, range, stamp);
        }
    }

    #[inline(never)]
    fn set_stretch(&mut self, rows: usize, range: Range<usize>, stamp: u64) {
        if self.each.is_empty() {
            if self.first == 0 && self.runs.go_on(rows, &range, stamp) {
                return;
            }
            if let Some(runs) = self.runs().with(rows, &range, stamp) {
                self.set_runs(runs);
                return;
            }
            self.spell_out(rows);
        } else if range.end == rows
            && self.each[range.start - 1] == stamp
            && self.each[..range.start].iter().all(|&before| before == stamp)
        {
            self.set_all(stamp);
            return;
        }
        self.each[range].fill(stamp);
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, rows: usize, row: usize, stamp: u64) {
        debug_assert_ne!(stamp, 0, "no stamp is 0");
        match self.each.get_mut(row) {
            Some(each) => *each = stamp,
            None if self.first + self.step * row as u64 != stamp => self.set_first(rows, row, stamp),
            None => {}
        }
    }

    /// [`set`](Self::set) where there is no list, and not one run in which the row has this stamp.
    #[cold]
    #[inline(never)]
    fn set_first(&mut self, rows: usize, row: usize, stamp: u64) {
        if rows == 1 {
            self.first = stamp;
        } else if self.get(row) != stamp {
            self.spell_out(rows);
            self.each[row] = stamp;
        }
    }

    /// Takes away the last of `rows` and returns its stamp.
    #[inline]
    pub(crate) fn pop(&mut self, rows: usize) -> u64 {
        if let Some(stamp) = self.each.pop() {
            return stamp;
        }
        match self.first + self.step * (rows as u64 - 1) {
            0 => {
                // A call would cost a removal nine instructions, taken or not.
                std::hint::cold_path();
                self.runs.last(rows)
            }
            stamp => stamp,
        }
    }

    /// How many bytes the list holds.
    pub(crate) fn bytes(&self) -> usize {
        self.each.capacity() * size_of::<u64>()
    }

    /// The first block of [`BLOCK`] rows, at or after `from`, in which one of the `rows` has a stamp after `since`:
    /// its number, and a bit for each of its rows that has.
    #[inline(never)]
    pub(crate) fn block_after(&self, rows: usize, from: usize, since: u64) -> Option<(usize, u32)> {
        if self.each.is_empty() {
            let skip = match self.step {
                _ if self.first > since => 0,
                0 if self.first == 0 => return self.block_of_runs(rows, from, since),
                0 => rows,
                _ => usize::try_from(since - self.first + 1).unwrap_or(rows),
            };
            let first = skip.max(from * BLOCK);
            let block = first / BLOCK;
            let left = rows.checked_sub(block * BLOCK).filter(|_| first < rows)?.min(BLOCK);
            return Some((block, (u32::MAX >> (32 - left)) & (u32::MAX << (first % BLOCK))));
        }
        let (blocks, rest) = self.each.get(from * BLOCK..)?.as_chunks();
        let whole = blocks.iter().position(|block| has_after(block, since));
        let block = whole.map_or(rest, |at| &blocks[at]);
        let bits = block.iter().zip(0..).map(|(&stamp, row)| u32::from(stamp > since) << row);
        let bits = bits.fold(0, |bits, bit| bits | bit);
        (bits != 0).then_some((from + whole.unwrap_or(blocks.len()), bits))
    }

    #[cold]
    #[inline(never)]
    fn block_of_runs(&self, rows: usize, from: usize, since: u64) -> Option<(usize, u32)> {
        let after = || {
            let after = self.runs.after(rows, since);
            after.map(|rows| rows.start.max(from * BLOCK)..rows.end).filter(|rows| !rows.is_empty())
        };
        let block = after().next()?.start / BLOCK;
        let bits = after().fold(0, |bits, rows| {
            let [start, end] = [rows.start, rows.end].map(|row| row.saturating_sub(block * BLOCK).min(BLOCK));
            bits | ((1_u32 << end) - (1 << start))
        });
        Some((block, bits))
    }
}

/// Whether one of the stamps is after `since`. The differences are gathered before the question is asked, and by
/// their signs, so that several are compared at once also where only signed numbers of 64 bits can be subtracted.
#[inline(always)]
fn has_after(stamps: &[u64; BLOCK], since: u64) -> bool {
    if since > u64::MAX / 2 {
        return stamps.iter().any(|&stamp| stamp > since);
    }
    // The difference is negative, or the stamp so great that it is not.
    stamps.iter().fold(0, |signs, &stamp| signs | since.wrapping_sub(stamp) | stamp) > u64::MAX / 2
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::{BLOCK, Stamps, has_after};
    use crate::pages::PAGE;

    #[test]
    fn stamps_of_any_size_are_compared_exactly() {
        let sizes = [0, 1, 2, u64::MAX / 2 - 1, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX - 1, u64::MAX];
        for (since, stamp) in sizes.into_iter().flat_map(|since| sizes.map(|stamp| (since, stamp))) {
            for at in 0..BLOCK {
                let mut stamps = [since; BLOCK];
                stamps[at] = stamp;
                assert_eq!(has_after(&stamps, since), stamp > since, "{stamp} after {since}");
            }
        }
    }

    #[derive(Clone, Debug)]
    enum Operation {
        Push(u64),
        Pop,
        Set(usize, u64),
        SetAll(u64),
        SetRange(Shape, u64),
    }

    /// Which rows are written, by numbers that are cut to the length of the page.
    #[derive(Clone, Debug)]
    enum Shape {
        First(usize),
        Last(usize),
        Middle(usize, usize),
        /// Behind the range before.
        Next(usize),
    }

    impl Shape {
        fn of(&self, rows: usize, before: &Range<usize>) -> Range<usize> {
            let cut = |row: usize| row % (rows + 1);
            match *self {
                Self::First(end) => 0..cut(end),
                Self::Last(start) => cut(start)..rows,
                Self::Middle(a, b) => cut(a).min(cut(b))..cut(a).max(cut(b)),
                Self::Next(length) => {
                    let start = before.end.min(rows);
                    start..rows.min(start + length % 9)
                }
            }
        }
    }

    fn shape() -> impl Strategy<Value = Shape> {
        prop_oneof![
            any::<usize>().prop_map(Shape::First),
            any::<usize>().prop_map(Shape::Last),
            any::<(usize, usize)>().prop_map(|(a, b)| Shape::Middle(a, b)),
            any::<usize>().prop_map(Shape::Next),
        ]
    }

    fn operation() -> impl Strategy<Value = Operation> {
        prop_oneof![
            3 => (0..3u64).prop_map(Operation::Push),
            3 => Just(Operation::Pop),
            1 => (any::<usize>(), 1..9u64).prop_map(|(row, stamp)| Operation::Set(row, stamp)),
            1 => (1..9u64).prop_map(Operation::SetAll),
            6 => (shape(), 1..9u64).prop_map(|(shape, stamp)| Operation::SetRange(shape, stamp)),
        ]
    }

    /// A page of one run.
    fn one_run(rows: usize, first: u64, step: u64) -> (Stamps, Vec<u64>) {
        let (mut stamps, model) = (Stamps::default(), (0..rows as u64).map(|row| first + step * row));
        let model: Vec<u64> = model.collect();
        for (row, &stamp) in model.iter().enumerate() {
            stamps.push(row, stamp);
        }
        (stamps, model)
    }

    fn spelled_out(stamps: &Stamps, rows: usize) -> Vec<u64> {
        (0..rows).map(|row| stamps.get(row)).collect()
    }

    proptest! {
        #[test]
        fn stamps_agree_with_a_list(
            (rows, first, step) in (0..80_usize, 1..9_u64, 0..2_u64),
            operations in prop::collection::vec(operation(), 0..100),
        ) {
            let (mut stamps, mut model) = one_run(rows, first, step);
            let mut before = 0..0;
            for operation in operations {
                let rows = model.len();
                match operation {
                    Operation::Push(more) => {
                        let stamp = model.last().copied().unwrap_or(5) + more;
                        stamps.push(rows, stamp);
                        model.push(stamp);
                    }
                    Operation::Pop if rows > 0 => {
                        prop_assert_eq!(Some(stamps.pop(rows)), model.pop());
                    }
                    Operation::Set(row, stamp) if rows > 0 => {
                        stamps.set(rows, row % rows, stamp);
                        model[row % rows] = stamp;
                    }
                    Operation::SetAll(stamp) if rows > 0 => {
                        stamps.set_all(stamp);
                        model.fill(stamp);
                    }
                    Operation::SetRange(shape, stamp) if rows > 0 => {
                        before = shape.of(rows, &before);
                        stamps.set_range(rows, before.clone(), stamp);
                        model[before.clone()].fill(stamp);
                    }
                    _ => {}
                }
                let rows = model.len();
                prop_assert_eq!(spelled_out(&stamps, rows), model.clone());
                let mut list = stamps.clone();
                prop_assert_eq!(spelled_out(&list, rows), model.clone());
                prop_assert_eq!(list.as_mut_slice(rows), model.as_slice());
                for since in 0..12 {
                    let mut found = Vec::new();
                    let mut from = 0;
                    while let Some((block, bits)) = stamps.block_after(rows, from, since) {
                        found.extend((0..32).filter(|row| bits >> row & 1 == 1).map(|row| block * BLOCK + row));
                        from = block + 1;
                    }
                    let expected: Vec<_> = (0..rows).filter(|&row| model[row] > since).collect();
                    prop_assert_eq!(found, expected, "since {}", since);
                }
            }
        }

        #[test]
        fn one_stretch_of_a_page_of_one_run_needs_no_list(
            (rows, first, step) in (1..=PAGE, 1..2_000_u64, 0..2_u64),
            (shape, stamp) in (shape(), 1..2_000_u64),
        ) {
            let (mut stamps, mut model) = one_run(rows, first, step);
            let range = shape.of(rows, &(0..rows / 2));
            stamps.set_range(rows, range.clone(), stamp);
            model[range].fill(stamp);
            prop_assert_eq!(stamps.bytes(), 0);
            prop_assert_eq!(spelled_out(&stamps, rows), model.clone());
            for rows in (1..=rows).rev() {
                prop_assert_eq!(Some(stamps.pop(rows)), model.pop());
            }
        }

        #[test]
        fn stretches_one_behind_the_other_need_no_list_and_end_as_one_run(
            (rows, first, step) in (1..=PAGE, 1..2_000_u64, 0..2_u64),
            left_out in 0..PAGE,
            (leaves_out_first, leaves_out_last) in prop_oneof![Just((false, false)), Just((true, false)), Just((false, true))],
            cuts in prop::collection::btree_set(0..PAGE, 0..40),
        ) {
            let (mut stamps, mut model) = one_run(rows, first, step);
            let start = if leaves_out_first { left_out % rows } else { 0 };
            let end = if leaves_out_last { rows - left_out % rows } else { rows };
            for stamp in [3_000, 3_001, 3_002] {
                let mut from = start;
                for to in cuts.iter().copied().filter(|cut| (start + 1..end).contains(cut)).chain([end]) {
                    stamps.set_range(rows, from..to, stamp);
                    model[from..to].fill(stamp);
                    prop_assert_eq!(stamps.bytes(), 0, "{} to {} of {}", from, to, rows);
                    prop_assert_eq!(spelled_out(&stamps, rows), model.clone());
                    from = to;
                }
                if end - start == rows {
                    prop_assert_eq!((stamps.first, stamps.step), (stamp, 0));
                }
            }
        }

        #[test]
        fn a_list_ends_with_the_last_stretch_of_a_page(
            cuts in prop::collection::btree_set(1..PAGE, 0..40),
            written in prop::collection::vec(0..PAGE, 3..9),
        ) {
            let (mut stamps, _) = one_run(PAGE, 1, 0);
            for (stamp, row) in (2..).zip(written) {
                stamps.set(PAGE, row, stamp);
            }
            prop_assert!(stamps.bytes() > 0);
            let mut from = 0;
            for to in cuts.into_iter().chain([PAGE]) {
                prop_assert!(!stamps.each.is_empty());
                stamps.set_range(PAGE, from..to, 99);
                from = to;
            }
            prop_assert!(stamps.each.is_empty());
            prop_assert_eq!(spelled_out(&stamps, PAGE), vec![99; PAGE]);
        }
    }
}
