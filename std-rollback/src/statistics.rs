//! What rollback costs, counted and timed.

use std::fmt;
use std::time::{Duration, Instant};

/// How often something was done, and how long it took altogether.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// How often.
    pub count: u64,
    /// For how long altogether.
    pub time: Duration,
}

impl Measure {
    /// How long it took on average; zero if it was never done.
    pub fn mean(&self) -> Duration {
        let nanoseconds = self.time.as_nanos().checked_div(u128::from(self.count)).unwrap_or(0);
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }

    pub(crate) fn add<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.count += 1;
        self.time += start.elapsed();
        result
    }
}

/// What a [`Driver`](crate::Driver) did so far. Never part of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Worlds kept.
    pub saves: Measure,
    /// Digests worked out, for the frames that are reported.
    pub digests: Measure,
    /// Worlds brought back: as many as there were rollbacks.
    pub loads: Measure,
    /// Frames run, those that ran again included.
    pub steps: Measure,
    /// The most frames that were run again at once.
    pub longest_rollback: u32,
    /// Ticks in which the session had to wait.
    pub skipped: u64,
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { saves, digests, loads, steps, longest_rollback, skipped } = self;
        writeln!(
            f,
            "{} rollbacks, the longest {longest_rollback} frames, {skipped} ticks waited",
            loads.count
        )?;
        write!(
            f,
            "per save {:?} ({}), per load {:?}, per step {:?} ({}), per digest {:?} ({})",
            saves.mean(),
            saves.count,
            loads.mean(),
            steps.mean(),
            steps.count,
            digests.mean(),
            digests.count,
        )
    }
}
