//! The deserializer over a stack of layers: patches from the outermost inwards, the text of the file itself,
//! the default of the registration.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};
use std_ecs::Entity;

use crate::error::ErrorKind;
use crate::text::access::{Entries, Fields, Items, Merged, Variant};
use crate::text::fault::Fault;
use crate::text::literal::{self, Number};
use crate::text::tree::{File, Kind};

/// Who knows which entity a name is.
pub(crate) trait Names {
    /// The entity that a reference in a file means. The scope says which instance of the file it stands in.
    fn find(&self, scope: Scope, path: &str) -> Result<Entity, Fault>;
}

/// Which instance of a file some text stands in: what its names mean depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) template: u32,
    pub(crate) offset: u32,
}

/// Entities are written as their bits, in nodes that are saved with their world.
pub(crate) struct RawNames;

impl Names for RawNames {
    fn find(&self, _: Scope, path: &str) -> Result<Entity, Fault> {
        Err(Fault::new(ErrorKind::UnknownName, format!("`{path}` is a name, and here entities are numbers")))
    }
}

/// What all values of one decoding share.
pub(crate) struct Context<'f> {
    pub(crate) files: &'f [&'f File],
    pub(crate) names: &'f dyn Names,
    /// Whether entities are numbers here.
    pub(crate) raw: bool,
    /// Whether serde took something into a buffer of its own.
    pub(crate) buffered: Cell<bool>,
    /// How many entities were read.
    pub(crate) named: Cell<u32>,
}

impl<'f> Context<'f> {
    pub(crate) fn new(files: &'f [&'f File], names: &'f dyn Names) -> Self {
        Self { files, names, raw: false, buffered: Cell::new(false), named: Cell::new(0) }
    }
}

/// One text of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(crate) file: u32,
    pub(crate) node: u32,
    /// Whether what stands inside the parentheses is meant, and not the whole.
    pub(crate) inside: bool,
    pub(crate) scope: Scope,
}

impl Layer {
    pub(crate) fn whole(self, node: u32) -> Self {
        Self { node, inside: false, ..self }
    }

    pub(crate) fn inside(self, node: u32) -> Self {
        Self { node, inside: true, ..self }
    }
}

/// A value to decode.
pub(crate) struct Value<'c, 'f> {
    pub(crate) context: &'c Context<'f>,
    pub(crate) top: Layer,
    /// The layers under it, outermost first. Mostly none.
    pub(crate) below: Vec<Layer>,
}

impl<'c, 'f> Value<'c, 'f> {
    pub(crate) fn new(context: &'c Context<'f>, top: Layer) -> Self {
        Self { context, top, below: Vec::new() }
    }

    /// The layers of a component, outermost first.
    pub(crate) fn of_layers(context: &'c Context<'f>, layers: &[Layer]) -> Option<Self> {
        let (&top, below) = layers.split_first()?;
        Some(Self { context, top, below: below.to_vec() })
    }

