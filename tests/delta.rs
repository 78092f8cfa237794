//! Deltas: what they rebuild, what they refuse, and how large they are.

#![cfg(feature = "serde")]

mod arena;

use arena::{Arena, Armed, Glow, Health, Heat, Inventory, Place, Struck};
use proptest::prelude::*;
use std_ecs::{
    Column, Columns, DeltaError, Entities, Entity, Parent, Single, Store, World, WorldDelta, delta, digest,
};

/// Everything about a world that can be told from outside, stamps, clocks and free list included.
fn everything(world: &Arena) -> String {
    ron::to_string(world).unwrap()
}

/// The world without the fields that deltas leave out.
fn compared(world: &Arena) -> String {
    let mut world = world.clone();
    world.fighters.glows = Column::default();
    world.frames_drawn = Single::default();
    everything(&world)
}

fn sample(seed: u64, ticks: u64) -> Arena {
    let mut world = Arena::seeded(seed);
    world.squad(0..30);
    (0..ticks).for_each(|tick| world.step(tick * seed));
    world
}

fn bytes(delta: &WorldDelta<Arena>) -> Vec<u8> {
    postcard::to_stdvec(delta).unwrap()
}

/// Sends a delta and applies what arrives.
fn applied(from: &Arena, to: &Arena) -> Arena {
    let received: WorldDelta<Arena> = postcard::from_bytes(&bytes(&delta(from, to))).unwrap();
    let mut world = from.clone();
    received.apply(&mut world).unwrap();
    world
}

type Edit = fn(&mut Arena, &[Entity]);

#[test]
fn a_delta_of_each_operation_rebuilds_the_world_exactly() {
    let mut world = sample(3, 40);
    let entities: Vec<_> = world.fighters.health.owners().collect();
    let edits: [(&str, Edit); 20] = [
        ("nothing", |_, _| {}),
        ("spawn", |world, _| _ = world.fighter(4)),
        ("despawn of the first", |world, entities| _ = world.despawn(entities[0])),
        ("despawn of the last", |world, entities| _ = world.despawn(entities[entities.len() - 1])),
        ("change", |world, entities| world.get_mut::<Health>(entities[2]).unwrap().0 += 1),
        ("borrowed and not changed", |world, entities| _ = world.get_mut::<Health>(entities[2])),
        ("marker", |world, entities| _ = world.attach(entities[1], Armed)),
        ("list", |world, entities| _ = world.attach(entities[1], Inventory(entities.to_vec()))),
        ("single", |world, _| world.fighters.random.0 += 1),
        ("single borrowed", |world, _| _ = &mut *world.fighters.random),
        ("sort", |world, _| world.places.places.sort_by(|left, right| right.1.x.cmp(&left.1.x))),
        ("clear of a column", |world, _| world.fighters.health.clear()),
        ("clear of the world", |world, _| world.clear()),
        ("parent", |world, entities| world.set_parent(entities[5], entities[6]).unwrap()),
        ("place among siblings", |world, entities| {
            for child in [7, 8, 9] {
                world.set_parent(entities[child], entities[6]).unwrap();
            }
            world.hierarchy.move_before(entities[9], entities[7]).unwrap();
        }),
        ("many parents", |world, entities| {
            for &child in &entities[1..] {
                world.remove::<Parent>(child);
            }
            for pair in entities.windows(2) {
                world.set_parent(pair[1], pair[0]).unwrap();
            }
        }),
        ("event", |world, entities| world.fighters.struck.emit(Struck { who: entities[1], amount: 3 })),
        ("end of a frame", |world, _| world.advance(0)),
        ("events read", |world, _| _ = world.fighters.struck.read(&mut world.fighters.seen).count()),
        ("recycled index", |world, entities| {
            world.despawn(entities[3]);
            world.fighter(9);
        }),
    ];
    for (name, edit) in edits {
        let before = world.clone();
        edit(&mut world, &entities);
        assert_eq!(everything(&applied(&before, &world)), everything(&world), "{name}");
        assert_eq!(everything(&applied(&world, &before)), everything(&before), "{name}, backwards");
        world = before;
    }
}

#[test]
fn the_rebuilt_world_goes_on_like_the_original() {
    let (from, to) = (sample(3, 10), sample(4, 60));
    let (mut rebuilt, mut original) = (applied(&from, &to), to);
    for tick in 0..50 {
        rebuilt.step(tick);
        original.step(tick);
        assert_eq!(everything(&rebuilt), everything(&original));
    }
    rebuilt.check().unwrap();
}

