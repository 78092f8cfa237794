//! The fixed step: how many whole steps fit into the time that has passed, in exact integers.

use std::time::Duration;

/// Counts out whole steps of time.
///
/// It is a value: what is left over between two steps is in it, so that a program that rolls its world back
/// can roll this back with it. A rate in hertz is an exact fraction, not a rounded duration: 60 Hz gives
/// 216,000 steps an hour, however the hour is cut into frames. Nothing overflows, up to frames of
/// [`Duration::MAX`]. Equal paces are equal values: 50 Hz is a step of 20 ms.
///
/// ```
/// use std::time::Duration;
/// use std_ecs::FixedStep;
///
/// let mut fixed = FixedStep::with_rate(60);
/// let mut steps = 0;
/// for _ in 0..1_000 {
///     steps += fixed.advance(Duration::from_millis(1)).steps;
/// }
/// assert_eq!(steps, 60);
///
/// let mut fixed = FixedStep::with_step(Duration::from_millis(20));
/// assert_eq!(fixed.advance(Duration::from_millis(47)).steps, 2);
/// assert_eq!((fixed.left_over(), fixed.interpolation()), (Duration::from_millis(7), 0.35));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Form"))]
pub struct FixedStep {
    /// `rate` steps take this long; reduced, so that equal paces are equal.
    period: Duration,
    rate: u32,
    max_steps: u32,
    /// Time that has not made a step yet: whole nanoseconds, and parts of one, each a `rate`th.
    left: Duration,
    parts: u32,
}

/// What a frame's time came to. Made by [`FixedStep::advance`] and by `Schedule::run`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Steps {
    /// The steps to run, or that were run.
    pub steps: u32,
    /// The whole steps above `max_steps`, whose time is gone.
    pub dropped: u128,
    /// The time that is kept for the next frame, less than a step, rounded down to a nanosecond.
    pub left_over: Duration,
}

impl Default for FixedStep {
    /// A step of 16 ms, at most 8 of them a frame.
    fn default() -> Self {
        Self::with_step(Duration::from_millis(16))
    }
}

impl FixedStep {
    /// Steps of this length, at most 8 a frame.
    ///
    /// # Panics
    ///
    /// If the step is zero.
    pub fn with_step(step: Duration) -> Self {
        Self::with_pace(1, step)
    }

    /// This many steps a second, exactly; at most 8 a frame.
    ///
    /// # Panics
    ///
    /// If the rate is zero.
    pub fn with_rate(hertz: u32) -> Self {
        Self::with_pace(hertz, Duration::from_secs(1))
    }

    /// This many steps in this time, exactly; at most 8 a frame. 60,000 steps in 1,001 seconds are the pace
    /// of a television.
    ///
    /// # Panics
    ///
    /// If either is zero, or if the steps are shorter than a nanosecond.
    pub fn with_pace(steps: u32, time: Duration) -> Self {
        assert!(steps > 0 && !time.is_zero(), "{steps} steps in {time:?} is no pace: neither can be zero");
        assert!(
            time.as_nanos() >= u128::from(steps),
            "{steps} steps in {time:?} are shorter than a nanosecond each: ask for fewer"
        );
        let shared = greatest_common_divisor(time.as_nanos(), u128::from(steps));
        Self {
            period: from_nanos(time.as_nanos() / shared),
            rate: (u128::from(steps) / shared) as u32,
            max_steps: 8,
            left: Duration::ZERO,
            parts: 0,
        }
    }

    /// The same with this limit of steps a frame. With 0 no step runs and all time is dropped.
    #[must_use]
    pub fn max_steps(mut self, max_steps: u32) -> Self {
        self.max_steps = max_steps;
        self
    }

    /// The length of a step, rounded down to a nanosecond.
    pub fn step(&self) -> Duration {
        self.period / self.rate
    }

    /// How much time this many steps are, exact for any number of them and then rounded down to a
    /// nanosecond: after 180 steps at 60 Hz three seconds, although a step is no whole number of nanoseconds.
    /// [`Duration::MAX`] if it is more than that.
    pub fn time_of(&self, steps: u64) -> Duration {
        let rate = u128::from(self.rate);
        let (whole, rest) = (u128::from(steps) / rate, u128::from(steps) % rate);
        let nanos = self.period.as_nanos();
        // A rest is below the rate, which has 32 bits, and a period has 94: the second product fits.
        match whole.checked_mul(nanos).and_then(|time| time.checked_add(rest * nanos / rate)) {
            Some(time) if time <= Duration::MAX.as_nanos() => from_nanos(time),
            _ => Duration::MAX,
        }
    }

    /// Adds the time of a frame and takes whole steps out of it, `max_steps` of them at most. The time of
    /// the steps above that is dropped, what is less than a step is kept.
    ///
    /// So a frame that took an hour does not ask for an hour of steps, and steps that take longer than
    /// their length do not pile up.
    pub fn advance(&mut self, elapsed: Duration) -> Steps {
        let (rate, step) = (u128::from(self.rate), self.period.as_nanos());
        // Two times of 94 bits and a rate of 32 are at most 127 bits.
        let time = (self.left.as_nanos() + elapsed.as_nanos()) * rate + u128::from(self.parts);
        let (whole, rest) = (time / step, time % step);
        self.left = from_nanos(rest / rate);
        self.parts = (rest % rate) as u32;
        let steps = u32::try_from(whole).unwrap_or(u32::MAX).min(self.max_steps);
        Steps { steps, dropped: whole - u128::from(steps), left_over: self.left }
    }

    /// The time that has not made a step yet, rounded down to a nanosecond.
    pub fn left_over(&self) -> Duration {
        self.left
    }

    /// The part of a step that has passed since the last one: at least 0 and less than 1. A program draws
    /// between the last two steps with it.
    pub fn interpolation(&self) -> f64 {
        let left = self.left.as_nanos() * u128::from(self.rate) + u128::from(self.parts);
        #[expect(clippy::cast_precision_loss, reason = "a fraction for drawing")]
        let fraction = left as f64 / self.period.as_nanos() as f64;
        fraction.min(1.0 - f64::EPSILON / 2.0)
    }

    /// Forgets the time that has not made a step yet: for the frame after a pause or a loading screen.
    pub fn reset(&mut self) {
        self.left = Duration::ZERO;
        self.parts = 0;
    }
}

/// The duration of a number of nanoseconds that came from durations.
fn from_nanos(nanos: u128) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    Duration::new((nanos / SECOND) as u64, (nanos % SECOND) as u32)
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// What is serialised; checked before it becomes a [`FixedStep`].
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename = "FixedStep", deny_unknown_fields)]
struct Form {
    period: Duration,
    rate: u32,
    max_steps: u32,
    left: Duration,
    parts: u32,
}

#[cfg(feature = "serde")]
impl TryFrom<Form> for FixedStep {
    type Error = String;

    fn try_from(form: Form) -> Result<Self, String> {
        let Form { period, rate, max_steps, left, parts } = form;
        if rate == 0 || period.as_nanos() < u128::from(rate) {
            return Err(format!("{rate} steps in {period:?} is no pace"));
        }
        let time = left.as_nanos() * u128::from(rate) + u128::from(parts);
        if parts >= rate || time >= period.as_nanos() {
            return Err(format!("{left:?} and {parts} parts left over are a step or more"));
        }
        let pace = Self::with_pace(rate, period);
        if pace.rate != rate {
            return Err(format!("{rate} steps in {period:?} is a fraction that can be reduced"));
        }
        Ok(Self { max_steps, left, parts, ..pace })
    }
}
