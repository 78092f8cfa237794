//! The arena as text.

use std::fmt::Write;

use fixed::types::I16F16;
use std_ecs::pairs;

use crate::arena::{Arena, HEIGHT, Position, WIDTH};

/// Draws the arena with a frame around it, and the score below.
pub(crate) fn draw(arena: &Arena, frame: i32, line: &str) -> String {
    let (columns, rows) = (WIDTH as usize + 1, HEIGHT as usize + 1);
    let mut cells = vec![vec![' '; columns]; rows];
    let mut put = |position: &Position, sign: char| {
        let cell = |place: I16F16, end: usize| place.max(I16F16::ZERO).to_num::<usize>().min(end - 1);
        cells[cell(position.y, rows)][cell(position.x, columns)] = sign;
    };
    for (_, _, position) in pairs(&arena.fights.shots, &arena.motions.positions) {
        put(position, '.');
    }
    for (_, _, position) in pairs(&arena.fights.orbs, &arena.motions.positions) {
        put(position, 'o');
    }
    for (_, fighter, position) in pairs(&arena.fights.fighters, &arena.motions.positions) {
        put(position, ['A', 'B', 'C', 'D'][fighter.player % 4]);
    }
    let mut text = format!("+{}+\n", "-".repeat(columns));
    for row in cells {
        let _ = writeln!(text, "|{}|", row.into_iter().collect::<String>());
    }
    let _ = writeln!(text, "+{}+", "-".repeat(columns));
    let scores: Vec<String> = (0..)
        .zip(arena.fights.scores.iter())
        .map(|(player, score)| format!("{} {score}", ['A', 'B', 'C', 'D'][player % 4]))
        .collect();
    let _ = writeln!(text, "frame {frame}   hits: {}   {line}", scores.join("  "));
    text
}
