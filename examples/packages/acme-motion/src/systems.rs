//! The systems of this package: functions over what they need of a world.

use std::time::Duration;

use acme_space::{GlobalPosition, Position};
use std_ecs::{Entity, Has, Store, StoreMut, World, pairs, query, triples};

use crate::{Gravity, Launcher, Lifetime, Motions, Reload, Velocity};

/// Moves whatever has a velocity.
///
/// What stands still should have no velocity rather than one of zero: then its rows are not written, and
/// snapshots go on sharing them.
pub fn movement<W>(world: &mut W, elapsed: Duration)
where
    W: StoreMut<Position> + Store<Velocity>,
{
    let seconds = elapsed.as_secs_f32();
    let velocities = world.column_of::<Velocity>().clone();
    pairs(world.column_of_mut::<Position>(), &velocities).for_each(|(_, position, velocity)| {
        position.x += velocity.x * seconds;
        position.y += velocity.y * seconds;
    });
}

/// Lets the gravity of [`Motions`] pull on whatever has a velocity. Writes nothing where there is none.
///
/// ```
/// use std::time::Duration;
///
/// use acme_motion::{Gravity, Motions, Velocity, fall};
/// use std_ecs::{Columns, Entities, World};
///
/// #[derive(Clone, Debug, Default, World)]
/// struct Game {
///     entities: Entities,
///     motions: Motions,
/// }
///
/// let mut game = Game::default();
/// let apple = game.spawn_with((Velocity::default(),));
/// *game.motions.gravity = Gravity { x: 0.0, y: -9.5 };
/// fall(&mut game, Duration::from_secs(2));
/// assert_eq!(game.get::<Velocity>(apple), Some(&Velocity { x: 0.0, y: -19.0 }));
/// ```
pub fn fall<W>(world: &mut W, elapsed: Duration)
where
    W: StoreMut<Velocity> + Has<Motions>,
{
    let gravity = *world.group().gravity;
    if gravity == Gravity::default() {
        return;
    }
    let seconds = elapsed.as_secs_f32();
    query(world.column_of_mut::<Velocity>()).for_each(|(_, velocity)| {
        velocity.x += gravity.x * seconds;
        velocity.y += gravity.y * seconds;
    });
}

/// Launches a bullet from each launcher whose wait is over, and answers each launcher with its bullet, in
/// the order of the launchers, so that the program can give the bullets what else they need.
///
/// A bullet starts where its launcher is in the space of the world. A launcher fires at most once in a
/// call, however much time has passed.
///
/// The bullets are spawned while the launchers are walked. The walk goes over snapshots of their columns,
/// so that it sees none of what it spawns.
pub fn fire<W>(world: &mut W, elapsed: Duration) -> Vec<(Entity, Entity)>
where
    W: World
        + Store<Position>
        + Store<GlobalPosition>
        + Store<Velocity>
        + Store<Lifetime>
        + Store<Launcher>
        + StoreMut<Reload>,
{
    query(world.column_of_mut::<Reload>()).for_each(|(_, reload)| {
        reload.remaining = reload.remaining.saturating_sub(elapsed);
    });
    let launchers = world.column_of::<Launcher>().clone();
    let reloads = world.column_of::<Reload>().clone();
    let places = world.column_of::<GlobalPosition>().clone();
    let mut bullets = Vec::new();
    for (shooter, launcher, reload, place) in triples(&launchers, &reloads, &places).in_order_of_first() {
        if !reload.remaining.is_zero() {
            continue;
        }
        let start = Position { x: place.x, y: place.y };
        let lifetime = Lifetime { remaining: launcher.lifetime };
        bullets.push((shooter, world.spawn_with((start, launcher.velocity, lifetime))));
        world.attach(shooter, Reload { remaining: launcher.every });
    }
    bullets
}

/// Counts lifetimes down and despawns whatever has none left, with its descendants.
///
/// It despawns while it walks a snapshot of the lifetimes, which stays as it was.
pub fn expire<W>(world: &mut W, elapsed: Duration)
where
    W: World + StoreMut<Lifetime>,
{
    query(world.column_of_mut::<Lifetime>()).for_each(|(_, lifetime)| {
        lifetime.remaining = lifetime.remaining.saturating_sub(elapsed);
    });
    for (entity, lifetime) in &world.column_of::<Lifetime>().clone() {
        if lifetime.remaining.is_zero() {
            world.despawn(entity);
        }
    }
}
