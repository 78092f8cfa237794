//! Worlds as a program uses them: spawning, snapshots, undo, lending, showing, checking.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::saving::reload;
use common::{Burning, Game, Health, Inventory, Name, Position, Velocity, entity, ignore};
use std_ecs::{CheckError, Columns, Entity, Store, World, component_key};

fn ship(game: &mut Game, health: i32) -> Entity {
    game.spawn_with((Position(0.0, 0.0), Velocity(1.0, 0.0), Health(health)))
}

/// The text of a panic.
fn panic_of(work: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("it panics");
    payload.downcast_ref::<String>().cloned().expect("a panic of the library has a formatted text")
}

#[test]
fn an_entity_has_what_it_was_spawned_with() {
    let mut game = Game::default();
    let bare = game.spawn();
    let ship = ship(&mut game, 3);
    let nothing = game.spawn_with(());
    assert!(game.is_alive(bare) && game.is_alive(ship) && game.is_alive(nothing));
    assert_eq!(game.get::<Health>(ship), Some(&Health(3)));
    assert!(game.has::<Velocity>(ship) && !game.has::<Burning>(ship) && !game.has::<Position>(bare));
    assert_eq!(game.entities().len(), 3);
}

#[test]
fn a_batch_is_spawned_as_one_after_another() {
    let (mut batch, mut single) = (Game::default(), Game::default());
    for game in [&mut batch, &mut single] {
        let all: Vec<Entity> = (0..5).map(|_| game.spawn()).collect();
        game.despawn(all[1]);
        game.despawn(all[3]);
    }
    let spawned = batch.spawn_batch((0..2_000).map(|at| (Health(at), Position(0.0, 0.0))));
    let one_by_one: Vec<Entity> =
        (0..2_000).map(|at| single.spawn_with((Health(at), Position(0.0, 0.0)))).collect();
    assert_eq!(spawned, one_by_one);
    assert_eq!(batch, single);
    assert_eq!(batch.spawn_batch(Vec::<(Health,)>::new()), []);
}

#[test]
fn the_second_of_two_equal_components_in_a_tuple_stays() {
    let mut game = Game::default();
    let ship = game.spawn_with((Health(1), Health(2)));
    assert_eq!(game.get::<Health>(ship), Some(&Health(2)));
}

#[test]
fn a_dead_handle_attaches_reads_and_removes_nothing() {
    let mut game = Game::default();
    let old = ship(&mut game, 1);
    assert!(game.despawn(old));
    let before = game.clone();
    for asked in [old, entity(0, 9), entity(77, 1), entity(u32::MAX, u32::MAX)] {
        assert!(!game.attach(asked, Health(9)));
        assert_eq!(game.get::<Health>(asked), None);
        assert_eq!(game.get_mut::<Health>(asked), None);
        assert_eq!(game.remove::<Health>(asked), None);
        assert!(!game.has::<Health>(asked) && !game.is_alive(asked) && !game.despawn(asked));
        assert!(!game.despawn_only(asked));
        assert!(game.describe(asked).is_empty());
    }
    assert_eq!(game, before);
    assert_eq!(game.clocks(), before.clocks());

    let new = ship(&mut game, 2);
    assert_eq!((new.index(), new == old), (old.index(), false));
    assert!(!game.despawn(old) && !game.attach(old, Health(0)) && game.remove::<Health>(old).is_none());
    assert_eq!(game.get::<Health>(new), Some(&Health(2)));
}

#[test]
fn a_despawned_entity_leaves_every_column_of_every_group() {
    let mut game = Game::default();
    let other = game.spawn_with((Health(1), Burning));
    let ship = game.spawn_with((
        Position(0.0, 0.0),
        Velocity(0.0, 0.0),
        Health(2),
        Name("Ada".into()),
        Inventory(vec![other]),
        Burning,
    ));
    assert_eq!(game.describe(ship).len(), 6);
    assert!(game.despawn(ship));
    assert!(game.describe(ship).is_empty());
    assert_eq!(game.lengths().iter().map(|(_, length)| length).sum::<usize>(), 2);
    assert_eq!(game.check(), Ok(()));
}

