//! A sample package: things that move, fall, are launched and end after a while.
//!
//! It owns its components and the columns that keep them, [`Motions`], and ships systems that are plain
//! functions over bounds. A program admits all of it with one field in its world:
//!
//! ```
//! use std::time::Duration;
//!
//! use acme_motion::{Motions, Velocity, movement};
//! use acme_space::{Places, Position};
//! use std_ecs::{Columns, Entities, World};
//!
//! #[derive(Clone, Debug, Default, PartialEq, World)]
//! struct Game {
//!     entities: Entities,
//!     places: Places,
//!     motions: Motions,
//! }
//!
//! let mut game = Game::default();
//! let ship = game.spawn_with((Position { x: 0.0, y: 0.0 }, Velocity { x: 1.0, y: 0.0 }));
//! movement(&mut game, Duration::from_millis(500));
//! assert_eq!(game.get::<Position>(ship), Some(&Position { x: 0.5, y: 0.0 }));
//! ```
//!
//! The systems name neither the world of the program nor the group of another package. They need
//! [`Position`](acme_space::Position) and [`GlobalPosition`](acme_space::GlobalPosition) from `acme-space`.

mod components;
mod systems;

pub use components::{Gravity, Launcher, Lifetime, Motions, Reload, Velocity};
pub use systems::{expire, fall, fire, movement};
