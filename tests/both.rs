//! Fork and join over two values.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use std_ecs::both;

#[test]
fn both_parts_are_worked_on_and_both_answers_come_back() {
    let (mut a, mut b) = (vec![1], String::from("b"));
    let answers = both(
        &mut a,
        &mut b,
        |a| {
            a.push(2);
            a.len()
        },
        |b| {
            b.push('c');
            b.clone()
        },
    );
    assert_eq!(answers, (2, "bc".to_owned()));
    assert_eq!((a, b.as_str()), (vec![1, 2], "bc"));
}

#[test]
fn unsized_parts_can_be_worked_on() {
    let mut values = [1, 2, 3, 4];
    let (left, right) = values.split_at_mut(2);
    both(left, right, <[i32]>::reverse, <[i32]>::reverse);
    assert_eq!(values, [2, 1, 4, 3]);
}

#[test]
fn both_nest_without_end() {
    fn sum(values: &mut [u64]) -> u64 {
        if values.len() < 2 {
            return values.iter().sum();
        }
        let (left, right) = values.split_at_mut(values.len() / 2);
        let (left, right) = both(left, right, sum, sum);
        left + right
    }
    let mut values: Vec<u64> = (0..10_000).collect();
    assert_eq!(sum(&mut values), 49_995_000);
}

/// What a panic of either side, or of both, comes to: the payload, and who finished.
fn outcome(first_panics: bool, second_panics: bool) -> (Option<&'static str>, bool, bool) {
    let finished = [AtomicBool::new(false), AtomicBool::new(false)];
    let work = |number: usize, panics: bool, name: &'static str| {
        if panics {
            finished[number].store(true, Ordering::SeqCst);
            std::panic::panic_any(name);
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
        finished[number].store(true, Ordering::SeqCst);
    };
    let result = catch_unwind(AssertUnwindSafe(|| {
        both(&mut (), &mut (), |()| work(0, first_panics, "first"), |()| work(1, second_panics, "second"));
    }));
    let payload = result.err().map(|payload| *payload.downcast::<&'static str>().unwrap());
    let [first, second] = finished.map(AtomicBool::into_inner);
    (payload, first, second)
}

#[test]
fn after_a_panic_both_have_finished_and_the_first_payload_is_passed_on() {
    assert_eq!(outcome(false, false), (None, true, true));
    assert_eq!(outcome(true, false), (Some("first"), true, true));
    assert_eq!(outcome(false, true), (Some("second"), true, true));
    assert_eq!(outcome(true, true), (Some("first"), true, true));
}
