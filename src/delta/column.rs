//! What changed in a column.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Comparison, Delta, DeltaError};
use crate::column::index::Slot;
use crate::column::{Column, push_page};
use crate::entity::Entity;
use crate::pages::PAGE;
use crate::shared::unique;

/// A row, named by how many rows lie between it and the one listed before it, and what is said of it.
type Listed<X> = (u32, X);

/// How many rows have stamps in sequence, how old the first one is by the new clock, and by how much each
/// row is younger than the one before it (0 or 1).
type Run = (u32, u64, u8);

/// What changed in a [`Column`]: row by row, so that the order of rows comes out exact.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ColumnChange<T> {
    clock: u64,
    /// How many rows there are afterwards.
    rows: u32,
    /// Whose row it is from now on.
    owners: Vec<Listed<Entity>>,
    /// From which row, as it was before, the value comes.
    moved: Vec<Listed<u32>>,
    values: Vec<Listed<T>>,
    attached: Vec<Listed<Run>>,
    changed: Vec<Listed<Run>>,
}

/// Lists rows, each with what is said of it.
struct List<X> {
    items: Vec<Listed<X>>,
    next: usize,
}

impl<X> List<X> {
    fn new() -> Self {
        Self { items: Vec::new(), next: 0 }
    }

    fn push(&mut self, row: usize, item: X) {
        self.items.push(((row - self.next) as u32, item));
        self.next = row + 1;
    }
}

impl List<Run> {
    /// Says the stamp of a row: as one more row of the last run if it fits.
    fn push_stamp(&mut self, row: usize, stamp: u64, clock: u64) {
        let age = clock - stamp;
        if self.next == row
            && let Some((_, (rows, first, step))) = self.items.last_mut()
        {
            if *rows == 1 && first.wrapping_sub(age) <= 1 {
                *step = (*first - age) as u8;
            }
            if age.wrapping_add(u64::from(*step) * u64::from(*rows)) == *first {
                *rows += 1;
                self.next += 1;
                return;
            }
        }
        self.push(row, (1, age, 0));
    }
}

/// The rows of a list, checked to be below `rows`.
fn listed<X>(list: &[Listed<X>], rows: usize) -> Result<Vec<(usize, &X)>, String> {
    let mut next = 0;
    list.iter()
        .map(|(skip, item)| {
            let row = next + *skip as usize;
            next = row + 1;
            if row < rows { Ok((row, item)) } else { Err(format!("it names row {row} of {rows}")) }
        })
        .collect()
}

/// The stamps of a list of runs, each with its row.
fn spelled_out(list: &[Listed<Run>], rows: usize, clock: u64) -> Result<Vec<(usize, u64)>, String> {
    let mut stamps = Vec::new();
    let mut next = 0;
    for &(skip, (count, age, step)) in list {
        let (start, end) = (next + skip as usize, next + skip as usize + count as usize);
        if end > rows || count == 0 || step > 1 {
            return Err(format!("it gives stamps to rows {start} to {end} of {rows}"));
        }
        let youngest = u64::from(step) * (u64::from(count) - 1);
        let (Some(first @ 1..), true) = (clock.checked_sub(age), youngest <= age) else {
            return Err(format!("a stamp of row {start} is outside of time"));
        };
        stamps.extend((start..end).zip(0..).map(|(row, at)| (row, first + u64::from(step) * at)));
        next = end;
    }
    Ok(stamps)
}

/// Whether all of `wanted` are among the rows listed. Both rise.
fn lists_all(mut listed: impl Iterator<Item = usize>, wanted: &[usize]) -> bool {
    wanted.iter().all(|&row| listed.find(|&listed| listed >= row) == Some(row))
}

