//! What a system declared is what it gets: everything else is refused with the line to add.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use std_ecs::{
    Column, Columns, Entities, Events, Hierarchy, Parent, Reader, Schedule, Single, Stage, Store, System,
    World, optional, pairs, query, triples,
};

#[derive(Clone, Debug, PartialEq)]
struct Position(i32);

#[derive(Clone, Debug, PartialEq)]
struct Velocity(i32);

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Motions {
    positions: Column<Position>,
    velocities: Column<Velocity>,
    gravity: Single<i32>,
    wind: Single<i32>,
    name: Single<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Hit(i32);

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Fights {
    hits: Events<Hit>,
    seen: Single<Reader<Hit>>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Game {
    entities: Entities,
    hierarchy: Hierarchy,
    motions: Motions,
    fights: Fights,
}

type Touch = fn(&mut Game);

const FRAME: Duration = Duration::from_millis(16);

fn game() -> Game {
    let mut game = Game::default();
    for number in 0..3 {
        game.spawn_with((Position(number), Velocity(1)));
    }
    *game.motions.gravity = 9;
    let [first, second, third] = game.entities.iter().collect::<Vec<_>>()[..] else { unreachable!() };
    assert!(game.attach(second, Parent::of(first)) && game.attach(third, Parent::of(second)));
    game.fights.hits.emit(Hit(1));
    game
}

fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap()
}

/// What running this system panics with, alone and beside another one; the world is whole afterwards.
fn refused(system: impl Fn() -> System<Game>) -> String {
    let mut messages = Vec::new();
    for parallel in [false, true] {
        let mut schedule = Schedule::new();
        schedule.set_parallel(parallel);
        schedule.add(Stage::Update, System::new("bystander", |_, _| {})).unwrap();
        schedule.add(Stage::Update, system()).unwrap();
        let mut world = game();
        for _ in 0..2 {
            let run = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world, FRAME)));
            messages.push(run.map_or_else(|payload| message(&*payload), |_| "not refused".to_owned()));
            assert!(world.has::<Velocity>(world.entities.iter().next().unwrap()), "the column is back");
            assert_eq!((*world.motions.gravity, world.entities.len()), (9, 3));
            world.check().unwrap();
        }
    }
    let first = messages.swap_remove(0);
    assert!(messages.iter().all(|message| *message == first), "{first} / {messages:?}");
    assert!(first.contains("system \"liar\""), "{first}");
    first
}

/// Runs this system, which is honest.
fn accepted(system: System<Game>) -> Game {
    let mut schedule = Schedule::new();
    schedule.add(Stage::Update, system).unwrap();
    let mut world = game();
    schedule.run(&mut world, FRAME);
    schedule.run(&mut world, FRAME);
    world.check().unwrap();
    world
}

fn liar(run: fn(&mut Game)) -> System<Game> {
    System::new("liar", move |game: &mut Game, _| run(game))
}

#[track_caller]
fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
}

#[test]
fn touching_an_undeclared_column_says_which_line_to_add() {
    let touches: [fn(&mut Game); 12] = [
        |game| _ = game.column_of::<Velocity>().iter(),
        |game| _ = game.column_of_mut::<Velocity>().iter_mut(),
        |game| assert_eq!(game.column_of::<Velocity>().len(), 3),
        |game| assert!(!game.column_of::<Velocity>().is_empty()),
        |game| {
            let velocities = game.column_of::<Velocity>().clone();
            _ = velocities.chunks();
        },
        |game| _ = game.column_of::<Velocity>().owners(),
        |game| _ = game.column_of::<Velocity>().changed_since(0),
        |game| assert!(game.column_of::<Velocity>().clock() > 0),
        |game| game.column_of_mut::<Velocity>().clear(),
        |game| game.column_of_mut::<Velocity>().retain(|_, _| false),
        |game| game.motions.velocities.sort_by(|a, b| a.0.cmp(&b.0)),
        |game| game.lend::<Velocity, _>(|velocities, _| _ = velocities.iter()),
    ];
    for touch in touches {
        let said = refused(|| liar(touch).writes::<Position>());
        assert_says(&said, &["Velocity", ".reads::<Velocity>()", ".writes::<Velocity>()"]);
    }
    let rows: [fn(&mut Game, std_ecs::Entity); 5] = [
        |game, entity| assert!(game.has::<Velocity>(entity)),
        |game, entity| assert!(game.get::<Velocity>(entity).is_some()),
        |game, entity| assert!(game.get_mut::<Velocity>(entity).is_some()),
        |game, entity| assert!(game.remove::<Velocity>(entity).is_some()),
        |game, entity| assert!(game.attach(entity, Velocity(3))),
    ];
    for touch in rows {
        let said = refused(|| {
            let run = move |game: &mut Game, _| {
                let entity = game.column_of::<Position>().owners().next().unwrap();
                touch(game, entity);
            };
            System::new("liar", run).reads::<Position>()
        });
        assert_says(&said, &["Velocity", ".reads::<Velocity>()", ".writes::<Velocity>()"]);
    }
}

