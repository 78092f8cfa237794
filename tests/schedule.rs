//! Stages, names, order and the fixed step of a schedule.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use std_ecs::{
    Cause, Column, Columns, Entities, FixedStep, Schedule, ScheduleError, Single, Stage, Steps, System, World,
};

#[derive(Clone, Debug, PartialEq)]
struct A(i32);

#[derive(Clone, Debug, PartialEq)]
struct B(i32);

#[derive(Clone, Debug, PartialEq)]
struct C(i32);

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Letters {
    a: Column<A>,
    b: Column<B>,
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Log {
    lines: Single<Vec<(String, Duration)>>,
    other: Single<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    letters: Letters,
    rest: Column<C>,
    log: Log,
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A system that writes down that it ran.
fn note(name: &'static str) -> System<Game> {
    let write = move |game: &mut Game, elapsed| game.log.lines.push((name.to_owned(), elapsed));
    System::new(name, write).writes_part(|game| &mut game.log.lines)
}

fn idle(name: &str) -> System<Game> {
    System::new(name, |_, _| {})
}

fn names(game: &Game) -> Vec<&str> {
    game.log.lines.iter().map(|(name, _)| name.as_str()).collect()
}

/// What one frame of this length runs.
fn frame(schedule: &mut Schedule<Game>, elapsed: Duration) -> (Steps, Game) {
    let mut game = Game::default();
    let report = schedule.run(&mut game, elapsed);
    (report, game)
}

#[test]
fn stages_run_in_their_order_and_steps_as_often_as_they_fit() {
    let mut schedule = Schedule::with_step(ms(20));
    for (stage, name) in [
        (Stage::Late, "late"),
        (Stage::Fixed, "fixed"),
        (Stage::Input, "input"),
        (Stage::Update, "update"),
        (Stage::Fixed, "second"),
    ] {
        schedule.add(stage, note(name)).unwrap();
    }
    let (report, game) = frame(&mut schedule, ms(47));
    assert_eq!(report, Steps { steps: 2, dropped: 0, left_over: ms(7) });
    assert_eq!(names(&game), ["input", "fixed", "second", "fixed", "second", "update", "late"]);
    let times: Vec<_> = game.log.lines.iter().map(|(_, elapsed)| elapsed.as_millis()).collect();
    assert_eq!(times, [47, 20, 20, 20, 20, 47, 47], "a step lasts a step, a frame the time of the frame");
    assert!((schedule.interpolation() - 0.35).abs() < 1e-9);

    let (report, game) = frame(&mut schedule, Duration::ZERO);
    assert_eq!((report.steps, names(&game)), (0, vec!["input", "update", "late"]));
}

#[test]
fn stages_of_the_program_stand_where_they_were_put() {
    let (camera, solve) = (Stage::Frame("camera"), Stage::Step("solve"));
    let mut schedule = Schedule::with_step(ms(10));
    schedule.insert_stage_before(Stage::Late, camera).unwrap();
    schedule.insert_stage_after(Stage::Fixed, solve).unwrap();
    schedule.insert_stage_before(Stage::Input, Stage::Frame("first")).unwrap();
    schedule.insert_stage_before(Stage::Fixed, Stage::Step("forces")).unwrap();
    for stage in schedule.stages() {
        schedule.add(stage, note(stage.name())).unwrap();
    }
    let (_, game) = frame(&mut schedule, ms(20));
    let step = ["forces", "Fixed", "solve"];
    let expected = [&["first", "Input"][..], &step, &step, &["Update", "camera", "Late"]].concat();
    assert_eq!(names(&game), expected);

    let refused = schedule.insert_stage_after(Stage::Update, camera).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "there is a stage camera already. The stages are: first, Input, forces, Fixed, solve, Update, camera, Late"
    );
    let same_name = schedule.insert_stage_after(Stage::Update, Stage::Frame("Fixed")).unwrap_err();
    assert!(matches!(same_name, ScheduleError::DuplicateStage { .. }));
    let unknown = schedule.insert_stage_after(Stage::Frame("menu"), Stage::Frame("x")).unwrap_err();
    assert!(unknown.to_string().starts_with("there is no stage Frame(\"menu\"); put it in with"));
    assert_eq!(
        schedule.add(Stage::Step("camera"), idle("x")).unwrap_err().to_string().split(';').next(),
        Some("there is no stage Step(\"camera\")")
    );
    for (before, stage) in
        [(camera, Stage::Step("x")), (Stage::Fixed, Stage::Frame("y")), (Stage::Input, Stage::Step("z"))]
    {
        assert_eq!(
            schedule.insert_stage_before(before, stage).unwrap_err(),
            ScheduleError::StepApart { stage }
        );
    }
    assert_eq!(schedule.stages().len(), 8);
}

#[test]
fn systems_are_found_by_name_and_moved_replaced_and_removed() {
    let mut schedule = Schedule::new();
    schedule.add(Stage::Update, note("c")).unwrap();
    schedule.insert_before("c", note("a")).unwrap().insert_after("a", note("b")).unwrap();
    schedule.insert_after("c", note("d")).unwrap();
    assert_eq!(schedule.names(), ["a", "b", "c", "d"]);
    assert_eq!(names(&frame(&mut schedule, ms(1)).1), ["a", "b", "c", "d"]);

    let b = schedule.replace("b", note("x")).unwrap();
    assert_eq!((b.name(), schedule.contains("b"), schedule.contains("x")), ("b", false, true));
    assert_eq!(schedule.replace("x", idle("x")).unwrap().name(), "x", "a name may stay");
    assert_eq!(schedule.remove("a").unwrap().name(), "a");
    assert_eq!(names(&frame(&mut schedule, ms(1)).1), ["c", "d"]);
    schedule.add(Stage::Update, b).unwrap();
    assert_eq!(names(&frame(&mut schedule, ms(1)).1), ["c", "d", "b"]);
}

#[test]
fn a_name_is_unique_and_an_unknown_one_is_an_error_that_lists_the_known() {
    let mut schedule = Schedule::new();
    let error = schedule.remove("a").unwrap_err();
    assert_eq!(error.to_string(), "there is no system \"a\". The systems are: none yet");
    schedule.add(Stage::Input, idle("a")).unwrap().add(Stage::Late, idle("b")).unwrap();

    let twice = |error: ScheduleError| {
        let known = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(error, ScheduleError::DuplicateName { name: "a".to_owned(), known });
        assert!(error.to_string().ends_with("The systems are: a, b"));
    };
    twice(schedule.add(Stage::Update, idle("a")).unwrap_err());
    twice(schedule.insert_before("b", idle("a")).unwrap_err());
    twice(schedule.insert_after("a", idle("a")).unwrap_err());
    twice(schedule.replace("b", idle("a")).unwrap_err());

    let unknown = |error: ScheduleError| {
        assert_eq!(error.to_string(), "there is no system \"z\". The systems are: a, b");
    };
    unknown(schedule.insert_before("z", idle("c")).unwrap_err());
    unknown(schedule.insert_after("z", idle("c")).unwrap_err());
    unknown(schedule.replace("z", idle("c")).unwrap_err());
    unknown(schedule.remove("z").unwrap_err());
    assert_eq!(schedule.names(), ["a", "b"], "nothing changed");
}

#[test]
fn one_thing_declared_in_two_ways_is_refused() {
    type Make = fn() -> System<Game>;
    let contradictions: [(Make, &str, bool); 9] = [
        (|| idle("x").reads::<A>().writes::<A>(), "letters.a", false),
        (|| idle("x").writes::<A>().reads::<A>(), "letters.a", false),
        (|| idle("x").writes::<A>().writes::<A>(), "letters.a", true),
        (|| idle("x").reads::<B>().writes::<A>().reads_part(|game| &mut game.letters.a), "letters.a", false),
        (|| idle("x").writes_part(|game| &mut game.letters).reads::<B>(), "letters.b", false),
        (|| idle("x").writes::<B>().writes_part(|game| &mut game.letters), "letters.b", true),
        (|| idle("x").reads::<C>().writes_part(|game| &mut game.rest), "rest", false),
        (
            || idle("x").reads_part(|game| &mut game.log).writes_part(|game| &mut game.log.other),
            "log.other",
            false,
        ),
        (|| idle("x").writes_part(|game| &mut game.log).writes_part(|game| &mut game.log), "log.lines", true),
    ];
    let mut schedule = Schedule::new();
    for (system, path, twice) in contradictions {
        let error = schedule.add(Stage::Update, system()).unwrap_err();
        let ScheduleError::Contradiction { system, what, twice: found } = &error else { panic!("{error}") };
        assert_eq!((system.as_str(), *found), ("x", twice), "{error}");
        assert!(what.ends_with(&format!("({path})")), "{error}");
        assert!(error.to_string().contains("\"x\"") && error.to_string().contains(what.as_str()));
    }
    schedule.add(Stage::Update, idle("y").reads::<A>().reads::<A>()).unwrap();
    let whole = schedule.add(Stage::Update, idle("x").reads_part(|game| game)).unwrap_err();
    assert_eq!(whole, ScheduleError::EntitiesAsPart { system: "x".to_owned() });
    let entities = idle("x").writes_part(|game| &mut game.entities);
    assert_eq!(schedule.add(Stage::Update, entities).unwrap_err(), whole);
    let elsewhere = idle("x").reads_part(|_| Box::leak(Box::new(Single::new(1))));
    let error = schedule.add(Stage::Update, elsewhere).unwrap_err();
    assert!(matches!(error, ScheduleError::NotInWorld { .. }), "{error}");
    assert_eq!(schedule.names(), ["y"]);
}

#[test]
fn conflicts_name_the_pairs_of_a_stage_and_what_they_share() {
    let mut schedule = Schedule::new();
    schedule.add(Stage::Update, idle("write a").writes::<A>()).unwrap();
    schedule.add(Stage::Update, idle("write b").writes::<B>()).unwrap();
    schedule.add(Stage::Update, idle("read both").reads_part(|game| &mut game.letters)).unwrap();
    schedule.add(Stage::Update, idle("spawn").spawns()).unwrap();
    schedule.add(Stage::Update, idle("list").reads_entities()).unwrap();
    schedule.add(Stage::Late, idle("late").writes::<A>()).unwrap();
    schedule.add(Stage::Late, idle("alone").exclusive()).unwrap();
    let found: Vec<String> = schedule.conflicts().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "Update: write a before read both, because of A (letters.a)",
            "Update: write b before read both, because of B (letters.b)",
            "Update: spawn before list, because of the entities",
            "Late: late before alone, because of one runs alone",
        ]
    );
    let Cause::Part { key, path, .. } = &schedule.conflicts()[0].because[0] else { panic!() };
    assert_eq!((key.short_name(), path.as_str()), ("A", "letters.a"));
}

