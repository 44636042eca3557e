//! The placement rules.

use std::cmp::Reverse;

use crate::build::{BuildError, Watch};
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Endpoints, NodeId, strong_components, weak_components};
use crate::map::{Map, on_graph};
use crate::random::Random;
use crate::search::{Scratch, dijkstra};
use crate::true_distance::differential::landmark_distances::LandmarkDistances;
use crate::true_distance::differential::table::TableBuilder;

/// The nodes that can become landmarks.
pub(crate) struct Candidates {
    pub(crate) nodes: Vec<NodeId>,
    directed: bool,
}

impl Candidates {
    /// The nodes of the largest component, on directed maps of the largest strong component.
    /// Landmarks elsewhere help few paths.
    pub(crate) fn of(map: &Map, directed: bool) -> Self {
        let nodes = on_graph!(map, graph => {
            let components =
                if directed { strong_components(graph) } else { weak_components(graph) };
            let largest = components.sizes().first().map(|&(name, _)| name);
            let is_in = |&node: &NodeId| largest.is_some() && components.of(node) == largest;
            (0..map.node_count() as NodeId).filter(is_in).collect()
        });
        Self { nodes, directed }
    }

    /// The candidates nearest to some points, which may be blocked.
    pub(crate) fn near(&self, map: &Map, points: &[NodeId]) -> Vec<NodeId> {
        let Some(&first) = self.nodes.first() else { return Vec::new() };
        let mut near: Vec<NodeId> = Vec::new();
        for &point in points {
            // No node outside the component can be reached from its first node.
            if let Ok(node) = map.nearest_reachable(first, point)
                && !near.contains(&node)
            {
                near.push(node);
            }
        }
        near
    }
}

/// The distances of all nodes from their nearest landmark.
#[derive(Default)]
pub(crate) struct LandmarkCover {
    /// By node; empty before the first landmark.
    nearest: Vec<Cost>,
}

impl LandmarkCover {
    /// Adds a landmark.
    pub(crate) fn add(&mut self, distances: &LandmarkDistances) {
        let pairs = distances.to.iter().zip(distances.out_of_landmark());
        // Unreachable nodes must not count as the farthest.
        let near = pairs.map(|(&to, &back)| match to.min(back) {
            UNREACHABLE => 0,
            near => near,
        });
        if self.nearest.is_empty() {
            self.nearest = near.collect();
        } else {
            self.nearest.iter_mut().zip(near).for_each(|(least, near)| *least = near.min(*least));
        }
    }

    /// The node farthest from its nearest landmark that is not a landmark yet. The first landmark
    /// is the node farthest from the first node.
    pub(crate) fn farthest(
        &self,
        map: &Map,
        nodes: &[NodeId],
        taken: &[NodeId],
        scratch: &mut Scratch,
    ) -> Option<NodeId> {
        let &first = nodes.first()?;
        let any = match self.nearest.is_empty() {
            true => Some(LandmarkDistances::of(map, false, first, scratch).to),
            false => None,
        };
        let nearest = any.as_ref().unwrap_or(&self.nearest);
        let distance = |node: NodeId| match nearest[node as usize] {
            UNREACHABLE => 0,
            near => near,
        };
        let new = nodes.iter().copied().filter(|node| !taken.contains(node));
        new.max_by_key(|&node| (distance(node), Reverse(node)))
    }
}

/// The end of the branch of a shortest-path tree whose distances are most underestimated by the
/// landmarks so far.
pub(crate) fn avoid(
    map: &Map,
    nodes: &[NodeId],
    so_far: &TableBuilder,
    random: &mut Random,
    scratch: &mut Scratch,
) -> Option<NodeId> {
    let landmarks = so_far.landmarks();
    let root = nodes[random.below(nodes.len() as u64) as usize];
    let settled =
        on_graph!(map, graph => dijkstra::within(graph, scratch, root, UNREACHABLE)).ok()?;
    // Parents come before their children, so sizes are summed from back to front.
    let mut sizes = vec![0u64; map.node_count()];
    let mut heaviest: Vec<Option<NodeId>> = vec![None; map.node_count()];
    let mut has_landmark = vec![false; map.node_count()];
    landmarks.iter().for_each(|&landmark| has_landmark[landmark as usize] = true);
    for &(node, cost) in settled.iter().rev() {
        let bound = so_far.bound(root, node);
        let (at, parent) = (node as usize, scratch.parent(node));
        sizes[at] =
            if has_landmark[at] { 0 } else { sizes[at] + u64::from(cost.saturating_sub(bound)) };
        if parent != node {
            let above = parent as usize;
            sizes[above] += sizes[at];
            has_landmark[above] |= has_landmark[at];
            if heaviest[above].is_none_or(|other| sizes[at] > sizes[other as usize]) {
                heaviest[above] = Some(node);
            }
        }
    }
    let best = settled.iter().map(|&(node, _)| node);
    let mut best = best.max_by_key(|&node| (sizes[node as usize], Reverse(node)))?;
    while let Some(next) = heaviest[best as usize].filter(|&next| sizes[next as usize] > 0) {
        best = next;
    }
    (sizes[best as usize] > 0 && !landmarks.contains(&best)).then_some(best)
}

