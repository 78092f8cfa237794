//! What systems declare: the places in a world, and whether two declarations clash.

use std::fmt;
use std::marker::PhantomData;

use super::batch::Hollow;
use super::error::ScheduleError;
use super::system::System;
use crate::key::{ComponentKey, component_key};
use crate::part::{Part, PartKind};
use crate::world::World;

/// How a place is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
}

/// What a system declared that is no place.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    pub(super) spawns: bool,
    pub(super) reads_entities: bool,
    /// It despawns or is exclusive: it runs alone, on the world itself.
    pub(super) alone: bool,
}

/// What remains to be done while a place is lent out.
pub(super) type Rest<'r, W> = dyn FnMut(&mut W, &mut [Hollow<W>]) + 'r;

/// A place in a world, with its type forgotten.
pub(super) trait Place<W>: fmt::Debug + Send + Sync {
    fn how(&self) -> Use;

    /// The component, or the type of the part.
    fn what(&self) -> ComponentKey;

    /// The address of each storage in this place.
    fn addresses(&self, world: &mut W) -> Vec<usize>;

    /// Lends what is in this place to the hollow world of a system, does the rest, and takes it back.
    ///
    /// The stand-in that it displaces waits in the world, or on the stack: so it is neither made anew nor
    /// found by an address, and a read costs one clone.
    fn lend(&self, world: &mut W, hollows: &mut [Hollow<W>], at: usize, rest: &mut Rest<'_, W>);
}

pub(super) struct At<W, P, F> {
    pub(super) how: Use,
    /// The component, if it was declared as one.
    pub(super) component: Option<ComponentKey>,
    /// A function of a type of its own for components, so that it can be inlined.
    pub(super) place: F,
    pub(super) of: PhantomData<fn(&mut W) -> &mut P>,
}

impl<W: World, P: Part, F: Fn(&mut W) -> &mut P + Copy + Send + Sync> At<W, P, F> {
    /// What was declared, with the fields that lead to it.
    #[cold]
    fn describe(&self, world: &mut W) -> String {
        let inside = self.addresses(world);
        let leaves = addresses(world).into_iter().filter(|(address, ..)| inside.contains(address));
        let paths: Vec<String> = leaves.map(|(_, path, ..)| path).collect();
        format!("{} ({})", self.what(), paths.join(", "))
    }

    /// The line to write instead of the one that declares it as read.
    fn remedy(&self) -> String {
        match self.component {
            Some(key) => {
                let name = key.short_name();
                format!("`.writes::<{name}>()` instead of `.reads::<{name}>()`")
            }
            None => "`.writes_part(..)` instead of `.reads_part(..)`".to_owned(),
        }
    }
}

impl<W, P, F> fmt::Debug for At<W, P, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.component.unwrap_or(component_key::<P>());
        write!(f, "{:?}({what})", self.how)
    }
}

impl<W, P, F> Place<W> for At<W, P, F>
where
    W: World,
    P: Part,
    F: Fn(&mut W) -> &mut P + Copy + Send + Sync,
{
    fn how(&self) -> Use {
        self.how
    }

    fn what(&self) -> ComponentKey {
        self.component.unwrap_or(component_key::<P>())
    }

    fn addresses(&self, world: &mut W) -> Vec<usize> {
        addresses((self.place)(world)).into_iter().map(|(address, ..)| address).collect()
    }

    fn lend(&self, world: &mut W, hollows: &mut [Hollow<W>], at: usize, rest: &mut Rest<'_, W>) {
        let place = self.place;
        match self.how {
            Use::Read => {
                let shared = place(world).clone();
                let stand_in = std::mem::replace(place(&mut hollows[at].world), shared);
                rest(world, hollows);
                let shared = std::mem::replace(place(&mut hollows[at].world), stand_in);
                if !place(world).same(&shared) {
                    let hollow = &mut hollows[at];
                    let (what, remedy) = (self.describe(&mut hollow.world), self.remedy());
                    hollow.breach(format!("wrote {what}, which it declared as read: declare {remedy}"));
                    hollow.discard(shared);
                }
            }
            Use::Write => {
                std::mem::swap(place(world), place(&mut hollows[at].world));
                rest(world, hollows);
                std::mem::swap(place(world), place(&mut hollows[at].world));
                // A world has one place for a component, so that nothing else fits there.
                if self.component.is_none() && is_withheld(place(world)) {
                    let hollow = &mut hollows[at];
                    let what = self.describe(&mut hollow.world);
                    hollow.breach(format!(
                        "exchanged {what} for something that it did not declare, and both are lost: declare both"
                    ));
                }
            }
        }
    }
}

/// Whether anything in this place is a stand-in.
fn is_withheld<P: Part>(part: &P) -> bool {
    let mut withheld = false;
    part.visit(&mut Vec::new(), &mut |_, view| withheld |= view.is_withheld());
    withheld
}

/// Each storage of a part: its address, which is only ever compared, its path, its key and its kind.
fn addresses<P: Part>(part: &P) -> Vec<(usize, String, ComponentKey, PartKind)> {
    let mut found = Vec::new();
    part.visit(&mut Vec::new(), &mut |path, view| {
        found.push((std::ptr::from_ref(view).addr(), path.join("."), view.key(), view.kind()));
    });
    found
}