#[test]
fn a_query_of_an_undeclared_column_is_refused_wherever_it_stands() {
    let walks: [Touch; 12] = [
        |game| _ = query(&game.motions.velocities).count(),
        |game| query(&mut game.motions.velocities).for_each(|_| ()),
        |game| for _ in pairs(&game.motions.positions, &game.motions.velocities) {},
        |game| for _ in pairs(&game.motions.velocities, &mut game.motions.positions) {},
        |game| pairs(&mut game.motions.positions, &mut game.motions.velocities).for_each(|_| ()),
        |game| for _ in pairs(&game.motions.positions, optional(&game.motions.velocities)) {},
        |game| for _ in query(&game.motions.positions).with(&game.motions.velocities) {},
        |game| for _ in query(&mut game.motions.positions).without(&game.motions.velocities) {},
        |game| {
            for _ in triples(&game.motions.positions, &game.motions.positions, &game.motions.velocities) {}
        },
        |game| game.motions.positions.sort_as(&game.motions.velocities),
        |game| assert!(game.motions.velocities == Column::default()),
        |game| assert!(format!("{:?}", game.motions).is_empty()),
    ];
    for (number, walk) in walks.into_iter().enumerate() {
        let said = refused(|| liar(walk).writes::<Position>());
        assert!(said.contains(".reads::<Velocity>()"), "{number}: {said}");
        accepted_or_asserts(liar(walk).writes_part(|game| &mut game.motions), number >= 10);
    }
}

/// Runs this system, which is honest; its own assertion fails, if it has one.
fn accepted_or_asserts(system: System<Game>, asserts: bool) {
    let run = catch_unwind(AssertUnwindSafe(|| accepted(system)));
    assert_eq!(run.is_err(), asserts);
    assert!(run.err().is_none_or(|payload| message(&*payload).starts_with("assertion failed")));
}

#[test]
fn a_batch_spawned_into_an_undeclared_column_is_refused() {
    let spawn: Touch = |game| _ = game.spawn_batch([(Velocity(1),), (Velocity(2),)]);
    assert_says(&refused(|| liar(spawn).writes::<Velocity>()), &[".spawns()"]);
    let attach: Touch = |game| {
        let owner = root(game);
        game.column_of_mut::<Velocity>().extend([(owner, Velocity(1))]);
    };
    assert_says(&refused(|| liar(attach).writes::<Position>()), &[".writes::<Velocity>()"]);
    let mut schedule = Schedule::new();
    schedule.add(Stage::Update, liar(spawn).writes::<Position>().spawns()).unwrap();
    let run = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut game(), FRAME)));
    assert_says(&message(&*run.unwrap_err()), &[".writes::<Velocity>()"]);
    assert_eq!(accepted(liar(spawn).writes::<Velocity>().spawns()).entities.len(), 7);
}

