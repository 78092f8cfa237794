//! Stamps of a page that was written in a few stretches.

use std::ops::Range;

use crate::pages::PAGE;

/// How many runs there can be.
const RUNS: usize = 3;

/// Rows from `start` on. Row `r` has the stamp `before` + `step` * (`r` + 1): rows are counted as the page counts
/// them, so that the last of `rows` is had without a subtraction. The step is 0 or 1.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: u32,
    step: u32,
    /// The stamp of a row before row 0. It wraps where a run that begins late has early stamps.
    before: u64,
}

impl Run {
    /// Starts after every row.
    const NONE: Self = Self { start: PAGE as u32, step: 0, before: 0 };

    #[inline(always)]
    fn start(&self) -> usize {
        self.start as usize
    }

    /// The stamp of the last of `rows`.
    #[inline(always)]
    fn last(&self, rows: usize) -> u64 {
        self.before.wrapping_add(u64::from(self.step) * rows as u64)
    }

    /// The same stamps with this step, if the run has it or is of one row.
    fn stepping(self, step: u32, length: usize) -> Option<Self> {
        let before = self.last(self.start() + 1).wrapping_sub(u64::from(step) * (u64::from(self.start) + 1));
        (step == self.step || length == 1).then_some(Self { step, before, ..self })
    }

    /// This run of `length` rows, and the run of `next_length` rows behind it, as one.
    fn joined(self, length: usize, next: Self, next_length: usize) -> Option<Self> {
        [0, 1].into_iter().find_map(|step| {
            let both = self.stepping(step, length)?;
            let next = next.stepping(step, next_length)?;
            (both.before == next.before).then_some(both)
        })
    }
}

/// The stamps of a page as one to three runs, one behind the other. The first begins at row 0; those that are not
/// in use, and after a `pop` the last one too, begin behind the last row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs([Run; RUNS]);

impl Default for Runs {
    fn default() -> Self {
        Self([Run::NONE; RUNS])
    }
}

impl Runs {
    /// The stamp of the first row, and what each row adds, which is 0 or 1.
    pub(super) fn one(first: u64, step: u64) -> Self {
        let run = Run { start: 0, step: step as u32, before: first.wrapping_sub(step) };
        Self([run, Run::NONE, Run::NONE])
    }

    /// What [`one`](Self::one) takes, if there is but one run.
    pub(super) fn as_one(&self) -> Option<(u64, u64)> {
        let [run, second, _] = &self.0;
        (second.start() == PAGE).then_some((run.last(1), run.step.into()))
    }

    /// The stamp of the last of `rows`.
    #[inline(always)]
    pub(super) fn last(&self, rows: usize) -> u64 {
        let [first, second, third] = &self.0;
        let run = if rows > third.start() {
            third
        } else if rows > second.start() {
            second
        } else {
            first
        };
        run.last(rows)
    }

    /// The runs, each with its rows, which may be none.
    fn pieces(&self, rows: usize) -> impl Iterator<Item = (Run, Range<usize>)> {
        let runs = self.0;
        (0..RUNS).map(move |at| {
            let end = runs.get(at + 1).map_or(rows, |next| next.start().min(rows));
            (runs[at], runs[at].start().min(end)..end)
        })
    }

    /// Adds the stamp of each row to a list.
    pub(super) fn spell_out(&self, rows: usize, list: &mut Vec<u64>) {
        for (run, rows) in self.pieces(rows) {
            list.extend(rows.map(|row| run.last(row + 1)));
        }
    }

    /// Gives the rows of a range this stamp, if that moves the end of a run and nothing else: a walk goes on behind
    /// the stretch that it wrote before. Answers whether it was so.
    pub(super) fn go_on(&mut self, rows: usize, range: &Range<usize>, stamp: u64) -> bool {
        for at in 1..RUNS {
            let (run, next) = (self.0[at - 1], self.0[at]);
            let end = self.0.get(at + 1).map_or(rows, |run| run.start().min(rows));
            if next.start() == range.start && (run.before, run.step) == (stamp, 0) && range.end < end {
                self.0[at].start = range.end as u32;
                return true;
            }
        }
        false
    }

    /// The stamps after the rows of a range were given this one; `None` if that takes more than three runs.
    pub(super) fn with(&self, rows: usize, range: &Range<usize>, stamp: u64) -> Option<Self> {
        let mut runs = Self::default();
        let (mut count, mut end) = (0_usize, 0);
        let mut add = |run: Run, rows: Range<usize>| {
            if rows.is_empty() {
                return true;
            }
            let run = Run { start: rows.start as u32, ..run };
            let last = count.checked_sub(1).map(|last| &mut runs.0[last]);
            if let Some(last) = last
                && let Some(both) = last.joined(end - last.start(), run, rows.len())
            {
                *last = both;
            } else if let Some(slot) = runs.0.get_mut(count) {
                *slot = run;
                count += 1;
            } else {
                return false;
            }
            end = rows.end;
            true
        };
        let written = Run { start: range.start as u32, step: 0, before: stamp };
        let fits = self.pieces(rows).all(|(run, rows)| add(run, rows.start..rows.end.min(range.start)))
            && add(written, range.clone())
            && self.pieces(rows).all(|(run, rows)| add(run, rows.start.max(range.end)..rows.end));
        fits.then_some(runs)
    }

    /// Of each run the rows with a stamp after `since`, which may be none.
    pub(super) fn after(&self, rows: usize, since: u64) -> impl Iterator<Item = Range<usize>> {
        self.pieces(rows).map(move |(run, rows)| {
            let first = run.last(rows.start + 1);
            let skip = match run.step {
                _ if first > since => 0,
                0 => rows.len(),
                _ => usize::try_from(since - first + 1).unwrap_or(rows.len()),
            };
            rows.start.saturating_add(skip).min(rows.end)..rows.end
        })
    }
}
