//! One fixed step of the simulation.

use std::time::Duration;

use acme_motion::{expire, fire, movement};
use acme_space::propagate;
use acme_sprite::Sprite;
use std_ecs::{Columns, Store, World};

use crate::{Collider, Game, Shot, Side, collisions, score};

/// How much time passes in a step: a sixtieth of a second.
pub const STEP: Duration = Duration::from_nanos(16_666_667);

/// Runs one step: the systems of the packages and those of this program, in a fixed order.
///
/// It reads nothing but the world. The same world therefore has the same future, whenever it is run.
pub fn step(game: &mut Game) {
    movement(game, STEP);
    propagate(game);
    collisions(game);
    fire_turrets(game, STEP);
    expire(game, STEP);
    score(game);
    game.advance(1);
}

/// Lets the turrets fire, and gives the bullets what this program needs of them.
pub fn fire_turrets(game: &mut Game, elapsed: Duration) {
    for (turret, bullet) in fire(game, elapsed) {
        let Some(&side) = game.get::<Side>(turret) else { continue };
        game.attach(bullet, side);
        game.attach(bullet, Shot);
        game.attach(bullet, Collider { radius: 0.1 });
        game.attach(bullet, Sprite { image: "shot.png".into(), layer: 3 });
        if let Some(velocity) = game.motions.velocities.get_mut(bullet) {
            velocity.y += game.arena.random.spread();
        }
    }
}
