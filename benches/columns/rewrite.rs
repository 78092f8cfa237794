//! Walks that write every row, with and without a snapshot that shares the pages.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use std_ecs::query;

use crate::rows::{SIZES, Three, column, entities};

/// A walk that rewrites every row, of a column that a snapshot shares and of one that nobody shares.
pub(crate) fn all(criterion: &mut Criterion, name: &str) {
    let one = Three([1.0, 2.0, 3.0]);
    let mut group = criterion.benchmark_group(name);
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
