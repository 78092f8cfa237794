//! Behaviour trees in a column, scenes in text files, and the frame loop, on top of `std-ecs`.
//!
//! What it is for, in order of weight:
//!
//! 1. A level is a text file that people read, compare and edit: entities that nest, instances of other files with
//!    patches, references by name. It is checked before anything of it is in the world, and all errors come at
//!    once, with their places.
//! 2. Saving edits that text. Comments, order and spelling stay; what has not changed is saved to the byte.
//! 3. A behaviour is a value in a column: it is cloned, rolled back, compared and saved with its world.
//! 4. Nothing is erased: a name in a file finds functions that were compiled for the component's own type.
//!
//! ```
//! use std::time::Duration;
//!
//! use serde::{Deserialize, Serialize};
//! use std_ecs::{Column, Columns, Entities, Entity, Hierarchy, Schedule, World};
//! use std_scene::{Behaviours, Embedded, FrameLoop, Registry, SceneNode};
//!
//! #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
//! struct Fuel(u32);
//!
//! #[derive(Clone, Debug, Default, PartialEq, Columns)]
//! struct Tanks {
//!     fuel: Column<Fuel>,
//! }
//!
//! #[derive(Clone, Debug, Default, PartialEq, World)]
//! struct Game {
//!     entities: Entities,
//!     hierarchy: Hierarchy,
//!     tanks: Tanks,
//!     behaviours: Behaviours<Game>,
//! }
//!
//! /// Burns the fuel of another entity.
//! #[derive(Clone, Debug, Serialize, Deserialize)]
//! struct Engine {
//!     tank: Entity,
//! }
//!
//! impl SceneNode<Game> for Engine {
//!     fn process(&mut self, game: &mut Game, _: Entity, _: Duration) {
//!         if let Some(fuel) = game.get_mut::<Fuel>(self.tank) {
//!             fuel.0 -= 1;
//!         }
//!     }
//! }
//!
//! let mut registry = Registry::<Game>::new();
//! registry.add::<Fuel>("Fuel")?.add_node::<Engine>("Engine")?;
//!
//! let scenes = Embedded::new()
//!     .with("ship.ron", r#"scene(entity("ship", node(Engine(tank: "tank")), entity("tank", Fuel(10))))"#)
//!     .with("level.ron", r#"scene(entity("a", instance("ship.ron")), entity("b", instance("ship.ron"), at("tank", Fuel(99))))"#);
//! let mut game = Game::default();
//! let level = registry.load(&scenes, "level.ron", &mut game)?;
//!
//! FrameLoop::new(Schedule::with_rate(60)).run(&mut game, 5)?;
//! let fuel = |path| game.get::<Fuel>(level.entity(path).unwrap()).unwrap().0;
//! assert_eq!((fuel("a/tank"), fuel("b/tank")), (5, 94));
//!
//! let text = registry.save(&game, &level)?;
//! assert!(text.contains(r#"entity("a", instance("ship.ron"), at("tank", Fuel(5)))"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The format is described in `docs/scenes.md`; [`save_world`] and [`load_world`] keep whole worlds, exactly.

mod behaviours;
mod builder;
mod command;
mod error;
mod frame;
mod limits;
mod load;
mod node;
mod plan;
mod registry;
mod reload;
mod save;
mod shape;
mod source;
mod text;
mod value;
mod world_file;

pub use behaviours::{Behaviours, NodeError, NodeWorld, Phase, attach_node, step_nodes};
pub use builder::SceneBuilder;
pub use command::scene_command;
pub use error::{ErrorKind, SceneError, SceneErrors};
pub use frame::FrameLoop;
pub use limits::Limits;
pub use load::{Loaded, Scene};
pub use node::{Behaviour, SceneNode, walk};
pub use registry::{Registry, RegistryError, SceneWorld};
pub use reload::Reloaded;
pub use save::{SaveError, SaveErrors};
pub use shape::Shape;
pub use source::{Embedded, Folder, SceneSource, SourceError};
pub use value::{WriteError, format_scene, read_value, write_value};
pub use world_file::{
    WorldFileError, WorldFormat, load_world, save_world, world_from_bytes, world_to_bytes, write_text,
};
