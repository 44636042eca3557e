//! What can go wrong while measuring, and what to do about it.

use std::path::PathBuf;
use std::{fmt, io};

use portolan::changes::ChangeError;
use portolan::formats::FormatError;
use portolan::generate::GenerateError;
use portolan::registry::Method;
use portolan::{BuildError, GraphError, METHODS, Settings, Unsupported};
#[cfg(feature = "gpu")]
use portolan_gpu::{GpuError, GpuLimit};

use crate::text::grouped;
use crate::workload::Source;

/// Why something cannot be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages explain the variants and their fields")]
pub enum Error {
    #[error("there is no file `{}`", path.display())]
    Missing { path: PathBuf },
    #[error("`{}` is a folder, not a file", path.display())]
    Folder { path: PathBuf },
    #[error("`{}` is neither a file nor a pipe", path.display())]
    NotAFile { path: PathBuf },
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}`{}: {}", path.display(), InFile(error), error.problem)]
    Format { path: PathBuf, error: FormatError },
    #[error("`{}` does not match this graph: {error}", path.display())]
    Coordinates { path: PathBuf, error: GraphError },
    #[error("`{}` has no coordinates, so {consequence}", path.display())]
    NoCoordinates { path: PathBuf, consequence: String, beside: Option<PathBuf> },
    #[error("there is no engine `{name}`")]
    UnknownEngine { name: String, help: String },
    #[error("`{engine}` answers batches on the GPU, and this command asks one query at a time")]
    BatchesOnly { engine: &'static str },
    #[error("{what} needs a GPU, and this program was built without the feature `gpu`")]
    WithoutGpu { what: String },
    #[cfg(feature = "gpu")]
    #[error("{}{}", engine.map_or(String::new(), |engine| format!("`{engine}`: ")), OnGpu(error))]
    Gpu { engine: Option<&'static str>, error: GpuError },
    #[error("{0}")]
    Unsupported(Unsupported),
    #[error("no engine supports this map with these options")]
    NoEngine,
    #[error("`{engine}` cannot be built: {error}")]
    Build { engine: &'static str, error: BuildError },
    #[error("`{engine}` cannot be saved in an index file: {reason}")]
    Unstorable { engine: &'static str, reason: String },
    #[error("{reason}")]
    Refused { reason: String },
    #[error("`{engine}` could not follow edit {edit}: {reason}")]
    LeftBehind { engine: &'static str, edit: usize, reason: String },
    #[error("an edit failed: {0}")]
    Edit(#[from] ChangeError),
    #[error("`{}` has no edge, so there is no weight to edit", path.display())]
    NothingToEdit { path: PathBuf },
    #[error("{0}")]
    Generate(GenerateError),
    #[error("there is no query to run: {}", NoQuery(of, invalid))]
    NoQuery { of: Source, invalid: Vec<String> },
    #[error("`{}` is for {wanted}, and the map is a {found}", path.display())]
    WrongScenario { path: PathBuf, wanted: &'static str, found: &'static str },
    #[error(
        "query {query} of `{}` is for a map of {} x {} cells, and this one has {} x {}",
        path.display(), found.0, found.1, expected.0, expected.1
    )]
    ScenarioSize { path: PathBuf, query: usize, found: (u32, u32), expected: (u32, u32) },
    #[error("`{}` is a dynamic scenario, of version 2, whose map changes", path.display())]
    DynamicScenario { path: PathBuf },
    #[error("`{}` is a scenario of version 1, whose map stays as it is", path.display())]
    StaticScenario { path: PathBuf },
    #[error(
        "`{}` names its patches `{name}`, which is not the name of a file beside it",
        path.display()
    )]
    PatchesElsewhere { path: PathBuf, name: String },
    #[error(
        "command {command} of `{}` stamps patch {patch}, and there are {patches} of them",
        path.display()
    )]
    NoSuchPatch { path: PathBuf, command: usize, patch: u32, patches: usize },
    #[error(
        "command {command} of `{}` stamps a patch at {},{}, outside the map of {} x {} cells",
        path.display(), at.0, at.1, size.0, size.1
    )]
    StampOutside { path: PathBuf, command: usize, at: (u32, u32), size: (u32, u32) },
    #[error("cannot draw a picture: {0}")]
    Picture(io::Error),
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Whether an index does not fit into its memory limit.
    pub fn is_memory_limit(&self) -> bool {
        matches!(self, Self::Build { error: BuildError::MemoryLimit { .. }, .. })
    }

    /// What is wrong, for lines that begin with the engine.
    pub fn without_engine(&self) -> String {
        match self {
            Self::Build { error, .. } => error.to_string(),
            other => other.to_string(),
        }
    }

    /// What to do about it, in terms of the options of the program `portolan`.
    pub fn help(&self) -> String {
        match self {
            Self::Missing { .. } => "check the spelling and the folder".into(),
            Self::Cancelled => "start it again".into(),
            Self::Folder { .. } => "name a file inside it".into(),
            Self::NotAFile { .. } => "save its output to a file first".into(),
            Self::Read { .. } => "check its permissions".into(),
            Self::Format { error, .. } => error.remedy().into(),
            Self::Coordinates { .. } => "give the .co file that came with the .gr file".into(),
            Self::NoCoordinates { beside: Some(file), .. } => {
                format!("add --coordinates {}", file.display())
            }
            Self::NoCoordinates { .. } => "add --coordinates FILE.co".into(),
            Self::UnknownEngine { help, .. } => help.clone(),
            Self::BatchesOnly { .. } => {
                "`portolan verify` and `portolan bench` take it; here, name an engine of the CPU"
                    .into()
            }
            Self::WithoutGpu { .. } => {
                "build it with the feature: cargo install --locked --path crates/portolan-cli \
                 --features gpu"
                    .into()
            }
            #[cfg(feature = "gpu")]
            Self::Gpu { error, .. } => match error {
                GpuError::Build(_) => "choose another engine, or a larger --memory".into(),
                GpuError::Unsupported { .. } => {
                    "choose another engine, or other map options".into()
                }
                GpuError::TooLarge { limit: GpuLimit::Memory, needed, .. } => {
                    format!("choose another engine, or --memory {needed}")
                }
                GpuError::TooLarge { limit: GpuLimit::WorkingMemory, .. } => {
                    "choose another engine, or a larger --gpu-memory".into()
                }
                GpuError::TooLarge { .. } => {
                    "choose another engine; `portolan gpu` shows the limits of the device".into()
                }
                GpuError::OutOfMemory { .. } => {
                    "free memory on it, choose another engine, or a smaller --gpu-memory".into()
                }
                _ => "`portolan gpu` lists all adapters, and the reason where one cannot be used"
                    .into(),
            },
            Self::Unsupported(_) => {
                "choose another engine, or other map options; `portolan info` lists what works"
                    .into()
            }
            Self::NoEngine => "`portolan info` gives the reason for every engine".into(),
            Self::Build { error: BuildError::MemoryLimit { needed, .. }, .. } => {
                format!("choose another engine, or --memory {needed}")
            }
            Self::Build { .. } => "choose another engine, or a larger --memory".into(),
            Self::Unstorable { .. } => {
                let storable =
                    |method: &&&dyn Method| method.storable(&Settings::default()).is_ok();
                let names = METHODS.iter().filter(storable).map(|method| method.name());
                format!("these can: {}", names.collect::<Vec<_>>().join(", "))
            }
            Self::Refused { .. } => {
                "choose places closer together, or scale the costs of the map down".into()
            }
            Self::LeftBehind { .. } => {
                "give it more with --memory, or leave it out of --engines".into()
            }
            Self::Edit(_) | Self::Picture(_) => "this is a bug; please report the command".into(),
            Self::NothingToEdit { .. } => "choose a graph with edges".into(),
            Self::Generate(GenerateError::NoUsableNode) => {
                "choose a map, or settings, that leave something passable".into()
            }
            Self::Generate(_) => "`portolan generate --help` explains the settings".into(),
            Self::NoQuery { .. } => {
                "give a scenario for this map, or generate queries with --random N".into()
            }
            Self::WrongScenario { .. } => {
                "--scen takes a .scen file on grids and a .queries file on graphs".into()
            }
            Self::ScenarioSize { .. } => "give the scenario of this map".into(),
            Self::DynamicScenario { .. } => {
                "`portolan replay` takes it; verify and bench take scenarios of version 1".into()
            }
            Self::StaticScenario { .. } => {
                "`portolan verify MAP --scen FILE` and `portolan bench` take it".into()
            }
            Self::PatchesElsewhere { .. } => {
                "put the patches beside the scenario, and give their name without a folder".into()
            }
            Self::NoSuchPatch { .. } => {
                "patches are counted from 0; check that the .patch file is that of the scenario"
                    .into()
            }
            Self::StampOutside { .. } => {
                "a patch begins at the column and row of its top left cell; check the scenario"
                    .into()
            }
        }
    }
}

/// Where in the file, as `: line 3, column 7`.
struct InFile<'a>(&'a FormatError);

impl fmt::Display for InFile<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.position.map_or(Ok(()), |position| write!(out, ", {position}"))
    }
}

/// An error of the GPU, without remedies that name the library's options: the help names those of
/// the program.
#[cfg(feature = "gpu")]
struct OnGpu<'a>(&'a GpuError);

#[cfg(feature = "gpu")]
impl fmt::Display for OnGpu<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            error @ (GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }) => {
                out.write_str(&error.problem())
            }
            other => write!(out, "{other}"),
        }
    }
}

/// Why no query is left: the source, and those that are invalid.
struct NoQuery<'a>(&'a Source, &'a [String]);

impl fmt::Display for NoQuery<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(source, invalid) = self;
        match invalid {
            [] => write!(out, "there is none in {source}"),
            [only] => write!(out, "the only one in {source} is invalid, {only}"),
            [first, ..] => {
                let count = grouped(invalid.len());
                write!(out, "all {count} in {source} are invalid, first {first}")
            }
        }
    }
}
