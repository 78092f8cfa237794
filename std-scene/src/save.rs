//! Saving: the text that was read, with what has changed since.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::load::{Loaded, Scene};
use crate::registry::{Registry, SceneWorld};
use crate::source::Embedded;

mod added;
mod edits;
mod items;
mod names;
mod read_back;
mod saver;
pub(crate) mod values;

use saver::Saver;

/// Why something of a world cannot be saved in a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` cannot be saved: {reason}")]
#[non_exhaustive]
pub struct SaveError {
    /// The path of the entity, or what stands for it.
    pub path: String,
    /// What is wrong, and what to do about it.
    pub reason: String,
}

/// All that cannot be saved. Nothing is left out without being named here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveErrors {
    errors: Vec<SaveError>,
}

impl SaveErrors {
    /// The errors, in the order of the scene.
    pub fn iter(&self) -> std::slice::Iter<'_, SaveError> {
        self.errors.iter()
    }
}

impl<'a> IntoIterator for &'a SaveErrors {
    type Item = &'a SaveError;
    type IntoIter = std::slice::Iter<'a, SaveError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for SaveErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            write!(f, "{}{error}", if at > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for SaveErrors {}

impl Loaded {
    /// A scene without entities, for saving what was made by code: give the entities names with
    /// [`name`](Self::name), and save.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use std_ecs::{Column, Columns, Entities, Hierarchy, World};
    /// # #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// # struct Health(i32);
    /// # #[derive(Clone, Debug, Default, PartialEq, Columns)]
    /// # struct Bodies { health: Column<Health> }
    /// # #[derive(Clone, Debug, Default, PartialEq, World)]
    /// # struct Game { entities: Entities, hierarchy: Hierarchy, bodies: Bodies }
    /// use std_scene::{Loaded, Registry};
    ///
    /// let mut registry = Registry::<Game>::new();
    /// registry.add::<Health>("Health")?;
    /// let mut game = Game::default();
    /// let ship = game.spawn_with((Health(100),));
    ///
    /// let mut scene = Loaded::empty("level.ron");
    /// scene.name(ship, "ship");
    /// let text = registry.save(&game, &scene)?;
    /// assert_eq!(text, "scene(\n    version(1),\n    entity(\"ship\", Health(100)),\n)\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the path is none that a source takes, such as an absolute one.
    pub fn empty(path: &str) -> Self {
        let source = Embedded::new().with(path, "scene(\n    version(1),\n)\n");
        match Scene::read(&source, path, &crate::limits::Limits::default()) {
            Ok(scene) => Self {
                scene,
                entities: Arc::default(),
                clocks: BTreeMap::new(),
                below: None,
                given: BTreeMap::new(),
            },
            Err(errors) => panic!("a scene without entities at `{path}`: {errors}"),
        }
    }
}

impl<W: SceneWorld> Registry<W> {
    /// The text of the scene's own file, with what has changed in the world since it was loaded.
    ///
    /// What has not changed keeps its text to the byte, comments and spelling included; components whose rows
    /// were not written are not even looked at. Instances stay instances, and what changed inside of one
    /// becomes a patch with the changed fields. New children of the scene's entities are saved, and entities
    /// that were given a name with [`Loaded::name`].
    ///
    /// What was written is read again before it is answered, and compared with the world.
    ///
    /// # Errors
    ///
    /// All that the format cannot say: inner entities of an instance that moved, and references to entities
    /// that are dead or have no name.
    pub fn save(&self, world: &W, loaded: &Loaded) -> Result<String, SaveErrors> {
        let text = self.save_unread(world, loaded)?;
        if text != loaded.scene.text() {
            let errors = self.read_back(world, loaded, &text);
            if !errors.is_empty() {
                return Err(SaveErrors { errors });
            }
        }
        Ok(text)
    }

    /// As [`save`](Self::save), without reading it again.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save).
    pub fn save_unread(&self, world: &W, loaded: &Loaded) -> Result<String, SaveErrors> {
        Saver::new(self, world, loaded).text().map_err(|errors| SaveErrors { errors })
    }
}
