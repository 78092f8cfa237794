//! Rollback netcode for worlds of `std-ecs`, over [`ggrs`].
//!
//! `ggrs` predicts the input of players whose packets are late, and when the real input differs, it asks to
//! go back and to run the frames again. A world that is a value makes that short: saving is a clone, loading
//! an assignment, the checksum that finds a desync is the [`digest`](std_ecs::digest()). A program writes how
//! one frame is run:
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use std_ecs::{Column, Columns, Entities, World};
//! use std_rollback::{InputStatus, Rollback, SyncTest};
//!
//! #[derive(Clone, Debug, Serialize)]
//! struct Place(i32);
//!
//! #[derive(Clone, Debug, Default, Columns)]
//! struct Places {
//!     places: Column<Place>,
//! }
//!
//! #[derive(Clone, Debug, Default, World)]
//! struct Game {
//!     entities: Entities,
//!     places: Places,
//! }
//!
//! #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
//! struct Keys {
//!     right: bool,
//! }
//!
//! impl Rollback for Game {
//!     type Input = Keys;
//!
//!     fn step(&mut self, inputs: &[(Keys, InputStatus)]) {
//!         for ((_, place), (keys, _)) in self.places.places.iter_mut().zip(inputs) {
//!             place.0 += i32::from(keys.right);
//!         }
//!     }
//! }
//!
//! let mut game = Game::default();
//! game.spawn_batch([(Place(0),), (Place(9),)]);
//!
//! // Each frame is run again several times, and must come out the same.
//! let end = SyncTest::new(2).run(game, 100, |frame, _player| Keys { right: frame % 3 == 0 })?;
//! assert_eq!(end.places.places.iter().map(|(_, place)| place.0).collect::<Vec<_>>(), [34, 43]);
//! # Ok::<_, std_rollback::RollbackError>(())
//! ```
//!
//! [`Driver`] runs such a world in a [`P2PSession`], a [`SpectatorSession`] or a [`SyncTestSession`]; sessions
//! are made with `ggrs`'s own [`SessionBuilder`]. [`Recorder`] and [`Replay`] keep what was played.

mod driver;
mod error;
mod recorder;
mod replay;
mod session;
mod socket;
mod statistics;
mod sync_test;
mod world;

pub use driver::{Driver, Progress, Skip};
pub use error::RollbackError;
pub use ggrs::{
    DesyncDetection, GgrsError as SessionError, GgrsEvent, InputStatus, Message, NonBlockingSocket,
    P2PSession, PlayerType, PredictDefault, PredictRepeatLast, SessionBuilder, SessionState,
    SpectatorSession, SyncTestSession, UdpNonBlockingSocket,
};
pub use recorder::Recorder;
pub use replay::{Damage, Replay, ReplayError};
pub use session::Session;
pub use socket::{PeerSocket, Stranger, Strangers};
pub use statistics::{Measure, Statistics};
pub use sync_test::SyncTest;
pub use world::{Rollback, RollbackConfig};
