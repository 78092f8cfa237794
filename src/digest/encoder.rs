//! The one encoding of values that digests are taken of, and that deltas compare rows by.
//!
//! What it writes byte for byte is documented at [`digest`](crate::digest()).

use std::fmt;

use serde::ser::{self, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

/// Where encoded bytes go.
pub(crate) trait Sink {
    /// Whether all NaN are written as one.
    const CANONICAL: bool;

    fn put(&mut self, bytes: &[u8]);

    fn put_word<const N: usize>(&mut self, word: [u8; N]) {
        self.put(&word);
    }
}

/// xxh3 with 128 bits, behind a block that gathers small writes: hashing each field by itself takes five
/// times as long.
pub(crate) struct Hash {
    used: usize,
    block: [u8; BLOCK],
    state: Xxh3Default,
}

const BLOCK: usize = 1024;

impl Hash {
    pub(crate) fn new() -> Self {
        Self { used: 0, block: [0; BLOCK], state: Xxh3Default::new() }
    }

    pub(crate) fn finish(mut self) -> u128 {
        self.flush();
        self.state.digest128()
    }

    #[inline(never)]
    fn flush(&mut self) {
        self.state.update(&self.block[..self.used]);
        self.used = 0;
    }
}

impl Sink for Hash {
    const CANONICAL: bool = true;

    fn put(&mut self, bytes: &[u8]) {
        if bytes.len() > BLOCK - self.used {
            self.flush();
            if bytes.len() > BLOCK {
                self.state.update(bytes);
                return;
            }
        }
        self.block[self.used..self.used + bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
    }

    #[inline]
    fn put_word<const N: usize>(&mut self, word: [u8; N]) {
        if N > BLOCK - self.used {
            self.flush();
        }
        self.block[self.used..self.used + N].copy_from_slice(&word);
        self.used += N;
    }
}

/// The bytes themselves, NaN as they are: for comparing two values exactly.
impl Sink for Vec<u8> {
    const CANONICAL: bool = false;

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Why a value could not be encoded: what its `Serialize` said.
#[derive(Debug)]
pub(crate) struct Unencodable(String);

impl fmt::Display for Unencodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unencodable {}

impl ser::Error for Unencodable {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Self(message.to_string())
    }
}

type Encoded = Result<(), Unencodable>;

/// A serializer that writes into a sink and allocates nothing.
pub(crate) struct Encoder<'a, S>(pub(crate) &'a mut S);

/// Encodes one value.
pub(crate) fn encode<T: Serialize + ?Sized, S: Sink>(value: &T, sink: &mut S) -> Encoded {
    value.serialize(Encoder(sink))
}

/// Stands for a length that is not known beforehand.
const UNKNOWN: u64 = u64::MAX;

macro_rules! words {
    ($($method:ident: $word:ty),*) => {
        $(
            #[inline]
            fn $method(self, value: $word) -> Encoded {
                self.0.put_word(value.to_le_bytes());
                Ok(())
            }
        )*
    };
}

impl<'a, S: Sink> ser::Serializer for Encoder<'a, S> {
    type Ok = ();
    type Error = Unencodable;
    type SerializeSeq = Elements<'a, S>;
    type SerializeTuple = Fields<'a, S>;
    type SerializeTupleStruct = Fields<'a, S>;
    type SerializeTupleVariant = Fields<'a, S>;
    type SerializeMap = Elements<'a, S>;
    type SerializeStruct = Fields<'a, S>;
    type SerializeStructVariant = Fields<'a, S>;

    words! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Encoded {
        self.serialize_u8(u8::from(value))
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Encoded {
        let bits = if S::CANONICAL && value.is_nan() { 0x7fc0_0000 } else { value.to_bits() };
        self.serialize_u32(bits)
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Encoded {
        let bits = if S::CANONICAL && value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() };
        self.serialize_u64(bits)
    }

    fn serialize_char(self, value: char) -> Encoded {
        self.serialize_u32(u32::from(value))
    }

    fn serialize_str(self, value: &str) -> Encoded {
        self.serialize_bytes(value.as_bytes())
    }

    fn serialize_bytes(self, value: &[u8]) -> Encoded {
        self.0.put_word((value.len() as u64).to_le_bytes());
        self.0.put(value);
        Ok(())
    }

    fn serialize_none(self) -> Encoded {
        self.serialize_u8(0)
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Encoded {
        self.0.put_word([1]);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Encoded {
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Encoded {
        Ok(())
    }

    #[inline]
    fn serialize_unit_variant(self, _name: &'static str, index: u32, _variant: &'static str) -> Encoded {
        self.serialize_u32(index)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Encoded {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        index: u32,
        _variant: &'static str,
        value: &T,
    ) -> Encoded {
        self.0.put_word(index.to_le_bytes());
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Elements<'a, S>, Unencodable> {
        let announced = length.map_or(UNKNOWN, |length| length as u64);
        self.0.put_word(announced.to_le_bytes());
        Ok(Elements { sink: self.0, announced, met: 0 })
    }

    #[inline]
    fn serialize_tuple(self, _length: usize) -> Result<Fields<'a, S>, Unencodable> {
        Ok(Fields { sink: self.0, next: 0, skipped: 0 })
    }

    #[inline]
    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        length: usize,
    ) -> Result<Fields<'a, S>, Unencodable> {
        self.serialize_tuple(length)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        index: u32,
        _variant: &'static str,
        length: usize,
    ) -> Result<Fields<'a, S>, Unencodable> {
        self.0.put_word(index.to_le_bytes());
        self.serialize_tuple(length)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Elements<'a, S>, Unencodable> {
        self.serialize_seq(length)
    }

    #[inline]
    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<Fields<'a, S>, Unencodable> {
        self.serialize_tuple(length)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Fields<'a, S>, Unencodable> {
        self.serialize_tuple_variant(name, index, variant, length)
    }

    /// As the text it shows, which is met twice: to know its length, and to write it.
    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Encoded {
        struct Length(u64);
        impl fmt::Write for Length {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.0 += text.len() as u64;
                Ok(())
            }
        }
        struct Text<'s, S>(&'s mut S);
        impl<S: Sink> fmt::Write for Text<'_, S> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.0.put(text.as_bytes());
                Ok(())
            }
        }
        let mut length = Length(0);
        fmt::write(&mut length, format_args!("{value}")).map_err(ser::Error::custom)?;
        self.0.put_word(length.0.to_le_bytes());
        fmt::write(&mut Text(self.0), format_args!("{value}")).map_err(ser::Error::custom)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The elements of a sequence or the pairs of a map.
