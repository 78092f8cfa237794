use std_ecs::{Column, Columns, Store, World};

#[derive(Clone, Debug)]
struct Health;

#[derive(Clone, Debug, Default, Columns)]
struct Bodies {
    health: Column<Health>,
}

fn step<W: World + Store<Health>>(world: &mut W) {
    world.spawn();
}

fn main() {
    step(&mut Bodies::default());
}
