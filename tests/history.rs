//! History, undo and redo, and what a rollback must bring back.

#![cfg(feature = "serde")]

mod arena;

use arena::{Arena, Armed, Fighters, Health, Inventory, Place, Struck};
use proptest::prelude::*;
use std_ecs::{Columns, Entity, History, Store, Undo, World, digest};

fn everything(world: &Arena) -> String {
    ron::to_string(world).unwrap()
}

#[test]
fn a_tick_outside_the_history_is_none() {
    let mut history = History::new(4);
    assert!(history.is_empty() && history.get(0).is_none() && history.latest().is_none());
    for tick in 5..15 {
        assert!(history.record(tick, &tick));
    }
    assert_eq!(history.iter().map(|(tick, _)| tick).collect::<Vec<_>>(), [11, 12, 13, 14]);
    assert_eq!(
        (history.get(10), history.get(11), history.get(14), history.get(15)),
        (None, Some(&11), Some(&14), None)
    );
    assert_eq!((history.oldest(), history.latest(), history.len()), (Some((11, &11)), Some((14, &14)), 4));
}

#[test]
fn a_tick_recorded_again_replaces_it_and_drops_what_followed() {
    let mut history = History::new(8);
    (0..6).for_each(|tick| assert!(history.record(tick, &(tick, "first"))));
    assert!(history.record(3, &(3, "again")));
    assert_eq!(history.latest(), Some((3, &(3, "again"))));
    assert_eq!((history.get(2), history.get(4)), (Some(&(2, "first")), None));
}

#[test]
fn a_jump_of_a_million_ticks_is_one_step() {
    let mut history = History::new(3);
    for tick in [1, 2, 3, 1_000_000, 30_000_000, u64::MAX] {
        assert!(history.record(tick, &tick));
    }
    assert_eq!(history.iter().map(|(tick, _)| tick).collect::<Vec<_>>(), [1_000_000, 30_000_000, u64::MAX]);
    assert_eq!(history.get(999_999), None);
    assert!(!history.record(3, &3), "a tick before the oldest is refused");
    assert_eq!(history.len(), 3);
    history.clear();
    assert!(history.record(3, &3));
}

#[test]
fn rewinding_to_a_tick_that_is_not_kept_forgets_nothing() {
    let mut history = History::new(3);
    (0..5).for_each(|tick| assert!(history.record(tick, &tick)));
    assert_eq!((history.rewind_to(1), history.rewind_to(9), history.len()), (None, None, 3));
    assert_eq!((history.rewind_to(3), history.latest()), (Some(3), Some((3, &3))));
}

#[test]
#[should_panic(expected = "give it room for at least one")]
fn a_history_of_no_worlds_is_refused() {
    History::<u8>::new(0);
}

proptest! {
    #[test]
    fn a_history_agrees_with_a_list(capacity in 1..6_usize, calls in prop::collection::vec((0..12_u64, 0..3_u8), 0..40)) {
        let (mut history, mut model) = (History::new(capacity), Vec::<(u64, usize)>::new());
        for (at, (tick, call)) in calls.into_iter().enumerate() {
            if call < 2 {
                let kept = model.first().is_none_or(|first| tick >= first.0);
                prop_assert_eq!(history.record(tick, &at), kept);
                if kept {
                    model.retain(|entry| entry.0 < tick);
                    model.push((tick, at));
                    model.drain(..model.len().saturating_sub(capacity));
                }
            } else {
                let found = model.iter().find(|entry| entry.0 == tick).map(|entry| entry.1);
                prop_assert_eq!(history.rewind_to(tick), found);
                if found.is_some() {
                    model.retain(|entry| entry.0 <= tick);
                }
            }
            prop_assert_eq!(history.iter().map(|(tick, &at)| (tick, at)).collect::<Vec<_>>(), model.clone());
            for tick in 0..12 {
                prop_assert_eq!(history.get(tick), model.iter().find(|entry| entry.0 == tick).map(|entry| &entry.1));
            }
        }
    }
}

#[test]
fn a_despawned_entity_comes_back_as_the_same_handle() {
    let mut world = Arena::default();
    let player = world.fighter(3);
    let snapshot = world.clone();
    let replay = |world: &mut Arena| {
        world.despawn(player);
        let next = world.fighter(4);
        (next, digest(world), everything(world))
    };
    let first = replay(&mut world);
    world = snapshot.clone();
    assert_eq!((world.get::<Health>(player), everything(&world)), (Some(&Health(10)), everything(&snapshot)));
    assert_eq!(replay(&mut world), first);
}

