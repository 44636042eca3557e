//! Building an index: core, tree, tables, and the fastest form that fits.

use std::sync::Arc;

use super::core::{Reduced, Scale};
use super::dissect::{Dissection, dissect};
use super::index::{Core, Index, on_core};
use super::labels::{Labels, Layout};
use super::region::{BORDER, Places};
use super::uniform::Uniform;
use super::{AtlasConfig, Body, Form, regions};
use crate::engine::BuildError;
use crate::map::{Map, on_graph};
use crate::partition::{Method, Partitioner, Topology};
use crate::progress::{Progress, Watch};

/// Nodes of a leaf where nothing is said.
const LEAF: usize = 128;

pub(super) fn build(
    map: &Map,
    config: &AtlasConfig,
    progress: &dyn Progress,
) -> Result<(Body, Why), BuildError> {
    if matches!(config.form, Form::Fastest | Form::Uniform) {
        let partitioner = partitioner(map, config);
        match Uniform::build(map, &partitioner, config.memory_limit, progress) {
            Ok(uniform) => return Ok((Body::Uniform(uniform), Why::Fastest)),
            Err(BuildError::Unsupported(_) | BuildError::MemoryLimit { .. })
                if config.form == Form::Fastest => {}
            Err(error) => return Err(error),
        }
    }
    let (index, why) = with_labels(tables(map, config, progress)?, config, progress)?;
    Ok((Body::General(index), why))
}

/// The index without labels.
fn tables(map: &Map, config: &AtlasConfig, progress: &dyn Progress) -> Result<Index, BuildError> {
    let scale = on_graph!(map, graph => Scale::of(graph));
    let core = match map {
        Map::Grid(grid) => Core::Grid(Box::new(grid.clone())),
        Map::Graph(graph) => Core::Reduced(Arc::new(Reduced::new(graph, scale, |_| false))),
    };
    let topology = topology(map, &core)?;
    let watch = Watch::new(progress, "regions", topology.node_count());
    let partitioner = partitioner(map, config);
    let leaf = leaf_size(config);
    let Dissection { tree, members } = dissect(topology, &partitioner, leaf, &watch)?;
    watch.check()?;
    let mut places = Places::new(map.node_count());
    for (id, members) in (0..).zip(&members) {
        places.settle(id, members);
    }
    let watch = Watch::new(progress, "tables", tree.len());
    let regions = on_core!(&core, graph => regions::build(graph, &tree, members, &places, &watch))?;
    watch.check()?;
    Ok(Index {
        map: map.clone(),
        core,
        scale,
        tree: Arc::new(tree),
        places,
        regions,
        labels: None,
        lifted: 0,
    })
}

/// The most nodes of a leaf.
fn leaf_size(config: &AtlasConfig) -> usize {
    config.leaf_size.unwrap_or(LEAF).clamp(1, usize::from(BORDER) / 2)
}

/// The most nodes that a leaf may grow to by edits.
pub(super) fn largest_leaf(config: &AtlasConfig) -> usize {
    2 * leaf_size(config)
}

/// Roads have small separators where sides may be uneven, and inertial flow needs a few directions to choose from.
fn partitioner(map: &Map, config: &AtlasConfig) -> Partitioner {
    let mut partitioner = config.partitioner.clone();
    if let Map::Graph(_) = map {
        partitioner.imbalance = 300;
    }
    if partitioner.method == Method::InertialFlow {
        partitioner.tries = partitioner.tries.max(4);
    }
    partitioner
}

fn topology(map: &Map, core: &Core) -> Result<Topology, BuildError> {
    Ok(match (map, core) {
        (Map::Graph(graph), Core::Reduced(reduced)) => {
            let topology = Topology::of_graph(&**reduced)?;
            match graph.coordinates() {
                Some(points) => topology.with_points(|node| points[node as usize]),
                None => topology,
            }
        }
        _ => Topology::of_map(map)?,
    })
}

/// Why an index has the form it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It is the fastest.
    Fastest,
    /// It was asked for.
    Asked,
    /// The next faster one takes more than is allowed.
    TooLarge { needed: u64, limit: u64 },
    /// With strips it would take more than is allowed.
    NoStrips { limit: u64 },
    /// An edit left the labels behind.
    Edited,
    /// It was stored so.
    Stored,
}

/// Adds the labels that the form asks for or the limit allows.
pub(super) fn with_labels(
    mut index: Index,
    config: &AtlasConfig,
    progress: &dyn Progress,
) -> Result<(Index, Why), BuildError> {
    let limit = config.memory_limit.unwrap_or(u64::MAX);
    let bare = index.memory_bytes() as u64;
    let mut why = Why::Fastest;
    if config.form == Form::Climb {
        why = Why::Asked;
    } else {
        for inside in [true, false] {
            let layout = Layout::new(&index.tree, &index.regions, inside);
            let needed = bare + Labels::planned_bytes(&index, &layout) as u64;
            if needed <= limit {
                let labels = Labels::build(&index, inside, limit - needed, progress)?;
                let without_strips = labels.strips.is_none() && why == Why::Fastest;
                index.labels = Some(Arc::new(labels));
                return Ok((index, if without_strips { Why::NoStrips { limit } } else { why }));
            }
            if config.form == Form::General && !inside {
                return Err(BuildError::MemoryLimit { needed, limit });
            }
            why = Why::TooLarge { needed, limit };
        }
    }
    if bare > limit {
        return Err(BuildError::MemoryLimit { needed: bare, limit });
    }
    Ok((index, why))
}

/// Which form an index has, and why.
pub(super) fn describe(index: &Index, why: Why) -> String {
    let form = match &index.labels {
        Some(labels) if labels.layout.has_inside() => "labels for every node",
        Some(_) => "labels at the borders of leaves",
        None => "tables to climb",
    };
    let strips = index.labels.as_ref().is_some_and(|labels| labels.strips.is_some());
    let strips = if strips { " with ready-made strips" } else { "" };
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let why = match why {
        Why::Fastest => "the fastest form".into(),
        Why::Asked => "as asked for".into(),
        Why::TooLarge { needed, limit } => format!(
            "since the next faster form takes {:.1} MiB and {:.1} MiB are allowed",
            mib(needed),
            mib(limit)
        ),
        Why::NoStrips { limit } => {
            format!(
                "since strips do not fit as well into the {:.1} MiB that are allowed",
                mib(limit)
            )
        }
        Why::Edited => "since the last edit".into(),
        Why::Stored => "as stored".into(),
    };
    format!("{form}{strips}, {why}; {} regions", index.tree.len())
}
