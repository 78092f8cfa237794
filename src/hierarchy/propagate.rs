//! Values that follow from those of the ancestors, such as where something is in the space of the world.

use super::Hierarchy;
use super::order::Order;
use crate::column::Column;
use crate::pages::{PAGE, place};
use crate::query::same_entities;
use crate::shared::unique;

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
    /// O(rows of `own`). It is fastest where the rows of both columns agree and parents have lower rows than
    /// their children, as if both were filled from the roots down. If `derive` panics, nothing has changed.
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
        let order = &*order.0;
        if order.rows_above.is_empty() {
            let values = in_depth_order(order, own, derive);
            let mut by_row = vec![0_u32; values.len()];
            for (at, &row) in (0..).zip(&order.rows) {
                by_row[row as usize] = at;
            }
            store(own, derived, |row| &values[by_row[row] as usize]);
        } else {
            let values = in_row_order(order, own, derive);
            store(own, derived, |row| &values[row]);
        }
    }
}

/// The derived values by row, where row order puts parents first.
#[inline(never)]
fn in_row_order<L, G>(order: &Order, own: &Column<L>, mut derive: impl FnMut(&L, Option<&G>) -> G) -> Vec<G> {
    let mut values: Vec<G> = Vec::with_capacity(order.rows_above.len());
    for (rows_above, (_, own)) in order.rows_above.chunks(PAGE).zip(own.chunks()) {
        for (&above, own) in rows_above.iter().zip(own) {
            // No row is as high as what stands for nobody.
            let value = derive(own, values.get(above as usize));
            values.push(value);
        }
    }
    values
}

/// The derived values in depth order.
#[inline(never)]
fn in_depth_order<L, G>(
    order: &Order,
    own: &Column<L>,
    mut derive: impl FnMut(&L, Option<&G>) -> G,
) -> Vec<G> {
    let pages: Vec<&[L]> = own.chunks().map(|(_, values)| values).collect();
    let mut values: Vec<G> = Vec::with_capacity(order.rows.len());
    for (&row, &above) in order.rows.iter().zip(&order.parents) {
        let (page, at) = place(row as usize);
        let value = derive(&pages[page][at], values.get(above as usize));
        values.push(value);
    }
    values
}

/// Writes what differs, as one call: the clock advances once, and only if something is written.
fn store<'v, L, G: Clone + PartialEq + 'v>(
    own: &Column<L>,
    derived: &mut Column<G>,
    value: impl Fn(usize) -> &'v G,
) {
    let aligned = own.owners.table().iter().zip(derived.owners.table());
    let aligned = aligned.take_while(|(own, other)| {
        own.same(other) || own.0.len() <= other.0.len() && same_entities(&own.0, &other.0[..own.0.len()])
    });
    let aligned = aligned.count();
    let stamp = derived.clock.saturating_add(1);
    let mut is_written = false;
    for page in 0..aligned {
        let length = own.owners.table()[page].0.len();
        is_written |= store_page(derived, page, length, stamp, |at| value(page * PAGE + at));
    }
    // As part of the same call: it takes the same stamp.
    let rest = (aligned * PAGE..).zip(own.owners.iter().skip(aligned * PAGE));
    let differing = rest.filter(|&(row, &entity)| derived.get(entity) != Some(value(row)));
    let rows: Vec<_> = differing.map(|(row, &entity)| (entity, value(row).clone())).collect();
    derived.extend(rows);
    if is_written {
        derived.clock = stamp;
    }
}

/// Writes the rows of a page, up to `length`, that differ. Whether there were any.
fn store_page<'v, G: Clone + PartialEq + 'v>(
    derived: &mut Column<G>,
    page: usize,
    length: usize,
    stamp: u64,
    value: impl Fn(usize) -> &'v G,
) -> bool {
    let stored = &derived.table[page].rows.values;
    let rows = stored.len();
    let differing = stored[..length].iter().enumerate().filter(|&(at, stored)| stored != value(at)).count();
    if differing == 0 {
        return false;
    }
    let entry = &mut unique(&mut derived.table)[page];
    if differing == rows {
        for (at, stored) in entry.rewrite(stamp).iter_mut().enumerate() {
            stored.clone_from(value(at));
        }
        return true;
    }
    entry.newest = stamp;
    let written = entry.rows.write();
    for (at, stored) in written.values[..length].iter_mut().enumerate() {
        if stored != value(at) {
            stored.clone_from(value(at));
            written.changed.set(rows, at, stamp);
        }
    }
    true
}
