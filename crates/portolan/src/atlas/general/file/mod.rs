//! The sections of a general index in an index file.
//!
//! | section | type | contents |
//! |---|---|---|
//! | `form` | `u32` | form and version, see `atlas/file.rs`; 1 for a reduced core, else 0; labels: 0 none, 1 separator nodes, 2 all nodes; cached paths: 0 none, 1 hop paths, 2 all others; 1 for links, else 0; configured leaf size or 0; number of lifted nodes; two words of the scale |
//! | `tree` | `u32` | number of children of each region |
//! | `sizes` | `u32` | numbers of members and border nodes of each region |
//! | `separators`, `leaf-members` | `u32` | members of branches, by rank; members of leaves |
//! | `borders`, `borders-in-parent` | `u32` | border nodes; their positions in the boundary of the parent |
//! | `core-…` | `u32` | arrays of a reduced core |
//! | `crossings` | `u32` | crossings of all regions |
//! | `via-…` | `u32` | tables of branches |
//! | `reach-…`, `steps-…`, `enter-…` | `u32`, `u16`, `u16` | tables of leaves |
//! | `costs-…`, `hops-…` | `u32`, `u16` | label rows; hops, unless all paths are cached |
//! | `leaf-links-…` | `u32` | `LeafLinks` |
//! | `exit-rows`, `exits` | `u32` | first exit by rank; exits |
//! | `hop-path-starts`, `hop-path-nodes` | `u32` | `HopPaths` |
//! | `leaf-paths-…`, `leaf-path-rows`, `leaf-path-nodes` | `u32` | `LeafPaths`, both directions on every map |
//! | `shortcut-numbers-…` | `u16` | `Shortcuts` beside the rows, both directions on every map |
//! | `shortcut-rows-…`, `shortcuts-…`, `shortcut-nodes` | `u32` | the targets and spans of `Shortcuts`, both directions on every map |
//! | `first-borders-…` | `u8` | `FirstBorders` |
//!
//! Tables end in `-forward`; on directed maps there is a second one that ends in `-backward`.
//! Tables are in the order of the regions, without gaps. Homes follow from the members, and the
//! positions of rows from the tree and the members; they are not stored, so they cannot contradict.
//!
//! Opening reads all lists, verifies their checksums, and checks every index in them. Tables stay
//! in the file; only their lengths are checked. So a table may contain any number. Queries use
//! these numbers as costs, or check them as indices.

mod header;
mod labels;
mod regions;

use std::sync::Arc;

use self::header::Header;
use self::labels::read_labels;
use self::regions::RegionReader;
pub(crate) use self::regions::read_tree;
use crate::atlas::AtlasConfig;
use crate::atlas::file::FORM;
use crate::atlas::general::core::{Arrays, ReducedGraph};
use crate::atlas::general::direction::PerDirection;
use crate::atlas::general::index::{Core, GeneralIndex, on_core};
use crate::atlas::general::labels::Labels;
use crate::atlas::general::path_cache::PathCache;
use crate::atlas::general::tables::region::Region;
use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::graph::{Graph, NodeId};
use crate::map::Map;
use crate::store::{
    Array, Element, Fingerprint, IndexFile, IndexWriter, OpenError, Sequence, unusable,
};

const TREE: &str = "tree";
const SIZES: &str = "sizes";
const SEPARATORS: &str = "separators";
const LEAF_MEMBERS: &str = "leaf-members";
const BORDERS: &str = "borders";
const IN_PARENT: &str = "borders-in-parent";
const CROSSINGS: &str = "crossings";
const VIA: PerDirectionNames = ["via-forward", "via-backward"];
const REACH: PerDirectionNames = ["reach-forward", "reach-backward"];
const STEPS: PerDirectionNames = ["steps-forward", "steps-backward"];
const ENTER: PerDirectionNames = ["enter-forward", "enter-backward"];
const COSTS: PerDirectionNames = ["costs-forward", "costs-backward"];
const HOPS: PerDirectionNames = ["hops-forward", "hops-backward"];
const EXIT_ROWS: &str = "exit-rows";
const EXITS: &str = "exits";
const LINKS: PerDirectionNames = ["leaf-links-forward", "leaf-links-backward"];
const HOP_PATH_STARTS: &str = "hop-path-starts";
const HOP_PATHS: &str = "hop-path-nodes";
const LEAF_PATHS: PerDirectionNames = ["leaf-paths-forward", "leaf-paths-backward"];
const LEAF_PATH_ROWS: &str = "leaf-path-rows";
const LEAF_PATH_NODES: &str = "leaf-path-nodes";
const NUMBERS: PerDirectionNames = ["shortcut-numbers-forward", "shortcut-numbers-backward"];
const SHORTCUT_ROWS: PerDirectionNames = ["shortcut-rows-forward", "shortcut-rows-backward"];
const SHORTCUTS: PerDirectionNames = ["shortcuts-forward", "shortcuts-backward"];
const SHORTCUT_NODES: &str = "shortcut-nodes";
const FIRST_BORDERS: PerDirectionNames = ["first-borders-forward", "first-borders-backward"];

