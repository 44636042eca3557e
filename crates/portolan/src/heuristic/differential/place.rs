//! Where landmarks go.

use std::cmp::Reverse;

use super::config::{DifferentialConfig, Placement};
use super::field::Field;
use super::places::{Candidates, avoid, border, by_gain, farthest};
use crate::engine::BuildError;
use crate::generate::Random;
use crate::graph::NodeId;
use crate::map::Map;
use crate::progress::{Progress, Watch};
use crate::search::Scratch;

/// Chooses up to so many landmarks, all different, and finds their distances.
pub(super) fn place(
    map: &Map,
    config: &DifferentialConfig,
    directed: bool,
    count: usize,
    progress: &dyn Progress,
) -> Result<Vec<Field>, BuildError> {
    let candidates = Candidates::of(map, directed);
    let count = count.min(candidates.nodes.len());
    let watch = Watch::new(progress, "landmarks", count);
    let mut random = Random::new(config.seed);
    // Those that are known before the distances of others are.
    let listed = match &config.placement {
        Placement::Border => border(map, &candidates.nodes, count),
        Placement::Near(points) => candidates.near(map, points),
        Placement::At(nodes) => nodes.iter().copied().filter(|&node| map.contains(node)).collect(),
        Placement::Advanced => by_gain(map, &candidates, count, &mut random, &watch)?,
        _ => Vec::new(),
    };
    let mut fields: Vec<Field> = Vec::with_capacity(count);
    let mut scratch = Scratch::default();
    while fields.len() < count {
        watch.check()?;
        let (nodes, open) = (&candidates.nodes, open(&listed, &fields));
        let next = match &config.placement {
            Placement::Random => {
                let draw = || nodes[random.below(nodes.len() as u64) as usize];
                std::iter::repeat_with(draw).find(|&node| is_new(&fields, node))
            }
            Placement::Avoid => avoid(map, nodes, &fields, &mut random, &mut scratch),
            Placement::At(_) => open.first().copied(),
            Placement::Border | Placement::Advanced if !open.is_empty() => open.first().copied(),
            Placement::Near(_) if !open.is_empty() => farthest(map, &open, &fields, &mut scratch),
            _ => None,
        };
        let next = match (&config.placement, next) {
            (Placement::At(_), None) => break,
            (_, None) => farthest(map, nodes, &fields, &mut scratch),
            (_, next) => next,
        };
        let Some(next) = next else { break };
        fields.push(Field::of(map, directed, next, &mut scratch));
        watch.advance(1);
    }
    // Where they were listed is the caller's business; elsewhere the same set gives the same table.
    if listed.is_empty() {
        fields.sort_by_key(|field| Reverse(field.landmark));
    }
    Ok(fields)
}

fn open(listed: &[NodeId], fields: &[Field]) -> Vec<NodeId> {
    listed.iter().copied().filter(|&node| is_new(fields, node)).collect()
}

pub(super) fn is_new(fields: &[Field], node: NodeId) -> bool {
    fields.iter().all(|field| field.landmark != node)
}
