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
#[derive(Clone, Debug)]
pub(crate) enum Withheld {
    /// `World::lend` handed it to a closure.
    Lent,
    /// A schedule runs this system, which did not declare it.
    Undeclared {
        /// The name of the system.
        system: String,
    },
}

impl Guard {
    pub(crate) fn new(why: Withheld) -> Self {
        Self(Some(Arc::new(why)))
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Panics if the storage is withheld.
    #[inline]
    pub(crate) fn check(&self, key: fn() -> ComponentKey) {
        if let Some(why) = &self.0 {
            refuse(why, key());
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
        Withheld::Undeclared { system } => panic!(
            "system \"{system}\" touched {key}, which it did not declare: \
             add `.reads::<{name}>()` or `.writes::<{name}>()` to it"
        ),
    }
}