#[test]
fn another_world_is_refused_by_the_names_of_what_differs() {
    let from = sample(1, 20);
    let mut to = from.clone();
    to.step(1);
    let change = delta(&from, &to);
    let mut other = from.clone();
    let entity = other.fighters.health.owners().next().unwrap();
    other.get_mut::<Health>(entity).unwrap().0 += 1;
    other.fighters.random.0 += 1;
    let before = everything(&other);
    let error = change.apply(&mut other).unwrap_err();
    let differ = vec!["fighters.health".to_owned(), "fighters.random".to_owned()];
    assert_eq!(error, DeltaError::OtherWorld { differ });
    assert_eq!(
        error.to_string(),
        "the delta starts from another world: `fighters.health`, `fighters.random` differ; \
         apply it to the world it was made from"
    );
    assert_eq!(everything(&other), before);
}

#[test]
fn a_world_equal_to_the_base_with_other_stamps_is_accepted() {
    let from = sample(1, 20);
    let mut to = from.clone();
    (0..5).for_each(|tick| to.step(tick));
    let mut same = from.clone();
    for _ in 0..500 {
        same.fighters.health.iter_mut().for_each(drop);
    }
    delta(&from, &to).apply(&mut same).unwrap();
    assert_eq!((compared(&same) == compared(&to), digest(&same)), (false, digest(&to)));
    assert_eq!(same, to);
    let stored = postcard::to_stdvec(&same).unwrap();
    assert_eq!(postcard::from_bytes::<Arena>(&stored).unwrap(), same);
}

#[test]
fn presentation_is_left_out_and_stays_what_it_was() {
    let from = sample(1, 20);
    let mut to = from.clone();
    let entity = to.fighters.health.owners().next().unwrap();
    to.attach(entity, Glow(1));
    *to.frames_drawn = 7;
    assert!(delta(&from, &to).is_empty());
    to.step(1);
    let mut shown = from.clone();
    shown.attach(entity, Glow(9));
    delta(&from, &to).apply(&mut shown).unwrap();
    assert_eq!((shown.get::<Glow>(entity), *shown.frames_drawn), (Some(&Glow(9)), 0));
    assert_eq!(compared(&shown), compared(&to));
}

#[test]
fn values_that_do_not_equal_themselves_are_compared_by_their_bits() {
    let mut from = Arena::default();
    let [quiet, odd] = [f32::NAN, f32::from_bits(0x7fc0_0123)].map(|heat| from.spawn_with((Heat(heat),)));
    let mut to = from.clone();
    to.places.heats.iter_mut().for_each(drop);
    let small = bytes(&delta(&from, &to)).len();
    to.get_mut::<Heat>(quiet).unwrap().0 = f32::from_bits(0xffc0_0001);
    assert!(bytes(&delta(&from, &to)).len() > small);
    let rebuilt = applied(&from, &to);
    let bits = |entity| rebuilt.get::<Heat>(entity).unwrap().0.to_bits();
    assert_eq!((bits(quiet), bits(odd)), (0xffc0_0001, 0x7fc0_0123));
}

#[test]
fn size_follows_what_changed() {
    let mut world = Arena::default();
    world.squad(0..20_000);
    let whole = postcard::to_stdvec(&world).unwrap().len();
    let size = |edit: &dyn Fn(&mut Arena)| {
        let mut edited = world.clone();
        edit(&mut edited);
        bytes(&delta(&world, &edited)).len()
    };
    assert!(size(&|_| {}) < 32, "{} bytes for nothing", size(&|_| {}));
    let entity = world.entities.iter().nth(500).unwrap();
    let one = size(&|world| world.get_mut::<Place>(entity).unwrap().x += 1);
    assert!(one < 64, "{one} bytes for one value");
    let despawned = size(&|world| _ = world.despawn(entity));
    assert!(despawned < 128, "{despawned} bytes for a despawn, which moves two rows");
    let borrowed = size(&|world| world.places.places.iter_mut().for_each(drop));
    assert!(borrowed < 200, "{borrowed} bytes for twenty pages of stamps");
    let percent = size(&|world| {
        for (_, place) in world.places.places.iter_mut().skip(5_000).take(200) {
            place.x += 1;
        }
    });
    assert!(percent < whole / 50, "{percent} bytes for one hundredth of {whole}");
}

#[test]
fn a_delta_goes_through_text_formats() {
    let (from, to) = (sample(1, 10), sample(1, 30));
    let change = delta(&from, &to);
    let ron: WorldDelta<Arena> = ron::from_str(&ron::to_string(&change).unwrap()).unwrap();
    let json: WorldDelta<Arena> = serde_json::from_str(&serde_json::to_string(&change).unwrap()).unwrap();
    for received in [ron, json] {
        let mut world = from.clone();
        received.apply(&mut world).unwrap();
        assert_eq!(everything(&world), everything(&to));
    }
}

