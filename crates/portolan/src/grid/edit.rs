//! Edits of a grid.

use std::sync::Arc;

use super::{Graph, Grid, GridError};
use crate::changes::{ChangeError, Changes};
use crate::graph::NodeId;

impl Grid {
    /// Blocks or frees a cell. Returns whether that changed it.
    pub fn set_passable(&mut self, x: u32, y: u32, passable: bool) -> Result<bool, GridError> {
        let node = self.checked(x, y)?;
        if self.cells.get(x, y) == passable {
            return Ok(false);
        }
        Arc::make_mut(&mut self.cells).set(x, y, passable);
        self.repair_components(node);
        Ok(true)
    }

    /// Sets the terrain factor of a cell. Adds terrain to a grid without it. Returns whether that
    /// changed the factor.
    pub fn set_factor(&mut self, x: u32, y: u32, factor: u8) -> Result<bool, GridError> {
        let node = self.checked(x, y)? as usize;
        if factor == 0 {
            return Err(GridError::ZeroFactor { x, y });
        }
        if self.terrain.is_none() && factor == 1 {
            return Ok(false);
        }
        if self.terrain.is_none() {
            *self = self.clone().with_terrain(vec![1; self.node_count()])?;
        }
        let Some(terrain) = &mut self.terrain else { return Ok(false) };
        let before = terrain.factors[node];
        if before == factor {
            return Ok(false);
        }
        terrain.counts[usize::from(before)] -= 1;
        terrain.counts[usize::from(factor)] += 1;
        Arc::make_mut(&mut terrain.factors)[node] = factor;
        Ok(true)
    }

    /// Applies all changes, or none if one of them is impossible.
    pub fn apply(&mut self, changes: &Changes) -> Result<(), ChangeError> {
        if !changes.nodes.is_empty() || !changes.edges.is_empty() {
            return Err(ChangeError::NotAGraph);
        }
        let cells = changes.cells.iter().map(|change| change.node);
        let ground = changes.terrain.iter().map(|change| change.node);
        if let Some(node) = cells.chain(ground).find(|&node| self.position(node).is_none()) {
            return Err(self.no_such_node(node));
        }
        if let Some(change) = changes.terrain.iter().find(|change| change.factor == 0) {
            return Err(ChangeError::ZeroFactor { at: self.extent().location(change.node) });
        }
        if !changes.terrain.is_empty() && !self.has_terrain() {
            return Err(ChangeError::NoTerrain);
        }
        self.drop_components_before(changes);
        for change in &changes.cells {
            let (x, y) = self.split(change.node);
            self.set_passable(x, y, change.passable).map_err(|_| self.no_such_node(change.node))?;
        }
        for change in &changes.terrain {
            let (x, y) = self.split(change.node);
            self.set_factor(x, y, change.factor).map_err(|_| self.no_such_node(change.node))?;
        }
        Ok(())
    }

    /// Whether this grid is `before` with exactly these changes applied.
    pub(crate) fn follows(&self, before: &Self, changes: &Changes) -> bool {
        let rules = |grid: &Self| {
            let size = (grid.width(), grid.height());
            (size, grid.connectivity, grid.corners, grid.has_terrain())
        };
        let nodes = self.node_count() as NodeId;
        let mut cells: Vec<NodeId> = changes.cells.iter().map(|change| change.node).collect();
        let mut ground: Vec<NodeId> = changes.terrain.iter().map(|change| change.node).collect();
        if rules(self) != rules(before)
            || !(changes.nodes.is_empty() && changes.edges.is_empty())
            || cells.iter().chain(&ground).any(|&node| node >= nodes)
        {
            return false;
        }
        let differing = |changed: &mut Vec<NodeId>, differs: &dyn Fn(NodeId) -> bool| {
            changed.sort_unstable();
            changed.dedup();
            changed.iter().filter(|&&node| differs(node)).count()
        };
        // An edit usually changes cells or terrain only, and the two grids share the other array.
        let same_cells = Arc::ptr_eq(&self.cells, &before.cells) || {
            let differs = |node| self.contains(node) != before.contains(node);
            self.cells.differences(&before.cells) == differing(&mut cells, &differs)
        };
        let same_ground = match (&self.terrain, &before.terrain) {
            (Some(after), Some(before)) if !Arc::ptr_eq(&after.factors, &before.factors) => {
                const ROW: usize = 512;
                let rows = after.factors.chunks(ROW).zip(before.factors.chunks(ROW));
                let changed = rows.filter(|(a, b)| a != b).flat_map(|(a, b)| a.iter().zip(b));
                let differs = |node| after.factors[node as usize] != before.factors[node as usize];
                changed.filter(|(a, b)| a != b).count() == differing(&mut ground, &differs)
            }
            _ => true,
        };
        same_cells && same_ground
    }

    /// Whether two grids have the same size, rules and terrain.
    pub(crate) fn differ_in_cells_only(&self, other: &Self) -> bool {
        let rules = |grid: &Self| {
            let size = (grid.width(), grid.height());
            (size, grid.connectivity, grid.corners)
        };
        let same_terrain = match (&self.terrain, &other.terrain) {
            (Some(a), Some(b)) => Arc::ptr_eq(&a.factors, &b.factors) || a.factors == b.factors,
            (None, None) => true,
            _ => false,
        };
        rules(self) == rules(other) && same_terrain
    }

    /// The number of cells that are passable on one of two grids of the same size.
    pub(crate) fn differing_count(&self, other: &Self) -> usize {
        if Arc::ptr_eq(&self.cells, &other.cells) {
            0
        } else {
            self.cells.differences(&other.cells)
        }
    }

    /// The cells that are passable on one of two grids of the same size, in ascending order.
    pub(crate) fn differing_cells(&self, other: &Self) -> impl Iterator<Item = NodeId> {
        let cells = self.cells.differing(&other.cells);
        cells.map(|(x, y)| self.join(x, y))
    }

    fn no_such_node(&self, node: NodeId) -> ChangeError {
        ChangeError::NoSuchNode { at: node.into(), extent: self.extent() }
    }

    fn checked(&self, x: u32, y: u32) -> Result<NodeId, GridError> {
        let (width, height) = (self.width(), self.height());
        self.node(x, y).ok_or(GridError::Outside { x, y, width, height })
    }
}
