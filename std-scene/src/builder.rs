//! Scenes as Rust functions: loops and constants are code, and the result is the scene that a file would be.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use std_ecs::{Entities, Entity};

use crate::limits::Limits;
use crate::source::Embedded;
use crate::text::encode::{self, EntityNames, WriteFault};
use crate::value::WriteError;

/// Builds the text of a scene file.
///
/// A scene that was built is a file like any other: it can be instanced by files and instance them, patched,
/// loaded, saved and shown to people. An entity that the builder hands out is a place in the scene, to be put
/// into components that refer to it; it is none of a world.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use std_ecs::Entity;
/// use std_scene::SceneBuilder;
///
/// #[derive(Serialize, Deserialize)]
/// struct Health(u32);
///
/// #[derive(Serialize, Deserialize)]
/// struct Aims {
///     at: Entity,
/// }
///
/// let mut scene = SceneBuilder::new();
/// let ship = scene.entity("ship");
/// scene.component(ship, "Health", &Health(100));
/// for index in 1..=2 {
///     let rock = scene.instance(&format!("rock-{index}"), "rock.ron");
///     scene.component(rock, "Health", &Health(10 * index));
///     scene.component_at(rock, "core", "Aims", &Aims { at: ship });
/// }
/// assert_eq!(
///     scene.finish()?,
///     r#"scene(
///     version(1),
///     entity("ship",
///         Health(100),
///     ),
///     entity("rock-1",
///         instance("rock.ron"),
///         Health(10),
///         at("core", Aims(at: "ship")),
///     ),
///     entity("rock-2",
///         instance("rock.ron"),
///         Health(20),
///         at("core", Aims(at: "ship")),
///     ),
/// )
/// "#
/// );
/// # Ok::<(), std_scene::WriteError>(())
/// ```
#[derive(Debug, Default)]
pub struct SceneBuilder {
    entities: Entities,
    built: Vec<Built>,
    places: BTreeMap<Entity, usize>,
    /// Entities inside of instances, by the entity of the instance and the path.
    inner: BTreeMap<Entity, (Entity, String)>,
    limits: Limits,
    fault: Option<WriteError>,
}

#[derive(Debug)]
struct Built {
    name: String,
    parent: Option<usize>,
    items: Vec<Item>,
}

#[derive(Debug)]
enum Item {
    Text(String),
    Child(usize),
}

impl SceneBuilder {
    /// A scene without entities.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a top-level entity. A name of no characters is no name.
    pub fn entity(&mut self, name: &str) -> Entity {
        self.add(name, None)
    }

    /// Adds a child to an entity of this scene.
    ///
    /// # Panics
    ///
    /// If the parent is none that this builder handed out.
    pub fn child(&mut self, parent: Entity, name: &str) -> Entity {
        let parent = self.place(parent);
        self.add(name, Some(parent))
    }

    /// Adds a top-level entity that is an instance of a file.
    pub fn instance(&mut self, name: &str, path: &str) -> Entity {
        let entity = self.add(name, None);
        self.item(entity, format!("instance({})", quoted(path)));
        entity
    }

    /// Adds a child that is an instance of a file.
    ///
    /// # Panics
    ///
    /// If the parent is none that this builder handed out.
    pub fn child_instance(&mut self, parent: Entity, name: &str, path: &str) -> Entity {
        let entity = self.child(parent, name);
        self.item(entity, format!("instance({})", quoted(path)));
        entity
    }

    /// An entity inside of an instance, to be referred to.
    pub fn inside(&mut self, instance: Entity, path: &str) -> Entity {
        let entity = self.entities.spawn();
        self.inner.insert(entity, (instance, path.to_owned()));
        entity
    }

    /// Gives an entity a component, under the name that the registry knows it by.
    ///
    /// # Panics
    ///
    /// If the entity is none that this builder handed out.
    pub fn component<T: Serialize>(&mut self, entity: Entity, name: &str, value: &T) {
        if let Some(text) = self.written(name, value) {
            self.item(entity, text);
        }
    }

    /// Gives an entity a behaviour, under the name that the registry knows it by.
    ///
    /// # Panics
    ///
    /// If the entity is none that this builder handed out.
    pub fn node<T: Serialize>(&mut self, entity: Entity, name: &str, value: &T) {
        if let Some(text) = self.written(name, value) {
            self.item(entity, format!("node({text})"));
        }
    }

    /// Patches a component of an entity inside of an instance.
    ///
    /// # Panics
    ///
    /// If the entity is none that this builder handed out.
    pub fn component_at<T: Serialize>(&mut self, instance: Entity, path: &str, name: &str, value: &T) {
        if let Some(text) = self.written(name, value) {
            self.item(instance, format!("at({}, {text})", quoted(path)));
        }
    }

    /// Leaves an entity of an instance away.
    ///
    /// # Panics
    ///
    /// If the entity is none that this builder handed out.
    pub fn remove(&mut self, instance: Entity, path: &str) {
        self.item(instance, format!("remove({})", quoted(path)));
    }

    /// Leaves a component of an instance away.
    ///
    /// # Panics
    ///
    /// If the entity is none that this builder handed out.
    pub fn without(&mut self, instance: Entity, name: &str) {
        self.item(instance, format!("without({name})"));
    }

