//! What a type looks like: found by one deserializer that records what it is asked for.

use std::fmt;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};
use std_ecs::Entity;

/// What a type looks like to serde.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// A number, a truth value, a character or a string, by its Rust name.
    Plain(&'static str),
    /// An entity, which is written as its name.
    Entity,
    /// `()` or a struct without fields.
    Unit,
    /// A struct around one value.
    Newtype(Box<Shape>),
    /// A struct: the name and shape of each field.
    Struct(Vec<(&'static str, Shape)>),
    /// An enum: the names of its variants.
    Enum(&'static [&'static str]),
    /// A tuple, or a tuple struct.
    Tuple(Vec<Shape>),
    /// A value that may be missing.
    Option(Box<Shape>),
    /// A list of values of one type.
    List,
    /// A map.
    Map,
    /// Something that only the text itself tells, or a type inside of itself.
    Any,
}

/// Records the shape of a type. Nothing of it is decoded: where a field stands behind one whose values are
/// checked by code, what can be known of it may be [`Shape::Any`].
pub(crate) fn describe<T: DeserializeOwned>() -> Shape {
    let mut shape = Shape::Any;
    let _ = T::deserialize(Recorder { shape: &mut shape, depth: 0 });
    shape
}

/// How deep a type is followed: a type inside of itself has no end.
const DEPTH: usize = 8;

#[derive(Debug)]
struct Recorded;

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the shape is recorded")
    }
}

impl std::error::Error for Recorded {}

impl de::Error for Recorded {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

struct Recorder<'s> {
    shape: &'s mut Shape,
    depth: usize,
}

macro_rules! plain {
    ($($method:ident $name:literal $visit:ident $value:expr;)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Recorded> {
                *self.shape = Shape::Plain($name);
                visitor.$visit($value)
            }
        )*
    };
}

impl<'de> de::Deserializer<'de> for Recorder<'_> {
    type Error = Recorded;

    plain! {
        deserialize_bool "bool" visit_bool false;
        deserialize_i8 "i8" visit_i8 1;
        deserialize_i16 "i16" visit_i16 1;
        deserialize_i32 "i32" visit_i32 1;
        deserialize_i64 "i64" visit_i64 1;
        deserialize_i128 "i128" visit_i128 1;
        deserialize_u8 "u8" visit_u8 1;
        deserialize_u16 "u16" visit_u16 1;
        deserialize_u32 "u32" visit_u32 1;
        deserialize_u64 "u64" visit_u64 1;
        deserialize_u128 "u128" visit_u128 1;
        deserialize_f32 "f32" visit_f32 1.0;
        deserialize_f64 "f64" visit_f64 1.0;
        deserialize_char "char" visit_char 'a';
        deserialize_str "String" visit_borrowed_str "";
        deserialize_string "String" visit_borrowed_str "";
        deserialize_bytes "bytes" visit_borrowed_bytes b"";
        deserialize_byte_buf "bytes" visit_borrowed_bytes b"";
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Recorded> {
        Err(Recorded)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Recorded> {
        let mut inner = Shape::Any;
        let depth = self.depth + 1;
        let value = if depth < DEPTH {
            visitor.visit_some(Recorder { shape: &mut inner, depth })
        } else {
            visitor.visit_none()
        };
        *self.shape = Shape::Option(Box::new(inner));
        value
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Recorded> {
        *self.shape = Shape::Unit;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Recorded> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Recorded> {
        if name == Entity::SERDE_NAME {
            *self.shape = Shape::Entity;
            return visitor.visit_newtype_struct((1_u64 << 32).into_deserializer());
        }
        let mut inner = Shape::Any;
        let value = if self.depth < DEPTH {
            visitor.visit_newtype_struct(Recorder { shape: &mut inner, depth: self.depth + 1 })
        } else {
            Err(Recorded)
        };
        *self.shape = Shape::Newtype(Box::new(inner));
        value
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Recorded> {
        *self.shape = Shape::List;
        visitor.visit_seq(Pieces { shapes: &mut Vec::new(), left: 0, depth: DEPTH })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Recorded> {
        let mut shapes = Vec::new();
        let value = visitor.visit_seq(Pieces { shapes: &mut shapes, left: length, depth: self.depth + 1 });
        *self.shape = Shape::Tuple(shapes);
        value
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Recorded> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Recorded> {
        *self.shape = Shape::Map;
        visitor.visit_map(FieldsOf { names: &[], shapes: &mut Vec::new(), at: 0, depth: DEPTH })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Recorded> {
        let mut shapes = Vec::new();
        let value =
            visitor.visit_map(FieldsOf { names: fields, shapes: &mut shapes, at: 0, depth: self.depth + 1 });
        let rest = fields.iter().skip(shapes.len()).map(|&name| (name, Shape::Any));
        let all = shapes.drain(..).chain(rest.collect::<Vec<_>>()).collect();
        *self.shape = Shape::Struct(all);
        value
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Recorded> {
        *self.shape = Shape::Enum(variants);
        match variants.first() {
            Some(first) => visitor.visit_enum(First { name: first, depth: self.depth + 1 }),
            None => Err(Recorded),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Recorded> {
        Err(Recorded)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Recorded> {
        visitor.visit_unit()
    }
}

struct Pieces<'s> {
    shapes: &'s mut Vec<Shape>,
    left: usize,
    depth: usize,
}

impl<'de> de::SeqAccess<'de> for Pieces<'_> {
    type Error = Recorded;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Recorded> {
        if self.left == 0 || self.depth > DEPTH {
            return Ok(None);
        }
        self.left -= 1;
        let mut shape = Shape::Any;
        let value = seed.deserialize(Recorder { shape: &mut shape, depth: self.depth });
        self.shapes.push(shape);
        value.map(Some)
    }
}

struct FieldsOf<'s> {
    names: &'static [&'static str],
    shapes: &'s mut Vec<(&'static str, Shape)>,
    at: usize,
    depth: usize,
}

impl<'de> de::MapAccess<'de> for FieldsOf<'_> {
    type Error = Recorded;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Recorded> {
        if self.depth > DEPTH {
            return Ok(None);
        }
        match self.names.get(self.at) {
            Some(name) => seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Recorded> {
        let mut shape = Shape::Any;
        let value = seed.deserialize(Recorder { shape: &mut shape, depth: self.depth });
        self.shapes.push((self.names[self.at], shape));
        self.at += 1;
        value
    }
}

/// The first variant, so that a struct can be built on past an enum.
struct First {
    name: &'static str,
    depth: usize,
}

impl<'de> de::EnumAccess<'de> for First {
    type Error = Recorded;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Recorded> {
        Ok((seed.deserialize(BorrowedStrDeserializer::new(self.name))?, self))
    }
}

impl<'de> de::VariantAccess<'de> for First {
    type Error = Recorded;

    fn unit_variant(self) -> Result<(), Recorded> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Recorded> {
        if self.depth > DEPTH {
            return Err(Recorded);
        }
        seed.deserialize(Recorder { shape: &mut Shape::Any, depth: self.depth })
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Recorded> {
        visitor.visit_seq(Pieces { shapes: &mut Vec::new(), left: length, depth: self.depth })
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Recorded> {
        visitor.visit_map(FieldsOf { names: fields, shapes: &mut Vec::new(), at: 0, depth: self.depth })
    }
}
