//! The scenes: what their files may name, and loading them.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use acme_motion::{Launcher, Reload, Velocity};
use acme_space::Position;
use acme_sprite::Sprite;
use std_ecs::Columns;
use std_scene::{Folder, Loaded, Registry, RegistryError, Scene, SceneErrors};

use crate::{Aims, Blinking, Camera, Collider, Game, Health, Ship, Side, Spawner, Wish};

/// What scene files may name.
///
/// # Errors
///
/// If two types have one name.
pub fn registry() -> Result<Registry<Game>, RegistryError> {
    let mut registry = Registry::new();
    registry
        .add::<Position>("Position")?
        .add::<Velocity>("Velocity")?
        .add::<Launcher>("Launcher")?
        .add::<Reload>("Reload")?
        .add::<Sprite>("Sprite")?
        .add::<Side>("Side")?
        .add::<Collider>("Collider")?
        .add::<Health>("Health")?
        .add::<Aims>("Aims")?
        .add_node::<Ship>("Ship")?
        .add_node::<Blinking>("Blinking")?
        .add_node::<Camera>("Camera")?
        .add_node::<Spawner>("Spawner")?;
    Ok(registry)
}

/// The scenes of this program, each read and checked once.
#[derive(Clone, Debug)]
pub struct Scenes {
    registry: Registry<Game>,
    scenes: BTreeMap<String, Scene>,
}

impl Scenes {
    /// Reads all files of the folder `scenes`, in the order of their names.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the first file that has something wrong with it.
    pub fn read() -> Result<Self, Box<dyn Error>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
        let mut all = Self { registry: registry()?, scenes: BTreeMap::new() };
        let files: Result<Vec<_>, _> =
            std::fs::read_dir(&folder)?.map(|file| file.map(|file| file.file_name())).collect();
        let mut names: Vec<String> = files?.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        names.retain(|name| Path::new(name).extension().is_some_and(|end| end == "ron"));
        names.sort();
        for name in names {
            let scene = Scene::read(&Folder::new(&folder), &name, all.registry.limits())?;
            all.registry.check(&scene, &Game::default())?;
            all.scenes.insert(name, scene);
        }
        Ok(all)
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.scenes.keys().map(String::as_str)
    }

    /// Loads a scene into a world.
    ///
    /// # Errors
    ///
    /// What the world refuses. It has not changed then.
    ///
    /// # Panics
    ///
    /// If there is no file of that name.
    pub fn load(&self, name: &str, game: &mut Game) -> Result<Loaded, SceneErrors> {
        let Some(scene) = self.scenes.get(name) else {
            panic!("there is no scene {name:?}: there are {:?}", self.names().collect::<Vec<_>>());
        };
        self.registry.instantiate(scene, game)
    }

    /// The system that loads what the nodes have wished for.
    ///
    /// # Panics
    ///
    /// If there is no file of that name.
    pub fn grant(&self, game: &mut Game) {
        let wishes: Vec<Wish> = game.arena.wishes.read(&mut game.arena.granted).cloned().collect();
        for Wish { scene, x } in wishes {
            let loaded = self.load(&scene, game).unwrap_or_else(|errors| panic!("{}", errors.render()));
            for root in loaded.roots() {
                if let Some(position) = game.get_mut::<Position>(root) {
                    position.x = x;
                }
            }
        }
    }
}
