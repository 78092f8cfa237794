//! The serialised form of events and readers: exact, ages included.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use triomphe::Arc;

use super::{Events, OLDEST, Reader};
use crate::guard::Guard;
use crate::key::component_key;
use crate::pages::Pages;

/// More events than this are never emitted. It keeps the count from overflowing.
const MOST: u64 = u64::MAX / 2;
const MOST_IN_A_FRAME: usize = 1 << 24;

/// The events of one frame as a sequence of known length.
struct Frame<'a, E>(&'a Pages<E>);

impl<E: Serialize> Serialize for Frame<'_, E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().collect::<Vec<_>>())
    }
}

impl<E: Serialize> Serialize for Events<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.len();
        let mut out = serializer.serialize_struct("Events", 3)?;
        out.serialize_field("next", &self.next)?;
        out.serialize_field("past", &self.past.iter().map(Frame).collect::<Vec<_>>())?;
        out.serialize_field("current", &Frame(&self.current))?;
        out.end()
    }
}

/// The events of one frame as they are read, one by one.
///
/// The length that a binary format claims cannot be believed: an event may take no bytes at all, so that
/// a few bytes could claim more events than there is time for.
struct Loaded<E>(Pages<E>);

impl<'de, E: Clone + Deserialize<'de>> Deserialize<'de> for Loaded<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Frame<E>(PhantomData<E>);
        impl<'de, E: Clone + Deserialize<'de>> Visitor<'de> for Frame<E> {
            type Value = Loaded<E>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "the events of a frame")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Loaded<E>, A::Error> {
                let (mut events, mut left) = (Pages::default(), MOST_IN_A_FRAME);
                while let Some(event) = list.next_element()? {
                    if left == 0 {
                        return Err(refuse::<E, _>(&format!("more than {MOST_IN_A_FRAME} in one frame")));
                    }
                    left -= 1;
                    events.push(event);
                }
                Ok(Loaded(events))
            }
        }
        deserializer.deserialize_seq(Frame(PhantomData))
    }
}

fn refuse<E, Problem: Error>(problem: &str) -> Problem {
    Problem::custom(format_args!("events of {}: {problem}", component_key::<E>()))
}

impl<'de, E: Clone + Deserialize<'de>> Deserialize<'de> for Events<E> {
    /// Refuses more events than were counted, frames that should have been dropped, and more than
    /// 16,777,216 events in one frame.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "Events", deny_unknown_fields)]
        #[serde(bound = "E: Clone + Deserialize<'de>")]
        struct Form<E> {
            next: u64,
            past: Vec<Loaded<E>>,
            current: Loaded<E>,
        }
        let Form { next, past, current: Loaded(current) } = Form::deserialize(deserializer)?;
        let past: Vec<Pages<E>> = past.into_iter().map(|Loaded(frame)| frame).collect();
        let buffered: usize = past.iter().map(Pages::len).sum::<usize>() + current.len();
        if next > MOST || buffered as u64 > next {
            return Err(refuse::<E, _>(&format!("{buffered} are buffered, but {next} were counted")));
        }
        if past.len() >= OLDEST {
            let problem = format!("{} earlier frames, but {} are kept", past.len(), OLDEST - 1);
            return Err(refuse::<E, _>(&problem));
        }
        if past.first().is_some_and(|oldest| oldest.len() == 0) {
            return Err(refuse::<E, _>("the oldest frame has none, so it should have been dropped"));
        }
        Ok(Self { next, past: Arc::new(past), current, guard: Guard::default() })
    }
}

impl<E> Serialize for Reader<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Reader", 2)?;
        out.serialize_field("next", &self.next)?;
        out.serialize_field("missed", &self.missed)?;
        out.end()
    }
}

impl<'de, E> Deserialize<'de> for Reader<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "Reader", deny_unknown_fields)]
        struct Form {
            next: u64,
            missed: u64,
        }
        let Form { next, missed } = Form::deserialize(deserializer)?;
        Ok(Self { next, missed, events: PhantomData })
    }
}
