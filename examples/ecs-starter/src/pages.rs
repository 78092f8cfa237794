//! What a world shares with another one.

use acme_motion::Motions;
use std_ecs::Column;

use crate::{Arena, Game};

/// How many pages of values a world has, and how many of them it shares with another world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// How many there are, up to 1,024 rows each.
    pub all: usize,
    /// How many of them are the same allocations in both worlds.
    pub shared: usize,
}

impl Pages {
    /// Compares two worlds, such as a world with the snapshot before it.
    pub fn between(game: &Game, other: &Game) -> Self {
        let mut pages = Self::default();
        pages.count(&game.places.positions, &other.places.positions);
        pages.count(&game.places.globals, &other.places.globals);
        pages.count(&game.sprites.sprites, &other.sprites.sprites);
        let Motions { velocities, lifetimes, launchers, reloads, .. } = &game.motions;
        pages.count(velocities, &other.motions.velocities);
        pages.count(lifetimes, &other.motions.lifetimes);
        pages.count(launchers, &other.motions.launchers);
        pages.count(reloads, &other.motions.reloads);
        let Arena { sides, colliders, health, shots, aims, .. } = &game.arena;
        pages.count(sides, &other.arena.sides);
        pages.count(colliders, &other.arena.colliders);
        pages.count(health, &other.arena.health);
        pages.count(shots, &other.arena.shots);
        pages.count(aims, &other.arena.aims);
        pages.count(&game.behaviours.nodes, &other.behaviours.nodes);
        pages
    }

    /// How many pages the other world does not have.
    pub fn own(self) -> usize {
        self.all - self.shared
    }

    fn count<T>(&mut self, column: &Column<T>, other: &Column<T>) {
        let (all, shared) = column.shared_pages(other);
        self.all += all;
        self.shared += shared;
    }
}
