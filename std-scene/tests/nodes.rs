//! Behaviours: what they may do to the world and to each other, and how they are kept.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use std_ecs::{
    Column, Columns, Entities, Entity, Hierarchy, Parent, Schedule, Single, Stage, Store, System, World,
    digest,
};
use std_scene::{
    Behaviour, Behaviours, Embedded, FrameLoop, NodeError, Phase, Registry, SceneNode, WorldFormat,
    attach_node, step_nodes, world_from_bytes, world_to_bytes,
};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
struct Log {
    lines: Single<Vec<String>>,
    marks: Column<Mark>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Mark(u32);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    log: Log,
    behaviours: Behaviours<Game>,
}

const TICK: Phase = Phase::Process(Duration::from_millis(16));

/// Counts, and writes down that it ran.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Counter {
    name: String,
    #[serde(default)]
    count: u32,
    #[serde(default)]
    partner: Option<Entity>,
}

fn counter(name: &str) -> Counter {
    Counter { name: name.to_owned(), count: 0, partner: None }
}

impl SceneNode<Game> for Counter {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn ready(&mut self, game: &mut Game, _: Entity) {
        game.log.lines.push(format!("{} is ready", self.name));
    }

    fn process(&mut self, game: &mut Game, _: Entity, _: Duration) {
        self.count += 1;
        game.log.lines.push(format!("{} {}", self.name, self.count));
    }

