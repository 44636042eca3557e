//! The choice of a form, made before any table is computed.
//!
//! The sizes of tables and label rows follow exactly from the tree and the borders of its regions.
//! So if no form fits, the choice ends after the dissection: `search/` takes over or, where the
//! configuration asks for one form, the build fails and reports the smallest limit that would do.
//! If not even the list of homes fits, the map is not dissected at all. The sizes of cached paths and of visibility lists depend on the contents of the
//! tables; they are built last, if the rest of the limit allows.

use std::fmt;

use super::config::{AtlasConfig, Form};
use super::general::index::GeneralIndex;
use super::general::labels::Labels;
use super::general::labels::layout::{LabelScope, Layout};
use crate::build::{BuildError, Smaller};

/// The planned size and form of an [`Atlas`](super::Atlas).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// Size of the index in bytes, as counted by
    /// [`Engine::memory_bytes`](crate::Engine::memory_bytes), without cached paths. These are added
    /// if the memory limit allows.
    pub bytes: u64,
    /// The memory limit in bytes.
    pub limit: u64,
    /// The form and the reason for it.
    pub form: AtlasForm,
}

/// The form of an [`Atlas`](super::Atlas) and the reason for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AtlasForm {
    /// Which nodes have labels.
    pub labels: AtlasLabels,
    /// Why this form was chosen.
    pub reason: FormReason,
    /// Number of regions in the separator tree.
    pub regions: usize,
}

/// The nodes of an [`Atlas`](super::Atlas) that have labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AtlasLabels {
    /// No node. Queries climb from table to table.
    None,
    /// The nodes of separators, which include the borders of leaves.
    Borders {
        /// Whether paths between labelled nodes are cached.
        cached_paths: bool,
    },
    /// All core nodes.
    Nodes {
        /// Whether paths between labelled nodes are cached.
        cached_paths: bool,
    },
    /// The subgoals of a grid without terrain costs.
    Subgoals {
        /// Number of subgoals.
        subgoals: usize,
        /// Whether visibility lists of the cells are stored. They make queries faster.
        lists: bool,
        /// Whether label entries take one byte. This needs less memory and makes queries slower.
        codes: bool,
    },
    /// The subgoals at the top of the separator tree. Queries climb up to them. For grids without
    /// terrain costs where labels of all subgoals do not fit.
    UpperSubgoals {
        /// Number of subgoals.
        subgoals: usize,
        /// How many of them have labels. With fewer, the index is smaller and queries are slower.
        upper: usize,
    },
    /// No node, and there are no tables either. Queries search the map by A*.
    Search {
        /// Number of landmarks with stored distances. With none, A* uses the geometric bound alone,
        /// and the index takes no memory.
        landmarks: usize,
    },
}

/// Why an [`Atlas`](super::Atlas) has its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FormReason {
    /// It is the fastest form.
    Fastest,
    /// The configuration requested it.
    Requested,
    /// The next faster form exceeds the memory limit.
    TooLarge {
        /// Size of the next faster form in bytes; a lower bound of it if the limit is so small that
        /// no form was planned.
        needed: u64,
        /// Memory limit in bytes.
        limit: u64,
    },
    /// Cached paths would exceed the memory limit.
    NoCachedPaths {
        /// Memory limit in bytes.
        limit: u64,
    },
    /// An edit made the labels invalid.
    Edited,
    /// The index was opened from a file.
    Stored,
}

/// The labels of a general index that is to be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) labels: Option<LabelScope>,
    /// Size of the index without cached paths.
    pub(super) bytes: u64,
    /// Memory limit.
    pub(super) limit: u64,
    pub(super) why: FormReason,
}

impl Choice {
    /// The fastest allowed labels that fit into the memory limit. The tables of `index` may still
    /// be empty.
    pub(super) fn new(index: &GeneralIndex, config: &AtlasConfig) -> Result<Self, BuildError> {
        let limit = config.limit(&index.map);
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
            if config.form == Form::Climb { FormReason::Requested } else { FormReason::Fastest };
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
        write!(out, "{labels}, {reason}")?;
        match labels {
            AtlasLabels::Search { .. } => Ok(()),
            _ => write!(out, "; {regions} regions"),
        }
    }
}

