//! What a clone shares, what a write copies, and what storage costs.

mod common;

use common::{Bodies, Burning, Game, Health, Motions, Position, Velocity, entity, ignore};
use std_ecs::{Column, Columns, Entities, Part, Single, Store, World};

fn filled(rows: u32) -> Column<u64> {
    let mut column = Column::default();
    column.extend((0..rows).map(|index| (entity(index, 1), u64::from(index))));
    column
}

#[test]
fn a_clone_shares_every_page_and_a_write_copies_one() {
    let column = filled(10_240);
    let mut clone = column.clone();
    assert_eq!(clone.shared_pages(&column), (10, 10));

    *clone.get_mut(entity(5_000, 1)).expect("it has a row") += 1;
    assert_eq!(clone.shared_pages(&column), (10, 9));
    *clone.get_mut(entity(5_001, 1)).expect("it has a row") += 1;
    assert_eq!(clone.shared_pages(&column), (10, 9), "the page is its own by now");
    assert_eq!(column.get(entity(5_000, 1)), Some(&5_000));
}

#[test]
fn reading_copies_nothing() {
    let column = filled(3_000);
    let clone = column.clone();
    let sum: u64 = clone.iter().map(|(_, value)| value).sum();
    assert_eq!(sum, 2_999 * 3_000 / 2);
    assert_eq!(clone.changed_since(0).count() + clone.diff(&column).count(), 3_000);
    assert!(clone.get(entity(2_000, 1)).is_some() && clone == column);
    assert_eq!(clone.shared_pages(&column), (3, 3));
}

#[test]
fn each_write_copies_the_pages_it_touches_and_no_others() {
    type Write = fn(&mut Column<u64>);
    let writes: [(usize, Write); 7] = [
        (1, |column| ignore(column.insert(entity(9_000, 1), 0))),
        (1, |column| ignore(column.insert(entity(1_500, 1), 0))),
        (2, |column| ignore(column.remove(entity(100, 1)))),
        (1, |column| ignore(column.remove(entity(4_999, 1)))),
        (2, |column| ignore(column.get_many_mut([entity(0, 1), entity(4_200, 1), entity(1, 1)]))),
        (1, |column| ignore(column.get_or_insert_with(entity(2_500, 1), || 0).map(|_| ()))),
        (2, |column| column.iter_mut().take(1_025).for_each(drop)),
    ];
    for (at, (copied, write)) in writes.into_iter().enumerate() {
        let column = filled(5_000);
        let mut clone = column.clone();
        write(&mut clone);
        assert_eq!(clone.shared_pages(&column), (5, 5 - copied), "write {at}");
        assert_eq!(column, filled(5_000), "write {at}");
    }
}

#[test]
fn a_snapshot_of_a_snapshot_is_as_good_as_the_first() {
    let mut column = filled(2_048);
    let mut snapshots = Vec::new();
    for round in 0..20 {
        snapshots.push(column.clone());
        *column.get_mut(entity(round * 100, 1)).expect("it has a row") = 0;
    }
    for (round, snapshot) in (0u32..).zip(&snapshots) {
        let expected = (0..2_048u32).map(|index| {
            let zeroed = index % 100 == 0 && index / 100 < round;
            if zeroed { 0 } else { u64::from(index) }
        });
        assert!(snapshot.iter().map(|(_, value)| *value).eq(expected));
    }
}

#[test]
fn a_write_in_the_original_does_not_show_in_the_clone_either() {
    let mut column = filled(1_500);
    let clone = column.clone();
    column.clear();
    assert_eq!(clone, filled(1_500));
    column = clone.clone();
    column.sort_by(|(_, left), (_, right)| right.cmp(left));
    column.retain(|_, value| value % 2 == 0);
    assert_eq!(clone, filled(1_500));
}

#[test]
fn one_row_at_a_high_index_costs_one_page_of_the_index() {
    let mut column = Column::default();
    column.insert(entity(1_000_000, 1), Health(1)).expect("the column is empty");
    let bytes = column.bytes();
    assert!(bytes < 20_000, "{bytes} bytes for one row");
    assert_eq!(column.get(entity(1_000_000, 1)), Some(&Health(1)));
}

