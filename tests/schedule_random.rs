//! Random schedules over random worlds: the bytes that come out are those of plain calls in declared order.
#![cfg(all(feature = "parallel", feature = "serde"))]

use std::time::Duration;

use proptest::prelude::*;
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};
use std_ecs::{
    Cause, Column, Columns, Entities, Entity, Events, Hierarchy, Parent, PartKind, Reader, Schedule, Single,
    Stage, Store, StoreMut, System, World, pairs, query,
};

/// A component that is a number.
trait Number: Clone + Send + Sync + std::fmt::Debug + 'static {
    fn new(number: u64) -> Self;
    fn number(&mut self) -> &mut u64;
    fn value(&self) -> u64;
}

macro_rules! numbers {
    ($($name:ident)*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        struct $name(u64);

        impl Number for $name {
            fn new(number: u64) -> Self {
                Self(number)
            }

            fn number(&mut self) -> &mut u64 {
                &mut self.0
            }

            fn value(&self) -> u64 {
                self.0
            }
        }
    )*};
}

numbers!(A B C D);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
struct Left {
    a: Column<A>,
    b: Column<B>,
    count: Single<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Columns)]
struct Right {
    c: Column<C>,
    d: Column<D>,
    said: Events<u64>,
    heard: Single<Reader<u64>>,
    sum: Single<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
struct Game {
    entities: Entities,
    left: Left,
    hierarchy: Hierarchy,
    right: Right,
}

/// What a system does. Letters stand for component types, by number.
#[derive(Clone, Debug)]
enum Action {
    /// Writes one letter from another.
    Mix(u8, u8),
    /// The same in parallel.
    MixAtOnce(u8, u8),
    /// Attaches one letter to those that have another, or takes it away.
    Toggle(u8, u8),
    /// Spawns entities with a letter.
    Spawn(u8, u64),
    /// Despawns some that have a letter.
    Despawn(u8, u64),
    /// Puts those that have a letter below one another.
    Adopt(u8),
    /// Numbers a letter by depth.
    Depth(u8),
    /// Counts the entities.
    Count,
    /// Emits an event for each row of a letter.
    Say(u8),
    /// Reads the events.
    Hear,
    /// Sorts the rows of a letter.
    Sort(u8),
}

fn mix<X: Number, Y: Number, W: Store<X> + StoreMut<Y>>(world: &mut W, _: Duration) {
    let from = world.column_of::<X>().clone();
    pairs(world.column_of_mut::<Y>(), &from).for_each(|(_, to, from)| {
        let to = to.number();
        *to = to.wrapping_mul(31) ^ from.value();
    });
}

fn mix_at_once<X: Number, Y: Number, W: Store<X> + StoreMut<Y>>(world: &mut W, _: Duration) {
    let from = world.column_of::<X>().clone();
    pairs(world.column_of_mut::<Y>(), &from).par_for_each(|(_, to, from): (_, &mut Y, &X)| {
        let to = to.number();
        *to = to.rotate_left(5) ^ from.value();
    });
}

fn toggle<X: Number, Y: Number, W: World + Store<X> + Store<Y>>(world: &mut W, _: Duration) {
    for (entity, value) in &world.column_of::<X>().clone() {
        if value.value() % 3 == 0 {
            world.remove::<Y>(entity);
        } else {
            assert!(world.attach(entity, Y::new(value.value() / 2)));
        }
    }
}

fn spawn<X: Number, W: World + Store<X>>(world: &mut W, number: u64) {
    for at in 0..number {
        let entity = world.spawn();
        world.attach(entity, X::new(number * at));
    }
}

fn despawn<X: Number, W: World + Store<X>>(world: &mut W, number: u64) {
    let dying = world.column_of::<X>().clone();
    for (entity, value) in &dying {
        if value.value() % 5 == number {
            world.despawn(entity);
        }
    }
}

fn adopt<X: Number, W: World + Store<X> + Store<Parent>>(world: &mut W, _: Duration) {
    let owners: Vec<Entity> = world.column_of::<X>().owners().collect();
    for pair in owners.windows(2) {
        if pair[0] < pair[1] {
            // From lower to higher, so that there is no cycle.
            world.attach(pair[1], Parent::of(pair[0]));
        } else {
            world.remove::<Parent>(pair[0]);
        }
    }
}

/// Calls a function that is generic over letters.
macro_rules! letter {
    ($letter:expr, $X:ident => $call:expr) => {
        match $letter {
            0 => {
                type $X = A;
                $call
            }
            1 => {
                type $X = B;
                $call
            }
            2 => {
                type $X = C;
                $call
            }
            _ => {
                type $X = D;
                $call
            }
        }
    };
}

impl Action {
    /// The system, with what it declares.
    fn system(&self, name: String) -> System<Game> {
        let clone = self.clone();
        let system = System::new(name, move |game: &mut Game, elapsed| clone.run(game, elapsed));
        match *self {
            Self::Mix(from, to) | Self::MixAtOnce(from, to) | Self::Toggle(from, to) => {
                let system = letter!(to, Y => system.writes::<Y>());
                letter!(from, X => system.reads::<X>())
            }
            Self::Spawn(to, _) => letter!(to, Y => system.writes::<Y>().spawns()),
            Self::Despawn(..) => system.despawns(),
            Self::Adopt(from) => letter!(from, X => system.reads::<X>().writes::<Parent>()),
            Self::Depth(to) => letter!(to, Y => system.writes::<Y>().reads::<Parent>()),
            Self::Count => system.reads_entities().writes_part(|game| &mut game.left.count),
            Self::Say(from) => {
                letter!(from, X => system.reads::<X>().writes_part(|game| &mut game.right.said))
            }
            Self::Hear => system
                .reads_part(|game| &mut game.right.said)
                .writes_part(|game| &mut game.right.heard)
                .writes_part(|game| &mut game.right.sum),
            Self::Sort(to) => letter!(to, Y => system.writes::<Y>()),
        }
    }