#[test]
fn the_whole_world_can_be_emptied_from_a_clone_and_the_original_stays() {
    let mut game = Game::default();
    let ships: Vec<Entity> = (0..1_500).map(|at| ship(&mut game, at)).collect();
    let mut clone = game.clone();
    let before = game.clone();
    assert_eq!(clone.despawn_many(ships.iter().copied()), 1_500);
    assert!(clone.entities().is_empty() && clone.lengths().iter().all(|(_, length)| *length == 0));
    assert_eq!(game, before);
    assert_eq!(game.clocks(), before.clocks());

    let emptied = clone.clone();
    game.despawn_many(ships);
    assert_eq!(game, emptied);
    assert_eq!(game.spawn(), clone.spawn());
}

#[test]
fn despawning_many_counts_those_who_were_alive() {
    let mut game = Game::default();
    let all = game.spawn_batch([(Health(1),), (Health(2),), (Health(3),)]);
    game.despawn(all[1]);
    assert_eq!(game.despawn_many([all[0], all[1], all[0], entity(9, 9)]), 1);
    assert_eq!(game.entities().iter().collect::<Vec<_>>(), [all[2]]);
}

#[test]
fn clearing_ends_everybody_and_keeps_singles() {
    let mut game = Game::default();
    let old = ship(&mut game, 1);
    *game.score = 7;
    *game.motions.gravity = -9.8;
    game.clear();
    assert_eq!((game.entities().len(), game.entities().iter().count()), (0, 0));
    assert!(game.lengths().iter().all(|(_, length)| *length == 0));
    assert_eq!((*game.score, *game.motions.gravity), (7, -9.8));

    for count in 1..5 {
        let new = ship(&mut game, 1);
        assert!(new != old && !game.is_alive(old));
        assert_eq!(game.entities().len(), count);
    }
}

#[test]
fn rolling_back_across_a_despawn_is_exact() {
    let step = |game: &mut Game| {
        let target = game.column_of::<Health>().owners().next();
        if let Some(target) = target {
            game.despawn(target);
        }
        let bullet = game.spawn_with((Position(1.0, 1.0),));
        game.attach(bullet, Burning);
    };
    let mut game = Game::default();
    let player = ship(&mut game, 3);
    let snapshot = game.clone();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        step(&mut game);
        first.push(game.clone());
    }
    game = snapshot;
    assert_eq!(game.get::<Health>(player), Some(&Health(3)), "the same handle again");
    for _ in 0..5 {
        step(&mut game);
        second.push(game.clone());
    }
    assert_eq!(first, second);
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first.clocks(), second.clocks());
        assert!(first.entities().iter().eq(second.entities().iter()));
    }
}

#[test]
fn a_peer_that_predicted_wrongly_ends_with_the_handles_of_one_that_did_not() {
    let mut base = Game::default();
    ship(&mut base, 1);
    let (mut predicted, mut exact) = (base.clone(), base.clone());

    let snapshot = predicted.clone();
    let mistaken = predicted.spawn_with((Position(9.0, 9.0), Burning));
    predicted.despawn(mistaken);
    predicted.spawn();
    predicted = snapshot;

    let bullets = [&mut predicted, &mut exact].map(|game| game.spawn_with((Position(1.0, 0.0),)));
    assert_eq!(bullets[0], bullets[1]);
    assert_eq!(predicted, exact);
    assert_eq!(predicted.clocks(), exact.clocks());
}

#[test]
fn what_was_spawned_after_a_snapshot_is_gone_after_the_rollback() {
    let mut game = Game::default();
    ship(&mut game, 1);
    let snapshot = game.clone();
    let future = ship(&mut game, 2);
    game = snapshot.clone();
    assert!(!game.is_alive(future));
    assert!(game.describe(future).is_empty());
    assert_eq!(game.check(), Ok(()));
    assert_eq!(ship(&mut game, 2), future, "run again, it is the same handle");
}

