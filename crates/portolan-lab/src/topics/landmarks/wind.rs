//! The wind: a field of arrows, one for every few cells. Each points to the neighbour with the least
//! estimated cost to the goal, where the heuristic pushes a search, and says whether a shortest path
//! goes that way.

use portolan::heuristic::LowerBound;
use portolan::{Cost, Graph, NodeId, UNREACHABLE};
use serde::Deserialize;

use super::bound::LandmarkBound;
use super::check_number;
use super::ground::{Column, EditedMap};
use crate::error::LabError;
use crate::maps::check_count;

/// Which arrows are wanted.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(in crate::topics) struct Wind {
    of: Guide,
    /// Cells from one arrow to the next; the first is half of that from the corner of the map.
    stride: u32,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Guide {
    Distance,
    Landmarks,
    Truth,
}

/// The most arrows of an answer.
const MOST_ARROWS: u64 = 1 << 14;

/// No arrow here.
const NONE: u8 = 255;
/// Added if no shortest path goes this way.
const WRONG: u8 = 16;

/// A byte for each arrow, row by row: the step (x from 0 to 2, plus three times y), and [`WRONG`].
pub(super) fn arrows(
    wind: Wind,
    ground: &EditedMap,
    columns: &[Column],
    (to, truth): (NodeId, &Column),
) -> Result<Vec<u8>, LabError> {
    let grid = &ground.now;
    let (width, height) = (grid.width(), grid.height());
    let most = width.max(height).max(1);
    check_number("stride of the wind", wind.stride as usize, 1, most as usize)?;
    let stride = wind.stride;
    let [across, down] = [width, height].map(|side| side.div_ceil(stride));
    check_count("the wind", u64::from(across) * u64::from(down), MOST_ARROWS, "arrows")?;
    let mut geometric = ground.geometric.with_end(to);
    let bound = LandmarkBound(columns).with_end(to);
    let mut left = |node: NodeId| -> Cost {
        let distance = geometric.at(node).unwrap_or(0);
        match wind.of {
            Guide::Distance => distance,
            Guide::Landmarks => distance.max(bound.best(node).0),
            Guide::Truth => truth[node as usize],
        }
    };
    let goal = grid.position(to).unwrap_or_default();
    let rows = (0..down).flat_map(|row| (0..across).map(move |column| (column, row)));
    let arrow = |(column, row): (u32, u32)| {
        let (x, y) = (column * stride + stride / 2, row * stride + stride / 2);
        let Some(node) = grid.node(x, y).filter(|&node| grid.contains(node) && node != to) else {
            return NONE;
        };
        let mut best: Option<((u64, u64), (NodeId, Cost))> = None;
        grid.out_edges(node, |head, weight| {
            let whole = u64::from(weight) + u64::from(left(head));
            // Of equals, the one straight toward the goal.
            let (hx, hy) = grid.position(head).unwrap_or_default();
            let [dx, dy] = [goal.0.abs_diff(hx), goal.1.abs_diff(hy)].map(u64::from);
            let rank = (whole, dx * dx + dy * dy);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, (head, weight)));
            }
        });
        let Some((_, (head, weight))) = best else { return NONE };
        let [here, there] = [node, head].map(|node| truth[node as usize]);
        if here == UNREACHABLE {
            return NONE;
        }
        let (hx, hy) = grid.position(head).unwrap_or_default();
        let step = (hx + 1 - x) + 3 * (hy + 1 - y);
        let is_right = there.checked_add(weight) == Some(here);
        step as u8 + if is_right { 0 } else { WRONG }
    };
    Ok(rows.map(arrow).collect())
}
