//! A template to copy: a small war in space whose world is a value.
//!
//! The program composes three packages and a group of its own into a world ([`Game`]), builds a fleet
//! ([`fleet`]), runs fixed steps of a sixtieth of a second ([`schedule`]), keeps the world of every step, goes
//! back some steps and runs them again ([`Replay`]), and reports what that cost ([`Report`]).
//!
//! To make it yours: keep `game.rs` and name your packages there, throw `arena.rs` and `fleet.rs` away, and
//! list your systems in `steps.rs`. A world that is cloned is a snapshot, a world that is assigned is a
//! rollback; nothing else in here is needed for that.

mod arena;
mod fleet;
mod game;
mod options;
mod pages;
mod replay;
mod report;
mod steps;

pub use arena::{Arena, Collider, Health, Hit, Random, Score, Shot, Side, collisions, score, touching};
pub use fleet::fleet;
pub use game::Game;
pub use options::{OptionError, Options, Request, USAGE};
pub use pages::Pages;
pub use replay::{Differs, Replay, Rollback};
pub use report::Report;
pub use steps::{RATE, STEP, fire_turrets, schedule};
