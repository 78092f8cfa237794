use std_ecs::{Column, Columns, Entities, World};

#[derive(Clone, Debug)]
struct Health;

#[derive(Clone, Debug, Columns)]
enum Either {
    One,
}

#[derive(Clone, Debug, Columns)]
struct Tuple(Column<Health>);

#[derive(Clone, Debug, World)]
struct Nobody {
    health: Column<Health>,
}

#[derive(Clone, Debug, World)]
struct Twice {
    these: Entities,
    those: Entities,
}

#[derive(Clone, Debug, Columns)]
struct Living {
    entities: Entities,
}

#[derive(Clone, Debug, World)]
struct Misspelt {
    entities: Entities,
    #[world(hold(Health))]
    living: Living,
}

fn main() {}
