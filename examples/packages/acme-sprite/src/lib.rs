//! A sample package: what things look like, and the list that a renderer draws.
//!
//! It owns [`Sprite`] and its column, [`Sprites`], and knows of no other package but the one that says where
//! things are. What it answers is data, so a test can look at a frame without a window.
//!
//! ```
//! use acme_space::{GlobalPosition, Places};
//! use acme_sprite::{Drawing, Sprite, Sprites, render};
//! use std_ecs::{Entities, World};
//!
//! #[derive(Clone, Debug, Default, PartialEq, World)]
//! struct Game {
//!     entities: Entities,
//!     places: Places,
//!     sprites: Sprites,
//! }
//!
//! let mut game = Game::default();
//! let place = GlobalPosition { x: 2.0, y: 1.0 };
//! let ship = game.spawn_with((place, Sprite { image: "ship.png".into(), layer: 1 }));
//! assert_eq!(render(&game), [Drawing { entity: ship, image: "ship.png", layer: 1, place }]);
//! ```

use std::sync::Arc;

use acme_space::GlobalPosition;
use std_ecs::{Column, Columns, Entity, Store, pairs};

/// What something looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sprite {
    /// The image file. It stands behind a count, so that a page of sprites is copied without allocating.
    pub image: Arc<str>,
    /// Higher layers are drawn over lower ones.
    pub layer: i32,
}

/// The column of this package.
#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sprites {
    /// What things look like.
    pub sprites: Column<Sprite>,
}

/// One image to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawing<'a> {
    /// Whose image it is.
    pub entity: Entity,
    /// The image file.
    pub image: &'a str,
    /// The layer, of which the list is in ascending order.
    pub layer: i32,
    /// Where it is drawn.
    pub place: GlobalPosition,
}

/// What to draw, in the order of drawing: lower layers first, and within a layer in the order of the sprites.
///
/// A sprite that is nowhere is not drawn. O(n log n) in the sprites.
pub fn render<W>(world: &W) -> Vec<Drawing<'_>>
where
    W: Store<Sprite> + Store<GlobalPosition>,
{
    let (sprites, places) = (world.column_of::<Sprite>(), world.column_of::<GlobalPosition>());
    let mut drawings: Vec<Drawing<'_>> = pairs(sprites, places)
        .in_order_of_first()
        .map(|(entity, Sprite { image, layer }, &place)| Drawing { entity, image, layer: *layer, place })
        .collect();
    drawings.sort_by_key(|drawing| drawing.layer);
    drawings
}
