//! The serialised form of a hierarchy: the column of parents, exact. The links are made anew.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::{Hierarchy, Parent};
use crate::column::Column;

impl Serialize for Hierarchy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Hierarchy", 1)?;
        out.serialize_field("parents", &self.parents)?;
        out.end()
    }
}

impl<'de> Deserialize<'de> for Hierarchy {
    /// Refuses a cycle, two siblings with one order number, and two generations of one index.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "Hierarchy", deny_unknown_fields)]
        struct Form {
            parents: Column<Parent>,
        }
        let Form { parents } = Form::deserialize(deserializer)?;
        Self::from_parents(parents).map_err(|error| D::Error::custom(format_args!("hierarchy: {error}")))
    }
}
