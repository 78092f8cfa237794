//! What can go wrong, in words for whoever started the program.

use std::io;
use std::path::PathBuf;

use std_rollback::{ReplayError, RollbackError};

/// Why the program ends early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}; see --help")]
    Usage(String),
    #[error("port {port} is in use: stop the program that has it, or pick another with --port")]
    PortInUse { port: u16 },
    #[error("the network: {0}")]
    Network(#[source] io::Error),
    #[error("peer {peer} could not be started: {source}")]
    Start { peer: usize, source: io::Error },
    #[error(
        "{other} is in a fight that began before this process did: wait for its end, or start all peers again"
    )]
    TooLate { other: String },
    #[error(
        "the other peers did not answer for {seconds} s: see whether they are running, and on which ports"
    )]
    NoAnswer { seconds: u64 },
    #[error("peer {peer} ended without a result")]
    NoResult { peer: usize },
    #[error("the peers do not agree: {0}")]
    Apart(String),
    #[error(transparent)]
    Rollback(#[from] RollbackError),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Replay { path: PathBuf, source: ReplayError },
}

impl Failure {
    /// The failure to take a port.
    pub(crate) fn of_port(port: u16, error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::AddrInUse { Self::PortInUse { port } } else { Self::Network(error) }
    }
}
