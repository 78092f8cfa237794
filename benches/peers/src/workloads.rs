//! The list of workloads: what is done, at which sizes, and how near the best peer this library has to come.

use crate::components::KINDS;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    InsertEach,
    InsertBatch,
    WalkForEach,
    WalkFor,
    WalkChunks,
    HalfAsItComes,
    HalfSorted,
    ChurnedAsItComes,
    ChurnedSorted,
    Kinds,
    Add,
    Remove,
    Get,
    Parallel,
    TrackedWrite,
    ScanScattered,
    ScanTogether,
    ScanNone,
    Snapshot,
    Restore,
    Despawn,
    Propagate,
    Schedule,
    Forest,
    Rounds,
    Memory,
}

/// What the ratio is taken to.
#[derive(Clone, Copy, Debug)]
pub enum Against {
    /// The fastest of all peers.
    BestPeer,
    /// The fastest of these contenders.
    Of(&'static [&'static str]),
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Nanoseconds for each thing done.
    Time,
    /// Bytes for each entity beyond its components.
    Bytes,
}

/// One line of the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    pub kind: Kind,
    /// The name on the command line, in files and in the tables.
    pub name: &'static str,
    pub title: &'static str,
    pub measure: Measure,
    pub sizes: &'static [usize],
    pub against: Against,
    /// The ratio that must hold; at a million entities twice as much is allowed unless `at_million` says otherwise.
    pub must: Option<f64>,
    pub at_million: Option<f64>,
    pub aim: Option<f64>,
    /// What the aim is a ratio to, where it is another contender than for what must hold.
    pub aim_of: Option<&'static str>,
    /// Whether a run can follow a run with nothing in between.
    pub repeats: bool,
}

const USUAL: &[usize] = &[1_000, 10_000, 100_000, 1_000_000];
const SPARSE_SETS: Against = Against::Of(&["shipyard", "sparsey", "specs"]);
const BEVY: Against = Against::Of(&["bevy_ecs"]);
const SLICES: Against = Against::Of(&["slices"]);

impl Workload {
    /// How many things one run does: the divisor of its time.
    pub fn things(&self, size: usize) -> usize {
        match self.kind {
            Kind::HalfAsItComes | Kind::HalfSorted => size / 2,
            Kind::TrackedWrite => (size / 100).max(1),
            Kind::Rounds => {
                crate::plan::ROUNDS.iter().map(|round| size.div_ceil(*round)).sum::<usize>()
                    + crate::plan::newcomers(size)
            }
            Kind::Forest => 4_096,
            Kind::Kinds => size / KINDS * KINDS,
            _ => size,
        }
    }

    /// The ratio that must hold at one size.
    pub fn must_at(&self, size: usize) -> Option<f64> {
        if size < 1_000_000 { self.must } else { self.at_million.or(self.must.map(|must| must * 2.0)) }
    }
}

const fn timed(
    kind: Kind,
    name: &'static str,
    title: &'static str,
    must: f64,
    aim: f64,
    repeats: bool,
) -> Workload {
    Workload {
        kind,
        name,
        title,
        measure: Measure::Time,
        sizes: USUAL,
        against: Against::BestPeer,
        must: Some(must),
        at_million: None,
        aim: Some(aim),
        aim_of: None,
        repeats,
    }
}

