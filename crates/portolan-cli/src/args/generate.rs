//! What `portolan generate` takes: a kind of map, its settings, and where it goes.
//!
//! Defaults are those of the library's generators. A setting whose default must shrink to fit a
//! small map or a small block is an `Option`, so that what a user chose is never changed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use portolan::generate::{
    Arena, Caves, Mazes, Obstacles, Pairs, RoadMetric, Roads, Rooms, Streets, Switch,
};

use super::values::{Size, whole};

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) product: Product,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Product {
    #[command(flatten)]
    Map(MapKind),
    /// Open ground with obstacles that move: a scenario for `portolan replay`
    Arena(ArenaArgs),
    /// Whole maps that replace each other: a scenario for `portolan replay`
    Switch(SwitchArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum MapKind {
    /// Square rooms joined by doors
    Rooms {
        #[command(flatten)]
        grid: GridArgs,
        #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..=u64::from(u32::MAX)), help = with_default("Side of a room from wall to wall; larger rooms have fewer doors", Rooms::default().room, "maps"))]
        room: Option<u32>,
        /// Probability that a wall between two rooms has a door
        #[arg(long, value_name = "SHARE", default_value_t = Rooms::default().doors)]
        doors: f64,
        /// Keep unreachable rooms
        #[arg(long)]
        islands: bool,
    },
    /// Corridors that branch
    Maze {
        #[command(flatten)]
        grid: GridArgs,
        #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..=u64::from(u32::MAX)), help = with_default("Width of the corridors", Mazes::default().corridor, "maps"))]
        corridor: Option<u32>,
        /// How often the maze grows from an older cell; more gives more, shorter dead ends
        #[arg(long, value_name = "SHARE", default_value_t = Mazes::default().branching)]
        branching: f64,
        /// Probability that a wall is opened, which creates a loop
        #[arg(long, value_name = "SHARE", default_value_t = Mazes::default().loops)]
        loops: f64,
    },
    /// Natural-looking halls and passages
    Cave {
        #[command(flatten)]
        grid: GridArgs,
        #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..=u64::from(u32::MAX)), help = with_default("Side of the blocks that the cave is made of; larger blocks give larger halls", Caves::default().grain, "maps"))]
        grain: Option<u32>,
        /// Probability that a block starts blocked; more gives narrower caves
        #[arg(long, value_name = "SHARE", default_value_t = Caves::default().fill)]
        fill: f64,
        /// Rounds of smoothing
        #[arg(long, value_name = "N", default_value_t = Caves::default().rounds, value_parser = whole::<u32>(0..=u64::from(u32::MAX)))]
        rounds: u32,
        /// Keep unreachable caves
        #[arg(long)]
        islands: bool,
    },
    /// Blocked cells scattered at random
    Random {
        #[command(flatten)]
        grid: GridArgs,
        /// Probability that a cell is blocked
        #[arg(long, value_name = "SHARE", default_value_t = Obstacles::default().blocked)]
        blocked: f64,
        /// Keep unreachable parts
        #[arg(long)]
        islands: bool,
    },
    /// A town: streets between blocks of houses
    Streets {
        #[command(flatten)]
        grid: GridArgs,
        #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..=u64::from(u32::MAX)), help = with_default("Approximate side of a block", Streets::default().block, "maps"))]
        block: Option<u32>,
        #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..=u64::from(u32::MAX)), help = with_default("Width of the widest streets", Streets::default().avenue, "blocks"))]
        avenue: Option<u32>,
        #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..=u64::from(u32::MAX)), help = with_default("Width of the narrowest streets", Streets::default().lane, "blocks"))]
        lane: Option<u32>,
        /// Probability that a block has houses and is not a park
        #[arg(long, value_name = "SHARE", default_value_t = Streets::default().built)]
        built: f64,
        #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(0..=u64::from(u32::MAX)), help = with_default("Width of the river; 0 for none", Streets::default().river, "blocks"))]
        river: Option<u32>,
        /// Fill yards and other unreachable parts
        #[arg(long)]
        connected: bool,
    },
    /// A road network with towns, dead ends and one-way streets
    Roads {
        #[command(flatten)]
        output: OutputArgs,
        /// Number of nodes
        #[arg(long, value_name = "N", default_value_t = Roads::default().nodes, value_parser = whole::<u32>(0..=u64::from(u32::MAX)))]
        nodes: u32,
        /// Unit of the weights
        #[arg(long, value_enum, ignore_case = true, value_name = "UNIT", default_value_t = Roads::default().metric.into())]
        metric: Metric,
        /// Density of roads in towns relative to open land, 0 to 1000; 0 for no towns
        #[arg(long, value_name = "TIMES", default_value_t = Roads::default().towns)]
        towns: f64,
        /// Share of one-way streets, 0 to 0.3
        #[arg(long, value_name = "SHARE", default_value_t = Roads::default().one_way)]
        one_way: f64,
        /// Share of nodes that are dead ends, 0 to 0.25
        #[arg(long, value_name = "SHARE", default_value_t = Roads::default().dead_ends)]
        dead_ends: f64,
    },
}

#[derive(Debug, Args)]
pub(crate) struct GridArgs {
    /// Columns and rows: 512 for a square, or 640x480
    #[arg(long, value_name = "SIZE", default_value_t = default_size())]
    pub(crate) size: Size,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ArenaArgs {
    /// The scenario to write, an .scen file; its .patch is written beside it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Columns and rows: 256 for a square, or 320x200
    #[arg(long, value_name = "SIZE", default_value_t = Size { width: Arena::default().width, height: Arena::default().height })]
    pub(crate) size: Size,
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=100_000), help = format!("Number of obstacles [default: {} at the default size, fewer on smaller maps]", Arena::default().obstacles))]
    pub(crate) obstacles: Option<u32>,
    #[arg(long, value_name = "CELLS", value_parser = whole::<u32>(2..=u64::from(u16::MAX)), help = with_default("Longest side of an obstacle", Arena::default().side, "maps"))]
    pub(crate) side: Option<u32>,
    /// Number of edits; obstacles move in each
    #[arg(long, value_name = "N", default_value_t = Arena::default().edits, value_parser = whole::<u32>(0..=100_000))]
    pub(crate) edits: u32,
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=100_000), help = format!("Number of obstacles that move in an edit [default: {}, or all if there are fewer]", Arena::default().moved))]
    pub(crate) moved: Option<u32>,
    /// Queries after each edit
    #[arg(long, value_name = "N", default_value_t = Arena::default().queries, value_parser = whole::<u32>(1..=100_000))]
    pub(crate) queries: u32,
    /// The seed; another seed gives another scenario
    #[arg(long, value_name = "N", default_value_t = Arena::default().seed, value_parser = whole::<u64>(0..=u64::MAX))]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct SwitchArgs {
    /// The grids, in turn; only which cells are passable is read
    #[arg(value_name = "MAP", required = true)]
    pub(crate) maps: Vec<PathBuf>,
    /// The scenario to write, an .scen file; its .patch is written beside it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Number of edits; each replaces the whole map
    #[arg(long, value_name = "N", default_value_t = Switch::default().edits, value_parser = whole::<u32>(1..=100_000))]
    pub(crate) edits: u32,
    /// Queries after each edit
    #[arg(long, value_name = "N", default_value_t = Switch::default().queries, value_parser = whole::<u32>(1..=100_000))]
    pub(crate) queries: u32,
    /// The seed of the queries
    #[arg(long, value_name = "N", default_value_t = Switch::default().seed, value_parser = whole::<u64>(0..=u64::MAX))]
    pub(crate) seed: u64,
}

