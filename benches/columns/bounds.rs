//! The bound: a sparse set of bare vectors, as one would write it for this one purpose.

/// Dense values, their owners, and a sparse index. No stamps, no sharing, no generations.
#[derive(Clone, Default)]
pub(crate) struct SparseSet<T> {
    pub(crate) values: Vec<T>,
    pub(crate) owners: Vec<u32>,
    pub(crate) rows: Vec<u32>,
}

const VACANT: u32 = u32::MAX;

impl<T> SparseSet<T> {
    pub(crate) fn insert(&mut self, index: u32, value: T) {
        let at = index as usize;
        if at >= self.rows.len() {
            self.rows.resize(at + 1, VACANT);
        }
        self.rows[at] = self.values.len() as u32;
        self.values.push(value);
        self.owners.push(index);
    }

    pub(crate) fn remove(&mut self, index: u32) -> Option<T> {
        let row = *self.rows.get(index as usize)?;
        if row == VACANT {
            return None;
        }
        self.rows[index as usize] = VACANT;
        let value = self.values.swap_remove(row as usize);
        self.owners.swap_remove(row as usize);
        if let Some(&moved) = self.owners.get(row as usize) {
            self.rows[moved as usize] = row;
        }
        Some(value)
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        let row = *self.rows.get(index as usize)?;
        self.values.get_mut(row as usize)
    }

    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let row = *self.rows.get(index as usize)?;
        self.values.get(row as usize)
    }
}
