//! Digest and delta of events.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use triomphe::Arc;

use super::{Events, OLDEST};
use crate::delta::{Comparison, Delta, DeltaError};
use crate::digest::encoder::{Hash, Sink};
use crate::digest::{Difference, Digest, DigestVisit, put, put_pages, value_digest};
use crate::key::component_key;
use crate::pages::Pages;

impl<E: Serialize> Events<E> {
    fn digest(&self) -> u128 {
        self.len();
        let mut hash = Hash::new();
        hash.put_word(self.next.to_le_bytes());
        hash.put_word((self.past.len() as u64).to_le_bytes());
        for frame in self.frames() {
            hash.put_word((frame.len() as u64).to_le_bytes());
            put_pages(frame, &mut hash, |event, hash| put(event, hash, None));
        }
        hash.finish()
    }
}

impl<E: Clone + fmt::Debug + Serialize + 'static> Digest for Events<E> {
    fn digests(&self, path: &mut Vec<&'static str>, each: &mut DigestVisit<'_>) {
        each(path, self, self.digest());
    }

    fn first_difference(&self, other: &Self, path: &mut Vec<&'static str>) -> Option<Difference> {
        if self.digest() == other.digest() {
            return None;
        }
        let count = self.len().max(other.len());
        let at = |events: &Self, at: usize| {
            events.iter().nth(at).map(|event| (value_digest(event), event.clone()))
        };
        let apart = (0..count)
            .map(|event| (at(self, event), at(other, event)))
            .find(|(left, right)| left.as_ref().map(|event| event.0) != right.as_ref().map(|event| event.0));
        let counts = |events: &Self| {
            let frames: Vec<_> = events.frames().map(Pages::len).collect();
            format!("{} were emitted, in the last frames {frames:?}", events.next)
        };
        let event =
            |event: Option<(u128, E)>| event.map_or("no event".to_owned(), |(_, event)| format!("{event:?}"));
        let (left, right) = match apart {
            Some((left, right)) => (event(left), event(right)),
            None => (counts(self), counts(other)),
        };
        Some(Difference { path: path.join("."), key: component_key::<E>(), entity: None, left, right })
    }
}

/// What changed in an [`Events`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventsChange<E> {
    /// How many were emitted since the start.
    next: u64,
    /// How many there are of each frame, the current one last.
    frames: Vec<u32>,
    /// How many of the oldest are those that were there already.
    kept: u32,
    /// The others, each beside a zero, so that no event takes no bytes.
    emitted: Vec<(u8, E)>,
}

impl<E> Events<E> {
    /// The number of the oldest event that is buffered.
    fn oldest(&self) -> u64 {
        self.next - self.frames().map(|frame| frame.len() as u64).sum::<u64>()
    }
}

impl<E: Clone + fmt::Debug + Serialize + DeserializeOwned + 'static> Delta for Events<E> {
    type Change = EventsChange<E>;

    fn changes(from: &Self, to: &Self) -> Option<EventsChange<E>> {
        from.len();
        to.len();
        let lengths =
            |events: &Self| -> Vec<u32> { events.frames().map(|frame| frame.len() as u32).collect() };
        let frames = lengths(to);
        let skipped = to.oldest().checked_sub(from.oldest()).unwrap_or(u64::MAX);
        let old = from.iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX));
        let mut comparison = Comparison::default();
        let kept = old.zip(to.iter()).take_while(|(old, new)| comparison.equal(*old, *new)).count();
        let is_same = from.next == to.next && lengths(from) == frames && kept == to.len();
        (!is_same).then(|| EventsChange {
            next: to.next,
            frames,
            kept: kept as u32,
            emitted: to.iter().skip(kept).map(|event| (0, event.clone())).collect(),
        })
    }

    fn apply(&mut self, change: &EventsChange<E>, path: &mut Vec<&'static str>) -> Result<(), DeltaError> {
        self.change(change).map_err(|problem| DeltaError::contradiction(path, problem.to_owned()))
    }
}

impl<E: Clone> Events<E> {
    fn change(&mut self, change: &EventsChange<E>) -> Result<(), &'static str> {
        let kept = change.kept as usize;
        let buffered: u64 = change.frames.iter().map(|&frame| u64::from(frame)).sum();
        if buffered != kept as u64 + change.emitted.len() as u64 || buffered > change.next {
            return Err("the frames do not have as many events as are listed");
        }
        let Some((&current, past)) = change.frames.split_last() else {
            return Err("there is no current frame");
        };
        if past.len() >= OLDEST || past.first() == Some(&0) || change.next > u64::MAX / 2 {
            return Err("there are frames that should have been dropped");
        }
        let skipped = (change.next - buffered).saturating_sub(self.oldest());
        let old = self.iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX)).take(kept);
        let mut events: Vec<E> = old.cloned().collect();
        if events.len() < kept {
            return Err("it keeps events that are not there");
        }
        events.extend(change.emitted.iter().map(|(_, event)| event.clone()));
        let mut events = events.into_iter();
        let past =
            past.iter().map(|&length| events.by_ref().take(length as usize).collect::<Pages<E>>()).collect();
        self.past = Arc::new(past);
        self.current = events.by_ref().take(current as usize).collect();
        self.next = change.next;
        Ok(())
    }
}
