//! What groups and worlds can be composed of.

mod common;

use std::fmt::Debug;

use common::{Bodies, Burning, Health, Motions, Position, Velocity};
use std_ecs::{
    Column, Columns, Entities, Entity, Has, Owned, Part, Single, Store, StoreMut, World, component_key,
};

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Composed {
    entities: Entities,
    motions: Motions,
    bodies: Bodies,
}

/// A system as a package writes it: it knows components and no world.
fn movement<W: StoreMut<Position> + Store<Velocity>>(world: &mut W, elapsed: f32) {
    let velocities = world.column_of::<Velocity>().clone();
    for (owner, position) in world.column_of_mut::<Position>() {
        if let Some(velocity) = velocities.get(owner) {
            position.0 += velocity.0 * elapsed;
        }
    }
}

/// A system that spawns, over any world that keeps what it spawns.
fn fire<W: World + Store<Position> + Store<Velocity>>(world: &mut W) -> Entity {
    let bullet = world.spawn();
    world.attach(bullet, Position(0.0, 0.0));
    world.attach(bullet, Velocity(9.0, 0.0));
    bullet
}

#[test]
fn a_system_over_bounds_runs_on_every_world_and_group_that_has_the_components() {
    let mut game = Composed::default();
    let bullet = fire(&mut game);
    movement(&mut game, 0.5);
    assert_eq!(game.get::<Position>(bullet), Some(&Position(4.5, 0.0)));
    movement(&mut game.motions, 0.5);
    assert_eq!(game.motions.get::<Position>(bullet), Some(&Position(9.0, 0.0)));
}

#[test]
fn the_type_of_a_value_picks_its_column() {
    let mut game = Composed::default();
    let ship = game.spawn();
    assert!(game.attach(ship, Health(3)) && game.attach(ship, Position(1.0, 0.0)));
    let health: &Column<Health> = game.column();
    assert_eq!(health.get(ship), Some(&Health(3)));
    let positions: &mut Column<Position> = game.column_mut();
    positions.clear();
    let removed: Option<Health> = game.detach(ship);
    assert_eq!(removed, Some(Health(3)));
}

mod nested {
    use super::{Burning, Column, Columns, Entities, Single, World};

    #[derive(Clone, Debug, Default, PartialEq)]
    pub(crate) struct Engine(pub(crate) u8);

    #[derive(Clone, Debug, Default, PartialEq)]
    pub(crate) struct Hull(pub(crate) u8);

    #[derive(Clone, Debug, Default, PartialEq, Columns)]
    pub(crate) struct Inner {
        pub(crate) engines: Column<Engine>,
        pub(crate) level: Single<u8>,
    }

    #[derive(Clone, Debug, Default, PartialEq, Columns)]
    pub(crate) struct Middle {
        pub(crate) inner: Inner,
    }

    #[derive(Clone, Debug, Default, PartialEq, Columns)]
    pub(crate) struct Outer {
        #[columns(holds(Inner))]
        pub(crate) middle: Middle,
        pub(crate) hulls: Column<Hull>,
    }

    #[derive(Clone, Debug, Default, PartialEq, World)]
    pub(crate) struct Fleet {
        pub(crate) entities: Entities,
        #[world(holds(Middle, Inner))]
        pub(crate) outer: Outer,
        pub(crate) direct: Column<Local>,
    }

    #[derive(Clone, Debug, Default, PartialEq)]
    pub(crate) struct Local(pub(crate) Burning);
}

#[test]
fn a_group_inside_a_group_inside_a_group_is_admitted_by_naming_it() {
    use nested::{Engine, Fleet, Hull, Inner, Local};
    let mut fleet = Fleet::default();
    let ship = fleet.spawn_with((Engine(3), Hull(4), Local(Burning)));
    assert_eq!(fleet.outer.middle.inner.engines.get(ship), Some(&Engine(3)));
    assert_eq!(fleet.describe(ship).len(), 3);

    let inner: &mut Inner = fleet.group_mut();
    *inner.level = 2;
    assert_eq!(*fleet.outer.middle.inner.level, 2);

    let snapshot = fleet.clone();
    fleet.despawn(ship);
    assert!(fleet.lengths().iter().all(|(_, length)| *length == 0));
    fleet = snapshot;
    assert_eq!(fleet.remove::<Engine>(ship), Some(Engine(3)));
    assert_eq!(fleet.column_of::<Hull>().len(), 1);
}

/// What a program may well call its components, although the standard library has the names as well.
mod names {
    use std_ecs::{Column, Columns};

    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Box;
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Arc(pub(crate) f32);
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Duration(pub(crate) u32);
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Tagged<T>(pub(crate) T);

