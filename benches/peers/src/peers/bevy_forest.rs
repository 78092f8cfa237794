//! The transform trees in `bevy_ecs`: relations to the parent, changed rows first, then what is below them.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemState;

use super::bevy_ecs::PEER;
use crate::components::{Global, Position, below, position};
use crate::contender::Entry;
use crate::plan;
use crate::sums::sum;

/// What a system would ask for: the places are apart, so that looking at a node reads no more than is needed.
type Params = SystemState<(
    Query<'static, 'static, Entity, Changed<Position>>,
    Query<'static, 'static, (&'static Position, Option<&'static ChildOf>, Option<&'static Children>)>,
    Query<'static, 'static, &'static mut Global>,
)>;

struct Forest {
    world: World,
    leaves: Vec<Entity>,
    moved: Vec<Vec<usize>>,
    frame: usize,
    locals: QueryState<&'static mut Position>,
    params: Params,
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
    let (locals, params) = (world.query(), SystemState::new(&mut world));
    let mut forest = Forest {
        leaves: leaves.iter().map(|leaf| entities[*leaf]).collect(),
        moved: super::frames(leaves.len()),
        frame: 0,
        world,
        locals,
        params,
        dirty: Vec::new(),
    };
    propagate(&mut forest);
    forest
}

fn propagate(forest: &mut Forest) {
    let Forest { world, params, dirty, .. } = forest;
    let (changed, nodes, mut globals) = params.get_mut(world).expect("queries are always there");
    dirty.extend(&changed);
    while let Some(node) = dirty.pop() {
        let Ok((local, parent, children)) = nodes.get(node) else { continue };
        let parent = parent
            .and_then(|parent| globals.get(parent.parent()).ok())
            .map_or(Global::default(), |global| *global);
        if let Ok(mut global) = globals.get_mut(node) {
            *global = below(parent, local);
        }
        dirty.extend(children.into_iter().flatten());
    }
}

fn frame(forest: &mut Forest) {
    let moved = &forest.moved[forest.frame % forest.moved.len()];
    forest.frame += 1;
    let mut locals = forest.locals.query_mut(&mut forest.world);
    for leaf in moved {
        if let Ok(mut local) = locals.get_mut(forest.leaves[*leaf]) {
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
