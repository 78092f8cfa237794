//! The difference between two values of one column.

mod common;

use common::{Health, entity, ignore};
use std_ecs::{Change, Column};

fn filled(rows: u32) -> Column<Health> {
    let mut column = Column::default();
    column.extend((0..rows).map(|index| (entity(index, 1), Health(1))));
    column
}

#[test]
fn a_clone_differs_in_nothing() {
    let column = filled(5_000);
    assert_eq!(column.diff(&column.clone()).next(), None);
    assert_eq!(Column::<Health>::default().diff(&Column::default()).next(), None);
}

#[test]
fn each_kind_of_change_is_told_once() {
    let earlier = filled(3);
    let mut column = earlier.clone();
    column.insert(entity(7, 1), Health(7)).expect("the row is new");
    column.get_mut(entity(1, 1)).expect("it has a row").0 = 5;
    column.remove(entity(0, 1));
    assert_eq!(
        column.diff(&earlier).collect::<Vec<_>>(),
        [
            Change::Attached { entity: entity(7, 1), new: &Health(7) },
            Change::Changed { entity: entity(1, 1), old: &Health(1), new: &Health(5) },
            Change::Detached { entity: entity(0, 1), old: &Health(1) },
        ]
    );
}

#[test]
fn a_row_that_only_moved_or_was_written_with_its_value_does_not_differ() {
    let earlier = filled(2_100);
    let mut column = earlier.clone();
    column.sort_by(|(left, _), (right, _)| right.cmp(&left));
    column.iter_mut().for_each(|(_, health)| health.0 = 1);
    assert_eq!(column.diff(&earlier).next(), None);
    assert_eq!(earlier.diff(&column).next(), None);
}

#[test]
fn a_newer_entity_with_the_index_is_an_end_and_a_beginning() {
    let earlier = filled(1);
    let mut column = earlier.clone();
    column.insert(entity(0, 2), Health(1)).expect("newer");
    assert_eq!(
        column.diff(&earlier).collect::<Vec<_>>(),
        [
            Change::Attached { entity: entity(0, 2), new: &Health(1) },
            Change::Detached { entity: entity(0, 1), old: &Health(1) },
        ]
    );
}

#[test]
fn only_pages_that_are_not_shared_are_looked_at() {
    let mut earlier = Column::default();
    earlier.extend((0..4_096).map(|index| (entity(index, 1), f32::NAN)));
    let mut column = earlier.clone();
    *column.get_mut(entity(1_500, 1)).expect("it has a row") = 1.0;
    // A NaN differs from itself: the rows of the one page that was copied show, those of the others do not.
    assert_eq!(column.diff(&earlier).count(), 1_024);
    assert!(column.diff(&earlier).all(|change| (1_024..2_048).contains(&change.entity().index())));
}

#[test]
fn every_removal_is_told_once_whatever_the_cadence() {
    for cadence in 1..4 {
        let mut column = filled(100);
        let (mut seen, mut earlier) = (Vec::new(), column.clone());
        for tick in 0..12 {
            column.remove(entity(tick * 5 % 100, 1));
            if tick % cadence == 0 {
                let detached = column.diff(&earlier).map(|change| match change {
                    Change::Detached { entity, .. } => entity.index(),
                    other => panic!("{other:?}"),
                });
                seen.extend(detached);
                earlier = column.clone();
            }
        }
        seen.extend(column.diff(&earlier).map(|change| change.entity().index()));
        seen.sort_unstable();
        assert_eq!(seen, (0..12).map(|tick| tick * 5).collect::<Vec<_>>());
    }
}

#[test]
fn a_row_detached_and_attached_again_differs_by_its_value_only() {
    let earlier = filled(3);
    let mut column = earlier.clone();
    column.remove(entity(1, 1));
    column.insert(entity(1, 1), Health(1)).expect("the row is new");
    assert_eq!(column.diff(&earlier).next(), None);
    assert_eq!(column.attached_since(earlier.clock()).count(), 1, "the stamps tell the rest");
}

#[test]
fn two_branches_of_a_snapshot_can_be_compared() {
    let base = filled(2_000);
    let (mut left, mut right) = (base.clone(), base.clone());
    left.get_mut(entity(3, 1)).expect("it has a row").0 = 3;
    right.remove(entity(3, 1));
    right.get_mut(entity(1_999, 1)).expect("it has a row").0 = 4;
    let owners: Vec<u32> = left.diff(&right).map(|change| change.entity().index()).collect();
    assert_eq!(owners, [3, 1_999]);
}

#[test]
fn a_difference_laid_over_the_earlier_value_gives_the_later_one() {
    let earlier = filled(1_100);
    let mut column = earlier.clone();
    column.retain(|owner, _| owner.index() % 3 != 0);
    column.iter_mut().take(5).for_each(|(_, health)| health.0 = 9);
    column.insert(entity(5_000, 1), Health(2)).expect("the row is new");

    let mut rebuilt = earlier.clone();
    for change in column.diff(&earlier) {
        match change {
            Change::Attached { entity, new } | Change::Changed { entity, new, .. } => {
                rebuilt.insert(entity, *new).expect("not older");
            }
            Change::Detached { entity, .. } => ignore(rebuilt.remove(entity)),
        }
    }
    assert_eq!(rebuilt.len(), column.len());
    assert!(column.iter().all(|(owner, health)| rebuilt.get(owner) == Some(health)));
    rebuilt.sort_as(&column);
    assert_eq!(rebuilt, column);
}
