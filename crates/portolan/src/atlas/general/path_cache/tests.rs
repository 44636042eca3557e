//! Cached paths against the paths that steps and hops lead along.

use super::*;
use crate::atlas::general::build;
use crate::atlas::general::labels::Labels;
use crate::atlas::general::labels::layout::LabelScope;
use crate::atlas::general::path_builder::PathBuilder;
use crate::atlas::general::path_cache::shortcuts::Shortcut;
use crate::atlas::general::query::{GeneralQuery, GeneralScratch};
use crate::atlas::plan::{Choice, FormReason};
use crate::atlas::separator_tree::RegionId;
use crate::atlas::{Atlas, AtlasConfig, Form};
use crate::cost::UNREACHABLE;
use crate::engine::{Build, Engine, Query};
use crate::generate::Roads;
use crate::graph::{Direction, NodeId};
use crate::map::Map;

fn atlas(memory_limit: u64) -> Atlas {
    let roads = Roads { nodes: 3000, seed: 5, ..Roads::default() };
    let map = Map::from(roads.generate().unwrap());
    let config = AtlasConfig {
        form: Form::General,
        leaf_size: Some(24),
        memory_limit: memory_limit.into(),
        ..AtlasConfig::default()
    };
    Atlas::build(&map, &config).unwrap()
}

fn cache(atlas: &mut Atlas) -> (&GeneralIndex, &Labels, &PathCache) {
    let index = &*atlas.index.general();
    let labels = index.labels.as_deref().unwrap();
    (index, labels, labels.cache.as_ref().expect("the memory limit allows everything"))
}

/// Adds a span to a path that is built from the endpoint of this direction.
fn add(direction: Direction, span: NodeSpan, nodes: &[NodeId], path: &mut Vec<NodeId>) {
    let span = span.of(nodes).expect("the span exists");
    match direction {
        Direction::Forward => path.extend_from_slice(span),
        Direction::Backward => drop(path.splice(0..0, span.iter().copied())),
    }
}

