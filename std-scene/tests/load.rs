//! What a scene file becomes in a world.

mod common;

use std::collections::BTreeMap;

use common::*;
use std_ecs::{Columns, Parent, World};
use std_scene::{Embedded, ErrorKind, Limits, RegistryError};

#[test]
fn nesting_is_the_parent_relation_and_names_are_references() {
    let (game, level) = level(
        r#"// The first level.
        scene(
            version(1),
            entity("ship",
                Transform(position: (0.0, 0.0)), Velocity(1.0, 0.0), Health(100), Player, Mode(Free),
                entity("turret", Aims(at: "ship")),
            ),
            entity("camera", Mode(Chase(distance: 3.0, prey: Some("ship")))),
            entity(Links(list: ["camera", "ship/turret"], map: {"ship": 3}, maybe: Some("turret"))),
        )"#,
    );
    let [ship, turret, camera] = ["ship", "ship/turret", "camera"].map(|name| level.entity(name).unwrap());
    assert_eq!(game.hierarchy.children(ship).collect::<Vec<_>>(), [turret]);
    assert_eq!(game.get::<Aims>(turret), Some(&Aims { at: ship }));
    assert_eq!(game.get::<Velocity>(ship), Some(&Velocity(1.0, 0.0)));
    assert_eq!(game.get::<Mode>(camera), Some(&Mode::Chase { distance: 3.0, prey: Some(ship) }));
    let (_, links) = game.bodies.links.iter().next().unwrap();
    assert_eq!(
        *links,
        Links { list: vec![camera, turret], map: BTreeMap::from([(ship, 3)]), maybe: Some(turret) }
    );
    assert_eq!(game.entities.len(), 4);
    assert_eq!(level.path(turret).unwrap(), "ship/turret");
    assert_eq!(level.roots().count(), 3);
}

#[test]
fn an_instance_is_the_root_of_its_file_with_patches_laid_over() {
    let (game, level) = level(
        r#"scene(
            entity("a", instance("rock.ron")),
            entity("b",
                instance("rock.ron"),
                Transform(position: (4.0, 0.0)),
                Health(30),
                at("core", Glow(color: Red), entity("lamp", Glow(color: Blue, power: 3.0))),
                remove("moon"), replace(Collider(solid: false)), Velocity(1.0, 2.0),
                entity("flag", Aims(at: "a/core")),
            ),
            entity("c", instance("rock.ron"), without(Health), without(Transform)),
        )"#,
    );
    let get = |name: &str| level.entity(name).unwrap();
    assert_eq!(game.get::<Transform>(get("a")), Some(&Transform { position: (0.0, 0.0), angle: 0.5 }));
    assert_eq!(game.get::<Transform>(get("b")), Some(&Transform { position: (4.0, 0.0), angle: 0.5 }));
    assert_eq!(game.get::<Collider>(get("a")), Some(&Collider { radius: 2.0, solid: true }));
    assert_eq!(game.get::<Collider>(get("b")), Some(&Collider { radius: 1.0, solid: false }));
    assert_eq!(game.get::<Glow>(get("b/core")), Some(&Glow { color: Color::Red, power: 1.0 }));
    assert_eq!(game.get::<Glow>(get("a/core")), Some(&Glow { color: Color::Blue, power: 1.0 }));
    assert_eq!(game.get::<Parent>(get("b/core/lamp")).unwrap().entity(), get("b/core"));
    assert_eq!(game.get::<Aims>(get("flag")), Some(&Aims { at: get("a/core") }));
    assert!(level.entity("b/moon").is_none() && level.entity("a/moon").is_some());
    assert_eq!((game.get::<Health>(get("b")), game.get::<Health>(get("c"))), (Some(&Health(30)), None));
    assert!(!game.has::<Transform>(get("c")));
    // Each instance's own references stay inside of it.
    for name in ["a", "b", "c"] {
        assert_eq!(game.get::<Aims>(get(&format!("{name}/core"))), Some(&Aims { at: get(name) }));
    }
    assert!(game.check().is_ok());
}

