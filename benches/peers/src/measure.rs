//! How a workload is measured: all contenders in turn, round after round, so that a noisy moment of the machine
//! meets all of them, and the median of the rounds.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};

use crate::contender::Entry;
use crate::heap;
use crate::peers;
use crate::workloads::{Kind, Measure, Workload};

/// How long is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// For one workload at one size, all contenders together.
    pub budget: Duration,
    pub least_rounds: usize,
    pub most_rounds: usize,
}

impl Effort {
    pub const FULL: Self = Self { budget: Duration::from_secs(5), least_rounds: 9, most_rounds: 301 };
    pub const QUICK: Self = Self { budget: Duration::from_millis(400), least_rounds: 7, most_rounds: 51 };
}

/// What one contender took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sample {
    pub workload: String,
    pub size: usize,
    pub peer: String,
    pub way: String,
    /// Nanoseconds or bytes for each thing done.
    pub median: f64,
    pub least: f64,
    pub rounds: usize,
}

/// Contenders of one workload did not compute the same.
#[derive(Debug)]
pub struct Disagreement {
    pub workload: &'static str,
    pub size: usize,
    /// What each contender computed.
    pub sums: Vec<(String, u64)>,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(out, "{} at {}: the contenders computed different sums", self.workload, self.size)?;
        for (name, sum) in &self.sums {
            writeln!(out, "  {sum:016x}  {name}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Disagreement {}

/// Measures one workload at one size.
///
/// # Errors
///
/// When the contenders did not compute the same.
pub fn measure(workload: &Workload, size: usize, effort: Effort) -> Result<Vec<Sample>, Disagreement> {
    let mut entries = peers::entries(workload.kind, size);
    let figures = match workload.measure {
        Measure::Time => time(workload, size, effort, &mut entries)?,
        Measure::Bytes => bytes(workload, size, &mut entries)?,
    };
    let samples = entries.iter().zip(figures).map(|(entry, mut figures)| {
        figures.sort_by(f64::total_cmp);
        Sample {
            workload: workload.name.to_owned(),
            size,
            peer: entry.peer.to_owned(),
            way: entry.way.to_owned(),
            median: figures[figures.len() / 2],
            least: figures[0],
            rounds: figures.len(),
        }
    });
    Ok(samples.collect())
}

fn agree(workload: &Workload, size: usize, entries: &mut [Entry]) -> Result<(), Disagreement> {
    let sums: Vec<(String, u64)> = entries
        .iter_mut()
        .map(|entry| (format!("{} {}", entry.peer, entry.way), entry.contender.sum()))
        .collect();
    if sums.windows(2).all(|two| two[0].1 == two[1].1) {
        return Ok(());
    }
    Err(Disagreement { workload: workload.name, size, sums })
}

fn time(
    workload: &Workload,
    size: usize,
    effort: Effort,
    entries: &mut [Entry],
) -> Result<Vec<Vec<f64>>, Disagreement> {
    let start = Instant::now();
    let mut fastest = Duration::MAX;
    for entry in entries.iter_mut() {
        entry.contender.prepare();
        let began = Instant::now();
        entry.contender.run();
        fastest = fastest.min(began.elapsed());
    }
    agree(workload, size, entries)?;
    let first_round = start.elapsed();
    if workload.repeats {
        // The first run of all is cold, and would make the clock count for more than it should.
        for entry in entries.iter_mut() {
            let began = Instant::now();
            entry.contender.run();
            fastest = fastest.min(began.elapsed());
        }
    }

    let runs = if workload.repeats { runs_in_a_row(fastest) } else { 1 };
    // A run of a few microseconds begins with cold caches: the others have run in between.
    let warm_up = workload.repeats && first_round < effort.budget;
    let mut figures = vec![Vec::new(); entries.len()];
    let begin = Instant::now();
    for round in 0..effort.most_rounds {
        // A million entities make rounds of seconds, and their noise is small beside them.
        let least = if size < 1_000_000 { effort.least_rounds } else { effort.least_rounds.min(5) };
        if round >= least && begin.elapsed() > effort.budget {
            break;
        }
        for (entry, figures) in entries.iter_mut().zip(&mut figures) {
            entry.contender.prepare();
            if warm_up {
                entry.contender.run();
            }
            let clock = Clock::start(workload);
            for _ in 0..runs {
                black_box(&mut entry.contender).run();
            }
            let took = clock.elapsed().as_nanos() as f64;
            figures.push(took / (runs * workload.things(size)) as f64);
        }
    }
    agree(workload, size, entries)?;
    Ok(figures)
}

/// What a run is timed with.
enum Clock {
    /// Of this thread: what other programs do on the same processor does not count.
    Thread(ThreadTime),
    /// On the wall, for work that other threads take part in.
    Wall(Instant),
}

impl Clock {
    fn start(workload: &Workload) -> Self {
        match workload.kind {
            Kind::Parallel | Kind::Schedule => Self::Wall(Instant::now()),
            _ => Self::Thread(ThreadTime::now()),
        }
    }

    fn elapsed(&self) -> Duration {
        match self {
            Self::Thread(began) => began.elapsed(),
            Self::Wall(began) => began.elapsed(),
        }
    }
}

/// How many runs make up some two hundred microseconds, so that reading the clock does not count.
fn runs_in_a_row(fastest: Duration) -> usize {
    (200_000 / fastest.as_nanos().max(1)).clamp(1, 10_000) as usize
}

fn bytes(workload: &Workload, size: usize, entries: &mut [Entry]) -> Result<Vec<Vec<f64>>, Disagreement> {
    let components = size_of::<crate::components::Bundle>() * size;
    let mut figures = Vec::new();
    let mut sums = Vec::new();
    for entry in entries {
        entry.contender.clear();
        let before = heap::in_use();
        entry.contender.prepare();
        entry.contender.run();
        let after = heap::in_use();
        sums.push((format!("{} {}", entry.peer, entry.way), entry.contender.sum()));
        entry.contender.clear();
        figures.push(vec![(after as f64 - before as f64 - components as f64) / size as f64]);
    }
    if sums.windows(2).any(|two| two[0].1 != two[1].1) {
        return Err(Disagreement { workload: workload.name, size, sums });
    }
    Ok(figures)
}
