//! Reading the files of a scene, and the order in which they can be planned.

use std::collections::HashMap;

use crate::error::{ErrorKind, SceneErrors};
use crate::limits::Limits;
use crate::source::{SceneSource, SourceError};
use crate::text::fault::{Fault, nearest};
use crate::text::parse::parse;
use crate::text::tree::{File, Kind};

/// The files of a scene as they were read.
pub(super) struct Read {
    pub(super) files: Vec<File>,
    pub(super) paths: HashMap<String, u32>,
    /// For each file, the nodes of its `instance(..)` and the files that they name.
    instances: Vec<Vec<(u32, u32)>>,
}

/// The nodes of all `instance("path")` of a file that stand where an instance is made.
fn instances(file: &File) -> Vec<u32> {
    let mut found = Vec::new();
    let mut at = 0;
    while (at as usize) < file.nodes.len() {
        let node = file.node(at);
        // Values are not looked into: a call of that name in ordinary data is data.
        let structure = file.is_structure(at);
        if !structure && node.kind == Kind::Call && file.name(at) == "instance" {
            found.push(at);
        }
        at = if structure { at + 1 } else { node.next };
    }
    found
}

/// The path in an `instance(..)`, if there is one.
pub(super) fn path_in(file: &File, instance: u32) -> Option<String> {
    let child = file.only_child(instance)?;
    file.string(child).map(std::borrow::Cow::into_owned)
}

pub(super) fn read(source: &dyn SceneSource, path: &str, limits: &Limits) -> Result<Read, SceneErrors> {
    let mut read = Read { files: Vec::new(), paths: HashMap::new(), instances: Vec::new() };
    let mut faults = Vec::new();
    read.add(source, path, limits, None, &mut faults);
    let mut at = 0;
    while at < read.files.len() {
        let nodes = if read.instances[at].is_empty() { instances(&read.files[at]) } else { Vec::new() };
        for node in nodes {
            let Some(path) = path_in(&read.files[at], node) else { continue };
            let number = match read.paths.get(&path) {
                Some(&number) => number,
                None => read.add(source, &path, limits, Some((at as u32, node)), &mut faults),
            };
            read.instances[at].push((node, number));
        }
        at += 1;
    }
    let files: Vec<&File> = read.files.iter().collect();
    super::report(&files, &faults)?;
    Ok(read)
}

impl Read {
    fn add(
        &mut self,
        source: &dyn SceneSource,
        path: &str,
        limits: &Limits,
        from: Option<(u32, u32)>,
        faults: &mut Vec<Fault>,
    ) -> u32 {
        let number = self.files.len() as u32;
        let (file, node) = from.unwrap_or((number, 0));
        let place = |files: &[File]| match from {
            Some(_) => files[file as usize].span(node + 1),
            None => (0, 0),
        };
        let text = if self.files.len() >= limits.files {
            Err(Fault::new(
                ErrorKind::TooManyFiles,
                format!("the scene is made of more than {} files", limits.files),
            )
            .help("raise `Limits::files` if it is meant to be"))
        } else {
            source.read(path, limits.bytes).map_err(|error| source_fault(path, &error))
        };
        let file = match text {
            Ok(text) => {
                let (file, result) = parse(path, text.into(), number, limits);
                faults.extend(result.err());
                file
            }
            Err(fault) => {
                faults.push(fault.at(file, place(&self.files)));
                if self.files.len() >= limits.files {
                    return 0;
                }
                parse(path, "".into(), number, limits).0
            }
        };
        self.files.push(file);
        self.instances.push(Vec::new());
        self.paths.insert(path.to_owned(), number);
        number
    }

