//! Lower bounds against true distances.

use portolan::generate::Random;
use portolan::heuristic::{Heuristic, LowerBound};
use portolan::{Cost, NodeId, UNREACHABLE};

use crate::reference::Reference;
use crate::worlds::World;

/// Ends beyond this many are sampled.
const ENDS: usize = 24;

/// What a check has seen, so that a test can tell that it saw something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Bounds that were compared with a distance.
    pub bounds: u64,
    /// Those of them that are the distance itself.
    pub tight: u64,
    /// Pairs that the heuristic reports to have no path, and that have none.
    pub proofs: u64,
}

impl Seen {
    /// Adds what another check has seen.
    pub fn add(&mut self, other: Self) {
        self.bounds += other.bounds;
        self.tight += other.tight;
        self.proofs += other.proofs;
    }
}

/// Checks a heuristic on a world. For several heuristics on one world, use [`TrueDistances`].
///
/// # Panics
/// If it is wrong, with the world's drawing.
pub fn check_bounds(heuristic: &impl Heuristic, world: &World) -> Seen {
    TrueDistances::of(world).check(heuristic)
}

/// The true distances of a world to and from some nodes, found once for all heuristics.
#[derive(Debug)]
pub struct TrueDistances<'w> {
    world: &'w World,
    reference: Reference,
    reversed: Reference,
    ends: Vec<End>,
}

/// A node that bounds lead to or away from.
#[derive(Debug)]
struct End {
    node: NodeId,
    /// The other end of the queries that know both.
    other: NodeId,
    from: Vec<Option<u64>>,
    /// `None` if the map is undirected, where both directions are the same.
    to: Option<Vec<Option<u64>>>,
}

impl<'w> TrueDistances<'w> {
    /// Finds the distances.
    pub fn of(world: &'w World) -> Self {
        let reference = Reference::new(&world.map);
        let reversed = reference.reversed();
        let nodes = reference.node_count();
        let stride = nodes.div_ceil(ENDS).max(1);
        let mut random = Random::new(nodes as u64);
        let ends = (0..nodes as NodeId).step_by(stride);
        let ends = ends.filter(|&node| reference.is_usable(node)).map(|node| End {
            node,
            other: random.below(nodes as u64) as NodeId,
            from: reference.distances(node),
            to: (!world.map.is_undirected()).then(|| reversed.distances(node)),
        });
        let ends = ends.collect();
        Self { world, reference, reversed, ends }
    }

    /// Checks that a heuristic is never above true distances, in both directions and with one end
    /// or both ends known; that it reports "no path" only where there is none; and, if it promises
    /// to be consistent, that it never drops by more than an edge costs.
    ///
    /// # Panics
    /// If it is wrong, with the world's drawing.
    pub fn check(&self, heuristic: &impl Heuristic) -> Seen {
        let mut seen = Seen::default();
        for End { node, other, from, to } in &self.ends {
            let (end, other, to) = (*node, *other, to.as_ref().unwrap_or(from));
            for (bound, truth, known, steps, which) in [
                (
                    &mut heuristic.toward(end) as &mut dyn LowerBound,
                    to,
                    None,
                    &self.reference,
                    "toward",
                ),
                (
                    &mut heuristic.forward(other, end),
                    to,
                    Some(other),
                    &self.reference,
                    "forward to",
                ),
                (&mut heuristic.away_from(end), from, None, &self.reversed, "away from"),
                (
                    &mut heuristic.backward(end, other),
                    from,
                    Some(other),
                    &self.reversed,
                    "backward",
                ),
            ] {
                let wrong =
                    |wrong: String| -> ! { panic!("{which} {end}: {wrong}\n{}", self.world) };
                match check(bound, &self.reference, end, truth, known) {
                    Ok(found) => seen.add(found),
                    Err(message) => wrong(message),
                }
                if heuristic.is_consistent() {
                    check_drops(bound, steps).unwrap_or_else(|message| wrong(message));
                }
            }
        }
        // Ids that are no nodes must not make it panic.
        for stranger in [self.reference.node_count() as NodeId, NodeId::MAX] {
            heuristic.toward(stranger).at(0);
            heuristic.forward(stranger, stranger).at(stranger);
            heuristic.backward(0, stranger).at(stranger);
        }
        seen
    }
}

/// Compares the bounds of all nodes; where the other end is known, what the bound rules out as
/// well.
fn check(
    bound: &mut dyn LowerBound,
    reference: &Reference,
    end: NodeId,
    truth: &[Option<u64>],
    other: Option<NodeId>,
) -> Result<Seen, String> {
    let mut seen = Seen::default();
    for node in (0..truth.len() as NodeId).filter(|&node| reference.is_usable(node)) {
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

/// Checks that a bound never drops by more than a step costs. `reference` has the steps in the
/// direction of the search.
fn check_drops(bound: &mut dyn LowerBound, reference: &Reference) -> Result<(), String> {
    for tail in 0..reference.node_count() as NodeId {
        let steps = reference.steps(tail);
        if steps.is_empty() {
            continue;
        }
        let Some(before) = bound.at(tail) else { continue };
        for &(head, weight) in steps {
            // No path from `head` says nothing about `tail`, which may have other steps.
            let Some(after) = bound.at(head) else { continue };
            if u64::from(before) > u64::from(after) + weight {
                return Err(format!(
                    "not consistent: {before} at {tail}, {after} at {head}, a step of {weight} away"
                ));
            }
        }
    }
    Ok(())
}
