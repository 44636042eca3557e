//! Which form an index takes, chosen before any of its tables is filled.
//!
//! Once the tree and the borders of its regions are known, what tables and rows take follows from
//! how many members and border nodes there are, to the byte. So a limit that nothing fits into is
//! refused at the price of the cuts, with the least that would do, and nothing is filled that is
//! not kept. Strips alone depend on what is in the tables, and lists of what cells see on the map:
//! they get what the limit leaves.

use std::fmt;

use super::config::{AtlasConfig, Form};
use super::general::index::GeneralIndex;
use super::general::labels::Labels;
use super::general::labels::layout::{LabelScope, Layout};
use crate::build::{BuildError, Smaller};

/// What an [`Atlas`](super::Atlas) will be, found without filling its tables.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// Bytes that the index will take, as [`Engine::memory_bytes`](crate::Engine::memory_bytes)
    /// counts them, but for strips, which are made where the limit leaves room for them.
    pub bytes: u64,
    /// Which form it will have, and why.
    pub form: AtlasForm,
}

/// Which form an [`Atlas`](super::Atlas) has, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AtlasForm {
    /// Which labels there are.
    pub labels: AtlasLabels,
    /// Why these and no others.
    pub reason: FormReason,
    /// Into how many regions the map is cut.
    pub regions: usize,
}

/// The labels of an [`Atlas`](super::Atlas).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AtlasLabels {
    /// None: queries climb from table to table.
    None,
    /// Of the nodes at the borders of leaves.
    Borders {
        /// Whether the ways across leaves lie ready.
        strips: bool,
    },
    /// Of every node.
    Nodes {
        /// Whether the ways across leaves lie ready.
        strips: bool,
    },
    /// Of the corners of a grid of one terrain.
    Subgoals {
        /// How many corners there are.
        subgoals: usize,
        /// Whether there are lists of those that each cell sees, which make queries faster.
        lists: bool,
        /// Whether an entry takes a byte, which takes less memory and makes queries slower.
        codes: bool,
    },
}

/// Why an [`Atlas`](super::Atlas) has the form it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FormReason {
    /// It is the fastest.
    Fastest,
    /// It was asked for.
    Asked,
    /// The next faster one takes more than is allowed.
    TooLarge {
        /// Bytes that the next faster one takes.
        needed: u64,
        /// Bytes that are allowed.
        limit: u64,
    },
    /// With strips it would take more than is allowed.
    NoStrips {
        /// Bytes that are allowed.
        limit: u64,
    },
    /// An edit left the labels behind.
    Edited,
    /// It was stored so.
    Stored,
}

/// The form to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    /// Whether there are labels, and if so, whether for nodes inside leaves as well.
    pub(super) labels: Option<LabelScope>,
    /// What it takes without strips.
    pub(super) bytes: u64,
    /// What it may take.
    pub(super) limit: u64,
    pub(super) why: FormReason,
}

impl Choice {
    /// The fastest of the allowed forms that fits, for an index whose tables are filled or still
    /// empty.
    pub(super) fn new(index: &GeneralIndex, config: &AtlasConfig) -> Result<Self, BuildError> {
        let limit = config.memory_limit;
        let bare = index.bytes_without_labels() as u64;
        let with_labels = |scope| {
            let layout = Layout::new(&index.tree, &index.regions, scope);
            bare + Labels::planned_bytes(index, &layout) as u64
        };
        let forms: &[Option<LabelScope>] = match config.form {
            Form::Fastest | Form::Uniform => {
                &[Some(LabelScope::AllNodes), Some(LabelScope::SeparatorNodes), None]
            }
            Form::General => &[Some(LabelScope::AllNodes), Some(LabelScope::SeparatorNodes)],
            Form::Climb => &[None],
        };
        let mut why =
            if config.form == Form::Climb { FormReason::Asked } else { FormReason::Fastest };
        let mut needed = 0;
        for &labels in forms {
            needed = labels.map_or(bare, with_labels);
            if needed <= limit {
                return Ok(Self { labels, bytes: needed, limit, why });
            }
            why = FormReason::TooLarge { needed, limit };
        }
        let smaller = Smaller { engine: Form::Climb.engine_name(), needed: bare };
        let smaller = Some(smaller).filter(|_| config.form == Form::General && bare <= limit);
        Err(BuildError::MemoryLimit { needed, limit, smaller })
    }
}

