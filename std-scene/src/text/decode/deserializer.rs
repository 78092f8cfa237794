//! What each type that serde asks for is written as.

use serde::de::{self, Visitor};
use std_ecs::Entity;

use super::{Layer, Value, short};
use crate::error::ErrorKind;
use crate::text::access::{Entries, Fields, Items, Merged, Variant};
use crate::text::fault::Fault;
use crate::text::literal::{self, Number};
use crate::text::tree::Kind;

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
