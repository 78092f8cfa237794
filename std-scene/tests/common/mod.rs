//! The world that the tests of scenes load into.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it, as a module of its own")]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use std_ecs::{Column, Columns, Entities, Entity, Has, Hierarchy, Store, World};
use std_scene::{Embedded, Limits, Loaded, Registry, SceneError, SceneErrors};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    pub position: (f32, f32),
    #[serde(default)]
    pub angle: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Velocity(pub f32, pub f32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Health(pub i32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Player;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mode {
    Free,
    Chase { distance: f32, prey: Option<Entity> },
    Route(Vec<Entity>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aims {
    pub at: Entity,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Links {
    #[serde(default)]
    pub list: Vec<Entity>,
    #[serde(default)]
    pub map: BTreeMap<Entity, u32>,
    #[serde(default)]
    pub maybe: Option<Entity>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collider {
    pub radius: f32,
    pub solid: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Color {
    Red,
    Blue,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Glow {
    pub color: Color,
    pub power: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Loose {
    Number(u32),
    Target { target: Entity },
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
pub struct Bodies {
    pub transforms: Column<Transform>,
    pub velocities: Column<Velocity>,
    pub health: Column<Health>,
    pub players: Column<Player>,
    pub modes: Column<Mode>,
    pub aims: Column<Aims>,
    pub links: Column<Links>,
    pub colliders: Column<Collider>,
    pub glows: Column<Glow>,
    pub loose: Column<Loose>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
pub struct Game {
    pub entities: Entities,
    pub hierarchy: Hierarchy,
    pub bodies: Bodies,
}

pub fn registry() -> Registry<Game> {
    let mut registry = Registry::new();
    register(&mut registry);
    registry
}

/// What a package ships: its names, for any world that has its columns.
pub fn register<W>(registry: &mut Registry<W>)
where
    W: World
        + Has<Bodies>
        + Store<Transform>
        + Store<Velocity>
        + Store<Health>
        + Store<Player>
        + Store<Mode>
        + Store<Aims>
        + Store<Links>
        + Store<Collider>
        + Store<Glow>
        + Store<Loose>,
{
    registry.add::<Transform>("Transform").unwrap();
    registry.add::<Velocity>("Velocity").unwrap();
    registry.add::<Health>("Health").unwrap();
    registry.add::<Player>("Player").unwrap();
    registry.add::<Mode>("Mode").unwrap();
    registry.add::<Aims>("Aims").unwrap();
    registry.add::<Links>("Links").unwrap();
    registry.add_with_default("Collider", &Collider { radius: 1.0, solid: true }).unwrap();
    registry.add::<Glow>("Glow").unwrap();
    registry.add::<Loose>("Loose").unwrap();
}

pub const ROCK: &str = r#"scene(
    entity("rock",
        Transform(position: (0.0, 0.0), angle: 0.5),
        Health(20),
        Collider(radius: 2.0),
        entity("core", Glow(color: Blue, power: 1.0), Aims(at: "rock")),
        entity("moon", Glow(color: Red, power: 2.0)),
    ),
)"#;

pub fn with_rock(level: &str) -> Embedded {
    Embedded::new().with("rock.ron", ROCK).with("level.ron", level)
}

/// The text of an entity inside a scene.
pub fn load(source: &Embedded) -> Result<(Game, Loaded), SceneErrors> {
    let mut game = Game::default();
    let loaded = registry().load(source, "level.ron", &mut game)?;
    Ok((game, loaded))
}

pub fn level(text: &str) -> (Game, Loaded) {
    load(&with_rock(text)).unwrap_or_else(|errors| panic!("{}", errors.render()))
}

pub fn errors(source: &Embedded) -> SceneErrors {
    load(source).map(drop).expect_err("the scene is faulty")
}

pub fn error(text: &str) -> SceneError {
    errors(&with_rock(text)).iter().next().unwrap().clone()
}

pub fn limited(source: &Embedded, limits: Limits) -> Result<(), SceneErrors> {
    registry().with_limits(limits).load(source, "level.ron", &mut Game::default()).map(drop)
}
