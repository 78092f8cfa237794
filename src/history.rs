//! The past: the last worlds by tick, and undo and redo over them.

use std::collections::{BTreeMap, VecDeque};

use crate::part::Part;

/// The last worlds, each with its tick: go back to one, compare with one, draw an earlier one.
///
/// A kept world is a clone, so keeping one costs some reference counts, and memory only for the pages that
/// were written since. At most as many worlds are kept as the history was made for; the oldest goes first.
/// Ticks rise from the oldest to the newest, and may have gaps of any size.
///
/// | operation | cost |
/// | --- | --- |
/// | `record` | one clone, and dropping one world if the history is full |
/// | `get`, `rewind_to` | O(log worlds), and a clone |
/// | `latest`, `len`, `ticks` | O(1) |
/// | `memory` | O(pages of all worlds) |
///
/// ```
/// use std_ecs::History;
///
/// let mut history = History::new(3);
/// for tick in 10..15 {
///     history.record(tick, &format!("the world at {tick}"));
/// }
/// assert_eq!(history.get(9), None); // before it began
/// assert_eq!(history.get(11), None); // too long ago
/// assert_eq!(history.get(12).unwrap(), "the world at 12");
/// assert_eq!(history.get(15), None); // not yet
///
/// let world = history.rewind_to(13).unwrap(); // what came after 13 is gone
/// assert_eq!((world.as_str(), history.latest().unwrap().0), ("the world at 13", 13));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<W> {
    capacity: usize,
    /// Ticks rise from front to back.
    worlds: VecDeque<(u64, W)>,
}

impl<W> History<W> {
    /// A history of the last `capacity` worlds.
    ///
    /// # Panics
    ///
    /// If `capacity` is 0.
    pub fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "a history of no worlds: give it room for at least one");
        Self { capacity, worlds: VecDeque::new() }
    }

    /// The world of a tick; `None` for a tick that was not recorded, is too long ago or is still to come.
    pub fn get(&self, tick: u64) -> Option<&W> {
        let at = self.worlds.binary_search_by_key(&tick, |&(tick, _)| tick).ok()?;
        Some(&self.worlds[at].1)
    }

    /// The newest world and its tick.
    pub fn latest(&self) -> Option<(u64, &W)> {
        self.worlds.back().map(|(tick, world)| (*tick, world))
    }

    /// The oldest world and its tick.
    pub fn oldest(&self) -> Option<(u64, &W)> {
        self.worlds.front().map(|(tick, world)| (*tick, world))
    }

    /// How many worlds are kept.
    pub fn len(&self) -> usize {
        self.worlds.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.worlds.is_empty()
    }

    /// How many worlds are kept at most.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The worlds with their ticks, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &W)> + ExactSizeIterator {
        self.worlds.iter().map(|(tick, world)| (*tick, world))
    }

    /// Forgets everything. Then any tick may be recorded again.
    pub fn clear(&mut self) {
        self.worlds.clear();
    }

    /// Forgets the worlds after a tick.
    fn forget_after(&mut self, tick: u64) {
        let kept = self.worlds.partition_point(|&(kept, _)| kept <= tick);
        self.worlds.truncate(kept);
    }
}

impl<W: Clone> History<W> {
    /// Keeps a clone of the world of a tick, and forgets the oldest one if there are too many.
    ///
    /// Recording a tick again replaces it and forgets what followed, as what followed came out of another
    /// past: a simulation that was rolled back records the ticks it runs again. `false`, and nothing kept
    /// or forgotten, if the tick is older than the oldest that is kept.
    pub fn record(&mut self, tick: u64, world: &W) -> bool {
        if self.worlds.front().is_some_and(|&(oldest, _)| tick < oldest) {
            return false;
        }
        let kept = self.worlds.partition_point(|&(kept, _)| kept < tick);
        self.worlds.truncate(kept);
        if self.worlds.len() == self.capacity {
            self.worlds.pop_front();
        }
        self.worlds.push_back((tick, world.clone()));
        true
    }

    /// The world of a tick, to assign to the one that is simulated; what came after it is forgotten. `None`,
    /// and nothing forgotten, for a tick that is not kept.
    pub fn rewind_to(&mut self, tick: u64) -> Option<W> {
        let world = self.get(tick)?.clone();
        self.forget_after(tick);
        Some(world)
    }
}

