//! Values on their own, outside of any scene: for tools and tests.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::SceneErrors;
use crate::limits::Limits;
use crate::text::decode::{Context, Layer, RawNames, Scope, Value};
use crate::text::encode;
use crate::text::fields::parse_value;
use crate::text::layout;
use crate::text::parse::parse;
use crate::text::tree::File;

/// A value that cannot be written as scene text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value cannot be written: {message}")]
pub struct WriteError {
    pub(crate) message: String,
}

/// Writes a value as it would stand in a field of a component; entities as their numbers.
///
/// # Errors
///
/// Deeper than the limits, or a name that cannot be an identifier.
///
/// ```
/// assert_eq!(std_scene::write_value(&(1.0_f32, Some("a")), &Default::default())?, "(1.0, Some(\"a\"))");
/// # Ok::<(), std_scene::WriteError>(())
/// ```
pub fn write_value<T: Serialize + ?Sized>(value: &T, limits: &Limits) -> Result<String, WriteError> {
    encode::value(value, &mut encode::Bits, limits.value_depth)
        .map_err(|fault| WriteError { message: fault.0 })
}

/// Reads a value from several texts, the outermost patch first and the base last.
///
/// Structs are merged field by field, through newtypes and `Some`; everything else is that of the first text
/// that has it.
///
/// # Errors
///
/// What is wrong with the texts, each of which is called by its position.
///
/// ```
/// #[derive(serde::Deserialize, PartialEq, Debug)]
/// struct Place { x: i32, y: i32 }
///
/// let place: Place = std_scene::read_value(&["(y: 5)", "(x: 1, y: 2)"], &Default::default())?;
/// assert_eq!(place, Place { x: 1, y: 5 });
/// # Ok::<(), std_scene::SceneErrors>(())
/// ```
pub fn read_value<T: DeserializeOwned>(texts: &[&str], limits: &Limits) -> Result<T, SceneErrors> {
    let mut files = Vec::new();
    for (number, text) in (0..).zip(texts) {
        let (file, result) = parse_value(&format!("text {number}"), Arc::from(*text), number, limits);
        files.push(file);
        result.map_err(|fault| fault.report(&files.iter().collect::<Vec<_>>()))?;
    }
    let files: Vec<&File> = files.iter().collect();
    let layers: Vec<Layer> = (0..files.len() as u32)
        .map(|file| Layer { file, node: 0, inside: false, scope: Scope::default() })
        .collect();
    let mut context = Context::new(&files, &RawNames);
    context.raw = true;
    let Some(value) = Value::of_layers(&context, &layers) else {
        let (file, result) = parse("no text", Arc::from(""), 0, limits);
        return Err(result
            .err()
            .map_or_else(|| SceneErrors::new(Vec::new()), |fault| fault.report(&[&file]).into()));
    };
    T::deserialize(value).map_err(|fault| fault.report(&files).into())
}

/// The text of a scene in the usual layout: only white space and commas change, and comments stay.
///
/// Line breaks between items stay where they are. Formatting twice is formatting once.
///
/// # Errors
///
/// What cannot be read.
///
/// ```
/// let text = std_scene::format_scene("level.ron", "scene(entity( \"a\",Player ,))", &Default::default())?;
/// assert_eq!(text, "scene(entity(\"a\", Player))\n");
/// # Ok::<(), std_scene::SceneErrors>(())
/// ```
pub fn format_scene(name: &str, text: &str, limits: &Limits) -> Result<String, SceneErrors> {
    let (file, result) = parse(name, Arc::from(text), 0, limits);
    match result {
        Ok(()) => Ok(layout::format(&file)),
        Err(fault) => Err(fault.report(&[&file]).into()),
    }
}
