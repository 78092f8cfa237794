//! What a column answers: rows, owners, refusals, orders.

mod common;

use common::{Burning, Health, Name, entity};
use std_ecs::{Column, Entities, Entity, Stale};

/// A column of `1..=values` for as many fresh entities.
fn numbered(values: u16) -> (Vec<Entity>, Column<Health>) {
    let mut entities = Entities::default();
    let all = entities.spawn_many(usize::from(values));
    let mut column = Column::default();
    column.extend(all.iter().copied().zip((1..).map(Health)));
    (all, column)
}

fn values(column: &Column<Health>) -> Vec<i32> {
    column.iter().map(|(_, health)| health.0).collect()
}

#[test]
fn a_stale_handle_reads_and_removes_nothing() {
    let mut entities = Entities::default();
    let old = entities.spawn();
    let mut column = Column::default();
    column.insert(old, Health(1)).expect("the column is empty");
    column.remove(old);
    entities.despawn(old);
    let new = entities.spawn();
    assert_eq!(new.index(), old.index());
    column.insert(new, Health(2)).expect("the row is gone");

    assert!(!column.contains(old));
    assert_eq!((column.get(old), column.row(old), column.stamp(old)), (None, None, None));
    assert_eq!(column.get_mut(old), None);
    assert_eq!(column.remove(old), None);
    assert_eq!(column.get_many_mut([old]), [None]);
    assert_eq!(column.get(new), Some(&Health(2)));
}

#[test]
fn a_handle_that_was_never_handed_out_reads_nothing() {
    let (_, mut column) = numbered(3);
    for asked in [entity(3, 1), entity(1_023, 1), entity(1_024, 1), entity(u32::MAX, 1), entity(0, 2)] {
        assert!(!column.contains(asked));
        assert_eq!(column.get(asked), None);
        assert_eq!(column.get_mut(asked), None);
        assert_eq!((column.remove(asked), column.row(asked)), (None, None));
    }
    assert_eq!(values(&column), [1, 2, 3]);
}

#[test]
fn a_handle_older_than_the_row_is_refused_and_gets_its_value_back() {
    let mut column = Column::default();
    let (old, new) = (entity(4, 1), entity(4, 2));
    column.insert(new, Name("new".into())).expect("the column is empty");
    let clock = column.clock();

    let stale = column.insert(old, Name("old".into())).expect_err("older than the row");
    assert_eq!(stale, Stale { asked: old, stored: new, value: Name("old".into()) });
    assert_eq!(stale.to_string(), "4v1 is a stale handle: the row belongs to 4v2, look the entity up again");
    assert_eq!(column.clock(), clock, "nothing was written");
    assert_eq!(column.iter().collect::<Vec<_>>(), [(new, &Name("new".into()))]);
}

#[test]
fn a_newer_handle_takes_the_row_over() {
    let mut column = Column::default();
    let (old, new) = (entity(4, 1), entity(4, 7));
    column.insert(old, Health(1)).expect("the column is empty");
    assert_eq!(column.insert(new, Health(2)), Ok(Some(Health(1))));
    assert_eq!(column.iter().collect::<Vec<_>>(), [(new, &Health(2))]);
    assert_eq!((column.get(old), column.row(new)), (None, Some(0)));
}

#[test]
fn get_or_insert_with_asks_for_a_value_only_where_there_is_none() {
    let mut column = Column::default();
    let (old, new) = (entity(0, 1), entity(0, 2));
    *column.get_or_insert_with(old, || 5).expect("the column is empty") += 1;
    *column.get_or_insert_with(old, || unreachable!("the row exists")).expect("the same entity") += 1;
    assert_eq!(column.get(old), Some(&7));

    assert_eq!(column.get_or_insert_with(new, || 1), Ok(&mut 1), "a newer entity starts afresh");
    let clock = column.clock();
    let refused = column.get_or_insert_with(old, || unreachable!("the handle is refused"));
    assert_eq!(refused, Err(Stale { asked: old, stored: new, value: () }));
    assert_eq!(column.clock(), clock);
}

