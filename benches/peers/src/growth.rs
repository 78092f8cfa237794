//! How cost grows: this library alone, from a thousand to ten million entities and from 1 to 200 columns.

mod columns;
mod entities;
mod plot;
mod report;
mod worlds;

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};

use crate::contender::Entry;
use crate::measure::Effort;
pub use plot::draw;
pub use report::Tables;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    Walk,
    Snapshot,
    FirstWrite,
    Digest,
    Despawn,
}

impl Operation {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 5] = [Self::Walk, Self::Snapshot, Self::FirstWrite, Self::Digest, Self::Despawn];

    /// The name on the command line and in the names of pictures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Walk => "walk",
            Self::Snapshot => "snapshot",
            Self::FirstWrite => "first-write",
            Self::Digest => "digest",
            Self::Despawn => "despawn",
        }
    }

    /// What a figure is the time of.
    pub fn title(self) -> &'static str {
        match self {
            Self::Walk => "one walk over a pair of columns",
            Self::Snapshot => "one snapshot",
            Self::FirstWrite => "one write of one row after a snapshot",
            Self::Digest => "one digest",
            Self::Despawn => "one despawn",
        }
    }
}

/// What grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// The entities of a world of four columns, which all of them have.
    Entities,
    /// The columns of a world, with as many rows each.
    Columns,
}

impl Axis {
    pub const ALL: [Self; 2] = [Self::Entities, Self::Columns];

    pub fn name(self) -> &'static str {
        match self {
            Self::Entities => "entities",
            Self::Columns => "columns",
        }
    }

    /// Where it is measured.
    pub fn sizes(self) -> &'static [usize] {
        match self {
            Self::Entities => &[1_000, 10_000, 100_000, 1_000_000, 10_000_000],
            Self::Columns => &columns::COUNTS,
        }
    }

    fn cases(self, size: usize) -> Vec<Case> {
        match self {
            Self::Entities => entities::cases(size),
            Self::Columns => columns::cases(size),
        }
    }
}

/// One operation, done in one way at one size.
struct Case {
    operation: Operation,
    /// How often a run does it.
    times: usize,
    /// Whether a run can follow a run with nothing in between.
    repeats: bool,
    make: Box<dyn Fn() -> Entry>,
    /// What it has computed after one run, found out by other means.
    expected: Box<dyn Fn() -> u64>,
}

/// What one operation took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    pub operation: Operation,
    pub axis: Axis,
    pub size: usize,
    pub way: String,
    /// Nanoseconds for doing it once.
    pub median: f64,
    pub least: f64,
    pub rounds: usize,
}

/// An operation did not do what it is said to do.
#[derive(Debug)]
pub struct Wrong {
    way: String,
    operation: Operation,
    axis: Axis,
    size: usize,
    computed: u64,
    expected: u64,
}

impl fmt::Display for Wrong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { way, operation, axis, size, computed, expected } = self;
        write!(
            out,
            "{}, {way}, at {size} {}: computed {computed:016x} instead of {expected:016x}",
            operation.name(),
            axis.name(),
        )
    }
}

impl std::error::Error for Wrong {}

/// Measures one operation at one size, in each way there is.
///
/// The states are made one after another, so that only one of them is in memory at a time.
///
/// # Errors
///
/// When one did not compute what it had to.
pub fn measure(operation: Operation, axis: Axis, size: usize, effort: Effort) -> Result<Vec<Point>, Wrong> {
    let cases = axis.cases(size).into_iter().filter(|case| case.operation == operation);
    cases.map(|case| measure_case(&case, axis, size, effort)).collect()
}

fn measure_case(case: &Case, axis: Axis, size: usize, effort: Effort) -> Result<Point, Wrong> {
    let mut entry = (case.make)();
    entry.contender.prepare();
    let began = Instant::now();
    entry.contender.run();
    let once = began.elapsed();
    let way =
        if entry.way.is_empty() { entry.peer.to_owned() } else { format!("{}, {}", entry.peer, entry.way) };
    let (computed, expected) = (entry.contender.sum(), (case.expected)());
    if computed != expected {
        return Err(Wrong { way, operation: case.operation, axis, size, computed, expected });
    }
    let runs = if case.repeats { runs_in_a_row(&mut entry, once) } else { 1 };
    let mut figures = Vec::new();
    let begin = Instant::now();
    for round in 0..effort.most_rounds {
        if round >= effort.least_rounds.min(5) && begin.elapsed() > effort.budget / 10 {
            break;
        }
        entry.contender.prepare();
        let clock = ThreadTime::now();
        for _ in 0..runs {
            black_box(&mut entry.contender).run();
        }
        figures.push(clock.elapsed().as_nanos() as f64 / (runs * case.times) as f64);
    }
    figures.sort_by(f64::total_cmp);
    Ok(Point {
        operation: case.operation,
        axis,
        size,
        way,
        median: figures[figures.len() / 2],
        least: figures[0],
        rounds: figures.len(),
    })
}

/// How many runs make up some two hundred microseconds, so that reading the clock does not count. The first run
/// of all was cold, so a second one tells.
fn runs_in_a_row(entry: &mut Entry, cold: Duration) -> usize {
    let began = Instant::now();
    entry.contender.run();
    let fastest = cold.min(began.elapsed()).as_nanos().max(1);
    (200_000 / fastest).clamp(1, 10_000) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Effort = Effort { budget: Duration::ZERO, least_rounds: 1, most_rounds: 1 };

    #[test]
    fn every_operation_computes_what_it_has_to_over_both_axes() {
        for (axis, sizes) in [(Axis::Entities, &[1_000, 3_000][..]), (Axis::Columns, &columns::COUNTS[..])] {
            for size in sizes {
                for operation in Operation::ALL {
                    let points =
                        measure(operation, axis, *size, SHORT).unwrap_or_else(|wrong| panic!("{wrong}"));
                    let is_pair_missing = axis == Axis::Columns && operation == Operation::Walk && *size == 1;
                    assert_eq!(points.is_empty(), is_pair_missing, "{operation:?} at {size} {axis:?}");
                    assert!(points.iter().all(|point| point.rounds == 1 && point.median > 0.0));
                }
            }
        }
    }

    #[test]
    fn an_operation_that_does_nothing_is_found_out() {
        for axis in Axis::ALL {
            let size = axis.sizes()[1];
            for mut case in axis.cases(size) {
                let Entry { peer, way, .. } = (case.make)();
                case.make = Box::new(move || Entry::steady(peer, way, (), |()| {}, |()| 0));
                assert!(measure_case(&case, axis, size, SHORT).is_err(), "{:?}, {way}", case.operation);
            }
        }
    }
}
