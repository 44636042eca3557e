//! Lower bounds from where nodes lie.
//!
//! On grids: the cost of the steps that open ground would take (Manhattan, octile, hex), or the
//! straight line. All are scaled by the cheapest step that the terrain allows. On graphs with
//! coordinates: the straight line times the largest factor at which no edge is dearer than it is
//! long. A path costs at least the sum of its edges' scaled lengths, and so at least its straight
//! line: the bound is sound, and by the triangle inequality consistent. Where an edge of zero
//! weight joins two places no positive factor is sound; the bound is then zero, and A* is
//! Dijkstra's algorithm.

use std::sync::Arc;

use super::line::LineFactor;
use super::{Heuristic, LowerBound};
use crate::changes::{Changes, EdgeChange};
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::engine::Unsupported;
use crate::graph::{CsrGraph, Graph, NodeId, Point};
use crate::grid::{Connectivity, Grid, hex_steps, manhattan_steps, octile_steps};
use crate::map::Map;

/// Which geometric bound to use.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HeuristicChoice {
    /// The tightest that is sound on the map: Manhattan, octile or hex by the grid's connectivity,
    /// Euclidean on graphs with coordinates, zero on graphs without.
    #[default]
    Auto,
    /// No bound at all: A* becomes Dijkstra's algorithm.
    Zero,
    /// Straight steps only; sound on four-connected grids.
    Manhattan,
    /// Straight and diagonal steps; sound on four- and eight-connected grids.
    Octile,
    /// Hex steps; sound on hex grids.
    Hex,
    /// The straight line; sound everywhere that nodes have a place.
    Euclidean,
}

/// A bound that would exceed true costs on this map, or that the map has no places for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {} heuristic does not suit this map: {reason}", format!("{choice:?}").to_lowercase())]
pub struct NotABound {
    /// What was asked for.
    pub choice: HeuristicChoice,
    /// Why it is refused, and what to use instead.
    pub reason: &'static str,
}

/// A geometric heuristic. It is sound on the map it was made for and on no other.
#[derive(Debug, Clone)]
pub struct Geometric(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Zero,
    Grid { width: u32, measure: Measure },
    Plane { points: Arc<Vec<Point>>, factor: LineFactor },
}

/// Where a node lies: column and row of a grid, or the bits of its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot([u32; 2]);

impl Spot {
    /// No place, to and from which the bound is zero. The one point with these coordinates has to
    /// do with that too.
    const NOWHERE: Self = Self([u32::MAX; 2]);

    /// The place nearest to this one in the rectangle between two cells of a grid.
    #[inline(always)]
    pub(crate) fn clamped(self, first: Self, last: Self) -> Self {
        let axis = |axis: usize| self.0[axis].max(first.0[axis]).min(last.0[axis]);
        Self([axis(0), axis(1)])
    }
}

/// How the way between two cells is bounded.
#[derive(Debug, Clone, Copy)]
enum Measure {
    Manhattan {
        straight: Cost,
    },
    Octile {
        straight: Cost,
        diagonal: Cost,
    },
    Hex {
        straight: Cost,
    },
    /// Between the centres of square cells.
    Line(LineFactor),
    /// Between the centres of hex cells, whose rows lie sqrt 3 / 2 apart.
    HexLine(LineFactor),
}

/// Factors are lowered by this share. It is far above the rounding of the arithmetic that finds
/// them, and above the 2.3e-10 by which a diagonal step is cheaper than sqrt 2 straight ones.
const SAFETY: f64 = 1e-9;

impl Geometric {
    /// This bound for a method; where it is none on the map, why the method cannot serve.
    pub(crate) fn serving(
        method: &'static str,
        map: &Map,
        choice: HeuristicChoice,
    ) -> Result<Self, Unsupported> {
        Self::new(map, choice)
            .map_err(|refused| Unsupported { method, reason: refused.to_string() })
    }

    /// The chosen bound on this map, or why it would not be one.
    pub fn new(map: &Map, choice: HeuristicChoice) -> Result<Self, NotABound> {
        match map {
            Map::Grid(grid) => Self::on_grid(grid, choice),
            Map::Graph(graph) => Self::on_graph(graph, choice),
        }
    }

