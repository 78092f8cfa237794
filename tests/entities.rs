//! The allocator of entities: handles, the free list, and the two as parts of a value.

mod common;

use std::num::NonZeroU32;

use common::{entity, saving::reload};
use proptest::prelude::*;
use std_ecs::{Entities, Entity, SpawnAtError};

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Alive,
    Free,
    Retired,
}

/// The allocator as anybody would write it, with a list of the free indices, the next one last.
#[derive(Clone, Debug, Default)]
struct Model {
    slots: Vec<(u32, State)>,
    free: Vec<u32>,
}

impl Model {
    fn spawn(&mut self) -> Entity {
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.1 = State::Alive;
            return entity(index, slot.0);
        }
        self.slots.push((1, State::Alive));
        entity(self.slots.len() as u32 - 1, 1)
    }

    fn is_alive(&self, asked: Entity) -> bool {
        self.slots.get(asked.index() as usize) == Some(&(asked.generation().get(), State::Alive))
    }

    fn despawn(&mut self, asked: Entity) -> bool {
        if !self.is_alive(asked) {
            return false;
        }
        let slot = &mut self.slots[asked.index() as usize];
        if slot.0 == u32::MAX {
            slot.1 = State::Retired;
        } else {
            *slot = (slot.0 + 1, State::Free);
            self.free.push(asked.index());
        }
        true
    }

    fn spawn_at(&mut self, asked: Entity) -> Result<(), SpawnAtError> {
        let (index, generation) = (asked.index(), asked.generation().get());
        let length = self.slots.len() as u32;
        if index >= length {
            self.slots.resize(index as usize + 1, (1, State::Free));
            self.free.extend((length..index).rev());
        } else {
            match self.slots[index as usize] {
                (own, State::Alive) if generation >= own => {
                    return Err(SpawnAtError::Occupied { asked, alive: entity(index, own) });
                }
                (_, State::Retired | State::Alive) => return Err(SpawnAtError::Dead { asked }),
                (own, State::Free) if generation < own => return Err(SpawnAtError::Dead { asked }),
                (_, State::Free) => self.free.retain(|&free| free != index),
            }
        }
        self.slots[index as usize] = (generation, State::Alive);
        Ok(())
    }

    fn alive(&self) -> Vec<Entity> {
        let slots = (0..).zip(&self.slots);
        slots.filter(|(_, slot)| slot.1 == State::Alive).map(|(index, slot)| entity(index, slot.0)).collect()
    }

    fn clear(&mut self) {
        for dying in self.alive().into_iter().rev() {
            self.despawn(dying);
        }
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Spawn,
    SpawnMany(usize),
    Despawn(usize),
    DespawnHandle(Entity),
    SpawnAt(Entity),
    Clear,
    Snapshot,
    RollBack(usize),
    Reload,
    Fork,
}

fn handle(indices: u32) -> impl Strategy<Value = Entity> {
    let generation = prop_oneof![4 => 1..5u32, 1 => Just(u32::MAX), 1 => Just(u32::MAX - 1)];
    (0..indices, generation).prop_map(|(index, generation)| entity(index, generation))
}

fn operation(indices: u32, many: usize) -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => Just(Operation::Spawn),
        1 => (0..many).prop_map(Operation::SpawnMany),
        6 => any::<usize>().prop_map(Operation::Despawn),
        2 => handle(indices).prop_map(Operation::DespawnHandle),
        4 => handle(indices).prop_map(Operation::SpawnAt),
        1 => Just(Operation::Clear),
        1 => Just(Operation::Snapshot),
        1 => any::<usize>().prop_map(Operation::RollBack),
        1 => Just(Operation::Reload),
        1 => Just(Operation::Fork),
    ]
}

/// One value with the snapshots it can be rolled back to.
#[derive(Clone, Default)]
struct Branch {
    now: Entities,
    snapshots: Vec<Entities>,
}

