//! The one to four stores of a query, as one.

use std::iter::Zip;
use std::slice::Iter;

use super::seek::{Asked, Seek, Start};
use super::side::{Driver, Fit, Kind, Missing, Open, OwnerPage, Side};
use crate::entity::Entity;
use crate::key::component_key;
use crate::pages::Pages;

/// The stores of a query before the walk.
pub(super) trait Opens<'a>: Sized {
    type Sides: Sides<'a>;

    const COUNT: usize;

    fn rows(&self, at: usize) -> usize;
    fn owners(&self, at: usize) -> Option<Pages<Entity>>;
    fn adopt(&mut self, at: usize, owners: &Pages<Entity>);
    fn start(self) -> Self::Sides;

    /// Shares pages of entities that say the same, so that the walk need not compare them. Of two
    /// stores one that is written takes over the pages of the other.
    #[inline]
    fn share(mut self) -> Self {
        let driver = (0..Self::COUNT).min_by_key(|&at| self.rows(at)).unwrap_or(0);
        if let Some(owners) = self.owners(driver) {
            for at in (0..Self::COUNT).filter(|&at| at != driver) {
                self.adopt(at, &owners);
            }
        }
        for at in (0..Self::COUNT).filter(|&at| at != driver) {
            if let Some(owners) = self.owners(at) {
                self.adopt(driver, &owners);
            }
        }
        self
    }
}

