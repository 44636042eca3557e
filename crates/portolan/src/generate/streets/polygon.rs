//! Convex polygons for blocks and buildings.

use super::super::canvas::Canvas;

/// A point or a direction, in cells; x to the right, y downwards.
pub(super) type Vector = (f64, f64);

/// Corners in either sense of rotation; fewer than three enclose nothing.
#[derive(Clone, Default)]
pub(super) struct Polygon(Vec<Vector>);

impl Polygon {
    pub(super) fn new(corners: Vec<Vector>) -> Self {
        Self(corners)
    }

    /// The strip of this width along a line.
    pub(super) fn strip(from: Vector, to: Vector, width: f64) -> Self {
        let (along, _) = direction(from, to);
        let aside = (-along.1 * width / 2.0, along.0 * width / 2.0);
        Self(vec![
            (from.0 + aside.0, from.1 + aside.1),
            (to.0 + aside.0, to.1 + aside.1),
            (to.0 - aside.0, to.1 - aside.1),
            (from.0 - aside.0, from.1 - aside.1),
        ])
    }

    pub(super) fn area(&self) -> f64 {
        self.edges().map(|(a, b)| a.0 * b.1 - a.1 * b.0).sum::<f64>().abs() / 2.0
    }

    /// The mean of the corners, which is inside.
    pub(super) fn middle(&self) -> Vector {
        let count = self.0.len().max(1) as f64;
        let sum =
            self.0.iter().fold((0.0, 0.0), |sum, corner| (sum.0 + corner.0, sum.1 + corner.1));
        (sum.0 / count, sum.1 / count)
    }

    /// The direction of the longest edge, of length one.
    pub(super) fn long_direction(&self) -> Vector {
        let edges = self.edges().map(|(a, b)| direction(a, b));
        edges.max_by(|a, b| a.1.total_cmp(&b.1)).map_or((1.0, 0.0), |(along, _)| along)
    }

    /// The least and greatest extent along a direction.
    pub(super) fn extent(&self, along: Vector) -> (f64, f64) {
        self.0
            .iter()
            .map(|&corner| dot(corner, along))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), at| {
                (least.min(at), most.max(at))
            })
    }

    /// The part where `dot(point, normal) <= limit`.
    pub(super) fn clip(&self, normal: Vector, limit: f64) -> Self {
        let mut kept = Vec::with_capacity(self.0.len() + 1);
        for (a, b) in self.edges() {
            let (over_a, over_b) = (dot(a, normal) - limit, dot(b, normal) - limit);
            if over_a <= 0.0 {
                kept.push(a);
            }
            if (over_a <= 0.0) != (over_b <= 0.0) {
                let part = over_a / (over_a - over_b);
                kept.push((a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part));
            }
        }
        Self(kept)
    }

    /// The two parts on either side of a street of this width, across `normal` at `limit`.
    pub(super) fn cut(&self, normal: Vector, limit: f64, width: f64) -> [Self; 2] {
        let back = (-normal.0, -normal.1);
        [self.clip(normal, limit - width / 2.0), self.clip(back, -limit - width / 2.0)]
    }

    /// The part at least this far from every edge.
    pub(super) fn inset(&self, margin: f64) -> Self {
        let middle = self.middle();
        self.edges().fold(self.clone(), |inner, (a, b)| {
            let (along, length) = direction(a, b);
            if length == 0.0 {
                return inner;
            }
            let normal = (along.1, -along.0);
            let outward =
                if dot(middle, normal) > dot(a, normal) { (-normal.0, -normal.1) } else { normal };
            inner.clip(outward, dot(a, outward) - margin)
        })
    }

    /// Sets all cells with their middle inside.
    pub(super) fn fill(&self, canvas: &mut Canvas, passable: bool) {
        if self.0.len() < 3 {
            return;
        }
        let (top, bottom) = self.extent((0.0, 1.0));
        // Conversions to integers saturate, so coordinates outside the map are clamped.
        for y in (top - 0.5).ceil().max(0.0) as u32..(bottom + 0.5) as u32 {
            if y >= canvas.height() {
                return;
            }
            let line = f64::from(y) + 0.5;
            let mut span = (f64::INFINITY, f64::NEG_INFINITY);
            for (a, b) in self.edges().filter(|(a, b)| (a.1 <= line) != (b.1 <= line)) {
                let x = a.0 + (b.0 - a.0) * (line - a.1) / (b.1 - a.1);
                span = (span.0.min(x), span.1.max(x));
            }
            if span.0 < span.1 {
                let cell = |x: f64| (x - 0.5).ceil().max(0.0) as u32;
                canvas.fill(cell(span.0)..cell(span.1), y..y + 1, passable);
            }
        }
    }

    fn edges(&self) -> impl Iterator<Item = (Vector, Vector)> {
        self.0.iter().copied().zip(self.0.iter().copied().cycle().skip(1))
    }
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a.0 * b.0 + a.1 * b.1
}

/// The direction from one point to another, of length one, and their distance.
pub(super) fn direction(from: Vector, to: Vector) -> (Vector, f64) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    if length > 0.0 { ((dx / length, dy / length), length) } else { ((1.0, 0.0), 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Polygon {
        Polygon::new(vec![(2.0, 2.0), (8.0, 2.0), (8.0, 8.0), (2.0, 8.0)])
    }

    fn cells(polygon: &Polygon) -> usize {
        let mut canvas = Canvas::from_fn(10, 10, |_, _| true);
        polygon.fill(&mut canvas, false);
        100 - canvas.into_grid().unwrap().passable_count()
    }

    #[test]
    fn parts_add_up() {
        assert_eq!(square().area(), 36.0);
        let [left, right] = square().cut((1.0, 0.0), 5.0, 2.0);
        assert_eq!((left.area(), right.area()), (12.0, 12.0));
        assert_eq!(square().inset(1.0).area(), 16.0);
        assert_eq!(square().inset(4.0).area(), 0.0);
        assert_eq!(square().clip((0.0, 1.0), 0.0).area(), 0.0);
    }

    #[test]
    fn filling_covers_the_cells_inside_and_nothing_else() {
        assert_eq!(cells(&square()), 36);
        assert_eq!(cells(&Polygon::default()), 0);
        let beyond = vec![(-50.0, -50.0), (1e12, -50.0), (1e12, 1e12), (-50.0, 1e12)];
        assert_eq!(cells(&Polygon::new(beyond)), 100);
        let outside = vec![(20.0, -9.0), (30.0, -9.0), (25.0, -1.0)];
        assert_eq!(cells(&Polygon::new(outside)), 0);
    }
}
