//! The form for grids of one terrain: labels of subgoals.
//!
//! The grid is reduced to its corners (`crate::atlas::uniform::subgoals`), and these get what nodes of general
//! graphs get: a separator tree, rows of distances (`rows.rs`), and hops (`blocks.rs`). A query
//! ties both ends to subgoals, which it looks for or reads off lists (`ties.rs`, `lists.rs`), joins
//! them by their rows (`join.rs`) and reads the path off the hops (`lookup.rs`, `unpack.rs`). A
//! batch is asked in a good order (`order.rs`), with several queries under way at once
//! (`flock.rs`), and copies what paths have in common (`trails.rs`). Where rows and hops do not
//! fit, rows are kept in codes (`compact/`). After edits the labels stay as they were, and queries
//! find out whether they still tell the truth (`edited.rs`, `past.rs`, `prospect.rs`), or search
//! with them as bounds (`detour.rs`, `goals.rs`). All of it can be kept in a file (`file.rs`) and
//! checked (`validate.rs`).
//!
//! Invariants: of two subgoals with an edge between them one's region lies in the other's; rows,
//! blocks and numbers follow from the map and the tree; an edited index never changes the labels
//! that it shares with the one before.

mod batch;
mod build;
mod file;
mod labels;
mod lookup;
mod query;
mod stale;
mod subgoals;
mod unpack;
mod validate;
mod visibility;

pub(super) use query::{UniformRun, UniformScratch};

use std::sync::{Arc, OnceLock};

use self::build::reduce::reduce;
use self::labels::HubLabels;
use self::labels::compact::{self, CompactLabels};
use self::labels::hops::{self, Hops};
use self::stale::Edited;
use self::stale::goal_distances::Chains;
use self::subgoals::{MOST_NODES, Reduction, Subgoals};
use self::unpack::{Deltas, deltas};
use self::visibility::lists::Lists;
use super::plan::{AtlasForm, AtlasLabels, FormReason};
use super::separator_tree::dissect::Dissection;
use crate::build::{BuildError, Progress, Unsupported};
use crate::changes::Changes;
use crate::graph::{Graph, NodeId};
use crate::grid::Grid;
use crate::map::Map;
use crate::partition::Partitioner;

/// Subgoals of a leaf where nothing is said.
pub(super) const LEAF: usize = 8;

/// The most cells in a row or column: hops count them in 16 bits.
const WIDEST: u32 = u16::MAX as u32;

/// Beyond so many freed cells labels are of no use any more.
const MOST_FREED: usize = 4096;

/// With so many cells changed a rebuild is worth its time.
const MANY_EDITS: usize = 32;

/// An index of a grid of one terrain.
#[derive(Clone)]
pub(super) struct Uniform {
    map: Map,
    labelled: Arc<Labelled>,
    /// Absent until the first edit.
    edited: Option<Edited>,
}

/// A grid with the labels of its subgoals.
struct Labelled {
    subgoals: Arc<Subgoals>,
    dissection: Dissection,
    rows: HubLabels,
    blocks: Hops,
    /// HubLabels in codes, where plain ones do not fit; then there are neither costs in the rows nor
    /// blocks.
    compact: Option<CompactLabels>,
    /// What cells see, where it is kept.
    lists: Option<Lists>,
    deltas: Deltas,
    /// What all of it takes.
    bytes: usize,
    /// From the first edit on that asks for them.
    chains: OnceLock<Chains>,
}

impl Labelled {
    fn chains(&self) -> &Chains {
        self.chains.get_or_init(|| Chains::new(&self.dissection))
    }
}

impl Uniform {
    /// Whether a map can have this form.
    pub(super) fn supports(map: &Map) -> Result<(), Unsupported> {
        let reason = match map {
            Map::Graph(_) => "it is not a grid",
            Map::Grid(grid) if grid.has_terrain() => "it has terrain",
            Map::Grid(grid) if Reduction::of(grid).is_empty() => "its cells are hexagons",
            Map::Grid(grid) if grid.width().max(grid.height()) > WIDEST => "it is too wide",
            Map::Grid(grid) if grid.node_count() > MOST_NODES => "it has too many cells",
            Map::Grid(_) => return Ok(()),
        };
        Err(unsupported(reason))
    }

