//! The plan of a scene: its files, and for each file the entities that it stands for, those of the files
//! that it instances among them.

use std::collections::HashMap;

use smallvec::SmallVec;

use crate::error::{ErrorKind, SceneErrors};
use crate::limits::Limits;
use crate::text::decode::{Layer, Scope};
use crate::text::fault::{Fault, nearest};
use crate::text::tree::File;

mod build;
mod files;

/// No slot.
pub(crate) const NONE: u32 = u32::MAX;

/// The texts of a component, outermost first. Nearly all have one.
pub(crate) type Layers = SmallVec<[Layer; 1]>;

/// A component of an entity: its texts, outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Whether it is a behaviour.
    pub(crate) node: bool,
    pub(crate) layers: Layers,
}

/// Where the components of an entity come from.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// They are listed here.
    Own(Vec<Piece>),
    /// They are those of an entity of an instanced file, untouched.
    Inherited { template: u32, slot: u32, offset: u32 },
}

/// An entity of a template.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) parent: u32,
    pub(crate) removed: bool,
    /// The file and node of the string that names it.
    pub(crate) name: Option<(u32, u32)>,
    /// The node of its `entity(..)` in this template's file; none for what is inside an instance.
    pub(crate) node: u32,
    /// Which of the template's instances it is part of.
    pub(crate) instance: u32,
    pub(crate) content: Content,
}

/// An instance inside a template.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inlined {
    pub(crate) template: u32,
    /// The slot of its root; the others follow in the order of its own template.
    pub(crate) offset: u32,
}

/// The entities of one name in a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) slot: u32,
    pub(crate) others: Vec<u32>,
    /// By their parents, once they are too many to look through.
    #[expect(
        clippy::box_collection,
        reason = "nearly all names are of one entity, and there are many names"
    )]
    by_parent: Option<Box<HashMap<u32, u32>>>,
}

/// How many entities of one name are looked through.
const FEW: usize = 8;

impl Template {
    /// The child of a slot that this file itself names so.
    fn own_child(&self, parent: u32, name: &str) -> Option<u32> {
        let named = self.names.get(name)?;
        if let Some(by_parent) = &named.by_parent {
            return by_parent.get(&parent).copied();
        }
        let mut all = std::iter::once(named.slot).chain(named.others.iter().copied());
        all.find(|&slot| self.slots[slot as usize].parent == parent)
    }

    /// Remembers the name of a slot.
    fn insert_name(&mut self, slot: u32, name: Box<str>) {
        use std::collections::hash_map::Entry;
        let named = match self.names.entry(name) {
            Entry::Vacant(free) => {
                free.insert(Named { slot, ..Named::default() });
                return;
            }
            Entry::Occupied(taken) => taken.into_mut(),
        };
        named.others.push(slot);
        let parent = |slot: u32| self.slots[slot as usize].parent;
        if named.others.len() == FEW {
            let all = std::iter::once(named.slot).chain(named.others.iter().copied());
            named.by_parent = Some(Box::new(all.map(|slot| (parent(slot), slot)).collect()));
        } else if let Some(by_parent) = &mut named.by_parent {
            by_parent.insert(parent(slot), slot);
        }
    }
}

/// What a file stands for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template {
    pub(crate) slots: Vec<Slot>,
    pub(crate) instances: Vec<Inlined>,
    /// All that the file itself names.
    pub(crate) names: HashMap<Box<str>, Named>,
    /// The `at(..)` of the file for entities inside its instances, the first for each.
    pub(crate) patches: HashMap<u32, u32>,
    /// How deep its entities are nested.
    pub(crate) depth: usize,
}

/// Files and templates; those of one file have one number. The scene itself is number 0.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) files: Vec<File>,
    pub(crate) templates: Vec<Template>,
}

impl Plan {
    /// Reads all files and plans each, inner ones first.
    pub(crate) fn read(
        source: &dyn crate::source::SceneSource,
        path: &str,
        limits: &Limits,
    ) -> Result<Self, SceneErrors> {
        let read = files::read(source, path, limits)?;
        Self::build(read, limits)
    }

    fn build(read: files::Read, limits: &Limits) -> Result<Self, SceneErrors> {
        let order = read.order()?;
        read.count(&order, limits)?;
        let mut plan = Self { templates: vec![Template::default(); read.files.len()], files: read.files };
        let mut faults = Vec::new();
        for &file in &order {
            let template = build::template(&plan, file, &read.paths, limits, &mut faults);
            plan.templates[file as usize] = template;
            if faults.len() > 100 {
                break;
            }
        }
        plan.report(&faults)?;
        Ok(plan)
    }

    /// The faults as errors, if there are any.
    pub(crate) fn report(&self, faults: &[Fault]) -> Result<(), SceneErrors> {
        let files: Vec<&File> = self.files.iter().collect();
        report(&files, faults)
    }

    pub(crate) fn root(&self) -> &Template {
        &self.templates[0]
    }

    /// The child of a slot with a name, also where an instanced file names it.
    pub(crate) fn child(&self, template: u32, slot: u32, name: &str) -> Option<u32> {
        child_of(&self.templates, &self.templates[template as usize], slot, name)
    }