    fn fixed_process(&mut self, game: &mut Game, _: Entity, step: Duration) {
        game.log.lines.push(format!("{} fixed {}", self.name, step.as_millis()));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Deed {
    Despawn(Entity),
    DespawnAll,
    Detach,
    Replace,
    Spawn,
    Panic,
    StepAgain,
}

/// Does one thing, and writes down that it ran.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Doer {
    deed: Deed,
}

impl SceneNode<Game> for Doer {
    fn process(&mut self, game: &mut Game, entity: Entity, _: Duration) {
        game.log.lines.push(format!("{:?}", self.deed).split('(').next().unwrap().to_owned());
        match self.deed {
            Deed::Despawn(whom) => {
                game.despawn(whom);
            }
            Deed::DespawnAll => {
                let all: Vec<Entity> = game.entities.iter().collect();
                game.despawn_many(all);
            }
            Deed::Detach => {
                let taken: Option<Behaviour<Game>> = game.detach(entity);
                assert!(taken.unwrap().node().is_none());
            }
            Deed::Replace => {
                attach_node(game, entity, counter("replacement"));
            }
            Deed::Spawn => {
                let child = game.spawn_with((Parent::of(entity),));
                attach_node(game, child, counter("spawned"));
            }
            Deed::Panic => panic!("the node gives up"),
            Deed::StepAgain => step_nodes(game, TICK).unwrap(),
        }
    }
}

/// A ship with a child and a grandchild that count.
fn family() -> (Game, [Entity; 3]) {
    let mut game = Game::default();
    let below = game.spawn();
    let [ship, middle] = [game.spawn(), game.spawn()];
    game.attach(middle, Parent::of(ship));
    game.attach(below, Parent::of(middle));
    for (entity, name) in [(below, "below"), (middle, "middle"), (ship, "ship")] {
        attach_node(&mut game, entity, counter(name));
    }
    game.log.lines.clear();
    (game, [ship, middle, below])
}

fn lines(game: &mut Game) -> Vec<String> {
    std::mem::take(&mut *game.log.lines)
}

#[test]
fn parents_run_before_their_children_whatever_the_order_of_attaching() {
    let (mut game, _) = family();
    step_nodes(&mut game, TICK).unwrap();
    assert_eq!(lines(&mut game), ["ship 1", "middle 1", "below 1"]);
}

#[test]
fn a_node_may_end_itself_its_parent_its_children_or_everybody() {
    for (doer, victim, then) in [
        (1, 1, vec!["ship 1", "Despawn"]),
        (1, 0, vec!["ship 1", "Despawn"]),
        (0, 1, vec!["Despawn"]),
        (1, 2, vec!["ship 1", "Despawn"]),
    ] {
        let (mut game, entities) = family();
        attach_node(&mut game, entities[doer], Doer { deed: Deed::Despawn(entities[victim]) });
        step_nodes(&mut game, TICK).unwrap();
        assert_eq!(lines(&mut game), then);
        assert!(game.check().is_ok());
        let left = victim;
        assert_eq!(game.behaviours.nodes.len(), left, "only what is above the victim is left");
        step_nodes(&mut game, TICK).unwrap();
    }
    let (mut game, entities) = family();
    attach_node(&mut game, entities[0], Doer { deed: Deed::DespawnAll });
    step_nodes(&mut game, TICK).unwrap();
    assert_eq!((lines(&mut game), game.entities.len()), (vec!["DespawnAll".to_owned()], 0));
}

#[test]
fn a_node_that_detaches_or_replaces_itself_does_not_come_back() {
    let (mut game, entities) = family();
    attach_node(&mut game, entities[1], Doer { deed: Deed::Detach });
    step_nodes(&mut game, TICK).unwrap();
    assert!(!game.has::<Behaviour<Game>>(entities[1]));

    attach_node(&mut game, entities[1], Doer { deed: Deed::Replace });
    lines(&mut game);
    step_nodes(&mut game, TICK).unwrap();
    assert_eq!(lines(&mut game), ["ship 2", "Replace", "replacement is ready", "below 2"]);
    step_nodes(&mut game, TICK).unwrap();
    assert_eq!(lines(&mut game), ["ship 3", "replacement 1", "below 3"]);
}

#[test]
fn a_node_that_comes_during_a_frame_runs_in_the_next() {
    let (mut game, entities) = family();
    attach_node(&mut game, entities[2], Doer { deed: Deed::Spawn });
    step_nodes(&mut game, TICK).unwrap();
    assert_eq!(lines(&mut game), ["ship 1", "middle 1", "Spawn", "spawned is ready"]);
    step_nodes(&mut game, TICK).unwrap();
    assert_eq!(lines(&mut game), ["ship 2", "middle 2", "Spawn", "spawned is ready", "spawned 1"]);
}

#[test]
fn a_node_that_panics_is_back_in_its_slot() {
    let (mut game, entities) = family();
    attach_node(&mut game, entities[1], Doer { deed: Deed::Panic });
    let panicked = catch_unwind(AssertUnwindSafe(|| step_nodes(&mut game, TICK))).unwrap_err();
    assert_eq!(panicked.downcast_ref::<&str>(), Some(&"the node gives up"));
    assert!(game.get::<Behaviour<Game>>(entities[1]).unwrap().node().is_some());
    lines(&mut game);
    attach_node(&mut game, entities[1], counter("again"));
    step_nodes(&mut game, TICK).unwrap();
    assert_eq!(lines(&mut game), ["again is ready", "ship 2", "again 1", "below 1"]);
}

#[test]
fn a_node_that_steps_the_nodes_does_not_run_inside_itself() {
    let (mut game, entities) = family();
    attach_node(&mut game, entities[0], Doer { deed: Deed::StepAgain });
    step_nodes(&mut game, TICK).unwrap();
    assert_eq!(lines(&mut game), ["StepAgain", "middle 1", "below 1", "middle 2", "below 2"]);
}

#[test]
fn a_snapshot_holds_the_inner_state_of_nodes() {
    let (mut game, _) = family();
    step_nodes(&mut game, TICK).unwrap();
    let snapshot = game.clone();
    for _ in 0..5 {
        step_nodes(&mut game, TICK).unwrap();
    }
    let mut again = snapshot.clone();
    assert_ne!(again, game);
    for _ in 0..5 {
        step_nodes(&mut again, TICK).unwrap();
    }
    assert_eq!((&again, digest(&again)), (&game, digest(&game)));
}

#[test]
fn loaded_nodes_sleep_until_they_are_revived() {
    let (mut game, [ship, middle, _]) = family();
    attach_node(&mut game, middle, Counter { partner: Some(ship), ..counter("partner") });
    for format in [WorldFormat::Ron, WorldFormat::Postcard] {
        let bytes = world_to_bytes(&game, format).unwrap();
        assert_eq!(world_from_bytes::<Game>(&bytes).unwrap(), game);
    }
    let mut loaded: Game = ron::from_str(&ron::to_string(&game).unwrap()).unwrap();
    assert_eq!(loaded, game, "asleep, they are the same");
    assert_eq!(digest(&loaded), digest(&game));
    let error = step_nodes(&mut loaded, TICK).unwrap_err();
    assert!(matches!(&error, NodeError::Asleep { .. }) && error.to_string().contains("Counter"), "{error}");
    assert!(matches!(Registry::new().revive(&mut loaded), Err(NodeError::Unknown { .. })));

    let mut registry = Registry::new();
    registry.add_node::<Counter>("Counter").unwrap();
    assert_eq!(registry.revive(&mut loaded).unwrap(), 3);
    assert_eq!(loaded, game);
    step_nodes(&mut loaded, Phase::Ready).unwrap();
    step_nodes(&mut loaded, TICK).unwrap();
    step_nodes(&mut game, TICK).unwrap();
    assert_eq!(loaded, game, "they were ready before, and are not made so twice");
}

#[test]
fn nodes_are_written_in_scenes_and_name_entities_there() {
    let mut registry = Registry::<Game>::new();
    registry.add_node::<Counter>("Counter").unwrap().add::<Mark>("Mark").unwrap();
    let source = Embedded::new()
        .with(
            "base.ron",
            r#"scene(entity("base", node(Counter(name: "base", partner: Some("base"))), Mark(1)))"#,
        )
        .with(
            "level.ron",
            r#"scene(
                entity("a", instance("base.ron")),
                entity("b", instance("base.ron"), node(Counter(count: 7)),
                    entity("c", node(Counter(name: "c")))))"#,
        );
    let mut game = Game::default();
    let level = registry.load(&source, "level.ron", &mut game).unwrap();
    for name in ["a", "b"] {
        let entity = level.entity(name).unwrap();
        let shown = format!("{:?}", game.get::<Behaviour<Game>>(entity).unwrap());
        assert!(shown.contains(&format!("{entity:?}")), "{shown}");
    }
    let mut frames = FrameLoop::new(Schedule::<Game>::with_step(Duration::from_millis(10)));
    frames.frame(&mut game, Duration::from_millis(20)).unwrap();
    let ran = lines(&mut game);
    assert_eq!(ran[..3], ["base is ready", "base is ready", "c is ready"]);
    assert_eq!(ran[3..6], ["base fixed 10", "base fixed 10", "c fixed 10"]);
    assert_eq!(ran[9..], ["base 1", "base 8", "c 1"]);
}