#[test]
fn the_outermost_patch_wins_field_by_field() {
    let source = Embedded::new()
        .with(
            "a.ron",
            "scene(entity(Glow(color: Red, power: 1.0), Transform(position: (1, 1), angle: 1), Health(1)))",
        )
        .with("b.ron", "scene(entity(instance(\"a.ron\"), Glow(power: 2.0), Transform(angle: 2)))")
        .with(
            "level.ron",
            "scene(entity(\"x\", instance(\"b.ron\"), Glow(power: 3.0), Transform(position: (3, 3))))",
        );
    let (game, level) = load(&source).unwrap();
    let x = level.entity("x").unwrap();
    assert_eq!(game.get::<Glow>(x), Some(&Glow { color: Color::Red, power: 3.0 }));
    assert_eq!(game.get::<Transform>(x), Some(&Transform { position: (3.0, 3.0), angle: 2.0 }));
    assert_eq!(game.get::<Health>(x), Some(&Health(1)));
}

#[test]
fn one_patch_changes_one_entity_of_eight() {
    let source = Embedded::new()
        .with("house.ron", "scene(entity(\"house\", Health(1), Glow(color: Red, power: 1.0)))")
        .with(
            "block.ron",
            r#"scene(entity("block",
                entity("house-1", instance("house.ron")), entity("house-2", instance("house.ron")),
                entity("house-3", instance("house.ron")), entity("house-4", instance("house.ron"))))"#,
        )
        .with(
            "level.ron",
            r#"scene(entity("block-1", instance("block.ron"), at("house-3", Glow(color: Blue))),
                     entity("block-2", instance("block.ron")))"#,
        );
    let (game, level) = load(&source).unwrap();
    let blue: Vec<_> = game.bodies.glows.iter().filter(|(_, glow)| glow.color == Color::Blue).collect();
    assert_eq!(blue, [(level.entity("block-1/house-3").unwrap(), &Glow { color: Color::Blue, power: 1.0 })]);
    assert_eq!((game.bodies.glows.len(), game.bodies.health.len()), (8, 8));
}

#[test]
fn files_that_share_a_file_are_no_cycle() {
    let source = Embedded::new()
        .with("d.ron", "scene(entity(Health(1)))")
        .with("b.ron", "scene(entity(entity(\"d\", instance(\"d.ron\"))))")
        .with("c.ron", "scene(entity(entity(\"d\", instance(\"d.ron\"))))")
        .with("level.ron", "scene(entity(\"b\", instance(\"b.ron\")), entity(\"c\", instance(\"c.ron\")))");
    assert_eq!(load(&source).unwrap().0.bodies.health.len(), 2);
}

#[test]
fn files_in_a_circle_are_shown_with_their_lines() {
    let source = Embedded::new()
        .with("level.ron", "scene(\n  entity(\"x\", instance(\"b.ron\")))")
        .with("b.ron", "scene(entity(\"x\",\n\n entity(\"y\", instance(\"level.ron\"))))");
    let errors = errors(&source);
    let error = errors.iter().next().unwrap();
    assert_eq!((error.kind, error.file.as_str(), error.line), (ErrorKind::Cycle, "b.ron", 3));
    assert!(
        error.message.contains("level.ron:2 instances b.ron, b.ron:3 instances level.ron"),
        "{}",
        error.message
    );
    let own = Embedded::new().with("level.ron", "scene(entity(instance(\"level.ron\")))");
    assert_eq!(common::errors(&own).iter().next().unwrap().kind, ErrorKind::Cycle);
}

#[test]
fn a_path_in_ordinary_data_is_no_instance() {
    let (game, _) = level("scene(entity(Health(1)))");
    assert_eq!(game.entities.len(), 1);
    assert_eq!(error("scene(entity(Health(instance(\"rock.ron\"))))").kind, ErrorKind::WrongType);
}