#[test]
fn extend_stores_what_it_can_and_hands_back_the_rest() {
    let mut column = Column::default();
    column.insert(entity(1, 5), 50).expect("the column is empty");
    let rows = [(entity(0, 1), 1), (entity(1, 4), 2), (entity(1, 6), 3), (entity(0, 1), 4)];
    let refused = column.extend(rows);
    assert_eq!(refused, [Stale { asked: entity(1, 4), stored: entity(1, 5), value: 2 }]);
    assert_eq!(column.iter().collect::<Vec<_>>(), [(entity(1, 6), &3), (entity(0, 1), &4)]);
    assert_eq!(column.clock(), 2, "one call, one tick");
    assert_eq!(column.extend([]), []);
    assert_eq!(column.clock(), 2, "a call that stores nothing is no tick");
}

#[test]
fn several_values_can_be_written_at_once_in_any_order() {
    let (all, mut column) = numbered(3_000);
    let asked = [all[2_999], all[0], entity(0, 9), all[1_023], all[1_024]];
    let found = column.get_many_mut(asked);
    let read = found.each_ref().map(|value| value.as_deref().copied());
    assert_eq!(read, [Some(Health(3_000)), Some(Health(1)), None, Some(Health(1_024)), Some(Health(1_025))]);
    for value in found.into_iter().flatten() {
        value.0 = -value.0;
    }
    assert_eq!(values(&column).iter().filter(|value| **value < 0).count(), 4);
    assert_eq!(column.get(all[1_024]), Some(&Health(-1_025)));
    assert_eq!(column.get_many_mut([]), []);
}

#[test]
#[should_panic(expected = "get_many_mut: 1v1 is named twice")]
fn the_same_value_cannot_be_written_twice_at_once() {
    let (all, mut column) = numbered(3);
    column.get_many_mut([all[1], all[0], all[1]]);
}

#[test]
fn asking_twice_for_nothing_is_no_fault() {
    let (_, mut column) = numbered(3);
    let nobody = entity(9, 1);
    assert_eq!(column.get_many_mut([nobody, nobody]), [None, None]);
}

#[test]
fn removing_moves_the_last_row_into_the_hole() {
    let (all, mut column) = numbered(5);
    assert_eq!(column.remove(all[1]), Some(Health(2)));
    assert_eq!(values(&column), [1, 5, 3, 4]);
    assert_eq!((column.row(all[4]), column.row(all[1])), (Some(1), None));
    assert_eq!(column.remove(all[1]), None, "once is enough");
    assert_eq!(column.len(), 4);
}

#[test]
fn removing_across_a_page_boundary_keeps_every_value_with_its_entity() {
    let (all, mut column) = numbered(1_026);
    for (at, value) in [(0, 1), (1_025, 1_026), (1_023, 1_024), (1_024, 1_025), (5, 6)] {
        assert_eq!(column.remove(all[at]), Some(Health(value)));
        for (&owner, value) in all.iter().zip(1..) {
            assert!(column.get(owner).is_none_or(|health| health.0 == value));
        }
    }
    assert_eq!(column.len(), 1_021);
    assert_eq!(column.chunks().count(), 1);
}

#[test]
fn removing_the_tail_of_a_sorted_column_leaves_the_rest_in_order() {
    let (all, mut column) = numbered(10);
    column.sort_by(|(_, left), (_, right)| left.cmp(right));
    let mut other = column.clone();
    for at in [9, 8, 7] {
        column.remove(all[at]);
    }
    assert_eq!(values(&column), [1, 2, 3, 4, 5, 6, 7]);

    // From the front of the tail: each hole takes the last row, so the rest still is untouched.
    for at in [7, 8, 9] {
        other.remove(all[at]);
    }
    assert_eq!(values(&other), [1, 2, 3, 4, 5, 6, 7]);
    other.remove(all[2]);
    assert_eq!(values(&other), [1, 2, 7, 4, 5, 6]);
}

