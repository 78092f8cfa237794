//! A world of code beside that of the level: as many entities as one asks for.

use acme_motion::{Launcher, Reload, Velocity};
use acme_space::{GlobalPosition, Position, propagate};
use acme_sprite::Sprite;
use std_ecs::{Entity, Parent, World};

use crate::{Collider, Game, Health, STEP, Side};

/// Where the turrets of a ship are mounted.
const MOUNTS: [f32; 2] = [0.4, -0.4];

/// Adds a field of rocks with two fleets in it to a world. Of sixteen entities one is a ship, two are its turrets,
/// and the others are rocks. The same number always gives the same entities.
pub fn fleet(game: &mut Game, entities: u32) {
    let reach = 1.5 * f64::from(entities).sqrt() as f32;
    let ships = entities / 16;
    let rocks = entities - ships - ships * MOUNTS.len() as u32;

    // What behaves alike is spawned one after the other, so that what stands still shares no page with what moves.
    for _ in 0..rocks {
        let place = somewhere(game, reach);
        game.spawn_with((
            place,
            GlobalPosition::default(),
            Side::Nobody,
            Collider { radius: 0.2 },
            sprite("rock", 0),
        ));
    }
    let ships: Vec<(Entity, Side)> = (0..ships)
        .map(|number| {
            let side = if number % 2 == 0 { Side::Red } else { Side::Blue };
            let place = somewhere(game, reach);
            let velocity = Velocity { x: 3.0 * direction(side), y: 0.0 };
            let body = (Collider { radius: 0.5 }, Health(3));
            let look = sprite("ship", 1);
            (game.spawn_with((place, GlobalPosition::default(), velocity, side, body.0, body.1, look)), side)
        })
        .collect();
    let mounts = ships.into_iter().flat_map(|ship| MOUNTS.map(|mount| (ship, mount)));
    for (number, ((ship, side), y)) in (0..).zip(mounts) {
        let velocity = Velocity { x: 12.0 * direction(side), y: 0.0 };
        game.spawn_with((
            Parent::of(ship),
            Position { x: 0.0, y },
            GlobalPosition::default(),
            side,
            Launcher { velocity, lifetime: STEP * 90, every: STEP * 60 },
            Reload { remaining: STEP * (number * 7 % 60) },
            sprite("turret", 2),
        ));
    }
    propagate(game);
}

/// Where a side flies to.
fn direction(side: Side) -> f32 {
    match side {
        Side::Red => 1.0,
        Side::Blue => -1.0,
        Side::Nobody => 0.0,
    }
}

fn sprite(name: &str, layer: i32) -> Sprite {
    Sprite { image: format!("{name}.png").into(), layer }
}

/// Anywhere in the field.
fn somewhere(game: &mut Game, reach: f32) -> Position {
    let random = &mut *game.arena.random;
    Position { x: reach * random.spread(), y: reach * random.spread() }
}
