//! Replays: playing, seeking, and files that were cut off or changed.

mod duel;

use std::time::{Duration, Instant};

use duel::{Duel, keys};
use std_ecs::digest;
use std_rollback::{InputStatus, Recorder, Replay, ReplayError, Rollback};

fn recorded(frames: u32) -> (Recorder<Duel>, Vec<u128>) {
    let mut duel = Duel::new(9);
    let mut recorder = Recorder::new(&duel);
    let mut digests = vec![digest(&duel)];
    for frame in 0..frames {
        let inputs = [0, 1].map(|player| (keys(frame, player), InputStatus::Confirmed));
        let frame = frame.cast_signed();
        recorder.step(frame, &inputs);
        duel.step(&inputs);
        digests.push(digest(&duel));
        recorder.digest(frame + 1, digest(&duel));
        recorder.confirm(frame);
    }
    (recorder, digests)
}

#[test]
fn a_replay_plays_and_seeks_to_any_frame() {
    let (recorder, digests) = recorded(400);
    let mut replay = Replay::<Duel>::from_bytes(&recorder.to_bytes().unwrap()).unwrap();
    assert_eq!((replay.frames(), replay.damage()), (400, None));
    for frame in [400, 0, 61, 60, 59, 399, 1, 250, 251] {
        let world = replay.seek(frame).unwrap();
        assert_eq!(digest(world), digests[frame as usize], "frame {frame}");
        assert_eq!(replay.frame(), frame);
    }
    let error = replay.seek(401).unwrap_err();
    assert_eq!(error.to_string(), "frame 401 was not recorded: the replay has frames 0 to 400");
}

#[test]
fn a_seek_back_in_a_long_replay_takes_less_than_a_second() {
    let (recorder, digests) = recorded(4_000);
    let mut replay = Replay::<Duel>::from_bytes(&recorder.to_bytes().unwrap()).unwrap();
    replay.seek(4_000).unwrap();
    let start = Instant::now();
    assert_eq!(digest(replay.seek(3_599).unwrap()), digests[3_599]);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn inputs_that_are_not_final_are_not_recorded() {
    let (mut recorder, _) = recorded(10);
    let predicted = [(keys(1, 0), InputStatus::Predicted); 2];
    recorder.step(10, &predicted);
    recorder.step(3, &predicted);
    assert_eq!(recorder.frames(), 10);
    let (_, digests) = recorded(10);
    let mut replay = Replay::<Duel>::from_bytes(&recorder.to_bytes().unwrap()).unwrap();
    assert_eq!(digest(replay.seek(10).unwrap()), digests[10]);
    assert!(matches!(replay.seek(11), Err(ReplayError::NotRecorded { .. })));
}

#[test]
fn a_file_that_is_cut_off_plays_up_to_there() {
    let (recorder, digests) = recorded(150);
    let file = recorder.to_bytes().unwrap();
    let mut lengths = Vec::new();
    for length in 0..file.len() {
        match Replay::<Duel>::from_bytes(&file[..length]) {
            Ok(mut replay) => {
                let damage = replay.damage().unwrap().clone();
                assert!(damage.to_string().contains("the file is cut off"), "{damage}");
                assert!(damage.offset <= length && damage.frames == replay.frames());
                let frames = replay.frames();
                if !lengths.contains(&frames) {
                    assert_eq!(digest(replay.seek(frames).unwrap()), digests[frames as usize]);
                }
                let beyond = replay.seek(frames + 1).unwrap_err();
                assert!(
                    beyond.to_string().contains(&format!("damaged at byte {}", damage.offset)),
                    "{beyond}"
                );
                lengths.push(frames);
            }
            Err(error) => assert!(lengths.is_empty(), "{error}"),
        }
    }
    lengths.dedup();
    assert_eq!(lengths, [0, 60, 120, 150]);
}

#[test]
fn every_flipped_bit_is_found_and_everything_before_it_plays() {
    let (recorder, digests) = recorded(130);
    let file = recorder.to_bytes().unwrap();
    let mut played = Vec::new();
    for bit in 0..file.len() * 8 {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        match Replay::<Duel>::from_bytes(&damaged) {
            Ok(mut replay) => {
                let damage = replay.damage().expect("the damage is found").clone();
                assert!(damage.offset <= bit / 8, "bit {bit}: {damage}");
                let frames = replay.frames();
                if !played.contains(&frames) {
                    played.push(frames);
                    assert_eq!(digest(replay.seek(frames).unwrap()), digests[frames as usize], "bit {bit}");
                }
            }
            Err(ReplayError::NotAReplay) => assert!(bit / 8 < 9),
            Err(ReplayError::OtherVersion { .. }) => assert!(bit / 8 < 11),
            Err(ReplayError::Unreadable(damage)) => assert_eq!((damage.offset, damage.frames), (11, 0)),
            Err(error) => panic!("bit {bit}: {error}"),
        }
    }
}

#[test]
fn chunks_that_are_left_out_or_follow_the_end_are_found() {
    let (short, long) = (recorded(60).0.to_bytes().unwrap(), recorded(120).0.to_bytes().unwrap());
    let mut longer = short.clone();
    longer.push(0);
    let replay = Replay::<Duel>::from_bytes(&longer).unwrap();
    assert!(replay.damage().unwrap().problem.contains("follows the end"));
    // The two files are equal up to the end of the sixtieth frame, where the short one ends.
    let equal = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let spliced = [&long[..equal], &short[equal..], &long[equal..]].concat();
    assert!(Replay::<Duel>::from_bytes(&spliced).unwrap().damage().is_some());
}

#[test]
fn a_program_that_plays_differently_now_is_found() {
    let (mut recorder, _) = recorded(100);
    recorder.digest(50, 1);
    let mut replay = Replay::<Duel>::from_bytes(&recorder.to_bytes().unwrap()).unwrap();
    let error = replay.seek(100).unwrap_err();
    assert!(matches!(error, ReplayError::Diverged { frame: 50, recorded: 1, .. }), "{error}");
    assert_eq!(replay.frame(), 49);
}
