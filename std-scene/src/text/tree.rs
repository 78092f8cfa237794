//! The flat tree of a file: spans of bytes in the order of the text.

use std::borrow::Cow;
use std::sync::Arc;

use crate::text::literal;

/// What a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `Name(..)`
    Call,
    /// `(..)`
    Group,
    /// `[..]`
    List,
    /// `{..}`
    Map,
    /// `name: value` in a call or a group; its one child is the value.
    Field,
    /// `key: value` in a map; its children are the key and the value.
    Entry,
    /// A bare word.
    Word,
    Number,
    /// `"..."`
    Text,
    /// `r"..."`
    RawText,
    /// `'.'`
    Character,
    /// `b"..."`
    Bytes,
    /// `br"..."`
    RawBytes,
}

/// A span, and where the span after it and its children starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    /// The end of the name of a call or a field, the end of everything else.
    pub(crate) head: u32,
    pub(crate) end: u32,
    /// The node after the last child.
    pub(crate) next: u32,
}

/// One file: its name, its text, and its spans. The root is node 0.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) text: Arc<str>,
    pub(crate) nodes: Vec<Node>,
}

impl File {
    #[inline]
    pub(crate) fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    #[inline]
    pub(crate) fn kind(&self, at: u32) -> Kind {
        self.node(at).kind
    }

    /// Whether the items in its parentheses are entities and what entities have.
    #[inline]
    pub(crate) fn is_structure(&self, at: u32) -> bool {
        let node = self.node(at);
        // Most calls are components, which the first letter tells.
        node.kind == Kind::Call
            && matches!(self.text.as_bytes()[node.start as usize], b's' | b'e' | b'a')
            && matches!(self.name(at), "scene" | "entity" | "at")
    }

    pub(crate) fn span(&self, at: u32) -> (usize, usize) {
        let node = self.node(at);
        (node.start as usize, node.end as usize)
    }

    /// The span of the name, for what has one; the first byte of other brackets, and else everything.
    pub(crate) fn head_span(&self, at: u32) -> (usize, usize) {
        let node = self.node(at);
        let end = match node.kind {
            Kind::Group | Kind::List | Kind::Map => node.start + 1,
            _ => node.head,
        };
        (node.start as usize, end as usize)
    }

    #[inline]
    pub(crate) fn slice(&self, at: u32) -> &str {
        let node = self.node(at);
        &self.text[node.start as usize..node.end as usize]
    }

    /// The name of a call, a field or a word, without the mark of a raw identifier.
    #[inline]
    pub(crate) fn name(&self, at: u32) -> &str {
        let node = self.node(at);
        let name = &self.text[node.start as usize..node.head as usize];
        name.strip_prefix("r#").unwrap_or(name)
    }

    /// The children, first to last. A word and a literal have none.
    #[inline]
    pub(crate) fn children(&self, at: u32) -> Children<'_> {
        Children { nodes: &self.nodes, at: at + 1, end: self.node(at).next }
    }

    /// The child, if there is exactly one and it is no field.
    #[inline]
    pub(crate) fn only_child(&self, at: u32) -> Option<u32> {
        let end = self.node(at).next;
        let child = at + 1;
        (child < end && self.node(child).next == end && self.kind(child) != Kind::Field).then_some(child)
    }

    #[inline]
    pub(crate) fn has_children(&self, at: u32) -> bool {
        at + 1 < self.node(at).next
    }

    /// The content of a string literal; `None` for anything else. Escapes were checked when the file was read.
    #[inline]
    pub(crate) fn string(&self, at: u32) -> Option<Cow<'_, str>> {
        match self.kind(at) {
            Kind::Text => {
                let text = self.slice(at);
                Some(literal::unescape(&text[1..text.len() - 1]))
            }
            Kind::RawText => Some(Cow::Borrowed(literal::raw(self.slice(at)))),
            _ => None,
        }
    }
}

/// The children of a node.
pub(crate) struct Children<'f> {
    nodes: &'f [Node],
    at: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        (self.at < self.end).then(|| {
            let child = self.at;
            self.at = self.nodes[child as usize].next;
            child
        })
    }
}