#[test]
fn leaf_paths_follow_the_steps() {
    let mut atlas = atlas(u64::MAX);
    let (index, labels, cache) = cache(&mut atlas);
    let mut checked = 0;
    for (leaf, region) in (0..).zip(&index.regions).filter(|(_, region)| region.leaf().is_some()) {
        for direction in [Direction::Forward, Direction::Backward] {
            for (slot, &member) in (0..).zip(region.members.iter()) {
                let home = index.homes.of(member);
                assert_eq!((home.region, home.slot), (leaf, slot));
                let count = labels.hops.exits.border(leaf).len();
                for (border, &part) in
                    cache.leaf_paths.of(direction, home, count).iter().enumerate()
                {
                    let mut builder = PathBuilder::new(direction);
                    builder.start(member);
                    let reach = region.leaf().unwrap().reach.of(direction);
                    if reach[slot as usize * count + border] == UNREACHABLE {
                        assert_eq!(part, 0);
                        continue;
                    }
                    builder.leave(index, region, slot as usize, border).unwrap();
                    let mut path = Vec::new();
                    let mut part = part;
                    while let Some(span) = cache.leaf_paths.span(leaf, part) {
                        add(direction, span, &cache.leaf_paths.nodes, &mut path);
                        part = cache.leaf_paths.continuation(direction, span).unwrap();
                    }
                    match direction {
                        Direction::Forward => path.insert(0, member),
                        Direction::Backward => {
                            path.insert(0, region.border[border]);
                            path.reverse();
                        }
                    }
                    assert_eq!(path, builder.nodes);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 1000, "{checked} paths were checked");
}

#[test]
fn shortcuts_follow_paths_of_the_right_cost() {
    let mut atlas = atlas(u64::MAX);
    let (index, labels, PathCache { shortcuts, .. }) = cache(&mut atlas);
    let nodes = &labels.hops.exits.nodes;
    let mut several = 0;
    for direction in [Direction::Forward, Direction::Backward] {
        for rank in 0..labels.layout.separators() as u32 {
            let row = labels.row(direction, rank);
            for (entry, &cost) in row[..row.len() - 1].iter().enumerate() {
                let (_, at) = labels.layout.entry(rank, entry).unwrap();
                if cost == UNREACHABLE {
                    continue;
                }
                let Some(shortcut) = shortcuts.shortcut(direction, rank, at) else {
                    continue;
                };
                let Shortcut { target, span } = shortcut;
                let rest = cost - labels.row(direction, target)[entry];
                let mut path = Vec::new();
                add(direction, span, &shortcuts.nodes, &mut path);
                let (from, to) = match direction {
                    Direction::Forward => (rank, target),
                    Direction::Backward => (target, rank),
                };
                path.insert(0, nodes[from as usize]);
                assert_eq!(path.last(), Some(&nodes[to as usize]));
                assert_eq!(index.map.walk(path.iter().copied()), Ok(index.cost(rest)));
                let exits = &labels.hops.exits;
                let (edges, _) = exits.of(rank);
                let adjacent = |&leaf: &RegionId| exits.border(leaf).contains(&rank);
                let mut leaves = (0..index.tree.len() as RegionId).filter(adjacent);
                let one_hop = edges.contains(&target)
                    || leaves.any(|leaf| exits.border(leaf).contains(&target));
                several += usize::from(!one_hop);
            }
        }
    }
    assert!(several > 100, "{several} shortcuts are longer than a hop");
}

#[test]
fn a_cache_that_does_not_fit_is_left_out_and_the_answers_are_the_same() {
    let mut whole = atlas(u64::MAX);
    let (_, labels, cache) = cache(&mut whole);
    assert!(labels.hop_paths.is_none());
    let cache_bytes = cache.memory_bytes();
    let mut less = atlas(whole.memory_bytes() as u64 - 1);
    let left = less.index.general().labels.as_deref().unwrap();
    assert!(left.cache.is_none() && left.hop_paths.is_some());
    assert!(less.memory_bytes() < whole.memory_bytes() - cache_bytes / 2);
    let (mut a, mut b) = (whole.query(), less.query());
    for from in (0..3000).step_by(97) {
        for to in (0..3000).step_by(61) {
            let cost =
                |query: &mut dyn Query| query.find(from, to).unwrap().map(|route| route.cost());
            assert_eq!(cost(&mut a), cost(&mut b), "{from} to {to}");
        }
    }
}

/// An index with rows at the borders of leaves, links to them and cached paths.
fn with_links(map: &Map, limit: u64) -> GeneralIndex {
    let config = AtlasConfig { leaf_size: Some(24), ..AtlasConfig::default() };
    let mut index = build::outline(map, &config, &()).unwrap();
    build::fill(&mut index, &()).unwrap();
    let labels = Some(LabelScope::SeparatorNodes);
    let choice = Choice { labels, bytes: 0, limit, why: FormReason::Fastest };
    build::with_labels(index, choice, &()).unwrap().0
}

#[test]
fn links_lead_to_rows_of_the_right_cost() {
    for seed in 0..4 {
        let roads = Roads { nodes: 600, seed, ..Roads::default() };
        let map = Map::from(roads.generate().unwrap());
        let all = Atlas::build(&map, &AtlasConfig::default()).unwrap();
        for limit in [0, 40_000, u64::MAX] {
            let index = with_links(&map, limit);
            let labels = index.labels.as_deref().unwrap();
            assert_eq!(labels.links.is_some(), limit > 0);
            assert!(labels.cache.is_some() || limit < u64::MAX);
            index.validate().unwrap();
            let mut scratch = GeneralScratch::default();
            let mut expected = all.query();
            for from in 0..600 {
                for to in (from % 7..600).step_by(7) {
                    let cost = expected.distance(from, to).unwrap();
                    let mut query = GeneralQuery::new(&index, &mut scratch);
                    assert_eq!(query.distance(from, to).unwrap(), cost, "{from} to {to}");
                    let found = query.find((from, to), &mut ()).unwrap();
                    assert_eq!(found.as_ref().map(|route| route.cost()), cost);
                    if let Some(route) = found {
                        let nodes: Vec<NodeId> = route.nodes().collect();
                        assert_eq!((nodes[0], nodes[nodes.len() - 1]), (from, to));
                        assert_eq!(map.walk(nodes), Ok(route.cost()));
                    }
                }
                let targets: Vec<NodeId> = (0..600).step_by(11).collect();
                let row = GeneralQuery::new(&index, &mut scratch).distances_from(from, &targets);
                let costs = targets.iter().map(|&to| expected.distance(from, to).unwrap());
                assert_eq!(row.unwrap(), costs.collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn about_half_of_all_links_are_left_out() {
    let roads = Roads { nodes: 3000, seed: 5, ..Roads::default() };
    let index = with_links(&Map::from(roads.generate().unwrap()), u64::MAX);
    let links = index.labels.as_deref().unwrap().links.as_ref().unwrap();
    let (all, kept) = links.costs.each().fold((0, 0), |(all, kept), costs| {
        (all + costs.len(), kept + costs.iter().filter(|&&cost| cost != UNREACHABLE).count())
    });
    assert!(kept > 0 && 4 * kept < 3 * all, "{kept} of {all} links are kept");
}
