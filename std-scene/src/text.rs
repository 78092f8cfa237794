//! The text of scenes: reading it into spans, decoding values from layers of it, writing values.

pub(crate) mod access;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod fault;
pub(crate) mod fields;
pub(crate) mod layout;
pub(crate) mod literal;
pub(crate) mod parse;
pub(crate) mod tree;
