use std_ecs::{Column, Columns, Entities, Hierarchy, Parent, StoreMut, World, query};

#[derive(Clone, Debug)]
struct Mark;

#[derive(Clone, Debug, Default, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    marks: Column<Mark>,
}

fn orphan<W: StoreMut<Parent>>(world: &mut W) {
    world.column_mut().clear();
}

fn main() {
    let mut game = Game::default();
    for (_, parent) in query(&mut game.hierarchy) {
        let _ = parent;
    }
    for (_, parent) in query(game.column_of_mut::<Parent>()) {
        let _ = parent;
    }
    orphan(&mut game);
}
