//! Which cells of a grid hang together, kept up to date through edits.
//!
//! The components are found when first asked for. After that an edit is repaired from the 3 x 3 block
//! round the cell wherever that block decides: freeing a cell can only join what lies round it, and
//! blocking one splits nothing as long as the cells round it still hang together among themselves.
//! Otherwise, or when many patches have gathered, the components are forgotten and found anew when next
//! asked for.
//!
//! Patches stand beside the table instead of in it, so that clones of the grid can go on sharing it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::{Direction, Grid};
use crate::graph::{Components, Graph, NodeId, weak_components};

/// Beyond this many patches finding the components anew is the better bargain; it also bounds how many names a
/// look-up may have to follow.
const MAX_PATCHES: usize = 1024;

#[derive(Clone, Default)]
pub(super) struct GridComponents {
    known: OnceLock<Known>,
}

#[derive(Clone)]
struct Known {
    table: Arc<Components>,
    /// Names of cells that were freed after the table was made.
    patched: HashMap<NodeId, NodeId>,
    /// Names that were joined to other names.
    joined: HashMap<NodeId, NodeId>,
    /// The next name for a freed cell that touches nothing; counts down from above all cells.
    next_name: NodeId,
}

impl GridComponents {
    /// The name of the component of a passable cell.
    pub(super) fn of(&self, grid: &Grid, node: NodeId) -> NodeId {
        self.known.get_or_init(|| Known::find(grid)).of(node)
    }

    /// Follows the edit of a cell, which has already been made in the grid.
    pub(super) fn repair(&mut self, grid: &Grid, node: NodeId, passable: bool) {
        let Some(known) = self.known.get_mut() else { return };
        let repaired = if passable { known.free(grid, node) } else { known.block(grid, node) };
        if !repaired {
            self.known = OnceLock::new();
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.known.get().map_or(0, |known| {
            known.table.memory_bytes()
                + (known.patched.capacity() + known.joined.capacity())
                    * size_of::<(NodeId, NodeId)>()
        })
    }
}

impl Known {
    fn find(grid: &Grid) -> Self {
        Self {
            table: Arc::new(weak_components(grid)),
            patched: HashMap::new(),
            joined: HashMap::new(),
            next_name: NodeId::MAX - 1,
        }
    }

    fn of(&self, node: NodeId) -> NodeId {
        if self.patched.is_empty() && self.joined.is_empty() {
            return self.table.of(node).unwrap_or(node);
        }
        let name = self.patched.get(&node).copied().or_else(|| self.table.of(node));
        self.root(name.unwrap_or(node))
    }

    fn root(&self, mut name: NodeId) -> NodeId {
        while let Some(&next) = self.joined.get(&name) {
            name = next;
        }
        name
    }

    /// A cell was freed: it joins what it touches, and so do its neighbours past it.
    fn free(&mut self, grid: &Grid, node: NodeId) -> bool {
        let nodes = grid.node_count();
        let patches = self.patched.len() + self.joined.len();
        if patches >= MAX_PATCHES || (self.next_name as usize) < nodes {
            return false;
        }
        // The younger of two names gives way. Names of the table are oldest; new ones count down.
        let age = |name: NodeId| match (name as usize) < nodes {
            true => (0, name),
            false => (1, !name),
        };
        self.patched.insert(node, self.next_name);
        self.next_name -= 1;
        for (a, b) in steps_in_block(grid, node) {
            let (a, b) = (self.of(a), self.of(b));
            if a != b {
                let (older, younger) = if age(a) < age(b) { (a, b) } else { (b, a) };
                self.joined.insert(younger, older);
            }
        }
        true
    }

