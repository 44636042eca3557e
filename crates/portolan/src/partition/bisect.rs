//! Cutting in two, and in any number of parts by cutting in two again and again.
//!
//! The cutters proper (`metis`, `inertial`) see connected topologies of at least two nodes only.
//! Everything that is odd about a graph is dealt with here: components are laid whole on the sides
//! where they fit, and a component is cut only where they do not.

use super::flow::CutKind;
use super::{
    CutMethod, CutSide, Partition, PartitionError, Partitioner, SubsetScratch, Topology, inertial,
};

/// The most nodes that the sides of a cut may have. Together they have room for all nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideLimits {
    pub(super) a: usize,
    pub(super) b: usize,
}

impl SideLimits {
    /// Half the nodes, and as much more as the imbalance allows, for each side.
    pub(super) fn halves(nodes: usize, imbalance: u32) -> Self {
        let side = most_in_part(nodes, 2, imbalance).min(nodes.saturating_sub(1));
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

/// Splits by bisection: the parts are shared out to two sides, as evenly as may be, and so on. The
/// sides are split side by side; no cut depends on another, so neither does the result on the
/// threads.
pub(super) fn split(
    config: &Partitioner,
    topology: &Topology,
    parts: usize,
) -> Result<Partition, PartitionError> {
    let nodes = topology.node_count();
    let most = most_in_part(nodes, parts, config.imbalance);
    let splitting = RecursiveSplit { config, most };
    let mut partition = Partition { part_of: vec![0; nodes], parts };
    for (part, nodes) in (0..).zip(splitting.split(topology, (0..nodes as u32).collect(), parts)?) {
        nodes.iter().for_each(|&node| partition.part_of[node as usize] = part);
    }
    Ok(partition)
}

struct RecursiveSplit<'a> {
    config: &'a Partitioner,
    /// The most nodes of a part.
    most: usize,
}

impl RecursiveSplit<'_> {
    /// The nodes of each part, by the names that they are given here.
    fn split(
        &self,
        topology: &Topology,
        names: Vec<u32>,
        parts: usize,
    ) -> Result<Vec<Vec<u32>>, PartitionError> {
        if parts == 1 {
            return Ok(vec![names]);
        }
        let room = room_for(names.len(), parts, self.most);
        let side_of = bisect(self.config, topology, CutKind::Edges, room)?;
        let split_side = |side: CutSide, parts: usize| {
            let here: Vec<u32> =
                (0..).zip(&side_of).filter(|&(_, &at)| at == side).map(|(node, _)| node).collect();
            let names = here.iter().map(|&node| names[node as usize]).collect();
            if parts == 1 {
                return Ok(vec![names]);
            }
            let topology = topology.subset(&here, &mut SubsetScratch::default());
            self.split(&topology, names, parts)
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

/// Cuts a topology of at least two nodes in two, within the room.
pub(super) fn bisect(
    config: &Partitioner,
    topology: &Topology,
    kind: CutKind,
    mut room: SideLimits,
) -> Result<Vec<CutSide>, PartitionError> {
    let mut components = topology.components();
    if components.len() == 1 {
        return cut_connected(config, topology, kind, room);
    }
    // The larger ones first; but the largest last, since it is the one to cut if any must be.
    components.sort_by_key(|nodes| std::cmp::Reverse(nodes.len()));
    components.rotate_left(1);
    let mut side_of = vec![CutSide::A; topology.node_count()];
    let mut scratch = SubsetScratch::default();
    for nodes in components {
        let size = nodes.len();
        let side = if room.a >= room.b { CutSide::A } else { CutSide::B };
        if size <= room.a.max(room.b) {
            room.take(side, size);
            nodes.iter().for_each(|&node| side_of[node as usize] = side);
            continue;
        }
        let part = topology.subset(&nodes, &mut scratch);
        let part_room = SideLimits { a: room.a.min(size - 1), b: room.b.min(size - 1) };
        let sides = cut_connected(config, &part, kind, part_room)?;
        for (&node, side) in nodes.iter().zip(sides) {
            side_of[node as usize] = side;
            room.take(side, 1);
        }
    }
    Ok(side_of)
}

fn cut_connected(
    config: &Partitioner,
    topology: &Topology,
    kind: CutKind,
    room: SideLimits,
) -> Result<Vec<CutSide>, PartitionError> {
    match config.method {
        CutMethod::InertialFlow => {
            Ok(inertial::cut(topology, kind, room, config.tries, config.seed))
        }
        #[cfg(feature = "metis")]
        CutMethod::Metis => super::metis::cut(topology, kind, room, config.tries, config.seed),
        #[cfg(not(feature = "metis"))]
        CutMethod::Metis => Err(PartitionError::NoMetis),
    }
}

/// How many nodes a part may have.
fn most_in_part(nodes: usize, parts: usize, imbalance: u32) -> usize {
    let (nodes, parts) = (nodes as u128, parts as u128);
    let even = nodes.div_ceil(parts);
    let allowed = nodes * (1000 + u128::from(imbalance)) / (1000 * parts);
    even.max(allowed) as usize
}

/// The room for the two halves of `parts` parts, of which each may have `most` nodes and must have
/// one. What is allowed beyond an even split is used up by equal steps on the way down to single
/// parts.
fn room_for(nodes: usize, parts: usize, most: usize) -> SideLimits {
    let (n, k, most) = (nodes as u128, parts as u128, most as u128);
    let levels = u128::from(parts.next_power_of_two().trailing_zeros());
    let spare = (most * k).saturating_sub(n);
    let side = |own: usize| {
        let own = own as u128;
        let room = (n * own).div_ceil(k) + spare * own / (k * levels);
        room.min(n - (k - own)) as usize
    };
    SideLimits { a: side(parts / 2), b: side(parts - parts / 2) }
}
