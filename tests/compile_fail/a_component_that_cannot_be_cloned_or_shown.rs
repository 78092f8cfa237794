use std_ecs::{Column, Columns};

#[derive(Debug)]
struct Handle;

#[derive(Clone, Debug, Default, Columns)]
struct Handles {
    handles: Column<Handle>,
}

#[derive(Clone)]
struct Secret;

#[derive(Clone, Default, Columns)]
struct Secrets {
    secrets: Column<Secret>,
}

fn main() {}
