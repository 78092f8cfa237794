//! Loading: a plan becomes entities of a world.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use std_ecs::{Entity, EntityPage, Parent, World};

use crate::error::{ErrorKind, SceneErrors};
use crate::plan::{Content, NONE, Piece, Plan, report, shifted};
use crate::registry::{Entry, Registry, SceneWorld};
use crate::source::SceneSource;
use crate::text::decode::{Context, Layer, Names, RawNames, Scope, Value};
use crate::text::fault::Fault;
use crate::text::fields::parse_value;
use crate::text::tree::File;

/// A scene as it was read: its file and all files that it instances, checked as far as can be without
/// knowing any component. It can be instantiated any number of times.
#[derive(Clone)]
pub struct Scene {
    pub(crate) plan: Arc<Plan>,
}

impl Scene {
    /// Reads a file and all that it instances.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the texts, the names, and how the files instance each other.
    ///
    /// ```
    /// use std_scene::{Embedded, Limits, Scene};
    ///
    /// let source = Embedded::new()
    ///     .with("rock.ron", r#"scene(entity("rock", Solid))"#)
    ///     .with("level.ron", r#"scene(entity("a", instance("rock.ron")), entity("b", instance("rock.ron")))"#);
    /// let scene = Scene::read(&source, "level.ron", &Limits::default())?;
    /// assert_eq!(scene.files().collect::<Vec<_>>(), ["level.ron", "rock.ron"]);
    /// assert_eq!(scene.len(), 2);
    /// # Ok::<(), std_scene::SceneErrors>(())
    /// ```
    pub fn read(
        source: &dyn SceneSource,
        path: &str,
        limits: &crate::limits::Limits,
    ) -> Result<Self, SceneErrors> {
        Ok(Self { plan: Arc::new(Plan::read(source, path, limits)?) })
    }

    /// The files, the scene's own first.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.plan.files.iter().map(|file| file.name.as_str())
    }

    /// The text of the scene's own file.
    pub fn text(&self) -> &str {
        &self.plan.files[0].text
    }

    /// How many entities it stands for.
    pub fn len(&self) -> usize {
        self.plan.root().slots.iter().filter(|slot| !slot.removed).count()
    }

    /// Whether it stands for no entity.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene")
            .field("files", &self.files().collect::<Vec<_>>())
            .field("len", &self.len())
            .finish()
    }
}

/// A scene that was loaded: which entity each of its names is, and what it takes to save or reload it.
///
/// It is a value, and belongs to the world that it was loaded into and to clones of that world.
#[derive(Clone)]
pub struct Loaded {
    pub(crate) scene: Scene,
    /// The entity of each slot of the scene's own template.
    pub(crate) entities: Arc<Vec<Option<Entity>>>,
    /// The clock of each registered component's column when loading ended.
    pub(crate) clocks: BTreeMap<String, u64>,
    /// What the entities without a parent in the scene were loaded below.
    pub(crate) below: Option<Entity>,
    /// Names for entities that were spawned since.
    pub(crate) given: BTreeMap<Entity, String>,
}

impl Loaded {
    /// The entity of a name or path of the scene's own file, as `"ship"` or `"asteroid-1/core"`.
    pub fn entity(&self, path: &str) -> Option<Entity> {
        let slot = self.scene.plan.find(0, path).ok()?;
        self.entities[slot as usize]
    }

    /// The path of an entity of this scene, from its top.
    pub fn path(&self, entity: Entity) -> Option<String> {
        let slot = self.entities.iter().position(|&found| found == Some(entity))?;
        Some(self.scene.plan.path(self.scene.plan.root(), slot as u32))
    }

    /// The entities, in the order in which they were spawned, which is that of the text.
    pub fn entities(&self) -> impl Iterator<Item = Entity> {
        self.entities.iter().copied().flatten()
    }

    /// The entities without a parent in the scene.
    pub fn roots(&self) -> impl Iterator<Item = Entity> {
        let slots = &self.scene.plan.root().slots;
        self.entities.iter().zip(slots).filter_map(|(&entity, slot)| entity.filter(|_| slot.parent == NONE))
    }

    /// The scene that was loaded.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Whether a stamp of a component is later than the loading.
    pub(crate) fn is_written(&self, name: &str, stamp: u64) -> bool {
        self.clocks.get(name).is_none_or(|&clock| stamp > clock)
    }

    /// Gives an entity that was spawned after loading the name that it is saved under.
    pub fn name(&mut self, entity: Entity, name: impl Into<String>) {
        self.given.insert(entity, name.into());
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded")
            .field("scene", &self.scene)
            .field("entities", &self.entities)
            .finish_non_exhaustive()
    }
}