/// Where a generated map goes, and the queries on it.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// The map to write: .map for grids, .gr for road networks
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The seed; another seed gives another map
    #[arg(long, value_name = "N", default_value_t = Rooms::default().seed, value_parser = whole::<u64>(0..=u64::MAX))]
    pub(crate) seed: u64,
    /// File for queries and their optimal lengths [with --queries: MAP.scen; roads: .queries]
    #[arg(long, value_name = "FILE")]
    pub(crate) scen: Option<PathBuf>,
    #[arg(long, value_name = "N", help = format!("Number of queries to write [with --scen, and for roads: {}]", Pairs::default().count), value_parser = whole::<u32>(1..=10_000_000))]
    pub(crate) queries: Option<u32>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Metric {
    /// Length of a road
    Metres,
    /// Driving time
    Milliseconds,
}

impl MapKind {
    /// The word that chooses it on the command line.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Rooms { .. } => "rooms",
            Self::Maze { .. } => "maze",
            Self::Cave { .. } => "cave",
            Self::Random { .. } => "random",
            Self::Streets { .. } => "streets",
            Self::Roads { .. } => "roads",
        }
    }
}

impl From<Metric> for RoadMetric {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Metres => Self::Metres,
            Metric::Milliseconds => Self::Milliseconds,
        }
    }
}

impl From<RoadMetric> for Metric {
    fn from(metric: RoadMetric) -> Self {
        match metric {
            RoadMetric::Metres => Self::Metres,
            RoadMetric::Milliseconds => Self::Milliseconds,
        }
    }
}

/// What all generators of grids start from.
fn default_size() -> Size {
    let Rooms { width, height, .. } = Rooms::default();
    Size { width, height }
}

/// The help of a setting whose default shrinks with something else.
fn with_default(help: &str, default: u32, small: &str) -> String {
    format!("{help} [default: {default}, less on small {small}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They share the options `--size` and `--seed`, and so one default.
    #[test]
    fn generators_agree_on_size_and_seed() {
        let Size { width, height } = default_size();
        let expected = (width, height, Rooms::default().seed);
        let (mazes, caves) = (Mazes::default(), Caves::default());
        assert_eq!((mazes.width, mazes.height, mazes.seed), expected);
        assert_eq!((caves.width, caves.height, caves.seed), expected);
        let (obstacles, streets) = (Obstacles::default(), Streets::default());
        assert_eq!((obstacles.width, obstacles.height, obstacles.seed), expected);
        assert_eq!((streets.width, streets.height, streets.seed), expected);
        assert_eq!(Roads::default().seed, expected.2);
        assert!(Rooms::default().connected && caves.largest_only && obstacles.largest_only);
        assert!(!streets.largest_only);
    }
}
