//! What can go wrong with a request. The page shows the message and the help.

use portolan::formats::FormatError;
use portolan::generate::GenerateError;
use portolan::{BuildError, EndpointError, UnknownEngine};

use crate::wire::FrameError;

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The bytes are not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A request that this version does not know. The page and the program are of one version, so
    /// the page was loaded from an older program.
    #[error("the request is not understood: {reason}")]
    Request {
        /// What is wrong with it.
        reason: String,
    },
    /// A dropped file cannot be read.
    #[error("{name}: {source}")]
    File {
        /// The name of the file.
        name: String,
        /// What its reader says.
        source: FormatError,
    },
    /// A dropped file is of no known format.
    #[error("{name} is not a map that the lab can read")]
    UnknownFormat {
        /// The name of the file.
        name: String,
    },
    /// The map of a link came from a file that the program does not have.
    #[error("this scene uses the file {name}, which this lab has not seen")]
    MissingFile {
        /// The name of the file.
        name: String,
    },
    /// A map cannot be generated with these settings.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A map that is not of the kind that a view needs.
    #[error("{0}")]
    WrongMap(String),
    /// Something exceeds the limits of the lab.
    #[error("{what} has {found}; the lab takes at most {most}")]
    TooLarge {
        /// What exceeds the limit.
        what: String,
        /// How large it is, with its unit.
        found: String,
        /// The limit, with its unit.
        most: String,
    },
    /// No engine has this name.
    #[error(transparent)]
    Engine(#[from] UnknownEngine),
    /// An engine cannot be built.
    #[error("{engine} cannot be built: {source}")]
    Build {
        /// The name of the engine.
        engine: String,
        /// Why.
        source: BuildError,
    },
    /// A query that cannot be answered.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// Something failed that is explained in full.
    #[error("{0}")]
    Failed(String),
    /// The page asked to stop, or is gone.
    #[error("cancelled")]
    Cancelled,
}

impl LabError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Request { .. } | Self::Frame(_) => {
                "Reload the page; it may come from an older version of the program.".into()
            }
            Self::File { source, .. } => source.remedy().into(),
            Self::UnknownFormat { .. } => {
                "Drop a MovingAI .map, a DIMACS .gr, a PNG picture, or a drawing of # and .".into()
            }
            Self::MissingFile { .. } => "Drop the file on the page again.".into(),
            Self::TooLarge { .. } => "Choose a smaller map, or use the command line.".into(),
            _ => return None,
        })
    }
}

/// A request with a value that makes no sense.
pub(crate) fn bad_request(reason: impl Into<String>) -> LabError {
    LabError::Request { reason: reason.into() }
}