#[test]
fn handles_inside_components_are_good_again_after_a_rollback() {
    let mut game = Game::default();
    let sword = game.spawn_with((Name("sword".into()),));
    let hero = game.spawn_with((Inventory(vec![sword]),));
    let snapshot = game.clone();
    game.despawn(sword);
    let other = game.spawn_with((Name("stone".into()),));
    assert_eq!(other.index(), sword.index());
    let carried = |game: &Game| {
        let inventory = game.get::<Inventory>(hero).expect("the hero has one");
        game.get::<Name>(inventory.0[0]).cloned()
    };
    assert_eq!(carried(&game), None, "not the stone");
    game = snapshot;
    assert_eq!(carried(&game), Some(Name("sword".into())));
}

#[test]
fn undo_and_redo_by_running_again_give_the_same_handles() {
    type Command = fn(&mut Game);
    let commands: [Command; 3] = [
        |game| {
            ship(game, 1);
        },
        |game| {
            let last = game.column_of::<Position>().owners().last().expect("there is a ship");
            game.get_mut::<Position>(last).expect("it has a place").0 += 1.0;
        },
        |game| {
            let first = game.entities().iter().next().expect("there is a ship");
            game.despawn(first);
        },
    ];
    let mut game = Game::default();
    let mut undo = Vec::new();
    for command in commands {
        undo.push(game.clone());
        command(&mut game);
    }
    let done = game.clone();
    for _ in 0..commands.len() {
        game = undo.pop().expect("there is one for each command");
    }
    assert_eq!(game, Game::default());
    for command in commands {
        command(&mut game);
    }
    assert_eq!(game, done);
    assert_eq!(game.clocks(), done.clocks());
}

#[test]
fn two_branches_may_give_one_handle_to_two_things() {
    let base = Game::default();
    let (mut left, mut right) = (base.clone(), base);
    let one = left.spawn_with((Name("left".into()),));
    let other = right.spawn_with((Name("right".into()),));
    assert_eq!(one, other, "handles are not carried between branches");
    assert_ne!(left, right);
}

#[test]
fn components_can_be_removed_from_everybody_while_a_snapshot_is_walked() {
    let mut game = Game::default();
    let all = game.spawn_batch((0..100).map(|at| (Health(at), Burning)));
    let mut visited = Vec::new();
    for (owner, health) in &game.column_of::<Health>().clone() {
        assert_eq!(game.remove::<Burning>(owner).is_some(), owner.index() < 50, "the others are dead by now");
        game.despawn(all[(owner.index() as usize + 50) % 100]);
        visited.push(health.0);
    }
    assert_eq!(visited, (0..100).collect::<Vec<_>>());
    assert!(game.entities().is_empty());
}

#[test]
fn an_entity_is_seen_once_whatever_it_gains_and_loses() {
    let mut game = Game::default();
    let bare = game.spawn();
    let seen = |game: &Game| {
        (
            game.entities().iter().filter(|&alive| alive == bare).count(),
            game.column_of::<Health>().owners().filter(|&owner| owner == bare).count(),
        )
    };
    assert_eq!(seen(&game), (1, 0));
    game.attach(bare, Health(1));
    game.attach(bare, Burning);
    game.attach(bare, Health(2));
    assert_eq!(seen(&game), (1, 1));
    game.remove::<Health>(bare);
    assert_eq!(seen(&game), (1, 0));
    game.despawn(bare);
    assert_eq!(seen(&game), (0, 0));
}

#[test]
fn gaining_one_component_does_not_report_another_as_attached() {
    let mut game = Game::default();
    let ship = ship(&mut game, 1);
    let seen = game.clocks();
    game.remove::<Velocity>(ship);
    game.attach(ship, Burning);
    let attached: Vec<_> = game.column_of::<Health>().attached_since(seen[2].1).collect();
    assert_eq!(seen[2].0, component_key::<Health>());
    assert_eq!(attached, []);
}