    /// The bound for the same map after these changes, which have already been made in it. On a
    /// graph only the changed edges are looked at, so the bound may be less tight than a new one,
    /// and is as sound.
    pub fn refreshed(
        &self,
        map: &Map,
        choice: HeuristicChoice,
        changes: &Changes,
    ) -> Result<Self, NotABound> {
        let (factor, points) = match (&self.0, map) {
            (Kind::Zero, Map::Graph(_)) => return Ok(self.clone()),
            (Kind::Plane { factor, .. }, Map::Graph(graph)) => (factor, graph.shared_coordinates()),
            _ => return Self::new(map, choice),
        };
        let Some(points) = points else { return Self::new(map, choice) };
        let edges = changes.edges.iter().filter_map(|change| match *change {
            EdgeChange::Insert { tail, head, weight }
            | EdgeChange::SetWeight { tail, head, weight } => Some((tail, head, weight)),
            EdgeChange::Delete { .. } => None,
        });
        let least = least_factor(edges, points);
        let lowered = least < factor.approximate();
        let factor = if lowered { LineFactor::at_most(least) } else { Some(*factor) };
        let kind = factor.map(|factor| Kind::Plane { points: points.clone(), factor });
        Ok(Self(kind.unwrap_or(Kind::Zero)))
    }

    /// The bound with one end fixed. It is the same in both directions, and of a type that can be
    /// named.
    pub fn with_end(&self, end: NodeId) -> GeometricBound {
        GeometricBound::new(&self.0, end)
    }

    /// Where a node lies, as far as bounds need to know.
    #[inline(always)]
    pub(crate) fn spot(&self, node: NodeId) -> Spot {
        match &self.0 {
            Kind::Zero => Spot::NOWHERE,
            &Kind::Grid { width, .. } => {
                let (x, y) = split(node, width);
                Spot([x, y])
            }
            Kind::Plane { points, .. } => points
                .get(node as usize)
                .map_or(Spot::NOWHERE, |at| Spot([at.x as u32, at.y as u32])),
        }
    }

    /// The bound between two such places. For callers that ask about the same few again and again.
    #[inline(always)]
    pub(crate) fn between(&self, a: Spot, b: Spot) -> Cost {
        if a == Spot::NOWHERE || b == Spot::NOWHERE {
            return 0;
        }
        match &self.0 {
            Kind::Zero => 0,
            Kind::Grid { measure, .. } => measure.between((a.0[0], a.0[1]), (b.0[0], b.0[1])),
            Kind::Plane { factor, .. } => {
                let apart = |axis: usize| (a.0[axis] as i32).abs_diff(b.0[axis] as i32);
                factor.times_length(u64::from(apart(0)), u64::from(apart(1)))
            }
        }
    }

    /// The bound of zero.
    pub fn zero() -> Self {
        Self(Kind::Zero)
    }

    fn on_grid(grid: &Grid, choice: HeuristicChoice) -> Result<Self, NotABound> {
        use Connectivity::{Eight, Four, Hex};
        let refuse = |reason| Err(NotABound { choice, reason });
        let (straight, diagonal) = grid.cheapest_steps();
        // Steps cost something, so these factors exist.
        let line = LineFactor::at_most(f64::from(straight) * (1.0 - SAFETY));
        let half_line = LineFactor::at_most(f64::from(straight) / 2.0 * (1.0 - SAFETY));
        let measure = match (choice, grid.connectivity()) {
            (HeuristicChoice::Zero, _) => None,
            (HeuristicChoice::Auto | HeuristicChoice::Manhattan, Four) => {
                Some(Measure::Manhattan { straight })
            }
            (HeuristicChoice::Auto, Eight) | (HeuristicChoice::Octile, Four | Eight) => {
                Some(Measure::Octile { straight, diagonal })
            }
            (HeuristicChoice::Auto | HeuristicChoice::Hex, Hex) => Some(Measure::Hex { straight }),
            (HeuristicChoice::Euclidean, Hex) => half_line.map(Measure::HexLine),
            (HeuristicChoice::Euclidean, _) => line.map(Measure::Line),
            (HeuristicChoice::Manhattan, _) => {
                return refuse(
                    "it is sound on four-connected grids only; leave the choice to `auto`",
                );
            }
            (HeuristicChoice::Octile, Hex) => {
                return refuse("it counts square cells and this grid has hex cells; use hex");
            }
            (HeuristicChoice::Hex, _) => {
                return refuse("it counts hex cells and this grid has square ones; use octile");
            }
        };
        let kind = measure.map(|measure| Kind::Grid { width: grid.width(), measure });
        Ok(Self(kind.unwrap_or(Kind::Zero)))
    }

    fn on_graph(graph: &CsrGraph, choice: HeuristicChoice) -> Result<Self, NotABound> {
        match (choice, graph.shared_coordinates()) {
            (HeuristicChoice::Zero, _) | (HeuristicChoice::Auto, None) => Ok(Self::zero()),
            (HeuristicChoice::Auto | HeuristicChoice::Euclidean, Some(points)) => {
                let factor = LineFactor::at_most(sound_factor(graph, points));
                let kind = factor.map(|factor| Kind::Plane { points: points.clone(), factor });
                Ok(Self(kind.unwrap_or(Kind::Zero)))
            }
            (HeuristicChoice::Euclidean, None) => Err(NotABound {
                choice,
                reason: "this graph has no coordinates; give it some or use zero",
            }),
            (HeuristicChoice::Manhattan | HeuristicChoice::Octile | HeuristicChoice::Hex, _) => {
                Err(NotABound {
                    choice,
                    reason: "it counts cells and this is a graph; use euclidean",
                })
            }
        }
    }
}

