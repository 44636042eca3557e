//! Gates: straight lines of cells through which a zone can be left.
//!
//! Invariant: every cell with a neighbour in another zone is in exactly one gate of its own zone.
//! Zones without gates are closed: no path enters or leaves them. They have no number.

use super::zones::NO_ZONE;
use crate::graph::{Graph, NodeId};
use crate::grid::{Connectivity, Grid};
use crate::store::{Array, Words};

/// The zones of all cells, and the gates of each zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gates {
    /// By cell, its zone if that has gates, otherwise [`CLOSED`].
    zones: Array<u16>,
    /// By gate, its first and last cell. Gates of one zone are adjacent.
    lines: Words,
    /// By zone, its first gate. The last entry is the number of gates.
    first: Vec<u16>,
    /// All gates in order, so that the gates of a zone are a slice.
    all: Vec<u16>,
}

/// The zone of cells that are blocked or in a closed zone.
pub(super) const CLOSED: u16 = u16::MAX;

/// The largest number of gates.
pub(super) const MOST_GATES: usize = CLOSED as usize - 1;

impl Gates {
    /// Finds the gates of zones. If there are more than [`MOST_GATES`], the error is their number.
    pub(super) fn find(grid: &Grid, zones: &[u32]) -> Result<Self, usize> {
        let mut lines = lines(grid, zones);
        lines.sort_unstable();
        if lines.len() > MOST_GATES {
            return Err(lines.len());
        }
        let mut names =
            vec![
                CLOSED;
                zones.iter().filter(|&&z| z != NO_ZONE).max().map_or(0, |&z| z as usize + 1)
            ];
        let mut first = Vec::new();
        for (gate, &(zone, ..)) in lines.iter().enumerate() {
            if names[zone as usize] == CLOSED {
                names[zone as usize] = first.len() as u16;
                first.push(gate as u16);
            }
        }
        first.push(lines.len() as u16);
        let name = |&zone: &u32| names.get(zone as usize).copied().unwrap_or(CLOSED);
        let lines: Words = lines.into_iter().flat_map(|(_, from, to)| [from, to]).collect();
        let all = (0..lines.len() as u16 / 2).collect();
        Ok(Self { zones: zones.iter().map(name).collect(), lines, first, all })
    }

    /// From stored arrays. The error says why they are not the gates of this grid.
    pub(super) fn from_arrays(
        grid: &Grid,
        zones: Array<u16>,
        lines: Words,
    ) -> Result<Self, String> {
        if zones.len() != grid.node_count() {
            return Err(format!("{} zones for {} cells", zones.len(), grid.node_count()));
        }
        let (pairs, rest) = lines.as_chunks::<2>();
        if !rest.is_empty() || pairs.len() >= usize::from(CLOSED) {
            return Err(format!("{} is not a valid number of gate ends", lines.len()));
        }
        let mut first: Vec<u16> = Vec::new();
        for (gate, &[from, to]) in pairs.iter().enumerate() {
            let on_line = match (grid.position(from), grid.position(to)) {
                (Some(a), Some(b)) => a.0 <= b.0 && a.1 <= b.1 && (a.0 == b.0 || a.1 == b.1),
                _ => false,
            };
            let zone = zones.get(from as usize).copied().unwrap_or(CLOSED);
            match usize::from(zone) {
                zone if on_line && zone + 1 == first.len() => {}
                zone if on_line && zone == first.len() => first.push(gate as u16),
                _ => return Err(format!("gate {gate} is not a line of cells of zone {zone}")),
            }
        }
        if let Some(zone) = zones.iter().find(|&&z| z != CLOSED && usize::from(z) >= first.len()) {
            return Err(format!("zone {zone} has no gate"));
        }
        first.push(pairs.len() as u16);
        let all = (0..pairs.len() as u16).collect();
        Ok(Self { zones, lines, first, all })
    }

    /// The number of gates.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of zones that have gates.
    pub(super) fn zones(&self) -> usize {
        self.first.len() - 1
    }

    /// The zone of a cell, [`CLOSED`] for all closed zones. `None` outside the map.
    #[inline(always)]
    pub(super) fn zone(&self, node: NodeId) -> Option<u16> {
        self.zones.get(node as usize).copied()
    }

    /// The gates of a zone. None if it is closed.
    #[inline(always)]
    pub(super) fn of(&self, zone: u16) -> &[u16] {
        let Some(&end) = self.first.get(usize::from(zone) + 1) else { return &[] };
        &self.all[usize::from(self.first[usize::from(zone)])..usize::from(end)]
    }

