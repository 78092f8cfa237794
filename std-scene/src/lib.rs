//! Behaviour trees in a column, scenes in text files, and the frame loop, on top of `std-ecs`.

mod behaviours;
mod builder;
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
