//! How do I show a world that I know nothing about?
//!
//! A world tells its columns, how long they are, and what an entity has, all without naming a type. An
//! editor, a crash report and a test that prints what went wrong need no more.
//!
//! Run it with `cargo run --example inspector`.

use std::time::Duration;

use acme_motion::{Lifetime, Motions, Velocity, movement};
use acme_space::{GlobalPosition, Places, Position};
use acme_sprite::{Sprite, Sprites};
use std_ecs::{ComponentKey, Entities, Entity, World};

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    places: Places,
    motions: Motions,
    sprites: Sprites,
}

/// Every column with its length. It names no component.
fn overview(world: &impl World) -> String {
    let lines = world.lengths().into_iter().map(|(key, rows)| format!("{:<16}{rows:>4}\n", key.short_name()));
    lines.collect()
}

/// Every component of an entity. It names none either.
fn entity_view(world: &impl World, entity: Entity) -> String {
    if !world.is_alive(entity) {
        return format!("{entity} is not alive\n");
    }
    let lines = world.describe(entity).into_iter().map(|row| format!("{:?}\n", row.value));
    lines.collect()
}

/// Which columns were written between two moments of a world, from their clocks.
fn written(world: &impl World, earlier: &impl World) -> Vec<ComponentKey> {
    let (now, before) = (world.clocks(), earlier.clocks());
    now.into_iter().zip(before).filter(|(now, before)| now != before).map(|((key, _), _)| key).collect()
}

fn main() {
    let mut game = Game::default();
    let ship = game.spawn_with((
        Position { x: 0.0, y: 2.0 },
        Velocity { x: 1.0, y: 0.0 },
        Sprite { image: "ship.png".into(), layer: 1 },
    ));
    game.spawn_batch((0..20_u8).map(|at| (Position { x: f32::from(at), y: 0.0 }, GlobalPosition::default())));
    let spark = game.spawn_with((Lifetime { remaining: Duration::from_secs(1) },));

    print!("{}", overview(&game));
    assert!(overview(&game).starts_with("Position          21\nGlobalPosition    20\n"));

    let before = game.clone();
    movement(&mut game, Duration::from_millis(250));
    println!("\nmovement wrote {:?}", written(&game, &before));
    assert_eq!(written(&game, &before), [std_ecs::component_key::<Position>()]);

    println!("\n{ship} has");
    print!("{}", entity_view(&game, ship));
    let expected = "Position { x: 0.25, y: 2.0 }\nVelocity { x: 1.0, y: 0.0 }\nSprite { image: \"ship.png\", layer: 1 }\n";
    assert_eq!(entity_view(&game, ship), expected);

    game.despawn(spark);
    print!("\n{}", entity_view(&game, spark));
    assert_eq!(entity_view(&game, spark), "21v1 is not alive\n");

    // What a debugger asks first: what is different from a moment ago?
    for change in game.places.positions.diff(&before.places.positions) {
        println!("{change:?}");
    }
    assert_eq!(game.places.positions.diff(&before.places.positions).count(), 1);
}
