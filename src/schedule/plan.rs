//! What a schedule is going to do, to be printed.

use std::fmt;

use super::access::{Cause, Leaf};
use super::batch::{Row, batches};
use super::stage::Stage;

/// What a schedule is going to do: which systems run at the same time, and who waits for whom. Made by
/// [`Schedule::plan`](crate::Schedule::plan).
///
/// `Display` prints it as text, [`dot`](Self::dot) for Graphviz.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The stages in running order.
    pub stages: Vec<PlannedStage>,
}

/// A stage of a [`Plan`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStage {
    /// The stage.
    pub stage: Stage,
    /// The names of systems that run at the same time, batch after batch.
    pub batches: Vec<Vec<String>>,
    /// Who waits for whom. What follows from two others is left out.
    pub waits: Vec<Wait>,
}

/// A system that waits for another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who waits.
    pub system: String,
    /// For whom.
    pub on: String,
    /// Why.
    pub because: Vec<Cause>,
}

impl PlannedStage {
    pub(super) fn new<W>(stage: Stage, rows: &[Row<W>], leaves: &[Leaf]) -> Self
    where
        W: crate::world::World,
    {
        let name = |row: usize| rows[row].system.name().to_owned();
        let sets: Vec<_> = rows.iter().map(|row| &row.set).collect();
        let named = |batch: Vec<usize>| batch.into_iter().map(name).collect();
        let batches = batches(&sets).into_iter().map(named).collect();

        // before[row]: whoever is done when the row's turn comes.
        let mut before: Vec<Vec<bool>> = Vec::with_capacity(rows.len());
        let mut waits = Vec::new();
        for row in 0..rows.len() {
            let mut done = vec![false; row];
            for on in (0..row).rev() {
                if done[on] || !sets[row].clashes(sets[on]) {
                    continue;
                }
                let because = sets[row].causes(sets[on], leaves);
                waits.push(Wait { system: name(row), on: name(on), because });
                done[on] = true;
                for (earlier, is_before) in before[on].iter().enumerate() {
                    done[earlier] |= is_before;
                }
            }
            before.push(done);
        }
        Self { stage, batches, waits }
    }
}

impl Plan {
    /// The plan as a graph in the language of Graphviz: a box for each stage, and in it an arrow from each
    /// system to each one that waits for it. `dot -Tsvg` draws it.
    pub fn dot(&self) -> String {
        let mut lines = vec!["digraph schedule {".to_owned(), "    rankdir=LR; node [shape=box];".to_owned()];
        for (number, PlannedStage { stage, batches, waits }) in self.stages.iter().enumerate() {
            lines.push(format!("    subgraph cluster_{number} {{"));
            lines.push(format!("        label={};", quoted(stage.name())));
            for batch in batches {
                let systems: Vec<String> = batch.iter().map(|name| quoted(name)).collect();
                lines.push(format!("        {{ rank=same; {}; }}", systems.join("; ")));
            }
            for Wait { system, on, because } in waits {
                let label = quoted(&causes(because));
                lines.push(format!("        {} -> {} [label={label}];", quoted(on), quoted(system)));
            }
            lines.push("    }".to_owned());
        }
        lines.push("}\n".to_owned());
        lines.join("\n")
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn causes(because: &[Cause]) -> String {
    because.iter().map(Cause::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for PlannedStage { stage, batches, waits } in &self.stages {
            let often = if stage.is_step() { "each step" } else { "each frame" };
            writeln!(f, "{stage} ({often})")?;
            for (number, batch) in batches.iter().enumerate() {
                writeln!(f, "  {}. {}", number + 1, batch.join(" | "))?;
            }
            for Wait { system, on, because } in waits {
                writeln!(f, "     {system} waits for {on}: {}", causes(because))?;
            }
        }
        Ok(())
    }
}
