use std_ecs::{Column, Columns, Entities, System, World};

#[derive(Clone, Debug)]
struct Velocity(f32);

#[derive(Clone, Debug, Default, Columns)]
struct Motions {
    velocities: Column<Velocity>,
}

#[derive(Clone, Debug, Default, World)]
struct Empty {
    entities: Entities,
}

fn main() {
    let _ = Motions::default();
    let _ = System::<Empty>::new("movement", |_, _| {}).writes::<Velocity>();
}
