//! Schedules: which systems run when, and which of them at the same time.

use std::fmt;
use std::time::Duration;

use crate::world::World;

mod access;
mod batch;
mod error;
mod fixed;
mod plan;
mod stage;
mod system;
mod timing;

pub use access::{Cause, Conflict};
pub use error::ScheduleError;
pub use fixed::{FixedStep, Steps};
pub use plan::{Plan, PlannedStage, Wait};
pub use stage::Stage;
pub use system::System;
pub use timing::Timing;

use access::{AccessSet, Leaf, leaves};
use batch::{Batch, Failure, How, Row, batches};

/// The systems of a program, stage by stage, and the fixed step.
///
/// Systems of a stage run in declared order, except that those which do not clash run at the same time; see
/// [`System`] for what clashes. Nothing of the order comes from names, addresses or hashes, so that a system
/// can be renamed and another be added without moving anybody.
///
/// ```
/// use std::time::Duration;
/// use std_ecs::{Columns, Entities, Schedule, Single, Stage, System, World};
///
/// #[derive(Clone, Debug, Default, Columns)]
/// struct Clock {
///     steps: Single<u32>,
///     frames: Single<u32>,
/// }
///
/// #[derive(Clone, Debug, Default, World)]
/// struct Game {
///     entities: Entities,
///     clock: Clock,
/// }
///
/// let mut schedule = Schedule::with_rate(60);
/// schedule
///     .add(
///         Stage::Fixed,
///         System::new("tick", |game: &mut Game, _| *game.clock.steps += 1)
///             .writes_part(|game| &mut game.clock.steps),
///     )?
///     .add(
///         Stage::Late,
///         System::new("draw", |game: &mut Game, _| *game.clock.frames += 1)
///             .writes_part(|game| &mut game.clock.frames),
///     )?;
///
/// let mut game = Game::default();
/// let report = schedule.run(&mut game, Duration::from_millis(50));
/// assert_eq!((report.steps, *game.clock.steps, *game.clock.frames), (3, 3, 1));
/// # Ok::<_, std_ecs::ScheduleError>(())
/// ```
///
/// # Running in parallel
///
/// Each system has a world of its own, hollow between its runs. For a run the storage that it writes is
/// swapped in and the storage that it reads is cloned, which costs a few counts; afterwards it swaps back. So
/// a declaration that is wrong cannot make two runs differ: touching what was not declared panics, naming the
/// system, the component and the line to add, and a write to what was declared as read is found after the
/// system and panics too. The procedure does not depend on the number of threads, and neither does the
/// world that comes out. It is the same without the feature `parallel`, and after
/// [`set_parallel(false)`](Self::set_parallel): only the threads are missing.
///
/// Systems that run at the same time make a batch, of at most 64. It runs as a whole before the next one
/// begins; [`plan`](Self::plan) shows which systems share one.
///
/// A frame enters the pool of rayon once, which costs about 10 us from outside. It is the pool that the caller
/// is in, and the global one otherwise: `ThreadPool::install(|| schedule.run(..))` picks the number
/// of threads. Systems may use the pool themselves. They run on its threads, exclusive ones too.
///
/// # Panics in systems
///
/// When a system panics, the other systems of its batch still run to their end, everything lent returns to
/// the world, and later batches and stages do not run, nor does the frame end ([`World::advance`] is not
/// called). The payload is passed on unchanged, the first in declared order if there are several. The
/// world is what the systems made of it up to there, and the next run works; for the world as it was,
/// keep a clone.
pub struct Schedule<W> {
    stages: Vec<StageRows<W>>,
    fixed: FixedStep,
    parallel: bool,
    timed: bool,
    /// Any world: places are found in it, and hollow worlds are made of it.
    template: W,
    leaves: Vec<Leaf>,
}

struct StageRows<W> {
    stage: Stage,
    rows: Vec<Row<W>>,
    /// None while systems come and go.
    batches: Option<Vec<Batch<W>>>,
}

impl<W> StageRows<W> {
    fn new(stage: Stage) -> Self {
        Self { stage, rows: Vec::new(), batches: None }
    }
}

impl<W: World + Default + Send> Default for Schedule<W> {
    /// The schedule without systems, with steps of 16 ms.
    fn default() -> Self {
        Self::with_fixed_step(FixedStep::default())
    }
}

