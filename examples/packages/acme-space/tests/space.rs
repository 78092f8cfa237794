//! Propagation in a world that a program would compose.

use acme_space::{GlobalPosition, Places, Position, propagate};
use std_ecs::{Columns, Entities, Entity, Hierarchy, Parent, Store, World};

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    places: Places,
}

fn at(x: f32) -> Position {
    Position { x, y: 2.0 * x }
}

fn global(game: &Game, entity: Entity) -> Option<f32> {
    game.get::<GlobalPosition>(entity).map(|global| {
        assert!((global.y - 2.0 * global.x).abs() < f32::EPSILON);
        global.x
    })
}

#[test]
fn one_pass_places_children_that_were_spawned_before_their_parents() {
    let mut game = Game::default();
    let lamp = game.spawn_with((at(0.25),));
    let turret = game.spawn_with((at(1.0),));
    let ship = game.spawn_with((at(8.0),));
    game.attach(lamp, Parent::of(turret));
    game.attach(turret, Parent::of(ship));
    propagate(&mut game);
    assert_eq!([ship, turret, lamp].map(|entity| global(&game, entity)), [Some(8.0), Some(9.0), Some(9.25)]);
}

#[test]
fn only_what_moved_and_what_hangs_on_it_is_written() {
    let mut game = Game::default();
    let [ship, rock] = [4.0, 5.0].map(|x| game.spawn_with((at(x),)));
    let turret = game.spawn_with((at(1.0), Parent::of(ship)));
    propagate(&mut game);
    let seen = game.places.globals.clock();
    propagate(&mut game);
    assert_eq!(game.places.globals.changed_since(seen).count(), 0);

    *game.get_mut::<Position>(ship).unwrap() = at(6.0);
    propagate(&mut game);
    let changed: Vec<_> = game.places.globals.changed_since(seen).map(|(entity, _)| entity).collect();
    assert_eq!(changed, [ship, turret]);
    assert_eq!([ship, rock, turret].map(|entity| global(&game, entity)), [Some(6.0), Some(5.0), Some(7.0)]);
}

#[test]
fn what_has_lost_its_position_has_no_global_position_either() {
    let mut game = Game::default();
    let ship = game.spawn_with((at(4.0),));
    let turret = game.spawn_with((at(1.0), Parent::of(ship)));
    propagate(&mut game);
    game.remove::<Position>(ship);
    propagate(&mut game);
    assert_eq!([ship, turret].map(|entity| global(&game, entity)), [None, Some(1.0)]);
}

#[test]
fn a_child_that_is_set_free_stands_where_its_position_says() {
    let mut game = Game::default();
    let ship = game.spawn_with((at(4.0),));
    let turret = game.spawn_with((at(1.0), Parent::of(ship)));
    propagate(&mut game);
    let mounted = game.clone();
    game.despawn_only(ship);
    propagate(&mut game);
    assert_eq!([ship, turret].map(|entity| global(&game, entity)), [None, Some(1.0)]);

    game = mounted;
    propagate(&mut game);
    assert_eq!([ship, turret].map(|entity| global(&game, entity)), [Some(4.0), Some(5.0)]);
}
