use std_ecs::{Column, Columns, Entities, Entity, Store, World};

#[derive(Clone, Debug)]
pub struct Velocity(pub f32);

#[derive(Clone, Debug, Default, Columns)]
pub struct Motions {
    pub velocities: Column<Velocity>,
}

#[derive(Clone, Debug)]
pub struct Health(pub i32);

#[derive(Clone, Debug, Default, Columns)]
pub struct Bodies {
    pub health: Column<Health>,
}

#[derive(Clone, Debug, Default, World)]
struct Game {
    entities: Entities,
    bodies: Bodies,
}

fn brake<W: Store<Velocity>>(world: &mut W, entity: Entity) {
    world.detach(entity);
}

fn main() {
    let mut game = Game::default();
    let ship = game.spawn();
    game.attach(ship, Velocity(1.0));
    brake(&mut game, ship);
    game.spawn_with((Health(1), Velocity(1.0)));
}
