//! The fixed step: exact, bounded, and a value.

use std::time::Duration;

use proptest::prelude::*;
use std_ecs::{FixedStep, Steps};

const HOUR: Duration = Duration::from_hours(1);

fn unlimited(fixed: FixedStep) -> FixedStep {
    fixed.max_steps(u32::MAX)
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// All steps of these frames.
fn steps(fixed: &mut FixedStep, frames: impl IntoIterator<Item = Duration>) -> u64 {
    frames.into_iter().map(|frame| u64::from(fixed.advance(frame).steps)).sum()
}

#[test]
fn an_hour_at_60_hertz_is_216_000_steps_however_it_is_cut() {
    let frames_of = |nanos: u64| {
        let whole = 3_600_000_000_000 / nanos;
        let rest = 3_600_000_000_000 % nanos;
        (0..whole).map(move |_| Duration::from_nanos(nanos)).chain([Duration::from_nanos(rest)])
    };
    for nanos in [16_666_666, 16_666_667, 33_333_333, 6_944_444, 1_000_000_007, 7_777_777] {
        let mut fixed = unlimited(FixedStep::with_rate(60));
        assert_eq!(steps(&mut fixed, frames_of(nanos)), 216_000, "frames of {nanos} ns");
        assert_eq!((fixed.left_over(), fixed.interpolation()), (Duration::ZERO, 0.0));
    }
}

#[test]
fn it_is_as_exact_after_thirty_days() {
    for rate in [60, 50, 144, 30, 7, 1_000] {
        let mut fixed = unlimited(FixedStep::with_rate(rate));
        let days = Duration::from_hours(720);
        assert_eq!(fixed.advance(days).steps, 30 * 86_400 * rate);
        assert_eq!(steps(&mut fixed, (0..10_000).map(|_| Duration::from_micros(100))), u64::from(rate));
        assert_eq!(fixed.left_over(), Duration::ZERO);
    }
}

#[test]
fn the_first_frame_has_no_step_without_time_and_a_step_with_it() {
    let mut fixed = FixedStep::with_step(ms(10));
    assert_eq!(fixed.advance(Duration::ZERO), Steps::default());
    assert_eq!(fixed.clone().advance(ms(9)), Steps { steps: 0, dropped: 0, left_over: ms(9) });
    assert_eq!(fixed.advance(ms(10)), Steps { steps: 1, dropped: 0, left_over: Duration::ZERO });
}

#[test]
fn what_is_above_the_limit_is_dropped_and_what_is_below_a_step_is_kept() {
    let mut fixed = FixedStep::with_step(ms(20)).max_steps(4);
    let hour = fixed.advance(HOUR + ms(7));
    assert_eq!(hour, Steps { steps: 4, dropped: 180_000 - 4, left_over: ms(7) });
    assert_eq!(fixed.advance(ms(13)).steps, 1, "the next frame owes nothing to the hour");
}

#[test]
fn steps_that_take_longer_than_their_length_do_not_pile_up() {
    let mut fixed = FixedStep::with_step(ms(10)).max_steps(5);
    let mut frame = ms(10);
    for _ in 0..100 {
        let Steps { steps, left_over, .. } = fixed.advance(frame);
        assert!(steps <= 5 && left_over < ms(10));
        frame = ms(15) * steps; // each step costs 15 ms of the next frame
    }
}

#[test]
fn a_limit_of_nothing_drops_everything() {
    let mut fixed = FixedStep::with_step(ms(10)).max_steps(0);
    assert_eq!(fixed.advance(ms(35)), Steps { steps: 0, dropped: 3, left_over: ms(5) });
}

#[test]
fn the_longest_frame_there_is_does_not_overflow() {
    let paces = [
        FixedStep::with_step(Duration::from_nanos(1)),
        FixedStep::with_step(Duration::MAX),
        FixedStep::with_rate(60),
        FixedStep::with_rate(1_000_000_000),
        FixedStep::with_pace(u32::MAX, Duration::MAX),
        FixedStep::with_pace(u32::MAX - 4, Duration::from_nanos(u64::MAX)),
        FixedStep::default(),
    ];
    for mut fixed in paces {
        for _ in 0..3 {
            let Steps { steps, dropped, left_over } = fixed.advance(Duration::MAX);
            assert!(steps > 0 && left_over <= fixed.step(), "{fixed:?}");
            assert!(u128::from(steps) + dropped >= Duration::MAX.as_nanos() / (fixed.step().as_nanos() + 1));
            assert!((0.0..1.0).contains(&fixed.interpolation()), "{fixed:?}");
            assert!(fixed.time_of(u64::MAX) >= fixed.step());
        }
    }
}

#[test]
fn equal_paces_are_equal_values() {
    assert_eq!(FixedStep::with_rate(50), FixedStep::with_step(ms(20)));
    assert_eq!(FixedStep::with_rate(60), FixedStep::with_pace(3, ms(50)));
    assert_ne!(FixedStep::with_rate(60), FixedStep::with_step(Duration::from_nanos(16_666_666)));
}

#[test]
fn a_number_of_steps_is_an_exact_time() {
    let fixed = FixedStep::with_rate(60);
    assert_eq!(fixed.step(), Duration::from_nanos(16_666_666));
    assert_eq!(fixed.time_of(180), Duration::from_secs(3));
    assert_eq!(fixed.time_of(216_000 * 24 * 365), HOUR * 24 * 365);
    assert_eq!(fixed.time_of(1), fixed.step());
}

#[test]
fn the_same_frames_after_a_rollback_give_the_same_steps() {
    let mut fixed = FixedStep::with_rate(60);
    steps(&mut fixed, (0..7).map(|_| ms(11)));
    let (snapshot, before) = (fixed.clone(), fixed.interpolation());
    let run = |fixed: &mut FixedStep| -> Vec<Steps> { (0..50).map(|n| fixed.advance(ms(n % 23))).collect() };
    let first = run(&mut fixed);
    fixed = snapshot;
    assert!((fixed.interpolation() - before).abs() < f64::EPSILON);
    assert_eq!(run(&mut fixed), first);
}

#[test]
fn resetting_forgets_the_time_left_over() {
    let mut fixed = FixedStep::with_rate(60);
    fixed.advance(ms(1));
    fixed.reset();
    assert_eq!(fixed, FixedStep::with_rate(60));
}

#[test]
#[should_panic(expected = "neither can be zero")]
fn a_step_without_length_is_refused() {
    FixedStep::with_step(Duration::ZERO);
}

#[test]
#[should_panic(expected = "neither can be zero")]
fn a_rate_of_nothing_is_refused() {
    FixedStep::with_rate(0);
}

#[test]
#[should_panic(expected = "shorter than a nanosecond")]
fn steps_shorter_than_a_nanosecond_are_refused() {
    FixedStep::with_rate(1_000_000_001);
}

proptest! {
    #[test]
    fn any_split_of_a_time_gives_the_same_steps_and_the_same_rest(
        rate in 1_u32..100_000,
        frames in prop::collection::vec(0_u64..2_000_000_000, 1..50),
    ) {
        let total = frames.iter().map(|&nanos| Duration::from_nanos(nanos)).sum();
        let (mut split, mut whole) = (unlimited(FixedStep::with_rate(rate)), unlimited(FixedStep::with_rate(rate)));
        let taken = steps(&mut split, frames.iter().map(|&nanos| Duration::from_nanos(nanos)));
        prop_assert_eq!(taken, u64::from(whole.advance(total).steps));
        prop_assert_eq!(&split, &whole);
        prop_assert_eq!(u128::from(taken), total.as_nanos() * u128::from(rate) / 1_000_000_000);
    }

    #[test]
    fn steps_dropped_steps_and_the_rest_make_up_the_time(
        step in 1_u64..10_000_000_000,
        limit in 0_u32..10,
        frames in prop::collection::vec(0_u64..20_000_000_000, 1..20),
    ) {
        let mut fixed = FixedStep::with_step(Duration::from_nanos(step)).max_steps(limit);
        let mut before = Duration::ZERO;
        for frame in frames {
            let Steps { steps, dropped, left_over } = fixed.advance(Duration::from_nanos(frame));
            prop_assert!(steps <= limit && (dropped == 0 || steps == limit));
            let made = (u128::from(steps) + dropped) * u128::from(step) + left_over.as_nanos();
            prop_assert_eq!(made, before.as_nanos() + u128::from(frame));
            before = left_over;
        }
    }
}

#[cfg(feature = "serde")]
mod serial {
    use super::*;

    #[test]
    fn it_survives_every_format() {
        for pace in [FixedStep::with_rate(60), FixedStep::default(), FixedStep::with_step(Duration::MAX)] {
            let mut fixed = pace.max_steps(3);
            fixed.advance(Duration::from_nanos(123_456_789));
            assert_eq!(ron::from_str::<FixedStep>(&ron::to_string(&fixed).unwrap()).unwrap(), fixed);
            assert_eq!(
                serde_json::from_str::<FixedStep>(&serde_json::to_string(&fixed).unwrap()).unwrap(),
                fixed
            );
            let bytes = postcard::to_stdvec(&fixed).unwrap();
            assert_eq!(postcard::from_bytes::<FixedStep>(&bytes).unwrap(), fixed);
        }
    }

    #[test]
    fn what_is_no_fixed_step_is_refused() {
        let good = "(period:(secs:0,nanos:50000000),rate:3,max_steps:8,left:(secs:0,nanos:16666666),parts:1)";
        assert!(ron::from_str::<FixedStep>(good).is_ok());
        let wrong = [
            ("rate:3", "rate:0", "no pace"),
            ("nanos:50000000", "nanos:2", "no pace"),
            ("nanos:50000000", "nanos:51000000", "reduced"),
            ("parts:1", "parts:3", "a step or more"),
            ("nanos:16666666", "nanos:16666667", "a step or more"),
            ("secs:0,nanos:16666666", "secs:18446744073709551615,nanos:999999999", "a step or more"),
        ];
        for (what, with, message) in wrong {
            let error = ron::from_str::<FixedStep>(&good.replace(what, with)).unwrap_err().to_string();
            assert!(error.contains(message), "{with}: {error}");
        }
    }
}
