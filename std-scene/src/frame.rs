//! The frame loop: what calls the schedule and the nodes, and when.

use std::fmt;
use std::time::Duration;

use std_ecs::{Schedule, Stage, Steps};

use crate::behaviours::{NodeError, NodeWorld, Phase, step_nodes};

/// A schedule and the nodes, frame by frame.
///
/// A frame makes nodes ready that are not yet, and then runs the systems of [`Stage::Input`]; as many fixed
/// steps as fit into the time, each with the systems of [`Stage::Fixed`] and then `fixed_process` of all
/// nodes; the systems of [`Stage::Update`], and then `process` of all nodes; the systems of [`Stage::Late`];
/// and ends with [`World::advance`](std_ecs::World::advance). Stages of a program's own run where they stand.
///
/// It knows no clock and no window: a program that has a window calls [`frame`](Self::frame) with the time
/// that has passed, a server or a test calls [`run`](Self::run).
///
/// ```
/// use std::time::Duration;
/// use std_ecs::{Entities, Hierarchy, Schedule, World};
/// use std_scene::{Behaviours, FrameLoop};
///
/// #[derive(Clone, Debug, Default, World)]
/// struct Game {
///     entities: Entities,
///     hierarchy: Hierarchy,
///     behaviours: Behaviours<Game>,
/// }
///
/// let mut frames = FrameLoop::new(Schedule::<Game>::with_rate(60));
/// let mut game = Game::default();
/// let steps = frames.frame(&mut game, Duration::from_millis(50))?;
/// assert_eq!(steps.steps, 3);
/// # Ok::<(), std_scene::NodeError>(())
/// ```
pub struct FrameLoop<W> {
    schedule: Schedule<W>,
}

impl<W: fmt::Debug> fmt::Debug for FrameLoop<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameLoop").finish_non_exhaustive()
    }
}

impl<W: NodeWorld + Default + Send> FrameLoop<W> {
    /// The loop of a schedule.
    pub fn new(schedule: Schedule<W>) -> Self {
        Self { schedule }
    }

    /// The schedule, which keeps the time left over.
    pub fn schedule(&self) -> &Schedule<W> {
        &self.schedule
    }

    /// The schedule, to be changed between frames.
    pub fn schedule_mut(&mut self) -> &mut Schedule<W> {
        &mut self.schedule
    }

    /// Runs one frame, after so much time.
    ///
    /// # Errors
    ///
    /// [`NodeError::Asleep`] if a node is asleep: then nothing has run.
    ///
    /// # Panics
    ///
    /// With the payload of a system or a node that panics. Every column and every node is back in the world
    /// then, and the next frame works.
    pub fn frame(&mut self, world: &mut W, elapsed: Duration) -> Result<Steps, NodeError> {
        step_nodes(world, Phase::Ready)?;
        let steps = self.schedule.fixed_step_mut().advance(elapsed);
        self.of_steps(world, elapsed, steps.steps)?;
        Ok(steps)
    }

    /// A frame of so many steps, whose nodes are ready.
    fn of_steps(&mut self, world: &mut W, elapsed: Duration, steps: u32) -> Result<(), NodeError> {
        let stages = self.schedule.stages();
        let step = self.schedule.fixed_step().step();
        let is_step = |stage: &Stage| stage.is_step();
        let first = stages.iter().position(is_step).unwrap_or(stages.len());
        let last = stages.iter().rposition(is_step).map_or(first, |last| last + 1);
        self.stages(world, &stages[..first], elapsed)?;
        for _ in 0..steps {
            self.stages(world, &stages[first..last], step)?;
        }
        self.stages(world, &stages[last..], elapsed)?;
        world.advance(steps);
        Ok(())
    }

    /// Runs exactly one fixed step, systems and nodes, and ends the frame: for lockstep and rollback.
    ///
    /// # Errors
    ///
    /// As [`frame`](Self::frame).
    ///
    /// # Panics
    ///
    /// As [`frame`](Self::frame).
    pub fn step(&mut self, world: &mut W) -> Result<(), NodeError> {
        step_nodes(world, Phase::Ready)?;
        let step = self.schedule.fixed_step().step();
        let stages = self.schedule.stages();
        let of_step: Vec<Stage> = stages.into_iter().filter(|stage| stage.is_step()).collect();
        self.stages(world, &of_step, step)?;
        world.advance(1);
        Ok(())
    }

    /// Runs so many frames of exactly one step each, without a clock. The time left over from other frames stays
    /// as it is, so that a run depends on nothing but the world.
    ///
    /// # Errors
    ///
    /// As [`frame`](Self::frame).
    ///
    /// # Panics
    ///
    /// As [`frame`](Self::frame).
    pub fn run(&mut self, world: &mut W, frames: u64) -> Result<(), NodeError> {
        let step = self.schedule.fixed_step().step();
        for _ in 0..frames {
            step_nodes(world, Phase::Ready)?;
            self.of_steps(world, step, 1)?;
        }
        Ok(())
    }

    fn stages(&mut self, world: &mut W, stages: &[Stage], elapsed: Duration) -> Result<(), NodeError> {
        for &stage in stages {
            if let Err(error) = self.schedule.run_stage(stage, world, elapsed) {
                unreachable!("the stage is one that the schedule named: {error}");
            }
            match stage {
                Stage::Fixed => step_nodes(world, Phase::FixedProcess(elapsed))?,
                Stage::Update => step_nodes(world, Phase::Process(elapsed))?,
                _ => {}
            }
        }
        Ok(())
    }
}
