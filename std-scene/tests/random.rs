//! Random scenes: names, nesting, instances, patches, references and every shape of component, loaded, changed,
//! saved and loaded again.

mod common;

use std::collections::BTreeMap;

use common::*;
use proptest::prelude::*;
use std_ecs::{Columns, Entity, Parent, Store, World};
use std_scene::{Embedded, Loaded};

/// One step in the making of a file: numbers that are read as what fits there.
type Step = (u8, u8, u8, u8);

/// Builds a file with a root, from steps. `inner` are the files that it may instance, with the paths they have.
fn file(steps: &[Step], inner: &[(String, Vec<String>)]) -> (String, Vec<String>) {
    /// An entity that is written: its parent, and its items.
    struct Made {
        parent: Option<usize>,
        name: String,
        path: String,
        items: Vec<String>,
        instance: Option<usize>,
        has: Vec<u8>,
        patched: Vec<(String, u8)>,
    }
    let made = |parent: Option<&Made>, at: Option<usize>, name: String| Made {
        parent: at,
        path: parent.map_or_else(|| name.clone(), |parent| format!("{}/{name}", parent.path)),
        name,
        items: Vec::new(),
        instance: None,
        has: Vec::new(),
        patched: Vec::new(),
    };
    // Names of one file are those of no other, so that nothing collides.
    let tag = ["a", "b", "c"][inner.len()];
    let mut all = vec![made(None, None, "root".to_owned())];
    for &(what, whom, number, more) in steps {
        let at = usize::from(whom) % all.len();
        let target = all[usize::from(more) % all.len()].name.clone();
        match what % 10 {
            0 | 1 => {
                let name = format!("{tag}e{}", all.len());
                let child = made(Some(&all[at]), Some(at), name);
                all.push(child);
            }
            2 if !inner.is_empty() => {
                let name = format!("{tag}i{}", all.len());
                let mut child = made(Some(&all[at]), Some(at), name);
                let which = usize::from(number) % inner.len();
                child.instance = Some(which);
                child.has = vec![0, 1, 2, 3, 4, 5, 6];
                all.push(child);
            }
            3 => {
                let Made { instance: Some(which), .. } = all[at] else { continue };
                let paths = &inner[which].1;
                let Some(path) = paths.get(usize::from(number) % paths.len().max(1)) else { continue };
                if all[at].patched.iter().any(|(known, _)| known == path) {
                    continue;
                }
                all[at].patched.push((path.clone(), 0));
                let item = match more % 3 {
                    0 => format!("at(\"{path}\", Glow(color: Blue, power: {number}.5), Player)"),
                    1 => format!(
                        "at(\"{path}\", entity(\"{tag}n{number}\", Aims(at: \"{target}\")), Health({number}))"
                    ),
                    _ => format!("at(\"{path}\", Mode(Route([\"{target}\"])))"),
                };
                all[at].items.push(item);
            }
            kind => {
                let component = kind % 7;
                if all[at].has.contains(&component) {
                    continue;
                }
                all[at].has.push(component);
                let text = match component {
                    0 => format!("Transform(position: ({number}.5, -{more}.25))"),
                    1 => format!("Health(-{number}) /* {more} */"),
                    2 => format!("Aims( at: \"{target}\" )"),
                    3 => format!("Mode(Chase(distance: {number}e-3, prey: Some(\"{target}\")))"),
                    4 => format!("Links(list: [\"{target}\", \"root\"], map: {{\"{target}\": {number}}})"),
                    5 => format!("Glow(power: {number}, color: Red)"),
                    _ => "Player".to_owned(),
                };
                all[at].items.push(text);
            }
        }
    }
    let mut paths = Vec::new();
    let mut children: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for at in (0..all.len()).rev() {
        let Made { parent, name, path, items, instance, .. } = &all[at];
        if let Some(inside) = path.strip_prefix("root/") {
            paths.push(inside.to_owned());
        }
        let mut parts = vec![format!("\"{name}\"")];
        parts.extend(instance.map(|which| format!("instance(\"{}\")", inner[which].0)));
        parts.extend(items.iter().cloned());
        parts.extend(children.remove(&at).unwrap_or_default().into_iter().rev());
        let text = format!("entity({})", parts.join(if at % 2 == 0 { ",\n  " } else { ", " }));
        if let Some(parent) = parent {
            children.entry(*parent).or_default().push(text);
        } else {
            return (format!("// made\nscene({text})\n"), paths);
        }
    }
    unreachable!("the first entity is the root")
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec(any::<Step>(), 0..25)
}

