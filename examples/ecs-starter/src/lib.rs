//! A template to copy: a level from a scene file, and a small war in space around it, in a world that is a value.
//!
//! The program composes three packages and a group of its own into a world ([`Game`]), loads `scenes/level.ron`
//! into it ([`Scenes`]), adds as many other entities as it is asked for ([`fleet`]), runs steps of a sixtieth of a
//! second, systems ([`schedule`]) and nodes ([`Ship`], [`Spawner`]), keeps the world of every step, goes back some
//! steps and runs them again ([`Replay`]), and reports what that cost ([`Report`]).
//!
//! To make it yours: keep `game.rs` and name your packages there, write your own `arena.rs`, `nodes.rs` and
//! `scenes/`, name what scenes may use in `level.rs`, list your systems in `steps.rs`, and throw `fleet.rs` away.
//! A world that is cloned is a snapshot, a world that is assigned is a rollback; nothing else in here is needed
//! for that.

mod arena;
mod fleet;
mod game;
mod level;
mod nodes;
mod options;
mod pages;
mod replay;
mod report;
mod steps;

pub use arena::{
    Aims, Arena, Collider, Health, Hit, Random, Score, Shot, Side, Wish, aim, collisions, score, touching,
};
pub use fleet::fleet;
pub use game::Game;
pub use level::{Scenes, registry};
pub use nodes::{Blinking, Camera, Part, Ship, Spawner};
pub use options::{OptionError, Options, Request, USAGE};
pub use pages::Pages;
pub use replay::{AgainError, Replay, Rollback};
pub use report::Report;
pub use steps::{RATE, STEP, fire_turrets, schedule};
