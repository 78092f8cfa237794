//! Running systems: in a hollow world each, so that what they touch is what they declared.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::{Duration, Instant};

use super::access::{AccessSet, Leaf};
use super::system::System;
use super::timing::Clocked;
use crate::both::join;
use crate::entity::Entities;
use crate::guard::{Guard, Undeclared, Withheld};
use crate::part::PartKind;
use crate::world::World;

/// How many systems a batch holds at most.
const BATCH: usize = 64;
/// How many places the systems of a batch declare at most, if they are several: what is lent to them nests on
/// the stack, half a kilobyte each in a debug build.
const PLACES: usize = 256;

/// A system of a stage, in declared order.
pub(super) struct Row<W> {
    pub(super) system: System<W>,
    pub(super) set: AccessSet,
    pub(super) clocked: Clocked,
}

/// The world of a system. At rest everything in it is withheld.
pub(super) struct Hollow<W> {
    pub(super) world: W,
    /// The entities that are withheld, while there are others in their place.
    resting: Option<Entities>,
    guard: Guard,
    /// How many guards there are as long as every stand-in is where it belongs, or waits to return.
    guards: usize,
    outcome: thread::Result<()>,
    /// What the system did that it must not do.
    breach: Option<String>,
    /// How long the system took, if somebody wants to know.
    took: Option<Duration>,
}

impl<W: World> Hollow<W> {
    fn new(row: &Row<W>, template: &W, leaves: &[Leaf]) -> Self {
        let named = leaves.iter().filter(|leaf| matches!(leaf.kind, PartKind::Single | PartKind::Events));
        let guard = Guard::new(Withheld::Undeclared(Undeclared {
            system: row.system.name().to_owned(),
            parts: named.map(|leaf| (leaf.key, leaf.path.clone())).collect(),
            spawns: row.set.declared.spawns,
            reads_entities: row.set.declared.reads_entities,
        }));
        let mut world = template.clone();
        world.withhold(&guard);
        let guards = guard.count();
        Self { world, resting: None, guard, guards, outcome: Ok(()), breach: None, took: None }
    }

    /// The system did this, which it must not. The first counts.
    pub(super) fn breach(&mut self, what: String) {
        self.breach.get_or_insert(what);
    }

    /// Drops what the system made. That may panic, and everything else that is lent has to return first.
    pub(super) fn discard<P>(&mut self, made: P) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(made)))
            && self.outcome.is_ok()
        {
            self.outcome = Err(payload);
        }
    }

    /// Looks for stand-ins that were replaced. One count says that there are none.
    fn inspect(&mut self) {
        if self.guard.count() < self.guards && self.breach.is_none() {
            let mut replaced = Vec::new();
            self.world.visit(&mut Vec::new(), &mut |path, view| {
                if !view.is_withheld() {
                    replaced.push(format!("{} ({})", view.key(), path.join(".")));
                }
            });
            self.breach =
                Some(format!("replaced {}, which it did not declare: declare it", replaced.join(", ")));
        }
    }

    fn run(&mut self, system: &System<W>, how: How) {
        let world = &mut self.world;
        (self.outcome, self.took) = run_timed(system, world, how);
    }
}

/// Runs a system, with its panic as a value, and its time if that is wanted.
fn run_timed<W: World>(
    system: &System<W>,
    world: &mut W,
    how: How,
) -> (thread::Result<()>, Option<Duration>) {
    let start = how.timed.then(Instant::now);
    let outcome = catch_unwind(AssertUnwindSafe(|| system.run(world, how.elapsed)));
    (outcome, start.map(|start| start.elapsed()))
}

/// How systems are run.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// What they are told of the time.
    pub(super) elapsed: Duration,
    /// On several threads.
    pub(super) parallel: bool,
    /// With a clock, which costs more than everything else.
    pub(super) timed: bool,
}

/// Why a frame ended early.
pub(super) enum Failure {
    /// A system panicked.
    Panic(Box<dyn std::any::Any + Send>),
    /// A system touched what it did not declare, in a way that was found afterwards.
    Breach(String),
}

impl Failure {
    pub(super) fn raise(self) -> ! {
        match self {
            Self::Panic(payload) => resume_unwind(payload),
            Self::Breach(message) => panic!("{message}"),
        }
    }
}

/// Systems that run at the same time: places among the rows of a stage, ascending.
pub(super) struct Batch<W> {
    pub(super) members: Vec<usize>,
    /// The world of each member; none, if the one member runs on the world itself.
    hollows: Vec<Hollow<W>>,
}

/// Which systems run together: as early as those before them with which they clash allow. Each comes after
/// all of those, so that systems that clash run in declared order.
pub(super) fn batches(sets: &[&AccessSet]) -> Vec<Vec<usize>> {
    let mut levels: Vec<usize> = Vec::with_capacity(sets.len());
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for (row, set) in sets.iter().enumerate() {
        let earlier = levels.iter().zip(sets).filter(|(_, other)| other.clashes(set));
        let level = earlier.map(|(level, _)| level + 1).max().unwrap_or(0);
        levels.push(level);
        if batches.len() <= level {
            batches.push(Vec::new());
        }
        batches[level].push(row);
    }
    let mut parts: Vec<Vec<usize>> = Vec::with_capacity(batches.len());
    for level in batches {
        parts.push(Vec::new());
        let mut places = 0;
        for row in level {
            places += sets[row].places;
            let fits = |part: &Vec<usize>| part.is_empty() || part.len() < BATCH && places <= PLACES;
            match parts.last_mut() {
                Some(part) if fits(part) => part.push(row),
                _ => {
                    parts.push(vec![row]);
                    places = sets[row].places;
                }
            }
        }
    }
    parts
}