impl Branch {
    /// What the operation answers, as text, so that branches and the model can be compared.
    fn run(&mut self, operation: &Operation, seen: &[Entity]) -> String {
        match operation {
            Operation::Spawn => self.now.spawn().to_string(),
            Operation::SpawnMany(count) => format!("{:?}", self.now.spawn_many(*count)),
            Operation::Despawn(pick) if !seen.is_empty() => {
                self.now.despawn(seen[pick % seen.len()]).to_string()
            }
            Operation::DespawnHandle(handle) => self.now.despawn(*handle).to_string(),
            Operation::SpawnAt(handle) => format!("{:?}", self.now.spawn_at(*handle)),
            Operation::Clear => {
                self.now.clear();
                String::new()
            }
            Operation::Snapshot => {
                self.snapshots.push(self.now.clone());
                String::new()
            }
            Operation::RollBack(pick) if !self.snapshots.is_empty() => {
                self.now = self.snapshots[pick % self.snapshots.len()].clone();
                String::new()
            }
            _ => String::new(),
        }
    }
}

#[derive(Default)]
struct ModelBranch {
    now: Model,
    snapshots: Vec<Model>,
}

impl ModelBranch {
    fn run(&mut self, operation: &Operation, seen: &mut Vec<Entity>) -> String {
        match operation {
            Operation::Spawn => {
                seen.push(self.now.spawn());
                seen[seen.len() - 1].to_string()
            }
            Operation::SpawnMany(count) => {
                let spawned: Vec<_> = (0..*count).map(|_| self.now.spawn()).collect();
                seen.extend(spawned.iter().take(8));
                format!("{spawned:?}")
            }
            Operation::Despawn(pick) if !seen.is_empty() => {
                self.now.despawn(seen[pick % seen.len()]).to_string()
            }
            Operation::DespawnHandle(handle) => self.now.despawn(*handle).to_string(),
            Operation::SpawnAt(handle) => {
                seen.push(*handle);
                format!("{:?}", self.now.spawn_at(*handle))
            }
            Operation::Clear => {
                self.now.clear();
                String::new()
            }
            Operation::Snapshot => {
                self.snapshots.push(self.now.clone());
                String::new()
            }
            Operation::RollBack(pick) if !self.snapshots.is_empty() => {
                self.now = self.snapshots[pick % self.snapshots.len()].clone();
                String::new()
            }
            _ => String::new(),
        }
    }
}

fn agree(entities: &Entities, model: &Model, seen: &[Entity]) -> Result<(), TestCaseError> {
    prop_assert_eq!(entities.iter().collect::<Vec<_>>(), model.alive());
    prop_assert_eq!(entities.len(), model.alive().len());
    prop_assert_eq!(entities.is_empty(), model.alive().is_empty());
    for &handle in seen {
        prop_assert_eq!(entities.is_alive(handle), model.is_alive(handle), "{}", handle);
    }
    // The free list shows in what is handed out next.
    let (mut entities, mut model) = (entities.clone(), model.clone());
    for _ in 0..model.free.len().min(40) + 2 {
        prop_assert_eq!(entities.spawn(), model.spawn());
    }
    Ok(())
}

