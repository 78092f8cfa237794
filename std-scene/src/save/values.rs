//! The difference between two values, as texts of one writer.

use crate::text::tree::{File, Kind};

use super::edits::Edits;

/// A node of a text that the writer wrote.
#[derive(Clone, Copy)]
pub(crate) struct Written<'f> {
    pub(crate) file: &'f File,
    pub(crate) node: u32,
}

impl<'f> Written<'f> {
    pub(crate) fn text(self) -> &'f str {
        self.file.slice(self.node)
    }

    fn kind(self) -> Kind {
        self.file.kind(self.node)
    }

    pub(crate) fn children(self) -> Vec<Self> {
        self.file.children(self.node).map(|node| Self { node, ..self }).collect()
    }

    /// Whether its parentheses hold fields.
    fn has_fields(self) -> bool {
        matches!(self.kind(), Kind::Call | Kind::Group)
            && self.file.has_children(self.node)
            && self.file.kind(self.node + 1) == Kind::Field
    }

    /// The value of a field.
    fn field(self, name: &str) -> Option<Self> {
        self.children()
            .into_iter()
            .find(|child| child.kind() == Kind::Field && child.file.name(child.node) == name)
            .map(|child| Self { node: child.node + 1, ..self })
    }

    fn same_head(self, other: Self) -> bool {
        self.kind() == other.kind()
            && (self.kind() != Kind::Call || self.file.name(self.node) == other.file.name(other.node))
    }
}

/// Turns the text of a value into that of another, at the deepest places where it has a text.
///
/// `based` says whether another text shines through where this one has none.
pub(super) fn edit(
    edits: &mut Edits<'_>,
    old: Written<'_>,
    before: Written<'_>,
    now: Written<'_>,
    based: bool,
) {
    if before.text() == now.text() {
        return;
    }
    let fields = old.has_fields() || !old.file.has_children(old.node);
    let opens = matches!(old.kind(), Kind::Call | Kind::Group);
    if now.has_fields() && before.has_fields() && opens && fields && now.same_head(before) {
        for child in now.children() {
            let name = child.file.name(child.node);
            let now = Written { node: child.node + 1, ..now };
            let before = before.field(name);
            if before.is_some_and(|before| before.text() == now.text()) {
                continue;
            }
            match (old.field(name), before) {
                (Some(old), Some(before)) => edit(edits, old, before, now, based),
                (Some(old), None) => edits.replace(old.node, now.text()),
                (None, before) => {
                    let value = match before {
                        Some(before) if based => minimal(before, now),
                        _ => now.text().to_owned(),
                    };
                    let label = child.file.slice(child.node);
                    let label = &label[..label.len() - now.text().len()];
                    edits.append(old.node, &format!("{label}{value}"));
                }
            }
        }
        for child in old.children() {
            if now.field(child.file.name(child.node)).is_none() {
                edits.remove(child.node);
            }
        }
        return;
    }
    let (olds, befores, nows) = (old.children(), before.children(), now.children());
    let alike = old.same_head(now)
        && before.same_head(now)
        && !now.has_fields()
        && !before.has_fields()
        && !old.has_fields()
        && olds.len() == nows.len()
        && befores.len() == nows.len()
        && !nows.is_empty();
    if alike && matches!(now.kind(), Kind::Call | Kind::Group | Kind::List) {
        for ((old, before), now) in olds.into_iter().zip(befores).zip(nows) {
            edit(edits, old, before, now, based);
        }
        return;
    }
    edits.replace(old.node, now.text());
}

/// The least text that turns one value into the other when it is laid over it.
pub(crate) fn minimal(before: Written<'_>, now: Written<'_>) -> String {
    if !now.same_head(before) {
        return now.text().to_owned();
    }
    let open = || {
        let text = now.text();
        let head = now.file.node(now.node).head as usize - now.file.node(now.node).start as usize;
        if now.kind() == Kind::Call { text[..head].to_owned() } else { String::new() }
    };
    if now.has_fields() && before.has_fields() {
        if now.kind() == Kind::Call && now.file.name(now.node) != "Some" && before.node != 0 {
            // A variant with fields is replaced as a whole.
            return now.text().to_owned();
        }
        let missing = before.children().iter().any(|child| now.field(child.file.name(child.node)).is_none());
        if missing {
            return now.text().to_owned();
        }
        let fields: Vec<String> = now
            .children()
            .into_iter()
            .filter_map(|child| {
                let value = Written { node: child.node + 1, ..now };
                let label = child.file.slice(child.node);
                let label = &label[..label.len() - value.text().len()];
                match before.field(child.file.name(child.node)) {
                    Some(before) if before.text() == value.text() => None,
                    Some(before) => Some(format!("{label}{}", minimal(before, value))),
                    None => Some(child.text().to_owned()),
                }
            })
            .collect();
        return format!("{}({})", open(), fields.join(", "));
    }
    // Newtypes and `Some`.
    let layered = now.kind() == Kind::Group
        || now.kind() == Kind::Call && now.file.name(now.node) == "Some"
        || now.node == 0;
    if layered
        && matches!(now.kind(), Kind::Group | Kind::Call)
        && let (Some(before_child), Some(now_child)) =
            (before.file.only_child(before.node), now.file.only_child(now.node))
    {
        let inner = minimal(Written { node: before_child, ..before }, Written { node: now_child, ..now });
        return format!("{}({inner})", open());
    }
    now.text().to_owned()
}

/// What `now` becomes when the difference between two texts is laid over it, field by field.
pub(crate) fn carry(old: Written<'_>, new: Written<'_>, now: Written<'_>) -> String {
    if old.text() == new.text() {
        return now.text().to_owned();
    }
    if old.text() == now.text() || !(old.same_head(new) && new.same_head(now)) {
        return new.text().to_owned();
    }
    let head = {
        let node = now.file.node(now.node);
        if now.kind() == Kind::Call { &now.file.text[node.start as usize..node.head as usize] } else { "" }
    };
    if old.has_fields() && new.has_fields() && now.has_fields() {
        let fields: Vec<String> = new
            .children()
            .into_iter()
            .map(|child| {
                let name = child.file.name(child.node);
                let value = Written { node: child.node + 1, ..new };
                let label = child.file.slice(child.node);
                let label = &label[..label.len() - value.text().len()];
                match (old.field(name), now.field(name)) {
                    (Some(old), Some(now)) => format!("{label}{}", carry(old, value, now)),
                    _ => child.text().to_owned(),
                }
            })
            .collect();
        return format!("{head}({})", fields.join(", "));
    }
    if matches!(now.kind(), Kind::Group | Kind::Call)
        && let (Some(old_child), Some(new_child), Some(now_child)) =
            (old.file.only_child(old.node), new.file.only_child(new.node), now.file.only_child(now.node))
    {
        let inner = carry(
            Written { node: old_child, ..old },
            Written { node: new_child, ..new },
            Written { node: now_child, ..now },
        );
        return format!("{head}({inner})");
    }
    new.text().to_owned()
}