#[test]
fn limits_count_files_and_entities_multiplied_out() {
    let chain = |length: usize| {
        let mut source = Embedded::new();
        for at in 0..length {
            let path = if at == 0 { "level.ron".to_owned() } else { format!("{at}.ron") };
            let text = if at + 1 == length {
                "scene(entity(Health(1)))".to_owned()
            } else {
                format!("scene(entity(instance(\"{}.ron\")))", at + 1)
            };
            source.insert(path, text);
        }
        source
    };
    let limits = Limits { files: 5, ..Limits::default() };
    assert!(limited(&chain(5), limits).is_ok());
    let error = limited(&chain(6), limits).unwrap_err();
    assert_eq!(error.iter().next().unwrap().kind, ErrorKind::TooManyFiles);

    let wide = format!("scene({})", "entity(instance(\"rock.ron\")),".repeat(1000));
    assert!(limited(&with_rock(&wide), Limits { files: 2, ..Limits::default() }).is_ok());

    // Each file instances the next twice: thirty files for a thousand million entities.
    let mut doubling = Embedded::new().with("30.ron", "scene(entity(Health(1)))");
    for at in 0..30 {
        let path = if at == 0 { "level.ron".to_owned() } else { format!("{at}.ron") };
        let next = at + 1;
        doubling.insert(
            path,
            format!("scene(entity(entity(\"a\", instance(\"{next}.ron\")), entity(\"b\", instance(\"{next}.ron\"))))"),
        );
    }
    let error = limited(&doubling, Limits::default()).unwrap_err();
    assert_eq!(error.iter().next().unwrap().kind, ErrorKind::TooManyEntities);
}

#[test]
fn entities_nest_to_their_own_limit_over_files_too() {
    let limits = Limits { entity_depth: 4, value_depth: 2, ..Limits::default() };
    let nested = |depth: usize| format!("scene({}{})", "entity(".repeat(depth), ")".repeat(depth));
    assert!(limited(&with_rock(&nested(4)), limits).is_ok());
    let error = limited(&with_rock(&nested(5)), limits).unwrap_err();
    assert_eq!(error.iter().next().unwrap().kind, ErrorKind::EntitiesTooDeep);
    let deep = "scene(entity(entity(entity(entity(instance(\"rock.ron\"))))))";
    let error = limited(&with_rock(deep), limits).unwrap_err();
    assert_eq!(error.iter().next().unwrap().kind, ErrorKind::EntitiesTooDeep);
}

#[test]
fn a_failed_load_changes_nothing_and_shows_all_errors() {
    let registry = registry();
    let mut game = Game::default();
    registry
        .load(&with_rock("scene(entity(\"a\", instance(\"rock.ron\")))"), "level.ron", &mut game)
        .unwrap();
    let before = game.clone();
    let bad = with_rock(
        "scene(\n entity(\"a\", Helth(1)),\n entity(\"b\", Health(true)),\n entity(\"c\", Aims(at: \"d\")),\n)",
    );
    let errors = registry.load(&bad, "level.ron", &mut game).unwrap_err();
    assert_eq!(game, before);
    let found: Vec<_> = errors.iter().map(|error| (error.kind, error.line, error.column)).collect();
    assert_eq!(
        found,
        [
            (ErrorKind::UnknownComponent, 2, 14),
            (ErrorKind::WrongType, 3, 21),
            (ErrorKind::UnknownName, 4, 23),
        ]
    );
    assert_eq!(errors.iter().next().unwrap().help.as_deref(), Some("did you mean `Health`?"));
    assert_eq!(errors.iter().next().unwrap().entity.as_deref(), Some("a"));
    // The next load hands out what it would have handed out.
    let mut twin = before.clone();
    let source = with_rock("scene(entity(\"x\"))");
    let (one, two) = (
        registry.load(&source, "level.ron", &mut game).unwrap().entity("x"),
        registry.load(&source, "level.ron", &mut twin).unwrap().entity("x"),
    );
    assert_eq!(one, two);
}

#[test]
fn a_faulty_base_is_shown_once_however_many_instances_show_it() {
    let source =
        Embedded::new().with("rock.ron", "scene(entity(\"rock\",\n  Glow(color: Red, pwer: 1.0)))").with(
            "level.ron",
            format!("scene({})", "entity(instance(\"rock.ron\"), Glow(color: Blue, power: 2.0)),".repeat(50)),
        );
    let errors = errors(&source);
    assert_eq!(errors.len(), 1, "{errors}");
    let error = errors.iter().next().unwrap();
    assert_eq!(
        (error.kind, error.file.as_str(), error.line, error.column),
        (ErrorKind::UnknownField, "rock.ron", 2, 20)
    );
    assert_eq!(error.help.as_deref(), Some("did you mean `power`?"));
    // Of many errors twenty are shown.
    let many = format!("scene({})", "entity(Health(a)),".repeat(90));
    let errors = common::errors(&with_rock(&many));
    assert_eq!(errors.len(), 20);
    assert!(errors.render().contains("and 70 more"));
}

