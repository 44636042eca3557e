//! The abstract graph: exits, links and the stored paths of clusters, as words for the device.
//!
//! | section | words |
//! |---|---|
//! | clusters | first exit, first cost, first word of headings; one entry more than clusters |
//! | exits | cell, first link, component; one entry more than exits |
//! | links | the exit of another cluster one step away |
//! | costs | per cluster: from each exit to each, within the cluster |
//! | headings | per cluster, exit and cell: 4 bits, the step toward the exit |
//! | passable | a bit per cell |

use bytemuck::{Pod, Zeroable};
use portolan::{Grid, Map, NodeId};
use rayon::prelude::*;

use super::clusters::{ClusterPaths, Link, Tiling, paths};
use crate::error::{GpuError, GpuLimit};

/// Headings per word.
const HEADINGS_PER_WORD: usize = 8;

/// Where the sections begin: the first words of the uniform `hierarchy` in `search.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Sections {
    pub(super) size: u32,
    columns: u32,
    pub(super) exits: u32,
    exits_at: u32,
    links_at: u32,
    costs_at: u32,
    headings_at: u32,
    passable_at: u32,
}

/// The abstract graph of a grid.
#[derive(Debug)]
pub(super) struct AbstractGraph {
    pub(super) sections: Sections,
    pub(super) words: Vec<u32>,
    /// The number of edges between exits.
    pub(super) edges: u64,
}

impl AbstractGraph {
    pub(super) fn new(grid: &Grid, size: u32) -> Result<Self, GpuError> {
        let tiling = Tiling::new(grid, size);
        let links = tiling.links(grid);
        let (exits, first_links) = exits(&links);
        let cells: Vec<NodeId> = exits.iter().map(|&(_, cell)| cell).collect();
        let first_exits: Vec<usize> = (0..=tiling.len())
            .map(|cluster| exits.partition_point(|&(of, _)| of < cluster))
            .collect();
        let clusters: Vec<ClusterPaths> = (0..tiling.len())
            .into_par_iter()
            .map(|cluster| {
                let exits = first_exits[cluster as usize]..first_exits[cluster as usize + 1];
                paths(grid, tiling.rect(cluster), &cells[exits])
            })
            .collect();

        let mut words = Vec::new();
        let (mut first_cost, mut first_heading) = (0, 0);
        for (cluster, &first_exit) in first_exits.iter().enumerate() {
            words.extend([first_exit, first_cost, first_heading].map(|first| first as u32));
            if let Some(paths) = clusters.get(cluster) {
                first_cost += paths.costs.len();
                first_heading += paths.headings.len().div_ceil(HEADINGS_PER_WORD);
            }
        }
        let exits_at = words.len();
        for (&cell, &first_link) in cells.iter().zip(&first_links) {
            let component = grid.position(cell).and_then(|(x, y)| grid.component(x, y));
            words.extend([cell, first_link, component.unwrap_or(cell)]);
        }
        words.extend([0, links.len() as u32, 0]);
        let links_at = words.len();
        // Links are symmetric, so every head is an exit.
        let exit_of = |link: &Link| exits.binary_search(&(tiling.cluster_of(link.head), link.head));
        words.extend(links.iter().map(|link| exit_of(link).unwrap_or_else(|next| next) as u32));
        let costs_at = words.len();
        clusters.iter().for_each(|paths| words.extend(&paths.costs));
        let headings_at = words.len();
        for paths in &clusters {
            words.extend(paths.headings.chunks(HEADINGS_PER_WORD).map(|headings| {
                let shifted = headings.iter().zip((0..).step_by(4));
                shifted.fold(0, |word, (&heading, shift)| word | u32::from(heading) << shift)
            }));
        }
        let passable_at = words.len();
        let map = Map::from(grid.clone());
        let nodes = map.node_count() as NodeId;
        words.par_extend((0..nodes.div_ceil(32)).into_par_iter().map(|word| {
            let bit = |bit: u32| u32::from(map.contains(word * 32 + bit)) << bit;
            (0..32).fold(0, |all, at| all | bit(at))
        }));

        // Nodes of searches are exits, then cells.
        let numbers = (words.len() as u64).max(exits.len() as u64 + u64::from(nodes));
        if numbers > u64::from(u32::MAX) {
            let (needed, available) = (4 * numbers, 4 * u64::from(u32::MAX));
            let (what, limit) = ("the abstract graph", GpuLimit::Kernels);
            return Err(GpuError::TooLarge { what, needed, available, limit });
        }
        let [exits_at, links_at, costs_at, headings_at, passable_at] =
            [exits_at, links_at, costs_at, headings_at, passable_at].map(|at| at as u32);
        let sections = Sections {
            size,
            columns: tiling.columns,
            exits: exits.len() as u32,
            exits_at,
            links_at,
            costs_at,
            headings_at,
            passable_at,
        };
        Ok(Self { sections, words, edges: (first_cost + links.len()) as u64 })
    }
}

/// The exits with their clusters, and where the links of each begin.
fn exits(links: &[Link]) -> (Vec<(u32, NodeId)>, Vec<u32>) {
    let mut exits = Vec::new();
    let mut first_links = Vec::new();
    for (link, at) in links.iter().zip(0..) {
        if exits.last() != Some(&(link.cluster, link.exit)) {
            exits.push((link.cluster, link.exit));
            first_links.push(at);
        }
    }
    (exits, first_links)
}
