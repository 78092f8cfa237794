//! The walks over one column.

use std::iter::{FusedIterator, Zip};
use std::slice;

use super::stamps::{BLOCK, Stamps, effective};
use super::{Column, Entry, Rows};
use crate::entity::Entity;
use crate::pages::Page;
use crate::shared::{Shared, unique};

/// The rows of a column a page at a time. Made by [`Column::chunks`].
#[derive(Debug)]
pub struct Chunks<'a, T> {
    pages: Zip<slice::Iter<'a, Shared<Page<Entity>>>, slice::Iter<'a, Entry<T>>>,
}

impl<'a, T> Chunks<'a, T> {
    pub(super) fn new(column: &'a Column<T>) -> Self {
        Self { pages: column.owners.table().iter().zip(column.table.iter()) }
    }
}

fn slices<'a, T>((owners, entry): (&'a Shared<Page<Entity>>, &'a Entry<T>)) -> (&'a [Entity], &'a [T]) {
    (&owners.0, &entry.rows.values)
}

impl<'a, T> Iterator for Chunks<'a, T> {
    type Item = (&'a [Entity], &'a [T]);

    fn next(&mut self) -> Option<Self::Item> {
        self.pages.next().map(slices)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pages.size_hint()
    }
}

impl<T> DoubleEndedIterator for Chunks<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.pages.next_back().map(slices)
    }
}

impl<T> ExactSizeIterator for Chunks<'_, T> {}
impl<T> FusedIterator for Chunks<'_, T> {}

/// The rows of a column a page at a time, for writing. Made by [`Column::chunks_mut`].
#[derive(Debug)]
pub struct ChunksMut<'a, T> {
    pages: Zip<slice::Iter<'a, Shared<Page<Entity>>>, slice::IterMut<'a, Entry<T>>>,
    stamp: u64,
}

impl<'a, T: Clone> ChunksMut<'a, T> {
    pub(super) fn new(column: &'a mut Column<T>) -> Self {
        let stamp = if column.table.is_empty() { column.clock } else { column.tick() };
        let entries = unique(&mut column.table).iter_mut();
        Self { pages: column.owners.table().iter().zip(entries), stamp }
    }
}

impl<'a, T: Clone> Iterator for ChunksMut<'a, T> {
    type Item = (&'a [Entity], &'a mut [T]);

    fn next(&mut self) -> Option<Self::Item> {
        self.pages.next().map(|(owners, entry)| (&*owners.0, entry.rewrite(self.stamp)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pages.size_hint()
    }
}

impl<T: Clone> ExactSizeIterator for ChunksMut<'_, T> {}
impl<T: Clone> FusedIterator for ChunksMut<'_, T> {}

/// The rows of a column in row order. Made by [`Column::iter`].
#[derive(Debug)]
pub struct Iter<'a, T> {
    front: Zip<slice::Iter<'a, Entity>, slice::Iter<'a, T>>,
    pages: Chunks<'a, T>,
    back: Zip<slice::Iter<'a, Entity>, slice::Iter<'a, T>>,
    rows: usize,
}

impl<'a, T> Iter<'a, T> {
    pub(super) fn new(column: &'a Column<T>) -> Self {
        let none = || [].iter().zip(&[]);
        Self { front: none(), pages: Chunks::new(column), back: none(), rows: column.owners.len() }
    }
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        let pages = Chunks { pages: self.pages.pages.clone() };
        Self { front: self.front.clone(), pages, back: self.back.clone(), rows: self.rows }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = (Entity, &'a T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((&entity, value)) = self.front.next() {
                self.rows -= 1;
                return Some((entity, value));
            }
            match self.pages.next() {
                Some((owners, values)) => self.front = owners.iter().zip(values),
                None if self.rows == 0 => return None,
                None => std::mem::swap(&mut self.front, &mut self.back),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rows, Some(self.rows))
    }

    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let mut each = |so_far, (&entity, value): (&Entity, &'a T)| f(so_far, (entity, value));
        let mut so_far = self.front.fold(init, &mut each);
        for (owners, values) in self.pages {
            so_far = owners.iter().zip(values).fold(so_far, &mut each);
        }
        self.back.fold(so_far, each)
    }
}

impl<T> DoubleEndedIterator for Iter<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((&entity, value)) = self.back.next_back() {
                self.rows -= 1;
                return Some((entity, value));
            }
            match self.pages.next_back() {
                Some((owners, values)) => self.back = owners.iter().zip(values),
                None if self.rows == 0 => return None,
                None => std::mem::swap(&mut self.front, &mut self.back),
            }
        }
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<T> FusedIterator for Iter<'_, T> {}

/// The rows of a column in row order, for writing. Made by [`Column::iter_mut`].
#[derive(Debug)]
pub struct IterMut<'a, T> {
    hot: Zip<slice::Iter<'a, Entity>, slice::IterMut<'a, T>>,
    pages: ChunksMut<'a, T>,
    rows: usize,
}

