//! The command line.

use std::path::PathBuf;

use crate::growth::{Axis, Operation};
use crate::measure::Effort;
use crate::workloads::{self, Workload};

/// What the command line asks for.
#[derive(Debug)]
pub struct Options {
    pub effort: Effort,
    pub check: bool,
    pub plot: bool,
    /// How cost grows, in place of the comparison.
    pub growth: bool,
    /// Only to write what is stored into the README.
    pub readme: bool,
    /// Where to write what is measured.
    pub results: PathBuf,
    /// What is stored, to be printed in place of measuring.
    pub from: Option<PathBuf>,
    /// What was measured with `target-cpu=native`, to be printed too.
    pub native: Option<PathBuf>,
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
            "usage: peers [--growth] [--quick] [--only NAME,..] [--sizes N,..] [--results FILE]\n       \
             peers [--growth] --from FILE\n       \
             peers --readme\n\
             and with each: [--plot]; with the comparison: [--check] [--native FILE]"
        )?;
        write!(out, "workloads:")?;
        workloads::ALL.iter().try_for_each(|workload| write!(out, " {}", workload.name))?;
        write!(out, "\nwith --growth:")?;
        Operation::ALL.iter().try_for_each(|operation| write!(out, " {}", operation.name()))
    }
}

impl std::error::Error for Unknown {}

/// The folder of this package.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// When one is unknown, names an unknown workload, or does not go with another one.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, Unknown> {
        let mut results = None;
        let mut options = Self {
            effort: Effort::FULL,
            check: false,
            plot: false,
            growth: false,
            readme: false,
            results: PathBuf::new(),
            from: None,
            native: None,
            pictures: folder().join("pictures"),
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
                "--growth" => options.growth = true,
                "--readme" => options.readme = true,
                "--results" => results = Some(PathBuf::from(value()?)),
                "--from" => options.from = Some(PathBuf::from(value()?)),
                "--native" => options.native = Some(PathBuf::from(value()?)),
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
        options.agree(results.is_some())?;
        let usual = if options.growth { "growth.json" } else { "results.json" };
        options.results = results.unwrap_or_else(|| folder().join(usual));
        Ok(options)
    }

    /// Whether what was asked for can be had together.
    fn agree(&self, names_results: bool) -> Result<(), Unknown> {
        let names: Vec<&str> = if self.growth {
            Operation::ALL.map(Operation::name).to_vec()
        } else {
            workloads::ALL.iter().map(|workload| workload.name).collect()
        };
        if let Some(name) = self.only.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(Unknown(format!("`{name}` is no workload")));
        }
        let measures = names_results || !self.only.is_empty() || !self.sizes.is_empty();
        let refused = [
            (
                self.from.is_some() && measures,
                "--from measures nothing: it goes with no choice of what to measure",
            ),
            (self.growth && self.check, "--check is about the comparison: leave --growth out"),
            (self.growth && self.native.is_some(), "--native is about the comparison: leave --growth out"),
            (
                self.readme
                    && (measures
                        || self.check
                        || self.growth
                        || self.from.is_some()
                        || self.native.is_some()),
                "--readme takes what is stored as it is: it goes with --plot and nothing else",
            ),
        ];
        match refused.into_iter().find(|(is_refused, _)| *is_refused) {
            Some((_, reason)) => Err(Unknown(reason.to_owned())),
            None => Ok(()),
        }
    }

    fn names(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    pub fn wants(&self, workload: &Workload) -> bool {
        self.names(workload.name)
    }

    /// Whether this is wanted when growth is measured.
    pub fn wants_growth_of(&self, operation: Operation) -> bool {
        self.names(operation.name())
    }

    /// The sizes of one workload: those asked for, or its usual ones if none were. A workload of one size keeps it.
    pub fn sizes_of(&self, workload: &Workload) -> Vec<usize> {
        let usual = workload.sizes;
        if self.sizes.is_empty() || usual.len() == 1 {
            return usual.to_vec();
        }
        self.sizes.clone()
    }

    /// The sizes at which growth is measured. Of the numbers asked for those of entities count: the numbers of
    /// columns are what the worlds were written for.
    pub fn growth_sizes(&self, axis: Axis) -> Vec<usize> {
        if self.sizes.is_empty() || axis == Axis::Columns {
            axis.sizes().to_vec()
        } else {
            self.sizes.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, Unknown> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn nothing_asked_for_is_the_whole_comparison() {
        let options = parse("").expect("nothing is fine");
        assert!(!options.check && !options.plot && !options.growth && !options.readme);
        assert!(options.from.is_none() && options.native.is_none());
        assert!(options.results.ends_with("results.json"));
        assert!(workloads::ALL.iter().all(|workload| options.wants(workload)));
        assert!(workloads::ALL.iter().all(|workload| options.sizes_of(workload) == workload.sizes));
        assert!(Operation::ALL.into_iter().all(|operation| options.wants_growth_of(operation)));
        assert!(Axis::ALL.into_iter().all(|axis| options.growth_sizes(axis) == axis.sizes()));
    }

    #[test]
    fn every_workload_and_every_operation_can_be_named() {
        for workload in workloads::ALL {
            let options = parse(&format!("--only {}", workload.name)).expect("it is one");
            let wanted: Vec<&str> =
                workloads::ALL.iter().filter(|it| options.wants(it)).map(|it| it.name).collect();
            assert_eq!(wanted, [workload.name]);
        }
        for operation in Operation::ALL {
            let options = parse(&format!("--growth --only {}", operation.name())).expect("it is one");
            assert!(Operation::ALL.into_iter().all(|it| options.wants_growth_of(it) == (it == operation)));
        }
    }

    #[test]
    fn what_is_measured_and_what_is_stored_have_files_of_their_own() {
        assert!(parse("--growth").expect("fine").results.ends_with("growth.json"));
        assert!(parse("--results native.json").expect("fine").results.ends_with("native.json"));
        let options = parse("--from a.json --native b.json --check --plot").expect("fine");
        assert_eq!(options.from, Some(PathBuf::from("a.json")));
        assert_eq!(options.native, Some(PathBuf::from("b.json")));
        assert!(options.check && options.plot);
        assert!(parse("--growth --from a.json --plot").expect("fine").growth);
        assert!(parse("--readme --plot").expect("fine").readme);
    }

    #[test]
    fn sizes_and_lists_are_read() {
        let options = parse("--sizes 10,20 --only get,add --quick").expect("fine");
        let get = workloads::ALL.iter().find(|workload| workload.name == "get").expect("there is one");
        assert_eq!(options.sizes_of(get), [10, 20]);
        assert_eq!(options.growth_sizes(Axis::Entities), [10, 20]);
        assert_eq!(options.growth_sizes(Axis::Columns), Axis::Columns.sizes());
        assert!(options.effort.budget < Effort::FULL.budget);
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for line in [
            "--unknown",
            "walk",
            "--only",
            "--sizes",
            "--sizes ten",
            "--from",
            "--native",
            "--results",
            "--only nothing",
            "--only first-write",
            "--growth --only get",
            "--from a.json --results b.json",
            "--from a.json --only get",
            "--from a.json --sizes 10",
            "--growth --check",
            "--growth --native b.json",
            "--readme --check",
            "--readme --growth",
            "--readme --from a.json",
            "--readme --native a.json",
            "--readme --only get",
        ] {
            assert!(parse(line).is_err(), "`{line}` was taken");
        }
    }
}
