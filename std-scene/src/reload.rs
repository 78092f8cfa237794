//! Reloading: what has changed in the files is laid over the running world.

use std::collections::{BTreeMap, BTreeSet};

use std_ecs::{Entity, EntityPage, Parent};

use crate::error::SceneErrors;
use crate::load::{Loaded, Placed, Scene, attach_text, decode_piece};
use crate::plan::{Layers, NONE, Piece, Plan, shifted};
use crate::registry::{Entry, Registry, SceneWorld};
use crate::save::values::{Written, carry};
use crate::source::SceneSource;
use crate::text::encode::Bits;
use crate::text::parse::parse;
use crate::text::tree::File;

/// What a reload did, by the paths of the entities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reloaded {
    /// Entities that the files have now, and had not.
    pub added: Vec<String>,
    /// Entities that the files had, and have no more.
    pub removed: Vec<String>,
    /// Components that were changed, added or taken away: the entity and the name of the component.
    pub changed: Vec<(String, String)>,
    /// Entities that another file or another place in the file now gives another parent.
    pub moved: Vec<String>,
}

impl Reloaded {
    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl<W: SceneWorld> Registry<W> {
    /// Reads the files of a scene again and lays what differs between the old and the new files over the
    /// running world.
    ///
    /// Entities are known by their paths, or by their names where one has another path now, and keep their
    /// handles. A behaviour that is changed is made ready again. What the game has changed stays, but for the
    /// very fields that were edited in the files. A change of an instanced file reaches all its instances.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the new files. The world and the scene are as they were then.
    pub fn reload(
        &self,
        source: &dyn SceneSource,
        world: &mut W,
        loaded: &mut Loaded,
    ) -> Result<Reloaded, SceneErrors> {
        let path = &loaded.scene.plan.files[0].name;
        let scene = Scene::read(source, path, &self.limits)?;
        let mut next = world.clone();
        let mut done = Reloaded::default();
        // The whole new scene, to know that it can be loaded; and its values.
        let mut fresh_world = world.clone();
        let fresh = self.instantiate_again(&scene, &mut fresh_world, loaded.below)?;
        let (old, new) = (&*loaded.scene.plan, &*scene.plan);
        let old_paths = paths(old, &loaded.entities);
        let new_paths = paths(new, &fresh.entities);

        let moved = moved(&old_paths, &new_paths);
        let mut by_name: BTreeMap<&str, Vec<Entity>> = BTreeMap::new();
        for (&entity, name) in &loaded.given {
            by_name.entry(name).or_default().push(entity);
        }
        // Who was brought by the game to where the new files have somebody of that name.
        let mut brought: BTreeMap<(Option<Entity>, &str), u32> = BTreeMap::new();
        let hierarchy: &std_ecs::Hierarchy = world.group();
        let gone = old_paths.in_order.iter().filter(|(path, _)| !new_paths.by_path.contains_key(path));
        for (_, slot) in gone {
            let entity = loaded.entities[*slot as usize].filter(|&entity| world.is_alive(entity));
            if let (Some(entity), Some(name)) = (entity, old.name(&old.root().slots[*slot as usize])) {
                brought.insert((hierarchy.parent(entity), name), *slot);
            }
        }
        let mut stayed: BTreeSet<u32> = BTreeSet::new();
        // What the slot was before, for those that stay.
        let mut was: Vec<Option<u32>> = vec![None; new.root().slots.len()];
        let mut entities: Vec<Option<Entity>> = vec![None; was.len()];
        let mut spawned = vec![false; was.len()];
        for (path, slot) in &new_paths.in_order {
            let slot = *slot as usize;
            let known = old_paths.by_path.get(path);
            let is_alive =
                |was: &&u32| loaded.entities[**was as usize].is_some_and(|entity| next.is_alive(entity));
            let parent = new.root().slots[slot].parent;
            let parent = if parent == NONE { loaded.below } else { entities[parent as usize] };
            let place = (parent, path.rsplit('/').next().unwrap_or_default());
            was[slot] = known
                .filter(is_alive)
                .or_else(|| brought.get(&place))
                .or_else(|| moved.get(path).filter(|was| !stayed.contains(was)))
                .or(known)
                .copied();
            stayed.extend(was[slot]);
            if let Some(was) = was[slot] {
                entities[slot] = loaded.entities[was as usize].filter(|&entity| next.is_alive(entity));
            } else if let Some(known) =
                given(&next, loaded, &by_name, path, new.root().slots[slot].parent, &entities)
            {
                // The file was saved with it.
                entities[slot] = Some(known);
            } else {
                entities[slot] = Some(next.spawn());
                spawned[slot] = true;
                done.added.push(path.clone());
            }
        }
        for (path, slot) in &new_paths.in_order {
            let is_moved = moved.get(path).is_some_and(|&slot_was| was[*slot as usize] == Some(slot_was));
            let Some(entity) = entities[*slot as usize].filter(|_| is_moved || spawned[*slot as usize])
            else {
                continue;
            };
            let parent = new.root().slots[*slot as usize].parent;
            let parent = if parent == NONE { loaded.below } else { entities[parent as usize] };
            next.detach(entity);
            // The game may have ended the parent, or hung it below this entity: then this one becomes a root.
            if let Some(parent) = parent
                && !ancestors(&next, parent).any(|above| above == entity)
            {
                next.attach(entity, Parent::of(parent));
            }
            if is_moved {
                done.moved.push(path.clone());
            }
        }
        for (path, slot) in &old_paths.in_order {
            if !new_paths.by_path.contains_key(path)
                && !stayed.contains(slot)
                && let Some(entity) = loaded.entities[*slot as usize]
            {
                done.removed.push(path.clone());
                next.despawn(entity);
            }
        }
        self.carry_over(loaded, &scene, (&fresh, &fresh_world), (&entities, &was), &mut next, &mut done);

        *world = next;
        let clocks = self.clocks(world);
        *loaded = Loaded {
            scene,
            entities: entities.into(),
            clocks,
            below: loaded.below,
            given: std::mem::take(&mut loaded.given),
        };
        Ok(done)
    }

    fn instantiate_again(
        &self,
        scene: &Scene,
        world: &mut W,
        below: Option<Entity>,
    ) -> Result<Loaded, SceneErrors> {
        match below.filter(|&below| world.is_alive(below)) {
            Some(below) => self.instantiate_below(scene, world, below),
            None => self.instantiate(scene, world),
        }
    }

    /// Brings the components up to date.
    fn carry_over(
        &self,
        loaded: &Loaded,
        scene: &Scene,
        (fresh, fresh_world): (&Loaded, &W),
        (entities, was): (&[Option<Entity>], &[Option<u32>]),
        next: &mut W,
        done: &mut Reloaded,
    ) {
        let (old, new) = (&*loaded.scene.plan, &*scene.plan);
        let mut texts = Texts { registry: self, scratch: next.clone() };
        for (slot, &entity) in (0..).zip(entities) {
            let Some(entity) = entity else { continue };
            let path = new.path(new.root(), slot);
            let was = was[slot as usize];
            let (new_pieces, new_offset) = new.pieces(0, slot);
            let (old_pieces, old_offset) = was.map_or((&[][..], 0), |was| old.pieces(0, was));
            let named = |plan: &Plan, pieces: &[Piece], name: &str| {
                pieces.iter().find(|piece| plan.piece_name(piece) == name).cloned()
            };
            for entry in self.by_name() {
                let before = named(old, old_pieces, &entry.name);
                let after = named(new, new_pieces, &entry.name);
                match (before, after) {
                    (None, None) => {}
                    (Some(_), None) => {
                        if (entry.functions.has)(next, entity) {
                            (entry.functions.remove)(next, entity);
                            done.changed.push((path.clone(), entry.name.clone()));
                        }
                    }
                    (before, Some(after)) => {
                        let is_new = was.is_none();
                        let old_text = before.and_then(|piece| {
                            texts.of(entry, old, &loaded.entities, entity, &piece, old_offset)
                        });
                        let Some(new_text) = texts.of(entry, new, entities, entity, &after, new_offset)
                        else {
                            // It names an entity of the scene that the game has ended: as the files have it,
                            // it cannot be; as it is, it stays.
                            continue;
                        };
                        if old_text.as_ref() == Some(&new_text) {
                            continue;
                        }
                        let depth = usize::MAX;
                        let running = entry.encode(next, entity, &mut Bits, depth).and_then(Result::ok);
                        let text = match (old_text, running) {
                            (Some(old), Some(now)) => {
                                let files = [old, new_text.clone(), now].map(|text| tree(&text));
                                let [old, new, now] =
                                    [&files[0], &files[1], &files[2]].map(|file| Written { file, node: 0 });
                                carry(old, new, now)
                            }
                            // The game took it away, and the files only changed it.
                            (Some(_), None) => continue,
                            (None, _) => new_text,
                        };
                        if attach_text(self, next, entity, &text).is_err() {
                            // What the game has made of it does not go with the edit: the files win.
                            let source = fresh.entities[slot as usize];
                            if let Some(source) = source {
                                let page = EntityPage::new(vec![entity]);
                                (entry.functions.copy)(fresh_world, &[source], next, &page);
                            }
                        }
                        if !is_new {
                            done.changed.push((path.clone(), entry.name.clone()));
                        }
                    }
                }
            }
        }
    }
}

/// The canonical texts of components, with entities as their numbers.
struct Texts<'r, W> {
    registry: &'r Registry<W>,
    scratch: W,
}

