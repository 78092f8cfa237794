//! Queries: walks over the rows of one to four stores at once.

#[cfg(doc)]
use crate::column::Column;
use crate::store::Store;

mod combinations;
mod filter;
mod found;
mod optional;
#[cfg(feature = "parallel")]
mod parallel;
mod seek;
mod side;
mod sides;
mod walk;
mod write_page;

pub use combinations::{Combinations, SingleError};
pub use optional::{Optional, optional};
pub use side::Source;
pub use walk::Query;

pub(crate) use found::Places;
pub(crate) use side::same_entities;

use filter::{Filters, With, Without};
use side::{Drives, Open};
use sides::{Opens, Sides};

type SideOf<'a, T, S> = <<S as Source<'a, T>>::Open as Open<'a>>::Side;
type KindOf<'a, Q> = <Q as Sides<'a>>::Kind;

/// Walks one store: `(Entity, &T)` for each row, or `(Entity, &mut T)`.
///
/// A column, a group or a world can be handed over. Where it has several components, name the one:
/// `query::<Position, _>(&world)`.
///
/// ```
/// use std_ecs::{Column, Entities, query};
///
/// let mut entities = Entities::default();
/// let mut ages = Column::default();
/// ages.extend(entities.spawn_many(3).into_iter().zip([30, 40, 50]));
///
/// for (_, age) in query(&mut ages) {
///     *age += 1;
/// }
/// assert_eq!(query(&ages).map(|(_, age)| age).sum::<i32>(), 123);
/// ```
#[inline]
pub fn query<'a, T, A>(store: A) -> Query<'a, (SideOf<'a, T, A>,)>
where
    A: Source<'a, T>,
    KindOf<'a, (SideOf<'a, T, A>,)>: Drives,
{
    Query::new((store.open(),).start())
}

/// Walks the entities that have a row in both stores: `(Entity, first, second)`.
///
/// The structure may be changed while a clone is walked: the loop sees the rows as they were when it began.
///
/// ```
/// use std_ecs::{Column, Entities, pairs};
///
/// let mut entities = Entities::default();
/// let ship = entities.spawn();
/// let (mut positions, mut velocities) = (Column::default(), Column::default());
/// positions.insert(ship, 0.0)?;
/// velocities.insert(ship, 2.5)?;
///
/// for (_, position, velocity) in pairs(&mut positions, &velocities) {
///     *position += velocity;
/// }
/// for (_, position, velocity) in pairs(&positions.clone(), &velocities.clone()) {
///     let bullet = entities.spawn();
///     positions.insert(bullet, *position)?;
///     velocities.insert(bullet, velocity * 4.0)?;
/// }
/// assert_eq!(positions.iter().map(|(_, position)| *position).collect::<Vec<_>>(), [2.5, 2.5]);
/// # Ok::<_, std_ecs::Stale<f64>>(())
/// ```
#[inline]
pub fn pairs<'a, T, U, A, B>(first: A, second: B) -> Query<'a, (SideOf<'a, T, A>, SideOf<'a, U, B>)>
where
    A: Source<'a, T>,
    B: Source<'a, U>,
    KindOf<'a, (SideOf<'a, T, A>, SideOf<'a, U, B>)>: Drives,
{
    Query::new((first.open(), second.open()).share().start())
}

/// Walks the entities that have a row in all three stores: `(Entity, first, second, third)`.
#[inline]
#[expect(clippy::type_complexity, reason = "the tuple of three stores is the type")]
pub fn triples<'a, T, U, V, A, B, C>(
    first: A,
    second: B,
    third: C,
) -> Query<'a, (SideOf<'a, T, A>, SideOf<'a, U, B>, SideOf<'a, V, C>)>
where
    A: Source<'a, T>,
    B: Source<'a, U>,
    C: Source<'a, V>,
    KindOf<'a, (SideOf<'a, T, A>, SideOf<'a, U, B>, SideOf<'a, V, C>)>: Drives,
{
    Query::new((first.open(), second.open(), third.open()).share().start())
}

