//! Walks remember where rows are. Whatever happens to the columns between two walks, each yields what looking
//! every entity up gives, in the order of the rows that drive, once, and stamps what it yields and nothing else.

use proptest::prelude::*;
use std_ecs::{Column, Entities, Entity, optional, pairs, triples};

/// What happens to one of the columns, or to all.
#[derive(Clone, Debug)]
enum Step {
    Insert(usize, Vec<usize>),
    Remove(usize, Vec<usize>),
    /// Entities that get a newer generation; the columns keep the rows of the dead until these are inserted.
    Replace(Vec<usize>),
    Extend(usize, usize, usize),
    Retain(usize, usize),
    SortAs(usize, usize),
    Reverse(usize),
    Clear(usize),
    /// Exchanges two columns.
    Swap(usize, usize),
    Snapshot,
    Restore(usize),
    /// Copies a column over another one, so that two have one arrangement.
    Copy(usize, usize),
}

const ENTITIES: usize = 2_300;

fn step() -> impl Strategy<Value = Step> {
    let some = || prop::collection::vec(0..ENTITIES, 1..60);
    let column = || 0..3_usize;
    prop_oneof![
        4 => (column(), some()).prop_map(|(column, at)| Step::Insert(column, at)),
        4 => (column(), some()).prop_map(|(column, at)| Step::Remove(column, at)),
        2 => some().prop_map(Step::Replace),
        3 => (column(), 0..ENTITIES, 1..1_500_usize).prop_map(|(column, from, count)| Step::Extend(column, from, count)),
        1 => (column(), 2..5_usize).prop_map(|(column, every)| Step::Retain(column, every)),
        2 => (column(), column()).prop_map(|(column, other)| Step::SortAs(column, other)),
        1 => column().prop_map(Step::Reverse),
        1 => column().prop_map(Step::Clear),
        1 => (column(), column()).prop_map(|(a, b)| Step::Swap(a, b)),
        1 => Just(Step::Snapshot),
        2 => any::<usize>().prop_map(Step::Restore),
        1 => (column(), column()).prop_map(|(a, b)| Step::Copy(a, b)),
    ]
}

struct Game {
    entities: Entities,
    all: Vec<Entity>,
    columns: [Column<u64>; 3],
}

impl Game {
    fn insert(&mut self, column: usize, at: impl IntoIterator<Item = usize>) {
        for at in at {
            // A column restored from before a death may hold a newer entity: then this is refused.
            let _ = self.columns[column].insert(self.all[at % ENTITIES], at as u64);
        }
    }

    fn apply(&mut self, step: &Step, snapshots: &mut Vec<[Column<u64>; 3]>) {
        match step {
            Step::Insert(column, at) => self.insert(*column, at.iter().copied()),
            Step::Remove(column, at) => {
                for &at in at {
                    self.columns[*column].remove(self.all[at]);
                }
            }
            Step::Replace(at) => {
                for &at in at {
                    self.entities.despawn(self.all[at]);
                    self.all[at] = self.entities.spawn();
                }
            }
            Step::Extend(column, from, count) => {
                let rows =
                    (*from..from + count).map(|at| (self.all[at % ENTITIES], at as u64)).collect::<Vec<_>>();
                self.columns[*column].extend(rows);
            }
            Step::Retain(column, every) => {
                self.columns[*column].retain(|entity, _| !(entity.index() as usize).is_multiple_of(*every));
            }
            Step::SortAs(column, other) => {
                let other = self.columns[*other].clone();
                self.columns[*column].sort_as(&other);
            }
            Step::Reverse(column) => self.columns[*column].sort_by(|a, b| b.0.cmp(&a.0)),
            Step::Clear(column) => self.columns[*column].clear(),
            Step::Swap(a, b) => self.columns.swap(*a, *b),
            Step::Snapshot => snapshots.push(self.columns.clone()),
            Step::Restore(at) => {
                if let Some(at) = at.checked_rem(snapshots.len()) {
                    self.columns.clone_from(&snapshots[at]);
                }
            }
            Step::Copy(from, to) => self.columns[*to] = self.columns[*from].clone(),
        }
    }
}

/// The entities of the shortest of these columns, the first of equals, that all of them have.
fn common(columns: &[&Column<u64>]) -> Vec<Entity> {
    let shortest = columns.iter().min_by_key(|column| column.len()).expect("there are some");
    shortest.owners().filter(|&entity| columns.iter().all(|column| column.contains(entity))).collect()
}

