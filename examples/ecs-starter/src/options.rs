//! What the program is asked on its command line.

use std::num::IntErrorKind;

/// One line that says how to call the program.
pub const USAGE: &str = "usage: ecs-starter [--entities 0..=1000000] [--steps 1..=1000000], or ecs-starter scene check|fmt FILE..";

/// How much to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many entities the fleets and their rocks are that stand beside the level.
    pub entities: u32,
    /// How many steps are run, and so how many snapshots are kept.
    pub steps: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { entities: 10_000, steps: 600 }
    }
}

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// To say how the program is called.
    Help,
    /// To run.
    Run(Options),
    /// To do something with scene files: the words after `scene`.
    Scene(Vec<String>),
}

/// An option that cannot be followed. The message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("there is no option {0:?}; {USAGE}")]
    Unknown(String),
    /// Nothing follows the option.
    #[error("a number has to follow {0}; {USAGE}")]
    Missing(String),
    /// What follows the option is not a number.
    #[error("{option} takes a number, not {value:?}; {USAGE}")]
    NotANumber {
        /// The option.
        option: String,
        /// What follows it.
        value: String,
    },
    /// The number is too small or too large.
    #[error("{value} is out of range for {option}; {USAGE}")]
    OutOfRange {
        /// The option.
        option: String,
        /// What follows it.
        value: String,
    },
}

impl Request {
    /// Reads the arguments that follow the name of the program.
    ///
    /// # Errors
    ///
    /// The first [`OptionError`], for the first argument that cannot be followed.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, OptionError> {
        let mut options = Options::default();
        let mut arguments = arguments.into_iter().peekable();
        if arguments.next_if(|first| first == "scene").is_some() {
            return Ok(Self::Scene(arguments.collect()));
        }
        while let Some(option) = arguments.next() {
            let (number, least) = match option.as_str() {
                "--entities" => (&mut options.entities, 0),
                "--steps" => (&mut options.steps, 1),
                "--help" | "-h" => return Ok(Self::Help),
                _ => return Err(OptionError::Unknown(option)),
            };
            let Some(value) = arguments.next() else { return Err(OptionError::Missing(option)) };
            *number = match value.parse::<u32>() {
                Ok(number) if (least..=1_000_000).contains(&number) => number,
                Err(error) if *error.kind() != IntErrorKind::PosOverflow => {
                    return Err(OptionError::NotANumber { option, value });
                }
                _ => return Err(OptionError::OutOfRange { option, value }),
            };
        }
        Ok(Self::Run(options))
    }
}