    fn assemble(map: &Map, subgoals: Subgoals, dissection: Dissection, labels: Filled) -> Self {
        let Filled { rows, blocks, compact, lists } = labels;
        let bytes = fixed_bytes(&subgoals, &dissection, &rows)
            + rows.costs.memory_bytes()
            + blocks.words.memory_bytes()
            + compact.as_ref().map_or(0, CompactLabels::memory_bytes)
            + lists.as_ref().map_or(0, Lists::memory_bytes);
        let labelled = Labelled {
            bytes,
            chains: OnceLock::new(),
            subgoals: Arc::new(subgoals),
            dissection,
            rows,
            blocks,
            compact,
            lists,
            deltas: deltas(grid_of(map).map_or(0, Grid::width)),
        };
        Self { map: map.clone(), labelled: Arc::new(labelled), edited: None }
    }

    /// The index of the edited map; `None` where it has to be built from scratch. Labels and all
    /// that lies apart from the edit are shared.
    pub(super) fn refresh(&self, map: &Map, changes: &Changes) -> Option<Self> {
        let (before, after) = (grid_of(&self.map)?, grid_of(map)?);
        Self::supports(map).ok()?;
        if (before.width(), before.height()) != (after.width(), after.height()) {
            return None;
        }
        let mut edited = match &self.edited {
            Some(edited) => edited.clone(),
            None => Edited::new(before),
        };
        let cells = changes.cells.iter().map(|change| change.node);
        let cells: Vec<NodeId> = cells.filter(|&node| after.position(node).is_some()).collect();
        if cells.is_empty() {
            return Some(Self { map: map.clone(), ..self.clone() });
        }
        edited.follow(before, after, &cells);
        if edited.freed() > MOST_FREED {
            return None;
        }
        // Edits that were taken back leave labels that are right.
        let edited = Some(edited).filter(|edited| edited.differing() > 0);
        Some(Self { map: map.clone(), labelled: Arc::clone(&self.labelled), edited })
    }

    pub(super) fn map(&self) -> &Map {
        &self.map
    }

    /// Whether labels are those of the map.
    pub(super) fn is_labelled(&self) -> bool {
        self.edited.is_none()
    }

    /// Whether labels are so far behind the map that queries take a good deal longer.
    pub(super) fn wants_rebuild(&self) -> bool {
        let differing = self.edited.as_ref().map_or(0, Edited::differing);
        differing > MANY_EDITS
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.labelled.bytes + self.edited.as_ref().map_or(0, Edited::memory_bytes)
    }

    /// Which form it has, and why.
    pub(super) fn form(&self, reason: FormReason) -> AtlasForm {
        let Labelled { dissection, rows, compact, lists, .. } = &*self.labelled;
        let labels = labels(rows, compact.is_some(), lists.is_some());
        AtlasForm { labels, reason, regions: dissection.tree.len() }
    }
}

/// Labels that are complete.
struct Filled {
    rows: HubLabels,
    blocks: Hops,
    compact: Option<CompactLabels>,
    lists: Option<Lists>,
}

/// A grid reduced to its subgoals, and where the rows of their labels will lie.
pub(super) struct Outline {
    map: Map,
    subgoals: Subgoals,
    dissection: Dissection,
    labels: Labels,
}

/// The rows that will be filled.
enum Labels {
    /// Plain ones, with so many words of blocks, and what cells see, where there is room for it.
    Plain { rows: HubLabels, words: usize, lists: Option<Lists> },
    /// HubLabels in codes, since plain ones would take so much.
    Compact { outline: Box<compact::CompactOutline>, plain: u64 },
}

impl Outline {
    /// The fastest that fits. Refuses what cannot have this form, or would take more than the
    /// limit.
    pub(super) fn new(
        map: &Map,
        (partitioner, leaf_size): (&Partitioner, usize),
        limit: u64,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        Uniform::supports(map)?;
        let Some(grid) = grid_of(map) else { unreachable!("graphs are not supported") };
        let (subgoals, dissection) = reduce(grid, partitioner, leaf_size, progress)?;
        let too_many = || unsupported("too many of its corners are in each other's way");
        let rows = HubLabels::with_layout(&dissection.tree, &dissection.members, &subgoals);
        let mut rows = rows.ok_or_else(too_many)?;
        let words = hops::lay_out(&subgoals, &mut rows).ok_or_else(too_many)?;
        let labels = Labels::Plain { rows, words, lists: None };
        let mut outline = Self { map: map.clone(), subgoals, dissection, labels };
        let plain = outline.bytes();
        match (limit.checked_sub(plain), &mut outline.labels) {
            (Some(left), Labels::Plain { rows, lists, .. }) if Lists::pay(&outline.subgoals) => {
                // Edits must find room as well, or each would be a build.
                let left = left.saturating_sub(Edited::MOST_BYTES);
                *lists = Lists::new(&outline.subgoals, &rows.numbers, left, progress)?;
            }
            (None, _) if outline.subgoals.supports_compact_labels() => {
                outline.labels = outline.compact(grid, plain).ok_or_else(too_many)?;
            }
            _ => {}
        }
        let needed = outline.bytes().min(plain);
        BuildError::check_limit(needed, limit).map(|()| outline)
    }

