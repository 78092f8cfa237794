//! What was saved is read again and compared with the world.

use std::collections::BTreeMap;

use std_ecs::{Entity, Hierarchy};

use super::SaveError;
use super::names::Referrer;
use crate::load::Loaded;
use crate::plan::NONE;
use crate::registry::{Registry, SceneWorld};
use crate::source::Embedded;

impl<W: SceneWorld> Registry<W> {
    /// What differs between the world and what its saved text becomes.
    pub(super) fn read_back(&self, world: &W, loaded: &Loaded, text: &str) -> Vec<SaveError> {
        let plan = &loaded.scene.plan;
        let mut source = Embedded::new();
        for file in &plan.files {
            source.insert(file.name.as_str(), &*file.text);
        }
        source.insert(plan.files[0].name.as_str(), text);
        let mut again = world.clone();
        let read = match self.load(&source, &plan.files[0].name, &mut again) {
            Ok(read) => read,
            Err(errors) => {
                let reason = format!("the text that was written cannot be read: {errors}\n{text}");
                return vec![SaveError { path: plan.files[0].name.clone(), reason }];
            }
        };
        let mut errors = Vec::new();
        let mut theirs = Referrer::new(&again, &read);
        let mut ours = Referrer::new(world, loaded);
        let originals = originals(world, loaded, &ours, &read);
        let (expected, found) = (count_saved(world, loaded, &ours), read.entities().count());
        if expected != found {
            let reason = format!("{expected} entities were to be written, and {found} are read back\n{text}");
            errors.push(SaveError { path: plan.files[0].name.clone(), reason });
        }
        for (slot, &copy) in (0..).zip(read.entities.iter()) {
            let Some(copy) = copy else { continue };
            let Some(original) = originals[slot as usize] else { continue };
            for entry in self.by_name() {
                let depth = self.limits.value_depth;
                let one = entry.encode(world, original, &mut ours, depth);
                let two = entry.encode(&again, copy, &mut theirs, depth);
                if one != two {
                    let reason = format!(
                        "{} would be read back as another value; keep it out of serde's buffered types",
                        entry.name
                    );
                    let path = read.scene.plan.path(read.scene.plan.root(), slot);
                    errors.push(SaveError { path, reason });
                }
            }
        }
        errors
    }
}

/// For each slot of a scene that was saved and read again, the entity that it was written for: by its parent and its
/// name. New ones without a name stand behind all others in their order. Scenes' own without a name are left out.
fn originals<W: SceneWorld>(
    world: &W,
    loaded: &Loaded,
    known: &Referrer<'_, W>,
    read: &Loaded,
) -> Vec<Option<Entity>> {
    let hierarchy: &Hierarchy = world.group();
    let plan = &loaded.scene.plan;
    let of_scene = loaded.entities.iter().zip(&plan.root().slots).filter_map(|(&entity, slot)| {
        let entity = entity?;
        Some(((hierarchy.parent(entity), plan.name(slot)?), entity))
    });
    let given =
        loaded.given.iter().map(|(&entity, name)| ((hierarchy.parent(entity), name.as_str()), entity));
    let alive = of_scene.chain(given).filter(|(_, entity)| world.is_alive(*entity));
    let by_name: BTreeMap<(Option<Entity>, &str), Entity> = alive.collect();

    let slots = &read.scene.plan.root().slots;
    // How many without a name are still to come below each slot, and the new ones of them.
    let mut nameless: BTreeMap<u32, (usize, Option<Vec<Entity>>)> = BTreeMap::new();
    for slot in slots.iter().filter(|slot| slot.name.is_none() && !slot.removed) {
        nameless.entry(slot.parent).or_default().0 += 1;
    }
    let is_new = |child: &Entity| known.slot(*child).is_none() && !loaded.given.contains_key(child);
    let mut found: Vec<Option<Entity>> = Vec::with_capacity(slots.len());
    for slot in slots {
        let parent =
            if slot.parent == NONE { Some(loaded.below) } else { found[slot.parent as usize].map(Some) };
        let name = read.scene.plan.name(slot);
        // Below what was not found nothing is.
        let Some(parent) = parent.filter(|_| !slot.removed) else {
            found.push(None);
            continue;
        };
        found.push(match (name, parent) {
            (Some(name), _) => by_name.get(&(parent, name)).copied(),
            (None, None) => None,
            (None, Some(parent)) => {
                let (left, new) = nameless.entry(slot.parent).or_default();
                let new = new.get_or_insert_with(|| hierarchy.children(parent).filter(is_new).collect());
                let entity = new.len().checked_sub(*left).map(|at| new[at]);
                *left -= 1;
                entity
            }
        });
    }
    found
}

/// How many entities a saved text stands for: those of the scene that live, the new ones with a name at the top, and
/// all new ones below them.
fn count_saved<W: SceneWorld>(world: &W, loaded: &Loaded, known: &Referrer<'_, W>) -> usize {
    let hierarchy: &Hierarchy = world.group();
    let is_new = |entity: &Entity| known.slot(*entity).is_none();
    let at_top = |entity: &Entity| {
        let parent = hierarchy.parent(*entity);
        is_new(entity) && (parent.is_none() || parent == loaded.below)
    };
    let given = loaded.given.keys().copied().filter(at_top);
    let mut open: Vec<Entity> =
        loaded.entities().chain(given).filter(|&entity| world.is_alive(entity)).collect();
    let mut count = 0;
    while let Some(entity) = open.pop() {
        count += 1;
        open.extend(hierarchy.children(entity).filter(is_new));
    }
    count
}
