//! One file becomes a template.

use std::collections::HashMap;

use smallvec::smallvec;

use super::{Content, Inlined, NONE, Piece, Plan, Slot, Template, child_of, children_of, path_of, shifted};
use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::text::decode::{Layer, Scope};
use crate::text::fault::{Fault, nearest};
use crate::text::fields;
use crate::text::tree::{File, Kind};

/// The words of the format.
const WORDS: [&str; 7] = ["entity", "instance", "at", "remove", "without", "replace", "node"];

/// What stands around the items that are being read.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Scene,
    Entity,
    At,
}

struct Frame {
    at: u32,
    end: u32,
    slot: u32,
    around: Around,
    /// Whether no item has been read, so that `instance` may follow.
    first: bool,
    depth: usize,
}

struct Builder<'p> {
    plan: &'p Plan,
    file: &'p File,
    number: u32,
    paths: &'p HashMap<String, u32>,
    limits: &'p Limits,
    template: Template,
    faults: &'p mut Vec<Fault>,
    frames: Vec<Frame>,
    roots: u32,
}

pub(super) fn template(
    plan: &Plan,
    number: u32,
    paths: &HashMap<String, u32>,
    limits: &Limits,
    faults: &mut Vec<Fault>,
) -> Template {
    let file = &plan.files[number as usize];
    let mut builder = Builder {
        plan,
        file,
        number,
        paths,
        limits,
        template: Template::default(),
        faults,
        frames: Vec::new(),
        roots: 0,
    };
    builder.template.names.reserve(file.nodes.len() / 24);
    if builder.scene() {
        builder.walk();
    }
    let mut template = builder.template;
    // Parents stand in front of their children.
    for at in 0..template.slots.len() {
        if let Some(parent) = template.slots.get(template.slots[at].parent as usize)
            && parent.removed
        {
            template.slots[at].removed = true;
        }
    }
    template
}

