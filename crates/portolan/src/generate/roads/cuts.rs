//! Cutting the country into blocks.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::super::Random;
use super::country::Country;
use super::planar::Planar;
use super::road_class::RoadClass;
use crate::graph::Point;

/// Square metres; smaller blocks are not cut.
const SMALLEST_BLOCK: f64 = 600.0;
/// Within this part of a street at either end, a cut uses the existing junction.
const SNAP: f64 = 0.07;
/// New junctions are moved sideways by up to this part of their street, so that long roads wind.
const WINDING: f64 = 0.12;
/// The class of a road through a block, by least size. The size is the area in square metres times
/// the root of the density, so that large roads are closer together in towns.
const RANKS: [(f64, RoadClass); 3] =
    [(1e9, RoadClass::Motorway), (40e6, RoadClass::Major), (10e6, RoadClass::Secondary)];

/// The share of the smaller roads that are better than a street or a track.
const COUNTRY_ROADS: f64 = 0.2;

/// Cuts blocks until this many nodes are added. Returns a half-edge of every block.
pub(super) fn cut(
    planar: &mut Planar,
    country: &Country,
    nodes: usize,
    random: &mut Random,
) -> Vec<u32> {
    let first = planar.points().len();
    let mut ring = Vec::new();
    let mut heap = BinaryHeap::from([Block::measure(planar, country, 0, &mut ring)]);
    let mut done = Vec::new();
    while planar.points().len() + 2 <= first + nodes {
        let Some(block) = heap.pop() else { break };
        planar.walk_into(block.half_edge, &mut ring);
        let class = road_class(&block, country, random);
        match cut_one(planar, &block, &ring, class, random) {
            Some(halves) => {
                heap.extend(halves.map(|half| Block::measure(planar, country, half, &mut ring)))
            }
            None => done.push(block.half_edge),
        }
    }
    done.extend(heap.into_iter().map(|block| block.half_edge));
    done.sort_unstable();
    done
}

/// A block to be cut; the one with the greatest need comes first.
struct Block {
    need: f64,
    half_edge: u32,
    middle: (f64, f64),
}

impl Block {
    fn measure(planar: &Planar, country: &Country, half_edge: u32, ring: &mut Vec<u32>) -> Self {
        planar.walk_into(half_edge, ring);
        let (area, middle) = area_and_middle(planar, ring);
        let at = Point { x: middle.0 as i32, y: middle.1 as i32 };
        let need = if area < SMALLEST_BLOCK { 0.0 } else { area * country.density(at) };
        Self { need, half_edge, middle }
    }
}

impl Ord for Block {
    fn cmp(&self, other: &Self) -> Ordering {
        self.need.total_cmp(&other.need).then(other.half_edge.cmp(&self.half_edge))
    }
}

