//! The derives of `std-ecs`: `Columns` for the group that a package ships, `World` for the type that a
//! program composes. What they write is documented at the traits of `std-ecs`.

mod compared;
mod fields;
mod group;
mod refuse;
mod world;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct a columns group: it becomes the store of each `Column<T>` it has.
///
/// `T` has to be a type of this crate, as the group is what owns it. Other fields are singles, events or
/// groups. `#[columns(holds(Inner))]` on a field that is a group says that it has `Inner` inside.
///
/// `#[columns(presentation)]` on a field says that it is only for showing: digests and deltas leave it out, and
/// saves should (`#[serde(skip)]`). The group has a digest, and deltas, if all other components can be
/// serialised; nothing has to be written for it.
#[proc_macro_derive(Columns, attributes(columns))]
pub fn derive_columns(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    group::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct a world: it becomes the store of every component that its groups own.
///
/// One field is of type `Entities`. `#[world(holds(Inner))]` on a field that is a group says that it has
/// the group `Inner` inside, whose components the world then admits too.
///
/// `#[world(presentation)]` on a field says that it is only for showing: digests and deltas leave it out, and
/// saves should (`#[serde(skip)]`).
#[proc_macro_derive(World, attributes(world))]
pub fn derive_world(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    world::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
