//! The form for grids of one terrain: labels of subgoals.
//!
//! The grid is reduced to its corners (`crate::subgoals`), and these get what nodes of general graphs get: a separator
//! tree, rows of distances (`rows.rs`), and hops (`blocks.rs`). A query ties both ends to subgoals, joins them by their rows
//! (`join.rs`) and writes the path run by run (`lookup.rs`, `trail.rs`). After edits the labels stay as they were, and
//! queries find out whether they still tell the truth (`query.rs`, `edited.rs`). All of it can be kept in a file
//! (`file.rs`) and checked (`validate.rs`).
//!
//! Invariants: of two subgoals with an edge between them one's region lies in the other's; rows, blocks and numbers follow
//! from the map and the tree; an edited index never changes the labels that it shares with the one before.

mod blocks;
mod edited;
mod file;
mod firsts;
mod flock;
mod join;
mod legs;
mod lookup;
mod query;
mod rows;
mod ties;
mod unpack;
mod validate;
mod ways;

pub(super) use file::is_uniform;
pub(super) use query::UniformQuery;

use std::sync::Arc;

use self::blocks::Blocks;
use self::edited::Edited;
use self::rows::Rows;
use self::unpack::{Deltas, deltas};
use super::dissect::{Dissection, dissect};
use super::plan::{Why, describe};
use crate::changes::Changes;
use crate::engine::{BuildError, Unsupported};
use crate::graph::{NodeId, Point};
use crate::grid::{Connectivity, Corners, Grid};
use crate::map::Map;
use crate::partition::{Partitioner, Topology};
use crate::progress::{Progress, Watch};
use crate::subgoals::Subgoals;

/// The most nodes of a leaf.
const LEAF: usize = 8;

/// The most cells in a row or column: hops count them in 16 bits.
const WIDEST: u32 = u16::MAX as u32;

/// Beyond so many freed cells labels are of no use any more.
const MOST_FREED: usize = 4096;

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
    rows: Rows,
    blocks: Blocks,
    deltas: Deltas,
}

impl Uniform {
    /// Whether a map can have this form.
    pub(super) fn supports(map: &Map) -> Result<(), Unsupported> {
        let reason = match map {
            Map::Graph(_) => "it is not a grid",
            Map::Grid(grid) if grid.has_terrain() => "it has terrain",
            Map::Grid(grid) if grid.connectivity() != Connectivity::Eight => {
                "it is not eight-connected"
            }
            Map::Grid(grid) if grid.corners() != Corners::Never => "it allows corners to be cut",
            Map::Grid(grid) if grid.width().max(grid.height()) > WIDEST => "it is too wide",
            Map::Grid(_) => return Ok(()),
        };
        Err(unsupported(reason))
    }

    fn assemble(
        map: &Map,
        subgoals: Subgoals,
        dissection: Dissection,
        rows: Rows,
        blocks: Blocks,
    ) -> Self {
        let labelled = Labelled {
            subgoals: Arc::new(subgoals),
            dissection,
            rows,
            blocks,
            deltas: deltas(grid_of(map).map_or(0, Grid::width)),
        };
        Self { map: map.clone(), labelled: Arc::new(labelled), edited: None }
    }

    /// The index of the edited map; `None` where it has to be built from scratch. Labels and all that lies apart
    /// from the edit are shared.
    pub(super) fn refresh(&self, map: &Map, changes: &Changes) -> Option<Self> {
        let (before, after) = (grid_of(&self.map)?, grid_of(map)?);
        Self::supports(map).ok()?;
        if (before.width(), before.height()) != (after.width(), after.height()) {
            return None;
        }
        let mut edited = match &self.edited {
            Some(edited) => edited.clone(),
            None => Edited::new(before, &self.labelled.subgoals),
        };
        let cells = changes.cells.iter().map(|change| change.node);
        let cells: Vec<NodeId> = cells.filter(|&node| after.position(node).is_some()).collect();
        if cells.is_empty() {
            return Some(Self { map: map.clone(), ..self.clone() });
        }
        edited.follow(after, &cells);
        let labelled = Arc::clone(&self.labelled);
        let edited = Some(edited).filter(|edited| edited.freed() <= MOST_FREED)?;
        Some(Self { map: map.clone(), labelled, edited: Some(edited) })
    }

    pub(super) fn map(&self) -> &Map {
        &self.map
    }

    /// Whether labels are those of the map.
    pub(super) fn is_labelled(&self) -> bool {
        self.edited.is_none()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let Labelled { subgoals, dissection, rows, blocks, .. } = &*self.labelled;
        fixed_bytes(subgoals, dissection, rows)
            + rows.costs.memory_bytes()
            + blocks.words.memory_bytes()
            + self.edited.as_ref().map_or(0, |edited| edited.bytes_beside(subgoals))
    }

    /// Which form it has, and why, in words.
    pub(super) fn describe(&self, why: Why) -> String {
        let Labelled { dissection, rows, .. } = &*self.labelled;
        describe(&form(rows), why, dissection.tree.len())
    }
}

/// A grid reduced to its subgoals, and where the rows of their labels will lie.
pub(super) struct Outline {
    map: Map,
    subgoals: Subgoals,
    dissection: Dissection,
    rows: Rows,
    /// Words of all blocks.
    words: usize,
}

impl Outline {
    /// Refuses what cannot have this form, or would take more than the limit.
    pub(super) fn new(
        map: &Map,
        partitioner: &Partitioner,
        limit: Option<u64>,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        Uniform::supports(map)?;
        let Some(grid) = grid_of(map) else { unreachable!("graphs are not supported") };
        let subgoals = Subgoals::new(grid);
        let topology = Topology::of_graph(&subgoals)?.with_points(|node| {
            let spot = subgoals.sight.spot(node);
            Point { x: spot.x as i32, y: spot.y as i32 }
        });
        let watch = Watch::new(progress, "regions", topology.node_count());
        let dissection = dissect(topology, partitioner, LEAF, &watch)?;
        watch.check()?;
        let too_many = || unsupported("too many of its corners are in each other's way");
        let rows = Rows::laid_out(&dissection.tree, &dissection.members, &subgoals);
        let mut rows = rows.ok_or_else(too_many)?;
        let words = blocks::lay_out(&subgoals, &mut rows).ok_or_else(too_many)?;
        let outline = Self { map: map.clone(), subgoals, dissection, rows, words };
        let needed = outline.bytes();
        match limit {
            Some(limit) if needed > limit => {
                Err(BuildError::MemoryLimit { needed, limit, smaller: None })
            }
            _ => Ok(outline),
        }
    }

    /// What the index will take.
    pub(super) fn bytes(&self) -> u64 {
        let planned = 4 * (self.rows.entries() + self.words);
        (fixed_bytes(&self.subgoals, &self.dissection, &self.rows) + planned) as u64
    }

    /// Which form it will have, and why, in words.
    pub(super) fn describe(&self, why: Why) -> String {
        describe(&form(&self.rows), why, self.dissection.tree.len())
    }

    pub(super) fn fill(self, progress: &dyn Progress) -> Result<Uniform, BuildError> {
        let Self { map, subgoals, dissection, mut rows, words } = self;
        rows.fill(&subgoals, &dissection, progress)?;
        let blocks = Blocks::build(&subgoals, &rows, words);
        Ok(Uniform::assemble(&map, subgoals, dissection, rows, blocks))
    }
}

fn form(rows: &Rows) -> String {
    format!("labels of {} subgoals", rows.heads.len())
}

/// Bytes of all but the rows' costs and the blocks.
fn fixed_bytes(subgoals: &Subgoals, dissection: &Dissection, rows: &Rows) -> usize {
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