#[test]
fn every_flipped_bit_is_an_error_or_changes_nothing() {
    let from = sample(2, 10);
    let mut to = from.clone();
    (0..8).for_each(|tick| to.step(tick * 3));
    let sent = bytes(&delta(&from, &to));
    let mut refused = 0;
    for bit in 0..sent.len() * 8 {
        let mut damaged = sent.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let mut world = from.clone();
        let outcome =
            postcard::from_bytes::<WorldDelta<Arena>>(&damaged).map(|delta| delta.apply(&mut world));
        match outcome {
            Ok(Ok(())) => assert_eq!(everything(&world), everything(&to), "bit {bit}"),
            Ok(Err(_)) => {
                refused += 1;
                assert_eq!(everything(&world), everything(&from), "bit {bit}");
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > sent.len() * 7, "{refused} of {} bits", sent.len() * 8);
}

#[test]
fn a_cycle_that_comes_in_with_a_change_is_refused() {
    use std_ecs::{Delta, Hierarchy};
    let mut entities = Entities::default();
    let [a, b, c, d] = [(); 4].map(|()| entities.spawn());
    let (mut from, mut target) = (Hierarchy::default(), Hierarchy::default());
    from.set_parent(c, d).unwrap();
    let mut to = from.clone();
    to.set_parent(a, b).unwrap();
    target.set_parent(b, a).unwrap();
    let change = Hierarchy::changes(&from, &to).unwrap();
    let refused = target.apply(&change, &mut vec!["hierarchy"]).unwrap_err();
    assert!(matches!(refused, DeltaError::Contradiction { .. }), "{refused}");
}

/// A change that was not made by `delta` and yet carries a check that fits, as an attacker can make one.
#[test]
fn a_forged_change_is_refused_and_never_panics() {
    use std_ecs::{ColumnChange, Delta, EntitiesChange};
    let mut entities = Entities::default();
    let all = entities.spawn_many(6);
    entities.despawn(all[1]);
    entities.despawn(all[4]);
    let mut column = Column::default();
    column.extend(all.iter().map(|&entity| (entity, 7_u8)));
    let (mut changed, mut freed) = (column.clone(), entities.clone());
    changed.remove(all[0]);
    changed.insert(all[3], 9).unwrap();
    freed.spawn();
    freed.despawn(all[2]);
    let honest = postcard::to_stdvec(&Column::changes(&column, &changed).unwrap()).unwrap();
    let honest_entities = postcard::to_stdvec(&Entities::changes(&entities, &freed).unwrap()).unwrap();
    for at in 0..honest.len() {
        for byte in 0..=255 {
            let mut forged = honest.clone();
            forged[at] = byte;
            if let Ok(change) = postcard::from_bytes::<ColumnChange<u8>>(&forged) {
                let mut target = column.clone();
                if target.apply(&change, &mut vec![]).is_ok() {
                    for (row, owner) in target.owners().enumerate() {
                        assert_eq!(target.row(owner), Some(row));
                    }
                    let stored = postcard::to_stdvec(&target).unwrap();
                    assert_eq!(postcard::from_bytes::<Column<u8>>(&stored).unwrap(), target);
                }
            }
        }
    }
    for at in 0..honest_entities.len() {
        for byte in 0..=255 {
            let mut forged = honest_entities.clone();
            forged[at] = byte;
            if let Ok(change) = postcard::from_bytes::<EntitiesChange>(&forged) {
                let mut target = entities.clone();
                if target.apply(&change, &mut vec![]).is_ok() {
                    let stored = postcard::to_stdvec(&target).unwrap();
                    assert_eq!(postcard::from_bytes::<Entities>(&stored).unwrap(), target);
                    assert_eq!(target.iter().count(), target.len());
                    target.spawn_many(9);
                    target.clear();
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_two_worlds_of_one_history_or_of_none_have_a_delta(
        seeds in (any::<u64>(), any::<u64>()),
        ticks in (0..200_u64, 0..40_u64),
        is_one_history in any::<bool>(),
        sizes in (0..2_500_i32, 0..2_500_i32),
    ) {
        let mut from = Arena::seeded(seeds.0);
        from.squad(0..sizes.0);
        (0..ticks.0).for_each(|tick| from.step(tick ^ seeds.0));
        let mut to = if is_one_history { from.clone() } else { Arena::seeded(seeds.1) };
        to.squad(0..sizes.1 * i32::from(!is_one_history));
        (0..ticks.1).for_each(|tick| to.step(tick ^ seeds.1));
        let rebuilt = applied(&from, &to);
        prop_assert_eq!(everything(&rebuilt), everything(&to));
        prop_assert_eq!(rebuilt.check(), Ok(()));
        prop_assert_eq!(everything(&applied(&to, &from)), everything(&from));
        for entity in to.entities.iter() {
            let children = |world: &Arena| world.hierarchy.children(entity).collect::<Vec<_>>();
            prop_assert_eq!(children(&rebuilt), children(&to));
        }
    }
}