impl<W: World + Default + Send> Schedule<W> {
    /// The schedule without systems, with steps of 16 ms.
    pub fn new() -> Self {
        Self::default()
    }

    /// The schedule without systems, with steps of this length.
    ///
    /// # Panics
    ///
    /// If the step is zero.
    pub fn with_step(step: Duration) -> Self {
        Self::with_fixed_step(FixedStep::with_step(step))
    }

    /// The schedule without systems, with exactly this many steps a second.
    ///
    /// # Panics
    ///
    /// If the rate is zero.
    pub fn with_rate(hertz: u32) -> Self {
        Self::with_fixed_step(FixedStep::with_rate(hertz))
    }

    /// The schedule without systems, with this fixed step.
    pub fn with_fixed_step(fixed: FixedStep) -> Self {
        let template = W::default();
        let leaves = leaves(&template);
        let stages = [Stage::Input, Stage::Fixed, Stage::Update, Stage::Late];
        Self {
            stages: stages.map(StageRows::new).into(),
            fixed,
            parallel: true,
            timed: false,
            template,
            leaves,
        }
    }

    /// Limits the steps of a frame; what is above is dropped. 8 unless set.
    #[must_use]
    pub fn max_steps(mut self, max_steps: u32) -> Self {
        self.fixed = self.fixed.max_steps(max_steps);
        self
    }

    /// Whether systems that do not clash run at the same time, if the feature `parallel` is on. True unless
    /// set. What comes out is the same, system panics included.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    /// Adds a system at the end of a stage.
    ///
    /// # Errors
    ///
    /// If there is a system of that name in any stage, if there is no such stage, or if the system declares
    /// something in two ways. See [`ScheduleError`].
    pub fn add(&mut self, stage: Stage, system: System<W>) -> Result<&mut Self, ScheduleError> {
        let at = self.stage(stage)?;
        let end = self.stages[at].rows.len();
        self.insert(at, end, system)
    }

    /// Adds a system in the stage of another one, right before it. It may go anywhere in what is declared,
    /// but runs earlier only than those with which it clashes.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add), and if there is no system `name`.
    pub fn insert_before(&mut self, name: &str, system: System<W>) -> Result<&mut Self, ScheduleError> {
        let (stage, row) = self.find(name)?;
        self.insert(stage, row, system)
    }

