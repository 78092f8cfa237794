use std_ecs::{Column, Columns, Entities, Store, World};

#[derive(Clone, Debug)]
struct Health(i32);

#[derive(Clone, Debug)]
struct Forgotten;

#[derive(Clone, Debug, Default, Columns)]
struct Bodies {
    health: Column<Health>,
}

#[derive(Clone, Debug, Default, World)]
struct Game {
    entities: Entities,
    bodies: Bodies,
}

fn main() {
    let mut game = Game::default();
    let ship = game.spawn_with((Health(1), Forgotten));
    game.spawn_batch([(Forgotten,)]);
    game.attach(ship, Forgotten);
}