    /// The function, to be called on a world as it is.
    fn run(&self, game: &mut Game, elapsed: Duration) {
        match *self {
            Self::Mix(from, to) => letter!(from, X => letter!(to, Y => mix::<X, Y, _>(game, elapsed))),
            Self::MixAtOnce(from, to) => {
                letter!(from, X => letter!(to, Y => mix_at_once::<X, Y, _>(game, elapsed)));
            }
            Self::Toggle(from, to) => letter!(from, X => letter!(to, Y => toggle::<X, Y, _>(game, elapsed))),
            Self::Spawn(to, number) => letter!(to, Y => spawn::<Y, _>(game, number)),
            Self::Despawn(from, number) => letter!(from, X => despawn::<X, _>(game, number)),
            Self::Adopt(from) => letter!(from, X => adopt::<X, _>(game, elapsed)),
            Self::Depth(to) => letter!(to, Y => {
                let order = game.hierarchy.depth_order(game.column_of::<Y>());
                for (number, entity) in (0..).zip(order.iter()) {
                    if let Some(value) = game.get_mut::<Y>(entity) {
                        *value.number() ^= number;
                    }
                }
            }),
            Self::Count => {
                let sum: u64 = game.entities.iter().map(Entity::to_bits).fold(0, u64::wrapping_add);
                *game.left.count = sum.wrapping_add(game.entities.len() as u64);
            }
            Self::Say(from) => letter!(from, X => {
                let said: Vec<u64> = game.column_of::<X>().iter().map(|(_, value)| value.value()).collect();
                game.right.said.extend(said);
            }),
            Self::Hear => {
                let Right { said, heard, sum, .. } = &mut game.right;
                **sum = said.read(heard).fold(**sum, |sum, event| sum.wrapping_mul(3).wrapping_add(*event));
            }
            Self::Sort(to) => letter!(to, Y => {
                let column = game.column_of_mut::<Y>();
                column.sort_by(|(_, left), (_, right)| left.value().cmp(&right.value()));
            }),
        }
    }
}

/// Two different letters.
fn two() -> impl Strategy<Value = (u8, u8)> {
    (0_u8..4, 1_u8..4).prop_map(|(from, by)| (from, (from + by) % 4))
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        3 => two().prop_map(|(from, to)| Action::Mix(from, to)),
        3 => two().prop_map(|(from, to)| Action::MixAtOnce(from, to)),
        3 => two().prop_map(|(from, to)| Action::Toggle(from, to)),
        2 => (0_u8..4, 1_u64..6).prop_map(|(to, number)| Action::Spawn(to, number)),
        1 => (0_u8..4, 0_u64..5).prop_map(|(from, number)| Action::Despawn(from, number)),
        2 => (0_u8..4).prop_map(Action::Adopt),
        2 => (0_u8..4).prop_map(Action::Depth),
        1 => Just(Action::Count),
        2 => (0_u8..4).prop_map(Action::Say),
        1 => Just(Action::Hear),
        1 => (0_u8..4).prop_map(Action::Sort),
    ]
}

