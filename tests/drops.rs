//! Values that own heap memory are dropped exactly once, whatever happens to their rows.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use common::drops::{Count, Counted};
use common::{entity, ignore};
use proptest::prelude::*;
use std_ecs::Column;

fn filled(rows: u32, count: &Rc<Count>) -> Column<Counted> {
    let mut column = Column::default();
    column.extend((0..rows).map(|index| (entity(index, 1), Counted::new(index, count))));
    column
}

/// The values by index, and whether every way to reach them agrees.
fn consistent(column: &Column<Counted>) -> Vec<(u32, u32)> {
    let rows: Vec<(u32, u32)> =
        column.iter().map(|(owner, counted)| (owner.index(), *counted.value)).collect();
    assert_eq!(rows.len(), column.len());
    assert!(column.owners().enumerate().all(|(row, owner)| column.row(owner) == Some(row)));
    assert!(column.iter().all(|(owner, counted)| column.get(owner) == Some(counted)));
    assert!(
        column.owners().all(|owner| column.stamp(owner).is_some_and(|stamp| stamp.changed <= column.clock()))
    );
    assert_eq!(
        column.chunks().map(|(owners, values)| owners.len().min(values.len())).sum::<usize>(),
        rows.len()
    );
    rows
}

#[test]
fn a_clone_copies_no_value_and_a_write_those_of_one_page() {
    let count = Count::new();
    let column = filled(2_500, &count);
    let mut clone = column.clone();
    assert_eq!((count.alive(), count.take_clones()), (2_500, 0));

    *clone.get_mut(entity(0, 1)).expect("it has a row").value = 7;
    assert_eq!((count.alive(), count.take_clones()), (3_524, 1_024));
    drop(column);
    assert_eq!(count.alive(), 2_500);
    drop(clone);
    assert_eq!(count.alive(), 0);
}

#[test]
fn values_that_are_moved_about_are_not_cloned() {
    let count = Count::new();
    let mut column = filled(2_500, &count);
    column.sort_by(|(_, left), (_, right)| right.value.cmp(&left.value));
    column.retain(|_, counted| *counted.value % 2 == 0);
    assert_eq!(column.remove(entity(4, 1)).map(|counted| *counted.value), Some(4));
    column.insert(entity(0, 2), Counted::new(1, &count)).expect("newer");
    column.iter_mut().for_each(|(_, counted)| *counted.value += 1);
    assert_eq!((count.take_clones(), count.alive()), (0, 1_249));
}

#[test]
fn what_is_refused_or_replaced_comes_back_and_is_dropped_by_the_caller() {
    let count = Count::new();
    let mut column = Column::default();
    let replaced = column.insert(entity(0, 2), Counted::new(1, &count));
    assert!(matches!(replaced, Ok(None)));
    let old = column.insert(entity(0, 2), Counted::new(2, &count)).expect("the same entity");
    let refused = column.insert(entity(0, 1), Counted::new(3, &count)).expect_err("older");
    assert_eq!((old.map(|old| *old.value), *refused.value.value, count.alive()), (Some(1), 3, 2));
    drop(refused);
    assert_eq!(count.alive(), 1);
    column.clear();
    assert_eq!(count.alive(), 0);
}

type Write = fn(&mut Column<Counted>, &Rc<Count>);

