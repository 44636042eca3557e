//! Cuts in pure Rust: inertial flow (Schild and Sommer, "On Balanced Separators in Road Networks",
//! 2015).
//!
//! Choose a direction on the map, take the nodes that come first along it as sources and those that
//! come last as sinks, and find the least cut between them. On roads and rooms one of a few
//! directions gives a good cut. The limits of the sides determine the number of sources and sinks,
//! so the balance is always kept.
//!
//! Directions alternate between the coordinates of the map and coordinates derived from step
//! distances to a few distant nodes; the latter follow the corridors of a maze. A given cut yields
//! one more order, from deep inside one side to deep inside the other.
//!
//! All numbers are integers, so the cut is the same on every machine.

use std::borrow::Cow;

use rayon::prelude::*;

use super::bisect::SideLimits;
use super::flow::{CutKind, LeastCut, LeastCutFinder, Zone};
use super::{CutSide, Topology};
use crate::graph::Point;
use crate::random::Random;

/// The best cut of a connected topology over `directions` directions. The limits allow all nodes on
/// both sides together, and all but one on each.
pub(super) fn cut(
    topology: &Topology,
    kind: CutKind,
    limits: SideLimits,
    directions: u32,
    seed: u64,
) -> Vec<CutSide> {
    let mut random = Random::new(seed);
    let start = random.below(topology.node_count() as u64) as u32;
    let mut layouts: Vec<Cow<'_, [Point]>> = Vec::new();
    layouts.extend(topology.points().map(Cow::Borrowed));
    if layouts.is_empty() || directions > 1 {
        layouts.push(Cow::Owned(points_from_steps(topology, start)));
    }
    let cutter = LeastCutFinder::new(topology, kind);
    let direction = |number: usize| {
        let axis = AXES.get(number / layouts.len()).copied();
        axis.unwrap_or_else(|| [(); 2].map(|()| slope(&mut random)))
    };
    let directions: Vec<[i64; 2]> = (0..directions.max(1) as usize).map(direction).collect();
    let try_direction = |best: &mut BestCut<'_>, (number, [x, y]): (usize, [i64; 2])| {
        let layout = &layouts[number % layouts.len()];
        best.try_order(layout.iter().map(|at| x * i64::from(at.x) + y * i64::from(at.y)).collect());
    };
    let mut best = BestCut::new(&cutter, limits);
    if topology.node_count() < SIDE_BY_SIDE {
        directions
            .into_iter()
            .enumerate()
            .for_each(|direction| try_direction(&mut best, direction));
        return best.into_sides();
    }
    // Each alone, without giving up where it cannot be better than those before it. The best is the
    // same.
    let tried = directions.into_par_iter().enumerate().map(|direction| {
        let mut best = BestCut::new(&cutter, limits);
        try_direction(&mut best, direction);
        best
    });
    tried.collect::<Vec<_>>().into_iter().for_each(|other| best.take_from(other));
    best.into_sides()
}

/// From this many nodes on, the tries of one cut run in parallel. Smaller graphs are many, and are
/// themselves cut in parallel.
pub(super) const SIDE_BY_SIDE: usize = 30_000;

/// The first directions: the axes and the diagonals.
const AXES: [[i64; 2]; 4] = [[1, 0], [0, 1], [1, 1], [1, -1]];

/// The largest coordinate of a direction; it keeps projections from overflowing.
const STEEPEST: i64 = 1 << 16;

fn slope(random: &mut Random) -> i64 {
    random.below(2 * STEEPEST as u64 + 1) as i64 - STEEPEST
}

/// The best cut so far: the smallest in proportion to what it cuts off.
pub(super) struct BestCut<'a> {
    cutter: &'a LeastCutFinder<'a>,
    limits: SideLimits,
    best: Option<ScoredCut>,
}

struct ScoredCut {
    cut: LeastCut,
    /// The nodes of a side times the limit of the other, for the side where this is less: in
    /// proportion to how full that side is.
    fullness: u64,
}

impl<'a> BestCut<'a> {
    pub(super) fn new(cutter: &'a LeastCutFinder<'a>, limits: SideLimits) -> Self {
        Self { cutter, limits, best: None }
    }

    /// Tries the least cut between the nodes with the smallest keys and those with the largest.
    fn try_order(&mut self, keys: Vec<i64>) {
        let cut = self.cutter.least(&zones(&keys, self.limits), self.useful_size(keys.len()));
        if let Some(cut) = cut {
            let fullness = self.fullness(&cut.side_of);
            self.take(ScoredCut { cut, fullness });
        }
    }

    fn take(&mut self, found: ScoredCut) {
        let price =
            |this: &ScoredCut, that: &ScoredCut| this.cut.size as u128 * u128::from(that.fullness);
        if self.best.as_ref().is_none_or(|best| price(&found, best) < price(best, &found)) {
            self.best = Some(found);
        }
    }

