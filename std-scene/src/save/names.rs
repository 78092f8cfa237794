//! What entities are called in the text that is saved.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use std_ecs::{Entity, World};

use crate::load::Loaded;
use crate::plan::NONE;
use crate::text::encode::{EntityNames, WriteFault};

/// The names of entities, as the scene's own file would write them.
pub(super) struct Referrer<'s, W> {
    world: &'s W,
    loaded: &'s Loaded,
    slots: HashMap<Entity, u32>,
    /// How often each name was given to a new entity; counted when somebody asks.
    given: OnceCell<BTreeMap<&'s str, usize>>,
}

impl<'s, W: World> Referrer<'s, W> {
    pub(super) fn new(world: &'s W, loaded: &'s Loaded) -> Self {
        let slots = (0..)
            .zip(loaded.entities.iter())
            .filter_map(|(slot, entity)| entity.map(|entity| (entity, slot)))
            .collect();
        Self { world, loaded, slots, given: OnceCell::new() }
    }

    pub(super) fn slot(&self, entity: Entity) -> Option<u32> {
        self.slots.get(&entity).copied()
    }

    /// A path that finds the entity from the scene's own file.
    fn path(&self, entity: Entity) -> Result<String, String> {
        if !self.world.is_alive(entity) {
            return Err(format!(
                "it names {entity}, which is not alive any more: change or remove the reference"
            ));
        }
        let unnamed = || {
            format!(
                "it names {entity}, which has no name in the scene: give it one, with `Loaded::name` if it is new"
            )
        };
        let plan = &self.loaded.scene.plan;
        let Some(slot) = self.slot(entity) else {
            let name = self.loaded.given.get(&entity).ok_or_else(unnamed)?;
            let given = self.given.get_or_init(|| {
                let mut counts = BTreeMap::new();
                for name in self.loaded.given.values() {
                    *counts.entry(name.as_str()).or_default() += 1;
                }
                counts
            });
            if plan.root().names.contains_key(name.as_str()) || given.get(name.as_str()) != Some(&1) {
                return Err(format!("it names {entity}, whose name `{name}` is given twice"));
            }
            return Ok(name.clone());
        };
        let slots = &plan.root().slots;
        let mut names: Vec<&str> = Vec::new();
        let mut at = slot;
        while at != NONE {
            names.push(plan.name(&slots[at as usize]).ok_or_else(unnamed)?);
            let path: String = names.iter().rev().copied().collect::<Vec<_>>().join("/");
            if plan.find(0, &path).is_ok_and(|found| found == slot) {
                return Ok(path);
            }
            at = slots[at as usize].parent;
        }
        Err(format!("it names {entity}, which several entities are named like"))
    }
}

impl<W: World> EntityNames for Referrer<'_, W> {
    fn write(&mut self, entity: Entity, out: &mut String) -> Result<(), WriteFault> {
        let path = self.path(entity).map_err(WriteFault)?;
        out.push('"');
        for character in path.chars() {
            if matches!(character, '"' | '\\') {
                out.push('\\');
            }
            out.push(character);
        }
        out.push('"');
        Ok(())
    }
}
