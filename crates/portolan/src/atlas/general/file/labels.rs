//! Reading labels and cached paths.

use super::header::CachedPaths;
use super::*;
use crate::atlas::general::index::{Core, GeneralIndex};
use crate::atlas::general::labels::Labels;
use crate::atlas::general::labels::exits::{Exits, ranks_of_borders};
use crate::atlas::general::labels::hops::Hops;
use crate::atlas::general::labels::layout::{LabelScope, Layout};
use crate::atlas::general::labels::leaf_links::LeafLinks;
use crate::atlas::general::path_cache::PathCache;
use crate::atlas::general::path_cache::access_homes::AccessHomes;
use crate::atlas::general::path_cache::first_borders::FirstBorders;
use crate::atlas::general::path_cache::hop_paths::{HopPaths, first_edges, first_pairs};
use crate::atlas::general::path_cache::leaf_paths::LeafPaths;
use crate::atlas::general::path_cache::shortcuts::Shortcuts;
use crate::atlas::separator_tree::SeparatorTree;
use crate::store::{IndexFile, OpenError, Words, unusable};

pub(super) fn read_labels(
    file: &IndexFile,
    index: &GeneralIndex,
    scope: LabelScope,
    (cached, links): (CachedPaths, bool),
) -> Result<Labels, OpenError> {
    let GeneralIndex { tree, homes, regions, .. } = index;
    let layout = Layout::new(tree, regions, scope);
    file.verify_section(EXIT_ROWS)?;
    file.verify_section(EXITS)?;
    let mut costs = sequences(file, index.undirected(), COSTS)?;
    let rows = take(&mut costs, layout.entries())?;
    finish(costs)?;
    let steps = match cached {
        CachedPaths::All => PerDirection::make(index.undirected(), |_| Array::default()),
        CachedPaths::None | CachedPaths::HopPaths => {
            let mut hops = sequences(file, index.undirected(), HOPS)?;
            let steps = take(&mut hops, layout.separator_entries())?;
            finish(hops)?;
            steps
        }
    };
    let links = links.then(|| read_links(file, index)).transpose()?;
    let (first_border, borders) = ranks_of_borders(tree, homes, regions, &layout);
    let exits = Exits {
        first: file.section(EXIT_ROWS)?,
        lists: file.section(EXITS)?,
        // Ranks number the nodes of all separators.
        nodes: file.section(SEPARATORS)?,
        first_border: first_border.into(),
        borders: borders.into(),
    };
    check_exits(&exits, tree, layout.separators())?;
    let (mut hop_paths, mut cache) = (None, None);
    match cached {
        CachedPaths::None => {}
        CachedPaths::HopPaths => hop_paths = Some(read_hop_paths(file, index, &exits)?),
        CachedPaths::All => {
            let (leaf_paths, first_borders) =
                (read_leaf_paths(file, index)?, read_first_borders(file, index, &layout)?);
            let shortcuts = read_shortcuts(file, &layout)?;
            let Core::Reduced(reduced) = &index.core else {
                return Err(unusable(FORM, "only a reduced core has leaf paths".into()));
            };
            let access_homes = AccessHomes::new(reduced, homes);
            cache = Some(PathCache { leaf_paths, shortcuts, first_borders, access_homes });
        }
    }
    Ok(Labels { layout, costs: rows, hops: Hops { hops: steps, exits }, links, hop_paths, cache })
}

/// Queries check their length.
fn read_links(file: &IndexFile, index: &GeneralIndex) -> Result<LeafLinks, OpenError> {
    let sections = PerDirection {
        forward: file.section(LINKS[0])?,
        backward: (!index.undirected()).then(|| file.section(LINKS[1])).transpose()?,
    };
    let wrong = || unusable(LINKS[0], "their number is wrong".into());
    LeafLinks::from_words(&index.regions, sections).ok_or_else(wrong)
}

