//! What a schedule costs: the overhead of empty systems, the usual workload, and two heavy systems.
//!
//! `cargo bench --bench schedule`. Figures of `empty` are for a system, those of `batch` for two systems that
//! run at the same time, both with one component read and one written each.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std_ecs::{Column, Columns, Entities, Schedule, Stage, Store, System, World, pairs, query};

/// One of many components; worlds of different sizes have different ones.
#[derive(Clone, Debug, PartialEq)]
struct Part<const WORLD: usize, const NUMBER: usize>(f32);

/// A world with a column for each name, and its two systems that do nothing.
macro_rules! world {
    ($World:ident, $Group:ident, $size:literal: $($name:ident $number:literal)*) => {
        #[derive(Clone, Debug, Default, Columns)]
        struct $Group {
            $($name: Column<Part<$size, $number>>,)*
        }

        #[derive(Clone, Debug, Default, World)]
        struct $World {
            entities: Entities,
            group: $Group,
        }

        impl $World {
            /// The world with a hundred rows in each column.
            fn filled() -> Self {
                let mut world = Self::default();
                for entity in world.entities.spawn_many(100) {
                    $(world.attach(entity, Part::<$size, $number>(1.0));)*
                }
                world
            }

            /// This many pairs of systems; those of a pair may run at the same time.
            fn schedule(pairs: usize) -> Schedule<Self> {
                let mut schedule = Schedule::new();
                for pair in 0..pairs {
                    let first = System::new(format!("first {pair}"), |_, _| {});
                    let second = System::new(format!("second {pair}"), |_, _| {});
                    let first = first.reads::<Part<$size, 2>>().writes::<Part<$size, 0>>();
                    let second = second.reads::<Part<$size, 3>>().writes::<Part<$size, 1>>();
                    add(&mut schedule, first);
                    add(&mut schedule, second);
                }
                schedule
            }
        }
    };
}

world!(Five, FiveParts, 5: c0 0 c1 1 c2 2 c3 3 c4 4);
world!(Twenty, TwentyParts, 20: c0 0 c1 1 c2 2 c3 3 c4 4 c5 5 c6 6 c7 7 c8 8 c9 9 c10 10 c11 11 c12 12 c13 13
    c14 14 c15 15 c16 16 c17 17 c18 18 c19 19);
world!(Fifty, FiftyParts, 50: c0 0 c1 1 c2 2 c3 3 c4 4 c5 5 c6 6 c7 7 c8 8 c9 9 c10 10 c11 11 c12 12 c13 13
    c14 14 c15 15 c16 16 c17 17 c18 18 c19 19 c20 20 c21 21 c22 22 c23 23 c24 24 c25 25 c26 26 c27 27 c28 28
    c29 29 c30 30 c31 31 c32 32 c33 33 c34 34 c35 35 c36 36 c37 37 c38 38 c39 39 c40 40 c41 41 c42 42 c43 43
    c44 44 c45 45 c46 46 c47 47 c48 48 c49 49);

fn add<W: World + Default + Send>(schedule: &mut Schedule<W>, system: System<W>) {
    schedule.add(Stage::Update, system).expect("the name is new and nothing is declared twice");
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool starts")
}

const PAIRS: usize = 32;

fn empty_systems<W: World + Default + Send>(
    criterion: &mut Criterion,
    columns: usize,
    mut world: W,
    mut schedule: Schedule<W>,
) {
    schedule.set_parallel(false);
    let mut group = criterion.benchmark_group("empty, in sequence");
    group.throughput(Throughput::Elements(2 * PAIRS as u64));
    group.bench_function(BenchmarkId::from_parameter(columns), |bencher| {
        bencher.iter(|| schedule.run(&mut world, Duration::ZERO));
    });
    group.finish();

    schedule.set_parallel(true);
    let mut group = criterion.benchmark_group("batch of two, in the pool");
    group.throughput(Throughput::Elements(PAIRS as u64));
    group.bench_function(BenchmarkId::from_parameter(columns), |bencher| {
        pool(2).install(|| bencher.iter(|| schedule.run(&mut world, Duration::ZERO)));
    });
    group.finish();
}

fn overhead(criterion: &mut Criterion) {
    empty_systems(criterion, 5, Five::filled(), Five::schedule(PAIRS));
    empty_systems(criterion, 20, Twenty::filled(), Twenty::schedule(PAIRS));
    empty_systems(criterion, 50, Fifty::filled(), Fifty::schedule(PAIRS));

    let mut group = criterion.benchmark_group("frame");
    let (mut world, mut schedule) = (Five::filled(), Five::schedule(0));
    group.bench_function("without systems, in the pool", |bencher| {
        pool(2).install(|| bencher.iter(|| schedule.run(&mut world, Duration::ZERO)));
    });
    let two = pool(2);
    group.bench_function("without systems, entering the pool", |bencher| {
        bencher.iter(|| two.install(|| schedule.run(&mut world, Duration::ZERO)));
    });
    let declares_nothing = |schedule: &mut Schedule<Five>| {
        for number in 0..64 {
            add(schedule, System::new(number.to_string(), |_, _| {}));
        }
    };
    declares_nothing(&mut schedule);
    schedule.set_parallel(false);
    group.bench_function("64 systems that declare nothing, in sequence", |bencher| {
        bencher.iter(|| schedule.run(&mut world, Duration::ZERO));
    });
    group.finish();
}

