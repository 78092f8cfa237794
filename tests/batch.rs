//! Many rows by one call: the same rows as one by one.

use std_ecs::{Column, Columns, Entities, Entity, Parent, Store, World};

#[derive(Clone, Debug, PartialEq)]
struct Name(String);

#[derive(Clone, Debug, PartialEq)]
struct Age(u32);

#[derive(Clone, Debug, PartialEq)]
struct Marker;

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct People {
    names: Column<Name>,
    ages: Column<Age>,
    markers: Column<Marker>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Town {
    entities: Entities,
    hierarchy: std_ecs::Hierarchy,
    people: People,
}

fn person(number: u32) -> (Name, Age, Marker) {
    (Name(format!("person {number}")), Age(number), Marker)
}

#[test]
fn a_batch_gives_the_world_that_single_spawns_give() {
    // What stands in the columns before decides how the pages of the batch lie.
    for before in [0, 1, 500, 1_023, 1_024, 1_030] {
        for count in [0, 1, 600, 1_024, 1_025, 3_000] {
            let mut single = Town::default();
            for number in 0..before {
                let entity = single.spawn_with(person(number));
                if number % 7 == 0 {
                    single.despawn(entity);
                }
                if number % 5 == 0 {
                    single.remove::<Age>(entity);
                }
            }
            let mut batch = single.clone();
            let snapshot = batch.clone();
            let one_by_one: Vec<Entity> =
                (0..count).map(|number| single.spawn_with(person(number))).collect();
            assert_eq!(batch.spawn_batch((0..count).map(person)), one_by_one);
            assert_eq!(batch, single, "{count} after {before}");
            batch.check().unwrap();
            assert!(
                one_by_one.iter().all(|&entity| !snapshot.is_alive(entity) && !snapshot.has::<Name>(entity))
            );
            for &entity in &one_by_one {
                assert_eq!(batch.get::<Name>(entity), single.get::<Name>(entity));
            }
            // From then on both go on alike.
            for world in [&mut batch, &mut single] {
                world.despawn_many(one_by_one.iter().copied().step_by(3));
                world.spawn_with(person(7));
            }
            assert_eq!(batch, single);
        }
    }
}

#[test]
fn a_batch_of_nothing_but_entities_is_spawned() {
    let mut town = Town::default();
    assert_eq!(town.spawn_batch(std::iter::repeat_n((), 2_500)).len(), 2_500);
    assert_eq!(town.entities().len(), 2_500);
}

#[test]
fn a_batch_of_children_refuses_a_dead_parent_and_keeps_the_rest() {
    let mut town = Town::default();
    let (alive, dead) = (town.spawn(), town.spawn());
    town.despawn(dead);
    let children = town.spawn_batch([(Parent::of(alive), Age(1)), (Parent::of(dead), Age(2))]);
    assert_eq!(town.hierarchy.parent(children[0]), Some(alive));
    assert_eq!(town.hierarchy.parent(children[1]), None);
    assert_eq!(town.get::<Age>(children[1]), Some(&Age(2)));
    town.check().unwrap();
}

#[test]
fn extending_with_an_entity_twice_keeps_the_last_value() {
    let mut entities = Entities::default();
    let all = entities.spawn_many(3_000);
    let mut column = Column::default();
    let rows = all.iter().chain(&all[100..200]).chain(&all[50..60]).enumerate();
    assert!(column.extend(rows.map(|(value, &entity)| (entity, value))).is_empty());
    assert_eq!((column.len(), column.clock()), (3_000, 1));
    assert_eq!(column.get(all[150]), Some(&3_050));
    assert_eq!(column.get(all[55]), Some(&3_105));
    assert_eq!(column.get(all[2_999]), Some(&2_999));
    assert_eq!(column.owners().collect::<Vec<_>>(), all);
}

#[test]
fn extending_with_stale_handles_returns_them_and_stores_the_others() {
    let mut entities = Entities::default();
    let old = entities.spawn_many(2_000);
    for &entity in &old {
        assert!(entities.despawn(entity));
    }
    let new = entities.spawn_many(1_000);
    let mut column = Column::default();
    column.extend(new.iter().map(|&entity| (entity, 'n')));
    let refused = column.extend(old.iter().map(|&entity| (entity, 'o')));
    assert_eq!(refused.len(), 1_000);
    assert!(refused.iter().all(|stale| new.contains(&stale.stored) && stale.value == 'o'));
    assert_eq!(column.len(), 2_000);
    assert!(new.iter().all(|&entity| column.get(entity) == Some(&'n')));
}

#[test]
fn pages_attached_by_hand_to_entities_that_have_rows_are_merged() {
    let mut town = Town::default();
    let spawned = town.spawn_batch((0..1_024).map(|number| (Age(number),)));
    let mut ages = town.people.ages.clone();
    for &entity in &spawned[..1_000] {
        ages.remove(entity);
    }
    let entities = std_ecs::EntityPage::new(spawned.clone());
    assert_eq!(ages.len(), 24);
    ages.attach_page(&entities, (0..1_024).map(|number| Age(number + 1)).collect());
    assert_eq!(ages.len(), 1_024);
    assert!(
        spawned.iter().all(|&entity| ages.get(entity).unwrap().0 == town.get::<Age>(entity).unwrap().0 + 1)
    );
}

#[test]
fn a_batch_of_several_pages_is_one_call() {
    for before in [0, 1, 1_024] {
        let mut town = Town::default();
        town.spawn_batch((0..before).map(person));
        let clock = town.people.ages.clock();
        let spawned = town.spawn_batch((0..3_000).map(person));
        assert_eq!(town.people.ages.clock(), clock + 1);
        assert_eq!(town.people.names.clock(), clock + 1);
        let changed: Vec<_> = town.people.ages.changed_since(clock).map(|(entity, _)| entity).collect();
        assert_eq!(changed, spawned);
        assert!(town.people.ages.attached_since(clock).all(|(entity, _)| {
            town.people.ages.stamp(entity) == town.people.ages.stamp(spawned[0]) && spawned.contains(&entity)
        }));
    }
}

#[test]
fn a_batch_takes_no_more_memory_than_single_spawns() {
    for count in [1, 5, 8, 700, 1_024, 1_029, 3_000] {
        let mut single = Town::default();
        for number in 0..count {
            single.spawn_with(person(number));
        }
        let mut batch = Town::default();
        batch.spawn_batch((0..count).map(person));
        let (single, batch) = (&single.people, &batch.people);
        assert!(batch.ages.bytes() <= single.ages.bytes(), "{count} ages");
        assert!(batch.names.bytes() <= single.names.bytes(), "{count} names");
    }
}
