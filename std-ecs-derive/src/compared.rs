//! What both derives write for comparing worlds: digests and deltas.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{DeriveInput, Generics, Ident, WherePredicate};

use crate::fields::{Field, implementation};

/// `impl Digest` and `impl Delta`, for a struct whose fields all have them; without an effect, and without
/// an error, for others.
pub(crate) fn compared(input: &DeriveInput, fields: &[Field]) -> TokenStream {
    let compared: Vec<&Field> = fields.iter().filter(|field| !field.presentation).collect();
    let digest = digest(input, &compared);
    let delta = delta(input, &compared);
    quote! {
        ::std_ecs::with_serde! {
            #digest
            #delta
        }
    }
}

/// The generics, with the condition that the compared fields have a trait. There is a lifetime in it, so that
/// it is looked at where a digest is asked for, and not here.
fn conditional(input: &DeriveInput, compared: &[&Field], condition: &Ident) -> Generics {
    let mut generics = input.generics.clone();
    let predicates = &mut generics.make_where_clause().predicates;
    predicates.extend(compared.iter().map(|Field { ty, .. }| -> WherePredicate {
        syn::parse_quote!(for<'compared> #ty: ::std_ecs::#condition<'compared>)
    }));
    generics
}

fn digest(input: &DeriveInput, compared: &[&Field]) -> TokenStream {
    let name = &input.ident;
    let (generics, arguments, _) = input.generics.split_for_impl();
    let conditional = conditional(input, compared, &format_ident!("DigestField"));
    let (_, _, clause) = conditional.split_for_impl();
    let digests = compared.iter().map(|Field { name, ty, .. }| {
        let (text, digest) = (name.unraw().to_string(), implementation(ty, &quote!(Digest)));
        quote! {
            path.push(#text);
            #digest::digests(&self.#name, path, each);
            path.pop();
        }
    });
    let differences = compared.iter().map(|Field { name, ty, .. }| {
        let (text, digest) = (name.unraw().to_string(), implementation(ty, &quote!(Digest)));
        quote! {
            path.push(#text);
            let found = #digest::first_difference(&self.#name, &other.#name, path);
            path.pop();
            if found.is_some() {
                return found;
            }
        }
    });
    quote! {
        #[automatically_derived]
        #[allow(unused_variables, reason = "not every struct has fields that need them")]
        impl #generics ::std_ecs::Digest for #name #arguments #clause {
            fn digests(
                &self,
                path: &mut ::std::vec::Vec<&'static str>,
                each: &mut ::std_ecs::DigestVisit<'_>,
            ) {
                #(#digests)*
            }

            fn first_difference(
                &self,
                other: &Self,
                path: &mut ::std::vec::Vec<&'static str>,
            ) -> ::std::option::Option<::std_ecs::Difference> {
                #(#differences)*
                ::std::option::Option::None
            }
        }
    }
}

/// The change of a struct is that of its first field, beside that of the rest: `(A, (B, (C, ())))`.
fn delta(input: &DeriveInput, compared: &[&Field]) -> TokenStream {
    let name = &input.ident;
    let (generics, arguments, _) = input.generics.split_for_impl();
    let conditional = conditional(input, compared, &format_ident!("DeltaField"));
    let (_, _, clause) = conditional.split_for_impl();
    let nested = |each: &dyn Fn(&Field) -> TokenStream| {
        compared.iter().rev().fold(quote!(()), |rest, field| {
            let first = each(field);
            quote!((#first, #rest))
        })
    };
    let change = nested(&|Field { ty, .. }| {
        let delta = implementation(ty, &quote!(Delta));
        quote!(::std::option::Option<#delta::Change>)
    });
    let changes = nested(&|Field { name, ty, .. }| {
        let delta = implementation(ty, &quote!(Delta));
        quote! {{
            let change = #delta::changes(&from.#name, &to.#name);
            is_changed |= change.is_some();
            change
        }}
    });
    let bound = |name: &Ident| format_ident!("change_of_{}", name.unraw());
    let pattern = nested(&|Field { name, .. }| bound(name).to_token_stream());
    let applied = compared.iter().map(|Field { name, ty, .. }| {
        let (text, bound, delta) =
            (name.unraw().to_string(), bound(name), implementation(ty, &quote!(Delta)));
        quote! {
            if let ::std::option::Option::Some(change) = #bound {
                path.push(#text);
                #delta::apply(&mut self.#name, change, path)?;
                path.pop();
            }
        }
    });
    quote! {
        #[automatically_derived]
        #[allow(unused_variables, unused_mut, reason = "not every struct has fields that need them")]
        impl #generics ::std_ecs::Delta for #name #arguments #clause {
            type Change = #change;

            fn changes(from: &Self, to: &Self) -> ::std::option::Option<Self::Change> {
                let mut is_changed = false;
                let changes = #changes;
                is_changed.then_some(changes)
            }

            fn apply(
                &mut self,
                changes: &Self::Change,
                path: &mut ::std::vec::Vec<&'static str>,
            ) -> ::std::result::Result<(), ::std_ecs::DeltaError> {
                let #pattern = changes;
                #(#applied)*
                ::std::result::Result::Ok(())
            }
        }
    }
}
