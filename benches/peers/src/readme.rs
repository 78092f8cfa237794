//! Writes what is stored into the README of this package and that of the project, so that no figure is copied by
//! hand. What lies between the two marks of a part is replaced, the rest stays.

use std::error::Error;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::growth::{self, Point, Tables};
use crate::measure::Sample;
use crate::report::Report;
use crate::{load, plot};

/// A part has no place in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Unmarked {
    part: String,
}

impl std::fmt::Display for Unmarked {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (begin, end) = marks(&self.part);
        write!(out, "there must be a line `{begin}` and after it a line `{end}`, once each")
    }
}

impl Error for Unmarked {}

fn marks(part: &str) -> (String, String) {
    (format!("<!-- begin {part} -->"), format!("<!-- end {part} -->"))
}

/// The text with another content of one part.
fn with_part(text: &str, part: &str, content: &str) -> Result<String, Unmarked> {
    let (begin, end) = marks(part);
    let unmarked = || Unmarked { part: part.to_owned() };
    let (before, rest) = text.split_once(&begin).ok_or_else(unmarked)?;
    let (_, after) = rest.split_once(&end).ok_or_else(unmarked)?;
    if [before, after].iter().any(|other| other.contains(&begin) || other.contains(&end)) {
        return Err(unmarked());
    }
    Ok(format!("{before}{begin}\n\n{}\n\n{end}{after}", content.trim()))
}

fn rewrite_parts(path: &Path, parts: &[(&str, String)]) -> Result<(), Box<dyn Error>> {
    let in_file = |error: &dyn Error| format!("{}: {error}", path.display());
    let mut text = std::fs::read_to_string(path).map_err(|error| in_file(&error))?;
    for (part, content) in parts {
        text = with_part(&text, part, content).map_err(|error| in_file(&error))?;
    }
    Ok(std::fs::write(path, text).map_err(|error| in_file(&error))?)
}

/// What a file of results holds, if there is one.
fn stored<T: DeserializeOwned>(path: &Path) -> Result<Option<Vec<T>>, Box<dyn Error>> {
    if path.exists() {
        return load(path).map(Some);
    }
    eprintln!("{} is not there: what comes of it stays as it is", path.display());
    Ok(None)
}

/// Writes `results.json`, `native.json` and `growth.json` of this folder, those that there are, into its `README.md`
/// and into the one two folders up, and draws the pictures if it is told where.
///
/// # Errors
///
/// When one of the files cannot be read or written, or a README has no place for a part.
pub fn rewrite(folder: &Path, pictures: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let mut parts = Vec::new();
    if let Some(samples) = stored::<Sample>(&folder.join("results.json"))? {
        let report = Report::new(&samples);
        if let Some(pictures) = pictures {
            plot::draw(&report, pictures)?;
        }
        parts.extend([("ratios", report.ratio_table()), ("tables", report.tables())]);
        rewrite_parts(&folder.join("../../README.md"), &[("summary", report.summary(10_000))])?;
    }
    if let Some(samples) = stored::<Sample>(&folder.join("native.json"))? {
        parts.push(("native", Report::new(&samples).ratio_table()));
    }
    if let Some(points) = stored::<Point>(&folder.join("growth.json"))? {
        let tables = Tables::new(&points);
        if let Some(pictures) = pictures {
            growth::draw(&tables, pictures)?;
        }
        parts.push(("growth", tables.to_string()));
    }
    rewrite_parts(&folder.join("README.md"), &parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_replaced_and_the_rest_stays() {
        let text = "before\n<!-- begin one -->\nold\n<!-- end one -->\nbetween\n<!-- begin two --><!-- end two -->\n";
        let once = with_part(text, "one", "\nnew\n").expect("it is marked");
        let expected = "before\n<!-- begin one -->\n\nnew\n\n<!-- end one -->\nbetween\n\
                        <!-- begin two --><!-- end two -->\n";
        assert_eq!(once, expected);
        assert_eq!(with_part(&once, "one", "new"), Ok(once.clone()));
        let both = with_part(&once, "two", "more").expect("it is marked");
        assert!(both.contains("new") && both.contains("more") && !both.contains("old"));
    }

    #[test]
    fn a_part_without_its_two_marks_is_refused() {
        for text in [
            "",
            "<!-- begin one -->",
            "<!-- end one -->",
            "<!-- end one --> <!-- begin one -->",
            "<!-- begin other --> <!-- end other -->",
            "<!-- begin one --> <!-- end one --> <!-- begin one --> <!-- end one -->",
        ] {
            let refused = with_part(text, "one", "new").expect_err(text);
            assert!(refused.to_string().contains("<!-- begin one -->"), "{refused}");
        }
    }

    #[test]
    fn both_readmes_have_a_place_for_each_part() {
        let folder = crate::options::folder();
        let places =
            [("README.md", &["ratios", "native", "growth", "tables"][..]), ("../../README.md", &["summary"])];
        for (name, parts) in places {
            let text = std::fs::read_to_string(folder.join(name)).expect("it is there");
            for part in parts {
                assert!(with_part(&text, part, "").is_ok(), "{name} has no place for {part}");
            }
        }
    }
}
