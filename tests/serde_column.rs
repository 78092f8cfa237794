//! How a column is saved and loaded, and what bytes are refused.

#![cfg(feature = "serde")]

mod common;

use common::saving::{from_json, from_postcard, from_ron, reload, to_json, to_postcard, to_ron};
use common::{Burning, Health, Name, Position, entity};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std_ecs::{Column, Entity, Single};

/// A column with every kind of stamps: of one call, one after another, and all different.
fn column(rows: u32) -> Column<Name> {
    let mut column = Column::default();
    column.extend((0..rows / 2).map(|index| (entity(index, 1), Name(format!("name {index}")))));
    for index in rows / 2..rows {
        column.insert(entity(index, index % 3 + 1), Name(String::new())).expect("the row is new");
    }
    for index in (0..rows).step_by(97) {
        column.remove(entity(index, 1));
    }
    if let Some(name) = column.get_mut(entity(5, 1)) {
        name.0 = "changed".into();
    }
    column
}

/// Everything that can be asked of a column.
fn all<T: Clone>(column: &Column<T>) -> (u64, Vec<(Entity, T, u64, u64)>) {
    let rows = column.iter().map(|(owner, value)| {
        let stamp = column.stamp(owner).expect("it has a row");
        (owner, value.clone(), stamp.attached, stamp.changed)
    });
    (column.clock(), rows.collect())
}

fn form() -> Value {
    json!({
        "clock": 9,
        "owners": [entity(0, 1), entity(3, 2), entity(2, 1)],
        "values": [10, 20, 30],
        "attached": [[2, 4, 1], [1, 1, 0]],
        "changed": [[3, 7, 0]],
    })
}

fn load<T: DeserializeOwned>(form: &Value) -> Result<Column<T>, String> {
    from_json(&form.to_string())
}

#[test]
fn a_column_comes_back_with_every_stamp() {
    for rows in [0, 1, 2, 10, 1_023, 1_024, 1_025, 3_000] {
        let column = column(rows);
        let loaded = reload(&column);
        assert_eq!(loaded, column);
        assert_eq!(all(&loaded), all(&column));
    }
}

#[test]
fn a_loaded_column_goes_on_like_the_one_that_was_saved() {
    let mut column = column(1_500);
    let mut loaded = reload(&column);
    for (owner, name) in &loaded {
        assert_eq!(loaded.get(owner), Some(name));
    }
    for column in [&mut column, &mut loaded] {
        column.remove(entity(700, 1)).expect("it has a row");
        column.insert(entity(9_000, 1), Name("new".into())).expect("the row is new");
        column.sort_by(|(_, left), (_, right)| left.0.cmp(&right.0));
        column.retain(|owner, _| owner.index() % 5 != 0);
    }
    assert_eq!(all(&loaded), all(&column));
    for since in 0..column.clock() {
        assert!(loaded.changed_since(since).eq(column.changed_since(since)));
    }
}

#[test]
fn saving_twice_gives_the_same_bytes_and_so_do_a_clone_and_a_loaded_column() {
    let column = column(1_200);
    let (text, bytes) = (to_ron(&column), to_postcard(&column));
    for same in [column.clone(), reload(&column)] {
        assert_eq!(to_ron(&same), text);
        assert_eq!(to_postcard(&same), bytes);
    }
}

#[test]
fn stamps_of_one_call_take_a_few_bytes_whatever_the_length() {
    let mut markers = Column::default();
    markers.extend((0..10_000).map(|index| (entity(index, 1), Burning)));
    let length = to_postcard(&markers).len();
    assert!(length < 10_000 * 8, "{length} bytes");
    assert_eq!(all(&reload(&markers)), all(&markers));
}

#[test]
fn a_nan_keeps_its_bits_where_the_format_does() {
    let mut column = Column::default();
    let strange = f32::from_bits(0x7fc1_2345);
    column.insert(entity(0, 1), Position(strange, -0.0)).expect("the column is empty");
    let loaded: Column<Position> = from_postcard(&to_postcard(&column)).expect("postcard keeps bits");
    let position = loaded.get(entity(0, 1)).expect("it has a row");
    assert_eq!((position.0.to_bits(), position.1.to_bits()), (strange.to_bits(), (-0.0f32).to_bits()));
}

