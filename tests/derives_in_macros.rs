//! Groups and worlds that a macro of the program writes.

use std_ecs::{Column, Columns, Entities, Events, Single, Store, World};

/// A group and a world, with names, types and values from outside and from inside of the macro.
macro_rules! game {
    ($World:ident, $Group:ident, $Component:ident, $Value:ty, $($field:ident)*) => {
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        struct $Component($Value);

        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        struct Inner(u8);

        #[derive(Clone, Debug, Default, PartialEq, Columns)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        struct $Group {
            outer: Column<$Component>,
            inner: Column<Inner>,
            value: Single<$Value>,
            said: Events<$Value>,
            $($field: Single<$Value>,)*
        }

        #[derive(Clone, Debug, Default, PartialEq, World)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        struct $World {
            entities: Entities,
            group: $Group,
        }
    };
}

game!(Game, Group, Outer, i64, first second);

#[test]
fn a_world_that_a_macro_wrote_is_like_any_other() {
    let mut game = Game::default();
    let entity = game.spawn_with((Outer(-3), Inner(4)));
    *game.group.second = 7;
    *game.group.first = *game.group.second + 1;
    *game.group.value = 1;
    game.group.said.emit(5);
    let snapshot = game.clone();
    assert!(game.attach(entity, Outer(5)) && game.despawn(entity) && game != snapshot);
    game = snapshot;
    assert_eq!((game.get::<Outer>(entity), game.has::<Inner>(entity)), (Some(&Outer(-3)), true));
    assert_eq!((*game.group.first, game.lengths().len()), (8, 2));
    game.check().unwrap();
}

/// A group and a world whose fields are handed over as whole types.
macro_rules! of_types {
    ($World:ident, $Group:ident, $($field:ident: $component:ty),*; $($group_field:ident: $group:ty),*; $holds:ty) => {
        #[derive(Clone, Debug, Default, PartialEq, Columns)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        struct $Group {
            $($field: Column<$component>,)*
            inside: Within,
        }

        #[derive(Clone, Debug, Default, PartialEq, World)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        struct $World {
            entities: Entities,
            $($group_field: $group,)*
            #[world(holds($holds))]
            last: $Group,
        }
    };
}

macro_rules! component {
    ($($name:ident)*) => {$(
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        struct $name(u8);
    )*};
}

component!(Apple Pear Plum);

#[derive(Clone, Debug, Default, PartialEq, Columns)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Within {
    plums: Column<Plum>,
}

of_types!(Orchard, Trees, apples: Apple, pears: Pear; game: Group; Within);

#[test]
fn types_may_be_handed_over_whole() {
    let mut orchard = Orchard::default();
    let entity = orchard.spawn_with((Apple(1), Pear(2), Plum(3), Outer(-3)));
    assert_eq!(orchard.get::<Pear>(entity), Some(&Pear(2)));
    assert_eq!(orchard.get::<Plum>(entity), Some(&Plum(3)));
    assert_eq!(orchard.get::<Outer>(entity), Some(&Outer(-3)));
    assert_eq!(orchard.lengths().len(), 5);
}
