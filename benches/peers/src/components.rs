//! The component types that every contender stores, and the values that entity `i` begins with.
//!
//! One type serves all libraries: those that ask for a trait get it by their own derive.

use bevy_ecs::component::Component as BevyComponent;
use flecs_ecs::macros::Component as FlecsComponent;
use serde::Serialize;
use shipyard::Component as ShipyardComponent;
use specs::{FlaggedStorage, VecStorage};

macro_rules! vectors {
    ($($(#[$note:meta])* $name:ident),*) => {$(
        $(#[$note])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Serialize, BevyComponent, FlecsComponent, ShipyardComponent,
        )]
        pub struct $name {
            pub x: f32,
            pub y: f32,
            pub z: f32,
        }

        impl specs::Component for $name {
            type Storage = VecStorage<Self>;
        }
    )*};
}

vectors! {
    /// Where an entity is; relative to its parent in the workloads with a tree.
    Position,
    /// A turn about three axes.
    Rotation,
    /// What a walk adds to the position.
    Velocity,
    /// The position with those of all ancestors added.
    Global
}

/// A 4x4 matrix, row by row.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Serialize, BevyComponent, FlecsComponent, ShipyardComponent,
)]
pub struct Transform(pub [f32; 16]);

impl specs::Component for Transform {
    type Storage = VecStorage<Self>;
}

/// A position in a storage that records writes, where a library asks for that by type.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Serialize, BevyComponent, FlecsComponent, ShipyardComponent,
)]
#[track(Modification)]
pub struct Tracked {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

impl specs::Component for Tracked {
    type Storage = FlaggedStorage<Self, VecStorage<Self>>;
}

macro_rules! scalars {
    ($($name:ident),*) => {$(
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Serialize, BevyComponent, FlecsComponent, ShipyardComponent,
        )]
        pub struct $name(pub f32);

        impl specs::Component for $name {
            type Storage = VecStorage<Self>;
        }
    )*};
}

scalars!(Shared);

/// Calls a macro with the names of the 26 kinds, each a component of one `f32`.
macro_rules! with_kinds {
    ($apply:ident) => {
        $apply! {
            KindA, KindB, KindC, KindD, KindE, KindF, KindG, KindH, KindI, KindJ, KindK, KindL, KindM, KindN,
            KindO, KindP, KindQ, KindR, KindS, KindT, KindU, KindV, KindW, KindX, KindY, KindZ
        }
    };
}
pub(crate) use with_kinds;

with_kinds!(scalars);

/// How many kinds there are.
pub const KINDS: usize = 26;

/// The four components of an ordinary entity.
pub type Bundle = (Transform, Position, Rotation, Velocity);

const TRANSFORM: Transform =
    Transform([4.0, 0.5, 0.25, 0.125, 0.5, 4.25, 0.5, 0.25, 0.75, 0.5, 4.5, 0.5, 0.25, 0.5, 0.125, 4.75]);

/// Making values has to cost next to nothing beside storing them: no division, no loop.
#[inline(always)]
pub fn transform(index: usize) -> Transform {
    let mut transform = TRANSFORM;
    transform.0[3] = (index & 7) as f32;
    transform
}

#[inline(always)]
pub fn position(index: usize) -> Position {
    Position { x: index as f32, y: (index & 1_023) as f32, z: 1.0 }
}

#[inline(always)]
pub fn rotation(index: usize) -> Rotation {
    Rotation { x: (index & 255) as f32, y: 0.0, z: 0.5 }
}

#[inline(always)]
pub fn velocity(index: usize) -> Velocity {
    Velocity { x: (index & 7) as f32, y: 0.5, z: -0.25 }
}

#[inline(always)]
pub fn bundle(index: usize) -> Bundle {
    (transform(index), position(index), rotation(index), velocity(index))
}

pub fn tracked(index: usize) -> Tracked {
    let Position { x, y, z } = position(index);
    Tracked { x, y, z }
}

/// What a walk does with one entity.
#[inline(always)]
pub fn step(position: &mut Position, velocity: &Velocity) {
    position.x += velocity.x;
    position.y += velocity.y;
    position.z += velocity.z;
}

/// What a walk does with two slices of the same length: the parameters are known to be disjoint.
#[inline(never)]
pub fn step_slices(positions: &mut [Position], velocities: &[Velocity]) {
    for (position, velocity) in positions.iter_mut().zip(velocities) {
        step(position, velocity);
    }
}

/// What propagation writes for a child.
#[inline(always)]
pub fn below(parent: Global, local: &Position) -> Global {
    Global { x: parent.x + local.x, y: parent.y + local.y, z: parent.z + local.z }
}

/// What the heavy workload does with one entity: the inverse of its matrix, a hundred times.
#[inline(never)]
pub fn invert_often(transform: &mut Transform) {
    for _ in 0..100 {
        transform.0 = inverse(&transform.0);
    }
}

fn inverse(m: &[f32; 16]) -> [f32; 16] {
    let s0 = m[0] * m[5] - m[4] * m[1];
    let s1 = m[0] * m[6] - m[4] * m[2];
    let s2 = m[0] * m[7] - m[4] * m[3];
    let s3 = m[1] * m[6] - m[5] * m[2];
    let s4 = m[1] * m[7] - m[5] * m[3];
    let s5 = m[2] * m[7] - m[6] * m[3];
    let c5 = m[10] * m[15] - m[14] * m[11];
    let c4 = m[9] * m[15] - m[13] * m[11];
    let c3 = m[9] * m[14] - m[13] * m[10];
    let c2 = m[8] * m[15] - m[12] * m[11];
    let c1 = m[8] * m[14] - m[12] * m[10];
    let c0 = m[8] * m[13] - m[12] * m[9];
    let scale = 1.0 / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
    [
        (m[5] * c5 - m[6] * c4 + m[7] * c3) * scale,
        (-m[1] * c5 + m[2] * c4 - m[3] * c3) * scale,
        (m[13] * s5 - m[14] * s4 + m[15] * s3) * scale,
        (-m[9] * s5 + m[10] * s4 - m[11] * s3) * scale,
        (-m[4] * c5 + m[6] * c2 - m[7] * c1) * scale,
        (m[0] * c5 - m[2] * c2 + m[3] * c1) * scale,
        (-m[12] * s5 + m[14] * s2 - m[15] * s1) * scale,
        (m[8] * s5 - m[10] * s2 + m[11] * s1) * scale,
        (m[4] * c4 - m[5] * c2 + m[7] * c0) * scale,
        (-m[0] * c4 + m[1] * c2 - m[3] * c0) * scale,
        (m[12] * s4 - m[13] * s2 + m[15] * s0) * scale,
        (-m[8] * s4 + m[9] * s2 - m[11] * s0) * scale,
        (-m[4] * c3 + m[5] * c1 - m[6] * c0) * scale,
        (m[0] * c3 - m[1] * c1 + m[2] * c0) * scale,
        (-m[12] * s3 + m[13] * s1 - m[14] * s0) * scale,
        (m[8] * s3 - m[9] * s1 + m[10] * s0) * scale,
    ]
}
