//! What `portolan generate` takes: a kind of map, its settings, and where it goes.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::values::Size;

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) kind: MapKind,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MapKind {
    /// Square rooms joined by doors
    Rooms {
        #[command(flatten)]
        grid: GridArgs,
        /// From wall to wall; more makes open space and fewer doors
        #[arg(long, value_name = "CELLS", default_value_t = 16)]
        room: u32,
        /// How probably a wall between two rooms has a door
        #[arg(long, value_name = "SHARE", default_value_t = 0.8)]
        doors: f64,
        /// Leave rooms that no door happens to reach
        #[arg(long)]
        islands: bool,
    },
    /// Corridors that branch
    Maze {
        #[command(flatten)]
        grid: GridArgs,
        /// How wide corridors are
        #[arg(long, value_name = "CELLS", default_value_t = 4)]
        corridor: u32,
        /// How often it grows from an older place; more makes more, shorter dead ends
        #[arg(long, value_name = "SHARE", default_value_t = 0.12)]
        branching: f64,
        /// How probably a wall is opened for another way round
        #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
        loops: f64,
    },
    /// Natural-looking halls and passages
    Cave {
        #[command(flatten)]
        grid: GridArgs,
        /// Cells a side of the grains that the cave is made of; more makes larger halls
        #[arg(long, value_name = "CELLS", default_value_t = 4)]
        grain: u32,
        /// How probably a grain starts blocked; more makes narrower caves
        #[arg(long, value_name = "SHARE", default_value_t = 0.47)]
        fill: f64,
        /// How often it is smoothed
        #[arg(long, value_name = "N", default_value_t = 4)]
        rounds: u32,
        /// Leave caves that no passage reaches
        #[arg(long)]
        islands: bool,
    },
    /// Blocked cells strewn at random
    Random {
        #[command(flatten)]
        grid: GridArgs,
        /// How probably a cell is blocked
        #[arg(long, value_name = "SHARE", default_value_t = 0.35)]
        blocked: f64,
        /// Leave parts that nothing reaches
        #[arg(long)]
        islands: bool,
    },
    /// A town: streets between blocks of houses
    Streets {
        #[command(flatten)]
        grid: GridArgs,
        /// How many cells a side blocks have, about
        #[arg(long, value_name = "CELLS", default_value_t = 72)]
        block: u32,
        /// How wide the widest streets are
        #[arg(long, value_name = "CELLS", default_value_t = 22)]
        avenue: u32,
        /// How wide the narrowest streets are
        #[arg(long, value_name = "CELLS", default_value_t = 6)]
        lane: u32,
        /// How probably a block is built on and not a park
        #[arg(long, value_name = "SHARE", default_value_t = 0.75)]
        built: f64,
        /// How wide the river is; 0 for none
        #[arg(long, value_name = "CELLS", default_value_t = 20)]
        river: u32,
    },
    /// A road network with towns, dead ends and one-way streets
    Roads {
        #[command(flatten)]
        output: OutputArgs,
        /// How many nodes there are
        #[arg(long, value_name = "N", default_value_t = 10_000)]
        nodes: u32,
        /// What the weights are
        #[arg(long, value_enum, value_name = "UNIT", default_value = "metres")]
        metric: Metric,
        /// How many of the streets are one-way, 0 to 0.3
        #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
        one_way: f64,
        /// How many of the nodes are dead ends, 0 to 0.25
        #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
        dead_ends: f64,
    },
}

#[derive(Debug, Args)]
pub(crate) struct GridArgs {
    /// Columns and rows: 512 for a square, or 640x480
    #[arg(long, value_name = "SIZE", default_value = "512")]
    pub(crate) size: Size,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Where a generated map goes, and the queries on it.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// The map to write: .map for grids, .gr for road networks
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Another seed, another map
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Where to write queries and their optimal lengths [with --queries: MAP.scen; roads: .queries]
    #[arg(long, value_name = "FILE")]
    pub(crate) scen: Option<PathBuf>,
    /// How many queries to write [with --scen, and for roads: 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) queries: Option<u32>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Metric {
    /// How long a road is
    Metres,
    /// How long driving takes
    Milliseconds,
}
