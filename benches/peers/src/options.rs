//! The command line.

use std::path::PathBuf;

use crate::measure::Effort;
use crate::workloads::{self, Workload};

/// What the command line asks for.
pub struct Options {
    pub effort: Effort,
    pub check: bool,
    pub plot: bool,
    pub results: PathBuf,
    pub pictures: PathBuf,
    only: Vec<String>,
    sizes: Vec<usize>,
}

/// An argument that means nothing here.
#[derive(Debug)]
pub struct Unknown(String);

impl std::fmt::Display for Unknown {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(out, "{}", self.0)?;
        writeln!(
            out,
            "usage: peers [--quick] [--check] [--plot] [--only NAME,..] [--sizes N,..] [--results FILE]"
        )?;
        write!(out, "workloads:")?;
        workloads::ALL.iter().try_for_each(|workload| write!(out, " {}", workload.name))
    }
}

impl std::error::Error for Unknown {}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// When one is unknown, or names an unknown workload.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, Unknown> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let mut options = Self {
            effort: Effort::FULL,
            check: false,
            plot: false,
            results: folder.join("results.json"),
            pictures: folder.join("pictures"),
            only: Vec::new(),
            sizes: Vec::new(),
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| Unknown(format!("{argument} needs a value behind it")));
            match argument.as_str() {
                "--quick" => options.effort = Effort::QUICK,
                "--check" => options.check = true,
                "--plot" => options.plot = true,
                "--results" => options.results = PathBuf::from(value()?),
                "--only" => options.only.extend(value()?.split(',').map(str::to_owned)),
                "--sizes" => {
                    for size in value()?.split(',') {
                        let size = size
                            .parse()
                            .map_err(|_| Unknown(format!("`{size}` is no number of entities")))?;
                        options.sizes.push(size);
                    }
                }
                _ => return Err(Unknown(format!("`{argument}` is no option"))),
            }
        }
        let unknown = |name: &&String| workloads::ALL.iter().all(|workload| workload.name != **name);
        if let Some(name) = options.only.iter().find(unknown) {
            return Err(Unknown(format!("`{name}` is no workload")));
        }
        Ok(options)
    }

    pub fn wants(&self, workload: &Workload) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == workload.name)
    }

    /// The sizes of one workload: those asked for among its usual ones, or all of them where there are none.
    pub fn sizes_of(&self, workload: &Workload) -> Vec<usize> {
        let usual = workload.sizes;
        if self.sizes.is_empty() || usual.len() == 1 {
            return usual.to_vec();
        }
        self.sizes.clone()
    }
}
