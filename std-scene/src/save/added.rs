//! Entities that are new since the scene was loaded.

use std::collections::BTreeMap;

use std_ecs::{Entity, Parent};

use super::SaveError;
use super::edits::NewEntity;
use super::names::Referrer;
use super::saver::Saver;
use crate::plan::NONE;
use crate::registry::SceneWorld;
use crate::text::encode::WriteFault;

impl<'s, W: SceneWorld> Saver<'s, W> {
    /// Entities that are new: children of the scene's, and those that were given a name.
    pub(super) fn added(&mut self) {
        let (world, loaded) = (self.world, self.loaded);
        let hierarchy: &std_ecs::Hierarchy = world.group();
        let is_new = |names: &Referrer<'_, W>, entity: Entity| names.slot(entity).is_none();
        for (slot, &entity) in (0..).zip(loaded.entities.iter()) {
            let Some(entity) = entity.filter(|&entity| world.is_alive(entity)) else { continue };
            let new: Vec<Entity> =
                hierarchy.children(entity).filter(|&child| is_new(&self.names, child)).collect();
            for child in new {
                self.put_new(slot, NewEntity { entity: child, name: self.given(child) });
            }
        }
        for (&entity, name) in &loaded.given {
            let parent = world.get::<Parent>(entity).map(|parent| parent.entity());
            if world.is_alive(entity)
                && is_new(&self.names, entity)
                && (parent.is_none() || parent == loaded.below)
            {
                self.edits.append_new(0, NewEntity { entity, name: Some(name) });
            }
        }
    }

    fn given(&self, entity: Entity) -> Option<&'s str> {
        self.loaded.given.get(&entity).map(String::as_str)
    }

    /// Puts a new entity into the text of a slot.
    fn put_new(&mut self, slot: u32, new: NewEntity<'s>) {
        let root = self.plan.root();
        let node = root.slots[slot as usize].node;
        if let Some(node) = if node == NONE { root.patches.get(&slot).copied() } else { Some(node) } {
            self.edits.append_new(node, new);
        } else {
            let mut text = String::new();
            self.new_entity(new, Some("\n"), &mut text);
            self.put(slot, &text);
        }
    }

    /// Writes a new entity and all below it, without recursion.
    pub(super) fn new_entity(&mut self, new: NewEntity<'_>, line: Option<&str>, out: &mut String) {
        let mut below = self.new_children(new.entity);
        if below.is_empty() {
            return self.new_text(new, &mut BTreeMap::new(), line, out);
        }
        let mut at = 0;
        while at < below.len() {
            below.extend(self.new_children(below[at]));
            at += 1;
        }
        let mut texts: BTreeMap<Entity, String> = BTreeMap::new();
        for entity in below.into_iter().rev() {
            let mut text = String::new();
            self.new_text(NewEntity { entity, name: self.given(entity) }, &mut texts, Some("\n"), &mut text);
            texts.insert(entity, text);
        }
        self.new_text(new, &mut texts, line, out);
    }

    fn new_children(&self, entity: Entity) -> Vec<Entity> {
        let hierarchy: &std_ecs::Hierarchy = self.world.group();
        hierarchy.children(entity).filter(|&child| self.names.slot(child).is_none()).collect()
    }

    /// Writes a new entity, with the texts of its children.
    fn new_text(
        &mut self,
        NewEntity { entity, name }: NewEntity<'_>,
        texts: &mut BTreeMap<Entity, String>,
        line: Option<&str>,
        out: &mut String,
    ) {
        let (registry, world) = (self.registry, self.world);
        let depth = registry.limits.value_depth;
        let mut items = std::mem::take(&mut self.items);
        items.clear();
        for entry in registry.by_name() {
            if entry.node {
                items.text.push_str("node(");
            }
            let append = entry.functions.append;
            match append(world, entity, &entry.name, &mut self.names, depth, &mut items.text) {
                Some(Ok(())) => {
                    if entry.node {
                        items.text.push(')');
                    }
                    items.end();
                }
                None => items.discard(),
                Some(Err(WriteFault(reason))) => {
                    items.discard();
                    let path = name.map_or_else(|| entity.to_string(), str::to_owned);
                    self.errors.push(SaveError { path, reason: format!("{}: {reason}", entry.name) });
                }
            }
        }
        if !texts.is_empty() {
            for child in self.new_children(entity) {
                items.push(&texts.remove(&child).unwrap_or_default());
            }
        }
        items.call("entity", name, line, out);
        self.items = items;
    }
}
