//! The column of behaviours, and the frame that they take part in.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde::ser::Serializer;
use std_ecs::{Column, Columns, Entity, Store, StoreMut, component_key};

use crate::error::SceneErrors;
use crate::node::{AnyNode, Behaviour, SceneNode, State};
use crate::registry::{Functions, Registry, RegistryError, SceneWorld, copy, decoded};
use crate::shape::describe;
use crate::text::decode::{Context, Layer, RawNames, Scope, Value};
use crate::text::encode::{EntityNames, WriteFault};
use crate::text::fault::Fault;
use crate::text::fields::parse_value;

/// The group that owns the behaviours of a world: a field `Behaviours<Game>` of `Game`.
///
/// What the nodes hold is part of the world: it is cloned, rolled back, compared and saved with it.
#[derive(Columns)]
pub struct Behaviours<W: 'static> {
    /// The behaviour of each entity that has one.
    pub nodes: Column<Behaviour<W>>,
}

impl<W: 'static> Clone for Behaviours<W> {
    fn clone(&self) -> Self {
        Self { nodes: self.nodes.clone() }
    }
}

impl<W: 'static> Default for Behaviours<W> {
    fn default() -> Self {
        Self { nodes: Column::default() }
    }
}

impl<W: 'static> fmt::Debug for Behaviours<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.nodes.fmt(f)
    }
}

impl<W: 'static> PartialEq for Behaviours<W> {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

impl<W: 'static> Serialize for Behaviours<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.nodes.serialize(serializer)
    }
}

impl<'de, W: 'static> Deserialize<'de> for Behaviours<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Column::deserialize(deserializer).map(|nodes| Self { nodes })
    }
}

/// A world that nodes can live in: one with a hierarchy and with [`Behaviours`] of its own type.
///
/// Every such world is one; there is nothing to implement.
pub trait NodeWorld: SceneWorld + StoreMut<Behaviour<Self>> + Sized + 'static {}

impl<W: SceneWorld + StoreMut<Behaviour<W>> + 'static> NodeWorld for W {}

/// What a step of the nodes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// `ready`, for those that have not been.
    Ready,
    /// `process`, with the time of the frame.
    Process(Duration),
    /// `fixed_process`, with the time of a step.
    FixedProcess(Duration),
}

/// Why the nodes cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeError {
    /// A node was loaded with its world, and is only text so far.
    #[error("the behaviour `{key}` of {entity} is asleep: call `registry.revive(&mut world)` after loading")]
    Asleep {
        /// Its type.
        key: String,
        /// Its entity.
        entity: Entity,
    },
    /// A node was loaded whose type is not registered.
    #[error("the behaviour `{key}` of {entity} is of no registered type: register it with `add_node`")]
    Unknown {
        /// Its type.
        key: String,
        /// Its entity.
        entity: Entity,
    },
    /// A node was loaded whose text its type cannot read.
    #[error("the behaviour `{key}` of {entity} cannot be read: {errors}")]
    Unreadable {
        /// Its type.
        key: String,
        /// Its entity.
        entity: Entity,
        /// What is wrong with the text.
        errors: SceneErrors,
    },
}

/// Gives an entity a behaviour, in the place of one that it has, and makes it ready at once. `false`, and
/// nothing happens, if the entity is not alive.
pub fn attach_node<W: NodeWorld, N>(world: &mut W, entity: Entity, node: N) -> bool
where
    N: SceneNode<W> + Clone + fmt::Debug + Serialize + DeserializeOwned,
{
    if !world.attach(entity, Behaviour::new(node)) {
        return false;
    }
    run(world, entity, Phase::Ready);
    true
}

/// Runs each node once, each parent before its children, in the order of the tree as it is at the start.
///
/// Nodes that come during the step are not run in it, nor are those whose entity has gone by then. A node is
/// outside of its slot while it runs, and returns, also after a panic, unless it was detached or replaced or
/// its entity died. In a clone of the world that a node makes while it runs, its own slot is empty.
///
/// # Errors
///
/// [`NodeError::Asleep`], and no node runs, if one is asleep.
pub fn step_nodes<W: NodeWorld>(world: &mut W, phase: Phase) -> Result<(), NodeError> {
    let column: &Column<Behaviour<W>> = world.column();
    if column.is_empty() {
        return Ok(());
    }
    if let Some((entity, slot)) = column.iter().find(|(_, slot)| slot.is_asleep()) {
        return Err(NodeError::Asleep { key: slot.key().to_owned(), entity });
    }
    let order = world.group().depth_order(column);
    for entity in &order {
        run(world, entity, phase);
    }
    Ok(())
}

/// A node that runs. Dropping it puts the node back.
struct Running<'w, W: NodeWorld> {
    world: &'w mut W,
    entity: Entity,
    node: Option<Box<dyn AnyNode<W>>>,
}

impl<W: NodeWorld> Drop for Running<'_, W> {
    fn drop(&mut self) {
        let column: &mut Column<Behaviour<W>> = self.world.column_mut();
        if let Some(slot) = column.get_mut(self.entity)
            && matches!(slot.state, State::Out)
            && let Some(node) = self.node.take()
        {
            slot.state = State::Awake(node);
        }
    }
}

