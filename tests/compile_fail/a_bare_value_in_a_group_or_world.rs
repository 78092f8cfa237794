use std_ecs::{Column, Columns, Entities, World};

#[derive(Clone, Debug)]
struct Wind;

#[derive(Clone, Debug, Default, Columns)]
struct Weather {
    winds: Column<Wind>,
    strength: f32,
}

#[derive(Clone, Debug, Default, Columns)]
struct Named {
    name: Option<String>,
}

#[derive(Clone, Debug, Default, World)]
struct Game {
    entities: Entities,
    scores: Vec<u32>,
}

#[derive(Clone, Debug, Default, World)]
struct Other {
    entities: Entities,
    best: (u32, u32),
}

#[derive(Clone, Debug, Default, World)]
struct Timed {
    entities: Entities,
    left: std::time::Duration,
}

fn main() {}
