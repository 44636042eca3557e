//! All that lies ready where the core leaves nodes out, so that a path is put together by copying.
//!
//! Finding the nodes that a core leaves out takes several looks for every core edge, and a path
//! that few others share finds none of it in the caches. So whole ways are laid out: from the nodes
//! inside leaves to the leaves' borders (`legs.rs`), and from separator node to separator node
//! (`jumps.rs`). Which leg to take is told by `gates.rs`, and where a node belongs by `homes.rs`.
//! It all follows from the rows, hops and strips.

pub(crate) mod jumps;
pub(crate) mod legs;
pub(crate) mod strips;
pub(crate) mod trail;
pub(crate) mod walk;

use self::jumps::Jumps;
use self::legs::Legs;
use self::strips::Strips;
use super::homes::Homes;
use super::index::{Core, GeneralIndex};
use super::labels::Layout;
use super::labels::gates::Gates;
use super::labels::hops::Hops;
use super::tables::region::Both;
use crate::store::{Movable, Words, side_by_side};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) legs: Legs,
    pub(crate) jumps: Jumps,
    pub(crate) gates: Gates,
    pub(crate) homes: Homes,
}

impl Ready {
    /// `None` where the core leaves nothing out, and where it would take more than so many bytes.
    pub(crate) fn build(
        index: &GeneralIndex,
        layout: &Layout,
        costs: &Both<Words>,
        hops: &Hops,
        strips: &Strips,
        limit: u64,
    ) -> Option<Self> {
        let Core::Reduced(reduced) = &index.core else { return None };
        let taken = Gates::planned_bytes(index, layout) + Homes::planned_bytes(reduced);
        let room = limit.checked_sub(taken as u64)?;
        let legs = Legs::build(index, reduced, room)?;
        let room = room.checked_sub(legs.memory_bytes() as u64)?;
        let jumps = Jumps::build(layout, costs, hops, strips, room)?;
        let gates = Gates::build(&index.regions, layout, &hops.exits, costs);
        let homes = Homes::new(reduced, &index.places);
        let mut ready = Self { legs, jumps, gates, homes };
        ready.settle();
        Some(ready)
    }

