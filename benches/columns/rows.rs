//! What the measurements are made with.

use std_ecs::{Column, Entities, Entity};

pub(crate) const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Twelve bytes, as a position has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Three(pub(crate) [f32; 3]);

impl Three {
    pub(crate) fn add(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a += b;
        }
    }
}

pub(crate) fn entities(rows: usize) -> Vec<Entity> {
    Entities::default().spawn_many(rows)
}

pub(crate) fn column<T: Clone>(entities: impl IntoIterator<Item = Entity>, value: T) -> Column<T> {
    let mut column = Column::default();
    column.extend(entities.into_iter().map(|entity| (entity, value.clone())));
    column
}
