//! What a value hands out piece by piece: fields, items, entries, variants.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, Visitor};

use crate::error::ErrorKind;
use crate::text::decode::{Context, Layer, Value};
use crate::text::fault::{Fault, nearest};
use crate::text::tree::{File, Kind};

impl de::Error for Fault {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::new(ErrorKind::Refused, message.to_string())
    }

    fn invalid_type(found: de::Unexpected<'_>, wanted: &dyn de::Expected) -> Self {
        Self::new(ErrorKind::WrongType, format!("expected {wanted}, found {found}"))
    }

    fn invalid_value(found: de::Unexpected<'_>, wanted: &dyn de::Expected) -> Self {
        Self::new(ErrorKind::OutOfRange, format!("expected {wanted}, found {found}"))
    }

    fn invalid_length(found: usize, wanted: &dyn de::Expected) -> Self {
        Self::new(ErrorKind::WrongLength, format!("expected {wanted}, found {found} values"))
    }

    fn unknown_variant(variant: &str, variants: &'static [&'static str]) -> Self {
        with_nearest(ErrorKind::UnknownVariant, format!("there is no variant `{variant}`"), variant, variants)
    }

    fn unknown_field(field: &str, fields: &'static [&'static str]) -> Self {
        with_nearest(ErrorKind::UnknownField, format!("there is no field `{field}`"), field, fields)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(ErrorKind::MissingField, format!("the field `{field}` is missing"))
            .help(format!("add `{field}: ..`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(ErrorKind::DuplicateField, format!("the field `{field}` is given twice"))
    }
}

fn with_nearest(kind: ErrorKind, message: String, asked: &str, known: &[&str]) -> Fault {
    let fault = Fault::new(kind, message);
    match nearest(asked, known.iter().copied()) {
        Some(help) => fault.help(help),
        None => fault,
    }
}

/// The name of a field, or why it cannot be one here. `fields` are those of the struct, if it told.
fn field_name<'f>(
    file: &'f File,
    number: u32,
    field: u32,
    fields: Option<&'static [&'static str]>,
) -> Result<&'f str, Fault> {
    if file.kind(field) != Kind::Field {
        return Err(Fault::new(ErrorKind::WrongType, "a field needs its name in front")
            .help("write `(field: value)`: a struct is never written by position")
            .at(number, file.span(field)));
    }
    let name = file.name(field);
    if let Some(fields) = fields
        && !fields.contains(&name)
    {
        return Err(with_nearest(
            ErrorKind::UnknownField,
            format!("there is no field `{name}`"),
            name,
            fields,
        )
        .at(number, file.head_span(field)));
    }
    Ok(name)
}

/// The fields of a struct that one text gives.
pub(crate) struct Fields<'c, 'f> {
    context: &'c Context<'f>,
    layer: Layer,
    at: u32,
    end: u32,
    known: Option<&'static [&'static str]>,
}

impl<'c, 'f> Fields<'c, 'f> {
    pub(crate) fn new(
        context: &'c Context<'f>,
        layer: Layer,
        known: Option<&'static [&'static str]>,
    ) -> Self {
        let end = context.files[layer.file as usize].node(layer.node).next;
        Self { context, layer, at: layer.node + 1, end, known }
    }
}

impl<'f> de::MapAccess<'f> for Fields<'_, 'f> {
    type Error = Fault;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'f>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        if self.at >= self.end {
            return Ok(None);
        }
        let file = self.context.files[self.layer.file as usize];
        let name = field_name(file, self.layer.file, self.at, self.known)?;
        seed.deserialize(BorrowedStrDeserializer::new(name))
            .map(Some)
            .map_err(|fault: Fault| fault.at(self.layer.file, file.head_span(self.at)))
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'f>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let value = self.layer.whole(self.at + 1);
        self.at = self.context.files[self.layer.file as usize].node(self.at).next;
        seed.deserialize(Value::new(self.context, value))
    }
}

/// The fields of a struct that several texts give: each with all its values, outermost first.
pub(crate) struct Merged<'c, 'f> {
    context: &'c Context<'f>,
    fields: std::vec::IntoIter<(&'f str, Vec<Layer>)>,
    value: Vec<Layer>,
}

impl<'c, 'f> Merged<'c, 'f> {
    pub(crate) fn new(
        context: &'c Context<'f>,
        layers: &[Layer],
        known: &'static [&'static str],
    ) -> Result<Self, Fault> {
        let mut fields: Vec<(&'f str, Vec<Layer>)> = Vec::new();
        for &layer in layers {
            let file = context.files[layer.file as usize];
            for field in file.children(layer.node) {
                let name = field_name(file, layer.file, field, Some(known))?;
                let value = layer.whole(field + 1);
                match fields.iter_mut().find(|(found, _)| *found == name) {
                    Some((_, values)) => values.push(value),
                    None => fields.push((name, vec![value])),
                }
            }
        }
        Ok(Self { context, fields: fields.into_iter(), value: Vec::new() })
    }
}

impl<'f> de::MapAccess<'f> for Merged<'_, 'f> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'f>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let Some((name, value)) = self.fields.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'f>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        match Value::of_layers(self.context, &self.value) {
            Some(value) => seed.deserialize(value),
            None => Err(Fault::new(ErrorKind::MissingField, "a value was asked for before its field")),
        }
    }
}

