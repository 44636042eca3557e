//! How much one more landmark would help, for each cell that could have it.
//!
//! A landmark on a cell v raises the bound between a and z to |d(v, a) - d(v, z)|. Grids are
//! undirected, so the distances from a few sampled cells are the distances of *all* candidate sites
//! to them: as many waves as there are samples tell for every cell what a landmark there would do
//! for all pairs of samples.

use portolan::generate::Pairs;
use portolan::heuristic::LowerBound;
use portolan::{Cost, NodeId, UNREACHABLE};
use serde::Serialize;

use super::bound::LandmarkBound;
use super::field::{FULL, NOTHING};
use super::ground::{Column, EditedMap, distances};
use crate::error::{LabError, bad_request};
use crate::task::{Reply, Task};

/// The most samples. Pairs grow with their square.
pub(super) const MOST_SAMPLES: usize = 64;

/// Cells between two looks at whether the answer is still wanted.
const CELLS_AT_ONCE: usize = 1 << 12;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SiteAnswer {
    /// Pairs of samples.
    pairs: usize,
    /// The sum of all bounds as a share of that of the true distances, now and with one more
    /// landmark on the best cell.
    now: f64,
    with_best: f64,
    best: NodeId,
}

/// Two samples, with the bound that they have without another landmark.
struct Pair<'a> {
    columns: [&'a Column; 2],
    bound: Cost,
}

/// The improvement for each cell as the part `field`, and the samples as the part `samples`.
pub(super) fn answer(
    ground: &mut EditedMap,
    landmarks: &[NodeId],
    (near, samples, seed): (NodeId, usize, u64),
    task: &Task<'_>,
) -> Result<Reply, LabError> {
    let samples = sampled(ground, (near, samples, seed))?;
    let mut waves = Vec::with_capacity(samples.len());
    for (done, &node) in samples.iter().enumerate() {
        task.report("distances from samples", done, samples.len());
        task.check()?;
        waves.push(distances(&ground.now, node, &mut ground.scratch));
    }
    let columns = ground.columns(landmarks);
    let (mut pairs, mut bounds, mut truths) = (Vec::new(), 0, 0);
    for (at, &a) in samples.iter().enumerate() {
        let mut geometric = ground.geometric.with_end(a);
        let present = LandmarkBound(&columns).with_end(a);
        for (&b, wave) in samples[..at].iter().zip(&waves) {
            let bound = geometric.at(b).unwrap_or(0).max(present.best(b).0);
            pairs.push(Pair { columns: [&waves[at], wave], bound });
            bounds += u64::from(bound);
            truths += u64::from(waves[at][b as usize]);
        }
    }
    let gains = gains(&pairs, &waves[0], task)?;
    // The first of equals.
    let known = gains.iter().zip(0..).filter_map(|(gain, node)| Some(((*gain)?, node)));
    let best = known.max_by_key(|&(gain, node)| (gain, std::cmp::Reverse(node)));
    let (most, best) = best.unwrap_or((0, near));
    let shade = |gain: Option<u64>| match gain {
        None => NOTHING,
        Some(gain) => (u128::from(gain) * u128::from(FULL) / u128::from(most.max(1))) as u8,
    };
    let field: Vec<u8> = gains.into_iter().map(shade).collect();
    let share = |sum: u64| sum as f64 / truths.max(1) as f64;
    let (now, with_best) = (share(bounds), share(bounds + most));
    let answer = SiteAnswer { pairs: pairs.len(), now, with_best, best };
    Ok(Reply::new(answer).with("field", field).with("samples", samples))
}

/// Random cells of the component of this one.
fn sampled(
    ground: &EditedMap,
    (near, samples, seed): (NodeId, usize, u64),
) -> Result<Vec<NodeId>, LabError> {
    let map = ground.now_as_map();
    map.check(near)?;
    // A few more, for those that lie elsewhere.
    let pairs = Pairs { count: 4 * samples, even_lengths: false, seed }.generate(&map)?;
    let mut found = Vec::new();
    for node in pairs.into_iter().flat_map(|(from, to)| [from, to]) {
        if found.len() < samples && map.may_reach(near, node) && !found.contains(&node) {
            found.push(node);
        }
    }
    match found.len() {
        0 | 1 => Err(bad_request("this part of the map is too small to sample")),
        _ => Ok(found),
    }
}

/// By how much a landmark on each cell raises the bounds of all pairs together; `None` where it
/// reaches none of them.
fn gains(
    pairs: &[Pair<'_>],
    reached: &Column,
    task: &Task<'_>,
) -> Result<Vec<Option<u64>>, LabError> {
    let mut gains = Vec::with_capacity(reached.len());
    let mut sums = vec![0; CELLS_AT_ONCE];
    for (chunk, reached_here) in reached.chunks(CELLS_AT_ONCE).enumerate() {
        let first = chunk * CELLS_AT_ONCE;
        task.report("weighing sites", first, reached.len());
        task.check()?;
        let cells = first..first + reached_here.len();
        sums.fill(0);
        for Pair { columns: [a, b], bound } in pairs {
            for ((sum, &a), &b) in sums.iter_mut().zip(&a[cells.clone()]).zip(&b[cells.clone()]) {
                *sum += u64::from(a.abs_diff(b).saturating_sub(*bound));
            }
        }
        let is_reached = |&cost: &Cost| cost != UNREACHABLE;
        let known = reached_here.iter().zip(&sums);
        gains.extend(known.map(|(cost, &sum)| is_reached(cost).then_some(sum)));
    }
    Ok(gains)
}