#[test]
fn an_undeclared_hierarchy_is_refused_wherever_it_is_touched() {
    let touches: [Touch; 11] = [
        |game| _ = game.hierarchy.children(root(game)).count(),
        |game| _ = game.hierarchy.parent(root(game)),
        |game| _ = game.hierarchy.ancestors(root(game)).count(),
        |game| _ = game.hierarchy.descendants(root(game)).count(),
        |game| _ = game.hierarchy.roots().count(),
        |game| _ = game.hierarchy.depth_order(&game.motions.positions),
        |game| _ = game.has::<Parent>(root(game)),
        |game| _ = game.column_of::<Parent>().len(),
        |game| _ = game.remove::<Parent>(last(game)),
        |game| _ = game.attach(last(game), Parent::of(root(game))),
        |game| _ = game.hierarchy.set_parent(last(game), root(game)),
    ];
    for (number, touch) in touches.into_iter().enumerate() {
        let said = refused(|| liar(touch).writes::<Position>());
        assert!(said.contains(".reads::<Parent>()"), "{number}: {said}");
        let world = accepted(liar(touch).writes::<Position>().writes::<Parent>());
        assert_eq!(world.hierarchy.children(root(&world)).count(), if number > 8 { 2 } else { 1 });
        if number >= 8 {
            let said = refused(|| liar(touch).reads::<Position>().reads::<Parent>());
            assert_says(&said, &["wrote", "Parent (hierarchy)", "declared as read"]);
        } else {
            accepted(liar(touch).reads::<Position>().reads::<Parent>());
        }
    }
}

fn root(game: &Game) -> std_ecs::Entity {
    game.column_of::<Position>().owners().next().unwrap()
}

fn last(game: &Game) -> std_ecs::Entity {
    game.column_of::<Position>().owners().last().unwrap()
}

#[test]
fn undeclared_events_are_refused_wherever_they_are_touched() {
    let touches: [Touch; 7] = [
        |game| _ = game.fights.hits.len(),
        |game| _ = game.fights.hits.iter().count(),
        |game| _ = game.fights.hits.read(&mut Reader::from_start()).count(),
        |game| _ = Reader::from_now(&game.fights.hits),
        |game| assert!(!game.fights.hits.is_empty()),
        |game| game.fights.hits.emit(Hit(2)),
        |game| game.fights.hits.extend([Hit(2), Hit(3)]),
    ];
    for (number, touch) in touches.into_iter().enumerate() {
        let said = refused(|| liar(touch).writes::<Position>());
        let line = ".reads_part(|world| &mut world.fights.hits)";
        assert!(said.contains(line) && said.contains("Hit"), "{number}: {said}");
        if number >= 5 {
            let said = refused(|| liar(touch).reads_part(|game| &mut game.fights.hits));
            assert_says(&said, &["wrote", "(fights.hits)", "declared as read"]);
        } else {
            accepted(liar(touch).reads_part(|game| &mut game.fights.hits));
        }
        accepted(liar(touch).writes_part(|game| &mut game.fights.hits));
    }
}

#[test]
fn a_reader_is_written_by_reading() {
    let read = |game: &mut Game| {
        let Fights { hits, seen } = &mut game.fights;
        assert!(hits.read(seen).count() <= 1);
    };
    let declared = || liar(read).reads_part(|game| &mut game.fights.hits);
    assert_says(&refused(declared), &["fights.seen"]);
    assert_says(&refused(|| declared().reads_part(|game| &mut game.fights.seen)), &["declared as read"]);
    accepted(declared().writes_part(|game| &mut game.fights.seen));
}

#[test]
fn touching_an_undeclared_single_says_which_line_to_add() {
    let touches: [fn(&mut Game); 4] = [
        |game| assert!(!game.motions.name.is_empty()),
        |game| game.motions.name.push('x'),
        |game| assert!(format!("{:?}", game.motions.name).is_empty()),
        |game| assert!(game.motions.name == Single::new(String::new())),
    ];
    for touch in touches {
        let said = refused(|| liar(touch).writes::<Velocity>());
        assert_says(
            &said,
            &["String", ".reads_part(|world| &mut world.motions.name)", ".writes_part(", "motions.name"],
        );
    }
    let said = refused(|| liar(|game| *game.motions.wind += 1));
    assert_says(&said, &["motions.gravity or motions.wind"]);
}

