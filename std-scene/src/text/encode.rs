//! The writer of values.

use std::fmt::Write as _;

use serde::ser::{self, Serialize};
use std_ecs::Entity;

/// What an entity is called in the file that is written.
pub(crate) trait EntityNames {
    /// The text that stands for the entity.
    fn write(&mut self, entity: Entity, out: &mut String) -> Result<(), WriteFault>;
}

/// Entities as their bits.
pub(crate) struct Bits;

impl EntityNames for Bits {
    fn write(&mut self, entity: Entity, out: &mut String) -> Result<(), WriteFault> {
        let _ = write!(out, "{}", entity.to_bits());
        Ok(())
    }
}

/// Counts entities, and writes them as their bits.
pub(crate) struct Count(pub(crate) u32);

impl EntityNames for Count {
    fn write(&mut self, entity: Entity, out: &mut String) -> Result<(), WriteFault> {
        self.0 += 1;
        Bits.write(entity, out)
    }
}

/// Why a value cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WriteFault(pub(crate) String);

impl ser::Error for WriteFault {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// What is written, and how deep it is.
struct Out<'n> {
    text: &'n mut String,
    names: &'n mut dyn EntityNames,
    depth: usize,
    limit: usize,
}

/// Writes a value as it stands in a field.
pub(crate) fn value<T: Serialize + ?Sized>(
    value: &T,
    names: &mut dyn EntityNames,
    limit: usize,
) -> Result<String, WriteFault> {
    let mut text = String::with_capacity(48);
    value.serialize(Encoder { out: &mut Out { text: &mut text, names, depth: 0, limit }, name: None })?;
    Ok(text)
}

/// Writes a component: its name, and what its type puts into the parentheses.
pub(crate) fn component<T: Serialize + ?Sized>(
    name: &str,
    value: &T,
    names: &mut dyn EntityNames,
    limit: usize,
) -> Result<String, WriteFault> {
    let mut text = String::with_capacity(48);
    Out { text: &mut text, names, depth: 0, limit }.identifier(name)?;
    text.clear();
    append_component(name, value, names, limit, &mut text)?;
    Ok(text)
}

/// Appends a component to a text, under a name that is known to be an identifier. What was written until something
/// turned out to be impossible stays there.
pub(crate) fn append_component<T: Serialize + ?Sized>(
    name: &str,
    value: &T,
    names: &mut dyn EntityNames,
    limit: usize,
    text: &mut String,
) -> Result<(), WriteFault> {
    value.serialize(Encoder { out: &mut Out { text, names, depth: 0, limit }, name: Some(name) })
}

struct Encoder<'o, 'n> {
    out: &'o mut Out<'n>,
    /// The name of the component, where the value is a whole one.
    name: Option<&'o str>,
}

/// A bracket that is open.
struct Open<'o, 'n> {
    out: &'o mut Out<'n>,
    first: bool,
    closer: &'static str,
}

impl Out<'_> {
    fn deeper(&mut self) -> Result<(), WriteFault> {
        self.depth += 1;
        if self.depth > self.limit {
            return Err(WriteFault(format!(
                "values are nested more than {} deep: raise `Limits::value_depth` if they are meant to be",
                self.limit
            )));
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        self.text.push('"');
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
            self.text.push_str(text);
            self.text.push('"');
            return;
        }
        for character in text.chars() {
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                // What does not show, or shows as something else, is written as its number.
                _ if character.is_control() || matches!(character, '\u{feff}' | '\u{2028}' | '\u{2029}') => {
                    let _ = write!(self.text, "\\u{{{:x}}}", character as u32);
                }
                _ => self.text.push(character),
            }
        }
        self.text.push('"');
    }

    fn identifier(&mut self, name: &str) -> Result<(), WriteFault> {
        let ascii = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.len() > 2 && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(ascii) {
            self.text.push_str(name);
            return Ok(());
        }
        let mut characters = name.chars();
        let start = |character: char| character.is_alphabetic() || character == '_';
        let plain = characters.next().is_some_and(start)
            && characters.all(|character| start(character) || character.is_numeric())
            // These would be read as the beginning of something else.
            && !matches!(name, "r" | "b" | "br");
        if plain {
            self.text.push_str(name);
            return Ok(());
        }
        let raw = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
        if !name.is_empty() && name.bytes().all(raw) {
            self.text.push_str("r#");
            self.text.push_str(name);
            return Ok(());
        }
        Err(WriteFault(format!(
            "`{name}` cannot be written as an identifier: rename it with `#[serde(rename)]`"
        )))
    }
}

