//! Random operations on a world against a map from entities to what they have.

mod common;

use std::collections::BTreeMap;

use common::saving::reload;
use common::{Burning, Game, Health, Name, Position, entity};
use proptest::prelude::*;
use std_ecs::{Columns, Entity, Store, World};

/// What an entity has.
#[derive(Clone, Debug, Default, PartialEq)]
struct Has {
    position: Option<Position>,
    health: Option<Health>,
    name: Option<Name>,
    burning: bool,
}

/// A world as anybody would write it, with the entities handed out by the world that is tested.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    alive: BTreeMap<Entity, Has>,
    score: u64,
}

#[derive(Clone, Debug)]
enum Operation {
    Spawn,
    SpawnWith(i32, bool),
    SpawnBatch(usize, i32),
    Attach(usize, i32),
    AttachName(usize, String),
    AttachBurning(usize),
    Write(usize, i32),
    Remove(usize),
    RemoveBurning(usize),
    Despawn(usize),
    DespawnMany(Vec<usize>),
    DespawnHandle(Entity),
    Walk,
    Lend,
    Sort,
    Clear,
    Score(u64),
    Snapshot,
    RollBack(usize),
    Reload,
    Fork,
}

fn operation(many: usize) -> impl Strategy<Value = Operation> {
    let pick = any::<usize>;
    let handle = (0..20u32, 1..4u32).prop_map(|(index, generation)| entity(index, generation));
    prop_oneof![
        2 => Just(Operation::Spawn),
        4 => (0..9, any::<bool>()).prop_map(|(health, burning)| Operation::SpawnWith(health, burning)),
        1 => (0..many, 0..9).prop_map(|(count, health)| Operation::SpawnBatch(count, health)),
        4 => (pick(), 0..9).prop_map(|(at, health)| Operation::Attach(at, health)),
        2 => (pick(), "[a-z]{0,3}").prop_map(|(at, name)| Operation::AttachName(at, name)),
        2 => pick().prop_map(Operation::AttachBurning),
        3 => (pick(), 0..9).prop_map(|(at, health)| Operation::Write(at, health)),
        3 => pick().prop_map(Operation::Remove),
        2 => pick().prop_map(Operation::RemoveBurning),
        5 => pick().prop_map(Operation::Despawn),
        1 => prop::collection::vec(pick(), 0..6).prop_map(Operation::DespawnMany),
        1 => handle.prop_map(Operation::DespawnHandle),
        1 => prop_oneof![Just(Operation::Walk), Just(Operation::Lend), Just(Operation::Sort)],
        1 => prop_oneof![4 => any::<u64>().prop_map(Operation::Score), 1 => Just(Operation::Clear)],
        2 => Just(Operation::Snapshot),
        2 => pick().prop_map(Operation::RollBack),
        1 => Just(Operation::Reload),
        1 => Just(Operation::Fork),
    ]
}

