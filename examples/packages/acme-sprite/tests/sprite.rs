//! The render list of this package in a world that a program would compose.

use acme_space::{GlobalPosition, Places};
use acme_sprite::{Sprite, Sprites, render};
use std_ecs::{Columns, Entities, World};

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    places: Places,
    sprites: Sprites,
}

fn sprite(image: &str, layer: i32) -> Sprite {
    Sprite { image: image.into(), layer }
}

fn images(game: &Game) -> Vec<&str> {
    render(game).into_iter().map(|drawing| drawing.image).collect()
}

#[test]
fn lower_layers_come_first_and_equals_in_the_order_of_the_sprites() {
    let mut game = Game::default();
    let place = GlobalPosition::default();
    for (image, layer) in [("hull", 1), ("flag", 2), ("sea", -1), ("mast", 1)] {
        game.spawn_with((sprite(image, layer), place));
    }
    assert_eq!(images(&game), ["sea", "hull", "mast", "flag"]);
}

#[test]
fn what_is_nowhere_is_not_drawn() {
    let mut game = Game::default();
    let ghost = game.spawn_with((sprite("ghost", 0),));
    game.spawn_with((GlobalPosition::default(),));
    assert_eq!(images(&game), [""; 0]);
    game.places.globals.extend([(ghost, GlobalPosition { x: 1.0, y: 2.0 })]);
    assert_eq!(render(&game)[0].place, GlobalPosition { x: 1.0, y: 2.0 });
}

#[test]
fn a_snapshot_draws_the_frame_it_was_taken_in() {
    let mut game = Game::default();
    let ship = game.spawn_with((sprite("whole", 0), GlobalPosition::default()));
    let snapshot = game.clone();
    game.get_mut::<Sprite>(ship).unwrap().image = "wreck".into();
    assert_eq!((images(&game), images(&snapshot)), (vec!["wreck"], vec!["whole"]));
}