impl<T: Clone + fmt::Debug + Serialize + DeserializeOwned + 'static> Delta for Column<T> {
    type Change = ColumnChange<T>;

    fn changes(from: &Self, to: &Self) -> Option<ColumnChange<T>> {
        from.len();
        let rows = to.len();
        if from.same(to) && from.clock == to.clock {
            return None;
        }
        let (mut owners, mut moved, mut values) = (List::new(), List::new(), List::new());
        let (mut attached, mut changed) = (List::new(), List::new());
        let mut comparison = Comparison::default();
        for (page, (new_owners, new)) in to.owners.table().iter().zip(to.table.iter()).enumerate() {
            let old = from.owners.table().get(page).zip(from.table.get(page));
            if old.is_some_and(|(old_owners, old)| new.rows.same(&old.rows) && new_owners.same(old_owners)) {
                continue;
            }
            for (at, (&owner, value)) in new_owners.0.iter().zip(&new.rows.values).enumerate() {
                let row = page * PAGE + at;
                let kept =
                    old.filter(|(owners, _)| owners.0.get(at) == Some(&owner)).map(|(_, old)| &old.rows);
                let stamps = (new.rows.attached.get(at), new.rows.changed.get(at));
                let is_kept = match kept {
                    Some(kept) => new.rows.same(kept) || comparison.equal(&kept.values[at], value),
                    None => false,
                };
                if !is_kept {
                    let source = if kept.is_some() { None } else { from.index.row(owner) };
                    let source = source.filter(|&source| {
                        comparison.equal(&from.table[source / PAGE].rows.values[source % PAGE], value)
                    });
                    match source {
                        Some(source) => moved.push(row, source as u32),
                        None => values.push(row, value.clone()),
                    }
                }
                if kept.is_none() {
                    owners.push(row, owner);
                }
                let old_stamps = kept.map(|old| (old.attached.get(at), old.changed.get(at)));
                if old_stamps.is_none_or(|old| old.0 != stamps.0) {
                    attached.push_stamp(row, stamps.0, to.clock);
                }
                if !is_kept || old_stamps.is_none_or(|old| old.1 != stamps.1) {
                    changed.push_stamp(row, stamps.1, to.clock);
                }
            }
        }
        let (owners, moved, values) = (owners.items, moved.items, values.items);
        let (attached, changed) = (attached.items, changed.items);
        let is_written = from.len() != rows
            || !owners.is_empty()
            || !values.is_empty()
            || !attached.is_empty()
            || !changed.is_empty();
        (is_written || from.clock != to.clock).then(|| ColumnChange {
            clock: to.clock,
            rows: rows as u32,
            owners,
            moved,
            values,
            attached,
            changed,
        })
    }

    fn apply(&mut self, change: &ColumnChange<T>, path: &mut Vec<&'static str>) -> Result<(), DeltaError> {
        self.len();
        self.change(change).map_err(|problem| DeltaError::contradiction(path, problem))
    }
}

impl<T: Clone> Column<T> {
    fn change(&mut self, change: &ColumnChange<T>) -> Result<(), String> {
        let rows = change.rows as usize;
        let owners = listed(&change.owners, rows)?;
        let moved = listed(&change.moved, rows)?;
        let values = listed(&change.values, rows)?;
        let attached = spelled_out(&change.attached, rows, change.clock)?;
        let changed = spelled_out(&change.changed, rows, change.clock)?;
        let before = self.clone();
        let kept = rows.min(before.owners.len());
        self.truncate(kept);
        self.change_owners(&owners, &before, rows)?;

        let mut written = Vec::with_capacity(moved.len() + values.len());
        for (row, &source) in moved {
            let source = source as usize;
            let page = before.table.get(source / PAGE).map(|entry| &entry.rows.values);
            let value = page.and_then(|values| values.get(source % PAGE));
            written.push((
                row,
                value.ok_or_else(|| format!("row {row} moved from row {source}, which is not there"))?,
            ));
        }
        written.extend(values);
        written.sort_by_key(|&(row, _)| row);
        // A row that belongs to somebody else now must have been given a value, and stamps.
        let new: Vec<usize> = owners.iter().map(|&(row, _)| row).collect();
        let has_all = lists_all(written.iter().map(|&(row, _)| row), &new)
            && lists_all(attached.iter().map(|&(row, _)| row), &new)
            && lists_all(changed.iter().map(|&(row, _)| row), &new);
        if !has_all {
            return Err("a row has another owner and lacks a value or a stamp".to_owned());
        }
        for &(row, value) in &written {
            self.write_value(row, value)?;
        }
        self.change_stamps(&attached, &changed, change.clock)
    }