    /// The text of the scene file.
    ///
    /// # Errors
    ///
    /// The first value that could not be written.
    pub fn finish(self) -> Result<String, WriteError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let mut out = String::from("scene(\n    version(1),\n");
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for built in &self.built {
            *counts.entry(&built.name).or_default() += 1;
        }
        let roots = (0..self.built.len()).filter(|&at| self.built[at].parent.is_none());
        for root in roots {
            self.write(root, &counts, &mut out)?;
        }
        out.push_str(")\n");
        Ok(out)
    }

    /// The scene as a file of a source.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish).
    pub fn add_to(self, source: &mut Embedded, path: &str) -> Result<(), WriteError> {
        source.insert(path, self.finish()?);
        Ok(())
    }

    /// Writes an entity and what is nested in it, with a stack of its own.
    fn write(&self, root: usize, counts: &BTreeMap<&str, usize>, out: &mut String) -> Result<(), WriteError> {
        let mut open = vec![(root, 0)];
        while let Some((at, next)) = open.pop() {
            let depth = open.len() + 1;
            let indent = "    ".repeat(depth);
            let Built { name, items, .. } = &self.built[at];
            let name = if name.is_empty() { String::new() } else { quoted(name) };
            if next == 0 {
                let comma = if items.is_empty() || name.is_empty() { "" } else { "," };
                let _ = write!(out, "{indent}entity({name}{comma}");
                if items.is_empty() {
                    out.push_str("),\n");
                    continue;
                }
                out.push('\n');
            }
            match items.get(next) {
                None => {
                    let _ = writeln!(out, "{indent}),");
                }
                Some(Item::Text(text)) => {
                    let _ = writeln!(out, "{indent}    {},", self.resolved(text, counts)?);
                    open.push((at, next + 1));
                }
                Some(&Item::Child(child)) => {
                    open.push((at, next + 1));
                    open.push((child, 0));
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, name: &str, parent: Option<usize>) -> Entity {
        let entity = self.entities.spawn();
        let at = self.built.len();
        self.built.push(Built { name: name.to_owned(), parent, items: Vec::new() });
        if let Some(parent) = parent {
            self.built[parent].items.push(Item::Child(at));
        }
        self.places.insert(entity, at);
        entity
    }

    fn place(&self, entity: Entity) -> usize {
        match self.places.get(&entity) {
            Some(&place) => place,
            None => panic!("{entity} is no entity that this scene builder handed out"),
        }
    }

    fn item(&mut self, entity: Entity, text: String) {
        let place = self.place(entity);
        self.built[place].items.push(Item::Text(text));
    }

    fn written<T: Serialize>(&mut self, name: &str, value: &T) -> Option<String> {
        let depth = self.limits.value_depth;
        match encode::component(name, value, &mut Placeholders, depth) {
            Ok(text) => Some(text),
            Err(fault) => {
                let message = format!("{name}: {}", fault.0);
                self.fault.get_or_insert(WriteError { message });
                None
            }
        }
    }

    /// A text with the paths of entities in the place of their placeholders.
    fn resolved(&self, text: &str, counts: &BTreeMap<&str, usize>) -> Result<String, WriteError> {
        let mut out = String::with_capacity(text.len());
        for (at, part) in text.split(PLACEHOLDER).enumerate() {
            if at % 2 == 0 {
                out.push_str(part);
                continue;
            }
            let entity = part.parse().ok().and_then(Entity::from_bits);
            let path = entity.and_then(|entity| self.path(entity, counts)).ok_or_else(|| {
                let entity = entity.map_or_else(String::new, |entity| entity.to_string());
                let text = text.split(PLACEHOLDER).next().unwrap_or_default();
                let message = format!(
                    "`{text}..` names {entity}, which is no entity with a name of this scene builder"
                );
                WriteError { message }
            })?;
            out.push_str(&quoted(&path));
        }
        Ok(out)
    }

    /// The shortest path of an entity whose first name is the only one of its kind.
    fn path(&self, entity: Entity, counts: &BTreeMap<&str, usize>) -> Option<String> {
        let (entity, inner) = match self.inner.get(&entity) {
            Some((instance, path)) => (*instance, Some(path)),
            None => (entity, None),
        };
        let mut names = Vec::new();
        let mut at = Some(*self.places.get(&entity)?);
        while let Some(place) = at {
            let Built { name, parent, .. } = &self.built[place];
            if name.is_empty() {
                return None;
            }
            names.push(name.as_str());
            if counts.get(name.as_str()) == Some(&1) {
                break;
            }
            at = *parent;
        }
        names.reverse();
        names.extend(inner.map(String::as_str));
        Some(names.join("/"))
    }
}

/// What stands around the number of an entity until all names are known. The writer never writes it itself.
const PLACEHOLDER: char = '\0';

struct Placeholders;

impl EntityNames for Placeholders {
    fn write(&mut self, entity: Entity, out: &mut String) -> Result<(), WriteFault> {
        let _ = write!(out, "{PLACEHOLDER}{}{PLACEHOLDER}", entity.to_bits());
        Ok(())
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push('"');
    out
}