impl<W: World> Batch<W> {
    pub(super) fn new(members: Vec<usize>, rows: &[Row<W>], template: &W, leaves: &[Leaf]) -> Self {
        let hollow = members.iter().map(|&member| &rows[member]).filter(|row| !row.set.declared.alone);
        let hollows = hollow.map(|row| Hollow::new(row, template, leaves)).collect();
        Self { members, hollows }
    }
}

impl<W: World + Send> Batch<W> {
    /// Runs every system of the batch, also where an earlier one panics; answers with the first failure in
    /// declared order. Everything lent is back in the world then.
    pub(super) fn run(&mut self, rows: &mut [Row<W>], world: &mut W, how: How) -> Result<(), Failure> {
        if self.hollows.is_empty() {
            let row = &mut rows[self.members[0]];
            let (outcome, took) = run_timed(&row.system, world, how);
            row.clocked.record(took);
            return outcome.map_err(Failure::Panic);
        }
        let crew = Crew { rows, members: &self.members, how };
        crew.lend(0, 0, world, &mut self.hollows);
        for (hollow, &member) in self.hollows.iter_mut().zip(&self.members) {
            hollow.inspect();
            rows[member].clocked.record(hollow.took);
        }
        let failed = |hollow: &Hollow<W>| hollow.outcome.is_err() || hollow.breach.is_some();
        if self.hollows.iter().any(failed) { Err(self.fail(rows)) } else { Ok(()) }
    }

    /// Makes the hollow worlds of those that failed ready for the next run.
    #[cold]
    fn fail(&mut self, rows: &[Row<W>]) -> Failure {
        let mut first = None;
        for (hollow, &member) in self.hollows.iter_mut().zip(&self.members) {
            let outcome = std::mem::replace(&mut hollow.outcome, Ok(()));
            let failure = match (outcome, hollow.breach.take()) {
                (Ok(()), None) => continue,
                (Err(payload), _) => Failure::Panic(payload),
                (Ok(()), Some(breach)) => {
                    Failure::Breach(format!("system \"{}\" {breach}", rows[member].system.name()))
                }
            };
            hollow.world.withhold(&hollow.guard);
            hollow.guards = hollow.guard.count();
            first.get_or_insert(failure);
        }
        let Some(first) = first else { unreachable!("a batch fails because a system did") };
        first
    }
}

/// A batch that is running.
struct Crew<'a, W> {
    rows: &'a [Row<W>],
    members: &'a [usize],
    how: How,
}

impl<W: World + Send> Crew<'_, W> {
    /// Lends what the systems declared, beginning with this place of this member, then runs them all.
    fn lend(&self, at: usize, place: usize, world: &mut W, hollows: &mut [Hollow<W>]) {
        let Some(&member) = self.members.get(at) else {
            return self.lend_entities(world, hollows);
        };
        match self.rows[member].system.places.get(place) {
            None => self.lend(at + 1, 0, world, hollows),
            Some(lent) => {
                lent.lend(world, hollows, at, &mut |world, hollows| self.lend(at, place + 1, world, hollows));
            }
        }
    }

    /// The one that spawns gets the entities, the others a clone, which answers as the original would have
    /// done in declared order: a handle that is handed out meanwhile is known to nobody else.
    fn lend_entities(&self, world: &mut W, hollows: &mut [Hollow<W>]) {
        let spawns = |member: usize| self.rows[member].set.declared.spawns;
        let mut spawner = None;
        for (at, (hollow, &member)) in hollows.iter_mut().zip(self.members).enumerate() {
            if spawns(member) {
                spawner = Some(at);
                continue;
            }
            let mut shared = world.entities().clone();
            let stand_in = hollow.world.entities_mut();
            std::mem::swap(&mut shared.guard, &mut stand_in.guard);
            hollow.resting = Some(std::mem::replace(stand_in, shared));
        }
        let exchange = |world: &mut W, hollows: &mut [Hollow<W>]| {
            if let Some(at) = spawner {
                let (real, lent) = (world.entities_mut(), hollows[at].world.entities_mut());
                std::mem::swap(real, lent);
                std::mem::swap(&mut real.guard, &mut lent.guard);
            }
        };
        exchange(world, hollows);
        self.run(hollows);
        exchange(world, hollows);
        for hollow in hollows {
            if let Some(stand_in) = hollow.resting.take() {
                let entities = hollow.world.entities_mut();
                let mut shared = std::mem::replace(entities, stand_in);
                std::mem::swap(&mut shared.guard, &mut entities.guard);
            }
        }
    }

    fn run(&self, hollows: &mut [Hollow<W>]) {
        if self.how.parallel && cfg!(feature = "parallel") {
            return self.fork(0, hollows);
        }
        for (hollow, &member) in hollows.iter_mut().zip(self.members) {
            hollow.run(&self.rows[member].system, self.how);
        }
    }

    /// Runs these members on whatever threads are free.
    fn fork(&self, from: usize, hollows: &mut [Hollow<W>]) {
        if let [hollow] = hollows {
            return hollow.run(&self.rows[self.members[from]].system, self.how);
        }
        let half = hollows.len() / 2;
        let (first, second) = hollows.split_at_mut(half);
        join(|| self.fork(from, first), || self.fork(from + half, second));
    }
}