    /// HubLabels in codes, since plain ones would take so much.
    fn compact(&mut self, grid: &Grid, plain: u64) -> Option<Labels> {
        let outline =
            compact::CompactOutline::new(&self.subgoals, &mut self.dissection, grid.width())?;
        Some(Labels::Compact { outline: Box::new(outline), plain })
    }

    /// What the index will take.
    pub(super) fn bytes(&self) -> u64 {
        let (rows, planned) = match &self.labels {
            Labels::Plain { rows, words, lists } => {
                let lists = lists.as_ref().map_or(0, Lists::memory_bytes);
                (rows, 4 * (rows.entries() + words) + lists)
            }
            Labels::Compact { outline, .. } => (&outline.labels, outline.bytes()),
        };
        (fixed_bytes(&self.subgoals, &self.dissection, rows) + planned) as u64
    }

    /// What the next faster form takes, where that is too much.
    pub(super) fn too_large(&self) -> Option<u64> {
        match &self.labels {
            Labels::Plain { .. } => None,
            Labels::Compact { plain, .. } => Some(*plain),
        }
    }

    /// Whether it is worth more than a general form; `full`: one with a label for every node.
    pub(super) fn beats(&self, full: bool) -> bool {
        match &self.labels {
            Labels::Plain { rows, .. } => {
                // From about this share of the cells on, labels of subgoals save neither time nor
                // memory.
                let crowded = 5 * rows.heads.len() > 2 * self.map.usable_count();
                !full || self.subgoals.has_jump_points() || !crowded
            }
            Labels::Compact { outline, .. } => outline.pays_off,
        }
    }

    /// Which form it will have, and why, in words.
    pub(super) fn form(&self, reason: FormReason) -> AtlasForm {
        let labels = match &self.labels {
            Labels::Plain { rows, lists, .. } => labels(rows, false, lists.is_some()),
            Labels::Compact { outline, .. } => labels(&outline.labels, true, false),
        };
        AtlasForm { labels, reason, regions: self.dissection.tree.len() }
    }

    pub(super) fn fill(self, progress: &dyn Progress) -> Result<Uniform, BuildError> {
        let Self { map, subgoals, dissection, labels } = self;
        let filled = match labels {
            Labels::Plain { mut rows, words, lists } => {
                rows.fill(&subgoals, &dissection, progress)?;
                let blocks = Hops::build(&subgoals, &rows, words);
                Filled { rows, blocks, compact: None, lists }
            }
            Labels::Compact { outline, .. } => {
                let (rows, compact) = outline.fill(&subgoals, &dissection, progress)?;
                Filled { rows, blocks: Hops::default(), compact: Some(compact), lists: None }
            }
        };
        Ok(Uniform::assemble(&map, subgoals, dissection, filled))
    }
}

fn labels(rows: &HubLabels, codes: bool, lists: bool) -> AtlasLabels {
    AtlasLabels::Subgoals { subgoals: rows.heads.len(), lists, codes }
}

/// Bytes of all but the rows' costs and the blocks.
fn fixed_bytes(subgoals: &Subgoals, dissection: &Dissection, rows: &HubLabels) -> usize {
    let list = |members: &Vec<NodeId>| size_of::<Vec<NodeId>>() + size_of_val(&members[..]);
    subgoals.memory_bytes()
        + dissection.tree.memory_bytes()
        + dissection.members.iter().map(list).sum::<usize>()
        + rows.fixed_bytes()
}

fn unsupported(reason: &str) -> Unsupported {
    let reason = format!("{reason}; atlas-general takes every map");
    Unsupported { method: "atlas-uniform", reason }
}

fn grid_of(map: &Map) -> Option<&Grid> {
    match map {
        Map::Grid(grid) => Some(grid),
        Map::Graph(_) => None,
    }
}