impl Heuristic for Geometric {
    fn toward(&self, target: NodeId) -> impl LowerBound {
        self.with_end(target)
    }

    fn away_from(&self, source: NodeId) -> impl LowerBound {
        self.with_end(source)
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

/// A geometric bound with one end fixed; made by [`Geometric::with_end`]. It owns what it needs.
pub struct GeometricBound(Fixed);

debug_by_name!("GeometricBound", [] GeometricBound);

enum Fixed {
    Zero,
    Grid { width: u32, measure: Measure, end: (u32, u32) },
    Plane { points: Arc<Vec<Point>>, factor: LineFactor, end: Point },
}

impl GeometricBound {
    fn new(kind: &Kind, end: NodeId) -> Self {
        Self(match kind {
            Kind::Zero => Fixed::Zero,
            &Kind::Grid { width, measure } => {
                Fixed::Grid { width, measure, end: split(end, width) }
            }
            Kind::Plane { points, factor } => match points.get(end as usize) {
                Some(&end) => Fixed::Plane { points: points.clone(), factor: *factor, end },
                None => Fixed::Zero,
            },
        })
    }
}

impl LowerBound for GeometricBound {
    #[inline(always)]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        Some(match &self.0 {
            Fixed::Zero => 0,
            &Fixed::Grid { width, measure, end } => measure.between(split(node, width), end),
            Fixed::Plane { points, factor, end } => match points.get(node as usize) {
                Some(point) => {
                    let (dx, dy) = (point.x.abs_diff(end.x), point.y.abs_diff(end.y));
                    factor.times_length(u64::from(dx), u64::from(dy))
                }
                None => 0,
            },
        })
    }
}

impl Measure {
    #[inline(always)]
    fn between(self, here: (u32, u32), end: (u32, u32)) -> Cost {
        match self {
            Self::Octile { straight, diagonal } => {
                let (straights, diagonals) = octile_steps(here, end);
                to_cost(straights * u64::from(straight) + diagonals * u64::from(diagonal))
            }
            Self::Manhattan { straight } => {
                to_cost(manhattan_steps(here, end).0 * u64::from(straight))
            }
            Self::Hex { straight } => to_cost(hex_steps(here, end).0 * u64::from(straight)),
            Self::Line(factor) => {
                let (dx, dy) = (here.0.abs_diff(end.0), here.1.abs_diff(end.1));
                factor.times_length(u64::from(dx), u64::from(dy))
            }
            Self::HexLine(half) => {
                // In half cells: twice the shift across, and sqrt 3 per row.
                let centre = |(x, y): (u32, u32)| 2 * u64::from(x) + u64::from(y & 1);
                let dx = u128::from(centre(here).abs_diff(centre(end)));
                let dy = u128::from(here.1.abs_diff(end.1));
                let square = dx * dx + 3 * dy * dy;
                half.round_down((square as f64).sqrt(), || square)
            }
        }
    }
}

/// A bound beyond all costs becomes one that no path has.
#[inline(always)]
fn to_cost(bound: u64) -> Cost {
    bound.min(u64::from(UNREACHABLE)) as Cost
}

#[inline(always)]
fn split(node: NodeId, width: u32) -> (u32, u32) {
    let y = node / width;
    (node - y * width, y)
}

/// The largest factor at which no edge is shorter than its straight line, less the safety share;
/// zero where no positive factor is sound.
fn sound_factor(graph: &CsrGraph, points: &[Point]) -> f64 {
    let tails = 0..graph.node_count() as NodeId;
    let edges =
        tails.flat_map(|tail| graph.edges(tail).map(move |(head, weight)| (tail, head, weight)));
    let factor = least_factor(edges, points);
    if factor.is_finite() { factor } else { 0.0 }
}

/// The same for some edges; infinite where none of them has a length.
fn least_factor(edges: impl Iterator<Item = (NodeId, NodeId, Cost)>, points: &[Point]) -> f64 {
    let mut factor = f64::INFINITY;
    for (tail, head, weight) in edges {
        let ends = points.get(tail as usize).zip(points.get(head as usize));
        let Some((a, b)) = ends else { continue };
        let (dx, dy) = (f64::from(a.x.abs_diff(b.x)), f64::from(a.y.abs_diff(b.y)));
        let length = (dx * dx + dy * dy).sqrt();
        if length > 0.0 {
            factor = factor.min(f64::from(weight) / length);
        }
    }
    factor * (1.0 - SAFETY)
}
