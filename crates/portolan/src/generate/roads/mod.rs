//! Road networks of whole countries.
//!
//! A country is an irregular outline that roads cut into ever smaller blocks. The block that most
//! needs a road (its area times how densely the land is settled there) is cut next, across its
//! longer side, so the first cuts are the long roads and the last ones the lanes of the towns. A
//! cut ends in the middle of other roads: most junctions join three ways, as they do on real maps.
//! Then dead ends are put into the blocks, and what is left of the nodes becomes bends.
//!
//! Invariants that make the network usable:
//! - Without its dead ends the network is a planar graph of which every block is a simple cycle.
//! - One-way streets always run round a whole block, and no two such blocks share a street. Whoever
//!   needs a street against its direction goes round the block, so all nodes reach each other.
//! - A street is at least as long as the straight line between its ends, and at least 1 long.

mod country;
mod cuts;
mod kinds;
mod planar;
mod spurs;

use super::{GenerateError, Random, check_number, check_share};
use crate::cost::Cost;
use crate::graph::{CsrGraph, GraphBuilder, NodeId, Point};
use country::Country;
use kinds::{Kind, straight_line};
use planar::Planar;
use spurs::Spurs;

/// What the weights of a road network are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoadMetric {
    /// Metres, rounded up; never below the straight line between the ends.
    #[default]
    Metres,
    /// Milliseconds of travel, rounded up; nothing is faster than 130 km/h.
    Milliseconds,
}

/// A country's roads: a sparse, irregular, strongly connected graph with coordinates in metres.
///
/// With the defaults the shares of dead ends, bends, junctions and one-way streets are near those
/// of Luxembourg's roads in OpenStreetMap, and so are the distances. Ids follow a Z-shaped curve
/// over the country, so that near nodes tend to have near ids.
///
/// ```
/// use portolan::Graph;
/// use portolan::generate::{RoadMetric, Roads};
/// let config = Roads { nodes: 2000, metric: RoadMetric::Milliseconds, ..Roads::default() };
/// let graph = config.generate()?;
/// assert_eq!(graph.node_count(), 2000);
/// assert_eq!(portolan::graph::strong_components(&graph).count(), 1);
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Roads {
    /// How many nodes there are, exactly; 16 to 100 million. The country grows with them.
    pub nodes: u32,
    /// What the weights are.
    pub metric: RoadMetric,
    /// How much denser the roads are in the middle of a town than in the open land, 0 to 1000. More
    /// draws more of the nodes into the towns; 0 makes no towns.
    pub towns: f64,
    /// How many of the nodes are dead ends, 0 to 0.25 of all. More makes fewer blocks and ways
    /// round.
    pub dead_ends: f64,
    /// How many of the streets are one-way, 0 to 0.3 of all; reached as nearly as whole blocks
    /// allow. More makes going there and coming back differ more.
    pub one_way: f64,
    /// Another seed, another country.
    pub seed: u64,
}

impl Default for Roads {
    fn default() -> Self {
        Self {
            nodes: 100_000,
            metric: RoadMetric::Metres,
            towns: 25.0,
            dead_ends: 0.2,
            one_way: 0.1,
            seed: 0,
        }
    }
}

/// The share of nodes that junctions of cuts and dead ends use up; the rest are bends.
const JUNCTIONS: f64 = 0.8;

impl Roads {
    /// Lays out the country and builds its roads.
    pub fn generate(&self) -> Result<CsrGraph, GenerateError> {
        check_number("nodes", self.nodes, 16u32, 100_000_000u32)?;
        check_share("towns", self.towns, 1000.0)?;
        check_share("dead_ends", self.dead_ends, 0.25)?;
        check_share("one_way", self.one_way, 0.3)?;
        let mut random = Random::new(self.seed);
        let country = Country::new(self.nodes, self.towns, &mut random);
        let mut planar = Planar::new(country.outline(&mut random), Kind::Secondary);
        let nodes = self.nodes as usize;
        let dead_ends = (f64::from(self.nodes) * self.dead_ends) as usize;
        let junctions = (f64::from(self.nodes) * JUNCTIONS) as usize;
        let for_cuts = junctions.saturating_sub(planar.points().len() + 2 * dead_ends);
        let blocks = cuts::cut(&mut planar, &country, for_cuts, &mut random);
        let mut spurs = Spurs::default();
        spurs.add_dead_ends(&mut planar, dead_ends, nodes, &mut random);
        spurs.add_bends(&mut planar, nodes, &mut random);
        self.close_one_ways(&mut planar, blocks, spurs.len(), &country, &mut random);
        self.emit(&planar, &spurs, &mut random)
    }

