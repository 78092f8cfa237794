//! The hierarchy: who is whose child, in which order, and the walk from parents to children.

mod common;

use common::{entity, saving::reload};
use std_ecs::{Column, Columns, Entities, Entity, Hierarchy, HierarchyError, Parent, Single, Store, World};

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Local(i64);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Global(i64);

#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Places {
    local: Column<Local>,
    global: Column<Global>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    places: Places,
    root: Single<Option<Entity>>,
}

fn children(game: &Game, parent: Entity) -> Vec<Entity> {
    game.hierarchy.children(parent).collect()
}

/// A ship with three children, of which the second has one.
fn fleet() -> (Game, [Entity; 5]) {
    let mut game = Game::default();
    let ship = game.spawn();
    let [a, b, c] = [(); 3].map(|()| game.spawn_with((Parent::of(ship),)));
    let leaf = game.spawn_with((Parent::of(b),));
    (game, [ship, a, b, c, leaf])
}

#[test]
fn children_keep_the_order_in_which_they_were_given_their_parent() {
    let (game, [ship, a, b, c, leaf]) = fleet();
    assert_eq!(children(&game, ship), [a, b, c]);
    assert_eq!(game.hierarchy.children(ship).rev().collect::<Vec<_>>(), [c, b, a]);
    assert_eq!(game.hierarchy.descendants(ship).collect::<Vec<_>>(), [a, b, leaf, c]);
    assert_eq!(game.hierarchy.ancestors(leaf).collect::<Vec<_>>(), [b, ship]);
    assert_eq!(game.hierarchy.roots().collect::<Vec<_>>(), [ship]);
    assert_eq!(game.hierarchy.parent(ship), None);
}

#[test]
fn a_child_that_gets_a_parent_again_stands_in_one_list_at_its_end() {
    let (mut game, [ship, a, b, c, leaf]) = fleet();
    for parent in [b, b, ship, ship] {
        assert_eq!(game.set_parent(a, parent), Ok(()));
        assert_eq!(game.hierarchy.parent(a), Some(parent));
        let expected = if parent == b { [vec![b, c], vec![leaf, a]] } else { [vec![b, c, a], vec![leaf]] };
        assert_eq!([children(&game, ship), children(&game, b)], expected);
    }
}

#[test]
fn a_child_moves_before_and_after_a_sibling() {
    let (mut game, [ship, a, b, c, leaf]) = fleet();
    assert_eq!(game.move_before(c, a), Ok(()));
    assert_eq!(children(&game, ship), [c, a, b]);
    assert_eq!(game.move_after(c, a), Ok(()));
    assert_eq!(children(&game, ship), [a, c, b]);
    let before = game.clone();
    assert_eq!(game.move_after(c, a), Ok(()), "it is there");
    assert_eq!(game.move_before(c, c), Ok(()));
    assert_eq!(game, before);
    assert_eq!(game.move_before(leaf, a), Ok(()), "it comes from another parent");
    assert_eq!((children(&game, ship), children(&game, b)), (vec![leaf, a, c, b], vec![]));
    assert_eq!(game.move_before(a, ship), Err(HierarchyError::NoParent { entity: ship }));
}

#[test]
fn moves_to_one_place_never_run_out_of_order_numbers() {
    let mut game = Game::default();
    let ship = game.spawn();
    let crew: Vec<Entity> = (0..10).map(|_| game.spawn_with((Parent::of(ship),))).collect();
    let mut expected = crew.clone();
    for turn in 0..500 {
        let moved = crew[turn % 9];
        game.move_before(moved, crew[9]).unwrap();
        expected.retain(|&child| child != moved);
        let at = expected.iter().position(|&child| child == crew[9]).unwrap();
        expected.insert(at, moved);
        assert_eq!(children(&game, ship), expected);
        assert_eq!(children(&reload(&game), ship), expected);
    }
}

#[test]
fn a_cycle_is_refused_by_name_and_changes_nothing() {
    let (mut game, [ship, _, b, _, leaf]) = fleet();
    let before = game.clone();
    let error = game.set_parent(ship, leaf).unwrap_err();
    assert_eq!(error, HierarchyError::Cycle { entity: ship, parent: leaf });
    assert!(error.to_string().contains("0v1") && error.to_string().contains("4v1"), "{error}");
    assert_eq!(game.set_parent(b, b), Err(HierarchyError::OwnParent { entity: b }));
    assert_eq!(game.move_before(b, leaf), Err(HierarchyError::OwnParent { entity: b }));
    assert_eq!(game, before);
}

