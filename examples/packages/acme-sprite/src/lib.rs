//! A sample package.
