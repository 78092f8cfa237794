//! Depth order: computing it, keeping it as long as it holds, and walking it.

use std::fmt;
use std::iter::FusedIterator;
use std::sync::{Mutex, OnceLock, PoisonError};

use triomphe::Arc;

use super::HierarchyError;
use super::links::{Links, NONE};
use crate::entity::Entity;
use crate::pages::Pages;

/// How many orders are kept for one state of the tree, beside the first one.
const KEPT: usize = 3;

/// The orders that were computed for one state of the tree.
///
/// They are shared by the clones of a hierarchy, as long as none is written: whoever writes leaves the
/// others what was computed and begins anew. So what is found here was computed from this very tree, whatever
/// was cloned or assigned in between. The lock is held to look and to store, never while computing.
#[derive(Clone, Default)]
pub(super) struct Orders(Arc<Kept>);

#[derive(Default)]
struct Kept {
    /// The one that was asked for first, mostly the only one: it is found without a lock.
    first: OnceLock<Arc<Order>>,
    others: Mutex<Vec<Arc<Order>>>,
}

impl Orders {
    /// The tree is written: what was computed belongs to the past.
    #[inline]
    pub(super) fn begin_anew(&mut self) {
        match Arc::get_mut(&mut self.0) {
            Some(kept) => {
                kept.first.take();
                kept.others.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
            }
            None => *self = Self::default(),
        }
    }

    /// The order of a column that has these owners. Owners are compared as an allocation, and the order
    /// keeps that allocation, so that nobody else can come by its address.
    pub(super) fn of(&self, links: &Links, owners: &Pages<Entity>) -> Result<DepthOrder, HierarchyError> {
        let is_asked = |order: &&Arc<Order>| order.owners.same(owners);
        if let Some(order) = self.0.first.get().filter(is_asked) {
            return Ok(DepthOrder(order.clone()));
        }
        let others = || self.0.others.lock().unwrap_or_else(PoisonError::into_inner);
        let found = others().iter().find(is_asked).cloned();
        if let Some(order) = found {
            return Ok(DepthOrder(order));
        }
        let order = Arc::new(Order::compute(links, owners)?);
        if self.0.first.set(order.clone()).is_err() {
            let mut kept = others();
            // Owners that nobody else has any more can never be asked for again.
            let (mut dropped, stay): (Vec<_>, Vec<_>) =
                std::mem::take(&mut *kept).into_iter().partition(|old| old.owners.is_unshared());
            *kept = stay;
            if kept.len() == KEPT {
                dropped.push(kept.remove(0));
            }
            kept.push(order.clone());
            // The lock goes before what may take time to drop.
            drop(kept);
            drop(dropped);
        }
        Ok(DepthOrder(order))
    }
}

/// What a depth order consists of. Rows are those of the column.
pub(super) struct Order {
    pub(super) owners: Pages<Entity>,
    pub(super) entities: Vec<Entity>,
    /// The row of each entity.
    pub(super) rows: Vec<u32>,
    /// Where the nearest ancestor in the column stands in this order, for each entity.
    pub(super) parents: Vec<u32>,
    /// By row, the row of the nearest ancestor in the column.
    pub(super) rows_above: Vec<u32>,
    /// Whether each entity comes after its ancestors in row order too.
    pub(super) rows_go_down: bool,
}

/// The entities of a column and their ancestors, numbered: the first numbers are the rows of the column.
struct Nodes {
    entities: Vec<Entity>,
    parents: Vec<u32>,
    orders: Vec<i64>,
    /// Those without a parent; an ancestor that is not in the column in the place of the row that led to it.
    roots: Vec<u32>,
}

impl Nodes {
    fn new(links: &Links, owners: &Pages<Entity>) -> Self {
        let entities: Vec<Entity> = owners.iter().copied().collect();
        // Numbers by entity index, plus one. Fresh zeroes cost nothing until they are looked at.
        let mut numbers = vec![0_u32; links.end()];
        let mut parents = Vec::with_capacity(entities.len());
        let mut orders = Vec::with_capacity(entities.len());
        for (number, &entity) in (1..).zip(&entities) {
            let slot = links.get(entity);
            parents.push(slot.map_or(NONE, |slot| slot.parent));
            orders.push(slot.map_or(0, |slot| slot.order));
            if slot.is_some() {
                numbers[entity.index() as usize] = number;
            }
        }
        let mut nodes = Self { entities, parents, orders, roots: Vec::new() };
        for row in 0..nodes.entities.len() {
            nodes.climb(row, links, &mut numbers);
        }
        nodes
    }