#[test]
#[should_panic(expected = "4v1 cannot be the parent of 0v1")]
fn attaching_a_cycle_panics_with_the_names() {
    let (mut game, [ship, .., leaf]) = fleet();
    game.attach(ship, Parent::of(leaf));
}

#[test]
#[should_panic(expected = "2v1 cannot be its own parent")]
fn attaching_an_entity_to_itself_panics_with_its_name() {
    let (mut game, [_, _, b, ..]) = fleet();
    game.attach(b, Parent::of(b));
}

#[test]
fn the_dead_are_neither_children_nor_parents() {
    let (mut game, [ship, a, b, c, leaf]) = fleet();
    game.despawn(b);
    assert!(!game.is_alive(leaf));
    assert_eq!(children(&game, ship), [a, c]);
    let before = game.clone();
    assert!(!game.attach(b, Parent::of(ship)) && !game.attach(a, Parent::of(b)));
    assert_eq!(game.set_parent(b, ship), Err(HierarchyError::Dead { entity: b }));
    assert_eq!(game.set_parent(a, b), Err(HierarchyError::Dead { entity: b }));
    assert_eq!(game.move_after(b, a), Err(HierarchyError::Dead { entity: b }));
    assert_eq!(game, before);
    assert_eq!(game.check(), Ok(()));
}

#[test]
fn despawning_only_one_makes_its_children_roots() {
    let (mut game, [ship, a, b, c, leaf]) = fleet();
    game.despawn_only(b);
    assert!(game.is_alive(leaf) && !game.has::<Parent>(leaf));
    game.despawn_only(ship);
    assert_eq!(game.hierarchy.roots().count(), 0);
    assert_eq!(game.entities.iter().collect::<Vec<_>>(), [a, c, leaf]);
    assert_eq!(game.check(), Ok(()));
}

#[test]
fn a_rollback_brings_the_tree_back() {
    let (mut game, [ship, a, b, c, leaf]) = fleet();
    game.places.local.extend([leaf, c, b, a, ship].map(|entity| (entity, Local(1))));
    let order: Vec<Entity> = game.hierarchy.depth_order(&game.places.local).iter().collect();
    assert_eq!(order, [ship, a, b, c, leaf]);
    let snapshot = game.clone();
    game.despawn(b);
    let station = game.spawn();
    game.set_parent(a, station).unwrap();
    assert_eq!(game.hierarchy.depth_order(&game.places.local).as_slice(), [ship, c, a]);
    game = snapshot.clone();
    assert_eq!(game, snapshot);
    assert_eq!(children(&game, ship), [a, b, c]);
    assert_eq!(game.hierarchy.depth_order(&game.places.local).as_slice(), order);
}

#[test]
fn a_group_alone_refuses_stale_handles_and_lets_newer_ones_replace_older() {
    let mut hierarchy = Hierarchy::default();
    let (old, new) = (entity(0, 1), entity(0, 2));
    let (a, b) = (entity(1, 1), entity(2, 1));
    hierarchy.set_parent(a, old).unwrap();
    hierarchy.set_parent(b, new).unwrap();
    assert_eq!(hierarchy.parent(a), None, "the parent is of the past");
    let stale = HierarchyError::Stale { asked: old, stored: new };
    assert_eq!(hierarchy.set_parent(a, old), Err(stale));
    assert_eq!(hierarchy.set_parent(old, a), Err(stale));
    assert!(!hierarchy.attach(old, Parent::of(a)));
    assert_eq!(
        hierarchy.set_parent(entity(0, 3), new),
        Err(HierarchyError::Stale { asked: new, stored: entity(0, 3) })
    );
    let highest = entity(u32::MAX, 1);
    assert_eq!(hierarchy.set_parent(highest, a), Err(HierarchyError::OutOfRange { entity: highest }));
}

#[test]
fn a_chain_of_a_million_is_built_ordered_derived_and_ended() {
    const LENGTH: usize = 1_000_000;
    let mut game = Game::default();
    let chain = game.entities.spawn_many(LENGTH);
    for pair in chain.windows(2) {
        game.hierarchy.set_parent(pair[1], pair[0]).unwrap();
    }
    game.places.local.extend(chain.iter().rev().map(|&entity| (entity, Local(1))));
    let order = game.hierarchy.depth_order(&game.places.local);
    assert_eq!(order.as_slice(), chain);
    let Places { local, global } = &mut game.places;
    game.hierarchy.propagate(local, global, |own, above| Global(own.0 + above.map_or(0, |above| above.0)));
    assert_eq!(global.get(chain[LENGTH - 1]), Some(&Global(1_000_000)));
    assert_eq!(game.hierarchy.descendants(chain[0]).count(), LENGTH - 1);
    assert!(game.set_parent(chain[0], chain[LENGTH - 1]).is_err());
    assert_eq!(game.check(), Ok(()));
    game.despawn(chain[0]);
    assert!(game.entities.is_empty() && game.places.global.is_empty());
}

