//! Deltas: what turns one world into another, as a value to send, to store or to apply.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::digest::{Digest, digest_report, put, value_digest};
use crate::single::Single;

mod column;
mod entities;

pub use column::ColumnChange;
pub use entities::EntitiesChange;

/// What has to change in `from` to make it `to`: a value that can be serialised.
///
/// Applied to a world equal to `from` it gives exactly `to`: the same rows in the same order, the same free
/// list, singles and events, and the clocks and the stamps of what changed. It is made for a server that
/// tells its clients what a frame did, and for saves that store one world and then the differences.
/// The two worlds may be neighbours in time, in either direction, or have nothing to do with each other.
///
/// Fields marked `#[world(presentation)]` or `#[columns(presentation)]` are left out: a world that it is
/// applied to keeps its own.
///
/// Cost: pages that both share are passed over at two loads each; in the others each row is compared. The
/// delta holds the values that were written, and for rows that only moved (the last row moves into the hole
/// that a removed one leaves) just where they moved from. A frame in which nothing happened gives a dozen
/// bytes and one for each column. The digest of `from` is worked out, of which pages remember their share.
///
/// # Panics
///
/// If a value refuses to be serialised; the message names the component and the entity.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use std_ecs::{Column, Columns, Entities, World, WorldDelta, delta};
///
/// #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
/// struct Health(u32);
///
/// #[derive(Clone, Debug, Default, PartialEq, Columns)]
/// struct Bodies {
///     health: Column<Health>,
/// }
///
/// #[derive(Clone, Debug, Default, PartialEq, World)]
/// struct Game {
///     entities: Entities,
///     bodies: Bodies,
/// }
///
/// let mut server = Game::default();
/// let mut client = server.clone();
///
/// let before = server.clone();
/// server.spawn_with((Health(100),));
/// let sent = serde_json::to_string(&delta(&before, &server))?;
///
/// let received: WorldDelta<Game> = serde_json::from_str(&sent)?;
/// received.apply(&mut client)?;
/// assert_eq!(client, server);
///
/// let again = received.apply(&mut client).unwrap_err();
/// assert!(again.to_string().contains("`entities`, `bodies.health` differ"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn delta<W: Delta>(from: &W, to: &W) -> WorldDelta<W> {
    let (base, parts) = base_of(from);
    let change = W::changes(from, to);
    let check = check_of(base, &parts, change.as_ref());
    WorldDelta { base, parts, check, change }
}

/// A world in short: its digest, and a byte for each of its parts to tell which one differs.
fn base_of<W: Digest>(world: &W) -> ([u8; 8], Vec<u8>) {
    let report = digest_report(world);
    let parts = report.parts.iter().map(|part| part.digest as u8).collect();
    ((report.digest() as u64).to_le_bytes(), parts)
}

fn check_of<C: Serialize>(base: [u8; 8], parts: &[u8], change: Option<&C>) -> [u8; 4] {
    (value_digest(&(base, parts, change)) as u32).to_le_bytes()
}

/// What turns one world into another. Made by [`delta`].
#[derive(Serialize, Deserialize)]
#[serde(
    rename = "Delta",
    deny_unknown_fields,
    bound(serialize = "W::Change: Serialize", deserialize = "W::Change: Deserialize<'de>")
)]
pub struct WorldDelta<W: Delta> {
    /// Half of the digest of the world that it starts from.
    base: [u8; 8],
    /// The last byte of the digest of each part of that world.
    parts: Vec<u8>,
    /// A part of the digest of everything else, to know that nothing was damaged on the way.
    check: [u8; 4],
    change: Option<W::Change>,
}

impl<W: Delta> Clone for WorldDelta<W> {
    fn clone(&self) -> Self {
        Self { base: self.base, parts: self.parts.clone(), check: self.check, change: self.change.clone() }
    }
}

impl<W: Delta> fmt::Debug for WorldDelta<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldDelta").field("change", &self.change).finish_non_exhaustive()
    }
}

impl<W: Delta> WorldDelta<W> {
    /// Whether both worlds were the same in everything: nothing would change, not even a clock.
    pub fn is_empty(&self) -> bool {
        self.change.is_none()
    }

