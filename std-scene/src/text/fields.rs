//! What is wrong with the fields of a value whatever its type is.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::ErrorKind;
use crate::limits::Limits;
use crate::text::fault::Fault;
use crate::text::parse::parse;
use crate::text::tree::{File, Kind};

/// Reads a value that stands outside of any scene, and checks it.
pub(crate) fn parse_value(
    name: &str,
    text: Arc<str>,
    number: u32,
    limits: &Limits,
) -> (File, Result<(), Fault>) {
    let (file, mut result) = parse(name, text, number, limits);
    if result.is_ok() {
        let mut faults = Vec::new();
        check(&file, number, 0, &mut faults);
        result = faults.into_iter().next().map_or(Ok(()), Err);
    }
    (file, result)
}

/// Finds the fields in a value that are given twice, and what stands without a name beside fields that have one.
///
/// Costs a walk over the nodes of the value, and sorting the names of each struct.
pub(crate) fn check(file: &File, number: u32, value: u32, faults: &mut Vec<Fault>) {
    for bracket in value..file.node(value).next {
        if matches!(file.kind(bracket), Kind::Call | Kind::Group) {
            check_one(file, number, bracket, faults);
        }
    }
}

fn check_one(file: &File, number: u32, bracket: u32, faults: &mut Vec<Fault>) {
    let mut names: SmallVec<[(&str, u32); 8]> = SmallVec::new();
    let mut nameless = None;
    for child in file.children(bracket) {
        if file.kind(child) == Kind::Field {
            names.push((file.name(child), child));
        } else {
            nameless = nameless.or(Some(child));
        }
    }
    if names.is_empty() {
        return;
    }
    if let Some(child) = nameless {
        let fault =
            Fault::new(ErrorKind::MixedFields, "this has no name, and stands beside fields that have one")
                .help("write `(field: value)` for a struct and `(value, value)` for a tuple");
        faults.push(fault.at(number, file.span(child)));
    }
    names.sort_unstable();
    // More are never shown, and a hostile file could have millions.
    for twins in names.windows(2).filter(|twins| twins[0].0 == twins[1].0).take(100) {
        let (name, field) = twins[1];
        let fault = Fault::new(ErrorKind::DuplicateField, format!("the field `{name}` is given twice"));
        faults.push(fault.at(number, file.head_span(field)));
    }
}