    #[inline]
    pub(crate) fn file(&self) -> &'f File {
        self.context.files[self.top.file as usize]
    }

    fn file_of(&self, layer: Layer) -> &'f File {
        self.context.files[layer.file as usize]
    }

    #[inline]
    fn kind(&self) -> Kind {
        self.file().kind(self.top.node)
    }

    /// Places a fault at this value, unless a place inside is known.
    #[inline]
    fn place<T>(top: Layer, files: &[&File], result: Result<T, Fault>) -> Result<T, Fault> {
        match result {
            Ok(value) => Ok(value),
            Err(fault) => Err(Self::place_cold(top, files, fault)),
        }
    }

    #[cold]
    fn place_cold(top: Layer, files: &[&File], fault: Fault) -> Fault {
        let file = &files[top.file as usize];
        let span = match fault.kind {
            ErrorKind::MissingField | ErrorKind::UnknownVariant => file.head_span(top.node),
            _ => file.span(top.node),
        };
        fault.at(top.file, span)
    }

    /// For what is neither a struct nor a tuple: the one value that stands in the parentheses.
    #[inline]
    fn single(mut self) -> Result<Self, Fault> {
        while self.top.inside {
            let Some(child) = self.file().only_child(self.top.node) else {
                return Err(Fault::new(ErrorKind::WrongLength, "one value is expected in the parentheses")
                    .at(self.top.file, self.file().span(self.top.node)));
            };
            self.top = self.top.whole(child);
            let files = self.context.files;
            self.below.retain_mut(|layer| {
                match (layer.inside, files[layer.file as usize].only_child(layer.node)) {
                    (false, _) => true,
                    (true, Some(child)) => {
                        *layer = layer.whole(child);
                        true
                    }
                    (true, None) => false,
                }
            });
        }
        Ok(self)
    }

    /// What stands in the parentheses of something that holds one value: that value, or, where more stands
    /// there, the fields or items of the value.
    fn content(&self, layer: Layer) -> Layer {
        match self.file_of(layer).only_child(layer.node) {
            Some(child) => layer.whole(child),
            None => layer.inside(layer.node),
        }
    }

    fn wrong(&self, wanted: &dyn fmt::Display) -> Fault {
        let file = self.file();
        let node = self.top.node;
        let found = match self.kind() {
            Kind::Call => format!("`{}(..)`", file.name(node)),
            Kind::Group if !file.has_children(node) => "`()`".to_owned(),
            Kind::Group if file.kind(node + 1) == Kind::Field => "a struct `(field: ..)`".to_owned(),
            Kind::Group => "a tuple `(..)`".to_owned(),
            Kind::List => "a list `[..]`".to_owned(),
            Kind::Map => "a map `{..}`".to_owned(),
            Kind::Field | Kind::Entry => "a field".to_owned(),
            Kind::Word | Kind::Number => format!("`{}`", short(file.slice(node))),
            Kind::Text | Kind::RawText => "a string".to_owned(),
            Kind::Character => "a character".to_owned(),
            Kind::Bytes | Kind::RawBytes => "a byte string".to_owned(),
        };
        Fault::new(ErrorKind::WrongType, format!("expected {wanted}, found {found}"))
            .at(self.top.file, file.span(node))
    }

    /// Decodes, and gives faults that know no place that of this value.
    #[inline]
    fn decoded<T>(self, decode: impl FnOnce(Self) -> Result<T, Fault>) -> Result<T, Fault> {
        let (top, files) = (self.top, self.context.files);
        Self::place(top, files, decode(self))
    }

    #[inline]
    fn integer(&self, wanted: &'static str) -> Result<(bool, u128), Fault> {
        let file = self.file();
        if self.kind() != Kind::Number {
            return Err(self.wrong(&wanted));
        }
        let written = file.slice(self.top.node);
        // Short plain numbers, which is nearly all of them.
        if written.len() <= 18 {
            let mut plain = 0_u64;
            if written.bytes().all(|byte| {
                plain = plain.wrapping_mul(10).wrapping_add(u64::from(byte.wrapping_sub(b'0')));
                byte.is_ascii_digit()
            }) {
                return Ok((false, u128::from(plain)));
            }
        }
        let (number, suffix) = literal::split_suffix(written);
        if suffix.is_some_and(|suffix| suffix != wanted) {
            return Err(self.wrong(&wanted));
        }
        match literal::integer(number) {
            Some(Ok(found)) => Ok(found),
            Some(Err(())) => Err(self.out_of_range(wanted)),
            None => Err(self.wrong(&wanted).help("an integer has no point and no exponent")),
        }
    }

    fn out_of_range(&self, wanted: &str) -> Fault {
        let written = short(self.file().slice(self.top.node));
        Fault::new(ErrorKind::OutOfRange, format!("`{written}` does not fit into {wanted}"))
    }

    #[inline]
    fn float(&self, wanted: &'static str) -> Result<&'f str, Fault> {
        let file = self.file();
        let written = file.slice(self.top.node);
        match self.kind() {
            Kind::Number => {
                let (number, suffix) = literal::split_suffix(written);
                if suffix.is_some_and(|suffix| suffix != wanted) {
                    return Err(self.wrong(&wanted));
                }
                Ok(number)
            }
            Kind::Word if matches!(written, "inf" | "NaN" | "inff32" | "NaNf32" | "inff64" | "NaNf64") => {
                Ok(&written[..3])
            }
            _ => Err(self.wrong(&wanted)),
        }
    }

    /// The layers under an option that is `Some`, down to the first `None`.
    fn below_some(&self) -> Vec<Layer> {
        let mut found = Vec::new();
        for &layer in &self.below {
            let file = self.file_of(layer);
            if file.kind(layer.node) != Kind::Call || file.name(layer.node) != "Some" {
                break;
            }
            found.push(self.content(layer));
        }
        found
    }

    fn entity<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        let value = self.single()?;
        let file = value.file();
        if value.context.raw {
            return visitor.visit_newtype_struct(value);
        }
        let Some(path) = file.string(value.top.node) else {
            return Err(match value.kind() {
                Kind::Number => {
                    Fault::new(ErrorKind::RawEntity, "an entity is written as its name, not as a number")
                        .help(
                            "numbers of entities are not the same from one load to the next: write \"name\"",
                        )
                        .at(value.top.file, file.span(value.top.node))
                }
                _ => value.wrong(&"the name of an entity, as a string"),
            });
        };
        let entity = value
            .context
            .names
            .find(value.top.scope, &path)
            .map_err(|fault| fault.at(value.top.file, file.span(value.top.node)))?;
        value.context.named.set(value.context.named.get() + 1);
        visitor.visit_newtype_struct(entity.to_bits().into_deserializer())
    }

    /// The layers of a newtype struct, one step further in.
    fn newtype(&self, name: &str, layer: Layer) -> Layer {
        let file = self.file_of(layer);
        match file.kind(layer.node) {
            _ if layer.inside => self.content(layer),
            Kind::Call if file.name(layer.node) == name => self.content(layer),
            Kind::Group if file.only_child(layer.node).is_some() => self.content(layer),
            _ => layer,
        }
    }

    /// The node whose children are the fields of a struct or the items of a tuple.
    fn parenthesised(&self, layer: Layer, name: Option<&str>) -> Option<u32> {
        let file = self.file_of(layer);
        let node = layer.node;
        let group = |node: u32| match file.kind(node) {
            Kind::Group => true,
            Kind::Call => name == Some(file.name(node)),
            _ => false,
        };
        if layer.inside || group(node) { Some(node) } else { None }
    }
}