pub(crate) struct Elements<'a, S> {
    sink: &'a mut S,
    announced: u64,
    met: u64,
}

impl<S: Sink> Elements<'_, S> {
    #[inline]
    fn begin(&mut self) {
        self.met += 1;
        if self.announced == UNKNOWN {
            self.sink.put_word([1]);
        }
    }

    #[inline]
    fn finish(self) -> Encoded {
        if self.announced == UNKNOWN {
            self.sink.put_word([0]);
        } else if self.met != self.announced {
            let message = format_args!("{} elements were announced and {} came", self.announced, self.met);
            return Err(ser::Error::custom(message));
        }
        Ok(())
    }
}

impl<S: Sink> ser::SerializeSeq for Elements<'_, S> {
    type Ok = ();
    type Error = Unencodable;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded {
        self.begin();
        value.serialize(Encoder(self.sink))
    }

    fn end(self) -> Encoded {
        self.finish()
    }
}

impl<S: Sink> ser::SerializeMap for Elements<'_, S> {
    type Ok = ();
    type Error = Unencodable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Encoded {
        self.begin();
        key.serialize(Encoder(self.sink))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded {
        value.serialize(Encoder(self.sink))
    }

    fn end(self) -> Encoded {
        self.finish()
    }
}

/// The fields of a tuple or a struct, whose number the type knows. Those that are skipped leave their place,
/// so that it is told which ones were there.
pub(crate) struct Fields<'a, S> {
    sink: &'a mut S,
    next: u32,
    skipped: u32,
}

impl<S: Sink> Fields<'_, S> {
    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded {
        self.next += 1;
        value.serialize(Encoder(self.sink))
    }

    fn skip(&mut self) {
        self.sink.put_word(self.next.to_le_bytes());
        self.next += 1;
        self.skipped += 1;
    }

    #[inline]
    fn finish(self) {
        if self.skipped > 0 {
            self.sink.put_word(self.skipped.to_le_bytes());
        }
    }
}

macro_rules! tuples {
    ($($kind:ident: $method:ident),*) => {
        $(
            impl<S: Sink> ser::$kind for Fields<'_, S> {
                type Ok = ();
                type Error = Unencodable;

                #[inline]
                fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded {
                    self.field(value)
                }

                #[inline]
                fn end(self) -> Encoded {
                    self.finish();
                    Ok(())
                }
            }
        )*
    };
}

tuples! {
    SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field
}