/// The section names of a table for both directions.
type PerDirectionNames = [&'static str; 2];

/// Prepares the index for writing.
pub(crate) fn store<'a>(index: &'a GeneralIndex, config: &AtlasConfig) -> IndexWriter<'a> {
    let mut writer = IndexWriter::new(config.form.engine_name(), Fingerprint::of(&index.map));
    let (ids, regions) = (0..index.tree.len() as RegionId, || index.regions.iter());
    let of_branches = || regions().filter(|region| region.branch().is_some());
    let of_leaves = || regions().filter(|region| region.leaf().is_some());
    let size = |region: &Arc<Region>| [region.members.len() as u32, region.border.len() as u32];
    writer
        .section_owned(FORM, Header::of(index, config).section())
        .section_owned(TREE, ids.map(|id| index.tree.children(id).count() as u32).collect())
        .section_owned(SIZES, regions().flat_map(size).collect())
        .section_in_pieces(SEPARATORS, of_branches().map(|region| &*region.members))
        .section_in_pieces(LEAF_MEMBERS, of_leaves().map(|region| &*region.members))
        .section_in_pieces(BORDERS, regions().map(|region| &*region.border))
        .section_in_pieces(IN_PARENT, regions().map(|region| &*region.in_parent))
        .section_in_pieces(CROSSINGS, regions().map(|region| &*region.crossings));
    let undirected = index.undirected();
    let branches = || regions().filter_map(|region| region.branch());
    let leaves = || regions().filter_map(|region| region.leaf());
    add_tables(&mut writer, undirected, VIA, branches().map(|branch| &branch.via));
    add_tables(&mut writer, undirected, REACH, leaves().map(|leaf| &leaf.reach));
    add_tables(&mut writer, undirected, STEPS, leaves().map(|leaf| &leaf.steps));
    add_tables(&mut writer, undirected, ENTER, leaves().map(|leaf| &leaf.enter));
    if let Core::Reduced(reduced) = &index.core {
        for (name, array) in reduced.arrays().named() {
            writer.section(name, array);
        }
    }
    if let Some(Labels { costs, hops, links, hop_paths, cache, .. }) = index.labels.as_deref() {
        add_tables(&mut writer, undirected, COSTS, [costs].into_iter());
        if let Some(links) = links {
            add_tables(&mut writer, undirected, LINKS, [&links.costs].into_iter());
        }
        if cache.is_none() {
            add_tables(&mut writer, undirected, HOPS, [&hops.hops].into_iter());
        }
        writer.section(EXIT_ROWS, &hops.exits.first).section(EXITS, &hops.exits.lists);
        if let Some(hop_paths) = hop_paths {
            writer.section(HOP_PATH_STARTS, &hop_paths.starts).section(HOP_PATHS, &hop_paths.nodes);
        }
        if let Some(PathCache { leaf_paths, first_borders, shortcuts, .. }) = cache {
            for (name, parts) in LEAF_PATHS.into_iter().zip(&leaf_paths.parts) {
                writer.section(name, parts);
            }
            writer
                .section(LEAF_PATH_ROWS, &leaf_paths.first_node)
                .section(LEAF_PATH_NODES, &leaf_paths.nodes);
            add_tables(
                &mut writer,
                undirected,
                FIRST_BORDERS,
                [&first_borders.positions].into_iter(),
            );
            add_tables(&mut writer, false, NUMBERS, [&shortcuts.numbers].into_iter());
            for direction in 0..2 {
                writer.section(SHORTCUT_ROWS[direction], &shortcuts.first[direction]);
                writer.section(SHORTCUTS[direction], &shortcuts.shortcuts[direction]);
            }
            writer.section(SHORTCUT_NODES, &shortcuts.nodes);
        }
    }
    writer
}

