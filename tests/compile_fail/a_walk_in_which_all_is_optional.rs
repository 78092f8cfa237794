use std_ecs::{Column, optional, pairs, query};

fn main() {
    let (one, mut other) = (Column::<u32>::default(), Column::<f32>::default());
    for (_, one) in query(optional(&one)) {
        let _ = one;
    }
    for (_, one, other) in pairs(optional(&one), optional(&mut other)) {
        let _ = (one, other);
    }
}
