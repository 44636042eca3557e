//! What can go wrong, and what to do about it.

use std::io;
use std::path::PathBuf;

use portolan::AgentError;
use portolan::generate::{GenerateError, MAX_CELLS};
use portolan::store::OpenError;
use portolan_bench::text::grouped;
use portolan_bench::workload::ForAgent;

/// Bad input of any kind; the program ends with exit code 2.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// Whatever the measuring crate refuses.
    #[error(transparent)]
    Bench(#[from] portolan_bench::Error),
    /// Arguments that clap refuses, and the help and version that it prints.
    #[error("{0}")]
    Usage(clap::Error),
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{}` is not a map of a known format", path.display())]
    UnknownKind { path: PathBuf },
    #[error("{option} is for {wanted}, and `{}` is a {found}", path.display())]
    WrongOption { option: &'static str, wanted: &'static str, found: &'static str, path: PathBuf },
    #[error("{0}")]
    Agent(AgentError),
    #[error(
        "the terrain of `{}` has {} x {} cells, the map has {} x {}",
        path.display(), found.0, found.1, expected.0, expected.1
    )]
    TerrainSize { path: PathBuf, found: (u32, u32), expected: (u32, u32) },
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
    /// The message carries its remedy.
    #[error("`{}`: {error}", path.display())]
    Index { path: PathBuf, error: OpenError },
    #[error("`{}` is an index of `{engine}`, which is not among the engines asked for", path.display())]
    IndexUnused { path: PathBuf, engine: String },
    #[error("`{}` would overwrite the input `{}`", path.display(), input.display())]
    OutputIsInput { path: PathBuf, input: PathBuf },
    #[error("`{}` is a file, and a folder is needed", path.display())]
    FileNotFolder { path: PathBuf },
    #[cfg(feature = "lab")]
    #[error("cannot listen at {at}: {source}")]
    Listen { at: std::net::SocketAddr, source: io::Error },
    #[cfg(feature = "lab")]
    #[error("the lab cannot open `{}`: {error}", path.display())]
    Lab { path: PathBuf, error: Box<portolan_lab::LabError> },
    #[cfg(not(feature = "lab"))]
    #[error("this program was built without its feature `lab`")]
    WithoutLab,
    #[error("interrupted")]
    Interrupted { signal: u8 },
    #[error(
        "no cell of `{}` has room for a unit of {agent} x {agent} cells; the largest that fits has {largest} x {largest}",
        path.display()
    )]
    AgentTooLarge { path: PathBuf, agent: u32, largest: u32 },
    #[error("this experiment runs on real maps, and no folder with any was named")]
    NoMaps,
    #[error("there is no folder `{}`", path.display())]
    NoFolder { path: PathBuf, generates: bool },
    #[error("{}", Setting(error))]
    Setting { kind: &'static str, error: GenerateError },
    #[error("these settings leave no passable cell")]
    NothingPassable { kind: &'static str },
    #[error("`{}` has no place for figures", path.display())]
    NoPlaceForFigures { path: PathBuf },
    #[error("`{}` cannot be written: {what} are written as {extensions}", path.display())]
    OutputKind { path: PathBuf, what: &'static str, extensions: &'static str },
}

impl Error {
    /// What to do about it; `None` if clap says it itself or nothing can be done.
    pub(crate) fn help(&self) -> Option<String> {
        Some(match self {
            #[cfg(feature = "lab")]
            Self::Listen { .. } => "choose another --port or --bind; 0 takes a free port".into(),
            #[cfg(feature = "lab")]
            Self::Lab { error, .. } => return error.help(),
            #[cfg(not(feature = "lab"))]
            Self::WithoutLab => "build it with `--features lab`, which is a default".into(),
            Self::Usage(_) | Self::Stdout(_) | Self::Index { .. } | Self::Interrupted { .. } => {
                return None;
            }
            Self::Bench(error) => error.help(),
            Self::Write { .. } => {
                "check that the folder exists, its permissions, and the free space".into()
            }
            Self::UnknownKind { .. } => {
                "maps are .map (MovingAI), .gr (DIMACS), .png, or drawings (.ascii, .drawing)"
                    .into()
            }
            Self::WrongOption { option, .. } => format!("leave out {option}"),
            Self::Agent(_) => "choose another --agent or other --moves".into(),
            Self::TerrainSize { .. } => "terrain needs one factor for every cell of the map".into(),
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
            Self::IndexUnused { engine, .. } => {
                format!("name `{engine}` too, or leave out --engines")
            }
            Self::OutputIsInput { .. } => "choose another name for the output".into(),
            Self::FileNotFolder { .. } => "choose another name, or remove the file".into(),
            Self::AgentTooLarge { largest, .. } => {
                format!("choose --agent {largest} or less, or a larger map")
            }
            Self::NoFolder { generates: true, .. } => {
                "name the folder of real maps, or have maps generated with --generated".into()
            }
            Self::NoFolder { generates: false, .. } => {
                "name the folder of real maps, or leave out --maps and PORTOLAN_MAPS".into()
            }
            Self::NoMaps => {
                "name it with --maps DIR or the variable PORTOLAN_MAPS, or have maps generated \
                 with --generated"
                    .into()
            }
            Self::Setting { kind, .. } => {
                format!("`portolan generate {kind} --help` explains the settings")
            }
            Self::NothingPassable { kind } => {
                format!("take a larger --size, or see `portolan generate {kind} --help`")
            }
            Self::NoPlaceForFigures { .. } => {
                "put the lines `<!-- figures: Sizes -->` and `<!-- end of figures -->` into it"
                    .into()
            }
            Self::OutputKind { extensions, .. } => format!("end the name with {extensions}"),
        })
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
