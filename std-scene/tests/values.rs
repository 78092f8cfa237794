//! Values in every shape that serde knows, against `ron` in both directions, and laid over each other.

#![expect(clippy::option_option, reason = "a shape that has to survive")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std_scene::{ErrorKind, Limits, SceneErrors, read_value, write_value};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Newtype(i32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(Place);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pair(i64, String);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Place {
    x: f32,
    y: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Choice {
    Nothing,
    One(i32),
    Two(u8, char),
    Named { deep: Option<Box<Choice>>, r#type: bool },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    unit: Unit,
    newtype: Newtype,
    wrapped: Wrapped,
    pair: Pair,
    choice: Choice,
    list: Vec<Choice>,
    maybe: Option<Option<i64>>,
    place: Option<Place>,
    map: BTreeMap<Choice, Vec<String>>,
    numbers: (u64, i64, u8, i16, u128, i128),
    tuple: (f32, (), [u8; 3]),
    text: String,
    letter: char,
    #[serde(rename = "with-dash")]
    dash: bool,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

fn choice() -> impl Strategy<Value = Choice> {
    let leaf = prop_oneof![
        Just(Choice::Nothing),
        any::<i32>().prop_map(Choice::One),
        (any::<u8>(), any::<char>()).prop_map(|(a, b)| Choice::Two(a, b)),
    ];
    leaf.prop_recursive(4, 8, 1, |inner| {
        (proptest::option::of(inner.prop_map(Box::new)), any::<bool>())
            .prop_map(|(deep, r#type)| Choice::Named { deep, r#type })
    })
}

fn place() -> impl Strategy<Value = Place> {
    let number = proptest::num::f32::NORMAL | proptest::num::f32::SUBNORMAL | proptest::num::f32::ZERO;
    (number, proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO)
        .prop_map(|(x, y)| Place { x, y })
}

fn everything() -> impl Strategy<Value = Everything> {
    let first = (
        any::<i32>().prop_map(Newtype),
        place().prop_map(Wrapped),
        (any::<i64>(), any::<String>()).prop_map(|(a, b)| Pair(a, b)),
        choice(),
        proptest::collection::vec(choice(), 0..4),
        any::<Option<Option<i64>>>(),
        proptest::option::of(place()),
        proptest::collection::btree_map(choice(), proptest::collection::vec(any::<String>(), 0..3), 0..3),
    );
    let second = (
        any::<(u64, i64, u8, i16, u128, i128)>(),
        (proptest::num::f32::NORMAL, Just(()), any::<[u8; 3]>()),
        any::<String>(),
        any::<char>(),
        any::<bool>(),
        any::<Vec<u8>>(),
    );
    (first, second).prop_map(
        |(
            (newtype, wrapped, pair, choice, list, maybe, place, map),
            (numbers, tuple, text, letter, dash, bytes),
        )| {
            Everything {
                unit: Unit,
                newtype,
                wrapped,
                pair,
                choice,
                list,
                maybe,
                place,
                map,
                numbers,
                tuple,
                text,
                letter,
                dash,
                bytes,
            }
        },
    )
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, SceneErrors> {
    read_value(&[text], &Limits::default())
}

fn write<T: Serialize>(value: &T) -> String {
    write_value(value, &Limits::default()).unwrap()
}

fn kind_of<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> ErrorKind {
    read::<T>(text).expect_err(text).iter().next().unwrap().kind
}

fn ron_styles() -> Vec<ron::ser::PrettyConfig> {
    use ron::extensions::Extensions;
    let plain = ron::ser::PrettyConfig::new();
    vec![
        plain.clone(),
        plain.clone().struct_names(true),
        plain.clone().compact_arrays(true).compact_structs(true).compact_maps(true),
        plain.clone().separate_tuple_members(true).enumerate_arrays(true),
        plain.clone().escape_strings(false),
        plain.clone().number_suffixes(true),
        plain.clone().new_line("\r\n"),
        plain.clone().indentor("\t").depth_limit(1),
        plain.extensions(Extensions::UNWRAP_VARIANT_NEWTYPES),
    ]
}

/// What the enable lines of `ron` say is not needed here.
fn without_attributes(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("#!")).collect::<Vec<_>>().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read_back(value in everything()) {
        let text = write(&value);
        prop_assert_eq!(&read::<Everything>(&text).unwrap(), &value);
        prop_assert_eq!(write(&read::<Everything>(&text).unwrap()), text);
    }

    #[test]
    fn ron_reads_what_is_written(value in everything()) {
        let text = write(&value);
        let read: Everything = ron::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
        prop_assert_eq!(read, value);
    }

    #[test]
    fn what_ron_writes_in_any_style_is_read(value in everything()) {
        let plain = ron::to_string(&value).unwrap();
        prop_assert_eq!(&read::<Everything>(&plain).unwrap(), &value);
        for style in ron_styles() {
            let written = ron::ser::to_string_pretty(&value, style).unwrap();
            let text = without_attributes(&written);
            // Raw strings keep their line breaks only where no line was taken away.
            let text = if written.starts_with("#!") { text } else { written };
            let read = read::<Everything>(&text);
            prop_assert_eq!(read.unwrap_or_else(|error| panic!("{error}\n{text}")), value.clone());
        }
    }

    #[test]
    fn a_value_laid_over_any_other_is_that_value(base in everything(), now in everything()) {
        let (base, text) = (write(&base), write(&now));
        let laid: Everything = read_value(&[&text, &base], &Limits::default()).unwrap();
        prop_assert_eq!(laid, now);
    }

    #[test]
    fn any_float_keeps_its_bits(bits in any::<u32>(), wide in any::<u64>()) {
        let (small, large) = (f32::from_bits(bits), f64::from_bits(wide));
        if !small.is_nan() && !large.is_nan() {
            let (a, b): (f32, f64) = read(&write(&(small, large))).unwrap();
            prop_assert_eq!((a.to_bits(), b.to_bits()), (bits, wide));
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,80}") {
        let _ = read::<Everything>(&text);
    }

    #[test]
    fn no_text_of_brackets_makes_the_reader_panic(text in "[(){}\\[\\],:a-c\"'r#/* 0-9.\\\\]{0,60}") {
        let _ = read::<Everything>(&text);
        if let Ok(formatted) = std_scene::format_scene("a", &text, &Limits::default()) {
            prop_assert_eq!(&std_scene::format_scene("a", &formatted, &Limits::default()).unwrap(), &formatted);
        }
    }
}

#[test]
fn special_floats_keep_what_the_text_can_hold() {
    assert_eq!(write(&(f32::INFINITY, f64::NEG_INFINITY, -0.0_f32, 1e16_f64)), "(inf, -inf, -0.0, 1e16)");
    let (a, b, c): (f32, f64, f32) = read("(inf, -inf, -0.0)").unwrap();
    assert!(a == f32::INFINITY && b == f64::NEG_INFINITY && c.is_sign_negative());
    let (nan, negative): (f32, f64) = read(&write(&(f32::NAN, -f64::NAN))).unwrap();
    assert!(nan.is_nan() && negative.is_nan() && negative.is_sign_negative());
    assert_eq!(read::<f32>("1").unwrap().to_bits(), 1.0_f32.to_bits());
    assert_eq!(kind_of::<f32>("1e39"), ErrorKind::OutOfRange);
    assert_eq!(kind_of::<f64>("1e400"), ErrorKind::OutOfRange);
    assert_eq!(kind_of::<i32>("1.0"), ErrorKind::WrongType);
}

#[test]
fn integers_are_exact_or_an_error() {
    assert_eq!(read::<u64>("18446744073709551615").unwrap(), u64::MAX);
    assert_eq!(read::<i64>("-9223372036854775808").unwrap(), i64::MIN);
    assert_eq!(read::<i128>("-170141183460469231731687303715884105728").unwrap(), i128::MIN);
    assert_eq!(read::<u128>("340282366920938463463374607431768211455").unwrap(), u128::MAX);
    assert_eq!(kind_of::<u128>("340282366920938463463374607431768211456"), ErrorKind::OutOfRange);
    assert_eq!(kind_of::<u8>("256"), ErrorKind::OutOfRange);
    assert_eq!(kind_of::<u8>("-1"), ErrorKind::OutOfRange);
    assert_eq!(read::<(u8, i8, u32, u16)>("(0xff, -0x80, 1_000, 0b1_1)").unwrap(), (255, -128, 1000, 3));
}

#[test]
fn options_are_written_out() {
    assert_eq!(read::<Option<Option<i64>>>("None").unwrap(), None);
    assert_eq!(read::<Option<Option<i64>>>("Some(None)").unwrap(), Some(None));
    assert_eq!(read::<Option<Option<i64>>>("Some(Some(3))").unwrap(), Some(Some(3)));
    let error = read::<Option<i64>>("3").unwrap_err();
    assert_eq!(error.iter().next().unwrap().help.as_deref(), Some("write Some(3)"));
    assert_eq!(read::<Option<Place>>("Some(x: 1.0, y: 2.0)").unwrap(), Some(Place { x: 1.0, y: 2.0 }));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Outer {
    place: Option<Place>,
    wrapped: Wrapped,
    choice: Choice,
    list: Vec<i32>,
}

const BASE: &str = "(place: Some((x: 1, y: 2)), wrapped: ((x: 3, y: 4)), choice: Named(deep: None, type: true), list: [1, 2])";

fn laid(layers: &[&str]) -> Outer {
    let layers: Vec<&str> = layers.iter().copied().chain([BASE]).collect();
    read_value(&layers, &Limits::default()).unwrap()
}

#[test]
fn structs_merge_through_newtypes_and_some() {
    let both = laid(&["(place: Some((y: 9)), wrapped: (x: 8))"]);
    assert_eq!(both.place, Some(Place { x: 1.0, y: 9.0 }));
    assert_eq!(both.wrapped, Wrapped(Place { x: 8.0, y: 4.0 }));
    assert_eq!(both.list, [1, 2]);
}

#[test]
fn the_outermost_patch_wins() {
    let three = laid(&["(list: [3])", "(list: [4], place: Some(x: 5))"]);
    assert_eq!((three.list, three.place), (vec![3], Some(Place { x: 5.0, y: 2.0 })));
}

#[test]
fn lists_and_enums_are_replaced() {
    assert_eq!(laid(&["(choice: Nothing, list: [])"]).choice, Choice::Nothing);
    let error = read_value::<Outer>(&["(choice: Named(deep: None))", BASE], &Limits::default()).unwrap_err();
    assert_eq!(error.iter().next().unwrap().kind, ErrorKind::MissingField);
}

#[test]
fn none_clears_and_cuts_off_what_is_below() {
    assert_eq!(laid(&["(place: None)"]).place, None);
    let error = read_value::<Outer>(&["(place: Some((x: 7)))", "(place: None)", BASE], &Limits::default())
        .unwrap_err();
    let error = error.iter().next().unwrap();
    assert_eq!((error.kind, error.file.as_str()), (ErrorKind::MissingField, "text 0"));
    assert_eq!(error.message, "the field `y` is missing");
}

#[test]
fn an_unknown_field_is_found_in_every_layer() {
    for layers in [["(lizt: [1])", BASE], ["()", "(place: None, lizt: 1)"]] {
        let error = read_value::<Outer>(&layers, &Limits::default()).unwrap_err();
        let error = error.iter().next().unwrap();
        assert_eq!(
            (error.kind, error.help.as_deref()),
            (ErrorKind::UnknownField, Some("did you mean `list`?"))
        );
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Loose {
    Number(i64),
    Text(String),
    Place(Place),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Here { x: i32 },
    There,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    name: String,
    #[serde(flatten)]
    place: Place,
}

#[test]
fn buffered_types_are_read_as_far_as_serde_can() {
    assert_eq!(read::<Loose>("-3").unwrap(), Loose::Number(-3));
    assert_eq!(read::<Loose>("(x: 1.0, y: 2.0)").unwrap(), Loose::Place(Place { x: 1.0, y: 2.0 }));
    assert_eq!(read::<Tagged>("(kind: \"Here\", x: 3)").unwrap(), Tagged::Here { x: 3 });
    assert_eq!(read::<Tagged>(&write(&Tagged::There)).unwrap(), Tagged::There);
    let flat = Flat { name: "a".into(), place: Place { x: 1.0, y: 2.0 } };
    assert_eq!(read::<Flat>("(name: \"a\", x: 1.0, y: 2.0)").unwrap(), flat);
    assert_eq!(read::<Flat>(&write(&flat)).unwrap(), flat);
}

#[test]
fn a_place_counts_characters_after_a_mark_comments_and_line_ends_of_windows() {
    let text = "\u{feff}/* é\n */ (\r\n// ü\r\n  äöü: \"é\", /* ö */ x: 'ab')";
    let error = read::<Place>(text).unwrap_err();
    let error = error.iter().next().unwrap();
    assert_eq!((error.kind, error.line, error.column), (ErrorKind::BadEscape, 4, 24));
    let error = read::<Place>("\u{feff}§").unwrap_err();
    assert_eq!(error.iter().next().unwrap().column, 1);
}

#[test]
fn hostile_text_ends_in_an_error_soon() {
    let limits = Limits::default();
    for opener in ["(", "[", "{1:", "A(", "a(b:", "Some(", "/*", "\"", "entity("] {
        let text = opener.repeat(100_000);
        assert!(read_value::<Everything>(&[&text], &limits).is_err(), "{opener}");
    }
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    assert_eq!(kind_of::<()>(&deep), ErrorKind::ValuesTooDeep);
    let comments = "//\n".repeat(200_000) + "()";
    assert_eq!(std_scene::format_scene("c", &comments, &limits).unwrap(), comments + "\n");
}

#[derive(Serialize, Deserialize, Debug)]
struct Nest(Option<Box<Nest>>);

#[test]
fn reader_and_writer_share_their_limits() {
    let limits = Limits { value_depth: 6, ..Limits::default() };
    let nest = |depth: usize| (0..depth).fold(Nest(None), |inner, _| Nest(Some(Box::new(inner))));
    let text = write_value(&nest(2), &limits).unwrap();
    assert!(read_value::<Nest>(&[&text], &limits).is_ok());
    assert!(write_value(&nest(3), &limits).is_err());
    let deeper = write_value(&nest(3), &Limits::default()).unwrap();
    assert!(read_value::<Nest>(&[&deeper], &limits).is_err());
}

#[test]
fn formatting_changes_white_space_and_commas_only() {
    let text = "scene(version( 1 ) , // first\n\n\n entity(\"a\",\n Player , Health( 100 ), // tail\n Mode(\n free /* c */ ))\n ,)";
    let wanted = "scene(version(1), // first\n\n    entity(\"a\",\n        Player, Health(100), // tail\n        Mode(\n            free, /* c */\n        ),\n    ),\n)\n";
    let formatted = std_scene::format_scene("a", text, &Limits::default()).unwrap();
    assert_eq!(formatted, wanted);
    assert_eq!(std_scene::format_scene("a", wanted, &Limits::default()).unwrap(), wanted);
}

#[test]
fn ten_thousand_floats_are_written_so_that_writing_again_gives_the_same_text() {
    // Spread over all bit patterns by a step that shares no factor with their number.
    for number in 0..10_000_u64 {
        let (small, large) = (
            f32::from_bits((number as u32).wrapping_mul(429_497)),
            f64::from_bits(number.wrapping_mul(1_844_674_407_370_955)),
        );
        let text = write(&(small, large));
        let (again, wide): (f32, f64) = read(&text).unwrap();
        if !small.is_nan() && !large.is_nan() {
            assert_eq!((again.to_bits(), wide.to_bits()), (small.to_bits(), large.to_bits()));
        }
        assert_eq!(write(&(again, wide)), text);
    }
}

#[test]
fn large_integers_are_exact_as_keys_and_inside_of_buffers() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    enum Big {
        Here { number: u64, low: i64 },
    }
    let map = BTreeMap::from([(u64::MAX, i64::MIN), (1 << 63, 0)]);
    assert_eq!(read::<BTreeMap<u64, i64>>(&write(&map)).unwrap(), map);
    let big = Big::Here { number: u64::MAX, low: i64::MIN };
    assert_eq!(read::<Big>(&write(&big)).unwrap(), big);
}
