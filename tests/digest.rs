//! Digests: what they cover, what they leave out, and that remembering them changes nothing.

#![cfg(feature = "serde")]

mod arena;

use std::collections::BTreeSet;

use arena::{Arena, Armed, Glow, Health, Heat, Inventory, Place, Struck};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std_ecs::{Column, Columns, Entities, Entity, Single, Store, World, difference, digest, digest_report};

fn reloaded(world: &Arena) -> Arena {
    postcard::from_bytes(&postcard::to_stdvec(world).unwrap()).unwrap()
}

fn sample() -> Arena {
    let mut world = Arena::seeded(9);
    world.squad(0..30);
    (0..20).for_each(|tick| world.step(tick));
    world
}

#[test]
fn every_part_of_a_world_is_in_its_digest() {
    type Edit = fn(&mut Arena, Entity);
    let edits: [(&str, Edit); 15] = [
        ("nothing", |_, _| {}),
        ("a value", |world, entity| world.get_mut::<Place>(entity).unwrap().y += 1),
        ("a marker without data", |world, entity| _ = world.attach(entity, Armed)),
        ("a list of entities", |world, entity| _ = world.attach(entity, Inventory(vec![entity]))),
        ("a single", |world, _| world.fighters.random.0 += 1),
        ("a spawn without components", |world, _| _ = world.spawn()),
        ("a spawn that ended again", |world, _| {
            let spawned = world.spawn();
            world.despawn(spawned);
        }),
        ("a row less", |world, entity| _ = world.remove::<Health>(entity)),
        ("another order of rows", |world, entity| {
            let health = world.remove::<Health>(entity).unwrap();
            world.attach(entity, health);
        }),
        ("a parent", |world, entity| {
            let other = world.entities.iter().last().unwrap();
            world.set_parent(entity, other).unwrap();
        }),
        ("the order of children", |world, entity| {
            let [_, b, c] = [0, 1, 2].map(|at| world.entities.iter().nth(at).unwrap());
            world.set_parent(c, entity).unwrap();
            world.set_parent(b, entity).unwrap();
        }),
        ("the other order of children", |world, entity| {
            let [_, b, c] = [0, 1, 2].map(|at| world.entities.iter().nth(at).unwrap());
            world.set_parent(c, entity).unwrap();
            world.set_parent(b, entity).unwrap();
            world.hierarchy.move_before(b, c).unwrap();
        }),
        ("an event", |world, who| world.fighters.struck.emit(Struck { who, amount: 1 })),
        ("an event that was read", |world, who| {
            world.fighters.struck.emit(Struck { who, amount: 1 });
            assert_eq!(world.fighters.struck.read(&mut world.fighters.seen).count(), 1);
        }),
        ("a float", |world, entity| _ = world.attach(entity, Heat(-0.0))),
    ];
    let mut world = Arena::seeded(9);
    let entities = [0, 1, 2].map(|x| world.fighter(x));
    let digests: BTreeSet<u128> = edits
        .iter()
        .map(|(_, edit)| {
            let mut edited = world.clone();
            edit(&mut edited, entities[0]);
            digest(&edited)
        })
        .collect();
    assert_eq!(digests.len(), edits.len());
}

#[test]
fn the_order_of_the_free_list_is_in_the_digest() {
    let mut world = Arena::default();
    let [a, b, c] = [0, 1, 2].map(|x| world.fighter(x));
    let (mut left, mut right) = (world.clone(), world);
    for entity in [a, b, c] {
        left.despawn(entity);
    }
    for entity in [c, b, a] {
        right.despawn(entity);
    }
    assert_ne!(digest(&left), digest(&right));
    let found = difference(&left, &right).unwrap();
    assert_eq!((found.path.as_str(), found.entity), ("entities", None));
    assert_eq!(found.left, "the free list is [2, 1, 0]");
}

#[test]
fn stamps_and_clocks_are_not_in_the_digest() {
    let world = sample();
    let mut written = world.clone();
    written.places.places.iter_mut().for_each(drop);
    let _ = &mut *written.fighters.random;
    assert!(written.places.places.clock() > world.places.places.clock());
    assert_eq!(digest(&world), digest(&written));
    assert_eq!(difference(&world, &written), None);
}

