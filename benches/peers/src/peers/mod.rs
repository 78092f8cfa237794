//! Every contender, one file each.

mod bevy_ecs;
mod bevy_forest;
mod flecs_ecs;
mod freecs_dynamic;
mod freecs_kinds;
mod freecs_macro;
mod hecs;
mod legion;
mod shipyard;
pub mod slices;
pub mod sparse_set;
mod sparsey;
mod specs;
pub mod std_ecs;
mod std_ecs_trees;
pub mod std_ecs_worlds;

use crate::contender::Entry;
use crate::workloads::Kind;

/// The library this package belongs to.
pub const OURS: &str = "std-ecs";

/// Contenders that are no library: what bare memory allows.
pub const BOUNDS: [&str; 2] = [slices::PEER, sparse_set::PEER];

/// How many threads the parallel workloads use.
pub const THREADS: usize = 2;

/// All contenders that take part in a workload.
pub fn entries(kind: Kind, size: usize) -> Vec<Entry> {
    [
        std_ecs::entries,
        slices::entries,
        sparse_set::entries,
        hecs::entries,
        bevy_ecs::entries,
        sparsey::entries,
        shipyard::entries,
        specs::entries,
        legion::entries,
        freecs_macro::entries,
        freecs_dynamic::entries,
        flecs_ecs::entries,
    ]
    .into_iter()
    .flat_map(|entries| entries(kind, size))
    .collect()
}

/// Which of so many leaves each of the next frames moves, in turn.
fn frames(leaves: usize) -> Vec<Vec<usize>> {
    let leaves: Vec<usize> = (0..leaves).collect();
    (0..16).map(|frame| crate::plan::moved_leaves(&leaves, frame).collect()).collect()
}
