//! The whole idea in a few lines of output: two packages that own components, a world that is composed of
//! them, systems, what changed, fork and join over two packages, a snapshot and a rollback; and on top of it nodes,
//! and a frame.
//!
//! Run it with `cargo run --release --example probe`.

use std::error::Error;
use std::time::Duration;

use acme_motion::{Motions, Velocity, movement};
use acme_space::{GlobalPosition, Places, Position, propagate};
use serde::{Deserialize, Serialize};
use std_ecs::{Columns, Entities, Entity, Events, Hierarchy, Parent, Schedule, Stage, System, World, both};
use std_scene::{Behaviours, FrameLoop, SceneNode, attach_node, walk};

/// The world of this program: it names the packages, and no component.
#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    places: Places,
    motions: Motions,
    reports: Reports,
    behaviours: Behaviours<Game>,
}

/// What this program adds: what its nodes say.
#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Reports {
    said: Events<String>,
}

/// Snaps every position to a grid of quarters.
fn settle(places: &mut Places) {
    for (_, position) in &mut places.positions {
        position.x = (position.x * 4.0).round() / 4.0;
        position.y = (position.y * 4.0).round() / 4.0;
    }
}

/// Takes half of its speed from whatever moves.
fn halve(motions: &mut Motions) {
    for (_, velocity) in &mut motions.velocities {
        velocity.x /= 2.0;
        velocity.y /= 2.0;
    }
}

/// A node with others in its fields. It says where it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ship {
    hull: Part,
    turret: Part,
}

impl SceneNode<Game> for Ship {
    fn name(&self) -> String {
        "ship".to_owned()
    }

    fn process(&mut self, game: &mut Game, entity: Entity, _elapsed: Duration) {
        let line = format!("ship at {:?}", x_of(game, entity));
        game.reports.said.emit(line);
    }

    fn children(&self) -> Vec<&dyn SceneNode<Game>> {
        vec![&self.hull, &self.turret]
    }
}

/// A part of a ship.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part(String);

impl SceneNode<Game> for Part {
    fn name(&self) -> String {
        self.0.clone()
    }
}

/// A node that is on no ship, and remembers how often it has run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Free {
    frame: u32,
}

impl SceneNode<Game> for Free {
    fn process(&mut self, game: &mut Game, entity: Entity, _elapsed: Duration) {
        self.frame += 1;
        let line = format!("free frame {} at {:?}", self.frame, x_of(game, entity));
        game.reports.said.emit(line);
    }
}

fn x_of(game: &Game, entity: Entity) -> f32 {
    game.get::<Position>(entity).map_or(0.0, |position| position.x)
}

fn main() -> Result<(), Box<dyn Error>> {
    for line in lines()? {
        println!("{line}");
    }
    Ok(())
}

/// Does it all, and answers what there is to print.
pub(crate) fn lines() -> Result<Vec<String>, Box<dyn Error>> {
    let mut lines = Vec::new();
    let mut game = Game::default();
    let ship = game.spawn_with((Position { x: 0.0, y: 0.0 }, Velocity { x: 1.0, y: 0.0 }));
    let turret = game.spawn_with((Position { x: 0.25, y: 0.0 }, Parent::of(ship)));
    let start = game.clone();

    let frame = game.places.positions.clock();
    movement(&mut game, Duration::from_millis(500));
    propagate(&mut game);
    let [ship_at, turret_at] = [ship, turret].map(|entity| game.get::<GlobalPosition>(entity));
    lines.push(format!("moved: {ship_at:?} {turret_at:?}"));
    let changed = game.places.positions.changed_since(frame).count();
    lines.push(format!("changed since the frame began: {changed}"));

    // Two systems at once, over parts of the world that the compiler has proved disjoint.
    both(&mut game.places, &mut game.motions, settle, halve);
    let (position, velocity) = (game.get::<Position>(ship), game.get::<Velocity>(ship));
    lines.push(format!("settled: {position:?}, halved: {velocity:?}"));

    let snapshot = game.clone();
    game.despawn_only(ship);
    let (now, then) = (game.places.positions.len(), snapshot.places.positions.len());
    lines.push(format!("after the despawn: {now}, in the snapshot: {then}"));

    game = snapshot;
    lines.push(format!("after the rollback: {}", game.places.positions.len()));

    // Nodes: values in a column, each with those that it holds. A scene file could have brought them.
    game = start;
    let hold = |name: &str| Part(name.to_owned());
    let node = Ship { hull: hold("hull"), turret: hold("turret") };
    let tree: Vec<String> = walk(&node).iter().map(|node| node.name()).collect();
    lines.push(format!("tree: {tree:?}"));
    attach_node(&mut game, ship, node);
    let free = game.spawn_with((Position { x: 0.25, y: 0.0 },));
    attach_node(&mut game, free, Free::default());

    // One frame: the systems of a step, then the nodes.
    let mut schedule = Schedule::with_rate(2);
    let movement = System::new("movement", movement::<Game>).reads::<Velocity>().writes::<Position>();
    schedule.add(Stage::Fixed, movement)?;
    FrameLoop::new(schedule).frame(&mut game, Duration::from_millis(500))?;
    let said: Vec<&String> = game.reports.said.iter().collect();
    lines.push(format!("one frame: {said:?}"));
    Ok(lines)
}
