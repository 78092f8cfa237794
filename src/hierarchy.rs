//! Hierarchy: which entity is the child of which, in an order that is part of the value.

use std::fmt;

use crate::column::Column;
use crate::entity::Entity;
use crate::part::Part;

#[cfg(feature = "serde")]
mod compared;
mod links;
mod order;
mod part;
mod propagate;
#[cfg(feature = "serde")]
mod serial;

pub use order::{DepthOrder, InDepthOrder};

use links::{Links, NONE, Slot};
use order::Orders;

/// The parent of an entity: a component, owned by the group [`Hierarchy`].
///
/// Beside the parent it has the order number of the entity among its siblings, which the hierarchy gives
/// out. Attaching `Parent::of(ship)` makes an entity the last child of the ship.
///
/// ```
/// use std_ecs::{Columns, Entities, Hierarchy, Parent, Store, World};
///
/// #[derive(Clone, Debug, Default, PartialEq, World)]
/// struct Game {
///     entities: Entities,
///     hierarchy: Hierarchy,
/// }
///
/// let mut game = Game::default();
/// let ship = game.spawn();
/// let turret = game.spawn_with((Parent::of(ship),));
/// assert_eq!(game.get::<Parent>(turret).unwrap().entity(), ship);
///
/// game.despawn(ship); // and all that is below it
/// assert!(!game.is_alive(turret) && !game.attach(turret, Parent::of(ship)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Parent {
    entity: Entity,
    order: i64,
}

impl Parent {
    /// The value that makes an entity the last child of this one. It says nothing of the order: a number is
    /// given out when it is attached.
    pub const fn of(entity: Entity) -> Self {
        Self { entity, order: 0 }
    }

    /// The parent.
    pub const fn entity(self) -> Entity {
        self.entity
    }
}

/// The group that owns [`Parent`]: which entity is the child of which, and in which order.
///
/// Children keep the order in which they were given their parent, or the place that
/// [`move_before`](Self::move_before) and [`move_after`](Self::move_after) put them in; being given a parent
/// again, the same or another, moves a child to the end. The order is part of the value: it survives clones,
/// rollback and saving. Parents are written through the group only, so there is never a cycle, and through a
/// world no parent is dead: an entity takes its descendants along when it is despawned, or leaves them as
/// roots with [`despawn_only`](crate::World::despawn_only).
///
/// A group alone cannot know who lives. [`World::set_parent`](crate::World::set_parent) and the other calls
/// through a world refuse the dead; those of the group refuse a handle only if the tree has a newer entity
/// with that index, and when they meet a newer one, they take the older out of the tree.
///
/// | operation | cost |
/// | --- | --- |
/// | `clone` | O(1) |
/// | `attach`, `set_parent` | O(1), and a walk up from the parent if the child has children of its own |
/// | `move_before`, `move_after` | the same; once in 16 moves to one place, or more rarely, O(siblings) |
/// | `detach` | O(1) |
/// | `parent`, each step of `children`, `ancestors` and `descendants` | O(1) |
/// | `roots` | O(entities with a parent) |
/// | `depth_order` | O(1) if nothing changed, else O(entities of the column and their ancestors) |
/// | memory | a row of the parents, and 32 bytes for the links of each entity |
///
/// The links between siblings and the depth orders are derived from the parents: they are neither compared
/// nor serialised. Nothing here recurses, so that a chain of a million entities is fine.
///
/// ```
/// use std_ecs::{Entities, Hierarchy};
///
/// let mut entities = Entities::default();
/// let [ship, turret, engine] = [(); 3].map(|()| entities.spawn());
/// let mut hierarchy = Hierarchy::default();
/// hierarchy.set_parent(turret, ship)?;
/// hierarchy.set_parent(engine, ship)?;
/// assert_eq!(hierarchy.children(ship).collect::<Vec<_>>(), [turret, engine]);
///
/// let snapshot = hierarchy.clone();
/// hierarchy.move_before(engine, turret)?;
/// assert_eq!(hierarchy.children(ship).collect::<Vec<_>>(), [engine, turret]);
/// assert!(hierarchy.set_parent(ship, turret).is_err()); // that would be a cycle
///
/// hierarchy = snapshot; // rolled back
/// assert_eq!(hierarchy.children(ship).collect::<Vec<_>>(), [turret, engine]);
/// # Ok::<_, std_ecs::HierarchyError>(())
/// ```
#[derive(Clone, Default)]
pub struct Hierarchy {
    parents: Column<Parent>,
    links: Links,
    orders: Orders,
}

