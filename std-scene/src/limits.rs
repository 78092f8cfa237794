//! How much text a program is willing to take.

/// Bounds for reading and writing scenes. Each has an error of its own, so hostile text ends early.
///
/// ```
/// use std_scene::Limits;
///
/// let limits = Limits { entities: 10_000, ..Limits::default() };
/// assert_eq!(limits.value_depth, 64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How deep brackets may nest inside one component.
    pub value_depth: usize,
    /// How deep entities may nest, inside one file and over all files together.
    pub entity_depth: usize,
    /// How many entities a scene may have, with those of all instances.
    pub entities: usize,
    /// How many files a scene may be made of; so also how long a chain of files may be.
    pub files: usize,
    /// How many bytes one file may have.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { value_depth: 64, entity_depth: 256, entities: 1_000_000, files: 256, bytes: 64 << 20 }
    }
}
