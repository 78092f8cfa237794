//! Worlds: the type that a program composes of columns groups.

use crate::column::{Column, EntityPage};
use crate::entity::{Entities, Entity};
use crate::guard::{Guard, Withheld};
use crate::hierarchy::{Hierarchy, HierarchyError};
use crate::part::CheckError;
use crate::store::{Columns, Has, Store, StoreMut};

/// The type that a program composes of the groups it uses: entities, and one field for each package.
///
/// `#[derive(World)]` on a struct with a field of type [`Entities`] makes it one. It carries every
/// store that its groups carry, with no line for a component. A world is a value: clone it and you have
/// a snapshot, assign it and you have rolled back.
///
/// ```
/// use std_ecs::{Column, Columns, Entities, Store, World};
///
/// #[derive(Clone, Debug, PartialEq)]
/// struct Health(i32);
///
/// #[derive(Clone, Debug, Default, PartialEq, Columns)]
/// struct Bodies {
///     health: Column<Health>,
/// }
///
/// #[derive(Clone, Debug, Default, PartialEq, World)]
/// struct Game {
///     entities: Entities,
///     bodies: Bodies,
/// }
///
/// let mut game = Game::default();
/// let ship = game.spawn_with((Health(100),));
///
/// let snapshot = game.clone();
/// game.despawn(ship);
/// assert!(!game.is_alive(ship) && !game.attach(ship, Health(1)));
///
/// game = snapshot;
/// assert_eq!(game.get::<Health>(ship), Some(&Health(100)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a world",
    label = "not a world",
    note = "put `#[derive(World)]` on the struct that has the `Entities` and the groups"
)]
pub trait World: Columns {
    /// Who is alive.
    fn entities(&self) -> &Entities;

    /// Who is alive, for writing. Ending an entity here leaves its rows behind: use
    /// [`despawn`](Self::despawn).
    fn entities_mut(&mut self) -> &mut Entities;

    /// A new entity without components.
    #[inline]
    fn spawn(&mut self) -> Entity {
        self.entities_mut().spawn()
    }

    /// A new entity with a tuple of up to twelve components, attached in the order of the tuple. One that is
    /// refused, as a dead parent is, is left out.
    #[inline]
    fn spawn_with<B: Bundle<Self>>(&mut self, components: B) -> Entity {
        let entity = self.spawn();
        components.attach_to(self, entity);
        entity
    }

    /// A new entity for each tuple; the entities in the order of the tuples. They are the same entities in
    /// the same rows as with a call of [`spawn_with`](Self::spawn_with) for each, and several times faster:
    /// components are gathered 1,024 at a time and go into each column as a page. The clock of a column advances
    /// once.
    fn spawn_batch<B: Bundle<Self>>(&mut self, batch: impl IntoIterator<Item = B>) -> Vec<Entity> {
        let mut batch = batch.into_iter();
        let mut spawned = Vec::with_capacity(batch.size_hint().0);
        // Room for many pages is taken a component at a time, so that pages of one column lie side by side.
        let mut rooms = Vec::new().into_iter();
        loop {
            let is_first = spawned.is_empty();
            let mut components: B::Gathered = rooms.next().unwrap_or_else(|| {
                rooms = B::rooms(batch.size_hint().0.min(PAGES_AT_ONCE * EntityPage::MOST)).into_iter();
                rooms.next().unwrap_or_default()
            });
            components.extend(batch.by_ref().take(EntityPage::MOST));
            let count = B::count(&components);
            if count == 0 {
                return spawned;
            }
            let entities = self.entities_mut().spawn_many(count);
            spawned.extend_from_slice(&entities);
            let page = EntityPage::new(entities);
            B::attach_page(components, self, &if is_first { page } else { page.goes_on() });
        }
    }

    /// Ends an entity and all its descendants, and removes their components. `false`, and no change, if it
    /// was not alive. The descendants end first, the deepest before those above them.
    ///
    /// Costs a look into every column for each entity that ends.
    fn despawn(&mut self, entity: Entity) -> bool {
        self.entities().guard.check_despawn();
        if !self.is_alive(entity) {
            return false;
        }
        let mut dying = Vec::new();
        self.dependents(entity, &mut dying);
        for &dependent in dying.iter().rev() {
            self.despawn_only(dependent);
        }
        self.detach_all(entity);
        self.entities_mut().end(entity);
        true
    }

