//! Random operations on a column against a list of rows.

mod common;

use common::{entity, saving::reload};
use proptest::prelude::*;
use std_ecs::{Change, Column, Entity, Stale, Stamp};

/// How many rows lie in a page.
const PAGE: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    owner: Entity,
    value: i64,
    stamp: Stamp,
}

/// A column as anybody would write it: a list of rows that is searched.
#[derive(Clone, Debug, Default)]
struct Model {
    clock: u64,
    rows: Vec<Row>,
}

impl Model {
    /// A column of these rows, stored by one call.
    fn filled(rows: usize) -> (Column<i64>, Self) {
        let (mut column, mut model) = (Column::default(), Self::default());
        let pairs: Vec<_> = (0..rows as u32).map(|at| (entity(at, 1), i64::from(at) * 7 % 64)).collect();
        column.extend(pairs.iter().copied());
        model.extend(&pairs);
        (column, model)
    }

    fn row(&self, owner: Entity) -> Option<usize> {
        self.rows.iter().position(|row| row.owner == owner)
    }

    fn store(&mut self, owner: Entity, value: i64, now: u64) -> Result<Option<i64>, Stale<i64>> {
        let Some(at) = self.rows.iter().position(|row| row.owner.index() == owner.index()) else {
            self.clock = now;
            self.rows.push(Row { owner, value, stamp: Stamp { attached: now, changed: now } });
            return Ok(None);
        };
        let row = &mut self.rows[at];
        if row.owner.generation() > owner.generation() {
            return Err(Stale { asked: owner, stored: row.owner, value });
        }
        self.clock = now;
        let attached = if row.owner == owner { row.stamp.attached } else { now };
        let old = std::mem::replace(row, Row { owner, value, stamp: Stamp { attached, changed: now } });
        Ok(Some(old.value))
    }

    fn insert(&mut self, owner: Entity, value: i64) -> Result<Option<i64>, Stale<i64>> {
        self.store(owner, value, self.clock + 1)
    }

    fn extend(&mut self, rows: &[(Entity, i64)]) -> Vec<Stale<i64>> {
        let now = self.clock + 1;
        rows.iter().filter_map(|&(owner, value)| self.store(owner, value, now).err()).collect()
    }

    fn write(&mut self, owner: Entity, value: i64) -> Option<i64> {
        let at = self.row(owner)?;
        self.clock += 1;
        self.rows[at].stamp.changed = self.clock;
        Some(std::mem::replace(&mut self.rows[at].value, value))
    }

    fn get_or_insert(&mut self, owner: Entity, value: i64) -> Result<i64, Stale> {
        if let Some(at) = self.row(owner) {
            self.clock += 1;
            self.rows[at].stamp.changed = self.clock;
            return Ok(self.rows[at].value);
        }
        match self.insert(owner, value) {
            Ok(_) => Ok(value),
            Err(Stale { asked, stored, .. }) => Err(Stale { asked, stored, value: () }),
        }
    }

    fn write_many<const N: usize>(&mut self, owners: [Entity; N]) -> [Option<i64>; N] {
        let found = owners.map(|owner| self.row(owner));
        self.clock += u64::from(found.iter().any(Option::is_some));
        found.map(|row| {
            let row = &mut self.rows[row?];
            row.stamp.changed = self.clock;
            row.value += 1_000;
            Some(row.value)
        })
    }

    fn remove(&mut self, owner: Entity) -> Option<i64> {
        let at = self.row(owner)?;
        self.clock += 1;
        Some(self.rows.swap_remove(at).value)
    }

    /// A walk for writing over at most `rows` rows: whole pages are stamped when they are entered.
    fn walk(&mut self, rows: usize) {
        self.clock += u64::from(!self.rows.is_empty());
        for (at, row) in self.rows.iter_mut().enumerate() {
            if at / PAGE < rows.div_ceil(PAGE) {
                row.stamp.changed = self.clock;
            }
            if at < rows {
                row.value += 1;
            }
        }
    }

