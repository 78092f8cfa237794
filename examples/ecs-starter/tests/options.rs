//! What the program makes of its command line.

use std::process::{Command, Output};

use ecs_starter::{OptionError, Options, Request};

fn parse(arguments: &[&str]) -> Result<Request, OptionError> {
    Request::parse(arguments.iter().map(ToString::to_string))
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ecs-starter")).args(arguments).output().unwrap()
}

#[test]
fn options_come_in_any_order_and_have_defaults() {
    let all = Options { entities: 10_000, steps: 600 };
    assert_eq!(parse(&[]), Ok(Request::Run(all)));
    assert_eq!(parse(&["--steps", "3"]), Ok(Request::Run(Options { steps: 3, ..all })));
    assert_eq!(parse(&["--entities", "0"]), Ok(Request::Run(Options { entities: 0, ..all })));
    let both = Ok(Request::Run(Options { entities: 20, steps: 3 }));
    assert_eq!(parse(&["--steps", "3", "--entities", "20"]), both);
    assert_eq!(parse(&["--entities", "20", "--steps", "3"]), both);
    assert_eq!(parse(&["--steps", "3", "--help"]), Ok(Request::Help));
}

#[test]
fn what_follows_scene_is_for_the_command_of_scenes() {
    let words = |words: &[&str]| Ok(Request::Scene(words.iter().map(ToString::to_string).collect()));
    assert_eq!(parse(&["scene", "check", "--help"]), words(&["check", "--help"]));
    assert_eq!(parse(&["scene"]), words(&[]));
    assert_eq!(parse(&["--steps", "3", "scene"]), Err(OptionError::Unknown("scene".into())));
}

#[test]
fn an_option_that_cannot_be_followed_is_named() {
    let number = |value: &str| Err(OptionError::NotANumber { option: "--steps".into(), value: value.into() });
    let range = |value: &str| Err(OptionError::OutOfRange { option: "--steps".into(), value: value.into() });
    assert_eq!(parse(&["--speed", "3"]), Err(OptionError::Unknown("--speed".into())));
    assert_eq!(parse(&["600"]), Err(OptionError::Unknown("600".into())));
    assert_eq!(parse(&["--steps"]), Err(OptionError::Missing("--steps".into())));
    for value in ["", "many", "-3", "1.5", "--entities", "12 "] {
        assert_eq!(parse(&["--steps", value]), number(value));
    }
    for value in ["0", "1000001", "4294967296", "99999999999999999999"] {
        assert_eq!(parse(&["--steps", value]), range(value));
    }
}

#[test]
fn a_wrong_option_ends_the_program_with_one_line() {
    for arguments in [&["--speed"][..], &["--steps"], &["--steps", "no"], &["--steps", "0"], &["a\nb"]] {
        let output = run(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(error.starts_with("ecs-starter: ") && error.lines().count() == 1, "{error}");
        assert!(error.contains("usage: ecs-starter [--entities"), "{error}");
    }
}

#[test]
fn the_program_reports_its_run() {
    let output = run(&["--entities", "80", "--steps", "150"]);
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(report.contains("150 steps of 1/60 s; 91 entities at first"), "{report}");
    assert!(report.contains("from step 150 to step 0"), "{report}");
    assert!(report.contains("each world equals what it was the first time"), "{report}");
}

#[test]
fn the_smallest_run_reports_too() {
    let output = run(&["--entities", "0", "--steps", "1"]);
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(report.contains("from step 1 to step 0"), "{report}");
}
