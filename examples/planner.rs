//! How does a computer player look ahead?
//!
//! It clones the world, lets the future happen in the clone, and throws it away. The systems are those of
//! the game itself, so the plan cannot disagree with what will happen.
//!
//! Run it with `cargo run --example planner`.

use std_ecs::{Column, Columns, Entities, Entity, World, pairs};

/// A place on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place(i32);

/// A wolf takes a step towards the rabbit in every turn.
#[derive(Clone, Debug, PartialEq)]
struct Wolf;

/// What the rabbit is after.
#[derive(Clone, Debug, PartialEq)]
struct Carrot;

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Meadow {
    places: Column<Place>,
    wolves: Column<Wolf>,
    carrots: Column<Carrot>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    meadow: Meadow,
}

const MOVES: [i32; 3] = [0, -2, 2];

/// One turn: the rabbit moves and eats, then the wolves move and bite.
fn turn(game: &mut Game, rabbit: Entity, by: i32) {
    let Some(place) = game.get_mut::<Place>(rabbit) else { return };
    place.0 += by;
    let target = *place;
    for (carrot, _, &place) in pairs(&game.meadow.carrots.clone(), &game.meadow.places.clone()) {
        if (place.0 - target.0).abs() <= 1 {
            game.despawn(carrot);
        }
    }
    let mut is_caught = false;
    pairs(&game.meadow.wolves, &mut game.meadow.places).for_each(|(_, _, place)| {
        place.0 += (target.0 - place.0).signum();
        is_caught |= *place == target;
    });
    if is_caught {
        game.despawn(rabbit);
    }
}

/// How good a world is for the rabbit: to be alive is everything, each carrot left is a pity.
fn worth(game: &Game, rabbit: Entity) -> i32 {
    let left = game.meadow.carrots.iter().map(|_| 1).sum::<i32>();
    if game.is_alive(rabbit) { 100 - left } else { -left }
}

/// The best that can come of this world within some turns, added up over the turns so that sooner is better,
/// with the first move on the way there. Of equals the first counts. `tried` counts the worlds.
fn plan(game: &Game, rabbit: Entity, turns: u32, tried: &mut usize) -> (i32, i32) {
    if turns == 0 || !game.is_alive(rabbit) {
        return (worth(game, rabbit), 0);
    }
    let mut best = (i32::MIN, 0);
    for by in MOVES {
        let mut future = game.clone();
        turn(&mut future, rabbit, by);
        *tried += 1;
        let (worth, _) = plan(&future, rabbit, turns - 1, tried);
        if worth > best.0 {
            best = (worth, by);
        }
    }
    (best.0 + worth(game, rabbit), best.1)
}

/// Plays some turns with a rabbit that looks so many turns ahead. Answers the game at the end, the rabbit,
/// and how many worlds were tried.
fn play(ahead: u32) -> (Game, Entity, usize) {
    let mut game = Game::default();
    let rabbit = game.spawn_with((Place(0),));
    game.spawn_batch([2, -7, -10, -13].map(|place| (Place(place), Carrot)));
    game.spawn_batch([7, -30].map(|place| (Place(place), Wolf)));
    let mut tried = 0;
    for _ in 0..9 {
        let untouched = game.clone();
        let (_, by) = plan(&game, rabbit, ahead, &mut tried);
        assert_eq!(game, untouched, "looking ahead changes nothing");
        turn(&mut game, rabbit, by);
    }
    (game, rabbit, tried)
}

fn main() {
    let mut outcomes = Vec::new();
    for ahead in 1..=6 {
        let (game, rabbit, tried) = play(ahead);
        let (is_alive, left) = (game.is_alive(rabbit), game.meadow.carrots.len());
        let fate = if is_alive { "lives" } else { "is caught" };
        println!("{ahead} turns ahead: {tried:>5} worlds tried, the rabbit {fate}, {left} carrots are left");
        outcomes.push(worth(&game, rabbit));
    }
    assert!(outcomes[5] > outcomes[0], "it pays to look ahead");
}