/// Every call that writes, at places in the first, a middle and the last page.
const WRITES: [(&str, Write); 14] = [
    ("insert new", |column, count| ignore(column.insert(entity(9_000, 1), Counted::new(0, count)))),
    ("insert over", |column, count| ignore(column.insert(entity(5, 1), Counted::new(0, count)))),
    ("insert newer", |column, count| ignore(column.insert(entity(5, 2), Counted::new(0, count)))),
    ("get_mut", |column, _| *column.get_mut(entity(1_500, 1)).expect("it has a row").value = 0),
    ("get_many_mut", |column, _| ignore(column.get_many_mut([entity(2_400, 1), entity(0, 1)]))),
    ("get_or_insert_with old", |column, count| {
        column.get_or_insert_with(entity(7, 1), || Counted::new(0, count)).ok();
    }),
    ("get_or_insert_with new", |column, count| {
        column.get_or_insert_with(entity(9_000, 1), || Counted::new(0, count)).ok();
    }),
    ("remove first", |column, _| ignore(column.remove(entity(0, 1)))),
    ("remove last", |column, _| ignore(column.remove(entity(2_499, 1)))),
    ("extend", |column, count| {
        column.extend([(entity(9_000, 1), Counted::new(0, count)), (entity(9, 1), Counted::new(0, count))]);
    }),
    ("retain", |column, _| column.retain(|owner, _| owner.index() % 2 == 0)),
    ("sort_by", |column, _| column.sort_by(|(_, left), (_, right)| right.value.cmp(&left.value))),
    ("iter_mut", |column, _| column.iter_mut().for_each(|(_, counted)| *counted.value += 1)),
    ("clear", |column, _| column.clear()),
];

#[test]
fn every_write_to_a_shared_column_leaves_the_counts_right() {
    for (name, write) in WRITES {
        let count = Count::new();
        let column = filled(2_500, &count);
        let mut clone = column.clone();
        write(&mut clone, &count);
        consistent(&clone);
        assert_eq!(consistent(&column), (0..2_500).map(|at| (at, at)).collect::<Vec<_>>(), "{name}");
        drop(column);
        assert_eq!(usize::try_from(count.alive()), Ok(clone.len()), "{name}");
        drop(clone);
        assert_eq!(count.alive(), 0, "{name}");
    }
}

#[test]
fn a_clone_that_panics_in_the_middle_of_a_page_leaves_the_column_as_it_was() {
    for (name, write) in WRITES {
        for panic_after in [0, 1, 500, 1_023, 1_024, 1_400] {
            let count = Count::new();
            let column = filled(2_500, &count);
            let mut clone = column.clone();
            count.panic_after(panic_after);
            let outcome = catch_unwind(AssertUnwindSafe(|| write(&mut clone, &count)));
            count.calm();
            let rows = consistent(&clone);
            let untouched: Vec<_> = (0..2_500).map(|at| (at, at)).collect();
            // A walk or several inserts may have got some of the way; a single call has not.
            if outcome.is_err() && !["iter_mut", "extend"].contains(&name) {
                assert_eq!(rows, untouched, "{name} after {panic_after}");
            }
            assert_eq!(consistent(&column), untouched);

            // It goes on working.
            clone.insert(entity(9_001, 1), Counted::new(1, &count)).expect("the row is new");
            clone.retain(|owner, _| owner.index() != 2);
            clone.remove(entity(9_001, 1)).expect("it has a row");
            consistent(&clone);
            drop((column, clone, outcome));
            assert_eq!(count.alive(), 0, "{name} after {panic_after}");
        }
    }
}

#[test]
fn rolling_back_drops_what_the_future_had() {
    let count = Count::new();
    let mut column = filled(1_100, &count);
    let snapshot = column.clone();
    column.extend((2_000..2_300).map(|index| (entity(index, 1), Counted::new(index, &count))));
    column.retain(|owner, _| owner.index() % 3 == 0);
    assert!(count.alive() > 1_100);
    column = snapshot;
    assert_eq!(count.alive(), 1_100);
    drop(column);
    assert_eq!(count.alive(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn nothing_leaks_and_nothing_is_dropped_twice(
        rows in 0..1_100u32,
        steps in prop::collection::vec((0..WRITES.len(), any::<bool>(), prop::option::of(0..1_200usize)), 0..12),
    ) {
        let count = Count::new();
        {
            let mut column = filled(rows, &count);
            let mut snapshots = vec![column.clone()];
            for (write, snapshot, panic_after) in steps {
                if snapshot {
                    snapshots.push(column.clone());
                }
                if let Some(clones) = panic_after {
                    count.panic_after(clones);
                }
                let _ = catch_unwind(AssertUnwindSafe(|| WRITES[write].1(&mut column, &count)));
                count.calm();
                consistent(&column);
            }
        }
        prop_assert_eq!(count.alive(), 0);
    }
}