impl<W: Part> History<W> {
    /// How many bytes the worlds hold together, and how many of them more than one world uses.
    ///
    /// ```
    /// use std_ecs::{Column, Entities, History};
    ///
    /// let mut entities = Entities::default();
    /// let mut column = Column::default();
    /// column.extend(entities.spawn_many(10_000).into_iter().map(|entity| (entity, 0_u64)));
    ///
    /// let mut history = History::new(100);
    /// for tick in 0..100 {
    ///     history.record(tick, &column);
    /// }
    /// let report = history.memory();
    /// assert_eq!(report.held, report.shared); // a hundred worlds, and the memory of one
    /// assert!(report.held < 2 * column.bytes());
    /// ```
    pub fn memory(&self) -> MemoryReport {
        MemoryReport::of(self.worlds.iter().map(|(_, world)| world))
    }
}

/// The memory of several worlds, as [`History::memory`] and [`Undo::memory`] count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryReport {
    /// How many worlds there are.
    pub worlds: usize,
    /// The bytes of all pages and tables, each counted once however many worlds use it. What values
    /// themselves own on the heap is not counted.
    pub held: usize,
    /// The bytes, among those held, that more than one of the worlds uses.
    pub shared: usize,
}

impl MemoryReport {
    /// The memory of these worlds.
    pub fn of<'a, W: Part>(worlds: impl IntoIterator<Item = &'a W>) -> Self {
        // By address: the size, and the last world that uses it or nothing once there were two.
        let mut met: BTreeMap<usize, (usize, Option<usize>)> = BTreeMap::new();
        let mut report = Self::default();
        for (at, world) in worlds.into_iter().enumerate() {
            report.worlds += 1;
            world.visit(&mut Vec::new(), &mut |_, part| {
                part.allocations(&mut |address, bytes| {
                    let (_, user) = met.entry(address).or_insert((bytes, Some(at)));
                    *user = user.filter(|&user| user == at);
                });
            });
        }
        for (bytes, user) in met.into_values() {
            report.held += bytes;
            if user.is_none() {
                report.shared += bytes;
            }
        }
        report
    }
}

/// Undo and redo: the states of a world after each edit, and where among them it is now.
///
/// A state is a clone of the world, so an edit costs memory for the pages that it wrote, and undoing it
/// is exact: handles, order of rows and of children, everything. No edit needs to know how to reverse itself.
///
/// ```
/// use std_ecs::Undo;
///
/// let mut text = String::from("a");
/// let mut undo = Undo::new(&text, 100);
/// text.push('b');
/// undo.edited(&text);
/// text.push('c');
/// undo.edited(&text);
///
/// text = undo.undo().unwrap().clone();
/// text = undo.undo().unwrap().clone();
/// assert_eq!((text.as_str(), undo.undo()), ("a", None));
/// text = undo.redo().unwrap().clone();
/// assert_eq!(text, "ab");
///
/// text.push('x');
/// undo.edited(&text); // a new edit: "abc" is out of reach
/// assert_eq!(undo.redo(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo<W> {
    states: History<W>,
    at: u64,
}

impl<W: Clone> Undo<W> {
    /// Starts with the world as it is. At most `limit` edits can be undone.
    pub fn new(world: &W, limit: usize) -> Self {
        let mut states = History::new(limit.saturating_add(1));
        states.record(0, world);
        Self { states, at: 0 }
    }

    /// Keeps the world as it is after an edit. What was undone and not redone is out of reach from now on.
    pub fn edited(&mut self, world: &W) {
        self.at += 1;
        self.states.record(self.at, world);
    }

    /// The world before the last edit, to assign; `None` if no edit is left to undo.
    pub fn undo(&mut self) -> Option<&W> {
        let before = self.at.checked_sub(1)?;
        let world = self.states.get(before)?;
        self.at = before;
        Some(world)
    }

    /// The world after the edit that was undone last, to assign; `None` if there is none.
    pub fn redo(&mut self) -> Option<&W> {
        let world = self.states.get(self.at + 1)?;
        self.at += 1;
        Some(world)
    }

    /// How many edits can be undone.
    pub fn undoable(&self) -> usize {
        self.states.oldest().map_or(0, |(oldest, _)| (self.at - oldest) as usize)
    }

    /// How many edits can be redone.
    pub fn redoable(&self) -> usize {
        self.states.latest().map_or(0, |(latest, _)| (latest - self.at) as usize)
    }
}

impl<W: Part> Undo<W> {
    /// How many bytes the states hold together, and how many of them more than one state uses.
    pub fn memory(&self) -> MemoryReport {
        self.states.memory()
    }
}