#[test]
fn a_despawn_is_a_removal_of_each_component() {
    let mut game = Game::default();
    let ships: Vec<Entity> = (0..100).map(|at| ship(&mut game, at)).collect();
    let mut removed = Vec::new();
    let mut earlier = game.column_of::<Health>().clone();
    for (tick, &ship) in ships.iter().enumerate().take(4) {
        removed.extend(game.column_of::<Health>().diff(&earlier).map(|change| change.entity()));
        earlier = game.column_of::<Health>().clone();
        if tick % 2 == 0 {
            game.remove::<Health>(ship);
        } else {
            game.despawn(ship);
        }
    }
    removed.extend(game.column_of::<Health>().diff(&earlier).map(|change| change.entity()));
    assert_eq!(removed, ships[..4]);
}

#[test]
fn a_lent_column_can_be_written_while_the_world_is_read_and_changed() {
    let mut game = Game::default();
    let all = game.spawn_batch((0..10).map(|at| (Health(at), Position(1.0, 0.0))));
    game.attach(all[3], Burning);
    let spawned = game.lend::<Health, _>(|health, game| {
        for (owner, health) in health.iter_mut() {
            if game.has::<Burning>(owner) {
                health.0 = -1;
            }
        }
        let smoke = game.spawn_with((Position(0.0, 1.0),));
        health.insert(smoke, Health(50)).expect("the row is new");
        smoke
    });
    assert_eq!(game.get::<Health>(all[3]), Some(&Health(-1)));
    assert_eq!(game.get::<Health>(spawned), Some(&Health(50)));
    assert_eq!(game.lengths()[2], (component_key::<Health>(), 11));
}

#[test]
fn a_lent_column_is_back_after_a_panic() {
    let mut game = Game::default();
    let ship = ship(&mut game, 5);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        game.lend::<Health, _>(|health, game| {
            health.get_mut(ship).expect("it has health").0 = 4;
            game.attach(ship, Burning);
            panic!("in the middle");
        });
    }));
    assert!(outcome.is_err());
    assert_eq!(game.get::<Health>(ship), Some(&Health(4)), "what was written stays written");
    assert!(game.has::<Burning>(ship) && game.attach(ship, Health(3)) && game.despawn(ship));
    assert_eq!(game.check(), Ok(()));
}

#[test]
fn touching_a_lent_column_through_the_world_names_it() {
    type Touch = fn(&mut Game, Entity);
    let touches: [(&str, Touch); 13] = [
        ("get", |game, ship| ignore(game.get::<Health>(ship).copied())),
        ("get_mut", |game, ship| ignore(game.get_mut::<Health>(ship).copied())),
        ("has", |game, ship| ignore(game.has::<Health>(ship))),
        ("attach", |game, ship| ignore(game.attach(ship, Health(1)))),
        ("remove", |game, ship| ignore(game.remove::<Health>(ship))),
        ("len", |game, _| ignore(game.column_of::<Health>().len())),
        ("iter", |game, _| ignore(game.column_of::<Health>().iter())),
        ("clock", |game, _| ignore(game.column_of::<Health>().clock())),
        ("retain", |game, _| game.column_of_mut::<Health>().retain(|_, _| true)),
        ("despawn", |game, ship| ignore(game.despawn(ship))),
        ("clear", |game, _| game.clear()),
        ("check", |game, _| ignore(game.check())),
        ("lend", |game, ship| game.lend::<Health, _>(|health, _| ignore(health.get(ship).copied()))),
    ];
    for (name, touch) in touches {
        let mut game = Game::default();
        let ship = ship(&mut game, 5);
        let message = panic_of(|| game.lend::<Health, _>(|_, game| touch(game, ship)));
        assert!(
            message.contains("::Health is lent out: use the column that the closure was given"),
            "{name}: {message}"
        );
        assert_eq!(game.get::<Health>(ship), Some(&Health(5)), "{name}");
    }
}

#[test]
fn a_world_assigned_while_a_column_is_lent_keeps_the_lent_one() {
    let mut game = Game::default();
    let ship = ship(&mut game, 5);
    let snapshot = game.clone();
    game.spawn_with((Health(6), Burning));
    game.lend::<Health, _>(|health, game| {
        *game = snapshot.clone();
        health.get_mut(ship).expect("it has health").0 = 1;
        health.retain(|owner, _| owner == ship);
    });
    assert_eq!(game.get::<Health>(ship), Some(&Health(1)));
    assert_eq!(game.column_of::<Burning>().len(), 0);
}

