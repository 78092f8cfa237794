//! How do I do rollback netcode?
//!
//! Each peer runs the game without waiting: it guesses that the others go on with what they last did. When
//! what they really did arrives and was guessed wrong, the peer assigns the world of that tick and runs the
//! ticks since then again. `History` keeps those
//! worlds: a clone a tick.
//!
//! Run it with `cargo run --example lockstep`.

use std_ecs::{Column, Columns, Entities, History, Single, World, query};

const PLAYERS: usize = 2;
const TICKS: usize = 300;
/// How many ticks an input takes to the other peer.
const DELAY: usize = 7;

/// Where a player steers in a tick: -1, 0 or 1.
type Input = i8;

/// Whose ship it is, where it is, and how fast. Whole numbers are the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ship {
    player: usize,
    place: i32,
    speed: i32,
}

#[derive(Clone, Debug, PartialEq)]
struct Mine {
    place: i32,
    fuse: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Fleet {
    ships: Column<Ship>,
    mines: Column<Mine>,
    ticks: Single<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    fleet: Fleet,
}

fn start() -> Game {
    let mut game = Game::default();
    for player in 0..PLAYERS {
        game.spawn_with((Ship { player, place: 0, speed: 0 },));
    }
    game
}

/// One tick: ships steer and move, drop a mine now and then, and mines burn down.
fn tick(game: &mut Game, inputs: [Input; PLAYERS]) {
    *game.fleet.ticks += 1;
    query(&mut game.fleet.ships).for_each(|(_, ship)| {
        ship.speed += i32::from(inputs[ship.player]);
        ship.place += ship.speed;
    });
    for (_, mine) in &mut game.fleet.mines {
        mine.fuse -= 1;
    }
    for (entity, _) in game.fleet.mines.clone().iter().filter(|(_, mine)| mine.fuse == 0) {
        game.despawn(entity);
    }
    for (_, ship) in &game.fleet.ships.clone() {
        if inputs[ship.player] == 0 {
            game.spawn_with((Mine { place: ship.place, fuse: 20 },));
        }
    }
}

/// What a player does, which only its own peer knows at once.
fn steer(player: usize, at: usize) -> Input {
    [[1, 0, -1, -1, 0, 1, 1, -1], [0, -1, 1, 0, 1, 0, -1, -1]][player][at / 11 % 8]
}

/// One machine: the game, the game before each of the last ticks, and what it knows of the inputs.
struct Peer {
    player: usize,
    game: Game,
    history: History<Game>,
    inputs: Vec<[Input; PLAYERS]>,
    rollbacks: usize,
}

impl Peer {
    fn new(player: usize) -> Self {
        Self { player, game: start(), history: History::new(DELAY + 1), inputs: Vec::new(), rollbacks: 0 }
    }

    /// Runs the next tick with its own input and a guess for the others.
    fn advance(&mut self) {
        let mut inputs = self.inputs.last().copied().unwrap_or_default();
        inputs[self.player] = steer(self.player, self.inputs.len());
        self.inputs.push(inputs);
        self.run(self.inputs.len() - 1);
    }

    /// Runs a tick with the inputs that it knows or guesses.
    fn run(&mut self, at: usize) {
        self.history.record(at as u64, &self.game);
        tick(&mut self.game, self.inputs[at]);
    }

    /// Learns what another player did in a tick that this peer has run already.
    fn receive(&mut self, player: usize, at: usize, input: Input) {
        if self.inputs[at][player] == input {
            return;
        }
        self.rollbacks += 1;
        // The new guess is that the player has gone on like this.
        for inputs in &mut self.inputs[at..] {
            inputs[player] = input;
        }
        self.game = self.history.rewind_to(at as u64).expect("no input is later than the history is long");
        for at in at..self.inputs.len() {
            self.run(at);
        }
    }
}

fn main() {
    let mut peers = [0, 1].map(Peer::new);
    for now in 0..TICKS + DELAY {
        for peer in &mut peers {
            if now < TICKS {
                peer.advance();
            }
            if let Some(at) = now.checked_sub(DELAY) {
                let other = 1 - peer.player;
                peer.receive(other, at, steer(other, at));
            }
        }
    }

    let mut server = start();
    for at in 0..TICKS {
        tick(&mut server, [steer(0, at), steer(1, at)]);
    }
    for peer in &peers {
        println!(
            "peer {}: {} ticks, {} rollbacks, {} entities at the end",
            peer.player,
            peer.inputs.len(),
            peer.rollbacks,
            peer.game.entities.len()
        );
        assert!(peer.rollbacks > 0);
        assert_eq!(peer.game, server);
    }
    println!("both peers have the world of a game in which every input was known at once");
}
