//! The names of components in scene files, and what can be done with each.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use std_ecs::{ComponentKey, Entity, EntityPage, Has, Hierarchy, Parent, Store, World, component_key};

use crate::error::{ErrorKind, SceneErrors};
use crate::limits::Limits;
use crate::shape::{Shape, describe};
use crate::text::decode::Value;
use crate::text::encode::{self, Count, EntityNames, WriteFault};
use crate::text::fault::{Fault, nearest};
use crate::text::parse::parse;
use crate::text::tree::File;

/// A world that scenes can be loaded into: one with a [`Hierarchy`], for the nesting of entities.
///
/// Every such world is one; there is nothing to implement.
pub trait SceneWorld: World + Store<Parent> + Has<Hierarchy> {}

impl<W: World + Store<Parent> + Has<Hierarchy>> SceneWorld for W {}

/// Why a name cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The name has been given to another type.
    #[error("`{name}` is `{first}` already, and cannot be `{second}` too: register one under another name")]
    Clash {
        /// The name.
        name: String,
        /// The type that has it.
        first: ComponentKey,
        /// The type that should get it.
        second: ComponentKey,
    },
    /// The type has been given another name.
    #[error("`{key}` is `{first}` already, and cannot be `{second}` too: a component has one name")]
    SecondName {
        /// The type.
        key: ComponentKey,
        /// The name that it has.
        first: String,
        /// The name that it should get.
        second: String,
    },
    /// The name is not an identifier that starts with an upper-case letter.
    #[error("`{name}` cannot name a component: names are identifiers that start with an upper-case letter")]
    BadName {
        /// The name.
        name: String,
    },
    /// The default cannot be written as text.
    #[error("the default of `{name}` cannot be written: {message}")]
    BadDefault {
        /// The name.
        name: String,
        /// What is wrong.
        message: String,
    },
}

/// Appends the component of an entity to a text, under a name, if it has one.
pub(crate) type Append<W> =
    fn(&W, Entity, &str, &mut dyn EntityNames, usize, &mut String) -> Option<Result<(), WriteFault>>;

/// Gives the entities of a page clones of the components that others have in another world.
pub(crate) type Copy<W> = fn(&W, &[Entity], &mut W, &EntityPage);

/// What can be done with one component, as plain functions that were written where its type was known.
pub(crate) struct Functions<W> {
    pub(crate) decode: fn(&mut W, Entity, Value<'_, '_>) -> Result<(), Fault>,
    pub(crate) copy: Copy<W>,
    pub(crate) append: Append<W>,
    pub(crate) remove: fn(&mut W, Entity) -> bool,
    pub(crate) has: fn(&W, Entity) -> bool,
    pub(crate) clock: fn(&W) -> u64,
    pub(crate) changed: fn(&W, Entity) -> Option<u64>,
    pub(crate) describe: fn() -> Shape,
}

impl<W> Clone for Functions<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> std::marker::Copy for Functions<W> {}

pub(crate) struct Entry<W> {
    pub(crate) name: String,
    pub(crate) key: ComponentKey,
    /// Whether it is a behaviour, written in `node(..)`.
    pub(crate) node: bool,
    pub(crate) functions: Functions<W>,
    /// The file of the default, among those of the registry.
    pub(crate) default: Option<u32>,
}

impl<W> Entry<W> {
    /// The text of the component of an entity, if it has one.
    pub(crate) fn encode(
        &self,
        world: &W,
        entity: Entity,
        names: &mut dyn EntityNames,
        limit: usize,
    ) -> Option<Result<String, WriteFault>> {
        let mut text = String::new();
        let written = (self.functions.append)(world, entity, &self.name, names, limit, &mut text)?;
        Some(written.map(|()| text))
    }
}

impl<W> Clone for Entry<W> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), ..*self }
    }
}

/// The components and behaviours that a program admits in its scenes, by name.
///
/// A package ships a function `register(&mut registry)`; a program calls those of the packages it uses.
/// Nothing registers itself: a new registry is empty. In which order names are added changes nothing. A name
/// finds functions, never storage: which column a value goes to is decided by its type, when the program is
/// compiled.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use std_ecs::{Column, Columns, Entities, Hierarchy, World};
/// use std_scene::{Embedded, Registry};
///
/// #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
/// struct Health(i32);
///
/// #[derive(Clone, Debug, Default, PartialEq, Columns)]
/// struct Bodies {
///     health: Column<Health>,
/// }
///
/// #[derive(Clone, Debug, Default, PartialEq, World)]
/// struct Game {
///     entities: Entities,
///     hierarchy: Hierarchy,
///     bodies: Bodies,
/// }
///
/// let mut registry = Registry::<Game>::new();
/// registry.add::<Health>("Health")?;
///
/// let source = Embedded::new().with("level.ron", r#"scene(entity("ship", Health(100)))"#);
/// let mut game = Game::default();
/// let level = registry.load(&source, "level.ron", &mut game)?;
/// let ship = level.entity("ship").unwrap();
/// assert_eq!(game.get::<Health>(ship), Some(&Health(100)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Registry<W> {
    pub(crate) entries: Vec<Entry<W>>,
    pub(crate) names: BTreeMap<String, u32>,
    /// The texts of the defaults.
    pub(crate) defaults: Vec<File>,
    pub(crate) limits: Limits,
}

