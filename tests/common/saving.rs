//! Saving and loading through a text format, a format of maps, and one that does not describe itself.

#[cfg(feature = "serde")]
use serde::{Serialize, de::DeserializeOwned};

/// The value as it comes back from RON, then from JSON, then from postcard.
#[cfg(feature = "serde")]
pub(crate) fn reload<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let value: T = from_ron(&to_ron(value)).expect("what was written as RON can be read");
    let value: T = from_json(&to_json(&value)).expect("what was written as JSON can be read");
    from_postcard(&to_postcard(&value)).expect("what was written by postcard can be read")
}

/// Without formats, a clone is what comes nearest.
#[cfg(not(feature = "serde"))]
pub(crate) fn reload<T: Clone>(value: &T) -> T {
    value.clone()
}

#[cfg(feature = "serde")]
pub(crate) fn to_ron<T: Serialize>(value: &T) -> String {
    ron::to_string(value).expect("RON can say it")
}

#[cfg(feature = "serde")]
pub(crate) fn from_ron<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    ron::from_str(text).map_err(|error| error.to_string())
}

#[cfg(feature = "serde")]
pub(crate) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("JSON can say it")
}

#[cfg(feature = "serde")]
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[cfg(feature = "serde")]
pub(crate) fn to_postcard<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("postcard can say it")
}

#[cfg(feature = "serde")]
pub(crate) fn from_postcard<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|error| error.to_string())
}