#[test]
fn a_write_to_what_was_declared_as_read_is_found() {
    let writes: [fn(&mut Game); 8] = [
        |game| game.motions.velocities.iter_mut().for_each(|(_, velocity)| velocity.0 = 7),
        |game| {
            let entity = game.column_of::<Velocity>().owners().last().unwrap();
            game.get_mut::<Velocity>(entity).unwrap().0 = 7;
        },
        |game| {
            let entity = game.column_of::<Velocity>().owners().last().unwrap();
            game.remove::<Velocity>(entity);
            assert!(game.attach(entity, Velocity(1)), "the value is the same and the row is not");
        },
        |game| game.motions.velocities.clear(),
        |game| game.motions.velocities = Column::default(),
        |game| game.motions = Motions::default(),
        |game| *game.column_of_mut() = Column::<Velocity>::default(),
        |game| *game = Game::default(),
    ];
    for write in writes {
        let said = refused(|| liar(write).reads::<Velocity>());
        assert_says(&said, &["Velocity (motions.velocities)", "declared as read", ".writes::<Velocity>()"]);
    }
    let said =
        refused(|| liar(|game| *game.motions.gravity = 1).reads_part(|game| &mut game.motions.gravity));
    assert_says(&said, &["(motions.gravity)", "declared as read", ".writes_part(..)"]);
}

#[test]
fn replacing_undeclared_storage_is_found() {
    let replacements: [(Touch, &[&str]); 5] = [
        (|game| game.motions.velocities = Column::default(), &["Velocity (motions.velocities)"]),
        (|game| *game.column_of_mut() = Column::<Velocity>::default(), &["Velocity (motions.velocities)"]),
        (|game| game.motions.wind = Single::new(4), &["i32 (motions.wind)"]),
        (|game| *game.entities_mut() = Entities::default(), &["Entity (entities)"]),
        (|game| *game = Game::default(), &["(motions.velocities)", "(motions.wind)", "(entities)"]),
    ];
    for (replace, parts) in replacements {
        assert_says(&refused(|| liar(replace).writes::<Position>()), parts);
        assert_says(&refused(|| liar(replace).writes::<Position>()), &["which it did not declare"]);
    }
}

#[test]
fn a_stand_in_never_stays_in_the_world_unnoticed() {
    let swap = |game: &mut Game| std::mem::swap(&mut game.motions.gravity, &mut game.motions.wind);
    let mut schedule = Schedule::new();
    schedule.add(Stage::Update, liar(swap).writes_part(|game| &mut game.motions.gravity)).unwrap();
    let mut world = game();
    let run = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world, FRAME)));
    assert_says(&message(&*run.unwrap_err()), &["\"liar\" exchanged", "motions.gravity", "did not declare"]);
    accepted(
        liar(swap).writes_part(|game| &mut game.motions.gravity).writes_part(|game| &mut game.motions.wind),
    );
}

#[test]
fn spawning_has_to_be_declared() {
    let spawns: [fn(&mut Game); 3] = [
        |game| _ = game.spawn(),
        |game| drop(game.entities_mut().spawn_many(3)),
        |game| _ = game.spawn_with((Position(1),)),
    ];
    for spawn in spawns {
        assert_says(&refused(|| liar(spawn).writes::<Position>()), &["spawned an entity", ".spawns()"]);
        let world = accepted(liar(spawn).writes::<Position>().spawns());
        assert!(world.entities.len() >= 5);
    }
}

#[test]
fn despawning_has_to_be_declared() {
    let despawns: [fn(&mut Game); 4] = [
        |game| {
            let entity = game.column_of::<Position>().owners().next();
            _ = entity.map(|entity| game.despawn(entity));
        },
        |game| {
            let entity = game.column_of::<Position>().owners().next();
            _ = entity.map(|entity| game.despawn_only(entity));
        },
        |game| {
            let entity = game.column_of::<Position>().owners().next();
            _ = entity.map(|entity| game.entities_mut().despawn(entity));
        },
        |game| game.clear(),
    ];
    for (number, despawn) in despawns.into_iter().enumerate() {
        let said = refused(|| liar(despawn).writes::<Position>().writes::<Velocity>().spawns());
        assert_says(&said, &["despawned entities", ".despawns()"]);
        if number != 2 {
            accepted(liar(despawn).despawns());
            accepted(liar(despawn).exclusive());
        }
    }
}

