//! The fields of a group or a world, and what both derives write for them.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, GenericArgument, Ident, PathArguments, Result, Type};

use crate::compared::compared;
use crate::refuse;

/// What the type of a field says that it is.
pub(crate) enum Kind {
    /// A `Column` of this component.
    Column(Box<Type>),
    /// The `Entities`.
    Entities,
    /// A `Single` or `Events`: nothing finds it by its type.
    Value,
    /// Everything else is taken for a group.
    Group,
}

pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) kind: Kind,
    /// The groups inside of this one that it lends to whoever holds it.
    pub(crate) holds: Vec<Type>,
    /// Whether it is only for showing: left out of digests, deltas and saves.
    pub(crate) presentation: bool,
}

/// The named fields of a struct. `attribute` is the name of the derive's own attribute.
pub(crate) fn fields(input: &DeriveInput, attribute: &str) -> Result<Vec<Field>> {
    let what = format!("#[derive({})]", if attribute == "world" { "World" } else { "Columns" });
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, format!("{what} goes on a struct")));
    };
    let parameters: Vec<&Ident> = input.generics.type_params().map(|parameter| &parameter.ident).collect();
    let mut fields = Vec::new();
    for field in &data.fields {
        let Some(name) = field.ident.clone() else {
            return Err(Error::new_spanned(
                field,
                format!("{what} needs names: `struct {} {{ name: Type }}`", input.ident),
            ));
        };
        let ty = bare(&field.ty);
        let kind = kind(ty);
        match &kind {
            Kind::Column(component) => refuse::foreign_component(component, &parameters)?,
            Kind::Group => refuse::bare_value(ty, &parameters)?,
            Kind::Entities | Kind::Value => {}
        }
        let (mut holds, mut presentation) = (Vec::new(), false);
        for own in field.attrs.iter().filter(|found| found.path().is_ident(attribute)) {
            own.parse_nested_meta(|meta| {
                if meta.path.is_ident("presentation") {
                    presentation = true;
                    return Ok(());
                }
                if !meta.path.is_ident("holds") {
                    return Err(meta.error("the known words here are `holds(Group, ..)` and `presentation`"));
                }
                let inner;
                syn::parenthesized!(inner in meta.input);
                let groups = inner.parse_terminated(<Type as syn::parse::Parse>::parse, syn::Token![,])?;
                holds.extend(groups.iter().map(|group| bare(group).clone()));
                Ok(())
            })?;
        }
        fields.push(Field { name, ty: ty.clone(), kind, holds, presentation });
    }
    refuse::twins(&fields)?;
    Ok(fields)
}

/// A type without what stands around one that was handed to a macro as a `ty`.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        _ => ty,
    }
}

fn kind(ty: &Type) -> Kind {
    let Type::Path(path) = ty else { return Kind::Group };
    let Some(last) = path.path.segments.last() else { return Kind::Group };
    match (last.ident.to_string().as_str(), &last.arguments) {
        ("Column", PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
            Some(GenericArgument::Type(component)) => Kind::Column(Box::new(bare(component).clone())),
            _ => Kind::Group,
        },
        ("Entities", PathArguments::None) => Kind::Entities,
        ("Single" | "Events", PathArguments::AngleBracketed(_)) => Kind::Value,
        _ => Kind::Group,
    }
}

/// What a type says to a trait of this project. It stands where the type does, as that is where the type may
/// have to be wrapped; the names around it stand where the derive does, also if the type comes out of a macro.
pub(crate) fn implementation(ty: &Type, of: &TokenStream) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::std_ecs::#of>)
}