/// Runs an operation; answers with the entities it spawned and how many of those named it met.
fn run(game: &mut Game, operation: &Operation, seen: &[Entity]) -> (Vec<Entity>, usize) {
    let at = |pick: usize| seen.get(pick % seen.len().max(1)).copied().unwrap_or(entity(0, 1));
    let met = |met: bool| (Vec::new(), usize::from(met));
    match operation {
        Operation::Spawn => (vec![game.spawn()], 0),
        &Operation::SpawnWith(health, burning) => {
            let spawned = game.spawn_with((Health(health), Position(0.0, 0.0)));
            if burning {
                game.attach(spawned, Burning);
            }
            (vec![spawned], 0)
        }
        &Operation::SpawnBatch(count, health) => {
            (game.spawn_batch((0..count).map(|_| (Health(health), Burning))), 0)
        }
        &Operation::Attach(pick, health) => met(game.attach(at(pick), Health(health))),
        Operation::AttachName(pick, name) => met(game.attach(at(*pick), Name(name.clone()))),
        &Operation::AttachBurning(pick) => met(game.attach(at(pick), Burning)),
        &Operation::Write(pick, value) => {
            let health = game.get_mut::<Health>(at(pick));
            met(health.map(|health| health.0 = value).is_some())
        }
        &Operation::Remove(pick) => met(game.remove::<Health>(at(pick)).is_some()),
        &Operation::RemoveBurning(pick) => met(game.remove::<Burning>(at(pick)).is_some()),
        &Operation::Despawn(pick) => met(game.despawn(at(pick))),
        Operation::DespawnMany(picks) => (Vec::new(), game.despawn_many(picks.iter().map(|&pick| at(pick)))),
        &Operation::DespawnHandle(handle) => met(game.despawn(handle)),
        Operation::Walk => {
            game.column_of_mut::<Health>().iter_mut().for_each(|(_, health)| health.0 += 1);
            met(false)
        }
        Operation::Lend => {
            game.lend::<Health, _>(|health, game| health.retain(|owner, _| !game.has::<Burning>(owner)));
            met(false)
        }
        Operation::Sort => {
            game.column_of_mut::<Health>().sort_by(|(_, left), (_, right)| right.cmp(left));
            met(false)
        }
        Operation::Clear => {
            game.clear();
            met(false)
        }
        &Operation::Score(score) => {
            *game.score = score;
            met(false)
        }
        Operation::Snapshot | Operation::RollBack(_) | Operation::Reload | Operation::Fork => met(false),
    }
}

impl Model {
    /// As [`run`], with the entities that were spawned.
    fn run(&mut self, operation: &Operation, seen: &[Entity], spawned: &[Entity]) -> usize {
        let at = |pick: usize| seen.get(pick % seen.len().max(1)).copied().unwrap_or(entity(0, 1));
        match operation {
            Operation::Spawn => {
                self.alive.extend(spawned.iter().map(|&new| (new, Has::default())));
                0
            }
            &Operation::SpawnWith(health, burning) => {
                let (position, health) = (Some(Position(0.0, 0.0)), Some(Health(health)));
                self.alive
                    .extend(spawned.iter().map(|&new| (new, Has { position, health, burning, name: None })));
                0
            }
            &Operation::SpawnBatch(_, health) => {
                let has = Has { health: Some(Health(health)), burning: true, ..Has::default() };
                self.alive.extend(spawned.iter().map(|&new| (new, has.clone())));
                0
            }
            &Operation::Attach(pick, health) => {
                let has = self.alive.get_mut(&at(pick));
                usize::from(has.map(|has| has.health = Some(Health(health))).is_some())
            }
            Operation::AttachName(pick, name) => {
                let has = self.alive.get_mut(&at(*pick));
                usize::from(has.map(|has| has.name = Some(Name(name.clone()))).is_some())
            }
            &Operation::AttachBurning(pick) => {
                usize::from(self.alive.get_mut(&at(pick)).map(|has| has.burning = true).is_some())
            }
            &Operation::Write(pick, value) => {
                let health = self.alive.get_mut(&at(pick)).and_then(|has| has.health.as_mut());
                usize::from(health.map(|health| health.0 = value).is_some())
            }
            &Operation::Remove(pick) => {
                usize::from(self.alive.get_mut(&at(pick)).is_some_and(|has| has.health.take().is_some()))
            }
            &Operation::RemoveBurning(pick) => {
                let has = self.alive.get_mut(&at(pick));
                usize::from(has.is_some_and(|has| std::mem::take(&mut has.burning)))
            }
            &Operation::Despawn(pick) => usize::from(self.alive.remove(&at(pick)).is_some()),
            Operation::DespawnMany(picks) => {
                picks.iter().filter(|&&pick| self.alive.remove(&at(pick)).is_some()).count()
            }
            Operation::DespawnHandle(handle) => usize::from(self.alive.remove(handle).is_some()),
            Operation::Walk => {
                for health in self.alive.values_mut().filter_map(|has| has.health.as_mut()) {
                    health.0 += 1;
                }
                0
            }
            Operation::Lend => {
                for has in self.alive.values_mut().filter(|has| has.burning) {
                    has.health = None;
                }
                0
            }
            Operation::Clear => {
                self.alive.clear();
                0
            }
            Operation::Score(score) => {
                self.score = *score;
                0
            }
            _ => 0,
        }
    }
}

