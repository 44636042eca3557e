//! Road networks of whole countries.
//!
//! A country is an irregular outline that roads cut into ever smaller blocks. The next cut goes
//! through the block with the greatest need (area times density of settlement), across its longer
//! side. So the first cuts are long roads and the last ones lanes in towns. Cuts end in the middle
//! of other roads: most junctions join three streets, as on real maps. Then dead ends are added to
//! the blocks, and the remaining nodes become bends.
//!
//! Read `country.rs` (the land), `planar.rs` (the network as half-edges), `cuts.rs`, then
//! `spurs.rs` (dead ends and bends).
//!
//! Invariants:
//! - Without dead ends the network is a planar graph, and every block is a simple cycle.
//! - One-way streets always surround a whole block, and no two such blocks share a street. A detour
//!   around the block replaces the closed direction, so all nodes reach each other.
//! - A street is at least as long as the straight line between its ends, and at least 1 long.

mod country;
mod cuts;
mod planar;
mod road_class;
mod spurs;

use super::{GenerateError, Random, check_number, check_share};
use crate::cost::Cost;
use crate::graph::{CsrGraph, GraphBuilder, NodeId, Point};
use country::Country;
use planar::Planar;
use road_class::{RoadClass, straight_line};
use spurs::Spurs;

/// The meaning of the weights of a road network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoadMetric {
    /// Metres, rounded up; never below the straight line between the ends.
    #[default]
    Metres,
    /// Milliseconds of travel, rounded up; nothing is faster than 130 km/h.
    Milliseconds,
}

/// The roads of a country: a sparse, irregular, strongly connected graph with coordinates in
/// metres.
///
/// With the defaults the shares of dead ends, bends, junctions and one-way streets, and the
/// distances, are close to those of Luxembourg in OpenStreetMap. Ids follow a Z-order curve, so
/// near nodes tend to have near ids.
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
    /// The exact number of nodes; 16 to 100 million. The area of the country is proportional to it.
    pub nodes: u32,
    /// The meaning of the weights.
    pub metric: RoadMetric,
    /// The density of roads in the middle of a town relative to open land, 0 to 1000. Larger values
    /// put more nodes into towns; 0 makes no towns.
    pub towns: f64,
    /// The share of nodes that are dead ends, 0 to 0.25. Larger values make fewer blocks and loops.
    pub dead_ends: f64,
    /// The share of streets that are one-way, 0 to 0.3; whole blocks only approximate it. Larger
    /// values make distances less symmetric.
    pub one_way: f64,
    /// The seed.
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

/// The share of nodes in cuts and dead ends; the rest are bends.
const JUNCTIONS: f64 = 0.8;

impl Roads {
    /// Generates the country and its roads.
    pub fn generate(&self) -> Result<CsrGraph, GenerateError> {
        check_number("nodes", self.nodes, 16u32, 100_000_000u32)?;
        check_share("towns", self.towns, 1000.0)?;
        check_share("dead_ends", self.dead_ends, 0.25)?;
        check_share("one_way", self.one_way, 0.3)?;
        let mut random = Random::new(self.seed);
        let country = Country::new(self.nodes, self.towns, &mut random);
        let mut planar = Planar::new(country.outline(&mut random), RoadClass::Secondary);
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

    /// Makes the streets around blocks one-way, first in towns. No two such blocks share a street.
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
                    planar.class(street).may_be_one_way() && planar.is_two_way(street)
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
        let two_way = spurs.iter().map(|spur| (spur.from, spur.to, spur.class, [true; 2]));
        for (tail, head, class, open) in planar.streets().chain(two_way) {
            let weight = self.weight(points[tail as usize], points[head as usize], class, random);
            let (tail, head) = (ids[tail as usize], ids[head as usize]);
            for ((tail, head), _) in
                [(tail, head), (head, tail)].into_iter().zip(open).filter(|&(_, open)| open)
            {
                builder.add_edge(tail, head, weight)?;
            }
        }
        Ok(builder.build())
    }

    fn weight(&self, a: Point, b: Point, class: RoadClass, random: &mut Random) -> Cost {
        // Small bends without nodes, in thousandths of the straight line.
        let bends = random.below(class.winding());
        let metres = (straight_line(a, b) * (1000 + bends)).div_ceil(1000).max(1);
        let weight = match self.metric {
            RoadMetric::Metres => metres,
            RoadMetric::Milliseconds => (metres * 3600).div_ceil(class.kilometres_per_hour()),
        };
        Cost::try_from(weight).unwrap_or(Cost::MAX - 1)
    }
}

/// The position of a point on the Z-order curve: its coordinates with their bits interleaved.
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