/// Walks all three in several ways, each of which has to yield what looking up gives.
fn walk(columns: &mut [Column<u64>; 3], by_loop: bool) {
    let [a, b, c] = columns;
    let (a_before, b_before, c_before) = (a.clone(), b.clone(), c.clone());

    let expected: Vec<_> = common(&[a, b])
        .into_iter()
        .map(|entity| (entity, a.get(entity).copied(), b.get(entity).copied()))
        .collect();
    let mut yielded = Vec::new();
    let mut each = |(entity, a, b): (Entity, &mut u64, &u64)| {
        yielded.push((entity, Some(*a), Some(*b)));
        *a = a.wrapping_mul(31).wrapping_add(*b);
    };
    if by_loop {
        for row in pairs(&mut *a, &*b) {
            each(row);
        }
    } else {
        pairs(&mut *a, &*b).for_each(each);
    }
    assert!(yielded == expected, "a pair, the first written");
    for (entity, before, other) in expected {
        let expected = before.zip(other).map(|(before, other)| before.wrapping_mul(31).wrapping_add(other));
        assert_eq!(a.get(entity).copied(), expected);
    }
    for entity in a.owners().filter(|&entity| b.contains(entity)) {
        assert!(a.stamp(entity).is_some_and(|stamp| stamp.changed == a.clock()), "{entity} was written");
    }

    let expected: Vec<_> =
        common(&[c, b]).into_iter().map(|entity| (entity, a.get(entity).copied())).collect();
    let mut yielded = Vec::new();
    triples(&mut *c, &mut *b, optional(&*a)).for_each(
        |(entity, c, b, a): (_, &mut u64, &mut u64, Option<&u64>)| {
            yielded.push((entity, a.copied()));
            std::mem::swap(c, b);
        },
    );
    assert!(yielded == expected, "a triple, the last optional");
    for (entity, _) in expected {
        assert_eq!((c.get(entity), b.get(entity)), (b_before.get(entity), c_before.get(entity)));
    }

    let expected: Vec<_> = common(&[b]).into_iter().filter(|&entity| !c.contains(entity)).collect();
    let expected: Vec<_> = expected.into_iter().map(|entity| (entity, a.get(entity).copied())).collect();
    let mut yielded = Vec::new();
    pairs(&*b, optional(&mut *a)).without(&*c).for_each(|(entity, _, a): (_, &u64, Option<&mut u64>)| {
        yielded.push((entity, a.as_deref().copied()));
        if let Some(a) = a {
            *a += 1;
        }
    });
    assert!(yielded == expected, "a filtered pair, the second optional and written");

    let changed = |entity: &Entity| a.stamp(*entity).is_some_and(|stamp| stamp.changed > a_before.clock());
    let expected = common(&[a, c]).into_iter().filter(changed).count();
    assert_eq!(pairs(&*a, &*c).changed_since(a_before.clock()).count(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn what_is_remembered_is_never_seen(
        fill in prop::collection::vec((0..3_usize, 0..ENTITIES, 1..2_000_usize), 2..6),
        steps in prop::collection::vec((prop::collection::vec(step(), 0..3), any::<bool>()), 1..14),
    ) {
        let mut entities = Entities::default();
        let all = entities.spawn_many(ENTITIES);
        let mut game = Game { entities, all, columns: Default::default() };
        let mut snapshots = Vec::new();
        for (column, from, count) in fill {
            game.insert(column, from..from + count);
        }
        for (steps, by_loop) in steps {
            // Three times, as rows are remembered from the second time on and gone by from the third.
            for _ in 0..3 {
                walk(&mut game.columns, by_loop);
            }
            for step in &steps {
                game.apply(step, &mut snapshots);
            }
            walk(&mut game.columns, by_loop);
        }
    }
}

/// A column of these entities, each of which is its own value.
fn column(entities: impl IntoIterator<Item = Entity>) -> Column<u32> {
    let mut column = Column::default();
    column.extend(entities.into_iter().map(|entity| (entity, entity.index())));
    column
}

#[test]
fn what_is_remembered_takes_memory_that_is_told_and_goes_with_the_next_change() {
    let all = Entities::default().spawn_many(5_000);
    let mut driver = column(all.iter().step_by(2).copied());
    let mut other = column(all.iter().rev().copied());
    let before = driver.bytes() + other.bytes();
    for _ in 0..2 {
        pairs(&driver, &other).for_each(|(_, left, right)| assert_eq!(left, right));
    }
    let remembered = driver.bytes() + other.bytes() - before;
    assert!((4 * driver.len()..8 * driver.len()).contains(&remembered), "{remembered} bytes");

    let mut never_walked = column(all.iter().step_by(2).copied());
    let (snapshot, _shares_its_pages) = (driver.clone(), never_walked.clone());
    for driver in [&mut driver, &mut never_walked] {
        driver.remove(all[0]);
        driver.insert(all[0], 0).expect("it lives");
    }
    assert_eq!(driver.bytes(), never_walked.bytes());
    other.remove(all[0]);
    pairs(&driver, &other).for_each(|(_, left, right)| assert_eq!(left, right));
    assert_eq!(pairs(&snapshot, &other).count(), 2_499);
}

#[test]
fn a_column_that_is_walked_with_many_others_keeps_few_of_them_in_mind() {
    let all = Entities::default().spawn_many(3_000);
    let driver = column(all.iter().step_by(3).copied());
    let others: Vec<_> = (1..40).map(|step| column(all.iter().rev().step_by(step).copied())).collect();
    let before = driver.bytes();
    for _ in 0..3 {
        for other in &others {
            pairs(&driver, other).in_order_of_first().for_each(|(_, left, right)| assert_eq!(left, right));
            pairs(&driver, other).in_order_of_first().for_each(|(_, left, right)| assert_eq!(left, right));
        }
    }
    assert!(driver.bytes() - before < 10 * 6 * driver.len());
}

#[test]
fn threads_that_walk_one_column_at_once_see_the_same() {
    let all = Entities::default().spawn_many(6_000);
    let driver = column(all.iter().step_by(2).copied());
    let other = column(all.iter().rev().copied());
    let walk =
        || (0..20).map(|_| pairs(&driver, &other).filter(|(_, left, right)| left == right).count()).min();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(walk)).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("it ends"), Some(3_000));
        }
    });
}
