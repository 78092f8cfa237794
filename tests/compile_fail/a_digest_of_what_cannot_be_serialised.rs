use std_ecs::{Column, Columns, Entities, World, digest};

#[derive(Clone, Debug)]
struct Texture;

#[derive(Clone, Debug, Default, Columns)]
struct Textures {
    textures: Column<Texture>,
}

#[derive(Clone, Debug, Default, World)]
struct Game {
    entities: Entities,
    textures: Textures,
}

fn main() {
    let game = Game::default();
    digest(&game);
}
