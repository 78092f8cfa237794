//! How long systems take.

use std::time::Duration;

use super::stage::Stage;

/// How long a system took. Shown by [`Schedule::timings`](crate::Schedule::timings).
///
/// It is about this machine and this run, and no part of the world: no result depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The name of the system.
    pub system: String,
    /// Its stage.
    pub stage: Stage,
    /// How often its turn came while times were taken, whether or not its conditions held.
    pub runs: u64,
    /// How long it took the last time.
    pub last: Duration,
    /// How long it took on average.
    pub mean: Duration,
    /// How long it took when it took longest.
    pub worst: Duration,
}

/// What is kept to make a [`Timing`] of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clocked {
    runs: u64,
    last: Duration,
    total: Duration,
    worst: Duration,
}

impl Clocked {
    #[inline]
    pub(super) fn record(&mut self, took: Option<Duration>) {
        let Some(took) = took else { return };
        self.runs += 1;
        self.last = took;
        self.total = self.total.saturating_add(took);
        self.worst = self.worst.max(took);
    }

    pub(super) fn timing(&self, system: &str, stage: Stage) -> Timing {
        let Self { runs, last, total, worst } = *self;
        let mean = u128::from(runs).max(1);
        let mean = Duration::from_nanos(u64::try_from(total.as_nanos() / mean).unwrap_or(u64::MAX));
        Timing { system: system.to_owned(), stage, runs, last, mean, worst }
    }
}
