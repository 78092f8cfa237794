//! The players: what each does depends on the seed, the frame and who it is.

use crate::arena::Keys;

/// Mixes bits so that neighbouring numbers come out far apart.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The input of a player in a frame: a direction that is kept for a while, and shots now and then.
pub(crate) fn keys(seed: u64, frame: u32, player: usize) -> Keys {
    let whose = mix(seed ^ mix(player as u64 + 1));
    let pause = 9 + (whose % 14) as u32;
    let direction = mix(whose ^ u64::from(frame / pause));
    let moment = mix(whose.rotate_left(17) ^ u64::from(frame));
    Keys { x: (direction % 3) as i8 - 1, y: (direction / 3 % 3) as i8 - 1, fire: moment.is_multiple_of(5) }
}
