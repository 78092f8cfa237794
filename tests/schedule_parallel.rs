//! Systems that run at the same time: nobody can tell from the world that comes out.
#![cfg(feature = "parallel")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};
use std_ecs::{
    Column, Columns, Entities, Events, Hierarchy, Parent, Schedule, Single, Stage, Store, System, World,
    pairs, query,
};

#[derive(Clone, Debug, PartialEq)]
struct A(u64);

#[derive(Clone, Debug, PartialEq)]
struct B(u64);

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Letters {
    a: Column<A>,
    b: Column<B>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    letters: Letters,
    said: Events<(usize, usize)>,
    many: Many,
}

/// As many singles as names, and the places of all of them.
macro_rules! many {
    ($($name:ident)*) => {
        #[derive(Clone, Debug, Default, PartialEq, Columns)]
        struct Many {
            $($name: Single<u64>,)*
        }

        fn places() -> Vec<fn(&mut Game) -> &mut Single<u64>> {
            vec![$(|game| &mut game.many.$name),*]
        }

        fn numbers(game: &Game) -> Vec<u64> {
            vec![$(*game.many.$name),*]
        }
    };
}

many! {
    s00 s01 s02 s03 s04 s05 s06 s07 s08 s09 s10 s11 s12 s13 s14 s15 s16 s17 s18 s19 s20 s21
    s22 s23 s24 s25 s26 s27 s28 s29 s30 s31 s32 s33 s34 s35 s36 s37 s38 s39 s40 s41 s42 s43
    s44 s45 s46 s47 s48 s49 s50 s51 s52 s53 s54 s55 s56 s57 s58 s59 s60 s61 s62 s63
}

const FRAME: Duration = Duration::from_millis(16);

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Fails if the work takes longer than this, instead of waiting for ever.
fn within(limit: Duration, work: impl FnOnce() + Send + 'static) {
    let (done, finished) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    match finished.recv_timeout(limit) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        _ => worker.join().unwrap(),
    }
}

#[test]
fn systems_that_write_two_columns_of_one_group_run_at_the_same_time() {
    within(Duration::from_secs(20), || {
        let together = Arc::new(Barrier::new(2));
        let wait = |name: &str, run: fn(&mut Game)| {
            let together = together.clone();
            System::new(name, move |game: &mut Game, _| {
                together.wait();
                run(game);
            })
        };
        let mut schedule = Schedule::new();
        let a = wait("a", |game| game.letters.a.iter_mut().for_each(|(_, a)| a.0 += 1)).writes::<A>();
        let b = wait("b", |game| game.letters.b.iter_mut().for_each(|(_, b)| b.0 += 1)).writes::<B>();
        schedule.add(Stage::Update, a).unwrap().add(Stage::Update, b).unwrap();
        assert!(schedule.conflicts().is_empty());
        let mut game = Game::default();
        let entity = game.spawn_with((A(1), B(2)));
        let pool = pool(2);
        for _ in 0..50 {
            pool.install(|| schedule.run(&mut game, FRAME));
        }
        assert_eq!((game.get::<A>(entity), game.get::<B>(entity)), (Some(&A(51)), Some(&B(52))));
    });
}