#[test]
fn a_frame_runs_systems_before_nodes_and_late_last() {
    let (mut game, _) = family();
    let mut schedule = Schedule::<Game>::with_step(Duration::from_millis(10));
    for (stage, name) in
        [(Stage::Late, "late"), (Stage::Update, "update"), (Stage::Fixed, "fixed"), (Stage::Input, "input")]
    {
        let note = move |game: &mut Game, _| game.log.lines.push(name.to_owned());
        schedule.add(stage, System::new(name, note).writes_part(|game| &mut game.log.lines)).unwrap();
    }
    let mut frames = FrameLoop::new(schedule);
    let steps = frames.frame(&mut game, Duration::from_millis(25)).unwrap();
    assert_eq!(steps.steps, 2);
    assert_eq!(
        lines(&mut game),
        [
            "input",
            "fixed",
            "ship fixed 10",
            "middle fixed 10",
            "below fixed 10",
            "fixed",
            "ship fixed 10",
            "middle fixed 10",
            "below fixed 10",
            "update",
            "ship 1",
            "middle 1",
            "below 1",
            "late"
        ]
    );
    frames.run(&mut game, 3).unwrap();
    let ran = lines(&mut game);
    assert_eq!(ran.iter().filter(|line| *line == "fixed").count(), 3);
}

#[test]
fn two_futures_of_one_frame_loop_are_equal() {
    let mut frames = FrameLoop::new(Schedule::<Game>::with_rate(60));
    let (mut game, [ship, ..]) = family();
    frames.run(&mut game, 10).unwrap();
    let snapshot = game.clone();
    let future = |game: &mut Game, frames: &mut FrameLoop<Game>| {
        frames.run(game, 50).unwrap();
        game.despawn(ship);
        frames.run(game, 50).unwrap();
    };
    future(&mut game, &mut frames);
    let mut again = snapshot;
    future(&mut again, &mut frames);
    assert_eq!(game, again);
}

#[test]
fn a_run_is_one_step_a_frame_whatever_the_rate_and_the_time_left_over() {
    for rate in [1, 3, 7, 60, 144, 1_000] {
        let (game, _) = family();
        let fixed = |frames: &mut FrameLoop<Game>, calls: &[u64]| {
            let mut game = game.clone();
            for &count in calls {
                frames.run(&mut game, count).unwrap();
            }
            lines(&mut game).iter().filter(|line| line.starts_with("ship fixed")).count()
        };
        let mut frames = FrameLoop::new(Schedule::<Game>::with_rate(rate));
        assert_eq!((fixed(&mut frames, &[1; 20]), fixed(&mut frames, &[20])), (20, 20), "{rate}");
        frames.frame(&mut game.clone(), Duration::from_nanos(1_900_000_000 / u64::from(rate))).unwrap();
        let left = frames.schedule().fixed_step().left_over();
        assert_eq!((fixed(&mut frames, &[7, 13]), frames.schedule().fixed_step().left_over()), (20, left));
        assert!(!left.is_zero());
    }
}
