//! A bound: vectors of the same length side by side, walked as slices. An entity is an index.

use rayon::prelude::*;

use crate::components::{
    self, Global, KINDS, KindA, KindB, KindC, KindD, KindE, Position, Rotation, Shared, Transform, Velocity,
    below, bundle, invert_often, step, step_slices,
};
use crate::contender::Entry;
use crate::plan;
use crate::sums::sum;
use crate::workloads::Kind;

pub const PEER: &str = "slices";

#[derive(Clone, Default)]
struct Flat {
    transforms: Vec<Transform>,
    positions: Vec<Position>,
    rotations: Vec<Rotation>,
    velocities: Vec<Velocity>,
}

impl Flat {
    fn full(size: usize) -> Self {
        let mut flat = Self::default();
        (0..size).for_each(|index| flat.push(bundle(index)));
        flat
    }

    fn push(&mut self, (transform, position, rotation, velocity): components::Bundle) {
        self.transforms.push(transform);
        self.positions.push(position);
        self.rotations.push(rotation);
        self.velocities.push(velocity);
    }

    /// Copies into memory that is already there.
    fn copy_from(&mut self, other: &Self) {
        self.transforms.clone_from(&other.transforms);
        self.positions.clone_from(&other.positions);
        self.rotations.clone_from(&other.rotations);
        self.velocities.clone_from(&other.velocities);
    }
}

fn positions(flat: &mut Flat) -> u64 {
    sum(&flat.positions)
}

pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    match kind {
        Kind::InsertEach => vec![Entry::fresh(
            PEER,
            "push",
            Flat::default,
            move |flat| (0..size).for_each(|index| flat.push(bundle(index))),
            positions,
        )],
        Kind::InsertBatch | Kind::Memory => vec![Entry::fresh(
            PEER,
            "extend",
            Flat::default,
            move |flat| {
                flat.transforms.extend((0..size).map(components::transform));
                flat.positions.extend((0..size).map(components::position));
                flat.rotations.extend((0..size).map(components::rotation));
                flat.velocities.extend((0..size).map(components::velocity));
            },
            positions,
        )],
        Kind::WalkForEach => vec![Entry::steady(PEER, "zip for_each", Flat::full(size), for_each, positions)],
        Kind::WalkFor => vec![Entry::steady(
            PEER,
            "zip for",
            Flat::full(size),
            |flat| {
                for (position, velocity) in flat.positions.iter_mut().zip(&flat.velocities) {
                    step(position, velocity);
                }
            },
            positions,
        )],
        Kind::WalkChunks => vec![
            Entry::steady(
                PEER,
                "function",
                Flat::full(size),
                |flat| step_slices(&mut flat.positions, &flat.velocities),
                positions,
            ),
            Entry::steady(PEER, "inline", Flat::full(size), for_each, positions),
        ],
        Kind::HalfSorted => {
            let mut flat = Flat::full(size);
            flat.positions.sort_by_key(|position| position.x as usize % 2);
            flat.velocities = (0..size).step_by(2).map(components::velocity).collect();
            vec![Entry::steady(
                PEER,
                "function",
                flat,
                |flat| {
                    let moving = flat.velocities.len();
                    step_slices(&mut flat.positions[..moving], &flat.velocities);
                },
                positions,
            )]
        }
        Kind::Kinds => {
            let each = size / KINDS;
            let shared: Vec<Shared> = (0..each * KINDS).map(|index| Shared(index as f32)).collect();
            vec![Entry::steady(
                PEER,
                "iter_mut",
                shared,
                |shared| shared.iter_mut().for_each(|shared| shared.0 += 0.5),
                |shared| sum(&*shared),
            )]
        }
        Kind::Get => {
            let order = plan::shuffled(size);
            vec![Entry::steady(
                PEER,
                "index",
                (Flat::full(size), order, 0_u64),
                |(flat, order, total)| {
                    *total = order
                        .iter()
                        .fold(0, |total, index| total + u64::from(flat.positions[*index].x.to_bits()));
                },
                |state| state.2,
            )]
        }
        Kind::Parallel => vec![Entry::steady(
            PEER,
            "rayon",
            Flat::full(size),
            |flat| flat.transforms.par_iter_mut().for_each(invert_often),
            |flat| sum(&flat.transforms),
        )],
        Kind::Snapshot => vec![Entry::steady(
            PEER,
            "memcpy",
            (Flat::full(size), Flat::full(size)),
            |(live, saved)| saved.copy_from(live),
            |state| sum(&state.1.positions),
        )],
        Kind::Restore => vec![Entry::steady(
            PEER,
            "memcpy",
            (Flat::full(size), Flat::full(size)),
            |(live, saved)| live.copy_from(saved),
            |state| sum(&state.0.positions),
        )],
        Kind::Propagate => vec![propagate(size)],
        Kind::Schedule => vec![schedule(size)],
        _ => Vec::new(),
    }
}

