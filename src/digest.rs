//! Digests: 128 bits that say whether two worlds hold the same.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::column::{Column, Rows};
use crate::entity::{Entities, Entity};
use crate::key::{ComponentKey, component_key};
use crate::pages::{PAGE, Page, Pages};
use crate::part::{Part, PartView};
use crate::shared::Shared;
use crate::single::Single;

pub(crate) mod encoder;

use encoder::{Hash, Sink, encode};

/// The digest of a world, a group or a single column: 128 bits over everything it holds, in order.
///
/// Peers of a networked game compare it to know that they still play the same game. Every entity, the free
/// list, every row of every column with its owner, every single, every event and every reader goes in.
/// Left out are stamps and clocks, which say when something was written and not what it is, and the fields
/// marked `#[world(presentation)]` or `#[columns(presentation)]`.
///
/// The same operations give the same digest on every machine. It exists for every world whose components
/// and singles are [`Serialize`](serde::Serialize); what a component leaves out of its serialised form is
/// left out here as well. A [`HashMap`](std::collections::HashMap) in a component serialises in an order
/// of its own in each process: use a [`BTreeMap`](std::collections::BTreeMap).
///
/// Cost: each page of 1,024 rows remembers its digest until it is written, also across clones. Asking
/// again after k pages were written costs k pages, about 2 ns for each three floats in them, and some
/// nanoseconds for each page that was not written.
///
/// # The algorithm
///
/// It stays as it is within a major version. `H` is XXH3 with 128 bits and seed 0; its results, and all
/// numbers, are written in little endian.
///
/// | what | bytes |
/// | --- | --- |
/// | world, group | `H` of the digests of its columns, singles, events and entities, in the order of the fields, those of inner groups in their place |
/// | column | `H` of the number of rows in 64 bits and, for each page of 1,024 rows, `H` of its owners, each as [`Entity::to_bits`], and `H` of its values |
/// | single | `H` of the value |
/// | events | `H` of how many were emitted in 64 bits, the number of earlier frames in 64 bits, and for each frame, the current one last, the number of its events in 64 bits and, for each page of 1,024, `H` of the events |
/// | hierarchy | the column of parents: [`Entity::to_bits`] of the parent, the order number in 64 bits |
/// | entities | `H` of the number of slots and the number alive in 64 bits, the first free index in 32 bits, and for each page of 1,024 slots `H` of, per slot, the generation and the next free index in 32 bits each |
/// | integer, float, `char` | as wide as the type; each NaN as the quiet one without payload; a `char` as 32 bits |
/// | `bool`, `None`, `Some` | one byte, 0 or 1; after `Some` the value |
/// | string, bytes | the length in 64 bits, the bytes |
/// | sequence, map | the length in 64 bits, then the elements, or keys and values in turn; a length that is not known beforehand is 2^64 - 1, then each element has a byte 1 before it, and a byte 0 ends them |
/// | tuple, struct, unit | the fields in order; where fields are skipped, the number of each in 32 bits in its place, and after the last field how many were, in 32 bits |
/// | enum | the index of the variant in 32 bits, its fields as those of a struct |
///
/// Formats are told that they are not human readable. An end of the free list is 2^32 - 2, an entity that
/// is alive has 2^32 - 1 as its next free index, and one whose generations are used up 2^32 - 3.
///
/// # Panics
///
/// If a value refuses to be serialised; the message names the component and the entity.
///
/// ```
/// use serde::Serialize;
/// use std_ecs::{Column, Columns, Entities, World, digest};
///
/// #[derive(Clone, Debug, Serialize)]
/// struct Health(u32);
///
/// #[derive(Clone, Debug, Default, Columns)]
/// struct Bodies {
///     health: Column<Health>,
/// }
///
/// #[derive(Clone, Debug, Default, World)]
/// struct Game {
///     entities: Entities,
///     bodies: Bodies,
/// }
///
/// let (mut here, mut there) = (Game::default(), Game::default());
/// for game in [&mut here, &mut there] {
///     game.spawn_with((Health(100),));
/// }
/// assert_eq!(digest(&here), digest(&there));
///
/// there.bodies.health.iter_mut().for_each(|(_, health)| health.0 = 99);
/// assert_ne!(digest(&here), digest(&there));
/// ```
pub fn digest<P: Digest>(part: &P) -> u128 {
    let mut hash = Hash::new();
    part.digests(&mut Vec::new(), &mut |_, _, digest| hash.put_word(digest.to_le_bytes()));
    hash.finish()
}

