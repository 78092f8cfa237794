//! Where the entities of one column have their rows in others, remembered.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::query::Places;

/// Which entity has which row, as an identity: clones of a column have the same arrangement until one of them
/// attaches, detaches or moves a row, and no two columns that differ in that ever have the same.
///
/// Walks leave here where the rows of this arrangement are in columns of another one. That can be read off the
/// index of the other at any time, so it is no part of a column's value: it is never compared, written or
/// digested, and no result depends on it.
#[derive(Default)]
pub(crate) struct Arrangement(OnceLock<Arc<Identity>>);

#[derive(Default)]
struct Identity {
    seen: Mutex<Vec<Seen>>,
}

/// Another arrangement that this one was walked with. The pages are there from the second time on, as one
/// walk alone would not gain by them.
struct Seen {
    other: Weak<Identity>,
    places: Option<Arc<Places>>,
}

/// With how many others a column remembers that it was walked: more than a system has queries that it drives.
const MOST: usize = 8;

impl Arrangement {
    /// There is another arrangement from now on.
    #[inline(always)]
    pub(crate) fn changed(&mut self) {
        if self.0.get().is_some() {
            self.forget();
        }
    }

    #[cold]
    #[inline(never)]
    fn forget(&mut self) {
        self.0.take();
    }

    /// What is remembered of the rows that the entities of these `pages` pages have in a column of another
    /// arrangement. `None` where both are met for the first time.
    pub(crate) fn places_in(&self, other: &Self, pages: usize) -> Option<Arc<Places>> {
        let other = other.0.get_or_init(Arc::default);
        let mut seen = self.0.get_or_init(Arc::default).lock();
        if let Some(seen) = seen.iter_mut().find(|seen| seen.other.as_ptr() == Arc::as_ptr(other)) {
            return Some(seen.places.get_or_insert_with(|| Arc::new(Places::new(pages))).clone());
        }
        seen.retain(|seen| seen.other.strong_count() > 0);
        if seen.len() == MOST {
            seen.remove(0);
        }
        seen.push(Seen { other: Arc::downgrade(other), places: None });
        None
    }

    /// How many bytes are taken by what is remembered.
    pub(crate) fn bytes(&self) -> usize {
        let mut bytes = 0;
        self.allocations(&mut |_, size| bytes += size);
        bytes
    }

    /// Shows each allocation: where it is, and how many bytes it has.
    pub(crate) fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        let Some(identity) = self.0.get() else { return };
        let seen = identity.lock();
        let own = size_of::<Identity>() + seen.capacity() * size_of::<Seen>();
        each(Arc::as_ptr(identity).addr(), own);
        for places in seen.iter().filter_map(|seen| seen.places.as_ref()) {
            places.allocations(each);
        }
    }
}

impl Identity {
    fn lock(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Arrangement")
    }
}
