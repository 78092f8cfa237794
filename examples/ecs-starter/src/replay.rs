//! A run that keeps the world of every step, and can therefore go back to any of them.

use std::time::{Duration, Instant};

use std_ecs::{History, Schedule};
use std_scene::{FrameLoop, NodeError};

use crate::Game;

/// A game, and what it was before each of its steps.
#[derive(Debug)]
pub struct Replay {
    game: Game,
    frames: FrameLoop<Game>,
    steps: u64,
    history: History<Game>,
    step_times: Vec<Duration>,
    snapshot_times: Vec<Duration>,
}

/// What going back and running again came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Rollback {
    /// From the world after so many steps.
    pub from: u64,
    /// To the world after so many.
    pub to: u64,
    /// How long going back took.
    pub going_back: Duration,
    /// How many entities were alive before and not after going back: those that had not been spawned yet.
    pub gone: usize,
    /// How many were alive after and not before: those that had been despawned since.
    pub back: usize,
    /// How long it took to run the steps again.
    pub running_again: Duration,
}

/// Why steps cannot be run again as they were.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgainError {
    /// A world that was run again is another one than the first time.
    #[error(
        "the two futures differ after step {step}: something that a system reads is not part of the world"
    )]
    Differs {
        /// The first step whose worlds differ.
        step: u64,
    },
    /// The nodes cannot run.
    #[error(transparent)]
    Nodes(#[from] NodeError),
}

impl Replay {
    /// Begins with this world, runs the steps of this schedule, and keeps the snapshots of the last so many.
    pub fn new(game: Game, schedule: Schedule<Game>, snapshots: u32) -> Self {
        let history = History::new(snapshots.max(1) as usize);
        let frames = FrameLoop::new(schedule);
        Self { game, frames, steps: 0, history, step_times: Vec::new(), snapshot_times: Vec::new() }
    }

    /// The world now.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The worlds that were kept, the oldest first, and the world now.
    pub fn worlds(&self) -> impl Iterator<Item = &Game> {
        self.history.iter().map(|(_, game)| game).chain([&self.game])
    }

    /// How long each step took.
    pub fn step_times(&self) -> &[Duration] {
        &self.step_times
    }

    /// How long it took to keep the snapshot of each step.
    pub fn snapshot_times(&self) -> &[Duration] {
        &self.snapshot_times
    }

    /// Runs a frame of one step, systems and nodes, and keeps what the world was before.
    ///
    /// # Errors
    ///
    /// [`NodeError`] if a node was loaded with its world and never revived.
    pub fn step(&mut self) -> Result<(), NodeError> {
        let start = Instant::now();
        self.history.record(self.steps, &self.game);
        let kept = Instant::now();
        self.frames.run(&mut self.game, 1)?;
        self.step_times.push(kept.elapsed());
        self.snapshot_times.push(kept - start);
        self.steps += 1;
        Ok(())
    }

    /// Changes the world between two steps, as a player does. The change itself is not kept.
    pub fn change<R>(&mut self, work: impl FnOnce(&mut Game) -> R) -> R {
        work(&mut self.game)
    }

    /// Goes back some steps, or as far as there are snapshots, runs them again, and compares every world on
    /// the way with what it was the first time.
    ///
    /// # Errors
    ///
    /// [`AgainError`], for the first step that came out differently, from where the world then goes on.
    pub fn again(&mut self, steps: u64) -> Result<Rollback, AgainError> {
        let oldest = self.history.oldest().map_or(self.steps, |(oldest, _)| oldest);
        let (from, to) = (self.steps, self.steps.saturating_sub(steps).max(oldest));
        let first: History<Game> = self.history.clone();
        let last = self.game.clone();

        let start = Instant::now();
        if let Some(game) = self.history.rewind_to(to) {
            self.game = game;
        }
        let going_back = start.elapsed();
        self.steps = to;
        let missing = |one: &Game, other: &Game| {
            one.entities.iter().filter(|&entity| !other.entities.is_alive(entity)).count()
        };
        let (gone, back) = (missing(&last, &self.game), missing(&self.game, &last));

        let mut running_again = Duration::ZERO;
        while self.steps < from {
            let start = Instant::now();
            self.history.record(self.steps, &self.game);
            self.frames.run(&mut self.game, 1)?;
            running_again += start.elapsed();
            self.steps += 1;
            if self.game != *first.get(self.steps).unwrap_or(&last) {
                return Err(AgainError::Differs { step: self.steps });
            }
        }
        Ok(Rollback { from, to, going_back, gone, back, running_again })
    }
}
