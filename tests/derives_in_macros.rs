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