/// The entities of one template, for looking up what names in it mean.
pub(crate) struct Placed<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) entities: &'p [Option<Entity>],
}

impl Names for Placed<'_> {
    fn find(&self, scope: Scope, path: &str) -> Result<Entity, Fault> {
        let slot = self.plan.find(scope.template, path)?;
        self.entities[(scope.offset + slot) as usize].ok_or_else(|| {
            Fault::new(ErrorKind::RemovedName, format!("`{path}` is removed from this instance"))
                .help("remove what refers to it as well, or patch the reference")
        })
    }
}

/// How an entity of an instanced file is copied.
struct Prototype {
    /// For each component, its entry, and whether it names an entity, so that it has to be decoded again.
    pieces: Vec<(u32, bool)>,
}

/// The entities of instanced files, each decoded once.
struct Prototypes<W> {
    world: W,
    /// For each template, the entities of its slots.
    entities: Vec<Vec<Option<Entity>>>,
    /// For each template, the slots that are its own.
    own: Vec<Vec<Option<Prototype>>>,
}

/// Components that are cloned for entities of instances, gathered a page at a time.
///
/// They reach each column in the order of the entities, as if each were cloned where the instance stands.
struct Copies<'r, W> {
    registry: &'r Registry<W>,
    prototypes: &'r W,
    /// For each column, whose components are to be cloned, and for whom. A component is found under the number of its
    /// entry in the registry, and the behaviours, which have one column, under that of the first of them.
    gathered: Vec<(Vec<Entity>, Vec<Entity>)>,
    behaviours: usize,
    is_empty: bool,
    /// The page that was made last: most components are those of the same entities, and share it.
    page: EntityPage,
}

impl<'r, W> Copies<'r, W> {
    fn new(registry: &'r Registry<W>, prototypes: &'r W) -> Self {
        Self {
            registry,
            prototypes,
            gathered: vec![(Vec::new(), Vec::new()); registry.entries.len()],
            behaviours: registry.entries.iter().position(|entry| entry.node).unwrap_or_default(),
            is_empty: true,
            page: EntityPage::new(Vec::new()),
        }
    }

    fn column(&self, entry: u32) -> usize {
        if self.registry.entries[entry as usize].node { self.behaviours } else { entry as usize }
    }

    fn add(&mut self, entry: u32, source: Entity, target: Entity, world: &mut W) {
        let column = self.column(entry);
        let (sources, targets) = &mut self.gathered[column];
        sources.push(source);
        targets.push(target);
        self.is_empty = false;
        if targets.len() == EntityPage::MOST {
            self.clone_column(column, world);
        }
    }

    /// Clones what was gathered for the column that an entity is going to get this component in.
    fn clone_before(&mut self, name: &str, world: &mut W) {
        if self.is_empty {
            return;
        }
        if let Some(&entry) = self.registry.names.get(name) {
            self.clone_column(self.column(entry), world);
        }
    }

    fn clone_column(&mut self, column: usize, world: &mut W) {
        let (sources, targets) = &mut self.gathered[column];
        if targets.is_empty() {
            return;
        }
        if self.page.entities() != targets.as_slice() {
            self.page = EntityPage::new(targets.clone());
        }
        (self.registry.entries[column].functions.copy)(self.prototypes, sources, world, &self.page);
        sources.clear();
        targets.clear();
    }

    fn clone_all(&mut self, world: &mut W) {
        for column in 0..self.gathered.len() {
            self.clone_column(column, world);
        }
    }
}

struct Loader<'r, 'p, W> {
    registry: &'r Registry<W>,
    plan: &'p Plan,
    files: &'p [&'p File],
    faults: Vec<Fault>,
}

impl<W: SceneWorld> Registry<W> {
    /// Reads a scene and loads it into a world.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the scene, at once. The world has not changed then.
    pub fn load(&self, source: &dyn SceneSource, path: &str, world: &mut W) -> Result<Loaded, SceneErrors> {
        let scene = Scene::read(source, path, &self.limits)?;
        self.instantiate(&scene, world)
    }

    /// Loads a scene that was read into a world: its entities are spawned in the order of the text, those of
    /// instances where the instance stands.
    ///
    /// Each instanced file is decoded once, and its values are cloned for each instance, but for what a patch
    /// touches or what names an entity.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the scene, at once. The world has not changed then.
    pub fn instantiate(&self, scene: &Scene, world: &mut W) -> Result<Loaded, SceneErrors> {
        self.instantiate_under(scene, world, None)
    }

