//! Walks over one to four stores: what they yield, in which order, and what they stamp.

use std::collections::BTreeMap;

use proptest::prelude::*;
use std_ecs::{Column, Entities, Entity, SingleError, optional, pairs, quadruples, query, triples};

/// Four columns over the same entities.
#[derive(Clone, Default)]
struct Columns {
    entities: Vec<Entity>,
    columns: [Column<u64>; 4],
}

#[derive(Clone, Debug)]
enum Operation {
    /// Fill a column with every `step`th entity from a first one on.
    Fill {
        column: usize,
        first: usize,
        step: usize,
    },
    Remove {
        column: usize,
        entity: usize,
    },
    Clear {
        column: usize,
    },
    SortAs {
        column: usize,
        other: usize,
    },
    Rewrite {
        column: usize,
    },
    Touch {
        column: usize,
        entity: usize,
    },
}

const ENTITIES: usize = 2_500;

fn operation() -> impl Strategy<Value = Operation> {
    let column = 0..4_usize;
    prop_oneof![
        6 => (column.clone(), 0..ENTITIES, 1..5_usize)
            .prop_map(|(column, first, step)| Operation::Fill { column, first, step }),
        6 => (column.clone(), any::<usize>()).prop_map(|(column, entity)| Operation::Remove { column, entity }),
        1 => column.clone().prop_map(|column| Operation::Clear { column }),
        3 => (column.clone(), 0..4_usize).prop_map(|(column, other)| Operation::SortAs { column, other }),
        1 => column.clone().prop_map(|column| Operation::Rewrite { column }),
        3 => (column, any::<usize>()).prop_map(|(column, entity)| Operation::Touch { column, entity }),
    ]
}

impl Columns {
    fn after(operations: &[Operation]) -> Self {
        let entities = Entities::default().spawn_many(ENTITIES);
        let mut columns = Self { entities, ..Self::default() };
        for operation in operations {
            columns.apply(operation);
        }
        columns
    }

    fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Fill { column, first, step } => {
                let rows =
                    self.entities[first..].iter().step_by(step).map(|&entity| (entity, entity.to_bits()));
                assert!(self.columns[column].extend(rows).is_empty());
            }
            Operation::Remove { column, entity } => {
                self.columns[column].remove(self.entities[entity % ENTITIES]);
            }
            Operation::Clear { column } => self.columns[column].clear(),
            Operation::SortAs { column, other } => {
                let other = self.columns[other].clone();
                self.columns[column].sort_as(&other);
            }
            Operation::Rewrite { column } => {
                query(&mut self.columns[column]).for_each(|(_, value)| *value += 7);
            }
            Operation::Touch { column, entity } => {
                if let Some(value) = self.columns[column].get_mut(self.entities[entity % ENTITIES]) {
                    *value += 1;
                }
            }
        }
    }

    fn rows(&self, column: usize) -> Vec<(Entity, u64)> {
        self.columns[column].iter().map(|(entity, value)| (entity, *value)).collect()
    }

    fn map(&self, column: usize) -> BTreeMap<Entity, u64> {
        self.rows(column).into_iter().collect()
    }

    /// The entities that a walk over these columns should meet, in order.
    fn expected(&self, columns: &[usize]) -> Vec<Entity> {
        let driver = columns.iter().copied().min_by_key(|&column| self.columns[column].len());
        self.expected_from(driver.unwrap_or(0), columns)
    }

    fn expected_from(&self, driver: usize, columns: &[usize]) -> Vec<Entity> {
        let maps: Vec<_> = columns.iter().map(|&column| self.map(column)).collect();
        let all = |entity: &Entity| maps.iter().all(|map| map.contains_key(entity));
        self.rows(driver).iter().map(|row| row.0).filter(all).collect()
    }
}

