//! A bound: sparse sets written by hand, with no generations, no stamps and no checks beyond those of slices.

use crate::components::{
    self, Global, Position, Rotation, Transform, Velocity, below, bundle, position, rotation, step, velocity,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::sum;
use crate::workloads::Kind;

pub const PEER: &str = "sparse set";

const NONE: u32 = u32::MAX;

struct Set<T> {
    values: Vec<T>,
    owners: Vec<u32>,
    rows: Vec<u32>,
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self { values: Vec::new(), owners: Vec::new(), rows: Vec::new() }
    }
}

impl<T> Set<T> {
    fn insert(&mut self, entity: u32, value: T) {
        let index = entity as usize;
        if index >= self.rows.len() {
            self.rows.resize(index + 1, NONE);
        }
        let row = self.rows[index];
        if row == NONE {
            self.rows[index] = self.values.len() as u32;
            self.values.push(value);
            self.owners.push(entity);
        } else {
            self.values[row as usize] = value;
        }
    }

    fn remove(&mut self, entity: u32) -> Option<T> {
        let slot = self.rows.get_mut(entity as usize)?;
        let row = std::mem::replace(slot, NONE);
        if row == NONE {
            return None;
        }
        let value = self.values.swap_remove(row as usize);
        self.owners.swap_remove(row as usize);
        if let Some(moved) = self.owners.get(row as usize) {
            self.rows[*moved as usize] = row;
        }
        Some(value)
    }

    fn get(&self, entity: u32) -> Option<&T> {
        self.values.get(*self.rows.get(entity as usize)? as usize)
    }

    fn get_mut(&mut self, entity: u32) -> Option<&mut T> {
        self.values.get_mut(*self.rows.get(entity as usize)? as usize)
    }
}

#[derive(Default)]
pub struct Sets {
    born: u32,
    free: Vec<u32>,
    transforms: Set<Transform>,
    positions: Set<Position>,
    rotations: Set<Rotation>,
    velocities: Set<Velocity>,
}

impl Sets {
    pub fn spawn(&mut self, (transform, position, rotation, velocity): components::Bundle) -> u32 {
        let entity = self.free.pop().unwrap_or_else(|| {
            self.born += 1;
            self.born - 1
        });
        self.transforms.insert(entity, transform);
        self.positions.insert(entity, position);
        self.rotations.insert(entity, rotation);
        self.velocities.insert(entity, velocity);
        entity
    }

    pub fn despawn(&mut self, entity: u32) {
        self.transforms.remove(entity);
        self.positions.remove(entity);
        self.rotations.remove(entity);
        self.velocities.remove(entity);
        self.free.push(entity);
    }

    pub fn full(size: usize) -> Self {
        let mut sets = Self::default();
        (0..size).for_each(|index| {
            sets.spawn(bundle(index));
        });
        sets
    }

    fn half(size: usize) -> Self {
        let mut sets = Self::full(size);
        sets.velocities = Set::default();
        for index in (0..size).step_by(2) {
            sets.velocities.insert(index as u32, velocity(index));
        }
        sets
    }

    fn churned(size: usize) -> Self {
        let mut sets = Self::full(size);
        let plan::Churn { reattached, replaced } = plan::churn(size);
        for index in reattached {
            sets.velocities.remove(index as u32);
            sets.velocities.insert(index as u32, velocity(index));
        }
        for index in replaced {
            sets.despawn(index as u32);
            sets.spawn(bundle(size + index));
        }
        sets
    }

    fn walk(&mut self) {
        for (owner, velocity) in self.velocities.owners.iter().zip(&self.velocities.values) {
            if let Some(position) = self.positions.get_mut(*owner) {
                step(position, velocity);
            }
        }
    }
}

