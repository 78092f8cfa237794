//! Appending many rows by one call.

use super::stamps::Stamps;
use super::{Column, Entry, Rows, Stale};
use crate::entity::Entity;
use crate::pages::{PAGE, Page};
use crate::shared::{Shared, unique};

/// Up to 1,024 entities that are given components by one call: columns that they fill a page of share it
/// from birth.
#[derive(Clone, Debug)]
pub struct EntityPage {
    entities: Shared<Page<Entity>>,
    goes_on: bool,
}

impl EntityPage {
    /// How many entities there can be at most.
    pub const MOST: usize = PAGE;

    /// The page of these entities.
    ///
    /// # Panics
    ///
    /// If there are more than [`MOST`](Self::MOST).
    pub fn new(entities: Vec<Entity>) -> Self {
        assert!(entities.len() <= PAGE, "a page has {PAGE} entities at the most, not {}", entities.len());
        Self { entities: Shared::new(Page(entities)), goes_on: false }
    }

    /// The next page of the same call: the clocks of columns do not advance again.
    pub(crate) fn goes_on(self) -> Self {
        Self { goes_on: true, ..self }
    }

    /// The entities.
    pub fn entities(&self) -> &[Entity] {
        &self.entities.0
    }
}

impl<T: Clone> Column<T> {
    /// Inserts all rows, as one call: the clock advances once. Returns the rows that were refused because
    /// the column holds a newer entity with that index; the others are in.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = (Entity, T)>) -> Vec<Stale<T>> {
        let stamp = self.clock.saturating_add(1);
        let mut rows = rows.into_iter();
        let mut refused = Vec::new();
        loop {
            let (entities, values): (Vec<Entity>, Vec<T>) = rows.by_ref().take(PAGE).unzip();
            if entities.is_empty() {
                return refused;
            }
            self.append(&entities, values, stamp, &mut refused);
        }
    }

    /// Gives each entity of a page a value, as one call or as the rest of one.
    pub(crate) fn append_page(&mut self, page: &EntityPage, values: Vec<T>) {
        let row = self.owners.len();
        let stamp = if page.goes_on { self.clock.max(1) } else { self.clock.saturating_add(1) };
        let is_whole = values.len() == PAGE && page.entities().len() == PAGE && row.is_multiple_of(PAGE);
        if row == 0 {
            self.missed();
        }
        if is_whole && self.index.claim(page.entities(), row) == PAGE {
            unique(&mut self.table).push(Entry::new(values, stamp));
            self.owners.table_mut().push(page.entities.clone());
            self.clock = stamp;
            return;
        }
        if is_whole {
            // Some entity has a row already: the rows claimed before it are given back.
            self.index.give_back(page.entities(), row);
        }
        self.append(page.entities(), values, stamp, &mut Vec::new());
    }

    fn append(&mut self, entities: &[Entity], values: Vec<T>, stamp: u64, refused: &mut Vec<Stale<T>>) {
        let mut entities = &entities[..entities.len().min(values.len())];
        let mut values = values.into_iter();
        if self.owners.len() == 0 {
            self.missed();
        }
        while !entities.is_empty() {
            let row = self.owners.len();
            let room = (PAGE - row % PAGE).min(entities.len());
            let table = unique(&mut self.table);
            // The clone of a value may panic: here, where nothing has been written yet.
            let tail = (!row.is_multiple_of(PAGE))
                .then(|| table.last_mut().map(|entry| (&mut entry.newest, entry.rows.write())))
                .flatten();
            let claimed = self.index.claim(&entities[..room], row);
            let (now, later) = entities.split_at(claimed);
            if claimed > 0 {
                match tail {
                    Some((newest, rows)) => {
                        *newest = stamp;
                        for at in row % PAGE..row % PAGE + claimed {
                            rows.attached.push(at, stamp);
                            rows.changed.push(at, stamp);
                        }
                        rows.values.extend(values.by_ref().take(claimed));
                    }
                    // All that is left becomes the page, where it lies.
                    None if claimed == values.len() => {
                        let page = std::mem::take(&mut values).collect();
                        table.push(Entry::new(page, stamp));
                    }
                    None => table.push(Entry::new(values.by_ref().take(claimed).collect(), stamp)),
                }
                self.owners.extend_from_slice(now);
                self.clock = stamp;
            }
            entities = later;
            // An entity that has a row, or whose index another has, is a matter of its own.
            if claimed < room
                && let (Some((&entity, rest)), Some(value)) = (later.split_first(), values.next())
            {
                entities = rest;
                refused.extend(self.overwrite(entity, value, stamp).err());
            }
        }
    }
}

impl<T> Entry<T> {
    /// A page of rows that were attached by one call.
    fn new(values: Vec<T>, stamp: u64) -> Self {
        let (mut attached, mut changed) = (Stamps::default(), Stamps::default());
        attached.set_all(stamp);
        changed.set_all(stamp);
        Self { newest: stamp, rows: Shared::new(Rows { values, attached, changed }) }
    }
}