/// Walks the entities that have a row in all four stores: `(Entity, first, second, third, fourth)`.
///
/// Four is where it ends: a system that needs five components at once is better off with two queries.
#[inline]
#[expect(clippy::type_complexity, reason = "the tuple of four stores is the type")]
pub fn quadruples<'a, T, U, V, W, A, B, C, D>(
    first: A,
    second: B,
    third: C,
    fourth: D,
) -> Query<'a, (SideOf<'a, T, A>, SideOf<'a, U, B>, SideOf<'a, V, C>, SideOf<'a, W, D>)>
where
    A: Source<'a, T>,
    B: Source<'a, U>,
    C: Source<'a, V>,
    D: Source<'a, W>,
    KindOf<'a, (SideOf<'a, T, A>, SideOf<'a, U, B>, SideOf<'a, V, C>, SideOf<'a, W, D>)>: Drives,
{
    Query::new((first.open(), second.open(), third.open(), fourth.open()).share().start())
}

impl<'a, S: Sides<'a>, F: Filters> Query<'a, S, F> {
    /// Only entities that have a row in this store too. If it is the shortest, its rows are what is walked.
    #[inline]
    pub fn with<T: 'a, G: Store<T>>(self, store: &'a G) -> Query<'a, S, (F, impl Filters)> {
        let with = With::new(store.column());
        self.filtered(with, Some(with.driver()))
    }

    /// Only entities that have no row in this store.
    ///
    /// ```
    /// # use std_ecs::{Column, Entities, query};
    /// # let mut entities = Entities::default();
    /// # let (a, b) = (entities.spawn(), entities.spawn());
    /// # let (mut names, mut asleep) = (Column::default(), Column::default());
    /// # names.extend([(a, "Ada"), (b, "Bob")]);
    /// asleep.insert(a, ())?;
    /// assert_eq!(query(&names).without(&asleep).collect::<Vec<_>>(), [(b, &"Bob")]);
    /// assert_eq!(query(&names).with(&asleep).collect::<Vec<_>>(), [(a, &"Ada")]);
    /// # Ok::<_, std_ecs::Stale<()>>(())
    /// ```
    #[inline]
    pub fn without<T: 'a, G: Store<T>>(self, store: &'a G) -> Query<'a, S, (F, impl Filters)> {
        self.filtered(Without(With::new(store.column())), None)
    }

    /// Only entities whose row in the first store that is not optional was written after `stamp`, a value
    /// of that column's [`clock`](Column::clock). A stamp from a future that was rolled back lets all
    /// through.
    ///
    /// Pages that were not written are passed over where that store drives.
    #[inline]
    pub fn changed_since(mut self, stamp: u64) -> Self {
        self.sides.since(stamp);
        self
    }

    /// Calls `f` with slices: `(&[Entity], &[A], &mut [B], ..)`, a page of up to 1,024 rows at a time where
    /// the stores hold the same entities in the same rows, and one row at a time elsewhere. An
    /// optional store comes as `Option` of a slice.
    ///
    /// ```
    /// # use std_ecs::{Column, Entities, pairs};
    /// # let mut entities = Entities::default();
    /// # let (mut positions, mut velocities) = (Column::default(), Column::default());
    /// # for entity in entities.spawn_many(3_000) {
    /// #     positions.insert(entity, 0.0)?;
    /// #     velocities.insert(entity, 2.5)?;
    /// # }
    /// pairs(&mut positions, &velocities).for_each_chunk(|(_, positions, velocities)| {
    ///     for (position, velocity) in positions.iter_mut().zip(velocities) {
    ///         *position += velocity;
    ///     }
    /// });
    /// assert!(positions.iter().all(|(_, position)| *position == 2.5));
    /// # Ok::<_, std_ecs::Stale<f64>>(())
    /// ```
    #[inline]
    pub fn for_each_chunk(mut self, mut f: impl FnMut(S::Slices)) {
        while let Some((owners, chunks)) = self.next_run() {
            f(S::slices(owners, chunks));
        }
    }
}
