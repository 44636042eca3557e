//! Classes of roads, and distances between their nodes.

use crate::graph::Point;

/// The class of a road, from the fastest to the slowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoadClass {
    Motorway,
    Major,
    Secondary,
    Country,
    Street,
    Track,
}

impl RoadClass {
    pub(super) fn kilometres_per_hour(self) -> u64 {
        match self {
            Self::Motorway => 130,
            Self::Major => 90,
            Self::Secondary => 70,
            Self::Country => 50,
            Self::Street => 30,
            Self::Track => 10,
        }
    }

    /// The largest detour of a street over its straight line, in thousandths.
    pub(super) fn winding(self) -> u64 {
        match self {
            Self::Motorway => 10,
            Self::Major => 30,
            Self::Secondary => 60,
            Self::Street => 40,
            Self::Country => 100,
            Self::Track => 150,
        }
    }

    pub(super) fn may_be_one_way(self) -> bool {
        !matches!(self, Self::Motorway | Self::Major)
    }
}

/// The distance of two points in metres, rounded up.
pub(super) fn straight_line(a: Point, b: Point) -> u64 {
    let (dx, dy) = (u64::from(a.x.abs_diff(b.x)), u64::from(a.y.abs_diff(b.y)));
    let square = dx * dx + dy * dy;
    let root = square.isqrt();
    root + u64::from(root * root < square)
}
