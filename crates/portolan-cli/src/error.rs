//! What can go wrong, and what to do about it.

use std::io;
use std::path::PathBuf;

use portolan::changes::ChangeError;
use portolan::formats::FormatError;
use portolan::generate::{GenerateError, MAX_CELLS};
use portolan::registry::Method;
use portolan::store::OpenError;
use portolan::{AgentError, BuildError, GraphError, METHODS, Settings, Unsupported};

use crate::text::grouped;
use crate::workload::Source;

/// Bad input of any kind; the program ends with exit code 2.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// Arguments that clap refuses, and the help and version that it prints.
    #[error("{0}")]
    Usage(clap::Error),
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    #[error("there is no file `{}`", path.display())]
    Missing { path: PathBuf },
    #[error("`{}` is a folder, not a file", path.display())]
    Folder { path: PathBuf },
    #[error("`{}` is neither a file nor a pipe", path.display())]
    NotAFile { path: PathBuf },
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{}` is not a map of a known format", path.display())]
    UnknownKind { path: PathBuf },
    #[error("`{}`{}: {}", path.display(), InFile(error), error.problem)]
    Format { path: PathBuf, error: FormatError },
    #[error("{option} is for {wanted}, and `{}` is a {found}", path.display())]
    WrongOption { option: &'static str, wanted: &'static str, found: &'static str, path: PathBuf },
    #[error("{0}")]
    Agent(AgentError),
    #[error(
        "the terrain of `{}` has {} x {} cells, the map has {} x {}",
        path.display(), found.0, found.1, expected.0, expected.1
    )]
    TerrainSize { path: PathBuf, found: (u32, u32), expected: (u32, u32) },
    #[error("`{}` does not match this graph: {error}", path.display())]
    Coordinates { path: PathBuf, error: GraphError },
    #[error("{option} was not given{}", mark.map_or(String::new(), |mark| format!(", and the drawing has no {mark}")))]
    NoPlace { option: &'static str, mark: Option<char>, wanted: &'static str },
    #[error("{option} {given} does not name a {wanted}")]
    WrongPlace { option: &'static str, given: String, wanted: &'static str },
    #[error(
        "{option} {},{} lies outside the map, which has {} x {} cells",
        cell.0, cell.1, size.0, size.1
    )]
    CellOutside {
        option: &'static str,
        cell: (u32, u32),
        size: (u32, u32),
        nearest: Option<(u32, u32)>,
    },
    #[error("{option} {},{} is blocked{}", cell.0, cell.1, ForAgent(*agent))]
    CellBlocked { option: &'static str, cell: (u32, u32), agent: u32, nearest: Option<(u32, u32)> },
    #[error("{option} {id} is not on the map, which has {} nodes", grouped(*nodes))]
    NodeOutside { option: &'static str, id: u32, nodes: usize },
    #[error("there is no engine `{name}`")]
    UnknownEngine { name: String, help: String },
    #[error("{0}")]
    Unsupported(Unsupported),
    #[error("no engine supports this map with these options")]
    NoEngine,
    #[error("`{engine}` cannot be built: {error}")]
    Build { engine: &'static str, error: BuildError },
    #[error("`{engine}` cannot be saved in an index file: {reason}")]
    Unstorable { engine: &'static str, reason: String },
    /// The message carries its remedy.
    #[error("`{}`: {error}", path.display())]
    Index { path: PathBuf, error: OpenError },
    #[error("`{}` is an index of `{engine}`, which is not among the engines asked for", path.display())]
    IndexUnused { path: PathBuf, engine: String },
    #[error("`{}` would overwrite the input `{}`", path.display(), input.display())]
    OutputIsInput { path: PathBuf, input: PathBuf },
    #[error("`{}` is a file, and a folder is needed", path.display())]
    FileNotFolder { path: PathBuf },
    #[error("interrupted")]
    Interrupted { signal: u8 },
    #[error(
        "no cell of `{}` has room for a unit of {agent} x {agent} cells; the largest that fits has {largest} x {largest}",
        path.display()
    )]
    AgentTooLarge { path: PathBuf, agent: u32, largest: u32 },
    #[error("{reason}")]
    Refused { reason: String },
    #[error("`{engine}` could not follow edit {edit}: {reason}")]
    LeftBehind { engine: &'static str, edit: usize, reason: String },
    #[error("`{}` names its patches `{name}`, which is not the name of a file beside it", path.display())]
    PatchesElsewhere { path: PathBuf, name: String },
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
    #[error("an edit failed: {0}")]
    Edit(#[from] ChangeError),
    #[error("this experiment runs on real maps, and no folder with any was named")]
    NoMaps,
    #[error("there is no folder `{}`", path.display())]
    NoFolder { path: PathBuf },
    #[error("command {command} of `{}` stamps patch {patch}, and there are {patches} of them", path.display())]
    NoSuchPatch { path: PathBuf, command: usize, patch: u32, patches: usize },
    #[error(
        "command {command} of `{}` stamps a patch at {},{}, outside the map of {} x {} cells",
        path.display(), at.0, at.1, size.0, size.1
    )]
    StampOutside { path: PathBuf, command: usize, at: (u32, u32), size: (u32, u32) },
    #[error("there is no query to run: {}", NoQuery(of, invalid))]
    NoQuery { of: Source, invalid: Vec<String> },
    #[error("`{}` has no edge, so there is no weight to edit", path.display())]
    NothingToEdit { path: PathBuf },
    #[error("{0}")]
    Generate(GenerateError),
    #[error("{}", Setting(error))]
    Setting { kind: &'static str, error: GenerateError },
    #[error("these settings leave no passable cell")]
    NothingPassable { kind: &'static str },
    #[error("`{}` cannot be written: {what} are written as {extensions}", path.display())]
    OutputKind { path: PathBuf, what: &'static str, extensions: &'static str },
    #[error("`{}` has no coordinates, so {consequence}", path.display())]
    NoCoordinates { path: PathBuf, consequence: String, beside: Option<PathBuf> },
}

impl Error {
    /// What is wrong, for lines that begin with the engine.
    pub(crate) fn without_engine(&self) -> String {
        match self {
            Self::Build { error, .. } => error.to_string(),
            other => other.to_string(),
        }
    }

    /// What to do about it; `None` where clap says it itself or nothing can be done.
    pub(crate) fn help(&self) -> Option<String> {
        Some(match self {
            Self::Usage(_) | Self::Stdout(_) | Self::Index { .. } | Self::Interrupted { .. } => {
                return None;
            }
            Self::Missing { .. } => "check the spelling and the folder".into(),
            Self::Folder { .. } => "name a file inside it".into(),
            Self::NotAFile { .. } => "save its output to a file first".into(),
            Self::Read { .. } => "check its permissions".into(),
            Self::Write { .. } => {
                "check that the folder exists, its permissions, and the free space"
                    .into()
            }
            Self::UnknownKind { .. } => {
                "maps are .map (MovingAI), .gr (DIMACS), .png, or drawings (.ascii, .drawing)"
                    .into()
            }
            Self::Format { error, .. } => error.remedy().into(),
            Self::WrongOption { option, .. } => format!("leave out {option}"),
            Self::Agent(_) => "choose another --agent or other --moves".into(),
            Self::TerrainSize { .. } => "terrain needs one factor for every cell of the map".into(),
            Self::Coordinates { .. } => "give the .co file that came with the .gr file".into(),
            Self::NoPlace { option, wanted, .. } | Self::WrongPlace { option, wanted, .. } => {
                match *wanted {
                    "cell" => format!("on grids, write {option} X,Y, as in {option} 3,4"),
                    _ => format!("on graphs, write {option} NODE, as in {option} 17"),
                }
            }
            Self::CellOutside { option, size, nearest, .. } => {
                let range = format!("x runs from 0 to {}, y from 0 to {}", size.0 - 1, size.1 - 1);
                match nearest {
                    Some((x, y)) => {
                        format!("{range}; the nearest passable cell is {option} {x},{y}")
                    }
                    None => format!("{range}, and no cell is passable"),
                }
            }
            Self::CellBlocked { option, nearest, .. } => match nearest {
                Some((x, y)) => format!("the nearest passable cell is {option} {x},{y}"),
                None => "no cell of this map is passable".into(),
            },
            Self::NodeOutside { nodes: 0, .. } => "this graph is empty".into(),
            Self::NodeOutside { nodes, .. } => {
                format!("nodes are counted from 1 to {}", grouped(*nodes))
            }
            Self::UnknownEngine { help, .. } => help.clone(),
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
            Self::IndexUnused { engine, .. } => {
                format!("name `{engine}` too, or leave out --engines")
            }
            Self::OutputIsInput { .. } => "choose another name for the output".into(),
            Self::FileNotFolder { .. } => "choose another name, or remove the file".into(),
            Self::AgentTooLarge { largest, .. } => {
                format!("choose --agent {largest} or less, or a larger map")
            }
            Self::LeftBehind { .. } => {
                "give it more with --memory, or leave it out of --engines".into()
            }
            Self::PatchesElsewhere { .. } => {
                "put the patches beside the scenario, and give their name without a folder".into()
            }
            Self::Refused { .. } => "choose places closer together, or scale the costs of the map down".into(),
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
            Self::Edit(_) => "this is a bug; please report the command".into(),
            Self::NoFolder { .. } => {
                "name the folder of real maps, or have maps generated with --generated".into()
            }
            Self::NoMaps => {
                "name it with --maps DIR or the variable PORTOLAN_MAPS, or have maps generated with --generated"
                    .into()
            }
            Self::NoSuchPatch { .. } => {
                "patches are counted from 0; check that the .patch file is that of the scenario"
                    .into()
            }
            Self::StampOutside { .. } => {
                "a patch begins at the column and row of its top left cell; check the scenario"
                    .into()
            }
            Self::NoQuery { .. } => {
                "give a scenario for this map, or generate queries with --random N".into()
            }
            Self::NothingToEdit { .. } => "choose a graph with edges".into(),
            Self::Generate(GenerateError::NoUsableNode) => {
                "choose a map, or settings, that leave something passable".into()
            }
            Self::Generate(_) => "`portolan generate --help` explains the settings".into(),
            Self::Setting { kind, .. } => {
                format!("`portolan generate {kind} --help` explains the settings")
            }
            Self::NothingPassable { kind } => {
                format!("take a larger --size, or see `portolan generate {kind} --help`")
            }
            Self::OutputKind { extensions, .. } => format!("end the name with {extensions}"),
            Self::NoCoordinates { beside, .. } => match beside {
                Some(file) => format!("add --coordinates {}", file.display()),
                None => "add --coordinates FILE.co".into(),
            },
        })
    }
}

/// Where in the file, as `: line 3, column 7`.
struct InFile<'a>(&'a FormatError);

impl std::fmt::Display for InFile<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.place.map_or(Ok(()), |place| write!(out, ", {place}"))
    }
}

/// What is wrong with a setting, by the name of its option.
struct Setting<'a>(&'a GenerateError);

impl std::fmt::Display for Setting<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let option = |field: &str| match field {
            "width" | "height" => format!("the {field} of --size"),
            _ => format!("--{}", field.replace('_', "-")),
        };
        match self.0 {
            GenerateError::TooLarge { width, height } => {
                let most = grouped(MAX_CELLS);
                write!(out, "--size is {width} x {height} cells; at most {most} are allowed")
            }
            GenerateError::Number { field, found, least, most } => {
                let (found, least, most) = (grouped(*found), grouped(*least), grouped(*most));
                write!(out, "{} is {found}; {least} to {most} is allowed here", option(field))
            }
            GenerateError::Share { field, found, least, most } => {
                write!(out, "{} is {found}; {least} to {most} is allowed", option(field))
            }
            other => write!(out, "{other}"),
        }
    }
}

/// Why no query is left: the source, and those that cannot be asked.
struct NoQuery<'a>(&'a Source, &'a [String]);

impl std::fmt::Display for NoQuery<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

/// Names the size of a unit of more than one cell.
pub(crate) struct ForAgent(pub(crate) u32);

impl std::fmt::Display for ForAgent {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = self.0;
        if size > 1 { write!(out, " for a unit of {size} x {size} cells") } else { Ok(()) }
    }
}