#[test]
fn fifty_columns_of_one_high_row_stay_small_also_when_cloned_a_hundred_times() {
    let mut columns = vec![Column::<u32>::default(); 50];
    for (column, value) in columns.iter_mut().zip(0..) {
        column.insert(entity(999_999, 1), value).expect("the column is empty");
    }
    let all: usize = columns.iter().map(Column::bytes).sum();
    assert!(all < 1_000_000, "{all} bytes");

    let clones: Vec<Vec<Column<u32>>> = (0..100).map(|_| columns.clone()).collect();
    for clone in &clones {
        for (column, original) in clone.iter().zip(&columns) {
            assert_eq!(column.shared_pages(original), (1, 1));
        }
    }
}

#[test]
fn a_marker_stores_no_values() {
    let (mut markers, mut numbers) = (Column::default(), Column::default());
    markers.extend((0..10_240).map(|index| (entity(index, 1), Burning)));
    numbers.extend((0..10_240).map(|index| (entity(index, 1), u64::from(index))));
    assert!(markers.bytes() + 10_240 * size_of::<u64>() <= numbers.bytes());

    let before = markers.clone();
    markers.remove(entity(0, 1));
    markers.sort_by(|(left, _), (right, _)| right.cmp(&left));
    assert_eq!(markers.len(), 10_239);
    assert_eq!(markers.chunks().map(|(_, values)| values.len()).sum::<usize>(), 10_239);
    assert_eq!(before.diff(&markers).count(), 1);
    assert_eq!(
        markers.iter_mut().map(|(_, marker)| *marker).filter(|marker| *marker == Burning).count(),
        10_239
    );
}

#[test]
fn stamps_cost_nothing_while_a_page_was_written_by_one_call() {
    let mut column = filled(10_240);
    let bytes = column.bytes();
    column.iter_mut().for_each(|(_, value)| *value += 1);
    assert_eq!(column.bytes(), bytes);
    *column.get_mut(entity(0, 1)).expect("it has a row") = 0;
    assert!(column.bytes() > bytes, "one row differs, so its page keeps a list");
    column.iter_mut().for_each(|(_, value)| *value += 1);
    assert_eq!(column.changed_since(column.clock() - 1).count(), 10_240);
}

#[test]
fn a_column_sorted_as_another_stays_a_value_of_its_own() {
    let (mut column, order) = (filled(5_000), {
        let mut order = filled(5_000);
        order.sort_by(|(_, left), (_, right)| (left % 7).cmp(&(right % 7)));
        order
    });
    column.sort_as(&order);
    assert!(column.owners().eq(order.owners()));
    column.remove(entity(7, 1));
    assert_eq!(order.len(), 5_000);
    assert!(order.contains(entity(7, 1)));
}

#[test]
fn a_single_shares_its_value_until_it_is_written() {
    let single = Single::new(vec![0u8; 1_000_000]);
    let mut clone = single.clone();
    assert!(std::ptr::eq(&raw const **single, &raw const **clone));
    clone[3] = 1;
    assert_eq!((single[3], clone[3]), (0, 1));
}

#[test]
fn a_world_says_whether_it_is_the_same_allocations() {
    let mut game = Game::default();
    let ship = game.spawn_with((Position(0.0, 0.0), Health(1)));
    let clone = game.clone();
    assert!(Part::same(&game, &clone));
    game.get_mut::<Health>(ship).expect("it has health").0 = 1;
    assert!(game == clone && !Part::same(&game, &clone), "equal, and written to");
}

#[test]
fn a_write_to_one_group_leaves_the_others_shared() {
    let mut game = Game::default();
    let ships = game.spawn_batch((0..2_000).map(|_| (Position(0.0, 0.0), Velocity(1.0, 0.0), Health(1))));
    let clone = game.clone();
    game.attach(ships[0], Health(9));
    assert!(Part::same(&game.motions, &clone.motions));
    let (pages, shared) = game.column_of::<Health>().shared_pages(clone.column_of::<Health>());
    assert_eq!((pages, shared), (2, 1));
}

#[test]
fn entities_are_copied_a_page_at_a_time() {
    let mut entities = Entities::default();
    let all = entities.spawn_many(100_000);
    let snapshots: Vec<Entities> = (0..1_000)
        .map(|at| {
            entities.despawn(all[at * 7]);
            entities.clone()
        })
        .collect();
    assert!(snapshots.iter().zip(1..).all(|(snapshot, ended)| snapshot.len() == 100_000 - ended));
}

#[test]
fn groups_can_be_cloned_and_compared_by_themselves() {
    let (mut motions, bodies) = (Motions::default(), Bodies::default());
    let before = motions.clone();
    motions.attach(entity(0, 1), Position(1.0, 1.0));
    *motions.gravity = -9.8;
    assert_ne!(motions, before);
    assert_eq!(bodies, bodies.clone());
}
