//! A small world for the tests of history, digests, deltas and replays: two groups, a marker, a list of
//! entities in a component, a random state, and one field that is only for showing.

#![allow(dead_code, unreachable_pub, reason = "each test file is a crate of its own and uses a part of it")]

use serde::{Deserialize, Serialize};
use std_ecs::{Column, Columns, Entities, Entity, Events, Hierarchy, Parent, Reader, Single, Store, World};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub x: i32,
    pub y: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heat(pub f32);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
pub struct Places {
    pub places: Column<Place>,
    pub heats: Column<Heat>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Health(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Armed;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inventory(pub Vec<Entity>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Glow(pub u32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Struck {
    pub who: Entity,
    pub amount: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
pub struct Fighters {
    pub struck: Events<Struck>,
    pub seen: Single<Reader<Struck>>,
    pub total: Single<u64>,
    pub health: Column<Health>,
    pub armed: Column<Armed>,
    pub inventories: Column<Inventory>,
    pub random: Single<Random>,
    #[columns(presentation)]
    pub glows: Column<Glow>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
pub struct Arena {
    pub entities: Entities,
    pub hierarchy: Hierarchy,
    pub places: Places,
    pub fighters: Fighters,
    #[world(presentation)]
    pub frames_drawn: Single<u64>,
}

impl Arena {
    pub fn seeded(seed: u64) -> Self {
        Self {
            fighters: Fighters { random: Single::new(Random(seed)), ..Fighters::default() },
            ..Self::default()
        }
    }

    pub fn fighter(&mut self, x: i32) -> Entity {
        self.spawn_with((Place { x, y: 0 }, Health(10)))
    }

    pub fn squad(&mut self, places: impl IntoIterator<Item = i32>) -> Vec<Entity> {
        places.into_iter().map(|x| self.fighter(x)).collect()
    }

    /// One of the entities that are alive.
    fn pick(&mut self) -> Option<Entity> {
        let count = self.entities.len();
        let at = self.fighters.random.below(count.max(1) as u64);
        self.entities.iter().nth(at as usize)
    }

    /// A tick that reads nothing but the world and its input: moves, and then does something at random to
    /// the structure of the world.
    pub fn step(&mut self, input: u64) {
        for (_, place) in &mut self.places.places {
            place.x = place.x.wrapping_add(input as i32 % 5 - 2);
        }
        self.fighters.random.0 ^= input;
        for _ in 0..3 {
            let Some(entity) = self.pick() else { break };
            let amount = self.fighters.random.below(100) as u32;
            match self.fighters.random.below(11) {
                0 => _ = self.despawn(entity),
                1 => _ = self.attach(entity, Armed),
                2 => _ = self.remove::<Armed>(entity),
                3 => _ = self.attach(entity, Health(amount)),
                4 => _ = self.attach(entity, Heat(f32::from(amount as u8) / 3.0)),
                5 => _ = self.remove::<Health>(entity),
                6 => {
                    let other = self.pick().unwrap_or(entity);
                    self.attach(entity, Inventory(vec![entity, other]));
                }
                7 => {
                    let other = self.pick().unwrap_or(entity);
                    _ = self.set_parent(entity, other);
                }
                8 => _ = self.remove::<Parent>(entity),
                9 => self.fighters.struck.emit(Struck { who: entity, amount }),
                _ => _ = self.remove::<Place>(entity),
            }
        }
        let Fighters { struck, seen, total, .. } = &mut self.fighters;
        **total += struck.read(seen).map(|struck| u64::from(struck.amount)).sum::<u64>();
        self.advance((input % 3) as u32);
        if self.entities.len() < 40 {
            let x = self.fighters.random.below(1_000) as i32;
            self.fighter(x);
        }
    }
}