impl<W: SceneWorld> Texts<'_, W> {
    fn of(
        &mut self,
        entry: &Entry<W>,
        plan: &Plan,
        entities: &[Option<Entity>],
        entity: Entity,
        piece: &Piece,
        offset: u32,
    ) -> Option<String> {
        let files: Vec<&File> = plan.files.iter().chain(&self.registry.defaults).collect();
        let layers: Layers = piece.layers.iter().map(|&layer| shifted(layer, offset)).collect();
        let piece = Piece { node: piece.node, layers };
        let names = Placed { plan, entities };
        decode_piece(self.registry, &files, &names, &mut self.scratch, entity, &piece, 0).ok()?;
        entry.encode(&self.scratch, entity, &mut Bits, usize::MAX)?.ok()
    }
}

fn tree(text: &str) -> File {
    let limits = crate::limits::Limits {
        value_depth: usize::MAX,
        bytes: u32::MAX as usize,
        ..crate::limits::Limits::default()
    };
    parse("component", text.into(), 0, &limits).0
}

/// The slots of a scene by their paths. Entities without a name are told apart by their place among those.
struct Paths {
    by_path: BTreeMap<String, u32>,
    in_order: Vec<(String, u32)>,
}

/// Entities whose path is new, with the slot of the one entity of that name whose path is gone.
fn moved(old: &Paths, new: &Paths) -> BTreeMap<String, u32> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut gone: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (path, slot) in old.in_order.iter().filter(|(path, _)| !new.by_path.contains_key(path)) {
        gone.entry(last(path)).or_default().push(*slot);
    }
    let mut come: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for (path, _) in new.in_order.iter().filter(|(path, _)| !old.by_path.contains_key(path)) {
        come.entry(last(path)).or_default().push(path);
    }
    come.into_iter()
        .filter(|(name, _)| !name.starts_with("(unnamed)"))
        .filter_map(|(name, paths)| match (&paths[..], gone.get(&name).map(Vec::as_slice)) {
            ([path], Some(&[slot])) => Some(((*path).clone(), slot)),
            _ => None,
        })
        .collect()
}

