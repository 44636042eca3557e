//! Placement of landmarks: the main loop. The rules are in `rules.rs`.

mod rules;

pub(super) use self::rules::Candidates;
use self::rules::{LandmarkCover, avoid, border, by_gain};
use super::config::{DifferentialConfig, Placement};
use super::landmark_distances::LandmarkDistances;
use super::table::{Table, TableBuilder, TablePlan};
use crate::build::{BuildError, Progress, Watch};
use crate::graph::NodeId;
use crate::map::Map;
use crate::random::Random;
use crate::search::Scratch;

/// Chooses different landmarks, as many as are planned and possible, and computes their distances.
pub(super) fn place(
    map: &Map,
    config: &DifferentialConfig,
    directed: bool,
    plan: TablePlan,
    progress: &dyn Progress,
) -> Result<Table, BuildError> {
    let candidates = Candidates::of(map, directed);
    let mut count = plan.landmarks.min(candidates.nodes.len());
    let watch = Watch::new(progress, "landmarks", count);
    let mut random = Random::new(config.seed);
    // Landmarks that do not depend on the distances of others.
    let listed = match &config.placement {
        Placement::Border => border(map, &candidates.nodes, count),
        Placement::Near(points) => candidates.near(map, points),
        Placement::At(nodes) => distinct_usable(map, nodes),
        Placement::Advanced => by_gain(map, &candidates, count, &mut random, &watch)?,
        _ => Vec::new(),
    };
    if let Placement::At(_) = &config.placement {
        count = count.min(listed.len());
    }
    let mut builder = TableBuilder::new(map, directed, config.precision, plan, count);
    let (mut cover, mut scratch) = (LandmarkCover::default(), Scratch::default());
    while builder.missing() > 0 {
        watch.check()?;
        let (nodes, taken) = (&candidates.nodes, builder.landmarks());
        let open: Vec<NodeId> =
            listed.iter().copied().filter(|node| !taken.contains(node)).collect();
        let next = match &config.placement {
            Placement::Random => {
                let draw = || nodes[random.below(nodes.len() as u64) as usize];
                std::iter::repeat_with(draw).find(|node| !taken.contains(node))
            }
            Placement::Avoid => avoid(map, nodes, &builder, &mut random, &mut scratch),
            Placement::Near(_) => cover.farthest(map, &open, taken, &mut scratch),
            Placement::At(_) | Placement::Border | Placement::Advanced => open.first().copied(),
            Placement::Farthest => None,
        };
        let next = next.or_else(|| cover.farthest(map, nodes, taken, &mut scratch));
        let next = next.expect("there are at least as many candidates as landmarks");
        let distances = LandmarkDistances::of(map, directed, next, &mut scratch);
        cover.add(&distances);
        if !builder.write(taken.len(), &distances) {
            for (index, landmark) in builder.landmarks().to_vec().into_iter().enumerate() {
                let distances = LandmarkDistances::of(map, directed, landmark, &mut scratch);
                let _ = builder.write(index, &distances);
            }
        }
        watch.advance(1);
    }
    Ok(builder.finish())
}

/// The usable nodes in a list, without repetitions.
fn distinct_usable(map: &Map, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut distinct: Vec<NodeId> = Vec::new();
    for &node in nodes {
        if map.contains(node) && !distinct.contains(&node) {
            distinct.push(node);
        }
    }
    distinct
}
