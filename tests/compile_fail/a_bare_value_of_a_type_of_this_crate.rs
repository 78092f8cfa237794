use std_ecs::{Column, Columns, Entities, World};

#[derive(Clone, Debug)]
struct Velocity(f32);

#[derive(Clone, Debug, Default)]
struct Gravity(f32);

#[derive(Clone, Debug, Default, Columns)]
struct Motions {
    velocities: Column<Velocity>,
    gravity: Gravity,
}

#[derive(Clone, Debug, Default, World)]
struct Game {
    entities: Entities,
    gravity: Gravity,
}

fn main() {}
