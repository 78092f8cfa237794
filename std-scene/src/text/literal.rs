//! What literals stand for.

use std::borrow::Cow;

use crate::error::ErrorKind;
use crate::text::fault::Fault;

/// The content of a string whose escapes are known to be good.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (escaped, length) = escape(&rest[at..]).unwrap_or(('\u{fffd}', 1));
        out.push(escaped);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The content of a byte string whose escapes are known to be good.
pub(crate) fn unescape_bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let (escaped, length) = escape(&rest[at..]).unwrap_or(('\u{fffd}', 1));
        if escaped as u32 <= 0xff && rest[at..].starts_with("\\x") {
            out.push(escaped as u32 as u8);
        } else {
            out.extend_from_slice(escaped.encode_utf8(&mut [0; 4]).as_bytes());
        }
        rest = &rest[at + length..];
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

/// The content of a raw string or raw byte string literal.
pub(crate) fn raw(literal: &str) -> &str {
    let open = literal.find('"').unwrap_or(0);
    let hashes = literal[..open].matches('#').count();
    &literal[open + 1..literal.len() - 1 - hashes]
}

/// What the escape at the start of the text means, and how many bytes it has.
pub(crate) fn escape(text: &str) -> Result<(char, usize), Fault> {
    let bad = |message: &str| {
        Fault::new(ErrorKind::BadEscape, message.to_owned())
            .help(r#"the escapes are \n \r \t \0 \\ \' \" \x41 and \u{1F600}"#)
    };
    let simple = |character| Ok((character, 2));
    match text.as_bytes().get(1) {
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'0') => simple('\0'),
        Some(b'\\') => simple('\\'),
        Some(b'\'') => simple('\''),
        Some(b'"') => simple('"'),
        Some(b'x') => text
            .get(2..4)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .map(|code| (char::from(code), 4))
            .ok_or_else(|| bad("`\\x` needs two hexadecimal digits")),
        Some(b'u') => text
            .get(2..)
            .and_then(|rest| rest.strip_prefix('{'))
            .and_then(|rest| rest.split_once('}'))
            .filter(|(digits, _)| {
                (1..=6).contains(&digits.len()) && digits.bytes().all(|d| d.is_ascii_hexdigit())
            })
            .and_then(|(digits, _)| {
                Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, digits.len() + 4))
            })
            .ok_or_else(|| bad("`\\u{..}` needs the hexadecimal number of a character")),
        _ => Err(bad("there is no such escape")),
    }
}

/// A number as it is written, taken apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Sign and magnitude.
    Integer { negative: bool, magnitude: u128 },
    /// Anything with a point or an exponent, and the words for what is no number.
    Float(f64),
}

/// The types that a number may name at its end, longest first where one ends in another.
const SUFFIXES: [&str; 12] =
    ["i128", "u128", "i16", "i32", "i64", "u16", "u32", "u64", "f32", "f64", "i8", "u8"];

/// The number without the type at its end, and that type.
pub(crate) fn split_suffix(text: &str) -> (&str, Option<&'static str>) {
    let last = text.as_bytes().last().copied().unwrap_or(b'0');
    if !matches!(last, b'8' | b'6' | b'2' | b'4')
        || !text.bytes().any(|byte| matches!(byte, b'i' | b'u' | b'f'))
    {
        return (text, None);
    }
    let hexadecimal = text.trim_start_matches(['+', '-']).starts_with("0x");
    for suffix in SUFFIXES {
        if let Some(number) = text.strip_suffix(suffix)
            && !(hexadecimal && suffix.starts_with('f'))
            && !number.trim_start_matches(['+', '-']).is_empty()
        {
            return (number, Some(suffix));
        }
    }
    (text, None)
}

/// Reads an integer; `None` if it is not written as one.
pub(crate) fn integer(text: &str) -> Option<Result<(bool, u128), ()>> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        _ => (10, digits),
    };
    let mut magnitude: u128 = 0;
    let mut any = false;
    let mut fits = true;
    for byte in digits.bytes() {
        if byte == b'_' && any {
            continue;
        }
        let digit = char::from(byte).to_digit(radix)?;
        any = true;
        // Most numbers are short: the wide multiplication is for those that are not.
        if magnitude <= u128::from(u32::MAX) {
            magnitude = u128::from(magnitude as u64 * u64::from(radix) + u64::from(digit));
        } else {
            match magnitude
                .checked_mul(u128::from(radix))
                .and_then(|wide| wide.checked_add(u128::from(digit)))
            {
                Some(wide) => magnitude = wide,
                None => fits = false,
            }
        }
    }
    any.then_some(if fits { Ok((negative, magnitude)) } else { Err(()) })
}

/// Whether the text is a float as it may be written: digits, a point, an exponent, underscores.
pub(crate) fn is_float(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(body, "inf" | "NaN") {
        return true;
    }
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let some = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let exponent_good = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        digits(exponent) && some(exponent) && !exponent.starts_with('_')
    });
    let mantissa_good = match mantissa.split_once('.') {
        Some((whole, part)) => digits(whole) && digits(part) && (some(whole) || some(part)),
        None => digits(mantissa) && some(mantissa),
    };
    exponent_good && mantissa_good && !mantissa.starts_with('_')
}

/// The text that Rust's own float parser takes.
pub(crate) fn plain_float(text: &str) -> Cow<'_, str> {
    if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) }
}

/// What a number is, for whoever did not say which type is wanted.
pub(crate) fn number(text: &str) -> Option<Number> {
    let (text, suffix) = split_suffix(text);
    let float = suffix.is_some_and(|suffix| suffix.starts_with('f'));
    match integer(text) {
        Some(Ok((negative, magnitude))) if !float => Some(Number::Integer { negative, magnitude }),
        Some(Err(())) if !float => None,
        _ if is_float(text) => plain_float(text).parse().ok().map(Number::Float),
        _ => None,
    }
}