/// A storage of a world.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) path: String,
    pub(super) key: ComponentKey,
    pub(super) kind: PartKind,
}

/// The storages of a world, in the order of its fields.
pub(super) fn leaves<W: World>(world: &W) -> Vec<Leaf> {
    addresses(world).into_iter().map(|(_, path, key, kind)| Leaf { path, key, kind }).collect()
}

/// What a system touches: numbers of leaves, ascending, and the rest of what it declared.
#[derive(Clone, Debug, Default)]
pub(super) struct AccessSet {
    pub(super) reads: Vec<usize>,
    pub(super) writes: Vec<usize>,
    pub(super) declared: Declared,
    /// How many places the system declared.
    pub(super) places: usize,
}

impl AccessSet {
    /// Finds the places of a system among the leaves of a world, of which this is any value.
    pub(super) fn of<W: World>(system: &System<W>, world: &mut W) -> Result<Self, ScheduleError> {
        let (declared, places) = (system.declared.clone(), system.places.len());
        let mut set = Self { declared, places, ..Self::default() };
        let name = || system.name().to_owned();
        for place in &system.places {
            let inside = place.addresses(world);
            let leaves = addresses(world);
            let found: Vec<usize> =
                (0..leaves.len()).filter(|&leaf| inside.contains(&leaves[leaf].0)).collect();
            if found.len() != inside.len() || found.is_empty() {
                return Err(ScheduleError::NotInWorld { system: name(), what: place.what().to_string() });
            }
            for leaf in found {
                let (_, path, key, kind) = &leaves[leaf];
                if *kind == PartKind::Entities {
                    return Err(ScheduleError::EntitiesAsPart { system: name() });
                }
                let (read, written) = (set.reads.contains(&leaf), set.writes.contains(&leaf));
                let writes = place.how() == Use::Write;
                if written || read && writes {
                    let what = format!("{key} ({path})");
                    return Err(ScheduleError::Contradiction {
                        system: name(),
                        what,
                        twice: written && writes,
                    });
                }
                if writes { set.writes.push(leaf) } else { set.reads.push(leaf) }
            }
        }
        set.reads.sort_unstable();
        set.reads.dedup();
        set.writes.sort_unstable();
        Ok(set)
    }

    /// The leaves that one of the two writes and the other touches, ascending.
    fn contested(&self, other: &Self) -> Vec<usize> {
        let touched = |set: &Self, leaf| {
            set.writes.binary_search(leaf).is_ok() || set.reads.binary_search(leaf).is_ok()
        };
        let own = self.writes.iter().filter(|leaf| touched(other, leaf));
        let theirs = other.writes.iter().filter(|leaf| touched(self, leaf));
        let mut leaves: Vec<usize> = own.chain(theirs).copied().collect();
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// Whether the two must not run at the same time. The same in both directions.
    pub(super) fn clashes(&self, other: &Self) -> bool {
        let (own, theirs) = (&self.declared, &other.declared);
        own.alone
            || theirs.alone
            || own.spawns && (theirs.spawns || theirs.reads_entities)
            || theirs.spawns && own.reads_entities
            || !self.contested(other).is_empty()
    }

    /// Why the two must not run at the same time: nothing, if they may. The same in both directions.
    pub(super) fn causes(&self, other: &Self, leaves: &[Leaf]) -> Vec<Cause> {
        if self.declared.alone || other.declared.alone {
            return vec![Cause::Alone];
        }
        let part = |leaf: usize| {
            let Leaf { path, key, kind } = leaves[leaf].clone();
            Cause::Part { key, path, kind }
        };
        let mut causes: Vec<Cause> = self.contested(other).into_iter().map(part).collect();
        let entities = |set: &Self| set.declared.spawns || set.declared.reads_entities;
        if entities(self) && entities(other) && (self.declared.spawns || other.declared.spawns) {
            causes.push(Cause::Entities);
        }
        causes
    }
}

/// Why two systems must not run at the same time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// One of them writes this storage, the other reads or writes it.
    Part {
        /// The component, or the type of the single or the events.
        key: ComponentKey,
        /// The fields that lead to it, such as `motions.gravity`.
        path: String,
        /// What kind of storage it is.
        kind: PartKind,
    },
    /// One of them spawns, the other spawns or lists the entities.
    Entities,
    /// One of them despawns or is exclusive, and so runs alone.
    Alone,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part { key, path, .. } => write!(f, "{} ({path})", key.short_name()),
            Self::Entities => f.write_str("the entities"),
            Self::Alone => f.write_str("one runs alone"),
        }
    }
}

/// Two systems of one stage that must not run at the same time. Shown by
/// [`Schedule::conflicts`](crate::Schedule::conflicts).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The stage of both.
    pub stage: super::stage::Stage,
    /// The system that was declared first, and runs first.
    pub first: String,
    /// The other one.
    pub second: String,
    /// Why, in the order of the world's fields.
    pub because: Vec<Cause>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let causes: Vec<String> = self.because.iter().map(Cause::to_string).collect();
        write!(f, "{}: {} before {}, because of {}", self.stage, self.first, self.second, causes.join(", "))
    }
}