#[test]
fn many_systems_with_parallel_queries_inside_neither_hang_nor_differ() {
    within(Duration::from_mins(1), || {
        let mut schedule = Schedule::new();
        for (number, place) in places().into_iter().enumerate() {
            let system = System::new(format!("sum {number}"), move |game: &mut Game, _: Duration| {
                // The order is computed on first use, by whoever comes first.
                let depth = game.hierarchy.depth_order(&game.letters.a).len() as u64;
                let sum = std::sync::atomic::AtomicU64::new(0);
                pairs(&game.letters.a, &game.letters.b).par_for_each(|(_, a, b): (_, &A, &B)| {
                    sum.fetch_add(a.0 ^ b.0, Ordering::Relaxed);
                });
                let single = place(game);
                **single = single.wrapping_mul(31) + sum.into_inner() + depth + number as u64;
            });
            let system = system.reads::<A>().reads::<B>().reads::<Parent>().writes_part(place);
            schedule.add(Stage::Update, system).unwrap();
        }
        let write = |game: &mut Game, _: Duration| {
            query(&mut game.letters.a).par_for_each(|(_, a): (_, &mut A)| a.0 += 1);
            let owners: Vec<_> = game.letters.a.owners().take(2).collect();
            game.hierarchy.set_parent(owners[1], owners[0]).unwrap(); // what was computed is the past's
        };
        schedule.add(Stage::Late, System::new("write", write).writes::<A>().writes::<Parent>()).unwrap();
        assert_eq!(schedule.plan().stages[2].batches.len(), 1, "all in one batch");

        let mut start = Game::default();
        start.spawn_batch((0..200).map(|number| (A(number), B(3 * number))));
        let mut expected = start.clone();
        schedule.set_parallel(false);
        for _ in 0..1_000 {
            schedule.run(&mut expected, FRAME);
        }
        schedule.set_parallel(true);
        let mut game = start;
        pool(2).install(|| {
            for _ in 0..1_000 {
                schedule.run(&mut game, FRAME);
            }
        });
        assert_eq!(numbers(&game), numbers(&expected));
        assert!(game == expected);
    });
}

#[test]
fn events_of_several_systems_come_in_declared_order() {
    let emitter = |number: usize| {
        System::new(format!("emit {number}"), move |game: &mut Game, _: Duration| {
            for event in 0..10 {
                game.said.emit((number, event));
            }
        })
        .writes_part(|game| &mut game.said)
    };
    let expected: Vec<_> = (0..8).flat_map(|number| (0..10).map(move |event| (number, event))).collect();
    for threads in [1, 2, 16] {
        let mut schedule = Schedule::new();
        for number in 0..8 {
            schedule.add(Stage::Update, emitter(number)).unwrap();
        }
        let pool = pool(threads);
        for _ in 0..100 {
            let mut game = Game::default();
            pool.install(|| schedule.run(&mut game, FRAME));
            assert_eq!(game.said.iter().copied().collect::<Vec<_>>(), expected);
        }
    }
}

#[test]
fn the_first_payload_in_declared_order_is_passed_on_also_if_it_came_last() {
    within(Duration::from_secs(20), || {
        let later = Arc::new(Barrier::new(2));
        let slow = later.clone();
        let first = System::new("first", move |_: &mut Game, _| {
            slow.wait();
            std::thread::sleep(Duration::from_millis(2));
            std::panic::panic_any("first");
        });
        let second = System::new("second", move |_: &mut Game, _| {
            later.wait();
            std::panic::panic_any("second");
        });
        let mut schedule = Schedule::new();
        schedule.add(Stage::Update, first.writes::<A>()).unwrap();
        schedule.add(Stage::Update, second.writes::<B>().spawns()).unwrap();
        let late = |game: &mut Game, _: Duration| game.said.emit((0, 0));
        schedule.add(Stage::Late, System::new("late", late).writes_part(|game| &mut game.said)).unwrap();
        let pool = pool(2);
        let mut game = Game::default();
        game.spawn_with((A(1), B(2)));
        let before = game.clone();
        for _ in 0..20 {
            let run = catch_unwind(AssertUnwindSafe(|| pool.install(|| schedule.run(&mut game, FRAME))));
            assert_eq!(run.unwrap_err().downcast_ref(), Some(&"first"));
            assert!(game == before);
        }
        schedule.remove("first").unwrap();
        schedule.remove("second").unwrap();
        schedule.run(&mut game, FRAME);
        assert_eq!(game.said.len(), 1);
    });
}

