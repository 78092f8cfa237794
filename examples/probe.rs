//! The whole idea in a few lines of output: two packages that own components, a world that is composed of
//! them, systems, what changed, fork and join over two packages, a snapshot and a rollback.
//!
//! Run it with `cargo run --release --example probe`.

use std::time::Duration;

use acme_motion::{Motions, Velocity, movement};
use acme_space::{GlobalPosition, Places, Position, propagate};
use std_ecs::{Columns, Entities, Hierarchy, Parent, World, both};

/// The world of this program: it names the packages, and no component.
#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    places: Places,
    motions: Motions,
}

/// Snaps every position to a grid of quarters.
fn settle(places: &mut Places) {
    for (_, position) in &mut places.positions {
        position.x = (position.x * 4.0).round() / 4.0;
        position.y = (position.y * 4.0).round() / 4.0;
    }
}

/// Takes half of its speed from whatever moves.
fn halve(motions: &mut Motions) {
    for (_, velocity) in &mut motions.velocities {
        velocity.x /= 2.0;
        velocity.y /= 2.0;
    }
}

fn main() {
    let mut game = Game::default();
    let ship = game.spawn_with((Position { x: 0.0, y: 0.0 }, Velocity { x: 1.0, y: 0.0 }));
    let turret = game.spawn_with((Position { x: 0.25, y: 0.0 }, Parent::of(ship)));

    let frame = game.places.positions.clock();
    movement(&mut game, Duration::from_millis(500));
    propagate(&mut game);
    println!("moved: {:?} {:?}", game.get::<GlobalPosition>(ship), game.get::<GlobalPosition>(turret));
    println!("changed since the frame began: {}", game.places.positions.changed_since(frame).count());
    assert_eq!(game.get(ship), Some(&GlobalPosition { x: 0.5, y: 0.0 }));
    assert_eq!(game.get(turret), Some(&GlobalPosition { x: 0.75, y: 0.0 }));

    // Two systems at once, over parts of the world that the compiler has proved disjoint.
    both(&mut game.places, &mut game.motions, settle, halve);
    println!("settled: {:?}, halved: {:?}", game.get::<Position>(ship), game.get::<Velocity>(ship));
    assert_eq!(game.get(ship), Some(&Position { x: 0.5, y: 0.0 }));
    assert_eq!(game.get(ship), Some(&Velocity { x: 0.5, y: 0.0 }));

    let snapshot = game.clone();
    game.despawn_only(ship);
    println!(
        "after the despawn: {}, in the snapshot: {}",
        game.places.positions.len(),
        snapshot.places.positions.len()
    );
    assert_eq!((game.places.positions.len(), snapshot.places.positions.len()), (1, 2));

    game = snapshot;
    println!("after the rollback: {}", game.places.positions.len());
    assert_eq!(game.places.positions.len(), 2);
}