    #[derive(Clone, Debug, Default, PartialEq, Columns)]
    pub(crate) struct Shapes {
        pub(crate) boxes: Column<Box>,
        pub(crate) arcs: std_ecs::Column<Arc>,
        pub(crate) durations: Column<self::Duration>,
        pub(crate) r#type: Column<Tagged<u8>>,
        pub(crate) other: Column<Tagged<Vec<u16>>>,
    }
}

#[test]
fn a_component_may_have_a_name_that_the_standard_library_has() {
    use names::{Arc, Box, Duration, Shapes, Tagged};
    let (mut entities, mut shapes) = (Entities::default(), Shapes::default());
    let shape = entities.spawn();
    assert!(shapes.attach(shape, Box) && shapes.attach(shape, Arc(1.0)) && shapes.attach(shape, Duration(2)));
    assert!(shapes.attach(shape, Tagged(3u8)) && shapes.attach(shape, Tagged(vec![4u16])));
    assert_eq!(shapes.get::<Tagged<u8>>(shape), Some(&Tagged(3)));
    assert_eq!(shapes.describe(shape).len(), 5);

    let mut names = Vec::new();
    shapes.visit(&mut Vec::new(), &mut |path, _| names.push(path.join(".")));
    assert_eq!(names, ["boxes", "arcs", "durations", "type", "other"]);
}

/// A world over a type that the program chooses, with groups and a column of its own.
#[derive(Clone, Debug, Default, PartialEq, World)]
struct Generic<M, const SLOTS: usize> {
    entities: Entities,
    motions: Motions,
    mode: Single<M>,
    marks: Column<Mark>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mark;

#[test]
fn a_generic_world_has_its_groups_and_its_columns() {
    let mut world = Generic::<String, 4>::default();
    world.mode.push_str("hard");
    let ship = world.spawn_with((Mark, Position(0.0, 0.0), Velocity(1.0, 0.0)));
    movement(&mut world, 2.0);
    assert!(world.has::<Mark>(ship));
    assert_eq!(world.get::<Position>(ship), Some(&Position(2.0, 0.0)));
    assert_eq!(world, world.clone());
    assert!(world.despawn(ship));
}

/// A component that names the world it is for, as behaviours do.
struct Behaviour<W>(fn(&mut W));

impl<W> Debug for Behaviour<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Behaviour")
    }
}

impl<W> Clone for Behaviour<W> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

#[derive(Debug, Columns)]
struct Behaviours<W: 'static> {
    behaviours: Column<Behaviour<W>>,
}

impl<W: 'static> Clone for Behaviours<W> {
    fn clone(&self) -> Self {
        Self { behaviours: self.behaviours.clone() }
    }
}

impl<W: 'static> Default for Behaviours<W> {
    fn default() -> Self {
        Self { behaviours: Column::default() }
    }
}

#[derive(Clone, Debug, Default, World)]
struct Stage {
    entities: Entities,
    motions: Motions,
    behaviours: Behaviours<Stage>,
}

#[test]
fn a_group_over_the_world_it_stands_in_is_a_field_of_that_world() {
    let mut stage = Stage::default();
    let actor = stage.spawn_with((Behaviour::<Stage>(|stage| *stage.motions.gravity = 1.0),));
    let behaviour = stage.get::<Behaviour<Stage>>(actor).expect("it has one").clone();
    behaviour.0(&mut stage);
    assert!(*stage.motions.gravity > 0.0);
    assert!(stage.despawn(actor));
    assert!(stage.column_of::<Behaviour<Stage>>().is_empty());
}

/// A store written by hand: it keeps a sum beside its column.
#[derive(Clone, Debug, Default, PartialEq)]
struct Weights {
    weights: Column<Weight>,
    sum: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Weight(u64);

mod by_hand {
    use std_ecs::{CheckError, Column, Columns, Entities, Entity, Guard, Owned, Part, Store, Visit};

    use super::{Weight, Weights};

    impl Part for Weights {
        fn detach_all(&mut self, entity: Entity) {
            self.detach(entity);
        }

        fn clear_all(&mut self) {
            self.weights.clear_all();
            self.sum = 0;
        }

        fn end_frame(&mut self, _steps: u32) {}

        fn visit<'a>(&'a self, path: &mut Vec<&'static str>, visit: &mut Visit<'_, 'a>) {
            path.push("weights");
            self.weights.visit(path, visit);
            path.pop();
        }

        fn verify(&self, entities: &Entities) -> Result<(), CheckError> {
            self.weights.verify(entities)
        }

        fn withhold(&mut self, guard: &Guard) {
            self.weights.withhold(guard);
        }