fn sorted(entities: impl IntoIterator<Item = Entity>) -> Vec<Entity> {
    let mut entities: Vec<_> = entities.into_iter().collect();
    entities.sort_unstable();
    entities
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn reading_walks_agree_with_maps(operations in prop::collection::vec(operation(), 1..12)) {
        let columns = Columns::after(&operations);
        let maps: Vec<_> = (0..4).map(|column| columns.map(column)).collect();
        let [a, b, c, d] = &columns.columns;

        let walked: Vec<_> = pairs(a, b).collect();
        let mut pulled = Vec::new();
        for row in pairs(a, b) {
            pulled.push(row);
        }
        prop_assert_eq!(&walked, &pulled);
        prop_assert_eq!(walked.iter().map(|row| row.0).collect::<Vec<_>>(), columns.expected(&[0, 1]));
        for (entity, first, second) in walked {
            prop_assert_eq!((Some(first), Some(second)), (maps[0].get(&entity), maps[1].get(&entity)));
        }
        let first_decides: Vec<_> = pairs(a, b).in_order_of_first().map(|row| row.0).collect();
        prop_assert_eq!(first_decides, columns.expected_from(0, &[0, 1]));
        let three: Vec<_> = triples(a, b, c).map(|row| row.0).collect();
        prop_assert_eq!(three, columns.expected(&[0, 1, 2]));
        let four: Vec<_> = quadruples(a, b, c, d).map(|row| row.0).collect();
        prop_assert_eq!(four, columns.expected(&[0, 1, 2, 3]));

        let all: Vec<_> = triples(a, optional(b), optional(c)).collect();
        prop_assert_eq!(all.iter().map(|row| row.0).collect::<Vec<_>>(), columns.expected(&[0]));
        for (entity, _, second, third) in all {
            prop_assert_eq!((second, third), (maps[1].get(&entity), maps[2].get(&entity)));
        }

        let filtered = sorted(query(a).with(b).without(c).map(|row| row.0));
        let passes = |entity: &Entity| maps[1].contains_key(entity) && !maps[2].contains_key(entity);
        prop_assert_eq!(filtered, maps[0].keys().copied().filter(passes).collect::<Vec<_>>());

        let mut chunked = Vec::new();
        pairs(a, optional(b)).for_each_chunk(|(entities, first, second)| {
            assert_eq!(entities.len(), first.len());
            assert!(second.is_none_or(|second| second.len() == entities.len()));
            for (row, &entity) in entities.iter().enumerate() {
                chunked.push((entity, first[row], second.map(|second| second[row])));
            }
        });
        let rows: Vec<_> = pairs(a, optional(b)).map(|(e, x, y)| (e, *x, y.copied())).collect();
        prop_assert_eq!(chunked, rows);
    }

    #[test]
    fn writing_walks_write_exactly_what_they_yield(operations in prop::collection::vec(operation(), 1..12)) {
        let mut columns = Columns::after(&operations);
        let maps: Vec<_> = (0..4).map(|column| columns.map(column)).collect();
        let before = columns.clone();
        let [a, b, c, d] = &mut columns.columns;
        let clocks = (a.clock(), c.clock());
        for (_, first, second, third) in triples(&mut *a, &*b, optional(&mut *c)) {
            *first += second;
            if let Some(third) = third {
                *third += 1;
            }
        }
        prop_assert_eq!((a.clock(), c.clock()), (clocks.0 + 1, clocks.1 + 1));
        pairs(&mut *d, &*b).for_each(|(_, fourth, second)| *fourth ^= second);
        for (entity, &old) in &maps[0] {
            let expected = old + maps[1].get(entity).copied().unwrap_or(0);
            prop_assert_eq!(a.get(*entity), Some(&expected));
        }
        for (entity, &old) in &maps[2] {
            let is_walked = maps[0].contains_key(entity) && maps[1].contains_key(entity);
            prop_assert_eq!(c.get(*entity), Some(&(old + u64::from(is_walked))));
        }
        for (entity, &old) in &maps[3] {
            let expected = maps[1].get(entity).map_or(old, |second| old ^ second);
            prop_assert_eq!(d.get(*entity), Some(&expected));
        }
        let changed: Vec<_> = a.changed_since(clocks.0).map(|row| row.0).collect();
        prop_assert!(before.expected(&[0, 1]).iter().all(|entity| changed.contains(entity)));
        prop_assert!(before.columns[0].changed_since(clocks.0).next().is_none());
    }

    #[test]
    fn changed_rows_of_the_first_store_are_walked(
        operations in prop::collection::vec(operation(), 1..8),
        touched in prop::collection::vec((0..4_usize, any::<usize>(), 1..100_usize), 0..6),
        is_written: bool,
    ) {
        let mut columns = Columns::after(&operations);
        let stamp = columns.columns[0].clock();
        for (column, first, count) in touched {
            for entity in 0..count {
                columns.apply(&Operation::Touch { column, entity: (first % ENTITIES) + entity });
            }
        }
        let since: Vec<_> = columns.columns[0].changed_since(stamp).map(|row| row.0).collect();
        let walked = columns.expected(&[0, 1]);
        let expected: Vec<_> = walked.iter().copied().filter(|entity| since.contains(entity)).collect();
        let [a, b, ..] = &mut columns.columns;
        let clock = a.clock();
        let found: Vec<_> = if is_written {
            pairs(&mut *a, &*b).changed_since(stamp).map(|row| row.0).collect()
        } else {
            pairs(&*a, &*b).changed_since(stamp).map(|row| row.0).collect()
        };
        prop_assert_eq!(&found, &expected);
        if is_written {
            let written = sorted(a.changed_since(clock).map(|row| row.0));
            prop_assert_eq!(written, sorted(found), "only what was walked counts as written");
        }
        let future: Vec<_> = pairs(&*a, &*b).changed_since(u64::MAX).map(|row| row.0).collect();
        prop_assert_eq!(future, walked, "a stamp from the future lets all through");
    }
}

