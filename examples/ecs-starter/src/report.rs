//! What a run cost, in words.

use std::fmt;
use std::time::Duration;

use std_ecs::MemoryReport;

use crate::{Game, Pages, Replay, Rollback, Score};

/// What a run came to. Its `Display` is the report that the program prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How many entities there were before the first step.
    pub entities_at_first: usize,
    /// How many there were after the last.
    pub entities_at_last: usize,
    /// How many steps were run.
    pub steps: usize,
    /// How long a step took: the middle one of all times, and the longest.
    pub step: (Duration, Duration),
    /// How long a snapshot took: the middle one of all times, and the longest.
    pub snapshot: (Duration, Duration),
    /// The pages of the last world, and what it shares with the snapshot before it.
    pub pages: Pages,
    /// How many pages a step copied or added, on average.
    pub pages_written: usize,
    /// How many bytes all worlds hold together, what they share counted once.
    pub held: usize,
    /// How many bytes they would hold if each were a deep copy.
    pub held_deep: usize,
    /// What going back and running again came to.
    pub rollback: Rollback,
    /// How the war went.
    pub score: Score,
    /// How many ships and rocks are left that can be destroyed.
    pub left: usize,
}

impl Report {
    /// Sums a run up.
    pub fn new(replay: &Replay, rollback: &Rollback) -> Self {
        let worlds: Vec<&Game> = replay.worlds().collect();
        let steps = replay.step_times().len();
        let mut between = worlds.windows(2).map(|pair| Pages::between(pair[1], pair[0]));
        let written: usize = between.clone().map(Pages::own).sum();
        let alone = worlds.iter().map(|&world| MemoryReport::of([world]).held);
        let game = replay.game();
        Self {
            entities_at_first: worlds.first().map_or(0, |world| world.entities.len()),
            entities_at_last: game.entities.len(),
            steps,
            step: middle_and_longest(replay.step_times()),
            snapshot: middle_and_longest(replay.snapshot_times()),
            pages: between.next_back().unwrap_or_default(),
            pages_written: written / steps.max(1),
            held_deep: alone.sum(),
            held: MemoryReport::of(worlds.iter().copied()).held,
            rollback: rollback.clone(),
            score: *game.arena.score,
            left: game.arena.health.len(),
        }
    }
}

/// The middle one of some times, which says more than their mean on a machine that does other things too, and
/// the longest.
fn middle_and_longest(times: &[Duration]) -> (Duration, Duration) {
    let mut times = times.to_vec();
    times.sort();
    let at = |at: usize| times.get(at).copied().unwrap_or_default();
    (at(times.len() / 2), at(times.len().saturating_sub(1)))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pages, rollback, score, .. } = self;
        writeln!(
            f,
            "the game    {} steps of 1/60 s; {} entities at first, {} at last",
            count(self.steps),
            count(self.entities_at_first),
            count(self.entities_at_last),
        )?;
        writeln!(
            f,
            "            {} hits on ships, {} on rocks; {} destroyed, {} left",
            count(score.ships_hit as usize),
            count(score.rocks_hit as usize),
            count(score.destroyed as usize),
            count(self.left),
        )?;
        writeln!(f, "a step      {:.1?}, {:.1?} at most", self.step.0, self.step.1)?;
        writeln!(f, "a snapshot  {:.1?}, {:.1?} at most", self.snapshot.0, self.snapshot.1)?;
        writeln!(
            f,
            "pages       {} in the last world, {} of them shared with the snapshot before it; a step wrote {} on average",
            count(pages.all),
            count(pages.shared),
            count(self.pages_written),
        )?;
        writeln!(
            f,
            "memory      the worlds of all steps take {} MB; as deep copies they would take {} MB",
            count(self.held.div_ceil(1_000_000)),
            count(self.held_deep.div_ceil(1_000_000)),
        )?;
        writeln!(
            f,
            "rollback    from step {} to step {} in {:.1?}: {} entities were not spawned yet, {} lived again",
            rollback.from,
            rollback.to,
            rollback.going_back,
            count(rollback.gone),
            count(rollback.back),
        )?;
        writeln!(
            f,
            "again       {} steps in {:.1?}: each world equals what it was the first time",
            rollback.from - rollback.to,
            rollback.running_again,
        )
    }
}

/// A number with a comma before each three digits.
fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn numbers_have_a_comma_before_each_three_digits() {
        let texts = [0, 12, 999, 1_000, 12_345, 123_456, 1_234_567].map(count);
        assert_eq!(texts, ["0", "12", "999", "1,000", "12,345", "123,456", "1,234,567"]);
    }
}
