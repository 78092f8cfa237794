//! Behaviours: nodes of a tree, which act.

use std::fmt;
use std::time::Duration;

use serde::de::{DeserializeOwned, Deserializer};
use serde::ser::{Error as _, SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};
use std_ecs::{Entity, component_key};

use crate::text::encode::{self, Bits, EntityNames, WriteFault};

/// A behaviour: what an entity does each frame.
///
/// A node is a value. It derives `Clone`, `Debug`, `Serialize` and `Deserialize`, and says what it does; there
/// is nothing else to write. Each method has a default that does nothing.
///
/// It sees the whole world. A node may despawn itself, its parent, its children or everybody, spawn,
/// replace itself by another node, or detach itself.
///
/// ```
/// use std::time::Duration;
/// use serde::{Deserialize, Serialize};
/// use std_ecs::{Column, Columns, Entities, Entity, Hierarchy, World};
/// use std_scene::{Behaviours, Phase, SceneNode, attach_node, step_nodes};
///
/// #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
/// struct Heat(u32);
///
/// #[derive(Clone, Debug, Default, PartialEq, Columns)]
/// struct Bodies {
///     heat: Column<Heat>,
/// }
///
/// #[derive(Clone, Debug, Default, PartialEq, World)]
/// struct Game {
///     entities: Entities,
///     hierarchy: Hierarchy,
///     bodies: Bodies,
///     behaviours: Behaviours<Game>,
/// }
///
/// #[derive(Clone, Debug, Serialize, Deserialize)]
/// struct Oven {
///     power: u32,
/// }
///
/// impl SceneNode<Game> for Oven {
///     fn process(&mut self, game: &mut Game, entity: Entity, _elapsed: Duration) {
///         self.power += 1;
///         game.get_mut::<Heat>(entity).unwrap().0 += self.power;
///     }
/// }
///
/// let mut game = Game::default();
/// let oven = game.spawn_with((Heat(0),));
/// attach_node(&mut game, oven, Oven { power: 10 });
/// step_nodes(&mut game, Phase::Process(Duration::from_millis(16)))?;
/// let snapshot = game.clone();
/// step_nodes(&mut game, Phase::Process(Duration::from_millis(16)))?;
/// assert_eq!(game.get::<Heat>(oven), Some(&Heat(23)));
///
/// game = snapshot; // the node's own state is rolled back too
/// step_nodes(&mut game, Phase::Process(Duration::from_millis(16)))?;
/// assert_eq!(game.get::<Heat>(oven), Some(&Heat(23)));
/// # Ok::<(), std_scene::NodeError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no behaviour of `{W}`",
    label = "not a behaviour of `{W}`",
    note = "write `impl SceneNode<{W}> for {Self} {{}}`"
)]
pub trait SceneNode<W>: Send + Sync + 'static {
    /// What the node is called in the tree. The name of its type, unless it says otherwise.
    fn name(&self) -> String {
        component_key::<Self>().short_name().to_owned()
    }

    /// Runs once, before the node processes its first frame.
    fn ready(&mut self, world: &mut W, entity: Entity) {
        let _ = (world, entity);
    }

    /// Runs once a frame.
    fn process(&mut self, world: &mut W, entity: Entity, elapsed: Duration) {
        let _ = (world, entity, elapsed);
    }

    /// Runs once a fixed step, after the systems of that step.
    fn fixed_process(&mut self, world: &mut W, entity: Entity, step: Duration) {
        let _ = (world, entity, step);
    }

    /// The nodes that this one holds itself, for walks that only read. (Nodes of child entities are theirs.)
    fn children(&self) -> Vec<&dyn SceneNode<W>> {
        Vec::new()
    }
}

/// A node and all the nodes it holds, each before those inside of it.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// use std_scene::{SceneNode, walk};
/// # struct Game;
///
/// #[derive(Clone, Debug, Serialize, Deserialize)]
/// struct Sprite(String);
///
/// impl SceneNode<Game> for Sprite {
///     fn name(&self) -> String {
///         self.0.clone()
///     }
/// }
///
/// #[derive(Clone, Debug, Serialize, Deserialize)]
/// struct Ship {
///     hull: Sprite,
///     mounted: Vec<Sprite>,
/// }
///
/// impl SceneNode<Game> for Ship {
///     fn name(&self) -> String {
///         "ship".to_owned()
///     }
///
///     fn children(&self) -> Vec<&dyn SceneNode<Game>> {
///         let mounted = self.mounted.iter().map(|sprite| sprite as &dyn SceneNode<Game>);
///         std::iter::once(&self.hull as &dyn SceneNode<Game>).chain(mounted).collect()
///     }
/// }
///
/// let ship = Ship { hull: Sprite("hull".to_owned()), mounted: vec![Sprite("turret".to_owned())] };
/// let names: Vec<String> = walk(&ship).iter().map(|node| node.name()).collect();
/// assert_eq!(names, ["ship", "hull", "turret"]);
/// ```
pub fn walk<W: 'static>(node: &dyn SceneNode<W>) -> Vec<&dyn SceneNode<W>> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        found.push(node);
        open.extend(node.children().into_iter().rev());
    }
    found
}

