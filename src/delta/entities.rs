//! What changed among the entities.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::{Delta, DeltaError};
use crate::entity::{ALIVE, END, Entities, RETIRED, Slot};

/// What is added to an index, so that the marks at the upper end become the smallest numbers.
const MARKS: u32 = 3;

/// A slot: how many slots lie between it and the one listed before it, its generation, and its neighbours in
/// the free list or marks.
type Listed = (u32, NonZeroU32, u32, u32);

/// What changed in the [`Entities`]: who is alive and who will be handed out next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntitiesChange {
    /// How many slots there are afterwards.
    slots: u32,
    alive: u32,
    free: u32,
    changed: Vec<Listed>,
}

impl Delta for Entities {
    type Change = EntitiesChange;

    fn changes(from: &Self, to: &Self) -> Option<EntitiesChange> {
        if from.same(to) {
            return None;
        }
        let mut changed = Vec::new();
        let mut next = 0;
        for (page, new) in to.slots.table().iter().enumerate() {
            let old = from.slots.table().get(page);
            if old.is_some_and(|old| new.same(old)) {
                continue;
            }
            for (at, slot) in new.0.iter().enumerate() {
                if old.and_then(|old| old.0.get(at)) != Some(slot) {
                    let index = page * crate::pages::PAGE + at;
                    let links = [slot.next, slot.previous].map(|link| link.wrapping_add(MARKS));
                    changed.push(((index - next) as u32, slot.generation, links[0], links[1]));
                    next = index + 1;
                }
            }
        }
        let slots = to.slots.len() as u32;
        let is_same = changed.is_empty() && from.slots.len() == to.slots.len() && from.free == to.free;
        (!is_same).then(|| EntitiesChange {
            slots,
            alive: to.alive,
            free: to.free.wrapping_add(MARKS),
            changed,
        })
    }

    fn apply(&mut self, change: &EntitiesChange, path: &mut Vec<&'static str>) -> Result<(), DeltaError> {
        self.change(change).map_err(|problem| DeltaError::contradiction(path, problem))
    }
}

impl Entities {
    fn change(&mut self, change: &EntitiesChange) -> Result<(), String> {
        let before = self.clone();
        let count = change.slots as usize;
        let kept = count.min(before.slots.len());
        self.slots.truncate(kept);
        self.free = change.free.wrapping_sub(MARKS);
        let mut touched: Vec<usize> = Vec::new();
        let mut alive = i64::from(before.alive);
        for (index, slot) in
            (kept..before.slots.len()).filter_map(|index| Some((index, before.slots.get(index)?)))
        {
            alive -= i64::from(slot.next == ALIVE);
            touched.extend([index, slot.next as usize, slot.previous as usize]);
        }
        let mut next = 0;
        for &(skip, generation, after, previous) in &change.changed {
            let index = next + skip as usize;
            next = index + 1;
            let slot =
                Slot { generation, next: after.wrapping_sub(MARKS), previous: previous.wrapping_sub(MARKS) };
            alive += i64::from(slot.next == ALIVE);
            touched.extend([index, slot.next as usize, slot.previous as usize]);
            if let Some(old) = self.slots.get_mut(index) {
                alive -= i64::from(old.next == ALIVE);
                touched.extend([old.next as usize, old.previous as usize]);
                *old = slot;
            } else if index == self.slots.len() && index < count {
                self.slots.push(slot);
            } else {
                return Err(format!("it names slot {index} of {count}"));
            }
        }
        if self.slots.len() != count {
            return Err(format!("{count} slots need more than are listed"));
        }
        if alive != i64::from(change.alive) {
            return Err(format!("{} entities should be alive, but {alive} are", change.alive));
        }
        self.alive = change.alive;
        touched.push(self.free as usize);
        match touched.into_iter().find(|&index| !self.is_linked(index)) {
            Some(index) => Err(format!("slot {index} is not where the free list says that it is")),
            None => Ok(()),
        }
    }

    /// Whether a slot and its neighbours in the free list agree. A slot that is not there agrees with all,
    /// unless the free list begins with it.
    fn is_linked(&self, index: usize) -> bool {
        let free = |index: u32| {
            self.slots.get(index as usize).filter(|slot| slot.next != ALIVE && slot.next != RETIRED)
        };
        let Some(&Slot { generation, next, previous }) = self.slots.get(index) else {
            return self.free == END || self.free as usize != index;
        };
        if next == ALIVE || next == RETIRED {
            let is_done = next == ALIVE || generation == NonZeroU32::MAX;
            return is_done && previous == END && self.free as usize != index;
        }
        let follows = next == END || free(next).is_some_and(|next| next.previous as usize == index);
        let precedes = match previous {
            END => self.free as usize == index,
            previous => free(previous).is_some_and(|previous| previous.next as usize == index),
        };
        follows && precedes
    }
}