#[test]
fn a_plan_shows_batches_and_who_waits_for_whom() {
    let mut schedule = Schedule::new();
    schedule.add(Stage::Fixed, idle("move").writes::<A>().reads::<B>()).unwrap();
    schedule.add(Stage::Fixed, idle("age").writes::<C>()).unwrap();
    schedule.add(Stage::Fixed, idle("steer").writes::<B>()).unwrap();
    schedule.add(Stage::Fixed, idle("collide").writes::<A>().writes::<B>()).unwrap();
    schedule.add(Stage::Late, idle("say \"hi\"").exclusive()).unwrap();
    let plan = schedule.plan();
    assert_eq!(
        plan.to_string(),
        "\
Input (each frame)
Fixed (each step)
  1. move | age
  2. steer
  3. collide
     steer waits for move: B (letters.b)
     collide waits for steer: B (letters.b)
Update (each frame)
Late (each frame)
  1. say \"hi\"
"
    );
    let dot = plan.dot();
    assert!(dot.starts_with("digraph schedule {") && dot.ends_with("}\n"));
    assert!(dot.contains(r#""move" -> "steer" [label="B (letters.b)"];"#), "{dot}");
    assert!(dot.contains(r#""say \"hi\"""#), "{dot}");
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
}

#[test]
fn a_step_is_exactly_one_step_and_no_frame() {
    let mut schedule = Schedule::with_rate(50);
    for stage in schedule.stages() {
        schedule.add(stage, note(stage.name())).unwrap();
    }
    let mut game = Game::default();
    schedule.run(&mut game, ms(5));
    let fixed = schedule.fixed_step().clone();
    game.log.lines.clear();
    schedule.step(&mut game);
    assert_eq!(*game.log.lines, [("Fixed".to_owned(), ms(20))]);
    assert_eq!(*schedule.fixed_step(), fixed, "the time left over is not touched");
}

#[test]
fn one_stage_can_be_run_by_itself() {
    let mut schedule = Schedule::new();
    schedule.add(Stage::Input, note("input")).unwrap().add(Stage::Late, note("late")).unwrap();
    let mut game = Game::default();
    schedule.run_stage(Stage::Late, &mut game, ms(3)).unwrap();
    assert_eq!(*game.log.lines, [("late".to_owned(), ms(3))]);
    assert!(schedule.run_stage(Stage::Frame("x"), &mut game, ms(3)).is_err());
}

#[test]
fn too_many_steps_are_dropped_on_every_path() {
    let mut schedule = Schedule::with_step(ms(10)).max_steps(3);
    schedule.add(Stage::Fixed, note("fixed")).unwrap();
    let (report, game) = frame(&mut schedule, Duration::from_hours(1));
    assert_eq!((report.steps, report.dropped, names(&game).len()), (3, 359_997, 3));
    let (report, _) = frame(&mut schedule, Duration::MAX);
    assert_eq!(report.steps, 3);
    assert!(report.dropped > u128::from(u64::MAX) && report.left_over < ms(10));
    let (report, _) = frame(&mut schedule, ms(10));
    assert_eq!((report.steps, report.dropped), (1, 0), "nothing is owed");
}

#[test]
fn the_fixed_step_rolls_back_with_the_world() {
    let mut schedule = Schedule::with_rate(60);
    schedule.add(Stage::Fixed, note("fixed")).unwrap();
    schedule.add(Stage::Late, note("late")).unwrap();
    let mut game = Game::default();
    let play = |schedule: &mut Schedule<Game>, game: &mut Game| -> Vec<Steps> {
        (0..40).map(|n| schedule.run(game, ms(n * 7 % 31))).collect()
    };
    play(&mut schedule, &mut game);
    let saved: (Game, FixedStep) = (game.clone(), schedule.fixed_step().clone());
    let first = (play(&mut schedule, &mut game), game.clone());
    (game, *schedule.fixed_step_mut()) = saved;
    assert_eq!((play(&mut schedule, &mut game), game), first);
}

#[test]
fn the_frame_rate_does_not_change_what_the_steps_make_of_the_world() {
    let run = |frames: Vec<Duration>| {
        let mut schedule = Schedule::with_rate(60);
        schedule.add(Stage::Fixed, note("fixed")).unwrap();
        let mut game = Game::default();
        for frame in frames {
            schedule.run(&mut game, frame);
        }
        game
    };
    let split = |parts: u64| {
        let part = 10_000_000_000 / parts;
        let rest = 10_000_000_000 - part * parts;
        let whole = (0..parts).map(move |_| Duration::from_nanos(part));
        whole.chain([Duration::from_nanos(rest)]).collect::<Vec<_>>()
    };
    let uneven = (0..).map(|n| ms(1 + n * 13 % 40)).scan(ms(0), |sum, frame| {
        *sum += frame;
        Some((*sum, frame))
    });
    let mut uneven: Vec<Duration> =
        uneven.take_while(|(sum, _)| *sum <= ms(10_000)).map(|(_, frame)| frame).collect();
    uneven.push(ms(10_000).saturating_sub(uneven.iter().sum()));
    let games = [split(300), split(1_440), uneven].map(run);
    assert_eq!(games[0].log.lines.len(), 600);
    assert!(games.iter().all(|game| *game == games[0]));
}

#[test]
fn a_panic_ends_the_frame_with_its_payload_and_the_next_frame_runs() {
    #[derive(Debug, PartialEq)]
    struct Payload(&'static str);

    for parallel in [false, true] {
        let mut schedule = Schedule::with_step(ms(10));
        schedule.set_parallel(parallel);
        let fail = |name: &'static str| {
            move |game: &mut Game, _: Duration| {
                game.log.other.clone_from(&Single::new(7));
                if game.column_of::<A>().iter().any(|(_, a)| a.0 < 0) {
                    std::panic::panic_any(Payload(name));
                }
            }
        };
        let writes_other = |system: System<Game>| system.writes_part(|game| &mut game.log.other).reads::<A>();
        schedule.add(Stage::Fixed, note("fixed")).unwrap();
        schedule.add(Stage::Update, note("before")).unwrap();
        schedule.add(Stage::Update, writes_other(System::new("fail", fail("fail")))).unwrap();
        let double = |game: &mut Game, _: Duration| {
            game.letters.b.iter_mut().for_each(|(_, b)| b.0 *= 2);
            if game.letters.b.iter().any(|(_, b)| b.0 < 0) {
                std::panic::panic_any(Payload("double"));
            }
        };
        schedule.add(Stage::Update, System::new("double", double).writes::<B>()).unwrap();
        schedule.add(Stage::Update, note("after")).unwrap();
        schedule.add(Stage::Late, note("late")).unwrap();

        let mut game = Game::default();
        let entity = game.spawn_with((A(-1), B(-3), C(5)));
        let run = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut game, ms(20))));
        assert_eq!(run.unwrap_err().downcast_ref(), Some(&Payload("fail")), "the first in declared order");
        assert_eq!(names(&game), ["fixed", "fixed", "before"]);
        assert_eq!(game.get::<B>(entity), Some(&B(-6)), "its batch runs to the end");
        assert_eq!((*game.log.other, game.get::<A>(entity)), (7, Some(&A(-1))));
        game.check().unwrap();

        game.get_mut::<A>(entity).unwrap().0 = 1;
        let run = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut game, ms(0))));
        assert_eq!(run.unwrap_err().downcast_ref(), Some(&Payload("double")));

        game.get_mut::<B>(entity).unwrap().0 = 1;
        game.log.lines.clear();
        schedule.run(&mut game, ms(0));
        assert_eq!(names(&game), ["before", "after", "late"]);
        assert_eq!(game.get::<B>(entity), Some(&B(2)));
    }
}

