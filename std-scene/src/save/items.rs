//! The items of some parentheses while they are written.

use super::edits::push_lines;

/// Texts, one behind the other.
#[derive(Default)]
pub(super) struct Items {
    pub(super) text: String,
    ends: Vec<usize>,
}

impl Items {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// What was written behind the last item becomes one.
    pub(super) fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    /// What was written behind the last item is dropped.
    pub(super) fn discard(&mut self) {
        self.text.truncate(self.ends.last().copied().unwrap_or_default());
    }

    pub(super) fn push(&mut self, item: &str) {
        self.text.push_str(item);
        self.end();
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.text[start..end])
    }

    /// Appends a word of the format with these items, in one line if that is not too long or if nothing is given to
    /// stand in front of lines.
    pub(super) fn call(&self, word: &str, name: Option<&str>, line: Option<&str>, out: &mut String) {
        let length = word.len() + 2 + name.map_or(0, str::len) + self.text.len() + 2 * self.ends.len();
        let has_lines = self.text.contains('\n');
        let line = line.filter(|_| length > 80 || has_lines).map(|line| format!("{line}    "));
        out.push_str(word);
        out.push('(');
        if let Some(name) = name {
            out.push('"');
            out.push_str(name);
            out.push('"');
        }
        for (at, item) in self.iter().enumerate() {
            let after_comma = if at == 0 { name.is_some() } else { line.is_none() };
            if after_comma {
                out.push(',');
            }
            match &line {
                Some(line) => out.push_str(line),
                None if after_comma => out.push(' '),
                None => {}
            }
            if has_lines {
                push_lines(item, line.as_deref(), out);
            } else {
                out.push_str(item);
            }
            if line.is_some() {
                out.push(',');
            }
        }
        if let Some(line) = line {
            out.push_str(&line[..line.len() - 4]);
        }
        out.push(')');
    }
}
