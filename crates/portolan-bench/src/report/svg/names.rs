//! Names beside points, so that none covers another or a marker.
//!
//! Every name takes the free place nearest to its point: right of it if possible, then around it,
//! then farther away with a line that leads back.

use std::f64::consts::TAU;

use super::{Frame, LINE, words};
use crate::svg::element;

/// Room for a character of a name, in letters of ordinary size.
const CHARACTER: f64 = 8.0;
/// Half the room that a marker takes.
const MARKER: f64 = 6.0;
/// The gap between a marker and its name.
const NEAR: f64 = 8.0;
/// Names beyond this distance have a line that leads to their point.
const FAR: f64 = 15.0;
/// How much farther away the next places are.
const RING: f64 = 11.0;
const RINGS: u32 = 40;
/// Places around a point in each ring.
const DIRECTIONS: u32 = 16;

/// A rectangle, by its middle and half its size, and where in it the name begins or ends.
#[derive(Debug, Clone, Copy)]
struct LabelBox {
    x: f64,
    y: f64,
    half_width: f64,
    half_height: f64,
    anchor: Anchor,
}

/// The part of a name that is nearest to its point.
#[derive(Debug, Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

impl LabelBox {
    fn marker((x, y): (f64, f64)) -> Self {
        Self { x, y, half_width: MARKER, half_height: MARKER, anchor: Anchor::Middle }
    }

    fn meets(&self, other: &Self) -> bool {
        (self.x - other.x).abs() < self.half_width + other.half_width
            && (self.y - other.y).abs() < self.half_height + other.half_height
    }

    /// The end of the line that leads here from a point, if it takes one.
    fn lead_from(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let end = (
            x.clamp(self.x - self.half_width, self.x + self.half_width),
            y.clamp(self.y - self.half_height, self.y + self.half_height),
        );
        ((end.0 - x).hypot(end.1 - y) > FAR).then_some(end)
    }

    /// Whether the line from its point passes no marker of another.
    fn is_clear(&self, point: (f64, f64), markers: &[Self]) -> bool {
        let Some(end) = self.lead_from(point) else { return true };
        let (dx, dy) = (end.0 - point.0, end.1 - point.1);
        let own = Self::marker(point);
        markers.iter().filter(|other| !own.meets(other)).all(|other| {
            let along = (other.x - point.0) * dx + (other.y - point.1) * dy;
            let share = (along / (dx * dx + dy * dy)).clamp(0.0, 1.0);
            let nearest = (point.0 + share * dx, point.1 + share * dy);
            (other.x - nearest.0).hypot(other.y - nearest.1) > MARKER
        })
    }

    fn is_inside(&self, frame: &Frame) -> bool {
        self.x - self.half_width >= frame.left
            && self.x + self.half_width <= frame.right
            && self.y - self.half_height >= frame.top
            && self.y + self.half_height <= frame.bottom
    }
}

/// The names of series, each beside the first of its points. No name is where any point is.
pub(super) fn named_points(frame: &Frame, series: &[(&str, Vec<(f64, f64)>)]) -> String {
    let rooms = places(frame, series);
    let mut drawn = String::new();
    for ((name, points), room) in series.iter().zip(rooms) {
        let (Some(room), Some(&(x, y))) = (room, points.first()) else { continue };
        if let Some(end) = room.lead_from((x, y)) {
            let line = format!("M{x:.1} {y:.1}L{:.1} {:.1}", end.0, end.1);
            drawn += &element("path", &[("class", &"lead"), ("d", &line)], "");
        }
        let (x, anchor) = match room.anchor {
            Anchor::Start => (room.x - room.half_width, "start"),
            Anchor::Middle => (room.x, "middle"),
            Anchor::End => (room.x + room.half_width, "end"),
        };
        drawn += &words(x, room.y + 4.5, anchor, name);
    }
    element("g", &[("class", &"label")], &drawn)
}

/// Where each name goes; `None` for one without room.
fn places(frame: &Frame, series: &[(&str, Vec<(f64, f64)>)]) -> Vec<Option<LabelBox>> {
    let markers: Vec<LabelBox> = series
        .iter()
        .flat_map(|(_, points)| points.iter().copied().map(LabelBox::marker))
        .collect();
    let mut taken = markers.clone();
    let mut rooms = Vec::with_capacity(series.len());
    for (name, points) in series {
        let half_width = CHARACTER * name.chars().count() as f64 / 2.0;
        let room = points.first().filter(|_| !name.is_empty()).and_then(|&point| {
            let mut free = around(point, half_width)
                .filter(|label| label.is_inside(frame))
                .filter(|label| taken.iter().all(|other| !label.meets(other)));
            let first = free.next()?;
            // A line over another marker would seem to come from there.
            let mut clear = std::iter::once(first).chain(free);
            clear.find(|label| label.is_clear(point, &markers)).or(Some(first))
        });
        taken.extend(room);
        rooms.push(room);
    }
    rooms
}

/// Places for a name around its point, the best first.
fn around((x, y): (f64, f64), half_width: f64) -> impl Iterator<Item = LabelBox> {
    let half_height = LINE / 2.0 - 1.5;
    (0..RINGS).flat_map(move |ring| {
        (0..DIRECTIONS).map(move |turn| {
            // Right, left, then alternating above and below.
            let turn = if turn % 2 == 0 { turn / 2 } else { DIRECTIONS / 2 + turn / 2 };
            let (up, right) = (TAU * f64::from(turn) / f64::from(DIRECTIONS)).sin_cos();
            let distance = NEAR + RING * f64::from(ring);
            LabelBox {
                x: x + right * (distance + half_width),
                y: y - up * (distance + half_height),
                half_width,
                half_height,
                anchor: match right {
                    0.3.. => Anchor::Start,
                    ..-0.3 => Anchor::End,
                    _ => Anchor::Middle,
                },
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan::generate::Random;

    const FRAME: Frame = Frame { left: 40.0, right: 550.0, top: 8.0, bottom: 310.0 };

    #[test]
    fn no_name_covers_another_or_a_marker() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut within =
                |from: f64, to: f64| from + (to - from) * random.below(1000) as f64 / 1e3;
            let mut point = || vec![(within(90.0, 300.0), within(40.0, 160.0))];
            // Twice the same point, as engines of one form have.
            let mut points: Vec<_> = (0..19).map(|_| point()).collect();
            points.push(points[0].clone());
            let series: Vec<_> = points.into_iter().map(|at| ("atlas-uniform", at)).collect();
            let rooms: Vec<LabelBox> = places(&FRAME, &series).into_iter().flatten().collect();
            assert_eq!(rooms.len(), series.len(), "seed {seed}");
            for (index, room) in rooms.iter().enumerate() {
                assert!(room.is_inside(&FRAME), "seed {seed}: {room:?}");
                assert!(rooms[..index].iter().all(|other| !room.meets(other)), "seed {seed}");
                for (_, points) in &series {
                    assert!(!room.meets(&LabelBox::marker(points[0])), "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn names_without_room_are_left_out() {
        let name = "x".repeat(200);
        assert!(places(&FRAME, &[(&name, vec![(100.0, 100.0)])])[0].is_none());
        assert!(
            places(&FRAME, &[("", vec![(100.0, 100.0)]), ("a", vec![])])
                .iter()
                .all(Option::is_none)
        );
    }
}
