//! A sequence in copy-on-write pages: what every growing structure of a world is made of.
//!
//! A page holds [`PAGE`] items behind a reference count, and the table of pages stands behind another, so
//! that a clone is one increment and the first write to a shared page copies that page (and the table, once).

use triomphe::Arc;

use crate::shared::{Shared, unique};

/// How many rows a page holds, whatever the type.
pub(crate) const PAGE: usize = 1024;

/// The page of an item and its place in it.
#[inline]
pub(crate) const fn place(index: usize) -> (usize, usize) {
    (index / PAGE, index % PAGE)
}

/// The items of one page. Its clone has room to grow, so that the first push after a snapshot
/// does not copy the page twice.
#[derive(Debug, PartialEq)]
pub struct Page<X>(pub(crate) Vec<X>);

impl<X: Clone> Clone for Page<X> {
    fn clone(&self) -> Self {
        let mut items = Vec::with_capacity((2 * self.0.len()).clamp(8, PAGE));
        items.extend_from_slice(&self.0);
        Self(items)
    }
}

/// Pages of [`PAGE`] items each, all full but the last one, which is never empty.
#[derive(Debug)]
pub struct Pages<X> {
    table: Arc<Vec<Shared<Page<X>>>>,
}

impl<X> Clone for Pages<X> {
    fn clone(&self) -> Self {
        Self { table: self.table.clone() }
    }
}

impl<X> Default for Pages<X> {
    fn default() -> Self {
        Self { table: Arc::new(Vec::new()) }
    }
}

impl<X> Pages<X> {
    /// The pages, in order.
    #[inline]
    pub(crate) fn table(&self) -> &[Shared<Page<X>>] {
        &self.table
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self.table.split_last() {
            Some((last, full)) => full.len() * PAGE + last.0.len(),
            None => 0,
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&X> {
        let (page, at) = place(index);
        self.table.get(page)?.0.get(at)
    }

    /// Whether both are one allocation, so that nothing can have been written to only one of them.
    #[inline]
    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table)
    }

    /// Whether nobody else holds the table.
    pub(crate) fn is_unshared(&self) -> bool {
        self.table.is_unique()
    }

    /// How many bytes the pages hold, those shared with clones included.
    pub(crate) fn bytes(&self) -> usize {
        self.table.iter().map(|page| page.0.capacity() * size_of::<X>()).sum()
    }

    /// Shows each allocation: where it is, and how many bytes it has.
    pub(crate) fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        each(Arc::as_ptr(&self.table).addr(), self.table.capacity() * size_of::<Shared<Page<X>>>());
        for page in self.table.iter() {
            each(page.address(), size_of::<Page<X>>() + page.0.capacity() * size_of::<X>());
        }
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &X> {
        self.table.iter().flat_map(|page| page.0.iter())
    }
}