#[test]
fn sorting_one_column_leaves_every_value_with_its_entity() {
    let (all, mut depths) = numbered(2_050);
    let materials = depths.clone();
    depths.sort_by(|(_, left), (_, right)| (left.0 * 7 % 100).cmp(&(right.0 * 7 % 100)));
    assert_ne!(values(&depths), values(&materials));
    for &owner in &all {
        assert_eq!(depths.get(owner), materials.get(owner));
    }
    let keys: Vec<i32> = values(&depths).iter().map(|value| value * 7 % 100).collect();
    assert!(keys.is_sorted());
}

#[test]
fn equal_rows_keep_their_order_when_sorted() {
    let (_, mut column) = numbered(100);
    column.sort_by(|(_, left), (_, right)| (left.0 % 3).cmp(&(right.0 % 3)));
    let thirds: Vec<Vec<i32>> =
        values(&column).chunk_by(|a, b| a % 3 == b % 3).map(<[i32]>::to_vec).collect();
    assert_eq!(thirds.len(), 3);
    assert!(thirds.iter().all(|third| third.is_sorted()));
}

#[test]
fn sorting_as_another_column_brings_shared_owners_first_in_its_order() {
    let (all, mut column) = numbered(5);
    let mut order = Column::default();
    order.extend([all[3], entity(90, 1), all[0]].map(|owner| (owner, ())));
    column.sort_as(&order);
    assert_eq!(values(&column), [4, 1, 2, 3, 5]);
}

#[test]
fn sorting_as_another_column_goes_by_entities_not_by_indices() {
    let mut column = Column::default();
    column.extend([(entity(0, 1), Health(0)), (entity(1, 2), Health(1))]);
    let mut order = Column::default();
    order.extend([(entity(1, 1), ()), (entity(0, 1), ())]);
    column.sort_as(&order);
    assert_eq!(values(&column), [0, 1], "1v1 is not 1v2");
}

#[test]
fn an_index_that_came_back_after_a_sort_is_found() {
    let (all, mut column) = numbered(4);
    column.retain(|_, health| health.0 % 2 == 0);
    assert_eq!(column.insert(all[0], Health(10)), Ok(None));
    assert_eq!(column.insert(entity(2, 8), Health(30)), Ok(None));
    assert_eq!(values(&column), [2, 4, 10, 30]);
    assert_eq!(column.get(entity(2, 8)), Some(&Health(30)));
    assert_eq!(column.get(all[2]), None);
}

#[test]
fn retain_keeps_the_order_of_what_it_keeps() {
    let (all, mut column) = numbered(2_100);
    column.retain(|_, health| health.0 % 3 == 1);
    assert_eq!(values(&column), (1..=2_100).step_by(3).collect::<Vec<_>>());
    assert!(all.iter().skip(1).step_by(3).all(|&owner| !column.contains(owner)));
    column.retain(|_, _| false);
    assert!(column.is_empty());
    assert_eq!(column.insert(all[7], Health(1)), Ok(None));
}

#[test]
fn a_panic_in_a_callback_changes_nothing() {
    let (_, column) = numbered(50);
    let clock = column.clock();
    let attempts: [fn(&mut Column<Health>); 3] = [
        |column| column.retain(|_, health| health.0 < 25 || panic!("retain")),
        |column| column.sort_by(|_, _| panic!("sort_by")),
        |column| {
            column.get_or_insert_with(entity(99, 1), || panic!("get_or_insert_with")).ok();
        },
    ];
    for attempt in attempts {
        let mut tried = column.clone();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| attempt(&mut tried)))
            .expect_err("the callback panics");
        assert_eq!((&tried, tried.clock()), (&column, clock));
    }
}