/// Three files, each of which may instance those before it.
fn sources() -> impl Strategy<Value = Embedded> {
    (steps(), steps(), steps()).prop_map(|(a, b, c)| {
        let mut known = Vec::new();
        let mut source = Embedded::new();
        for (name, steps) in [("a.ron", a), ("b.ron", b), ("level.ron", c)] {
            let (text, paths) = file(&steps, &known);
            source.insert(name, text);
            known.push((name.to_owned(), paths));
        }
        source
    })
}

/// What a world holds, by paths.
fn content(game: &Game, loaded: &Loaded) -> BTreeMap<String, String> {
    let paths: BTreeMap<Entity, String> =
        loaded.entities().map(|entity| (entity, loaded.path(entity).unwrap())).collect();
    let registry = registry();
    paths
        .iter()
        .filter(|(entity, _)| game.is_alive(**entity))
        .map(|(&entity, path)| {
            let mut text = registry.text(game, entity).join("; ");
            for (entity, path) in &paths {
                text = text.replace(&entity.to_bits().to_string(), path);
            }
            let parent = game.get::<Parent>(entity).map(|parent| paths.get(&parent.entity()).cloned());
            (path.clone(), format!("{parent:?} {text}"))
        })
        .collect()
}

fn with_level(source: &Embedded, text: &str) -> Embedded {
    source.clone().with("level.ron", text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_random_scene_is_loaded_and_saved_to_the_byte(source in sources()) {
        let (game, loaded) = load(&source).unwrap_or_else(|errors| panic!("{}\n{source:?}", errors.render()));
        prop_assert!(game.check().is_ok());
        prop_assert_eq!(registry().save(&game, &loaded).unwrap(), loaded.scene().text());
        let (again, _) = load(&source).unwrap();
        prop_assert_eq!(&again, &game);
    }

    #[test]
    fn a_changed_scene_is_saved_and_loaded_again(source in sources(), deeds in proptest::collection::vec(any::<(u8, u8, u8)>(), 0..12)) {
        let (mut game, mut loaded) = load(&source).unwrap();
        for (deed, whom, number) in deeds {
            let alive: Vec<Entity> = loaded.entities().filter(|&entity| game.is_alive(entity)).collect();
            let entity = alive[usize::from(whom) % alive.len()];
            match deed % 7 {
                0 => { if let Some(glow) = game.get_mut::<Glow>(entity) { glow.power = f32::from(number); } }
                1 => { if let Some(place) = game.get_mut::<Transform>(entity) { place.angle += 1.0; } }
                2 => { game.attach(entity, Health(i32::from(number))); }
                3 => { game.remove::<Player>(entity); game.remove::<Health>(entity); }
                4 => { if let Some(Mode::Chase { prey, .. }) = game.get_mut::<Mode>(entity) { *prey = None; } }
                5 => { game.attach(entity, Links { list: vec![entity], map: BTreeMap::new(), maybe: None }); }
                _ => {
                    let child = game.spawn_with((Parent::of(entity), Velocity(0.5, f32::from(number))));
                    loaded.name(child, format!("new-{}", child.index()));
                }
            }
        }
        let text = registry().save(&game, &loaded).unwrap_or_else(|errors| panic!("{errors}\n{source:?}"));
        let (again, read) = load(&with_level(&source, &text)).unwrap();
        let (was, is) = (content(&game, &loaded), content(&again, &read));
        for (path, text) in &was {
            prop_assert_eq!(Some(text), is.get(path), "{}", path);
        }
        prop_assert_eq!(again.entities.len(), game.entities.len());
        prop_assert_eq!(again.bodies.velocities.len(), game.bodies.velocities.len());
        prop_assert_eq!(registry().save(&again, &read).unwrap(), text);
    }

    #[test]
    fn formatting_changes_nothing_of_a_scene(source in sources()) {
        let (game, loaded) = load(&source).unwrap();
        let text = std_scene::format_scene("level.ron", loaded.scene().text(), &std_scene::Limits::default()).unwrap();
        let (again, _) = load(&with_level(&source, &text)).unwrap();
        prop_assert_eq!(again, game);
    }
}