    /// The largest cut that could still be the best, if it were perfectly balanced.
    fn useful_size(&self, nodes: usize) -> usize {
        let Some(best) = &self.best else { return usize::MAX };
        let (a, b) = (self.limits.a as u128, self.limits.b as u128);
        let fullest = nodes as u128 * a * b / (a + b);
        let useful = (best.cut.size as u128 * fullest).checked_div(u128::from(best.fullness));
        useful.and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX)
    }

    fn fullness(&self, side_of: &[CutSide]) -> u64 {
        let count = |side| side_of.iter().filter(|&&at| at == side).count() as u64;
        (count(CutSide::A) * self.limits.b as u64).min(count(CutSide::B) * self.limits.a as u64)
    }

    /// Takes the best cut of another search on the same topology.
    pub(super) fn take_from(&mut self, other: Self) {
        other.best.into_iter().for_each(|found| self.take(found));
    }

    pub(super) fn into_sides(self) -> Vec<CutSide> {
        self.best.map_or_else(Vec::new, |best| best.cut.side_of)
    }
}

#[cfg(feature = "metis")]
impl BestCut<'_> {
    /// Tries a given cut, if it is of this kind and within the limits, and the least cut near it.
    pub(super) fn try_near(&mut self, side_of: Vec<CutSide>) {
        let LeastCutFinder { topology, kind, .. } = *self.cutter;
        let (depths, size) = rayon::join(
            || signed_depths(topology, &side_of),
            || super::flow::cut_size(topology, kind, &side_of),
        );
        let count = |side| side_of.iter().filter(|&&at| at == side).count();
        let fits = count(CutSide::A) <= self.limits.a && count(CutSide::B) <= self.limits.b;
        if let Some(size) = size.filter(|_| fits) {
            let fullness = self.fullness(&side_of);
            self.take(ScoredCut { cut: LeastCut { side_of, size }, fullness });
        }
        self.try_order(depths);
    }
}

/// The first nodes by key are sources, as many as exceed the limit of side B; the last ones are
/// sinks, as many as exceed the limit of side A.
fn zones(keys: &[i64], limits: SideLimits) -> Vec<Zone> {
    let by_key = |node: &u32| (keys[*node as usize], *node);
    let (sources, sinks) = (keys.len() - limits.b, keys.len() - limits.a);
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.select_nth_unstable_by_key(sources, by_key);
    let rest = &mut order[sources..];
    let between = rest.len() - sinks;
    rest.select_nth_unstable_by_key(between, by_key);
    let mut zones = vec![Zone::Between; keys.len()];
    order[..sources].iter().for_each(|&node| zones[node as usize] = Zone::Source);
    order[sources + between..].iter().for_each(|&node| zones[node as usize] = Zone::Sink);
    zones
}

/// Coordinates for nodes without any. Chooses four distant nodes, each as far as possible from
/// those before it; the coordinates of a node are the differences of its distances to the two of
/// each pair.
fn points_from_steps(topology: &Topology, start: u32) -> Vec<Point> {
    let mut nearest = vec![u32::MAX; topology.node_count()];
    let mut chosen = farthest(&steps_from(topology, vec![start]));
    let [a, b, c, d] = [(); 4].map(|()| {
        let steps = steps_from(topology, vec![chosen]);
        nearest.iter_mut().zip(&steps).for_each(|(near, &far)| *near = (*near).min(far));
        chosen = farthest(&nearest);
        steps
    });
    let minus = |a: u32, b: u32| (i64::from(a) - i64::from(b)) as i32;
    let point = |node: usize| Point { x: minus(a[node], b[node]), y: minus(c[node], d[node]) };
    (0..topology.node_count()).map(point).collect()
}

fn farthest(steps: &[u32]) -> u32 {
    let most = steps.iter().max();
    steps.iter().position(|steps| Some(steps) == most).unwrap_or(0) as u32
}

/// The number of edges from each node to a cut: negative on side A, positive on side B.
#[cfg(feature = "metis")]
fn signed_depths(topology: &Topology, side_of: &[CutSide]) -> Vec<i64> {
    let side = |node: u32| side_of[node as usize];
    let at_cut =
        |&node: &u32| topology.neighbours(node).iter().any(|&other| side(other) != side(node));
    let border = (0..side_of.len() as u32).filter(at_cut).collect();
    let depth = |(steps, side)| match side {
        CutSide::A => -i64::from(steps) - 1,
        CutSide::Separator => 0,
        CutSide::B => i64::from(steps) + 1,
    };
    steps_from(topology, border).into_iter().zip(side_of.iter().copied()).map(depth).collect()
}

/// By node, the number of edges to the nearest of these nodes.
fn steps_from(topology: &Topology, starts: Vec<u32>) -> Vec<u32> {
    let mut steps = vec![u32::MAX; topology.node_count()];
    starts.iter().for_each(|&start| steps[start as usize] = 0);
    let mut queue = starts;
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for &other in topology.neighbours(node) {
            if steps[other as usize] == u32::MAX {
                steps[other as usize] = steps[node as usize] + 1;
                queue.push(other);
            }
        }
    }
    steps
}