    /// Makes a world equal to the one that the delta starts from into the one that it leads to.
    ///
    /// Costs a digest of the world, of which pages remember their share, and what changes.
    ///
    /// # Errors
    ///
    /// [`DeltaError`] if the world is another one, which names the parts that differ, or if the delta was
    /// damaged. The world is as it was then.
    pub fn apply(&self, world: &mut W) -> Result<(), DeltaError> {
        if check_of(self.base, &self.parts, self.change.as_ref()) != self.check {
            return Err(DeltaError::Damaged);
        }
        let report = digest_report(world);
        if (report.digest() as u64).to_le_bytes() != self.base {
            let parts = report.parts.iter().zip(&self.parts);
            let differ = parts.filter(|(part, byte)| part.digest as u8 != **byte);
            return Err(DeltaError::OtherWorld {
                differ: differ.map(|(part, _)| part.path.clone()).collect(),
            });
        }
        if let Some(change) = &self.change {
            let mut next = world.clone();
            next.apply(change, &mut Vec::new())?;
            *world = next;
        }
        Ok(())
    }
}

/// Why [`WorldDelta::apply`] refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeltaError {
    /// The world is not the one that the delta starts from.
    #[error(
        "the delta starts from another world: {}; apply it to the world it was made from",
        differing(differ)
    )]
    OtherWorld {
        /// The paths of the parts that differ. Empty if the bytes that tell them apart happen to be equal.
        differ: Vec<String>,
    },
    /// The delta does not hold what it held when it was made.
    #[error("the delta was damaged on its way: ask for it again")]
    Damaged,
    /// The delta contradicts itself or the world. Only one that was not made by [`delta`] does.
    #[error("the delta cannot be applied to `{path}`: {problem}")]
    Contradiction {
        /// The names of the fields that lead to the part, with dots between them.
        path: String,
        /// What is wrong.
        problem: String,
    },
}

fn differing(paths: &[String]) -> String {
    match paths {
        [] => "which of its parts differ is not known".to_owned(),
        [path] => format!("`{path}` differs"),
        paths => format!("`{}` differ", paths.join("`, `")),
    }
}

impl DeltaError {
    pub(crate) fn contradiction(path: &[&'static str], problem: String) -> Self {
        Self::Contradiction { path: path.join("."), problem }
    }
}

/// A part of a world that can say what changed in it.
///
/// The derives of [`Columns`](crate::Columns) and [`World`](crate::World) implement it for each struct whose
/// fields all have it. Programs call [`delta`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no deltas",
    label = "something in it cannot be serialised and deserialised",
    note = "put `#[derive(Serialize, Deserialize)]` on its components and singles, or leave a field out of deltas with `#[columns(presentation)]`, `#[world(presentation)]`"
)]
pub trait Delta: Digest {
    /// What turns one value into another.
    type Change: Clone + fmt::Debug + Serialize + DeserializeOwned;

    /// What has to change in `from` to make it `to`; `None` for nothing.
    fn changes(from: &Self, to: &Self) -> Option<Self::Change>;

    /// Changes this value. After an error it may be half changed: apply to a clone.
    ///
    /// # Errors
    ///
    /// [`DeltaError::Contradiction`] if the change does not fit this value.
    fn apply(&mut self, change: &Self::Change, path: &mut Vec<&'static str>) -> Result<(), DeltaError>;
}

/// [`Delta`] under a lifetime, which lets a derive ask for it of fields that do not have it.
#[doc(hidden)]
pub trait DeltaField<'a>: Delta {}

impl<P: Delta> DeltaField<'_> for P {}

/// Compares values by their encoding, so that NaN equals NaN of the same bits, and no `PartialEq` is needed.
#[derive(Default)]
pub(crate) struct Comparison {
    left: Vec<u8>,
    right: Vec<u8>,
}

impl Comparison {
    pub(crate) fn equal<T: Serialize>(&mut self, left: &T, right: &T) -> bool {
        self.left.clear();
        self.right.clear();
        put(left, &mut self.left, None);
        put(right, &mut self.right, None);
        self.left == self.right
    }
}

/// What changed in a [`Single`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SingleChange<T> {
    clock: u64,
    /// Nothing if it was only borrowed for writing.
    value: Option<T>,
}

impl<T: Clone + fmt::Debug + Serialize + DeserializeOwned + 'static> Delta for Single<T> {
    type Change = SingleChange<T>;

    fn changes(from: &Self, to: &Self) -> Option<SingleChange<T>> {
        let is_new = !from.shares_value(to) && !Comparison::default().equal(&**from, &**to);
        let value = is_new.then(|| (**to).clone());
        (is_new || from.clock() != to.clock()).then(|| SingleChange { clock: to.clock(), value })
    }

    fn apply(&mut self, change: &SingleChange<T>, _path: &mut Vec<&'static str>) -> Result<(), DeltaError> {
        self.overwrite(change.value.clone(), change.clock);
        Ok(())
    }
}