/// Why a [`Hierarchy`] refused. Nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// An entity should be its own parent.
    #[error("{entity} cannot be its own parent; to make it a root, detach its `Parent`")]
    OwnParent {
        /// The entity.
        entity: Entity,
    },
    /// The parent is a descendant of the entity.
    #[error(
        "{parent} cannot be the parent of {entity}, because it is a descendant of {entity}; \
         give {parent} another parent first"
    )]
    Cycle {
        /// The entity that should get a parent.
        entity: Entity,
        /// The parent that it should get.
        parent: Entity,
    },
    /// The tree has a newer entity with that index, so the handle is one of the dead.
    #[error("{asked} is a stale handle: the tree has {stored} at that index, look the entity up again")]
    Stale {
        /// The handle that was used.
        asked: Entity,
        /// The newer entity.
        stored: Entity,
    },
    /// The entity is not alive in the world that was asked.
    #[error("{entity} is not alive, so it can neither have a parent nor be one")]
    Dead {
        /// The entity.
        entity: Entity,
    },
    /// A place beside an entity without a parent was asked for.
    #[error("nothing can be placed beside {entity}, because it has no parent; give it one with `set_parent`")]
    NoParent {
        /// The entity without a parent.
        entity: Entity,
    },
    /// No allocator of entities hands out this index.
    #[error("{entity} is no entity: the index is above the highest that is handed out")]
    OutOfRange {
        /// The handle that was used.
        entity: Entity,
    },
    /// Two children of one parent have the same order number, so their order is not known.
    #[error("{first} and {second} have the same order number below {parent}; the data is damaged")]
    SameOrder {
        /// The parent.
        parent: Entity,
        /// One child.
        first: Entity,
        /// Another child.
        second: Entity,
    },
}

impl Hierarchy {
    /// Makes `child` the last child of `parent`, wherever it was before.
    ///
    /// O(1); if the child has children of its own, a walk up from the parent looks for it.
    ///
    /// # Errors
    ///
    /// [`HierarchyError`] if the child is the parent or an ancestor of it, or if a handle is stale.
    pub fn set_parent(&mut self, child: Entity, parent: Entity) -> Result<(), HierarchyError> {
        self.admit(child, parent)?;
        self.evict(child);
        self.evict(parent);
        self.links.unlink(child.index());
        self.place(child, parent, NONE);
        Ok(())
    }

    /// Places `child` directly before `sibling`, below the same parent, wherever it was before.
    ///
    /// O(1), and a walk up as in [`set_parent`](Self::set_parent). Only if the order numbers of the siblings
    /// between which the child goes have no gap left, all children of that parent are numbered anew, and
    /// count as changed: a gap lasts for 16 moves to the same place.
    ///
    /// # Errors
    ///
    /// [`HierarchyError`] if the sibling has no parent, if the child is an ancestor of it, or if a handle is
    /// stale.
    pub fn move_before(&mut self, child: Entity, sibling: Entity) -> Result<(), HierarchyError> {
        self.move_beside(child, sibling, |slot| slot.previous, |index, _| index)
    }

    /// Places `child` directly after `sibling`. As [`move_before`](Self::move_before).
    ///
    /// # Errors
    ///
    /// As [`move_before`](Self::move_before).
    pub fn move_after(&mut self, child: Entity, sibling: Entity) -> Result<(), HierarchyError> {
        self.move_beside(child, sibling, |slot| slot.next, |_, slot| slot.next)
    }

    /// `neighbour` answers who is where the child shall be; `next` who comes after that place.
    fn move_beside(
        &mut self,
        child: Entity,
        sibling: Entity,
        neighbour: fn(&Slot) -> u32,
        next: fn(u32, &Slot) -> u32,
    ) -> Result<(), HierarchyError> {
        self.current(sibling)?;
        let parent = self.parent(sibling).ok_or(HierarchyError::NoParent { entity: sibling })?;
        if child.index() == sibling.index() && child != sibling {
            let (asked, stored) = older_first(child, sibling);
            return Err(HierarchyError::Stale { asked, stored });
        }
        self.admit(child, parent)?;
        self.evict(child);
        let is_there = self.links.get(sibling).is_some_and(|slot| neighbour(slot) == child.index());
        if child == sibling || is_there {
            return Ok(());
        }
        self.links.unlink(child.index());
        let next = self.links.get(sibling).map_or(NONE, |slot| next(sibling.index(), slot));
        self.place(child, parent, next);
        Ok(())
    }

    /// Refuses a handle that is older than the one in the tree.
    fn current(&self, entity: Entity) -> Result<(), HierarchyError> {
        if entity.index() == NONE {
            return Err(HierarchyError::OutOfRange { entity });
        }
        match self.links.entity(entity.index()) {
            Some(stored) if stored.generation() > entity.generation() => {
                Err(HierarchyError::Stale { asked: entity, stored })
            }
            _ => Ok(()),
        }
    }

