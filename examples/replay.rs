//! How do I record a game, and jump to any moment of it?
//!
//! Keep what the players did, and a world every so often. To see a moment, take the last world before it and
//! run what is missing. Worlds share what did not change between them, so keeping many is cheap.
//!
//! Run it with `cargo run --example replay`.

use std_ecs::{Column, Columns, Entities, Single, World, query};

/// One of the two things that a player can do in a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Input {
    Plant,
    Wait,
}

/// The height of a tree.
#[derive(Clone, Debug, PartialEq)]
struct Height(u32);

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Trees {
    heights: Column<Height>,
    ticks: Single<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Garden {
    entities: Entities,
    trees: Trees,
}

/// One tick. Whatever it reads is in the world or in the input, so the same ticks make the same garden.
fn tick(garden: &mut Garden, input: Input) {
    *garden.trees.ticks += 1;
    query(&mut garden.trees.heights).for_each(|(_, height)| height.0 += 1);
    for (tree, height) in &garden.trees.heights.clone() {
        if height.0 > 40 {
            garden.despawn(tree);
        }
    }
    if input == Input::Plant {
        garden.spawn_with((Height(0),));
    }
}

/// Everything that is needed to see any moment of a game again.
struct Recording {
    inputs: Vec<Input>,
    /// The garden before tick 0, before tick [`Recording::EVERY`], and so on.
    gardens: Vec<Garden>,
}

impl Recording {
    const EVERY: usize = 50;

    fn of(inputs: Vec<Input>) -> Self {
        let mut garden = Garden::default();
        let mut gardens = Vec::new();
        for (at, &input) in inputs.iter().enumerate() {
            if at.is_multiple_of(Self::EVERY) {
                gardens.push(garden.clone());
            }
            tick(&mut garden, input);
        }
        Self { inputs, gardens }
    }

    /// The garden after so many ticks, and how many of them had to be run for that.
    fn after(&self, ticks: usize) -> (Garden, usize) {
        let kept = (ticks / Self::EVERY).min(self.gardens.len() - 1);
        let mut garden = self.gardens[kept].clone();
        let missing = &self.inputs[kept * Self::EVERY..ticks];
        for &input in missing {
            tick(&mut garden, input);
        }
        (garden, missing.len())
    }
}

fn main() {
    let inputs: Vec<Input> =
        (0..1_000).map(|at| if at % 3 == 0 || at % 7 == 0 { Input::Plant } else { Input::Wait }).collect();
    let recording = Recording::of(inputs.clone());
    println!("{} ticks recorded, {} gardens kept", inputs.len(), recording.gardens.len());

    // Forwards, backwards, anywhere.
    for ticks in [0, 49, 50, 777, 123, 1_000] {
        let (garden, run) = recording.after(ticks);
        println!("after {ticks:>4} ticks: {:>2} trees ({run} ticks were run)", garden.entities.len());
        assert!(run <= Recording::EVERY);

        let mut expected = Garden::default();
        for &input in &inputs[..ticks] {
            tick(&mut expected, input);
        }
        assert_eq!(garden, expected);
        assert_eq!(*garden.trees.ticks as usize, ticks);
    }
}
