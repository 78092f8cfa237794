use std_ecs::{Column, Columns, Entities, World};

#[derive(Clone, Debug)]
struct Health(i32);

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
    game.spawn_with(Health(1));
}