#[test]
fn a_mispredicted_spawn_leaves_no_trace_in_the_handles_of_the_next() {
    let mut other_peer = Arena::default();
    other_peer.fighter(1);
    let mut peer = other_peer.clone();
    let before = peer.clone();
    let wrong = peer.fighter(99);
    peer.despawn(wrong);
    peer = before;
    let bullets = [&mut peer, &mut other_peer].map(|world| (world.fighter(7), world.fighter(8)));
    assert_eq!(bullets[0], bullets[1]);
    assert_eq!(everything(&peer), everything(&other_peer));
}

#[test]
fn entities_named_in_components_are_alive_again_after_a_rollback() {
    let mut world = Arena::default();
    let (owner, sword) = (world.fighter(1), world.fighter(2));
    world.attach(owner, Inventory(vec![sword]));
    let snapshot = world.clone();
    world.despawn(sword);
    assert!(!world.is_alive(world.get::<Inventory>(owner).unwrap().0[0]));
    world = snapshot;
    let carried = world.get::<Inventory>(owner).unwrap().0[0];
    assert_eq!((carried, world.get::<Health>(carried)), (sword, Some(&Health(10))));
}

#[test]
fn what_was_spawned_after_the_tick_is_gone_everywhere_and_spawns_the_same_again() {
    let mut history = History::new(8);
    let mut world = Arena::default();
    world.fighter(0);
    history.record(10, &world);
    let run = |world: &mut Arena, history: &mut History<Arena>| -> Entity {
        history.record(11, world);
        let spawned = world.fighter(12);
        world.attach(spawned, Armed);
        history.record(12, world);
        spawned
    };
    let first = run(&mut world, &mut history);
    let end = everything(&world);
    world = history.rewind_to(10).unwrap();
    assert!(!world.is_alive(first));
    assert_eq!(
        (world.places.places.row(first), world.fighters.armed.len(), world.entities.len()),
        (None, 0, 1)
    );
    world.check().unwrap();
    assert_eq!(run(&mut world, &mut history), first);
    assert_eq!(everything(&world), end);
}

#[test]
fn running_a_tick_again_overwrites_its_world_and_its_digest() {
    let mut history = History::new(8);
    let mut world = Arena::seeded(1);
    world.squad(0..5);
    for tick in 0..6 {
        history.record(tick, &world);
        world.step(if tick == 3 { 7 } else { 1 }); // 7 was predicted
    }
    let predicted = digest(history.get(5).unwrap());
    world = history.rewind_to(3).unwrap();
    for tick in 3..6 {
        history.record(tick, &world);
        world.step(1);
    }
    let mut straight = Arena::seeded(1);
    straight.squad(0..5);
    for tick in 0..6 {
        assert_eq!(digest(history.get(tick).unwrap()), digest(&straight), "at tick {tick}");
        straight.step(1);
    }
    assert_ne!(digest(history.get(5).unwrap()), predicted);
}

#[test]
fn random_state_in_the_world_is_rolled_back_with_it() {
    let mut world = Arena::seeded(5);
    world.squad(0..20);
    (0..30).for_each(|tick| world.step(tick));
    let snapshot = world.clone();
    let run = |mut world: Arena| {
        (30..60).for_each(|tick| world.step(tick));
        everything(&world)
    };
    assert_eq!(run(world), run(snapshot));
}

#[test]
fn worlds_that_hold_the_same_in_another_order_are_told_apart() {
    let (mut left, mut right) = (Arena::default(), Arena::default());
    left.squad([1, 2]);
    right.squad([2, 1]);
    assert_ne!(digest(&left), digest(&right));
    let order = |world: &Arena| world.places.places.iter().map(|(_, place)| place.x).collect::<Vec<_>>();
    assert_eq!((order(&left), order(&right)), (vec![1, 2], vec![2, 1]));
}

#[test]
fn parents_and_the_order_of_children_come_back() {
    let mut world = Arena::default();
    let entities = world.squad(0..5);
    let [root, a, b, c, other] = entities[..] else { unreachable!("five were spawned") };
    for (child, parent) in [(a, root), (b, root), (c, b)] {
        world.set_parent(child, parent).unwrap();
    }
    let tree = |world: &Arena| {
        let order: Vec<_> = world.hierarchy.depth_order(&world.places.places).into_iter().collect();
        let children: Vec<Vec<_>> =
            entities.iter().map(|&entity| world.hierarchy.children(entity).collect()).collect();
        (everything(world), order, children)
    };
    let (snapshot, before) = (world.clone(), tree(&world));
    world.despawn(b);
    world.set_parent(a, other).unwrap();
    assert_ne!(tree(&world), before);
    world = snapshot;
    assert_eq!(tree(&world), before);
}

