//! A fault: what is wrong, by bytes. It becomes a `SceneError` when somebody wants to see it.

use std::sync::Arc;

use crate::error::{ErrorKind, SceneError};
use crate::text::tree::File;

/// What is wrong at some bytes of a file.
#[derive(Clone, Debug)]
pub(crate) struct Fault(Box<Details>);

#[derive(Clone, Debug)]
pub(crate) struct Details {
    pub(crate) kind: ErrorKind,
    /// File, first byte and the byte after the last; none as long as nobody knows the place.
    pub(crate) place: Option<(u32, usize, usize)>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) entity: Option<String>,
}

impl std::ops::Deref for Fault {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl Fault {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Details { kind, place: None, message: message.into(), help: None, entity: None }))
    }

    /// Gives the place, unless an inner one is known.
    pub(crate) fn at(mut self, file: u32, span: (usize, usize)) -> Self {
        self.0.place.get_or_insert((file, span.0, span.1));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    pub(crate) fn entity(mut self, path: impl FnOnce() -> String) -> Self {
        self.0.entity.get_or_insert_with(path);
        self
    }

    /// Names the file, the line and the column. Costs a walk over the text before the place.
    pub(crate) fn report(&self, files: &[&File]) -> SceneError {
        let (file, start, end) = self.place.unwrap_or((0, 0, 0));
        let (name, text) =
            files.get(file as usize).map_or(("", Arc::from("")), |file| (&*file.name, file.text.clone()));
        let start = start.min(text.len());
        let end = end.clamp(start, text.len());
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let marks = before.starts_with('\u{feff}') && line_start == 0;
        SceneError {
            kind: self.kind,
            file: name.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1 - usize::from(marks),
            entity: self.entity.clone(),
            message: self.message.clone(),
            help: self.help.clone(),
            start,
            end,
            text,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// The names that are nearest to one that does not exist, as a line of help; a list of all where none is near.
pub(crate) fn nearest<'n>(asked: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_unstable();
    known.dedup();
    let near: Vec<&str> = {
        let mut scored: Vec<(usize, &str)> = known
            .iter()
            .map(|name| (distance(asked, name), *name))
            .filter(|(distance, name)| {
                *distance <= 1 + name.chars().count().min(asked.chars().count()) / 4
                    || name.eq_ignore_ascii_case(asked)
            })
            .collect();
        scored.sort_unstable();
        scored.into_iter().take(3).map(|(_, name)| name).collect()
    };
    let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match (near.is_empty(), known.is_empty()) {
        (false, _) => Some(format!("did you mean {}?", near_list(&near))),
        (true, true) => None,
        (true, false) => {
            let rest = known.len().saturating_sub(12);
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            Some(format!("known here: {}{more}", quoted(&known[..known.len() - rest])))
        }
    }
}

fn near_list(near: &[&str]) -> String {
    near.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}

/// How many characters have to be added, dropped, replaced or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    // Names in files can be as long as they like; what is far longer than an identifier is near nothing.
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