#[test]
fn a_panic_in_an_exclusive_system_or_a_condition_is_passed_on_too() {
    let systems: [fn() -> System<Game>; 3] = [
        || System::new("x", |_: &mut Game, _| std::panic::panic_any(5_u8)).exclusive(),
        || System::new("x", |_: &mut Game, _| std::panic::panic_any(5_u8)).despawns(),
        || idle("x").run_if(|_| std::panic::panic_any(5_u8)),
    ];
    for system in systems {
        let mut schedule = Schedule::new();
        schedule.add(Stage::Update, system()).unwrap().add(Stage::Update, note("after")).unwrap();
        schedule.add(Stage::Late, note("late")).unwrap();
        let mut game = Game::default();
        let run = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut game, ms(1))));
        assert_eq!(run.unwrap_err().downcast_ref(), Some(&5_u8));
        assert!(!names(&game).contains(&"late"));
        schedule.remove("x").unwrap();
        schedule.run(&mut game, ms(1));
        assert!(names(&game).ends_with(&["after", "late"]));
    }
}

#[test]
fn timings_are_kept_for_each_system() {
    let mut schedule = Schedule::with_step(ms(10));
    let sleep = |_: &mut Game, _: Duration| std::thread::sleep(ms(2));
    schedule.add(Stage::Fixed, System::new("sleep", sleep)).unwrap();
    schedule.add(Stage::Late, System::new("alone", sleep).exclusive()).unwrap();
    schedule.add(Stage::Late, idle("idle")).unwrap();
    frame(&mut schedule, ms(30));
    assert!(schedule.timings().iter().all(|timing| timing.runs == 0 && timing.mean == Duration::ZERO));
    schedule.set_timed(true);
    frame(&mut schedule, ms(30));
    schedule.add(Stage::Late, idle("new")).unwrap();
    let timings = schedule.timings();
    let shown: Vec<_> =
        timings.iter().map(|timing| (timing.system.as_str(), timing.stage, timing.runs)).collect();
    assert_eq!(
        shown,
        [
            ("sleep", Stage::Fixed, 3),
            ("alone", Stage::Late, 1),
            ("idle", Stage::Late, 1),
            ("new", Stage::Late, 0)
        ]
    );
    for timing in &timings[..2] {
        assert!(timing.last >= ms(2) && timing.mean >= ms(2) && timing.worst >= timing.mean, "{timing:?}");
    }
}

#[test]
fn one_schedule_serves_many_worlds() {
    let mut schedule = Schedule::with_step(ms(10));
    let count = |game: &mut Game, _: Duration| *game.log.other += 1;
    schedule.add(Stage::Update, System::new("count", count).writes_part(|game| &mut game.log.other)).unwrap();
    let mut games = vec![Game::default(); 3];
    for _ in 0..5 {
        for game in &mut games {
            schedule.run(game, ms(1));
        }
    }
    assert!(games.iter().all(|game| *game.log.other == 5));
}

#[test]
fn a_debug_print_shows_stages_and_systems() {
    let mut schedule = Schedule::new();
    schedule.add(Stage::Late, idle("draw").reads::<A>()).unwrap();
    let shown = format!("{schedule:?}");
    assert!(shown.contains("Late") && shown.contains("draw") && shown.contains("::A"), "{shown}");
}
