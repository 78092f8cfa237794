//! Runs the war of `ecs-starter` and reports what its snapshots cost.

use std::process::ExitCode;

use ecs_starter::{Options, Replay, Report, Request, USAGE, fleet, schedule};

/// How many steps the program goes back.
const ROLLBACK: u64 = 120;

fn main() -> ExitCode {
    let Options { entities, steps } = match Request::parse(std::env::args().skip(1)) {
        Ok(Request::Run(options)) => options,
        Ok(Request::Help) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("ecs-starter: {error}");
            return ExitCode::from(2);
        }
    };
    let schedule = match schedule() {
        Ok(schedule) => schedule,
        Err(error) => {
            eprintln!("ecs-starter: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut replay = Replay::new(fleet(entities), schedule, steps);
    for _ in 0..steps {
        replay.step();
    }
    match replay.again(ROLLBACK) {
        Ok(rollback) => {
            print!("{}", Report::new(&replay, &rollback));
            ExitCode::SUCCESS
        }
        Err(differs) => {
            eprintln!("ecs-starter: {differs}");
            ExitCode::FAILURE
        }
    }
}
