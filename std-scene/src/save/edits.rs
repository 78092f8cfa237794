//! Edits of a text: what is taken out, put in and moved, while all the rest stays as it is.

use std::collections::{BTreeMap, HashSet};

use crate::text::tree::File;

/// Something to put in.
pub(super) enum Insertion {
    Text(String),
    /// A node that was taken out elsewhere, with the edits inside of it.
    Moved(u32),
}

/// The edits of one file.
pub(super) struct Edits<'f> {
    file: &'f File,
    /// Spans that are replaced; the text is empty for what is taken out.
    replaced: Vec<(usize, usize, String)>,
    /// Items that are put at the end of the parentheses of a node.
    appended: Vec<(u32, Insertion)>,
    /// Nodes that are taken out of their parentheses.
    removed: Vec<u32>,
}

impl<'f> Edits<'f> {
    pub(super) fn new(file: &'f File) -> Self {
        Self { file, replaced: Vec::new(), appended: Vec::new(), removed: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.appended.is_empty() && self.removed.is_empty()
    }

    /// Puts another text in the place of a node.
    pub(super) fn replace(&mut self, node: u32, text: impl Into<String>) {
        let (start, end) = self.file.span(node);
        self.replaced.push((start, end, text.into()));
    }

    /// Puts an item at the end of the parentheses of a node.
    pub(super) fn append(&mut self, node: u32, item: Insertion) {
        self.appended.push((node, item));
    }

    /// Takes an item out of its parentheses, with its comma.
    pub(super) fn remove(&mut self, node: u32) {
        self.removed.push(node);
    }

    /// The text of the whole file with all edits.
    pub(super) fn apply(mut self) -> String {
        let mut changes = std::mem::take(&mut self.replaced);
        let removed: HashSet<u32> = std::mem::take(&mut self.removed).into_iter().collect();
        for &node in &removed {
            let (start, end) = self.hole(node);
            changes.push((start, end, String::new()));
            // A comment between an item and its comma stays, and the comma goes.
            let after = self.file.node(node).end as usize;
            if let Some(comma) = find_comma(&self.file.text[after..]).map(|comma| after + comma)
                && comma >= end
            {
                changes.push((comma, comma + 1, String::new()));
            }
        }
        let appended = std::mem::take(&mut self.appended);
        let mut groups: BTreeMap<u32, Vec<Insertion>> = BTreeMap::new();
        for (node, item) in appended {
            groups.entry(node).or_default().push(item);
        }
        for (node, items) in groups {
            self.group(node, items, &removed, &mut changes);
        }
        // Insertions at one place keep the order in which they were made; what is taken out goes first.
        changes.sort_by_key(|&(start, end, _)| (start, end));
        let mut out = String::with_capacity(
            self.file.text.len() + changes.iter().map(|change| change.2.len()).sum::<usize>(),
        );
        self.assemble((0, self.file.text.len()), &changes, &mut out);
        out
    }

    /// The text of a span with the changes inside of it.
    fn assemble(&self, (start, end): (usize, usize), changes: &[(usize, usize, String)], out: &mut String) {
        let mut at = start;
        let first = changes.partition_point(|change| change.0 < start);
        for (from, to, text) in &changes[first..] {
            if *to > end {
                continue;
            }
            if *from > end {
                break;
            }
            // What lies inside of something that was taken out goes with it; two holes may overlap.
            if *from < at && *to <= at {
                continue;
            }
            out.push_str(&self.file.text[at..(*from).max(at)]);
            self.put(text, changes, out);
            at = *to;
        }
        out.push_str(&self.file.text[at..end]);
    }

    /// Puts a text in, in which moved nodes stand as their numbers between zero characters.
    fn put(&self, text: &str, changes: &[(usize, usize, String)], out: &mut String) {
        for (at, part) in text.split('\u{0}').enumerate() {
            match part.parse::<u32>() {
                Ok(node) if at % 2 == 1 => {
                    // The hole that the node leaves is around it, and not among the changes inside.
                    let (start, end) = self.file.span(node);
                    let inside = changes.iter().filter(|(from, to, _)| *from > start && *to < end);
                    let inside: Vec<(usize, usize, String)> = inside.cloned().collect();
                    self.assemble((start, end), &inside, out);
                }
                _ => out.push_str(part),
            }
        }
    }

    /// Where the items go that are put at the end of some parentheses, and what goes in front of them.
    fn group(
        &self,
        node: u32,
        items: Vec<Insertion>,
        removed: &HashSet<u32>,
        changes: &mut Vec<(usize, usize, String)>,
    ) {
        let text = &*self.file.text;
        let items: Vec<String> = items
            .into_iter()
            .map(|item| match item {
                Insertion::Text(text) => text,
                Insertion::Moved(node) => format!("\u{0}{node}\u{0}"),
            })
            .collect();
        let close = self.file.node(node).end as usize - 1;
        let children: Vec<u32> = self.file.children(node).collect();
        let last = children.last().copied();
        let after_last = last.map_or(self.opening(node) + 1, |last| self.file.node(last).end as usize);
        let gap = &text[after_last..close];
        let has_comma = last.is_none() || find_comma(gap).is_some();
        let kept = children.iter().any(|child| !removed.contains(child));
        if !has_comma && last.is_some_and(|last| !removed.contains(&last)) {
            changes.push((after_last, after_last, ",".to_owned()));
        }
        let broken = gap.contains('\n') || children.len() > 1 && self.starts_line(children[1]);
        let end = after_last + gap.trim_end().len();
        if broken {
            let indent = match last {
                Some(last) if self.starts_line(last) => self.indent(self.file.node(last).start as usize),
                _ => format!("{}    ", self.indent(self.file.node(node).start as usize)),
            };
            let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let length: usize = items.iter().map(|item| item.len() + indent.len() + 3).sum();
            let mut put = String::with_capacity(length + 64);
            for item in items {
                put.push_str(line_end);
                put.push_str(&indent);
                if item.contains('\n') {
                    put.push_str(&item.replace('\n', &format!("{line_end}{indent}")));
                } else {
                    put.push_str(&item);
                }
                put.push(',');
            }
            if !text[end..close].contains('\n') {
                put.push_str(line_end);
                put.push_str(&self.indent(self.file.node(node).start as usize));
            }
            changes.push((end, end, put));
        } else {
            let joined = items.join(", ").replace('\n', " ");
            let space = if kept { " " } else { "" };
            changes.push((end, end, format!("{space}{joined}")));
        }
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
