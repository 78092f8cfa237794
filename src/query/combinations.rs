//! Items of a walk taken together: the only one, or each two of them.

use std::fmt;
use std::iter::FusedIterator;

use super::filter::Filters;
use super::sides::Sides;
use super::walk::Query;

/// A query that should have found one entity found none, or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SingleError {
    /// No entity has what was asked for.
    #[error("no entity has {0}, and exactly one should")]
    Nothing(&'static str),
    /// More than one entity has what was asked for.
    #[error("more than one entity has {0}, and exactly one should")]
    Several(&'static str),
}

impl<'a, S: Sides<'a>, F: Filters> Query<'a, S, F> {
    /// The only item.
    ///
    /// # Errors
    ///
    /// [`SingleError`], which names the components, if there is none or another.
    ///
    /// ```
    /// # use std_ecs::{Column, Entities, query};
    /// # let mut entities = Entities::default();
    /// # let mut cameras = Column::default();
    /// assert!(query(&cameras).single().is_err());
    /// let camera = entities.spawn();
    /// cameras.insert(camera, 60.0)?;
    /// assert_eq!(query(&cameras).single(), Ok((camera, &60.0)));
    /// # Ok::<_, std_ecs::Stale<f64>>(())
    /// ```
    pub fn single(mut self) -> Result<S::Item, SingleError> {
        let Some(item) = self.next() else { return Err(SingleError::Nothing(S::components())) };
        match self.next() {
            None => Ok(item),
            Some(_) => Err(SingleError::Several(S::components())),
        }
    }

    /// Each two items once, the earlier one first: for items that can be copied, so no store is `&mut`.
    /// Keeps all items in memory.
    ///
    /// ```
    /// # use std_ecs::{Column, Entities, query};
    /// # let mut entities = Entities::default();
    /// # let mut radii = Column::default();
    /// # radii.extend(entities.spawn_many(4).into_iter().map(|entity| (entity, 0.5)));
    /// assert_eq!(query(&radii).combinations().count(), 6);
    /// ```
    pub fn combinations(self) -> Combinations<S::Item>
    where
        S::Item: Clone,
    {
        Combinations { items: self.collect(), first: 0, second: 1 }
    }

    /// Calls `f` with each two items once, the earlier one first. Stores may be `&mut`: both items can be
    /// written. Keeps all items in memory.
    ///
    /// ```
    /// # use std_ecs::{Column, Entities, query};
    /// # let mut entities = Entities::default();
    /// # let mut charges = Column::default();
    /// # charges.extend(entities.spawn_many(3).into_iter().zip([1, 2, 3]));
    /// query(&mut charges).for_each_combination(|(_, left), (_, right)| {
    ///     **left += 1;
    ///     **right -= 1;
    /// });
    /// assert_eq!(charges.iter().map(|(_, charge)| *charge).collect::<Vec<_>>(), [3, 2, 1]);
    /// ```
    pub fn for_each_combination(self, mut f: impl FnMut(&mut S::Item, &mut S::Item)) {
        let mut items: Vec<S::Item> = self.collect();
        let mut rest = items.as_mut_slice();
        while let Some((first, others)) = rest.split_first_mut() {
            for second in &mut *others {
                f(first, second);
            }
            rest = others;
        }
    }
}

/// Each two items of a query once. Made by [`Query::combinations`].
#[derive(Clone)]
pub struct Combinations<Item> {
    items: Vec<Item>,
    first: usize,
    second: usize,
}

impl<Item: Clone> Iterator for Combinations<Item> {
    type Item = (Item, Item);

    #[inline]
    fn next(&mut self) -> Option<(Item, Item)> {
        if self.second >= self.items.len() {
            self.first += 1;
            self.second = self.first + 1;
        }
        let pair = (self.items.get(self.first)?.clone(), self.items.get(self.second)?.clone());
        self.second += 1;
        Some(pair)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let items = self.items.len();
        // What is left for the first item, and all pairs of those after it.
        let after = items.saturating_sub(self.first + 1);
        let left = items.saturating_sub(self.second) + after * after.saturating_sub(1) / 2;
        (left, Some(left))
    }
}

impl<Item: Clone> ExactSizeIterator for Combinations<Item> {}
impl<Item: Clone> FusedIterator for Combinations<Item> {}

impl<Item> fmt::Debug for Combinations<Item> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Combinations").field("items", &self.items.len()).finish_non_exhaustive()
    }
}
