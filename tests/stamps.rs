//! When rows were attached and changed, and who is told.

mod common;

use common::{Burning, Health, entity, ignore};
use std_ecs::{Column, Entities, Entity, Single, Stamp, pairs};

fn owners(rows: u32) -> Vec<Entity> {
    (0..rows).map(|index| entity(index, 1)).collect()
}

fn filled(rows: u32) -> Column<u32> {
    let mut column = Column::default();
    column.extend(owners(rows).into_iter().zip(0..));
    column
}

fn changed<T>(column: &Column<T>, since: u64) -> Vec<u32> {
    column.changed_since(since).map(|(owner, _)| owner.index()).collect()
}

fn attached<T>(column: &Column<T>, since: u64) -> Vec<u32> {
    column.attached_since(since).map(|(owner, _)| owner.index()).collect()
}

#[test]
fn an_attached_row_counts_as_changed_and_a_written_one_not_as_attached() {
    let mut column = filled(3);
    let before = column.clock();
    column.insert(entity(9, 1), 9).expect("the row is new");
    assert_eq!((attached(&column, before), changed(&column, before)), (vec![9], vec![9]));

    let inserted = column.clock();
    *column.get_mut(entity(9, 1)).expect("it has a row") += 1;
    assert_eq!((attached(&column, inserted), changed(&column, inserted)), (vec![], vec![9]));
    assert_eq!(column.stamp(entity(9, 1)), Some(Stamp { attached: inserted, changed: inserted + 1 }));
}

#[test]
fn replacing_is_a_change_and_attaching_again_is_an_attachment() {
    let (a, mut column) = (entity(0, 1), Column::default());
    let mut log = Vec::new();
    let steps: [fn(&mut Column<Burning>, Entity); 4] = [
        |column, owner| ignore(column.insert(owner, Burning)),
        |column, owner| ignore(column.insert(owner, Burning)),
        |column, owner| ignore(column.remove(owner)),
        |column, owner| ignore(column.insert(owner, Burning)),
    ];
    for step in steps {
        let before = column.clock();
        step(&mut column, a);
        log.push((attached(&column, before).len(), changed(&column, before).len(), column.contains(a)));
    }
    assert_eq!(log, [(1, 1, true), (0, 1, true), (0, 0, false), (1, 1, true)]);
}

#[test]
fn a_newer_entity_in_an_old_row_is_attached() {
    let mut column = filled(3);
    let before = column.clock();
    column.insert(entity(1, 2), 7).expect("newer");
    let found: Vec<_> = column.attached_since(before).collect();
    assert_eq!(found, [(entity(1, 2), &7)]);
}

#[test]
fn removing_what_is_not_there_touches_nothing() {
    let (mut column, health) = (filled(10), Column::<Health>::default());
    let snapshot = column.clone();
    assert_eq!(column.remove(entity(10, 1)), None);
    assert_eq!(column.remove(entity(3, 2)), None);
    assert_eq!(column.get_mut(entity(3, 2)), None);
    assert_eq!(column.clock(), snapshot.clock());
    assert_eq!(column.shared_pages(&snapshot), (1, 1), "not even a page was copied");
    assert_eq!(health.clock(), 0);
}

#[test]
fn one_written_row_of_a_shared_page_is_the_only_one_changed() {
    for rows in [1_000, 3_000] {
        let mut column = filled(rows);
        let snapshot = column.clone();
        *column.get_mut(entity(500, 1)).expect("it has a row") += 1;
        assert_eq!(changed(&column, snapshot.clock()), [500]);
        assert_eq!(changed(&snapshot, snapshot.clock()), [0; 0]);
    }
}

#[test]
fn a_row_that_moves_into_a_hole_keeps_its_stamps() {
    let mut column = filled(2_000);
    let last = entity(1_999, 1);
    *column.get_mut(last).expect("it has a row") += 1;
    let (before, stamp) = (column.clock(), column.stamp(last));
    column.remove(entity(0, 1));
    assert_eq!(column.row(last), Some(0));
    assert_eq!(column.stamp(last), stamp);
    assert_eq!(changed(&column, before), [0; 0]);
    assert_eq!(changed(&column, before - 1), [1_999]);
    assert_eq!(column.clock(), before + 1);
}

#[test]
fn sorting_and_retaining_move_stamps_with_their_rows() {
    let mut column = Column::default();
    for index in 0..1_500 {
        column.insert(entity(index, 1), index).expect("the row is new");
    }
    *column.get_mut(entity(700, 1)).expect("it has a row") = 0;
    let stamps: Vec<_> = owners(1_500).into_iter().map(|owner| column.stamp(owner)).collect();
    let before = column.clock();

    column.sort_by(|(_, left), (_, right)| right.cmp(left));
    assert_eq!(column.clock(), before + 1);
    assert_eq!(changed(&column, before), [0; 0], "a row in another place is not another value");
    column.retain(|owner, _| owner.index() % 2 == 0);
    for (owner, stamp) in owners(1_500).into_iter().zip(stamps).step_by(2) {
        assert_eq!(column.stamp(owner), stamp);
    }
    assert_eq!(changed(&column, before - 1), [700]);
}

#[test]
fn orders_and_filters_that_change_nothing_are_no_write() {
    let mut column = filled(1_500);
    let snapshot = column.clone();
    column.sort_by(|(_, left), (_, right)| left.cmp(right));
    column.sort_as(&snapshot);
    column.retain(|_, _| true);
    assert_eq!(column.clock(), snapshot.clock());
    assert_eq!(column.shared_pages(&snapshot), (2, 2));

    let mut empty = Column::<u32>::default();
    empty.clear();
    empty.sort_as(&snapshot);
    empty.iter_mut().for_each(drop);
    assert_eq!(empty.clock(), 0);
}

