//! Names of component types.

use std::fmt;

/// The name by which scene files, access sets, inspectors and messages know a component type.
///
/// It is for naming only: storage is found by types, never by keys. Ordered by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentKey {
    name: &'static str,
}

/// The key of a component type: its path, such as `acme_motion::Velocity`.
///
/// The compiler promises no particular text, so a key is not for files that outlive the program; a scene
/// file's words are registered by the program.
///
/// ```
/// struct Velocity(f32, f32);
/// let key = std_ecs::component_key::<Velocity>();
/// assert!(key.name().ends_with("::Velocity"));
/// assert_eq!(key.short_name(), "Velocity");
/// ```
pub fn component_key<T: ?Sized>() -> ComponentKey {
    ComponentKey { name: std::any::type_name::<T>() }
}

impl ComponentKey {
    /// The whole path.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The path without the modules in front of the type, type arguments untouched.
    pub fn short_name(self) -> &'static str {
        let head = self.name.split('<').next().unwrap_or(self.name);
        match head.rfind("::") {
            Some(at) => &self.name[at + 2..],
            None => self.name,
        }
    }
}

impl fmt::Display for ComponentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for ComponentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
