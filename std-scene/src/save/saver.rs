//! What has changed, entity by entity, as edits of the text.

use std::collections::{BTreeMap, BTreeSet};

use std_ecs::{Entity, Parent};

use super::SaveError;
use super::edits::Edits;
use super::items::Items;
use super::names::Referrer;
use super::values::{Written, edit, minimal};
use crate::load::{Loaded, Placed, decode_piece};
use crate::plan::{Layers, NONE, Piece, Plan, shifted};
use crate::registry::{Entry, Registry, SceneWorld};
use crate::text::decode::{Layer, Scope};
use crate::text::encode::{Count, EntityNames, WriteFault};
use crate::text::parse::parse;
use crate::text::tree::File;

pub(super) struct Saver<'s, W> {
    pub(super) registry: &'s Registry<W>,
    pub(super) world: &'s W,
    pub(super) loaded: &'s Loaded,
    pub(super) plan: &'s Plan,
    /// A world to decode texts in.
    pub(super) scratch: Option<W>,
    pub(super) names: Referrer<'s, W>,
    pub(super) edits: Edits<'s>,
    /// What is to be written inside of `at(..)` that do not exist yet, by slot.
    pub(super) patches: BTreeMap<u32, Items>,
    /// The items of the new entity that is being written.
    pub(super) items: Items,
    pub(super) errors: Vec<SaveError>,
}

impl<'s, W: SceneWorld> Saver<'s, W> {
    pub(super) fn new(registry: &'s Registry<W>, world: &'s W, loaded: &'s Loaded) -> Self {
        let plan = &*loaded.scene.plan;
        Self {
            registry,
            world,
            loaded,
            plan,
            scratch: None,
            names: Referrer::new(world, loaded),
            edits: Edits::new(&plan.files[0]),
            patches: BTreeMap::new(),
            items: Items::default(),
            errors: Vec::new(),
        }
    }

    /// The text of the scene's own file, or all that it cannot say.
    pub(super) fn text(mut self) -> Result<String, Vec<SaveError>> {
        self.run();
        let file = &self.plan.files[0];
        let edits = std::mem::replace(&mut self.edits, Edits::new(file));
        let text = if edits.is_empty() {
            file.text.to_string()
        } else {
            edits.apply(&mut |new, line, out| self.new_entity(new, line, out))
        };
        if self.errors.is_empty() { Ok(text) } else { Err(self.errors) }
    }

    fn run(&mut self) {
        let slots = &self.plan.root().slots;
        let world = self.world;
        let dead = self.loaded.entities.iter().flatten().any(|&entity| !world.is_alive(entity));
        let mut orphans: BTreeSet<u32> = BTreeSet::new();
        for (slot, found) in (0..).zip(slots) {
            let Some(entity) = self.loaded.entities[slot as usize] else { continue };
            if !world.is_alive(entity) {
                orphans.insert(slot);
                if !orphans.contains(&found.parent) || found.node != NONE && !self.inside(slot, found.parent)
                {
                    self.remove(slot);
                }
                continue;
            }
            self.components(slot, entity, dead);
        }
        self.places(&orphans);
        self.added();
        self.write_patches();
    }

    /// Whether the text of an own entity stands inside that of its parent.
    fn inside(&self, slot: u32, parent: u32) -> bool {
        let slots = &self.plan.root().slots;
        let Some(outer) = slots.get(parent as usize) else { return false };
        let (inner, outer) = (slots[slot as usize].node, outer.node);
        outer != NONE && outer < inner && inner < self.plan.files[0].node(outer).next
    }

    fn refuse(&mut self, slot: u32, reason: impl Into<String>) {
        let path = self.plan.path(self.plan.root(), slot);
        self.errors.push(SaveError { path, reason: reason.into() });
    }

    fn remove(&mut self, slot: u32) {
        let node = self.plan.root().slots[slot as usize].node;
        if node != NONE {
            self.edits.remove(node);
        } else if let Some((owner, path)) = self.inner_path(slot) {
            let node = self.plan.root().slots[owner as usize].node;
            self.edits.append(node, &format!("remove(\"{path}\")"));
        }
    }

