//! One error type for programs that do not distinguish errors.

use std::path::PathBuf;

use crate::atlas::{InvalidIndex, ReweighError};
use crate::build::{BuildError, ThreadError, Unsupported};
use crate::changes::ChangeError;
use crate::formats::{FormatError, MapFileError};
use crate::generate::GenerateError;
use crate::graph::GraphError;
use crate::grid::{AgentError, GridError};
use crate::heuristic::NotABound;
use crate::map::{EndpointError, IllegalPath};
use crate::partition::PartitionError;
use crate::registry::UnknownEngine;
use crate::store::{OpenError, Unstorable, WriteError};
use crate::world::WorldError;

/// Anything that can go wrong in this library. Every specific error converts into it with `?`.
///
/// ```
/// use portolan::prelude::*;
/// fn first_step(drawing: &str) -> Result<Option<Cell>, portolan::Error> {
///     let grid: Grid = drawing.parse()?;
///     let mut finder = PathFinder::new(&grid)?;
///     Ok(finder.find((0, 0), (2, 0))?.and_then(|path| path.cells().nth(1)))
/// }
/// assert_eq!(first_step("...")?, Some(Cell::new(1, 0)));
/// let error = first_step("..").unwrap_err();
/// assert!(error.to_string().starts_with("cell 2,0 is not on the map"));
/// # Ok::<(), portolan::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A grid cannot be made or changed.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A graph cannot be made.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// There can be no map for units of this size.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A map or queries cannot be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A file or a drawing cannot be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A map file cannot be opened.
    #[error(transparent)]
    MapFile(#[from] MapFileError),
    /// A request for a path has no answer.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// A sequence of cells or nodes is not a path.
    #[error(transparent)]
    Path(#[from] IllegalPath),
    /// A geometric bound is not admissible on this map.
    #[error(transparent)]
    Bound(#[from] NotABound),
    /// An engine cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// No engine has this name.
    #[error(transparent)]
    UnknownEngine(#[from] UnknownEngine),
    /// A map cannot be edited.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// An operation on a world failed.
    #[error(transparent)]
    World(#[from] WorldError),
    /// An engine cannot be stored in an index file.
    #[error(transparent)]
    Unstorable(#[from] Unstorable),
    /// An index file cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An index is damaged; see [`Atlas::validate`](crate::atlas::Atlas::validate).
    #[error(transparent)]
    Damaged(#[from] InvalidIndex),
    /// An index cannot take the weights of another map.
    #[error(transparent)]
    Reweigh(#[from] ReweighError),
    /// An index file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Threads cannot be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// A finder cannot be opened from this index file.
    #[error("{}: {source}", path.display())]
    OpenFile {
        /// The file.
        path: PathBuf,
        /// Its error.
        source: OpenError,
    },
    /// A finder cannot be saved as this index file.
    #[error("{}: {source}", path.display())]
    SaveFile {
        /// The file.
        path: PathBuf,
        /// The error.
        source: WriteError,
    },
}

impl From<Unsupported> for Error {
    fn from(error: Unsupported) -> Self {
        BuildError::from(error).into()
    }
}

impl From<PartitionError> for Error {
    fn from(error: PartitionError) -> Self {
        BuildError::from(error).into()
    }
}