    /// The name of a slot of any template, if it has one.
    pub(crate) fn name(&self, slot: &Slot) -> Option<&str> {
        let (file, node) = slot.name?;
        Some(crate::text::literal::raw(self.files[file as usize].slice(node)))
    }

    /// The names of a slot and those above it, with `/` in between.
    pub(crate) fn path(&self, template: &Template, slot: u32) -> String {
        path_of(&self.files, template, slot)
    }

    /// The slot that a reference in a file means.
    pub(crate) fn find(&self, template: u32, path: &str) -> Result<u32, Fault> {
        let scope = &self.templates[template as usize];
        let (first, rest) = path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let Some(Named { slot, others, .. }) = scope.names.get(first) else {
            let fault =
                Fault::new(ErrorKind::UnknownName, format!("no entity of this file is named `{first}`"));
            return Err(match nearest(first, scope.names.keys().map(|name| &**name)) {
                Some(help) => fault.help(help),
                None => fault,
            });
        };
        if others.is_empty() {
            return self.below(template, *slot, first, rest);
        }
        let mut candidates: Vec<u32> = std::iter::once(*slot).chain(others.iter().copied()).collect();
        if rest.is_some() {
            candidates.retain(|&slot| self.below(template, slot, first, rest).is_ok());
        }
        match candidates[..] {
            [] => self.below(template, *slot, first, rest),
            [slot] => self.below(template, slot, first, rest),
            _ => {
                let all = candidates.iter().take(6).map(|&slot| format!("`{}`", self.path(scope, slot)));
                let all = all.collect::<Vec<_>>().join(", ");
                let message =
                    format!("{} entities of this file are named `{first}`: {all}", candidates.len());
                Err(Fault::new(ErrorKind::AmbiguousName, message)
                    .help("start the path at an entity whose name is unique in the file"))
            }
        }
    }

    /// The slot that a path from another slot leads to.
    fn below(&self, template: u32, mut slot: u32, first: &str, rest: Option<&str>) -> Result<u32, Fault> {
        let mut known = first.to_owned();
        for name in rest.into_iter().flat_map(|rest| rest.split('/')) {
            let Some(child) = self.child(template, slot, name) else {
                let fault =
                    Fault::new(ErrorKind::UnknownName, format!("`{known}` has no child named `{name}`"));
                let names = self.children(template, slot);
                return Err(match nearest(name, names.iter().map(String::as_str)) {
                    Some(help) => fault.help(help),
                    None => fault,
                });
            };
            known = format!("{known}/{name}");
            slot = child;
        }
        Ok(slot)
    }

    /// The names of the children of a slot. A walk over the template, so for messages only.
    pub(crate) fn children(&self, template: u32, slot: u32) -> Vec<String> {
        children_of(&self.files, &self.templates[template as usize], slot)
    }

    /// What a slot has, and by how much the scopes of its texts are shifted.
    pub(crate) fn pieces(&self, template: u32, slot: u32) -> (&[Piece], u32) {
        match &self.templates[template as usize].slots[slot as usize].content {
            Content::Own(pieces) => (pieces, 0),
            &Content::Inherited { template, slot, offset } => (self.pieces(template, slot).0, offset),
        }
    }

    /// The name of a component.
    pub(crate) fn piece_name<'p>(&'p self, piece: &Piece) -> &'p str {
        piece.layers.first().map_or("", |layer| self.files[layer.file as usize].name(layer.node))
    }
}

/// The faults as errors, if there are any.
pub(crate) fn report(files: &[&File], faults: &[Fault]) -> Result<(), SceneErrors> {
    if faults.is_empty() {
        return Ok(());
    }
    Err(SceneErrors::new(faults.iter().map(|fault| fault.report(files)).collect()))
}

fn child_of<'t>(
    templates: &'t [Template],
    mut template: &'t Template,
    mut slot: u32,
    name: &str,
) -> Option<u32> {
    let mut offset = 0;
    loop {
        if let Some(child) = template.own_child(slot, name) {
            return Some(offset + child);
        }
        let inlined = template.instances.get(template.slots.get(slot as usize)?.instance as usize)?;
        offset += inlined.offset;
        slot -= inlined.offset;
        template = &templates[inlined.template as usize];
    }
}

fn children_of(files: &[File], template: &Template, slot: u32) -> Vec<String> {
    template
        .slots
        .iter()
        .filter(|child| child.parent == slot && !child.removed)
        .filter_map(|child| child.name)
        .map(|(file, node)| crate::text::literal::raw(files[file as usize].slice(node)).to_owned())
        .collect()
}

fn path_of(files: &[File], template: &Template, slot: u32) -> String {
    let mut names = Vec::new();
    let mut at = slot;
    while let Some(found) = template.slots.get(at as usize) {
        names.push(match found.name {
            Some((file, node)) => crate::text::literal::raw(files[file as usize].slice(node)),
            None => "(unnamed)",
        });
        at = found.parent;
    }
    names.reverse();
    names.join("/")
}

/// A layer of an instanced file as it is in the file that instances it.
pub(crate) fn shifted(layer: Layer, offset: u32) -> Layer {
    let scope = Scope { offset: layer.scope.offset + offset, ..layer.scope };
    Layer { scope, ..layer }
}
