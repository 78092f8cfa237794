//! The parser. It keeps its own stack, so no text makes it overflow that of the thread.

use std::sync::Arc;

use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::text::fault::Fault;
use crate::text::literal;
use crate::text::tree::{File, Kind, Node};

/// The words whose nesting is that of entities, not that of values.
const STRUCTURE: [&str; 3] = ["scene", "entity", "at"];

/// Reads one value, as which a scene is written too.
///
/// The file is handed back also where it is faulty, for showing the place.
pub(crate) fn parse(name: &str, text: Arc<str>, number: u32, limits: &Limits) -> (File, Result<(), Fault>) {
    let mut file = File { name: name.to_owned(), text, nodes: Vec::new() };
    if file.text.len() > limits.bytes || u32::try_from(file.text.len()).is_err() {
        let fault = Fault::new(
            ErrorKind::FileTooLong,
            format!("the file has {} bytes, and {} are allowed", file.text.len(), limits.bytes),
        )
        .help("raise `Limits::bytes` if the file is meant to be that long")
        .at(number, (0, 0));
        return (file, Err(fault));
    }
    let mut nodes = Vec::with_capacity(file.text.len() / 5 + 1);
    let mut parser = Parser {
        text: &file.text,
        bytes: file.text.as_bytes(),
        at: 0,
        nodes: &mut nodes,
        open: Vec::new(),
        values: 0,
        entities: 0,
        limits,
    };
    let result = parser.run().map_err(|(fault, span)| fault.at(number, span));
    file.nodes = nodes;
    (file, result)
}

type Step<T> = Result<T, (Fault, (usize, usize))>;

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    nodes: &'t mut Vec<Node>,
    /// The nodes that are not complete, outermost first.
    open: Vec<Open>,
    /// How many brackets of values are open.
    values: usize,
    /// How many entities are open.
    entities: usize,
    limits: &'t Limits,
}

struct Open {
    node: u32,
    kind: Kind,
    structure: bool,
    /// For an entry: that its key is complete.
    keyed: bool,
}

