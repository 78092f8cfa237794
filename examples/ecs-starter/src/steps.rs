//! The schedule: which systems run in a step, and what each of them touches.

use std::time::Duration;

use acme_motion::{Launcher, Lifetime, Reload, Velocity, expire, fire, movement};
use acme_space::{GlobalPosition, Position, propagate};
use acme_sprite::Sprite;
use std_ecs::{Columns, Parent, Schedule, ScheduleError, Stage, Store, System};

use crate::{Aims, Collider, Game, Scenes, Shot, Side, aim, collisions, score};

/// How many steps there are in a second.
pub const RATE: u32 = 60;

/// How much time passes in a step.
pub const STEP: Duration = Duration::from_nanos(1_000_000_000 / RATE as u64);

/// The systems of the packages and those of this program, in the order in which they run, so many times a second.
/// After them, in each step and each frame, come the nodes.
///
/// Those that touch different things run at the same time, and the world that comes out is the same with any
/// number of threads. They read nothing but the world, so the same world always has the same future.
///
/// # Errors
///
/// If two systems have the same name.
pub fn schedule(rate: u32, scenes: &Scenes) -> Result<Schedule<Game>, ScheduleError> {
    let scenes = scenes.clone();
    let mut schedule = Schedule::with_rate(rate);
    schedule
        .add(Stage::Fixed, System::new("grant", move |game: &mut Game, _| scenes.grant(game)).exclusive())?
        .add(
            Stage::Fixed,
            System::new("movement", movement::<Game>).reads::<Velocity>().writes::<Position>(),
        )?
        .add(
            Stage::Fixed,
            System::new("propagate", |game: &mut Game, _| propagate(game))
                .reads::<Parent>()
                .reads::<Position>()
                .writes::<GlobalPosition>(),
        )?
        .add(Stage::Fixed, System::new("collisions", |game: &mut Game, _| collisions(game)).despawns())?
        .add(
            Stage::Fixed,
            System::new("aim", |game: &mut Game, _| aim(game))
                .reads::<Aims>()
                .reads::<GlobalPosition>()
                .writes::<Launcher>(),
        )?
        .add(
            Stage::Fixed,
            System::new("fire", fire_turrets)
                .spawns()
                .reads::<GlobalPosition>()
                .reads::<Launcher>()
                .writes::<Reload>()
                .writes::<Position>()
                .writes::<Velocity>()
                .writes::<Lifetime>()
                .writes::<Side>()
                .writes::<Shot>()
                .writes::<Collider>()
                .writes::<Sprite>()
                .writes_part(|game| &mut game.arena.random),
        )?
        .add(
            Stage::Fixed,
            System::new("score", |game: &mut Game, _| score(game))
                .reads_part(|game| &mut game.arena.hits)
                .writes_part(|game| &mut game.arena.scored)
                .writes_part(|game| &mut game.arena.score),
        )?
        .add(Stage::Fixed, System::new("expire", expire::<Game>).despawns())?;
    Ok(schedule)
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
