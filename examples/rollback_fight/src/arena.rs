//! The game: fighters in an arena, each with two orbs that circle it, and the shots they fire.
//!
//! All numbers are integers or fixed-point numbers, so that every machine computes the same.

use fixed::types::I16F16;
use serde::{Deserialize, Serialize};
use std_ecs::{
    Column, Columns, Entities, Entity, Events, Hierarchy, Parent, Reader, Single, World, pairs, triples,
};
use std_rollback::{InputStatus, Rollback};

/// The arena reaches from 0 to this.
pub(crate) const WIDTH: i16 = 64;
/// As [`WIDTH`], downwards.
pub(crate) const HEIGHT: i16 = 24;

const HEALTH: u32 = 5;
const COOLDOWN: u32 = 12;
const SHOT_LIFE: u32 = 45;
const REACH: I16F16 = I16F16::lit("1.25");
const PUSH: I16F16 = I16F16::lit("0.08");
const FRICTION: I16F16 = I16F16::lit("0.9");
const SHOT_SPEED: I16F16 = I16F16::lit("0.8");

/// One turn in sixteen steps.
const CIRCLE: [(I16F16, I16F16); 16] = {
    const A: I16F16 = I16F16::lit("1.848");
    const B: I16F16 = I16F16::lit("1.414");
    const C: I16F16 = I16F16::lit("0.765");
    const R: I16F16 = I16F16::lit("2");
    const O: I16F16 = I16F16::ZERO;
    const fn minus(value: I16F16) -> I16F16 {
        I16F16::from_bits(-value.to_bits())
    }
    [
        (R, O),
        (A, C),
        (B, B),
        (C, A),
        (O, R),
        (minus(C), A),
        (minus(B), B),
        (minus(A), C),
        (minus(R), O),
        (minus(A), minus(C)),
        (minus(B), minus(B)),
        (minus(C), minus(A)),
        (O, minus(R)),
        (C, minus(A)),
        (B, minus(B)),
        (A, minus(C)),
    ]
};