impl<W> Clone for Registry<W> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            names: self.names.clone(),
            defaults: self.defaults.clone(),
            limits: self.limits,
        }
    }
}

impl<W> Default for Registry<W> {
    fn default() -> Self {
        Self { entries: Vec::new(), names: BTreeMap::new(), defaults: Vec::new(), limits: Limits::default() }
    }
}

impl<W> fmt::Debug for Registry<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.names.iter().map(|(name, &at)| (name, self.entries[at as usize].key)))
            .finish()
    }
}

impl<W> Registry<W> {
    /// A registry without names.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with other limits for all that is read and written.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The limits for all that is read and written.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The names of the components and behaviours, in the order of the alphabet.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Whether a name is registered.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// The type that a name stands for.
    pub fn key(&self, name: &str) -> Option<ComponentKey> {
        self.entry(name).map(|entry| entry.key)
    }

    /// Fields, types and variants of what a name stands for: what an inspector offers.
    pub fn describe(&self, name: &str) -> Option<Shape> {
        self.entry(name).map(|entry| (entry.functions.describe)())
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry<W>> {
        self.names.get(name).map(|&at| &self.entries[at as usize])
    }

    /// The entries in the order of their names: in which order they were added changes nothing.
    pub(crate) fn by_name(&self) -> impl Iterator<Item = &Entry<W>> {
        self.names.values().map(|&at| &self.entries[at as usize])
    }

    /// The time of each component.
    pub(crate) fn clocks(&self, world: &W) -> BTreeMap<String, u64> {
        self.entries.iter().map(|entry| (entry.name.clone(), (entry.functions.clock)(world))).collect()
    }

    pub(crate) fn unknown(&self, name: &str, node: bool) -> Fault {
        let what = if node { "behaviour" } else { "component" };
        let fault = Fault::new(ErrorKind::UnknownComponent, format!("no {what} is registered as `{name}`"));
        if self.contains(name) {
            let help = if node {
                "it is a component: write it without `node(..)`"
            } else {
                "it is a behaviour: write `node(..)` around it"
            };
            return fault.help(help);
        }
        let known = self.entries.iter().filter(|entry| entry.node == node).map(|entry| entry.name.as_str());
        match nearest(name, known) {
            Some(help) => fault.help(help),
            None => fault.help("the registry is empty: call the `register` functions of the packages"),
        }
    }

    pub(crate) fn insert(
        &mut self,
        name: &str,
        key: ComponentKey,
        node: bool,
        functions: Functions<W>,
    ) -> Result<(), RegistryError> {
        let mut characters = name.chars();
        let good = characters.next().is_some_and(char::is_uppercase)
            && characters.all(|character| character.is_alphanumeric() || character == '_')
            && name != "None"
            && name != "Some";
        if !good {
            return Err(RegistryError::BadName { name: name.to_owned() });
        }
        if let Some(found) = self.entry(name) {
            if found.key == key && found.node == node {
                return Ok(());
            }
            return Err(RegistryError::Clash { name: name.to_owned(), first: found.key, second: key });
        }
        if let Some(found) = self.entries.iter().find(|entry| entry.key == key && entry.node == node) {
            return Err(RegistryError::SecondName {
                key,
                first: found.name.clone(),
                second: name.to_owned(),
            });
        }
        self.names.insert(name.to_owned(), self.entries.len() as u32);
        self.entries.push(Entry { name: name.to_owned(), key, node, functions, default: None });
        Ok(())
    }
}

impl<W: World> Registry<W> {
    /// Registers a component under a name. Doing it again, with the same type, changes nothing.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] if the name is none, is another type's, or the type has another name.
    pub fn add<T>(&mut self, name: &str) -> Result<&mut Self, RegistryError>
    where
        T: Serialize + DeserializeOwned + Clone + 'static,
        W: Store<T>,
    {
        self.insert(
            name,
            component_key::<T>(),
            false,
            Functions {
                decode: decode::<W, T>,
                copy: copy::<W, T>,
                append: append::<W, T>,
                remove: |world, entity| <W as Store<T>>::detach(world, entity).is_some(),
                has: |world, entity| <W as Store<T>>::column(world).contains(entity),
                clock: |world| <W as Store<T>>::column(world).clock(),
                changed: |world, entity| {
                    <W as Store<T>>::column(world)
                        .stamp(entity)
                        .map(|stamp| stamp.changed.max(stamp.attached))
                },
                describe: describe::<T>,
            },
        )?;
        Ok(self)
    }

