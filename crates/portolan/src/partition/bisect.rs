//! Cutting in two, and in any number of parts by cutting in two again and again.
//!
//! The cutters proper (`metis`, `inertial`) see connected topologies of at least two nodes only. Everything
//! that is odd about a graph is dealt with here: components are laid whole on the sides where they fit, and
//! a component is cut only where they do not.

use super::flow::Kind;
use super::inertial;
use super::{Method, Partition, PartitionError, Partitioner, Side, SubsetScratch, Topology};

/// The most nodes that the sides of a cut may have. Together they have room for all nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) a: usize,
    pub(super) b: usize,
}

impl Room {
    /// Half the nodes, and as much more as the imbalance allows, for each side.
    pub(super) fn halves(nodes: usize, imbalance: u32) -> Self {
        let side = most_in_part(nodes, 2, imbalance).min(nodes.saturating_sub(1));
        Self { a: side, b: side }
    }

    fn take(&mut self, side: Side, nodes: usize) {
        match side {
            Side::A => self.a -= nodes,
            Side::B => self.b -= nodes,
            Side::Separator => {}
        }
    }
}

/// Splits by bisection: the parts are shared out to two sides, as evenly as may be, and so on.
pub(super) fn split(
    config: &Partitioner,
    topology: &Topology,
    parts: usize,
) -> Result<Partition, PartitionError> {
    let most = most_in_part(topology.node_count(), parts, config.imbalance);
    let mut partition = Partition { part_of: vec![0; topology.node_count()], parts };
    let mut scratch = SubsetScratch::default();
    // Nodes to be split, with the first of their parts and the number of these.
    let mut open: Vec<(Vec<u32>, usize, usize)> =
        vec![((0..topology.node_count() as u32).collect(), 0, parts)];
    while let Some((nodes, first, parts)) = open.pop() {
        if parts == 1 {
            nodes.iter().for_each(|&node| partition.part_of[node as usize] = first as u32);
            continue;
        }
        let part = topology.subset(&nodes, &mut scratch);
        let room = room_for(nodes.len(), parts, most);
        let side_of = bisect(config, &part, Kind::Edges, room)?;
        let members = |side| {
            let here = nodes.iter().zip(&side_of).filter(move |&(_, &at)| at == side);
            here.map(|(&node, _)| node).collect()
        };
        open.push((members(Side::A), first, parts / 2));
        open.push((members(Side::B), first + parts / 2, parts - parts / 2));
    }
    Ok(partition)
}

/// Cuts a topology of at least two nodes in two, within the room.
pub(super) fn bisect(
    config: &Partitioner,
    topology: &Topology,
    kind: Kind,
    mut room: Room,
) -> Result<Vec<Side>, PartitionError> {
    let mut components = topology.components();
    if components.len() == 1 {
        return cut_connected(config, topology, kind, room);
    }
    // The larger ones first; but the largest last, since it is the one to cut if any must be.
    components.sort_by_key(|nodes| std::cmp::Reverse(nodes.len()));
    components.rotate_left(1);
    let mut side_of = vec![Side::A; topology.node_count()];
    let mut scratch = SubsetScratch::default();
    for nodes in components {
        let size = nodes.len();
        let side = if room.a >= room.b { Side::A } else { Side::B };
        if size <= room.a.max(room.b) {
            room.take(side, size);
            nodes.iter().for_each(|&node| side_of[node as usize] = side);
            continue;
        }
        let part = topology.subset(&nodes, &mut scratch);
        let part_room = Room { a: room.a.min(size - 1), b: room.b.min(size - 1) };
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
    kind: Kind,
    room: Room,
) -> Result<Vec<Side>, PartitionError> {
    match config.method {
        Method::InertialFlow => Ok(inertial::cut(topology, kind, room, config.tries, config.seed)),
        #[cfg(feature = "metis")]
        Method::Metis => super::metis::cut(topology, kind, room, config.tries, config.seed),
        #[cfg(not(feature = "metis"))]
        Method::Metis => Err(PartitionError::NoMetis),
    }
}

/// How many nodes a part may have.
fn most_in_part(nodes: usize, parts: usize, imbalance: u32) -> usize {
    let (nodes, parts) = (nodes as u128, parts as u128);
    let even = nodes.div_ceil(parts);
    let allowed = nodes * (1000 + u128::from(imbalance)) / (1000 * parts);
    even.max(allowed) as usize
}

/// The room for the two halves of `parts` parts, of which each may have `most` nodes and must have one.
/// What is allowed beyond an even split is used up by equal steps on the way down to single parts.
fn room_for(nodes: usize, parts: usize, most: usize) -> Room {
    let (n, k, most) = (nodes as u128, parts as u128, most as u128);
    let levels = u128::from(parts.next_power_of_two().trailing_zeros());
    let spare = (most * k).saturating_sub(n);
    let side = |own: usize| {
        let own = own as u128;
        let room = (n * own).div_ceil(k) + spare * own / (k * levels);
        room.min(n - (k - own)) as usize
    };
    Room { a: side(parts / 2), b: side(parts - parts / 2) }
}