impl fmt::Display for AtlasForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { labels, reason, regions } = self;
        write!(out, "{labels}, {reason}; {regions} regions")
    }
}

impl fmt::Display for AtlasLabels {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ready = |strips| if strips { " with ready-made strips" } else { "" };
        match *self {
            Self::None => out.write_str("tables to climb"),
            Self::Borders { strips } => {
                write!(out, "labels at the borders of leaves{}", ready(strips))
            }
            Self::Nodes { strips } => write!(out, "labels for every node{}", ready(strips)),
            Self::Subgoals { subgoals, lists, codes } => {
                let more = match (codes, lists) {
                    (true, _) => ", a byte an entry",
                    (_, true) => " and lists of those that each cell sees",
                    _ => "",
                };
                write!(out, "labels of {subgoals} subgoals{more}")
            }
        }
    }
}

impl fmt::Display for FormReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        match *self {
            Self::Fastest => out.write_str("the fastest form"),
            Self::Asked => out.write_str("as asked for"),
            Self::TooLarge { needed, limit } => {
                let (needed, limit) = (mib(needed), mib(limit));
                write!(
                    out,
                    "since the next faster form takes {needed:.1} MiB and {limit:.1} MiB are allowed"
                )
            }
            Self::NoStrips { limit } => {
                write!(
                    out,
                    "since strips do not fit as well into the {:.1} MiB that are allowed",
                    mib(limit)
                )
            }
            Self::Edited => out.write_str("since the last edit"),
            Self::Stored => out.write_str("as stored"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::general::build;
    use super::*;
    use crate::atlas::general::tables::region::{Leaf, Region, RegionTables};
    use crate::generate::{Roads, Rooms};
    use crate::map::Map;

    /// The bytes of the arrays that a region has.
    fn held(region: &Region) -> usize {
        let lists = [&region.members, &region.border, &region.in_parent, &region.crossings];
        let tables = match &region.tables {
            RegionTables::Branch(branch) => branch.via.memory_bytes(),
            RegionTables::Leaf(Leaf { reach, steps, enter }) => {
                reach.memory_bytes() + steps.memory_bytes() + enter.memory_bytes()
            }
        };
        lists.map(|list| list.memory_bytes()).iter().sum::<usize>() + tables
    }

    #[test]
    fn what_is_planned_is_what_is_held() {
        let rooms = Rooms { width: 90, height: 70, room: 8, ..Rooms::default() };
        let roads = Roads { nodes: 4000, ..Roads::default() };
        let maps = [Map::from(rooms.generate().unwrap()), Map::from(roads.generate().unwrap())];
        assert!(!maps[1].clone().is_undirected());
        for map in maps {
            for form in [Form::Fastest, Form::General, Form::Climb] {
                let mut config =
                    AtlasConfig { form, leaf_size: Some(20), ..AtlasConfig::default() };
                if form == Form::General {
                    // Just too little for labels inside leaves.
                    let outline = build::outline(&map, &config, &()).unwrap();
                    let all = Choice::new(&outline, &config).unwrap();
                    config.memory_limit = all.bytes - 1;
                }
                let outline = build::outline(&map, &config, &()).unwrap();
                let planned = Choice::new(&outline, &config).unwrap();
                let mut index = outline;
                build::fill(&mut index, &()).unwrap();
                let (index, _) = build::with_labels(index, planned, &()).unwrap();
                let strips = index.labels.as_ref().map_or(0, |labels| labels.cached_bytes());
                assert_eq!(planned.bytes as usize, index.memory_bytes() - strips, "{form:?}");
                let undirected = index.undirected();
                let rest = |region: &Region| region.memory_bytes(undirected) - held(region);
                let first = rest(&index.regions[0]);
                assert!(index.regions.iter().all(|region| rest(region) == first), "{form:?}");
            }
        }
    }
}