#[test]
fn only_the_child_that_moved_counts_as_changed() {
    let (mut game, [ship, a, b, c, leaf]) = fleet();
    let seen = game.hierarchy.column().clock();
    let changed = |game: &Game| {
        game.hierarchy.column().changed_since(seen).map(|(entity, _)| entity).collect::<Vec<_>>()
    };
    game.move_before(c, b).unwrap();
    assert_eq!(changed(&game), [c]);
    game.set_parent(leaf, ship).unwrap();
    assert_eq!(changed(&game), [c, leaf]);
    assert_eq!(game.hierarchy.column().clock(), seen + 2, "each is one call");
    assert_eq!(children(&game, ship), [a, c, b, leaf]);
}

#[test]
fn undo_puts_a_child_back_where_it_was() {
    let (mut game, [ship, a, b, c, leaf]) = fleet();
    let before = game.clone();
    game.despawn(b);
    assert_eq!(children(&game, ship), [a, c]);
    let after = std::mem::replace(&mut game, before);
    assert_eq!((children(&game, ship), children(&game, b)), (vec![a, b, c], vec![leaf]));
    game.despawn(b);
    assert_eq!(game, after);
}

#[test]
fn an_order_that_was_asked_for_is_not_touched_by_what_follows() {
    let (mut game, [ship, a, b, c, leaf]) = fleet();
    game.places.local.extend([leaf, c, b, a, ship].map(|entity| (entity, Local(1))));
    let mut met = Vec::new();
    for entity in game.hierarchy.depth_order(&game.places.local) {
        met.push(entity);
        game.despawn(entity);
        let bystander = game.spawn_with((Local(2),));
        game.attach(bystander, Local(3));
    }
    assert_eq!(met, [ship, a, b, c, leaf]);
}

#[test]
fn a_leaf_that_was_spawned_before_its_ancestors_comes_after_them() {
    let mut game = Game::default();
    let [leaf, middle, root] = [(); 3].map(|()| game.spawn_with((Local(1),)));
    game.set_parent(leaf, middle).unwrap();
    game.set_parent(middle, root).unwrap();
    assert_eq!(game.hierarchy.depth_order(&game.places.local).as_slice(), [root, middle, leaf]);
    game.remove::<Local>(middle);
    let order = game.hierarchy.depth_order(&game.places.local);
    assert_eq!(order.with_parents().collect::<Vec<_>>(), [(root, None), (leaf, Some(root))]);
}

#[test]
fn a_kept_order_is_handed_out_again_and_clones_share_it() {
    let (mut game, [ship, a, ..]) = fleet();
    game.places.local.extend([a, ship].map(|entity| (entity, Local(1))));
    let first = game.hierarchy.depth_order(&game.places.local);
    let is_kept = |game: &Game| {
        game.hierarchy.depth_order(&game.places.local).as_slice().as_ptr() == first.as_slice().as_ptr()
    };
    assert!(is_kept(&game) && is_kept(&game.clone()));
    game.places.local.get_mut(a).unwrap().0 = 7;
    assert!(is_kept(&game), "values do not matter");
    let snapshot = game.clone();
    game.hierarchy.detach(a);
    assert!(!is_kept(&game));
    assert!(is_kept(&snapshot));
    game = snapshot;
    assert!(is_kept(&game));
    game.places.local.remove(a);
    assert!(!is_kept(&game));
}

#[test]
fn clearing_a_world_leaves_no_tree() {
    let (mut game, [ship, a, ..]) = fleet();
    game.clear();
    assert!(game.hierarchy.column().is_empty());
    assert_eq!((game.hierarchy.children(ship).count(), game.hierarchy.parent(a)), (0, None));
    let (ship, turret) = (game.spawn(), game.spawn());
    assert!(game.attach(turret, Parent::of(ship)));
    assert_eq!(children(&game, ship), [turret]);
}

#[test]
fn the_parents_are_shown_as_a_column() {
    let (game, [ship, a, ..]) = fleet();
    let shown: Vec<String> = game.describe(a).iter().map(|line| format!("{line:?}")).collect();
    assert!(
        shown.len() == 1 && shown[0].contains("Parent") && shown[0].contains(&ship.to_string()),
        "{shown:?}"
    );
    assert!(format!("{:?}", game.hierarchy).contains(&a.to_string()));
}

#[cfg(feature = "serde")]
mod saved {
    use super::common::saving::{from_json, from_postcard, to_json, to_postcard};
    use super::*;
    use std_ecs::CheckError;