#[test]
fn presentation_is_not_in_the_digest() {
    let world = sample();
    let mut shown = world.clone();
    *shown.frames_drawn += 1;
    let entity = shown.entities.iter().next().unwrap();
    shown.attach(entity, Glow(3));
    assert_eq!(digest(&world), digest(&shown));
    assert!(digest_report(&world).parts.iter().all(|part| !part.path.contains("glow")));
}

#[test]
fn all_nan_are_one_and_zeros_are_two() {
    let with = |heat: f32| {
        let mut world = Arena::default();
        world.spawn_with((Heat(heat),));
        digest(&world)
    };
    assert_eq!(with(f32::NAN), with(f32::from_bits(0xffc0_1234)));
    assert_ne!(with(0.0), with(-0.0));
    assert_ne!(with(f32::NAN), with(f32::INFINITY));
}

#[test]
fn the_digest_is_the_one_that_is_documented() {
    let mut column = Column::default();
    let entities = Entities::default().spawn_many(1_500);
    column.extend(entities.iter().map(|&entity| (entity, entity.index() as u16)));
    let h = |bytes: &[u8]| xxhash_rust::xxh3::xxh3_128(bytes).to_le_bytes().to_vec();
    let mut bytes = 1_500_u64.to_le_bytes().to_vec();
    for page in entities.chunks(1_024) {
        let owners: Vec<u8> = page.iter().flat_map(|entity| entity.to_bits().to_le_bytes()).collect();
        let values: Vec<u8> = page.iter().flat_map(|entity| (entity.index() as u16).to_le_bytes()).collect();
        bytes.extend(h(&owners));
        bytes.extend(h(&values));
    }
    assert_eq!(digest(&column).to_le_bytes().to_vec(), h(&h(&bytes)));
}

#[test]
fn the_digest_of_a_small_world_never_changes() {
    let mut world = Arena::seeded(1);
    let ship = world.fighter(5);
    world.attach(ship, Heat(1.5));
    world.attach(ship, Armed);
    let dead = world.spawn();
    world.despawn(dead);
    assert_eq!(format!("{:032x}", digest(&world)), SMALL_WORLD);
}

const SMALL_WORLD: &str = "364f80d76eb876f37427e0b12c67b187";

#[test]
fn two_peers_find_the_column_that_differs() {
    let here = sample();
    let mut there = here.clone();
    let entity = there.fighters.health.owners().nth(4).unwrap();
    there.get_mut::<Health>(entity).unwrap().0 += 1_000;
    there.fighters.random.0 += 1;
    let (here_report, there_report) = (digest_report(&here), digest_report(&there));
    assert_eq!(here_report.differences(&there_report), ["fighters.health", "fighters.random"]);
    let sent: std_ecs::DigestReport =
        serde_json::from_str(&serde_json::to_string(&there_report).unwrap()).unwrap();
    assert_eq!((sent.digest(), &sent), (digest(&there), &there_report));
    assert!(here_report.to_string().contains("fighters.health"), "{here_report}");

    let found = difference(&here, &there).unwrap();
    let expected = here.get::<Health>(entity).unwrap().0;
    assert_eq!((found.path.as_str(), found.entity), ("fighters.health", Some(entity)));
    assert_eq!(found.left, format!("Health({expected})"));
    assert_eq!(found.right, format!("Health({})", expected + 1_000));
    assert!(found.to_string().starts_with("fighters.health ("), "{found}");
}

#[test]
fn a_row_too_many_is_named() {
    let here = sample();
    let mut there = here.clone();
    let extra = there.fighter(1);
    let found = difference(&here.places, &there.places).unwrap();
    assert_eq!((found.path.as_str(), found.entity), ("places", Some(extra)));
    assert_eq!(found.left, format!("there is no row {}", here.places.places.len()));
}

#[derive(Clone, Debug, PartialEq)]
struct Refuses;

impl Serialize for Refuses {
    fn serialize<S: serde::Serializer>(&self, _serializer: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("a lock is poisoned"))
    }
}