    /// Replaces the index of the parent by its number, and does so above if the number is new.
    fn climb(&mut self, row: usize, links: &Links, numbers: &mut [u32]) {
        let mut node = row;
        loop {
            let above = self.parents[node];
            if above == NONE {
                self.roots.push(node as u32);
                return;
            }
            let number = &mut numbers[above as usize];
            if *number != 0 {
                self.parents[node] = *number - 1;
                return;
            }
            let (Some(slot), Some(entity)) = (links.at(above), links.entity(above)) else {
                unreachable!("a parent is in the tree")
            };
            self.parents[node] = self.entities.len() as u32;
            node = self.entities.len();
            self.entities.push(entity);
            self.parents.push(slot.parent);
            self.orders.push(slot.order);
            *number = self.entities.len() as u32;
        }
    }

    /// The children of each node, in their order: where the children of a node begin, and all of them.
    fn children(&self) -> (Vec<u32>, Vec<u32>) {
        let mut begins = vec![0_u32; self.entities.len() + 1];
        for &parent in self.parents.iter().filter(|&&parent| parent != NONE) {
            begins[parent as usize + 1] += 1;
        }
        for node in 1..begins.len() {
            begins[node] += begins[node - 1];
        }
        let mut free = begins.clone();
        let mut children = vec![0_u32; begins.last().map_or(0, |&end| end as usize)];
        for (node, &parent) in (0..).zip(&self.parents).filter(|&(_, &parent)| parent != NONE) {
            children[free[parent as usize] as usize] = node;
            free[parent as usize] += 1;
        }
        for range in begins.windows(2) {
            let siblings = &mut children[range[0] as usize..range[1] as usize];
            if !siblings.is_sorted_by_key(|&node| self.orders[node as usize]) {
                siblings.sort_unstable_by_key(|&node| self.orders[node as usize]);
            }
        }
        (begins, children)
    }

    /// A node whose ancestors lead back to it, above one that no root leads to.
    fn cycle(&self, reached: &[u32]) -> HierarchyError {
        let mut seen = vec![false; self.entities.len()];
        for &node in reached {
            seen[node as usize] = true;
        }
        let mut node = seen.iter().position(|&seen| !seen).unwrap_or(0);
        while !seen[node] {
            seen[node] = true;
            node = self.parents[node] as usize;
        }
        let (entity, parent) = (self.entities[node], self.entities[self.parents[node] as usize]);
        HierarchyError::Cycle { entity, parent }
    }
}

impl Order {
    pub(super) fn compute(links: &Links, owners: &Pages<Entity>) -> Result<Self, HierarchyError> {
        let nodes = Nodes::new(links, owners);
        let (begins, children) = nodes.children();
        let mut reached = nodes.roots.clone();
        reached.reserve(nodes.entities.len() - reached.len().min(nodes.entities.len()));
        let mut at = 0;
        while let Some(&node) = reached.get(at) {
            let node = node as usize;
            reached.extend_from_slice(&children[begins[node] as usize..begins[node + 1] as usize]);
            at += 1;
        }
        if reached.len() < nodes.entities.len() {
            return Err(nodes.cycle(&reached));
        }

        let length = owners.len();
        let mut order = Self {
            owners: owners.clone(),
            entities: Vec::with_capacity(length),
            rows: Vec::with_capacity(length),
            parents: Vec::with_capacity(length),
            rows_above: vec![NONE; length],
            rows_go_down: true,
        };
        // Where each node stands in the order; one that is not in the column stands for what is above it.
        let mut stands = vec![NONE; nodes.entities.len()];
        for node in reached {
            let above = match nodes.parents[node as usize] {
                NONE => NONE,
                parent => stands[parent as usize],
            };
            if node as usize >= length {
                stands[node as usize] = above;
                continue;
            }
            stands[node as usize] = order.entities.len() as u32;
            if above != NONE {
                let row_above = order.rows[above as usize];
                order.rows_above[node as usize] = row_above;
                order.rows_go_down &= row_above < node;
            }
            order.entities.push(nodes.entities[node as usize]);
            order.rows.push(node);
            order.parents.push(above);
        }
        Ok(order)
    }
}