impl Builder<'_> {
    fn fault(&mut self, fault: Fault, span: (usize, usize)) {
        self.faults.push(fault.at(self.number, span));
    }

    fn fault_in(&mut self, slot: u32, fault: Fault, span: (usize, usize)) {
        let path = path_of(&self.plan.files, &self.template, slot);
        let fault = if slot == NONE { fault } else { fault.entity(|| path) };
        self.fault(fault, span);
    }

    fn layer(&self, node: u32) -> Layer {
        Layer { file: self.number, node, inside: true, scope: Scope { template: self.number, offset: 0 } }
    }

    /// The frame of the scene itself. False if the file is none.
    fn scene(&mut self) -> bool {
        let file = self.file;
        if file.nodes.is_empty() {
            self.fault(Fault::new(ErrorKind::NotAScene, "the file is empty"), (0, 0));
            return false;
        }
        if file.kind(0) != Kind::Call || file.name(0) != "scene" {
            let fault = Fault::new(ErrorKind::NotAScene, "a scene file is one `scene(..)`")
                .help("write `scene(version(1), entity(..), ..)`");
            self.fault(fault, file.head_span(0));
            return false;
        }
        let mut first = 1;
        let end = file.node(0).next;
        if first < end && file.kind(first) == Kind::Call && file.name(first) == "version" {
            let version = file.only_child(first).map(|child| file.slice(child));
            if version != Some("1") {
                let fault = Fault::new(ErrorKind::UnknownVersion, "this version of the format is not known")
                    .help("this program reads `version(1)`");
                self.fault(fault, file.span(first));
                return false;
            }
            first = file.node(first).next;
        }
        self.frames.push(Frame { at: first, end, slot: NONE, around: Around::Scene, first: true, depth: 0 });
        true
    }

    fn walk(&mut self) {
        while let Some(frame) = self.frames.last_mut() {
            if self.faults.len() > 100 {
                return;
            }
            if frame.at >= frame.end {
                self.frames.pop();
                continue;
            }
            let node = frame.at;
            frame.at = self.file.node(node).next;
            let first = std::mem::take(&mut frame.first);
            let (slot, around, depth) = (frame.slot, frame.around, frame.depth);
            self.item(node, slot, around, depth, first);
        }
    }

    fn item(&mut self, node: u32, slot: u32, around: Around, depth: usize, first: bool) {
        let file = self.file;
        let word = file.name(node);
        let kind = file.kind(node);
        if !matches!(kind, Kind::Call | Kind::Word) {
            let fault = match kind {
                Kind::Text | Kind::RawText => Fault::new(
                    ErrorKind::Misplaced,
                    "a string can stand here only as the first item, as the name",
                ),
                _ => Fault::new(ErrorKind::Misplaced, "here stands an entity or a component"),
            };
            return self.fault_in(slot, fault, file.span(node));
        }
        let component = word.starts_with(char::is_uppercase);
        if around == Around::Scene && word != "entity" {
            let fault = if component || WORDS.contains(&word) {
                Fault::new(
                    ErrorKind::Misplaced,
                    format!("`{word}` stands inside an entity, not in the scene itself"),
                )
            } else if word == "version" {
                Fault::new(ErrorKind::Misplaced, "`version` comes first, and once")
            } else {
                Self::unknown_word(word)
            };
            return self.fault(fault, file.head_span(node));
        }
        if component {
            return self.component(node, node, slot, false, false);
        }
        if kind == Kind::Word || !WORDS.contains(&word) {
            let fault = if kind == Kind::Word && WORDS.contains(&word) {
                Fault::new(ErrorKind::BadArguments, format!("`{word}` needs parentheses"))
            } else {
                Self::unknown_word(word)
            };
            return self.fault_in(slot, fault, file.head_span(node));
        }
        match word {
            "entity" => self.entity(node, slot, depth),
            "instance" => {
                if !(first && around == Around::Entity) {
                    let fault =
                        Fault::new(ErrorKind::Misplaced, "`instance` is the first item of its entity")
                            .help("an entity instances one file: nest another entity for another one");
                    self.fault_in(slot, fault, file.head_span(node));
                }
            }
            "at" => self.at(node, slot, depth),
            "remove" => {
                if let Some(inner) = self.inner(node, slot) {
                    if self.template.slots[inner as usize].removed {
                        let fault = Fault::new(ErrorKind::UnknownPath, "this entity is removed already");
                        return self.fault_in(slot, fault, file.span(node));
                    }
                    self.template.slots[inner as usize].removed = true;
                }
            }
            "without" => self.without(node, slot),
            "replace" => match file.only_child(node) {
                Some(child) if self.is_component(child) => self.component(node, child, slot, false, true),
                _ => self.bad_arguments(node, slot, "replace(Name(..))"),
            },
            _ => match file.only_child(node) {
                Some(child) if self.is_component(child) => self.component(node, child, slot, true, false),
                _ => self.bad_arguments(node, slot, "node(Name(..))"),
            },
        }
    }

    fn unknown_word(word: &str) -> Fault {
        let fault = Fault::new(ErrorKind::UnknownWord, format!("`{word}` is no word of the format"));
        match nearest(word, WORDS) {
            Some(help) if help.starts_with("did") => fault.help(help),
            _ => fault.help(format!(
                "words of the format are {}; names of components start with an upper-case letter",
                WORDS.join(", ")
            )),
        }
    }

    fn bad_arguments(&mut self, node: u32, slot: u32, wanted: &str) {
        let fault = Fault::new(ErrorKind::BadArguments, format!("this is written `{wanted}`"));
        self.fault_in(slot, fault, self.file.span(node));
    }

    fn is_component(&self, node: u32) -> bool {
        matches!(self.file.kind(node), Kind::Call | Kind::Word)
            && self.file.name(node).starts_with(char::is_uppercase)
    }

    /// The string in the first place, if one is there, and the node after it.
    fn named(&self, node: u32) -> (Option<u32>, u32) {
        let first = node + 1;
        if first < self.file.node(node).next && matches!(self.file.kind(first), Kind::Text | Kind::RawText) {
            (Some(first), self.file.node(first).next)
        } else {
            (None, first)
        }
    }

    fn entity(&mut self, node: u32, parent: u32, depth: usize) {
        let file = self.file;
        let (name, first) = self.named(node);
        if parent == NONE {
            self.roots += 1;
        }
        let slot = self.template.slots.len() as u32;
        let end = file.node(node).next;
        let instance = (first < end && file.kind(first) == Kind::Call && file.name(first) == "instance")
            .then_some(first);
        let mut items = first;
        if let Some(instance) = instance {
            items = file.node(instance).next;
            if !self.inline(instance, parent, depth) {
                return;
            }
        } else {
            let content = Content::Own(Vec::new());
            self.template.slots.push(Slot {
                parent,
                removed: false,
                name: None,
                node: NONE,
                instance: NONE,
                content,
            });
        }
        self.template.depth = self.template.depth.max(depth + 1);
        self.template.slots[slot as usize].node = node;
        if let Some(name) = name {
            self.name(slot, parent, name);
        } else if instance.is_some() {
            // The instanced file's own name is for its own references.
            self.template.slots[slot as usize].name = None;
        }
        self.frames.push(Frame {
            at: items,
            end,
            slot,
            around: Around::Entity,
            first: false,
            depth: depth + 1,
        });
    }

    fn name(&mut self, slot: u32, parent: u32, node: u32) {
        let file = self.file;
        let span = file.span(node);
        self.template.slots[slot as usize].name = Some((self.number, node));
        let name = file.string(node).unwrap_or_default();
        let bad = if name.is_empty() {
            Some("a name is not empty: leave it away for an entity without a name")
        } else if name.contains('/') {
            Some("a name has no `/`: that is what paths are made with")
        } else if file.slice(node).contains('\\') || name.chars().any(char::is_control) {
            Some("a name is written without escapes")
        } else if name.trim() != name {
            Some("a name neither starts nor ends with white space")
        } else {
            None
        };
        if let Some(message) = bad {
            return self.fault(Fault::new(ErrorKind::BadName, message), span);
        }
        if let Some(twin) = self.twin(parent, &name) {
            let (twin_file, twin_node) =
                self.template.slots[twin as usize].name.unwrap_or((self.number, node));
            let other = &self.plan.files[twin_file as usize];
            let line = other.text[..other.span(twin_node).0].matches('\n').count() + 1;
            let fault = Fault::new(
                ErrorKind::DuplicateName,
                format!("a sibling is named `{name}` already, in {}:{line}", other.name),
            )
            .help("give one of them another name");
            return self.fault_in(slot, fault, span);
        }
        self.template.insert_name(slot, name.into());
    }

    fn twin(&self, parent: u32, name: &str) -> Option<u32> {
        let twin = if parent == NONE {
            self.template.own_child(NONE, name)
        } else {
            child_of(&self.plan.templates, &self.template, parent, name)
        };
        twin.filter(|&twin| !self.template.slots[twin as usize].removed)
    }

    /// Puts the entities of another file here. False if that cannot be.
    fn inline(&mut self, instance: u32, parent: u32, depth: usize) -> bool {
        let file = self.file;
        let Some(path) = super::files::path_in(file, instance) else {
            self.bad_arguments(instance, parent, "instance(\"file.ron\")");
            return false;
        };
        let Some(&number) = self.paths.get(&path) else { return false };
        let plan = self.plan;
        let inner = &plan.templates[number as usize];
        let roots = inner.slots.iter().filter(|slot| slot.parent == NONE).count();
        if roots != 1 {
            let fault = Fault::new(
                ErrorKind::NotOneRoot,
                format!("`{path}` has {roots} top-level entities, and an instanced file has one"),
            )
            .help("nest them in one entity");
            self.fault(fault, file.span(instance));
            return false;
        }
        if depth + inner.depth > self.limits.entity_depth {
            let message = format!("entities are nested more than {} deep", self.limits.entity_depth);
            let fault = Fault::new(ErrorKind::EntitiesTooDeep, message)
                .help("raise `Limits::entity_depth` if they are meant to be");
            self.fault(fault, file.span(instance));
            return false;
        }
        self.template.depth = self.template.depth.max(depth + inner.depth);
        let offset = self.template.slots.len() as u32;
        let index = self.template.instances.len() as u32;
        self.template.instances.push(Inlined { template: number, offset });
        self.template.slots.extend((0..).zip(&inner.slots).map(|(at, slot)| Slot {
            parent: if slot.parent == NONE { parent } else { slot.parent + offset },
            removed: slot.removed,
            name: slot.name,
            node: NONE,
            instance: index,
            content: match slot.content {
                Content::Own(_) => Content::Inherited { template: number, slot: at, offset },
                Content::Inherited { template, slot, offset: inner } => {
                    Content::Inherited { template, slot, offset: inner + offset }
                }
            },
        }));
        true
    }

    /// The entity of an instance that the path in an `at` or a `remove` means.
    fn inner(&mut self, node: u32, slot: u32) -> Option<u32> {
        let file = self.file;
        let (path, _) = self.named(node);
        let Some(path) = path else {
            let word = file.name(node);
            self.bad_arguments(node, slot, &format!("{word}(\"path\")"));
            return None;
        };
        let span = file.span(path);
        if self.template.slots[slot as usize].instance == NONE {
            let fault =
                Fault::new(ErrorKind::Misplaced, "this entity is no instance, so there is nothing to patch")
                    .help("write the entity itself, or put `instance(..)` first");
            self.fault_in(slot, fault, span);
            return None;
        }
        let text = file.string(path).unwrap_or_default();
        let mut at = slot;
        for name in text.split('/') {
            let found = child_of(&self.plan.templates, &self.template, at, name);
            let Some(found) = found.filter(|&found| self.template.slots[found as usize].instance != NONE)
            else {
                let fault =
                    Fault::new(ErrorKind::UnknownPath, format!("the instance has no entity `{text}`"));
                let known = children_of(&self.plan.files, &self.template, at);
                let fault = match nearest(name, known.iter().map(String::as_str)) {
                    Some(help) => fault.help(help),
                    None => fault.help("it has no children with names there"),
                };
                self.fault_in(slot, fault, span);
                return None;
            };
            if self.template.slots[found as usize].removed {
                let fault =
                    Fault::new(ErrorKind::UnknownPath, format!("`{text}` is removed from the instance"));
                self.fault_in(slot, fault, span);
                return None;
            }
            at = found;
        }
        Some(at)
    }

    fn at(&mut self, node: u32, slot: u32, depth: usize) {
        let Some(inner) = self.inner(node, slot) else { return };
        self.template.patches.entry(inner).or_insert(node);
        let (_, first) = self.named(node);
        let end = self.file.node(node).next;
        let deep = self.file.string(node + 1).map_or(1, |path| path.split('/').count());
        self.frames.push(Frame {
            at: first,
            end,
            slot: inner,
            around: Around::At,
            first: false,
            depth: depth + deep,
        });
    }

    /// The components of a slot, to be changed.
    fn pieces(&mut self, slot: u32) -> &mut Vec<Piece> {
        let content = &mut self.template.slots[slot as usize].content;
        if let Content::Inherited { template, slot, offset } = *content {
            let (pieces, more) = self.plan.pieces(template, slot);
            let pieces = pieces
                .iter()
                .map(|piece| Piece {
                    node: piece.node,
                    layers: piece.layers.iter().map(|&layer| shifted(layer, offset + more)).collect(),
                })
                .collect();
            *content = Content::Own(pieces);
        }
        match content {
            Content::Own(pieces) => pieces,
            Content::Inherited { .. } => unreachable!("it was made the template's own just above"),
        }
    }

    /// The place of a component among those of a slot.
    fn position(&mut self, slot: u32, name: &str) -> Option<usize> {
        let plan = self.plan;
        self.pieces(slot).iter().position(|piece| plan.piece_name(piece) == name)
    }

    /// Checks what can be wrong with the values of a component whatever its type is.
    fn values(&mut self, node: u32, slot: u32) {
        let first = self.faults.len();
        fields::check(self.file, self.number, node, self.faults);
        for fault in self.faults.split_off(first) {
            let path = path_of(&self.plan.files, &self.template, slot);
            self.faults.push(fault.entity(|| path));
        }
    }

    fn component(&mut self, item: u32, node: u32, slot: u32, behaviour: bool, replace: bool) {
        let file = self.file;
        let name = file.name(node);
        let layer = self.layer(node);
        let number = self.number;
        self.values(node, slot);
        let found = self.position(slot, name);
        let own = |piece: &Piece| {
            piece.layers.first().is_some_and(|top| {
                top.file == number && top.scope.template == number && top.scope.offset == 0
            })
        };
        if let Some(at) = found {
            if own(&self.pieces(slot)[at]) {
                let fault =
                    Fault::new(ErrorKind::DuplicateComponent, format!("this entity has `{name}` already"))
                        .help("a component stands once on an entity");
                return self.fault_in(slot, fault, file.head_span(node));
            }
            let piece = &mut self.pieces(slot)[at];
            if replace {
                piece.layers.clear();
            }
            piece.layers.insert(0, layer);
            return;
        }
        if replace {
            let fault = Fault::new(ErrorKind::NothingToRemove, format!("there is no `{name}` to replace"))
                .help("write the component without `replace(..)`");
            return self.fault_in(slot, fault, file.span(item));
        }
        let pieces = self.pieces(slot);
        if behaviour && let Some(at) = pieces.iter().position(|piece| piece.node) {
            // An entity has one behaviour: another type takes the place of the instance's.
            if own(&pieces[at]) {
                let fault = Fault::new(ErrorKind::DuplicateComponent, "this entity has a behaviour already")
                    .help("an entity has one behaviour: nest another entity for another one");
                return self.fault_in(slot, fault, file.head_span(node));
            }
            pieces.remove(at);
        }
        self.pieces(slot).push(Piece { node: behaviour, layers: smallvec![layer] });
    }

    fn without(&mut self, node: u32, slot: u32) {
        let file = self.file;
        let Some(child) = file.only_child(node).filter(|&child| file.kind(child) == Kind::Word) else {
            return self.bad_arguments(node, slot, "without(Name)");
        };
        let name = file.name(child);
        if let Some(at) = self.position(slot, name) {
            self.pieces(slot).remove(at);
            return;
        }
        let plan = self.plan;
        let known: Vec<&str> = self.pieces(slot).iter().map(|piece| plan.piece_name(piece)).collect();
        let fault = Fault::new(ErrorKind::NothingToRemove, format!("there is no `{name}` to leave out"));
        let fault = match nearest(name, known) {
            Some(help) => fault.help(help),
            None => fault,
        };
        self.fault_in(slot, fault, file.span(child));
    }
}
