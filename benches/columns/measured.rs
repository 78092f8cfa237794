//! The measurements. Each is a group with a contender and its bound, at each number of rows.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use std_ecs::{Column, Entity, pairs};

use crate::bounds::SparseSet;
use crate::rows::{SIZES, Three, column, entities};

/// Sixty-four bytes, as a matrix has.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sixteen([f32; 16]);

/// The same numbers in an order without pattern, from a generator that every run repeats.
fn shuffled<T>(mut items: Vec<T>) -> Vec<T> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for at in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(at, (state >> 33) as usize % (at + 1));
    }
    items
}

pub(crate) fn all(criterion: &mut Criterion) {
    walk(criterion);
    look_up(criterion);
    insert_and_remove(criterion);
    get(criterion);
    clone(criterion);
    changed(criterion);
}

/// Slices as parameters are known not to overlap: both sides get the same loop.
#[inline(never)]
fn add_all(a: &mut [Three], b: &[Three]) {
    for (a, b) in a.iter_mut().zip(b) {
        a.add(b);
    }
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
    for (name, is_loop) in [("look_up_for", true), ("look_up_for_each", false)] {
        let mut group = criterion.benchmark_group(name);
        for rows in SIZES {
            group.throughput(Throughput::Elements((rows / 2) as u64));
            let entities = entities(rows);
            let every_second: Vec<Entity> = entities.iter().copied().step_by(2).collect();
            let (mut all, half) = (set_with(&entities), set_with(&every_second));
            group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
                bencher.iter(|| join(black_box(&mut all), black_box(&half), is_loop));
            });
            let mut a = column(entities, Three::default());
            let b = column(every_second, Three::default());
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

fn join(all: &mut SparseSet<Three>, half: &SparseSet<Three>, is_loop: bool) {
    let mut add = |(index, b): (&u32, &Three)| {
        if let Some(a) = all.get_mut(*index) {
            a.add(b);
        }
    };
    let rows = half.owners.iter().zip(&half.values);
    if is_loop {
        for row in rows {
            add(row);
        }
    } else {
        rows.for_each(add);
    }
}

fn set_with(entities: &[Entity]) -> SparseSet<Three> {
    let mut set = SparseSet::default();
    insert_into_set(&mut set, entities);
    set
}

fn insert_into_set(set: &mut SparseSet<Three>, entities: &[Entity]) {
    for entity in entities {
        set.insert(entity.index(), Three::default());
    }
}

fn remove_from_set<'a>(set: &mut SparseSet<Three>, entities: impl IntoIterator<Item = &'a Entity>) {
    for entity in entities {
        black_box(set.remove(entity.index()));
    }
}

fn insert(column: &mut Column<Three>, entities: &[Entity]) {
    for &entity in entities {
        let _ = black_box(column.insert(entity, Three::default()));
    }
}

fn remove<'a>(column: &mut Column<Three>, entities: impl IntoIterator<Item = &'a Entity>) {
    for &entity in entities {
        black_box(column.remove(entity));
    }
}

/// Into a column that was full before, so that its index is there; out of it in an order without pattern.
fn insert_and_remove(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("insert");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let entities = entities(rows);
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            let empty = || {
                let mut set = set_with(&entities);
                remove_from_set(&mut set, entities.iter().rev());
                set
            };
            bencher.iter_batched_ref(empty, |set| insert_into_set(set, &entities), BatchSize::PerIteration);
        });
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            let empty = || {
                let mut column = column(entities.iter().copied(), Three::default());
                remove(&mut column, entities.iter().rev());
                column
            };
            bencher.iter_batched_ref(empty, |column| insert(column, &entities), BatchSize::PerIteration);
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("remove");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let entities = entities(rows);
        let order = shuffled(entities.clone());
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            bencher.iter_batched_ref(
                || set_with(&entities),
                |set| remove_from_set(set, &order),
                BatchSize::PerIteration,
            );
        });
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            bencher.iter_batched_ref(
                || column(entities.iter().copied(), Three::default()),
                |column| remove(column, &order),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn get(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("get");
    for rows in SIZES {
        group.throughput(Throughput::Elements(rows as u64));
        let entities = entities(rows);
        let order = shuffled(entities.clone());
        let set = set_with(&entities);
        group.bench_function(BenchmarkId::new("bound", rows), |bencher| {
            let get = |entity: &Entity| black_box(&set).get(entity.index()).map(|value| value.0[0]);
            bencher.iter(|| order.iter().filter_map(get).sum::<f32>());
        });
        let column = column(entities, Three::default());
        group.bench_function(BenchmarkId::new("column", rows), |bencher| {
            let get = |&entity: &Entity| black_box(&column).get(entity).map(|value| value.0[0]);
            bencher.iter(|| order.iter().filter_map(get).sum::<f32>());
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
                |column| {
                    black_box(column.get_mut(middle));
                },
                BatchSize::PerIteration,
            );
        });
        let large = column(entities, Sixteen([0.0; 16]));
        group.bench_function(BenchmarkId::new("64_bytes", rows), |bencher| {
            bencher.iter_batched_ref(
                || large.clone(),
                |column| {
                    black_box(column.get_mut(middle));
                },
                BatchSize::PerIteration,
            );
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