/// What a player does in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keys {
    /// -1, 0 or 1 to the right.
    pub(crate) x: i8,
    /// -1, 0 or 1 downwards.
    pub(crate) y: i8,
    /// Whether to fire.
    pub(crate) fire: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) x: I16F16,
    pub(crate) y: I16F16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Velocity {
    pub(crate) x: I16F16,
    pub(crate) y: I16F16,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fighter {
    pub(crate) player: usize,
    pub(crate) health: u32,
    cooldown: u32,
    facing: (i8, i8),
}

/// Circles the fighter that is its parent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Orb {
    angle: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shot {
    player: usize,
    life: u32,
}

/// A fighter was hit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hit {
    by: usize,
    fighter: Entity,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
pub(crate) struct Motions {
    pub(crate) positions: Column<Position>,
    pub(crate) velocities: Column<Velocity>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
pub(crate) struct Fights {
    pub(crate) fighters: Column<Fighter>,
    pub(crate) orbs: Column<Orb>,
    pub(crate) shots: Column<Shot>,
    pub(crate) hits: Events<Hit>,
    counted: Single<Reader<Hit>>,
    /// Hits of each player.
    pub(crate) scores: Single<Vec<u32>>,
    random: Single<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
pub(crate) struct Arena {
    entities: Entities,
    hierarchy: Hierarchy,
    pub(crate) motions: Motions,
    pub(crate) fights: Fights,
}

impl Arena {
    /// The arena before the first frame.
    pub(crate) fn new(players: usize, seed: u64) -> Self {
        let mut arena = Self::default();
        *arena.fights.random = seed;
        *arena.fights.scores = vec![0; players];
        for player in 0..players {
            arena.enter(player);
        }
        arena
    }

    fn random(&mut self, limit: u64) -> u64 {
        let state = &mut *self.fights.random;
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % limit
    }

    /// A fighter with its orbs, somewhere in the arena.
    fn enter(&mut self, player: usize) {
        let x = I16F16::from_num(2 + self.random(WIDTH as u64 - 4));
        let y = I16F16::from_num(2 + self.random(HEIGHT as u64 - 4));
        let fighter = Fighter { player, health: HEALTH, cooldown: COOLDOWN, facing: (1, 0) };
        let position = Position { x, y };
        let entity = self.spawn_with((fighter, position, Velocity::default()));
        for angle in [0, 8] {
            self.spawn_with((Orb { angle }, position, Parent::of(entity)));
        }
    }

    /// Fighters take their inputs; the shots they fire are there at once.
    fn steer(&mut self, inputs: &[(Keys, InputStatus)]) {
        let mut fired = Vec::new();
        let Self { motions: Motions { positions, velocities }, fights, .. } = self;
        for (_, fighter, velocity, position) in triples(&mut fights.fighters, &mut *velocities, &*positions) {
            let (keys, status) = inputs[fighter.player];
            let keys = if status == InputStatus::Disconnected { Keys::default() } else { keys };
            velocity.x = (velocity.x + PUSH * I16F16::from_num(keys.x)) * FRICTION;
            velocity.y = (velocity.y + PUSH * I16F16::from_num(keys.y)) * FRICTION;
            if (keys.x, keys.y) != (0, 0) {
                fighter.facing = (keys.x, keys.y);
            }
            fighter.cooldown = fighter.cooldown.saturating_sub(1);
            if keys.fire && fighter.cooldown == 0 {
                fighter.cooldown = COOLDOWN;
                let (x, y) = fighter.facing;
                let speed = Velocity {
                    x: SHOT_SPEED * I16F16::from_num(x) + velocity.x,
                    y: SHOT_SPEED * I16F16::from_num(y) + velocity.y,
                };
                fired.push((Shot { player: fighter.player, life: SHOT_LIFE }, *position, speed));
            }
        }
        self.spawn_batch(fired);
    }

    /// Everything moves, and turns back at the walls.
    fn glide(&mut self) {
        let Motions { positions, velocities } = &mut self.motions;
        let turn = |place: &mut I16F16, speed: &mut I16F16, end: i16| {
            *place += *speed;
            let end = I16F16::from_num(end);
            if *place < 0 || *place > end {
                *place = (*place).clamp(I16F16::ZERO, end);
                *speed = -*speed;
            }
        };
        for (_, position, velocity) in pairs(positions, velocities) {
            turn(&mut position.x, &mut velocity.x, WIDTH);
            turn(&mut position.y, &mut velocity.y, HEIGHT);
        }
    }

    /// Orbs circle their fighters.
    fn circle(&mut self) {
        for (entity, orb) in &mut self.fights.orbs {
            orb.angle = (orb.angle + 1) % 64;
            let (x, y) = CIRCLE[usize::from(orb.angle / 4)];
            let centre =
                self.hierarchy.parent(entity).and_then(|parent| self.motions.positions.get(parent).copied());
            if let (Some(centre), Some(position)) = (centre, self.motions.positions.get_mut(entity)) {
                *position = Position { x: centre.x + x, y: centre.y + y };
            }
        }
    }

    /// Shots hit fighters, stop at orbs, and burn out.
    fn collide(&mut self) {
        let near = |a: &Position, b: &Position| (a.x - b.x).abs() < REACH && (a.y - b.y).abs() < REACH;
        let (mut over, mut hits) = (Vec::new(), Vec::new());
        let Self { motions: Motions { positions, .. }, fights, .. } = self;
        for (shot_entity, shot, place) in pairs(&mut fights.shots, &*positions) {
            shot.life -= 1;
            let mut others = pairs(&fights.fighters, &*positions);
            let struck = others.find(|(_, fighter, at)| fighter.player != shot.player && near(place, at));
            let stopped = pairs(&fights.orbs, &*positions)
                .any(|(_, _, at)| near(place, at) && shot.life < SHOT_LIFE - 6);
            if let Some((fighter, _, _)) = struck {
                hits.push(Hit { by: shot.player, fighter });
            }
            if struck.is_some() || stopped || shot.life == 0 {
                over.push(shot_entity);
            }
        }
        self.fights.hits.extend(hits);
        self.despawn_many(over);
    }

    /// Hits cost health and count; who has no health left begins anew.
    fn count(&mut self) {
        let Fights { hits, counted, scores, fighters, .. } = &mut self.fights;
        let mut beaten = Vec::new();
        for hit in hits.read(counted) {
            scores[hit.by] += 1;
            if let Some(fighter) = fighters.get_mut(hit.fighter) {
                fighter.health = fighter.health.saturating_sub(1);
                if fighter.health == 0 {
                    beaten.push((hit.fighter, fighter.player));
                }
            }
        }
        for (entity, player) in beaten {
            if self.despawn(entity) {
                self.enter(player);
            }
        }
    }
}

impl Rollback for Arena {
    type Input = Keys;

    fn step(&mut self, inputs: &[(Keys, InputStatus)]) {
        self.steer(inputs);
        self.glide();
        self.circle();
        self.collide();
        self.count();
        self.advance(1);
    }
}

#[cfg(test)]
mod tests {
    use std_ecs::{ReplayCheck, World};
    use std_rollback::{InputStatus, Rollback, SyncTest};

    use super::Arena;
    use crate::bots::keys;

    #[test]
    fn a_frame_that_runs_again_comes_out_the_same() {
        let end = SyncTest::new(4)
            .distance(6)
            .run(Arena::new(4, 1), 600, |frame, player| keys(1, frame, player))
            .unwrap();
        end.check().unwrap();
        assert!(end.fights.scores.iter().sum::<u32>() > 20, "{:?}", end.fights.scores);
        assert_eq!((end.fights.fighters.len(), end.fights.orbs.len()), (4, 8));
    }

    #[test]
    fn the_arena_depends_on_nothing_but_itself_and_its_inputs() {
        let step = |arena: &mut Arena, tick| {
            arena.step(&[0, 1].map(|player| (keys(3, tick as u32, player), InputStatus::Confirmed)));
        };
        ReplayCheck::new(step).run(&mut Arena::new(2, 3), 0..300).unwrap();
    }
}