    /// Ends one entity and removes its components; its children become roots. `false`, and no change, if
    /// it was not alive.
    fn despawn_only(&mut self, entity: Entity) -> bool {
        self.entities().guard.check_despawn();
        if !self.is_alive(entity) {
            return false;
        }
        self.detach_all(entity);
        self.entities_mut().end(entity);
        true
    }

    /// Ends each of these entities as [`despawn`](Self::despawn) does; answers how many of those named were
    /// still alive when their turn came.
    fn despawn_many(&mut self, entities: impl IntoIterator<Item = Entity>) -> usize {
        entities.into_iter().filter(|&entity| self.despawn(entity)).count()
    }

    /// Whether the entity lives in this world.
    #[inline]
    fn is_alive(&self, entity: Entity) -> bool {
        self.entities().is_alive(entity)
    }

    /// The end of a frame in which this many fixed steps ran: events that every reader had time to see are
    /// dropped. A schedule calls it.
    fn advance(&mut self, steps: u32) {
        self.end_frame(steps);
    }

    /// Whether this value is consistent: no rows of the dead, no parent that is dead. Operations of a world
    /// keep it so; ask after loading bytes that nobody vouches for.
    ///
    /// # Errors
    ///
    /// The first [`CheckError`] found, which names the component and the entity.
    fn check(&self) -> Result<(), CheckError> {
        self.verify(self.entities())
    }

    /// Makes `child` the last child of `parent`, as [`Hierarchy::set_parent`] does, if both are alive.
    ///
    /// Attaching [`Parent::of`](crate::Parent::of) does the same, and panics on a cycle.
    ///
    /// # Errors
    ///
    /// [`HierarchyError`] if one of them is dead, or if the child is the parent or an ancestor of it.
    fn set_parent(&mut self, child: Entity, parent: Entity) -> Result<(), HierarchyError>
    where
        Self: Has<Hierarchy>,
    {
        alive(self, [child, parent])?;
        self.group_mut().set_parent(child, parent)
    }

    /// Places `child` directly before `sibling`, as [`Hierarchy::move_before`] does, if both are alive.
    ///
    /// # Errors
    ///
    /// [`HierarchyError`] if one of them is dead, if the sibling has no parent, or if the child is an
    /// ancestor of it.
    fn move_before(&mut self, child: Entity, sibling: Entity) -> Result<(), HierarchyError>
    where
        Self: Has<Hierarchy>,
    {
        alive(self, [child, sibling])?;
        self.group_mut().move_before(child, sibling)
    }

    /// Places `child` directly after `sibling`, as [`move_before`](Self::move_before) does before it.
    ///
    /// # Errors
    ///
    /// As [`move_before`](Self::move_before).
    fn move_after(&mut self, child: Entity, sibling: Entity) -> Result<(), HierarchyError>
    where
        Self: Has<Hierarchy>,
    {
        alive(self, [child, sibling])?;
        self.group_mut().move_after(child, sibling)
    }

    /// Hands a column out of the world, so that it can be written while the world is in use. It is back
    /// afterwards, also when `work` panics. Costs nothing that depends on lengths.
    ///
    /// # Panics
    ///
    /// Inside, touching the lent column through the world panics; so does despawning. A clone of the world
    /// that is made inside lacks the column for good: touching it there panics too.
    ///
    /// ```
    /// # use std_ecs::{Column, Columns, Entities, Store, World};
    /// # #[derive(Clone, Debug, PartialEq)]
    /// # struct Health(i32);
    /// # #[derive(Clone, Debug, PartialEq)]
    /// # struct Burning;
    /// # #[derive(Clone, Debug, Default, Columns)]
    /// # struct Bodies { health: Column<Health>, burning: Column<Burning> }
    /// # #[derive(Clone, Debug, Default, World)]
    /// # struct Game { entities: Entities, bodies: Bodies }
    /// # let mut game = Game::default();
    /// # let ship = game.spawn_with((Health(100), Burning));
    /// game.lend::<Health, _>(|health, game| {
    ///     for (entity, health) in health {
    ///         if game.has::<Burning>(entity) {
    ///             health.0 -= 1;
    ///         }
    ///     }
    /// });
    /// assert_eq!(game.get::<Health>(ship), Some(&Health(99)));
    /// ```
    fn lend<T, R>(&mut self, work: impl FnOnce(&mut Column<T>, &mut Self) -> R) -> R
    where
        Self: StoreMut<T>,
    {
        let stand_in = Column::withheld(Guard::new(Withheld::Lent));
        let column = std::mem::replace(self.column_mut(), stand_in);
        let mut lent = Lent { world: self, column };
        work(&mut lent.column, lent.world)
    }
}