/// The entities of a column in depth order, as it was when [`Hierarchy::depth_order`] was asked.
///
/// It borrows nothing, so that everything can be written while it is walked. Cloning it costs one increment.
///
/// [`Hierarchy::depth_order`]: super::Hierarchy::depth_order
#[derive(Clone)]
pub struct DepthOrder(pub(super) Arc<Order>);

impl DepthOrder {
    /// How many entities there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.entities.len()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.entities.is_empty()
    }

    /// The entities, parents before children.
    #[inline]
    pub fn as_slice(&self) -> &[Entity] {
        &self.0.entities
    }

    /// The entities, parents before children.
    pub fn iter(&self) -> std::iter::Copied<std::slice::Iter<'_, Entity>> {
        self.0.entities.iter().copied()
    }

    /// The entities, each with the nearest of its ancestors that is in the column too: its parent, if that
    /// is in the column. Costs no look-up.
    ///
    /// ```
    /// use std_ecs::{Column, Entities, Hierarchy};
    ///
    /// let mut entities = Entities::default();
    /// let (turret, ship) = (entities.spawn(), entities.spawn());
    /// let mut hierarchy = Hierarchy::default();
    /// hierarchy.set_parent(turret, ship)?;
    ///
    /// let mut positions = Column::default();
    /// positions.extend([(turret, 0.25), (ship, 0.5)]);
    /// let order = hierarchy.depth_order(&positions);
    /// assert_eq!(order.with_parents().collect::<Vec<_>>(), [(ship, None), (turret, Some(ship))]);
    /// # Ok::<_, std_ecs::HierarchyError>(())
    /// ```
    pub fn with_parents(&self) -> impl ExactSizeIterator<Item = (Entity, Option<Entity>)> {
        let entities = &self.0.entities;
        entities
            .iter()
            .zip(&self.0.parents)
            .map(move |(&entity, &parent)| (entity, entities.get(parent as usize).copied()))
    }
}

impl fmt::Debug for DepthOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for DepthOrder {
    /// Whether both are the same entities in the same order.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.entities == other.0.entities
    }
}

impl Eq for DepthOrder {}

impl<'a> IntoIterator for &'a DepthOrder {
    type Item = Entity;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Entity>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for DepthOrder {
    type Item = Entity;
    type IntoIter = InDepthOrder;

    fn into_iter(self) -> InDepthOrder {
        InDepthOrder { order: self, next: 0 }
    }
}

/// The entities of a [`DepthOrder`], which it keeps itself.
#[derive(Clone, Debug)]
pub struct InDepthOrder {
    order: DepthOrder,
    next: usize,
}

impl Iterator for InDepthOrder {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        let entity = *self.order.0.entities.get(self.next)?;
        self.next += 1;
        Some(entity)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.order.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for InDepthOrder {}
impl FusedIterator for InDepthOrder {}

#[cfg(test)]
mod tests {
    use super::{Links, Order};
    use crate::entity::{Entities, Entity};
    use crate::hierarchy::HierarchyError;
    use crate::pages::Pages;

    #[test]
    fn a_cycle_is_found_and_named_also_from_below_and_from_outside() {
        let [top, a, b, c, below] = [0, 1, 2, 3, 4].map(|_| ()).map({
            let mut entities = Entities::default();
            move |()| entities.spawn()
        });
        let mut links = Links::default();
        // No operation of a hierarchy makes this.
        for (child, parent) in [(below, top), (a, c), (b, a), (c, b), (top, b)] {
            links.link(child, parent, super::NONE, 0);
        }
        let owners = |rows: &[Entity]| rows.iter().copied().collect::<Pages<_>>();
        for rows in [&[top, a, b, c, below][..], &[below], &[c]] {
            let Err(HierarchyError::Cycle { entity, parent }) = Order::compute(&links, &owners(rows)) else {
                panic!("the cycle was not found from {rows:?}")
            };
            assert!([(a, c), (b, a), (c, b)].contains(&(entity, parent)), "{entity} below {parent}");
        }
        assert!(Order::compute(&links, &owners(&[])).is_ok());
    }
}
