//! Whatever a game does to the tree of a scene is saved, or refused.

mod common;

use std::collections::BTreeMap;

use common::*;
use proptest::prelude::*;
use std_ecs::{Columns, Entity, Parent, Store, World};
use std_scene::Loaded;

const LEVEL: &str = r#"// A level in every layout.
scene(
    version(1),
    entity("ship", // flies
        Health(1_00), Player, /* so far */
        entity("turret", Aims(at: "ship"), entity("barrel", Health(3)), Player), // on top
        entity("hold",
            entity("crate", Velocity(1.0, 2.0)),
            // between
            entity("barrel", Health(4)),
        ),
    ),
    entity("rock", instance("rock.ron"), Health(5), at("core", Player, entity("flag"))), entity("one"), entity("two", Player),
    entity("camera", entity(), entity(Health(7)), Mode(Free)) /* the last */
)
"#;

type Deed = (u8, u8, u8);

fn name(loaded: &Loaded, new: &BTreeMap<Entity, String>, entity: Entity) -> String {
    let path = loaded.path(entity).or_else(|| new.get(&entity).cloned()).unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// What a tree is, whatever the order of its siblings and the numbers of its entities. `None` if two siblings have
/// one name, which no scene can say.
fn tree(game: &Game, name: &dyn Fn(Entity) -> String, roots: Vec<Entity>) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut names = Vec::new();
    for entity in roots {
        let children = tree(game, name, game.hierarchy.children(entity).collect())?;
        let texts: Vec<String> =
            registry().text(game, entity).into_iter().filter(|text| !text.starts_with("Aims")).collect();
        let own = name(entity);
        // The instanced file's entities keep theirs.
        let own = own.strip_prefix("(unnamed)").map_or(own.clone(), |_| String::new());
        if !own.is_empty() && names.contains(&own) {
            return None;
        }
        names.push(own.clone());
        found.push(format!("{own}{texts:?}{children:?}"));
    }
    found.sort();
    Some(found)
}

fn roots(game: &Game) -> Vec<Entity> {
    game.entities.iter().filter(|&entity| game.hierarchy.parent(entity).is_none()).collect()
}

fn play(text: &str, deeds: &[Deed]) -> Result<(), TestCaseError> {
    let (mut game, mut loaded) = level(text);
    let inner: Vec<Entity> = ["rock/core", "rock/moon"].map(|path| loaded.entity(path).unwrap()).to_vec();
    // Those without a name, and those whose name another has too.
    let ambiguous = |path: &str| ["(unnamed)", "barrel"].iter().any(|end| path.ends_with(end));
    let nameless = loaded.entities().filter(|&entity| ambiguous(&loaded.path(entity).unwrap()));
    let nameless: Vec<_> = nameless.map(|entity| (entity, game.hierarchy.parent(entity))).collect();
    let mut new: BTreeMap<Entity, String> = BTreeMap::new();
    for (number, &(deed, whom, other)) in deeds.iter().enumerate() {
        let alive: Vec<Entity> = game.entities.iter().filter(|entity| !inner.contains(entity)).collect();
        let Some(&entity) = alive.get(usize::from(whom) % alive.len().max(1)) else { break };
        let target = alive[usize::from(other) % alive.len()];
        match deed % 8 {
            0 => _ = game.hierarchy.set_parent(entity, target),
            1 if !name(&loaded, &new, entity).is_empty() && !name(&loaded, &new, entity).starts_with('(') => {
                _ = game.remove::<Parent>(entity);
            }
            2 => _ = game.despawn(entity),
            3 | 4 => {
                let child = game.spawn_with((Parent::of(entity), Health(i32::from(other))));
                if deed % 8 == 3 {
                    let name = format!("new-{number}");
                    new.insert(child, name.clone());
                    loaded.name(child, name);
                }
            }
            5 => _ = game.attach(entity, Velocity(0.5, f32::from(other))),
            6 => _ = game.remove::<Health>(entity),
            _ => {
                if let Some(health) = game.remove::<Health>(entity) {
                    game.attach(entity, health);
                }
            }
        }
    }
    let expected = tree(&game, &|entity| name(&loaded, &new, entity), roots(&game));
    // A turret whose target has died cannot be saved.
    let dangles = game.bodies.aims.iter().any(|(_, aims)| !game.is_alive(aims.at));
    let saved = registry().save(&game, &loaded);
    match (saved, expected) {
        (Ok(text), Some(expected)) => {
            let (again, read) = level(&text);
            let found = tree(&again, &|entity| name(&read, &BTreeMap::new(), entity), roots(&again));
            prop_assert_eq!(&found, &Some(expected), "{}", text);
            prop_assert_eq!(registry().save(&again, &read).unwrap(), text.as_str());
            // Laid over the game that it was saved from, it changes nothing; but who has no name of its own is known by its
            // place.
            let strays = nameless.iter().any(|&(entity, parent)| game.hierarchy.parent(entity) != parent);
            if !strays && !deeds.iter().any(|deed| deed.0 % 8 == 4) {
                registry().reload(&with_rock(&text), &mut game, &mut loaded).unwrap();
                let after = tree(&game, &|entity| name(&loaded, &new, entity), roots(&game));
                prop_assert_eq!(&after, &found, "{}", text);
            }
            for comment in ["// A level", "/* the last */"] {
                prop_assert!(text.contains(comment), "{}", text);
            }
        }
        (Ok(text), None) => prop_assert!(false, "two siblings have one name:\n{text}"),
        (Err(errors), expected) => {
            let said = errors.to_string();
            let reasons = [
                "moved into an instance",
                "its parent is not part of the scene",
                "several entities are named",
            ];
            let reason = expected.is_none() || dangles || reasons.iter().any(|reason| said.contains(reason));
            prop_assert!(reason, "{}", said);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_edit_of_the_tree_is_saved_or_refused(deeds in proptest::collection::vec(any::<Deed>(), 0..10), windows in any::<bool>()) {
        let text = if windows { LEVEL.replace('\n', "\r\n") } else { LEVEL.to_owned() };
        play(&text, &deeds)?;
    }
}