/// For how many pages of a batch room is taken at once.
const PAGES_AT_ONCE: usize = 64;

fn alive<W: World>(world: &W, entities: [Entity; 2]) -> Result<(), HierarchyError> {
    match entities.into_iter().find(|&entity| !world.is_alive(entity)) {
        Some(entity) => Err(HierarchyError::Dead { entity }),
        None => Ok(()),
    }
}

/// A column on loan. Dropping it puts the column back.
struct Lent<'a, W: StoreMut<T>, T> {
    world: &'a mut W,
    column: Column<T>,
}

impl<W: StoreMut<T>, T> Drop for Lent<'_, W, T> {
    fn drop(&mut self) {
        std::mem::swap(self.world.column_mut(), &mut self.column);
    }
}

/// A tuple of up to twelve components, for [`World::spawn_with`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be spawned into `{W}`",
    label = "not a tuple of components of `{W}`",
    note = "one component is a tuple too: `(Health(100),)`; and each must belong to a group of `{W}`"
)]
pub trait Bundle<W: ?Sized>: Sized {
    /// The components of many tuples, apart.
    type Gathered: Default + Extend<Self>;

    /// Room for so many tuples, 1,024 in each but the last.
    fn rooms(tuples: usize) -> Vec<Self::Gathered>;

    /// Attaches each component to an entity that is alive.
    fn attach_to(self, world: &mut W, entity: Entity);

    /// How many tuples were gathered.
    fn count(gathered: &Self::Gathered) -> usize;

    /// Attaches what was gathered to as many entities, which are alive and have no components.
    fn attach_page(gathered: Self::Gathered, world: &mut W, entities: &EntityPage);
}

/// As many entities without components.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bare(usize);

impl Extend<()> for Bare {
    fn extend<I: IntoIterator<Item = ()>>(&mut self, batch: I) {
        self.0 += batch.into_iter().count();
    }
}

impl<W: ?Sized> Bundle<W> for () {
    type Gathered = Bare;

    fn rooms(_tuples: usize) -> Vec<Bare> {
        Vec::new()
    }

    fn attach_to(self, _world: &mut W, _entity: Entity) {}

    fn count(gathered: &Bare) -> usize {
        gathered.0
    }

    fn attach_page(_gathered: Bare, _world: &mut W, _entities: &EntityPage) {}
}

/// Room for so many of one component, a page in each but the last.
fn rooms_of<T>(count: usize) -> Vec<Vec<T>> {
    let firsts = (0..count).step_by(EntityPage::MOST);
    firsts.map(|first| Vec::with_capacity(EntityPage::MOST.min(count - first))).collect()
}

/// Tuples of each length from one to twelve are bundles.
macro_rules! bundles {
    () => {};
    ($first:ident $($component:ident)*) => {
        impl<W: Store<$first> $(+ Store<$component>)* + ?Sized, $first, $($component),*> Bundle<W>
            for ($first, $($component,)*)
        {
            type Gathered = (Vec<$first>, $(Vec<$component>,)*);

            #[inline]
            #[expect(non_snake_case, reason = "a variable is named after its type")]
            fn attach_to(self, world: &mut W, entity: Entity) {
                let ($first, $($component,)*) = self;
                <W as Store<$first>>::attach_to_living(world, entity, $first);
                $(<W as Store<$component>>::attach_to_living(world, entity, $component);)*
            }

            #[expect(non_snake_case, reason = "a variable is named after its type")]
            fn rooms(tuples: usize) -> Vec<Self::Gathered> {
                let $first: Vec<Vec<$first>> = rooms_of(tuples);
                $(let mut $component = rooms_of(tuples).into_iter();)*
                $first.into_iter().map(|$first| ($first, $($component.next().unwrap_or_default(),)*)).collect()
            }

            fn count(gathered: &Self::Gathered) -> usize {
                gathered.0.len()
            }

            #[expect(non_snake_case, reason = "a variable is named after its type")]
            fn attach_page(gathered: Self::Gathered, world: &mut W, entities: &EntityPage) {
                let ($first, $($component,)*) = gathered;
                <W as Store<$first>>::attach_page(world, entities, $first);
                $(<W as Store<$component>>::attach_page(world, entities, $component);)*
            }
        }
        bundles!($($component)*);
    };
}

bundles!(A B C D E F G H I J K L);