/// All workloads, in the order of the tables.
pub const ALL: &[Workload] = &[
    timed(Kind::InsertEach, "insert-each", "insert, one by one", 1.2, 0.8, false),
    timed(Kind::InsertBatch, "insert-batch", "insert, a batch", 2.0, 1.0, false),
    timed(Kind::WalkForEach, "walk-for-each", "walk position += velocity, `for_each`", 1.1, 0.9, true),
    timed(Kind::WalkFor, "walk-for", "the same walk, `for` loop", 1.1, 0.8, true),
    Workload {
        against: SLICES,
        ..timed(
            Kind::WalkChunks,
            "walk-chunks",
            "the same walk, slices (against bare slices)",
            1.1,
            1.0,
            true,
        )
    },
    Workload {
        against: SPARSE_SETS,
        ..timed(
            Kind::HalfAsItComes,
            "half",
            "walk, every second entity has a velocity, as it comes (against sparse sets)",
            1.2,
            0.8,
            true,
        )
    },
    timed(Kind::HalfSorted, "half-sorted", "the same after sorting", 1.1, 1.0, true),
    Workload {
        against: SPARSE_SETS,
        ..timed(
            Kind::ChurnedAsItComes,
            "churned",
            "walk after churn: 30% re-attached, 10% replaced (against sparse sets)",
            1.0,
            0.7,
            true,
        )
    },
    timed(Kind::ChurnedSorted, "churned-sorted", "the same after sorting", 1.1, 1.0, true),
    timed(Kind::Kinds, "kinds", "26 kinds of entity, one shared column", 1.2, 1.0, true),
    Workload {
        against: Against::Of(&["sparsey"]),
        aim_of: Some("specs"),
        ..timed(Kind::Add, "add", "add one component (against sparsey)", 1.5, 1.0, false)
    },
    Workload {
        against: Against::Of(&["sparsey"]),
        aim_of: Some("specs"),
        ..timed(Kind::Remove, "remove", "remove one component (against sparsey)", 1.5, 1.0, false)
    },
    timed(Kind::Get, "get", "`get` of one component, shuffled", 1.3, 1.0, true),
    Workload {
        sizes: &[1_000],
        ..timed(Kind::Parallel, "parallel", "4x4 inverse a hundred times, two threads", 1.05, 1.0, true)
    },
    timed(Kind::TrackedWrite, "tracked-write", "tracked write of 1%", 1.2, 1.0, true),
    Workload {
        against: BEVY,
        ..timed(
            Kind::ScanScattered,
            "scan-scattered",
            "scan for changes, 1% changed anywhere (against bevy_ecs)",
            1.0,
            0.5,
            true,
        )
    },
    Workload {
        against: BEVY,
        ..timed(
            Kind::ScanTogether,
            "scan-together",
            "scan for changes, 1% changed side by side (against bevy_ecs)",
            0.05,
            0.02,
            true,
        )
    },
    Workload {
        against: BEVY,
        ..timed(
            Kind::ScanNone,
            "scan-none",
            "scan for changes, none changed (against bevy_ecs)",
            0.01,
            0.001,
            true,
        )
    },
    Workload {
        against: SLICES,
        sizes: &[10_000, 1_000_000],
        at_million: Some(0.001),
        ..timed(Kind::Snapshot, "snapshot", "snapshot of the whole world (against memcpy)", 0.05, 0.001, true)
    },
    Workload {
        against: SLICES,
        sizes: &[10_000, 1_000_000],
        at_million: Some(0.001),
        ..timed(Kind::Restore, "restore", "restore of the whole world (against memcpy)", 0.05, 0.001, true)
    },
    timed(Kind::Despawn, "despawn", "despawn all, one by one, shuffled", 1.2, 0.9, false),
    timed(
        Kind::Propagate,
        "propagate",
        "propagate down a tree of random parents, in depth order",
        1.0,
        0.6,
        true,
    ),
    timed(Kind::Schedule, "schedule", "schedule: four populations, three swapping systems", 1.2, 0.8, true),
    Workload {
        sizes: &[51_696],
        ..timed(Kind::Forest, "forest", "48 trees of 1,077, 4,096 leaves moved a frame", 1.0, 0.2, true)
    },
    Workload {
        sizes: &[500_000],
        ..timed(
            Kind::Rounds,
            "rounds",
            "remove and re-add in rounds, then newcomers, three components",
            1.0,
            0.7,
            false,
        )
    },
    Workload {
        measure: Measure::Bytes,
        must: None,
        aim: None,
        ..timed(Kind::Memory, "memory", "bytes an entity beyond its components", 1.0, 1.0, false)
    },
];
