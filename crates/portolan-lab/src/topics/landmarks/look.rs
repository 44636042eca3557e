//! Both searches, the numbers of each landmark, and a colour field.

use std::time::Instant;

use portolan::heuristic::{Heuristic, LowerBound, Max};
use portolan::search::astar;
use portolan::{Graph, Grid, NodeId, UNREACHABLE};
use serde::Serialize;

use super::bound::{LandmarkBound, difference};
use super::field::{Field, Fixed, Show};
use super::ground::{Column, EditedMap};
use super::wind::{self, Wind};
use crate::error::{LabError, bad_request};
use crate::task::{Reply, Task};
use crate::topics::observed::{Trace, best_of_three, is_quick};

pub(super) struct Look {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) show: Show,
    pub(super) wind: Option<Wind>,
    pub(super) triangle: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Looked {
    /// A* with the distance heuristic, whose path is a shortest one.
    plain: LookAnswer,
    /// A* with the landmark heuristic.
    guided: LookAnswer,
    field: Field,
    /// The distance heuristic from start to goal.
    distance: f64,
    landmarks: Vec<Sides>,
}

#[derive(Debug, Serialize)]
struct LookAnswer {
    /// Absent if there is no path.
    length: Option<f64>,
    expanded: u64,
    micros: f64,
    #[serde(skip)]
    path: Vec<NodeId>,
}

/// The triangle of a landmark with both ends.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sides {
    /// Absent if the landmark does not reach it.
    to_start: Option<f64>,
    to_goal: Option<f64>,
    bound: f64,
}

/// Bits of the part `searched`.
const PLAIN: u8 = 1;
const GUIDED: u8 = 2;

impl Look {
    /// Looks at the ground. The parts are `searched` (bits for each cell), `field`, `plain` and
    /// `guided` (the paths), and if they are wanted `wind`, `sideStart` and `sideGoal`.
    pub(super) fn answer(
        self,
        ground: &mut EditedMap,
        landmarks: &[NodeId],
        task: &Task<'_>,
    ) -> Result<Reply, LabError> {
        let columns = ground.columns(landmarks);
        let mut searched = vec![0; ground.now.node_count()];
        let ends = (self.from, self.to);
        let geometric = ground.geometric.clone();
        let both = Max(&geometric, LandmarkBound(&columns));
        let end = if self.show.fixed == Fixed::Goal { self.to } else { self.from };
        // Before the searches, which then are not the first to touch their scratch space.
        let truth = ground.truth(end);
        let plain = search(ground, ends, &geometric, (&mut searched, PLAIN), task)?;
        let guided = search(ground, ends, &both, (&mut searched, GUIDED), task)?;

        let mut field = Field::of(self.show.what, ground, &columns, (end, &truth));
        let values = std::mem::take(&mut field.values);

        let mut parts = Vec::new();
        if let Some(wind) = self.wind {
            let truth = ground.truth(self.to);
            parts.push(("wind", wind::arrows(wind, ground, &columns, (self.to, &truth))?));
        }
        let mut sides = Vec::new();
        if let Some(at) = self.triangle {
            let column = columns.get(at);
            let column = column.ok_or_else(|| bad_request(format!("there is no landmark {at}")))?;
            sides.push(("sideStart", descent(&ground.before, column, self.from)));
            sides.push(("sideGoal", descent(&ground.before, column, self.to)));
        }
        let data = Looked {
            field,
            distance: ground.length(geometric.with_end(self.to).at(self.from).unwrap_or(0)),
            landmarks: columns.iter().map(|column| sides_of(ground, column, ends)).collect(),
            plain: LookAnswer { path: Vec::new(), ..plain },
            guided: LookAnswer { path: Vec::new(), ..guided },
        };
        let reply = Reply::new(data).with("searched", searched).with("field", values);
        let reply = reply.with("plain", plain.path).with("guided", guided.path);
        let reply = parts.into_iter().fold(reply, |reply, (name, part)| reply.with(name, part));
        Ok(sides.into_iter().fold(reply, |reply, (name, part)| reply.with(name, part)))
    }
}

fn search(
    ground: &mut EditedMap,
    ends: (NodeId, NodeId),
    heuristic: &impl Heuristic,
    (cells, mark): (&mut [u8], u8),
    task: &Task<'_>,
) -> Result<LookAnswer, LabError> {
    task.check()?;
    let mut trace = Trace::distinct(cells.len());
    let EditedMap { now, scratch, .. } = ground;
    let mut path = Vec::new();
    let start = Instant::now();
    let mut bound = heuristic.forward(ends.0, ends.1);
    let cost = astar::find(now, scratch, ends, &mut bound, &mut trace)?;
    if cost.is_some() {
        scratch.path_into(ends.1, &mut path);
    }
    let mut time = start.elapsed();
    if is_quick(time) {
        let mut again = Vec::new();
        time = best_of_three(task, || {
            again.clear();
            let mut bound = heuristic.forward(ends.0, ends.1);
            if astar::find(now, scratch, ends, &mut bound, &mut ())?.is_some() {
                scratch.path_into(ends.1, &mut again);
            }
            Ok(())
        })?;
    }
    for &node in &trace.order {
        cells[node as usize] |= mark;
    }
    let micros = 1e6 * time.as_secs_f64();
    let length = cost.map(|cost| ground.length(cost));
    Ok(LookAnswer { length, expanded: trace.expanded, micros, path })
}

fn sides_of(ground: &EditedMap, column: &Column, (from, to): (NodeId, NodeId)) -> Sides {
    let [to_start, to_goal] = [from, to].map(|end| column[end as usize]);
    let known = |cost| (cost != UNREACHABLE).then(|| ground.length(cost));
    let bound = ground.length(difference(to_start, to_goal));
    Sides { to_start: known(to_start), to_goal: known(to_goal), bound }
}

/// A shortest path to the landmark of a column, empty if there is none.
fn descent(grid: &Grid, column: &Column, from: NodeId) -> Vec<NodeId> {
    let mut path = Vec::new();
    let mut next = Some(from).filter(|&node| column[node as usize] != UNREACHABLE);
    while let Some(node) = next {
        path.push(node);
        let left = column[node as usize];
        next = None;
        grid.out_edges(node, |head, weight| {
            if weight > 0 && column[head as usize].checked_add(weight) == Some(left) {
                next = Some(head);
            }
        });
    }
    path
}

#[derive(Debug, Serialize)]
struct Probed {
    distance: f64,
    /// Absent if there is no path.
    truth: Option<f64>,
    /// The bound of each landmark.
    bounds: Vec<f64>,
}

/// The bounds between a cell and the fixed end of a field.
pub(super) fn probe(
    ground: &mut EditedMap,
    landmarks: &[NodeId],
    (cell, fixed): (NodeId, NodeId),
) -> Result<Reply, LabError> {
    for node in [cell, fixed] {
        ground.now_as_map().check(node)?;
    }
    let columns = ground.columns(landmarks);
    let truth = ground.truth(fixed)[cell as usize];
    let bounds = LandmarkBound(&columns).with_end(fixed);
    Ok(Reply::new(Probed {
        distance: ground.length(ground.geometric.with_end(fixed).at(cell).unwrap_or(0)),
        truth: (truth != UNREACHABLE).then(|| ground.length(truth)),
        bounds: bounds.each(cell).map(|bound| ground.length(bound)).collect(),
    }))
}
