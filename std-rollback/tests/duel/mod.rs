//! A game for two players: each has a ship that it moves, fires from and loses.

#![allow(dead_code, unreachable_pub, reason = "each test file is a crate of its own and uses a part of it")]

use serde::{Deserialize, Serialize};
use std_ecs::{Column, Columns, Entities, Entity, Events, Hierarchy, Parent, Reader, Single, Store, World};
use std_rollback::{InputStatus, Rollback};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Keys(pub u8);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place(pub i32, pub i32);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ship {
    pub player: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shot(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit(pub Entity);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
pub struct Things {
    pub places: Column<Place>,
    pub ships: Column<Ship>,
    pub shots: Column<Shot>,
    pub hits: Events<Hit>,
    pub counted: Single<Reader<Hit>>,
    pub score: Single<u32>,
    pub random: Single<u64>,
    /// How much the outcome of a frame depends on what it must not depend on.
    pub leak: Single<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
pub struct Duel {
    entities: Entities,
    hierarchy: Hierarchy,
    pub things: Things,
}

impl Duel {
    pub fn new(seed: u64) -> Self {
        let mut duel = Self::default();
        *duel.things.random = seed;
        for player in 0..2 {
            duel.spawn_with((Ship { player }, Place(i32::from(player as u8) * 40, 0)));
        }
        duel
    }

    fn random(&mut self, limit: u64) -> u64 {
        let state = &mut *self.things.random;
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % limit
    }
}

impl Rollback for Duel {
    type Input = Keys;

    fn step(&mut self, inputs: &[(Keys, InputStatus)]) {
        let ships: Vec<(Entity, Ship)> =
            self.things.ships.iter().map(|(entity, ship)| (entity, *ship)).collect();
        for (entity, Ship { player }) in ships {
            let (Keys(keys), status) = inputs[player];
            if status == InputStatus::Disconnected {
                continue;
            }
            let place = *self.get::<Place>(entity).unwrap();
            let moved = Place(place.0 + i32::from(keys & 3) - 1, place.1 + i32::from(keys >> 2 & 3) - 1);
            self.attach(entity, moved);
            if keys & 16 != 0 {
                let life = 5 + self.random(20) as u32;
                self.spawn_with((Shot(life), place, Parent::of(entity)));
            }
        }
        let mut over = Vec::new();
        for (entity, shot) in &mut self.things.shots {
            shot.0 -= 1;
            if shot.0 == 0 {
                over.push(entity);
            }
        }
        for shot in over {
            self.things.hits.emit(Hit(shot));
            self.despawn(shot);
        }
        let Things { hits, counted, score, .. } = &mut self.things;
        **score += hits.read(counted).count() as u32;
        self.advance(1);
    }
}

pub fn keys(frame: u32, player: usize) -> Keys {
    let mixed = (frame / 7 * 2 + player as u32).wrapping_mul(2_654_435_761);
    Keys((mixed >> 24) as u8 & 31)
}
