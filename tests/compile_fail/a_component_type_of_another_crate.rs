use std::time::Instant;

use std_ecs::{Column, Columns, Entities, Entity, World};

#[derive(Clone, Debug, Default, Columns)]
struct Primitive {
    speeds: Column<f32>,
}

#[derive(Clone, Debug, Default, Columns)]
struct Standard {
    names: Column<String>,
}

#[derive(Clone, Debug, Default, Columns)]
struct StandardByPath {
    lifetimes: Column<std::time::Duration>,
}

#[derive(Clone, Debug, Default, Columns)]
struct StandardByUse {
    begun: Column<Instant>,
}

#[derive(Clone, Debug, Default, Columns)]
struct Generic {
    targets: Column<Option<Entity>>,
    tuples: Column<(f32, f32)>,
}

#[derive(Clone, Debug, Default, Columns)]
struct OfADependency {
    targets: Column<Entity>,
}

#[derive(Clone, Debug, Default, World)]
struct Game {
    entities: Entities,
    guards: Column<std_ecs::ComponentKey>,
}

#[derive(Clone, Debug, Default, World)]
struct Other {
    entities: Entities,
    counts: Column<u32>,
}

fn main() {}
