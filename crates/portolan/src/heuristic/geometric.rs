//! Lower bounds from node positions.
//!
//! On grids, the bound is the cost of the steps on open ground (Manhattan, octile, hex), or the
//! straight line. All are scaled by the cheapest terrain. On graphs with coordinates, the bound is
//! the straight line times the largest factor at which no scaled edge is longer than its weight. A
//! path costs at least the sum of the scaled lengths of its edges, and so at least its straight
//! line: the bound is admissible, and consistent by the triangle inequality. If an edge of zero
//! weight joins two different positions, no positive factor is admissible. The bound is then zero,
//! and A* becomes Dijkstra's algorithm.

use std::sync::Arc;

use super::line::LineFactor;
use super::{Heuristic, LowerBound};
use crate::build::Unsupported;
use crate::changes::{Changes, EdgeChange};
use crate::cost::{Cost, UNREACHABLE};
use crate::debug::debug_by_name;
use crate::graph::{CsrGraph, Graph, NodeId, Point};
use crate::grid::{Connectivity, Grid, hex_steps, manhattan_steps, octile_steps};
use crate::map::Map;

/// Which geometric bound to use.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HeuristicChoice {
    /// The tightest admissible bound: Manhattan, octile or hex by the grid's connectivity,
    /// Euclidean on graphs with coordinates, zero on graphs without.
    #[default]
    Auto,
    /// No bound: A* becomes Dijkstra's algorithm.
    Zero,
    /// Straight steps only. Admissible on four-connected grids.
    Manhattan,
    /// Straight and diagonal steps. Admissible on four- and eight-connected grids.
    Octile,
    /// Hex steps. Admissible on hex grids.
    Hex,
    /// The straight line. Admissible on all maps whose nodes have positions.
    Euclidean,
}

/// The chosen bound would exceed true costs on this map, or needs positions that the map lacks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {} heuristic cannot be used on this map: {reason}", format!("{choice:?}").to_lowercase())]
pub struct NotABound {
    /// The chosen bound.
    pub choice: HeuristicChoice,
    /// Why it is rejected, and what to use instead.
    pub reason: &'static str,
}

/// A geometric heuristic. Admissible only on the map that it was made for.
#[derive(Debug, Clone)]
pub struct Geometric(Geometry);

#[derive(Debug, Clone)]
enum Geometry {
    Zero,
    Grid { width: u32, measure: Measure },
    Plane { points: Arc<Vec<Point>>, factor: LineFactor },
}

/// The position of a node: column and row of a grid, or the bits of its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position([u32; 2]);

impl Position {
    /// No position. The bound from and to it is zero, also for the one point with these
    /// coordinates.
    const NOWHERE: Self = Self([u32::MAX; 2]);

    /// The nearest position in the rectangle between two cells of a grid.
    #[inline(always)]
    pub(crate) fn clamped(self, first: Self, last: Self) -> Self {
        let axis = |axis: usize| self.0[axis].max(first.0[axis]).min(last.0[axis]);
        Self([axis(0), axis(1)])
    }
}

/// How the distance between two cells is bounded.
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
    /// Between the centres of hex cells. Rows are sqrt 3 / 2 apart.
    HexLine(LineFactor),
}

/// Factors are reduced by this share. It is far above the rounding error of their computation, and
/// above the 2.3e-10 by which a diagonal step is cheaper than sqrt 2 straight ones.
const SAFETY: f64 = 1e-9;

impl Geometric {
    /// The chosen bound, or the error of a method that needs it.
    pub(crate) fn for_method(
        method: &'static str,
        map: &Map,
        choice: HeuristicChoice,
    ) -> Result<Self, Unsupported> {
        Self::new(map, choice)
            .map_err(|refused| Unsupported { method, reason: refused.to_string() })
    }

    /// The chosen bound on this map, or why it would not be admissible.
    pub fn new(map: &Map, choice: HeuristicChoice) -> Result<Self, NotABound> {
        match map {
            Map::Grid(grid) => Self::on_grid(grid, choice),
            Map::Graph(graph) => Self::on_graph(graph, choice),
        }
    }

