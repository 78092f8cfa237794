//! Worlds of 1 to 200 columns: each is composed of groups with several columns, as programs are of packages.

use serde::Serialize;
use std_ecs::{Column, Columns, Digest, Entities, Entity, World, pairs};

use crate::sums::{Summed, mixed, sum};

/// A component: each group and each place in it has a type of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Value<const GROUP: usize, const PLACE: usize>(pub f32);

impl<const GROUP: usize, const PLACE: usize> Summed for Value<GROUP, PLACE> {
    fn share(&self) -> u64 {
        mixed([self.0])
    }
}

/// What is done with a world, or with one of its groups, whatever the number of columns.
pub trait Wide {
    /// Gives each entity a row in every column; the value is the number of the entity, counted from `first`.
    fn fill(&mut self, entities: &[Entity], first: usize);
    /// Gives each entity a row in the first column only.
    fn fill_first(&mut self, entities: &[Entity], first: usize);
    /// Adds the second column to the first one; nothing where there is only one.
    fn walk(&mut self);
    /// Adds one to a row of the first column.
    fn write(&mut self, entity: Entity);
    /// A row of the first column.
    fn read(&self, entity: Entity) -> f32;
    /// The sum over all columns.
    fn sum(&self) -> u64;
}

/// A world of so many columns.
pub trait WideWorld: Wide + World + Digest + Clone + Default + 'static {
    const COLUMNS: usize;
}

/// There are more than two hundred types of columns, and all of this is compiled for each of them: what is inlined
/// nowhere is compiled once for each.
#[inline(never)]
fn fill<const GROUP: usize, const PLACE: usize>(
    column: &mut Column<Value<GROUP, PLACE>>,
    entities: &[Entity],
    first: usize,
) {
    let rows = entities.iter().enumerate();
    let refused = column.extend(rows.map(|(place, entity)| (*entity, Value((first + place) as f32))));
    assert!(refused.is_empty(), "all are new");
}

#[inline(never)]
fn total<const GROUP: usize, const PLACE: usize>(column: &Column<Value<GROUP, PLACE>>) -> u64 {
    sum(column.chunks().flat_map(|(_, values)| values))
}

/// A group: the name, how it walks, the first column and the others, each with its place.
macro_rules! group {
    ($name:ident, $walk:expr, $first:ident $first_place:literal $(, $field:ident $place:literal)*) => {
        #[derive(Clone, Default, Columns)]
        pub struct $name<const GROUP: usize> {
            pub $first: Column<Value<GROUP, $first_place>>,
            $(pub $field: Column<Value<GROUP, $place>>,)*
        }

        impl<const GROUP: usize> Wide for $name<GROUP> {
            fn fill(&mut self, entities: &[Entity], first: usize) {
                self.fill_first(entities, first);
                $(fill(&mut self.$field, entities, first);)*
            }

            fn fill_first(&mut self, entities: &[Entity], first: usize) {
                fill(&mut self.$first, entities, first);
            }

            fn walk(&mut self) {
                let walk: fn(&mut Self) = $walk;
                walk(self);
            }

            fn write(&mut self, entity: Entity) {
                self.$first.get_mut(entity).expect("all have a row").0 += 1.0;
            }

            fn read(&self, entity: Entity) -> f32 {
                self.$first.get(entity).expect("all have a row").0
            }

            fn sum(&self) -> u64 {
                [total(&self.$first), $(total(&self.$field)),*].into_iter().fold(0, u64::wrapping_add)
            }
        }
    };
}

macro_rules! add_second {
    ($first:ident, $second:ident) => {
        |group| {
            pairs(&mut group.$first, &group.$second).for_each(
                |(_, first, second): (_, &mut Value<GROUP, _>, &Value<GROUP, _>)| first.0 += second.0,
            )
        }
    };
}

// Two groups must not own the same type, so the places go on from group to group.
group!(One, |_| {}, a 0);
group!(Two, add_second!(a, b), a 1, b 2);
group!(Five, add_second!(a, b), a 3, b 4, c 5, d 6, e 7);
group!(Ten, add_second!(a, b), a 8, b 9, c 10, d 11, e 12, f 13, g 14, h 15, i 16, j 17);

/// A world: the name, the number of columns, and the groups.
macro_rules! world {
    ($name:ident, $columns:literal, $first:ident: $first_group:ident<$first_number:literal>
     $(, $field:ident: $group:ident<$number:literal>)*) => {
        #[derive(Clone, Default, World)]
        pub struct $name {
            pub entities: Entities,
            pub $first: $first_group<$first_number>,
            $(pub $field: $group<$number>,)*
        }

        impl Wide for $name {
            fn fill(&mut self, entities: &[Entity], first: usize) {
                self.$first.fill(entities, first);
                $(self.$field.fill(entities, first);)*
            }

            fn fill_first(&mut self, entities: &[Entity], first: usize) {
                self.$first.fill_first(entities, first);
            }

            fn walk(&mut self) {
                self.$first.walk();
            }

            fn write(&mut self, entity: Entity) {
                self.$first.write(entity);
            }

            fn read(&self, entity: Entity) -> f32 {
                self.$first.read(entity)
            }

            fn sum(&self) -> u64 {
                [self.$first.sum(), $(self.$field.sum()),*].into_iter().fold(0, u64::wrapping_add)
            }
        }

        impl WideWorld for $name {
            const COLUMNS: usize = $columns;
        }
    };
}

world!(World1, 1, a: One<0>);
world!(World2, 2, a: Two<0>);
world!(World5, 5, a: Five<0>);
world!(World10, 10, a: Ten<0>);
world!(World20, 20, a: Ten<0>, b: Ten<1>);
world!(World50, 50, a: Ten<0>, b: Ten<1>, c: Ten<2>, d: Ten<3>, e: Ten<4>);
world!(
    World100, 100, a: Ten<0>, b: Ten<1>, c: Ten<2>, d: Ten<3>, e: Ten<4>, f: Ten<5>, g: Ten<6>, h: Ten<7>,
    i: Ten<8>, j: Ten<9>
);
world!(
    World200, 200, a: Ten<0>, b: Ten<1>, c: Ten<2>, d: Ten<3>, e: Ten<4>, f: Ten<5>, g: Ten<6>, h: Ten<7>,
    i: Ten<8>, j: Ten<9>, k: Ten<10>, l: Ten<11>, m: Ten<12>, n: Ten<13>, o: Ten<14>, p: Ten<15>, q: Ten<16>,
    r: Ten<17>, s: Ten<18>, t: Ten<19>
);