#[test]
fn entities_are_never_numbers_and_never_in_buffers() {
    assert_eq!(error("scene(entity(Aims(at: 4294967296)))").kind, ErrorKind::RawEntity);
    assert_eq!(error("scene(entity(Links(map: {4294967296: 1})))").kind, ErrorKind::RawEntity);
    assert_eq!(error("scene(entity(Loose((target: 4294967296))))").kind, ErrorKind::BufferedEntity);
    assert_eq!(error("scene(entity(\"a\", Loose((target: \"a\"))))").kind, ErrorKind::Refused);
    assert_eq!(level("scene(entity(Loose(3)))").0.bodies.loose.iter().next().unwrap().1, &Loose::Number(3));
}

#[test]
fn a_name_that_fits_two_is_an_error_that_lists_both() {
    let two = r#"entity("l", entity("gun")), entity("r", entity("gun"))"#;
    let found = error(&format!("scene({two}, entity(Aims(at: \"gun\")))"));
    assert_eq!(found.kind, ErrorKind::AmbiguousName);
    assert!(found.message.contains("`l/gun`, `r/gun`"), "{}", found.message);
    let (game, level) = level(&format!("scene({two}, entity(\"x\", Aims(at: \"r/gun\")))"));
    let aims = game.get::<Aims>(level.entity("x").unwrap()).unwrap();
    assert_eq!(Some(aims.at), level.entity("r/gun"));
}

#[test]
fn a_removed_entity_that_is_still_named_is_an_error_at_the_name() {
    let source = Embedded::new()
        .with("rock.ron", "scene(entity(\"rock\",\n Aims(at: \"moon\"), entity(\"moon\")))")
        .with("level.ron", "scene(entity(\"r\", instance(\"rock.ron\"), remove(\"moon\")))");
    let errors = errors(&source);
    let error = errors.iter().next().unwrap();
    assert_eq!(
        (error.kind, error.file.as_str(), error.line, error.column),
        (ErrorKind::RemovedName, "rock.ron", 2, 11)
    );
    assert_eq!(error.entity.as_deref(), Some("r"));
}

#[test]
fn an_added_child_and_a_later_child_of_the_base_of_one_name_are_an_error() {
    let found = error("scene(entity(\"r\", instance(\"rock.ron\"),\n entity(\"moon\")))");
    assert_eq!((found.kind, found.line, found.column), (ErrorKind::DuplicateName, 2, 9));
    assert!(found.message.contains("rock.ron:7"), "{}", found.message);
}

#[test]
fn a_default_stands_under_everything() {
    let (game, _) = level("scene(entity(Collider()), entity(Collider(radius: 3)))");
    let found: Vec<_> =
        game.bodies.colliders.iter().map(|(_, collider)| (collider.radius, collider.solid)).collect();
    assert_eq!(found, [(1.0, true), (3.0, true)]);
}

#[test]
fn a_registry_is_empty_until_it_is_filled_and_refuses_clashes() {
    let mut registry = std_scene::Registry::<Game>::new();
    assert_eq!(registry.names().count(), 0);
    registry.add::<Health>("Health").unwrap().add::<Health>("Health").unwrap();
    let clash = registry.add::<Velocity>("Health").map(drop).unwrap_err();
    assert!(matches!(&clash, RegistryError::Clash { .. }), "{clash}");
    assert!(clash.to_string().contains("::Health`") && clash.to_string().contains("::Velocity`"), "{clash}");
    assert!(matches!(registry.add::<Health>("Life"), Err(RegistryError::SecondName { .. })));
    for name in ["health", "", "A-b", "1A", "Some"] {
        assert!(matches!(registry.add::<Velocity>(name), Err(RegistryError::BadName { .. })), "{name}");
    }
}

