//! This library where entities have parents.

use std_ecs::{Entity, World};

use super::OURS;
use super::std_ecs_worlds::Scene;
use crate::components::{Global, Position, below, position};
use crate::contender::Entry;
use crate::plan;
use crate::sums::sum;

/// A name, and what is done.
type Way<S> = (&'static str, fn(&mut S));

fn scene(parents: &[Option<usize>]) -> (Scene, Vec<Entity>) {
    let mut scene = Scene::default();
    let entities = scene.spawn_batch((0..parents.len()).map(|node| (position(node), Global::default())));
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            scene.hierarchy.set_parent(entities[node], entities[*parent]).expect("parents come first");
        }
    }
    (scene, entities)
}

fn globals(scene: &Scene) -> u64 {
    sum(scene.tree.globals.iter().map(|(_, global)| global))
}

fn propagate_all(scene: &mut Scene) {
    let Scene { hierarchy, four, tree, .. } = scene;
    hierarchy.propagate(&four.positions, &mut tree.globals, |local, above: Option<&Global>| {
        below(above.copied().unwrap_or_default(), local)
    });
}

fn by_depth(scene: &mut Scene) {
    let Scene { hierarchy, four, tree, .. } = scene;
    for (entity, parent) in hierarchy.depth_order(&four.positions).with_parents() {
        let above = parent.and_then(|parent| tree.globals.get(parent)).copied().unwrap_or_default();
        if let (Some(local), Some(global)) = (four.positions.get(entity), tree.globals.get_mut(entity)) {
            *global = below(above, local);
        }
    }
}

pub fn propagate(size: usize) -> Vec<Entry> {
    let ways: [Way<Scene>; 2] = [("propagate", propagate_all), ("depth_order, get", by_depth)];
    let entry = |(way, run): Way<Scene>| {
        let (scene, entities) = scene(&plan::random_parents(size));
        Entry::steady(
            OURS,
            way,
            (scene, entities[0]),
            move |(scene, root)| {
                scene.four.positions.get_mut(*root).expect("the root lives").y += 1.0;
                run(scene);
            },
            |(scene, _)| globals(scene),
        )
    };
    ways.into_iter().map(entry).collect()
}

struct Forest {
    scene: Scene,
    leaves: Vec<Entity>,
    moved: Vec<Vec<usize>>,
    frame: usize,
    seen: u64,
    dirty: Vec<Entity>,
}

fn changed_then_below(forest: &mut Forest) {
    let Scene { hierarchy, four, tree, .. } = &mut forest.scene;
    let locals = &four.positions;
    forest.dirty.extend(locals.changed_since(forest.seen).map(|(entity, _)| entity));
    forest.seen = locals.clock();
    while let Some(node) = forest.dirty.pop() {
        let above = hierarchy.parent(node).and_then(|parent| tree.globals.get(parent));
        let above = above.copied().unwrap_or_default();
        if let (Some(local), Some(global)) = (locals.get(node), tree.globals.get_mut(node)) {
            *global = below(above, local);
        }
        forest.dirty.extend(hierarchy.children(node));
    }
}

fn move_leaves(forest: &mut Forest) {
    let moved = &forest.moved[forest.frame % forest.moved.len()];
    forest.frame += 1;
    let locals = &mut forest.scene.four.positions;
    for leaf in moved {
        let local: Option<&mut Position> = locals.get_mut(forest.leaves[*leaf]);
        local.expect("all are alive").y += 1.0;
    }
}

pub fn forest() -> Vec<Entry> {
    let ways: [Way<Forest>; 2] = [
        ("changed, then below", changed_then_below),
        ("propagate", |forest| propagate_all(&mut forest.scene)),
    ];
    let entry = |(way, run): Way<Forest>| {
        let plan::Forest { parents, leaves } = plan::forest();
        let (mut scene, entities) = scene(&parents);
        propagate_all(&mut scene);
        let forest = Forest {
            leaves: leaves.iter().map(|leaf| entities[*leaf]).collect(),
            moved: super::frames(leaves.len()),
            frame: 0,
            seen: scene.four.positions.clock(),
            dirty: Vec::new(),
            scene,
        };
        Entry::steady(
            OURS,
            way,
            forest,
            move |forest| {
                move_leaves(forest);
                run(forest);
            },
            |forest| globals(&forest.scene),
        )
    };
    ways.into_iter().map(entry).collect()
}
