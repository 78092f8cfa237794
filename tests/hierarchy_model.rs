//! The hierarchy against plain lists of children, with snapshots, rollback and reloading among the operations.

mod common;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use common::saving::reload;
use proptest::prelude::*;
use std_ecs::{Column, Columns, Entities, Entity, Hierarchy, HierarchyError, Parent, Store, World};

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Local(u32);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Global(u32);

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
}

/// Lists, as anybody would write them.
#[derive(Clone, Debug, Default)]
struct Model {
    /// All handles ever seen, with whether they are alive.
    seen: BTreeMap<Entity, bool>,
    parents: BTreeMap<Entity, Entity>,
    children: BTreeMap<Entity, Vec<Entity>>,
    /// The owners of the rows of `Local`.
    rows: Vec<Entity>,
    /// The owners of the rows of `Parent`.
    parent_rows: Vec<Entity>,
}

fn swap_out(rows: &mut Vec<Entity>, entity: Entity) {
    if let Some(row) = rows.iter().position(|&owner| owner == entity) {
        rows.swap_remove(row);
    }
}

impl Model {
    fn is_alive(&self, entity: Entity) -> bool {
        self.seen.get(&entity) == Some(&true)
    }

    fn children(&self, entity: Entity) -> Vec<Entity> {
        self.children.get(&entity).cloned().unwrap_or_default()
    }

    fn ancestors(&self, entity: Entity) -> Vec<Entity> {
        let mut found = Vec::new();
        let mut at = entity;
        while let Some(&parent) = self.parents.get(&at) {
            found.push(parent);
            at = parent;
        }
        found
    }

    fn descendants(&self, entity: Entity) -> Vec<Entity> {
        let mut found = Vec::new();
        for child in self.children(entity) {
            found.push(child);
            found.extend(self.descendants(child));
        }
        found
    }

    fn detach(&mut self, child: Entity) {
        if let Some(parent) = self.parents.remove(&child) {
            self.children.get_mut(&parent).unwrap().retain(|&other| other != child);
            swap_out(&mut self.parent_rows, child);
        }
    }

    /// Puts the child where `at` says among the others, or refuses.
    fn place(
        &mut self,
        child: Entity,
        parent: Entity,
        at: impl Fn(&[Entity]) -> usize,
    ) -> Result<(), HierarchyError> {
        if child == parent {
            return Err(HierarchyError::OwnParent { entity: child });
        }
        if self.ancestors(parent).contains(&child) {
            return Err(HierarchyError::Cycle { entity: child, parent });
        }
        match self.parents.insert(child, parent) {
            Some(before) => self.children.get_mut(&before).unwrap().retain(|&other| other != child),
            None => self.parent_rows.push(child),
        }
        let siblings = self.children.entry(parent).or_default();
        siblings.insert(at(siblings), child);
        Ok(())
    }

    fn set_parent(&mut self, child: Entity, parent: Entity) -> Result<(), HierarchyError> {
        match [child, parent].into_iter().find(|&entity| !self.is_alive(entity)) {
            Some(entity) => Err(HierarchyError::Dead { entity }),
            None => self.place(child, parent, <[Entity]>::len),
        }
    }

    fn move_beside(&mut self, child: Entity, sibling: Entity, after: usize) -> Result<(), HierarchyError> {
        if let Some(entity) = [child, sibling].into_iter().find(|&entity| !self.is_alive(entity)) {
            return Err(HierarchyError::Dead { entity });
        }
        let Some(&parent) = self.parents.get(&sibling) else {
            return Err(HierarchyError::NoParent { entity: sibling });
        };
        if child == sibling {
            return Ok(());
        }
        self.place(child, parent, |siblings| {
            siblings.iter().position(|&other| other == sibling).unwrap() + after
        })
    }

    fn despawn_only(&mut self, entity: Entity) {
        for child in self.children(entity) {
            self.detach(child);
        }
        self.detach(entity);
        swap_out(&mut self.rows, entity);
        self.seen.insert(entity, false);
    }

    fn despawn(&mut self, entity: Entity) {
        for dying in self.descendants(entity).into_iter().rev() {
            self.despawn_only(dying);
        }
        self.despawn_only(entity);
    }

    fn roots(&self) -> Vec<Entity> {
        let firsts = self.parent_rows.iter().filter(|&child| self.children(self.parents[child])[0] == *child);
        firsts.map(|child| self.parents[child]).filter(|parent| !self.parents.contains_key(parent)).collect()
    }