/// A node whose type is known only to its functions. Every [`SceneNode`] that derives `Clone`, `Debug`,
/// `Serialize` and `Deserialize` is one.
pub(crate) trait AnyNode<W>: SceneNode<W> {
    fn boxed(&self) -> Box<dyn AnyNode<W>>;
    fn key(&self) -> &'static str;
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn append(
        &self,
        name: &str,
        names: &mut dyn EntityNames,
        limit: usize,
        text: &mut String,
    ) -> Result<(), WriteFault>;
    fn node(&self) -> &dyn SceneNode<W>;
}

impl<W: 'static, N: SceneNode<W> + Clone + fmt::Debug + Serialize + DeserializeOwned> AnyNode<W> for N {
    fn boxed(&self) -> Box<dyn AnyNode<W>> {
        Box::new(self.clone())
    }

    fn key(&self) -> &'static str {
        component_key::<N>().name()
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt(f)
    }

    fn append(
        &self,
        name: &str,
        names: &mut dyn EntityNames,
        limit: usize,
        text: &mut String,
    ) -> Result<(), WriteFault> {
        encode::append_component(name, self, names, limit, text)
    }

    fn node(&self) -> &dyn SceneNode<W> {
        self
    }
}

/// The name in front of a node's canonical text, the same for all so that keys alone tell types apart.
const CANONICAL: &str = "Node";

/// The component that holds the behaviour of an entity.
///
/// It clones, and is compared, digested and saved by what the node holds: by its type and its text. One that
/// was loaded with its world is asleep, as text, until [`Registry::revive`](crate::Registry::revive).
pub struct Behaviour<W> {
    pub(crate) state: State<W>,
    pub(crate) ready: bool,
}

pub(crate) enum State<W> {
    /// It can run.
    Awake(Box<dyn AnyNode<W>>),
    /// It was loaded, and nobody has said yet which type its key is.
    Asleep { key: String, text: String },
    /// It is running just now, outside of its slot.
    Out,
}

impl<W: 'static> Behaviour<W> {
    /// Holds a node that is not ready yet.
    pub fn new<N>(node: N) -> Self
    where
        N: SceneNode<W> + Clone + fmt::Debug + Serialize + DeserializeOwned,
    {
        Self { state: State::Awake(Box::new(node)), ready: false }
    }

    /// The node, for reading. `None` while it is asleep, or runs just now.
    pub fn node(&self) -> Option<&dyn SceneNode<W>> {
        match &self.state {
            State::Awake(node) => Some(node.node()),
            State::Asleep { .. } | State::Out => None,
        }
    }

    /// Whether it was loaded with its world and not revived yet.
    pub fn is_asleep(&self) -> bool {
        matches!(self.state, State::Asleep { .. })
    }

    /// The type of the node, as the compiler names it.
    pub fn key(&self) -> &str {
        match &self.state {
            State::Awake(node) => node.key(),
            State::Asleep { key, .. } => key,
            State::Out => "a node that runs just now",
        }
    }

    /// What it holds, as text in which entities are their numbers.
    fn text(&self) -> Result<std::borrow::Cow<'_, str>, WriteFault> {
        match &self.state {
            State::Awake(node) => {
                let mut text = String::new();
                node.append(CANONICAL, &mut Bits, usize::MAX, &mut text)?;
                Ok(text.into())
            }
            State::Asleep { text, .. } => Ok(text.into()),
            State::Out => Err(WriteFault("a node that runs just now is outside of its world".to_owned())),
        }
    }
}

impl<W: 'static> Clone for Behaviour<W> {
    fn clone(&self) -> Self {
        let state = match &self.state {
            State::Awake(node) => State::Awake(node.boxed()),
            State::Asleep { key, text } => State::Asleep { key: key.clone(), text: text.clone() },
            State::Out => State::Out,
        };
        Self { state, ready: self.ready }
    }
}

impl<W: 'static> fmt::Debug for Behaviour<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.state {
            State::Awake(node) => node.show(f),
            State::Asleep { key, text } => write!(f, "asleep {key}: {text}"),
            State::Out => f.write_str("(running)"),
        }
    }
}

impl<W: 'static> PartialEq for Behaviour<W> {
    /// Whether both are of one type and hold the same, as text; one may be asleep.
    fn eq(&self, other: &Self) -> bool {
        self.ready == other.ready
            && self.key() == other.key()
            && matches!((self.text(), other.text()), (Ok(a), Ok(b)) if a == b)
    }
}

impl<W: 'static> Serialize for Behaviour<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.text().map_err(S::Error::custom)?;
        let mut out = serializer.serialize_struct("Behaviour", 3)?;
        out.serialize_field("key", self.key())?;
        out.serialize_field("ready", &self.ready)?;
        out.serialize_field("text", &text)?;
        out.end()
    }
}

impl<'de, W: 'static> Deserialize<'de> for Behaviour<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "Behaviour", deny_unknown_fields)]
        struct Form {
            key: String,
            ready: bool,
            text: String,
        }
        let Form { key, ready, text } = Form::deserialize(deserializer)?;
        Ok(Self { state: State::Asleep { key, text }, ready })
    }
}
