//! How do I do undo and redo?
//!
//! Keep the worlds. An edit is anything at all, of any number of components; there is no command to write
//! for it and none to write for its inverse. Worlds share the pages that an edit did not write.
//!
//! Run it with `cargo run --example undo`.

use std_ecs::{Change, Column, Columns, Entities, Entity, Store, World};

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

/// A drawing with its past and, after an undo, its future.
#[derive(Default)]
struct Editor {
    now: Drawing,
    past: Vec<Drawing>,
    future: Vec<Drawing>,
}

impl Editor {
    fn edit<R>(&mut self, work: impl FnOnce(&mut Drawing) -> R) -> R {
        self.past.push(self.now.clone());
        self.future.clear();
        work(&mut self.now)
    }

    fn undo(&mut self) -> bool {
        let Some(earlier) = self.past.pop() else { return false };
        self.future.push(std::mem::replace(&mut self.now, earlier));
        true
    }

    fn redo(&mut self) -> bool {
        let Some(later) = self.future.pop() else { return false };
        self.past.push(std::mem::replace(&mut self.now, later));
        true
    }

    /// What the last edit did to one column. The edit itself wrote no record of that.
    fn last_edit(&self) -> Vec<Change<'_, Place>> {
        let now = &self.now.shapes.places;
        self.past.last().map_or_else(Vec::new, |before| now.diff(&before.shapes.places).collect())
    }
}

fn main() {
    let mut editor = Editor::default();
    let square = |drawing: &mut Drawing, x| -> Entity {
        drawing.spawn_with((Label(format!("square at {x}")), Place { x, y: 0 }))
    };
    let first = editor.edit(|drawing| square(drawing, 1));
    let second = editor.edit(|drawing| square(drawing, 2));
    editor.edit(|drawing| {
        drawing.despawn(first);
        drawing.attach(second, Place { x: 2, y: 5 });
    });
    println!("the last edit: {:?}", editor.last_edit());
    assert_eq!(
        editor.last_edit(),
        [
            Change::Changed { entity: second, old: &Place { x: 2, y: 0 }, new: &Place { x: 2, y: 5 } },
            Change::Detached { entity: first, old: &Place { x: 1, y: 0 } },
        ]
    );

    assert!(editor.undo());
    println!("undone:        {:?}", editor.now.shapes.places);
    // The handle of what was despawned is good again, because this is the world that handed it out.
    assert_eq!(editor.now.get::<Label>(first), Some(&Label("square at 1".into())));

    assert!(editor.undo() && editor.undo() && !editor.undo());
    assert_eq!(editor.now, Drawing::default());

    assert!(editor.redo() && editor.redo() && editor.redo() && !editor.redo());
    println!("redone:        {:?}", editor.now.shapes.places);
    assert!(!editor.now.is_alive(first));

    editor.undo();
    editor.edit(|drawing| drawing.despawn(second));
    assert!(!editor.redo(), "an edit after an undo begins another future");
    println!("another way:   {:?}", editor.now.shapes.places);
}