#[test]
fn a_walk_for_writing_is_one_tick_and_stamps_the_pages_it_enters() {
    let mut column = filled(3_000);
    let before = column.clock();
    column.iter_mut().take(1_025).for_each(|(_, value)| *value += 1);
    assert_eq!(column.clock(), before + 1);
    assert_eq!(changed(&column, before), (0..2_048).collect::<Vec<_>>());

    let before = column.clock();
    column.chunks_mut().for_each(drop);
    assert_eq!(column.clock(), before + 1);
    assert_eq!(changed(&column, before).len(), 3_000);
    assert_eq!(attached(&column, before), [0; 0]);
}

#[test]
fn a_walk_over_the_first_rows_of_a_page_needs_no_list() {
    fn fold(column: &mut Column<u32>, first: &Column<u32>) {
        pairs(column, first).for_each(|(_, value, _): (_, &mut u32, &u32)| *value += 1);
    }
    fn step(column: &mut Column<u32>, first: &Column<u32>) {
        for (_, value, _) in pairs(column, first) {
            *value += 1;
        }
    }
    for walk in [fold, step] {
        for (rows, first) in [(2, 1), (1_000, 500), (1_000, 999), (1_024, 17), (1_500, 1_100), (3_000, 2_000)]
        {
            let (mut column, first_rows) = (filled(rows), filled(first));
            let (bytes, clock) = (column.bytes(), column.clock());
            for round in 1..=3 {
                walk(&mut column, &first_rows);
                assert_eq!(column.bytes(), bytes, "{first} of {rows} rows, {round} times");
                assert_eq!(changed(&column, clock + round - 1), (0..first).collect::<Vec<_>>());
                assert_eq!(changed(&column, clock - 1), (0..rows).collect::<Vec<_>>());
            }
            column.iter_mut().for_each(drop);
            assert_eq!(column.bytes(), bytes);
        }
    }
}

#[test]
fn clearing_does_not_turn_the_clock_back() {
    let mut column = filled(5);
    *column.get_mut(entity(0, 1)).expect("it has a row") += 1;
    let before = column.clock();
    column.clear();
    assert_eq!(column.clock(), before + 1);
    column.insert(entity(0, 1), 1).expect("the row is new");
    assert_eq!(attached(&column, before), [0]);
}

#[test]
fn a_stamp_from_a_future_that_was_rolled_back_misses_nothing() {
    let mut column = filled(1_100);
    let snapshot = column.clone();
    for _ in 0..5 {
        *column.get_mut(entity(3, 1)).expect("it has a row") += 1;
    }
    let seen = column.clock();
    column = snapshot;
    assert_eq!(changed(&column, seen).len(), 1_100);
    assert_eq!(attached(&column, seen).len(), 1_100);
    assert_eq!(changed(&column, u64::MAX).len(), 1_100);
    assert_eq!(changed(&column, column.clock()), [0; 0]);
}

#[test]
fn every_write_by_itself_is_found_by_the_stamp_before_it() {
    let mut column = filled(40);
    for round in 0..200u32 {
        let (before, written) = (column.clock(), round * 7 % 40);
        *column.get_mut(entity(written, 1)).expect("it has a row") = round;
        assert_eq!(changed(&column, before), [written]);
    }
}

#[test]
fn changes_are_found_in_row_order_across_pages() {
    let mut column = filled(5_000);
    let before = column.clock();
    for index in [4_999, 1_024, 0, 1_023, 2_048] {
        *column.get_mut(entity(index, 1)).expect("it has a row") += 1;
    }
    assert_eq!(changed(&column, before), [0, 1_023, 1_024, 2_048, 4_999]);
    assert_eq!(changed(&column, before + 2), [0, 1_023, 2_048]);
}

#[test]
fn a_single_tells_whether_it_was_written() {
    let mut single = Single::new(1);
    let seen = single.clock();
    assert!(!single.changed_since(seen));
    let snapshot = single.clone();
    *single += 1;
    assert!(single.changed_since(seen));
    let later = single.clock();
    assert!(!single.changed_since(later));

    single = snapshot;
    assert_eq!((*single, single.clock()), (1, seen));
    assert!(single.changed_since(later), "a stamp from a future that was rolled back");
}

#[test]
fn reading_a_single_is_no_write() {
    let single = Single::new(vec![1, 2]);
    assert_eq!((single.len(), single.iter().sum::<i32>()), (2, 3));
    assert_eq!(single.clock(), 0);
    assert_eq!(format!("{single:?}"), "[1, 2]");
}

#[test]
fn rows_written_are_found_by_next_and_by_folds_alike() {
    let mut entities = Entities::default();
    let all = entities.spawn_many(2_100);
    let mut column = Column::default();
    column.extend(all.iter().map(|&entity| (entity, 0)));
    let clock = column.clock();
    for step in [1, 3, 16, 17, 500, 1_023] {
        let mut written = column.clone();
        for &entity in all.iter().step_by(step) {
            *written.get_mut(entity).unwrap() += 1;
        }
        for since in [0, clock, clock + 1, written.clock() - 3, written.clock() - 1, written.clock()] {
            let expected: Vec<_> = written
                .iter()
                .filter(|(entity, _)| written.stamp(*entity).unwrap().changed > since)
                .collect();
            let mut found = Vec::new();
            for row in written.changed_since(since) {
                found.push(row);
            }
            assert!(found == expected, "step {step}, since {since}");
            for first in [1, 2, 15, 16, 17, 1_024, 1_030] {
                let mut walk = written.changed_since(since);
                let mut found: Vec<_> = walk.by_ref().take(first).collect();
                walk.for_each(|row| found.push(row));
                assert!(found == expected, "step {step}, since {since}, folded after {first}");
            }
        }
    }
}
