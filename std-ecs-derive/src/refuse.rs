//! What neither a group nor a world can have, and what to write instead.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{DeriveInput, Error, GenericParam, Ident, PathArguments, Result, Type};

use crate::fields::{Field, Kind};

/// What the language itself has, and `String`, which everybody has in scope.
const FOREIGN: [&str; 18] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
    "u128", "usize", "str", "String",
];

/// The generic types of the standard library that are in every scope or in most. Without arguments they are
/// something else: a program may well have a `Box` or an `Arc` of its own.
const FOREIGN_GENERIC: [&str; 12] = [
    "Vec", "Option", "Result", "Box", "Rc", "Arc", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "VecDeque",
    "Cell",
];

/// Whether a type can be told to be of another crate by its looks. What only looks like one of this crate
/// is refused by the compiler, as a type that is defined elsewhere.
fn is_foreign(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return true };
    let segments = &path.path.segments;
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return true };
    let is_one_of = |name: &Ident, names: &[&str]| names.iter().any(|other| name == other);
    if segments.len() > 1 {
        return is_one_of(&first.ident, &["std", "core", "alloc"]);
    }
    match last.arguments {
        PathArguments::None => is_one_of(&last.ident, &FOREIGN),
        _ => is_one_of(&last.ident, &FOREIGN_GENERIC),
    }
}

/// Refuses a component type that cannot be one of this crate.
pub(crate) fn foreign_component(component: &Type, parameters: &[&Ident]) -> Result<()> {
    let text = readable(component);
    if let Some(name) = parameter(component, parameters) {
        let message = format!(
            "`{name}` is a type parameter, and a column belongs to one component type: \
             write `Column` of a type of this crate"
        );
        return Err(Error::new_spanned(component, message));
    }
    if is_foreign(component) {
        let message = format!(
            "`{text}` is not a type of this crate, so no group of this crate can own it: \
             wrap it in a type of this crate, as in `struct Speed({text});`, and write `Column<Speed>`"
        );
        return Err(Error::new_spanned(component, message));
    }
    Ok(())
}

/// Refuses a field that is no storage: a type parameter, or a value as it is. Values of types of this crate
/// are refused by the compiler, for want of the trait `Part`.
pub(crate) fn bare_value(ty: &Type, parameters: &[&Ident]) -> Result<()> {
    if let Some(name) = parameter(ty, parameters) {
        let message = format!(
            "the type parameter `{name}` cannot stand for a group, because which components it brings must \
             be known here: name the group, or keep a value as `Single<{name}>`"
        );
        return Err(Error::new_spanned(ty, message));
    }
    if is_foreign(ty) {
        let text = readable(ty);
        let message = format!(
            "`{text}` cannot stand in a columns group or a world as it is: wrap it, `Single<{text}>`, so that \
             it is cloned for nothing and a write to it is found"
        );
        return Err(Error::new_spanned(ty, message));
    }
    Ok(())
}

/// The type parameter that a type is.
fn parameter<'a>(ty: &'a Type, parameters: &[&Ident]) -> Option<&'a Ident> {
    let Type::Path(path) = ty else { return None };
    path.path.get_ident().filter(|name| parameters.contains(name))
}

/// Refuses two fields that a component or a group would have to choose between.
pub(crate) fn twins(fields: &[Field]) -> Result<()> {
    for (at, field) in fields.iter().enumerate() {
        if matches!(field.kind, Kind::Value) {
            continue;
        }
        let text = field.ty.to_token_stream().to_string();
        let twin = fields[..at].iter().find(|earlier| earlier.ty.to_token_stream().to_string() == text);
        if let Some(Field { name: twin, .. }) = twin {
            let (name, text) = (&field.name, readable(&field.ty));
            let message = if matches!(field.kind, Kind::Entities) {
                format!(
                    "`{twin}` and `{name}` are both `{text}`, and a world hands out entities in one place: keep one"
                )
            } else {
                format!(
                    "`{twin}` and `{name}` are both `{text}`, and nothing says which of them a component \
                     belongs to: keep one, or wrap what the other holds in a type of its own"
                )
            };
            return Err(Error::new_spanned(&field.ty, message));
        }
    }
    Ok(())
}

/// Refuses a parameter of a group that a component of it does not name: a component belongs to one group,
/// not to one for each argument.
pub(crate) fn free_parameters(input: &DeriveInput, component: &Type) -> Result<()> {
    let free = input.generics.params.iter().map(parameter_name).find(|name| !names(component, name));
    let Some(name) = free else { return Ok(()) };
    let (group, text) = (&input.ident, readable(component));
    Err(Error::new_spanned(
        component,
        format!(
            "`{text}` would belong to `{group}` with every `{name}`, and a component belongs to one group: \
             put what depends on `{name}` into a group or a field of the world of its own"
        ),
    ))
}

pub(crate) fn parameter_name(parameter: &GenericParam) -> &Ident {
    match parameter {
        GenericParam::Lifetime(lifetime) => &lifetime.lifetime.ident,
        GenericParam::Type(ty) => &ty.ident,
        GenericParam::Const(constant) => &constant.ident,
    }
}

/// Whether a name occurs in something.
pub(crate) fn names(something: impl ToTokens, name: &Ident) -> bool {
    fn occurs(tokens: TokenStream, name: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => occurs(group.stream(), name),
            TokenTree::Ident(ident) => ident == *name,
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        })
    }
    occurs(something.to_token_stream(), name)
}

fn readable(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    [(" < ", "<"), (" >", ">"), (" :: ", "::"), (" ,", ","), ("& ", "&")]
        .iter()
        .fold(text, |text, (apart, together)| text.replace(apart, together))
}