    /// A cell was blocked: nothing splits while the cells round it hang together without it.
    fn block(&mut self, grid: &Grid, node: NodeId) -> bool {
        let ring: Vec<NodeId> = block_of(grid, node).filter(|&cell| cell != node).collect();
        let mut groups: HashMap<NodeId, NodeId> = ring.iter().map(|&cell| (cell, cell)).collect();
        for (a, b) in steps_in_block(grid, node) {
            let (Some(&keep), Some(&fold)) = (groups.get(&a), groups.get(&b)) else { continue };
            for group in groups.values_mut().filter(|group| **group == fold) {
                *group = keep;
            }
        }
        let splits = ring.iter().any(|a| {
            ring.iter().any(|b| self.of(*a) == self.of(*b) && groups.get(a) != groups.get(b))
        });
        self.patched.remove(&node);
        !splits
    }
}

/// The passable cells of the 3 x 3 block round a cell.
fn block_of(grid: &Grid, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let (x, y) = grid.split(node);
    (-1..=1)
        .flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)))
        .filter_map(move |(dx, dy)| Some((x.checked_add_signed(dx)?, y.checked_add_signed(dy)?)))
        .filter(|&(x, y)| grid.is_passable(x, y))
        .map(|(x, y)| grid.join(x, y))
}

/// The legal steps between passable cells of the 3 x 3 block round a cell.
fn steps_in_block(grid: &Grid, node: NodeId) -> Vec<(NodeId, NodeId)> {
    let (x, y) = grid.split(node);
    let inside = |cell: NodeId| {
        let (cx, cy) = grid.split(cell);
        cx.abs_diff(x) <= 1 && cy.abs_diff(y) <= 1
    };
    let mut steps = Vec::new();
    for cell in block_of(grid, node) {
        let (cx, cy) = grid.split(cell);
        let heads =
            grid.moves(cx, cy).map(|d: Direction| cell.wrapping_add(grid.offsets[d as usize]));
        steps.extend(heads.filter(|&head| inside(head)).map(|head| (cell, head)));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::{Connectivity, Corners};
    use super::*;
    use crate::generate::Random;

    #[test]
    fn a_door_that_opens_and_shuts_for_ever_stays_cheap() {
        let mut grid = Grid::from_fn(9, 3, |x, y| y == 1 && x != 4).unwrap();
        grid.component(0, 1);
        for _ in 0..20_000 {
            grid.set_passable(4, 1, true).unwrap();
            assert_eq!(grid.component(0, 1), grid.component(8, 1));
            grid.set_passable(4, 1, false).unwrap();
            assert_ne!(grid.component(0, 1), grid.component(8, 1));
            let known = grid.components.known.get().expect("asked for just now");
            assert!(known.patched.len() + known.joined.len() <= MAX_PATCHES + 8);
        }
    }

    /// Long edit sequences on small grids: after each edit, two cells have the same name exactly if
    /// they have the same name in components found from scratch.
    #[test]
    fn repairs_agree_with_components_found_anew() {
        let rules = [
            (Connectivity::Four, Corners::Never),
            (Connectivity::Eight, Corners::Never),
            (Connectivity::Eight, Corners::PastOne),
            (Connectivity::Eight, Corners::Always),
            (Connectivity::Hex, Corners::Never),
        ];
        let mut repaired = 0;
        for (seed, (connectivity, corners)) in (1..).zip(rules) {
            let mut random = Random::new(seed);
            let mut grid = Grid::from_fn(9, 7, |_, _| random.below(3) > 0)
                .unwrap()
                .with_connectivity(connectivity)
                .with_corners(corners);
            grid.component(0, 0);
            for edit in 0..400 {
                let (x, y) = (random.below(9) as u32, random.below(7) as u32);
                let passable = grid.is_passable(x, y);
                grid.set_passable(x, y, !passable).unwrap();
                repaired += usize::from(grid.components.known.get().is_some());
                let anew = weak_components(&grid);
                let cells: Vec<NodeId> = (0..63).filter(|&node| anew.of(node).is_some()).collect();
                for &a in &cells {
                    for &b in &cells {
                        let same = grid.components.of(&grid, a) == grid.components.of(&grid, b);
                        assert_eq!(same, anew.same(a, b), "seed {seed} edit {edit}: {a} and {b}");
                    }
                }
            }
        }
        assert!(repaired > 500, "most edits should be repaired in place, not {repaired} of 2000");
    }
}
