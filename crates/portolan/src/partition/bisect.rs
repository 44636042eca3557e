//! Bisects topologies, and splits them into any number of parts by repeated bisection.
//!
//! The two methods (`metis`, `inertial`) see only connected topologies of at least two nodes.
//! Special cases are handled here: whole components are assigned to the sides while they fit, and a
//! component is cut only if it does not.

use super::flow::CutKind;
use super::{
    CutMethod, CutSide, Partition, PartitionError, Partitioner, SubsetScratch, Topology, inertial,
};

/// The maximum number of nodes on each side of a cut. Together the sides can hold all nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideLimits {
    pub(super) a: usize,
    pub(super) b: usize,
}

impl SideLimits {
    /// Half of the nodes plus the allowed imbalance, for each side.
    pub(super) fn halves(nodes: usize, imbalance: u32) -> Self {
        let side = max_in_part(nodes, 2, imbalance).min(nodes.saturating_sub(1));
        Self { a: side, b: side }
    }

    fn take(&mut self, side: CutSide, nodes: usize) {
        match side {
            CutSide::A => self.a -= nodes,
            CutSide::B => self.b -= nodes,
            CutSide::Separator => {}
        }
    }
}

/// Splits by bisection: distributes the parts to two sides as evenly as possible, and so on. The
/// sides are split in parallel; no cut depends on another, so the result does not depend on the
/// threads.
pub(super) fn split(
    config: &Partitioner,
    topology: &Topology,
    parts: usize,
) -> Result<Partition, PartitionError> {
    let nodes = topology.node_count();
    let most = max_in_part(nodes, parts, config.imbalance);
    let split = RecursiveSplit { config, most };
    let mut partition = Partition { part_of: vec![0; nodes], parts };
    for (part, nodes) in (0..).zip(split.split(topology, (0..nodes as u32).collect(), parts)?) {
        nodes.iter().for_each(|&node| partition.part_of[node as usize] = part);
    }
    Ok(partition)
}

struct RecursiveSplit<'a> {
    config: &'a Partitioner,
    /// The maximum number of nodes of a part.
    most: usize,
}

impl RecursiveSplit<'_> {
    /// The nodes of each part, as listed in `labels`.
    fn split(
        &self,
        topology: &Topology,
        labels: Vec<u32>,
        parts: usize,
    ) -> Result<Vec<Vec<u32>>, PartitionError> {
        if parts == 1 {
            return Ok(vec![labels]);
        }
        let limits = limits_for(labels.len(), parts, self.most);
        let side_of = bisect(self.config, topology, CutKind::Edges, limits)?;
        let split_side = |side: CutSide, parts: usize| {
            let here: Vec<u32> =
                (0..).zip(&side_of).filter(|&(_, &at)| at == side).map(|(node, _)| node).collect();
            let labels = here.iter().map(|&node| labels[node as usize]).collect();
            if parts == 1 {
                return Ok(vec![labels]);
            }
            let topology = topology.subset(&here, &mut SubsetScratch::default());
            self.split(&topology, labels, parts)
        };
        let (a, b) = rayon::join(
            || split_side(CutSide::A, parts / 2),
            || split_side(CutSide::B, parts - parts / 2),
        );
        let mut all = a?;
        all.extend(b?);
        Ok(all)
    }
}

/// Bisects a topology of at least two nodes within the limits.
pub(super) fn bisect(
    config: &Partitioner,
    topology: &Topology,
    kind: CutKind,
    mut limits: SideLimits,
) -> Result<Vec<CutSide>, PartitionError> {
    let mut components = topology.components();
    if components.len() == 1 {
        return cut_connected(config, topology, kind, limits);
    }
    // Larger components first, but the largest last: it is cut if any must be.
    components.sort_by_key(|nodes| std::cmp::Reverse(nodes.len()));
    components.rotate_left(1);
    let mut side_of = vec![CutSide::A; topology.node_count()];
    let mut scratch = SubsetScratch::default();
    for nodes in components {
        let size = nodes.len();
        let side = if limits.a >= limits.b { CutSide::A } else { CutSide::B };
        if size <= limits.a.max(limits.b) {
            limits.take(side, size);
            nodes.iter().for_each(|&node| side_of[node as usize] = side);
            continue;
        }
        let part = topology.subset(&nodes, &mut scratch);
        let part_limits = SideLimits { a: limits.a.min(size - 1), b: limits.b.min(size - 1) };
        let sides = cut_connected(config, &part, kind, part_limits)?;
        for (&node, side) in nodes.iter().zip(sides) {
            side_of[node as usize] = side;
            limits.take(side, 1);
        }
    }
    Ok(side_of)
}

fn cut_connected(
    config: &Partitioner,
    topology: &Topology,
    kind: CutKind,
    limits: SideLimits,
) -> Result<Vec<CutSide>, PartitionError> {
    match config.method {
        CutMethod::InertialFlow => {
            Ok(inertial::cut(topology, kind, limits, config.tries, config.seed))
        }
        #[cfg(feature = "metis")]
        CutMethod::Metis => super::metis::cut(topology, kind, limits, config.tries, config.seed),
        #[cfg(not(feature = "metis"))]
        CutMethod::Metis => Err(PartitionError::NoMetis),
    }
}

/// How many nodes a part may have.
fn max_in_part(nodes: usize, parts: usize, imbalance: u32) -> usize {
    let (nodes, parts) = (nodes as u128, parts as u128);
    let even = nodes.div_ceil(parts);
    let allowed = nodes * (1000 + u128::from(imbalance)) / (1000 * parts);
    even.max(allowed) as usize
}

/// The limits of the two halves of `parts` parts, each of which has 1 to `most` nodes. The
/// allowance beyond an even split is used in equal steps on the way down to single parts.
fn limits_for(nodes: usize, parts: usize, most: usize) -> SideLimits {
    let (n, k, most) = (nodes as u128, parts as u128, most as u128);
    let levels = u128::from(parts.next_power_of_two().trailing_zeros());
    let spare = (most * k).saturating_sub(n);
    let side = |own: usize| {
        let own = own as u128;
        let limits = (n * own).div_ceil(k) + spare * own / (k * levels);
        limits.min(n - (k - own)) as usize
    };
    SideLimits { a: side(parts / 2), b: side(parts - parts / 2) }
}
