//! `std-ecs` beside eight other entity component systems and two bounds, in one process.
//!
//! See `README.md` in this folder for what is measured and how.

mod components;
mod contender;
mod growth;
mod heap;
mod measure;
mod options;
mod peers;
mod plan;
mod plot;
mod readme;
mod report;
mod sums;
mod workloads;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use growth::Axis;
use options::Options;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    rayon::ThreadPoolBuilder::new().num_threads(peers::THREADS).build_global()?;
    if options.readme {
        readme::rewrite(&options::folder(), options.plot.then_some(options.pictures.as_path()))?;
        return Ok(ExitCode::SUCCESS);
    }
    if options.growth { show_growth(&options) } else { compare(&options) }
}

/// What a file of results holds.
fn load<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?)
}

fn save<T: Serialize>(path: &Path, results: &[T]) -> Result<(), Box<dyn Error>> {
    let text = serde_json::to_string_pretty(results)?;
    Ok(std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?)
}

fn compare(options: &Options) -> Result<ExitCode, Box<dyn Error>> {
    let mut samples = Vec::new();
    if let Some(stored) = &options.from {
        samples = load(stored)?;
    } else {
        for workload in workloads::ALL.iter().filter(|workload| options.wants(workload)) {
            for size in options.sizes_of(workload) {
                eprintln!("{} at {size}", workload.name);
                samples.extend(measure::measure(workload, size, options.effort)?);
            }
        }
        save(&options.results, &samples)?;
    }

    let report = report::Report::new(&samples);
    println!("## Ratio to the best peer\n\n{}", report.ratio_table());
    if let Some(native) = &options.native {
        let native = load(native)?;
        println!("## Ratio with `target-cpu=native`\n\n{}", report::Report::new(&native).ratio_table());
    }
    print!("{}", report.tables());
    if options.plot {
        plot::draw(&report, &options.pictures)?;
    }
    if options.check {
        let (text, met) = report.check();
        println!("{text}");
        return Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    Ok(ExitCode::SUCCESS)
}

fn show_growth(options: &Options) -> Result<ExitCode, Box<dyn Error>> {
    let mut points = Vec::new();
    if let Some(stored) = &options.from {
        points = load(stored)?;
    } else {
        for operation in growth::Operation::ALL {
            for axis in Axis::ALL.into_iter().filter(|_| options.wants_growth_of(operation)) {
                for size in options.growth_sizes(axis) {
                    eprintln!("{} at {size} {}", operation.name(), axis.name());
                    points.extend(growth::measure(operation, axis, size, options.effort)?);
                }
            }
        }
        save(&options.results, &points)?;
    }
    let tables = growth::Tables::new(&points);
    print!("{tables}");
    if options.plot {
        growth::draw(&tables, &options.pictures)?;
    }
    Ok(ExitCode::SUCCESS)
}