#[test]
#[should_panic(expected = "digest::Refuses of 0v1 cannot be serialised: a lock is poisoned")]
fn a_value_that_cannot_be_serialised_is_named() {
    let mut column = Column::default();
    column.insert(Entities::default().spawn(), Refuses).unwrap();
    digest(&column);
}

/// Not serialisable: a group of such components is a group like any other, it only has no digest.
#[derive(Clone, Debug)]
struct Texture;

#[derive(Clone, Debug, Default, Columns)]
struct Textures {
    textures: Column<Texture>,
}

#[derive(Clone, Debug, Default, World)]
struct Shown {
    entities: Entities,
    #[world(presentation)]
    textures: Textures,
    score: Single<u32>,
}

#[test]
fn a_group_that_cannot_be_serialised_may_stand_in_a_world_as_presentation() {
    let mut world = Shown::default();
    world.spawn_with((Texture,));
    let before = digest(&world);
    let entity = world.entities.iter().next().unwrap();
    world.remove::<Texture>(entity);
    assert_eq!(digest(&world), before);
    *world.score = 3;
    assert_ne!(digest(&world), before);
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Order {
    Wait,
    Go { to: (i16, i16), by: Option<Box<Order>> },
    Say(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Orders(Vec<Order>, std::collections::BTreeMap<String, char>);

fn order() -> impl Strategy<Value = Order> {
    let leaf = prop_oneof![Just(Order::Wait), "[a-c]{0,3}".prop_map(Order::Say)];
    leaf.prop_recursive(3, 8, 1, |inner| {
        ((any::<i16>(), any::<i16>()), prop::option::of(inner.prop_map(Box::new)))
            .prop_map(|(to, by)| Order::Go { to, by })
    })
}

proptest! {
    #[test]
    fn equal_values_and_no_others_have_equal_digests(
        left in prop::collection::vec(order(), 0..4),
        right in prop::collection::vec(order(), 0..4),
    ) {
        let column = |orders: &[Order]| {
            let mut column = Column::default();
            let map = orders.iter().map(|order| (format!("{order:?}"), 'x')).collect();
            column.insert(Entities::default().spawn(), Orders(orders.to_vec(), map)).unwrap();
            digest(&column)
        };
        prop_assert_eq!(left == right, column(&left) == column(&right));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A world that digests at every step, one that never does, and one that was reloaded agree.
    #[test]
    fn remembered_digests_are_those_that_would_be_worked_out(
        seed in any::<u64>(),
        inputs in prop::collection::vec((any::<u64>(), 0..9_u8), 1..40),
    ) {
        let mut world = Arena::seeded(seed);
        world.squad(0..2_100);
        let mut kept = Vec::new();
        for (input, call) in inputs {
            match call {
                0 => world.places.places.sort_by(|left, right| left.1.x.cmp(&right.1.x)),
                1 => {
                    let places = world.places.places.clone();
                    world.fighters.health.sort_as(&places);
                }
                2 => world.fighters.health.retain(|entity, _| entity.to_bits() % 7 != input % 7),
                3 => kept.push((world.clone(), digest(&world))),
                4 => {
                    let count = world.fighters.health.len();
                    if count > 2 {
                        let [a, b] = [0, count - 1].map(|at| world.fighters.health.owners().nth(at).unwrap());
                        let many = world.fighters.health.get_many_mut([a, b]);
                        many.into_iter().flatten().for_each(|health| health.0 ^= 1);
                    }
                }
                5 => {
                    for (_, place, health) in std_ecs::pairs(&mut world.places.places, &world.fighters.health) {
                        place.y ^= health.0.cast_signed();
                    }
                }
                6 => {
                    world.lend::<Health, _>(|health, _| health.iter_mut().for_each(|(_, health)| health.0 += 1));
                }
                7 => {
                    let entity = world.spawn();
                    *world.fighters.health.get_or_insert_with(entity, || Health(1)).unwrap() = Health(2);
                }
                _ => world.step(input),
            }
            prop_assert_eq!(digest(&world), digest(&reloaded(&world)));
        }
        for (world, then) in kept {
            prop_assert_eq!(digest(&world), then);
        }
    }
}
