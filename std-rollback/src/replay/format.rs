//! The bytes of a replay: a header, then chunks of which each has a checksum.
//!
//! A chunk is its kind in a byte, the length of its content in 32 bits, the content in `postcard`, and the
//! XXH3 of all that and of the checksum before it, in 64 bits. So a chunk that was changed, left out or
//! moved is found, and everything before it can be used.

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::Xxh3Default;

use super::{Damage, ReplayError};
use crate::recorder::Recorded;
use crate::world::Rollback;

pub(crate) const MAGIC: &[u8; 9] = b"stdreplay";
pub(crate) const VERSION: u16 = 1;

/// How many frames a chunk holds.
const FRAMES: usize = 60;

const START: u8 = 1;
const PLAYED: u8 = 2;
const END: u8 = 3;

/// The inputs of the frames of a chunk, and the digests of the worlds between them.
type Played<I> = (Vec<Vec<Recorded<I>>>, Vec<(u32, u128)>);

pub(crate) struct Contents<W: Rollback> {
    pub(crate) start: W,
    pub(crate) inputs: Vec<Vec<Recorded<W::Input>>>,
    pub(crate) digests: std::collections::BTreeMap<u32, u128>,
    pub(crate) damage: Option<Damage>,
}

fn check(before: u64, head: &[u8], content: &[u8]) -> u64 {
    let mut hash = Xxh3Default::new();
    hash.update(&before.to_le_bytes());
    hash.update(head);
    hash.update(content);
    hash.digest()
}

struct Writer {
    bytes: Vec<u8>,
    check: u64,
}

impl Writer {
    fn chunk(&mut self, kind: u8, content: &impl Serialize) -> Result<(), ReplayError> {
        let unwritable = |error: String| ReplayError::Unwritable(error);
        let content = postcard::to_stdvec(content).map_err(|error| unwritable(error.to_string()))?;
        let length =
            u32::try_from(content.len()).map_err(|_| unwritable("the world has more than 4 GiB".into()))?;
        let mut head = [kind, 0, 0, 0, 0];
        head[1..].copy_from_slice(&length.to_le_bytes());
        self.check = check(self.check, &head, &content);
        self.bytes.extend_from_slice(&head);
        self.bytes.extend_from_slice(&content);
        self.bytes.extend_from_slice(&self.check.to_le_bytes());
        Ok(())
    }
}

pub(crate) fn write<W: Rollback + Serialize>(
    start: &W,
    inputs: &[Vec<Recorded<W::Input>>],
    digests: &[(u32, u128)],
) -> Result<Vec<u8>, ReplayError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    let mut writer = Writer { check: check(0, &bytes, &[]), bytes };
    writer.chunk(START, start)?;
    for (at, frames) in inputs.chunks(FRAMES).enumerate() {
        let first = (at * FRAMES) as u32;
        let last = first + frames.len() as u32;
        let within = digests.iter().copied().filter(|&(frame, _)| first < frame && frame <= last);
        let played: Played<W::Input> = (frames.to_vec(), within.collect());
        writer.chunk(PLAYED, &played)?;
    }
    writer.chunk(END, &(inputs.len() as u32))?;
    Ok(writer.bytes)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    check: u64,
}

impl<'a> Reader<'a> {
    /// The next chunk, or what is wrong with it.
    fn chunk(&mut self) -> Result<(u8, &'a [u8]), String> {
        let cut_off = || "the file is cut off".to_owned();
        let rest = &self.bytes[self.at..];
        let (head, rest) = rest.split_at_checked(5).ok_or_else(cut_off)?;
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let (content, rest) = rest.split_at_checked(length).ok_or_else(cut_off)?;
        let stored = rest.first_chunk::<8>().ok_or_else(cut_off)?;
        let expected = check(self.check, head, content);
        if u64::from_le_bytes(*stored) != expected {
            return Err("its checksum does not fit".to_owned());
        }
        self.check = expected;
        self.at += head.len() + length + stored.len();
        Ok((head[0], content))
    }

    fn content<T: DeserializeOwned>(content: &[u8]) -> Result<T, String> {
        postcard::from_bytes(content)
            .map_err(|error| format!("it does not fit the types of this program: {error}"))
    }
}

pub(crate) fn read<W: Rollback + DeserializeOwned>(bytes: &[u8]) -> Result<Contents<W>, ReplayError> {
    let Some((header, _)) = bytes.split_at_checked(MAGIC.len() + 2) else {
        return Err(ReplayError::NotAReplay);
    };
    if !header.starts_with(MAGIC) {
        return Err(ReplayError::NotAReplay);
    }
    let found = u16::from_le_bytes([header[MAGIC.len()], header[MAGIC.len() + 1]]);
    if found != VERSION {
        return Err(ReplayError::OtherVersion { found });
    }
    let mut reader = Reader { bytes, at: header.len(), check: check(0, header, &[]) };
    let start = match reader.chunk() {
        Ok((START, content)) => Reader::content(content),
        Ok(_) => Err("it should be the start".to_owned()),
        Err(problem) => Err(problem),
    };
    let start: W = start
        .map_err(|problem| ReplayError::Unreadable(Damage { offset: header.len(), frames: 0, problem }))?;
    let mut contents =
        Contents { start, inputs: Vec::new(), digests: std::collections::BTreeMap::new(), damage: None };
    loop {
        let offset = reader.at;
        match next::<W>(&mut reader, &mut contents) {
            Ok(true) => {}
            Ok(false) => return Ok(contents),
            Err(problem) => {
                let frames = contents.inputs.len() as u32;
                contents.damage = Some(Damage { offset, frames, problem });
                return Ok(contents);
            }
        }
    }
}

/// Reads a chunk after the first; `false` after the last.
fn next<W: Rollback>(reader: &mut Reader<'_>, contents: &mut Contents<W>) -> Result<bool, String> {
    match reader.chunk()? {
        (PLAYED, content) => {
            let (inputs, digests): Played<W::Input> = Reader::content(content)?;
            contents.inputs.extend(inputs);
            contents.digests.extend(digests);
            Ok(true)
        }
        (END, content) => {
            let frames: u32 = Reader::content(content)?;
            if frames as usize != contents.inputs.len() {
                return Err(format!("{frames} frames were written"));
            }
            if reader.at != reader.bytes.len() {
                return Err("something follows the end".to_owned());
            }
            Ok(false)
        }
        (kind, _) => Err(format!("its kind is {kind}, which is not known")),
    }
}