    /// Forgets the rows from `rows` on.
    fn truncate(&mut self, rows: usize) {
        let owners: Vec<Entity> = self.owners.iter().skip(rows).copied().collect();
        for entity in owners {
            *self.index.slot_mut(entity) = Slot::default();
        }
        self.owners.truncate(rows);
        let table = unique(&mut self.table);
        table.truncate(rows.div_ceil(PAGE));
        if let Some(entry) = table.last_mut().filter(|_| !rows.is_multiple_of(PAGE)) {
            while entry.rows.values.len() > rows % PAGE {
                let page = entry.rows.write();
                let length = page.values.len();
                page.attached.pop(length);
                page.changed.pop(length);
                page.values.pop();
            }
        }
    }

    fn change_owners(
        &mut self,
        owners: &[(usize, &Entity)],
        before: &Self,
        rows: usize,
    ) -> Result<(), String> {
        let kept = self.owners.len();
        if owners.iter().filter(|&&(row, _)| row >= kept).count() != rows - kept {
            return Err(format!("{rows} rows need more entities than are listed"));
        }
        for &(row, _) in owners.iter().filter(|&&(row, _)| row < kept) {
            if let Some(&entity) = before.owners.get(row) {
                *self.index.slot_mut(entity) = Slot::default();
            }
        }
        for &(row, &entity) in owners {
            let slot = self.index.slot_mut(entity);
            if !slot.is_free() {
                return Err(format!("two rows for the index of {entity}"));
            }
            *slot = Slot::new(entity, row);
            match self.owners.get_mut(row) {
                Some(owner) => *owner = entity,
                None => self.owners.push(entity),
            }
        }
        Ok(())
    }

    /// Overwrites the value of a row, or appends one if it is the next row, whose stamps are then to be set.
    fn write_value(&mut self, row: usize, value: &T) -> Result<(), String> {
        let table = unique(&mut self.table);
        if row / PAGE == table.len() {
            push_page(table);
        }
        let page = table.get_mut(row / PAGE).map(|entry| entry.rows.write());
        match page {
            Some(page) if row % PAGE < page.values.len() => page.values[row % PAGE] = value.clone(),
            Some(page) if row % PAGE == page.values.len() => {
                // Any stamp: that of a new row is part of the change.
                page.attached.push(row % PAGE, 1);
                page.changed.push(row % PAGE, 1);
                page.values.push(value.clone());
            }
            _ => return Err(format!("row {row} has a value, but the rows before it have none")),
        }
        Ok(())
    }

    fn change_stamps(
        &mut self,
        attached: &[(usize, u64)],
        changed: &[(usize, u64)],
        clock: u64,
    ) -> Result<(), String> {
        let table = unique(&mut self.table);
        let mut written = Vec::new();
        for (stamps, is_attached) in [(attached, true), (changed, false)] {
            for run in stamps.chunk_by(|a, b| a.0 / PAGE == b.0 / PAGE) {
                let page = run[0].0 / PAGE;
                let Some(entry) = table.get_mut(page) else {
                    return Err(format!("it gives a stamp to row {}, which is not there", run[0].0));
                };
                written.push(page);
                let rows = entry.rows.write();
                let length = rows.values.len();
                let stamps = if is_attached { &mut rows.attached } else { &mut rows.changed };
                if run.len() == length && run.iter().all(|&(_, stamp)| stamp == run[0].1) {
                    stamps.set_all(run[0].1);
                    continue;
                }
                for &(row, stamp) in run {
                    stamps.set(length, row % PAGE, stamp);
                }
            }
        }
        written.sort_unstable();
        written.dedup();
        self.clock = clock;
        for (page, entry) in table.iter_mut().enumerate() {
            if entry.newest <= clock && written.binary_search(&page).is_err() {
                continue;
            }
            let rows = &entry.rows;
            entry.newest = 0;
            for at in 0..rows.values.len() {
                let (attached, changed) = (rows.attached.get(at), rows.changed.get(at));
                if attached > changed {
                    return Err(format!("row {} was attached after it was last changed", page * PAGE + at));
                }
                entry.newest = entry.newest.max(changed);
            }
            // A world that is equal to the base may have later stamps than the base.
            self.clock = self.clock.max(entry.newest);
        }
        Ok(())
    }
}
