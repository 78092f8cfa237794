//! Edits of a text: what is taken out, put in and moved, while all the rest stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use std_ecs::Entity;

use crate::text::tree::File;

/// The edits of one file.
pub(super) struct Edits<'f> {
    file: &'f File,
    /// Spans that are replaced.
    replaced: Vec<Change<'f>>,
    /// Items that are put at the end of the parentheses of a node.
    appended: Vec<(u32, Item<'f>)>,
    /// Nodes that are taken out of their parentheses.
    removed: Vec<u32>,
    /// The texts of the items, one behind the other.
    texts: String,
}

/// Something to put in.
enum Item<'f> {
    /// These bytes of the texts.
    Text(Range<usize>),
    /// A node that was taken out elsewhere, with the edits inside of it.
    Moved(u32),
    /// An entity that is new, which is written straight into the text that comes out.
    New(NewEntity<'f>),
}

/// An entity to be written, and its name.
#[derive(Clone, Copy)]
pub(super) struct NewEntity<'f> {
    pub(super) entity: Entity,
    pub(super) name: Option<&'f str>,
}

/// Writes a new entity. What is given in front of each line but the first is none if it has to stay in one line.
pub(super) type WriteNew<'w> = dyn FnMut(NewEntity<'_>, Option<&str>, &mut String) + 'w;

/// What stands in the place of a span.
struct Change<'f> {
    start: usize,
    end: usize,
    put: Put<'f>,
}

enum Put<'f> {
    Text(String),
    /// Items on lines of their own.
    Lines {
        items: Vec<Item<'f>>,
        /// The line end and the white space in front of each.
        line: String,
        /// Whether the line has begun already, and another is to begin behind each.
        begun: bool,
        tail: String,
    },
    /// Items behind others in one line.
    Inline {
        items: Vec<Item<'f>>,
        space: bool,
    },
}

