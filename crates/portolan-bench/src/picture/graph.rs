//! A graph as a scene, by the coordinates of its nodes.

use portolan::{CsrGraph, Graph, NodeId, Point};

use super::View;
use super::ink::Ink;
use super::scene::{Layer, Scene, Spot, path_layers};

/// Pixels of the longer side.
const LONGER: f64 = 1200.0;

/// Pixels between the outermost nodes and the edge of the picture.
const MARGIN: f64 = 24.0;

/// Roads, what was searched, and the path. North is up.
pub(super) fn scene(graph: &CsrGraph, points: &[Point], view: &View) -> Scene {
    let frame = Frame::round(points);
    let spot = |node: NodeId| {
        points.get(node as usize).map_or(frame.spot(&Point { x: 0, y: 0 }), |at| frame.spot(at))
    };
    let searched: Vec<Spot> = (0..graph.node_count() as NodeId)
        .filter(|&node| view.searched.contains(node))
        .map(spot)
        .collect();
    let path: Vec<Spot> = view.path.iter().map(|&node| spot(node)).collect();
    let ends = [spot(view.ends.0), spot(view.ends.1)];
    let mut layers = vec![
        Layer::Lines { ink: Ink::Road, width: 1.0, lines: roads(graph, spot) },
        Layer::Discs { ink: Ink::Searched(4), radius: 2.0, centres: distinct(searched) },
    ];
    layers.extend(path_layers(path, ends, 4.0, 9.0));
    Scene { width: frame.width, height: frame.height, layers }
}

/// How coordinates become pixels.
struct Frame {
    left: f64,
    top: f64,
    /// Pixels per unit of x and of y.
    scale: (f64, f64),
    width: u32,
    height: u32,
}

impl Frame {
    fn round(points: &[Point]) -> Self {
        let (left, right) = extent(points, |point| point.x);
        let (bottom, top) = extent(points, |point| point.y);
        let shrink = shrink_of_x(points);
        let longer = ((right - left) * shrink).max(top - bottom).max(1.0);
        let scale = (LONGER - 2.0 * MARGIN) / longer;
        let pixels = |length: f64| (length * scale + 2.0 * MARGIN).ceil() as u32;
        let (width, height) = (pixels((right - left) * shrink), pixels(top - bottom));
        Self { left, top, scale: (scale * shrink, scale), width, height }
    }

    fn spot(&self, point: &Point) -> Spot {
        Spot {
            x: (MARGIN + (f64::from(point.x) - self.left) * self.scale.0) as f32,
            y: (MARGIN + (self.top - f64::from(point.y)) * self.scale.1) as f32,
        }
    }
}

/// The least and the largest coordinate.
fn extent(points: &[Point], of: fn(&Point) -> i32) -> (f64, f64) {
    let least = points.iter().map(of).min().unwrap_or(0);
    let most = points.iter().map(of).max().unwrap_or(0);
    (f64::from(least), f64::from(most))
}

/// How much shorter a degree of longitude is than one of latitude in the middle of the map, where
/// coordinates can be millionths of degrees, as in the DIMACS files. Metres of a town or a country
/// stay as they are: read as degrees they are near the equator.
pub fn shrink_of_x(points: &[Point]) -> f64 {
    const DEGREE: f64 = 1e6;
    let (left, right) = extent(points, |point| point.x);
    let (bottom, top) = extent(points, |point| point.y);
    let is_geographic = left.min(-right) >= -180.0 * DEGREE && bottom.min(-top) >= -85.0 * DEGREE;
    if is_geographic { ((bottom + top) / 2.0 / DEGREE).to_radians().cos() } else { 1.0 }
}

/// Every road once, whichever way it may be driven; those too short to be seen are left out.
fn roads(graph: &CsrGraph, spot: impl Fn(NodeId) -> Spot) -> Vec<[Spot; 2]> {
    let mut roads: Vec<[i32; 4]> = Vec::new();
    for tail in 0..graph.node_count() as NodeId {
        let (x, y) = quarters(spot(tail));
        for (head, _) in graph.edges(tail) {
            let (other_x, other_y) = quarters(spot(head));
            let (a, b) = ((x, y).min((other_x, other_y)), (x, y).max((other_x, other_y)));
            if a != b {
                roads.push([a.0, a.1, b.0, b.1]);
            }
        }
    }
    roads.sort_unstable();
    roads.dedup();
    let spot = |x: i32, y: i32| Spot { x: x as f32 / 4.0, y: y as f32 / 4.0 };
    roads.into_iter().map(|[ax, ay, bx, by]| [spot(ax, ay), spot(bx, by)]).collect()
}

fn distinct(spots: Vec<Spot>) -> Vec<Spot> {
    let mut rounded: Vec<(i32, i32)> = spots.into_iter().map(quarters).collect();
    rounded.sort_unstable();
    rounded.dedup();
    rounded.into_iter().map(|(x, y)| Spot { x: x as f32 / 4.0, y: y as f32 / 4.0 }).collect()
}

/// In quarters of a pixel; what falls together there looks the same.
fn quarters(spot: Spot) -> (i32, i32) {
    ((spot.x * 4.0).round() as i32, (spot.y * 4.0).round() as i32)
}
