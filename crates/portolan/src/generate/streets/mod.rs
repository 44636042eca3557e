//! Towns on a grid, as in the MovingAI "city" maps: everything except buildings and water is free.
//!
//! Streets cut the map into ever smaller convex blocks: avenues first, at skewed angles, so that
//! districts have their own directions; lanes last, mostly at right angles. Then each block becomes
//! a solid building, houses around a yard, rows of separate houses, or a park. An optional river
//! crosses the map, with quays and bridges.

mod polygon;

use super::canvas::Canvas;
use super::{GenerateError, Random, check_number, check_share, check_size, keep_largest};
use crate::grid::Grid;
use polygon::{Polygon, Vector, direction, dot};

/// A town of irregular blocks, streets of several widths, yards, parks and a river.
///
/// With the defaults about three quarters of the cells are free, as in the MovingAI city maps. Some
/// yards have no gate, so the free cells may be disconnected.
///
/// ```
/// use portolan::generate::Streets;
/// let grid = Streets { width: 256, height: 256, seed: 2, ..Streets::default() }.generate()?;
/// let free = grid.passable_count() as f64 / (256.0 * 256.0);
/// assert!((0.6..0.9).contains(&free));
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Streets {
    /// Columns of the map.
    pub width: u32,
    /// Rows of the map.
    pub height: u32,
    /// The approximate side of a block in cells; 8 to 65536. Larger blocks make larger buildings
    /// and fewer streets.
    pub block: u32,
    /// The width of the widest streets in cells; from `lane` to `block`. Larger values make more
    /// open space.
    pub avenue: u32,
    /// The width of the narrowest streets in cells, at least 1.
    pub lane: u32,
    /// The probability that a block has buildings and is not a park. Larger values leave less open
    /// space.
    pub built: f64,
    /// The width of the river in cells, up to `block`; 0 for none.
    pub river: u32,
    /// Whether to fill all components except the largest.
    pub largest_only: bool,
    /// The seed.
    pub seed: u64,
}

impl Default for Streets {
    fn default() -> Self {
        Self {
            width: 512,
            height: 512,
            block: 72,
            avenue: 22,
            lane: 6,
            built: 0.75,
            river: 20,
            largest_only: false,
            seed: 0,
        }
    }
}

/// Blocks of this many times the usual area are districts; streets between them may be skewed.
const DISTRICT: f64 = 8.0;

impl Streets {
    /// Generates the streets, the blocks and the river.
    pub fn generate(&self) -> Result<Grid, GenerateError> {
        check_size(self.width, self.height, 1)?;
        check_number("block", self.block, 8u32, 65_536u32)?;
        check_number("lane", self.lane, 1u32, self.block)?;
        check_number("avenue", self.avenue, self.lane, self.block)?;
        check_number("river", self.river, 0u32, self.block)?;
        check_share("built", self.built, 1.0)?;
        let mut random = Random::new(self.seed);
        let mut canvas = Canvas::from_fn(self.width, self.height, |_, _| true);
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        let town = vec![(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)];
        let mut regions = vec![Polygon::new(town)];
        while let Some(region) = regions.pop() {
            let area = region.area() / self.usual_area();
            if area < 0.6 + 0.8 * random.unit() {
                self.build(&region, &mut canvas, &mut random);
            } else {
                regions.extend(self.cut(&region, area, &mut random));
            }
        }
        if self.river > 0 {
            self.draw_river(&mut canvas, &mut random);
        }
        let grid = canvas.into_grid()?;
        Ok(if self.largest_only { keep_largest(&grid)? } else { grid })
    }

    fn usual_area(&self) -> f64 {
        f64::from(self.block) * f64::from(self.block)
    }

    /// Cuts a region across its longest edge by a street. Larger regions get wider streets.
    fn cut(&self, region: &Polygon, area: f64, random: &mut Random) -> [Polygon; 2] {
        let max_skew = if area > DISTRICT { 1.2 } else { 0.15 };
        let along = region.long_direction();
        let skew = (random.unit() - 0.5) * max_skew;
        let (normal, _) =
            direction((0.0, 0.0), (along.0 - along.1 * skew, along.1 + along.0 * skew));
        let (least, most) = region.extent(normal);
        let limit = least + (most - least) * (0.38 + 0.24 * random.unit());
        let (lane, avenue) = (f64::from(self.lane), f64::from(self.avenue));
        let importance = (area / (2.0 * DISTRICT)).min(1.0) * (0.7 + 0.3 * random.unit());
        region.cut(normal, limit, lane + (avenue - lane) * importance)
    }

