//! Singletons: one value of a group, such as its gravity.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::entity::{Entities, Entity};
use crate::guard::Guard;
use crate::key::{ComponentKey, component_key};
use crate::part::{CheckError, Part, PartKind, PartView, Visit};
use crate::shared::Shared;

/// One value of a group or a world: gravity, score, the state of a random number generator.
///
/// It reads like a `T`. The value stands behind a count, so that cloning a world costs the same whatever
/// its singles hold; the first write after a clone clones the value. Each time it is borrowed for writing
/// its clock advances, so that a write is found.
///
/// ```
/// use std_ecs::Single;
///
/// let mut score = Single::new(10);
/// let (before, seen) = (score.clone(), score.clock());
/// *score += 5;
/// assert_eq!((*before, *score), (10, 15));
/// assert!(score.changed_since(seen));
/// ```
pub struct Single<T> {
    clock: u64,
    held: Held<T>,
}

enum Held<T> {
    Here(Shared<T>),
    Withheld(Guard),
}

impl<T> Clone for Single<T> {
    fn clone(&self) -> Self {
        let held = match &self.held {
            Held::Here(value) => Held::Here(value.clone()),
            Held::Withheld(guard) => Held::Withheld(guard.clone()),
        };
        Self { clock: self.clock, held }
    }
}

impl<T: Default> Default for Single<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Single<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T> Single<T> {
    /// The single with this value, its clock at 0.
    pub fn new(value: T) -> Self {
        Self { clock: 0, held: Held::Here(Shared::new(value)) }
    }

    /// The single's time: it advances each time the value is borrowed for writing.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// Whether the value was borrowed for writing after `stamp`. A stamp later than the clock comes from a
    /// future that was rolled back, and is answered with `true`.
    pub fn changed_since(&self, stamp: u64) -> bool {
        // A clock that stands still at its end tells nothing apart: then nothing is taken for seen.
        self.clock != stamp || self.clock == u64::MAX
    }

    #[cold]
    #[inline(never)]
    fn refuse(guard: &Guard) -> ! {
        guard.check_part(component_key::<T>);
        unreachable!("a single is withheld by a guard that is set")
    }

    /// The digest of the value, which is remembered until it is borrowed for writing.
    #[cfg(feature = "serde")]
    pub(crate) fn value_digest(&self) -> u128
    where
        T: serde::Serialize,
    {
        match &self.held {
            Held::Here(value) => value.digest(crate::digest::value_digest),
            Held::Withheld(guard) => Self::refuse(guard),
        }
    }

    /// Whether both hold one value, which was not written since.
    #[cfg(feature = "serde")]
    pub(crate) fn shares_value(&self, other: &Self) -> bool {
        matches!((&self.held, &other.held), (Held::Here(a), Held::Here(b)) if a.same(b))
    }

    /// Puts the clock, and a value if there is one.
    #[cfg(feature = "serde")]
    pub(crate) fn overwrite(&mut self, value: Option<T>, clock: u64) {
        if let Some(value) = value {
            self.held = Held::Here(Shared::new(value));
        }
        self.clock = clock;
    }

    fn same(&self, other: &Self) -> bool {
        match (&self.held, &other.held) {
            (Held::Here(a), Held::Here(b)) => a.same(b) && self.clock == other.clock,
            (Held::Withheld(_), Held::Withheld(_)) => true,
            _ => false,
        }
    }
}

impl<T> Deref for Single<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &self.held {
            Held::Here(value) => value,
            Held::Withheld(guard) => Self::refuse(guard),
        }
    }
}

impl<T: Clone> DerefMut for Single<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.held {
            Held::Here(value) => {
                self.clock = self.clock.saturating_add(1);
                value.write()
            }
            Held::Withheld(guard) => Self::refuse(guard),
        }
    }
}

impl<T: PartialEq> PartialEq for Single<T> {
    /// Whether both hold equal values. Clocks are not compared; a single equals its clone even where the
    /// value does not equal itself.
    fn eq(&self, other: &Self) -> bool {
        self.same(other) || **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for Single<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Clone + 'static> Part for Single<T> {
    fn detach_all(&mut self, _entity: Entity) {}

    fn clear_all(&mut self) {}

    fn end_frame(&mut self, _steps: u32) {}

    fn visit<'a>(&'a self, path: &mut Vec<&'static str>, visit: &mut Visit<'_, 'a>) {
        visit(path, self);
    }

    fn verify(&self, _entities: &Entities) -> Result<(), CheckError> {
        Ok(())
    }

    fn withhold(&mut self, guard: &Guard) {
        self.held = Held::Withheld(guard.clone());
    }

    fn same(&self, other: &Self) -> bool {
        Single::same(self, other)
    }
}

impl<T> PartView for Single<T> {
    fn kind(&self) -> PartKind {
        PartKind::Single
    }

    fn key(&self) -> ComponentKey {
        component_key::<T>()
    }

    /// Always 1.
    fn length(&self) -> usize {
        1
    }

    fn time(&self) -> u64 {
        self.clock
    }

    fn bytes(&self) -> usize {
        size_of::<T>()
    }

    fn allocations(&self, each: &mut dyn FnMut(usize, usize)) {
        if let Held::Here(value) = &self.held {
            each(value.address(), size_of::<T>());
        }
    }

    fn is_withheld(&self) -> bool {
        matches!(self.held, Held::Withheld(_))
    }
}

#[cfg(feature = "serde")]
mod serial {
    use serde::de::{Deserialize, Deserializer};
    use serde::ser::{Serialize, SerializeStruct, Serializer};

    use super::{Held, Shared, Single};

    impl<T: Serialize> Serialize for Single<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut out = serializer.serialize_struct("Single", 2)?;
            out.serialize_field("clock", &self.clock)?;
            out.serialize_field("value", &**self)?;
            out.end()
        }
    }

    impl<'de, T: Deserialize<'de>> Deserialize<'de> for Single<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            #[derive(serde::Deserialize)]
            #[serde(rename = "Single", deny_unknown_fields)]
            struct Form<T> {
                clock: u64,
                value: T,
            }
            let Form { clock, value } = Form::deserialize(deserializer)?;
            Ok(Self { clock, held: Held::Here(Shared::new(value)) })
        }
    }
}
