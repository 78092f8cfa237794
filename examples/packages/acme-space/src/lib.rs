//! A sample package: where things are, and where that is in the space of the whole world.
//!
//! It owns two components and the columns that keep them, [`Places`]. A program writes a [`Position`], in
//! the space of the parent; [`propagate`] computes the [`GlobalPosition`] from it, so that what was set
//! and what was computed cannot be confused.
//!
//! ```
//! use acme_space::{GlobalPosition, Places, Position, propagate};
//! use std_ecs::{Columns, Entities, Hierarchy, Parent, World};
//!
//! #[derive(Clone, Debug, Default, PartialEq, World)]
//! struct Game {
//!     entities: Entities,
//!     hierarchy: Hierarchy,
//!     places: Places,
//! }
//!
//! let mut game = Game::default();
//! let ship = game.spawn_with((Position { x: 0.5, y: 0.0 },));
//! let turret = game.spawn_with((Position { x: 0.25, y: 0.0 }, Parent::of(ship)));
//!
//! propagate(&mut game);
//! assert_eq!(game.get::<GlobalPosition>(turret), Some(&GlobalPosition { x: 0.75, y: 0.0 }));
//! ```

use std_ecs::{Column, Columns, Has, Hierarchy, Store, StoreMut, query};

/// Where something is, in the space of its parent, or in that of the world where it has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Position {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

/// Where something is in the space of the world, as [`propagate`] computed it last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GlobalPosition {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

/// The columns of this package.
#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Places {
    /// What the program wrote.
    pub positions: Column<Position>,
    /// What [`propagate`] computed.
    pub globals: Column<GlobalPosition>,
}

/// Computes the global position of whatever has a position, each parent before its children, in one pass.
///
/// It is its position, moved by the global position of the nearest of its ancestors that has a position too.
/// Whatever has lost its position loses its global position as well. Only what differs is written, so that
/// snapshots go on sharing the rows of what stands still, and `changed_since` names what has moved.
pub fn propagate<W>(world: &mut W)
where
    W: Store<Position> + StoreMut<GlobalPosition> + Has<Hierarchy>,
{
    let hierarchy: Hierarchy = world.group().clone();
    let positions = world.column_of::<Position>().clone();
    hierarchy.propagate(&positions, world.column_of_mut::<GlobalPosition>(), |local, above| {
        let above = above.copied().unwrap_or_default();
        GlobalPosition { x: above.x + local.x, y: above.y + local.y }
    });
    let globals = world.column_of::<GlobalPosition>();
    if globals.len() > positions.len() {
        for (entity, _) in query(&globals.clone()).without(&positions) {
            world.remove::<GlobalPosition>(entity);
        }
    }
}
