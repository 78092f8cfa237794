//! How do I do undo and redo?
//!
//! Keep the worlds. An edit is anything at all, of any number of components; there is no command to write
//! for it and none to write for its inverse. Worlds share the pages that an edit did not write. `Undo` keeps them
//! in order.
//!
//! Run it with `cargo run --example undo`.

use std_ecs::{Change, Column, Columns, Entities, Entity, Store, Undo, World};

#[derive(Clone, Debug, PartialEq)]
struct Label(String);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    x: i32,
    y: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Shapes {
    labels: Column<Label>,
    places: Column<Place>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Drawing {
    entities: Entities,
    shapes: Shapes,
}

fn square(drawing: &mut Drawing, x: i32) -> Entity {
    drawing.spawn_with((Label(format!("square at {x}")), Place { x, y: 0 }))
}

fn main() {
    let mut drawing = Drawing::default();
    let mut undo = Undo::new(&drawing, 100);

    let first = square(&mut drawing, 1);
    undo.edited(&drawing);
    let second = square(&mut drawing, 2);
    undo.edited(&drawing);

    // One edit, of several components of several entities.
    let before = drawing.clone();
    drawing.despawn(first);
    drawing.attach(second, Place { x: 2, y: 5 });
    undo.edited(&drawing);

    // The edit wrote no record of what it did. Two worlds are compared for that.
    let changes: Vec<_> = drawing.shapes.places.diff(&before.shapes.places).collect();
    println!("the last edit: {changes:?}");
    assert_eq!(
        changes,
        [
            Change::Changed { entity: second, old: &Place { x: 2, y: 0 }, new: &Place { x: 2, y: 5 } },
            Change::Detached { entity: first, old: &Place { x: 1, y: 0 } },
        ]
    );

    drawing = undo.undo().expect("three edits can be undone").clone();
    println!("undone:        {:?}", drawing.shapes.places);
    assert_eq!(drawing, before);
    // The handle of what was despawned is good again, because this is the world that handed it out.
    assert_eq!(drawing.get::<Label>(first), Some(&Label("square at 1".into())));

    while let Some(earlier) = undo.undo() {
        drawing = earlier.clone();
    }
    assert_eq!(drawing, Drawing::default());
    while let Some(later) = undo.redo() {
        drawing = later.clone();
    }
    println!("redone:        {:?}", drawing.shapes.places);
    assert!(!drawing.is_alive(first) && drawing.is_alive(second));

    drawing = undo.undo().expect("three edits can be undone").clone();
    drawing.despawn(second);
    undo.edited(&drawing);
    println!("another way:   {:?}", drawing.shapes.places);
    assert_eq!(undo.redo(), None, "an edit after an undo begins another future");
}
