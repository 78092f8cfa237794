//! Runs a world in a session: does what `ggrs` asks for.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ggrs::{Config, GgrsError, GgrsEvent, GgrsRequest};
use std_ecs::{Difference, History, difference, digest};

use crate::error::RollbackError;
use crate::recorder::Recorder;
use crate::session::Session;
use crate::statistics::Statistics;
use crate::world::Rollback;

/// A world in a session, with the frame it has reached.
///
/// Each tick: give the session the local input, then [`advance`](Self::advance). Saving a world is a clone;
/// its digest is worked out only where the session will look at it: in every `interval`th frame if
/// desyncs are detected, and in every frame of a sync test.
///
/// ```no_run
/// # use serde::{Deserialize, Serialize};
/// # use std_ecs::{Entities, World};
/// # use std_rollback::*;
/// # #[derive(Clone, Debug, Default, World)]
/// # struct Game { entities: Entities }
/// # impl Rollback for Game { type Input = u8; fn step(&mut self, _: &[(u8, InputStatus)]) {} }
/// # fn read_keys() -> u8 { 0 }
/// # fn draw(_: &Game) {}
/// let mut session = SessionBuilder::<RollbackConfig<Game>>::new()
///     .with_num_players(2)?
///     .with_desync_detection_mode(DesyncDetection::On { interval: 60 })
///     .add_player(PlayerType::Local, 0)?
///     .add_player(PlayerType::Remote("192.168.0.7:7000".parse()?), 1)?
///     .start_p2p_session(PeerSocket::bind_to_port(7000)?)?;
///
/// let mut driver = Driver::new(Game::default());
/// loop {
///     session.add_local_input(0, read_keys())?;
///     let progress = driver.advance(&mut session)?; // a desync is an error
///     if let Some(reason) = progress.skipped {
///         println!("{reason}");
///     }
///     draw(driver.world());
///     // wait for the next sixtieth of a second
/// #   break;
/// }
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Driver<W: Rollback> {
    world: W,
    frame: i32,
    last_digest: i32,
    statistics: Statistics,
    /// In a sync test: the world of each frame as it came out the first time.
    first: Option<History<W>>,
    difference: Option<Box<Difference>>,
    recorder: Option<Recorder<W>>,
}

/// What one call of [`Driver::advance`] did.
#[derive(Debug)]
pub struct Progress<C: Config> {
    /// Why no frame was run, if none was.
    pub skipped: Option<Skip>,
    /// How many frames were run again.
    pub rolled_back: u32,
    /// What the session tells: who connected, who left, who is slow.
    pub events: Vec<GgrsEvent<C>>,
}

/// Why a tick has to pass without a frame. Nothing is wrong: try again in the next tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Skip {
    /// The peers have not found each other yet.
    Synchronizing,
    /// No more frames can be predicted before the others' inputs arrive.
    WaitingForInput,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Synchronizing => "waiting for the other peers to connect",
            Self::WaitingForInput => "waiting for the input of other peers",
        })
    }
}

impl<W: Rollback> Driver<W> {
    /// A world at frame 0. All peers start with equal worlds.
    pub fn new(world: W) -> Self {
        Self {
            world,
            frame: 0,
            last_digest: 0,
            statistics: Statistics::default(),
            first: None,
            difference: None,
            recorder: None,
        }
    }

    /// The same, and what is played is recorded from here on.
    pub fn recording(world: W) -> Self {
        let recorder = Some(Recorder::new(&world));
        Self { recorder, ..Self::new(world) }
    }

    /// Keeps the first result of each of the last frames, to say where a second one differs.
    pub(crate) fn comparing(world: W, frames: usize) -> Self {
        Self { first: Some(History::new(frames)), ..Self::new(world) }
    }

    /// The world as it is now, with predicted inputs in it.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// The world, when the session is over.
    pub fn into_world(self) -> W {
        self.world
    }

    /// How many frames the world has run.
    pub fn frame(&self) -> i32 {
        self.frame
    }

    /// What rollback has cost so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What was recorded, up to the last frame whose inputs are final.
    pub fn recorder(&self) -> Option<&Recorder<W>> {
        self.recorder.as_ref()
    }

