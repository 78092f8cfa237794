//! What takes part in a comparison: a state, what prepares it, what is timed, and what it computed.

/// One contender in one workload at one size.
pub trait Contender {
    /// Puts the state where a timed run starts. Not timed.
    fn prepare(&mut self);
    /// The work that is timed.
    fn run(&mut self);
    /// What the work left behind; equal among all contenders.
    fn sum(&mut self) -> u64;
    /// Drops the state, if the next `prepare` makes a new one.
    fn clear(&mut self);
}

/// What a way is called, and its work.
pub type Way<S> = (&'static str, fn(&mut S));

/// A contender and what it is called.
pub struct Entry {
    pub peer: &'static str,
    pub way: &'static str,
    pub contender: Box<dyn Contender>,
}

struct Staged<S, P, R, C> {
    state: S,
    prepare: P,
    run: R,
    sum: C,
}

impl<S, P, R, C> Contender for Staged<S, P, R, C>
where
    P: FnMut(&mut S),
    R: FnMut(&mut S),
    C: FnMut(&mut S) -> u64,
{
    fn prepare(&mut self) {
        (self.prepare)(&mut self.state);
    }

    fn run(&mut self) {
        (self.run)(&mut self.state);
    }

    fn sum(&mut self) -> u64 {
        (self.sum)(&mut self.state)
    }

    fn clear(&mut self) {}
}

struct Fresh<S, M, R, C> {
    state: Option<S>,
    make: M,
    run: R,
    sum: C,
}

impl<S, M, R, C> Contender for Fresh<S, M, R, C>
where
    M: FnMut() -> S,
    R: FnMut(&mut S),
    C: FnMut(&mut S) -> u64,
{
    fn prepare(&mut self) {
        self.state = None;
        self.state = Some((self.make)());
    }

    fn run(&mut self) {
        if let Some(state) = &mut self.state {
            (self.run)(state);
        }
    }

    fn sum(&mut self) -> u64 {
        self.state.as_mut().map_or(0, &mut self.sum)
    }

    fn clear(&mut self) {
        self.state = None;
    }
}

impl Entry {
    /// Work that can be repeated on the same state as often as one likes.
    pub fn steady<S: 'static>(
        peer: &'static str,
        way: &'static str,
        state: S,
        run: impl FnMut(&mut S) + 'static,
        sum: impl FnMut(&mut S) -> u64 + 'static,
    ) -> Self {
        Self::prepared(peer, way, state, |_| {}, run, sum)
    }

    /// Work that has to be undone before it can be done again.
    pub fn prepared<S: 'static>(
        peer: &'static str,
        way: &'static str,
        state: S,
        prepare: impl FnMut(&mut S) + 'static,
        run: impl FnMut(&mut S) + 'static,
        sum: impl FnMut(&mut S) -> u64 + 'static,
    ) -> Self {
        Self { peer, way, contender: Box::new(Staged { state, prepare, run, sum }) }
    }

    /// Work that needs a new state each time.
    pub fn fresh<S: 'static>(
        peer: &'static str,
        way: &'static str,
        make: impl FnMut() -> S + 'static,
        run: impl FnMut(&mut S) + 'static,
        sum: impl FnMut(&mut S) -> u64 + 'static,
    ) -> Self {
        Self { peer, way, contender: Box::new(Fresh { state: None, make, run, sum }) }
    }
}