    /// The own entity whose instance a slot is in, and the path from there.
    fn inner_path(&mut self, slot: u32) -> Option<(u32, String)> {
        let root = self.plan.root();
        let mut names = Vec::new();
        let mut at = slot;
        while root.slots[at as usize].node == NONE {
            let Some(name) = self.plan.name(&root.slots[at as usize]) else {
                self.refuse(slot, "an entity inside of the instance has no name, so no patch can find it");
                return None;
            };
            names.push(name);
            at = root.slots[at as usize].parent;
        }
        names.reverse();
        Some((at, names.join("/")))
    }

    /// Puts an item into the text of a slot.
    pub(super) fn put(&mut self, slot: u32, item: &str) {
        let root = self.plan.root();
        let node = root.slots[slot as usize].node;
        if node != NONE {
            self.edits.append(node, item);
        } else if let Some(&at) = root.patches.get(&slot) {
            self.edits.append(at, item);
        } else {
            self.patches.entry(slot).or_default().push(item);
        }
    }

    fn write_patches(&mut self) {
        for (slot, items) in std::mem::take(&mut self.patches) {
            if let Some((owner, path)) = self.inner_path(slot) {
                let node = self.plan.root().slots[owner as usize].node;
                let mut text = String::new();
                items.call("at", Some(&path), Some("\n"), &mut text);
                self.edits.append(node, &text);
            }
        }
    }

    fn components(&mut self, slot: u32, entity: Entity, all: bool) {
        let (plan, registry, world) = (self.plan, self.registry, self.world);
        let (pieces, offset) = plan.pieces(0, slot);
        for entry in registry.by_name() {
            let piece =
                pieces.iter().find(|piece| piece.node == entry.node && plan.piece_name(piece) == entry.name);
            let has = (entry.functions.has)(world, entity);
            match (piece, has) {
                (Some(piece), true) => {
                    let written = (entry.functions.changed)(world, entity);
                    if !written.is_some_and(|stamp| self.loaded.is_written(&entry.name, stamp)) {
                        if all {
                            self.check_references(slot, entity, entry);
                        }
                        continue;
                    }
                    self.changed(slot, entity, entry, piece, offset);
                }
                (Some(piece), false) => self.gone(slot, entry, piece),
                (None, true) => {
                    if let Some(text) = self.encode(slot, entity, entry) {
                        self.put(slot, &written(entry.node, text));
                    }
                }
                (None, false) => {}
            }
        }
    }

    /// Something unchanged may still name what died.
    fn check_references(&mut self, slot: u32, entity: Entity, entry: &Entry<W>) {
        let mut count = Count(0);
        let _ = entry.encode(self.world, entity, &mut count, usize::MAX);
        if count.0 > 0 {
            self.encode(slot, entity, entry);
        }
    }

    fn encode(&mut self, slot: u32, entity: Entity, entry: &Entry<W>) -> Option<String> {
        let depth = self.registry.limits.value_depth;
        match entry.encode(self.world, entity, &mut self.names, depth)? {
            Ok(text) => Some(text),
            Err(WriteFault(reason)) => {
                self.refuse(slot, format!("{}: {reason}", entry.name));
                None
            }
        }
    }

    /// A component that was taken away.
    fn gone(&mut self, slot: u32, entry: &Entry<W>, piece: &Piece) {
        let without = format!("without({})", entry.name);
        match self.own(piece) {
            Some(item) if piece.layers.len() == 1 => self.edits.remove(item),
            Some(item) => self.edits.replace(item, without),
            None => self.put(slot, &without),
        }
    }