fn add_tables<'a, T: Element>(
    writer: &mut IndexWriter<'a>,
    undirected: bool,
    [forward, backward]: PerDirectionNames,
    tables: impl Iterator<Item = &'a PerDirection<Array<T>>> + Clone,
) {
    writer.section_in_pieces(forward, tables.clone().map(|table| &*table.forward));
    if !undirected {
        writer.section_in_pieces(backward, tables.filter_map(|table| table.backward.as_deref()));
    }
}

/// Opens the index of this map and returns the configured leaf size.
pub(crate) fn open(
    index: &IndexFile,
    map: &Map,
    parameters: &[u32],
) -> Result<(GeneralIndex, Option<usize>), OpenError> {
    for section in [TREE, SIZES, SEPARATORS, LEAF_MEMBERS, BORDERS, IN_PARENT] {
        index.verify_section(section)?;
    }
    let header = Header::read(parameters)?;
    let core = read_core(index, map, &header)?;
    let undirected = on_core!(&core, graph => graph.is_undirected());
    let tree = read_tree(&index.section::<u32>(TREE)?, map.node_count())?;
    let (regions, homes) = RegionReader::new(index, undirected)?.regions(index, &tree, map)?;
    let homeless = on_core!(&core, graph => {
        let nodes = 0..graph.node_count() as NodeId;
        nodes.clone().find(|&node| graph.contains(node) && homes.of(node).region == NO_REGION)
    });
    if let Some(node) = homeless {
        return Err(unusable(LEAF_MEMBERS, format!("node {node} is not a member of any region")));
    }
    let (map, tree) = (map.clone(), Arc::new(tree));
    let (scale, lifted) = (header.scale, header.lifted);
    let mut opened = GeneralIndex { map, core, scale, tree, homes, regions, labels: None, lifted };
    if let Some(scope) = header.labels {
        let labels = read_labels(index, &opened, scope, (header.cached, header.links))?;
        opened.labels = Some(Arc::new(labels));
    }
    Ok((opened, header.leaf_size))
}

fn read_core(index: &IndexFile, map: &Map, header: &Header) -> Result<Core, OpenError> {
    if !header.reduced {
        return match map {
            Map::Grid(grid) => Ok(Core::Grid(Box::new(grid.clone()))),
            Map::Graph(_) => Err(unusable(FORM, "a graph must have a reduced core".into())),
        };
    }
    let arrays = Arrays::from_named(|name| {
        index.verify_section(name)?;
        index.section(name)
    })?;
    let reduced = ReducedGraph::from_arrays(map.node_count(), arrays);
    Ok(Core::Reduced(Arc::new(reduced.map_err(|reason| unusable("core-records", reason))?)))
}

fn sequences<T: Element>(
    index: &IndexFile,
    undirected: bool,
    [forward, backward]: PerDirectionNames,
) -> Result<PerDirection<Sequence<T>>, OpenError> {
    Ok(PerDirection {
        forward: Sequence::new(index, forward)?,
        backward: (!undirected).then(|| Sequence::new(index, backward)).transpose()?,
    })
}

/// Takes a table of this length for each direction.
fn take<T: Element>(
    from: &mut PerDirection<Sequence<T>>,
    length: usize,
) -> Result<PerDirection<Array<T>>, OpenError> {
    Ok(PerDirection {
        forward: from.forward.take(length)?,
        backward: from.backward.as_mut().map(|backward| backward.take(length)).transpose()?,
    })
}

fn finish<T: Element>(sequences: PerDirection<Sequence<T>>) -> Result<(), OpenError> {
    sequences.forward.finish()?;
    sequences.backward.map_or(Ok(()), Sequence::finish)
}
