//! Scenes against plain `ron` on the same values, as ratios of one run. Run it with
//! `cargo bench -p std-scene --bench scene`; a number behind `--` is the count of entities.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use std_ecs::{Column, Columns, Entities, Entity, Hierarchy, World};
use std_scene::{
    Behaviours, Embedded, Limits, Loaded, Phase, Registry, Scene, SceneNode, attach_node, step_nodes,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Position {
    x: f32,
    y: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Velocity(f32, f32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Health(u32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Sprite {
    image: String,
    layer: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Bodies {
    positions: Column<Position>,
    velocities: Column<Velocity>,
    health: Column<Health>,
    sprites: Column<Sprite>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    bodies: Bodies,
    behaviours: Behaviours<Game>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Counter(u64);

impl SceneNode<Game> for Counter {
    #[inline(never)]
    fn process(&mut self, _: &mut Game, _: Entity, _: Duration) {
        self.0 += 1;
    }
}

type Row = (Position, Velocity, Health, Sprite);

fn row(number: u32) -> Row {
    let small = (number % 10_000) as u16;
    let x = f32::from(small) * 0.37;
    (
        Position { x, y: -x },
        Velocity(1.5, x / 3.0),
        Health(number),
        Sprite { image: "ship.png".to_owned(), layer: 3 },
    )
}

fn registry(entities: usize) -> Registry<Game> {
    let limits =
        Limits { entities: entities * 20, entity_depth: entities * 2, bytes: 1 << 30, ..Limits::default() };
    let mut registry = Registry::new().with_limits(limits);
    let add = |registry: &mut Registry<Game>| -> Result<(), std_scene::RegistryError> {
        registry.add::<Position>("Position")?.add::<Velocity>("Velocity")?;
        registry.add::<Health>("Health")?.add::<Sprite>("Sprite")?;
        Ok(())
    };
    add(&mut registry).expect("the names are good");
    registry
}

/// One entity as a scene has it, with or without the end of its parentheses.
fn entity(out: &mut String, number: u32) {
    let (Position { x, y }, Velocity(a, b), Health(health), Sprite { image, layer }) = row(number);
    let _ = write!(
        out,
        "    entity(\"e{number}\", Position(x: {x:?}, y: {y:?}), Velocity({a:?}, {b:?}), Health({health}), \
         Sprite(image: {image:?}, layer: {layer})"
    );
}

fn flat(entities: u32) -> String {
    let mut text = String::from("scene(\n    version(1),\n");
    for number in 0..entities {
        entity(&mut text, number);
        text.push_str("),\n");
    }
    text.push_str(")\n");
    text
}

fn deep(entities: u32) -> String {
    let mut text = String::from("scene(\n    version(1),\n");
    for number in 0..entities {
        entity(&mut text, number);
        text.push_str(",\n");
    }
    text.push_str(&")".repeat(entities as usize));
    text.push_str(")\n");
    text
}

/// A file of ten entities, and a scene that instances it so many times.
fn instanced(times: u32) -> Embedded {
    let mut base = String::from("scene(entity(\"base\",\n");
    for number in 1..10 {
        entity(&mut base, number);
        base.push_str("),\n");
    }
    let (Position { x, y }, ..) = row(0);
    let _ = write!(
        base,
        "Position(x: {x:?}, y: {y:?}), Velocity(1.0, 2.0), Health(1), Sprite(image: \"a.png\", layer: 1)))"
    );
    let mut text = String::from("scene(\n");
    for number in 0..times {
        let _ = writeln!(text, "    entity(\"i{number}\", instance(\"base.ron\")),");
    }
    text.push(')');
    Embedded::new().with("base.ron", base).with("level.ron", text)
}

/// The shortest of some runs.
fn shortest<T>(mut run: impl FnMut() -> T) -> Duration {
    (0..5)
        .map(|_| {
            let start = Instant::now();
            let result = run();
            let took = start.elapsed();
            drop(black_box(result));
            took
        })
        .min()
        .unwrap_or_default()
}

fn load(registry: &Registry<Game>, source: &Embedded) -> (Game, Loaded) {
    let mut game = Game::default();
    match registry.load(source, "level.ron", &mut game) {
        Ok(loaded) => (game, loaded),
        Err(errors) => panic!("{errors}"),
    }
}

fn ratio(name: &str, ours: Duration, theirs: Duration, bound: f64) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let verdict = if ratio <= bound { "within" } else { "above" };
    println!("{name:<52} {:>9.2} ms {:>9.2} ms {ratio:>7.3} x ({verdict} {bound})", ms(ours), ms(theirs));
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn main() {
    let count = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(100_000_u32);
    let registry = registry(count as usize);
    println!("{count} entities of four components; ours, the other, ratio");

    let rows: Vec<Row> = (0..count).map(row).collect();
    let ron_text = ron::to_string(&rows).expect("rows are plain");
    let ron_reads = shortest(|| ron::from_str::<Vec<Row>>(&ron_text).expect("it wrote it"));
    let ron_writes = shortest(|| ron::to_string(&rows).expect("rows are plain"));

    let flat_source = Embedded::new().with("level.ron", flat(count));
    let loads = shortest(|| load(&registry, &flat_source));
    ratio("load / ron reads", loads, ron_reads, 1.0);
    let reads = shortest(|| Scene::read(&flat_source, "level.ron", registry.limits()));
    println!("    of which reading and planning {:.2} ms", ms(reads));

    let (game, loaded) = load(&registry, &flat_source);
    let mut fresh = Loaded::empty("level.ron");
    for (number, entity) in loaded.entities().enumerate() {
        fresh.name(entity, format!("e{number}"));
    }
    let writes = shortest(|| registry.save_unread(&game, &fresh).expect("it can be saved"));
    ratio("fresh save / ron writes", writes, ron_writes, 1.5);
    let saves = shortest(|| registry.save(&game, &loaded).expect("it can be saved"));
    ratio("saving the unchanged / loading it", saves, loads, 0.25);

    let times = count / 10;
    let instances = instanced(times);
    let made = shortest(|| load(&registry, &instances));
    ratio("ten entities instanced over and over / ron reads", made, ron_reads, 0.1);

    let mut nodes = Game::default();
    for _ in 0..count {
        let entity = nodes.spawn();
        attach_node(&mut nodes, entity, Counter(0));
    }
    let step = shortest(|| step_nodes(&mut nodes, Phase::Process(Duration::ZERO)).expect("nobody sleeps"));
    let each = step.as_secs_f64() * 1e9 / f64::from(count);
    println!("a node: {each:.1} ns, with its call ({} 40)", if each <= 40.0 { "within" } else { "above" });

    // Nothing is quadratic: a hundred times as much takes about a hundred times as long.
    for (name, make) in [
        ("siblings", (|count| Embedded::new().with("level.ron", flat(count))) as fn(u32) -> Embedded),
        ("a chain", |count| Embedded::new().with("level.ron", deep(count))),
        ("instances", |count| instanced(count / 10)),
    ] {
        let per_entity = |count: u32| {
            let source = make(count);
            let load_time = shortest(|| load(&registry, &source));
            let (mut game, loaded) = load(&registry, &source);
            for (_, health) in &mut game.bodies.health {
                health.0 += 1;
            }
            let save_time = shortest(|| registry.save_unread(&game, &loaded).expect("it can be saved"));
            [load_time, save_time].map(|time| time.as_secs_f64() * 1e9 / f64::from(count))
        };
        let ([load_few, save_few], [load_many, save_many]) = (per_entity(count / 100), per_entity(count));
        println!(
            "{name:<10} load {load_few:>7.0} ns an entity among {}, {load_many:>7.0} among {count}; \
             save with every health changed {save_few:>7.0}, {save_many:>7.0}",
            count / 100
        );
    }
}