    /// Whether the child may have this parent.
    fn admit(&self, child: Entity, parent: Entity) -> Result<(), HierarchyError> {
        self.look();
        self.current(child)?;
        self.current(parent)?;
        if child == parent {
            return Err(HierarchyError::OwnParent { entity: child });
        }
        if child.index() == parent.index() {
            let (asked, stored) = older_first(child, parent);
            return Err(HierarchyError::Stale { asked, stored });
        }
        // Who has no children is nobody's ancestor: growing a tree downwards never walks up.
        if self.links.get(child).is_some_and(|slot| slot.first != NONE) {
            let mut above = self.links.get(parent);
            while let Some(slot) = above {
                if slot.parent == child.index() {
                    return Err(HierarchyError::Cycle { entity: child, parent });
                }
                above = self.links.at(slot.parent);
            }
        }
        Ok(())
    }

    /// Takes an older entity with the same index out of the tree.
    fn evict(&mut self, entity: Entity) {
        if let Some(old) = self.links.entity(entity.index()).filter(|&old| old != entity) {
            self.detach_all(old);
        }
    }

    /// Puts a child that is in no list of children before `next`, or at the end.
    fn place(&mut self, child: Entity, parent: Entity, next: u32) {
        self.orders.begin_anew();
        let number = self.links.number_before(parent, next);
        self.links.link(child, parent, next, number.unwrap_or(0));
        let is_stored = match number {
            Some(order) => self.parents.insert(child, Parent { entity: parent, order }).is_ok(),
            None => self.renumber(parent),
        };
        debug_assert!(is_stored, "whoever is in the tree is the newest of its index");
    }

    /// Numbers the children of a parent anew, as one write to the column. Whether all were stored.
    fn renumber(&mut self, parent: Entity) -> bool {
        let children: Vec<Entity> = self.children(parent).collect();
        let links = &mut self.links;
        let rows = (0..).zip(children).map(|(before, child)| {
            let order = Links::fresh_number(before);
            links.slot_mut(child.index()).order = order;
            (child, Parent { entity: parent, order })
        });
        self.parents.extend(rows).is_empty()
    }