impl PartialOrd for Block {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Block {}

/// The area of a polygon, negative if it is clockwise, and its centroid.
pub(super) fn area_and_middle(planar: &Planar, ring: &[u32]) -> (f64, (f64, f64)) {
    // Relative to one corner, to avoid cancellation.
    let origin = planar.tail_point(ring[0]);
    let relative = |at: Point| (f64::from(at.x - origin.x), f64::from(at.y - origin.y));
    let (mut twice, mut x, mut y) = (0.0, 0.0, 0.0);
    for &half_edge in ring {
        let (a, b) =
            (relative(planar.tail_point(half_edge)), relative(planar.head_point(half_edge)));
        let cross = a.0 * b.1 - a.1 * b.0;
        twice += cross;
        x += cross * (a.0 + b.0);
        y += cross * (a.1 + b.1);
    }
    let scale = if twice == 0.0 { 0.0 } else { 1.0 / (3.0 * twice) };
    (twice / 2.0, (f64::from(origin.x) + x * scale, f64::from(origin.y) + y * scale))
}

fn road_class(block: &Block, country: &Country, random: &mut Random) -> RoadClass {
    let at = Point { x: block.middle.0 as i32, y: block.middle.1 as i32 };
    let density = country.density(at);
    let size = if density > 0.0 { block.need / density.sqrt() } else { 0.0 };
    if let Some(&(_, class)) = RANKS.iter().find(|&&(least, _)| size >= least) {
        return class;
    }
    match (random.chance(COUNTRY_ROADS), country.is_town(at)) {
        (true, _) => RoadClass::Country,
        (false, true) => RoadClass::Street,
        (false, false) => RoadClass::Track,
    }
}

/// Cuts a block across its longer extent, near its middle; `None` if that is impossible.
fn cut_one(
    planar: &mut Planar,
    block: &Block,
    ring: &[u32],
    class: RoadClass,
    random: &mut Random,
) -> Option<[u32; 2]> {
    if block.need <= 0.0 {
        return None;
    }
    let (axis, extent) = long_axis(planar, block.middle, ring);
    let offset = (random.unit() - 0.5) * 0.5 * extent;
    let through = (block.middle.0 + axis.0 * offset, block.middle.1 + axis.1 * offset);
    let skew = (random.unit() - 0.5) * 0.4;
    let normal = (axis.0 - axis.1 * skew, axis.1 + axis.0 * skew);
    let crossings = crossings(planar, through, normal, ring)?;
    let ends = crossings.map(|crossing| CutEnd::choose(planar, ring, crossing));
    let [from, to] = if are_apart(planar, &ends) {
        ends
    } else {
        crossings.map(|(index, at)| CutEnd::Divide { half_edge: ring[index], at })
    };
    let from = from.prepare(planar, random);
    let to = to.prepare(planar, random);
    Some(planar.cut(from, to, class))
}

/// The principal axis of the rim of a block, and the rim's root mean square distance along it.
fn long_axis(planar: &Planar, middle: (f64, f64), ring: &[u32]) -> ((f64, f64), f64) {
    let (mut xx, mut xy, mut yy, mut rim) = (0.0, 0.0, 0.0, 0.0);
    for &half_edge in ring {
        let (a, b) = (planar.tail_point(half_edge), planar.head_point(half_edge));
        let (dx, dy) = (f64::from(b.x - a.x), f64::from(b.y - a.y));
        let length = (dx * dx + dy * dy).sqrt();
        let (x, y) = (f64::from(a.x) + dx / 2.0 - middle.0, f64::from(a.y) + dy / 2.0 - middle.1);
        xx += length * x * x;
        xy += length * x * y;
        yy += length * y * y;
        rim += length;
    }
    let half = (xx - yy) / 2.0;
    let root = (half * half + xy * xy).sqrt();
    let (x, y) = if half > 0.0 { (half + root, xy) } else { (xy, root - half) };
    let length = (x * x + y * y).sqrt();
    let extent = (((xx + yy) / 2.0 + root) / rim.max(1.0)).sqrt();
    if length > 0.0 { ((x / length, y / length), extent) } else { ((1.0, 0.0), extent) }
}

/// The crossings of a line with the rim of a block that are nearest to a point on the line, on
/// either side: the index of the street in the ring, and the position along the street.
fn crossings(
    planar: &Planar,
    through: (f64, f64),
    normal: (f64, f64),
    ring: &[u32],
) -> Option<[(usize, f64); 2]> {
    let relative = |at: Point| (f64::from(at.x) - through.0, f64::from(at.y) - through.1);
    let side = |at: Point| {
        let (x, y) = relative(at);
        x * normal.0 + y * normal.1
    };
    let along = |at: Point| {
        let (x, y) = relative(at);
        y * normal.0 - x * normal.1
    };
    let mut nearest: [Option<(f64, usize, f64)>; 2] = [None, None];
    for (index, &half_edge) in ring.iter().enumerate() {
        let (a, b) = (planar.tail_point(half_edge), planar.head_point(half_edge));
        let (before, after) = (side(a), side(b));
        if (before > 0.0) == (after > 0.0) {
            continue;
        }
        let at = before / (before - after);
        let position = along(a) + (along(b) - along(a)) * at;
        let slot = &mut nearest[usize::from(position > 0.0)];
        if slot.is_none_or(|(other, _, _)| position.abs() < other) {
            *slot = Some((position.abs(), index, at));
        }
    }
    let [(_, a, at_a), (_, b, at_b)] = [nearest[0]?, nearest[1]?];
    Some([(a, at_a), (b, at_b)])
}

/// An end of a cut: the head of a half-edge of the block, or a new node within one.
#[derive(Clone, Copy)]
enum CutEnd {
    Head(u32),
    Divide { half_edge: u32, at: f64 },
}

impl CutEnd {
    fn choose(planar: &Planar, ring: &[u32], (index, at): (usize, f64)) -> Self {
        let half_edge = ring[index];
        let before = ring[(index + ring.len() - 1) % ring.len()];
        let near = if at < SNAP { Some(before) } else { (at > 1.0 - SNAP).then_some(half_edge) };
        match near {
            Some(end) if planar.degree(planar.head(end)) <= 3 => Self::Head(end),
            _ => Self::Divide { half_edge, at },
        }
    }

    /// Adds the new node, if any. Returns the half-edge that ends at the cut.
    fn prepare(self, planar: &mut Planar, random: &mut Random) -> u32 {
        match self {
            Self::Head(half_edge) => half_edge,
            Self::Divide { half_edge, at } => {
                let at = at.clamp(SNAP, 1.0 - SNAP);
                let point =
                    beside(planar.tail_point(half_edge), planar.head_point(half_edge), at, random);
                planar.divide(half_edge, point);
                half_edge
            }
        }
    }
}

/// Whether two ends are different nodes without a street of the block between them.
fn are_apart(planar: &Planar, ends: &[CutEnd; 2]) -> bool {
    match *ends {
        [CutEnd::Head(a), CutEnd::Head(b)] => a != b && planar.next(a) != b && planar.next(b) != a,
        [CutEnd::Head(head), CutEnd::Divide { half_edge, .. }]
        | [CutEnd::Divide { half_edge, .. }, CutEnd::Head(head)] => {
            head != half_edge && planar.next(head) != half_edge
        }
        _ => true,
    }
}

/// A point between a and b, moved slightly to one side.
pub(super) fn beside(a: Point, b: Point, part: f64, random: &mut Random) -> Point {
    let (dx, dy) = (f64::from(b.x - a.x), f64::from(b.y - a.y));
    let aside = (random.unit() - 0.5) * WINDING;
    Point {
        x: (f64::from(a.x) + dx * part - dy * aside) as i32,
        y: (f64::from(a.y) + dy * part + dx * aside) as i32,
    }
}