/// `impl Part`: each method calls that of each field.
pub(crate) fn part(input: &DeriveInput, fields: &[Field]) -> TokenStream {
    let name = &input.ident;
    let (generics, arguments, conditions) = input.generics.split_for_impl();
    let compared = compared(input, fields);
    let each = |call: &dyn Fn(&Ident, TokenStream) -> TokenStream| -> TokenStream {
        fields.iter().map(|Field { name, ty, .. }| call(name, implementation(ty, &quote!(Part)))).collect()
    };
    let detach_all = each(&|name, part| quote!(#part::detach_all(&mut self.#name, entity);));
    let clear_all = each(&|name, part| quote!(#part::clear_all(&mut self.#name);));
    let end_frame = each(&|name, part| quote!(#part::end_frame(&mut self.#name, steps);));
    let dependents = each(&|name, part| quote!(#part::dependents(&self.#name, entity, found);));
    let visit = each(&|name, part| {
        let text = name.unraw().to_string();
        quote! {
            path.push(#text);
            #part::visit(&self.#name, path, visit);
            path.pop();
        }
    });
    let verify = each(&|name, part| quote!(#part::verify(&self.#name, entities)?;));
    let withhold = each(&|name, part| quote!(#part::withhold(&mut self.#name, guard);));
    let same = each(&|name, part| quote!(&& #part::same(&self.#name, &other.#name)));
    quote! {
        #[automatically_derived]
        #[allow(unused_variables, reason = "not every struct has fields that need them")]
        impl #generics ::std_ecs::Part for #name #arguments #conditions {
            #[inline]
            fn detach_all(&mut self, entity: ::std_ecs::Entity) {
                #detach_all
            }

            fn clear_all(&mut self) {
                #clear_all
            }

            fn end_frame(&mut self, steps: u32) {
                #end_frame
            }

            #[inline]
            fn dependents(
                &self,
                entity: ::std_ecs::Entity,
                found: &mut ::std::vec::Vec<::std_ecs::Entity>,
            ) {
                #dependents
            }

            fn visit<'part>(
                &'part self,
                path: &mut ::std::vec::Vec<&'static str>,
                visit: &mut ::std_ecs::Visit<'_, 'part>,
            ) {
                #visit
            }

            fn verify(
                &self,
                entities: &::std_ecs::Entities,
            ) -> ::std::result::Result<(), ::std_ecs::CheckError> {
                #verify
                ::std::result::Result::Ok(())
            }

            fn withhold(&mut self, guard: &::std_ecs::Guard) {
                #withhold
            }

            fn same(&self, other: &Self) -> bool {
                true #same
            }
        }

        #[automatically_derived]
        impl #generics ::std_ecs::Columns for #name #arguments #conditions {}

        #compared
    }
}

/// The struct, with what each field has to be in its where clause if it is generic.
pub(crate) fn with_conditions(input: &DeriveInput, fields: &[Field]) -> DeriveInput {
    let mut input = input.clone();
    if input.generics.type_params().next().is_none() {
        return input;
    }
    let name = &input.ident;
    let (_, arguments, _) = input.generics.split_for_impl();
    let clone = syn::parse_quote!(#name #arguments: ::std::clone::Clone);
    let parts = fields.iter().map(|Field { ty, .. }| syn::parse_quote!(#ty: ::std_ecs::Part));
    let predicates: Vec<syn::WherePredicate> = std::iter::once(clone).chain(parts).collect();
    input.generics.make_where_clause().predicates.extend(predicates);
    input
}

/// `impl Has` of the struct for a group that it has, and for those inside of it that it names.
pub(crate) fn has(input: &DeriveInput, field: &Field) -> TokenStream {
    let name = &input.ident;
    let (generics, arguments, clause) = input.generics.split_for_impl();
    let Field { name: field_name, ty, holds, .. } = field;
    let direct = quote_spanned! {ty.span()=>
        #[automatically_derived]
        impl #generics ::std_ecs::Has<#ty> for #name #arguments #clause {
            #[inline]
            fn group(&self) -> &#ty {
                &self.#field_name
            }

            #[inline]
            fn group_mut(&mut self) -> &mut #ty {
                &mut self.#field_name
            }
        }
    };
    let inner = holds.iter().map(|group| {
        quote_spanned! {group.span()=>
            #[automatically_derived]
            impl #generics ::std_ecs::Has<#group> for #name #arguments #clause {
                #[inline]
                fn group(&self) -> &#group {
                    <#ty as ::std_ecs::Has<#group>>::group(&self.#field_name)
                }

                #[inline]
                fn group_mut(&mut self) -> &mut #group {
                    <#ty as ::std_ecs::Has<#group>>::group_mut(&mut self.#field_name)
                }
            }
        }
    });
    quote!(#direct #(#inner)*)
}

/// `impl Owned` of a component, which is found in `columns` from now on.
///
/// Of the parameters of the struct it takes those that the component names: others would be free.
pub(crate) fn owned(input: &DeriveInput, component: &Type, columns: &TokenStream) -> TokenStream {
    let mut named = input.generics.clone();
    let (kept, free): (Vec<_>, Vec<_>) = named
        .params
        .into_iter()
        .partition(|parameter| refuse::names(component, refuse::parameter_name(parameter)));
    named.params = kept.into_iter().collect();
    if let Some(clause) = &mut named.where_clause {
        let predicates = std::mem::take(&mut clause.predicates).into_iter();
        clause.predicates = predicates
            .filter(|predicate| {
                free.iter().all(|parameter| !refuse::names(predicate, refuse::parameter_name(parameter)))
            })
            .collect();
    }
    let (generics, _, clause) = named.split_for_impl();
    quote_spanned! {component.span()=>
        #[automatically_derived]
        impl #generics ::std_ecs::Owned for #component #clause {
            type Columns = #columns;
        }
    }
}