    /// Registers a component whose fields need not all be given: those of the default stand for the others.
    ///
    /// # Errors
    ///
    /// [`RegistryError`], as for [`add`](Self::add), or because the default cannot be written.
    pub fn add_with_default<T>(&mut self, name: &str, default: &T) -> Result<&mut Self, RegistryError>
    where
        T: Serialize + DeserializeOwned + Clone + 'static,
        W: Store<T>,
    {
        let bad = |message: String| RegistryError::BadDefault { name: name.to_owned(), message };
        let mut entities = Count(0);
        let text = encode::component(name, default, &mut entities, self.limits.value_depth)
            .map_err(|fault| bad(fault.0))?;
        if entities.0 > 0 {
            return Err(bad("it names an entity, and entities are known only in a world".to_owned()));
        }
        let file_name = format!("the default of {name}");
        let (file, result) = parse(&file_name, text.into(), 0, &self.limits);
        result.map_err(|fault| bad(fault.message.clone()))?;
        self.add::<T>(name)?;
        let number = self.defaults.len() as u32;
        if let Some(&at) = self.names.get(name) {
            let known = &mut self.entries[at as usize].default;
            if let Some(number) = *known {
                self.defaults[number as usize] = file;
            } else {
                *known = Some(number);
                self.defaults.push(file);
            }
        }
        Ok(self)
    }

    /// Adds a component, written as in a scene file, to an entity: what an inspector does. Entities are their
    /// numbers here.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, or an entity that is dead. The world has not changed then.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use std_ecs::{Column, Columns, Entities, Hierarchy, World};
    /// # #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// # struct Health(i32);
    /// # #[derive(Clone, Debug, Default, PartialEq, Columns)]
    /// # struct Bodies { health: Column<Health> }
    /// # #[derive(Clone, Debug, Default, PartialEq, World)]
    /// # struct Game { entities: Entities, hierarchy: Hierarchy, bodies: Bodies }
    /// let mut registry = std_scene::Registry::<Game>::new();
    /// registry.add::<Health>("Health")?;
    /// let mut game = Game::default();
    /// let ship = game.spawn();
    /// registry.attach_text(&mut game, ship, "Health(7)")?;
    /// assert_eq!(registry.text(&game, ship), ["Health(7)"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attach_text(&self, world: &mut W, entity: Entity, text: &str) -> Result<(), SceneErrors> {
        crate::load::attach_text(self, world, entity, text)
    }

    /// The components of an entity that the registry knows, each as its text, in the order of their names.
    /// Entities are their numbers here. What cannot be written is left out.
    pub fn text(&self, world: &W, entity: Entity) -> Vec<String> {
        self.by_name()
            .filter_map(|entry| {
                let depth = self.limits.value_depth;
                entry.encode(world, entity, &mut encode::Bits, depth)?.ok()
            })
            .collect()
    }

    /// Takes the component of a name away. `false` if the entity has none, or the name is not registered.
    pub fn remove(&self, world: &mut W, entity: Entity, name: &str) -> bool {
        self.entry(name).is_some_and(|entry| (entry.functions.remove)(world, entity))
    }

    /// Whether an entity has the component of a name.
    pub fn has(&self, world: &W, entity: Entity, name: &str) -> bool {
        self.entry(name).is_some_and(|entry| (entry.functions.has)(world, entity))
    }
}

/// Decodes a value, and makes sure that no entity came through a buffer of serde's.
pub(crate) fn decoded<T: Serialize + DeserializeOwned>(value: Value<'_, '_>) -> Result<T, Fault> {
    let context = value.context;
    let before = context.named.get();
    context.buffered.set(false);
    let decoded = T::deserialize(value)?;
    if context.buffered.get() && !context.raw {
        let mut found = Count(0);
        // What cannot be written again holds no entity that could be counted.
        let _ = encode::value(&decoded, &mut found, usize::MAX);
        if found.0 > context.named.get() - before {
            return Err(Fault::new(
                ErrorKind::BufferedEntity,
                "an entity stands inside an untagged, tagged or flattened type, where no name can be resolved",
            )
            .help("use a plain enum or struct there: serde reads the others through a buffer of its own"));
        }
    }
    Ok(decoded)
}

fn decode<W: Store<T>, T: Serialize + DeserializeOwned + 'static>(
    world: &mut W,
    entity: Entity,
    value: Value<'_, '_>,
) -> Result<(), Fault> {
    let decoded: T = decoded(value)?;
    if world.attach(entity, decoded) {
        Ok(())
    } else {
        Err(Fault::new(ErrorKind::World, format!("the world refuses {} for {entity}", component_key::<T>())))
    }
}

pub(crate) fn copy<W: Store<T>, T: Clone>(from: &W, sources: &[Entity], to: &mut W, targets: &EntityPage) {
    let column = from.column();
    let values: Option<Vec<T>> = sources.iter().map(|&source| column.get(source).cloned()).collect();
    if let Some(values) = values {
        to.attach_page(targets, values);
    }
}

fn append<W: Store<T>, T: Serialize>(
    world: &W,
    entity: Entity,
    name: &str,
    names: &mut dyn EntityNames,
    limit: usize,
    text: &mut String,
) -> Option<Result<(), WriteFault>> {
    world.column().get(entity).map(|value| encode::append_component(name, value, names, limit, text))
}