fn filled(rows: usize) -> (Vec<Entity>, Column<u64>) {
    let entities = Entities::default().spawn_many(rows);
    let mut column = Column::default();
    column.extend(entities.iter().map(|&entity| (entity, u64::from(entity.index()))));
    (entities, column)
}

#[test]
fn size_hints_are_exact_where_one_store_decides() {
    let (entities, column) = filled(2_500);
    let mut half = Column::default();
    half.extend(entities.iter().step_by(2).map(|&entity| (entity, 0_u8)));
    let mut walk = pairs(&column, optional(&half));
    for taken in 0..2_500 {
        assert_eq!(walk.size_hint(), (2_500 - taken, Some(2_500 - taken)));
        assert!(walk.next().is_some());
    }
    assert_eq!(walk.size_hint(), (0, Some(0)));
    assert_eq!(pairs(&column, &half).size_hint(), (0, Some(1_250)));
    assert_eq!(query(&column).without(&half).size_hint().0, 0);
}

#[test]
fn a_walk_that_ended_stays_ended() {
    let (_, column) = filled(3);
    let mut walk = query(&column);
    assert_eq!(walk.by_ref().count(), 3);
    assert_eq!((walk.next(), walk.next()), (None, None));
}

#[test]
fn a_fold_goes_on_where_next_stopped() {
    let (entities, column) = filled(3_000);
    let mut sparse = Column::default();
    sparse.extend(entities.iter().rev().step_by(3).map(|&entity| (entity, 1_u64)));
    let whole: u64 = pairs(&sparse, &column).map(|(_, _, value)| value).sum();
    for taken in [0, 1, 5, 999, 1_000] {
        let mut walk = pairs(&column, &sparse);
        let mut sum: u64 = walk.by_ref().take(taken).map(|(_, value, _)| value).sum();
        walk.for_each(|(_, value, _)| sum += value);
        assert_eq!(sum, whole);
    }
}

#[test]
fn walking_a_clone_lets_the_structure_change() {
    let (entities, mut column) = filled(100);
    let mut allocator = Entities::default();
    allocator.spawn_many(100);
    let mut seen = Vec::new();
    for (entity, value) in query(&column.clone()) {
        seen.push(entity);
        column.remove(entity);
        column.insert(allocator.spawn(), value + 1).unwrap();
    }
    assert_eq!(seen, entities);
    assert_eq!(column.len(), 100);
}

#[test]
fn walks_share_pages_of_entities_and_stay_right_when_one_changes() {
    let (entities, mut first) = filled(2_048);
    let (_, mut second) = filled(2_048);
    let snapshot = first.clone();
    assert_eq!(pairs(&mut first, &second).count(), 2_048);
    second.remove(entities[5]);
    first.remove(entities[9]);
    let walked: Vec<_> = pairs(&first, &second).map(|row| row.0).collect();
    assert_eq!(walked.len(), 2_046);
    assert!(!walked.contains(&entities[5]) && !walked.contains(&entities[9]));
    assert_eq!(snapshot.owners().collect::<Vec<_>>(), entities);
}

#[test]
fn single_wants_exactly_one() {
    let (entities, column) = filled(2);
    let mut flag = Column::default();
    assert!(matches!(query(&flag).single(), Err(SingleError::Nothing(name)) if name.contains("bool")));
    flag.insert(entities[1], true).unwrap();
    assert_eq!(pairs(&column, &flag).single(), Ok((entities[1], &1, &true)));
    assert!(matches!(query(&column).single(), Err(SingleError::Several(_))));
}

#[test]
fn combinations_come_once_each_in_order() {
    let (entities, mut column) = filled(5);
    let walked: Vec<_> = query(&column).combinations().map(|((a, _), (b, _))| (a, b)).collect();
    let mut expected = Vec::new();
    for (at, &a) in entities.iter().enumerate() {
        expected.extend(entities[at + 1..].iter().map(|&b| (a, b)));
    }
    assert_eq!(walked, expected);
    let mut combinations = query(&column).combinations();
    for left in (0..=10).rev() {
        assert_eq!(combinations.size_hint(), (left, Some(left)));
        combinations.next();
    }
    query(&mut column).for_each_combination(|(_, a), (_, b)| {
        **a += 100;
        **b += 1;
    });
    let values: Vec<_> = column.iter().map(|(_, value)| *value).collect();
    assert_eq!(values, [400, 302, 204, 106, 8]);
    for rows in 0..2 {
        assert_eq!(query(&filled(rows).1).combinations().count(), 0);
    }
}

