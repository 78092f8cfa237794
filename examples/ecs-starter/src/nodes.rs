//! The behaviours of this program: what a level gives to a single entity.
//!
//! A node is a value in a column like everything else, so that what it remembers is part of each snapshot.

use std::time::Duration;

use acme_space::Position;
use serde::{Deserialize, Serialize};
use std_ecs::{Columns, Entity};
use std_scene::SceneNode;

use crate::{Game, Wish};

/// A ship: it says where it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ship {
    /// The part that holds the others.
    pub hull: Part,
    /// The parts on it.
    pub mounted: Vec<Part>,
}

impl SceneNode<Game> for Ship {
    fn name(&self) -> String {
        "ship".to_owned()
    }

    fn process(&mut self, game: &mut Game, entity: Entity, _elapsed: Duration) {
        let line = format!("ship at {:?}", x_of(game, entity));
        game.arena.said.emit(line);
    }

    fn children(&self) -> Vec<&dyn SceneNode<Game>> {
        let mounted = self.mounted.iter().map(|part| part as &dyn SceneNode<Game>);
        std::iter::once(&self.hull as &dyn SceneNode<Game>).chain(mounted).collect()
    }
}

/// A part of a ship, which the ship holds itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// What it is called.
    pub name: String,
}

impl SceneNode<Game> for Part {
    fn name(&self) -> String {
        self.name.clone()
    }
}

/// A picture with a few frames: it says which of them it shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Blinking {
    /// How many there are.
    pub frames: u32,
    /// Which of them is shown.
    #[serde(default)]
    pub frame: u32,
}

impl SceneNode<Game> for Blinking {
    fn process(&mut self, game: &mut Game, entity: Entity, _elapsed: Duration) {
        self.frame = (self.frame + 1) % self.frames.max(1);
        let line = format!("free frame {} at {:?}", self.frame, x_of(game, entity));
        game.arena.said.emit(line);
    }
}

/// Stays below or above something as long as that lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Camera {
    /// What it follows. In a scene file that is a name.
    pub target: Entity,
}

impl SceneNode<Game> for Camera {
    fn process(&mut self, game: &mut Game, entity: Entity, _elapsed: Duration) {
        let Some(&Position { x, .. }) = game.get(self.target) else { return };
        if let Some(own) = game.get_mut::<Position>(entity) {
            own.x = x;
        }
    }
}

/// Wishes for another scene every so often.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spawner {
    /// The time from one to the next.
    pub every: Duration,
    /// Its file.
    pub scene: String,
    /// How long it has waited.
    #[serde(default)]
    pub waited: Duration,
}

impl SceneNode<Game> for Spawner {
    fn fixed_process(&mut self, game: &mut Game, entity: Entity, step: Duration) {
        self.waited += step;
        if self.waited >= self.every {
            self.waited -= self.every;
            let wish = Wish { scene: self.scene.clone(), x: x_of(game, entity) };
            game.arena.wishes.emit(wish);
        }
    }
}

fn x_of(game: &Game, entity: Entity) -> f32 {
    game.get::<Position>(entity).map_or(0.0, |position| position.x)
}