    /// Loads a scene whose top-level entities become children of an entity.
    ///
    /// # Errors
    ///
    /// As [`instantiate`](Self::instantiate), and if the parent is not alive.
    pub fn instantiate_below(
        &self,
        scene: &Scene,
        world: &mut W,
        parent: Entity,
    ) -> Result<Loaded, SceneErrors> {
        self.instantiate_under(scene, world, Some(parent))
    }

    fn instantiate_under(
        &self,
        scene: &Scene,
        world: &mut W,
        below: Option<Entity>,
    ) -> Result<Loaded, SceneErrors> {
        let plan = &*scene.plan;
        let files: Vec<&File> = plan.files.iter().chain(&self.defaults).collect();
        let mut loader = Loader { registry: self, plan, files: &files, faults: Vec::new() };
        let mut next = world.clone();
        let prototypes = loader.prototypes(world);
        let slots = &plan.root().slots;
        let entities = spawn(&mut next, plan, 0);
        for (slot, entity) in slots.iter().zip(&entities) {
            let Some(entity) = *entity else { continue };
            let parent = if slot.parent == NONE { below } else { entities[slot.parent as usize] };
            if let Some(parent) = parent
                && !next.attach(entity, Parent::of(parent))
            {
                loader.faults.push(Fault::new(ErrorKind::World, format!("the parent {parent} is not alive")));
                break;
            }
        }
        loader.root(&mut next, &prototypes, &entities);
        report(&files, &loader.faults)?;
        *world = next;
        let clocks = self.clocks(world);
        Ok(Loaded {
            scene: scene.clone(),
            entities: Arc::new(entities),
            clocks,
            below,
            given: BTreeMap::new(),
        })
    }

    /// The names of the components of an entity that were written since the scene was loaded, or attached.
    pub fn written<'r>(&'r self, world: &W, loaded: &Loaded, entity: Entity) -> Vec<&'r str> {
        let written = |entry: &&Entry<W>| {
            (entry.functions.changed)(world, entity)
                .is_some_and(|stamp| loaded.is_written(&entry.name, stamp))
        };
        self.by_name().filter(written).map(|entry| entry.name.as_str()).collect()
    }

    /// Whether a scene could be loaded into a world: everything is decoded, and thrown away.
    ///
    /// # Errors
    ///
    /// As [`instantiate`](Self::instantiate).
    pub fn check(&self, scene: &Scene, world: &W) -> Result<(), SceneErrors> {
        self.instantiate(scene, &mut world.clone()).map(drop)
    }
}

/// An entity for each slot that is not removed.
fn spawn<W: World>(world: &mut W, plan: &Plan, template: u32) -> Vec<Option<Entity>> {
    let slots = &plan.templates[template as usize].slots;
    let count = slots.iter().filter(|slot| !slot.removed).count();
    let mut spawned = world.entities_mut().spawn_many(count).into_iter();
    slots.iter().map(|slot| if slot.removed { None } else { spawned.next() }).collect()
}

impl<W: SceneWorld> Loader<'_, '_, W> {
    /// Decodes what is each instanced file's own, with the world as it is as the ground to stand on.
    fn prototypes(&mut self, world: &W) -> Prototypes<W> {
        let plan = self.plan;
        let count = plan.templates.len();
        let mut prototypes = Prototypes {
            world: world.clone(),
            entities: vec![Vec::new(); count],
            own: (0..count).map(|_| Vec::new()).collect(),
        };
        // The scene itself is decoded where it is loaded.
        for template in 1..count as u32 {
            let entities = spawn(&mut prototypes.world, plan, template);
            let own = (0..)
                .zip(&plan.templates[template as usize].slots)
                .map(|(slot, found)| {
                    let Content::Own(pieces) = &found.content else { return None };
                    let entity = entities[slot as usize]?;
                    let decoded = pieces.iter().map(|piece| {
                        self.decode(&mut prototypes.world, entity, piece, 0, &entities, template, slot)
                    });
                    Some(Prototype { pieces: decoded.collect() })
                })
                .collect();
            prototypes.own[template as usize] = own;
            prototypes.entities[template as usize] = entities;
        }
        prototypes
    }

