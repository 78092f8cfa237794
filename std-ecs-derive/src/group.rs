//! `#[derive(Columns)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Result};

use crate::fields::{Field, Kind, fields, has, owned, part, with_conditions};
use crate::refuse;

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input, "columns")?;
    let input = &with_conditions(input, &fields);
    let mut written = part(input, &fields);
    for field in &fields {
        written.extend(match &field.kind {
            Kind::Column(component) => {
                refuse::free_parameters(input, component)?;
                store(input, field)
            }
            Kind::Group => has(input, field),
            Kind::Value => TokenStream::new(),
            Kind::Entities => {
                return Err(Error::new_spanned(
                    &field.ty,
                    "a group has no entities of its own, they are the world's: `#[derive(World)]` makes a world",
                ));
            }
        });
    }
    Ok(written)
}

/// `impl Store`, `impl StoreMut` and `impl Owned` for a column of the group.
fn store(input: &DeriveInput, field: &Field) -> TokenStream {
    let Field { name: field_name, ty, kind: Kind::Column(component), .. } = field else {
        return TokenStream::new();
    };
    let name = &input.ident;
    let (generics, arguments, clause) = input.generics.split_for_impl();
    let owned = owned(input, component, &quote!(#name #arguments));
    quote_spanned! {component.span()=>
        #[automatically_derived]
        impl #generics ::std_ecs::Store<#component> for #name #arguments #clause {
            type Storage = #ty;

            #[inline]
            fn storage(&self) -> &#ty {
                &self.#field_name
            }

            #[inline]
            fn storage_mut(&mut self) -> &mut #ty {
                &mut self.#field_name
            }

            fn attach_page(
                &mut self,
                entities: &::std_ecs::EntityPage,
                values: ::std::vec::Vec<#component>,
            ) {
                ::std_ecs::Store::attach_page(&mut self.#field_name, entities, values);
            }
        }

        #[automatically_derived]
        impl #generics ::std_ecs::StoreMut<#component> for #name #arguments #clause {
            #[inline]
            fn column_mut(&mut self) -> &mut ::std_ecs::Column<#component> {
                &mut self.#field_name
            }
        }

        #owned
    }
}
