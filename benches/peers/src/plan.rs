//! The seeded choices that every contender follows: orders, trees and who is touched.

/// A generator of numbers that are the same on every machine (xorshift*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let wide = u128::from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)) * end as u128;
        (wide >> 64) as usize
    }

    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            let other = self.below(last + 1);
            values.swap(last, other);
        }
    }
}

/// The numbers below `size` in a random order.
pub fn shuffled(size: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..size).collect();
    Random::new(42).shuffle(&mut order);
    order
}

/// `values` in the order of [`shuffled`].
pub fn in_shuffled_order<T: Copy>(values: &[T]) -> Vec<T> {
    shuffled(values.len()).into_iter().map(|index| values[index]).collect()
}

/// What the churned workloads do before they are timed.
pub struct Churn {
    /// Entities whose velocity is taken away and put back, in this order.
    pub reattached: Vec<usize>,
    /// Entities that are despawned, each followed by a new one with all four components.
    pub replaced: Vec<usize>,
}

pub fn churn(size: usize) -> Churn {
    let order = shuffled(size);
    let reattached = order[..size * 3 / 10].to_vec();
    let mut replaced = order;
    Random::new(7).shuffle(&mut replaced);
    replaced.truncate(size / 10);
    Churn { reattached, replaced }
}

/// One in a hundred, anywhere.
pub fn scattered(size: usize) -> Vec<usize> {
    shuffled(size)[..(size / 100).max(1)].to_vec()
}

/// One in a hundred, side by side.
pub fn together(size: usize) -> Vec<usize> {
    let start = size / 3;
    (start..start + (size / 100).max(1)).collect()
}

/// For every node but the first its parent, chosen among the nodes before it.
pub fn random_parents(size: usize) -> Vec<Option<usize>> {
    let mut random = Random::new(1234);
    (0..size).map(|node| (node > 0).then(|| random.below(node))).collect()
}

/// The nodes with each parent before its children, the nodes of one depth in order.
pub fn depth_order(parents: &[Option<usize>]) -> Vec<usize> {
    let mut depths = vec![0_usize; parents.len()];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            depths[node] = depths[*parent] + 1;
        }
    }
    let mut order: Vec<usize> = (0..parents.len()).collect();
    order.sort_by_key(|node| depths[*node]);
    order
}

/// A forest of 48 roots with fan-outs 4, 4, 3, 3, 2, 2: for every node its parent, parents first.
pub struct Forest {
    pub parents: Vec<Option<usize>>,
    pub leaves: Vec<usize>,
}

pub fn forest() -> Forest {
    let mut parents = vec![None; 48];
    let mut level: Vec<usize> = (0..48).collect();
    for fan_out in [4, 4, 3, 3, 2, 2] {
        let mut next = Vec::with_capacity(level.len() * fan_out);
        for parent in level {
            for _ in 0..fan_out {
                next.push(parents.len());
                parents.push(Some(parent));
            }
        }
        level = next;
    }
    Forest { parents, leaves: level }
}

/// The leaves that one frame moves: 4,096 of them, others each frame.
pub fn moved_leaves(leaves: &[usize], frame: usize) -> impl Iterator<Item = usize> + '_ {
    (0..4_096).map(move |step| leaves[(frame * 977 + step * 5) % leaves.len()])
}

/// Who leaves and comes back in one of the rounds of removal: one in seven, eleven, thirteen.
pub const ROUNDS: [usize; 3] = [7, 11, 13];

/// How many new entities follow the rounds.
pub fn newcomers(size: usize) -> usize {
    size / 10
}