#[test]
fn undoing_the_removal_of_a_child_puts_it_back_where_it_was() {
    let mut world = Arena::default();
    let entities = world.squad(0..4);
    let [parent, children @ ..] = &entities[..] else { unreachable!("four were spawned") };
    for &child in children {
        world.set_parent(child, *parent).unwrap();
    }
    let mut undo = Undo::new(&world, 9);
    world.despawn(children[1]);
    undo.edited(&world);
    assert_eq!(world.hierarchy.children(*parent).collect::<Vec<_>>(), [children[0], children[2]]);
    world = undo.undo().unwrap().clone();
    assert_eq!(world.hierarchy.children(*parent).collect::<Vec<_>>(), children);
}

#[test]
fn a_reader_of_events_is_rolled_back_with_them() {
    let mut world = Arena::default();
    let who = world.fighter(0);
    world.fighters.struck.emit(Struck { who, amount: 1 });
    let snapshot = world.clone();
    let read = |world: &mut Arena| {
        world.fighters.struck.emit(Struck { who, amount: 2 });
        let Fighters { struck, seen, .. } = &mut world.fighters;
        struck
            .read(seen)
            .map(|struck| (struck.amount, world.entities.is_alive(struck.who)))
            .collect::<Vec<_>>()
    };
    let first = read(&mut world);
    assert_eq!(first, [(1, true), (2, true)]);
    world.despawn(who);
    world = snapshot;
    assert_eq!(read(&mut world), first);
}

#[test]
fn redo_by_running_the_commands_again_meets_the_same_handles() {
    let mut world = Arena::default();
    let start = world.clone();
    let create = |world: &mut Arena| world.fighter(1);
    let ship = create(&mut world);
    let shift = |world: &mut Arena| world.get_mut::<Place>(ship).map(|place| place.x += 5);
    assert_eq!(shift(&mut world), Some(()));
    let end = everything(&world);
    world = start;
    assert_eq!(shift(&mut world), None);
    assert_eq!(create(&mut world), ship);
    assert_eq!(shift(&mut world), Some(()));
    assert_eq!(everything(&world), end);
}

#[test]
fn undo_and_redo_walk_the_edits_and_a_new_edit_drops_the_branch() {
    let mut world = Arena::default();
    let mut undo = Undo::new(&world, 3);
    let mut states = vec![everything(&world)];
    for x in 0..5 {
        world.fighter(x);
        undo.edited(&world);
        states.push(everything(&world));
    }
    assert_eq!((undo.undoable(), undo.redoable()), (3, 0));
    for at in [4, 3, 2] {
        world = undo.undo().unwrap().clone();
        assert_eq!(everything(&world), states[at]);
    }
    assert!(undo.undo().is_none(), "only three edits are kept");
    assert_eq!((undo.undoable(), undo.redoable()), (0, 3));
    for state in &states[3..] {
        world = undo.redo().unwrap().clone();
        assert_eq!(everything(&world), *state);
    }
    assert!(undo.redo().is_none());
    world = undo.undo().unwrap().clone();
    world.fighter(77);
    undo.edited(&world);
    assert!(undo.redo().is_none());
    assert_eq!(everything(undo.undo().unwrap()), states[4]);
}

#[test]
fn memory_is_counted_once_however_many_worlds_share_it() {
    let mut world = Arena::default();
    world.squad(0..5_000);
    let mut history = History::new(9);
    history.record(0, &world);
    let alone = history.memory();
    assert_eq!((alone.worlds, alone.shared), (1, 0));
    for tick in 1..9 {
        for place in world.places.places.chunks_mut().take(1).flat_map(|(_, places)| places) {
            place.y += 1;
        }
        history.record(tick, &world);
    }
    let ring = history.memory();
    assert_eq!(ring.worlds, 9);
    assert!(ring.held < alone.held * 2, "{ring:?} for nine worlds, {alone:?} for one");
    assert!(ring.shared > alone.held / 2 && ring.shared < ring.held, "{ring:?}");
}