    /// Adds a system in the stage of another one, right after it. As [`insert_before`](Self::insert_before).
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add), and if there is no system `name`.
    pub fn insert_after(&mut self, name: &str, system: System<W>) -> Result<&mut Self, ScheduleError> {
        let (stage, row) = self.find(name)?;
        self.insert(stage, row + 1, system)
    }

    /// Puts a system in the place of another one, which is returned. Both may have the same name.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add), and if there is no system `name`.
    pub fn replace(&mut self, name: &str, system: System<W>) -> Result<System<W>, ScheduleError> {
        let (stage, row) = self.find(name)?;
        if system.name() != name {
            self.refuse_duplicate(system.name())?;
        }
        let set = AccessSet::of(&system, &mut self.template)?;
        let StageRows { rows, batches, .. } = &mut self.stages[stage];
        *batches = None;
        let new = Row { system, set, clocked: timing::Clocked::default() };
        Ok(std::mem::replace(&mut rows[row], new).system)
    }

    /// Takes a system out.
    ///
    /// # Errors
    ///
    /// If there is no system `name`.
    pub fn remove(&mut self, name: &str) -> Result<System<W>, ScheduleError> {
        let (stage, row) = self.find(name)?;
        let StageRows { rows, batches, .. } = &mut self.stages[stage];
        *batches = None;
        Ok(rows.remove(row).system)
    }

    /// Whether there is a system of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// The names of the systems, stage by stage, in declared order.
    pub fn names(&self) -> Vec<&str> {
        self.rows().map(|(_, row)| row.system.name()).collect()
    }

    /// The stages, in running order.
    pub fn stages(&self) -> Vec<Stage> {
        self.stages.iter().map(|stage| stage.stage).collect()
    }

    /// Puts a stage of the program's own in front of another one.
    ///
    /// # Errors
    ///
    /// If there is no stage `before`, if there is one of that name already, or if a stage of the fixed step
    /// would not stand beside another one.
    pub fn insert_stage_before(&mut self, before: Stage, stage: Stage) -> Result<&mut Self, ScheduleError> {
        let at = self.stage(before)?;
        self.insert_stage(at, stage)
    }

    /// Puts a stage of the program's own after another one.
    ///
    /// # Errors
    ///
    /// As [`insert_stage_before`](Self::insert_stage_before).
    pub fn insert_stage_after(&mut self, after: Stage, stage: Stage) -> Result<&mut Self, ScheduleError> {
        let at = self.stage(after)?;
        self.insert_stage(at + 1, stage)
    }

    /// The pairs of systems of one stage that must not run at the same time, with the reasons.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        for StageRows { stage, rows, .. } in &self.stages {
            for (at, second) in rows.iter().enumerate() {
                for first in rows[..at].iter().filter(|first| first.set.clashes(&second.set)) {
                    conflicts.push(Conflict {
                        stage: *stage,
                        first: first.system.name().to_owned(),
                        second: second.system.name().to_owned(),
                        because: first.set.causes(&second.set, &self.leaves),
                    });
                }
            }
        }
        conflicts
    }

    /// What the schedule is going to do: batches, and who waits for whom because of what.
    pub fn plan(&self) -> Plan {
        let stages = self.stages.iter();
        Plan {
            stages: stages
                .map(|StageRows { stage, rows, .. }| PlannedStage::new(*stage, rows, &self.leaves))
                .collect(),
        }
    }

    /// Whether the time of each system is taken, for [`timings`](Self::timings). False unless set: a look at
    /// the clock costs 30 to 40 ns, more than the rest of what it takes to run a system.
    pub fn set_timed(&mut self, timed: bool) {
        self.timed = timed;
    }

    /// How long each system took while times were taken ([`set_timed`](Self::set_timed)), stage by stage, in
    /// declared order.
    pub fn timings(&self) -> Vec<Timing> {
        self.rows().map(|(stage, row)| row.clocked.timing(row.system.name(), stage)).collect()
    }

    /// The fixed step with the time left over: keep it beside a snapshot of the world.
    pub fn fixed_step(&self) -> &FixedStep {
        &self.fixed
    }

    /// The fixed step, to be set: to roll it back with the world, or to change the pace.
    pub fn fixed_step_mut(&mut self) -> &mut FixedStep {
        &mut self.fixed
    }

    /// The part of a step that is left over, for drawing between two steps. See
    /// [`FixedStep::interpolation`].
    pub fn interpolation(&self) -> f64 {
        self.fixed.interpolation()
    }

    /// Runs a frame: each stage in order, those of the fixed step once for each whole step, and then
    /// [`World::advance`] with the number of steps.
    ///
    /// The first frame is like any other: a step runs in it if a step's time has passed. No step runs in a
    /// frame without time.
    ///
    /// # Panics
    ///
    /// With the payload of the first system that panics, and when a system touched what it did not declare.
    pub fn run(&mut self, world: &mut W, elapsed: Duration) -> Steps {
        self.enter(|schedule| schedule.frame(world, elapsed))
    }

    /// Runs exactly one fixed step and no other stage, then [`World::advance`] with that one step: for
    /// lockstep and rollback, where a frame is a step. The time left over does not change.
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run).
    pub fn step(&mut self, world: &mut W) {
        self.enter(|schedule| {
            let step = schedule.fixed.step();
            for at in 0..schedule.stages.len() {
                if schedule.stages[at].stage.is_step() {
                    schedule.run_rows(at, world, step)?;
                }
            }
            world.advance(1);
            Ok(())
        });
    }

    /// Runs one stage once, for a frame loop that does something between stages. It neither counts steps nor
    /// ends the frame: that is [`FixedStep::advance`] and [`World::advance`].
    ///
    /// # Errors
    ///
    /// If there is no such stage.
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run).
    pub fn run_stage(&mut self, stage: Stage, world: &mut W, elapsed: Duration) -> Result<(), ScheduleError> {
        let at = self.stage(stage)?;
        self.enter(|schedule| schedule.run_rows(at, world, elapsed));
        Ok(())
    }

    fn frame(&mut self, world: &mut W, elapsed: Duration) -> Result<Steps, Failure> {
        let taken = self.fixed.advance(elapsed);
        let step = self.fixed.step();
        let is_step = |entry: &StageRows<W>| entry.stage.is_step();
        let first = self.stages.iter().position(is_step).unwrap_or(self.stages.len());
        let last = self.stages.iter().rposition(is_step).map_or(first, |last| last + 1);
        for at in 0..first {
            self.run_rows(at, world, elapsed)?;
        }
        for _ in 0..taken.steps {
            for at in first..last {
                self.run_rows(at, world, step)?;
            }
        }
        for at in last..self.stages.len() {
            self.run_rows(at, world, elapsed)?;
        }
        world.advance(taken.steps);
        Ok(taken)
    }

    /// Runs the systems of a stage.
    fn run_rows(&mut self, stage: usize, world: &mut W, elapsed: Duration) -> Result<(), Failure> {
        let Self { stages, template, leaves, parallel, timed, .. } = self;
        let how = How { elapsed, parallel: *parallel, timed: *timed };
        let StageRows { stage, rows, batches: planned } = &mut stages[stage];
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!("stage", name = stage.name()).entered();
        let _ = stage;
        let planned = planned.get_or_insert_with(|| {
            let sets: Vec<_> = rows.iter().map(|row| &row.set).collect();
            let members = batches(&sets).into_iter();
            members.map(|members| Batch::new(members, rows, template, leaves)).collect()
        });
        planned.iter_mut().try_for_each(|batch| batch.run(rows, world, how))
    }

    /// Does this inside the pool, which is entered once; raises what went wrong outside of it.
    fn enter<R: Send>(&mut self, work: impl FnOnce(&mut Self) -> Result<R, Failure> + Send) -> R {
        #[cfg(feature = "parallel")]
        let done = if self.parallel && rayon::current_thread_index().is_none() {
            rayon::scope(|_| work(self))
        } else {
            work(self)
        };
        #[cfg(not(feature = "parallel"))]
        let done = work(self);
        done.unwrap_or_else(|failure| failure.raise())
    }

    fn rows(&self) -> impl Iterator<Item = (Stage, &Row<W>)> {
        self.stages.iter().flat_map(|stage| stage.rows.iter().map(|row| (stage.stage, row)))
    }

    fn known(&self) -> Vec<String> {
        self.rows().map(|(_, row)| row.system.name().to_owned()).collect()
    }

    fn stage(&self, stage: Stage) -> Result<usize, ScheduleError> {
        let at = self.stages.iter().position(|entry| entry.stage == stage);
        at.ok_or_else(|| ScheduleError::UnknownStage { stage, known: self.stages() })
    }

    fn find(&self, name: &str) -> Result<(usize, usize), ScheduleError> {
        for (at, stage) in self.stages.iter().enumerate() {
            if let Some(row) = stage.rows.iter().position(|row| row.system.name() == name) {
                return Ok((at, row));
            }
        }
        Err(ScheduleError::UnknownName { name: name.to_owned(), known: self.known() })
    }

    fn refuse_duplicate(&self, name: &str) -> Result<(), ScheduleError> {
        if self.contains(name) {
            return Err(ScheduleError::DuplicateName { name: name.to_owned(), known: self.known() });
        }
        Ok(())
    }

    fn insert(&mut self, stage: usize, row: usize, system: System<W>) -> Result<&mut Self, ScheduleError> {
        self.refuse_duplicate(system.name())?;
        let set = AccessSet::of(&system, &mut self.template)?;
        let StageRows { rows, batches, .. } = &mut self.stages[stage];
        *batches = None;
        rows.insert(row, Row { system, set, clocked: timing::Clocked::default() });
        Ok(self)
    }

    fn insert_stage(&mut self, at: usize, stage: Stage) -> Result<&mut Self, ScheduleError> {
        if self.stages.iter().any(|entry| entry.stage.name() == stage.name()) {
            return Err(ScheduleError::DuplicateStage { stage, known: self.stages() });
        }
        let steps = |at: Option<usize>| {
            at.and_then(|at| self.stages.get(at)).is_some_and(|entry| entry.stage.is_step())
        };
        let (before, after) = (steps(at.checked_sub(1)), steps(Some(at)));
        let apart = if stage.is_step() { !before && !after } else { before && after };
        if apart {
            return Err(ScheduleError::StepApart { stage });
        }
        self.stages.insert(at, StageRows::new(stage));
        Ok(self)
    }
}

impl<W> fmt::Debug for Schedule<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for StageRows { stage, rows, .. } in &self.stages {
            map.entry(stage, &rows.iter().map(|row| &row.system).collect::<Vec<_>>());
        }
        map.finish()
    }
}