impl<'a, T: Clone> IterMut<'a, T> {
    pub(super) fn new(column: &'a mut Column<T>) -> Self {
        let rows = column.owners.len();
        Self { hot: [].iter().zip(&mut []), pages: ChunksMut::new(column), rows }
    }
}

impl<'a, T: Clone> Iterator for IterMut<'a, T> {
    type Item = (Entity, &'a mut T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((&entity, value)) = self.hot.next() {
                self.rows -= 1;
                return Some((entity, value));
            }
            let (owners, values) = self.pages.next()?;
            self.hot = owners.iter().zip(values);
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rows, Some(self.rows))
    }

    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let mut each = |so_far, (&entity, value): (&Entity, &'a mut T)| f(so_far, (entity, value));
        let mut so_far = self.hot.fold(init, &mut each);
        for (owners, values) in self.pages {
            so_far = owners.iter().zip(values).fold(so_far, &mut each);
        }
        so_far
    }
}

impl<T: Clone> ExactSizeIterator for IterMut<'_, T> {}
impl<T: Clone> FusedIterator for IterMut<'_, T> {}

/// The rows with a stamp after a given one, in row order. Made by [`Column::changed_since`] and
/// [`Column::attached_since`].
#[derive(Debug)]
pub struct Since<'a, T> {
    pages: Zip<slice::Iter<'a, Shared<Page<Entity>>>, slice::Iter<'a, Entry<T>>>,
    page: Option<(&'a [Entity], &'a Rows<T>)>,
    /// The block to go on with in that page.
    next: usize,
    /// The rows of the block found last, and a bit for each that is left of it.
    owners: &'a [Entity],
    values: &'a [T],
    bits: u32,
    stamp: u64,
    stamps: fn(&Rows<T>) -> &Stamps,
}

impl<'a, T> Since<'a, T> {
    #[inline]
    pub(super) fn new(column: &'a Column<T>, stamp: u64, stamps: fn(&Rows<T>) -> &Stamps) -> Self {
        let pages = column.owners.table().iter().zip(column.table.iter());
        Self {
            pages,
            page: None,
            next: 0,
            owners: &[],
            values: &[],
            bits: 0,
            stamp: effective(stamp, column.clock),
            stamps,
        }
    }
}

/// Every row of a block.
const ALL: u32 = u32::MAX >> (32 - BLOCK);

impl<'a, T> Since<'a, T> {
    /// Finds the next rows that were written: a page, the number of a block in it, and a bit for each of its rows.
    #[inline]
    fn next_block(&mut self) -> Option<(&'a [Entity], &'a [T], usize, u32)> {
        loop {
            if let Some((owners, rows)) = self.page
                && let Some((block, bits)) =
                    (self.stamps)(rows).block_after(owners.len(), self.next, self.stamp)
            {
                self.next = block + 1;
                return Some((owners, &rows.values, block, bits));
            }
            if !self.enter() {
                return None;
            }
        }
    }

    /// Enters the next page in which a row may have been written.
    #[inline]
    fn enter(&mut self) -> bool {
        let stamp = self.stamp;
        let page = self.pages.find(|(_, entry)| entry.newest > stamp);
        self.page = page.map(|(owners, entry)| (owners.0.as_slice(), &*entry.rows));
        self.next = 0;
        self.page.is_some()
    }

    /// [`fold`](Iterator::fold) from a page on in which a row may have been written: a call of its own, so that a scan
    /// that finds none costs a look at the table and nothing else.
    #[inline(never)]
    fn fold_pages<B>(mut self, init: B, mut f: impl FnMut(B, (Entity, &'a T)) -> B) -> B {
        let mut so_far = init;
        while self.bits != 0 {
            let Some(row) = self.next() else { break };
            so_far = f(so_far, row);
        }
        while let Some((owners, values, block, mut bits)) = self.next_block() {
            let from = block * BLOCK;
            if bits == ALL
                && let (Some(owners), Some(values)) =
                    (owners.get(from..from + BLOCK), values.get(from..from + BLOCK))
            {
                so_far = owners
                    .iter()
                    .zip(values)
                    .fold(so_far, |so_far, (&entity, value)| f(so_far, (entity, value)));
                continue;
            }
            while bits != 0 {
                let row = from + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                so_far = f(so_far, (owners[row], &values[row]));
            }
        }
        so_far
    }
}

impl<'a, T> Iterator for Since<'a, T> {
    type Item = (Entity, &'a T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.bits == 0 {
            let (owners, values, block, bits) = self.next_block()?;
            let rows = block * BLOCK..owners.len().min((block + 1) * BLOCK);
            (self.owners, self.values, self.bits) = (&owners[rows.clone()], &values[rows], bits);
        }
        let row = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some((self.owners[row], &self.values[row]))
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, f: F) -> B {
        if self.bits == 0 && self.page.is_none() && !self.enter() { init } else { self.fold_pages(init, f) }
    }
}

impl<T> FusedIterator for Since<'_, T> {}
