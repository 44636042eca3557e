//! Lower bounds against true distances.

use portolan::generate::Random;
use portolan::heuristic::{Heuristic, LowerBound};
use portolan::{Cost, Map, NodeId, UNREACHABLE};

use crate::reference::{distances, is_usable, steps};
use crate::worlds::World;

/// Ends beyond this many are sampled.
const ENDS: usize = 24;

/// What a check has seen, so that a test can tell that it saw something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Bounds that were compared with a distance.
    pub bounds: u64,
    /// Of these, such as were the distance itself.
    pub tight: u64,
    /// Pairs that were said to have no path, and have none.
    pub proofs: u64,
}

/// Checks that a heuristic is never above true distances, in both directions and with one end or
/// both ends known, that it says "no path" only where there is none, and, if it promises to be
/// consistent, that it never drops by more than an edge costs.
///
/// # Panics
/// Where it is wrong, with the world's drawing.
pub fn check_bounds(heuristic: &impl Heuristic, world: &World) -> Seen {
    let map = &world.map;
    let nodes = map.node_count();
    let stride = nodes.div_ceil(ENDS).max(1);
    let mut seen = Seen::default();
    let mut random = Random::new(nodes as u64);
    for end in (0..nodes as NodeId).step_by(stride).filter(|&node| is_usable(map, node)) {
        let to_end = distances_to(map, end);
        let from_end = distances(map, end);
        let other = random.below(nodes as u64) as NodeId;
        let checks = [
            ("toward", check(&mut heuristic.toward(end), world, end, &to_end, None)),
            ("away from", check(&mut heuristic.away_from(end), world, end, &from_end, None)),
            (
                "forward to",
                check(&mut heuristic.forward(other, end), world, end, &to_end, Some(other)),
            ),
            (
                "backward",
                check(&mut heuristic.backward(end, other), world, end, &from_end, Some(other)),
            ),
        ];
        for (which, checked) in checks {
            let found = checked.unwrap_or_else(|wrong| panic!("{which} {end}: {wrong}\n{world}"));
            seen.bounds += found.bounds;
            seen.tight += found.tight;
            seen.proofs += found.proofs;
        }
        if heuristic.is_consistent() {
            let (along, against) =
                (|tail, head| (tail, head), |tail: NodeId, head: NodeId| (head, tail));
            check_drops(&mut heuristic.toward(end), world, end, along);
            check_drops(&mut heuristic.forward(other, end), world, end, along);
            check_drops(&mut heuristic.away_from(end), world, end, against);
            check_drops(&mut heuristic.backward(end, other), world, end, against);
        }
    }
    // Ids that are no nodes must not make it panic.
    for stranger in [nodes as NodeId, NodeId::MAX] {
        heuristic.toward(stranger).at(0);
        heuristic.forward(stranger, stranger).at(stranger);
        heuristic.backward(0, stranger).at(stranger);
    }
    seen
}

/// The true distances to a node: those from it with all steps turned round.
fn distances_to(map: &Map, end: NodeId) -> Vec<Option<u64>> {
    if map.is_undirected() {
        return distances(map, end);
    }
    let nodes = map.node_count();
    let mut back: Vec<Vec<(NodeId, u64)>> = vec![Vec::new(); nodes];
    for tail in 0..nodes as NodeId {
        for (head, weight) in steps(map, tail) {
            back[head as usize].push((tail, weight));
        }
    }
    let mut costs = vec![None; nodes];
    let mut open = std::collections::BTreeSet::from([(0u64, end)]);
    while let Some((cost, node)) = open.pop_first() {
        if costs[node as usize].is_some() {
            continue;
        }
        costs[node as usize] = Some(cost);
        open.extend(back[node as usize].iter().map(|&(tail, weight)| (cost + weight, tail)));
    }
    costs
}

/// Compares the bounds of all nodes; where the other end is known, what the bound rules out as
/// well.
fn check(
    bound: &mut impl LowerBound,
    world: &World,
    end: NodeId,
    truth: &[Option<u64>],
    other: Option<NodeId>,
) -> Result<Seen, String> {
    let mut seen = Seen::default();
    for node in (0..truth.len() as NodeId).filter(|&node| is_usable(&world.map, node)) {
        match (bound.at(node), truth[node as usize]) {
            (Some(bound), Some(cost)) if u64::from(bound) > cost => {
                return Err(format!("{bound} for node {node}, which is {cost} away"));
            }
            (None, Some(cost)) => {
                return Err(format!("no path for node {node}, which is {cost} away"));
            }
            (Some(bound), Some(cost)) => {
                seen.bounds += 1;
                seen.tight += u64::from(u64::from(bound) == cost);
            }
            (None, None) => seen.proofs += 1,
            (Some(_), None) => {}
        }
    }
    let distance = other.and_then(|other| truth.get(other as usize).copied().flatten());
    let distance = distance.filter(|&cost| cost < u64::from(UNREACHABLE));
    if let Some(cost) = distance.filter(|&cost| !bound.allows(cost as Cost)) {
        return Err(format!("a path of {cost} between {other:?} and {end} is ruled out"));
    }
    Ok(seen)
}

/// Whether bounds drop by more than an edge costs; `along` turns an edge into the nodes before and
/// after it on the way.
fn check_drops(
    bound: &mut impl LowerBound,
    world: &World,
    end: NodeId,
    along: impl Fn(NodeId, NodeId) -> (NodeId, NodeId),
) {
    for tail in 0..world.map.node_count() as NodeId {
        for (head, weight) in steps(&world.map, tail) {
            let (farther, nearer) = along(tail, head);
            // No path from the nearer one proves none from the farther only if this edge were the
            // only one.
            let (Some(before), Some(after)) = (bound.at(farther), bound.at(nearer)) else {
                continue;
            };
            let most = u64::from(after) + weight;
            assert!(
                u64::from(before) <= most,
                "not consistent toward {end}: {before} at {farther}, {after} at {nearer}, which is {weight} on\n{world}"
            );
        }
    }
}