/// The entity that was spawned after loading and given the name at the end of a path, below the same parent.
fn given<W: SceneWorld>(
    world: &W,
    loaded: &Loaded,
    by_name: &BTreeMap<&str, Vec<Entity>>,
    path: &str,
    parent: u32,
    entities: &[Option<Entity>],
) -> Option<Entity> {
    let named = by_name.get(path.rsplit('/').next()?)?;
    let parent = if parent == NONE { loaded.below } else { entities[parent as usize] };
    let hierarchy: &std_ecs::Hierarchy = world.group();
    let mut alive = named.iter().copied().filter(|&entity| world.is_alive(entity));
    alive.find(|&entity| hierarchy.parent(entity) == parent)
}

/// An entity and those above it.
fn ancestors<W: SceneWorld>(world: &W, entity: Entity) -> impl Iterator<Item = Entity> {
    let hierarchy: &std_ecs::Hierarchy = world.group();
    std::iter::once(entity).chain(hierarchy.ancestors(entity))
}

fn paths(plan: &Plan, entities: &[Option<Entity>]) -> Paths {
    let root = plan.root();
    let mut found = Paths { by_path: BTreeMap::new(), in_order: Vec::new() };
    let mut twins: BTreeMap<String, usize> = BTreeMap::new();
    let mut unique: Vec<String> = Vec::with_capacity(root.slots.len());
    for (slot, found_slot) in (0..).zip(&root.slots) {
        let name = plan.name(found_slot).unwrap_or("(unnamed)");
        let path = match unique.get(found_slot.parent as usize) {
            Some(parent) => format!("{parent}/{name}"),
            None => name.to_owned(),
        };
        let count = twins.entry(path.clone()).or_default();
        *count += 1;
        let path = if *count > 1 { format!("{path}#{count}") } else { path };
        unique.push(path.clone());
        if !found_slot.removed && entities.len() > slot as usize {
            found.by_path.insert(path.clone(), slot);
            found.in_order.push((path, slot));
        }
    }
    found
}