    /// Fills a block with buildings or a park.
    fn build(&self, block: &Polygon, canvas: &mut Canvas, random: &mut Random) {
        let side = f64::from(self.block);
        let depth = side * (0.12 + 0.1 * random.unit());
        if !random.chance(self.built) {
            // A park, sometimes with a pavilion.
            if random.chance(0.3) {
                block.inset(side * 0.35).fill(canvas, false);
            }
            return;
        }
        let plot = block.inset(side * 0.06 * random.unit());
        match random.below(10) {
            0..2 => plot.inset(side * 0.08).fill(canvas, false),
            2..6 => self.build_around_yard(&plot, depth, canvas, random),
            _ => self.build_houses(&plot, canvas, random),
        }
    }

    /// Houses along the edges of a plot, and up to three gates to the yard behind them.
    fn build_around_yard(
        &self,
        plot: &Polygon,
        depth: f64,
        canvas: &mut Canvas,
        random: &mut Random,
    ) {
        plot.fill(canvas, false);
        plot.inset(depth).fill(canvas, true);
        let middle = plot.middle();
        let along = plot.long_direction();
        let gates = random.below(4);
        let out = [along, (-along.1, along.0), (-along.0, -along.1), (along.1, -along.0)];
        let first = random.below(4) as usize;
        for gate in 0..gates as usize {
            let out = out[(first + gate) % 4];
            let (_, most) = plot.extent(out);
            let reach = most - dot(middle, out);
            let end = (middle.0 + out.0 * reach, middle.1 + out.1 * reach);
            let width = f64::from(self.lane) * (0.5 + 2.5 * random.unit());
            Polygon::strip(middle, end, width.max(1.5)).fill(canvas, true);
        }
    }

    /// Separate houses: cuts the plot further, with narrow gaps; some lots stay empty.
    fn build_houses(&self, plot: &Polygon, canvas: &mut Canvas, random: &mut Random) {
        let lot = self.usual_area() * (0.05 + 0.1 * random.unit());
        let gap = (f64::from(self.lane) * 0.6).max(1.0);
        let mut lots = vec![plot.clone()];
        while let Some(region) = lots.pop() {
            let area = region.area();
            if area > lot {
                let along = region.long_direction();
                let (least, most) = region.extent(along);
                let limit = least + (most - least) * (0.35 + 0.3 * random.unit());
                lots.extend(region.cut(along, limit, gap));
            } else if random.chance(0.75) {
                let margin = f64::from(self.block) * 0.05 * random.unit();
                region.inset(margin).fill(canvas, false);
            }
        }
    }

    /// Draws water across the whole map, a quay on either side, and bridges.
    fn draw_river(&self, canvas: &mut Canvas, random: &mut Random) {
        let course = self.course(random);
        let (water, quay) = (f64::from(self.river), f64::from(self.lane));
        let draw = |canvas: &mut Canvas, width: f64, passable: bool| {
            for pair in course.windows(2) {
                // Slightly longer than the segment, so that bends leave no gap.
                let (along, length) = direction(pair[0], pair[1]);
                let over = width * 0.3;
                let reach = |from: Vector, by: f64| (from.0 + along.0 * by, from.1 + along.1 * by);
                Polygon::strip(reach(pair[0], -over), reach(pair[0], length + over), width)
                    .fill(canvas, passable);
            }
        };
        draw(canvas, water + 2.0 * quay, true);
        draw(canvas, water, false);
        let bridge = f64::from(self.lane + self.avenue) / 2.0;
        for pair in course.windows(2).skip(1).step_by(3) {
            let (along, _) = direction(pair[0], pair[1]);
            let middle = ((pair[0].0 + pair[1].0) / 2.0, (pair[0].1 + pair[1].1) / 2.0);
            let bank = water / 2.0 + quay;
            let over = |by: f64| (middle.0 - along.1 * by, middle.1 + along.0 * by);
            Polygon::strip(over(-bank), over(bank), bridge).fill(canvas, true);
        }
    }

    /// The points of the river, from beyond one edge of the map to beyond the opposite one.
    fn course(&self, random: &mut Random) -> Vec<Vector> {
        let across = random.chance(0.5);
        let (length, breadth) =
            if across { (self.width, self.height) } else { (self.height, self.width) };
        let step = f64::from(self.block) / 2.0;
        let (mut at, mut slope) = (f64::from(breadth) * (0.25 + 0.5 * random.unit()), 0.0);
        let mut course = Vec::new();
        for index in -2..(f64::from(length) / step) as i64 + 4 {
            let along = index as f64 * step;
            course.push(if across { (along, at) } else { (at, along) });
            // Pulls the river back to the middle of the map, so that it stays inside.
            let back = (f64::from(breadth) / 2.0 - at) / f64::from(breadth);
            slope = (slope + (random.unit() - 0.5) * 0.8 + back * 0.3).clamp(-0.9, 0.9);
            at += slope * step;
        }
        course
    }
}
