//! Why a schedule refused a system or a stage.

use super::stage::Stage;

/// Why a schedule refused a system or a stage. It is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// Names are unique in a schedule.
    #[error(
        "there is a system \"{name}\" already; rename one, or use `replace`. The systems are: {}",
        list(known)
    )]
    DuplicateName {
        /// The name.
        name: String,
        /// The names of all systems.
        known: Vec<String>,
    },
    /// No system has this name.
    #[error("there is no system \"{name}\". The systems are: {}", list(known))]
    UnknownName {
        /// The name.
        name: String,
        /// The names of all systems.
        known: Vec<String>,
    },
    /// The schedule has this stage, or another of that name, already.
    #[error("there is a stage {} already. The stages are: {}", stage.name(), stages(known))]
    DuplicateStage {
        /// The stage.
        stage: Stage,
        /// All stages, in running order.
        known: Vec<Stage>,
    },
    /// The schedule does not have this stage.
    #[error(
        "there is no stage {stage:?}; put it in with `insert_stage_before` or `insert_stage_after`. \
         The stages are: {}",
        stages(known)
    )]
    UnknownStage {
        /// The stage.
        stage: Stage,
        /// All stages, in running order.
        known: Vec<Stage>,
    },
    /// The stages of a step have to stand side by side, as all of them run before the next step begins.
    #[error(
        "stage {stage:?} cannot stand there: the stages of a fixed step stand side by side. \
         Put a `Stage::Step` beside `Fixed`, and a `Stage::Frame` not between two of them"
    )]
    StepApart {
        /// The stage.
        stage: Stage,
    },
    /// A system declares one thing in two ways.
    #[error(
        "system \"{system}\" declares {what} {}; keep one declaration",
        if *twice { "as written twice" } else { "both as read and as written" }
    )]
    Contradiction {
        /// The name of the system.
        system: String,
        /// The component or the part.
        what: String,
        /// Whether it is written twice, not read and written.
        twice: bool,
    },
    /// A system declares the entities, or a group that has them, as a part.
    #[error(
        "system \"{system}\" declares the entities as a part; use `.reads_entities()`, `.spawns()` or \
         `.despawns()`, and `.exclusive()` for the whole world"
    )]
    EntitiesAsPart {
        /// The name of the system.
        system: String,
    },
    /// A system declares a part that is not in the world.
    #[error("system \"{system}\" declares {what}, which is no part of the world that it is given")]
    NotInWorld {
        /// The name of the system.
        system: String,
        /// The component, or the type of the part.
        what: String,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none yet".to_owned() } else { names.join(", ") }
}

fn stages(stages: &[Stage]) -> String {
    stages.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(", ")
}
