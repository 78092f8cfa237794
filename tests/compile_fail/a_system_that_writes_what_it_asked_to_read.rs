use std_ecs::{Column, Columns, Entity, Store};

#[derive(Clone, Debug)]
struct Velocity(f32);

#[derive(Clone, Debug, Default, Columns)]
struct Motions {
    velocities: Column<Velocity>,
}

fn brake<W: Store<Velocity>>(world: &mut W, entity: Entity) {
    world.get_mut::<Velocity>(entity).unwrap().0 = 0.0;
    world.column_of_mut::<Velocity>().clear();
}

fn main() {}