impl Parser<'_> {
    fn run(&mut self) -> Step<()> {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        loop {
            self.trivia()?;
            if let Some(closer) = self.closer()
                && self.peek() == Some(closer)
            {
                self.at += 1;
                self.close();
            } else if !self.item()? {
                continue;
            }
            if self.after_value()? {
                break;
            }
        }
        self.trivia()?;
        if self.at < self.bytes.len() {
            return Err(self
                .fault_here(ErrorKind::TrailingText, "there is something after the end")
                .map_help("a file is one `scene(..)`"));
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The byte that closes the bracket in which an item or nothing may follow.
    fn closer(&self) -> Option<u8> {
        Some(match self.open.last()?.kind {
            Kind::Call | Kind::Group => b')',
            Kind::List => b']',
            Kind::Map => b'}',
            _ => return None,
        })
    }

    /// After a value: what it completes, up to the next place for an item. True at the end of everything.
    fn after_value(&mut self) -> Step<bool> {
        loop {
            let Some(open) = self.open.last_mut() else { return Ok(true) };
            match open.kind {
                Kind::Field => self.finish(),
                Kind::Entry if open.keyed => self.finish(),
                Kind::Entry => {
                    open.keyed = true;
                    self.trivia()?;
                    if self.peek() != Some(b':') {
                        return Err(self
                            .fault_here(
                                ErrorKind::UnexpectedCharacter,
                                "a key of a map is followed by `:` and its value",
                            )
                            .map_help("a map is written `{key: value}`, a struct `(field: value)`"));
                    }
                    self.at += 1;
                    return Ok(false);
                }
                _ => {
                    self.trivia()?;
                    match self.peek() {
                        Some(b',') => {
                            self.at += 1;
                            return Ok(false);
                        }
                        Some(byte) if Some(byte) == self.closer() => {
                            self.at += 1;
                            self.close();
                        }
                        None => return Err(self.unclosed()),
                        Some(b')' | b']' | b'}') => return Err(self.wrong_closer()),
                        Some(_) => {
                            return Err(self
                                .fault_here(ErrorKind::MissingComma, "there is no comma in front of this")
                                .map_help("items are separated by commas"));
                        }
                    }
                }
            }
        }
    }

    /// One item. False if only its beginning was read, so that another value has to follow.
    fn item(&mut self) -> Step<bool> {
        if self.open.last().is_some_and(|open| open.kind == Kind::Map) {
            self.push(Kind::Entry, self.at, self.at);
        }
        let start = self.at;
        let Some(byte) = self.peek() else {
            return Err(if self.open.is_empty() {
                self.fault_here(ErrorKind::UnexpectedEnd, "the text ends where a value should stand")
            } else {
                self.unclosed()
            });
        };
        match byte {
            b'(' => self.bracket(Kind::Group),
            b'[' => self.bracket(Kind::List),
            b'{' => self.bracket(Kind::Map),
            b'"' => self.text_literal(Kind::Text, start),
            b'\'' => self.character(),
            b'r' if self.is_raw(1) => self.raw_literal(Kind::RawText, 1),
            b'b' if self.bytes.get(self.at + 1) == Some(&b'"') => {
                self.at += 1;
                self.text_literal(Kind::Bytes, start)
            }
            b'b' if self.bytes.get(self.at + 1) == Some(&b'r') && self.is_raw(2) => {
                self.raw_literal(Kind::RawBytes, 2)
            }
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number(),
            b')' | b']' | b'}' => Err(if self.open.is_empty() {
                self.fault_here(ErrorKind::UnexpectedCharacter, "nothing is open that this could close")
            } else if self.closer().is_some() {
                self.wrong_closer()
            } else {
                self.fault_here(ErrorKind::UnexpectedCharacter, "a value is missing in front of this")
            }),
            b'#' => Err(self
                .fault_here(ErrorKind::UnexpectedCharacter, "scene files have no attributes")
                .map_help("extensions such as `#![enable(implicit_some)]` are not needed: write the values as they are")),
            _ => self.word(),
        }
    }

    /// Whether `r` hashes and a quote stand here, after a prefix.
    fn is_raw(&self, prefix: usize) -> bool {
        let rest = &self.bytes[(self.at + prefix).min(self.bytes.len())..];
        let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
        rest.get(hashes) == Some(&b'"')
    }

    fn push(&mut self, kind: Kind, start: usize, head: usize) {
        let node = self.nodes.len() as u32;
        self.nodes.push(Node {
            kind,
            start: start as u32,
            head: head as u32,
            end: head as u32,
            next: node + 1,
        });
        self.open.push(Open { node, kind, structure: false, keyed: false });
    }

    fn leaf(&mut self, kind: Kind, start: usize) -> bool {
        let next = self.nodes.len() as u32 + 1;
        let end = self.at as u32;
        self.nodes.push(Node { kind, start: start as u32, head: end, end, next });
        true
    }

    /// Ends the innermost open node here.
    fn finish(&mut self) {
        let next = self.nodes.len() as u32;
        if let Some(open) = self.open.pop() {
            // A field and an entry end where their value ends, not after what follows it.
            let end = match open.kind {
                Kind::Field => self.nodes[open.node as usize + 1].end,
                Kind::Entry => {
                    let key = open.node as usize + 1;
                    self.nodes[self.nodes[key].next as usize].end
                }
                _ => self.at as u32,
            };
            let node = &mut self.nodes[open.node as usize];
            (node.end, node.next) = (end, next);
            if !matches!(open.kind, Kind::Call | Kind::Field) {
                node.head = end;
            }
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.last() {
            if open.structure {
                self.entities -= 1;
            } else {
                self.values -= 1;
            }
        }
        self.finish();
    }

    fn bracket(&mut self, kind: Kind) -> Step<bool> {
        let start = self.at;
        self.push(kind, start, start);
        self.deeper(start)?;
        self.at += 1;
        Ok(false)
    }

    /// Counts a bracket that was pushed.
    fn deeper(&mut self, start: usize) -> Step<()> {
        let span = (start, start + 1);
        if self.open.last().is_some_and(|open| open.structure) {
            self.entities += 1;
            // `scene(` itself is no entity.
            if self.entities > self.limits.entity_depth + 1 {
                let message = format!("entities are nested more than {} deep", self.limits.entity_depth);
                return Err((
                    Fault::new(ErrorKind::EntitiesTooDeep, message)
                        .help("raise `Limits::entity_depth` if they are meant to be"),
                    span,
                ));
            }
        } else {
            self.values += 1;
            if self.values > self.limits.value_depth {
                let message = format!("values are nested more than {} deep", self.limits.value_depth);
                return Err((
                    Fault::new(ErrorKind::ValuesTooDeep, message)
                        .help("raise `Limits::value_depth` if they are meant to be"),
                    span,
                ));
            }
        }
        Ok(())
    }

    fn word(&mut self) -> Step<bool> {
        let start = self.at;
        if self.bytes[start..].starts_with(b"r#") {
            self.at += 2;
            let raw = self.at;
            while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte)) {
                self.at += 1;
            }
            if self.at == raw {
                return Err(
                    self.fault_here(ErrorKind::UnexpectedCharacter, "`r#` is followed by an identifier")
                );
            }
        } else {
            self.identifier();
        }
        if self.at == start {
            return Err(
                self.fault_here(ErrorKind::UnexpectedCharacter, "no value starts with this character")
            );
        }
        let head = self.at;
        let in_parentheses =
            self.open.last().is_some_and(|open| matches!(open.kind, Kind::Call | Kind::Group));
        self.trivia()?;
        match self.peek() {
            Some(b':') if in_parentheses && self.bytes.get(self.at + 1) != Some(&b':') => {
                self.at += 1;
                self.push(Kind::Field, start, head);
                Ok(false)
            }
            Some(b'(') => {
                let outer = self.open.last().is_none_or(|open| open.structure);
                self.push(Kind::Call, start, head);
                if let Some(open) = self.open.last_mut() {
                    open.structure = outer && STRUCTURE.contains(&&self.text[start..head]);
                }
                self.deeper(start)?;
                self.at += 1;
                Ok(false)
            }
            _ => {
                self.at = head;
                Ok(self.leaf(Kind::Word, start))
            }
        }
    }

    fn identifier(&mut self) {
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte.is_ascii_alphabetic() || byte == b'_' || byte.is_ascii_digit() && self.at > start {
                self.at += 1;
            } else if byte >= 0x80
                && let Some(character) = self.text[self.at..].chars().next()
                && (character.is_alphabetic() || character.is_numeric() && self.at > start)
            {
                self.at += character.len_utf8();
            } else {
                break;
            }
        }
    }

    fn number(&mut self) -> Step<bool> {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            let signed = matches!(byte, b'+' | b'-')
                && matches!(self.bytes[self.at - 1], b'e' | b'E')
                && !self.text[start..self.at].contains("0x");
            if byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || signed {
                self.at += 1;
            } else {
                break;
            }
        }
        let written = &self.text[start..self.at];
        let plain = is_plain(written);
        if !plain {
            let (number, suffix) = literal::split_suffix(written);
            let float = suffix.is_some_and(|suffix| suffix.starts_with('f'));
            let good = if suffix.is_some() && !float {
                literal::integer(number).is_some()
            } else {
                literal::integer(number).is_some() || literal::is_float(number)
            };
            if !good {
                let fault = Fault::new(ErrorKind::BadNumber, format!("`{written}` is not a number"))
                    .help("numbers are written like 12, -3, 0xff, 1_000, 2.5, 1e-3, inf, NaN");
                return Err((fault, (start, self.at)));
            }
        }
        Ok(self.leaf(Kind::Number, start))
    }

    fn text_literal(&mut self, kind: Kind, start: usize) -> Step<bool> {
        let open = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => {
                    let fault = Fault::new(ErrorKind::UnclosedText, "this string is never closed")
                        .help("a string ends with `\"`; inside, write `\\\"`");
                    return Err((fault, (open, open + 1)));
                }
                Some(b'"') => break,
                Some(b'\\') => {
                    let (_, length) = self.escape()?;
                    self.at += length;
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok(self.leaf(kind, start))
    }

    fn escape(&mut self) -> Step<(char, usize)> {
        literal::escape(&self.text[self.at..]).map_err(|fault| {
            let end = self.text[self.at + 1..].chars().next().map_or(0, char::len_utf8);
            (fault, (self.at, self.at + 1 + end))
        })
    }

    fn raw_literal(&mut self, kind: Kind, prefix: usize) -> Step<bool> {
        let start = self.at;
        let hashes = self.bytes[start + prefix..].iter().take_while(|&&byte| byte == b'#').count();
        let open = start + prefix + hashes;
        let end = format!("\"{}", "#".repeat(hashes));
        let Some(length) = self.text[open + 1..].find(&end) else {
            let fault = Fault::new(ErrorKind::UnclosedText, "this raw string is never closed")
                .help(format!("it ends with `{end}`"));
            return Err((fault, (start, open + 1)));
        };
        self.at = open + 1 + length + end.len();
        Ok(self.leaf(kind, start))
    }

    fn character(&mut self) -> Step<bool> {
        let start = self.at;
        self.at += 1;
        let length = match self.text[self.at..].chars().next() {
            Some('\\') => self.escape()?.1,
            Some('\'') | None => 0,
            Some(character) => character.len_utf8(),
        };
        self.at += length;
        if length == 0 || self.peek() != Some(b'\'') {
            let fault = Fault::new(ErrorKind::BadEscape, "a character literal is one character")
                .help("write strings with `\"`");
            return Err((fault, (start, start + 1)));
        }
        self.at += 1;
        Ok(self.leaf(Kind::Character, start))
    }

    /// White space and comments.
    fn trivia(&mut self) -> Step<()> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => {
                    self.at =
                        self.text[self.at..].find('\n').map_or(self.bytes.len(), |length| self.at + length);
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => self.block_comment()?,
                0x80.. => match self.text[self.at..].chars().next() {
                    Some(character) if character.is_whitespace() => self.at += character.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        Ok(())
    }

    /// Comments nest, as in Rust.
    fn block_comment(&mut self) -> Step<()> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.bytes.get(self.at..self.at + 2) {
                Some(b"/*") => (depth, self.at) = (depth + 1, self.at + 2),
                Some(b"*/") => {
                    (depth, self.at) = (depth - 1, self.at + 2);
                    if depth == 0 {
                        return Ok(());
                    }
                }
                Some(_) => self.at += 1,
                None => {
                    let fault = Fault::new(ErrorKind::UnclosedComment, "this comment is never closed")
                        .help("it ends with `*/`, and comments nest");
                    return Err((fault, (start, start + 2)));
                }
            }
        }
    }

    fn unclosed(&self) -> (Fault, (usize, usize)) {
        let open = self.open.iter().rev().find(|open| !matches!(open.kind, Kind::Field | Kind::Entry));
        let Some(open) = open else {
            return self.fault_here(ErrorKind::UnexpectedEnd, "the text ends where a value should stand");
        };
        let node = self.nodes[open.node as usize];
        let closer = match open.kind {
            Kind::List => ']',
            Kind::Map => '}',
            _ => ')',
        };
        let fault = Fault::new(ErrorKind::Unclosed, "this is never closed").help(format!("add `{closer}`"));
        (fault, (node.start as usize, (node.head as usize).max(node.start as usize + 1)))
    }

    fn wrong_closer(&self) -> (Fault, (usize, usize)) {
        let wanted = self.closer().map_or(')', char::from);
        self.fault_here(ErrorKind::UnexpectedCharacter, &format!("`{wanted}` is expected here"))
            .map_help("brackets close in the reverse order in which they open")
    }

    fn fault_here(&self, kind: ErrorKind, message: &str) -> (Fault, (usize, usize)) {
        let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        (Fault::new(kind, message), (self.at, self.at + length))
    }
}

/// Whether a number is digits, perhaps with a sign in front and a point and digits behind: most are.
fn is_plain(text: &str) -> bool {
    let bytes = text.strip_prefix(['-', '+']).unwrap_or(text).as_bytes();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match bytes.get(digits) {
        None => digits > 0,
        Some(b'.') => digits > 0 && bytes[digits + 1..].iter().all(u8::is_ascii_digit),
        Some(_) => false,
    }
}

trait MapHelp {
    fn map_help(self, help: &str) -> Self;
}

impl MapHelp for (Fault, (usize, usize)) {
    fn map_help(self, help: &str) -> Self {
        (self.0.help(help), self.1)
    }
}