    #[test]
    fn a_loaded_tree_goes_on_as_the_saved_one_would_have() {
        let (mut game, [ship, a, b, c, _]) = fleet();
        game.move_before(c, b).unwrap();
        let mut loaded = reload(&game);
        assert_eq!(loaded.clocks(), game.clocks());
        for game in [&mut game, &mut loaded] {
            game.move_before(b, c).unwrap();
            game.set_parent(a, ship).unwrap();
            game.despawn_only(c);
            let new = game.spawn();
            game.move_after(new, b).unwrap();
        }
        assert_eq!(loaded, game);
        assert_eq!(to_json(&loaded), to_json(&game), "the order numbers too");
    }

    /// Loads rows of child, parent and order number.
    fn load(rows: &[(Entity, Entity, i64)]) -> Result<Hierarchy, String> {
        #[derive(Clone, Debug, Serialize)]
        struct Row {
            entity: Entity,
            order: i64,
        }
        let mut parents = Column::default();
        parents.extend(rows.iter().map(|&(child, entity, order)| (child, Row { entity, order })));
        from_json(&serde_json::json!({ "parents": parents }).to_string())
    }

    #[test]
    fn a_tree_that_contradicts_itself_is_refused_by_name() {
        let e = |index| entity(index, 1);
        assert!(load(&[(e(1), e(0), i64::MIN), (e(2), e(0), i64::MAX), (e(3), e(1), 0)]).is_ok());
        let refused = [
            (vec![(e(1), e(1), 0)], "1v1 cannot be its own parent"),
            (
                vec![(e(9), e(8), 0), (e(1), e(2), 0), (e(2), e(3), 0), (e(3), e(1), 0), (e(4), e(3), 1)],
                "cannot be the parent of",
            ),
            (vec![(e(1), e(0), 5), (e(2), e(0), 5)], "1v1 and 2v1 have the same order number below 0v1"),
            (vec![(e(1), e(0), 0), (e(2), entity(0, 2), 0)], "0v1 is a stale handle: the tree has 0v2"),
            (vec![(e(1), entity(2, 2), 0), (e(2), e(0), 0)], "2v1 is a stale handle: the tree has 2v2"),
            (vec![(e(1), e(u32::MAX), 0)], "4294967295v1 is no entity"),
        ];
        for (rows, problem) in refused {
            let error = load(&rows).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        let cycle = load(&[(e(1), e(2), 0), (e(2), e(1), 0)]).unwrap_err();
        assert!(cycle.contains("1v1") && cycle.contains("2v1"), "{cycle}");
    }

    #[test]
    fn a_loaded_tree_at_the_end_of_the_numbers_goes_on() {
        let e = |index| entity(index, 1);
        let mut hierarchy = load(&[(e(1), e(0), i64::MIN), (e(2), e(0), i64::MAX)]).unwrap();
        hierarchy.set_parent(e(3), e(0)).unwrap();
        hierarchy.move_before(e(3), e(1)).unwrap();
        assert_eq!(hierarchy.children(e(0)).collect::<Vec<_>>(), [e(3), e(1), e(2)]);
        let mut hierarchy = load(&[(e(1), e(0), i64::MIN), (e(2), e(0), i64::MAX)]).unwrap();
        hierarchy.move_before(e(3), e(2)).unwrap();
        hierarchy.move_before(e(4), e(1)).unwrap();
        assert_eq!(hierarchy.children(e(0)).collect::<Vec<_>>(), [e(4), e(1), e(3), e(2)]);
        assert_eq!(reload(&hierarchy), hierarchy);
    }

    #[test]
    fn a_truncated_tree_is_refused() {
        let bytes = to_postcard(&fleet().0.hierarchy);
        for length in 0..bytes.len() {
            assert!(from_postcard::<Hierarchy>(&bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_loaded_parent_that_is_dead_is_found() {
        let (mut game, [ship, a, _, _, leaf]) = fleet();
        let whole = game.hierarchy.clone();
        game.despawn(ship);
        assert_eq!(game.check(), Ok(()));
        game.hierarchy = whole;
        assert!(matches!(game.check(), Err(CheckError::RowOfTheDead { entity, .. }) if entity == a));
        let (mut game, _) = fleet();
        game.hierarchy = load(&[(leaf, entity(77, 1), 0)]).unwrap();
        let error = game.check().unwrap_err();
        assert!(
            matches!(error, CheckError::NamesTheDead { entity, named, .. } if entity == leaf && named.index() == 77)
        );
        assert!(error.to_string().contains("4v1") && error.to_string().contains("77v1"), "{error}");
    }
}