#[test]
fn columns_under_the_same_operations_keep_the_same_rows() {
    let (all, mut left) = numbered(40);
    let mut right: Column<Burning> = Column::default();
    right.extend(all.iter().map(|&owner| (owner, Burning)));
    for at in [3, 39, 0, 17, 38] {
        left.remove(all[at]);
        right.remove(all[at]);
    }
    left.insert(all[17], Health(0)).expect("the row is free");
    right.insert(all[17], Burning).expect("the row is free");
    assert!(left.owners().eq(right.owners()));
}

#[test]
fn all_rows_can_be_walked_while_others_are_removed_from_the_live_column() {
    let (all, mut column) = numbered(100);
    let mut seen = Vec::new();
    for (owner, _) in &column.clone() {
        column.remove(all[(owner.index() as usize + 1) % 100]);
        column.remove(owner);
        seen.push(owner);
    }
    assert_eq!(seen, all);
    assert!(column.is_empty());
}

#[test]
fn a_column_can_be_walked_from_both_ends() {
    let (_, column) = numbered(2_050);
    let mut rows = column.iter();
    let mut met = (Vec::new(), Vec::new());
    while let Some((_, front)) = rows.next() {
        met.0.push(front.0);
        assert_eq!(rows.len(), 2_050 - met.0.len() - met.1.len());
        let back = rows.by_ref().rev().take(2).map(|(_, health)| health.0);
        met.1.extend(back);
    }
    assert_eq!(rows.next(), None);
    assert_eq!(rows.next_back(), None);
    met.0.extend(met.1.iter().rev());
    assert_eq!(met.0, (1..=2_050).collect::<Vec<_>>());
}

#[test]
fn a_walk_that_was_begun_can_be_folded() {
    let (_, mut column) = numbered(2_050);
    for begun in [0, 1, 1_023, 1_024, 1_025, 2_050] {
        let mut rows = column.iter();
        let head: i32 = rows.by_ref().take(begun).map(|(_, health)| health.0).sum();
        let back = rows.next_back().map_or(0, |(_, health)| health.0);
        assert_eq!(head + back + rows.fold(0, |sum, (_, health)| sum + health.0), 2_050 * 2_051 / 2);

        let mut rows = column.iter_mut();
        let head: i32 = rows.by_ref().take(begun).map(|(_, health)| health.0).sum();
        assert_eq!(rows.len(), 2_050 - begun);
        assert_eq!(head + rows.fold(0, |sum, (_, health)| sum + health.0), 2_050 * 2_051 / 2);
    }
}

#[test]
fn equality_is_about_entities_values_and_rows_and_not_about_stamps() {
    let (all, column) = numbered(1_500);
    let mut other = Column::default();
    for (owner, health) in &column {
        other.insert(owner, *health).expect("the row is new");
    }
    assert_eq!(column, other);
    assert_ne!(column.clock(), other.clock());

    let mut moved = column.clone();
    moved.sort_by(|(_, left), (_, right)| right.cmp(left));
    assert_ne!(moved, column, "the same rows in another order");
    let mut longer = column.clone();
    longer.insert(entity(5_000, 1), Health(1)).expect("the row is new");
    assert_ne!(longer, column);
    let mut renewed = column.clone();
    renewed.insert(entity(all[0].index(), 2), Health(1)).expect("newer");
    assert_ne!(renewed, column, "another owner of the same value");
}

#[test]
fn a_column_equals_its_clone_even_with_a_nan_in_it() {
    let mut column = Column::default();
    column.extend((0..1_100).map(|index| (entity(index, 1), f32::NAN)));
    assert_eq!(column, column.clone());
    let mut written = column.clone();
    *written.get_mut(entity(0, 1)).expect("it has a row") = f32::NAN;
    assert_ne!(column, written);
}

#[test]
fn the_debug_form_is_a_map_from_entities_to_values() {
    let (_, column) = numbered(2);
    assert_eq!(format!("{column:?}"), "{0v1: Health(1), 1v1: Health(2)}");
}
