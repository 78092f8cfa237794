//! Digest and delta of the hierarchy: those of the column of parents. The links follow.

use super::{Hierarchy, HierarchyError, Links, NONE, Parent};
use crate::column::{Change, Column};
use crate::delta::{ColumnChange, Delta, DeltaError};
use crate::digest::{Difference, Digest, DigestVisit};
use crate::entity::Entity;

/// With more changes than this, all links are made anew.
const FEW: usize = 64;

impl Digest for Hierarchy {
    fn digests(&self, path: &mut Vec<&'static str>, each: &mut DigestVisit<'_>) {
        each(path, self, self.parents.rows_digest());
    }

    fn first_difference(&self, other: &Self, path: &mut Vec<&'static str>) -> Option<Difference> {
        self.parents.first_difference(&other.parents, path)
    }
}

impl Delta for Hierarchy {
    type Change = ColumnChange<Parent>;

    fn changes(from: &Self, to: &Self) -> Option<ColumnChange<Parent>> {
        Delta::changes(&from.parents, &to.parents)
    }

    fn apply(
        &mut self,
        change: &ColumnChange<Parent>,
        path: &mut Vec<&'static str>,
    ) -> Result<(), DeltaError> {
        let mut parents = self.parents.clone();
        parents.apply(change, path)?;
        self.relink(parents).map_err(|error| DeltaError::contradiction(path, error.to_string()))
    }
}

impl Hierarchy {
    /// Takes over another column of parents. Costs what differs, if that is little.
    fn relink(&mut self, parents: Column<Parent>) -> Result<(), HierarchyError> {
        let changes: Vec<Change<'_, Parent>> = parents.diff(&self.parents).take(FEW + 1).collect();
        if changes.len() > FEW {
            *self = Self::from_parents(parents)?;
            return Ok(());
        }
        for change in &changes {
            if let Change::Changed { entity, .. } | Change::Detached { entity, .. } = change {
                self.links.unlink(entity.index());
            }
        }
        let linked: Vec<(Entity, Parent)> = changes
            .iter()
            .filter_map(|change| match *change {
                Change::Attached { entity, new } | Change::Changed { entity, new, .. } => {
                    Some((entity, *new))
                }
                Change::Detached { .. } => None,
            })
            .collect();
        for &(child, parent) in &linked {
            self.links.link_by_order(child, parent)?;
        }
        // A walk up that takes more steps than there are parents goes round.
        let steps = parents.len();
        let cycle = |entity, parent| HierarchyError::Cycle { entity, parent };
        for &(child, parent) in &linked {
            let mut above = parent.entity;
            let mut left = steps;
            while let Some(parent) = parents.get(above) {
                above = parent.entity;
                left = left.checked_sub(1).ok_or(cycle(child, parent.entity))?;
            }
        }
        self.parents = parents;
        self.orders.begin_anew();
        Ok(())
    }
}

impl Links {
    /// Puts a child where its order number says.
    fn link_by_order(&mut self, child: Entity, parent: Parent) -> Result<(), HierarchyError> {
        let Parent { entity: parent, order } = parent;
        for entity in [child, parent] {
            if entity.index() == NONE {
                return Err(HierarchyError::OutOfRange { entity });
            }
            if let Some(stored) = self.entity(entity.index()).filter(|&stored| stored != entity) {
                let (asked, stored) = super::older_first(entity, stored);
                return Err(HierarchyError::Stale { asked, stored });
            }
        }
        let (mut at, mut next) = (self.get(parent).map_or(NONE, |slot| slot.last), NONE);
        while let Some(sibling) = self.at(at).filter(|sibling| sibling.order >= order) {
            if sibling.order == order {
                let first = self.entity(at).unwrap_or(child);
                return Err(HierarchyError::SameOrder { parent, first, second: child });
            }
            (at, next) = (sibling.previous, at);
        }
        self.link(child, parent, next, order);
        Ok(())
    }
}