/// The items of a list or a tuple.
pub(crate) struct Items<'c, 'f> {
    context: &'c Context<'f>,
    layer: Layer,
    at: u32,
    end: u32,
}

impl<'c, 'f> Items<'c, 'f> {
    pub(crate) fn new(context: &'c Context<'f>, layer: Layer) -> Self {
        let end = context.files[layer.file as usize].node(layer.node).next;
        Self { context, layer, at: layer.node + 1, end }
    }
}

impl<'f> de::SeqAccess<'f> for Items<'_, 'f> {
    type Error = Fault;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'f>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        if self.at >= self.end {
            return Ok(None);
        }
        let item = self.layer.whole(self.at);
        self.at = self.context.files[self.layer.file as usize].node(self.at).next;
        seed.deserialize(Value::new(self.context, item)).map(Some)
    }
}

/// The entries of a map.
pub(crate) struct Entries<'c, 'f> {
    items: Items<'c, 'f>,
    value: Layer,
}

impl<'c, 'f> Entries<'c, 'f> {
    pub(crate) fn new(context: &'c Context<'f>, layer: Layer) -> Self {
        Self { items: Items::new(context, layer), value: layer }
    }
}

impl<'f> de::MapAccess<'f> for Entries<'_, 'f> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'f>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let Items { context, layer, at, end } = self.items;
        if at >= end {
            return Ok(None);
        }
        let file = context.files[layer.file as usize];
        let key = at + 1;
        self.value = layer.whole(file.node(key).next);
        self.items.at = file.node(at).next;
        seed.deserialize(Value::new(context, layer.whole(key))).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'f>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        seed.deserialize(Value::new(self.items.context, self.value))
    }
}

/// A variant of an enum; as a map, which is how serde buffers one, it has one entry.
pub(crate) struct Variant<'c, 'f> {
    pub(crate) context: &'c Context<'f>,
    pub(crate) call: Option<Layer>,
    pub(crate) key: bool,
}

impl<'f> Variant<'_, 'f> {
    fn call(&self) -> Result<Layer, Fault> {
        self.call.ok_or_else(|| Fault::new(ErrorKind::WrongType, "the variant was taken already"))
    }

    fn name(&self, layer: Layer) -> &'f str {
        self.context.files[layer.file as usize].name(layer.node)
    }
}

impl<'f> de::MapAccess<'f> for Variant<'_, 'f> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'f>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        if !std::mem::take(&mut self.key) {
            return Ok(None);
        }
        let name = self.name(self.call()?);
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'f>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let call = self.call()?;
        self.call = None;
        Value::new(self.context, call).variant(seed)
    }
}

impl<'f> de::EnumAccess<'f> for Variant<'_, 'f> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'f>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        let name = self.name(self.call()?);
        Ok((seed.deserialize(BorrowedStrDeserializer::new(name))?, self))
    }
}

impl Variant<'_, '_> {
    /// The layer of the parentheses of a variant that has to have some.
    fn data(&self) -> Result<Layer, Fault> {
        let call = self.call()?;
        let file = self.context.files[call.file as usize];
        if file.kind(call.node) == Kind::Call {
            return Ok(call.inside(call.node));
        }
        let name = self.name(call);
        Err(Fault::new(ErrorKind::WrongType, format!("the variant `{name}` needs its values"))
            .help(format!("write `{name}(..)`"))
            .at(call.file, file.span(call.node)))
    }
}

impl<'f> de::VariantAccess<'f> for Variant<'_, 'f> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        let call = self.call()?;
        let file = self.context.files[call.file as usize];
        if file.kind(call.node) == Kind::Word {
            return Ok(());
        }
        let name = self.name(call);
        Err(Fault::new(ErrorKind::WrongType, format!("the variant `{name}` has no values"))
            .help(format!("write `{name}`"))
            .at(call.file, file.span(call.node)))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'f>>(self, seed: T) -> Result<T::Value, Fault> {
        let call = self.data()?;
        Value::new(self.context, call).variant(seed)
    }

    fn tuple_variant<V: Visitor<'f>>(self, length: usize, visitor: V) -> Result<V::Value, Fault> {
        let call = self.data()?;
        Value::new(self.context, call).items(None, length, &"the values of a variant", visitor)
    }

    fn struct_variant<V: Visitor<'f>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let call = self.data()?;
        Value::new(self.context, call).deserialize_struct("", fields, visitor)
    }
}
