//! The fields of a group or a world, and what both derives write for them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, GenericArgument, Ident, PathArguments, Result, Type, WherePredicate};

use crate::compared::compared;

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
        let kind = kind(&field.ty);
        match &kind {
            Kind::Column(component) => refuse_foreign(component, &parameters)?,
            _ => refuse_parameter(&field.ty, &parameters)?,
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
                holds.extend(inner.parse_terminated(<Type as syn::parse::Parse>::parse, syn::Token![,])?);
                Ok(())
            })?;
        }
        fields.push(Field { name, ty: field.ty.clone(), kind, holds, presentation });
    }
    refuse_twice(&fields)?;
    Ok(fields)
}

fn kind(ty: &Type) -> Kind {
    let Type::Path(path) = ty else { return Kind::Group };
    let Some(last) = path.path.segments.last() else { return Kind::Group };
    match (last.ident.to_string().as_str(), &last.arguments) {
        ("Column", PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
            Some(GenericArgument::Type(component)) => Kind::Column(Box::new(component.clone())),
            _ => Kind::Group,
        },
        ("Entities", PathArguments::None) => Kind::Entities,
        ("Single" | "Events", PathArguments::AngleBracketed(_)) => Kind::Value,
        _ => Kind::Group,
    }
}

/// The name of a path of one segment without arguments.
fn bare_name(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

/// The names of the standard library that everybody has in scope, and what the language itself has.
const FOREIGN: [&str; 27] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
    "u128", "usize", "str", "String", "Vec", "Option", "Result", "Box", "Rc", "Arc", "HashMap", "BTreeMap",
    "Duration",
];

/// Refuses a component type that cannot be one of this crate. What only looks as if it were is refused by
/// the compiler, as a type that is defined elsewhere.
fn refuse_foreign(component: &Type, parameters: &[&Ident]) -> Result<()> {
    let text = readable(component);
    if bare_name(component).is_some_and(|name| parameters.contains(&name)) {
        let message = format!(
            "`{text}` is a type parameter, and a column belongs to one component type: \
             write `Column` of a type of this crate"
        );
        return Err(Error::new_spanned(component, message));
    }
    let foreign = match component {
        Type::Path(path) => {
            let segments = &path.path.segments;
            let from_std = segments.len() > 1
                && segments
                    .first()
                    .is_some_and(|first| ["std", "core", "alloc"].iter().any(|name| first.ident == name));
            let last = segments.last().map(|last| last.ident.to_string());
            from_std || segments.len() == 1 && last.is_some_and(|last| FOREIGN.contains(&last.as_str()))
        }
        _ => true,
    };
    if foreign {
        let message = format!(
            "`{text}` is not a type of this crate, so no group of this crate can own it: \
             wrap it in a type of this crate, as in `struct Speed({text});`, and write `Column<Speed>`"
        );
        return Err(Error::new_spanned(component, message));
    }
    Ok(())
}

fn refuse_parameter(ty: &Type, parameters: &[&Ident]) -> Result<()> {
    match bare_name(ty) {
        Some(name) if parameters.contains(&name) => Err(Error::new_spanned(
            ty,
            format!(
                "the type parameter `{name}` cannot stand for a group, because which components it brings \
                 must be known here: name the group, or keep a value as `Single<{name}>`"
            ),
        )),
        _ => Ok(()),
    }
}

/// Refuses two fields that a component or a group would have to choose between.
fn refuse_twice(fields: &[Field]) -> Result<()> {
    for (at, field) in fields.iter().enumerate() {
        if matches!(field.kind, Kind::Value) {
            continue;
        }
        let text = field.ty.to_token_stream().to_string();
        let twin = fields[..at].iter().find(|earlier| earlier.ty.to_token_stream().to_string() == text);
        if let Some(twin) = twin {
            return Err(Error::new_spanned(
                &field.ty,
                format!(
                    "`{}` and `{}` are both `{}`, and nothing says which of them a component belongs to: \
                     keep one, or wrap what the other holds in a type of its own",
                    twin.name,
                    field.name,
                    readable(&field.ty),
                ),
            ));
        }
    }
    Ok(())
}

fn readable(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(" < ", "<").replace(" >", ">").replace(" :: ", "::")
}

/// `impl Part`: each method calls that of each field.
pub(crate) fn part(input: &DeriveInput, fields: &[Field]) -> TokenStream {
    let name = &input.ident;
    let (generics, arguments, _) = input.generics.split_for_impl();
    let conditions = conditions(input, fields);
    let compared = compared(input, fields);
    let each = |call: &dyn Fn(&Ident, &Type) -> TokenStream| -> TokenStream {
        fields.iter().map(|field| call(&field.name, &field.ty)).collect()
    };
    let detach_all = each(
        &|name, ty| quote_spanned! {ty.span()=> <#ty as ::std_ecs::Part>::detach_all(&mut self.#name, entity);},
    );
    let clear_all =
        each(&|name, ty| quote_spanned! {ty.span()=> <#ty as ::std_ecs::Part>::clear_all(&mut self.#name);});
    let end_frame = each(
        &|name, ty| quote_spanned! {ty.span()=> <#ty as ::std_ecs::Part>::end_frame(&mut self.#name, steps);},
    );
    let dependents = each(
        &|name, ty| quote_spanned! {ty.span()=> <#ty as ::std_ecs::Part>::dependents(&self.#name, entity, found);},
    );
    let visit = each(&|name, ty| {
        let text = name.to_string();
        quote_spanned! {ty.span()=>
            path.push(#text);
            <#ty as ::std_ecs::Part>::visit(&self.#name, path, visit);
            path.pop();
        }
    });
    let verify = each(
        &|name, ty| quote_spanned! {ty.span()=> <#ty as ::std_ecs::Part>::verify(&self.#name, entities)?;},
    );
    let withhold = each(
        &|name, ty| quote_spanned! {ty.span()=> <#ty as ::std_ecs::Part>::withhold(&mut self.#name, guard);},
    );
    let same = each(
        &|name, ty| quote_spanned! {ty.span()=> && <#ty as ::std_ecs::Part>::same(&self.#name, &other.#name)},
    );
    quote! {
        #[automatically_derived]
        #[allow(unused_variables)]
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

/// The where clause of a generic struct, with what each field has to be.
fn conditions(input: &DeriveInput, fields: &[Field]) -> TokenStream {
    let mut clause = input.generics.clone();
    if clause.type_params().next().is_some() {
        let predicates = &mut clause.make_where_clause().predicates;
        for field in fields {
            let ty = &field.ty;
            let part: WherePredicate = syn::parse_quote!(#ty: ::std_ecs::Part);
            predicates.push(part);
        }
    }
    let clause = clause.where_clause;
    quote!(#clause)
}

/// `impl Owned for Component`, and `impl Has` of the struct for each group that it has.
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
pub(crate) fn owned(input: &DeriveInput, component: &Type, columns: &TokenStream) -> TokenStream {
    let (generics, _, clause) = input.generics.split_for_impl();
    quote_spanned! {component.span()=>
        #[automatically_derived]
        impl #generics ::std_ecs::Owned for #component #clause {
            type Columns = #columns;
        }
    }
}
