//! The stamps of the rows of one page.

use crate::pages::PAGE;

/// How many rows are searched at once.
pub(crate) const BLOCK: usize = 16;

/// What to compare stamps with to find those after `since`: a stamp from a future that was rolled back lets every
/// row through, and where the clock stands still at its end, what is written there is never taken for seen.
pub(crate) fn effective(since: u64, clock: u64) -> u64 {
    if since > clock { 0 } else { since.min(u64::MAX - 1) }
}

/// One stamp a row. As long as the rows were written by one call (all equal) or one after another (each
/// one more than the row before it), that is two numbers and no memory; from then on it is a list.
///
/// The number of rows is the page's business and comes with each call.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    /// The stamp of the first row; the others add `step` each, which is 0 or 1. Void while `each` is in use.
    first: u64,
    step: u64,
    /// Empty, or the stamp of each row.
    each: Vec<u64>,
}

impl Clone for Stamps {
    fn clone(&self) -> Self {
        let mut each = Vec::new();
        if !self.each.is_empty() {
            each.reserve_exact((2 * self.each.len()).clamp(8, PAGE));
            each.extend_from_slice(&self.each);
        }
        Self { first: self.first, step: self.step, each }
    }
}

impl Stamps {
    #[inline]
    pub(crate) fn get(&self, row: usize) -> u64 {
        if self.each.is_empty() { self.first + self.step * row as u64 } else { self.each[row] }
    }

    /// The stamp of the row after the last of `rows`.
    #[inline]
    pub(crate) fn push(&mut self, rows: usize, stamp: u64) {
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
                *self = Self { first: stamp, step: 0, each: std::mem::take(&mut self.each) };
                true
            }
            1 if stamp.wrapping_sub(self.first) <= 1 => {
                self.step = stamp - self.first;
                true
            }
            _ => {
                self.spell_out(rows);
                false
            }
        }
    }

    fn spell_out(&mut self, rows: usize) {
        let (first, step) = (self.first, self.step);
        self.each.reserve((2 * rows).clamp(8, PAGE));
        self.each.extend((0..rows as u64).map(|row| first + step * row));
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
        self.first = stamp;
        self.step = 0;
        self.each.clear();
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, rows: usize, row: usize, stamp: u64) {
        match self.each.get_mut(row) {
            Some(each) => *each = stamp,
            None if self.first + self.step * row as u64 != stamp => self.set_first(rows, row, stamp),
            None => {}
        }
    }

    /// [`set`](Self::set) where there is no list and the stamp differs.
    #[cold]
    #[inline(never)]
    fn set_first(&mut self, rows: usize, row: usize, stamp: u64) {
        if rows == 1 {
            self.first = stamp;
        } else {
            self.spell_out(rows);
            self.each[row] = stamp;
        }
    }

    /// Takes away the last of `rows` and returns its stamp.
    #[inline]
    pub(crate) fn pop(&mut self, rows: usize) -> u64 {
        match self.each.pop() {
            Some(stamp) => stamp,
            None => self.first + self.step * (rows as u64 - 1),
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
    use proptest::prelude::*;

    use super::{BLOCK, Stamps, has_after};

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
    }

    fn operation() -> impl Strategy<Value = Operation> {
        prop_oneof![
            4 => (0..3u64).prop_map(Operation::Push),
            1 => Just(Operation::Pop),
            1 => (any::<usize>(), 0..9u64).prop_map(|(row, stamp)| Operation::Set(row, stamp)),
            1 => (0..9u64).prop_map(Operation::SetAll),
        ]
    }

    proptest! {
        #[test]
        fn stamps_agree_with_a_list(operations in prop::collection::vec(operation(), 0..200)) {
            let (mut stamps, mut model) = (Stamps::default(), Vec::<u64>::new());
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
                    _ => {}
                }
                let rows = model.len();
                prop_assert_eq!((0..rows).map(|row| stamps.get(row)).collect::<Vec<_>>(), model.clone());
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
    }
}
