//! A component that counts how many of it are alive, and whose clone can be made to panic.

use std::cell::Cell;
use std::rc::Rc;

/// What all [`Counted`] of one test share.
#[derive(Debug, Default)]
pub(crate) struct Count {
    alive: Cell<isize>,
    clones: Cell<usize>,
    clones_until_panic: Cell<Option<usize>>,
}

impl Count {
    pub(crate) fn new() -> Rc<Self> {
        Rc::new(Self::default())
    }

    /// How many values exist. Negative: one was dropped twice.
    pub(crate) fn alive(&self) -> isize {
        self.alive.get()
    }

    /// How often a value was cloned since this was asked last.
    pub(crate) fn take_clones(&self) -> usize {
        self.clones.take()
    }

    /// The clone after this many panics, once.
    pub(crate) fn panic_after(&self, clones: usize) {
        self.clones_until_panic.set(Some(clones));
    }

    /// No clone panics from now on.
    pub(crate) fn calm(&self) {
        self.clones_until_panic.set(None);
    }
}

/// A value on the heap, counted.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) value: Box<u32>,
    count: Rc<Count>,
}

impl Counted {
    pub(crate) fn new(value: u32, count: &Rc<Count>) -> Self {
        count.alive.set(count.alive.get() + 1);
        Self { value: Box::new(value), count: count.clone() }
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        if let Some(left) = self.count.clones_until_panic.get() {
            self.count.clones_until_panic.set(left.checked_sub(1));
            assert!(left > 0, "this clone was told to panic");
        }
        self.count.clones.set(self.count.clones.get() + 1);
        Self::new(*self.value, &self.count)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.count.alive.set(self.count.alive.get() - 1);
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}
