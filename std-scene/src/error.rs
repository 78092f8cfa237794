//! What can be wrong with a scene, and how it is shown.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// How many errors of one load are kept.
const KEPT: usize = 20;

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A character that cannot stand there.
    UnexpectedCharacter,
    /// The text ends where a value should stand.
    UnexpectedEnd,
    /// A bracket that is never closed.
    Unclosed,
    /// A block comment that is never closed.
    UnclosedComment,
    /// A string that is never closed.
    UnclosedText,
    /// An escape that does not exist, or a character literal of more or less than one character.
    BadEscape,
    /// A number that is not written as one.
    BadNumber,
    /// Two values without a comma in between.
    MissingComma,
    /// Something after the end of the scene.
    TrailingText,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// The file does not start with `scene(`.
    NotAScene,
    /// A version of the format that this program does not know.
    UnknownVersion,
    /// A lower-case word that is not one of the format.
    UnknownWord,
    /// Something of the format where it must not stand.
    Misplaced,
    /// A word of the format with the wrong things in its parentheses.
    BadArguments,
    /// A name that no entity can have.
    BadName,
    /// Two siblings of one name.
    DuplicateName,
    /// The same component twice on one entity.
    DuplicateComponent,
    /// A file that is not there or cannot be read.
    FileNotFound,
    /// A path that leaves the folder of the scenes.
    OutsideRoot,
    /// Files that instance each other in a circle.
    Cycle,
    /// An instanced file that has no or several top-level entities.
    NotOneRoot,
    /// A patch of an entity that the instanced file does not have.
    UnknownPath,
    /// A `without` of a component that is not there.
    NothingToRemove,
    /// A component that nobody registered.
    UnknownComponent,
    /// A field that the component does not have.
    UnknownField,
    /// A field given twice.
    DuplicateField,
    /// A value without a name beside fields that have one.
    MixedFields,
    /// A field that is needed and given nowhere.
    MissingField,
    /// A variant that the enum does not have.
    UnknownVariant,
    /// A value of another type.
    WrongType,
    /// A tuple of another length.
    WrongLength,
    /// A number that its type cannot hold.
    OutOfRange,
    /// A value that the component's own code refuses.
    Refused,
    /// A reference to a name that no entity of the file has.
    UnknownName,
    /// A reference to a name that several entities have.
    AmbiguousName,
    /// A number where the name of an entity belongs.
    RawEntity,
    /// An entity inside one of serde's buffered types, where no name can be resolved.
    BufferedEntity,
    /// A reference to an entity that an outer file removes.
    RemovedName,
    /// Values nested deeper than the limit.
    ValuesTooDeep,
    /// Entities nested deeper than the limit.
    EntitiesTooDeep,
    /// More entities than the limit.
    TooManyEntities,
    /// More files than the limit.
    TooManyFiles,
    /// A file longer than the limit.
    FileTooLong,
    /// Something that the world refused: see the message.
    World,
}

/// What is wrong at one place of one file.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneError {
    /// What kind of thing is wrong.
    pub kind: ErrorKind,
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
    /// The path of the entity concerned, where there is one.
    pub entity: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: Arc<str>,
}

impl SceneError {
    /// The error as a compiler would show it, with the line of the file and a mark under the place.
    pub fn render(&self) -> String {
        let line_start = self.text[..self.start].rfind('\n').map_or(0, |at| at + 1);
        let from = self.text[..line_start].trim_end_matches(['\r', '\n']).rfind('\n').map_or(0, |at| at + 1);
        let from = if self.line <= 2 { 0 } else { from };
        let until = self.text[self.end..].find('\n').map_or(self.text.len(), |at| self.end + at);
        // A long line is cut, as a hostile file is one line of megabytes.
        let from = floor(&self.text, from.max(self.start.saturating_sub(400)));
        let until = floor(&self.text, until.min(self.start + 400));
        let shown = &self.text[from..until];
        let end = self.end.min(until).max(self.start);
        let end = self.text[self.start..end].find('\n').map_or(end, |at| self.start + at);
        let first_line = self.line - self.text[from..self.start].matches('\n').count();
        let title = Level::ERROR.primary_title(self.message.as_str());
        let mut group = title.element(
            Snippet::source(shown)
                .path(self.file.as_str())
                .line_start(first_line)
                .fold(false)
                .annotation(AnnotationKind::Primary.span(self.start - from..end - from)),
        );
        if let Some(entity) = &self.entity {
            group = group.element(Level::NOTE.message(format!("in entity `{entity}`")));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        Renderer::plain().render(&[group])
    }
}

/// The nearest character boundary at or before a byte.
fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        if let Some(entity) = &self.entity {
            write!(f, " (in entity `{entity}`)")?;
        }
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {self}", self.kind)
    }
}

impl std::error::Error for SceneError {}

/// Everything that is wrong with a scene: sorted by file and place, each place once, at most twenty.
#[derive(Clone, PartialEq, Eq)]
pub struct SceneErrors {
    errors: Vec<SceneError>,
    more: usize,
}

impl SceneErrors {
    /// Sorts, keeps one error for a place, and drops what is beyond twenty.
    pub(crate) fn new(mut errors: Vec<SceneError>) -> Self {
        errors.sort_by(|a, b| (&a.file, a.start, a.kind).cmp(&(&b.file, b.start, b.kind)));
        errors.dedup_by(|a, b| a.file == b.file && a.start == b.start && a.end == b.end);
        let more = errors.len().saturating_sub(KEPT);
        errors.truncate(KEPT);
        Self { errors, more }
    }

    /// The errors, in the order of files and places.
    pub fn iter(&self) -> std::slice::Iter<'_, SceneError> {
        self.errors.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Never: there is at least one.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// All of them as a compiler would show them.
    pub fn render(&self) -> String {
        let mut all: Vec<String> = self.errors.iter().map(SceneError::render).collect();
        if self.more > 0 {
            all.push(format!("and {} more", self.more));
        }
        all.join("\n\n")
    }
}

impl<'a> IntoIterator for &'a SceneErrors {
    type Item = &'a SceneError;
    type IntoIter = std::slice::Iter<'a, SceneError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            fmt::Display::fmt(error, f)?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl fmt::Debug for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SceneErrors {}

impl From<SceneError> for SceneErrors {
    fn from(error: SceneError) -> Self {
        Self::new(vec![error])
    }
}
