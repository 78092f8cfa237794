//! Values that follow from those of the ancestors: right in one call, and written only where they differ.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::entity;
use proptest::prelude::*;
use std_ecs::{Column, Entities, Entity, Hierarchy};

/// The sum of the own value and those above, which tells every order from a right one.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "it is handed to `propagate`, which passes references")]
fn sum(own: &i64, above: Option<&i64>) -> i64 {
    own + above.map_or(0, |above| 2 * above)
}

fn expected(hierarchy: &Hierarchy, own: &Column<i64>, entity: Entity) -> i64 {
    let mut path: Vec<Entity> = hierarchy.ancestors(entity).filter(|&above| own.contains(above)).collect();
    path.insert(0, entity);
    path.iter().rev().fold(0, |above, &entity| 2 * above + own.get(entity).unwrap())
}

/// A tree over `count` entities in which each hangs below one that `above` chooses among those before it.
fn tree(count: usize, above: impl Fn(usize) -> Option<usize>) -> (Vec<Entity>, Hierarchy) {
    let entities = Entities::default().spawn_many(count);
    let mut hierarchy = Hierarchy::default();
    for (at, &entity) in entities.iter().enumerate() {
        if let Some(above) = above(at) {
            hierarchy.set_parent(entity, entities[above]).unwrap();
        }
    }
    (entities, hierarchy)
}

fn column(entities: impl IntoIterator<Item = Entity>) -> Column<i64> {
    let mut column = Column::default();
    column.extend(entities.into_iter().map(|entity| (entity, i64::from(entity.index() % 7) + 1)));
    column
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever the rows are like, of either column, and whoever has a row there already.
    #[test]
    fn one_call_brings_all_up_to_date(
        above in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
        own_keys in prop::collection::vec(0..5_u32, 40),
        derived_keys in prop::collection::vec(0..5_u32, 40),
        scale in prop_oneof![Just(1_usize), Just(60)],
    ) {
        // The same small tree many times over, so that rows fill several pages.
        let size = above.len();
        let (entities, hierarchy) = tree(size * scale, |at| {
            let (copy, at) = (at / size, at % size);
            let chosen = above[at].index(at + 1);
            (chosen < at).then_some(copy * size + chosen)
        });
        let shuffled = |keys: &[u32]| {
            let mut some: Vec<Entity> =
                entities.iter().copied().filter(|entity| keys[entity.index() as usize % size] > 0).collect();
            some.sort_by_key(|entity| keys[entity.index() as usize % size]);
            some
        };
        let own = column(shuffled(&own_keys));
        let mut elsewhere = column(shuffled(&derived_keys));
        let mut same = own.clone();
        let mut fresh = Column::default();
        let others: Vec<(Entity, i64)> =
            elsewhere.iter().filter(|&(entity, _)| !own.contains(entity)).map(|(entity, &v)| (entity, v)).collect();
        for derived in [&mut elsewhere, &mut same, &mut fresh] {
            hierarchy.propagate(&own, derived, sum);
            for (entity, _) in &own {
                prop_assert_eq!(derived.get(entity), Some(&expected(&hierarchy, &own, entity)));
            }
            let (clock, before) = (derived.clock(), derived.clone());
            hierarchy.propagate(&own, derived, sum);
            let (pages, shared) = derived.shared_pages(&before);
            prop_assert_eq!((derived.clock(), shared), (clock, pages), "the second call writes nothing");
        }
        prop_assert_eq!(fresh.owners().collect::<Vec<_>>(), own.owners().collect::<Vec<_>>());
        for (entity, value) in others {
            prop_assert_eq!(elsewhere.get(entity), Some(&value), "who is not in `own` stays");
        }
    }
}

#[test]
fn only_what_differs_is_written_and_counts_as_changed() {
    // 3,000 ships of two turrets each.
    let (entities, hierarchy) = tree(9_000, |at| (at % 3 != 0).then_some(at - at % 3));
    let mut own = column(entities.iter().copied());
    let mut derived = Column::default();
    hierarchy.propagate(&own, &mut derived, sum);
    let before = derived.clone();

    let moved = entities[3 * 700];
    *own.get_mut(moved).unwrap() += 1;
    hierarchy.propagate(&own, &mut derived, sum);
    let changed: Vec<Entity> = derived.changed_since(before.clock()).map(|(entity, _)| entity).collect();
    assert_eq!(changed, entities[3 * 700..3 * 701]);
    assert_eq!(derived.clock(), before.clock() + 1, "it is one call");
    assert_eq!(derived.shared_pages(&before), (9, 8));
    assert_eq!(before.get(moved), Some(&(i64::from(moved.index() % 7) + 1)), "the snapshot stays");
}

#[test]
fn a_panic_of_the_derivation_changes_nothing() {
    let (entities, hierarchy) = tree(2_000, |at| at.checked_sub(1));
    let own = column(entities.iter().copied());
    let mut derived: Column<i64> = column(entities.iter().copied());
    let before = derived.clone();
    let mut left = 1_500;
    let caught = catch_unwind(AssertUnwindSafe(|| {
        hierarchy.propagate(&own, &mut derived, |own, _| {
            left -= 1;
            assert!(left > 0, "this one was told to panic");
            own + 1
        });
    }));
    assert!(caught.is_err());
    assert_eq!(derived.clock(), before.clock());
    assert!(derived.iter().eq(before.iter()));
}

#[test]
fn a_row_of_a_newer_entity_is_left_alone() {
    let hierarchy = Hierarchy::default();
    let (old, new) = (entity(0, 1), entity(0, 2));
    let own = column([old, entity(1, 1)]);
    let mut derived = Column::default();
    derived.insert(new, -1).unwrap();
    hierarchy.propagate(&own, &mut derived, sum);
    assert_eq!(derived.iter().collect::<Vec<_>>(), [(new, &-1), (entity(1, 1), &2)]);
}

#[test]
fn threads_that_ask_for_orders_at_once_get_the_same() {
    for round in 0..20 {
        let above = |at: usize| (at > 0).then(|| (at * 7 + round) % at);
        let ((entities, alone), (_, hierarchy)) = (tree(200, above), tree(200, above));
        let columns: Vec<Column<i64>> =
            (0..6).map(|skipped| column(entities.iter().copied().skip(skipped).rev())).collect();
        let expected: Vec<_> = columns.iter().map(|column| alone.depth_order(column)).collect();
        std::thread::scope(|scope| {
            for worker in 0..8 {
                // Some share a value, the others have a clone of it.
                let (shared, own) = (&hierarchy, hierarchy.clone());
                let (columns, expected) = (&columns, &expected);
                scope.spawn(move || {
                    for turn in 0..12 {
                        let at = (turn + worker) % columns.len();
                        let hierarchy = if worker % 2 == 0 { shared } else { &own };
                        assert_eq!(hierarchy.depth_order(&columns[at]), expected[at]);
                    }
                });
            }
        });
    }
}
