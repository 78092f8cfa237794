//! What a world has to do to be rolled back.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::net::SocketAddr;

use ggrs::{Config, InputPredictor, InputStatus, PredictRepeatLast};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std_ecs::Digest;

/// A world that runs frame by frame from the inputs of its players.
///
/// The step must depend on the world and the inputs, and on nothing else: no clock, no random numbers from
/// outside, no order of a `HashMap`. [`SyncTest`](crate::SyncTest) and
/// [`ReplayCheck`](std_ecs::ReplayCheck) find what does. An example is at the [crate](crate).
pub trait Rollback: Digest {
    /// What a player does in a frame: all that is sent over the network. Its default is no input.
    type Input: Copy + fmt::Debug + Default + PartialEq + Serialize + DeserializeOwned + 'static;

    /// Runs one frame. `inputs` has one entry for each player, in the order of their handles.
    ///
    /// Do not let the outcome depend on whether an input is [`Predicted`](InputStatus::Predicted) or
    /// [`Confirmed`](InputStatus::Confirmed): that differs between the peers. Whether a player is
    /// [`Disconnected`](InputStatus::Disconnected) does not.
    fn step(&mut self, inputs: &[(Self::Input, InputStatus)]);
}

/// The parameters of a `ggrs` session for a world: `SessionBuilder::<RollbackConfig<Game>>::new()`.
///
/// Addresses are those of UDP sockets and a late input is predicted to be the last one again, unless other
/// types are named.
pub struct RollbackConfig<W, A = SocketAddr, P = PredictRepeatLast>(Named<W, A, P>);

/// Types that are named and not held.
type Named<W, A, P> = PhantomData<fn() -> (W, A, P)>;

impl<W, A, P> fmt::Debug for RollbackConfig<W, A, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RollbackConfig")
    }
}

impl<W, A, P> Clone for RollbackConfig<W, A, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W, A, P> Copy for RollbackConfig<W, A, P> {}

impl<W, A, P> PartialEq for RollbackConfig<W, A, P> {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl<W, A, P> Config for RollbackConfig<W, A, P>
where
    W: Rollback,
    A: Clone + Eq + Hash + fmt::Debug + 'static,
    P: InputPredictor<W::Input> + 'static,
{
    type Input = W::Input;
    type InputPredictor = P;
    type State = W;
    type Address = A;
}
