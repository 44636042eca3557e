//! A number for every cell: bounds between the cell and a fixed end, and how good they are.

use portolan::heuristic::LowerBound;
use portolan::{Cost, NodeId, UNREACHABLE};
use serde::{Deserialize, Serialize};

use super::bound::LandmarkBound;
use super::ground::{Column, EditedMap};

/// What a field shows.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(in crate::topics) struct Show {
    pub(super) what: What,
    pub(super) fixed: Fixed,
}

/// The end that is the same for all cells. The cell is the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Fixed {
    Start,
    Goal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum What {
    /// The distance heuristic.
    Distance,
    /// The landmark heuristic: the greatest of the distance heuristic and all landmarks' bounds.
    Landmarks,
    /// The true distance.
    Truth,
    /// The distance heuristic as a share of the true distance.
    DistanceShare,
    /// The landmark heuristic as a share of the true distance.
    LandmarkShare,
    /// The bounds of landmarks alone as a share of the true distance.
    Reuse,
    /// By how much landmarks raise the distance heuristic.
    Gain,
    /// The landmark with the greatest bound.
    Best,
    /// By how much the landmark heuristic exceeds the true distance, after the map has changed.
    Excess,
}

/// Values from 0 to this are shares of the greatest one.
pub(super) const FULL: u8 = 250;
/// No landmark is better than the distance heuristic.
const NO_LANDMARK: u8 = 254;
/// Nothing to show: blocked, not reachable, or no excess.
pub(super) const NOTHING: u8 = 255;

/// A field and what it says on the whole.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Field {
    #[serde(skip)]
    pub(super) values: Vec<u8>,
    /// The length that [`FULL`] stands for.
    most: f64,
    /// The mean shares of the true distance that both heuristics reach.
    mean_distance: f64,
    mean_landmarks: f64,
    /// Cells with a bound that is the true distance.
    exact: usize,
    /// Cells with a bound above it.
    exceeding: usize,
    /// Cells that are reachable.
    cells: u32,
}

/// The numbers of one cell.
struct Numbers {
    distance: Cost,
    /// The greatest bound of a landmark, and its place in the list.
    landmark: (Cost, u8),
    truth: Cost,
}

impl Field {
    /// The field of the bounds between each cell and `end`, whose true distances are `truth`.
    pub(super) fn of(
        what: What,
        ground: &EditedMap,
        columns: &[Column],
        (end, truth): (NodeId, &Column),
    ) -> Self {
        let mut geometric = ground.geometric.with_end(end);
        let bound = LandmarkBound(columns).with_end(end);
        let (mut sums, mut exact, mut exceeding, mut cells) = ([0.0; 2], 0, 0, 0);
        // Costs are scaled when the greatest is known; other values are final.
        let mut costs = vec![UNREACHABLE; if what.is_cost() { truth.len() } else { 0 }];
        let mut values = vec![NOTHING; truth.len()];
        for (node, &truth) in (0..).zip(truth.iter()).filter(|&(_, &truth)| truth != UNREACHABLE) {
            let distance = geometric.at(node).unwrap_or(0);
            let of_cell = Numbers { distance, landmark: bound.best(node), truth };
            let both = of_cell.both();
            cells += 1;
            sums[0] += share(distance, truth);
            sums[1] += share(both, truth);
            let shown = if what == What::Reuse { of_cell.landmark.0 } else { both };
            exact += usize::from(shown == truth);
            exceeding += usize::from(shown > truth);
            match costs.get_mut(node as usize) {
                Some(cost) => *cost = of_cell.cost(what),
                None => values[node as usize] = of_cell.value(what),
            }
        }
        let known =
            |costs: &[Cost]| costs.iter().copied().filter(|&cost| cost != UNREACHABLE).max();
        let most = match what {
            What::Gain | What::Excess => known(&costs),
            // The same scale, to be compared.
            _ => known(truth),
        };
        let most = most.unwrap_or(0).max(1);
        for (value, cost) in values.iter_mut().zip(costs) {
            let is_shown = cost != UNREACHABLE && (cost > 0 || what != What::Excess);
            if is_shown {
                *value = scaled(cost, most);
            }
        }
        let mean = |sum: f64| sum / f64::from(cells.max(1));
        Self {
            values,
            most: ground.length(most),
            mean_distance: mean(sums[0]),
            mean_landmarks: mean(sums[1]),
            exact,
            exceeding,
            cells,
        }
    }
}

impl What {
    /// Whether values are costs, and not shares or landmarks.
    fn is_cost(self) -> bool {
        match self {
            Self::Distance | Self::Landmarks | Self::Truth | Self::Gain | Self::Excess => true,
            Self::DistanceShare | Self::LandmarkShare | Self::Reuse | Self::Best => false,
        }
    }
}

impl Numbers {
    /// The landmark heuristic.
    fn both(&self) -> Cost {
        self.distance.max(self.landmark.0)
    }

    fn cost(&self, what: What) -> Cost {
        match what {
            What::Distance => self.distance,
            What::Landmarks => self.both(),
            What::Gain => self.both() - self.distance,
            What::Excess => self.both().saturating_sub(self.truth),
            _ => self.truth,
        }
    }

    fn value(&self, what: What) -> u8 {
        let shown = match what {
            What::Best if self.landmark.0 > self.distance => return self.landmark.1,
            What::Best => return NO_LANDMARK,
            What::Reuse => self.landmark.0,
            What::DistanceShare => self.distance,
            _ => self.both(),
        };
        // Only the true distance itself is full.
        if shown >= self.truth { FULL } else { scaled(shown, self.truth).min(FULL - 1) }
    }
}

/// A cost as a share of the greatest one, from 0 to [`FULL`].
pub(super) fn scaled(cost: Cost, most: Cost) -> u8 {
    (u64::from(cost) * u64::from(FULL) / u64::from(most.max(1))).min(FULL.into()) as u8
}

/// A bound as a share of the true distance, at most 1.
fn share(bound: Cost, truth: Cost) -> f64 {
    if bound >= truth { 1.0 } else { f64::from(bound) / f64::from(truth) }
}