    /// Moves the arrays that every path reads in a few places together.
    fn settle(&mut self) {
        let Self { legs, jumps, homes, .. } = self;
        let ([out, into], Jumps { next, numbers, first, pieces, nodes }) = (&mut legs.legs, jumps);
        let [first_out, first_into] = first;
        let [pieces_out, pieces_into] = pieces;
        let mut arrays: Vec<&mut dyn Movable> = vec![
            &mut homes.places,
            out,
            into,
            first_out,
            first_into,
            pieces_out,
            pieces_into,
            &mut next.out,
            &mut numbers.out,
            &mut legs.nodes,
            nodes,
        ];
        if let (Some(next), Some(numbers)) = (&mut next.into, &mut numbers.into) {
            arrays.push(next);
            arrays.push(numbers);
        }
        side_by_side(&mut arrays);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let Self { legs, jumps, gates, homes } = self;
        legs.memory_bytes() + jumps.memory_bytes() + gates.memory_bytes() + homes.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::labels::Labels;
    use super::legs::Piece;
    use super::walk::Walker;
    use super::*;
    use crate::atlas::general::labels::hops::Exit;
    use crate::atlas::general::tables::region::Way;
    use crate::atlas::{Atlas, AtlasConfig, Form};
    use crate::cost::UNREACHABLE;
    use crate::engine::{Engine, Query};
    use crate::generate::Roads;
    use crate::graph::NodeId;
    use crate::map::Map;

    fn atlas(memory_limit: u64) -> Atlas {
        let roads = Roads { nodes: 3000, seed: 5, ..Roads::default() };
        let map = Map::from(roads.generate().unwrap());
        let config = AtlasConfig {
            form: Form::General,
            leaf_size: Some(24),
            memory_limit,
            ..AtlasConfig::default()
        };
        Atlas::build(&map, &config).unwrap()
    }

    fn ready(atlas: &mut Atlas) -> (&GeneralIndex, &Labels, &Ready) {
        let index = &*atlas.index.general();
        let labels = index.labels.as_deref().unwrap();
        (index, labels, labels.ready.as_ref().expect("there is room for everything"))
    }

    /// Adds a piece to a way that is put together from its end at the walker.
    fn add(way: Way, piece: Piece, nodes: &[NodeId], path: &mut Vec<NodeId>) {
        let piece = piece.of(nodes).expect("the piece is there");
        match way {
            Way::Out => path.extend_from_slice(piece),
            Way::Into => drop(path.splice(0..0, piece.iter().copied())),
        }
    }

    #[test]
    fn legs_are_the_ways_that_steps_lead() {
        let mut atlas = atlas(u64::MAX);
        let (index, labels, ready) = ready(&mut atlas);
        let mut legs = 0;
        for (leaf, region) in
            (0..).zip(&index.regions).filter(|(_, region)| region.leaf().is_some())
        {
            for way in [Way::Out, Way::Into] {
                for (slot, &member) in (0..).zip(region.members.iter()) {
                    let place = index.places.of(member);
                    assert_eq!((place.home, place.slot), (leaf, slot));
                    let count = labels.hops.exits.border(leaf).len();
                    for (border, &leg) in ready.legs.of(way, place, count).iter().enumerate() {
                        let mut walker = Walker::new(way);
                        walker.start(member);
                        let reach = region.leaf().unwrap().reach.way(way);
                        if reach[slot as usize * count + border] == UNREACHABLE {
                            assert_eq!(leg, 0);
                            continue;
                        }
                        walker.leave(index, region, slot as usize, border).unwrap();
                        let mut path = Vec::new();
                        let mut leg = leg;
                        while let Some(piece) = ready.legs.piece(leaf, leg) {
                            add(way, piece, &ready.legs.nodes, &mut path);
                            leg = ready.legs.next(way, piece).unwrap();
                        }
                        match way {
                            Way::Out => path.insert(0, member),
                            Way::Into => {
                                path.insert(0, region.border[border]);
                                path.reverse();
                            }
                        }
                        assert_eq!(path, walker.path);
                        legs += 1;
                    }
                }
            }
        }
        assert!(legs > 1000, "{legs} legs were looked at");
    }

    #[test]
    fn jumps_lead_along_ways_of_the_right_cost() {
        let mut atlas = atlas(u64::MAX);
        let (index, labels, Ready { jumps, .. }) = ready(&mut atlas);
        let nodes = &labels.hops.exits.nodes;
        let mut several = 0;
        for way in [Way::Out, Way::Into] {
            for rank in 0..labels.layout.separators() as u32 {
                let row = labels.row(way, rank);
                for (entry, &cost) in row[..row.len() - 1].iter().enumerate() {
                    let (_, at) = labels.layout.entry(rank, entry).unwrap();
                    if cost == UNREACHABLE {
                        continue;
                    }
                    let exits = &labels.hops.exits;
                    let Some(exit) = exits.exit(rank, labels.hops.hop(way, at)) else { continue };
                    let next = jumps.next.way(way)[at];
                    let number = jumps.numbers.way(way)[at];
                    let rest = cost - labels.row(way, next)[entry];
                    let mut path = Vec::new();
                    let piece = jumps.piece(way, rank, number).unwrap();
                    add(way, piece, &jumps.nodes, &mut path);
                    let (from, to) = match way {
                        Way::Out => (rank, next),
                        Way::Into => (next, rank),
                    };
                    path.insert(0, nodes[from as usize]);
                    assert_eq!(path.last(), Some(&nodes[to as usize]));
                    assert_eq!(index.map.walk(path.iter().copied()), Ok(index.cost(rest)));
                    let one_hop = match exit {
                        Exit::Edge(to) => to,
                        Exit::Leaf { leaf, to, .. } => exits.border(leaf)[to as usize],
                    };
                    several += usize::from(next != one_hop);
                }
            }
        }
        assert!(several > 100, "{several} jumps are longer than a hop");
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_nothing_else_changes() {
        let mut whole = atlas(u64::MAX);
        let (_, labels, ready) = ready(&mut whole);
        assert!(labels.strips.is_none());
        let ready_bytes = ready.memory_bytes();
        let mut less = atlas(whole.memory_bytes() as u64 - 1);
        let left = less.index.general().labels.as_deref().unwrap();
        assert!(left.ready.is_none() && left.strips.is_some());
        assert!(less.memory_bytes() < whole.memory_bytes() - ready_bytes / 2);
        let (mut a, mut b) = (whole.query(), less.query());
        for from in (0..3000).step_by(97) {
            for to in (0..3000).step_by(61) {
                let cost =
                    |query: &mut dyn Query| query.find(from, to).unwrap().map(|route| route.cost());
                assert_eq!(cost(&mut a), cost(&mut b), "{from} to {to}");
            }
        }
    }
}