/// The stores of a query during the walk, as long as their pages are met in order.
pub trait Sides<'a>: Sized {
    /// [`Required`](super::side::Required) if one of them is.
    type Kind: Kind;
    /// What the query yields.
    type Item;
    /// A page's rows of each.
    type Chunks;
    /// A page's entities and rows of each.
    type Slices;
    /// Yields entities and values, nested to the left.
    type Hot: Iterator;
    /// A value of each.
    type Items;
    type Seeks: Seeks<'a, Chunks = Self::Chunks, Items = Self::Items>;

    /// Whether each row of the store that drives is yielded if nothing is filtered.
    const ONE_DECIDES: bool;

    /// The names of the components, for messages.
    fn components() -> &'static str;
    fn nothing() -> Self;
    fn no_chunks() -> Self::Chunks;
    /// Whether only changed rows of one of them are asked for.
    fn is_filtered(&self) -> bool;
    /// The entities to walk: those of the shortest, the first of equals.
    fn shortest(&self) -> Driver<'a>;
    /// The entities of the first that is required.
    fn first(&self) -> Driver<'a>;
    /// Asks only for rows of the first that is required that were written after this stamp.
    fn since(&mut self, stamp: u64);
    fn fits(&self, page: usize, owners: &'a OwnerPage) -> Fit;
    fn chunks(&mut self, page: usize, rows: usize) -> Self::Chunks;
    fn can_skip(&self, page: usize, owners: &'a OwnerPage) -> bool;
    fn skip(&mut self);
    fn seek(self, start: &Start<'a>) -> Self::Seeks;
    fn split(chunks: Self::Chunks, at: usize) -> (Self::Chunks, Self::Chunks);
    fn slices(owners: &'a [Entity], chunks: Self::Chunks) -> Self::Slices;
    fn hot(owners: &'a [Entity], chunks: Self::Chunks) -> Self::Hot;
    fn item(raw: <Self::Hot as Iterator>::Item) -> Self::Item;
    fn together(entity: Entity, items: Self::Items) -> Self::Item;
    /// One row as chunks.
    fn one(items: Self::Items) -> Self::Chunks;
    /// Folds a page. It is a call of its own because the compiler knows that slices which are parameters do
    /// not overlap, and does several rows at a time.
    fn fold<B>(
        owners: &'a [Entity],
        chunks: Self::Chunks,
        init: B,
        f: &mut impl FnMut(B, Self::Item) -> B,
    ) -> B;
}

/// The stores of a query once rows have to be looked up.
pub trait Seeks<'a> {
    type Chunks;
    type Items;

    fn enter(&mut self, page: usize, owners: &'a OwnerPage) -> Fit;
    fn chunks(&mut self, page: usize, rows: usize) -> Self::Chunks;
    /// Finds the rows of all entities of the page entered in each.
    fn find(&mut self, page: usize, owners: &'a OwnerPage);
    /// What the entity at a place of that page has, if it has all that is asked for; with it what up to `most`
    /// entities have from it on, as far as their rows follow in each.
    fn look_up(&mut self, at: usize, most: usize) -> LookedUp<Self::Items, Self::Chunks>;
    /// Whether it is not worth while to look for runs in the page entered.
    fn is_scattered(&self) -> bool;
    /// All rows of the page entered, of so many entities, will be asked for: if there are all, they will be taken.
    fn take_whole(&mut self, count: usize);
    /// Folds the page entered row by row from a place on; these are its entities.
    fn fold_rows<B>(
        &mut self,
        from: usize,
        entities: &[Entity],
        passes: Option<impl Fn(Entity) -> bool>,
        init: B,
        f: impl FnMut(B, Entity, Self::Items) -> B,
    ) -> B;
}

/// What an entity has.
pub enum LookedUp<Items, Chunks> {
    /// Not all that is required.
    Nothing,
    /// Its own rows.
    Row(Items),
    /// With its own rows, those of so many entities from it on.
    Run(usize, Chunks),
}

/// The number of rows of a table of pages, full but for the last.
#[inline]
pub(super) fn rows(owners: &[OwnerPage]) -> usize {
    match owners.split_last() {
        Some((last, full)) => full.len() * crate::pages::PAGE + last.0.len(),
        None => 0,
    }
}

/// Nested zips, and the patterns that take their items apart.
macro_rules! nested {
    (type $so_far:ty;) => { $so_far };
    (type $so_far:ty; $next:ident $($rest:ident)*) => { nested!(type Zip<$so_far, $next::Run>; $($rest)*) };
    (zip $so_far:expr;) => { $so_far };
    (zip $so_far:expr; $next:ident $($rest:ident)*) => {
        nested!(zip Iterator::zip($so_far, $next); $($rest)*)
    };
    (pattern $so_far:tt;) => { $so_far };
    (pattern $so_far:tt; $next:ident $($rest:ident)*) => { nested!(pattern ($so_far, $next); $($rest)*) };
    (kind $so_far:ty;) => { $so_far };
    (kind $so_far:ty; $next:ident $($rest:ident)*) => {
        nested!(kind <$so_far as Kind>::Or<$next::Kind>; $($rest)*)
    };
}

/// A call with an argument for each side: the slice of the one that is in step, the rows gathered of the others.
macro_rules! each_side {
    ($call:ident($entities:expr, $context:tt ($($at:tt)*), $init:expr, $f:expr)) => {
        $call($entities, $(each_side!($context $at),)* $init, $f)
    };
    (($self:ident $how:ident $asked:ident $slice:ident 0) 0) => { $slice };
    (($self:ident $how:ident $asked:ident $slice:ident 1) 1) => { $slice };
    (($self:ident $how:ident $asked:ident $slice:ident 2) 2) => { $slice };
    (($self:ident $how:ident $asked:ident $slice:ident 3) 3) => { $slice };
    (($self:ident $how:ident $asked:ident $slice:ident $in_step:tt) $at:tt) => { $self.$at.$how($asked) };
}

/// `Opens`, `Sides` and `Seeks` for a tuple: `A a 0, B b 1` names the type, the variable and the place of
/// each element.
macro_rules! sides {
    ($all:tt $($Type:ident $var:ident $at:tt),*) => {
        impl<'a, $($Type: Open<'a>),*> Opens<'a> for ($($Type,)*) {
            type Sides = ($($Type::Side,)*);

            const COUNT: usize = [$(stringify!($Type)),*].len();

            #[inline]
            fn rows(&self, at: usize) -> usize {
                [$(self.$at.rows()),*][at]
            }

            fn owners(&self, at: usize) -> Option<Pages<Entity>> {
                match at {
                    $($at => self.$at.owners(),)*
                    _ => None,
                }
            }

            fn adopt(&mut self, at: usize, owners: &Pages<Entity>) {
                match at {
                    $($at => self.$at.adopt(owners),)*
                    _ => {}
                }
            }

            #[inline]
            fn start(self) -> Self::Sides {
                ($(self.$at.start(),)*)
            }
        }

        impl<'a, $($Type: Side<'a>),*> Sides<'a> for ($($Type,)*) {
            type Kind = nested!(kind Missing; $($Type)*);
            type Item = (Entity, $($Type::Item),*);
            type Chunks = ($($Type::Chunk,)*);
            type Slices = (&'a [Entity], $($Type::Slice),*);
            type Items = ($($Type::Item,)*);
            type Hot = nested!(type Iter<'a, Entity>; $($Type)*);
            type Seeks = ($($Type::Seek,)*);

            const ONE_DECIDES: bool = 0 $(+ <$Type::Kind as Kind>::COUNT)* == 1;

            fn components() -> &'static str {
                component_key::<($($Type::Component,)*)>().name()
            }

            fn nothing() -> Self {
                ($($Type::nothing(),)*)
            }

            #[inline(always)]
            fn no_chunks() -> Self::Chunks {
                ($($Type::no_chunk(),)*)
            }

            fn is_filtered(&self) -> bool {
                $(self.$at.is_filtered() ||)* false
            }

            fn shortest(&self) -> Driver<'a> {
                let mut shortest: Option<Driver<'a>> = None;
                $(
                    if let Some(driver) = self.$at.driver()
                        && shortest.is_none_or(|so_far| rows(driver.owners) < rows(so_far.owners))
                    {
                        shortest = Some(driver);
                    }
                )*
                shortest.unwrap_or_default()
            }

            fn first(&self) -> Driver<'a> {
                None$(.or_else(|| self.$at.driver()))*.unwrap_or_default()
            }

            fn since(&mut self, stamp: u64) {
                let _ = $(self.$at.since(stamp) ||)* false;
            }

            #[inline(always)]
            fn fits(&self, page: usize, owners: &'a OwnerPage) -> Fit {
                Fit::All$(.and(self.$at.fits(page, owners)))*
            }

            #[inline(always)]
            fn chunks(&mut self, page: usize, rows: usize) -> Self::Chunks {
                ($(self.$at.chunk(page, rows),)*)
            }

            fn can_skip(&self, page: usize, owners: &'a OwnerPage) -> bool {
                $(self.$at.can_skip(page, owners) &&)* true
            }

            fn skip(&mut self) {
                $(self.$at.skip();)*
            }

            fn seek(self, start: &Start<'a>) -> Self::Seeks {
                ($(self.$at.seek(start),)*)
            }

            fn split(chunks: Self::Chunks, at: usize) -> (Self::Chunks, Self::Chunks) {
                $(let $var = $Type::split(chunks.$at, at);)*
                (($($var.0,)*), ($($var.1,)*))
            }

            fn slices(owners: &'a [Entity], chunks: Self::Chunks) -> Self::Slices {
                (owners, $($Type::slice(chunks.$at)),*)
            }

            #[inline(always)]
            fn hot(owners: &'a [Entity], chunks: Self::Chunks) -> Self::Hot {
                $(let $var = $Type::run(chunks.$at);)*
                nested!(zip owners.iter(); $($var)*)
            }

            #[inline(always)]
            fn item(nested!(pattern entity; $($var)*): <Self::Hot as Iterator>::Item) -> Self::Item {
                (*entity, $($var),*)
            }

            #[inline(always)]
            fn together(entity: Entity, items: Self::Items) -> Self::Item {
                (entity, $(items.$at),*)
            }

            #[inline(always)]
            fn one(items: Self::Items) -> Self::Chunks {
                ($($Type::one(items.$at),)*)
            }

            #[inline(always)]
            fn fold<Acc>(
                owners: &'a [Entity],
                chunks: Self::Chunks,
                init: Acc,
                f: &mut impl FnMut(Acc, Self::Item) -> Acc,
            ) -> Acc {
                #[inline(never)]
                fn page<'a, Acc, $($Type: Side<'a>),*>(
                    owners: &'a [Entity],
                    $($var: $Type::Chunk,)*
                    init: Acc,
                    f: &mut impl FnMut(Acc, (Entity, $($Type::Item),*)) -> Acc,
                ) -> Acc {
                    $(let $var = $Type::run($var);)*
                    let rows = nested!(zip owners.iter(); $($var)*);
                    rows.fold(init, |so_far, nested!(pattern entity; $($var)*)| f(so_far, (*entity, $($var),*)))
                }
                page::<Acc, $($Type),*>(owners, $(chunks.$at,)* init, f)
            }
        }

        impl<'a, $($Type: Seek<'a>),*> Seeks<'a> for ($($Type,)*) {
            type Chunks = ($($Type::Chunk,)*);
            type Items = ($($Type::Item,)*);

            fn enter(&mut self, page: usize, owners: &'a OwnerPage) -> Fit {
                Fit::All$(.and(self.$at.enter(page, owners)))*
            }

            fn chunks(&mut self, page: usize, rows: usize) -> Self::Chunks {
                ($(self.$at.chunk(page, rows),)*)
            }

            fn find(&mut self, page: usize, owners: &'a OwnerPage) {
                $(self.$at.find(page, owners);)*
            }

            #[inline(always)]
            fn look_up(&mut self, at: usize, most: usize) -> LookedUp<Self::Items, Self::Chunks> {
                // All are found before one is taken: a row that is not yielded must not count as written.
                if !($(self.$at.has(at) &&)* true) {
                    return LookedUp::Nothing;
                }
                let mut rows = most;
                $(
                    if rows > 1 {
                        rows = self.$at.run(at, rows);
                    }
                )*
                if rows > 1 {
                    return LookedUp::Run(rows, ($(self.$at.take_run(at, rows),)*));
                }
                $(let Some($var) = self.$at.take(at) else { return LookedUp::Nothing };)*
                LookedUp::Row(($($var,)*))
            }

            fn is_scattered(&self) -> bool {
                $(self.$at.is_scattered() &&)* true
            }

            fn take_whole(&mut self, count: usize) {
                if $(self.$at.has_all() &&)* true {
                    $(self.$at.take_whole(count);)*
                }
            }

            fn fold_rows<Acc>(
                &mut self,
                from: usize,
                entities: &[Entity],
                passes: Option<impl Fn(Entity) -> bool>,
                init: Acc,
                mut f: impl FnMut(Acc, Entity, Self::Items) -> Acc,
            ) -> Acc {
                #[inline(never)]
                fn rows<Acc, $($Type: Iterator),*>(
                    entities: &[Entity],
                    $($var: $Type,)*
                    init: Acc,
                    f: &mut impl FnMut(Acc, Entity, ($($Type::Item,)*)) -> Acc,
                ) -> Acc {
                    nested!(zip entities.iter(); $($var)*).fold(init, |so_far, nested!(pattern entity; $($var)*)| {
                        f(so_far, *entity, ($($var,)*))
                    })
                }
                if passes.is_none() $(&& self.$at.has_all())* {
                    let asked = Asked::From(from);
                    let is_in_order = $(self.$at.is_in_order() &&)* true;
                    $(
                        if from == 0 && let Some(slice) = self.$at.in_step() {
                            return if is_in_order {
                                each_side!(rows(entities, (self in_order asked slice $at) $all, init, &mut f))
                            } else {
                                each_side!(rows(entities, (self gather asked slice $at) $all, init, &mut f))
                            };
                        }
                    )*
                    return rows(&entities[from..], $(self.$at.gather(asked),)* init, &mut f);
                }
                // All are found before one is taken: a row that is not yielded must not count as written.
                let is_asked_for = |&(at, entity): &(usize, &Entity)| {
                    $(self.$at.has(at) &&)* passes.as_ref().is_none_or(|passes| passes(*entity))
                };
                let asked = (0..).zip(entities).skip(from).filter(is_asked_for);
                let (places, entities): (Vec<u32>, Vec<Entity>) = asked.map(|(at, &entity)| (at as u32, entity)).unzip();
                rows(&entities, $(self.$at.gather(Asked::At(&places)),)* init, &mut f)
            }
        }
    };
}

sides!((0) A a 0);
sides!((0 1) A a 0, B b 1);
sides!((0 1 2) A a 0, B b 1, C c 2);
sides!((0 1 2 3) A a 0, B b 1, C c 2, D d 3);