fn run<W: NodeWorld>(world: &mut W, entity: Entity, phase: Phase) {
    let column: &mut Column<Behaviour<W>> = world.column_mut();
    if phase == Phase::Ready && column.get(entity).is_none_or(|slot| slot.ready) {
        return;
    }
    let Some(slot) = column.get_mut(entity) else { return };
    if !matches!(slot.state, State::Awake(_)) {
        return;
    }
    if phase == Phase::Ready {
        slot.ready = true;
    }
    let State::Awake(node) = std::mem::replace(&mut slot.state, State::Out) else { return };
    let mut running = Running { world, entity, node: Some(node) };
    let Running { world, node: Some(node), .. } = &mut running else { return };
    match phase {
        Phase::Ready => node.ready(world, entity),
        Phase::Process(elapsed) => node.process(world, entity, elapsed),
        Phase::FixedProcess(step) => node.fixed_process(world, entity, step),
    }
}

impl<W: NodeWorld> Registry<W> {
    /// Registers a behaviour under a name, for `node(Name(..))` in scene files and for
    /// [`revive`](Self::revive).
    ///
    /// # Errors
    ///
    /// [`RegistryError`] if the name is none, is another type's, or the type has another name.
    pub fn add_node<N>(&mut self, name: &str) -> Result<&mut Self, RegistryError>
    where
        N: SceneNode<W> + Clone + fmt::Debug + Serialize + DeserializeOwned,
    {
        self.insert(
            name,
            component_key::<N>(),
            true,
            Functions {
                decode: decode::<W, N>,
                copy: copy::<W, Behaviour<W>>,
                append: append::<W, N>,
                remove: |world, entity| <W as Store<Behaviour<W>>>::detach(world, entity).is_some(),
                has: |world, entity| slot::<W, N>(world, entity).is_some(),
                clock: |world| <W as Store<Behaviour<W>>>::column(world).clock(),
                changed: |world, entity| {
                    let stamp = <W as Store<Behaviour<W>>>::column(world).stamp(entity)?;
                    Some(stamp.changed.max(stamp.attached))
                },
                describe: describe::<N>,
            },
        )?;
        Ok(self)
    }

    /// Wakes all nodes that were loaded with their world. Answers how many there were.
    ///
    /// # Errors
    ///
    /// [`NodeError`], naming the type and the entity, if one cannot be woken. All are as they were then.
    pub fn revive(&self, world: &mut W) -> Result<usize, NodeError> {
        let column: &Column<Behaviour<W>> = world.column();
        let asleep: Vec<Entity> =
            column.iter().filter(|(_, slot)| slot.is_asleep()).map(|(entity, _)| entity).collect();
        let before = column.clone();
        for &entity in &asleep {
            if let Err(error) = self.wake(world, entity) {
                let column: &mut Column<Behaviour<W>> = world.column_mut();
                *column = before;
                return Err(error);
            }
        }
        Ok(asleep.len())
    }

    fn wake(&self, world: &mut W, entity: Entity) -> Result<(), NodeError> {
        let Some(Behaviour { state: State::Asleep { key, text }, ready }) =
            world.get::<Behaviour<W>>(entity).cloned()
        else {
            return Ok(());
        };
        let Some(entry) = self.entries.iter().find(|entry| entry.node && entry.key.name() == key) else {
            return Err(NodeError::Unknown { key, entity });
        };
        let (file, result) = parse_value(&key, text.into(), 0, &self.limits);
        let files = [&file];
        let decode = || {
            result?;
            let mut context = Context::new(&files, &RawNames);
            context.raw = true;
            let top = Layer { file: 0, node: 0, inside: true, scope: Scope::default() };
            (entry.functions.decode)(world, entity, Value::new(&context, top))
                .map_err(|fault| fault.at(0, file.span(0)))
        };
        if let Err(fault) = decode() {
            return Err(NodeError::Unreadable { key, entity, errors: fault.report(&files).into() });
        }
        if let Some(slot) = world.get_mut::<Behaviour<W>>(entity) {
            slot.ready = ready;
        }
        Ok(())
    }
}

/// The behaviour of an entity, if it is of this type.
fn slot<W: NodeWorld, N: 'static>(world: &W, entity: Entity) -> Option<&dyn AnyNode<W>> {
    match &world.get::<Behaviour<W>>(entity)?.state {
        State::Awake(node) if node.key() == component_key::<N>().name() => Some(&**node),
        _ => None,
    }
}

fn decode<W: NodeWorld, N>(world: &mut W, entity: Entity, value: Value<'_, '_>) -> Result<(), Fault>
where
    N: SceneNode<W> + Clone + fmt::Debug + Serialize + DeserializeOwned,
{
    let node: N = decoded(value)?;
    if world.attach(entity, Behaviour::new(node)) {
        Ok(())
    } else {
        Err(Fault::new(crate::error::ErrorKind::World, format!("the world refuses a behaviour for {entity}")))
    }
}

fn append<W: NodeWorld, N: 'static>(
    world: &W,
    entity: Entity,
    name: &str,
    names: &mut dyn EntityNames,
    limit: usize,
    text: &mut String,
) -> Option<Result<(), WriteFault>> {
    slot::<W, N>(world, entity).map(|node| node.append(name, names, limit, text))
}
