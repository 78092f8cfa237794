//! The spans that a profiler sees.
#![cfg(feature = "tracing")]

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use std_ecs::{Entities, Schedule, Stage, System, World};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[derive(Clone, Debug, Default, World)]
struct Game {
    entities: Entities,
}

/// Writes down which spans are entered and left.
#[derive(Clone, Default)]
struct Recorder {
    names: Arc<Mutex<Vec<String>>>,
    seen: Arc<Mutex<String>>,
}

struct Name<'a>(&'a mut String);

impl Visit for Name<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut name = span.metadata().name().to_owned();
        span.record(&mut Name(&mut name));
        let mut names = self.names.lock().unwrap();
        names.push(name);
        Id::from_u64(names.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        let name = &self.names.lock().unwrap()[span.into_u64() as usize - 1];
        write!(self.seen.lock().unwrap(), "({name} ").unwrap();
    }

    fn exit(&self, _: &Id) {
        self.seen.lock().unwrap().push(')');
    }
}

#[test]
fn each_stage_and_system_is_a_span() {
    let mut schedule = Schedule::new();
    schedule.set_parallel(false);
    schedule.add(Stage::Fixed, System::new("move", |_: &mut Game, _| {})).unwrap();
    schedule.add(Stage::Late, System::new("draw", |_: &mut Game, _| {})).unwrap();
    let recorder = Recorder::default();
    tracing::subscriber::with_default(recorder.clone(), || {
        schedule.run(&mut Game::default(), Duration::from_millis(33));
    });
    let fixed = "(stage name=\"Fixed\" (system name=\"move\" ))";
    let expected = [
        "(stage name=\"Input\" )",
        fixed,
        fixed,
        "(stage name=\"Update\" )",
        "(stage name=\"Late\" (system name=\"draw\" ))",
    ];
    assert_eq!(*recorder.seen.lock().unwrap(), expected.concat());
}
