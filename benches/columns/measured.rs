//! The measurements. Each is a group with a contender and its bound, at each number of rows.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use std_ecs::{Column, Entities, Entity, pairs, query};

use super::bounds::SparseSet;

pub const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Twelve bytes, as a position has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Three([f32; 3]);

/// Sixty-four bytes, as a matrix has.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sixteen([f32; 16]);

impl Three {
    fn add(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a += b;
        }
    }
}

fn entities(rows: usize) -> Vec<Entity> {
    Entities::default().spawn_many(rows)
}

fn column<T: Clone>(entities: impl IntoIterator<Item = Entity>, value: T) -> Column<T> {
    let mut column = Column::default();
    column.extend(entities.into_iter().map(|entity| (entity, value.clone())));
    column
}

/// The same numbers in an order without pattern, from a generator that every run repeats.
fn shuffled<T>(mut items: Vec<T>) -> Vec<T> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for at in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(at, (state >> 33) as usize % (at + 1));
    }
    items
}

pub fn all(criterion: &mut Criterion) {
    walk(criterion);
    look_up(criterion);
    insert_and_remove(criterion);
    get(criterion);
    clone(criterion);
    rewrite(criterion);
    changed(criterion);
}

fn walk(criterion: &mut Criterion) {
    let one = Three([1.0, 2.0, 3.0]);
    let mut group = criterion.benchmark_group("walk_for");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let (mut a, b) = (vec![one; rows], vec![one; rows]);
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            bencher.iter(|| {
                for (a, b) in black_box(&mut a).iter_mut().zip(black_box(&b)) {
                    a.add(b);
                }
            });
        });
        let entities = entities(rows);
        let (mut a, b) = (column(entities.clone(), one), column(entities, one));
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher.iter(|| {
                for (_, a, b) in pairs(black_box(&mut a), black_box(&b)) {
                    a.add(b);
                }
            });
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("walk_for_each");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let (mut a, b) = (vec![one; rows], vec![one; rows]);
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            bencher.iter(|| black_box(&mut a).iter_mut().zip(black_box(&b)).for_each(|(a, b)| a.add(b)));
        });
        let entities = entities(rows);
        let (mut a, b) = (column(entities.clone(), one), column(entities, one));
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher.iter(|| pairs(black_box(&mut a), black_box(&b)).for_each(|(_, a, b)| a.add(b)));
        });
    }
    group.finish();

    // Slices as parameters are known not to overlap: both sides get the same loop.
    #[inline(never)]
    fn add_all(a: &mut [Three], b: &[Three]) {
        for (a, b) in a.iter_mut().zip(b) {
            a.add(b);
        }
    }
    let mut group = criterion.benchmark_group("walk_chunks");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let (mut a, b) = (vec![one; rows], vec![one; rows]);
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            bencher.iter(|| add_all(black_box(&mut a), black_box(&b)));
        });
        let entities = entities(rows);
        let (mut a, b) = (column(entities.clone(), one), column(entities, one));
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher
                .iter(|| pairs(black_box(&mut a), black_box(&b)).for_each_chunk(|(_, a, b)| add_all(a, b)));
        });
    }
    group.finish();
}

/// The second column has every second entity: the rows of the first are looked up, by the bound in a sparse
/// set of bare vectors.
fn look_up(criterion: &mut Criterion) {
    let one = Three([1.0, 2.0, 3.0]);
    for (name, is_loop) in [("look_up_for", true), ("look_up_for_each", false)] {
        let mut group = criterion.benchmark_group(name);
        for rows in SIZES {
            group.throughput(Throughput::Elements((rows / 2) as u64));
            let entities = entities(rows);
            let (mut all, mut half) = (SparseSet::default(), SparseSet::default());
            entities.iter().for_each(|entity| all.insert(entity.index(), one));
            entities.iter().step_by(2).for_each(|entity| half.insert(entity.index(), one));
            group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
                let add = |all: &mut SparseSet<Three>, (index, b): (&u32, &Three)| {
                    if let Some(a) = all.get_mut(*index) {
                        a.add(b);
                    }
                };
                if is_loop {
                    bencher.iter(|| {
                        let (all, half) = (black_box(&mut all), black_box(&half));
                        for row in half.owners.iter().zip(&half.values) {
                            add(all, row);
                        }
                    });
                } else {
                    bencher.iter(|| {
                        let (all, half) = (black_box(&mut all), black_box(&half));
                        half.owners.iter().zip(&half.values).for_each(|row| add(all, row));
                    });
                }
            });
            let b = column(entities.iter().copied().step_by(2), one);
            let mut a = column(entities, one);
            group.bench_function(BenchmarkId::new("column", rows), |bencher| {
                if is_loop {
                    bencher.iter(|| {
                        for (_, a, b) in pairs(black_box(&mut a), black_box(&b)) {
                            a.add(b);
                        }
                    });
                } else {
                    bencher.iter(|| pairs(black_box(&mut a), black_box(&b)).for_each(|(_, a, b)| a.add(b)));
                }
            });
        }
        group.finish();
    }
}