/// The digest of each column, single and so on by itself, to find which one differs between two peers.
///
/// Costs what [`digest`] costs, which it also answers. The report can be serialised and sent.
///
/// ```
/// # use serde::Serialize;
/// # use std_ecs::{Column, Columns, Entities, World, digest_report};
/// # #[derive(Clone, Debug, Serialize)]
/// # struct Health(u32);
/// # #[derive(Clone, Debug, Default, Columns)]
/// # struct Bodies { health: Column<Health> }
/// # #[derive(Clone, Debug, Default, World)]
/// # struct Game { entities: Entities, bodies: Bodies }
/// let mut here = Game::default();
/// here.spawn_with((Health(100),));
/// let mut there = here.clone();
/// there.bodies.health.iter_mut().for_each(|(_, health)| health.0 = 99);
///
/// let report = digest_report(&here);
/// assert_eq!(report.differences(&digest_report(&there)), ["bodies.health"]);
/// assert_eq!(report.digest(), std_ecs::digest(&here));
/// ```
pub fn digest_report<P: Digest>(part: &P) -> DigestReport {
    let mut parts = Vec::new();
    part.digests(&mut Vec::new(), &mut |path, part, digest| {
        let component = part.key().name().to_owned();
        parts.push(PartDigest { path: path.join("."), component, length: part.length() as u64, digest });
    });
    DigestReport { parts }
}

/// What [`digest_report`] answers: one line for each storage of a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestReport {
    /// Each storage, in the order of the fields.
    pub parts: Vec<PartDigest>,
}

/// The digest of one storage of a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartDigest {
    /// The names of the fields that lead to it, with dots between them.
    pub path: String,
    /// The type of its values, as the compiler names it.
    pub component: String,
    /// How many rows, values or events there are.
    pub length: u64,
    /// Its digest.
    pub digest: u128,
}

impl DigestReport {
    /// What [`digest`] answers for the same world.
    pub fn digest(&self) -> u128 {
        let mut hash = Hash::new();
        self.parts.iter().for_each(|part| hash.put_word(part.digest.to_le_bytes()));
        hash.finish()
    }

    /// The paths of what differs from another report, in the order of this one; then the paths that only
    /// the other has.
    pub fn differences<'a>(&'a self, other: &'a Self) -> Vec<&'a str> {
        let find = |report: &'a Self, path: &str| report.parts.iter().find(|part| part.path == path);
        let differ = self
            .parts
            .iter()
            .filter(|part| find(other, &part.path).is_none_or(|theirs| theirs.digest != part.digest));
        let missing = other.parts.iter().filter(|part| find(self, &part.path).is_none());
        differ.chain(missing).map(|part| part.path.as_str()).collect()
    }
}

impl fmt::Display for DigestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.parts.iter().map(|part| part.path.len()).max().unwrap_or(0);
        for PartDigest { path, component, length, digest } in &self.parts {
            writeln!(f, "{digest:032x}  {path:width$}  {length} of {component}")?;
        }
        write!(f, "{:032x}  all", self.digest())
    }
}

/// A part of a world whose values can be serialised, so that it has a digest.
///
/// The derives of [`Columns`](crate::Columns) and [`World`](crate::World) implement it for each struct whose
/// fields all have it. Programs call [`digest`] and [`digest_report`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no digest",
    label = "something in it cannot be serialised",
    note = "put `#[derive(Serialize)]` on its components and singles, or leave a field out of digests with `#[columns(presentation)]`, `#[world(presentation)]`"
)]
pub trait Digest: Part {
    /// Shows the digest of each storage, in the order of the fields.
    fn digests(&self, path: &mut Vec<&'static str>, each: &mut DigestVisit<'_>);

