//! Finds what makes a simulation come out differently when it runs again.

use std::fmt;

use crate::delta::{Delta, WorldDelta, delta};
use crate::digest::{Difference, Digest, difference, digest};

type Step<W> = Box<dyn FnMut(&mut W, u64)>;
type Reload<W> = fn(&W) -> Result<W, String>;

/// Runs each tick several times from the same world, and says where the results differ first.
///
/// Rollback, replays and lockstep need a step that depends on the world and its input, and on nothing else.
/// This finds what else it depends on:
///
/// | run | what it finds |
/// | --- | --- |
/// | again | a counter in a `static` or a closure, the clock, random numbers from outside of the world, the order of a `HashMap` |
/// | another way, see [`and`](Self::and) | what depends on the number of threads, or on a second implementation |
/// | from a world that was saved and loaded | a component whose serialised form leaves out a field that is read; simulation that reads a field marked as presentation |
///
/// It costs a few steps for each tick, and with the last run, encoding the whole world: it is for tests.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use serde::{Deserialize, Serialize};
/// use std_ecs::{Column, Columns, Entities, ReplayCheck, World};
///
/// #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
/// struct Place(u32);
///
/// #[derive(Clone, Debug, Default, Columns)]
/// struct Places {
///     places: Column<Place>,
/// }
///
/// #[derive(Clone, Debug, Default, World)]
/// struct Game {
///     entities: Entities,
///     places: Places,
/// }
///
/// let mut game = Game::default();
/// let ship = game.spawn_with((Place(0),));
///
/// let honest = |game: &mut Game, _| game.places.places.iter_mut().for_each(|(_, place)| place.0 += 1);
/// ReplayCheck::new(honest).run(&mut game, 0..100)?;
///
/// static STEPS: AtomicU32 = AtomicU32::new(0);
/// let forgetful = |game: &mut Game, tick| {
///     if tick >= 103 {
///         let steps = STEPS.fetch_add(1, Ordering::Relaxed);
///         game.places.places.iter_mut().for_each(|(_, place)| place.0 += steps);
///     }
/// };
/// let error = ReplayCheck::new(forgetful).run(&mut game, 100..200).unwrap_err();
/// assert_eq!((error.tick, error.run.as_str()), (103, "again"));
/// assert_eq!(error.difference.as_ref().unwrap().entity, Some(ship));
/// # Ok::<_, std_ecs::ReplayError>(())
/// ```
pub struct ReplayCheck<W> {
    step: Step<W>,
    others: Vec<(String, Step<W>)>,
    reload: Option<Reload<W>>,
}

impl<W> fmt::Debug for ReplayCheck<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others: Vec<&str> = self.others.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ReplayCheck")
            .field("others", &others)
            .field("reloads", &self.reload.is_some())
            .finish_non_exhaustive()
    }
}

impl<W: Delta + Default> ReplayCheck<W> {
    /// Checks a step, which gets the world and the number of the tick: each tick runs, runs again, and runs
    /// from a world that was saved and loaded, in which fields marked as presentation are at their defaults.
    pub fn new(step: impl FnMut(&mut W, u64) + 'static) -> Self {
        Self { reload: Some(reloaded), ..Self::without_reloading(step) }
    }
}

impl<W: Digest> ReplayCheck<W> {
    /// As [`new`](ReplayCheck::new), for worlds whose components cannot be deserialised, or only from formats
    /// that name the fields: they are not saved and loaded.
    pub fn without_reloading(step: impl FnMut(&mut W, u64) + 'static) -> Self {
        Self { step: Box::new(step), others: Vec::new(), reload: None }
    }

    /// Runs each tick this way too, from the same world: with the parallel schedule on another number of
    /// threads, for example. The name stands in the error.
    pub fn and(mut self, name: impl Into<String>, step: impl FnMut(&mut W, u64) + 'static) -> Self {
        self.others.push((name.into(), Box::new(step)));
        self
    }

    /// Runs the ticks, and leaves the world as it is after the last of them.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] at the first tick that comes out differently. The world is as it was before that
    /// tick, to look into it.
    pub fn run(&mut self, world: &mut W, ticks: impl IntoIterator<Item = u64>) -> Result<(), ReplayError> {
        for tick in ticks {
            let mut result = world.clone();
            (self.step)(&mut result, tick);
            let compare = |name: &str, other: &W| {
                if digest(&result) == digest(other) {
                    return Ok(());
                }
                Err(ReplayError {
                    tick,
                    run: name.to_owned(),
                    difference: difference(&result, other).map(Box::new),
                    problem: None,
                })
            };
            let mut again = world.clone();
            (self.step)(&mut again, tick);
            compare("again", &again)?;
            for (name, step) in &mut self.others {
                let mut other = world.clone();
                step(&mut other, tick);
                compare(name, &other)?;
            }
            if let Some(reload) = self.reload {
                let run = "saved and loaded";
                let mut other = reload(world).map_err(|problem| ReplayError {
                    tick,
                    run: run.to_owned(),
                    difference: None,
                    problem: Some(problem),
                })?;
                (self.step)(&mut other, tick);
                compare(run, &other)?;
            }
            *world = result;
        }
        Ok(())
    }
}

/// A world made of nothing but the serialised form of another.
fn reloaded<W: Delta + Default>(world: &W) -> Result<W, String> {
    let mut loaded = W::default();
    let bytes = postcard::to_stdvec(&delta(&loaded, world)).map_err(|error| error.to_string())?;
    let read: WorldDelta<W> = postcard::from_bytes(&bytes).map_err(|error| error.to_string())?;
    read.apply(&mut loaded).map_err(|error| error.to_string())?;
    Ok(loaded)
}

/// Where a tick came out differently, as [`ReplayCheck::run`] found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The first tick with a different result.
    pub tick: u64,
    /// Which run differed from the first: `again`, `saved and loaded`, or the name of another way.
    pub run: String,
    /// The first place that differs: on the left what the first run has there, on the right this one.
    pub difference: Option<Box<Difference>>,
    /// Why the world could not be saved and loaded.
    pub problem: Option<String>,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, run, difference, problem } = self;
        match (difference, problem) {
            (Some(difference), _) => {
                write!(f, "tick {tick} came out differently when it ran {run}: {difference}")
            }
            (None, Some(problem)) => write!(
                f,
                "at tick {tick} the world could not be saved and loaded: {problem}; \
                 `ReplayCheck::without_reloading` does without"
            ),
            (None, None) => write!(f, "tick {tick} came out differently when it ran {run}"),
        }
    }
}

impl std::error::Error for ReplayError {}