#[test]
fn listing_the_entities_has_to_be_declared_and_asking_who_lives_has_not() {
    let lists: [fn(&mut Game); 3] = [
        |game| assert_eq!(game.entities().len(), 3),
        |game| assert!(!game.entities().is_empty()),
        |game| assert_eq!(game.entities().iter().count(), 3),
    ];
    for list in lists {
        assert_says(&refused(|| liar(list)), &["counted or listed", ".reads_entities()"]);
        accepted(liar(list).reads_entities());
        accepted(liar(list).spawns());
    }
    let alive = |game: &mut Game, _: Duration| {
        let mut owners = game.column_of::<Position>().owners();
        assert!(owners.all(|entity| game.is_alive(entity)));
    };
    accepted(System::new("alive", alive).reads::<Position>());
}

#[test]
fn attaching_through_the_world_of_a_system_refuses_the_dead() {
    let mut world = game();
    let dead = world.spawn();
    world.despawn(dead);
    let mut schedule = Schedule::new();
    let attach = move |game: &mut Game, _: Duration| assert!(!game.attach(dead, Position(1)));
    schedule.add(Stage::Update, System::new("attach", attach).writes::<Position>()).unwrap();
    schedule.run(&mut world, FRAME);
    assert!(!world.has::<Position>(dead));
}

#[test]
fn a_condition_sees_what_its_system_declared_and_nothing_else() {
    let heavy = |game: &Game| *game.motions.gravity > 5;
    let fall = |game: &mut Game, _: Duration| {
        *game.motions.gravity -= 2;
    };
    let world =
        accepted(System::new("fall", fall).writes_part(|game| &mut game.motions.gravity).run_if(heavy));
    assert_eq!(*world.motions.gravity, 5);
    let said = refused(|| System::new("liar", |_, _| {}).run_if(heavy));
    assert_says(&said, &["motions.gravity", ".reads_part("]);
}

#[test]
fn with_several_conditions_all_have_to_hold() {
    let count = |game: &mut Game, _: Duration| *game.motions.wind += 1;
    for (first, second, runs) in [(true, true, 2), (true, false, 0), (false, true, 0), (false, false, 0)] {
        let system = System::new("count", count).writes_part(|game| &mut game.motions.wind);
        let world = accepted(system.run_if(move |_| first).run_if(move |_| second));
        assert_eq!(*world.motions.wind, runs);
    }
}

#[test]
fn nothing_written_is_nothing_found() {
    let looks: [fn(&mut Game); 4] = [
        |game| assert_eq!(game.column_of::<Velocity>().clone().len(), 3),
        |game| assert_eq!(game.clone().motions.velocities, game.motions.velocities),
        |game| assert!(game.get_mut::<Velocity>(Entities::default().spawn()).is_some()),
        |game| drop(std::mem::take(&mut game.clone().motions)),
    ];
    for (number, look) in looks.into_iter().enumerate() {
        if number != 2 {
            accepted(liar(look).reads::<Velocity>());
        }
        accepted(liar(look).writes::<Velocity>());
    }
}

#[test]
fn a_group_can_be_declared_as_a_whole() {
    let gust = |game: &mut Game, _: Duration| {
        *game.motions.wind += 1;
        game.motions.velocities.iter_mut().for_each(|(_, velocity)| velocity.0 += 1);
    };
    let world = accepted(System::new("gust", gust).writes_part(|game| &mut game.motions));
    assert_eq!((*world.motions.wind, world.motions.velocities.iter().map(|(_, v)| v.0).sum::<i32>()), (2, 9));
    let said = refused(|| System::new("liar", gust).reads_part(|game| &mut game.motions));
    assert_says(&said, &["Motions", "declared as read"]);
}