    /// Depth order by its definition: level by level, from the roots in row order.
    fn depth_order(&self, rows: &[Entity]) -> Vec<Entity> {
        let inside: BTreeSet<Entity> = rows.iter().copied().collect();
        let mut roots: Vec<(usize, Entity)> = Vec::new();
        for (row, &entity) in rows.iter().enumerate() {
            let ancestors = self.ancestors(entity);
            let root = ancestors.last().copied().unwrap_or(entity);
            let is_uppermost = !ancestors.iter().any(|above| inside.contains(above));
            if is_uppermost && !roots.iter().any(|&(_, known)| known == root) {
                roots.push((row, root));
            }
        }
        let mut waiting: VecDeque<Entity> = roots.into_iter().map(|(_, root)| root).collect();
        let mut order = Vec::new();
        while let Some(entity) = waiting.pop_front() {
            order.push(entity);
            waiting.extend(self.children(entity));
        }
        order.retain(|entity| inside.contains(entity));
        order
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Spawn { parent: Option<usize>, local: bool },
    SetParent(usize, usize),
    MoveBefore(usize, usize),
    MoveAfter(usize, usize),
    Detach(usize),
    Local(usize),
    NotLocal(usize),
    Despawn(usize),
    DespawnOnly(usize),
    Clear,
    Snapshot,
    Restore(usize),
    Reload,
}

fn operation() -> impl Strategy<Value = Operation> {
    let any = any::<usize>;
    prop_oneof![
        8 => (prop::option::of(any()), prop::bool::weighted(0.7))
            .prop_map(|(parent, local)| Operation::Spawn { parent, local }),
        8 => (any(), any()).prop_map(|(a, b)| Operation::SetParent(a, b)),
        5 => (any(), any()).prop_map(|(a, b)| Operation::MoveBefore(a, b)),
        5 => (any(), any()).prop_map(|(a, b)| Operation::MoveAfter(a, b)),
        3 => any().prop_map(Operation::Detach),
        2 => any().prop_map(Operation::Local),
        2 => any().prop_map(Operation::NotLocal),
        1 => any().prop_map(Operation::Despawn),
        2 => any().prop_map(Operation::DespawnOnly),
        1 => prop::bool::weighted(0.1).prop_map(|rare| if rare { Operation::Clear } else { Operation::Reload }),
        2 => Just(Operation::Snapshot),
        2 => any().prop_map(Operation::Restore),
        1 => Just(Operation::Reload),
    ]
}

/// Runs an operation on a world; what it answered.
fn apply(game: &mut Game, seen: &[Entity], operation: &Operation) -> String {
    let pick = |at: usize| seen.get(at % seen.len().max(1)).copied();
    let two = |a: usize, b: usize| pick(a).zip(pick(b));
    match *operation {
        Operation::Spawn { parent, local } => {
            let entity = game.spawn();
            let parent = parent.and_then(pick);
            let answer = parent.map(|parent| game.attach(entity, Parent::of(parent)));
            if local {
                game.attach(entity, Local(entity.index()));
            }
            format!("{entity} {answer:?}")
        }
        Operation::SetParent(a, b) => format!("{:?}", two(a, b).map(|(a, b)| game.set_parent(a, b))),
        Operation::MoveBefore(a, b) => format!("{:?}", two(a, b).map(|(a, b)| game.move_before(a, b))),
        Operation::MoveAfter(a, b) => format!("{:?}", two(a, b).map(|(a, b)| game.move_after(a, b))),
        Operation::Detach(a) => format!("{:?}", pick(a).map(|a| game.remove::<Parent>(a))),
        Operation::Local(a) => format!("{:?}", pick(a).map(|a| game.attach(a, Local(a.index())))),
        Operation::NotLocal(a) => format!("{:?}", pick(a).map(|a| game.remove::<Local>(a))),
        Operation::Despawn(a) => format!("{:?}", pick(a).map(|a| game.despawn(a))),
        Operation::DespawnOnly(a) => format!("{:?}", pick(a).map(|a| game.despawn_only(a))),
        Operation::Clear => {
            game.clear();
            String::new()
        }
        Operation::Snapshot | Operation::Restore(_) | Operation::Reload => String::new(),
    }
}

/// Runs the operation on the lists, and checks what the world answered.
fn follow(model: &mut Model, game: &Game, seen: &[Entity], operation: &Operation, answer: &str) {
    let pick = |at: usize| seen.get(at % seen.len().max(1)).copied();
    match *operation {
        Operation::Spawn { parent, local } => {
            let alive = game.entities.iter().filter(|&entity| !model.is_alive(entity)).collect::<Vec<_>>();
            let [entity] = alive[..] else { panic!("one entity was spawned, not {alive:?}") };
            assert!(!model.seen.contains_key(&entity), "{entity} was handed out before");
            model.seen.insert(entity, true);
            let attached = parent.and_then(pick).map(|parent| model.set_parent(entity, parent).is_ok());
            assert_eq!(answer, format!("{entity} {attached:?}"));
            if local {
                model.rows.push(entity);
            }
        }
        Operation::SetParent(a, b) | Operation::MoveBefore(a, b) | Operation::MoveAfter(a, b) => {
            let expected = pick(a).zip(pick(b)).map(|(a, b)| match operation {
                Operation::SetParent(..) => model.set_parent(a, b),
                Operation::MoveBefore(..) => model.move_beside(a, b, 0),
                _ => model.move_beside(a, b, 1),
            });
            assert_eq!(answer, format!("{expected:?}"));
        }
        Operation::Detach(a) => pick(a).into_iter().for_each(|a| model.detach(a)),
        Operation::Local(a) => {
            if let Some(a) = pick(a).filter(|a| model.is_alive(*a) && !model.rows.contains(a)) {
                model.rows.push(a);
            }
        }
        Operation::NotLocal(a) => pick(a).into_iter().for_each(|a| swap_out(&mut model.rows, a)),
        Operation::Despawn(a) => {
            pick(a).filter(|&a| model.is_alive(a)).into_iter().for_each(|a| model.despawn(a));
        }
        Operation::DespawnOnly(a) => {
            pick(a).filter(|&a| model.is_alive(a)).into_iter().for_each(|a| model.despawn_only(a));
        }
        Operation::Clear => {
            let seen = model.seen.keys().map(|&entity| (entity, false)).collect();
            *model = Model { seen, ..Model::default() };
        }
        Operation::Snapshot | Operation::Restore(_) | Operation::Reload => {}
    }
}

fn check(game: &Game, model: &Model) {
    assert_eq!(game.check(), Ok(()));
    let hierarchy = &game.hierarchy;
    for &entity in model.seen.keys() {
        assert_eq!(hierarchy.parent(entity), model.parents.get(&entity).copied());
        assert_eq!(hierarchy.children(entity).collect::<Vec<_>>(), model.children(entity));
        let mut backwards = hierarchy.children(entity).rev().collect::<Vec<_>>();
        backwards.reverse();
        assert_eq!(backwards, model.children(entity));
        assert_eq!(hierarchy.ancestors(entity).collect::<Vec<_>>(), model.ancestors(entity));
        assert_eq!(hierarchy.descendants(entity).collect::<Vec<_>>(), model.descendants(entity));
    }
    assert_eq!(hierarchy.roots().collect::<Vec<_>>(), model.roots());
    assert_eq!(hierarchy.column().owners().collect::<Vec<_>>(), model.parent_rows);

    let fresh = reload(hierarchy);
    assert_eq!(&fresh, hierarchy);
    assert_eq!(fresh.roots().collect::<Vec<_>>(), model.roots());
    for _kept in [false, true] {
        let order = hierarchy.depth_order(&game.places.local);
        assert_eq!(order.as_slice(), model.depth_order(&model.rows));
        assert_eq!(order, fresh.depth_order(&game.places.local));
        for (entity, parent) in order.with_parents() {
            let nearest = model.ancestors(entity).into_iter().find(|above| model.rows.contains(above));
            assert_eq!(parent, nearest);
        }
        let order = hierarchy.depth_order(hierarchy.column());
        assert_eq!(order.as_slice(), model.depth_order(&model.parent_rows));
    }

    let mut global = Column::default();
    let mut places = game.places.clone();
    for global in [&mut global, &mut places.global] {
        hierarchy.propagate(&places.local, global, |own, above| {
            Global(above.map_or(7, |above| above.0).wrapping_mul(31).wrapping_add(own.0))
        });
        for &entity in &model.rows {
            let above = model.ancestors(entity).into_iter().rev().filter(|above| model.rows.contains(above));
            let expected = above
                .chain([entity])
                .fold(7_u32, |so_far, entity| so_far.wrapping_mul(31).wrapping_add(entity.index()));
            assert_eq!(global.get(entity), Some(&Global(expected)));
        }
    }
}

/// Another branch of the world goes its own way, and asks for orders there.
fn check_branch(game: &Game, model: &Model) {
    let mut branch = game.clone();
    let (mut there, alive) = (model.clone(), game.entities.iter().collect::<Vec<_>>());
    if let [first, .., last] = alive[..] {
        if branch.set_parent(first, last).is_ok() {
            there.set_parent(first, last).unwrap();
        } else {
            branch.remove::<Parent>(last);
            there.detach(last);
        }
    }
    let order = branch.hierarchy.depth_order(&branch.places.local);
    assert_eq!(order.as_slice(), there.depth_order(&there.rows));
    let order = game.hierarchy.depth_order(&game.places.local);
    assert_eq!(order.as_slice(), model.depth_order(&model.rows));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn the_tree_agrees_with_lists_of_children(operations in prop::collection::vec(operation(), 1..80)) {
        let (mut game, mut model) = (Game::default(), Model::default());
        let mut twin = game.clone();
        let mut snapshots = vec![(game.clone(), model.clone())];
        for operation in operations {
            match operation {
                Operation::Snapshot => snapshots.push((game.clone(), model.clone())),
                Operation::Restore(at) => {
                    (game, model) = snapshots[at % snapshots.len()].clone();
                    twin = reload(&game);
                }
                Operation::Reload => twin = reload(&twin),
                _ => {}
            }
            let seen: Vec<Entity> = model.seen.keys().copied().collect();
            let answer = apply(&mut game, &seen, &operation);
            follow(&mut model, &game, &seen, &operation, &answer);
            prop_assert_eq!(apply(&mut twin, &seen, &operation), answer, "the reloaded world answers the same");
            prop_assert_eq!(&twin, &game);
            prop_assert_eq!(twin.clocks(), game.clocks());
            check(&game, &model);
            check_branch(&game, &model);
        }
        for (snapshot, model) in &snapshots {
            check(snapshot, model);
        }
    }
}