    /// The first place where both differ, in the order of the fields and then of the rows.
    fn first_difference(&self, other: &Self, path: &mut Vec<&'static str>) -> Option<Difference>;
}

/// [`Digest`] under a lifetime, which lets a derive ask for it of fields that do not have it.
#[doc(hidden)]
pub trait DigestField<'a>: Digest {}

impl<P: Digest> DigestField<'_> for P {}

/// What [`Digest::digests`] calls: with the path of field names, what is there, and its digest.
pub type DigestVisit<'v> = dyn FnMut(&[&'static str], &dyn PartView, u128) + 'v;

/// The first place where two worlds differ, as [`difference`] finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The names of the fields that lead to the column or single, with dots between them.
    pub path: String,
    /// The component, or the type of the value.
    pub key: ComponentKey,
    /// Whose row it is, where there are rows.
    pub entity: Option<Entity>,
    /// What the first world has there.
    pub left: String,
    /// What the second world has there.
    pub right: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path, self.key)?;
        if let Some(entity) = self.entity {
            write!(f, " of {entity}")?;
        }
        write!(f, ": {} against {}", self.left, self.right)
    }
}

/// The first place where two worlds differ, and what both have there; `None` if their digests are equal.
///
/// Costs a digest of both, and a look at the rows of the first page that differs.
///
/// ```
/// # use serde::Serialize;
/// # use std_ecs::{Column, Columns, Entities, World, difference};
/// # #[derive(Clone, Debug, Serialize)]
/// # struct Health(u32);
/// # #[derive(Clone, Debug, Default, Columns)]
/// # struct Bodies { health: Column<Health> }
/// # #[derive(Clone, Debug, Default, World)]
/// # struct Game { entities: Entities, bodies: Bodies }
/// let mut here = Game::default();
/// let ship = here.spawn_with((Health(100),));
/// let mut there = here.clone();
/// there.get_mut::<Health>(ship).unwrap().0 = 99;
///
/// let found = difference(&here, &there).unwrap();
/// assert_eq!((found.path.as_str(), found.entity), ("bodies.health", Some(ship)));
/// assert_eq!((found.left.as_str(), found.right.as_str()), ("Health(100)", "Health(99)"));
/// ```
pub fn difference<P: Digest>(left: &P, right: &P) -> Option<Difference> {
    left.first_difference(right, &mut Vec::new())
}

/// The digest of one value by itself.
pub(crate) fn value_digest<T: Serialize>(value: &T) -> u128 {
    let mut hash = Hash::new();
    put(value, &mut hash, None);
    hash.finish()
}

/// Encodes a value.
///
/// # Panics
///
/// If it refuses to be serialised.
pub(crate) fn put<T: Serialize>(value: &T, sink: &mut impl Sink, owner: Option<Entity>) {
    if let Err(problem) = encode(value, sink) {
        let key = component_key::<T>();
        match owner {
            Some(entity) => panic!("the {key} of {entity} cannot be serialised: {problem}"),
            None => panic!("the {key} cannot be serialised: {problem}"),
        }
    }
}

fn owners_digest(page: &Shared<Page<Entity>>) -> u128 {
    page.digest(|page| {
        let mut hash = Hash::new();
        page.0.iter().for_each(|entity| hash.put_word(entity.to_bits().to_le_bytes()));
        hash.finish()
    })
}

fn values_digest<T: Serialize>(rows: &Shared<Rows<T>>, owners: &[Entity]) -> u128 {
    rows.digest(|rows| {
        let mut hash = Hash::new();
        for (value, &owner) in rows.values.iter().zip(owners) {
            put(value, &mut hash, Some(owner));
        }
        hash.finish()
    })
}