    /// The item of the scene's own file that gives a component, if there is one.
    fn own(&self, piece: &Piece) -> Option<u32> {
        let top = piece.layers.first().filter(|top| is_own(top))?;
        // The component may stand in `node(..)` or `replace(..)`.
        let file = &self.plan.files[0];
        let outer = top.node.checked_sub(1).filter(|&outer| {
            file.only_child(outer) == Some(top.node)
                && matches!(file.name(outer), "node" | "replace")
                && file.node(outer).next == file.node(top.node).next
        });
        Some(outer.unwrap_or(top.node))
    }

    fn changed(&mut self, slot: u32, entity: Entity, entry: &Entry<W>, piece: &Piece, offset: u32) {
        let Some(now_text) = self.encode(slot, entity, entry) else { return };
        let before_text = self.decoded(entity, entry, piece, offset, None);
        if before_text.as_ref() == Some(&now_text) {
            return;
        }
        let limits = crate::limits::Limits {
            value_depth: usize::MAX,
            bytes: u32::MAX as usize,
            ..self.registry.limits
        };
        let (now_file, _) = parse("now", now_text.as_str().into(), 0, &limits);
        let now = Written { file: &now_file, node: 0 };
        let own = piece.layers.first().filter(|top| is_own(top)).map(|top| top.node);
        let based = piece.layers.len() > usize::from(own.is_some());
        let candidate = before_text.map(|text| {
            let (before_file, _) = parse("before", text.as_str().into(), 0, &limits);
            let before = Written { file: &before_file, node: 0 };
            match own {
                Some(node) => {
                    let text = self.plan.files[0].slice(node).to_owned();
                    let (old_file, _) = parse("old", text.as_str().into(), 0, &limits);
                    let mut edits = Edits::new(&old_file);
                    edit(&mut edits, Written { file: &old_file, node: 0 }, before, now, based);
                    edits.apply(&mut |_, _, _| {})
                }
                None => minimal(before, now),
            }
        });
        let good = candidate.filter(|text| {
            self.decoded(entity, entry, piece, offset, Some(text)).as_ref() == Some(&now_text)
        });
        let fits = good.is_some();
        let text = good.unwrap_or(now_text);
        match own {
            Some(node) if fits || !based => self.edits.replace(node, text),
            Some(node) => {
                // A base shines through that cannot be told away: nothing of it is wanted.
                let item = self.own(piece).unwrap_or(node);
                let replaced = if item == node || entry.node { format!("replace({text})") } else { text };
                self.edits.replace(if item == node { item } else { node }, replaced);
            }
            None if fits => self.put(slot, &written(entry.node, text)),
            None => self.put(slot, &format!("replace({text})")),
        }
    }

    /// The canonical text of what the texts of a component say, with another text on top, in the place of the
    /// scene's own if there is one.
    fn decoded(
        &mut self,
        entity: Entity,
        entry: &Entry<W>,
        piece: &Piece,
        offset: u32,
        top: Option<&str>,
    ) -> Option<String> {
        let (plan, registry, world) = (self.plan, self.registry, self.world);
        let limits = &registry.limits;
        let extra = top.map(|text| parse("patch", text.into(), plan.files.len() as u32, limits));
        let mut files: Vec<&File> = plan.files.iter().collect();
        let mut layers: Layers = piece.layers.iter().map(|&layer| shifted(layer, offset)).collect();
        if let Some((file, result)) = &extra {
            result.as_ref().ok()?;
            if piece.layers.first().is_some_and(is_own) {
                layers.remove(0);
            }
            let scope = Scope { template: 0, offset: 0 };
            layers.insert(0, Layer { file: files.len() as u32, node: 0, inside: true, scope });
            files.push(file);
        }
        files.extend(&registry.defaults);
        let names = Placed { plan, entities: &self.loaded.entities };
        let scratch = self.scratch.get_or_insert_with(|| world.clone());
        let piece = Piece { node: piece.node, layers };
        decode_piece(registry, &files, &names, scratch, entity, &piece, 0).ok()?;
        // What names a dead or unnamed entity is compared as it is; it is refused where it is to be written.
        let mut names = Tolerant(&mut self.names);
        entry.encode(scratch, entity, &mut names, usize::MAX)?.ok()
    }

