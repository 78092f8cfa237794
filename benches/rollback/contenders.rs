//! The same four components kept in three ways.
//!
//! They are `Copy`, as plain data should be: pages of such values are copied as bytes, and a frame that saves and
//! rewrites a column costs half of what it costs with `Clone` alone.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use std_ecs::{Column, Columns, Entities, Entity};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Transform([f32; 16]);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Position([f32; 3]);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rotation([f32; 3]);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Velocity([f32; 3]);

#[derive(Clone, Debug, Default, Serialize, Deserialize, Columns)]
pub(crate) struct Bodies {
    transforms: Column<Transform>,
    positions: Column<Position>,
    rotations: Column<Rotation>,
    velocities: Column<Velocity>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, std_ecs::World)]
pub(crate) struct World {
    entities: Entities,
    bodies: Bodies,
}

impl World {
    pub(crate) fn of(size: usize) -> Self {
        let mut world = Self::default();
        let entities = world.entities.spawn_many(size);
        let Bodies { transforms, positions, rotations, velocities } = &mut world.bodies;
        let each = || (0..1_000).cycle().map(|at: u16| f32::from(at));
        transforms.extend(entities.iter().copied().zip(each().map(|at| Transform([at; 16]))));
        positions.extend(entities.iter().copied().zip(each().map(|at| Position([at; 3]))));
        rotations.extend(entities.iter().copied().zip(each().map(|at| Rotation([at; 3]))));
        velocities.extend(entities.iter().copied().zip(each().map(|at| Velocity([at; 3]))));
        world
    }
}

/// Writes every position.
pub(crate) fn rewrite(world: &mut World) {
    for (_, positions) in world.bodies.positions.chunks_mut() {
        for Position(position) in positions {
            for axis in position {
                *axis += 1.0;
            }
        }
    }
}

/// Writes so many positions that lie together, in another place each turn.
pub(crate) fn touch(world: &mut World, rows: usize, turn: u64) {
    write_rows(&mut world.bodies.positions, rows, turn, |position| position.0[0] += 1.0);
}

/// Writes so many rows of each column that lie together, in another place each turn.
pub(crate) fn touch_all(world: &mut World, rows: usize, turn: u64) {
    let Bodies { transforms, positions, rotations, velocities } = &mut world.bodies;
    write_rows(transforms, rows, turn, |transform| transform.0[0] += 1.0);
    write_rows(positions, rows, turn, |position| position.0[0] += 1.0);
    write_rows(rotations, rows, turn, |rotation| rotation.0[0] += 1.0);
    write_rows(velocities, rows, turn, |velocity| velocity.0[0] += 1.0);
}

fn write_rows<T: Clone>(column: &mut Column<T>, rows: usize, turn: u64, write: impl Fn(&mut T)) {
    let length = column.len();
    let rows = rows.min(length);
    let first = (turn as usize * rows) % (length - rows + 1);
    let entities: Vec<Entity> = column.owners().skip(first).take(rows).collect();
    for entity in entities {
        if let Some(value) = column.get_mut(entity) {
            write(value);
        }
    }
}

/// A map for each component.
pub(crate) struct Maps {
    transforms: HashMap<Entity, Transform>,
    positions: HashMap<Entity, Position>,
    rotations: HashMap<Entity, Rotation>,
    velocities: HashMap<Entity, Velocity>,
}

impl Maps {
    pub(crate) fn save(world: &World) -> Self {
        fn map<T: Clone>(column: &Column<T>) -> HashMap<Entity, T> {
            column.iter().map(|(entity, value)| (entity, value.clone())).collect()
        }
        Self {
            transforms: map(&world.bodies.transforms),
            positions: map(&world.bodies.positions),
            rotations: map(&world.bodies.rotations),
            velocities: map(&world.bodies.velocities),
        }
    }

    pub(crate) fn load(&self, world: &mut World) {
        fn write_back<T: Clone>(column: &mut Column<T>, map: &HashMap<Entity, T>) {
            for (entity, value) in column {
                if let Some(saved) = map.get(&entity) {
                    value.clone_from(saved);
                }
            }
        }
        write_back(&mut world.bodies.transforms, &self.transforms);
        write_back(&mut world.bodies.positions, &self.positions);
        write_back(&mut world.bodies.rotations, &self.rotations);
        write_back(&mut world.bodies.velocities, &self.velocities);
    }
}

/// Plain vectors.
#[derive(Clone)]
pub(crate) struct Flat {
    transforms: Vec<Transform>,
    positions: Vec<Position>,
    rotations: Vec<Rotation>,
    velocities: Vec<Velocity>,
}

impl Flat {
    pub(crate) fn of(size: usize) -> Self {
        Self {
            transforms: vec![Transform([1.0; 16]); size],
            positions: vec![Position([1.0; 3]); size],
            rotations: vec![Rotation([1.0; 3]); size],
            velocities: vec![Velocity([1.0; 3]); size],
        }
    }

    /// A deep copy into memory that is there already.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.transforms.clone_from(&other.transforms);
        self.positions.clone_from(&other.positions);
        self.rotations.clone_from(&other.rotations);
        self.velocities.clone_from(&other.velocities);
    }

    pub(crate) fn rewrite(&mut self) {
        for Position(position) in &mut self.positions {
            for axis in position {
                *axis += 1.0;
            }
        }
    }
}
