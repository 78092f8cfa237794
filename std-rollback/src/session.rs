//! The kinds of sessions, seen from the driver.

use ggrs::{
    Config, DesyncDetection, GgrsError, GgrsEvent, GgrsRequest, P2PSession, SpectatorSession, SyncTestSession,
};

use crate::world::{Rollback, RollbackConfig};

/// A session of `ggrs` that a [`Driver`](crate::Driver) can run: between peers, watching, or testing.
pub trait Session<W: Rollback> {
    /// The parameters of the session.
    type Config: Config<Input = W::Input, State = W>;

    /// What has to be done for the next frame.
    ///
    /// # Errors
    ///
    /// What the session says.
    fn requests(&mut self) -> Result<Vec<GgrsRequest<Self::Config>>, GgrsError>;

    /// What happened since this was last asked.
    fn take_events(&mut self) -> Vec<GgrsEvent<Self::Config>>;

    /// Every how many frames the digest of a saved world is looked at; 0 for never.
    fn digest_interval(&self) -> u32;

    /// The last frame whose inputs are final.
    fn confirmed(&self) -> i32;
}

impl<W, A, P> Session<W> for P2PSession<RollbackConfig<W, A, P>>
where
    W: Rollback,
    RollbackConfig<W, A, P>: Config<Input = W::Input, State = W>,
{
    type Config = RollbackConfig<W, A, P>;

    fn requests(&mut self) -> Result<Vec<GgrsRequest<Self::Config>>, GgrsError> {
        self.advance_frame()
    }

    fn take_events(&mut self) -> Vec<GgrsEvent<Self::Config>> {
        self.events().collect()
    }

    fn digest_interval(&self) -> u32 {
        match self.desync_detection() {
            DesyncDetection::On { interval } => interval,
            DesyncDetection::Off => 0,
        }
    }

    fn confirmed(&self) -> i32 {
        self.confirmed_frame()
    }
}

impl<W, A, P> Session<W> for SyncTestSession<RollbackConfig<W, A, P>>
where
    W: Rollback,
    RollbackConfig<W, A, P>: Config<Input = W::Input, State = W>,
{
    type Config = RollbackConfig<W, A, P>;

    fn requests(&mut self) -> Result<Vec<GgrsRequest<Self::Config>>, GgrsError> {
        self.advance_frame()
    }

    fn take_events(&mut self) -> Vec<GgrsEvent<Self::Config>> {
        Vec::new()
    }

    /// Every frame is compared.
    fn digest_interval(&self) -> u32 {
        1
    }

    fn confirmed(&self) -> i32 {
        self.current_frame()
    }
}

impl<W, A, P> Session<W> for SpectatorSession<RollbackConfig<W, A, P>>
where
    W: Rollback,
    RollbackConfig<W, A, P>: Config<Input = W::Input, State = W>,
{
    type Config = RollbackConfig<W, A, P>;

    fn requests(&mut self) -> Result<Vec<GgrsRequest<Self::Config>>, GgrsError> {
        self.advance_frame()
    }

    fn take_events(&mut self) -> Vec<GgrsEvent<Self::Config>> {
        self.events().collect()
    }

    /// A spectator saves nothing.
    fn digest_interval(&self) -> u32 {
        0
    }

    fn confirmed(&self) -> i32 {
        self.current_frame()
    }
}
