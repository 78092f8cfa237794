//! Where the texts of scenes come from.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Why a source has no text under a path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is no such file.
    #[error("there is no file `{path}`")]
    NotFound {
        /// The path asked for.
        path: String,
        /// The files that there are, as far as the source knows.
        known: Vec<String>,
    },
    /// The path leads out of the folder, or is no plain relative path.
    #[error("`{path}` leads out of the folder of the scenes: {reason}")]
    OutsideRoot {
        /// The path asked for.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file has more bytes than allowed.
    #[error("`{path}` has {found} bytes, and {limit} are allowed")]
    TooLong {
        /// The path asked for.
        path: String,
        /// How many it has.
        found: u64,
        /// How many it may have.
        limit: usize,
    },
    /// The bytes are not UTF-8.
    #[error("`{path}` is not UTF-8 text")]
    NotUtf8 {
        /// The path asked for.
        path: String,
    },
    /// The file cannot be read.
    #[error("`{path}` cannot be read: {error}")]
    Io {
        /// The path asked for.
        path: String,
        /// What the system says.
        error: io::Error,
    },
}

/// Where the texts of scenes come from: a [`Folder`], or [`Embedded`] text.
///
/// Paths are relative, with `/` in between, and mean the same from every file.
pub trait SceneSource {
    /// The text of a file that has at most so many bytes.
    ///
    /// # Errors
    ///
    /// A [`SourceError`] that says why there is none.
    fn read(&self, path: &str, limit: usize) -> Result<String, SourceError>;
}

/// What is wrong with a path, if it is not plain: names with `/` in between.
fn plain(path: &str) -> Result<(), SourceError> {
    let refuse = |reason| Err(SourceError::OutsideRoot { path: path.to_owned(), reason });
    if path.is_empty() {
        return refuse("it is empty");
    }
    if path.contains(['\\', '\0', ':']) {
        return refuse("write `/` between names, and no `\\`, `:` or zero byte");
    }
    if path.starts_with('/') {
        return refuse("it is absolute");
    }
    for name in path.split('/') {
        match name {
            ".." => return refuse("`..` is not allowed"),
            "" | "." => return refuse("it has an empty name or `.` in it"),
            _ => {}
        }
    }
    Ok(())
}

/// A folder of scene files. No path leads out of it: neither `..`, nor an absolute path, nor a link. Names
/// have the letter case of the files, also where the file system does not care.
///
/// ```no_run
/// use std_scene::{Folder, SceneSource};
///
/// let scenes = Folder::new("examples/ecs-starter/scenes");
/// let text = scenes.read("level.ron", 1 << 20)?;
/// assert!(scenes.read("../Cargo.toml", 1 << 20).is_err());
/// # Ok::<(), std_scene::SourceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The files below a folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a file that may be written lies, if the path does not leave the folder.
    fn locate(&self, path: &str) -> Result<PathBuf, SourceError> {
        plain(path)?;
        let io = |error: io::Error| SourceError::Io { path: path.to_owned(), error };
        let mut at = if self.root.as_os_str().is_empty() { PathBuf::from(".") } else { self.root.clone() };
        for component in Path::new(path).components() {
            let Component::Normal(name) = component else {
                return Err(SourceError::OutsideRoot { path: path.to_owned(), reason: "it is not plain" });
            };
            // The listing tells the true letter case, which opening the file would not.
            let mut known = Vec::new();
            for entry in std::fs::read_dir(&at).map_err(io)? {
                known.push(entry.map_err(io)?.file_name());
            }
            if !known.iter().any(|found| found == name) {
                let mut known: Vec<String> =
                    known.into_iter().map(|name| name.to_string_lossy().into_owned()).collect();
                known.sort();
                return Err(SourceError::NotFound { path: path.to_owned(), known });
            }
            at.push(name);
            if std::fs::symlink_metadata(&at).map_err(io)?.file_type().is_symlink() {
                let root = self.root.canonicalize().map_err(io)?;
                if !at.canonicalize().map_err(io)?.starts_with(root) {
                    return Err(SourceError::OutsideRoot {
                        path: path.to_owned(),
                        reason: "a link in it leads out of the folder",
                    });
                }
            }
        }
        Ok(at)
    }
}

impl SceneSource for Folder {
    fn read(&self, path: &str, limit: usize) -> Result<String, SourceError> {
        let file = self.locate(path)?;
        let io = |error: io::Error| SourceError::Io { path: path.to_owned(), error };
        let metadata = std::fs::metadata(&file).map_err(io)?;
        if metadata.len() > limit as u64 {
            return Err(SourceError::TooLong { path: path.to_owned(), found: metadata.len(), limit });
        }
        let bytes = std::fs::read(&file).map_err(io)?;
        String::from_utf8(bytes).map_err(|_| SourceError::NotUtf8 { path: path.to_owned() })
    }
}

/// Texts that are part of the program, or made by it.
///
/// ```
/// use std_scene::{Embedded, SceneSource};
///
/// let scenes = Embedded::new().with("rock.ron", "scene(entity(\"rock\"))");
/// assert_eq!(scenes.read("rock.ron", 100)?, "scene(entity(\"rock\"))");
/// # Ok::<(), std_scene::SourceError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Embedded {
    files: BTreeMap<String, String>,
}

impl Embedded {
    /// No texts yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more text, in the place of one that had this path.
    pub fn with(mut self, path: impl Into<String>, text: impl Into<String>) -> Self {
        self.insert(path, text);
        self
    }

    /// Adds a text, or puts another in its place.
    pub fn insert(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.files.insert(path.into(), text.into());
    }
}

impl SceneSource for Embedded {
    fn read(&self, path: &str, limit: usize) -> Result<String, SourceError> {
        plain(path)?;
        let Some(text) = self.files.get(path) else {
            let known = self.files.keys().cloned().collect();
            return Err(SourceError::NotFound { path: path.to_owned(), known });
        };
        if text.len() > limit {
            return Err(SourceError::TooLong { path: path.to_owned(), found: text.len() as u64, limit });
        }
        Ok(text.clone())
    }
}