/// Into a column that was full before, so that its index is there; out of it in an order without pattern.
fn insert_and_remove(criterion: &mut Criterion) {
    let one = Three([1.0, 2.0, 3.0]);
    let mut group = criterion.benchmark_group("insert");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let entities = entities(rows);
        let mut warm = SparseSet::default();
        entities.iter().for_each(|entity| warm.insert(entity.index(), one));
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            bencher.iter_batched_ref(
                || {
                    let mut set = warm.clone();
                    entities.iter().rev().for_each(|entity| drop(set.remove(entity.index())));
                    set
                },
                |set| entities.iter().for_each(|entity| set.insert(entity.index(), one)),
                BatchSize::PerIteration,
            );
        });
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher.iter_batched_ref(
                || {
                    let mut column = column(entities.iter().copied(), one);
                    entities.iter().rev().for_each(|&entity| drop(column.remove(entity)));
                    column
                },
                |column| entities.iter().for_each(|&entity| drop(column.insert(entity, one))),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("remove");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let entities = entities(rows);
        let order = shuffled(entities.clone());
        let mut full = SparseSet::default();
        entities.iter().for_each(|entity| full.insert(entity.index(), one));
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            bencher.iter_batched_ref(
                || full.clone(),
                |set| order.iter().for_each(|entity| drop(black_box(set.remove(entity.index())))),
                BatchSize::PerIteration,
            );
        });
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher.iter_batched_ref(
                || column(entities.iter().copied(), one),
                |column| order.iter().for_each(|&entity| drop(black_box(column.remove(entity)))),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn get(criterion: &mut Criterion) {
    let one = Three([1.0, 2.0, 3.0]);
    let mut group = criterion.benchmark_group("get");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let entities = entities(rows);
        let order = shuffled(entities.clone());
        let mut set = SparseSet::default();
        entities.iter().for_each(|entity| set.insert(entity.index(), one));
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            bencher.iter(|| {
                order
                    .iter()
                    .filter_map(|entity| black_box(&set).get(entity.index()))
                    .map(|value| value.0[0])
                    .sum::<f32>()
            });
        });
        let column = column(entities, one);
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher.iter(|| {
                order
                    .iter()
                    .filter_map(|&entity| black_box(&column).get(entity))
                    .map(|value| value.0[0])
                    .sum::<f32>()
            });
        });
    }
    group.finish();
}

fn clone(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("clone");
    for rows in SIZES {
        let column = column(entities(rows), Three::default());
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher.iter(|| black_box(&column).clone());
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("first_write");
    for rows in SIZES {
        let entities = entities(rows);
        let middle = entities[rows / 2];
        let small = column(entities.clone(), Three::default());
        group.bench_function(BenchmarkId::new("12_bytes", rows), |bencher| {
            bencher.iter_batched_ref(
                || small.clone(),
                |column| drop(black_box(column.get_mut(middle))),
                BatchSize::PerIteration,
            );
        });
        let large = column(entities, Sixteen([0.0; 16]));
        group.bench_function(BenchmarkId::new("64_bytes", rows), |bencher| {
            bencher.iter_batched_ref(
                || large.clone(),
                |column| drop(black_box(column.get_mut(middle))),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// A walk that rewrites every row, of a column that a snapshot shares and of one that nobody shares.
pub fn rewrite(criterion: &mut Criterion) {
    let one = Three([1.0, 2.0, 3.0]);
    let mut group = criterion.benchmark_group("rewrite");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let mut column = column(entities(rows), one);
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            bencher.iter(|| query(black_box(&mut column)).for_each(|(_, value)| value.add(&one)));
        });
        // The snapshot of the step before is dropped as the next is taken, as a ring of snapshots does.
        let mut snapshot = column.clone();
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher.iter(|| {
                snapshot.clone_from(&column);
                query(black_box(&mut column)).for_each(|(_, value)| value.add(&one));
            });
        });
    }
    group.finish();
}

fn changed(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("changed_since");
    for rows in SIZES {
        let column = column(entities(rows), Three::default());
        let stamp = column.clock();
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher.iter(|| black_box(&column).changed_since(black_box(stamp)).count());
        });
    }
    group.finish();
}
