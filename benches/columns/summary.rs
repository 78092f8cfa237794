//! The ratios, read from what criterion has written, next to what they must be.

use std::path::PathBuf;

use crate::rows::SIZES;

/// What is compared with what.
enum Figure {
    /// A group's `column` over its `bound`, at most this; the second holds at 1,000,000 rows.
    Ratio(&'static str, f64, f64),
    /// Nanoseconds of one contender, whatever the number of rows.
    Nanoseconds(&'static str, &'static str, f64),
    /// Nanoseconds a row that a group's `column` takes more than its `bound`.
    More(&'static str, f64),
}

const FIGURES: [Figure; 13] = [
    Figure::Ratio("walk_for", 1.25, 2.0),
    Figure::Ratio("walk_for_each", 1.15, 2.0),
    Figure::Ratio("walk_chunks", 1.1, f64::INFINITY),
    Figure::Ratio("look_up_for", 7.0, f64::INFINITY),
    Figure::Ratio("look_up_for_each", 3.0, f64::INFINITY),
    Figure::Ratio("insert", 5.0, f64::INFINITY),
    Figure::Ratio("remove", 5.0, f64::INFINITY),
    Figure::Ratio("get", 2.5, f64::INFINITY),
    Figure::Nanoseconds("clone", "column", 100.0),
    Figure::Nanoseconds("first_write", "12_bytes", 10_000.0),
    Figure::Nanoseconds("first_write", "64_bytes", 10_000.0),
    Figure::More("rewrite", 0.6),
    Figure::Nanoseconds("changed_since", "column", 2_000.0),
];

/// The median time of one call in nanoseconds, if it has been measured.
fn median(group: &str, contender: &str, rows: usize) -> Option<f64> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let file = target
        .join("criterion")
        .join(group)
        .join(contender)
        .join(rows.to_string())
        .join("new/estimates.json");
    let text = std::fs::read_to_string(file).ok()?;
    serde_json::from_str::<serde_json::Value>(&text).ok()?["median"]["point_estimate"].as_f64()
}

/// Prints a row of Markdown for each figure.
pub(crate) fn print() {
    println!("\n| what | must be | 1,000 rows | 10,000 | 100,000 | 1,000,000 |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for figure in FIGURES {
        let (name, must) = match figure {
            Figure::Ratio(group, must, f64::INFINITY) => (group.to_owned(), format!("{must} x")),
            Figure::Ratio(group, must, million) => (group.to_owned(), format!("{must} x, {million} x")),
            Figure::Nanoseconds(group, contender, must) => {
                (format!("{group}, {contender}"), format!("{must} ns"))
            }
            Figure::More(group, must) => (group.to_owned(), format!("+{must} ns a row, to 100,000")),
        };
        let cells = SIZES.map(|rows| {
            let cell = match figure {
                Figure::Ratio(group, ..) => {
                    median(group, "column", rows).zip(median(group, "bound", rows)).map(|(column, bound)| {
                        format!("{:.2} x ({:.2} ns)", column / bound, column / f64::from(rows as u32))
                    })
                }
                Figure::Nanoseconds(group, contender, _) => {
                    median(group, contender, rows).map(|time| format!("{time:.0} ns"))
                }
                Figure::More(group, _) => median(group, "column", rows)
                    .zip(median(group, "bound", rows))
                    .map(|(column, bound)| format!("+{:.2} ns", (column - bound) / f64::from(rows as u32))),
            };
            cell.unwrap_or_else(|| "not measured".to_owned())
        });
        println!("| {name} | {must} | {} |", cells.join(" | "));
    }
}