proptest! {
    #[test]
    fn floats_keep_every_bit(bits in prop::collection::vec((any::<u32>(), any::<u64>()), 1..200)) {
        let finite: Vec<(f32, f64)> = bits
            .iter()
            .map(|&(single, double)| (f32::from_bits(single), f64::from_bits(double)))
            .filter(|(single, double)| single.is_finite() && double.is_finite())
            .collect();
        let mut column = Column::default();
        column.extend((0..).map(|index| entity(index, 1)).zip(finite));
        let loaded = reload(&column);
        let bits = |column: &Column<(f32, f64)>| -> Vec<(u32, u64)> {
            column.iter().map(|(_, value)| (value.0.to_bits(), value.1.to_bits())).collect()
        };
        prop_assert_eq!(bits(&loaded), bits(&column));
        prop_assert_eq!(to_ron(&loaded), to_ron(&column));
    }

    #[test]
    fn damaged_bytes_are_an_error_or_a_column_that_works(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        length in any::<prop::sample::Index>(),
    ) {
        let mut small = Column::default();
        small.extend((0..20).map(|index| (entity(index, 1), Health(1))));
        let mut bytes = to_postcard(&small);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.truncate(length.index(bytes.len()) + 1);
        if let Ok(mut column) = from_postcard::<Column<Health>>(&bytes) {
            let owners: Vec<Entity> = column.owners().collect();
            for owner in owners {
                prop_assert!(column.stamp(owner).is_some());
                prop_assert!(column.remove(owner).is_some());
            }
            prop_assert!(column.is_empty());
        }
    }
}

#[test]
fn the_form_is_clock_owners_values_and_runs_of_stamps() {
    let column: Column<u8> = load(&form()).expect("the form is right");
    assert_eq!(
        all(&column),
        (9, vec![(entity(0, 1), 10, 4, 7), (entity(3, 2), 20, 5, 7), (entity(2, 1), 30, 1, 7)])
    );
    assert_eq!(from_json::<Value>(&to_json(&column)), Ok(form()));
}

#[test]
fn a_form_that_contradicts_itself_is_refused_with_the_component_and_the_fault() {
    let faults = [
        ("/owners/1", json!(entity(0, 1)), "two rows for the index of 0v1"),
        ("/owners/1", json!(entity(0, 5)), "two rows for the index of 0v5"),
        ("/owners/0", json!(7), "generation is not zero"),
        ("/owners", json!([entity(0, 1), entity(3, 2)]), "more than 2 values for 2 entities"),
        ("/values", json!([10, 20]), "2 values for 3 entities"),
        ("/values", json!([]), "0 values for 3 entities"),
        ("/clock", json!(6), "a stamp of the run (3, 7, 0) is ahead of the clock, 6"),
        ("/changed/0/1", json!(u64::MAX), "is ahead of the clock, 9"),
        ("/attached/0", json!([2, u64::MAX, 1]), "is ahead of the clock, 9"),
        ("/attached/0", json!([2, 9, 1]), "a stamp of the run (2, 9, 1) is ahead of the clock, 9"),
        ("/changed", json!([[2, 7, 0]]), "2 stamps for 3 rows"),
        ("/changed", json!([]), "0 stamps for 3 rows"),
        ("/changed", json!([[4, 7, 0]]), "more than 3 stamps for 3 rows"),
        ("/changed", json!([[3, 7, 0], [1, 7, 0]]), "more than 3 stamps for 3 rows"),
        ("/changed", json!([[u32::MAX, 7, 0]]), "more than 3 stamps for 3 rows"),
        ("/changed/0", json!([3, 1, 2]), "(3, 1, 2) is no run of stamps"),
        ("/changed", json!([[0, 7, 0], [3, 7, 0]]), "(0, 7, 0) is no run of stamps"),
        ("/changed/0", json!([3, 3, 0]), "0v1 was attached after it was last changed"),
        ("/attached/1", json!([1, 0, 0]), "stamps begin at 1"),
    ];
    for (place, value, expected) in faults {
        let mut form = form();
        *form.pointer_mut(place).expect("the form has it") = value;
        let error = load::<u8>(&form).expect_err(expected);
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("column of u8") || place == "/owners/0", "{error}");
        let ron = from_ron::<Column<u8>>(&ron_of(&form)).expect_err(expected);
        assert!(ron.contains(expected), "{ron}");
    }
}