    /// The first and last cell of a gate.
    #[inline(always)]
    pub(super) fn ends(&self, gate: u16) -> (NodeId, NodeId) {
        let at = usize::from(gate) * 2;
        (self.lines[at], self.lines[at + 1])
    }

    /// All cells of a gate.
    pub(super) fn cells(&self, grid: &Grid, gate: u16) -> Vec<NodeId> {
        let (first, last) = self.ends(gate);
        let (Some(a), Some(b)) = (grid.position(first), grid.position(last)) else {
            return Vec::new();
        };
        (a.1..=b.1).flat_map(|y| (a.0..=b.0).filter_map(move |x| grid.node(x, y))).collect()
    }

    pub(super) fn arrays(&self) -> (&[u16], &[u32]) {
        (&self.zones, &self.lines)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let lists = size_of_val(&*self.first) + size_of_val(&*self.all);
        self.zones.memory_bytes() + self.lines.memory_bytes() + lists
    }
}

/// The zone, first cell and last cell of each gate.
fn lines(grid: &Grid, zones: &[u32]) -> Vec<(u32, NodeId, NodeId)> {
    let exits: Vec<u32> = (0..zones.len() as NodeId).map(|node| exit(grid, zones, node)).collect();
    let mut covered = vec![false; zones.len()];
    let mut lines = Vec::new();
    // Columns of hexagonal grids are not straight, so gates of these follow rows only.
    let column_step = NodeId::from(grid.connectivity() != Connectivity::Hex) * grid.width();
    for node in 0..zones.len() as NodeId {
        if exits[node as usize] == NO_ZONE || covered[node as usize] {
            continue;
        }
        let zone_and_exit = |node: NodeId| (zones[node as usize], exits[node as usize]);
        let last_along = |step: NodeId| {
            let mut last = node;
            loop {
                let next = last + step;
                let on_row = step > 1 || !next.is_multiple_of(grid.width());
                let on_map = step > 0 && on_row && (next as usize) < zones.len();
                if !on_map || covered[next as usize] || zone_and_exit(next) != zone_and_exit(node) {
                    break;
                }
                last = next;
            }
            last
        };
        let (right, down) = (last_along(1), last_along(column_step));
        let rows = down.checked_sub(node).and_then(|d| d.checked_div(grid.width())).unwrap_or(0);
        let (last, step) = if rows > right - node { (down, column_step) } else { (right, 1) };
        (node..=last).step_by(step.max(1) as usize).for_each(|cell| covered[cell as usize] = true);
        lines.push((zones[node as usize], node, last));
    }
    lines
}

/// The smallest other zone that a cell has a neighbour in; [`NO_ZONE`] for none.
fn exit(grid: &Grid, zones: &[u32], node: NodeId) -> u32 {
    let mut exit = NO_ZONE;
    grid.out_edges(node, |head, _| {
        let zone = zones[head as usize];
        if zone != zones[node as usize] {
            exit = exit.min(zone);
        }
    });
    exit
}

#[cfg(test)]
mod tests {
    use super::super::zones::flood;
    use super::*;
    use crate::random::Random;

    #[test]
    fn all_exits_of_a_zone_are_in_gates() {
        use Connectivity::{Eight, Four, Hex};
        for seed in 0..60 {
            let mut random = Random::new(seed);
            let grid = Grid::from_fn(17, 13, |_, _| !random.chance(0.25)).unwrap();
            let grid = grid.with_connectivity([Four, Eight, Hex][seed as usize % 3]);
            let zones = flood(&grid);
            let gates = Gates::find(&grid, &zones).unwrap();
            let mut owner = vec![None; zones.len()];
            for zone in 0..gates.zones() as u16 {
                for &gate in gates.of(zone) {
                    for cell in gates.cells(&grid, gate) {
                        assert_eq!(gates.zone(cell), Some(zone));
                        assert_eq!(owner[cell as usize].replace(gate), None, "in two gates");
                    }
                }
            }
            for node in 0..zones.len() as NodeId {
                let leaves = exit(&grid, &zones, node) != NO_ZONE;
                assert_eq!(owner[node as usize].is_some(), leaves, "seed {seed}, cell {node}");
            }
            let (zones, lines) = gates.arrays();
            let opened = Gates::from_arrays(&grid, zones.to_vec().into(), lines.to_vec().into());
            assert_eq!(opened, Ok(gates));
        }
    }
}
