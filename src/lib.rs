//! An entity component system whose world is a value.
