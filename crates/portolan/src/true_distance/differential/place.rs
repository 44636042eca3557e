//! Where landmarks go.

use super::Plan;
use super::config::{DifferentialConfig, Placement};
use super::field::Field;
use super::filling::Filling;
use super::places::{Candidates, Spread, avoid, border, by_gain};
use super::table::Table;
use crate::engine::BuildError;
use crate::generate::Random;
use crate::graph::NodeId;
use crate::map::Map;
use crate::progress::{Progress, Watch};
use crate::search::Scratch;

/// Chooses as many landmarks as are planned and there is ground for, all different, and finds their
/// distances.
pub(super) fn place(
    map: &Map,
    config: &DifferentialConfig,
    directed: bool,
    plan: Plan,
    progress: &dyn Progress,
) -> Result<Table, BuildError> {
    let candidates = Candidates::of(map, directed);
    let mut count = plan.landmarks.min(candidates.nodes.len());
    let watch = Watch::new(progress, "landmarks", count);
    let mut random = Random::new(config.seed);
    // Those that are known before the distances of others are.
    let listed = match &config.placement {
        Placement::Border => border(map, &candidates.nodes, count),
        Placement::Near(points) => candidates.near(map, points),
        Placement::At(nodes) => standing(map, nodes),
        Placement::Advanced => by_gain(map, &candidates, count, &mut random, &watch)?,
        _ => Vec::new(),
    };
    if let Placement::At(_) = &config.placement {
        count = count.min(listed.len());
    }
    let mut filling = Filling::new(map, directed, config.precision, plan, count);
    let (mut spread, mut scratch) = (Spread::default(), Scratch::default());
    while filling.missing() > 0 {
        watch.check()?;
        let (nodes, taken) = (&candidates.nodes, filling.landmarks());
        let open: Vec<NodeId> =
            listed.iter().copied().filter(|node| !taken.contains(node)).collect();
        let next = match &config.placement {
            Placement::Random => {
                let draw = || nodes[random.below(nodes.len() as u64) as usize];
                std::iter::repeat_with(draw).find(|node| !taken.contains(node))
            }
            Placement::Avoid => avoid(map, nodes, &filling, &mut random, &mut scratch),
            Placement::Near(_) => spread.farthest(map, &open, taken, &mut scratch),
            Placement::At(_) | Placement::Border | Placement::Advanced => open.first().copied(),
            Placement::Farthest => None,
        };
        let next = next.or_else(|| spread.farthest(map, nodes, taken, &mut scratch));
        let next = next.expect("there are no fewer candidates than landmarks");
        let field = Field::of(map, directed, next, &mut scratch);
        spread.note(&field);
        if !filling.write(taken.len(), &field) {
            for (place, landmark) in filling.landmarks().to_vec().into_iter().enumerate() {
                let field = Field::of(map, directed, landmark, &mut scratch);
                let _ = filling.write(place, &field);
            }
        }
        watch.advance(1);
    }
    Ok(filling.finish())
}

/// Those nodes that can be stood on, each once.
fn standing(map: &Map, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut standing: Vec<NodeId> = Vec::new();
    for &node in nodes {
        if map.contains(node) && !standing.contains(&node) {
            standing.push(node);
        }
    }
    standing
}