fn agree(game: &Game, model: &Model, seen: &[Entity]) -> Result<(), TestCaseError> {
    prop_assert_eq!(game.check(), Ok(()));
    prop_assert_eq!(game.entities().len(), model.alive.len());
    prop_assert!(game.entities().iter().eq(model.alive.keys().copied()));
    prop_assert_eq!(*game.score, model.score);
    for (&owner, has) in &model.alive {
        prop_assert!(game.is_alive(owner));
        let found = Has {
            position: game.get::<Position>(owner).copied(),
            health: game.get::<Health>(owner).copied(),
            name: game.get::<Name>(owner).cloned(),
            burning: game.has::<Burning>(owner),
        };
        prop_assert_eq!(&found, has);
        let components =
            [found.position.is_some(), found.health.is_some(), found.name.is_some(), found.burning];
        prop_assert_eq!(game.describe(owner).len(), components.into_iter().filter(|has| *has).count());
    }
    for &dead in seen.iter().filter(|handle| !model.alive.contains_key(handle)) {
        prop_assert!(!game.is_alive(dead) && game.describe(dead).is_empty() && !game.has::<Health>(dead));
    }
    let count = |has: fn(&Has) -> bool| model.alive.values().filter(|one| has(one)).count();
    let lengths: Vec<usize> = game.lengths().iter().map(|(_, length)| *length).collect();
    let expected = [
        count(|has| has.position.is_some()),
        0,
        count(|has| has.health.is_some()),
        count(|has| has.name.is_some()),
        0,
        count(|has| has.burning),
    ];
    prop_assert_eq!(lengths, expected);
    Ok(())
}

fn test(mut game: Game, mut model: Model, operations: &[Operation]) -> Result<(), TestCaseError> {
    let mut seen: Vec<Entity> = game.entities().iter().take(30).collect();
    let (mut twin, mut snapshots) = (game.clone(), Vec::new());
    for operation in operations {
        match operation {
            Operation::Snapshot => snapshots.push((game.clone(), model.clone())),
            Operation::RollBack(pick) if !snapshots.is_empty() => {
                (game, model) = snapshots[pick % snapshots.len()].clone();
                twin = game.clone();
            }
            // The twin is not reloaded, so the two stay equal only if loading restores everything.
            Operation::Reload => game = reload(&game),
            Operation::Fork => twin = game.clone(),
            _ => {
                let answer = run(&mut game, operation, &seen);
                prop_assert_eq!(&run(&mut twin, operation, &seen), &answer);
                prop_assert!(
                    answer.0.iter().all(|new| !seen.contains(new) || !model.alive.contains_key(new))
                );
                prop_assert_eq!(model.run(operation, &seen, &answer.0), answer.1);
                seen.extend(answer.0.into_iter().take(5));
            }
        }
        agree(&game, &model, &seen)?;
        prop_assert_eq!(&game, &twin);
        prop_assert_eq!(game.clocks(), twin.clocks());
        if let Some((snapshot, model)) = snapshots.last() {
            agree(snapshot, model, &seen)?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_world_agrees_with_a_map_of_what_everybody_has(operations in prop::collection::vec(operation(6), 0..50)) {
        test(Game::default(), Model::default(), &operations)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn a_world_of_several_pages_agrees_with_a_map_of_what_everybody_has(
        before in 1_000..1_100usize,
        operations in prop::collection::vec(operation(1_200), 0..16),
    ) {
        let mut game = Game::default();
        let batch = (0..before).map(|_| (Health(1), Position(0.0, 0.0)));
        let has = Has { health: Some(Health(1)), position: Some(Position(0.0, 0.0)), ..Has::default() };
        let alive = game.spawn_batch(batch).into_iter().map(|new| (new, has.clone())).collect();
        test(game, Model { alive, score: 0 }, &operations)?;
    }
}