    /// Puts the rows in another order, or takes some away; nothing happened if they are as before.
    fn rearrange(&mut self, rows: Vec<Row>) {
        if rows != self.rows {
            self.rows = rows;
            self.clock += 1;
        }
    }

    fn sort_as(&mut self, order: &[Entity]) {
        let mut rows: Vec<Row> =
            order.iter().filter_map(|&owner| Some(self.rows[self.row(owner)?])).collect();
        rows.extend(self.rows.iter().filter(|row| !order.contains(&row.owner)));
        self.rearrange(rows);
    }

    fn diff<'a>(&'a self, earlier: &'a Self) -> Vec<Change<'a, i64>> {
        let mut changes = Vec::new();
        for Row { owner, value: new, .. } in &self.rows {
            match earlier.row(*owner).map(|at| &earlier.rows[at].value) {
                None => changes.push(Change::Attached { entity: *owner, new }),
                Some(old) if old != new => changes.push(Change::Changed { entity: *owner, old, new }),
                Some(_) => {}
            }
        }
        for Row { owner, value: old, .. } in &earlier.rows {
            if self.row(*owner).is_none() {
                changes.push(Change::Detached { entity: *owner, old });
            }
        }
        changes
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Insert(Entity, i64),
    Write(Entity, i64),
    GetOrInsert(Entity, i64),
    WriteMany([Entity; 3]),
    Remove(Entity),
    RemoveLast,
    Extend(Vec<(Entity, i64)>),
    Retain(i64),
    Clear,
    Walk(usize),
    WalkChunks,
    SortBy,
    SortAs(Vec<Entity>),
    Snapshot,
    RollBack(usize),
    Reload,
    Fork,
}

fn handle(indices: u32) -> impl Strategy<Value = Entity> {
    (0..indices, 1..4u32).prop_map(|(index, generation)| entity(index, generation))
}

fn operation(indices: u32, many: usize) -> impl Strategy<Value = Operation> {
    let value = || 0..64i64;
    let handles = || prop::collection::vec(handle(indices), 0..many);
    prop_oneof![
        8 => (handle(indices), value()).prop_map(|(owner, value)| Operation::Insert(owner, value)),
        4 => (handle(indices), value()).prop_map(|(owner, value)| Operation::Write(owner, value)),
        2 => (handle(indices), value()).prop_map(|(owner, value)| Operation::GetOrInsert(owner, value)),
        2 => [handle(indices), handle(indices), handle(indices)].prop_map(Operation::WriteMany),
        4 => handle(indices).prop_map(Operation::Remove),
        2 => Just(Operation::RemoveLast),
        1 => prop::collection::vec((handle(indices), value()), 0..many).prop_map(Operation::Extend),
        1 => (1..5i64).prop_map(Operation::Retain),
        1 => prop_oneof![3 => Just(Operation::Walk(0)), 1 => Just(Operation::Clear)],
        1 => (0..many + 2).prop_map(Operation::Walk),
        1 => Just(Operation::WalkChunks),
        1 => Just(Operation::SortBy),
        1 => handles().prop_map(Operation::SortAs),
        1 => Just(Operation::Snapshot),
        1 => any::<usize>().prop_map(Operation::RollBack),
        1 => Just(Operation::Reload),
        1 => Just(Operation::Fork),
    ]
}

fn distinct(owners: &[Entity]) -> bool {
    owners.iter().enumerate().all(|(at, owner)| !owners[..at].contains(owner))
}

/// A column whose rows belong to these entities, in the order in which each index comes first.
fn column_of(owners: &[Entity]) -> Column<u8> {
    let mut column = Column::default();
    column.extend(owners.iter().map(|&owner| (owner, 0)));
    column
}

/// What the operation answers, as text, so that columns and the model can be compared.
fn run(column: &mut Column<i64>, operation: &Operation) -> String {
    match operation {
        &Operation::Insert(owner, value) => format!("{:?}", column.insert(owner, value)),
        &Operation::Write(owner, value) => {
            format!("{:?}", column.get_mut(owner).map(|old| std::mem::replace(old, value)))
        }
        &Operation::GetOrInsert(owner, value) => {
            format!("{:?}", column.get_or_insert_with(owner, || value).map(|value| *value))
        }
        Operation::WriteMany(owners) if distinct(owners) => {
            let written = column.get_many_mut(*owners).map(|value| {
                value.map(|value| {
                    *value += 1_000;
                    *value
                })
            });
            format!("{written:?}")
        }
        &Operation::Remove(owner) => format!("{:?}", column.remove(owner)),
        Operation::RemoveLast => {
            let last = column.owners().next_back();
            last.map_or_else(String::new, |last| format!("{:?}", column.remove(last)))
        }
        Operation::Extend(rows) => format!("{:?}", column.extend(rows.iter().copied())),
        Operation::Retain(divisor) => {
            column.retain(|_, value| value % divisor == 0);
            String::new()
        }
        Operation::Clear => {
            column.clear();
            String::new()
        }
        Operation::Walk(rows) => {
            column.iter_mut().take(*rows).for_each(|(_, value)| *value += 1);
            String::new()
        }
        Operation::WalkChunks => {
            for value in column.chunks_mut().flat_map(|(_, values)| values) {
                *value += 1;
            }
            String::new()
        }
        Operation::SortBy => {
            column.sort_by(|(_, left), (_, right)| left.cmp(right));
            String::new()
        }
        Operation::SortAs(order) => {
            column.sort_as(&column_of(order));
            String::new()
        }
        _ => String::new(),
    }
}

fn run_model(model: &mut Model, operation: &Operation) -> String {
    match operation {
        &Operation::Insert(owner, value) => format!("{:?}", model.insert(owner, value)),
        &Operation::Write(owner, value) => format!("{:?}", model.write(owner, value)),
        &Operation::GetOrInsert(owner, value) => format!("{:?}", model.get_or_insert(owner, value)),
        Operation::WriteMany(owners) if distinct(owners) => format!("{:?}", model.write_many(*owners)),
        &Operation::Remove(owner) => format!("{:?}", model.remove(owner)),
        Operation::RemoveLast => match model.rows.last().copied() {
            Some(last) => format!("{:?}", model.remove(last.owner)),
            None => String::new(),
        },
        Operation::Extend(rows) => format!("{:?}", model.extend(rows)),
        Operation::Retain(divisor) => {
            let rows = model.rows.iter().filter(|row| row.value % divisor == 0).copied().collect();
            model.rearrange(rows);
            String::new()
        }
        Operation::Clear => {
            model.rearrange(Vec::new());
            String::new()
        }
        Operation::Walk(rows) => {
            model.walk(*rows);
            String::new()
        }
        Operation::WalkChunks => {
            model.walk(usize::MAX);
            String::new()
        }
        Operation::SortBy => {
            let mut rows = model.rows.clone();
            rows.sort_by_key(|row| row.value);
            model.rearrange(rows);
            String::new()
        }
        Operation::SortAs(order) => {
            let order: Vec<Entity> = column_of(order).owners().collect();
            model.sort_as(&order);
            String::new()
        }
        _ => String::new(),
    }
}

fn agree(column: &Column<i64>, model: &Model) -> Result<(), TestCaseError> {
    let rows = || column.iter().map(|(owner, value)| (owner, *value));
    let expected: Vec<(Entity, i64)> = model.rows.iter().map(|row| (row.owner, row.value)).collect();
    let mut backwards: Vec<_> = rows().rev().collect();
    backwards.reverse();
    prop_assert_eq!(rows().collect::<Vec<_>>(), &expected[..]);
    prop_assert_eq!(backwards, &expected[..]);
    prop_assert_eq!(
        rows().fold(Vec::new(), |mut all, row| {
            all.push(row);
            all
        }),
        &expected[..]
    );
    prop_assert!(column.owners().eq(expected.iter().map(|row| row.0)));
    prop_assert_eq!(column.clock(), model.clock);
    prop_assert_eq!((column.len(), column.is_empty()), (expected.len(), expected.is_empty()));
    prop_assert_eq!(column.iter().len(), expected.len());

    let chunks: Vec<_> = column.chunks().collect();
    let expected_chunks: Vec<_> = expected.chunks(PAGE).collect();
    prop_assert_eq!(chunks.len(), expected_chunks.len());
    for ((owners, values), expected) in chunks.into_iter().zip(expected_chunks) {
        prop_assert!(owners.iter().copied().zip(values.iter().copied()).eq(expected.iter().copied()));
    }

    for (at, row) in model.rows.iter().enumerate() {
        prop_assert_eq!(column.row(row.owner), Some(at));
        prop_assert_eq!(column.get(row.owner), Some(&row.value));
        prop_assert_eq!(column.stamp(row.owner), Some(row.stamp));
        prop_assert!(column.contains(row.owner));
    }
    for index in 0..12 {
        for asked in (1..5).map(|generation| entity(index, generation)) {
            if model.row(asked).is_none() {
                prop_assert!(!column.contains(asked));
                prop_assert_eq!(
                    (column.get(asked), column.row(asked), column.stamp(asked)),
                    (None, None, None)
                );
            }
        }
    }

    let clock = model.clock;
    for since in [0, clock / 2, clock.saturating_sub(2), clock.saturating_sub(1), clock, clock + 1, u64::MAX]
    {
        let seen = |stamp: u64| since <= clock && stamp <= since;
        let expected = |stamp: fn(&Stamp) -> u64| {
            let rows = model.rows.iter().filter(move |row| !seen(stamp(&row.stamp)));
            rows.map(|row| row.owner).collect::<Vec<_>>()
        };
        let changed: Vec<Entity> = column.changed_since(since).map(|row| row.0).collect();
        let attached: Vec<Entity> = column.attached_since(since).map(|row| row.0).collect();
        prop_assert_eq!(changed, expected(|stamp| stamp.changed), "changed since {}", since);
        prop_assert_eq!(attached, expected(|stamp| stamp.attached), "attached since {}", since);
    }
    Ok(())
}

struct Branch {
    now: Column<i64>,
    snapshots: Vec<Column<i64>>,
}

fn test(start: Column<i64>, model: Model, operations: &[Operation]) -> Result<(), TestCaseError> {
    let mut twin = start.clone();
    let mut branch = Branch { now: start, snapshots: Vec::new() };
    let mut model_snapshots: Vec<Model> = Vec::new();
    let mut model = model;
    for operation in operations {
        match operation {
            Operation::Snapshot => {
                branch.snapshots.push(branch.now.clone());
                model_snapshots.push(model.clone());
            }
            Operation::RollBack(pick) if !model_snapshots.is_empty() => {
                let at = pick % model_snapshots.len();
                branch.now = branch.snapshots[at].clone();
                twin = branch.snapshots[at].clone();
                model = model_snapshots[at].clone();
            }
            // The twin is not reloaded, so the two stay equal only if loading restores everything.
            Operation::Reload => branch.now = reload(&branch.now),
            Operation::Fork => twin = branch.now.clone(),
            _ => {
                let expected = run_model(&mut model, operation);
                prop_assert_eq!(&run(&mut branch.now, operation), &expected);
                prop_assert_eq!(&run(&mut twin, operation), &expected);
            }
        }
        agree(&branch.now, &model)?;
        agree(&twin, &model)?;
        prop_assert_eq!(&branch.now, &twin);
        for (snapshot, expected) in branch.snapshots.iter().zip(&model_snapshots).rev().take(3) {
            agree(snapshot, expected)?;
            prop_assert_eq!(branch.now.diff(snapshot).collect::<Vec<_>>(), model.diff(expected));
            prop_assert_eq!(snapshot.diff(&branch.now).collect::<Vec<_>>(), expected.diff(&model));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_column_agrees_with_a_list_of_rows(operations in prop::collection::vec(operation(8, 7), 0..50)) {
        test(Column::default(), Model::default(), &operations)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_column_agrees_with_a_list_of_rows_across_a_page_boundary(
        before in 1_018..1_030usize,
        operations in prop::collection::vec(operation(1_040, 12), 0..16),
    ) {
        let (column, model) = Model::filled(before);
        test(column, model, &operations)?;
    }
}