/// Queries check positions against the length of the nodes.
fn read_hop_paths(
    file: &IndexFile,
    index: &GeneralIndex,
    exits: &Exits,
) -> Result<HopPaths, OpenError> {
    let numbered = first_pairs(&index.regions).and_then(|(first, pairs)| {
        let (first_edge, count) = first_edges(index, exits, pairs)?;
        Some((first, first_edge, count))
    });
    let (first, first_edge, count) = numbered.ok_or_else(|| {
        unusable(BORDERS, "leaves have too many border nodes for hop paths".into())
    })?;
    let starts: Words = file.section(HOP_PATH_STARTS)?;
    if starts.len() != count + 1 {
        let found = starts.len();
        return Err(unusable(
            HOP_PATH_STARTS,
            format!("{found} numbers where {} are expected", count + 1),
        ));
    }
    Ok(HopPaths { first: first.into(), first_edge, starts, nodes: file.section(HOP_PATHS)? })
}

/// Queries check run parts and continuations against the nodes.
fn read_leaf_paths(file: &IndexFile, index: &GeneralIndex) -> Result<LeafPaths, OpenError> {
    let leaf_paths = [file.section(LEAF_PATHS[0])?, file.section(LEAF_PATHS[1])?];
    let wrong = || unusable(LEAF_PATHS[0], "their number is wrong".into());
    let (first_node, nodes) = (file.section(LEAF_PATH_ROWS)?, file.section(LEAF_PATH_NODES)?);
    LeafPaths::from_words(index, first_node, leaf_paths, nodes).ok_or_else(wrong)
}

/// Queries check numbers, targets and spans.
fn read_shortcuts(file: &IndexFile, layout: &Layout) -> Result<Shortcuts, OpenError> {
    let mut numbers = sequences(file, false, NUMBERS)?;
    let shortcuts = Shortcuts {
        numbers: take(&mut numbers, layout.separator_entries())?,
        first: [file.section(SHORTCUT_ROWS[0])?, file.section(SHORTCUT_ROWS[1])?],
        shortcuts: [file.section(SHORTCUTS[0])?, file.section(SHORTCUTS[1])?],
        nodes: file.section(SHORTCUT_NODES)?,
    };
    finish(numbers)?;
    Ok(shortcuts)
}

fn read_first_borders(
    file: &IndexFile,
    index: &GeneralIndex,
    layout: &Layout,
) -> Result<FirstBorders, OpenError> {
    let mut first_borders = sequences(file, index.undirected(), FIRST_BORDERS)?;
    let read = take(&mut first_borders, layout.entries() - layout.separator_entries())?;
    finish(first_borders)?;
    let wrong = || unusable(FIRST_BORDERS[0], "their number is wrong".into());
    FirstBorders::from_arrays(layout, read).ok_or_else(wrong)
}

/// Checks that all exits lead to ranks, and that the nodes are in the borders of the leaves that
/// they cross.
fn check_exits(exits: &Exits, tree: &SeparatorTree, ranks: usize) -> Result<(), OpenError> {
    let (first, lists) = (&*exits.first, &*exits.lists);
    let ends = (first.first().copied(), first.last().map(|&end| end as usize));
    if first.len() != ranks + 1 || ends != (Some(0), Some(lists.len())) || !first.is_sorted() {
        let length = lists.len();
        return Err(unusable(
            EXIT_ROWS,
            format!("they do not divide {length} numbers among {ranks} nodes"),
        ));
    }
    for (rank, ends) in (0..).zip(first.windows(2)) {
        let list = &lists[ends[0] as usize..ends[1] as usize];
        let (edges, leaves) = exits.of(rank);
        let (leaves, rest) = leaves.as_chunks::<3>();
        let mut next = list.first().map_or(0, |&edges| u64::from(edges));
        let counted = !list.is_empty() && edges.len() as u64 == next && rest.is_empty();
        let lead_to_ranks = edges.is_sorted_by(|a, b| a < b)
            && edges.last().is_none_or(|&last| (last as usize) < ranks);
        let cross_leaves = leaves.iter().all(|&[base, leaf, at]| {
            let is_leaf = (leaf as usize) < tree.len() && tree.is_leaf(leaf);
            let border = if is_leaf { exits.border(leaf) } else { &[] };
            let follows = u64::from(base) == next;
            next += border.len() as u64;
            follows && border.get(at as usize) == Some(&rank)
        });
        if !(counted && lead_to_ranks && cross_leaves) {
            return Err(unusable(EXITS, format!("those of rank {rank} are invalid")));
        }
    }
    Ok(())
}
