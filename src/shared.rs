//! A page behind a reference count: copied when it is written while others hold it.

use std::ops::Deref;

use triomphe::Arc;

/// The value behind a count, for writing: copied if others hold it.
///
/// The copying is a call of its own, so that the check, which is all that mostly happens, is two loads in
/// the loop that asks.
#[inline(always)]
pub(crate) fn unique<X: Clone>(shared: &mut Arc<X>) -> &mut X {
    #[cold]
    #[inline(never)]
    fn copy<X: Clone>(shared: &mut Arc<X>) {
        *shared = Arc::new(X::clone(shared));
    }
    if !shared.is_unique() {
        copy(shared);
    }
    match Arc::get_mut(shared) {
        Some(value) => value,
        None => unreachable!("nobody else has seen the copy"),
    }
}

/// A value that clones share until one of them writes.
///
/// [`write`](Self::write) is the only way to it for writing, so that it is also the one place where the
/// digest that the page remembers is forgotten.
#[derive(Debug)]
pub struct Shared<X>(Arc<Kept<X>>);

#[derive(Debug)]
struct Kept<X> {
    #[cfg(feature = "serde")]
    memo: Memo,
    value: X,
}

impl<X> Clone for Shared<X> {
    #[inline]
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<X: Clone> Clone for Kept<X> {
    /// The copy is made to be written: it remembers no digest.
    fn clone(&self) -> Self {
        Self::new(self.value.clone())
    }
}

impl<X> Kept<X> {
    #[inline]
    fn new(value: X) -> Self {
        Self {
            #[cfg(feature = "serde")]
            memo: Memo::default(),
            value,
        }
    }
}

impl<X> Deref for Shared<X> {
    type Target = X;

    #[inline]
    fn deref(&self) -> &X {
        &self.0.value
    }
}

impl<X> Shared<X> {
    #[inline]
    pub(crate) fn new(value: X) -> Self {
        Self(Arc::new(Kept::new(value)))
    }

    /// Whether both are one allocation, so that nothing can have been written to only one of them.
    #[inline]
    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Where the value is: for counting what is shared, never for a result.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// The digest of the value as it is now, worked out if nobody did since it was last written.
    #[cfg(feature = "serde")]
    pub(crate) fn digest(&self, work_out: impl FnOnce(&X) -> u128) -> u128 {
        let memo = &self.0.memo;
        memo.get().unwrap_or_else(|| {
            let digest = work_out(&self.0.value);
            memo.set(digest);
            digest
        })
    }

    /// The value for writing, if nobody else holds it.
    #[inline(always)]
    pub(crate) fn write_unshared(&mut self) -> Option<&mut X> {
        let kept = Arc::get_mut(&mut self.0)?;
        #[cfg(feature = "serde")]
        kept.memo.forget();
        Some(&mut kept.value)
    }
}

impl<X: Clone> Shared<X> {
    /// The value for writing: copied if it is shared.
    #[inline(always)]
    pub(crate) fn write(&mut self) -> &mut X {
        let kept = unique(&mut self.0);
        #[cfg(feature = "serde")]
        kept.memo.forget();
        &mut kept.value
    }
}

/// A digest that was worked out, or nothing. A lower half of zero says nothing: such a digest is worked out
/// again each time.
///
/// Two plain words, because forgetting must cost a walk and an insert next to nothing. Several threads may
/// set it at once: all of them read the same value, so all of them store the same words.
#[cfg(feature = "serde")]
#[derive(Debug, Default)]
struct Memo {
    lower: std::sync::atomic::AtomicU64,
    upper: std::sync::atomic::AtomicU64,
}

#[cfg(feature = "serde")]
impl Memo {
    fn get(&self) -> Option<u128> {
        use std::sync::atomic::Ordering;
        let lower = self.lower.load(Ordering::Acquire);
        (lower != 0).then(|| u128::from(self.upper.load(Ordering::Relaxed)) << 64 | u128::from(lower))
    }

    fn set(&self, digest: u128) {
        use std::sync::atomic::Ordering;
        self.upper.store((digest >> 64) as u64, Ordering::Relaxed);
        self.lower.store(digest as u64, Ordering::Release);
    }

    #[inline]
    fn forget(&mut self) {
        *self.lower.get_mut() = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;

    #[test]
    fn a_write_copies_only_what_is_shared() {
        let mut page = Shared::new(vec![1]);
        page.write().push(2);
        let snapshot = page.clone();
        assert!(page.same(&snapshot));
        page.write().push(3);
        assert_eq!((&*page, &*snapshot), (&vec![1, 2, 3], &vec![1, 2]));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_digest_is_kept_until_the_page_is_written() {
        let sum = |page: &Vec<u128>| page.iter().sum::<u128>();
        let mut page = Shared::new(vec![1, u128::MAX - 8]);
        assert_eq!(page.digest(sum), u128::MAX - 7);
        assert_eq!(page.digest(|_| unreachable!("it is remembered")), u128::MAX - 7);
        let snapshot = page.clone();
        page.write().push(2);
        assert_eq!(page.digest(sum), u128::MAX - 5);
        assert_eq!(snapshot.digest(|_| unreachable!("the clone was not written")), u128::MAX - 7);
    }
}