        fn same(&self, other: &Self) -> bool {
            Part::same(&self.weights, &other.weights)
        }
    }

    impl Columns for Weights {}

    impl Owned for Weight {
        type Columns = Weights;
    }

    impl Store<Weight> for Weights {
        type Storage = Self;

        fn storage(&self) -> &Self {
            self
        }

        fn storage_mut(&mut self) -> &mut Self {
            self
        }

        fn column(&self) -> &Column<Weight> {
            &self.weights
        }

        fn attach(&mut self, entity: Entity, value: Weight) -> bool {
            match self.weights.insert(entity, value) {
                Ok(old) => {
                    self.sum += value.0;
                    self.sum -= old.map_or(0, |old| old.0);
                    true
                }
                Err(_) => false,
            }
        }

        fn detach(&mut self, entity: Entity) -> Option<Weight> {
            let weight = self.weights.remove(entity)?;
            self.sum -= weight.0;
            Some(weight)
        }

        fn requires(_value: &Weight) -> Option<Entity> {
            None
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Scales {
    entities: Entities,
    weights: Weights,
}

#[test]
fn a_store_written_by_hand_is_told_of_every_way_in_and_out() {
    let mut scales = Scales::default();
    let all = scales.spawn_batch([(Weight(1),), (Weight(20),), (Weight(300),)]);
    assert_eq!(scales.weights.sum, 321);
    scales.attach(all[0], Weight(5));
    scales.despawn(all[1]);
    assert_eq!(scales.weights.sum, 305);
    assert_eq!(scales.remove::<Weight>(all[2]), Some(Weight(300)));
    assert_eq!((scales.weights.sum, scales.column_of::<Weight>().len()), (5, 1));
    scales.clear();
    assert_eq!(scales.weights.sum, 0);
}

#[test]
fn a_column_is_a_store_of_its_own() {
    fn heal<S: StoreMut<Health>>(store: &mut S, owner: Entity) {
        store.get_mut::<Health>(owner).expect("it has health").0 += 1;
    }
    let mut entities = Entities::default();
    let ship = entities.spawn();
    let mut column = Column::default();
    assert!(Store::attach(&mut column, ship, Health(1)));
    heal(&mut column, ship);
    assert_eq!(column.get(ship), Some(&Health(2)));
    assert_eq!(Store::<Health>::detach(&mut column, ship), Some(Health(2)));
}

#[test]
fn a_component_knows_its_group() {
    fn name_of_group<T: Owned>() -> &'static str {
        component_key::<T::Columns>().short_name()
    }
    assert_eq!(name_of_group::<Velocity>(), "Motions");
    assert_eq!(name_of_group::<Mark>(), "Column<composition::Mark>");
}

/// Thirty groups, each with a component that is its index.
macro_rules! many {
    ($($module:ident $index:literal),*) => {
        $(mod $module {
            #[derive(Clone, Debug, PartialEq)]
            pub(crate) struct Component(pub(crate) u32);

            #[derive(Clone, Debug, Default, PartialEq, std_ecs::Columns)]
            pub(crate) struct Group {
                pub(crate) components: std_ecs::Column<Component>,
            }
        })*

        #[derive(Clone, Debug, Default, PartialEq, World)]
        struct Large {
            entities: Entities,
            $($module: $module::Group,)*
        }

        fn attach_all(world: &mut Large, entity: Entity) {
            $(assert!(world.attach(entity, $module::Component($index)));)*
        }
    };
}

many!(g00 0, g01 1, g02 2, g03 3, g04 4, g05 5, g06 6, g07 7, g08 8, g09 9, g10 10, g11 11, g12 12, g13 13,
    g14 14, g15 15, g16 16, g17 17, g18 18, g19 19, g20 20, g21 21, g22 22, g23 23, g24 24, g25 25, g26 26,
    g27 27, g28 28, g29 29);

#[test]
fn a_world_of_thirty_groups_is_a_world_like_any_other() {
    let mut world = Large::default();
    let all = world.entities.spawn_many(10);
    for &entity in &all {
        attach_all(&mut world, entity);
    }
    let shown: Vec<String> =
        world.describe(all[3]).iter().map(|described| format!("{:?}", described.value)).collect();
    assert_eq!(shown, (0..30).map(|index| format!("Component({index})")).collect::<Vec<_>>());
    let snapshot = world.clone();
    world.despawn_many(all);
    assert!(world.lengths().iter().all(|(_, length)| *length == 0));
    world = snapshot;
    assert!(world.lengths().iter().all(|(_, length)| *length == 10));
    assert_eq!(
        world.get::<g17::Component>(world.entities.iter().next().expect("ten live")),
        Some(&g17::Component(17))
    );
}
