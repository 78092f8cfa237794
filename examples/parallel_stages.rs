//! How do I run the systems of several packages, in parallel, and still get the same world everywhere?
//!
//! Each system says what it touches. The schedule runs those at the same time that do not touch the same
//! things, hands each one a world with what it declared and nothing else, and what comes out does not depend
//! on the number of threads.
//!
//! Run it with `cargo run --release --example parallel_stages`.

use std::sync::Arc;
use std::time::Duration;

use acme_motion::{Gravity, Launcher, Lifetime, Motions, Reload, Velocity, expire, fall, fire, movement};
use acme_space::{GlobalPosition, Places, Position, propagate};
use acme_sprite::{Sprite, Sprites, render};
use rayon::ThreadPoolBuilder;
use std_ecs::{
    Column, Columns, Entities, Entity, Hierarchy, Parent, Schedule, ScheduleError, Single, Stage, Store,
    StoreMut, System, World, query,
};

/// How hot something is: a component of this program.
#[derive(Clone, Debug, PartialEq)]
struct Heat(f32);

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Engine {
    heat: Column<Heat>,
    /// How many things the last frame drew.
    drawn: Single<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    places: Places,
    motions: Motions,
    sprites: Sprites,
    engine: Engine,
}

/// Lets everything cool down. Its rows are shared out among the threads; each row is written by one of them.
fn cool<W: StoreMut<Heat>>(world: &mut W, elapsed: Duration) {
    let factor = 0.5_f32.powf(elapsed.as_secs_f32());
    query(world.column_of_mut::<Heat>()).par_for_each(move |(_, heat)| heat.0 *= factor);
}

/// Fires, gives the bullets a sprite, and heats up whoever fired.
fn shoot<W>(world: &mut W, elapsed: Duration)
where
    W: World
        + Store<Position>
        + Store<GlobalPosition>
        + Store<Velocity>
        + Store<Lifetime>
        + Store<Launcher>
        + StoreMut<Reload>
        + Store<Sprite>,
{
    let image: Arc<str> = "bullet.png".into();
    for (_, bullet) in fire(world, elapsed) {
        world.attach(bullet, Sprite { image: image.clone(), layer: 2 });
    }
}

fn schedule() -> Result<Schedule<Game>, ScheduleError> {
    let mut schedule = Schedule::with_rate(60);
    schedule.insert_stage_after(Stage::Fixed, Stage::Step("place"))?;
    schedule
        .add(
            Stage::Fixed,
            System::new("fall", fall::<Game>)
                .reads_part(|game| &mut game.motions.gravity)
                .writes::<Velocity>(),
        )?
        .add(Stage::Fixed, System::new("cool", cool::<Game>).writes::<Heat>())?
        .add(
            Stage::Fixed,
            System::new("movement", movement::<Game>).reads::<Velocity>().writes::<Position>(),
        )?
        .add(
            Stage::Fixed,
            System::new("shoot", shoot::<Game>)
                .spawns()
                .reads::<GlobalPosition>()
                .reads::<Launcher>()
                .writes::<Position>()
                .writes::<Velocity>()
                .writes::<Lifetime>()
                .writes::<Reload>()
                .writes::<Sprite>(),
        )?
        .add(Stage::Fixed, System::new("expire", expire::<Game>).despawns())?
        .add(
            Stage::Step("place"),
            System::new("propagate", |game: &mut Game, _| propagate(game))
                .reads::<Parent>()
                .reads::<Position>()
                .writes::<GlobalPosition>(),
        )?
        .add(
            Stage::Late,
            System::new("draw", |game: &mut Game, _| {
                let drawn = render(game).len();
                *game.engine.drawn = drawn;
            })
            .reads::<Sprite>()
            .reads::<GlobalPosition>()
            .writes_part(|game| &mut game.engine.drawn),
        )?;
    Ok(schedule)
}

/// A fleet of ships, each with two turrets that fire.
fn start() -> Game {
    let mut game = Game::default();
    *game.motions.gravity = Gravity { x: 0.0, y: -0.5 };
    let ships = game.spawn_batch((0..1_000_u16).map(|number| {
        let place = Position { x: f32::from(number), y: f32::from(number % 7) };
        let sprite = Sprite { image: "ship.png".into(), layer: 1 };
        (place, Velocity { x: 0.1 * f32::from(number % 11), y: 1.0 }, sprite, Heat(f32::from(number)))
    }));
    for (number, ship) in (0_u64..).zip(ships) {
        for side in [-0.5, 0.5] {
            let launcher = Launcher {
                velocity: Velocity { x: side, y: 3.0 },
                lifetime: Duration::from_millis(400),
                every: Duration::from_millis(150 + number % 90),
            };
            let place = Position { x: side, y: 0.25 };
            game.spawn_with((place, launcher, Reload::default(), Heat(1.0), Parent::of(ship)));
        }
    }
    game
}

/// A number that two worlds share only if they have the same rows in the same order, to the last bit.
fn digest(game: &Game) -> u64 {
    let mut numbers: Vec<u64> = game.entities.iter().map(Entity::to_bits).collect();
    for (entity, place) in &game.places.globals {
        numbers.extend([entity.to_bits(), place.x.to_bits().into(), place.y.to_bits().into()]);
    }
    for (entity, speed) in &game.motions.velocities {
        numbers.extend([entity.to_bits(), speed.x.to_bits().into(), speed.y.to_bits().into()]);
    }
    for (entity, lifetime) in &game.motions.lifetimes {
        let left = lifetime.remaining;
        numbers.extend([entity.to_bits(), left.as_secs(), left.subsec_nanos().into()]);
    }
    for (entity, heat) in &game.engine.heat {
        numbers.extend([entity.to_bits(), heat.0.to_bits().into()]);
    }
    numbers.push(*game.engine.drawn as u64);
    let mix =
        |digest: u64, number: u64| (digest ^ number).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    numbers.into_iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", schedule()?.plan());

    let mut digests = Vec::new();
    for threads in [1, 2, 4] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let (mut game, mut schedule) = (start(), schedule()?);
        let mut steps = 0;
        pool.install(|| {
            // Frames of uneven length, about two seconds in all.
            for frame in 0..125 {
                let elapsed = if frame % 2 == 0 { 9 } else { 23 };
                steps += schedule.run(&mut game, Duration::from_millis(elapsed)).steps;
            }
        });
        game.check()?;
        let (entities, drawn) = (game.entities.len(), *game.engine.drawn);
        println!(
            "{threads} threads: {steps} steps, {entities} entities, {drawn} drawn, digest {:016x}",
            digest(&game)
        );
        digests.push(digest(&game));
    }
    assert!(digests.iter().all(|digest| *digest == digests[0]), "the number of threads shows");
    Ok(())
}