#[test]
fn an_inspector_sees_fields_and_adds_components_by_name() {
    use std_scene::Shape;
    let registry = registry();
    let f32s = |name| (name, Shape::Plain("f32"));
    assert_eq!(
        registry.describe("Transform"),
        Some(Shape::Struct(vec![
            ("position", Shape::Tuple(vec![Shape::Plain("f32"), Shape::Plain("f32")])),
            f32s("angle"),
        ]))
    );
    assert_eq!(registry.describe("Aims"), Some(Shape::Struct(vec![("at", Shape::Entity)])));
    assert_eq!(registry.describe("Mode"), Some(Shape::Enum(&["Free", "Chase", "Route"])));
    assert_eq!(registry.describe("Player"), Some(Shape::Unit));
    let mut game = Game::default();
    let entity = game.spawn();
    registry.attach_text(&mut game, entity, "Glow(color: Red, power: 2.0)").unwrap();
    registry.attach_text(&mut game, entity, "Collider(solid: false)").unwrap();
    assert_eq!(
        registry.text(&game, entity),
        ["Collider(radius: 1.0, solid: false)", "Glow(color: Red, power: 2.0)"]
    );
    assert!(registry.remove(&mut game, entity, "Glow") && !registry.has(&game, entity, "Glow"));
    let error = registry.attach_text(&mut game, entity, "Glow(color: Green)").unwrap_err();
    assert_eq!(error.iter().next().unwrap().kind, ErrorKind::UnknownVariant);
}

#[test]
fn an_edit_of_a_file_two_levels_below_is_seen_but_where_it_is_patched() {
    let source = |power: u32| {
        Embedded::new()
            .with("a.ron", format!("scene(entity(Glow(color: Red, power: {power}), Health(1)))"))
            .with("b.ron", "scene(entity(instance(\"a.ron\"), Glow(color: Blue)))")
            .with("level.ron", "scene(entity(\"c\", instance(\"b.ron\"), Health(3)))")
    };
    for power in [1_u16, 2] {
        let (game, level) = load(&source(u32::from(power))).unwrap();
        let found = game.get::<Glow>(level.entity("c").unwrap());
        assert_eq!(found, Some(&Glow { color: Color::Blue, power: f32::from(power) }));
    }
}

#[test]
fn a_name_that_the_base_gave_up_is_an_error_and_not_a_loss() {
    let level = r#"scene(entity("r", instance("rock.ron"),
        at("core", Health(1), entity("lamp"))),
        entity(Aims(at: "r/core")))"#;
    assert!(load(&with_rock(level)).is_ok());
    let renamed = with_rock(level).with("rock.ron", ROCK.replace("\"core\"", "\"kernel\""));
    let errors = errors(&renamed);
    let error = errors.iter().next().unwrap();
    assert_eq!((error.kind, error.file.as_str(), error.line), (ErrorKind::UnknownPath, "level.ron", 2));
    assert!(error.help.as_ref().unwrap().contains("`kernel`"), "{error}");
}

#[test]
fn a_scene_is_loaded_below_an_entity_and_goes_with_it() {
    let registry = registry();
    let mut game = Game::default();
    let scene = std_scene::Scene::read(
        &with_rock("scene(entity(\"a\"), entity(\"b\", instance(\"rock.ron\")))"),
        "level.ron",
        registry.limits(),
    )
    .unwrap();
    let anchor = game.spawn();
    let loaded = registry.instantiate_below(&scene, &mut game, anchor).unwrap();
    assert_eq!(game.hierarchy.children(anchor).collect::<Vec<_>>(), loaded.roots().collect::<Vec<_>>());
    assert_eq!(registry.save(&game, &loaded).unwrap(), scene.text());
    game.despawn(anchor);
    assert_eq!(game.entities.len(), 0);
    let before = game.clone();
    let errors = registry.instantiate_below(&scene, &mut game, anchor).map(drop).unwrap_err();
    assert_eq!((errors.iter().next().unwrap().kind, game), (ErrorKind::World, before));
}

#[test]
fn loading_twice_gives_two_scenes_that_share_nothing() {
    let registry = registry();
    let mut game = Game::default();
    let source = with_rock("scene(entity(\"r\", instance(\"rock.ron\")))");
    let [one, two] = [(); 2].map(|()| registry.load(&source, "level.ron", &mut game).unwrap());
    for loaded in [&one, &two] {
        let aims = game.get::<Aims>(loaded.entity("r/core").unwrap()).unwrap();
        assert_eq!(Some(aims.at), loaded.entity("r"));
    }
    game.get_mut::<Health>(one.entity("r").unwrap()).unwrap().0 = 5;
    assert_eq!(game.get::<Health>(two.entity("r").unwrap()), Some(&Health(20)));
    assert_eq!(registry.written(&game, &two, one.entity("r").unwrap()), ["Health"]);
}