macro_rules! structs {
    ($($kind:ident),*) => {
        $(
            impl<S: Sink> ser::$kind for Fields<'_, S> {
                type Ok = ();
                type Error = Unencodable;

                #[inline]
                fn serialize_field<T: Serialize + ?Sized>(&mut self, _name: &'static str, value: &T) -> Encoded {
                    self.field(value)
                }

                fn skip_field(&mut self, _name: &'static str) -> Encoded {
                    self.skip();
                    Ok(())
                }

                #[inline]
                fn end(self) -> Encoded {
                    self.finish();
                    Ok(())
                }
            }
        )*
    };
}

structs! { SerializeStruct, SerializeStructVariant }

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;
    use serde::ser::{SerializeSeq, Serializer};

    use super::{Hash, encode};

    fn bytes<T: Serialize>(value: &T) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(value, &mut bytes).unwrap();
        bytes
    }

    fn hash<T: Serialize>(value: &T) -> u128 {
        let mut hash = Hash::new();
        encode(value, &mut hash).unwrap();
        hash.finish()
    }

    /// A sequence that does not know its length.
    struct Endless(Vec<u8>);

    impl Serialize for Endless {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut out = serializer.serialize_seq(None)?;
            for byte in &self.0 {
                out.serialize_element(byte)?;
            }
            out.end()
        }
    }

    #[derive(Serialize)]
    struct Sparse {
        #[serde(skip_serializing_if = "Option::is_none")]
        left: Option<u8>,
        #[serde(skip_serializing_if = "Option::is_none")]
        right: Option<u8>,
    }

    #[derive(Serialize)]
    enum Mode {
        Free,
        Held(u8),
        Thrown { speed: i16 },
    }

    #[test]
    fn the_bytes_are_those_that_are_documented() {
        assert_eq!(bytes(&(true, -2_i16, 'a', 1.0_f32)), [1, 0xfe, 0xff, 97, 0, 0, 0, 0, 0, 0x80, 0x3f]);
        assert_eq!(bytes(&"ab"), [2, 0, 0, 0, 0, 0, 0, 0, 97, 98]);
        assert_eq!(bytes(&vec![7_u8]), [1, 0, 0, 0, 0, 0, 0, 0, 7]);
        assert_eq!(bytes(&BTreeMap::from([(1_u8, 2_u8)])), [1, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(bytes(&(None::<u8>, Some(3_u8), ())), [0, 1, 3]);
        assert_eq!(bytes(&(Mode::Free, Mode::Held(9))), [0, 0, 0, 0, 1, 0, 0, 0, 9]);
        assert_eq!(bytes(&Mode::Thrown { speed: 3 }), [2, 0, 0, 0, 3, 0]);
        assert_eq!(bytes(&Endless(vec![5, 6])), [255, 255, 255, 255, 255, 255, 255, 255, 1, 5, 1, 6, 0]);
        assert_eq!(bytes(&Sparse { left: None, right: Some(4) }), [0, 0, 0, 0, 1, 4, 1, 0, 0, 0]);
        assert_eq!(bytes(&format_args!("{}-{}", 1, 2)), [3, 0, 0, 0, 0, 0, 0, 0, b'1', b'-', b'2']);
    }

    #[test]
    fn what_differs_in_structure_differs_in_bytes() {
        let split = [Endless(vec![1]), Endless(vec![2])];
        let joined = [Endless(vec![1, 2]), Endless(vec![])];
        assert_ne!(bytes(&split), bytes(&joined));
        assert_ne!(bytes(&vec!["ab", "c"]), bytes(&vec!["a", "bc"]));
        let (left, right) = (Sparse { left: Some(4), right: None }, Sparse { left: None, right: Some(4) });
        assert_ne!(bytes(&left), bytes(&right));
    }

    #[test]
    fn a_hash_takes_all_nan_for_one_and_bytes_keep_them() {
        let (quiet, odd) = (f32::from_bits(0x7fc0_0000), f32::from_bits(0xffc0_0123));
        assert_eq!(hash(&quiet), hash(&odd));
        assert_ne!(bytes(&quiet), bytes(&odd));
        assert_ne!(hash(&0.0_f64), hash(&-0.0_f64));
    }

    #[test]
    fn the_block_changes_nothing() {
        let mut values: Vec<(u8, u64, String)> =
            (0..500_u64).map(|at| (at as u8, at << 20, "x".repeat(at as usize % 7))).collect();
        values.push((1, 2, "long".repeat(2_000)));
        assert_eq!(hash(&values), xxhash_rust::xxh3::xxh3_128(&bytes(&values)));
    }

    #[test]
    fn a_sequence_that_breaks_its_word_is_refused() {
        struct Liar;
        impl Serialize for Liar {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_seq(Some(2))?.end()
            }
        }
        let problem = encode(&Liar, &mut Vec::new()).unwrap_err();
        assert_eq!(problem.to_string(), "2 elements were announced and 0 came");
    }
}
