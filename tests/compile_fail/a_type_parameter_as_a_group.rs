use std_ecs::{Column, Columns, Entities, World};

#[derive(Clone, Debug, Default, World)]
struct Game<G> {
    entities: Entities,
    extra: G,
}

#[derive(Clone, Debug, Default, Columns)]
struct Outer<G> {
    inner: G,
}

#[derive(Clone, Debug, Default, Columns)]
struct Values<T> {
    values: Column<T>,
}

#[derive(Clone, Debug)]
struct Health;

#[derive(Clone, Debug, Default, Columns)]
struct Bodies<T: Clone + 'static> {
    health: Column<Health>,
    mood: std_ecs::Single<T>,
}

fn main() {}