    fn root(&mut self, world: &mut W, prototypes: &Prototypes<W>, entities: &[Option<Entity>]) {
        let plan = self.plan;
        let mut copies = Copies::new(self.registry, &prototypes.world);
        for (slot, found) in (0..).zip(&plan.root().slots) {
            let Some(entity) = entities[slot as usize] else { continue };
            match &found.content {
                Content::Own(pieces) => {
                    for piece in pieces {
                        copies.clone_before(plan.piece_name(piece), world);
                        self.decode(world, entity, piece, 0, entities, 0, slot);
                    }
                }
                &Content::Inherited { template, slot: inner, offset } => {
                    let (pieces, _) = plan.pieces(template, inner);
                    let source = prototypes.entities[template as usize][inner as usize];
                    let prototype = &prototypes.own[template as usize][inner as usize];
                    let (Some(source), Some(prototype)) = (source, prototype) else { continue };
                    for (piece, &(entry, names)) in pieces.iter().zip(&prototype.pieces) {
                        if names {
                            copies.clone_before(plan.piece_name(piece), world);
                            self.decode(world, entity, piece, offset, entities, 0, slot);
                        } else if entry != NONE {
                            copies.add(entry, source, entity, world);
                        }
                    }
                }
            }
            if self.faults.len() > 100 {
                return;
            }
        }
        copies.clone_all(world);
    }

    /// Decodes a component. Answers its entry, and whether it names entities.
    #[expect(clippy::too_many_arguments, reason = "a place in the world, one in the plan, and the piece")]
    fn decode(
        &mut self,
        world: &mut W,
        entity: Entity,
        piece: &Piece,
        offset: u32,
        entities: &[Option<Entity>],
        template: u32,
        slot: u32,
    ) -> (u32, bool) {
        let names = Placed { plan: self.plan, entities };
        match decode_piece(self.registry, self.files, &names, world, entity, piece, offset) {
            Ok(found) => found,
            Err(fault) => {
                let path = || self.plan.path(&self.plan.templates[template as usize], slot);
                self.faults.push(fault.entity(path));
                (NONE, false)
            }
        }
    }
}

/// Decodes a component into a world. Answers its entry, and whether it names entities.
pub(crate) fn decode_piece<W>(
    registry: &Registry<W>,
    files: &[&File],
    names: &Placed<'_>,
    world: &mut W,
    entity: Entity,
    piece: &Piece,
    offset: u32,
) -> Result<(u32, bool), Fault> {
    let Some((&top, below)) = piece.layers.split_first() else { return Ok((NONE, false)) };
    let file = files[top.file as usize];
    let name = file.name(top.node);
    let number = registry
        .names
        .get(name)
        .copied()
        .filter(|&number| registry.entries[number as usize].node == piece.node);
    let Some(number) = number else {
        return Err(registry.unknown(name, piece.node).at(top.file, file.head_span(top.node)));
    };
    let entry = &registry.entries[number as usize];
    let context = Context::new(files, names);
    let mut below: Vec<Layer> = below.iter().map(|&layer| shifted(layer, offset)).collect();
    if let Some(default) = entry.default {
        let file = (files.len() - registry.defaults.len()) as u32 + default;
        below.push(Layer { file, node: 0, inside: true, scope: Scope::default() });
    }
    let value = Value { context: &context, top: shifted(top, offset), below };
    (entry.functions.decode)(world, entity, value).map_err(|fault| {
        let span = match fault.kind {
            ErrorKind::MissingField | ErrorKind::World | ErrorKind::BufferedEntity => {
                file.head_span(top.node)
            }
            _ => file.span(top.node),
        };
        fault.at(top.file, span)
    })?;
    Ok((number, context.named.get() > 0))
}

/// Decodes a component that is written on its own.
pub(crate) fn attach_text<W: World>(
    registry: &Registry<W>,
    world: &mut W,
    entity: Entity,
    text: &str,
) -> Result<(), SceneErrors> {
    let (file, result) = parse_value("component", text.into(), 0, &registry.limits);
    let files: Vec<&File> = std::iter::once(&file).chain(&registry.defaults).collect();
    let decode = || {
        result?;
        let name = file.name(0);
        let entry =
            registry.entry(name).ok_or_else(|| registry.unknown(name, false).at(0, file.head_span(0)))?;
        let mut context = Context::new(&files, &RawNames);
        context.raw = true;
        let top = Layer { file: 0, node: 0, inside: true, scope: Scope::default() };
        let below = entry.default.map(|default| Layer { file: 1 + default, ..top }).into_iter().collect();
        let value = Value { context: &context, top, below };
        (entry.functions.decode)(world, entity, value).map_err(|fault| fault.at(0, file.head_span(0)))
    };
    decode().map_err(|fault: Fault| fault.report(&files).into())
}