/// A world that has seen something, and the stages of a schedule.
fn scene() -> impl Strategy<Value = (Game, Vec<(Stage, Action)>)> {
    let start = (prop::collection::vec(action(), 0..8), 0_u64..150).prop_map(|(actions, rows)| {
        let mut game = Game::default();
        game.spawn_batch((0..rows).map(|number| (A(number), B(number * 7 % 11))));
        game.spawn_batch((0..rows / 2).map(|number| (C(number), B(number), D(3))));
        for action in actions {
            action.run(&mut game, Duration::ZERO);
        }
        game
    });
    let stage = prop_oneof![Just(Stage::Input), Just(Stage::Fixed), Just(Stage::Update), Just(Stage::Late)];
    (start, prop::collection::vec((stage, action()), 1..14))
}

/// The frames of all runs: none, one and three steps.
const FRAMES: [Duration; 4] =
    [Duration::from_millis(4), Duration::from_millis(13), Duration::ZERO, Duration::from_millis(51)];
const STEPS: [u32; 4] = [0, 1, 0, 3];

/// What plain calls make of the world, in declared order, with no schedule at all.
fn reference(mut game: Game, actions: &[(Stage, Action)]) -> Game {
    let stage = |game: &mut Game, stage: Stage, elapsed: Duration| {
        for (_, action) in actions.iter().filter(|(own, _)| *own == stage) {
            action.run(game, elapsed);
        }
    };
    for (frame, steps) in FRAMES.into_iter().zip(STEPS) {
        stage(&mut game, Stage::Input, frame);
        for _ in 0..steps {
            stage(&mut game, Stage::Fixed, Duration::from_millis(16));
        }
        stage(&mut game, Stage::Update, frame);
        stage(&mut game, Stage::Late, frame);
        game.advance(steps);
    }
    game
}

fn schedule(actions: &[(Stage, Action)]) -> Schedule<Game> {
    let mut schedule = Schedule::new();
    for (number, (stage, action)) in actions.iter().enumerate() {
        schedule.add(*stage, action.system(format!("{number} {action:?}"))).unwrap();
    }
    schedule
}

/// Everything in the world: stamps, clocks and free lists too.
fn bytes(game: &Game) -> Vec<u8> {
    postcard::to_stdvec(game).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_number_of_threads_makes_the_bytes_of_plain_calls((game, actions) in scene()) {
        let expected = reference(game.clone(), &actions);
        expected.check().unwrap();
        let expected = bytes(&expected);
        let mut schedule = schedule(&actions);
        for threads in [0, 1, 2, 3, 4, 7, 16] {
            schedule.set_parallel(threads > 0);
            schedule.fixed_step_mut().reset();
            let mut world = game.clone();
            let steps = ThreadPoolBuilder::new().num_threads(threads.max(1)).build().unwrap().install(|| {
                FRAMES.map(|frame| schedule.run(&mut world, frame).steps)
            });
            prop_assert_eq!(steps, STEPS);
            prop_assert!(bytes(&world) == expected, "{} threads\n{}", threads, schedule.plan());
        }
    }

    #[test]
    fn a_plan_holds_every_system_once_and_no_two_that_clash_in_a_batch(
        uses in prop::collection::vec(uses(), 1..20),
    ) {
        let mut schedule = Schedule::new();
        for (number, uses) in uses.iter().enumerate() {
            schedule.add(Stage::Update, uses.system(number.to_string())).unwrap();
        }
        let plan = schedule.plan();
        let batches = &plan.stages[2].batches;
        let when: Vec<usize> = (0..uses.len())
            .map(|number| batches.iter().position(|batch| batch.contains(&number.to_string())).unwrap())
            .collect();
        prop_assert_eq!(batches.iter().map(Vec::len).sum::<usize>(), uses.len());
        for first in 0..uses.len() {
            for second in first + 1..uses.len() {
                if uses[first].clashes(&uses[second]) {
                    prop_assert!(when[first] < when[second], "{} and {}\n{}", first, second, plan);
                }
            }
            // As early as can be: in the first batch, or right after somebody with whom it clashes.
            let waits = |other: usize| when[other] + 1 == when[first] && uses[other].clashes(&uses[first]);
            prop_assert!(when[first] == 0 || (0..first).any(waits), "{}\n{}", first, plan);
        }
    }
}

