//! Build options of landmarks.

use std::fmt;
use std::str::FromStr;

use crate::build::DEFAULT_MEMORY_LIMIT;
use crate::graph::NodeId;

/// The rule by which landmarks are placed.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Placement {
    /// At random nodes. The least work; a baseline for the other rules.
    Random,
    /// Each as far as possible from all previous ones, so at the ends of the map. Good on most
    /// maps.
    #[default]
    Farthest,
    /// Of many candidates, those that improve the bounds between random pairs most. Takes several
    /// times as long as the other rules.
    Advanced,
    /// Where the bounds of the previous landmarks are worst: at the end of the branch of a
    /// shortest-path tree whose distances are most underestimated (Goldberg and Werneck 2005).
    Avoid,
    /// Around the border of the map, in equally spaced directions. On graphs without coordinates
    /// the same as [`Farthest`](Self::Farthest).
    Border,
    /// At the nodes nearest to these, those farthest apart first. For paths that often start or end
    /// there.
    Near(Vec<NodeId>),
    /// At these nodes. Nodes that are blocked or not on the map are ignored.
    At(Vec<NodeId>),
}

/// The placements without parameters.
const NAMED: [(&str, Placement); 5] = [
    ("random", Placement::Random),
    ("farthest", Placement::Farthest),
    ("advanced", Placement::Advanced),
    ("avoid", Placement::Avoid),
    ("border", Placement::Border),
];

impl Placement {
    /// The placements without parameters.
    pub fn named() -> impl Iterator<Item = Self> {
        NAMED.into_iter().map(|(_, placement)| placement)
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Random => "random",
            Self::Farthest => "farthest",
            Self::Advanced => "advanced",
            Self::Avoid => "avoid",
            Self::Border => "border",
            Self::Near(_) => "near given points",
            Self::At(_) => "by hand",
        })
    }
}

impl FromStr for Placement {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = NAMED.into_iter().find(|&(known, _)| known == name);
        found.map(|(_, placement)| placement).ok_or_else(|| {
            let names = NAMED.map(|(known, _)| known).join(", ");
            format!("unknown placement `{name}`; known are {names}")
        })
    }
}

/// Bits per entry of the table. With fewer bits, the table is smaller, distances are rounded,
/// bounds are weaker by up to two units of rounding, and searches may expand a node twice.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// True distances.
    #[default]
    Bits32,
    /// Rounded to 1/65,534 of the largest distance.
    Bits16,
    /// Rounded to 1/254 of the largest distance.
    Bits8,
}

impl Precision {
    /// Bytes per entry.
    pub(in crate::true_distance) fn bytes(self) -> u64 {
        match self {
            Self::Bits32 => 4,
            Self::Bits16 => 2,
            Self::Bits8 => 1,
        }
    }
}

/// What happens to the bounds when costs fall.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AfterEdits {
    /// The edit repairs the bounds. Paths are always shortest paths.
    #[default]
    Exact,
    /// Bounds stay as they are, slightly stale. Edits cost nothing, but a path may miss a new short
    /// cut until the landmarks are renewed. Paths are always legal, and found if there is one.
    Stale,
}

/// Build options of the [`Differential`](super::Differential) heuristic.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferentialConfig {
    /// The number of landmarks. More give tighter bounds; each takes an entry per node (two on
    /// directed maps).
    pub landmarks: usize,
    /// The placement rule.
    pub placement: Placement,
    /// Bits per entry.
    pub precision: Precision,
    /// The number of landmarks that each node has an entry for, as in the compressed differential
    /// heuristic; `None` for all. With fewer, more landmarks fit into memory; different nodes then
    /// have entries for different landmarks.
    pub kept: Option<usize>,
    /// The number of landmarks that a query compares, those with the best bounds between start and
    /// goal; `None` for the default. Fewer take less time per node, but more nodes are expanded.
    pub active: Option<usize>,
    /// What happens to the bounds when costs fall.
    pub after_edits: AfterEdits,
    /// The memory limit of the table in bytes, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for
    /// no limit. If the table does not fit, it has fewer landmarks or entries.
    pub memory_limit: u64,
    /// The seed of random choices.
    pub seed: u64,
}

impl Default for DifferentialConfig {
    fn default() -> Self {
        Self {
            landmarks: 8,
            placement: Placement::default(),
            precision: Precision::default(),
            kept: None,
            active: None,
            after_edits: AfterEdits::default(),
            memory_limit: DEFAULT_MEMORY_LIMIT,
            seed: 1,
        }
    }
}
