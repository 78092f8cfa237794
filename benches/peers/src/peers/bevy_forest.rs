//! The transform trees in `bevy_ecs`: relations to the parent, changed rows first, then what is below them.

use bevy_ecs::prelude::*;

use super::bevy_ecs::PEER;
use crate::components::{Global, Position, below, position};
use crate::contender::Entry;
use crate::plan;
use crate::sums::sum;

type Nodes =
    QueryState<(&'static Position, &'static mut Global, Option<&'static ChildOf>, Option<&'static Children>)>;

struct Forest {
    world: World,
    leaves: Vec<Entity>,
    moved: Vec<Vec<usize>>,
    frame: usize,
    changed: QueryState<Entity, Changed<Position>>,
    nodes: Nodes,
    dirty: Vec<Entity>,
}

fn forest() -> Forest {
    let plan::Forest { parents, leaves } = plan::forest();
    let mut world = World::new();
    let mut entities: Vec<Entity> = Vec::with_capacity(parents.len());
    for (node, parent) in parents.iter().enumerate() {
        let mut entity = world.spawn((position(node), Global::default()));
        if let Some(parent) = parent {
            entity.insert(ChildOf(entities[*parent]));
        }
        entities.push(entity.id());
    }
    let (changed, nodes) = (world.query_filtered(), world.query());
    let mut forest = Forest {
        leaves: leaves.iter().map(|leaf| entities[*leaf]).collect(),
        moved: super::frames(leaves.len()),
        frame: 0,
        world,
        changed,
        nodes,
        dirty: Vec::new(),
    };
    propagate(&mut forest);
    forest
}

fn propagate(forest: &mut Forest) {
    let Forest { world, changed, nodes, dirty, .. } = forest;
    dirty.extend(changed.iter(world));
    let mut nodes = nodes.query_mut(&mut *world);
    while let Some(node) = dirty.pop() {
        let Ok((_, _, parent, _)) = nodes.get(node) else { continue };
        let parent = parent
            .map(ChildOf::parent)
            .and_then(|parent| nodes.get(parent).ok())
            .map_or(Global::default(), |(_, global, ..)| *global);
        if let Ok((local, mut global, _, children)) = nodes.get_mut(node) {
            *global = below(parent, local);
            dirty.extend(children.into_iter().flatten());
        }
    }
    world.clear_trackers();
}

fn frame(forest: &mut Forest) {
    let moved = &forest.moved[forest.frame % forest.moved.len()];
    forest.frame += 1;
    for leaf in moved {
        if let Some(mut local) = forest.world.get_mut::<Position>(forest.leaves[*leaf]) {
            local.y += 1.0;
        }
    }
    propagate(forest);
}

pub fn entries() -> Vec<Entry> {
    vec![Entry::steady(PEER, "Changed, then below", forest(), frame, |forest| {
        sum(forest.world.query::<&Global>().iter(&forest.world))
    })]
}