/// The outermost nodes in `count` directions. Empty if nodes have no positions.
pub(crate) fn border(map: &Map, nodes: &[NodeId], count: usize) -> Vec<NodeId> {
    let position = |node: NodeId| -> Option<(f64, f64)> {
        match map {
            Map::Grid(grid) => grid.position(node).map(|(x, y)| (f64::from(x), f64::from(y))),
            Map::Graph(graph) => {
                let point = graph.coordinates()?[node as usize];
                Some((f64::from(point.x), f64::from(point.y)))
            }
        }
    };
    let positions: Option<Vec<(f64, f64)>> = nodes.iter().map(|&node| position(node)).collect();
    let Some(positions) = positions else { return Vec::new() };
    let mut chosen: Vec<NodeId> = Vec::new();
    for direction in 0..count {
        let angle = direction as f64 / count as f64 * std::f64::consts::TAU;
        let (dx, dy) = (angle.cos(), angle.sin());
        let new = (0..nodes.len()).filter(|&at| !chosen.contains(&nodes[at]));
        let out = |at: usize| positions[at].0 * dx + positions[at].1 * dy;
        let best = new.max_by(|&a, &b| out(a).total_cmp(&out(b)).then(nodes[b].cmp(&nodes[a])));
        chosen.extend(best.map(|at| nodes[at]));
    }
    chosen
}

/// The number of candidates per landmark.
const CANDIDATES_PER_LANDMARK: usize = 4;
/// The number of random pairs whose bounds measure the gain.
const PAIRS: usize = 256;

/// Of several candidates, half of them far apart and half random, chooses one after the other the
/// one that improves the bounds between random pairs most.
pub(crate) fn by_gain(
    map: &Map,
    candidates: &Candidates,
    count: usize,
    random: &mut Random,
    watch: &Watch<'_>,
) -> Result<Vec<NodeId>, BuildError> {
    let nodes = &candidates.nodes;
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    let draw = |random: &mut Random| nodes[random.below(nodes.len() as u64) as usize];
    let pairs: Vec<Endpoints> = (0..PAIRS).map(|_| (draw(random), draw(random))).collect();
    let mut scratch = Scratch::default();
    let (mut far, mut cover): (Vec<NodeId>, _) = (Vec::new(), LandmarkCover::default());
    let mut gains: Vec<(NodeId, Vec<Cost>)> = Vec::new();
    for at in 0..(count * CANDIDATES_PER_LANDMARK).min(nodes.len()) {
        watch.check()?;
        let next = match at.is_multiple_of(2) {
            true => {
                let next = cover.farthest(map, nodes, &far, &mut scratch);
                next.unwrap_or_else(|| draw(random))
            }
            false => draw(random),
        };
        let distances = LandmarkDistances::of(map, candidates.directed, next, &mut scratch);
        gains.push((next, pairs.iter().map(|&(from, to)| distances.bound(from, to)).collect()));
        if at.is_multiple_of(2) {
            far.push(next);
            cover.add(&distances);
        }
    }
    let mut bounds = vec![0; pairs.len()];
    let mut chosen: Vec<NodeId> = Vec::new();
    for _ in 0..count {
        let gain = |proven: &[Cost]| -> u64 {
            proven.iter().zip(&bounds).map(|(new, old)| u64::from(new.saturating_sub(*old))).sum()
        };
        let open = gains.iter().filter(|(node, _)| !chosen.contains(node));
        let Some((node, proven)) = open.max_by_key(|(node, proven)| (gain(proven), Reverse(*node)))
        else {
            break;
        };
        chosen.push(*node);
        bounds.iter_mut().zip(proven).for_each(|(bound, &new)| *bound = new.max(*bound));
    }
    Ok(chosen)
}
