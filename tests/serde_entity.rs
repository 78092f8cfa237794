//! How a handle is saved and loaded.

#![cfg(feature = "serde")]

mod common;

use std::collections::BTreeMap;

use common::entity;
use common::saving::{from_json, from_postcard, from_ron, reload, to_json, to_postcard};
use serde::{Deserialize, Serialize};
use std_ecs::Entity;

/// Handles in the places where components have them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Names {
    one: Entity,
    perhaps: Option<Entity>,
    nobody: Option<Entity>,
    many: Vec<Entity>,
    by_entity: BTreeMap<Entity, u8>,
    either: Either,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Either {
    Newtype(Entity),
    Struct { entity: Entity },
}

fn names() -> Names {
    let (low, high) = (entity(0, 1), entity(u32::MAX, u32::MAX));
    Names {
        one: entity(7, 3),
        perhaps: Some(high),
        nobody: None,
        many: vec![low, high],
        by_entity: [(low, 1), (high, 2)].into(),
        either: Either::Struct { entity: low },
    }
}

#[test]
fn handles_survive_every_format_in_every_place() {
    let names = names();
    assert_eq!(reload(&names), names);
    let other = Names { either: Either::Newtype(entity(1, 2)), ..names };
    assert_eq!(reload(&other), other);
}

#[test]
fn handles_survive_ron_with_the_names_of_structs_written_out() {
    let pretty = ron::ser::PrettyConfig::new().struct_names(true);
    let text = ron::ser::to_string_pretty(&names(), pretty).expect("RON can say it");
    assert!(text.contains("r#std_ecs.Entity("), "{text}");
    assert_eq!(from_ron::<Names>(&text), Ok(names()));
}

#[test]
fn a_handle_keeps_its_generation() {
    let handle = entity(0, 2);
    assert_eq!(to_json(&handle), "8589934592");
    assert_eq!(from_json::<Entity>("8589934592"), Ok(handle));
}

#[test]
fn a_handle_without_a_generation_is_refused() {
    let expected = "an entity whose generation is not zero";
    for text in ["0", "7", "4294967295"] {
        let error = from_json::<Entity>(text).expect_err("generation zero");
        assert!(error.contains(expected), "{error}");
        let error = from_ron::<Entity>(&format!("({text})")).expect_err("generation zero");
        assert!(error.contains(expected), "{error}");
    }
    assert!(from_postcard::<Entity>(&to_postcard(&7u64)).is_err());
}

#[test]
fn what_is_no_number_is_no_handle() {
    for text in ["-1", "1.5", "\"0v1\"", "null", "{}", "[]"] {
        assert!(from_json::<Entity>(text).is_err(), "{text}");
    }
}
