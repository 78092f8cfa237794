//! What was saved is read again and compared before it is answered, whatever part of the scene it is in; and the answer
//! is the same each time.

mod common;

use common::*;
use serde::{Deserialize, Serialize, Serializer};
use std_ecs::{Column, Columns, Entities, Entity, Hierarchy, Parent, Store, World};
use std_scene::{Embedded, Limits, Loaded, Registry, Scene};

/// Is written as another value than it is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Drift(u32);

impl Serialize for Drift {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("Drift", &(self.0 + 1))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Columns)]
struct Drifts {
    drifts: Column<Drift>,
}

#[derive(Clone, Debug, Default, PartialEq, World)]
struct Sea {
    entities: Entities,
    hierarchy: Hierarchy,
    drifts: Drifts,
}

/// What is said when this is done to a scene of an entity without a name in one that has one.
fn refused(work: impl FnOnce(&mut Sea, &mut Loaded, Entity)) -> String {
    let mut registry = Registry::<Sea>::new();
    registry.add::<Drift>("Drift").unwrap();
    let source = Embedded::new().with("sea.ron", "scene(entity(\"a\", entity()))");
    let mut sea = Sea::default();
    let mut loaded = registry.load(&source, "sea.ron", &mut sea).unwrap();
    let a = loaded.entity("a").unwrap();
    work(&mut sea, &mut loaded, a);
    registry.save(&sea, &loaded).unwrap_err().to_string()
}

#[test]
fn a_value_that_is_read_back_as_another_is_refused_wherever_it_is() {
    let text = refused(|sea, _, a| _ = sea.attach(a, Drift(1)));
    assert!(text.contains("`a` cannot be saved: Drift"), "{text}");
    let text = refused(|sea, loaded, _| {
        let top = sea.spawn_with((Drift(1),));
        loaded.name(top, "top");
    });
    assert!(text.contains("`top` cannot be saved: Drift"), "{text}");
    let text = refused(|sea, _, a| {
        for number in 0..3 {
            let child = sea.spawn_with((Parent::of(a),));
            if number == 1 {
                sea.spawn_with((Parent::of(child), Drift(1)));
            }
        }
    });
    assert!(text.contains("`a/(unnamed)/(unnamed)` cannot be saved: Drift"), "{text}");
    let text = refused(|sea, loaded, a| {
        let child = sea.spawn_with((Parent::of(a),));
        loaded.name(child, "child");
        let inner = sea.spawn_with((Parent::of(child), Drift(1)));
        loaded.name(inner, "inner");
    });
    assert!(text.contains("`a/child/inner` cannot be saved: Drift"), "{text}");
}

#[test]
fn what_is_new_in_one_line_stays_in_it() {
    let (mut game, loaded) = level("scene(entity(\"a\", Health(1)), entity(\"b\"))");
    let a = loaded.entity("a").unwrap();
    let child = game.spawn_with((Parent::of(a), Glow { color: Color::Red, power: 1.0 }, Velocity(1.0, 2.0)));
    for _ in 0..2 {
        game.spawn_with((Parent::of(child), Collider { radius: 1.5, solid: true }, Player, Health(1)));
    }
    let text = registry().save(&game, &loaded).unwrap();
    let inner = "entity(Collider(radius: 1.5, solid: true), Health(1), Player)";
    let new = format!("entity(Glow(color: Red, power: 1.0), Velocity(1.0, 2.0), {inner}, {inner})");
    assert_eq!(text, format!("scene(entity(\"a\", Health(1), {new}), entity(\"b\"))"));
}

#[test]
fn the_last_items_can_be_replaced_by_others() {
    for text in [
        "scene(\n    entity(\"a\",\n        entity(\"b\"),\n        entity(\"c\"),\n    ),\n)\n",
        "scene(\n    entity(\"a\",\n        entity(\"b\"),\n        entity(\"c\")\n    ),\n)\n",
        "scene(\n    entity(\"a\",\n        entity(\"b\"), // of b\n        entity(\"c\"), // of c\n    ),\n)\n",
        "scene(entity(\"a\", entity(\"b\"), entity(\"c\"),  ))",
        "scene(entity(\"a\", entity(\"b\") , entity(\"c\") /* of c */ , ))",
    ] {
        for windows in [false, true] {
            let text = if windows { text.replace('\n', "\r\n") } else { text.to_owned() };
            let (mut game, mut loaded) = level(&text);
            let a = loaded.entity("a").unwrap();
            for name in ["a/b", "a/c"] {
                game.despawn(loaded.entity(name).unwrap());
            }
            for name in ["d", "e"] {
                let child = game.spawn_with((Parent::of(a), Health(4)));
                loaded.name(child, name);
            }
            let saved = registry().save(&game, &loaded).unwrap();
            let (again, read) = level(&saved);
            assert_eq!(again.entities.len(), 3, "{saved}");
            assert!(read.entity("a/d").is_some() && read.entity("a/e").is_some(), "{saved}");
            let limits = Limits::default();
            let one_line = !text.contains('\n');
            assert_eq!(saved.contains('\n'), !one_line, "{saved}");
            assert!(!windows || !saved.replace("\r\n", "").contains('\n'), "{saved}");
            Scene::read(&Embedded::new().with("level.ron", saved), "level.ron", &limits).unwrap();
        }
    }
}

/// The hash maps of each run have another seed.
#[test]
fn every_run_gives_the_same_text_and_the_same_errors() {
    let entities: Vec<String> = (0..60)
        .map(|number| {
            format!("entity(\"e{number}\", instance(\"rock.ron\"), Health({number}), at(\"core\", Player)),")
        })
        .collect();
    let entities = entities.join("\n");
    let good = with_rock(&format!("scene({entities})"));
    let faulty = with_rock(&format!("scene({})", entities.replace("core", "cor").replace("Player", "Playr")));
    let misspelt =
        with_rock(&format!("scene({} entity(Aims(at: \"e\")))", entities.replace("Player", "Playr")));
    let edited = with_rock(&format!("scene({})", entities.replace("Health(1", "Health(2")));
    let mut seen = None;
    for _ in 0..20 {
        let (mut game, mut loaded) = load(&good).unwrap();
        let all: Vec<Entity> = loaded.entities().collect();
        for (number, &entity) in all.iter().enumerate().filter(|(number, _)| number % 2 == 0) {
            let child = game.spawn_with((Parent::of(entity), Health(1)));
            loaded.name(child, format!("new-{number}"));
            let top = game.spawn_with((Health(2), Aims { at: child }));
            loaded.name(top, format!("top-{number}"));
        }
        let text = registry().save(&game, &loaded).unwrap();
        let errors = [errors(&faulty).render(), errors(&misspelt).render()];
        for &entity in all.iter().filter(|entity| entity.index() % 5 == 0) {
            game.despawn(entity);
        }
        let refused = registry().save(&game, &loaded).unwrap_err().to_string();
        let reloaded = registry().reload(&edited, &mut game, &mut loaded).unwrap();
        let found = (text, errors, refused, reloaded, game);
        assert!(*seen.get_or_insert_with(|| found.clone()) == found);
    }
}