    /// The parent of an entity; `None` for roots, and for entities that are not in the tree.
    #[inline]
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        let slot = self.links.get(entity).or_else(|| self.nobody())?;
        self.links.entity(slot.parent)
    }

    /// The children of an entity, in their order.
    pub fn children(&self, entity: Entity) -> impl DoubleEndedIterator<Item = Entity> {
        let slot = self.links.get(entity).or_else(|| self.nobody());
        let (first, last) = slot.map_or((NONE, NONE), |slot| (slot.first, slot.last));
        Children { links: &self.links, first, last }
    }

    /// The parent of an entity, the parent of that, and so on up to a root.
    pub fn ancestors(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        std::iter::successors(self.parent(entity), |&above| self.parent(above))
    }

    /// Everything below an entity: its first child, what is below that, then the next child. Each comes
    /// after its parent. The entity itself is not among them.
    pub fn descendants(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        let top = entity.index();
        let first = self.links.get(entity).or_else(|| self.nobody()).map(|slot| slot.first);
        std::iter::successors(first.filter(|&first| first != NONE), move |&at| self.links.next_below(top, at))
            .filter_map(|index| self.links.entity(index))
    }

    /// The entities that have children and no parent, in the row order of their first children.
    ///
    /// An entity that has neither is no matter of the hierarchy. O(entities that have a parent).
    pub fn roots(&self) -> impl Iterator<Item = Entity> {
        self.parents.iter().filter_map(|(child, parent)| {
            let is_first = self.links.get(child)?.previous == NONE;
            let is_root = is_first && self.links.get(parent.entity)?.parent == NONE;
            is_root.then_some(parent.entity)
        })
    }

    /// The entities of a column in depth order: all that have no parent, then all that have a parent but no
    /// grandparent, and so on, so that each comes after its parent.
    ///
    /// Roots stand in row order, and the children of one parent in their order. Ancestors need not be in the
    /// column: they count for the depth, and a root that is not in the column stands in the place of the
    /// uppermost of its descendants with the lowest row. The answer is a value of its own, so that everything
    /// can be written while it is walked, and it does not follow later changes.
    ///
    /// It is kept until the hierarchy is written, for up to four columns; a kept one costs a look. Otherwise
    /// O(rows of the column and their ancestors), plus a sort of siblings that are not in row order.
    ///
    /// # Panics
    ///
    /// On a cycle, naming an entity of it. The operations of a hierarchy make none, and loading refuses them.
    ///
    /// ```
    /// use std_ecs::{Column, Entities, Hierarchy};
    ///
    /// let mut entities = Entities::default();
    /// let [lamp, turret, ship] = [(); 3].map(|()| entities.spawn());
    /// let mut hierarchy = Hierarchy::default();
    /// hierarchy.set_parent(lamp, turret)?;
    /// hierarchy.set_parent(turret, ship)?;
    ///
    /// let mut local = Column::default();
    /// local.extend([(lamp, 1), (turret, 20), (ship, 300)]);
    /// let mut global = Column::default();
    /// for (entity, parent) in hierarchy.depth_order(&local).with_parents() {
    ///     let above = parent.and_then(|parent| global.get(parent)).unwrap_or(&0);
    ///     global.insert(entity, above + local.get(entity).unwrap()).unwrap();
    /// }
    /// assert_eq!(global.iter().collect::<Vec<_>>(), [(ship, &300), (turret, &320), (lamp, &321)]);
    /// # Ok::<_, std_ecs::HierarchyError>(())
    /// ```
    pub fn depth_order<T>(&self, column: &Column<T>) -> DepthOrder {
        match self.try_depth_order(column) {
            Ok(order) => order,
            Err(error) => panic!("there is no depth order: {error}"),
        }
    }

    /// As [`depth_order`](Self::depth_order), with a cycle as an error.
    ///
    /// # Errors
    ///
    /// [`HierarchyError::Cycle`], which names an entity of the cycle.
    pub fn try_depth_order<T>(&self, column: &Column<T>) -> Result<DepthOrder, HierarchyError> {
        self.look();
        column.len();
        self.orders.of(&self.links, &column.owners)
    }

    /// The hierarchy of these parents, or what is wrong with them.
    #[cfg(feature = "serde")]
    pub(crate) fn from_parents(parents: Column<Parent>) -> Result<Self, HierarchyError> {
        let mut links = Links::default();
        let mut rows: Vec<(Entity, i64, Entity)> = Vec::with_capacity(parents.len());
        for (child, &Parent { entity: parent, order }) in &parents {
            if child == parent {
                return Err(HierarchyError::OwnParent { entity: child });
            }
            rows.push((parent, order, child));
        }
        rows.sort_unstable();
        for pair in rows.windows(2) {
            let [(parent, order, first), (other, same, second)] = [pair[0], pair[1]];
            if parent == other && order == same {
                return Err(HierarchyError::SameOrder { parent, first, second });
            }
        }
        for (parent, order, child) in rows {
            for entity in [child, parent] {
                if entity.index() == NONE {
                    return Err(HierarchyError::OutOfRange { entity });
                }
                if let Some(stored) = links.entity(entity.index()).filter(|&stored| stored != entity) {
                    let (asked, stored) = older_first(entity, stored);
                    return Err(HierarchyError::Stale { asked, stored });
                }
            }
            links.link(child, parent, NONE, order);
        }
        order::Order::compute(&links, &parents.owners)?;
        Ok(Self { parents, links, orders: Orders::default() })
    }

    /// Panics if the hierarchy is withheld, in which case it has no rows.
    #[inline]
    fn look(&self) {
        self.parents.len();
    }

    /// What is answered for an entity that is not in the tree.
    #[cold]
    fn nobody(&self) -> Option<&Slot> {
        self.parents.missed();
        None
    }
}

/// Two handles of one index, the older one first.
fn older_first(a: Entity, b: Entity) -> (Entity, Entity) {
    (a.min(b), a.max(b))
}

/// The children of an entity from both ends.
struct Children<'a> {
    links: &'a Links,
    first: u32,
    last: u32,
}

impl Children<'_> {
    /// Takes the child at one end, of which `step` answers the neighbour.
    fn take(&mut self, index: u32, step: impl FnOnce(&mut Self, &Slot)) -> Option<Entity> {
        let slot = self.links.at(index)?;
        if self.first == self.last {
            (self.first, self.last) = (NONE, NONE);
        } else {
            step(self, slot);
        }
        self.links.entity(index)
    }
}

impl Iterator for Children<'_> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        self.take(self.first, |children, slot| children.first = slot.next)
    }
}

impl DoubleEndedIterator for Children<'_> {
    fn next_back(&mut self) -> Option<Entity> {
        self.take(self.last, |children, slot| children.last = slot.previous)
    }
}

impl PartialEq for Hierarchy {
    /// Whether both have the same parents with the same order numbers in the same rows.
    fn eq(&self, other: &Self) -> bool {
        self.parents == other.parents
    }
}

impl fmt::Debug for Hierarchy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parents.fmt(f)
    }
}