/// Four populations of 10,000 entities with (A,B), (A,B,C), (A,B,C,D) and (A,B,C,E), and three systems that
/// swap two components: the usual workload of such comparisons.
mod usual {
    use std_ecs::StoreMut;

    use super::{Column, Columns, Duration, Entities, Schedule, System, World, add, pairs};

    macro_rules! letters {
        ($($name:ident $field:ident)*) => {
            $(#[derive(Clone, Debug, PartialEq)] pub(super) struct $name(pub(super) f32);)*

            #[derive(Clone, Debug, Default, Columns)]
            pub(super) struct Letters { $(pub(super) $field: Column<$name>,)* }
        };
    }

    letters!(A a B b C c D d E e);

    #[derive(Clone, Debug, Default, World)]
    pub(super) struct Usual {
        entities: Entities,
        pub(super) letters: Letters,
    }

    pub(super) fn filled() -> Usual {
        let mut world = Usual::default();
        world.spawn_batch((0..10_000).map(|_| (A(0.0), B(0.0))));
        world.spawn_batch((0..10_000).map(|_| (A(0.0), B(0.0), C(0.0))));
        world.spawn_batch((0..10_000).map(|_| (A(0.0), B(0.0), C(0.0), D(0.0))));
        world.spawn_batch((0..10_000).map(|_| (A(0.0), B(0.0), C(0.0), E(0.0))));
        world
    }

    /// Two different columns of one world, both for writing, where nothing is known of the world.
    fn swap<X, Y, W>(world: &mut W, exchange: fn(&mut X, &mut Y))
    where
        X: Clone + std::fmt::Debug + 'static,
        Y: Clone + std::fmt::Debug + 'static,
        W: World + StoreMut<X> + StoreMut<Y>,
    {
        world.lend::<X, _>(|x, world| {
            pairs(x, world.column_of_mut::<Y>()).for_each(|(_, x, y)| exchange(x, y));
        });
    }

    pub(super) fn schedule() -> Schedule<Usual> {
        let mut schedule = Schedule::new();
        let ab = |world: &mut Usual, _: Duration| {
            swap::<A, B, _>(world, |a, b| std::mem::swap(&mut a.0, &mut b.0));
        };
        let cd = |world: &mut Usual, _: Duration| {
            swap::<D, C, _>(world, |d, c| std::mem::swap(&mut c.0, &mut d.0));
        };
        let ce = |world: &mut Usual, _: Duration| {
            swap::<E, C, _>(world, |e, c| std::mem::swap(&mut c.0, &mut e.0));
        };
        add(&mut schedule, System::new("swap a, b", ab).writes::<A>().writes::<B>());
        add(&mut schedule, System::new("swap c, d", cd).writes::<C>().writes::<D>());
        add(&mut schedule, System::new("swap c, e", ce).writes::<C>().writes::<E>());
        schedule
    }
}

fn workload(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("three systems over 40,000 entities");
    let (mut world, mut schedule) = (usual::filled(), usual::schedule());
    schedule.set_parallel(false);
    group.bench_function("in sequence", |bencher| {
        bencher.iter(|| schedule.run(&mut world, Duration::ZERO));
    });
    schedule.set_parallel(true);
    group.bench_function("on two threads", |bencher| {
        pool(2).install(|| bencher.iter(|| schedule.run(&mut world, Duration::ZERO)));
    });
    group.finish();
}

/// Two systems of a millisecond or so each, on one thread and on two.
fn heavy(criterion: &mut Criterion) {
    fn grind(value: &mut f32) {
        for _ in 0..40 {
            *value = (*value * 1.1 + 0.3).sqrt();
        }
        black_box(*value);
    }
    let mut schedule = Schedule::new();
    let a = |world: &mut usual::Usual, _: Duration| {
        query(&mut world.letters.a).for_each(|(_, a)| grind(&mut a.0));
    };
    let b = |world: &mut usual::Usual, _: Duration| {
        query(&mut world.letters.b).for_each(|(_, b)| grind(&mut b.0));
    };
    add(&mut schedule, System::new("grind a", a).writes::<usual::A>());
    add(&mut schedule, System::new("grind b", b).writes::<usual::B>());
    let mut world = usual::filled();
    let mut group = criterion.benchmark_group("two heavy systems");
    for threads in [1, 2] {
        group.bench_function(BenchmarkId::new("threads", threads), |bencher| {
            pool(threads).install(|| bencher.iter(|| schedule.run(&mut world, Duration::ZERO)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = overhead, workload, heavy
}
criterion_main!(benches);
