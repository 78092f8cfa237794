//! Stores: what a system asks of a world, and how a world finds the group that owns a component.

use std::fmt;

use crate::column::{Column, EntityPage};
use crate::entity::Entity;
use crate::key::ComponentKey;
use crate::part::{Part, PartKind, PartView};

/// A place that keeps components of one type: a column, a group that owns such a column, or a world that
/// admits such a group.
///
/// `#[derive(Columns)]` writes it for each `Column<T>` of a group, `#[derive(World)]` for each component of
/// each group of a world. Systems name it as a bound, and the type of the value picks the store:
///
/// ```
/// use std_ecs::{Column, Entity, Store};
///
/// #[derive(Clone, Debug, PartialEq)]
/// struct Burning;
///
/// fn ignite<W: Store<Burning>>(world: &mut W, entity: Entity) -> bool {
///     world.attach(entity, Burning)
/// }
///
/// let mut entities = std_ecs::Entities::default();
/// let mut burning = Column::default(); // a column is a store of its own
/// let ship = entities.spawn();
/// assert!(ignite(&mut burning, ship));
/// assert_eq!(burning.get(ship), Some(&Burning));
/// ```
///
/// A store can be written by hand: [`storage`](Self::storage) and [`storage_mut`](Self::storage_mut) name
/// the field, the rest follows. (A type that is its own storage writes the other four as well.)
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no column of `{T}`",
    label = "no column of `{T}` here",
    note = "add the group that owns `{T}` as a field, or a `Column<{T}>` to a group of this crate"
)]
pub trait Store<T>: Columns {
    /// What holds the components: [`Column<T>`], or a group that keeps something in step with its column.
    type Storage: Store<T>;

    /// What holds the components.
    fn storage(&self) -> &Self::Storage;

    /// What holds the components, for writing.
    fn storage_mut(&mut self) -> &mut Self::Storage;

    /// The column of this component.
    #[inline]
    fn column(&self) -> &Column<T> {
        self.storage().column()
    }

    /// Gives an entity a value. `false`: refused, and nothing stored, because the handle is older than the
    /// row it meets or, through a world, because the entity is dead.
    #[inline]
    fn attach(&mut self, entity: Entity, value: T) -> bool {
        self.storage_mut().attach(entity, value)
    }

    /// [`attach`](Self::attach) to an entity that is known to be alive: a world need not ask.
    #[doc(hidden)]
    #[inline]
    fn attach_to_living(&mut self, entity: Entity, value: T) -> bool {
        self.attach(entity, value)
    }

    /// Gives each entity of a page a value: what [`attach`](Self::attach) would do with one after another,
    /// and faster where the storage is a column.
    fn attach_page(&mut self, entities: &EntityPage, values: Vec<T>) {
        for (&entity, value) in entities.entities().iter().zip(values) {
            self.attach(entity, value);
        }
    }

    /// Takes the value of an entity away, if it has one.
    #[inline]
    fn detach(&mut self, entity: Entity) -> Option<T> {
        self.storage_mut().detach(entity)
    }

    /// An entity that has to be alive for this value to be attached through a world.
    #[inline]
    fn requires(value: &T) -> Option<Entity> {
        Self::Storage::requires(value)
    }
}

/// A store whose column can be written as it is.
///
/// It is apart from [`Store`] because a group may keep something in step with a column, as
/// [`Hierarchy`](crate::Hierarchy) does with [`Parent`](crate::Parent): such components are attached and
/// detached, and never overwritten behind the group's back. As a bound it also says what a system writes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not give out its column of `{T}` for writing",
    label = "the column of `{T}` cannot be written here",
    note = "a system that writes row by row asks for `StoreMut<{T}>`",
    note = "a group that keeps other things in step with a column gives it out for reading only: borrow it with `&`, and write with `attach` and `detach`"
)]
pub trait StoreMut<T>: Store<T> {
    /// The column of this component, for writing.
    fn column_mut(&mut self) -> &mut Column<T>;
}

/// A component that belongs to a columns group. Written by the derives, once for each component.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a component of no columns group",
    label = "no group owns this type",
    note = "put a `Column<{Self}>` into a struct of the crate of `{Self}` with `#[derive(Columns)]`, and that struct into the world"
)]
pub trait Owned: Sized {
    /// The group, or the column itself where it stands directly in a world.
    type Columns: Store<Self>;
}

/// A world, or a group, that has a field of type `G`. Written by the derives, once for each field.
///
/// ```
/// use std_ecs::{Columns, Has, Single};
///
/// #[derive(Clone, Debug, Default, Columns)]
/// struct Weather {
///     wind: Single<f32>,
/// }
///
/// fn calm<W: Has<Weather>>(world: &mut W) {
///     *world.group_mut().wind = 0.0;
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not admit the group `{G}`",
    label = "add a field of type `{G}` to `{Self}`",
    note = "a group inside a group is admitted by `#[world(holds({G}))]` on the field of the outer one"
)]
pub trait Has<G> {
    /// The group.
    fn group(&self) -> &G;

    /// The group, for writing.
    fn group_mut(&mut self) -> &mut G;
}