    /// Entities whose parent or place among their siblings has changed.
    fn places(&mut self, orphans: &BTreeSet<u32>) {
        let (plan, world, loaded) = (self.plan, self.world, self.loaded);
        let slots = &plan.root().slots;
        let mut moved: BTreeSet<u32> = BTreeSet::new();
        let mut by_parent: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (slot, found) in (0..).zip(slots) {
            let Some(entity) = loaded.entities[slot as usize] else { continue };
            if orphans.contains(&slot) {
                continue;
            }
            let parent = world.get::<Parent>(entity).map(|parent| parent.entity());
            let expected =
                if found.parent == NONE { loaded.below } else { loaded.entities[found.parent as usize] };
            if parent != expected {
                moved.insert(slot);
            } else if found.parent != NONE {
                by_parent.entry(found.parent).or_default().push(slot);
            }
        }
        for (&parent, children) in &by_parent {
            let Some(entity) = loaded.entities[parent as usize] else { continue };
            let hierarchy: &std_ecs::Hierarchy = world.group();
            let order: Vec<u32> = hierarchy
                .children(entity)
                .filter_map(|child| self.names.slot(child))
                .filter(|slot| children.binary_search(slot).is_ok())
                .collect();
            if let Some(from) = order.iter().zip(children).position(|(now, was)| now != was) {
                moved.extend(&order[from..]);
            }
        }
        // In the order in which they stand in the world, so that they are put in that order.
        let hierarchy: &std_ecs::Hierarchy = world.group();
        let entity_of = |slot: u32| loaded.entities[slot as usize];
        let parents: BTreeSet<Entity> =
            moved.iter().filter_map(|&slot| hierarchy.parent(entity_of(slot)?)).collect();
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        for parent in parents {
            let siblings = hierarchy.children(parent).enumerate();
            places.extend(siblings.filter_map(|(at, child)| Some((self.names.slot(child)?, at))));
        }
        let mut moved: Vec<u32> = moved.into_iter().collect();
        moved.sort_by_key(|slot| (places.get(slot), *slot));
        for slot in moved {
            self.moved(slot);
        }
    }

    fn moved(&mut self, slot: u32) {
        let (plan, world, loaded) = (self.plan, self.world, self.loaded);
        let node = plan.root().slots[slot as usize].node;
        if node == NONE {
            return self
                .refuse(slot, "it is inside of an instance and has been moved, which no patch can say");
        }
        let entity = loaded.entities[slot as usize];
        let parent = entity.and_then(|entity| world.get::<Parent>(entity)).map(|parent| parent.entity());
        let target = match parent {
            None => 0,
            Some(parent) if Some(parent) == loaded.below => 0,
            Some(parent) => {
                let Some(to) = self.names.slot(parent) else {
                    return self.refuse(slot, "its parent is not part of the scene");
                };
                let to_node = plan.root().slots[to as usize].node;
                if to_node == NONE && !plan.root().patches.contains_key(&to) {
                    return self.refuse(
                        slot,
                        "it was moved into an instance: write an `at(..)` for its parent first",
                    );
                }
                if to_node == NONE { plan.root().patches[&to] } else { to_node }
            }
        };
        self.edits.remove(node);
        self.edits.append_moved(target, node);
    }
}

/// Names that never fail: for comparing only.
struct Tolerant<'n>(&'n mut dyn EntityNames);

impl EntityNames for Tolerant<'_> {
    fn write(&mut self, entity: Entity, out: &mut String) -> Result<(), WriteFault> {
        let length = out.len();
        if self.0.write(entity, out).is_err() {
            out.truncate(length);
            out.push_str(&entity.to_bits().to_string());
        }
        Ok(())
    }
}

fn is_own(layer: &Layer) -> bool {
    layer.file == 0 && layer.scope == Scope { template: 0, offset: 0 }
}

fn written(node: bool, text: String) -> String {
    if node { format!("node({text})") } else { text }
}