impl fmt::Display for AtlasLabels {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cached = |paths| if paths { " and cached paths" } else { "" };
        match *self {
            Self::None => out.write_str("tables to climb"),
            Self::Borders { cached_paths } => {
                write!(out, "labels at the borders of leaves{}", cached(cached_paths))
            }
            Self::Nodes { cached_paths } => {
                write!(out, "labels for every node{}", cached(cached_paths))
            }
            Self::Subgoals { subgoals, lists, codes } => {
                let more = match (codes, lists) {
                    (true, _) => " with one byte per entry",
                    (_, true) => " and visibility lists",
                    _ => "",
                };
                write!(out, "labels of {subgoals} subgoals{more}")
            }
            Self::UpperSubgoals { subgoals, upper: 0 } => {
                write!(out, "arcs of {subgoals} subgoals to climb")
            }
            Self::UpperSubgoals { subgoals, upper } => {
                write!(out, "labels of {upper} of {subgoals} subgoals")
            }
            Self::Search { landmarks: 0 } => out.write_str("A* without an index"),
            Self::Search { landmarks: 1 } => out.write_str("A* with one landmark"),
            Self::Search { landmarks } => write!(out, "A* with {landmarks} landmarks"),
        }
    }
}

impl fmt::Display for FormReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Fastest => out.write_str("the fastest form"),
            Self::Requested => out.write_str("as requested"),
            Self::TooLarge { needed, limit } => {
                let (needed, limit) = (Size(needed), Size(limit));
                write!(
                    out,
                    "because the next faster form takes at least {needed} and the limit is {limit}"
                )
            }
            Self::NoCachedPaths { limit } => {
                write!(out, "because cached paths do not fit into the limit of {}", Size(limit))
            }
            Self::Edited => out.write_str("because of an edit"),
            Self::Stored => out.write_str("as stored"),
        }
    }
}

/// An amount of memory in bytes.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes @ 0..0x10_0000 => write!(out, "{bytes} bytes"),
            bytes => write!(out, "{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
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

    /// Bytes of the arrays of a region.
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
    fn planned_and_actual_sizes_agree() {
        let rooms = Rooms { width: 90, height: 70, room: 8, ..Rooms::default() };
        let roads = Roads { nodes: 4000, ..Roads::default() };
        let maps = [Map::from(rooms.generate().unwrap()), Map::from(roads.generate().unwrap())];
        assert!(!maps[1].clone().is_undirected());
        for map in maps {
            for form in [Form::Fastest, Form::General, Form::Climb] {
                let mut config =
                    AtlasConfig { form, leaf_size: Some(20), ..AtlasConfig::default() };
                if form == Form::General {
                    // One byte too few for labels of all nodes.
                    let outline = build::outline(&map, &config, &()).unwrap();
                    let all = Choice::new(&outline, &config).unwrap();
                    config.memory_limit = (all.bytes - 1).into();
                }
                let outline = build::outline(&map, &config, &()).unwrap();
                let planned = Choice::new(&outline, &config).unwrap();
                let mut index = outline;
                build::fill(&mut index, &()).unwrap();
                let (index, _) = build::with_labels(index, planned, &()).unwrap();
                let cached = index.labels.as_ref().map_or(0, |labels| labels.cached_bytes());
                let hops = index.labels.as_ref().map_or(0, |labels| labels.hop_bytes());
                let expected = index.memory_bytes() - cached + hops;
                assert_eq!(planned.bytes as usize, expected, "{form:?}");
                let undirected = index.undirected();
                let rest = |region: &Region| region.memory_bytes(undirected) - held(region);
                let first = rest(&index.regions[0]);
                assert!(index.regions.iter().all(|region| rest(region) == first), "{form:?}");
            }
        }
    }
}
