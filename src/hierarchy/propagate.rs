//! Values that follow from those of the ancestors, such as where something is in the space of the world.

use super::Hierarchy;
use super::order::Order;
use crate::column::{Column, Entry};
use crate::entity::Entity;
use crate::pages::{PAGE, Page, place};
use crate::query::same_entities;
use crate::shared::{Shared, unique};

impl Hierarchy {
    /// Derives a value for each entity of a column from its own value there and from the derived value of
    /// the nearest of its ancestors that is in the column too: positions in the space of the world from
    /// positions in the space of the parent.
    ///
    /// Parents come before their children, so all values are up to date after one call, however deep
    /// the tree is. Only rows whose value differs from what `derived` holds are written, and count as changed,
    /// so that where nothing moved no page is copied. Entities that have no row in `derived` get one, in the
    /// row order of `own`. Rows of other entities stay as they are, and so does one of a newer entity.
    ///
    /// O(rows of `own`), and room for a copy of the derived values while it works. It is fastest where the
    /// rows of both columns agree, as they do if both were filled by the same calls or sorted with
    /// [`sort_as`](Column::sort_as). If `derive` panics, nothing has changed.
    ///
    /// ```
    /// use std_ecs::{Column, Entities, Hierarchy};
    ///
    /// let mut entities = Entities::default();
    /// let (ship, turret) = (entities.spawn(), entities.spawn());
    /// let mut hierarchy = Hierarchy::default();
    /// hierarchy.set_parent(turret, ship)?;
    ///
    /// let mut local = Column::default();
    /// local.extend([(ship, 10.0), (turret, 0.25)]);
    /// let mut global = Column::default();
    /// hierarchy.propagate(&local, &mut global, |own, above| above.unwrap_or(&0.0) + own);
    /// assert_eq!(global.get(turret), Some(&10.25));
    /// # Ok::<_, std_ecs::HierarchyError>(())
    /// ```
    pub fn propagate<L, G: Clone + PartialEq>(
        &self,
        own: &Column<L>,
        derived: &mut Column<G>,
        derive: impl FnMut(&L, Option<&G>) -> G,
    ) {
        derived.len();
        let order = self.depth_order(own);
        derived.owners.adopt(&own.owners, same_entities);
        if rows_agree(own, derived) {
            rewrite(&order.0, own, derived, derive);
        } else {
            derive_by_entity(&order.0, own, derived, derive);
        }
    }
}

/// Whether the first rows of `derived` belong to the entities of `own`.
fn rows_agree<L, G>(own: &Column<L>, derived: &Column<G>) -> bool {
    let (own, derived) = (own.owners.table(), derived.owners.table());
    let agree = |(own, other): (&Shared<Page<Entity>>, &Shared<Page<Entity>>)| {
        own.same(other) || other.0.get(..own.0.len()).is_some_and(|other| same_entities(&own.0, other))
    };
    own.len() <= derived.len() && own.iter().zip(derived).all(agree)
}

/// Where the rows agree: on a copy of the values, of which the pages that came out differently are stored.
fn rewrite<L, G: Clone + PartialEq>(
    order: &Order,
    own: &Column<L>,
    derived: &mut Column<G>,
    derive: impl FnMut(&L, Option<&G>) -> G,
) {
    let length = order.rows.len();
    let mut values: Vec<G> = Vec::with_capacity(length);
    for (_, page) in derived.chunks() {
        values.extend_from_slice(&page[..page.len().min(length - values.len())]);
    }
    let mut differing = vec![0; length.div_ceil(PAGE)];
    if order.rows_go_down {
        in_row_order(&order.rows_above, own, &mut values, &mut differing, derive);
    } else {
        in_depth_order(order, own, &mut values, &mut differing, derive);
    }
    let stamp = derived.clock.saturating_add(1);
    for (page, (differing, values)) in differing.into_iter().zip(values.chunks(PAGE)).enumerate() {
        if differing > 0 {
            store_page(&mut unique(&mut derived.table)[page], differing, values, stamp);
            derived.clock = stamp;
        }
    }
}

/// Where parents have lower rows than their children. Its parameters are apart, so that the loop knows them
/// to be disjoint.
#[inline(never)]
fn in_row_order<L, G: PartialEq>(
    rows_above: &[u32],
    own: &Column<L>,
    values: &mut [G],
    differing: &mut [usize],
    mut derive: impl FnMut(&L, Option<&G>) -> G,
) {
    let mut row = 0;
    for (((_, own), rows_above), differing) in own.chunks().zip(rows_above.chunks(PAGE)).zip(differing) {
        for (own, &above) in own.iter().zip(rows_above) {
            // No row is as high as what stands for nobody.
            let value = derive(own, values.get(above as usize));
            let stored = &mut values[row];
            *differing += usize::from(*stored != value);
            *stored = value;
            row += 1;
        }
    }
}

#[inline(never)]
fn in_depth_order<L, G: PartialEq>(
    order: &Order,
    own: &Column<L>,
    values: &mut [G],
    differing: &mut [usize],
    mut derive: impl FnMut(&L, Option<&G>) -> G,
) {
    let pages: Vec<&[L]> = own.chunks().map(|(_, values)| values).collect();
    for &row in &order.rows {
        let (page, at) = place(row as usize);
        let above = order.rows_above[row as usize];
        let value = derive(&pages[page][at], values.get(above as usize));
        let stored = &mut values[row as usize];
        differing[page] += usize::from(*stored != value);
        *stored = value;
    }
}

/// Writes those of the first rows of a page that differ, of which there are this many.
fn store_page<G: Clone + PartialEq>(entry: &mut Entry<G>, differing: usize, values: &[G], stamp: u64) {
    let rows = entry.rows.values.len();
    if differing == rows {
        entry.rewrite(stamp).clone_from_slice(values);
        return;
    }
    entry.newest = stamp;
    let written = entry.rows.write();
    for (at, (stored, value)) in written.values.iter_mut().zip(values).enumerate() {
        if stored != value {
            stored.clone_from(value);
            written.changed.set(rows, at, stamp);
        }
    }
}

/// Where the rows do not agree, or are not there yet: each entity is looked up.
fn derive_by_entity<L, G: Clone + PartialEq>(
    order: &Order,
    own: &Column<L>,
    derived: &mut Column<G>,
    mut derive: impl FnMut(&L, Option<&G>) -> G,
) {
    let pages: Vec<&[L]> = own.chunks().map(|(_, values)| values).collect();
    let mut values: Vec<G> = Vec::with_capacity(order.rows.len());
    let mut by_row = vec![0_u32; order.rows.len()];
    for (at, (&row, &above)) in (0..).zip(order.rows.iter().zip(&order.parents)) {
        let (page, place) = place(row as usize);
        values.push(derive(&pages[page][place], values.get(above as usize)));
        by_row[row as usize] = at;
    }
    let rows = own.owners.iter().zip(by_row).map(|(&entity, at)| (entity, &values[at as usize]));
    let differing = rows.filter(|&(entity, value)| derived.get(entity) != Some(value));
    let differing: Vec<(Entity, G)> = differing.map(|(entity, value)| (entity, value.clone())).collect();
    derived.extend(differing);
}
