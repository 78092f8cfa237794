//! The formatter: white space and commas, and nothing else.

use crate::text::tree::{File, Kind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Atom,
    /// The name in front of parentheses.
    Callee,
    /// The name of a field.
    Label,
    Colon,
    Open,
    Close,
    LineComment,
    BlockComment,
}

struct Token<'t> {
    piece: Piece,
    text: &'t str,
    /// Line breaks in front of it.
    breaks: usize,
    /// Whether an item ends with it.
    ends_item: bool,
}

/// The text with one indentation for each level, one space after commas and colons, a comma after the last
/// item where the items stand on lines of their own, and at most one blank line. Line breaks between items
/// stay where they are. Formatting again changes nothing.
pub(crate) fn format(file: &File) -> String {
    let tokens = tokens(file);
    let broken = broken(&tokens);
    let newline = if file.text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(file.text.len());
    if file.text.starts_with('\u{feff}') {
        out.push('\u{feff}');
    }
    // Whether each open bracket has items on lines of their own.
    let mut open: Vec<bool> = Vec::new();
    let mut previous: Option<Piece> = None;
    for (at, token) in tokens.iter().enumerate() {
        let closes = token.piece == Piece::Close;
        let breaks_here =
            if closes { open.pop().unwrap_or(false) } else { token.breaks > 0 && starts_line(&tokens, at) };
        let after_line_comment = previous == Some(Piece::LineComment);
        if previous.is_some() && (breaks_here || after_line_comment) {
            out.push_str(newline);
            if token.breaks > 1 && !closes && !matches!(previous, Some(Piece::Open)) {
                out.push_str(newline);
            }
            let depth = open.iter().filter(|&&broken| broken).count();
            out.extend(std::iter::repeat_n("    ", depth));
        } else if spaced(previous, token.piece) {
            out.push(' ');
        }
        out.push_str(token.text);
        if token.piece == Piece::Open {
            open.push(broken[at]);
        }
        if token.ends_item {
            let last = last_of_group(&tokens, at);
            if !open.is_empty() && (!last || open.last() == Some(&true)) {
                out.push(',');
            }
        }
        previous = Some(token.piece);
    }
    out.push_str(newline);
    out
}

/// Whether only comments stand between an item and the end of its bracket.
fn last_of_group(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[at + 1..]
        .iter()
        .find(|token| !matches!(token.piece, Piece::LineComment | Piece::BlockComment))
        .is_none_or(|token| token.piece == Piece::Close)
}

/// Items and comments start lines; what stands inside an item does not.
fn starts_line(tokens: &[Token<'_>], at: usize) -> bool {
    if matches!(tokens[at].piece, Piece::LineComment | Piece::BlockComment) {
        return true;
    }
    tokens[..at]
        .iter()
        .rev()
        .find(|token| !matches!(token.piece, Piece::LineComment | Piece::BlockComment))
        .is_none_or(|token| token.ends_item || token.piece == Piece::Open)
}

fn spaced(previous: Option<Piece>, piece: Piece) -> bool {
    match (previous, piece) {
        (None | Some(Piece::Open), _)
        | (Some(Piece::Callee), Piece::Open)
        | (_, Piece::Close | Piece::Colon) => false,
        (Some(_), _) => true,
    }
}

/// For each opening bracket, whether a direct item, comment or its end stands on a line of its own.
fn broken(tokens: &[Token<'_>]) -> Vec<bool> {
    let mut broken = vec![false; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if let Some(&bracket) = open.last()
            && (token.breaks > 0 && (token.piece == Piece::Close || starts_line(tokens, at))
                || token.piece == Piece::LineComment)
        {
            // A line break in front of the end alone is dropped with the last comma.
            broken[bracket] |= token.piece != Piece::Close || tokens[at - 1].piece == Piece::LineComment;
        }
        match token.piece {
            Piece::Open => open.push(at),
            Piece::Close => {
                open.pop();
            }
            _ => {}
        }
    }
    broken
}

fn tokens(file: &File) -> Vec<Token<'_>> {
    let text = &*file.text;
    let bytes = text.as_bytes();
    // The spans of names and literals, in the order of the text.
    let mut named = file
        .nodes
        .iter()
        .filter_map(|node| {
            let (piece, end) = match node.kind {
                Kind::Call => (Piece::Callee, node.head),
                Kind::Field => (Piece::Label, node.head),
                Kind::Group | Kind::List | Kind::Map | Kind::Entry => return None,
                _ => (Piece::Atom, node.end),
            };
            Some((node.start as usize, end as usize, piece))
        })
        .peekable();
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let (mut at, mut breaks) = (if text.starts_with('\u{feff}') { 3 } else { 0 }, 0);
    while at < bytes.len() {
        let (end, piece) = if let Some(&(start, end, piece)) = named.peek()
            && start == at
        {
            named.next();
            (end, piece)
        } else {
            match bytes[at] {
                b'(' | b'[' | b'{' => (at + 1, Piece::Open),
                b')' | b']' | b'}' => (at + 1, Piece::Close),
                b':' => (at + 1, Piece::Colon),
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    (text[at..].find('\n').map_or(bytes.len(), |length| at + length), Piece::LineComment)
                }
                b'/' => (block_end(bytes, at), Piece::BlockComment),
                b',' => {
                    at += 1;
                    continue;
                }
                byte => {
                    breaks += usize::from(byte == b'\n');
                    at += 1;
                    continue;
                }
            }
        };
        tokens.push(Token { piece, text: text[at..end].trim_end(), breaks, ends_item: false });
        (at, breaks) = (end, 0);
    }
    mark_items(&mut tokens);
    tokens
}

fn block_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// An item ends with an atom or a closing bracket that no colon follows.
fn mark_items(tokens: &mut [Token<'_>]) {
    for at in 0..tokens.len() {
        if matches!(tokens[at].piece, Piece::Atom | Piece::Close) {
            tokens[at].ends_item = tokens[at + 1..]
                .iter()
                .find(|token| !matches!(token.piece, Piece::LineComment | Piece::BlockComment))
                .is_none_or(|token| token.piece != Piece::Colon);
        }
    }
}