#[test]
fn two_worlds_on_one_pool_do_not_disturb_each_other() {
    within(Duration::from_secs(30), || {
        let schedule = |panics: bool| {
            let mut schedule = Schedule::new();
            for (number, place) in places().into_iter().take(8).enumerate() {
                let run = move |game: &mut Game, _: Duration| {
                    query(&game.letters.a).par_for_each(|_: (_, &A)| ());
                    **place(game) += 1;
                    assert!(!panics || number % 2 == 0, "number {number}");
                };
                let system = System::new(number.to_string(), run).reads::<A>().writes_part(place);
                schedule.add(Stage::Update, system).unwrap();
            }
            schedule
        };
        let pool = Arc::new(pool(2));
        let play = |panics: bool| {
            let (pool, mut schedule, mut game) = (pool.clone(), schedule(panics), Game::default());
            game.spawn_batch((0..300).map(|number| (A(number),)));
            std::thread::spawn(move || {
                for _ in 0..200 {
                    let run =
                        catch_unwind(AssertUnwindSafe(|| pool.install(|| schedule.run(&mut game, FRAME))));
                    assert_eq!(run.is_err(), panics);
                }
                numbers(&game)[..8].to_vec()
            })
        };
        let worlds = [play(false), play(true), play(false)].map(|world| world.join().unwrap());
        assert!(worlds.iter().all(|numbers| *numbers == [200; 8]), "{worlds:?}");
    });
}

#[test]
fn spawning_and_despawning_in_one_frame_strand_nothing() {
    // One system ends every entity with an even number, another gives all of them a component.
    let end = || {
        let run = |game: &mut Game, _: Duration| {
            let even = query(&game.letters.a).filter(|(_, a): &(_, &A)| a.0 % 2 == 0);
            let even: Vec<_> = even.map(|(entity, _)| entity).collect();
            assert!(game.despawn_many(even.iter().copied()) > 0);
            assert_eq!(game.despawn_many(even), 0, "a second time ends nobody");
        };
        System::new("end", run).despawns()
    };
    let give = |targets: Vec<std_ecs::Entity>| {
        let run = move |game: &mut Game, _: Duration| {
            for &target in &targets {
                assert_eq!(game.attach(target, B(7)), game.is_alive(target));
            }
        };
        System::new("give", run).writes::<B>()
    };
    let spawn = || {
        let run = |game: &mut Game, _: Duration| {
            for _ in 0..5 {
                game.spawn_with((A(1),));
            }
        };
        System::new("spawn", run).spawns().writes::<A>()
    };
    for order in 0..6 {
        let results = [1, 2, 16].map(|threads| {
            let mut game = Game::default();
            let targets = game.spawn_batch((0..10).map(|number| (A(number),)));
            let mut systems = vec![end(), give(targets.clone()), spawn()];
            let first = systems.remove(order % 3);
            let second = systems.remove(order / 3);
            let mut schedule = Schedule::new();
            for system in [first, second].into_iter().chain(systems) {
                schedule.add(Stage::Update, system).unwrap();
            }
            pool(threads).install(|| schedule.run(&mut game, FRAME));
            game.check().unwrap();
            for (_, (entity, b)) in targets.iter().zip(game.column_of::<B>().iter()) {
                assert_eq!((b, game.get::<A>(entity).map(|a| a.0 % 2)), (&B(7), Some(1)));
            }
            assert_eq!((game.entities.len(), game.letters.b.len()), (10, 5));
            game
        });
        assert!(results.iter().all(|game| *game == results[0]), "order {order}");
    }
}