impl<'o, 'n> Encoder<'o, 'n> {
    /// Something that is one value: a component has it in its parentheses.
    fn one(self, write: impl FnOnce(&mut Out<'n>) -> Result<(), WriteFault>) -> Result<(), WriteFault> {
        if let Some(name) = self.name {
            self.out.text.push_str(name);
            self.out.text.push('(');
            write(self.out)?;
            self.out.text.push(')');
            Ok(())
        } else {
            write(self.out)
        }
    }

    fn show(self, shown: impl std::fmt::Display) -> Result<(), WriteFault> {
        self.one(|out| {
            let _ = write!(out.text, "{shown}");
            Ok(())
        })
    }

    /// A bracket that a component has in its parentheses.
    fn open(
        self,
        opener: &str,
        closer: &'static str,
        in_component: &'static str,
    ) -> Result<Open<'o, 'n>, WriteFault> {
        self.out.deeper()?;
        let closer = match self.name {
            Some(name) => {
                self.out.text.push_str(name);
                self.out.text.push('(');
                in_component
            }
            None => closer,
        };
        self.out.text.push_str(opener);
        Ok(Open { out: self.out, first: true, closer })
    }

    /// Parentheses, which for a component are those behind its name.
    fn parentheses(self) -> Result<Open<'o, 'n>, WriteFault> {
        self.out.deeper()?;
        self.out.text.push_str(self.name.unwrap_or_default());
        self.out.text.push('(');
        Ok(Open { out: self.out, first: true, closer: ")" })
    }

    /// A float, with the shortest digits that read back as the same bits.
    fn float(self, value: impl std::fmt::Debug, nan: bool, negative: bool) -> Result<(), WriteFault> {
        self.one(|out| {
            if nan {
                out.text.push_str(if negative { "-NaN" } else { "NaN" });
            } else {
                let _ = write!(out.text, "{value:?}");
            }
            Ok(())
        })
    }
}

impl Open<'_, '_> {
    fn separate(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.text.push_str(", ");
        }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteFault> {
        self.separate();
        value.serialize(Encoder { out: self.out, name: None })
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), WriteFault> {
        self.separate();
        self.out.identifier(name)?;
        self.out.text.push_str(": ");
        value.serialize(Encoder { out: self.out, name: None })
    }

    fn close(self) {
        self.out.depth -= 1;
        self.out.text.push_str(self.closer);
    }
}

macro_rules! shown {
    ($($method:ident $type:ty)*) => {
        $(
            fn $method(self, value: $type) -> Result<(), WriteFault> {
                self.show(value)
            }
        )*
    };
}

impl<'o, 'n> ser::Serializer for Encoder<'o, 'n> {
    type Ok = ();
    type Error = WriteFault;
    type SerializeSeq = Open<'o, 'n>;
    type SerializeTuple = Open<'o, 'n>;
    type SerializeTupleStruct = Open<'o, 'n>;
    type SerializeTupleVariant = Open<'o, 'n>;
    type SerializeMap = Open<'o, 'n>;
    type SerializeStruct = Open<'o, 'n>;
    type SerializeStructVariant = Open<'o, 'n>;

    shown! {
        serialize_bool bool
        serialize_i8 i8
        serialize_i16 i16
        serialize_i32 i32
        serialize_i64 i64
        serialize_i128 i128
        serialize_u8 u8
        serialize_u16 u16
        serialize_u32 u32
        serialize_u64 u64
        serialize_u128 u128
    }

    fn serialize_f32(self, value: f32) -> Result<(), WriteFault> {
        self.float(value, value.is_nan(), value.is_sign_negative())
    }

    fn serialize_f64(self, value: f64) -> Result<(), WriteFault> {
        self.float(value, value.is_nan(), value.is_sign_negative())
    }

    fn serialize_char(self, value: char) -> Result<(), WriteFault> {
        self.one(|out| {
            let _ = match value {
                '\'' => write!(out.text, "'\\''"),
                '\\' => write!(out.text, "'\\\\'"),
                '\n' => write!(out.text, "'\\n'"),
                '\r' => write!(out.text, "'\\r'"),
                '\t' => write!(out.text, "'\\t'"),
                _ if value.is_control() || value.is_whitespace() && value != ' ' => {
                    write!(out.text, "'\\u{{{:x}}}'", value as u32)
                }
                _ => write!(out.text, "'{value}'"),
            };
            Ok(())
        })
    }

