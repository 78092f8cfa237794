//! Columns whose rows are in step, at an offset, in pieces, scattered or missing: loops and folds yield the same
//! rows and leave the same stamps, and both are what looking each entity up gives.

use proptest::prelude::*;
use std_ecs::{Column, Entities, Entity, optional, pairs, triples};

/// A piece of a column: entities from a place on, in steps, and whether they come in reverse.
#[derive(Clone, Debug)]
struct Piece {
    from: usize,
    count: usize,
    step: usize,
    reversed: bool,
}

fn piece() -> impl Strategy<Value = Piece> {
    let step = prop_oneof![4 => Just(1_usize), 1 => 2..5_usize];
    (0..2_600_usize, 1..1_400_usize, step, prop::bool::weighted(0.2))
        .prop_map(|(from, count, step, reversed)| Piece { from, count, step, reversed })
}

fn column(all: &[Entity], pieces: &[Piece]) -> Column<u64> {
    let mut column = Column::default();
    for Piece { from, count, step, reversed } in pieces {
        let mut piece: Vec<Entity> = all.iter().skip(*from).step_by(*step).take(*count).copied().collect();
        if *reversed {
            piece.reverse();
        }
        for entity in piece {
            column.get_or_insert_with(entity, || u64::from(entity.index())).expect("it lives");
        }
    }
    column
}

/// Everything that can be seen of a column.
fn seen(column: &Column<u64>) -> Vec<(Entity, u64, std_ecs::Stamp)> {
    column
        .iter()
        .map(|(entity, value)| (entity, *value, column.stamp(entity).expect("it has a row")))
        .collect()
}

/// What is done with each row, so that it matters who gets which, and once.
fn mix(into: &mut u64, from: u64) -> u64 {
    *into = into.wrapping_mul(31).wrapping_add(from + 1);
    *into
}

/// Runs one query as a loop and as a fold, both of them from where `first` rows have been taken; the rows yielded
/// and the columns afterwards must be the same.
macro_rules! agree {
    ($columns:expr, $first:expr, |$a:ident, $b:ident, $c:ident| $query:expr, |$row:pat_param| $yielded:expr) => {{
        let mut columns = $columns;
        let [$a, $b, $c] = columns.each_mut();
        let _ = &$c;
        let mut looped = Vec::new();
        for $row in $query {
            looped.push($yielded);
        }
        let by_loop = columns.map(|column| seen(&column));
        let mut columns = $columns;
        let [$a, $b, $c] = columns.each_mut();
        let _ = &$c;
        let mut folded = Vec::new();
        let mut walk = $query;
        for $row in walk.by_ref().take($first) {
            folded.push($yielded);
        }
        walk.for_each(|$row| folded.push($yielded));
        prop_assert!(looped == folded, "the loop and the fold yield different rows");
        prop_assert!(by_loop == columns.map(|column| seen(&column)), "they leave different columns");
        looped
    }};
}

/// What a loop over pairs that writes both leaves.
fn looped([mut a, mut b, c]: [Column<u64>; 3], since: u64) -> [Vec<(Entity, u64, std_ecs::Stamp)>; 3] {
    for (_, a, b) in pairs(&mut a, &mut b).changed_since(since) {
        mix(a, *b);
        mix(b, *a);
    }
    [a, b, c].map(|column| seen(&column))
}

/// The same by slices.
fn by_slices([mut a, mut b, c]: [Column<u64>; 3], since: u64) -> [Vec<(Entity, u64, std_ecs::Stamp)>; 3] {
    pairs(&mut a, &mut b).changed_since(since).for_each_chunk(|(entities, a, b)| {
        assert!(entities.len() == a.len() && a.len() == b.len());
        for (a, b) in a.iter_mut().zip(b) {
            mix(a, *b);
            mix(b, *a);
        }
    });
    [a, b, c].map(|column| seen(&column))
}