impl<T: Serialize> Column<T> {
    pub(crate) fn rows_digest(&self) -> u128 {
        let mut hash = Hash::new();
        hash.put_word((self.len() as u64).to_le_bytes());
        for (owners, entry) in self.owners.table().iter().zip(self.table.iter()) {
            hash.put_word(owners_digest(owners).to_le_bytes());
            hash.put_word(values_digest(&entry.rows, &owners.0).to_le_bytes());
        }
        hash.finish()
    }

    /// The first page in which the rows differ.
    fn first_page_apart(&self, other: &Self) -> Option<usize> {
        let pages = |column: &Self, page: usize| {
            let owners = column.owners.table().get(page)?;
            Some((owners_digest(owners), values_digest(&column.table[page].rows, &owners.0)))
        };
        let count = self.table.len().max(other.table.len());
        (0..count).find(|&page| pages(self, page) != pages(other, page))
    }
}

impl<T: Clone + fmt::Debug + Serialize + 'static> Digest for Column<T> {
    fn digests(&self, path: &mut Vec<&'static str>, each: &mut DigestVisit<'_>) {
        each(path, self, self.rows_digest());
    }

    fn first_difference(&self, other: &Self, path: &mut Vec<&'static str>) -> Option<Difference> {
        let page = self.first_page_apart(other)?;
        let row = |column: &Self, row: usize| {
            let owners = column.owners.table().get(page)?;
            Some((*owners.0.get(row)?, column.table[page].rows.values.get(row)?.clone()))
        };
        let digest = |(entity, value): &(Entity, T)| (*entity, value_digest(value));
        let (at, left, right) = (0..PAGE).find_map(|at| {
            let (left, right) = (row(self, at), row(other, at));
            (left.as_ref().map(digest) != right.as_ref().map(digest)).then_some((at, left, right))
        })?;
        let same_owner = left.as_ref().map(|row| row.0) == right.as_ref().map(|row| row.0);
        let text = |found: &Option<(Entity, T)>| match found {
            Some((_, value)) if same_owner => format!("{value:?}"),
            Some((entity, value)) => format!("row {} is {entity}'s {value:?}", page * PAGE + at),
            None => format!("there is no row {}", page * PAGE + at),
        };
        let entity = left.as_ref().or(right.as_ref()).map(|row| row.0);
        let (left, right) = (text(&left), text(&right));
        Some(Difference { path: path.join("."), key: component_key::<T>(), entity, left, right })
    }
}

impl<T: Clone + fmt::Debug + Serialize + 'static> Digest for Single<T> {
    fn digests(&self, path: &mut Vec<&'static str>, each: &mut DigestVisit<'_>) {
        each(path, self, self.value_digest());
    }

    fn first_difference(&self, other: &Self, path: &mut Vec<&'static str>) -> Option<Difference> {
        (self.value_digest() != other.value_digest()).then(|| Difference {
            path: path.join("."),
            key: component_key::<T>(),
            entity: None,
            left: format!("{:?}", **self),
            right: format!("{:?}", **other),
        })
    }
}

impl Digest for Entities {
    fn digests(&self, path: &mut Vec<&'static str>, each: &mut DigestVisit<'_>) {
        let mut hash = Hash::new();
        self.digest_into(&mut hash);
        each(path, self, hash.finish());
    }

    fn first_difference(&self, other: &Self, path: &mut Vec<&'static str>) -> Option<Difference> {
        let (entity, left, right) = self.first_slot_apart(other)?;
        Some(Difference { path: path.join("."), key: component_key::<Entity>(), entity, left, right })
    }
}

/// Hashes pages of items that are not components; each page remembers its own digest.
pub(crate) fn put_pages<X>(pages: &Pages<X>, hash: &mut Hash, mut put_item: impl FnMut(&X, &mut Hash)) {
    for page in pages.table() {
        let digest = page.digest(|page| {
            let mut hash = Hash::new();
            page.0.iter().for_each(|item| put_item(item, &mut hash));
            hash.finish()
        });
        hash.put_word(digest.to_le_bytes());
    }
}
