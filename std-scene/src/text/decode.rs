//! The deserializer over a stack of layers: patches from the outermost inwards, the text of the file itself,
//! the default of the registration.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, IntoDeserializer, Visitor};
use std_ecs::Entity;

use crate::error::ErrorKind;
use crate::text::access::Items;
use crate::text::fault::Fault;
use crate::text::literal;
use crate::text::tree::{File, Kind};

mod deserializer;

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
