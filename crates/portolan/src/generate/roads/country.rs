//! The land: its outline and the density of settlement.

use super::super::Random;
use crate::graph::Point;

/// Square metres per node, as in Luxembourg.
const AREA_PER_NODE: f64 = 33_760.0;
/// The average part of the bounding square inside the outline.
const INSIDE: f64 = 0.6;
const AREA_PER_TOWN: f64 = 25e6;
const AREA_PER_FOREST: f64 = 60e6;
/// Metres; the radii of towns follow a power law from here on.
const SMALLEST_TOWN: f64 = 700.0;
const SMALLEST_FOREST: f64 = 1500.0;
/// The number of nodes per entry of the density raster.
const NODES_PER_ENTRY: f64 = 4.0;
/// Land with more than this density is town.
const TOWN: f64 = 4.0;
const OUTLINE_CORNERS: usize = 12;

pub(super) struct Country {
    /// The side of the bounding square in metres.
    side: f64,
    /// Entries along each side of the raster.
    entries: usize,
    /// The density of settlement; open land is 1.
    density: Vec<f32>,
}

impl Country {
    pub(super) fn new(nodes: u32, town_density: f64, random: &mut Random) -> Self {
        let nodes = f64::from(nodes);
        let side = (nodes * AREA_PER_NODE / INSIDE).sqrt();
        let entries = ((nodes / NODES_PER_ENTRY).sqrt() as usize).max(1);
        let mut country = Self { side, entries, density: vec![1.0; entries * entries] };
        let count = |area: f64| (side * side / area) as usize + 1;
        for _ in 0..count(AREA_PER_FOREST) {
            country.stamp(SMALLEST_FOREST, random, |density, near| density * (1.0 - 0.8 * near));
        }
        for _ in 0..count(AREA_PER_TOWN) {
            let peak = town_density as f32;
            country.stamp(SMALLEST_TOWN, random, |density, near| density + peak * near);
        }
        country
    }

    /// The corners of the country, counter-clockwise.
    pub(super) fn outline(&self, random: &mut Random) -> Vec<Point> {
        let half = self.side / 2.0;
        (0..OUTLINE_CORNERS)
            .map(|corner| {
                // Points along the square from -1 to 1, projected onto the circle, then moved in.
                let (quarter, along) = (corner * 4 / OUTLINE_CORNERS, corner * 4 % OUTLINE_CORNERS);
                let along = 2.0 * along as f64 / OUTLINE_CORNERS as f64 - 1.0;
                let (x, y) = [(1.0, along), (-along, 1.0), (-1.0, -along), (along, -1.0)][quarter];
                let reach = (0.75 + 0.25 * random.unit()) / (x * x + y * y).sqrt() * half;
                Point { x: (half + x * reach) as i32, y: (half + y * reach) as i32 }
            })
            .collect()
    }

    pub(super) fn density(&self, at: Point) -> f64 {
        f64::from(self.density[self.entry(at.y) * self.entries + self.entry(at.x)])
    }

    pub(super) fn is_town(&self, at: Point) -> bool {
        self.density(at) > TOWN
    }

    /// Changes the density around a random point. `change` takes the density and the nearness to
    /// the point, from 1 there to 0 at the radius.
    fn stamp(&mut self, smallest: f64, random: &mut Random, change: impl Fn(f32, f32) -> f32) {
        let radius = (smallest / (1.0 - random.unit()).sqrt()).min(self.side / 8.0);
        let (x, y) = (random.unit() * self.side, random.unit() * self.side);
        let pitch = self.side / self.entries as f64;
        let span = |middle: f64| {
            let first = ((middle - radius) / pitch).max(0.0) as usize;
            first..(((middle + radius) / pitch) as usize + 1).min(self.entries)
        };
        for row in span(y) {
            for column in span(x) {
                let dx = (column as f64 + 0.5) * pitch - x;
                let dy = (row as f64 + 0.5) * pitch - y;
                let near = (1.0 - (dx * dx + dy * dy) / (radius * radius)).max(0.0);
                let entry = &mut self.density[row * self.entries + column];
                *entry = change(*entry, (near * near) as f32);
            }
        }
    }

    fn entry(&self, metres: i32) -> usize {
        let entry = f64::from(metres) / self.side * self.entries as f64;
        (entry.max(0.0) as usize).min(self.entries - 1)
    }
}