    /// Runs the next frame of the session, with whatever has to be run again before it.
    ///
    /// # Errors
    ///
    /// [`RollbackError`], which says what to do. That a session has to wait is none: see
    /// [`Progress::skipped`].
    pub fn advance<S: Session<W>>(&mut self, session: &mut S) -> Result<Progress<S::Config>, RollbackError> {
        let mut progress = Progress { skipped: None, rolled_back: 0, events: Vec::new() };
        match requests(session)? {
            Ok(requests) => {
                if !requests.iter().any(|request| matches!(request, GgrsRequest::AdvanceFrame { .. })) {
                    progress.skipped = Some(Skip::WaitingForInput);
                }
                let interval = session.digest_interval();
                let mut goal = None;
                for request in requests {
                    if let GgrsRequest::LoadGameState { .. } = request {
                        goal = Some(self.frame);
                    }
                    self.fulfil::<S::Config>(request, interval)?;
                    if let Some(goal) = goal.filter(|&goal| self.frame <= goal) {
                        progress.rolled_back = progress.rolled_back.max(goal.abs_diff(self.frame));
                    }
                }
                let longest = &mut self.statistics.longest_rollback;
                *longest = progress.rolled_back.max(*longest);
            }
            Err(GgrsError::NotSynchronized) => progress.skipped = Some(Skip::Synchronizing),
            Err(GgrsError::PredictionThreshold) => progress.skipped = Some(Skip::WaitingForInput),
            Err(error) => return Err(self.explain(error)),
        }
        if progress.skipped.is_some() {
            self.statistics.skipped += 1;
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.confirm(session.confirmed());
        }
        for event in session.take_events() {
            if let GgrsEvent::DesyncDetected { frame, local_checksum, remote_checksum, addr } = event {
                return Err(RollbackError::Desync {
                    frame,
                    local: local_checksum,
                    remote: remote_checksum,
                    peer: format!("{addr:?}"),
                });
            }
            progress.events.push(event);
        }
        Ok(progress)
    }

    fn fulfil<C>(&mut self, request: GgrsRequest<C>, interval: u32) -> Result<(), RollbackError>
    where
        C: Config<Input = W::Input, State = W>,
    {
        match request {
            GgrsRequest::SaveGameState { cell, frame } => {
                let digest = self.is_due(frame, interval).then(|| {
                    self.last_digest = frame;
                    self.statistics.digests.add(|| digest(&self.world))
                });
                self.compare(frame);
                if let (Some(recorder), Some(digest)) = (&mut self.recorder, digest) {
                    recorder.digest(frame, digest);
                }
                self.statistics.saves.add(|| cell.save(frame, Some(self.world.clone()), digest));
            }
            GgrsRequest::LoadGameState { cell, frame } => {
                let loaded = self.statistics.loads.add(|| cell.load());
                self.world = loaded.ok_or(RollbackError::NotSaved { frame })?;
                self.frame = frame;
                self.last_digest = self.last_digest.min(frame);
            }
            GgrsRequest::AdvanceFrame { inputs } => {
                if let Some(recorder) = &mut self.recorder {
                    recorder.step(self.frame, &inputs);
                }
                self.statistics.steps.add(|| self.world.step(&inputs));
                self.frame += 1;
            }
        }
        Ok(())
    }

    /// Whether the session will look at the digest of a frame: each `interval`th, or one in its place if
    /// that one was not saved.
    fn is_due(&self, frame: i32, interval: u32) -> bool {
        let interval = i32::try_from(interval).unwrap_or(i32::MAX);
        interval > 0 && (frame % interval == 0 || frame - self.last_digest > interval)
    }

    /// In a sync test: looks for the first place where a frame differs from its first result.
    fn compare(&mut self, frame: i32) {
        let Some(first) = &mut self.first else { return };
        let tick = u64::from(frame.unsigned_abs());
        match first.get(tick) {
            Some(world) if self.difference.is_none() => {
                self.difference = difference(world, &self.world).map(Box::new);
            }
            Some(_) => {}
            None => {
                first.record(tick, &self.world);
            }
        }
    }

    fn explain(&mut self, error: GgrsError) -> RollbackError {
        match error {
            GgrsError::MismatchedChecksum { current_frame, mismatched_frames } => {
                let frame = mismatched_frames.into_iter().min().unwrap_or(current_frame);
                RollbackError::NotDeterministic { frame, difference: self.difference.take() }
            }
            GgrsError::SpectatorTooFarBehind => RollbackError::TooFarBehind,
            other => RollbackError::Refused(other.to_string()),
        }
    }
}

/// What a session asks for, or why it does not.
type Asked<C> = Result<Vec<GgrsRequest<C>>, GgrsError>;

/// What the session asks for. Some of what peers can do to each other makes `ggrs` panic: with three peers
/// or more, one that vanishes may have told the others different things.
fn requests<W: Rollback, S: Session<W>>(session: &mut S) -> Result<Asked<S::Config>, RollbackError> {
    catch_unwind(AssertUnwindSafe(|| session.requests())).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&text| text.to_owned()));
        RollbackError::Broken(text.unwrap_or_default())
    })
}
