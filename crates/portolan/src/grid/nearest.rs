//! The nearest cell to a position that satisfies a condition.

use super::Grid;
use crate::graph::NodeId;

impl Grid {
    /// The passable cell nearest to a position, which may be blocked or outside the map; `None` if
    /// no cell is passable. Distance is measured on open ground; of equally near cells the first in
    /// row order is returned.
    pub fn nearest_passable(&self, x: u32, y: u32) -> Option<(u32, u32)> {
        self.nearest_where(x, y, |_, _| true)
    }

    /// The cell nearest to `to`, or `to` itself, that is reachable from the passable cell `from`.
    pub(crate) fn nearest_reachable(&self, from: NodeId, to: NodeId) -> NodeId {
        let ((x, y), (from_x, from_y)) = (self.split(to), self.split(from));
        let component = self.component(from_x, from_y);
        let nearest = self.nearest_where(x, y, |x, y| self.component(x, y) == component);
        nearest.map_or(from, |(x, y)| self.join(x, y))
    }

    /// The nearest passable cell that also satisfies a condition; see
    /// [`nearest_passable`](Self::nearest_passable).
    ///
    /// Scans squares of growing size around the position. A cell of the square at distance r is at
    /// least r steps away with every connectivity, which gives the stopping rule.
    pub fn nearest_where(
        &self,
        x: u32,
        y: u32,
        mut accepts: impl FnMut(u32, u32) -> bool,
    ) -> Option<(u32, u32)> {
        let (last_x, last_y) = (self.width() - 1, self.height() - 1);
        let first = x.saturating_sub(last_x).max(y.saturating_sub(last_y));
        let last = x.max(last_x.saturating_sub(x)).max(y).max(last_y.saturating_sub(y));
        let mut best: Option<(u64, u32, u32)> = None;
        for r in first..=last {
            if best.is_some_and(|(distance, _, _)| {
                distance < u64::from(r) * u64::from(crate::cost::STRAIGHT)
            }) {
                break;
            }
            let (left, right) = (x.saturating_sub(r), x.saturating_add(r).min(last_x));
            let (top, bottom) = (y.saturating_sub(r), y.saturating_add(r).min(last_y));
            for cy in top..=bottom {
                // The rows at distance r are scanned whole, the others only at their two ends.
                let whole_row = cy.abs_diff(y) == r;
                let ends = [x.checked_sub(r), x.checked_add(r).filter(|&cx| cx <= last_x && r > 0)];
                let row = if whole_row { left..right.saturating_add(1) } else { 0..0 };
                let ends = ends.into_iter().flatten().filter(|&cx| !whole_row && cx <= last_x);
                for cx in row.chain(ends) {
                    if self.is_passable(cx, cy) && accepts(cx, cy) {
                        let found = (self.open_distance((x, y), (cx, cy)), cy, cx);
                        best = Some(best.map_or(found, |best| best.min(found)));
                    }
                }
            }
        }
        best.map(|(_, y, x)| (x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Connectivity;
    use crate::random::Random;

    #[test]
    fn agrees_with_a_scan_of_every_cell() {
        let mut random = Random::new(11);
        for round in 0..300 {
            let (width, height) = (1 + random.below(9) as u32, 1 + random.below(9) as u32);
            let connectivity = [Connectivity::Four, Connectivity::Eight, Connectivity::Hex];
            let grid = Grid::from_fn(width, height, |_, _| random.below(6) == 0)
                .unwrap()
                .with_connectivity(connectivity[round % 3]);
            let (x, y) = (random.below(14) as u32, random.below(14) as u32);
            let expected = (0..height)
                .flat_map(|cy| (0..width).map(move |cx| (cx, cy)))
                .filter(|&(cx, cy)| grid.is_passable(cx, cy))
                .min_by_key(|&cell| (grid.open_distance((x, y), cell), cell.1, cell.0));
            assert_eq!(grid.nearest_passable(x, y), expected, "round {round}: {x},{y}");
        }
    }

    #[test]
    fn a_position_far_outside_takes_no_time() {
        let grid = Grid::new(3, 3).unwrap();
        assert_eq!(grid.nearest_passable(u32::MAX, 1), Some((2, 1)));
        for connectivity in [Connectivity::Four, Connectivity::Eight] {
            let grid = grid.clone().with_connectivity(connectivity);
            assert_eq!(grid.nearest_passable(u32::MAX, u32::MAX), Some((2, 2)));
        }
        let blocked = Grid::from_fn(3, 3, |_, _| false).unwrap();
        assert_eq!(blocked.nearest_passable(u32::MAX, 0), None);
    }
}