fn run(start: Entities, model: Model, operations: &[Operation]) -> Result<(), TestCaseError> {
    let mut seen: Vec<Entity> = start.iter().take(20).collect();
    let mut branch = Branch { now: start, snapshots: Vec::new() };
    let mut twin = branch.clone();
    let mut expected = ModelBranch { now: model, snapshots: Vec::new() };
    for operation in operations {
        match operation {
            // The twin is not reloaded, so the two stay equal only if loading restores everything.
            Operation::Reload => branch.now = reload(&branch.now),
            Operation::Fork => twin = branch.clone(),
            _ => {
                let before = seen.clone();
                let answer = expected.run(operation, &mut seen);
                prop_assert_eq!(&branch.run(operation, &before), &answer);
                prop_assert_eq!(&twin.run(operation, &before), &answer);
            }
        }
        agree(&branch.now, &expected.now, &seen)?;
        prop_assert_eq!(&branch.now, &twin.now);
        for (snapshot, model) in branch.snapshots.iter().zip(&expected.snapshots) {
            prop_assert_eq!(snapshot.iter().collect::<Vec<_>>(), model.alive());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn entities_agree_with_a_list_of_slots(operations in prop::collection::vec(operation(12, 5), 0..60)) {
        run(Entities::default(), Model::default(), &operations)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn entities_agree_with_a_list_of_slots_across_pages(
        before in 1_000..2_100usize,
        operations in prop::collection::vec(operation(2_300, 90), 0..30),
    ) {
        let (mut entities, mut model) = (Entities::default(), Model::default());
        entities.spawn_many(before);
        for _ in 0..before {
            model.spawn();
        }
        run(entities, model, &operations)?;
    }
}

#[test]
fn an_entity_is_eight_bytes_and_so_is_an_option_of_one() {
    assert_eq!(size_of::<Entity>(), 8);
    assert_eq!(size_of::<Option<Entity>>(), 8);
}

#[test]
fn every_handle_survives_its_bits() {
    for handle in [entity(0, 1), entity(u32::MAX, u32::MAX), entity(7, u32::MAX), entity(u32::MAX, 1)] {
        assert_eq!(Entity::from_bits(handle.to_bits()), Some(handle));
        assert_ne!(handle.to_bits(), 0);
    }
    assert_eq!(Entity::from_bits(0), None);
    assert_eq!(Entity::from_bits(u64::from(u32::MAX)), None);
}

#[test]
fn entities_are_ordered_by_index_then_by_generation() {
    let mut handles = [entity(2, 1), entity(1, 9), entity(1, 2), entity(0, 30)];
    handles.sort();
    assert_eq!(handles, [entity(0, 30), entity(1, 2), entity(1, 9), entity(2, 1)]);
}

#[test]
fn a_despawned_handle_is_never_handed_out_again() {
    let mut entities = Entities::default();
    let old = entities.spawn();
    assert!(entities.despawn(old));
    let new = entities.spawn();

    assert_eq!(new.index(), old.index());
    assert_ne!(new, old);
    assert!(entities.is_alive(new) && !entities.is_alive(old));
    assert!(!entities.despawn(old), "a second end of the old handle is refused");
    assert!(entities.is_alive(new), "and does not end the new one");
}

#[test]
fn the_index_freed_last_is_handed_out_first() {
    let mut entities = Entities::default();
    let all = entities.spawn_many(5);
    for at in [1, 4, 2] {
        entities.despawn(all[at]);
    }
    let next: Vec<u32> = (0..4).map(|_| entities.spawn().index()).collect();
    assert_eq!(next, [2, 4, 1, 5]);
}

#[test]
fn handles_from_before_a_clear_stay_dead_however_many_are_spawned() {
    let mut entities = Entities::default();
    let before = entities.spawn_many(3);
    entities.clear();
    assert!(entities.is_empty());
    for _ in 0..4 {
        let after = entities.spawn_many(5);
        assert_eq!(entities.len(), 5);
        assert!(before.iter().all(|&old| !entities.is_alive(old) && !after.contains(&old)));
        entities.clear();
        assert_eq!((entities.len(), entities.iter().count()), (0, 0));
    }
}

#[test]
fn the_lowest_index_is_handed_out_first_after_a_clear() {
    let mut entities = Entities::default();
    let all = entities.spawn_many(4);
    entities.despawn(all[2]);
    entities.clear();
    let next: Vec<u32> = (0..4).map(|_| entities.spawn().index()).collect();
    assert_eq!(next, [0, 1, 3, 2]);
}

#[test]
fn assigning_a_default_starts_a_new_universe_and_clear_does_not() {
    let mut entities = Entities::default();
    let old = entities.spawn();
    let mut cleared = entities.clone();
    cleared.clear();
    assert_ne!(cleared.spawn(), old);

    entities = Entities::default();
    assert_eq!(entities.spawn(), old);
}

#[test]
fn a_slot_whose_generations_are_used_up_is_retired() {
    let mut entities = Entities::default();
    let last = entity(0, u32::MAX);
    entities.spawn_at(last).expect("the slot is free");
    assert!(entities.despawn(last));

    assert!(!entities.is_alive(last));
    assert_eq!(entities.spawn(), entity(1, 1), "index 0 is out of use");
    assert!(!entities.is_alive(entity(0, 1)) && !entities.is_alive(last));
    for generation in [1, 2, u32::MAX] {
        let asked = entity(0, generation);
        assert_eq!(entities.spawn_at(asked), Err(SpawnAtError::Dead { asked }));
    }
    entities.clear();
    assert_eq!(entities.spawn().index(), 1, "a clear does not bring it back");
}

#[test]
fn the_last_generation_of_a_slot_is_an_ordinary_entity() {
    let mut entities = Entities::default();
    entities.spawn_at(entity(0, u32::MAX - 1)).expect("the slot is free");
    entities.despawn(entity(0, u32::MAX - 1));
    let last = entities.spawn();
    assert_eq!(last, entity(0, u32::MAX));
    assert!(entities.is_alive(last));
    assert_eq!(entities.iter().collect::<Vec<_>>(), [last]);
}

#[test]
fn spawn_at_leaves_what_it_jumps_over_dead_and_free() {
    let mut entities = Entities::default();
    let first = entities.spawn();
    entities.spawn_at(entity(4, 7)).expect("nobody has the index");
    assert_eq!(entities.iter().collect::<Vec<_>>(), [first, entity(4, 7)]);
    assert!((1..4).all(|index| !entities.is_alive(entity(index, 1))));
    let next: Vec<Entity> = (0..4).map(|_| entities.spawn()).collect();
    assert_eq!(next, [entity(1, 1), entity(2, 1), entity(3, 1), entity(5, 1)]);
}

#[test]
fn spawn_at_refuses_what_is_alive_what_was_handed_out_and_what_is_out_of_range() {
    let mut entities = Entities::default();
    let dead = entities.spawn();
    entities.despawn(dead);
    let alive = entities.spawn();
    let before = entities.clone();

    let newer = entity(0, 9);
    assert_eq!(entities.spawn_at(alive), Err(SpawnAtError::Occupied { asked: alive, alive }));
    assert_eq!(entities.spawn_at(newer), Err(SpawnAtError::Occupied { asked: newer, alive }));
    assert_eq!(entities.spawn_at(dead), Err(SpawnAtError::Dead { asked: dead }));
    for index in [u32::MAX, u32::MAX - 1, u32::MAX - 2] {
        let asked = entity(index, 1);
        assert_eq!(entities.spawn_at(asked), Err(SpawnAtError::OutOfRange { asked }));
    }
    assert_eq!(entities, before);
    assert_eq!(
        entities.spawn_at(newer).expect_err("occupied").to_string(),
        "cannot spawn 0v9: 0v2 is alive at that index; despawn it first"
    );
}

#[test]
fn rolling_back_and_despawning_again_frees_an_index_once() {
    let mut entities = Entities::default();
    let first = entities.spawn();
    let snapshot = entities.clone();
    entities.despawn(first);
    entities = snapshot;
    entities.despawn(first);
    let (one, other) = (entities.spawn(), entities.spawn());
    assert_ne!(one, other);
    assert_ne!(one.index(), other.index());
}

#[test]
fn two_branches_of_a_snapshot_hand_out_equal_handles() {
    let base = Entities::default();
    let (mut left, mut right) = (base.clone(), base.clone());
    assert_eq!(left.spawn(), right.spawn(), "by nature: a handle belongs to the world and its clones");
    assert_eq!(left, right);
}

#[test]
fn spawning_many_is_spawning_one_after_another() {
    let mut entities = Entities::default();
    let all = entities.spawn_many(2_500);
    for &dying in all.iter().step_by(7) {
        entities.despawn(dying);
    }
    let mut other = entities.clone();
    let many = entities.spawn_many(1_000);
    let one_by_one: Vec<Entity> = (0..1_000).map(|_| other.spawn()).collect();
    assert_eq!(many, one_by_one);
    assert_eq!(entities, other);
    assert_eq!(entities.spawn_many(0), []);
}

#[test]
fn equality_is_about_the_future_too() {
    let mut left = Entities::default();
    let all = left.spawn_many(3);
    let mut right = left.clone();
    left.despawn(all[0]);
    left.despawn(all[1]);
    right.despawn(all[1]);
    right.despawn(all[0]);
    assert_eq!(left.iter().collect::<Vec<_>>(), right.iter().collect::<Vec<_>>());
    assert_ne!(left, right, "they will hand out other handles");
}

#[test]
fn the_debug_form_shows_who_lives_and_what_is_free() {
    let mut entities = Entities::default();
    let all = entities.spawn_many(3);
    entities.despawn(all[1]);
    assert_eq!(format!("{entities:?}"), "Entities { alive: [0v1, 2v1], free: [1] }");
}

#[test]
fn a_generation_is_never_zero() {
    assert_eq!(entity(3, 1).generation(), NonZeroU32::MIN);
    assert_eq!(Entity::new(3, NonZeroU32::MAX).to_string(), "3v4294967295");
}
