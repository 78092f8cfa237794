//! Fork and join over two values that the borrow checker has proved disjoint.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Does `first` to `a` and `second` to `b`, at the same time where there is a thread to spare, and returns
/// when both are done.
///
/// Two parts of one world can be worked on with no schedule at all: that they are disjoint is what the
/// compiler checks. With the feature `parallel` it runs in the current pool of rayon (the global one, unless
/// called inside of `ThreadPool::install`); a call inside the pool costs about 100 ns, one from outside
/// about 10 us, as it has to wake a thread. Without the feature `first` runs, then `second`.
///
/// # Panics
///
/// When one of them panics, the other still runs to its end. Then the payload is passed on unchanged; that of
/// `first` if both panicked.
///
/// ```
/// use std_ecs::{Column, Entities, both};
///
/// let ship = Entities::default().spawn();
/// let (mut health, mut names) = (Column::default(), Column::default());
/// let (hurt, named) = both(
///     &mut health,
///     &mut names,
///     |health| health.insert(ship, 70).is_ok(),
///     |names| names.insert(ship, "Argo").is_ok(),
/// );
/// assert!(hurt && named);
/// assert_eq!((health.get(ship), names.get(ship)), (Some(&70), Some(&"Argo")));
/// ```
pub fn both<A, B, X, Y>(
    a: &mut A,
    b: &mut B,
    first: impl FnOnce(&mut A) -> X + Send,
    second: impl FnOnce(&mut B) -> Y + Send,
) -> (X, Y)
where
    A: Send + ?Sized,
    B: Send + ?Sized,
    X: Send,
    Y: Send,
{
    // What a panic left half-written is the caller's, as it is after any other panic.
    let first = || catch_unwind(AssertUnwindSafe(|| first(a)));
    let second = || catch_unwind(AssertUnwindSafe(|| second(b)));
    match join(first, second) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(payload), _) | (_, Err(payload)) => resume_unwind(payload),
    }
}

/// Does both, at the same time where there is a thread to spare.
#[cfg(feature = "parallel")]
pub(crate) fn join<X: Send, Y: Send>(
    first: impl FnOnce() -> X + Send,
    second: impl FnOnce() -> Y + Send,
) -> (X, Y) {
    rayon::join(first, second)
}

/// Does one after the other.
#[cfg(not(feature = "parallel"))]
pub(crate) fn join<X, Y>(first: impl FnOnce() -> X, second: impl FnOnce() -> Y) -> (X, Y) {
    (first(), second())
}
