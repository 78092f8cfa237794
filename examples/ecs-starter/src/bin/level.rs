//! Loads a level from `scenes/level.ron` and plays it: systems of the packages and behaviours of this
//! program, frame by frame.
//!
//! Run it with `cargo run -p ecs-starter --bin level`.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use acme_motion::{Motions, Velocity, movement};
use acme_space::{GlobalPosition, Places, Position, propagate};
use acme_sprite::{Sprite, Sprites, render};
use serde::{Deserialize, Serialize};
use std_ecs::{
    Column, Columns, Entities, Entity, Events, Hierarchy, Reader, Schedule, Single, Stage, System, World,
    digest,
};
use std_scene::{Behaviour, Behaviours, Folder, FrameLoop, Registry, Scene, SceneNode, walk};

/// How far something reaches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Collider {
    radius: f32,
}

/// How much something survives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Health(i32);

/// What a turret points at. In the file that is a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Aims {
    at: Entity,
}

/// A scene that should be loaded at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wish {
    scene: String,
    x: f32,
}

/// The group of this program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
struct Props {
    colliders: Column<Collider>,
    health: Column<Health>,
    aims: Column<Aims>,
    /// What the nodes say.
    said: Events<String>,
    wishes: Events<Wish>,
    granted: Single<Reader<Wish>>,
}

/// The world of this program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
struct Level {
    entities: Entities,
    hierarchy: Hierarchy,
    places: Places,
    motions: Motions,
    sprites: Sprites,
    props: Props,
    behaviours: Behaviours<Level>,
}

impl Level {
    fn x(&self, entity: Entity) -> f32 {
        self.get::<Position>(entity).map_or(0.0, |position| position.x)
    }
}

/// A part of a ship, which the ship holds itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    name: String,
}

impl SceneNode<Level> for Part {
    fn name(&self) -> String {
        self.name.clone()
    }
}

/// A ship: it says where it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ship {
    hull: Part,
    mounted: Vec<Part>,
}

impl SceneNode<Level> for Ship {
    fn name(&self) -> String {
        "ship".to_owned()
    }

    fn process(&mut self, level: &mut Level, entity: Entity, _elapsed: Duration) {
        let line = format!("ship at {:?}", level.x(entity));
        level.props.said.emit(line);
    }

    fn children(&self) -> Vec<&dyn SceneNode<Level>> {
        let mounted = self.mounted.iter().map(|part| part as &dyn SceneNode<Level>);
        std::iter::once(&self.hull as &dyn SceneNode<Level>).chain(mounted).collect()
    }
}

/// A picture with a few frames.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Blinking {
    frames: u32,
    #[serde(default)]
    frame: u32,
}

impl SceneNode<Level> for Blinking {
    fn process(&mut self, level: &mut Level, entity: Entity, _elapsed: Duration) {
        self.frame = (self.frame + 1) % self.frames;
        let line = format!("free frame {} at {:?}", self.frame, level.x(entity));
        level.props.said.emit(line);
    }
}

/// Stays above something, as long as it lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Camera {
    target: Entity,
}

impl SceneNode<Level> for Camera {
    fn process(&mut self, level: &mut Level, entity: Entity, _elapsed: Duration) {
        let x = level.x(self.target);
        if let Some(own) = level.get_mut::<Position>(entity) {
            own.x = x;
        }
    }
}

/// Wishes for another scene every so often.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Spawner {
    every: Duration,
    scene: String,
    #[serde(default)]
    waited: Duration,
}

impl SceneNode<Level> for Spawner {
    fn fixed_process(&mut self, level: &mut Level, entity: Entity, step: Duration) {
        self.waited += step;
        if self.waited >= self.every {
            self.waited -= self.every;
            let wish = Wish { scene: self.scene.clone(), x: level.x(entity) };
            level.props.wishes.emit(wish);
        }
    }
}

/// The names that scene files may use.
fn registry() -> Result<Registry<Level>, Box<dyn Error>> {
    let mut registry = Registry::new();
    registry
        .add::<Position>("Position")?
        .add::<Velocity>("Velocity")?
        .add::<Sprite>("Sprite")?
        .add::<Collider>("Collider")?
        .add::<Health>("Health")?
        .add::<Aims>("Aims")?
        .add_node::<Ship>("Ship")?
        .add_node::<Blinking>("Blinking")?
        .add_node::<Camera>("Camera")?
        .add_node::<Spawner>("Spawner")?;
    Ok(registry)
}

fn schedule(step: Duration) -> Result<Schedule<Level>, Box<dyn Error>> {
    let mut schedule = Schedule::with_step(step);
    schedule
        .add(
            Stage::Fixed,
            System::new("movement", movement::<Level>).reads::<Velocity>().writes::<Position>(),
        )?
        .add(Stage::Late, System::new("propagate", |level: &mut Level, _| propagate(level)).exclusive())?;
    Ok(schedule)
}

/// Loads what the nodes have wished for.
fn grant(level: &mut Level, registry: &Registry<Level>, scenes: &Folder) -> Result<(), Box<dyn Error>> {
    let Props { wishes, granted, .. } = &mut level.props;
    let wished: Vec<Wish> = wishes.read(granted).cloned().collect();
    for Wish { scene, x } in wished {
        let loaded = registry.load(scenes, &scene, level)?;
        for root in loaded.roots() {
            if let Some(position) = level.get_mut::<Position>(root) {
                position.x = x;
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let scenes = Folder::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes"));
    let registry = registry()?;
    let scene = Scene::read(&scenes, "level.ron", registry.limits())?;
    let mut level = Level::default();
    let loaded = registry.instantiate(&scene, &mut level)?;
    println!("loaded: {} entities of {} files", scene.len(), scene.files().count());
    let ship = loaded.entity("ship").ok_or("the level has no ship")?;

    let node = level.get::<Behaviour<Level>>(ship).and_then(Behaviour::node).ok_or("the ship has no node")?;
    let tree: Vec<String> = walk(node).iter().map(|node| node.name()).collect();
    println!("tree: {tree:?}");

    // One frame of half a second, in one step.
    let mut frames = FrameLoop::new(schedule(Duration::from_millis(500))?);
    let mut said = Reader::from_now(&level.props.said);
    frames.frame(&mut level, Duration::from_millis(500))?;
    let lines: Vec<&String> = level.props.said.read(&mut said).collect();
    println!("one frame: {lines:?}");

    // Six hundred steps of a hundredth of a second, and the second half of them once more.
    let mut frames = FrameLoop::new(schedule(Duration::from_millis(10))?);
    let mut halfway = level.clone();
    for step in 0..600 {
        if step == 300 {
            halfway = level.clone();
        }
        frames.run(&mut level, 1)?;
        grant(&mut level, &registry, &scenes)?;
    }
    let mut again = halfway;
    for _ in 300..600 {
        frames.run(&mut again, 1)?;
        grant(&mut again, &registry, &scenes)?;
    }
    println!("600 steps: {} entities, {} to draw", level.entities.len(), render(&level).len());
    println!("the ship is at {:?}", level.get::<GlobalPosition>(ship));
    println!(
        "rolled back 300 steps and run again: {}",
        if again == level { "the same" } else { "not the same" }
    );
    println!("their digests are equal: {}", digest(&again) == digest(&level));
    Ok(())
}