pub fn positions(sets: &mut Sets) -> u64 {
    sum(&sets.positions.values)
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach | Kind::Memory => vec![Entry::fresh(
            PEER,
            "insert",
            Sets::default,
            move |sets| {
                (0..size).for_each(|index| {
                    sets.spawn(bundle(index));
                });
            },
            positions,
        )],
        Kind::WalkForEach | Kind::WalkFor => {
            vec![Entry::steady(PEER, "join", Sets::full(size), Sets::walk, positions)]
        }
        Kind::HalfAsItComes => vec![Entry::steady(PEER, "join", Sets::half(size), Sets::walk, positions)],
        Kind::ChurnedAsItComes => {
            vec![Entry::steady(PEER, "join", Sets::churned(size), Sets::walk, positions)]
        }
        Kind::Add => vec![Entry::prepared(
            PEER,
            "insert",
            Sets::full(size),
            move |sets| {
                (0..size as u32).for_each(|entity| {
                    sets.velocities.remove(entity);
                })
            },
            move |sets| (0..size).for_each(|index| sets.velocities.insert(index as u32, velocity(index))),
            |sets| sum(&sets.velocities.values),
        )],
        Kind::Remove => vec![Entry::prepared(
            PEER,
            "remove",
            Sets::full(size),
            move |sets| (0..size).for_each(|index| sets.velocities.insert(index as u32, velocity(index))),
            move |sets| {
                (0..size as u32).for_each(|entity| {
                    sets.velocities.remove(entity);
                })
            },
            |sets| sum(&sets.velocities.values),
        )],
        Kind::Get => {
            let order: Vec<u32> = plan::shuffled(size).into_iter().map(|index| index as u32).collect();
            vec![Entry::steady(
                PEER,
                "get",
                (Sets::full(size), order, 0_u64),
                |(sets, order, total)| {
                    *total = order.iter().fold(0, |total, entity| {
                        total
                            + sets
                                .positions
                                .get(*entity)
                                .map_or(0, |position| u64::from(position.x.to_bits()))
                    });
                },
                |state| state.2,
            )]
        }
        Kind::Despawn => vec![Entry::fresh(
            PEER,
            "remove from each",
            move || (Sets::full(size), plan::shuffled(size)),
            |(sets, order)| order.iter().for_each(|entity| sets.despawn(*entity as u32)),
            |state| sum(&state.0.positions.values),
        )],
        Kind::Propagate => vec![propagate(size)],
        Kind::Rounds => vec![Entry::fresh(
            PEER,
            "remove, insert",
            move || Sets::full(size),
            move |sets| rounds(sets, size),
            positions,
        )],
        _ => Vec::new(),
    }
}

fn rounds(sets: &mut Sets, size: usize) {
    for round in plan::ROUNDS {
        for entity in (0..size as u32).step_by(round) {
            sets.positions.remove(entity);
            sets.rotations.remove(entity);
            sets.velocities.remove(entity);
        }
        for index in (0..size).step_by(round) {
            sets.positions.insert(index as u32, position(index));
            sets.rotations.insert(index as u32, rotation(index));
            sets.velocities.insert(index as u32, velocity(index));
        }
    }
    for index in size..size + plan::newcomers(size) {
        let entity = sets.born;
        sets.born += 1;
        sets.positions.insert(entity, position(index));
        sets.rotations.insert(entity, rotation(index));
        sets.velocities.insert(entity, velocity(index));
    }
}

struct Tree {
    order: Vec<(u32, u32)>,
    locals: Set<Position>,
    globals: Set<Global>,
}

fn propagate(size: usize) -> Entry {
    let parents = plan::random_parents(size);
    let mut tree = Tree { order: Vec::new(), locals: Set::default(), globals: Set::default() };
    for index in 0..size {
        tree.locals.insert(index as u32, position(index));
        tree.globals.insert(index as u32, Global::default());
    }
    tree.order = plan::depth_order(&parents)
        .into_iter()
        .map(|node| (node as u32, parents[node].map_or(NONE, |parent| parent as u32)))
        .collect();
    Entry::steady(
        PEER,
        "get by depth",
        tree,
        |tree| {
            tree.locals.values[0].y += 1.0;
            for (node, parent) in &tree.order {
                let parent = tree.globals.get(*parent).copied().unwrap_or_default();
                if let (Some(local), Some(global)) = (tree.locals.get(*node), tree.globals.get_mut(*node)) {
                    *global = below(parent, local);
                }
            }
        },
        |tree| sum(&tree.globals.values),
    )
}