#[test]
fn zero_sized_components_are_walked() {
    let (entities, column) = filled(1_500);
    let mut marker = Column::default();
    marker.extend(entities.iter().map(|&entity| (entity, ())));
    assert_eq!(pairs(&column, &mut marker).count(), 1_500);
    marker.remove(entities[700]);
    assert_eq!(pairs(&column, &mut marker).count(), 1_499);
    assert_eq!(pairs(&marker, &column).count(), 1_499);
}

#[cfg(feature = "parallel")]
#[test]
fn a_parallel_walk_writes_what_a_sequential_one_writes() {
    let (entities, mut sequential) = filled(5_000);
    let mut sparse = Column::default();
    sparse.extend(entities.iter().rev().step_by(3).map(|&entity| (entity, 3_u64)));
    let start = sequential.clone();
    pairs(&mut sequential, &sparse).for_each(|(_, value, other)| *value = value.wrapping_mul(*other));
    query(&mut sequential).without(&sparse).for_each(|(_, value)| *value += 1);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut parallel = start.clone();
        pool.install(|| {
            pairs(&mut parallel, &sparse)
                .par_for_each(|(_, value, other)| *value = value.wrapping_mul(*other));
            query(&mut parallel).without(&sparse).par_for_each(|(_, value)| *value += 1);
        });
        assert_eq!(parallel, sequential);
        assert_eq!(parallel.clock(), sequential.clock());
    }
}

#[test]
fn stretches_of_changed_rows_end_where_nothing_changed() {
    let (entities, mut column) = filled(2_500);
    let other = column.clone();
    let stamp = column.clock();
    let touched: Vec<Entity> = [10..50, 51..52, 1_000..1_100, 2_499..2_500]
        .into_iter()
        .flat_map(|rows| entities[rows].iter().copied())
        .collect();
    for &entity in &touched {
        *column.get_mut(entity).unwrap() += 1;
    }
    let walked: Vec<_> = pairs(&column, &other).changed_since(stamp).map(|row| row.0).collect();
    assert_eq!(walked, touched);
    let mut pulled = Vec::new();
    for (entity, value, _) in pairs(&mut column, &other).changed_since(stamp) {
        *value += 1;
        pulled.push(entity);
    }
    assert_eq!(pulled, touched);
}

#[test]
fn columns_that_agree_at_an_offset_are_walked_in_stretches() {
    let (entities, mut all) = filled(4_000);
    let mut part = Column::default();
    part.extend(entities[1_500..3_700].iter().map(|&entity| (entity, 5_u64)));
    let mut rows = 0;
    let mut slices = 0;
    pairs(&mut all, &mut part).for_each_chunk(|(entities, all, part)| {
        assert_eq!((entities.len(), all.len()), (part.len(), part.len()));
        for ((entity, all), part) in entities.iter().zip(all).zip(part) {
            assert_eq!(u64::from(entity.index()), *all);
            std::mem::swap(all, part);
        }
        rows += entities.len();
        slices += 1;
    });
    assert_eq!(rows, 2_200);
    assert!(slices < 12, "{slices} slices");
    assert!(entities[1_500..3_700].iter().all(|&entity| all.get(entity) == Some(&5)));
    assert!(part.iter().all(|(entity, value)| u64::from(entity.index()) == *value));
    assert_eq!(all.get(entities[1_499]), Some(&1_499));
}

#[test]
fn a_page_of_which_nothing_is_asked_keeps_the_rows_of_others_in_reach() {
    let all = Entities::default().spawn_many(3_000);
    let (mut first, mut second, mut resting) = (Column::default(), Column::default(), Column::default());
    first.extend(all.iter().map(|&entity| (entity, 1)));
    // One row on, so that an entity and its row are in different pages where a page ends.
    second.extend(all.iter().skip(1).chain(&all[..1]).map(|&entity| (entity, 1)));
    resting.extend(all[..1_024].iter().map(|&entity| (entity, ())));
    let clock = first.clock();
    for &entity in &all[1_024..] {
        *first.get_mut(entity).unwrap() += 1;
    }

    let mut walked = Vec::new();
    for (entity, a, b) in pairs(&mut first.clone(), &mut second.clone()).changed_since(clock) {
        walked.push((entity, *a, *b));
    }
    assert!(walked.iter().map(|row| row.0).eq(all[1_024..].iter().copied()));
    let mut walked = 0;
    pairs(&mut first.clone(), &mut second.clone()).without(&resting).for_each(|_| walked += 1);
    assert_eq!(walked, 3_000 - 1_024);
}
