//! Worlds with behaviours, rolled back at random: they end like the same ticks run straight.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use std_ecs::{
    Column, Columns, Entities, Entity, Hierarchy, History, Parent, Schedule, Single, Stage, Store, System,
    World, delta, digest,
};
use std_scene::{Behaviours, FrameLoop, SceneNode, attach_node};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Place(i32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Heat(u32);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
struct Things {
    places: Column<Place>,
    heats: Column<Heat>,
    random: Single<u64>,
    input: Single<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    things: Things,
    behaviours: Behaviours<Game>,
}

impl Game {
    fn below(&mut self, limit: u64) -> u64 {
        let state = &mut *self.things.random;
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % limit
    }
}

/// Wanders, and now and then splits off a child, joins another, or ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Wanderer {
    steps: u32,
}

impl SceneNode<Game> for Wanderer {
    fn fixed_process(&mut self, game: &mut Game, entity: Entity, _: Duration) {
        self.steps += 1;
        let input = *game.things.input;
        if let Some(place) = game.get_mut::<Place>(entity) {
            place.0 += (input % 7) as i32 - 3;
        }
        match game.below(24) {
            0 if game.entities.len() < 40 => {
                let child = game.spawn_with((Place(0), Parent::of(entity)));
                attach_node(game, child, Wanderer { steps: 0 });
            }
            1 if game.entities.len() > 8 => {
                game.despawn(entity);
            }
            2 => {
                let at = game.below(game.entities.len() as u64) as usize;
                let other = game.entities.iter().nth(at);
                // A cycle or a dead parent is refused, the same way each time.
                let _ = other.map(|other| game.set_parent(entity, other));
            }
            3 => {
                game.attach(entity, Heat(self.steps));
            }
            _ => {}
        }
    }
}

fn start() -> Game {
    let mut game = Game::default();
    *game.things.random = 5;
    for place in 0..12 {
        let entity = game.spawn_with((Place(place),));
        attach_node(&mut game, entity, Wanderer { steps: 0 });
    }
    game
}

fn frame_loop() -> FrameLoop<Game> {
    let mut schedule = Schedule::<Game>::new();
    let fall =
        |game: &mut Game, _: Duration| game.things.places.iter_mut().for_each(|(_, place)| place.0 -= 1);
    let cool = |game: &mut Game, _: Duration| game.things.heats.iter_mut().for_each(|(_, heat)| heat.0 /= 2);
    schedule.add(Stage::Fixed, System::new("fall", fall).writes::<Place>()).unwrap();
    schedule.add(Stage::Fixed, System::new("cool", cool).writes::<Heat>()).unwrap();
    FrameLoop::new(schedule)
}

fn tick(game: &mut Game, frames: &mut FrameLoop<Game>, input: u64) {
    *game.things.input = input;
    while game.entities.len() < 12 {
        let entity = game.spawn_with((Place(0),));
        attach_node(game, entity, Wanderer { steps: 0 });
    }
    frames.step(game).unwrap();
}

const TICKS: u64 = 1_500;

#[test]
fn behaviours_come_out_the_same_after_random_rollbacks() {
    let (mut game, mut frames) = (start(), frame_loop());
    let straight: Vec<u128> = (0..TICKS)
        .map(|at| {
            tick(&mut game, &mut frames, at * 31);
            digest(&game)
        })
        .collect();

    let (mut game, mut frames) = (start(), frame_loop());
    let mut history = History::new(9);
    let (mut confirmed, mut chance) = (0, 1_u64);
    while confirmed < TICKS {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let ahead = (1 + (chance >> 40) % 8).min(TICKS - confirmed);
        for at in confirmed..confirmed + ahead {
            history.record(at, &game);
            tick(&mut game, &mut frames, at * 31 + (chance >> (at % 50)) % 2);
        }
        game = history.rewind_to(confirmed).unwrap();
        for _ in 0..ahead {
            history.record(confirmed, &game);
            tick(&mut game, &mut frames, confirmed * 31);
            assert_eq!(digest(&game), straight[confirmed as usize], "tick {confirmed}");
            confirmed += 1;
        }
    }
    game.check().unwrap();
    assert!(!game.entities.is_empty() && straight.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn a_delta_carries_behaviours() {
    let (mut game, mut frames) = (start(), frame_loop());
    let mut copy = game.clone();
    for at in 0..60 {
        let before = game.clone();
        tick(&mut game, &mut frames, at);
        delta(&before, &game).apply(&mut copy).unwrap();
        assert_eq!(digest(&copy), digest(&game));
    }
    // The copy goes on like the original: its behaviours are the same values.
    let mut other = frame_loop();
    for at in 60..80 {
        tick(&mut game, &mut frames, at);
        tick(&mut copy, &mut other, at);
    }
    assert_eq!(digest(&copy), digest(&game));
}