#[test]
fn lending_two_columns_one_inside_the_other_works() {
    let mut game = Game::default();
    let ship = ship(&mut game, 5);
    game.lend::<Position, _>(|positions, game| {
        game.lend::<Velocity, _>(|velocities, game| {
            velocities.get_mut(ship).expect("it moves").0 = 2.0;
            assert_eq!(game.get::<Health>(ship), Some(&Health(5)));
        });
        positions.get_mut(ship).expect("it has a place").0 += game.get::<Velocity>(ship).expect("it moves").0;
    });
    assert_eq!(game.get::<Position>(ship), Some(&Position(2.0, 0.0)));
}

#[test]
fn a_world_shows_what_an_entity_has_in_the_order_of_the_fields() {
    let mut game = Game::default();
    let ship = game.spawn_with((Burning, Health(3), Position(1.0, 2.0)));
    let shown: Vec<String> = game
        .describe(ship)
        .into_iter()
        .map(|described| format!("{} = {:?}", described.key.short_name(), described.value))
        .collect();
    assert_eq!(shown, ["Position = Position(1.0, 2.0)", "Health = Health(3)", "Burning = Burning"]);
    let first = game.describe(ship)[0];
    assert!(format!("{first:?}").ends_with("::Position: Position(1.0, 2.0)"));
}

#[test]
fn a_world_tells_lengths_and_clocks_in_the_order_of_the_fields() {
    let mut game = Game::default();
    let ship = ship(&mut game, 1);
    game.get_mut::<Health>(ship).expect("it has health").0 = 2;
    let names: Vec<_> = game.lengths().iter().map(|(key, _)| key.short_name()).collect();
    assert_eq!(names, ["Position", "Velocity", "Health", "Name", "Inventory", "Burning"]);
    assert_eq!(game.clocks().iter().map(|(_, clock)| *clock).collect::<Vec<_>>(), [1, 1, 2, 0, 0, 0]);
}

#[test]
fn a_row_of_the_dead_is_found_by_a_check() {
    let mut game = Game::default();
    let ship = ship(&mut game, 1);
    assert_eq!(game.check(), Ok(()));
    game.entities_mut().despawn(ship);
    let error = game.check().expect_err("the rows are still there");
    assert_eq!(error, CheckError::RowOfTheDead { key: component_key::<Position>(), entity: ship });
    assert!(error.to_string().ends_with("::Position has a row of 0v1, which is not alive"));

    let next = game.spawn();
    assert_eq!(next.index(), ship.index());
    assert!(game.check().is_err(), "an index that is alive again does not make old rows good");
    for attached in [game.attach(next, Position(0.0, 0.0)), game.attach(next, Velocity(0.0, 0.0))] {
        assert!(attached, "a newer entity takes the row over");
    }
    game.attach(next, Health(1));
    assert_eq!(game.check(), Ok(()));
}

#[test]
fn a_snapshot_is_not_touched_by_anything_done_to_the_world() {
    let mut game = Game::default();
    let ships: Vec<Entity> = (0..1_200).map(|at| ship(&mut game, at)).collect();
    *game.score = 3;
    let (snapshot, copy) = (game.clone(), reload(&game));
    assert_eq!(snapshot, copy);
    game.column_of_mut::<Health>().sort_by(|(_, left), (_, right)| right.cmp(left));
    game.column_of_mut::<Position>().iter_mut().for_each(|(_, position)| position.0 += 1.0);
    game.despawn_many(ships.into_iter().step_by(3));
    *game.score += 1;
    game.clear();
    assert_eq!(snapshot, copy);
    assert_eq!(snapshot.clocks(), copy.clocks());
}

#[test]
fn the_end_of_a_frame_changes_nothing_in_a_world_without_events() {
    let mut game = Game::default();
    ship(&mut game, 1);
    let before = game.clone();
    game.advance(2);
    assert_eq!(game, before);
}
