//! Where landmarks go.

use super::config::{DifferentialConfig, Placement};
use super::field::Field;
use crate::cost::{Cost, UNREACHABLE};
use crate::engine::BuildError;
use crate::generate::Random;
use crate::graph::{NodeId, weak_components};
use crate::map::{Map, on_graph};
use crate::progress::{Progress, Watch};
use crate::search::Scratch;

/// Chooses up to so many landmarks, all different, and finds their distances.
pub(super) fn place(
    map: &Map,
    config: &DifferentialConfig,
    count: usize,
    progress: &dyn Progress,
) -> Result<Vec<Field>, BuildError> {
    let nodes = candidates(map);
    let count = count.min(nodes.len());
    let watch = Watch::new(progress, "landmarks", count);
    let mut random = Random::new(config.seed);
    let mut fields: Vec<Field> = Vec::with_capacity(count);
    let (undirected, mut scratch) = (map.is_undirected(), Scratch::default());
    let mut chosen = match &config.placement {
        Placement::At(by_hand) => by_hand.clone(),
        _ => Vec::new(),
    };
    chosen.retain(|&node| map.contains(node));
    chosen.reverse();
    for _ in 0..count {
        watch.check()?;
        let next = match config.placement {
            Placement::Random => {
                let pick = || nodes[random.below(nodes.len() as u64) as usize];
                std::iter::repeat_with(pick).find(|node| is_new(&fields, *node))
            }
            Placement::Farthest => farthest(&nodes, &fields, &mut random),
            Placement::At(_) => chosen.pop().filter(|&node| is_new(&fields, node)),
        };
        let Some(next) = next else { continue };
        fields.push(Field::of(map, undirected, next, &mut scratch));
        watch.advance(1);
    }
    Ok(fields)
}

fn is_new(fields: &[Field], node: NodeId) -> bool {
    fields.iter().all(|field| field.landmark != node)
}

/// The nodes of the largest component: landmarks elsewhere help few.
fn candidates(map: &Map) -> Vec<NodeId> {
    on_graph!(map, graph => {
        let components = weak_components(graph);
        let largest = components.sizes().first().map(|&(name, _)| name);
        (0..map.node_count() as NodeId).filter(|&node| largest.is_some() && components.of(node) == largest).collect()
    })
}

/// The node that is farthest from its nearest landmark; the first one is as far as can be from a node drawn at random.
fn farthest(nodes: &[NodeId], fields: &[Field], random: &mut Random) -> Option<NodeId> {
    let drawn = nodes[random.below(nodes.len() as u64) as usize];
    let distance = |node: NodeId| -> Cost {
        let each = fields.iter().map(|field| {
            let (to, from) = (field.to[node as usize], field.from.as_ref());
            let back = from.map_or(UNREACHABLE, |from| from[node as usize]);
            // Out of reach in both directions is no distance.
            match to.min(back) {
                UNREACHABLE => 0,
                near => near,
            }
        });
        each.min().unwrap_or(0)
    };
    let best = nodes.iter().copied().max_by_key(|&node| (distance(node), std::cmp::Reverse(node)));
    if fields.is_empty() { Some(drawn) } else { best.filter(|&node| is_new(fields, node)) }
}