/// A long literal, cut for a message.
fn short(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.to_owned()
    } else {
        text.chars().take(37).chain("...".chars()).collect()
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $type:ident)*) => {
        $(
            #[inline]
            fn $method<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
                self.single()?.decoded(|value| {
                    let (negative, magnitude) = value.integer(stringify!($type))?;
                    let number = if negative {
                        0_i128.checked_sub_unsigned(magnitude).and_then(|wide| $type::try_from(wide).ok())
                    } else {
                        $type::try_from(magnitude).ok()
                    };
                    visitor.$visit(number.ok_or_else(|| value.out_of_range(stringify!($type)))?)
                })
            }
        )*
    };
}

macro_rules! floats {
    ($($method:ident $visit:ident $type:ident)*) => {
        $(
            #[inline]
            fn $method<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
                self.single()?.decoded(|value| {
                    let written = value.float(stringify!($type))?;
                    let number = match written.parse::<$type>() {
                        Ok(number) => number,
                        Err(_) => match literal::number(written) {
                            Some(Number::Float(_)) => literal::plain_float(written)
                                .parse::<$type>()
                                .map_err(|_| value.wrong(&stringify!($type)))?,
                            Some(Number::Integer { negative, magnitude }) => {
                                // The nearest float is what an integer among floats means.
                                #[expect(clippy::cast_precision_loss, reason = "rounding to the nearest is wanted")]
                                let number = magnitude as $type;
                                if negative { -number } else { number }
                            }
                            None => return Err(value.wrong(&stringify!($type))),
                        },
                    };
                    // `1e39` is no infinity: that is written `inf`.
                    if number.is_infinite() && !written.ends_with("inf") {
                        return Err(value.out_of_range(stringify!($type)));
                    }
                    visitor.$visit(number)
                })
            }
        )*
    };
}