#[test]
fn renaming_systems_and_adding_unrelated_ones_changes_nothing() {
    let mix = |name: &str, factor: u64| {
        let run = move |game: &mut Game, _: Duration| {
            let a = game.letters.a.clone();
            for (entity, b) in &mut game.letters.b {
                b.0 = b.0.wrapping_mul(factor) ^ a.get(entity).map_or(0, |a| a.0);
            }
        };
        System::new(name, run).reads::<A>().writes::<B>()
    };
    let bump = |name: &str| {
        let run = |game: &mut Game, _: Duration| game.letters.a.iter_mut().for_each(|(_, a)| a.0 += 1);
        System::new(name, run).writes::<A>()
    };
    let names = [["mix", "bump", "again"], ["z", "y", "x"], ["a", "b", "c"], ["b", "c", "a"]];
    let mut results = Vec::new();
    for (number, [first, second, third]) in names.into_iter().enumerate() {
        for threads in [1, 3] {
            let mut schedule = Schedule::new();
            schedule.add(Stage::Update, mix(first, 31)).unwrap();
            schedule.add(Stage::Update, bump(second)).unwrap();
            schedule.add(Stage::Update, mix(third, 17)).unwrap();
            if number > 1 {
                schedule.insert_before(first, System::new("unrelated", |_, _| {}).reads_entities()).unwrap();
            }
            let mut game = Game::default();
            game.spawn_batch((0..50).map(|number| (A(number), B(number))));
            pool(threads).install(|| {
                for _ in 0..10 {
                    schedule.run(&mut game, FRAME);
                }
            });
            results.push(game);
        }
    }
    assert!(results.iter().all(|game| *game == results[0]));
}

#[test]
fn a_stage_of_more_systems_than_a_batch_holds_runs_them_all() {
    let mut schedule = Schedule::new();
    for round in 0..3 {
        for (number, place) in places().into_iter().enumerate() {
            let run = move |game: &mut Game, _: Duration| **place(game) += 1;
            let system = System::new(format!("{round} {number}"), run).writes_part(place);
            schedule.add(Stage::Update, system).unwrap();
        }
    }
    for number in 0..200 {
        schedule.add(Stage::Update, System::new(format!("idle {number}"), |_, _| {}).reads::<A>()).unwrap();
    }
    let plan = schedule.plan();
    let batches: Vec<usize> = plan.stages[2].batches.iter().map(Vec::len).collect();
    assert_eq!((batches.iter().sum::<usize>(), batches.iter().max()), (3 * 64 + 200, Some(&64)));
    let mut game = Game::default();
    pool(3).install(|| schedule.run(&mut game, FRAME));
    assert_eq!(numbers(&game), [3; 64]);
}

#[test]
fn no_two_systems_that_clash_are_ever_inside_at_the_same_time() {
    /// Who is inside of each place: a reader counts 1, a writer 1,000.
    static INSIDE: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = move |limit: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) % limit
    };
    let pool = pool(4);
    for _ in 0..40 {
        let mut schedule = Schedule::new();
        for number in 0..12 {
            let uses: Vec<u64> = (0..8).map(|_| below(5)).collect(); // 0 reads, 1 writes, else nothing
            let inside = uses.clone();
            let mut system = System::new(number.to_string(), move |_: &mut Game, _| {
                for (place, how) in INSIDE.iter().zip(&inside).filter(|(_, how)| **how < 2) {
                    let before = place.fetch_add(if *how == 1 { 1_000 } else { 1 }, Ordering::SeqCst);
                    assert!(before == 0 || *how == 0 && before < 1_000, "{before} were inside");
                }
                for _ in 0..3 {
                    std::thread::yield_now();
                }
                for (place, how) in INSIDE.iter().zip(&inside).filter(|(_, how)| **how < 2) {
                    place.fetch_sub(if *how == 1 { 1_000 } else { 1 }, Ordering::SeqCst);
                }
            });
            for (place, how) in places().into_iter().zip(uses) {
                system = match how {
                    0 => system.reads_part(place),
                    1 => system.writes_part(place),
                    _ => system,
                };
            }
            schedule.add(Stage::Update, system).unwrap();
        }
        let mut game = Game::default();
        for _ in 0..20 {
            pool.install(|| schedule.run(&mut game, FRAME));
        }
    }
}

#[test]
fn systems_may_declare_a_great_deal() {
    let mut schedule = Schedule::new();
    for number in 0..64 {
        let run = |game: &mut Game, _: Duration| assert_eq!(numbers(game), [0; 64]);
        let all = places().into_iter().fold(System::new(number.to_string(), run), System::reads_part);
        schedule.add(Stage::Update, all.reads::<A>()).unwrap();
    }
    for threads in [1, 2] {
        pool(threads).install(|| schedule.run(&mut Game::default(), FRAME));
    }
}