    /// The bound for `map`, to which `changes` have already been applied. On a graph, only the
    /// changed edges are examined: the bound is admissible, but may be less tight than a new one.
    pub fn refreshed(
        &self,
        map: &Map,
        choice: HeuristicChoice,
        changes: &Changes,
    ) -> Result<Self, NotABound> {
        let (factor, points) = match (&self.0, map) {
            (Geometry::Zero, Map::Graph(_)) => return Ok(self.clone()),
            (Geometry::Plane { factor, .. }, Map::Graph(graph)) => {
                (factor, graph.shared_coordinates())
            }
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
        let kind = factor.map(|factor| Geometry::Plane { points: points.clone(), factor });
        Ok(Self(kind.unwrap_or(Geometry::Zero)))
    }

    /// The bound with one end fixed. It is the same in both directions.
    pub fn with_end(&self, end: NodeId) -> GeometricBound {
        GeometricBound::new(&self.0, end)
    }

    /// The position of a node, for [`between`](Self::between).
    #[inline(always)]
    pub(crate) fn position(&self, node: NodeId) -> Position {
        match &self.0 {
            Geometry::Zero => Position::NOWHERE,
            &Geometry::Grid { width, .. } => {
                let (x, y) = cell_of(node, width);
                Position([x, y])
            }
            Geometry::Plane { points, .. } => points
                .get(node as usize)
                .map_or(Position::NOWHERE, |at| Position([at.x as u32, at.y as u32])),
        }
    }

    /// The bound between two positions. For callers that use the same few positions repeatedly.
    #[inline(always)]
    pub(crate) fn between(&self, a: Position, b: Position) -> Cost {
        if a == Position::NOWHERE || b == Position::NOWHERE {
            return 0;
        }
        match &self.0 {
            Geometry::Zero => 0,
            Geometry::Grid { measure, .. } => measure.between((a.0[0], a.0[1]), (b.0[0], b.0[1])),
            Geometry::Plane { factor, .. } => {
                let apart = |axis: usize| (a.0[axis] as i32).abs_diff(b.0[axis] as i32);
                factor.times_length(u64::from(apart(0)), u64::from(apart(1)))
            }
        }
    }

    /// The zero bound.
    pub fn zero() -> Self {
        Self(Geometry::Zero)
    }

    fn on_grid(grid: &Grid, choice: HeuristicChoice) -> Result<Self, NotABound> {
        use Connectivity::{Eight, Four, Hex};
        let refuse = |reason| Err(NotABound { choice, reason });
        let (straight, diagonal) = grid.cheapest_steps();
        // Steps have positive costs, so these factors exist.
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
                return refuse("it is admissible only on four-connected grids; use `auto`");
            }
            (HeuristicChoice::Octile, Hex) => {
                return refuse("it counts square cells, but this grid has hex cells; use hex");
            }
            (HeuristicChoice::Hex, _) => {
                return refuse("it counts hex cells, but this grid has square cells; use octile");
            }
        };
        let kind = measure.map(|measure| Geometry::Grid { width: grid.width(), measure });
        Ok(Self(kind.unwrap_or(Geometry::Zero)))
    }

    fn on_graph(graph: &CsrGraph, choice: HeuristicChoice) -> Result<Self, NotABound> {
        match (choice, graph.shared_coordinates()) {
            (HeuristicChoice::Zero, _) | (HeuristicChoice::Auto, None) => Ok(Self::zero()),
            (HeuristicChoice::Auto | HeuristicChoice::Euclidean, Some(points)) => {
                let factor = LineFactor::at_most(admissible_factor(graph, points));
                let kind = factor.map(|factor| Geometry::Plane { points: points.clone(), factor });
                Ok(Self(kind.unwrap_or(Geometry::Zero)))
            }
            (HeuristicChoice::Euclidean, None) => Err(NotABound {
                choice,
                reason: "this graph has no coordinates; add coordinates or use zero",
            }),
            (HeuristicChoice::Manhattan | HeuristicChoice::Octile | HeuristicChoice::Hex, _) => {
                Err(NotABound {
                    choice,
                    reason: "it counts cells, but this map is a graph; use euclidean",
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

/// A geometric bound with one end fixed, made by [`Geometric::with_end`].
pub struct GeometricBound(FixedEnd);

debug_by_name!("GeometricBound", [] GeometricBound);

enum FixedEnd {
    Zero,
    Grid { width: u32, measure: Measure, end: (u32, u32) },
    Plane { points: Arc<Vec<Point>>, factor: LineFactor, end: Point },
}

impl GeometricBound {
    fn new(kind: &Geometry, end: NodeId) -> Self {
        Self(match kind {
            Geometry::Zero => FixedEnd::Zero,
            &Geometry::Grid { width, measure } => {
                FixedEnd::Grid { width, measure, end: cell_of(end, width) }
            }
            Geometry::Plane { points, factor } => match points.get(end as usize) {
                Some(&end) => FixedEnd::Plane { points: points.clone(), factor: *factor, end },
                None => FixedEnd::Zero,
            },
        })
    }
}

impl LowerBound for GeometricBound {
    #[inline(always)]
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        Some(match &self.0 {
            FixedEnd::Zero => 0,
            &FixedEnd::Grid { width, measure, end } => measure.between(cell_of(node, width), end),
            FixedEnd::Plane { points, factor, end } => match points.get(node as usize) {
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
                // In half cells: 2 per column, 1 for the shift of odd rows, and sqrt 3 per row.
                let centre = |(x, y): (u32, u32)| 2 * u64::from(x) + u64::from(y & 1);
                let dx = u128::from(centre(here).abs_diff(centre(end)));
                let dy = u128::from(here.1.abs_diff(end.1));
                let square = dx * dx + 3 * dy * dy;
                half.round_down((square as f64).sqrt(), || square)
            }
        }
    }
}

/// A bound above all costs becomes [`UNREACHABLE`].
#[inline(always)]
fn to_cost(bound: u64) -> Cost {
    bound.min(u64::from(UNREACHABLE)) as Cost
}

#[inline(always)]
fn cell_of(node: NodeId, width: u32) -> (u32, u32) {
    let y = node / width;
    (node - y * width, y)
}

/// The largest factor at which no scaled edge is longer than its weight, less [`SAFETY`]. Zero if
/// no positive factor is admissible.
fn admissible_factor(graph: &CsrGraph, points: &[Point]) -> f64 {
    let tails = 0..graph.node_count() as NodeId;
    let edges =
        tails.flat_map(|tail| graph.edges(tail).map(move |(head, weight)| (tail, head, weight)));
    let factor = least_factor(edges, points);
    if factor.is_finite() { factor } else { 0.0 }
}

/// The same for the given edges. Infinite if none of them has a length.
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
