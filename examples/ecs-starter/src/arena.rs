//! What this program adds to the packages: sides, shots and what happens when they meet.

use acme_motion::Launcher;
use acme_space::GlobalPosition;
use serde::{Deserialize, Serialize};
use std_ecs::{Column, Columns, Entity, Events, Reader, Single, Store, World, pairs};

use crate::Game;

/// Whose side something is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// It flies to the right.
    Red,
    /// It flies to the left.
    Blue,
    /// It is a rock.
    Nobody,
}

/// How far something reaches around where it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collider {
    /// In units.
    pub radius: f32,
}

/// How many shots something survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health(pub u32);

/// Marks what a turret fired. A marker has no values, so its column stores owners only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shot;

/// What a turret points at. In a scene file that is a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aims {
    /// What it fires at as long as that is alive.
    pub at: Entity,
}

/// A scene that should be loaded at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    /// Its file.
    pub scene: String,
    /// Where its entities stand, from left to right.
    pub x: f32,
}

/// A small random number generator.
///
/// It is part of the world, as everything must be that the simulation reads: a game that was rolled back
/// then throws the same dice again. The algorithm is `SplitMix64`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random(u64);

impl Random {
    /// A number from -1 to 1.
    pub fn spread(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let small = ((bits ^ (bits >> 31)) >> 48) as u16;
        f32::from(small) / f32::from(u16::MAX) * 2.0 - 1.0
    }
}

/// A shot has hit something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// Whose side was hit.
    pub side: Side,
    /// Whether that was the end of it.
    pub is_lost: bool,
}

/// How the war goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// How many shots have hit a ship.
    pub ships_hit: u32,
    /// How many ships and rocks were destroyed.
    pub destroyed: u32,
    /// How many shots have hit a rock.
    pub rocks_hit: u32,
}

/// The group of this program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
pub struct Arena {
    /// Whose side things are on.
    pub sides: Column<Side>,
    /// What can be hit.
    pub colliders: Column<Collider>,
    /// What can be destroyed.
    pub health: Column<Health>,
    /// What was fired.
    pub shots: Column<Shot>,
    /// Who aims at whom.
    pub aims: Column<Aims>,
    /// The dice.
    pub random: Single<Random>,
    /// What has been hit lately.
    pub hits: Events<Hit>,
    /// How far the score has read the hits. It is in the world, and so it is rolled back with them.
    pub scored: Single<Reader<Hit>>,
    /// How the war goes.
    pub score: Single<Score>,
    /// What the nodes have said lately.
    pub said: Events<String>,
    /// What they have wished for.
    pub wishes: Events<Wish>,
    /// How far their wishes are granted.
    pub granted: Single<Reader<Wish>>,
}

/// Every two colliders that touch, each pair once, from left to right.
///
/// It sorts the colliders by their left ends and compares each with those that begin before it ends. For a
/// few hundred of them `pairs(places, colliders).combinations()` says the same in one line.
pub fn touching<W>(world: &W) -> Vec<(Entity, Entity)>
where
    W: Store<GlobalPosition> + Store<Collider>,
{
    let (places, colliders) = (world.column_of::<GlobalPosition>(), world.column_of::<Collider>());
    let mut bodies: Vec<Body> = pairs(places, colliders)
        .in_order_of_first()
        .map(|(entity, &GlobalPosition { x, y }, &Collider { radius })| Body { entity, x, y, radius })
        .collect();
    bodies.sort_by(|a, b| a.left().total_cmp(&b.left()));
    let mut found = Vec::new();
    for (at, first) in bodies.iter().enumerate() {
        let end = first.x + first.radius;
        for second in bodies[at + 1..].iter().take_while(|second| second.left() <= end) {
            if first.touches(second) {
                found.push((first.entity, second.entity));
            }
        }
    }
    found
}

/// A collider in the space of the world.
struct Body {
    entity: Entity,
    x: f32,
    y: f32,
    radius: f32,
}

impl Body {
    fn left(&self) -> f32 {
        self.x - self.radius
    }

    fn touches(&self, other: &Self) -> bool {
        let (x, y, reach) = (self.x - other.x, self.y - other.y, self.radius + other.radius);
        x * x + y * y <= reach * reach
    }
}

/// Turns each turret that aims at something towards it. One whose target is gone fires on as it did.
///
/// It writes only what has turned, so that snapshots share the others.
pub fn aim(game: &mut Game) {
    for (turret, &Aims { at }) in &game.arena.aims.clone() {
        let place = |entity| game.get::<GlobalPosition>(entity);
        let (Some(from), Some(to), Some(launcher)) = (place(turret), place(at), game.get::<Launcher>(turret))
        else {
            continue;
        };
        let (x, y) = (to.x - from.x, to.y - from.y);
        let mut turned = *launcher;
        // A square root is the same on every machine, which `hypot` need not be.
        let length = |x: f32, y: f32| (x * x + y * y).sqrt();
        let scale = length(turned.velocity.x, turned.velocity.y) / length(x, y);
        (turned.velocity.x, turned.velocity.y) = (x * scale, y * scale);
        if scale.is_finite() && turned != *launcher {
            game.attach(turret, turned);
        }
    }
}

/// A shot that touches something of another side is spent, and costs it one point of its health. Without
/// health left it is despawned, with all that is mounted on it.
pub fn collisions(game: &mut Game) {
    for (first, second) in touching(game) {
        let (shot, target) = match (game.has::<Shot>(first), game.has::<Shot>(second)) {
            (true, false) => (first, second),
            (false, true) => (second, first),
            _ => continue,
        };
        // A shot that is spent has no side any more, and neither has a ship that is lost.
        let (Some(&own), Some(&side)) = (game.get::<Side>(shot), game.get::<Side>(target)) else { continue };
        if own == side {
            continue;
        }
        game.despawn(shot);
        let health = game.get_mut::<Health>(target);
        let is_lost = health.is_some_and(|health| {
            health.0 = health.0.saturating_sub(1);
            health.0 == 0
        });
        if is_lost {
            game.despawn(target);
        }
        game.arena.hits.emit(Hit { side, is_lost });
    }
}

/// Counts the hits that it has not counted yet.
pub fn score(game: &mut Game) {
    let Arena { hits, scored, score, .. } = &mut game.arena;
    for hit in hits.read(scored) {
        match hit.side {
            Side::Nobody => score.rocks_hit += 1,
            Side::Red | Side::Blue => score.ships_hit += 1,
        }
        score.destroyed += u32::from(hit.is_lost);
    }
}