/// The same on several threads.
#[cfg(feature = "parallel")]
fn in_parallel([mut a, mut b, c]: [Column<u64>; 3], since: u64) -> [Vec<(Entity, u64, std_ecs::Stamp)>; 3] {
    pairs(&mut a, &mut b).changed_since(since).par_for_each(|(_, a, b): (_, &mut u64, &mut u64)| {
        mix(a, *b);
        mix(b, *a);
    });
    [a, b, c].map(|column| seen(&column))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn loops_and_folds_agree_in_whatever_order_rows_are(
        first in prop::collection::vec(piece(), 1..4),
        second in prop::collection::vec(piece(), 1..5),
        third in prop::collection::vec(piece(), 0..4),
        taken in prop_oneof![Just(0_usize), 1..40_usize, 1..1_500_usize],
        were_walked in any::<bool>(),
    ) {
        let all = Entities::default().spawn_many(4_000);
        let (a, b, c) = (column(&all, &first), column(&all, &second), column(&all, &third));
        // From the second walk on it is remembered where rows are, which clones share.
        for _ in 0..if were_walked { 2 } else { 0 } {
            pairs(&a, &b).for_each(drop);
            pairs(&a, &b).in_order_of_first().for_each(drop);
            triples(&a, &b, &c).for_each(drop);
            triples(&a, &b, optional(&c)).for_each(drop);
        }
        let columns = || [a.clone(), b.clone(), c.clone()];
        let both: Vec<Entity> = a.owners().filter(|&entity| b.contains(entity)).collect();
        let sorted = |mut entities: Vec<Entity>| {
            entities.sort_unstable();
            entities
        };

        let rows = agree!(columns(), taken, |a, b, c| pairs(&mut *a, &*b),
            |(entity, a, b)| (entity, mix(a, *b)));
        prop_assert_eq!(sorted(rows.iter().map(|row| row.0).collect()), sorted(both.clone()));

        let rows = agree!(columns(), taken, |a, b, c| pairs(&mut *a, &mut *b),
            |(entity, a, b)| (entity, mix(a, *b), mix(b, *a)));
        prop_assert_eq!(rows.len(), both.len());

        let rows = agree!(columns(), taken, |a, b, c| pairs(&*a, &mut *b).in_order_of_first(),
            |(entity, a, b)| (entity, mix(b, *a)));
        prop_assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), both.clone());

        let rows = agree!(columns(), taken, |a, b, c| triples(&mut *a, &*b, optional(&mut *c)),
            |(entity, a, b, c)| (entity, mix(a, *b), c.map(|c| mix(c, *b))));
        prop_assert_eq!(rows.len(), both.len());
        prop_assert!(rows.iter().all(|(entity, _, value)| value.is_some() == c.contains(*entity)));

        let rows = agree!(columns(), taken, |a, b, c| pairs(&mut *a, &mut *b).without(&*c),
            |(entity, a, b)| (entity, mix(a, *b), mix(b, *a)));
        prop_assert_eq!(rows.len(), both.iter().filter(|&&entity| !c.contains(entity)).count());

        let rows = agree!(columns(), taken, |a, b, c| pairs(&mut *a, &*b).with(&*c),
            |(entity, a, b)| (entity, mix(a, *b)));
        prop_assert_eq!(rows.len(), both.iter().filter(|&&entity| c.contains(entity)).count());

        let since = a.clock() / 2;
        let rows = agree!(columns(), taken, |a, b, c| pairs(&mut *a, &mut *b).changed_since(since),
            |(entity, a, b)| (entity, mix(a, *b), mix(b, *a)));
        let changed = |&&entity: &&Entity| a.stamp(entity).is_some_and(|stamp| stamp.changed > since);
        prop_assert_eq!(rows.len(), both.iter().filter(changed).count());

        for since in [0, since] {
            let expected = looped(columns(), since);
            prop_assert!(by_slices(columns(), since) == expected, "slices leave different columns");
            #[cfg(feature = "parallel")]
            prop_assert!(in_parallel(columns(), since) == expected, "threads leave different columns");
        }
    }
}