    fn serialize_str(self, value: &str) -> Result<(), WriteFault> {
        self.one(|out| {
            out.text(value);
            Ok(())
        })
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), WriteFault> {
        self.one(|out| {
            out.text.push_str("b\"");
            for &byte in value {
                match byte {
                    b'"' => out.text.push_str("\\\""),
                    b'\\' => out.text.push_str("\\\\"),
                    0x20..=0x7e => out.text.push(char::from(byte)),
                    _ => {
                        let _ = write!(out.text, "\\x{byte:02x}");
                    }
                }
            }
            out.text.push('"');
            Ok(())
        })
    }

    fn serialize_none(self) -> Result<(), WriteFault> {
        self.show("None")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), WriteFault> {
        self.one(|out| {
            out.deeper()?;
            out.text.push_str("Some(");
            value.serialize(Encoder { out, name: None })?;
            out.text.push(')');
            out.depth -= 1;
            Ok(())
        })
    }

    fn serialize_unit(self) -> Result<(), WriteFault> {
        self.show("()")
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), WriteFault> {
        let name = self.name.unwrap_or(name);
        self.out.identifier(name)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), WriteFault> {
        self.one(|out| out.identifier(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), WriteFault> {
        if name == Entity::SERDE_NAME {
            return self.one(|out| {
                let start = out.text.len();
                value.serialize(Encoder { out, name: None })?;
                let bits = out.text[start..].parse().ok().and_then(Entity::from_bits);
                out.text.truncate(start);
                let entity = bits.ok_or_else(|| WriteFault("an entity is its 64 bits".to_owned()))?;
                out.names.write(entity, out.text)
            });
        }
        let mut open = self.parentheses()?;
        open.item(value)?;
        open.close();
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), WriteFault> {
        self.one(|out| {
            out.deeper()?;
            out.identifier(variant)?;
            out.text.push('(');
            value.serialize(Encoder { out, name: None })?;
            out.text.push(')');
            out.depth -= 1;
            Ok(())
        })
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'o, 'n>, WriteFault> {
        self.open("[", "]", "])")
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'o, 'n>, WriteFault> {
        self.open("(", ")", "))")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'o, 'n>, WriteFault> {
        self.parentheses()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'o, 'n>, WriteFault> {
        self.variant(variant)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'o, 'n>, WriteFault> {
        self.open("{", "}", "})")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'o, 'n>, WriteFault> {
        self.parentheses()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'o, 'n>, WriteFault> {
        self.variant(variant)
    }
}

impl<'o, 'n> Encoder<'o, 'n> {
    fn variant(self, variant: &'static str) -> Result<Open<'o, 'n>, WriteFault> {
        let mut open = self.open("", ")", "))")?;
        open.out.identifier(variant)?;
        open.out.text.push('(');
        open.first = true;
        Ok(open)
    }
}

/// For each shape that serde tells apart and the format does not: `impl ser::Shape for Open`, whose method writes an
/// item.
macro_rules! items {
    ($($shape:ident $method:ident)*) => {
        $(
            impl ser::$shape for Open<'_, '_> {
                type Ok = ();
                type Error = WriteFault;

                fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteFault> {
                    self.item(value)
                }

                fn end(self) -> Result<(), WriteFault> {
                    self.close();
                    Ok(())
                }
            }
        )*
    };
}

items! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

/// As `items!`, with a method that writes a field.
macro_rules! fields {
    ($($shape:ident)*) => {
        $(
            impl ser::$shape for Open<'_, '_> {
                type Ok = ();
                type Error = WriteFault;

                fn serialize_field<T: Serialize + ?Sized>(
                    &mut self,
                    name: &'static str,
                    value: &T,
                ) -> Result<(), WriteFault> {
                    self.field(name, value)
                }

                fn end(self) -> Result<(), WriteFault> {
                    self.close();
                    Ok(())
                }
            }
        )*
    };
}

fields! {
    SerializeStruct
    SerializeStructVariant
}

impl ser::SerializeMap for Open<'_, '_> {
    type Ok = ();
    type Error = WriteFault;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), WriteFault> {
        self.item(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WriteFault> {
        self.out.text.push_str(": ");
        value.serialize(Encoder { out: self.out, name: None })
    }

    fn end(self) -> Result<(), WriteFault> {
        self.close();
        Ok(())
    }
}