/// One line of [`Columns::describe`].
#[derive(Clone, Copy)]
pub struct Described<'a> {
    /// The component.
    pub key: ComponentKey,
    /// Its value.
    pub value: &'a dyn fmt::Debug,
}

impl fmt::Debug for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.key, self.value)
    }
}

/// A group of columns: what a package ships, or a world, which is a group of groups.
///
/// `#[derive(Columns)]` on a struct makes it one. A component is an ordinary type: the derive needs nothing
/// from it but `Clone` and `Debug`, and that the group stands in the same crate.
///
/// ```
/// use std_ecs::{Column, Columns, Entities, Single, Store};
///
/// #[derive(Clone, Debug, PartialEq)]
/// pub struct Velocity(pub f32, pub f32);
///
/// #[derive(Clone, Debug, PartialEq)]
/// pub struct Lifetime(pub u32);
///
/// #[derive(Clone, Debug, Default, PartialEq, Columns)]
/// pub struct Motions {
///     pub velocities: Column<Velocity>,
///     pub lifetimes: Column<Lifetime>,
///     pub gravity: Single<f32>,
/// }
///
/// let (mut entities, mut motions) = (Entities::default(), Motions::default());
/// let ship = entities.spawn();
/// motions.attach(ship, Velocity(1.0, 0.0)); // the type of the value picks the column
/// motions.attach(ship, Lifetime(600));
///
/// motions.get_mut::<Lifetime>(ship).unwrap().0 -= 1;
/// assert_eq!(motions.get::<Lifetime>(ship), Some(&Lifetime(599)));
/// assert_eq!(motions.lengths().len(), 2);
/// ```
pub trait Columns: Part {
    /// The component of an entity, if it has one.
    #[inline]
    fn get<T>(&self, entity: Entity) -> Option<&T>
    where
        Self: Store<T>,
    {
        self.column().get(entity)
    }

    /// The component of an entity for writing; the row counts as changed from now on.
    #[inline]
    fn get_mut<T: Clone>(&mut self, entity: Entity) -> Option<&mut T>
    where
        Self: StoreMut<T>,
    {
        self.column_mut().get_mut(entity)
    }

    /// Whether an entity has this component.
    #[inline]
    fn has<T>(&self, entity: Entity) -> bool
    where
        Self: Store<T>,
    {
        self.column().contains(entity)
    }

    /// Takes a component of an entity away, if it has one.
    #[inline]
    fn remove<T>(&mut self, entity: Entity) -> Option<T>
    where
        Self: Store<T>,
    {
        self.detach(entity)
    }

    /// The column of a component that is named.
    #[inline]
    fn column_of<T>(&self) -> &Column<T>
    where
        Self: Store<T>,
    {
        self.column()
    }

    /// The column of a component that is named, for writing.
    #[inline]
    fn column_of_mut<T>(&mut self) -> &mut Column<T>
    where
        Self: StoreMut<T>,
    {
        self.column_mut()
    }

    /// Removes every row of every column, and in a world every entity. Singles keep their values.
    fn clear(&mut self) {
        self.clear_all();
    }

    /// Each column with the number of its rows, in the order of the fields.
    fn lengths(&self) -> Vec<(ComponentKey, usize)> {
        columns(self).into_iter().map(|column| (column.key(), column.length())).collect()
    }

    /// Each column with its clock, in the order of the fields.
    fn clocks(&self) -> Vec<(ComponentKey, u64)> {
        columns(self).into_iter().map(|column| (column.key(), column.time())).collect()
    }

    /// Every component of an entity, in the order of the fields, to show in an inspector or a message.
    fn describe(&self, entity: Entity) -> Vec<Described<'_>> {
        columns(self)
            .into_iter()
            .filter_map(|column| Some(Described { key: column.key(), value: column.describe(entity)? }))
            .collect()
    }
}

/// The columns of a group, nested ones included, in the order of the fields.
fn columns<C: Part>(group: &C) -> Vec<&dyn PartView> {
    let mut found = Vec::new();
    group.visit(&mut Vec::new(), &mut |_, part| {
        if part.kind() == PartKind::Column {
            found.push(part);
        }
    });
    found
}

impl<T: Clone + fmt::Debug + 'static> Columns for Column<T> {}

impl<T: Clone + fmt::Debug + 'static> Store<T> for Column<T> {
    type Storage = Self;

    #[inline]
    fn storage(&self) -> &Self {
        self
    }

    #[inline]
    fn storage_mut(&mut self) -> &mut Self {
        self
    }

    #[inline]
    fn column(&self) -> &Column<T> {
        self
    }

    #[inline]
    fn attach(&mut self, entity: Entity, value: T) -> bool {
        self.insert(entity, value).is_ok()
    }

    fn attach_page(&mut self, entities: &EntityPage, values: Vec<T>) {
        self.append_page(entities, values);
    }

    #[inline]
    fn detach(&mut self, entity: Entity) -> Option<T> {
        Column::remove(self, entity)
    }

    #[inline]
    fn requires(_value: &T) -> Option<Entity> {
        None
    }
}

impl<T: Clone + fmt::Debug + 'static> StoreMut<T> for Column<T> {
    #[inline]
    fn column_mut(&mut self) -> &mut Column<T> {
        self
    }
}