impl<'f> Edits<'f> {
    pub(super) fn new(file: &'f File) -> Self {
        Self { file, replaced: Vec::new(), appended: Vec::new(), removed: Vec::new(), texts: String::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.appended.is_empty() && self.removed.is_empty()
    }

    /// Puts another text in the place of a node.
    pub(super) fn replace(&mut self, node: u32, text: impl Into<String>) {
        let (start, end) = self.file.span(node);
        self.replaced.push(Change { start, end, put: Put::Text(text.into()) });
    }

    /// Puts an item at the end of the parentheses of a node.
    pub(super) fn append(&mut self, node: u32, text: &str) {
        let start = self.texts.len();
        self.texts.push_str(text);
        self.appended.push((node, Item::Text(start..self.texts.len())));
    }

    /// Puts an entity at the end of the parentheses of a node.
    pub(super) fn append_new(&mut self, node: u32, new: NewEntity<'f>) {
        self.appended.push((node, Item::New(new)));
    }

    /// Puts a node that is taken out elsewhere at the end of the parentheses of another.
    pub(super) fn append_moved(&mut self, node: u32, moved: u32) {
        self.appended.push((node, Item::Moved(moved)));
    }

    /// Takes an item out of its parentheses, with its comma.
    pub(super) fn remove(&mut self, node: u32) {
        self.removed.push(node);
    }

    /// The text of the whole file with all edits.
    pub(super) fn apply(mut self, write: &mut WriteNew<'_>) -> String {
        let mut changes = std::mem::take(&mut self.replaced);
        let removed: BTreeSet<u32> = std::mem::take(&mut self.removed).into_iter().collect();
        for &node in &removed {
            let (start, end) = self.hole(node);
            changes.push(Change { start, end, put: Put::Text(String::new()) });
            // A comment between an item and its comma stays, and the comma goes.
            let after = self.file.node(node).end as usize;
            if let Some(comma) = find_comma(&self.file.text[after..]).map(|comma| after + comma)
                && comma >= end
            {
                changes.push(Change { start: comma, end: comma + 1, put: Put::Text(String::new()) });
            }
        }
        let mut groups: BTreeMap<u32, Vec<Item<'f>>> = BTreeMap::new();
        for (node, item) in std::mem::take(&mut self.appended) {
            groups.entry(node).or_default().push(item);
        }
        for (node, items) in groups {
            self.group(node, items, &removed, &mut changes);
        }
        // Insertions at one place keep the order in which they were made; what is taken out goes first.
        changes.sort_by_key(|change| (change.start, change.end));
        let put: usize = changes.iter().map(|change| length(&change.put)).sum();
        let mut out = String::with_capacity(self.file.text.len() + put);
        self.assemble((0, self.file.text.len()), &changes, write, &mut out);
        out
    }

    /// The text of a span with the changes inside of it.
    fn assemble(
        &self,
        (start, end): (usize, usize),
        changes: &[Change<'_>],
        write: &mut WriteNew<'_>,
        out: &mut String,
    ) {
        let mut at = start;
        // What a node leaves behind that is moved is around it, and not among the changes inside.
        let is_whole = start == 0 && end == self.file.text.len();
        let first = changes.partition_point(|change| change.start <= start && !is_whole);
        for change in &changes[first..] {
            if change.start > end {
                break;
            }
            // What lies inside of something that was taken out goes with it; two holes may overlap.
            if change.end > end || !is_whole && change.end == end || change.start < at && change.end <= at {
                continue;
            }
            out.push_str(&self.file.text[at..change.start.max(at)]);
            self.put(&change.put, changes, write, out);
            at = change.end;
        }
        out.push_str(&self.file.text[at..end]);
    }

    fn put(&self, put: &Put<'_>, changes: &[Change<'_>], write: &mut WriteNew<'_>, out: &mut String) {
        let (items, line) = match put {
            Put::Text(text) => return out.push_str(text),
            Put::Lines { items, line, .. } => (items, Some(line.as_str())),
            Put::Inline { items, .. } => (items, None),
        };
        for (at, item) in items.iter().enumerate() {
            match put {
                Put::Inline { space, .. } if at == 0 => out.push_str(if *space { " " } else { "" }),
                Put::Lines { line, begun: true, .. } => out.push_str(line.trim_start_matches(['\r', '\n'])),
                _ => out.push_str(line.unwrap_or(", ")),
            }
            match item {
                Item::Moved(node) => self.assemble(self.file.span(*node), changes, write, out),
                Item::New(new) => write(*new, line, out),
                Item::Text(range) => push_lines(&self.texts[range.clone()], line, out),
            }
            if line.is_some() {
                out.push(',');
            }
            if let Put::Lines { line, begun: true, .. } = put {
                out.push_str(line.trim_end_matches([' ', '\t']));
            }
        }
        if let Put::Lines { tail, .. } = put {
            out.push_str(tail);
        }
    }

    /// Where the items go that are put at the end of some parentheses, and what goes in front of them.
    fn group(&self, node: u32, items: Vec<Item<'f>>, removed: &BTreeSet<u32>, changes: &mut Vec<Change<'f>>) {
        let text = &*self.file.text;
        let close = self.file.node(node).end as usize - 1;
        let mut children = self.file.children(node);
        let (first, second) = (children.next(), children.next());
        let last = children.last().or(second).or(first);
        let after_last = last.map_or(self.opening(node) + 1, |last| self.file.node(last).end as usize);
        let gap = &text[after_last..close];
        let has_comma = last.is_none() || find_comma(gap).is_some();
        if !has_comma && last.is_some_and(|last| !removed.contains(&last)) {
            changes.push(Change { start: after_last, end: after_last, put: Put::Text(",".to_owned()) });
        }
        let broken = gap.contains('\n') || second.is_some_and(|second| self.starts_line(second));
        let mut end = after_last + gap.trim_end().len();
        // What is taken out takes its line along, which must not have anything put into it.
        let hole = last.filter(|last| removed.contains(last)).map_or(0, |last| self.hole(last).1);
        let begun = hole > end && text[end..hole].contains('\n');
        end = end.max(hole);
        let put = if broken {
            let indent = match last {
                Some(last) if self.starts_line(last) => self.indent(self.file.node(last).start as usize),
                _ => format!("{}    ", self.indent(self.file.node(node).start as usize)),
            };
            let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let tail = if begun || text[end..close].contains('\n') {
                String::new()
            } else {
                format!("{line_end}{}", self.indent(self.file.node(node).start as usize))
            };
            Put::Lines { items, line: format!("{line_end}{indent}"), begun, tail }
        } else {
            let space = self.file.children(node).any(|child| !removed.contains(&child));
            Put::Inline { items, space }
        };
        changes.push(Change { start: end, end, put });
    }

    /// Where the parenthesis of a node opens.
    fn opening(&self, node: u32) -> usize {
        let found = self.file.node(node);
        let head = found.head as usize;
        if self.file.text[head..].starts_with('(') {
            return head;
        }
        // Only comments and white space stand between a name and its parenthesis.
        self.file.text[head..found.end as usize].rfind('(').map_or(head, |at| head + at)
    }

    fn starts_line(&self, node: u32) -> bool {
        let start = self.file.node(node).start as usize;
        let line = self.file.text[..start].rfind('\n').map_or(0, |at| at + 1);
        self.file.text[line..start].trim().is_empty() && line > 0
    }

    /// The white space at the start of the line of a place.
    fn indent(&self, at: usize) -> String {
        let line = self.file.text[..at].rfind('\n').map_or(0, |at| at + 1);
        self.file.text[line..at].chars().take_while(|character| character.is_whitespace()).collect()
    }

    /// What goes with an item: its comma, and its line where it has one of its own.
    fn hole(&self, node: u32) -> (usize, usize) {
        let text = &*self.file.text;
        let (start, end) = self.file.span(node);
        let rest = &text[end..];
        let after = match find_comma(rest) {
            Some(comma) if rest[..comma].trim().is_empty() => end + comma + 1,
            _ => end,
        };
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let own_line = text[line_start..start].trim().is_empty() && line_start > 0;
        let line_end = text[after..].find('\n').map_or(text.len(), |at| after + at + 1);
        if own_line && text[after..line_end].trim().is_empty() {
            return (line_start, line_end);
        }
        let spaces = text[after..].len() - text[after..].trim_start_matches(' ').len();
        if text[after..].trim_start().starts_with(')') && after == end {
            // The last of a line: the space in front of it goes.
            let front = text[..start].trim_end_matches(' ').len();
            return (front, after);
        }
        (start, after + spaces)
    }
}

/// How many bytes it takes, nearly, without what is moved or new.
fn length(put: &Put<'_>) -> usize {
    let (items, line) = match put {
        Put::Text(text) => return text.len(),
        Put::Lines { items, line, .. } => (items, line.len() + 1),
        Put::Inline { items, .. } => (items, 2),
    };
    let texts = items.iter().map(|item| match item {
        Item::Text(range) => line + range.len(),
        Item::Moved(_) | Item::New(_) => line,
    });
    texts.sum()
}

/// Appends a text of the writer with something else in front of each of its lines but the first, or in one line.
pub(super) fn push_lines(text: &str, line: Option<&str>, out: &mut String) {
    let mut rest = text;
    while let Some(end) = rest.bytes().position(|byte| byte == b'\n') {
        let this = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(line) = line {
            out.push_str(this);
            out.push_str(line);
            continue;
        }
        rest = rest.trim_start_matches(' ');
        let (this, space) =
            if rest.starts_with(')') { (this.trim_end_matches(','), "") } else { (this, " ") };
        let space = if this.ends_with('(') { "" } else { space };
        out.push_str(this);
        out.push_str(space);
    }
    out.push_str(rest);
}

/// The first comma that is not part of a comment, in front of anything else.
fn find_comma(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b',' => return Some(at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => at += text[at..].find('\n')?,
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let mut depth = 0_usize;
                loop {
                    match bytes.get(at..at + 2)? {
                        b"/*" => (depth, at) = (depth + 1, at + 2),
                        b"*/" => (depth, at) = (depth - 1, at + 2),
                        _ => at += 1,
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            _ if byte.is_ascii_whitespace() => at += 1,
            _ => return None,
        }
    }
    None
}