    /// The files, each after those that it instances.
    pub(super) fn order(&self) -> Result<Vec<u32>, SceneErrors> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.files.len()];
        let mut order = Vec::new();
        // The open files, with the next of their instances to look at.
        let mut open = vec![(0_u32, 0_usize)];
        marks[0] = Mark::Open;
        while let Some((file, next)) = open.last_mut() {
            let Some(&(_, inner)) = self.instances[*file as usize].get(*next) else {
                marks[*file as usize] = Mark::Done;
                order.push(*file);
                open.pop();
                continue;
            };
            *next += 1;
            match marks[inner as usize] {
                Mark::Done => {}
                Mark::New => {
                    marks[inner as usize] = Mark::Open;
                    open.push((inner, 0));
                }
                Mark::Open => return Err(self.cycle(&open, inner)),
            }
        }
        Ok(order)
    }

    fn cycle(&self, open: &[(u32, usize)], back: u32) -> SceneErrors {
        let start = open.iter().position(|&(file, _)| file == back).unwrap_or(0);
        let steps: Vec<String> = open[start..]
            .iter()
            .map(|&(file, next)| {
                let (node, inner) = self.instances[file as usize][next - 1];
                let text = &self.files[file as usize];
                let line = text.text[..text.span(node).0].matches('\n').count() + 1;
                format!("{}:{line} instances {}", text.name, self.files[inner as usize].name)
            })
            .collect();
        let (file, next) = open[open.len() - 1];
        let (node, _) = self.instances[file as usize][next - 1];
        let files: Vec<&File> = self.files.iter().collect();
        Fault::new(ErrorKind::Cycle, format!("files instance each other in a circle: {}", steps.join(", ")))
            .help("take one of these instances out")
            .at(file, self.files[file as usize].span(node + 1))
            .report(&files)
            .into()
    }

    /// Multiplies out how many entities there will be, before any is made.
    pub(super) fn count(&self, order: &[u32], limits: &Limits) -> Result<(), SceneErrors> {
        let mut counts = vec![0_usize; self.files.len()];
        for &number in order {
            let file = &self.files[number as usize];
            let mut count = 0_usize;
            let mut at = 0;
            while (at as usize) < file.nodes.len() {
                let node = file.node(at);
                let structure = file.is_structure(at);
                count += usize::from(structure && file.name(at) == "entity");
                at = if structure { at + 1 } else { node.next };
            }
            let mut place = (0, 0);
            for &(node, inner) in &self.instances[number as usize] {
                // The root of an instance is the entity that instances it.
                count = count.saturating_add(counts[inner as usize].saturating_sub(1));
                if count > limits.entities {
                    place = file.span(node);
                    break;
                }
            }
            if count > limits.entities {
                let files: Vec<&File> = self.files.iter().collect();
                return Err(Fault::new(
                    ErrorKind::TooManyEntities,
                    format!("`{}` stands for more than {} entities", file.name, limits.entities),
                )
                .help("raise `Limits::entities` if it is meant to")
                .at(number, place)
                .report(&files)
                .into());
            }
            counts[number as usize] = count;
        }
        Ok(())
    }
}

fn source_fault(path: &str, error: &SourceError) -> Fault {
    match error {
        SourceError::NotFound { known, .. } => {
            let fault = Fault::new(ErrorKind::FileNotFound, error.to_string());
            match nearest(path.rsplit('/').next().unwrap_or(path), known.iter().map(String::as_str)) {
                Some(help) => fault.help(help),
                None => fault,
            }
        }
        SourceError::OutsideRoot { .. } => Fault::new(ErrorKind::OutsideRoot, error.to_string())
            .help("paths are relative to the folder of the scenes, as in \"enemies/rock.ron\""),
        SourceError::TooLong { .. } => Fault::new(ErrorKind::FileTooLong, error.to_string())
            .help("raise `Limits::bytes` if the file is meant to be that long"),
        SourceError::NotUtf8 { .. } => Fault::new(ErrorKind::NotUtf8, error.to_string()),
        SourceError::Io { .. } => Fault::new(ErrorKind::FileNotFound, error.to_string()),
    }
}
