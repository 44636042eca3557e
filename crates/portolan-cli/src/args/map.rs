//! The options of every command that takes a map.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use portolan::true_distance::DifferentialConfig;
use portolan::true_distance::differential::{Placement, Precision};
use portolan::{Connectivity, Corners, Settings};
use portolan_bench::names;

use super::bounds::BoundNames;
use super::values::{Memory, whole};

/// A map file and how to read it.
#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    /// The map: .map, .gr, .png, or a drawing
    #[arg(value_name = "MAP")]
    pub(crate) map: PathBuf,
    #[command(flatten)]
    pub(crate) options: MapOptions,
}

/// How to read a map, and what engines on it are built with.
#[derive(Debug, Args)]
#[command(next_help_heading = "Map and engine options")]
pub(crate) struct MapOptions {
    /// Which cells are neighbours; odd rows of hex cells are shifted right [grids: eight]
    #[arg(long, value_enum, ignore_case = true, value_name = "RULE")]
    pub(crate) moves: Option<MoveRule>,
    /// Whether a diagonal step may pass blocked cells [grids: never]
    #[arg(long, value_enum, ignore_case = true, value_name = "RULE")]
    pub(crate) corners: Option<CornerRule>,
    /// Terrain costs: a text file with a digit 1-9 per cell, or a PNG whose brightness is the cost
    #[arg(long, value_name = "FILE")]
    pub(crate) terrain: Option<PathBuf>,
    /// Size of the unit, N x N cells; its position is its top left cell [grids: 1]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=u64::from(u16::MAX)))]
    pub(crate) agent: Option<u32>,
    /// Lower bounds of a search, joined by +, for example octile+differential; the search uses the
    /// greatest. One of auto, zero, manhattan, octile, hex and euclidean, and any stored bounds:
    /// differential (distances to landmarks), canonical, border, gateway and portal (distances
    /// between regions). For astar, bidirectional and ppa
    #[arg(long, value_name = "BOUNDS", default_value = "auto")]
    pub(crate) heuristic: BoundNames,
    /// Number of landmarks of the differential heuristic: more give tighter bounds, and each stores
    /// a distance for every cell; fewer if they do not fit into --memory
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole::<u16>(1..=1024))]
    pub(crate) landmarks: u16,
    /// Where landmarks are placed: `farthest` apart, which suits most maps; `advanced`, by what they
    /// add to bounds between random pairs, which takes four times as long to build and expands 10
    /// to 20 % fewer nodes; `avoid`, where bounds are worst so far; on the `border`; at `random`
    #[arg(long, value_name = "RULE", default_value_t = Placement::Farthest, value_parser = placement)]
    pub(crate) placement: Placement,
    /// Bits of a stored distance to a landmark: 32; 16, which are exact if all steps cost the same,
    /// as with --moves four or hex, and rounded otherwise; or 8, rounded, for a quarter of the
    /// memory and more expanded nodes
    #[arg(long, value_name = "BITS", value_parser = entry_bits, default_value = "32")]
    pub(crate) entry_bits: Precision,
    /// Keep distances to only this many landmarks per node, to allow for more landmarks
    /// [default: all]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub(crate) kept: Option<u16>,
    /// Side of the clusters of hpa, dhpa, shpa and gpu-hierarchical, in cells; 20 suits the last
    #[arg(long, value_name = "N", default_value_t = Settings::default().cluster_size, value_parser = whole::<u32>(2..=64))]
    pub(crate) cluster: u32,
    /// Levels of clusters of hpa; dhpa and shpa have one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u16>(1..=6))]
    pub(crate) levels: u16,
    /// Seed of random queries and of random choices during a build
    #[arg(long, value_name = "N", default_value_t = Settings::default().seed, value_parser = whole::<u64>(0..=u64::MAX))]
    pub(crate) seed: u64,
    /// Memory limit of an index: bytes, KB, MB, GB, KiB, MiB, GiB; or 8V or 0.5V, entries of four
    /// bytes per passable cell, the unit of papers on stored distances. `atlas` keeps every limit;
    /// if it is too low for another engine, the error names a sufficient one [default: 24 bytes a
    /// cell or 600 a node, at least 128MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,
    /// Threads of a build; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u16>(0..=1024))]
    pub(crate) threads: u16,
    /// Coordinates of the nodes of a .gr: its .co file
    #[arg(long, value_name = "FILE")]
    pub(crate) coordinates: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MoveRule {
    /// To the four orthogonal neighbours
    Four,
    /// Diagonals too
    Eight,
    /// To six neighbours
    Hex,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CornerRule {
    /// No: both orthogonal neighbours must be free
    Never,
    /// One of the two
    One,
    /// Both
    Always,
}

impl MapArgs {
    /// The files that are read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        [self.map.as_path()].into_iter().chain(self.options.files())
    }
}

impl MapOptions {
    /// The files that are read beside the map.
    fn files(&self) -> impl Iterator<Item = &Path> {
        self.terrain.as_deref().into_iter().chain(self.coordinates.as_deref())
    }

    /// What was chosen about landmarks.
    pub(crate) fn differential(&self) -> DifferentialConfig {
        DifferentialConfig {
            landmarks: self.landmarks.into(),
            placement: self.placement.clone(),
            precision: self.entry_bits,
            kept: self.kept.map(usize::from),
            ..DifferentialConfig::default()
        }
    }
}

fn placement(name: &str) -> Result<Placement, String> {
    name.parse().map_err(|_| {
        let known: Vec<String> = Placement::named().map(|known| known.to_string()).collect();
        names::suggestion(name, known.iter().map(String::as_str))
    })
}

fn entry_bits(text: &str) -> Result<Precision, &'static str> {
    match text {
        "32" => Ok(Precision::Bits32),
        "16" => Ok(Precision::Bits16),
        "8" => Ok(Precision::Bits8),
        _ => Err("an entry has 32, 16 or 8 bits"),
    }
}

impl From<MoveRule> for Connectivity {
    fn from(rule: MoveRule) -> Self {
        match rule {
            MoveRule::Four => Self::Four,
            MoveRule::Eight => Self::Eight,
            MoveRule::Hex => Self::Hex,
        }
    }
}

impl From<CornerRule> for Corners {
    fn from(rule: CornerRule) -> Self {
        match rule {
            CornerRule::Never => Self::Never,
            CornerRule::One => Self::PastOne,
            CornerRule::Always => Self::Always,
        }
    }
}
