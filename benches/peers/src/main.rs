//! `std-ecs` beside eight other entity component systems and two bounds, in one process.
//!
//! See `README.md` in this folder for what is measured and how.

mod components;
mod contender;
mod heap;
mod measure;
mod options;
mod peers;
mod plan;
mod plot;
mod report;
mod sums;
mod workloads;

use std::process::ExitCode;

use options::Options;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    rayon::ThreadPoolBuilder::new().num_threads(peers::THREADS).build_global()?;

    let mut samples = Vec::new();
    for workload in workloads::ALL.iter().filter(|workload| options.wants(workload)) {
        for size in options.sizes_of(workload) {
            eprintln!("{} at {size}", workload.name);
            samples.extend(measure::measure(workload, size, options.effort)?);
        }
    }

    let report = report::Report::new(&samples);
    print!("{report}");
    std::fs::write(&options.results, serde_json::to_string_pretty(&samples)?)?;
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
