//! Medians of times, and lines of the table.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// For how long a figure is measured at most, preparations included.
const BUDGET: Duration = Duration::from_millis(400);

/// The median time of a call in nanoseconds. What it is given and what it answers are made and dropped
/// outside of the time.
pub(crate) fn median<X, R>(mut prepare: impl FnMut() -> X, mut call: impl FnMut(X) -> R) -> f64 {
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.len() < 7 || times.len() < 2_001 && begin.elapsed() < BUDGET {
        let given = prepare();
        let start = Instant::now();
        let answered = black_box(call(black_box(given)));
        times.push(start.elapsed().as_secs_f64() * 1e9);
        drop(answered);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A time as text.
pub(crate) fn nanoseconds(time: f64) -> String {
    if time < 1e4 { format!("{time:.0} ns") } else { format!("{:.0} us", time / 1e3) }
}

/// A line of the table.
pub(crate) struct Line {
    what: &'static str,
    must: &'static str,
    cells: [String; 4],
}

impl Line {
    pub(crate) fn of(what: &'static str, must: &'static str, cell: impl FnMut(usize) -> String) -> Self {
        Self { what, must, cells: super::SIZES.map(cell) }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} | {} | {} |", self.what, self.must, self.cells.join(" | "))
    }
}
