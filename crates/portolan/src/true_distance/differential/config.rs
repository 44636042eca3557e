//! What can be chosen about landmarks.

use std::fmt;
use std::str::FromStr;

use crate::graph::NodeId;
use crate::registry::{DEFAULT_MEMORY_LIMIT, Settings};

/// Where landmarks go.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Placement {
    /// Anywhere: the least work, and what the others are measured by.
    Random,
    /// Each as far as can be from those before it, so at the ends of the map, which suits most
    /// maps.
    #[default]
    Farthest,
    /// Those of many candidates that add most to the bounds between pairs drawn at random. Takes
    /// several times as long as the others.
    Advanced,
    /// Where the landmarks so far bound worst: at the end of the branch of a tree of shortest paths
    /// whose distances are most underestimated (Goldberg and Werneck 2005).
    Avoid,
    /// Round the border of the map, as seen from its middle; on graphs without coordinates as
    /// [`Farthest`](Self::Farthest).
    Border,
    /// At the nodes nearest to these, of which those are taken that lie farthest apart; for paths
    /// that often begin or end there.
    Near(Vec<NodeId>),
    /// At these nodes, by hand. Nodes that are blocked or not on the map are left out.
    At(Vec<NodeId>),
}

/// The placements that a name is enough for.
const NAMED: [(&str, Placement); 5] = [
    ("random", Placement::Random),
    ("farthest", Placement::Farthest),
    ("advanced", Placement::Advanced),
    ("avoid", Placement::Avoid),
    ("border", Placement::Border),
];

impl Placement {
    /// The placements that need nothing but their name.
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
            format!("`{name}` is no placement; there are {names}")
        })
    }
}

/// How many bits an entry of the table takes. Fewer take less memory; distances are then rounded,
/// bounds get weaker by up to two units of rounding, and searches may expand a node twice.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// True distances.
    #[default]
    Bits32,
    /// Rounded to a 65,534th of the longest.
    Bits16,
    /// Rounded to a 254th of the longest.
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

/// What becomes of the bounds when costs fall.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AfterEdits {
    /// Bounds are repaired with the edit: paths are always shortest ones.
    #[default]
    Exact,
    /// Bounds are left as they are, fast and slightly stale: an edit costs nothing, and a path may
    /// miss a new short cut until the landmarks are renewed. Paths are always legal, and found
    /// wherever there is one.
    Stale,
}

/// What can be chosen when building a [`Differential`](super::Differential).
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferentialConfig {
    /// How many landmarks. More bound more tightly, and each takes an entry per node (two on
    /// directed maps).
    pub landmarks: usize,
    /// Where they go.
    pub placement: Placement,
    /// How many bits an entry takes.
    pub precision: Precision,
    /// How many landmarks each node has an entry for, as in the compressed differential heuristic;
    /// `None` for all. Fewer make room for more landmarks, which different nodes then have entries
    /// for.
    pub kept: Option<usize>,
    /// How many landmarks a query looks at, those that bound best between its start and goal;
    /// `None` chooses. Fewer take less time per node and expand a few nodes more.
    pub active: Option<usize>,
    /// What becomes of the bounds when costs fall.
    pub after_edits: AfterEdits,
    /// Bytes that the table may take, [`DEFAULT_MEMORY_LIMIT`] by default; `u64::MAX` for as many
    /// as it needs. Where the entries that were asked for do not fit, there are fewer of them.
    pub memory_limit: u64,
    /// What random choices start from.
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

impl DifferentialConfig {
    /// What a caller has chosen who knows no more than the name. Bounds are exact then: that they
    /// may be stale is for the name of a method to say.
    pub fn from_settings(settings: &Settings, memory_limit: u64) -> Self {
        Self {
            memory_limit,
            after_edits: AfterEdits::Exact,
            seed: settings.seed,
            ..settings.differential.clone()
        }
    }
}