/// The form as RON would have it.
fn ron_of(form: &Value) -> String {
    let part = |name: &str| form[name].to_string();
    let runs = |name: &str| {
        let runs = form[name].as_array().expect("a list").iter();
        let runs: Vec<String> = runs.map(|run| run.to_string().replace('[', "(").replace(']', ")")).collect();
        format!("[{}]", runs.join(","))
    };
    let owners = form["owners"].as_array().expect("a list").iter();
    let owners: Vec<String> = owners.map(|owner| format!("({owner})")).collect();
    format!(
        "(clock:{},owners:[{}],values:{},attached:{},changed:{})",
        part("clock"),
        owners.join(","),
        part("values"),
        runs("attached"),
        runs("changed")
    )
}

#[test]
fn a_field_too_many_too_few_or_twice_is_refused() {
    for field in ["clock", "owners", "values", "attached", "changed"] {
        let mut short = form();
        short.as_object_mut().expect("a map").remove(field);
        let error = load::<u8>(&short).expect_err("a field is missing");
        assert!(error.contains(&format!("missing field `{field}`")), "{error}");

        let text = form().to_string().replacen('{', &format!("{{\"{field}\":{},", form()[field]), 1);
        let error = from_json::<Column<u8>>(&text).expect_err("a field comes twice");
        assert!(error.contains(&format!("duplicate field `{field}`")), "{error}");
    }
    let mut long = form();
    long["colour"] = json!(1);
    let error = load::<u8>(&long).expect_err("a field is unknown");
    assert!(error.contains("unknown field `colour`"), "{error}");
}

#[test]
fn fields_may_come_in_any_order_where_they_have_names() {
    let form = form();
    let fields = ["changed", "values", "attached", "owners", "clock"];
    let text = format!("{{{}}}", fields.map(|field| format!("\"{field}\":{}", form[field])).join(","));
    assert_eq!(from_json::<Column<u8>>(&text), load(&form));
}

#[test]
fn a_failed_load_leaves_the_target_as_it_was() {
    let mut column: Column<u8> = load(&form()).expect("the form is right");
    let before = all(&column);
    let mut text = form().to_string();
    text.truncate(text.len() - 3);
    if let Ok(loaded) = from_json(&text) {
        column = loaded;
    }
    assert_eq!(all(&column), before);
}

#[test]
fn every_truncation_is_an_error() {
    let mut column = Column::default();
    column.extend((0..5).map(|index| (entity(index, 1), Name("name".into()))));
    let (bytes, text) = (to_postcard(&column), to_ron(&column));
    for length in 0..bytes.len() {
        assert!(from_postcard::<Column<Name>>(&bytes[..length]).is_err(), "{length} bytes");
    }
    for length in 0..text.len() {
        assert!(from_ron::<Column<Name>>(&text[..length]).is_err(), "{length} characters");
    }
}

/// Postcard's form of these numbers, one after another.
fn varints(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(to_postcard).collect()
}