impl<'f> de::Deserializer<'f> for Value<'_, 'f> {
    type Error = Fault;

    integers! {
        deserialize_i8 visit_i8 i8
        deserialize_i16 visit_i16 i16
        deserialize_i32 visit_i32 i32
        deserialize_i64 visit_i64 i64
        deserialize_i128 visit_i128 i128
        deserialize_u8 visit_u8 u8
        deserialize_u16 visit_u16 u16
        deserialize_u32 visit_u32 u32
        deserialize_u64 visit_u64 u64
        deserialize_u128 visit_u128 u128
    }

    floats! {
        deserialize_f32 visit_f32 f32
        deserialize_f64 visit_f64 f64
    }

    /// What a type that asks for nothing particular gets. Serde keeps it in a buffer of its own, in which no
    /// names can be resolved and no layers merged.
    fn deserialize_any<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.context.buffered.set(true);
        if self.top.inside {
            if self.file().only_child(self.top.node).is_some() {
                return self.single()?.deserialize_any(visitor);
            }
            if !self.file().has_children(self.top.node) {
                return visitor.visit_unit();
            }
            if self.file().kind(self.top.node + 1) == Kind::Field {
                return self.deserialize_map(visitor);
            }
            return self.decoded(|value| visitor.visit_seq(Items::new(value.context, value.top)));
        }
        self.decoded(|value| {
            let file = value.file();
            let node = value.top.node;
            match file.kind(node) {
                Kind::Word => match file.slice(node) {
                    "true" => visitor.visit_bool(true),
                    "false" => visitor.visit_bool(false),
                    "None" => visitor.visit_none(),
                    "inf" => visitor.visit_f64(f64::INFINITY),
                    "NaN" => visitor.visit_f64(f64::NAN),
                    _ => visitor.visit_borrowed_str(file.name(node)),
                },
                Kind::Number => match literal::number(file.slice(node)) {
                    Some(Number::Integer { negative: false, magnitude }) => match u64::try_from(magnitude) {
                        Ok(number) => visitor.visit_u64(number),
                        Err(_) => visitor.visit_u128(magnitude),
                    },
                    Some(Number::Integer { negative: true, magnitude }) => {
                        let wide = 0_i128
                            .checked_sub_unsigned(magnitude)
                            .ok_or_else(|| value.out_of_range("i128"))?;
                        match i64::try_from(wide) {
                            Ok(number) => visitor.visit_i64(number),
                            Err(_) => visitor.visit_i128(wide),
                        }
                    }
                    Some(Number::Float(number)) => visitor.visit_f64(number),
                    None => Err(value.out_of_range("any integer")),
                },
                Kind::Text | Kind::RawText => value.deserialize_str(visitor),
                Kind::Character => value.deserialize_char(visitor),
                Kind::Bytes | Kind::RawBytes => value.deserialize_bytes(visitor),
                Kind::List => value.deserialize_seq(visitor),
                Kind::Map => value.deserialize_map(visitor),
                Kind::Group if !file.has_children(node) => visitor.visit_unit(),
                Kind::Group if file.kind(node + 1) == Kind::Field => value.deserialize_map(visitor),
                Kind::Group => visitor.visit_seq(Items::new(value.context, value.top)),
                Kind::Call if file.name(node) == "Some" => {
                    let top = value.content(value.top);
                    visitor.visit_some(Value::new(value.context, top))
                }
                // A variant with data, in the form in which serde's buffers hold one.
                Kind::Call => {
                    visitor.visit_map(Variant { context: value.context, call: Some(value.top), key: true })
                }
                Kind::Field | Kind::Entry => Err(value.wrong(&"a value")),
            }
        })
    }

    fn deserialize_bool<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.single()?.decoded(|value| match (value.kind(), value.file().slice(value.top.node)) {
            (Kind::Word, "true") => visitor.visit_bool(true),
            (Kind::Word, "false") => visitor.visit_bool(false),
            _ => Err(value.wrong(&"true or false")),
        })
    }

    fn deserialize_char<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.single()?.decoded(|value| {
            let written = value.file().slice(value.top.node);
            let content = written.get(1..written.len().saturating_sub(1)).map(literal::unescape);
            match (value.kind(), content.and_then(|content| content.chars().next())) {
                (Kind::Character, Some(character)) => visitor.visit_char(character),
                _ => Err(value.wrong(&"a character such as 'a'")),
            }
        })
    }

    fn deserialize_str<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.single()?.decoded(|value| match value.file().string(value.top.node) {
            Some(std::borrow::Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Some(std::borrow::Cow::Owned(text)) => visitor.visit_string(text),
            None => Err(value.wrong(&"a string")),
        })
    }

    fn deserialize_string<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.single()?.decoded(|value| {
            let written = value.file().slice(value.top.node);
            match value.kind() {
                Kind::Bytes => {
                    visitor.visit_byte_buf(literal::unescape_bytes(&written[2..written.len() - 1]))
                }
                Kind::RawBytes => visitor.visit_byte_buf(literal::raw(written).as_bytes().to_vec()),
                Kind::List => visitor.visit_seq(Items::new(value.context, value.top)),
                _ => Err(value.wrong(&"a byte string such as b\"..\"")),
            }
        })
    }

    fn deserialize_byte_buf<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.single()?.decoded(|value| {
            let file = value.file();
            match (value.kind(), file.name(value.top.node)) {
                (Kind::Word, "None") => visitor.visit_none(),
                (Kind::Call, "Some") => {
                    let top = value.content(value.top);
                    let below = value.below_some();
                    visitor.visit_some(Value { context: value.context, top, below })
                }
                _ => {
                    let written = short(file.slice(value.top.node));
                    Err(value.wrong(&"Some(..) or None").help(format!("write Some({written})")))
                }
            }
        })
    }

    fn deserialize_unit<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.top.inside && !self.file().has_children(self.top.node) {
            return visitor.visit_unit();
        }
        self.single()?.decoded(|value| {
            if value.kind() == Kind::Group && !value.file().has_children(value.top.node) {
                visitor.visit_unit()
            } else {
                Err(value.wrong(&"`()`"))
            }
        })
    }

    fn deserialize_unit_struct<V: Visitor<'f>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.decoded(|value| {
            let file = value.file();
            let node = value.top.node;
            let empty = !file.has_children(node);
            match value.kind() {
                _ if value.top.inside && empty => visitor.visit_unit(),
                _ if value.top.inside => {
                    Err(Fault::new(ErrorKind::WrongLength, format!("{name} has no fields"))
                        .at(value.top.file, file.span(node + 1)))
                }
                Kind::Word if file.name(node) == name => visitor.visit_unit(),
                Kind::Group if empty => visitor.visit_unit(),
                Kind::Call if empty && file.name(node) == name => visitor.visit_unit(),
                _ => Err(value.wrong(&format_args!("`{name}`"))),
            }
        })
    }

    fn deserialize_newtype_struct<V: Visitor<'f>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if name == Entity::SERDE_NAME {
            return self.entity(visitor);
        }
        self.decoded(|value| {
            let top = value.newtype(name, value.top);
            let below = value.below.iter().map(|&layer| value.newtype(name, layer)).collect();
            visitor.visit_newtype_struct(Value { context: value.context, top, below })
        })
    }

    fn deserialize_seq<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.single()?.decoded(|value| {
            if value.kind() == Kind::List {
                visitor.visit_seq(Items::new(value.context, value.top))
            } else {
                Err(value.wrong(&"a list `[..]`"))
            }
        })
    }

    fn deserialize_tuple<V: Visitor<'f>>(self, length: usize, visitor: V) -> Result<V::Value, Fault> {
        let child = self.file().only_child(self.top.node);
        if self.top.inside
            && length != 1
            && child.is_some_and(|child| matches!(self.file().kind(child), Kind::Group))
        {
            return self.single()?.deserialize_tuple(length, visitor);
        }
        self.decoded(|value| value.items(None, length, &"a tuple `(..)`", visitor))
    }

    fn deserialize_tuple_struct<V: Visitor<'f>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.decoded(|value| {
            value.items(Some(name), length, &format_args!("{name} as a tuple `(..)`"), visitor)
        })
    }

    fn deserialize_map<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        let file = self.file();
        if self.top.inside && file.has_children(self.top.node) && file.kind(self.top.node + 1) == Kind::Field
        {
            return self.decoded(|value| visitor.visit_map(Fields::new(value.context, value.top, None)));
        }
        self.single()?.decoded(|value| {
            let file = value.file();
            match value.kind() {
                Kind::Map => visitor.visit_map(Entries::new(value.context, value.top)),
                // A struct with a flattened part is a map to serde, and written as the struct that it is.
                Kind::Group | Kind::Call
                    if !file.has_children(value.top.node) || file.kind(value.top.node + 1) == Kind::Field =>
                {
                    visitor.visit_map(Fields::new(value.context, value.top, None))
                }
                _ => Err(value.wrong(&"a map `{..}`")),
            }
        })
    }

    fn deserialize_struct<V: Visitor<'f>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.decoded(|value| {
            let node = value.top.node;
            let Some(_) = value.parenthesised(value.top, Some(name)) else {
                return Err(value.wrong(&format_args!("{name} as `(field: value)`")));
            };
            if value.below.is_empty() {
                return visitor.visit_map(Fields::new(value.context, value.top, Some(fields)));
            }
            // A layer of another shape is of an older type: nothing of it can shine through.
            let layers: Vec<Layer> = std::iter::once(value.top)
                .chain(
                    value
                        .below
                        .iter()
                        .copied()
                        .take_while(|&layer| value.parenthesised(layer, Some(name)).is_some()),
                )
                .collect();
            let _ = node;
            visitor.visit_map(Merged::new(value.context, &layers, fields)?)
        })
    }

    fn deserialize_enum<V: Visitor<'f>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.single()?.decoded(|value| {
            let file = value.file();
            if !matches!(value.kind(), Kind::Word | Kind::Call) {
                return Err(value.wrong(&format_args!("a variant of {name}")));
            }
            let variant = file.name(value.top.node);
            if !variants.contains(&variant) {
                let mut fault =
                    Fault::new(ErrorKind::UnknownVariant, format!("{name} has no variant `{variant}`"));
                if let Some(help) = crate::text::fault::nearest(variant, variants.iter().copied()) {
                    fault = fault.help(help);
                }
                return Err(fault);
            }
            visitor.visit_enum(Variant { context: value.context, call: Some(value.top), key: true })
        })
    }

    fn deserialize_identifier<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.kind() {
            Kind::Word => visitor.visit_borrowed_str(self.file().name(self.top.node)),
            _ => self.deserialize_str(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'f>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
}

impl<'f> Value<'_, 'f> {
    /// The items of a tuple, of which there must be so many.
    pub(crate) fn items<V: Visitor<'f>>(
        self,
        name: Option<&str>,
        length: usize,
        wanted: &dyn fmt::Display,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let Some(node) = self.parenthesised(self.top, name) else { return Err(self.wrong(wanted)) };
        let file = self.file();
        if let Some(field) = file.children(node).find(|&child| file.kind(child) == Kind::Field) {
            return Err(Fault::new(ErrorKind::WrongType, format!("expected {wanted}, found a field"))
                .help("the items of a tuple have no names")
                .at(self.top.file, file.head_span(field)));
        }
        let found = file.children(node).count();
        if found != length {
            return Err(Fault::new(
                ErrorKind::WrongLength,
                format!(
                    "{length} {} expected, found {found}",
                    if length == 1 { "value is" } else { "values are" }
                ),
            )
            .at(self.top.file, file.span(node)));
        }
        visitor.visit_seq(Items::new(self.context, self.top))
    }

    pub(crate) fn variant<T: DeserializeSeed<'f>>(self, seed: T) -> Result<T::Value, Fault> {
        let top = self.content(self.top);
        seed.deserialize(Value::new(self.context, top))
    }
}
