//! What stands in the place of a column or a single that is withheld from whoever holds the world.

use triomphe::Arc;

use crate::key::ComponentKey;

/// Nothing, or why this storage must not be touched now.
///
/// Looked at only where a row was not found, which is always so in withheld storage, so that it costs
/// nothing where rows are found. It is not part of the value: it is not compared and not serialised.
#[derive(Clone, Debug, Default)]
pub struct Guard(Option<Arc<Withheld>>);

/// Who withholds storage, and from whom.
#[derive(Debug)]
pub(crate) enum Withheld {
    /// `World::lend` handed it to a closure.
    Lent,
    /// A schedule runs this system, which did not declare it.
    Undeclared(Undeclared),
}

/// What a system may not touch, and what to say when it does.
#[derive(Debug)]
pub(crate) struct Undeclared {
    /// The name of the system.
    pub(crate) system: String,
    /// The type and the path of each single and of all events in the world.
    pub(crate) parts: Vec<(ComponentKey, String)>,
    /// Whether it may spawn.
    pub(crate) spawns: bool,
    /// Whether it may ask how many entities are alive, and which.
    pub(crate) reads_entities: bool,
}

impl Guard {
    pub(crate) fn new(why: Withheld) -> Self {
        Self(Some(Arc::new(why)))
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// How many guards say this.
    pub(crate) fn count(&self) -> usize {
        self.0.as_ref().map_or(0, Arc::count)
    }

    /// Panics if the column is withheld.
    #[inline]
    pub(crate) fn check(&self, key: fn() -> ComponentKey) {
        if let Some(why) = &self.0 {
            refuse(why, key());
        }
    }

    /// Panics if the single, or the events, are withheld.
    #[inline]
    pub(crate) fn check_part(&self, key: fn() -> ComponentKey) {
        if let Some(why) = &self.0 {
            refuse_part(why, key());
        }
    }

    /// Panics if whoever holds the entities may not spawn.
    #[inline]
    pub(crate) fn check_spawn(&self) {
        if let Some(Withheld::Undeclared(Undeclared { spawns: false, system, .. })) = self.0.as_deref() {
            panic!("system \"{system}\" spawned an entity, which it did not declare: add `.spawns()` to it");
        }
    }

    /// Panics if whoever holds the entities may not end one.
    #[inline]
    pub(crate) fn check_despawn(&self) {
        if let Some(Withheld::Undeclared(Undeclared { system, .. })) = self.0.as_deref() {
            panic!(
                "system \"{system}\" despawned entities, which it did not declare: add `.despawns()` to it"
            );
        }
    }

    /// Panics if whoever holds the entities may not ask who they are. Who is alive may always be asked.
    #[inline]
    pub(crate) fn check_entities(&self) {
        if let Some(Withheld::Undeclared(undeclared)) = self.0.as_deref() {
            let Undeclared { system, spawns, reads_entities, .. } = undeclared;
            assert!(
                *spawns || *reads_entities,
                "system \"{system}\" counted or listed the entities, which it did not declare: \
                 add `.reads_entities()` to it"
            );
        }
    }
}

#[cold]
#[inline(never)]
fn refuse(why: &Withheld, key: ComponentKey) -> ! {
    let name = key.short_name();
    match why {
        Withheld::Lent => {
            panic!("the column of {key} is lent out: use the column that the closure was given")
        }
        Withheld::Undeclared(Undeclared { system, .. }) => panic!(
            "system \"{system}\" touched {key}, which it did not declare: \
             add `.reads::<{name}>()` or `.writes::<{name}>()` to it"
        ),
    }
}

#[cold]
#[inline(never)]
fn refuse_part(why: &Withheld, key: ComponentKey) -> ! {
    match why {
        Withheld::Lent => panic!("{key} is lent out: use what the closure was given"),
        Withheld::Undeclared(Undeclared { system, parts, .. }) => {
            let paths: Vec<&str> =
                parts.iter().filter(|(part, _)| *part == key).map(|(_, path)| path.as_str()).collect();
            let path = paths.first().copied().unwrap_or("path.to.it");
            panic!(
                "system \"{system}\" touched {key} ({}), which it did not declare: \
                 add `.reads_part(|world| &mut world.{path})` or `.writes_part(|world| &mut world.{path})` to it",
                paths.join(" or "),
            )
        }
    }
}
