//! `#[derive(World)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{DeriveInput, Error, Result};

use crate::fields::{Field, Kind, fields, has, owned, part, with_conditions};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input, "world")?;
    let mut entities = fields.iter().filter(|field| matches!(field.kind, Kind::Entities));
    let Some(Field { name: entities, .. }) = entities.next() else {
        return Err(Error::new_spanned(
            &input.ident,
            "a world knows who is alive: add a field `entities: Entities`",
        ));
    };
    let input = &with_conditions(input, &fields);
    let mut written = part(input, &fields);
    for field in &fields {
        written.extend(match &field.kind {
            Kind::Column(component) => {
                let has = has(input, field);
                let owned = owned(input, component, &field.ty.to_token_stream());
                quote!(#has #owned)
            }
            // With the entities among them a world always has several, so that the compiler does not take
            // the one group there is for the one that a component must belong to.
            Kind::Group | Kind::Entities => has(input, field),
            Kind::Value => TokenStream::new(),
        });
    }

    let name = &input.ident;
    let (generics, arguments, clause) = input.generics.split_for_impl();
    written.extend(quote! {
        #[automatically_derived]
        impl #generics ::std_ecs::World for #name #arguments #clause {
            #[inline]
            fn entities(&self) -> &::std_ecs::Entities {
                &self.#entities
            }

            #[inline]
            fn entities_mut(&mut self) -> &mut ::std_ecs::Entities {
                &mut self.#entities
            }
        }
    });
    written.extend(stores(input));
    Ok(written)
}

/// The two blankets: every component of every group that the world has.
fn stores(input: &DeriveInput) -> TokenStream {
    let name = &input.ident;
    let (_, arguments, _) = input.generics.split_for_impl();
    let mut extended = input.generics.clone();
    extended.params.push(syn::parse_quote!(OwnedComponent: ::std_ecs::Owned));
    let conditions = extended.make_where_clause();
    conditions.predicates.push(syn::parse_quote!(Self: ::std_ecs::Has<OwnedComponent::Columns>));
    let (generics, _, clause) = extended.split_for_impl();
    let mut writable = extended.clone();
    writable
        .make_where_clause()
        .predicates
        .push(syn::parse_quote!(OwnedComponent::Columns: ::std_ecs::StoreMut<OwnedComponent>));
    let (_, _, writable_clause) = writable.split_for_impl();
    let group = quote!(<Self as ::std_ecs::Has<OwnedComponent::Columns>>);
    let store = quote!(<OwnedComponent::Columns as ::std_ecs::Store<OwnedComponent>>);
    quote! {
        #[automatically_derived]
        impl #generics ::std_ecs::Store<OwnedComponent> for #name #arguments #clause {
            type Storage = #store::Storage;

            #[inline]
            fn storage(&self) -> &Self::Storage {
                #store::storage(#group::group(self))
            }

            #[inline]
            fn storage_mut(&mut self) -> &mut Self::Storage {
                #store::storage_mut(#group::group_mut(self))
            }

            #[inline]
            fn attach(&mut self, entity: ::std_ecs::Entity, value: OwnedComponent) -> bool {
                let is_alive = |entity| ::std_ecs::Entities::is_alive(::std_ecs::World::entities(self), entity);
                is_alive(entity)
                    && #store::requires(&value).is_none_or(is_alive)
                    && #store::attach(#group::group_mut(self), entity, value)
            }

            #[inline]
            fn attach_to_living(&mut self, entity: ::std_ecs::Entity, value: OwnedComponent) -> bool {
                let is_alive = |entity| ::std_ecs::Entities::is_alive(::std_ecs::World::entities(self), entity);
                #store::requires(&value).is_none_or(is_alive)
                    && #store::attach(#group::group_mut(self), entity, value)
            }

            fn attach_page(
                &mut self,
                entities: &::std_ecs::EntityPage,
                values: ::std::vec::Vec<OwnedComponent>,
            ) {
                let is_alive = |entity| ::std_ecs::Entities::is_alive(::std_ecs::World::entities(self), entity);
                let all_may = ::std_ecs::Entities::are_alive(::std_ecs::World::entities(self), entities.entities())
                    && values.iter().all(|value| #store::requires(value).is_none_or(is_alive));
                if all_may {
                    #store::attach_page(#group::group_mut(self), entities, values);
                } else {
                    for (entity, value) in entities.entities().iter().zip(values) {
                        ::std_ecs::Store::attach(self, *entity, value);
                    }
                }
            }
        }

        #[automatically_derived]
        impl #generics ::std_ecs::StoreMut<OwnedComponent> for #name #arguments #writable_clause {
            #[inline]
            fn column_mut(&mut self) -> &mut ::std_ecs::Column<OwnedComponent> {
                <OwnedComponent::Columns as ::std_ecs::StoreMut<OwnedComponent>>::column_mut(
                    #group::group_mut(self),
                )
            }
        }
    }
}
