//! Sync tests: does a frame that runs again come out the same?

use std::net::SocketAddr;

use ggrs::{PredictRepeatLast, SessionBuilder};

use crate::driver::Driver;
use crate::error::RollbackError;
use crate::world::{Rollback, RollbackConfig};

/// Runs a world for some frames, rolling back in each of them, and compares every digest: the test that a
/// game should pass before it meets a network.
///
/// ```
/// # use std_ecs::{Entities, Single, World};
/// # use std_rollback::*;
/// # #[derive(Clone, Debug, Default, World)]
/// # struct Game { entities: Entities, score: Single<u32> }
/// # impl Rollback for Game { type Input = u8; fn step(&mut self, _: &[(u8, InputStatus)]) { *self.score += 1; } }
/// let end = SyncTest::new(2).distance(7).run(Game::default(), 600, |_frame, player| player as u8)?;
/// assert_eq!(*end.score, 600);
///
/// let nothing = SyncTest::new(2).distance(1).run(Game::default(), 600, |_, _| 0).unwrap_err();
/// assert!(nothing.to_string().contains("compares nothing"));
/// # Ok::<_, RollbackError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SyncTest {
    players: usize,
    distance: usize,
}

impl SyncTest {
    /// For so many players, going back 4 frames each time.
    pub fn new(players: usize) -> Self {
        Self { players, distance: 4 }
    }

    /// Goes back so many frames each time.
    pub fn distance(self, frames: usize) -> Self {
        Self { distance: frames, ..self }
    }

    /// Runs `frames` frames with the input that `input` answers for a frame and a player, and answers the
    /// world after the last.
    ///
    /// # Errors
    ///
    /// [`RollbackError::NotDeterministic`] with the first frame, column and entity that differ;
    /// [`RollbackError::ComparesNothing`] if no frame would be compared;
    /// [`RollbackError::Refused`] if there are no players.
    pub fn run<W: Rollback>(
        self,
        world: W,
        frames: u32,
        mut input: impl FnMut(u32, usize) -> W::Input,
    ) -> Result<W, RollbackError> {
        let Self { players, distance } = self;
        // The session notes the digests of a frame one frame after it goes back for the first time, and
        // compares them with the next one's.
        if distance < 2 || (frames as usize) < distance + 3 {
            return Err(RollbackError::ComparesNothing { distance, frames });
        }
        let refuse = |error: ggrs::GgrsError| RollbackError::Refused(error.to_string());
        let mut session = SessionBuilder::<RollbackConfig<W, SocketAddr, PredictRepeatLast>>::new()
            .with_num_players(players)
            .map_err(refuse)?
            .with_max_prediction_window(distance + 1)
            .with_check_distance(distance)
            .start_synctest_session()
            .map_err(refuse)?;
        let mut driver = Driver::comparing(world, distance + 2);
        for frame in 0..frames {
            for player in 0..players {
                session.add_local_input(player, input(frame, player)).map_err(refuse)?;
            }
            driver.advance(&mut session)?;
        }
        Ok(driver.into_world())
    }
}
