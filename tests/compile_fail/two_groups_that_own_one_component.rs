use std_ecs::{Column, Columns};

#[derive(Clone, Debug)]
struct Velocity(f32);

#[derive(Clone, Debug, Default, Columns)]
struct Motions {
    velocities: Column<Velocity>,
}

#[derive(Clone, Debug, Default, Columns)]
struct Winds {
    velocities: Column<Velocity>,
}

#[derive(Clone, Debug, Default, Columns)]
struct Twice {
    first: Column<Velocity>,
    second: Column<Velocity>,
}

fn main() {}