/// What a system may declare of five places and the entities.
#[derive(Clone, Debug, PartialEq)]
struct Uses {
    /// 0 not at all, 1 read, 2 written: a column, a second of the same group, the hierarchy, a single, events.
    places: [u8; 5],
    spawns: bool,
    reads_entities: bool,
    alone: bool,
}

fn uses() -> impl Strategy<Value = Uses> {
    let place = || prop_oneof![6 => Just(0_u8), 2 => Just(1), 1 => Just(2)];
    let places = [place(), place(), place(), place(), place()];
    let rarely = || prop::bool::weighted(0.1);
    (places, rarely(), rarely(), prop::bool::weighted(0.03))
        .prop_map(|(places, spawns, reads_entities, alone)| Uses { places, spawns, reads_entities, alone })
}

impl Uses {
    fn system(&self, name: String) -> System<Game> {
        let mut system = System::<Game>::new(name, |_, _| {});
        for (place, how) in self.places.into_iter().enumerate() {
            system = match (how, place) {
                (1, 0) => system.reads::<A>(),
                (1, 1) => system.reads::<B>(),
                (1, 2) => system.reads::<Parent>(),
                (1, 3) => system.reads_part(|game| &mut game.right.sum),
                (1, _) => system.reads_part(|game| &mut game.right.said),
                (2, 0) => system.writes::<A>(),
                (2, 1) => system.writes::<B>(),
                (2, 2) => system.writes::<Parent>(),
                (2, 3) => system.writes_part(|game| &mut game.right.sum),
                (2, _) => system.writes_part(|game| &mut game.right.said),
                _ => system,
            };
        }
        system = if self.spawns { system.spawns() } else { system };
        system = if self.reads_entities { system.reads_entities() } else { system };
        if self.alone { system.exclusive() } else { system }
    }

    /// By the table in the documentation.
    fn clashes(&self, other: &Self) -> bool {
        let places = || self.places.iter().zip(&other.places);
        self.alone
            || other.alone
            || places().any(|(own, theirs)| own * theirs >= 2)
            || self.spawns && (other.spawns || other.reads_entities)
            || self.reads_entities && other.spawns
    }
}

#[test]
fn conflict_is_symmetric_over_all_pairs_of_access_sets() {
    let mut all = Vec::new();
    for places in 0..3_u8.pow(3) {
        for bits in 0..5_u8 {
            let places = [places % 3, 0, places / 3 % 3, places / 9, 0];
            let alone = bits == 4;
            all.push(Uses { places, spawns: bits & 1 > 0, reads_entities: bits & 2 > 0, alone });
        }
    }
    let conflicts = |first: &Uses, second: &Uses| {
        let mut schedule = Schedule::new();
        schedule.add(Stage::Late, first.system("first".to_owned())).unwrap();
        schedule.add(Stage::Late, second.system("second".to_owned())).unwrap();
        let mut conflicts = schedule.conflicts();
        assert!(conflicts.len() <= 1);
        conflicts.pop().map(|conflict| conflict.because)
    };
    for (number, first) in all.iter().enumerate() {
        for second in &all[number..] {
            let (forth, back) = (conflicts(first, second), conflicts(second, first));
            assert_eq!(forth, back, "{first:?} {second:?}");
            assert_eq!(forth.is_some(), first.clashes(second), "{first:?} {second:?}");
            assert!(forth.is_none_or(|causes| !causes.is_empty()));
        }
    }
    let causes = conflicts(&all[all.len() - 5], &all[all.len() - 5]).unwrap_or_default();
    let kinds: Vec<PartKind> = causes
        .iter()
        .filter_map(|cause| if let Cause::Part { kind, .. } = cause { Some(*kind) } else { None })
        .collect();
    assert_eq!(kinds, [PartKind::Column, PartKind::Column, PartKind::Single]);
}

#[test]
fn a_system_run_twice_from_equal_worlds_makes_equal_worlds() {
    let game = reference(Game::default(), &[(Stage::Update, Action::Spawn(0, 5))]);
    for action in [Action::Toggle(0, 1), Action::Mix(0, 2), Action::Hear, Action::Count, Action::Say(0)] {
        let mut schedule = schedule(&[(Stage::Late, action)]);
        let runs = [(); 2].map(|()| {
            let mut world = game.clone();
            schedule.run(&mut world, FRAMES[0]);
            bytes(&world)
        });
        assert_eq!(runs[0], runs[1]);
    }
    assert!(query(&game.left.a).count() > 0);
}
