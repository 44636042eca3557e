//! The map of a scene, before and after cells were painted, and distances that are kept.

use std::sync::Arc;

use portolan::heuristic::{Geometric, HeuristicChoice};
use portolan::search::{Scratch, dijkstra};
use portolan::{Cost, Graph, Grid, Map, NodeId, UNREACHABLE};

use crate::error::{LabError, bad_request};
use crate::maps::check_count;

/// The true distance between one node and every other, by node; `UNREACHABLE` if there is no path.
/// Grids are undirected, so both directions are the same.
pub(super) type Column = Arc<[Cost]>;

/// The largest map. Each landmark takes four bytes for every cell.
const MOST_CELLS: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct EditedMap {
    chosen: Arc<Map>,
    painted: Vec<NodeId>,
    /// The distances of landmarks were computed after this many of the painted cells.
    known: usize,
    /// The map after these.
    pub(super) before: Grid,
    /// The map after all of them.
    pub(super) now: Grid,
    pub(super) geometric: Geometric,
    tables: Columns,
    truths: Columns,
    pub(super) scratch: Scratch,
}

/// Columns of one version of the map.
#[derive(Debug, Default)]
struct Columns(Vec<(NodeId, Column)>);

impl EditedMap {
    /// The ground of a map with these painted cells, of which the first `known` are known to
    /// landmarks. Takes over what still holds of an earlier one.
    pub(super) fn of(
        earlier: Option<Self>,
        map: &Arc<Map>,
        (painted, known): (&[NodeId], usize),
    ) -> Result<Self, LabError> {
        if known > painted.len() {
            return Err(bad_request("more painted cells are known than there are"));
        }
        check_count("the scene", painted.len() as u64, MOST_CELLS, "painted cells")?;
        let mut ground = match earlier.filter(|ground| Arc::ptr_eq(&ground.chosen, map)) {
            Some(ground) => ground,
            None => Self::new(map)?,
        };
        if ground.painted != painted || ground.known != known {
            ground.paint(painted, known)?;
        }
        Ok(ground)
    }

    fn new(map: &Arc<Map>) -> Result<Self, LabError> {
        let Map::Grid(grid) = &**map else {
            let message = "landmarks are shown on grids; this map is a road network";
            return Err(LabError::WrongMap(message.into()));
        };
        check_count("the map", map.node_count() as u64, MOST_CELLS, "cells in this view")?;
        Ok(Self {
            chosen: map.clone(),
            painted: Vec::new(),
            known: 0,
            before: grid.clone(),
            now: grid.clone(),
            geometric: geometric(grid)?,
            tables: Columns::default(),
            truths: Columns::default(),
            scratch: Scratch::default(),
        })
    }

    /// Makes both versions of the map anew, except for what was painted before.
    fn paint(&mut self, painted: &[NodeId], known: usize) -> Result<(), LabError> {
        let Map::Grid(chosen) = &*self.chosen else { return Ok(()) };
        let is_longer = known == self.known && painted.starts_with(&self.painted);
        let (before, mut now) = if is_longer {
            (self.before.clone(), self.now.clone())
        } else {
            let mut before = chosen.clone();
            toggle(&mut before, &painted[..known])?;
            let mut now = before.clone();
            toggle(&mut now, &painted[known..])?;
            if painted[..known] != self.painted[..self.known] {
                self.tables = Columns::default();
            }
            (before, now)
        };
        if is_longer {
            toggle(&mut now, &painted[self.painted.len()..])?;
        }
        self.geometric = geometric(&now)?;
        self.truths = Columns::default();
        (self.before, self.now) = (before, now);
        (self.painted, self.known) = (painted.to_vec(), known);
        Ok(())
    }

    /// Refuses landmarks that are not on the map.
    pub(super) fn check_landmarks(&self, landmarks: &[NodeId]) -> Result<(), LabError> {
        let count = self.now.node_count();
        match landmarks.iter().find(|&&landmark| landmark as usize >= count) {
            Some(landmark) => Err(bad_request(format!("there is no cell {landmark}"))),
            None => Ok(()),
        }
    }

    /// The distances of landmarks as they were when landmarks were computed.
    pub(super) fn columns(&mut self, landmarks: &[NodeId]) -> Vec<Column> {
        self.tables.get(&self.before, landmarks, &mut self.scratch)
    }

    /// The true distances of a node, as the map is now. The last two are kept.
    pub(super) fn truth(&mut self, node: NodeId) -> Column {
        let mut wanted: Vec<NodeId> = self.truths.0.iter().map(|&(node, _)| node).collect();
        wanted.retain(|&kept| kept != node);
        wanted.drain(..wanted.len().saturating_sub(1));
        wanted.push(node);
        let mut columns = self.truths.get(&self.now, &wanted, &mut self.scratch);
        columns.swap_remove(wanted.len() - 1)
    }

    pub(super) fn now_as_map(&self) -> Map {
        Map::Grid(self.now.clone())
    }

    /// A cost in steps.
    pub(super) fn length(&self, cost: Cost) -> f64 {
        f64::from(cost) / f64::from(self.now.unit())
    }
}

impl Columns {
    /// The columns of these nodes, in their order. Computes those that are missing, and forgets all
    /// others.
    fn get(&mut self, grid: &Grid, nodes: &[NodeId], scratch: &mut Scratch) -> Vec<Column> {
        self.0.retain(|(node, _)| nodes.contains(node));
        let column = |&node: &NodeId| {
            if let Some((_, column)) = self.0.iter().find(|&&(kept, _)| kept == node) {
                return column.clone();
            }
            let column = distances(grid, node, scratch);
            self.0.push((node, column.clone()));
            column
        };
        nodes.iter().map(column).collect()
    }
}

/// The distances of a node; none at all if it is blocked.
pub(super) fn distances(grid: &Grid, node: NodeId, scratch: &mut Scratch) -> Column {
    let count = grid.node_count() as NodeId;
    if !grid.contains(node) || dijkstra::one_to_all(grid, scratch, node).is_err() {
        return (0..count).map(|_| UNREACHABLE).collect();
    }
    (0..count).map(|node| scratch.cost(node).unwrap_or(UNREACHABLE)).collect()
}

fn geometric(grid: &Grid) -> Result<Geometric, LabError> {
    Geometric::new(&Map::Grid(grid.clone()), HeuristicChoice::Auto)
        .map_err(|error| LabError::Failed(error.to_string()))
}

/// Blocks free cells, and frees blocked ones.
fn toggle(grid: &mut Grid, cells: &[NodeId]) -> Result<(), LabError> {
    for &cell in cells {
        let there_is_none = || bad_request(format!("there is no cell {cell}"));
        let (x, y) = grid.position(cell).ok_or_else(there_is_none)?;
        let is_free = grid.is_passable(x, y);
        grid.set_passable(x, y, !is_free).map_err(|error| bad_request(error.to_string()))?;
    }
    Ok(())
}