#[test]
fn a_huge_length_in_a_few_bytes_is_an_error_at_once() {
    let huge = u64::MAX >> 1;
    let one = entity(0, 1).to_bits();
    let columns = [
        varints(&[1, huge]),
        varints(&[1, huge, one, one]),
        varints(&[1, 1, one, huge]),
        varints(&[1, 1, one, huge, 5, 5]),
        varints(&[1, 1, one, 1, 5, huge]),
    ];
    for bytes in columns {
        assert!(from_postcard::<Column<u64>>(&bytes).is_err());
        assert!(from_postcard::<Column<Name>>(&bytes).is_err());
    }
    // Values that take no bytes: the length is all there is of them.
    assert!(from_postcard::<Column<Burning>>(&varints(&[1, 1, one, huge])).is_err());
    assert!(from_postcard::<Column<()>>(&varints(&[1, 0, huge, 0, 0])).is_err());
    assert!(from_postcard::<Column<()>>(&varints(&[1, 1, one, 2, 0, 0])).is_err());
}

/// A column of one row, its clock at `clock`.
fn late(clock: u64) -> Column<u8> {
    let mut form = form();
    form["clock"] = json!(clock);
    load(&form).expect("the form is right")
}

#[test]
fn a_clock_near_its_end_goes_on_exactly_and_stands_still_there() {
    let mut column = late(u64::MAX - 3);
    let index = |column: &Column<u8>, since| -> Vec<u32> {
        column.changed_since(since).map(|(owner, _)| owner.index()).collect()
    };
    for (at, owner) in (0..).zip(100..108) {
        let before = column.clock();
        assert_eq!(before, (u64::MAX - 3).saturating_add(at));
        column.insert(entity(owner, 1), 0).expect("the row is new");
        if before < u64::MAX {
            assert_eq!(index(&column, before), [owner]);
        } else {
            assert!(index(&column, before).contains(&owner), "nothing that was written is missed");
        }
        let loaded: Column<u8> = reload(&column);
        assert_eq!(all(&loaded), all(&column));
    }
    *column.get_mut(entity(0, 1)).expect("it has a row") = 1;
    column.iter_mut().for_each(|(_, value)| *value += 1);
    column.sort_by(|(_, left), (_, right)| right.cmp(left));
    column.remove(entity(3, 2)).expect("it has a row");
    assert_eq!(column.clock(), u64::MAX);
    assert_eq!(index(&column, u64::MAX).len(), column.len());
    assert_eq!(all(&reload(&column)), all(&column));
}

#[test]
fn a_single_comes_back_with_its_clock() {
    let mut single = Single::new(Name("a".into()));
    single.0.push('b');
    let loaded = reload(&single);
    assert_eq!((&loaded, loaded.clock()), (&single, 1));
    assert!(from_json::<Single<Name>>("{\"clock\":1}").is_err());
    assert!(from_json::<Single<Name>>("{\"clock\":-1,\"value\":\"a\"}").is_err());
}

#[test]
fn a_single_whose_clock_stands_still_is_never_taken_for_seen() {
    let mut single: Single<u8> =
        from_json(&format!("{{\"clock\":{},\"value\":0}}", u64::MAX - 1)).expect("the form is right");
    let seen = single.clock();
    assert!(!single.changed_since(seen));
    for _ in 0..3 {
        let before = single.clock();
        *single += 1;
        assert!(single.changed_since(before));
    }
    assert_eq!((*single, single.clock()), (3, u64::MAX));
}

fn is_exact<T: Serialize + DeserializeOwned + Clone + PartialEq + std::fmt::Debug>(values: Vec<T>) {
    let mut column = Column::default();
    column.extend((0..).map(|index| entity(index, 1)).zip(values));
    assert_eq!(all(&reload(&column)), all(&column));
}

#[test]
fn components_of_every_shape_come_back() {
    is_exact(vec![Some(entity(3, 1)), None]);
    is_exact(vec![Burning; 3]);
    is_exact(vec![(), ()]);
    is_exact(vec![vec![entity(1, 1), entity(2, 9)], vec![]]);
    is_exact(vec![Ok(1), Err(String::from("no"))] as Vec<Result<i32, String>>);
    is_exact(vec!['x', '\u{1f680}']);
    is_exact(vec![[i64::MIN, i64::MAX]; 2]);
}
