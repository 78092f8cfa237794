//! Sums over results, the same whatever the order in which a contender holds its rows, so that results can
//! be compared bit by bit.

use crate::components::{Global, Position, Rotation, Shared, Tracked, Transform, Velocity};

/// A value that has a share in a sum.
pub trait Summed {
    fn share(&self) -> u64;
}

/// A share that depends on every bit.
pub fn mixed(words: impl IntoIterator<Item = f32>) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for word in words {
        state = (state ^ u64::from(word.to_bits())).wrapping_mul(0xff51_afd7_ed55_8ccd);
        state ^= state >> 32;
    }
    state
}

macro_rules! vectors {
    ($($name:ident),*) => {$(
        impl Summed for $name {
            fn share(&self) -> u64 {
                mixed([self.x, self.y, self.z])
            }
        }
    )*};
}
vectors!(Position, Rotation, Velocity, Global, Tracked);

impl Summed for Transform {
    fn share(&self) -> u64 {
        mixed(self.0)
    }
}

macro_rules! scalars {
    ($($name:ident),*) => {$(
        impl Summed for crate::components::$name {
            fn share(&self) -> u64 {
                mixed([self.0])
            }
        }
    )*};
}
crate::components::with_kinds!(scalars);

impl Summed for Shared {
    fn share(&self) -> u64 {
        mixed([self.0])
    }
}

/// The sum over all values.
pub fn sum<'a, T: Summed + 'a>(values: impl IntoIterator<Item = &'a T>) -> u64 {
    values.into_iter().fold(0, |sum, value| sum.wrapping_add(value.share()))
}

/// A sum that costs next to nothing, for what is summed while time is taken: a scan for changes.
#[inline(always)]
pub fn found_in<'a>(values: impl IntoIterator<Item = &'a Tracked>) -> u64 {
    values.into_iter().fold(0, |found, value| found + u64::from(value.x.to_bits()))
}
