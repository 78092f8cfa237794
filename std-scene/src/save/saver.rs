//! What has changed, entity by entity, as edits of the text.

use std::collections::{HashMap, HashSet};

use std_ecs::{Entity, Parent};

use super::SaveError;
use super::edits::{Edits, Insertion};
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
    registry: &'s Registry<W>,
    world: &'s W,
    loaded: &'s Loaded,
    plan: &'s Plan,
    /// A world to decode texts in.
    scratch: Option<W>,
    names: Referrer<'s, W>,
    edits: Edits<'s>,
    /// What is to be written inside of `at(..)` that do not exist yet, by slot.
    patches: HashMap<u32, Vec<String>>,
    errors: Vec<SaveError>,
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
            patches: HashMap::new(),
            errors: Vec::new(),
        }
    }

    /// The text of the scene's own file, or all that it cannot say.
    pub(super) fn text(mut self) -> Result<String, Vec<SaveError>> {
        self.run();
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let text = &self.plan.files[0].text;
        Ok(if self.edits.is_empty() { text.to_string() } else { self.edits.apply() })
    }

    fn run(&mut self) {
        let slots = &self.plan.root().slots;
        let world = self.world;
        let dead = self.loaded.entities.iter().flatten().any(|&entity| !world.is_alive(entity));
        let mut orphans: HashSet<u32> = HashSet::new();
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
            self.edits.append(node, Insertion::Text(format!("remove(\"{path}\")")));
        }
    }

    /// The own entity whose instance a slot is in, and the path from there.
    fn inner_path(&mut self, slot: u32) -> Option<(u32, String)> {
        let root = self.plan.root();
        let mut names = Vec::new();
        let mut at = slot;
        while root.slots[at as usize].node == NONE {
            let Some((file, node)) = root.slots[at as usize].name else {
                self.refuse(slot, "an entity inside of the instance has no name, so no patch can find it");
                return None;
            };
            names.push(crate::text::literal::raw(self.plan.files[file as usize].slice(node)));
            at = root.slots[at as usize].parent;
        }
        names.reverse();
        Some((at, names.join("/")))
    }

    /// Puts an item into the text of a slot.
    fn put(&mut self, slot: u32, item: String) {
        let root = self.plan.root();
        let node = root.slots[slot as usize].node;
        if node != NONE {
            self.edits.append(node, Insertion::Text(item));
        } else if let Some(&at) = root.patches.get(&slot) {
            self.edits.append(at, Insertion::Text(item));
        } else {
            self.patches.entry(slot).or_default().push(item);
        }
    }

    fn write_patches(&mut self) {
        let mut patches: Vec<(u32, Vec<String>)> = self.patches.drain().collect();
        patches.sort_by_key(|(slot, _)| *slot);
        for (slot, items) in patches {
            if let Some((owner, path)) = self.inner_path(slot) {
                let node = self.plan.root().slots[owner as usize].node;
                self.edits.append(node, Insertion::Text(call("at", Some(&path), &items)));
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
                        self.put(slot, written(entry.node, text));
                    }
                }
                (None, false) => {}
            }
        }
    }

    /// Something unchanged may still name what died.
    fn check_references(&mut self, slot: u32, entity: Entity, entry: &Entry<W>) {
        let mut count = Count(0);
        let _ = (entry.functions.encode)(self.world, entity, &entry.name, &mut count, usize::MAX);
        if count.0 > 0 {
            self.encode(slot, entity, entry);
        }
    }

    fn encode(&mut self, slot: u32, entity: Entity, entry: &Entry<W>) -> Option<String> {
        let depth = self.registry.limits.value_depth;
        match (entry.functions.encode)(self.world, entity, &entry.name, &mut self.names, depth)? {
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
            None => self.put(slot, without),
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
                    edits.apply()
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
            None if fits => self.put(slot, written(entry.node, text)),
            None => self.put(slot, format!("replace({text})")),
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
        (entry.functions.encode)(scratch, entity, &entry.name, &mut names, usize::MAX)?.ok()
    }

    /// Entities whose parent or place among their siblings has changed.
    fn places(&mut self, orphans: &HashSet<u32>) {
        let (plan, world, loaded) = (self.plan, self.world, self.loaded);
        let slots = &plan.root().slots;
        let mut moved: HashSet<u32> = HashSet::new();
        let mut by_parent: HashMap<u32, Vec<u32>> = HashMap::new();
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
        let mut moved: Vec<u32> = moved.into_iter().collect();
        // In the order in which they stand in the world, so that they are put in that order.
        let position = |slot: &u32| {
            let entity = loaded.entities[*slot as usize];
            let parent = entity.and_then(|entity| world.get::<Parent>(entity)).map(|parent| parent.entity());
            let hierarchy: &std_ecs::Hierarchy = world.group();
            let index =
                parent.and_then(|parent| hierarchy.children(parent).position(|child| Some(child) == entity));
            (index, *slot)
        };
        moved.sort_by_cached_key(position);
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
        self.edits.append(target, Insertion::Moved(node));
    }

    /// Entities that are new: children of the scene's, and those that were given a name.
    fn added(&mut self) {
        let (world, loaded) = (self.world, self.loaded);
        let hierarchy: &std_ecs::Hierarchy = world.group();
        let is_new = |names: &Referrer<'_, W>, entity: Entity| names.slot(entity).is_none();
        for (slot, &entity) in (0..).zip(loaded.entities.iter()) {
            let Some(entity) = entity.filter(|&entity| world.is_alive(entity)) else { continue };
            let new: Vec<Entity> =
                hierarchy.children(entity).filter(|&child| is_new(&self.names, child)).collect();
            for child in new {
                let text = self.new_entity(child);
                self.put(slot, text);
            }
        }
        let mut named: Vec<Entity> = loaded.given.keys().copied().collect();
        named.sort();
        for entity in named {
            let parent = world.get::<Parent>(entity).map(|parent| parent.entity());
            if world.is_alive(entity)
                && is_new(&self.names, entity)
                && (parent.is_none() || parent == loaded.below)
            {
                let text = self.new_entity(entity);
                self.edits.append(0, Insertion::Text(text));
            }
        }
    }

    /// The text of a new entity and all below it, without recursion.
    fn new_entity(&mut self, entity: Entity) -> String {
        let mut order = vec![entity];
        let mut at = 0;
        while at < order.len() {
            order.extend(self.new_children(order[at]));
            at += 1;
        }
        if order.len() == 1 {
            return self.new_text(entity, &mut HashMap::new());
        }
        let mut texts: HashMap<Entity, String> = HashMap::new();
        for &entity in order.iter().rev() {
            let text = self.new_text(entity, &mut texts);
            texts.insert(entity, text);
        }
        texts.remove(&entity).unwrap_or_default()
    }

    fn new_children(&self, entity: Entity) -> Vec<Entity> {
        let hierarchy: &std_ecs::Hierarchy = self.world.group();
        hierarchy.children(entity).filter(|&child| self.names.slot(child).is_none()).collect()
    }

    /// The text of a new entity, with the texts of its children.
    fn new_text(&mut self, entity: Entity, texts: &mut HashMap<Entity, String>) -> String {
        let (registry, world, loaded) = (self.registry, self.world, self.loaded);
        let depth = registry.limits.value_depth;
        let name = loaded.given.get(&entity);
        let mut items = Vec::new();
        for entry in registry.by_name() {
            match (entry.functions.encode)(world, entity, &entry.name, &mut self.names, depth) {
                Some(Ok(text)) => items.push(written(entry.node, text)),
                Some(Err(WriteFault(reason))) => {
                    let path = name.cloned().unwrap_or_else(|| entity.to_string());
                    self.errors.push(SaveError { path, reason: format!("{}: {reason}", entry.name) });
                }
                None => {}
            }
        }
        if !texts.is_empty() {
            let children = self.new_children(entity);
            items.extend(children.into_iter().filter_map(|child| texts.remove(&child)));
        }
        call("entity", name.map(String::as_str), &items)
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

/// A word of the format with its items, on one line if that is not too long.
fn call(word: &str, name: Option<&str>, items: &[String]) -> String {
    let length =
        word.len() + 2 + name.map_or(0, str::len) + items.iter().map(|item| item.len() + 2).sum::<usize>();
    let one_line = length <= 80 && !items.iter().any(|item| item.contains('\n'));
    let mut out = String::with_capacity(length + 6 * items.len() + 8);
    out.push_str(word);
    out.push('(');
    if let Some(name) = name {
        out.push('"');
        out.push_str(name);
        out.push('"');
    }
    for (at, item) in items.iter().enumerate() {
        match (one_line, at == 0) {
            (true, true) if name.is_none() => {}
            (true, _) => out.push_str(", "),
            (false, true) => out.push_str(if name.is_some() { ",\n    " } else { "\n    " }),
            (false, false) => out.push_str("\n    "),
        }
        if item.contains('\n') {
            out.push_str(&item.replace('\n', "\n    "));
        } else {
            out.push_str(item);
        }
        if !one_line {
            out.push(',');
        }
    }
    out.push_str(if one_line { ")" } else { "\n)" });
    out
}
