//! World files: a whole world, exactly, for saved games and reports of bugs.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use std_ecs::{CheckError, World};
use xxhash_rust::xxh3::xxh3_128;

/// How a world file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WorldFormat {
    /// Text that people can read and tools can compare.
    Ron,
    /// Few bytes, read and written fast.
    Postcard,
}

impl WorldFormat {
    const fn name(self) -> &'static str {
        match self {
            Self::Ron => "ron",
            Self::Postcard => "postcard",
        }
    }
}

/// The version of the header and of what stands behind it.
const VERSION: &str = "1";

/// The first word of every world file.
const MAGIC: &str = "std-ecs-world";

/// Headers are shorter than this.
const LONGEST_HEADER: usize = 128;

/// Why a world file cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldFileError {
    /// The bytes do not start as those of a world file do.
    #[error("this is no world file: it does not start with `{MAGIC}`")]
    Foreign,
    /// The file is of another version, or of a format that this program does not know.
    #[error(
        "the world file is of version {version} in format {format}, and this program reads version {VERSION} in ron and postcard"
    )]
    Version {
        /// Its version.
        version: String,
        /// Its format.
        format: String,
    },
    /// The file ends too early, or goes on too long.
    #[error(
        "the world file should have {wanted} bytes behind its first line, and has {found}: it was cut off, or something was added"
    )]
    Length {
        /// How many its header promises.
        wanted: u64,
        /// How many there are.
        found: u64,
    },
    /// The bytes are not those that were written.
    #[error("the world file has been changed or damaged: its checksum does not fit its content")]
    Checksum,
    /// The bytes are what was written, but of another type of world.
    #[error("the world file does not hold a world of this program: {message}")]
    Decode {
        /// What does not fit.
        message: String,
    },
    /// The world cannot be written.
    #[error("the world cannot be written: {message}")]
    Encode {
        /// What cannot be written.
        message: String,
    },
    /// The world that was read is not consistent.
    #[error("the world file holds a world that is not consistent: {0}")]
    Inconsistent(#[from] CheckError),
    /// The file cannot be read or written.
    #[error("`{path}`: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// A world as the bytes of a world file: a first line with version, format, checksum and length, and then the
/// world.
///
/// # Errors
///
/// [`WorldFileError::Encode`] if something in the world cannot be serialised.
pub fn world_to_bytes<W: Serialize>(world: &W, format: WorldFormat) -> Result<Vec<u8>, WorldFileError> {
    let encode = |message: String| WorldFileError::Encode { message };
    let body = match format {
        WorldFormat::Ron => {
            let style = ron::ser::PrettyConfig::new().new_line("\n").depth_limit(4);
            let mut text =
                ron::ser::to_string_pretty(world, style).map_err(|error| encode(error.to_string()))?;
            text.push('\n');
            text.into_bytes()
        }
        WorldFormat::Postcard => postcard::to_stdvec(world).map_err(|error| encode(error.to_string()))?,
    };
    let header = format!("{MAGIC} {VERSION} {} {:032x} {}\n", format.name(), xxh3_128(&body), body.len());
    let mut bytes = header.into_bytes();
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

/// The world in the bytes of a world file, of either format.
///
/// # Errors
///
/// [`WorldFileError`] if the bytes are foreign, cut off, changed, of another type of world, or hold a world
/// that is not consistent.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use std_ecs::{Entities, Hierarchy, World};
/// use std_scene::{WorldFormat, world_from_bytes, world_to_bytes};
///
/// #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, World)]
/// struct Game {
///     entities: Entities,
///     hierarchy: Hierarchy,
/// }
///
/// let mut game = Game::default();
/// game.spawn();
/// for format in [WorldFormat::Ron, WorldFormat::Postcard] {
///     let bytes = world_to_bytes(&game, format)?;
///     assert_eq!(world_from_bytes::<Game>(&bytes)?, game);
///     assert!(world_from_bytes::<Game>(&bytes[..bytes.len() - 1]).is_err());
/// }
/// # Ok::<(), std_scene::WorldFileError>(())
/// ```
pub fn world_from_bytes<W: World + DeserializeOwned>(bytes: &[u8]) -> Result<W, WorldFileError> {
    let line_end = bytes.iter().take(LONGEST_HEADER).position(|&byte| byte == b'\n');
    let header = line_end.and_then(|end| std::str::from_utf8(&bytes[..end]).ok());
    let Some((header, end)) = header.zip(line_end) else { return Err(WorldFileError::Foreign) };
    let words: Vec<&str> = header.split(' ').collect();
    let [MAGIC, version, format, checksum, length] = words[..] else { return Err(WorldFileError::Foreign) };
    let format = match (version, format) {
        (VERSION, "ron") => WorldFormat::Ron,
        (VERSION, "postcard") => WorldFormat::Postcard,
        _ => {
            let (version, format) = (version.to_owned(), format.to_owned());
            return Err(WorldFileError::Version { version, format });
        }
    };
    let body = &bytes[end + 1..];
    let wanted = length.parse().map_err(|_| WorldFileError::Foreign)?;
    if body.len() as u64 != wanted {
        return Err(WorldFileError::Length { wanted, found: body.len() as u64 });
    }
    if u128::from_str_radix(checksum, 16) != Ok(xxh3_128(body)) {
        return Err(WorldFileError::Checksum);
    }
    let decode = |message: String| WorldFileError::Decode { message };
    let world: W = match format {
        WorldFormat::Ron => ron::de::from_bytes(body).map_err(|error| decode(error.to_string()))?,
        WorldFormat::Postcard => {
            let (world, rest) = postcard::take_from_bytes(body).map_err(|error| decode(error.to_string()))?;
            if !rest.is_empty() {
                return Err(decode(format!("{} bytes are left over", rest.len())));
            }
            world
        }
    };
    world.check()?;
    Ok(world)
}

/// Writes a world file. A crash leaves the old file or the new one, never a part.
///
/// # Errors
///
/// [`WorldFileError`] if the world cannot be serialised or the file not be written; an old file is as it was.
pub fn save_world<W: Serialize>(
    world: &W,
    path: impl AsRef<Path>,
    format: WorldFormat,
) -> Result<(), WorldFileError> {
    let path = path.as_ref();
    let bytes = world_to_bytes(world, format)?;
    write_whole(path, &bytes).map_err(|error| WorldFileError::Io { path: path.to_owned(), error })
}

/// Reads a world file. Behaviours are asleep: call [`Registry::revive`](crate::Registry::revive).
///
/// # Errors
///
/// [`WorldFileError`] if the file cannot be read, or as [`world_from_bytes`].
pub fn load_world<W: World + DeserializeOwned>(path: impl AsRef<Path>) -> Result<W, WorldFileError> {
    let path = path.as_ref();
    let bytes = fs::read(path).map_err(|error| WorldFileError::Io { path: path.to_owned(), error })?;
    world_from_bytes(&bytes)
}

/// Writes beside the file, and renames when all is on the disk.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".writing");
    let beside = path.with_file_name(name);
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        // The name is on the disk only when the folder is; not every system can say so.
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty())
            && let Ok(folder) = File::open(folder)
        {
            let _ = folder.sync_all();
        }
        Ok(())
    };
    let result = write();
    if result.is_err() {
        let _ = fs::remove_file(&beside);
    }
    result
}

/// Writes a text, such as that of a saved scene. A crash leaves the old file or the new one, never a part.
///
/// # Errors
///
/// What the system says; an old file is as it was then.
pub fn write_text(path: impl AsRef<Path>, text: &str) -> io::Result<()> {
    write_whole(path.as_ref(), text.as_bytes())
}
