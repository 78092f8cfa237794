//! Loads the level of `ecs-starter`, plays it, and reports what its snapshots cost.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use ecs_starter::{Game, Options, RATE, Replay, Report, Request, Scenes, USAGE, fleet, registry, schedule};
use std_ecs::Columns;
use std_scene::{Behaviour, FrameLoop, scene_command, walk};

/// How many steps the program goes back.
const ROLLBACK: u64 = 300;

fn main() -> ExitCode {
    let done = match Request::parse(std::env::args().skip(1)) {
        Ok(Request::Help) => {
            println!("{USAGE}");
            Ok(true)
        }
        Ok(Request::Scene(words)) => check_scenes(&words),
        Ok(Request::Run(options)) => play(options).map(|()| true),
        Err(error) => {
            eprintln!("ecs-starter: {error}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("ecs-starter: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `scene check` and `scene fmt`, which know the components of this program. False if a file is not good.
fn check_scenes(words: &[String]) -> Result<bool, Box<dyn Error>> {
    let registry = registry()?;
    Ok(scene_command(words, |scene| registry.check(scene, &Game::default())))
}

fn play(Options { entities, steps }: Options) -> Result<(), Box<dyn Error>> {
    let scenes = Scenes::read()?;
    let mut game = Game::default();
    let level = scenes.load("level.ron", &mut game)?;
    println!("loaded: {} entities of {} files", level.scene().len(), level.scene().files().count());

    let ship = level.entity("ship").ok_or("the level has no ship")?;
    let node = game.get::<Behaviour<Game>>(ship).and_then(Behaviour::node).ok_or("the ship has no node")?;
    let tree: Vec<String> = walk(node).iter().map(|node| node.name()).collect();
    println!("tree: {tree:?}");

    // What would the nodes say after half a second in one step? A clone of the world is enough to find out.
    let mut fork = game.clone();
    FrameLoop::new(schedule(2, &scenes)?).frame(&mut fork, Duration::from_millis(500))?;
    println!("one frame: {:?}", fork.arena.said.iter().collect::<Vec<_>>());

    fleet(&mut game, entities);
    let mut replay = Replay::new(game, schedule(RATE, &scenes)?, steps);
    for _ in 0..steps {
        replay.step()?;
    }
    let rollback = replay.again(ROLLBACK)?;
    print!("{}", Report::new(&replay, &rollback));
    Ok(())
}
