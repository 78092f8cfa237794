//! Systems: functions over a world, with a name and what they touch.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use super::access::{At, Declared, Place, Use};
use crate::key::{ComponentKey, component_key};
use crate::part::Part;
use crate::store::Store;
use crate::world::World;

/// What a system does.
type Run<W> = dyn Fn(&mut W, Duration) + Send + Sync;
/// Whether it does it.
type Condition<W> = dyn Fn(&W) -> bool + Send + Sync;

/// A function over a world, with a name and what it touches: an entry of a [`Schedule`](crate::Schedule).
///
/// The function is an ordinary one, best written over bounds, so that it runs in every world that has what it
/// needs, and in a test as it is:
///
/// ```
/// use std::time::Duration;
/// use std_ecs::{Column, Columns, Entities, Store, StoreMut, System, World};
///
/// #[derive(Clone, Debug, PartialEq)]
/// struct Position(f32);
///
/// #[derive(Clone, Debug, PartialEq)]
/// struct Velocity(f32);
///
/// #[derive(Clone, Debug, Default, Columns)]
/// struct Motions {
///     positions: Column<Position>,
///     velocities: Column<Velocity>,
/// }
///
/// #[derive(Clone, Debug, Default, World)]
/// struct Game {
///     entities: Entities,
///     motions: Motions,
/// }
///
/// fn movement<W: StoreMut<Position> + Store<Velocity>>(world: &mut W, elapsed: Duration) {
///     let velocities = world.column_of::<Velocity>().clone();
///     for (entity, position) in world.column_of_mut::<Position>() {
///         if let Some(velocity) = velocities.get(entity) {
///             position.0 += velocity.0 * elapsed.as_secs_f32();
///         }
///     }
/// }
///
/// let movement = System::new("movement", movement::<Game>).reads::<Velocity>().writes::<Position>();
/// assert_eq!(movement.name(), "movement");
/// ```
///
/// # What is declared
///
/// A schedule runs systems at the same time where their declarations do not clash, and hands each one a world
/// that holds what it declared and nothing else. Touching something else panics with the line to add. Who is
/// alive may always be asked, so that attaching through the world refuses dead handles; to count or to list
/// the entities is [`reads_entities`](Self::reads_entities).
///
/// | declared | clashes with |
/// | --- | --- |
/// | `reads`, `reads_part` | writers of the same storage |
/// | `writes`, `writes_part` | readers and writers of the same storage |
/// | `reads_entities` | `spawns` |
/// | `spawns` | `spawns`, `reads_entities` |
/// | `despawns`, `exclusive` | everything |
///
/// # State
///
/// Everything a system remembers belongs in the world. A closure may capture what never changes, such as an
/// index or a name; what it captures and changes (behind a lock or in an atomic) is not rolled back with the
/// world and makes runs differ. For the same reason it is `Fn` and not `FnMut`.
pub struct System<W> {
    name: String,
    run: Box<Run<W>>,
    conditions: Vec<Box<Condition<W>>>,
    pub(super) places: Vec<Box<dyn Place<W>>>,
    pub(super) declared: Declared,
}

impl<W: World> System<W> {
    /// The system that runs this function under this name and has declared nothing yet.
    ///
    /// The function gets the world and the time: in a stage of a fixed step that is the step, in others the
    /// time of the frame.
    pub fn new(name: impl Into<String>, run: impl Fn(&mut W, Duration) + Send + Sync + 'static) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
            conditions: Vec::new(),
            places: Vec::new(),
            declared: Declared::default(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// It reads the components of this type.
    ///
    /// A component that the world does not admit does not compile:
    ///
    /// ```compile_fail,E0277
    /// # use std_ecs::{Entities, System, World};
    /// # #[derive(Clone, Debug)]
    /// # struct Velocity;
    /// #[derive(Clone, Debug, Default, World)]
    /// struct Empty {
    ///     entities: Entities,
    /// }
    /// System::<Empty>::new("movement", |_, _| {}).reads::<Velocity>();
    /// ```
    pub fn reads<T: 'static>(self) -> Self
    where
        W: Store<T>,
    {
        self.touches(Use::Read, Some(component_key::<T>()), W::storage_mut)
    }

    /// It writes the components of this type: attaches, detaches and changes them. Reading them is included.
    pub fn writes<T: 'static>(self) -> Self
    where
        W: Store<T>,
    {
        self.touches(Use::Write, Some(component_key::<T>()), W::storage_mut)
    }

    /// It reads this part of the world: a single, events, or a whole group.
    ///
    /// The part is named by a function that borrows it for writing, as the schedule puts a clone there:
    /// `.reads_part(|world| &mut world.motions.gravity)`. It must name the same place whatever the world
    /// holds.
    pub fn reads_part<P: Part>(self, place: fn(&mut W) -> &mut P) -> Self {
        self.touches(Use::Read, None, place)
    }

    /// It writes this part of the world: a single, events, or a whole group. As
    /// [`reads_part`](Self::reads_part).
    pub fn writes_part<P: Part>(self, place: fn(&mut W) -> &mut P) -> Self {
        self.touches(Use::Write, None, place)
    }

    /// It spawns entities. What it attaches to them it declares with [`writes`](Self::writes).
    pub fn spawns(mut self) -> Self {
        self.declared.spawns = true;
        self
    }

    /// It despawns entities. As that touches every column it runs alone, and may touch everything.
    pub fn despawns(mut self) -> Self {
        self.declared.alone = true;
        self
    }

    /// It counts or lists the entities. Whether one is alive may always be asked.
    pub fn reads_entities(mut self) -> Self {
        self.declared.reads_entities = true;
        self
    }

    /// It runs alone and may touch everything.
    pub fn exclusive(mut self) -> Self {
        self.declared.alone = true;
        self
    }

    /// It runs only while this holds; with several conditions, while all of them do.
    ///
    /// The condition is asked when the system's turn comes, and sees what the system sees: it may read what
    /// the system declared.
    pub fn run_if(mut self, condition: impl Fn(&W) -> bool + Send + Sync + 'static) -> Self {
        self.conditions.push(Box::new(condition));
        self
    }

    fn touches<P: Part>(
        mut self,
        how: Use,
        component: Option<ComponentKey>,
        place: impl Fn(&mut W) -> &mut P + Copy + Send + Sync + 'static,
    ) -> Self {
        self.places.push(Box::new(At { how, component, place, of: PhantomData }));
        self
    }

    /// Runs the function if its conditions hold.
    pub(super) fn run(&self, world: &mut W, elapsed: Duration) {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!("system", name = self.name).entered();
        if self.conditions.iter().all(|condition| condition(world)) {
            (self.run)(world, elapsed);
        }
    }
}

impl<W> fmt::Debug for System<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("System")
            .field("name", &self.name)
            .field("places", &self.places)
            .field("declared", &self.declared)
            .finish_non_exhaustive()
    }
}