impl<X: Clone> Pages<X> {
    /// The table for writing: copied if it is shared. The pages in it stay shared.
    #[inline]
    pub(crate) fn table_mut(&mut self) -> &mut Vec<Shared<Page<X>>> {
        unique(&mut self.table)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut X> {
        let (page, at) = place(index);
        let page = self.table_mut().get_mut(page)?;
        page.write().0.get_mut(at)
    }

    /// Does something with an item, if there is one at `index`. Unlike [`get_mut`](Self::get_mut), which cannot lend the
    /// item and go on if it does not, this looks at each count once where nothing is shared.
    #[inline]
    pub(crate) fn update(&mut self, index: usize, change: impl FnOnce(&mut X)) -> bool {
        let (page, at) = place(index);
        let unshared = self.unshared().and_then(|table| table.get_mut(page)).and_then(Shared::write_unshared);
        let item = match unshared {
            Some(page) => page.0.get_mut(at),
            None => self.get_mut(index),
        };
        item.map(change).is_some()
    }

    #[inline]
    pub(crate) fn push(&mut self, item: X) {
        loop {
            match self.unshared_tail() {
                Some(tail) if tail.len() < PAGE => return tail.push(item),
                _ => self.make_room(),
            }
        }
    }

    /// The items of the last page, if there is one and nobody else holds it.
    #[inline(always)]
    pub(crate) fn unshared_tail(&mut self) -> Option<&mut Vec<X>> {
        Some(&mut Arc::get_mut(&mut self.table)?.last_mut()?.write_unshared()?.0)
    }

    /// Makes the last page one that nobody else holds and that has room for one item more. It is to be filled at
    /// once: the last page is never empty.
    #[cold]
    #[inline(never)]
    pub(crate) fn make_room(&mut self) {
        let table = self.table_mut();
        match table.last_mut() {
            Some(last) if last.0.len() < PAGE => {
                last.write();
            }
            _ => {
                // A page after the first will most likely be filled: its room is taken at once.
                let room = if table.is_empty() { 8 } else { PAGE };
                table.push(Shared::new(Page(Vec::with_capacity(room))));
            }
        }
    }

    /// The table for writing, if nobody else holds it.
    #[inline(always)]
    pub(crate) fn unshared(&mut self) -> Option<&mut [Shared<Page<X>>]> {
        Some(Arc::get_mut(&mut self.table)?)
    }

    /// Takes over the other's pages that hold the same, as `same` decides: from then on they are one
    /// allocation, and nobody has to compare them again. The last page is among them, although the next push
    /// has to copy it: comparing it on each walk costs a world of few rows more.
    pub(crate) fn adopt(&mut self, other: &Self, same: impl Fn(&[X], &[X]) -> bool) {
        for page in 0..self.table.len().min(other.table.len()) {
            let (own, theirs) = (&self.table[page], &other.table[page]);
            if !own.same(theirs) && same(&own.0, &theirs.0) {
                self.table_mut()[page] = theirs.clone();
            }
        }
    }

    /// Takes away the items from `length` on.
    #[cfg(feature = "serde")]
    pub(crate) fn truncate(&mut self, length: usize) {
        if length >= self.len() {
            return;
        }
        let table = self.table_mut();
        table.truncate(length.div_ceil(PAGE));
        if let Some(last) = table.last_mut().filter(|_| !length.is_multiple_of(PAGE)) {
            last.write().0.truncate(length % PAGE);
        }
    }

    /// Appends a slice, a page at a time.
    pub(crate) fn extend_from_slice(&mut self, mut items: &[X]) {
        let table = self.table_mut();
        while !items.is_empty() {
            if table.last().is_none_or(|last| last.0.len() == PAGE) {
                table.push(Shared::new(Page(Vec::with_capacity(items.len().clamp(8, PAGE)))));
            }
            if let Some(last) = table.last_mut() {
                let page = &mut last.write().0;
                let (now, later) = items.split_at(items.len().min(PAGE - page.len()));
                page.extend_from_slice(now);
                items = later;
            }
        }
    }

    /// Appends all items, a page at a time.
    pub(crate) fn extend(&mut self, items: impl IntoIterator<Item = X>) {
        let mut items = items.into_iter().peekable();
        let table = self.table_mut();
        while items.peek().is_some() {
            if table.last().is_none_or(|last| last.0.len() == PAGE) {
                let expected = items.size_hint().0.clamp(8, PAGE);
                table.push(Shared::new(Page(Vec::with_capacity(expected))));
            }
            if let Some(last) = table.last_mut() {
                let page = &mut last.write().0;
                let room = PAGE - page.len();
                page.extend(items.by_ref().take(room));
            }
        }
    }
}

impl<X: PartialEq> PartialEq for Pages<X> {
    /// Pages that are one allocation are equal without a look.
    fn eq(&self, other: &Self) -> bool {
        self.same(other)
            || self.table.len() == other.table.len()
                && self.table.iter().zip(other.table.iter()).all(|(a, b)| a.same(b) || a.0 == b.0)
    }
}

impl<X: Clone> FromIterator<X> for Pages<X> {
    fn from_iter<I: IntoIterator<Item = X>>(items: I) -> Self {
        let mut pages = Self::default();
        pages.extend(items);
        pages
    }
}