    /// Closes one direction of the streets round blocks that share none, first in the towns.
    fn close_one_ways(
        &self,
        planar: &mut Planar,
        mut blocks: Vec<u32>,
        spurs: usize,
        country: &Country,
        random: &mut Random,
    ) {
        let streets = planar.half_edges() as usize / 2 + spurs;
        let mut wanted = (streets as f64 * self.one_way) as usize;
        random.shuffle(&mut blocks);
        let mut ring = Vec::new();
        for in_town in [true, false] {
            for &block in &blocks {
                // Every block has at least three streets.
                if wanted < 3 {
                    return;
                }
                if country.is_town(planar.tail_point(block)) != in_town {
                    continue;
                }
                let suits = planar.walk_while(block, &mut ring, |street| {
                    planar.kind(street).may_be_one_way() && planar.is_two_way(street)
                });
                if suits && ring.len() <= wanted {
                    wanted -= ring.len();
                    ring.iter().for_each(|&street| planar.close_against(street));
                }
            }
        }
    }

    fn emit(
        &self,
        planar: &Planar,
        spurs: &Spurs,
        random: &mut Random,
    ) -> Result<CsrGraph, GenerateError> {
        let points = planar.points();
        let mut order: Vec<NodeId> = (0..points.len() as NodeId).collect();
        order.sort_by_cached_key(|&node| (z_order(points[node as usize]), node));
        let mut ids = vec![0; order.len()];
        for (id, &node) in (0..).zip(&order) {
            ids[node as usize] = id;
        }
        let mut builder = GraphBuilder::new(points.len())?;
        builder.set_coordinates(order.iter().map(|&node| points[node as usize]).collect())?;
        let two_way = spurs.iter().map(|spur| (spur.from, spur.to, spur.kind, [true; 2]));
        for (tail, head, kind, open) in planar.streets().chain(two_way) {
            let weight = self.weight(points[tail as usize], points[head as usize], kind, random);
            let (tail, head) = (ids[tail as usize], ids[head as usize]);
            for ((tail, head), _) in
                [(tail, head), (head, tail)].into_iter().zip(open).filter(|&(_, open)| open)
            {
                builder.add_edge(tail, head, weight)?;
            }
        }
        Ok(builder.build())
    }

    fn weight(&self, a: Point, b: Point, kind: Kind, random: &mut Random) -> Cost {
        // Small bends that have no node of their own, in thousandths of the straight line.
        let bends = random.below(kind.winding());
        let metres = (straight_line(a, b) * (1000 + bends)).div_ceil(1000).max(1);
        let weight = match self.metric {
            RoadMetric::Metres => metres,
            RoadMetric::Milliseconds => (metres * 3600).div_ceil(kind.kilometres_per_hour()),
        };
        Cost::try_from(weight).unwrap_or(Cost::MAX - 1)
    }
}

/// The place on the curve that visits quarters of the country, and quarters of those, in turn.
fn z_order(point: Point) -> u64 {
    let spread = |value: i32| {
        let mut bits = u64::from(value.max(0) as u32);
        for (shift, mask) in [
            (16, 0x0000_ffff_0000_ffff),
            (8, 0x00ff_00ff_00ff_00ff),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (2, 0x3333_3333_3333_3333),
            (1, 0x5555_5555_5555_5555),
        ] {
            bits = (bits | bits << shift) & mask;
        }
        bits
    };
    spread(point.x) | spread(point.y) << 1
}
