//! Dead ends and bends.

use super::super::Random;
use super::cuts::{area_and_middle, beside};
use super::planar::Planar;
use super::road_class::{RoadClass, straight_line};
use crate::graph::{NodeId, Point};

/// The probability that a dead end branches off another one.
const BRANCHES: f64 = 0.25;
/// The probability that a dead end is a track.
const TRACKS: f64 = 0.5;
/// In blocks with more streets than this, dead ends do not aim at the middle.
const LARGEST_RING: usize = 64;

/// Dead ends inside blocks; they are not part of the planar network.
#[derive(Default)]
pub(super) struct Spurs {
    spurs: Vec<Spur>,
}

/// A two-way street of a dead end.
#[derive(Clone, Copy)]
pub(super) struct Spur {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) class: RoadClass,
}

impl Spurs {
    pub(super) fn len(&self) -> usize {
        self.spurs.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Spur> {
        self.spurs.iter()
    }

    /// Adds this many dead ends while nodes are left. Each takes two: a junction and the end.
    pub(super) fn add_dead_ends(
        &mut self,
        planar: &mut Planar,
        count: usize,
        nodes: usize,
        random: &mut Random,
    ) {
        for _ in 0..count {
            if planar.points().len() + 2 > nodes {
                return;
            }
            if !self.spurs.is_empty() && random.chance(BRANCHES) {
                self.branch(planar, random);
            } else {
                self.lead_into_block(planar, random);
            }
        }
    }

    /// Divides streets, preferably long ones, until there are this many nodes.
    pub(super) fn add_bends(&mut self, planar: &mut Planar, nodes: usize, random: &mut Random) {
        while planar.points().len() < nodes {
            let [a, b] = std::array::from_fn(|_| self.draw(planar, random));
            let street = if self.length(planar, a) >= self.length(planar, b) { a } else { b };
            let part = 0.2 + 0.6 * random.unit();
            self.divide(planar, street, part, random);
        }
    }

    fn lead_into_block(&mut self, planar: &mut Planar, random: &mut Random) {
        let half_edge = random.below(planar.half_edges().into()) as u32;
        let (a, b) = (planar.tail_point(half_edge), planar.head_point(half_edge));
        let part = 0.15 + 0.7 * random.unit();
        let root = beside(a, b, part, random);
        let reach = 0.25 + 0.5 * random.unit();
        let aim = middle(planar, half_edge).unwrap_or_else(|| to_the_left(root, a, b));
        let tip = Point {
            x: root.x + ((aim.0 - f64::from(root.x)) * reach) as i32,
            y: root.y + ((aim.1 - f64::from(root.y)) * reach) as i32,
        };
        let class = match planar.class(half_edge) {
            _ if random.chance(TRACKS) => RoadClass::Track,
            RoadClass::Track => RoadClass::Track,
            _ => RoadClass::Street,
        };
        let from = planar.divide(half_edge, root);
        let to = planar.add_point(tip, 1);
        self.spurs.push(Spur { from, to, class });
    }

    fn branch(&mut self, planar: &mut Planar, random: &mut Random) {
        let index = random.below(self.spurs.len() as u64) as usize;
        let Spur { from, to, class } = self.spurs[index];
        let (a, b) = (planar.points()[from as usize], planar.points()[to as usize]);
        let (a, b) = if random.chance(0.5) { (a, b) } else { (b, a) };
        let root = self.divide(planar, Street::Spur(index), 0.5, random);
        let at = planar.points()[root as usize];
        let aim = to_the_left(at, a, b);
        let reach = 0.3 + 0.6 * random.unit();
        let tip = Point {
            x: at.x + ((aim.0 - f64::from(at.x)) * reach) as i32,
            y: at.y + ((aim.1 - f64::from(at.y)) * reach) as i32,
        };
        let to = planar.add_point(tip, 1);
        self.spurs.push(Spur { from: root, to, class });
    }

    /// A random street, uniformly distributed.
    fn draw(&self, planar: &Planar, random: &mut Random) -> Street {
        let halves = u64::from(planar.half_edges());
        let index = random.below(halves + 2 * self.spurs.len() as u64);
        match index.checked_sub(halves) {
            None => Street::Planar(index as u32),
            Some(index) => Street::Spur(index as usize / 2),
        }
    }

    fn ends(&self, planar: &Planar, street: Street) -> (Point, Point) {
        match street {
            Street::Planar(half) => (planar.tail_point(half), planar.head_point(half)),
            Street::Spur(index) => {
                let Spur { from, to, .. } = self.spurs[index];
                (planar.points()[from as usize], planar.points()[to as usize])
            }
        }
    }

    fn length(&self, planar: &Planar, street: Street) -> u64 {
        let (a, b) = self.ends(planar, street);
        straight_line(a, b)
    }

    fn divide(
        &mut self,
        planar: &mut Planar,
        street: Street,
        part: f64,
        random: &mut Random,
    ) -> NodeId {
        let (a, b) = self.ends(planar, street);
        let point = beside(a, b, part, random);
        match street {
            Street::Planar(half_edge) => planar.divide(half_edge, point),
            Street::Spur(index) => {
                let node = planar.add_point(point, 2);
                let Spur { to, class, .. } = self.spurs[index];
                self.spurs[index].to = node;
                self.spurs.push(Spur { from: node, to, class });
                node
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Street {
    /// A half-edge of the planar network.
    Planar(u32),
    /// An index in the list of spurs.
    Spur(usize),
}

/// The middle of the block to the left; `None` outside the country and for blocks with many
/// streets.
fn middle(planar: &Planar, half_edge: u32) -> Option<(f64, f64)> {
    let mut ring = [0; LARGEST_RING];
    let mut at = half_edge;
    for length in 0..LARGEST_RING {
        ring[length] = at;
        at = planar.next(at);
        if at == half_edge {
            let (area, middle) = area_and_middle(planar, &ring[..=length]);
            return (area > 0.0).then_some(middle);
        }
    }
    None
}

/// The point to the left of `root` at the distance from a to b, perpendicular to that line.
fn to_the_left(root: Point, a: Point, b: Point) -> (f64, f64) {
    let (dx, dy) = (f64::from(b.x - a.x), f64::from(b.y - a.y));
    (f64::from(root.x) - dy, f64::from(root.y) + dx)
}