fn for_each(flat: &mut Flat) {
    flat.positions.iter_mut().zip(&flat.velocities).for_each(|(position, velocity)| step(position, velocity));
}

struct Tree {
    /// The row of the parent, in depth order.
    parents: Vec<Option<u32>>,
    locals: Vec<Position>,
    globals: Vec<Global>,
}

fn propagate(size: usize) -> Entry {
    let parents = plan::random_parents(size);
    let order = plan::depth_order(&parents);
    let mut rows = vec![0_u32; size];
    for (row, node) in order.iter().enumerate() {
        rows[*node] = row as u32;
    }
    let tree = Tree {
        parents: order.iter().map(|node| parents[*node].map(|parent| rows[parent])).collect(),
        locals: order.iter().map(|node| components::position(*node)).collect(),
        globals: vec![Global::default(); size],
    };
    Entry::steady(
        PEER,
        "rows in depth order",
        tree,
        |tree| {
            tree.locals[0].y += 1.0;
            for row in 0..tree.locals.len() {
                let parent =
                    tree.parents[row].map_or(Global::default(), |parent| tree.globals[parent as usize]);
                tree.globals[row] = below(parent, &tree.locals[row]);
            }
        },
        |tree| sum(&tree.globals),
    )
}

#[derive(Default)]
struct Swapped {
    a: Vec<KindA>,
    b: Vec<KindB>,
    c: Vec<KindC>,
    d: Vec<KindD>,
    c_with_e: Vec<KindC>,
    e: Vec<KindE>,
}

fn schedule(size: usize) -> Entry {
    let each = size / 4;
    let mut swapped = Swapped::default();
    for index in 0..each * 4 {
        let value = index as f32;
        swapped.a.push(KindA(value));
        swapped.b.push(KindB(value + 0.25));
        match index / each {
            2 => {
                swapped.c.push(KindC(value + 0.5));
                swapped.d.push(KindD(value + 0.75));
            }
            3 => {
                swapped.c_with_e.push(KindC(value + 0.5));
                swapped.e.push(KindE(value + 1.0));
            }
            _ => {}
        }
    }
    Entry::steady(
        PEER,
        "in turn",
        swapped,
        |swapped| {
            for (a, b) in swapped.a.iter_mut().zip(&mut swapped.b) {
                std::mem::swap(&mut a.0, &mut b.0);
            }
            for (c, d) in swapped.c.iter_mut().zip(&mut swapped.d) {
                std::mem::swap(&mut c.0, &mut d.0);
            }
            for (c, e) in swapped.c_with_e.iter_mut().zip(&mut swapped.e) {
                std::mem::swap(&mut c.0, &mut e.0);
            }
        },
        |swapped| {
            sum(&swapped.a)
                .wrapping_add(sum(&swapped.b))
                .wrapping_add(sum(&swapped.d))
                .wrapping_add(sum(&swapped.e))
        },
    )
}
