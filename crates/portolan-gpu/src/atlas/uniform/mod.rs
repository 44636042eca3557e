//! Hub labels of subgoals: for grids of one terrain, far less memory than labels
//! for every cell.
//!
//! Shortest paths bend only at subgoals, the corners of obstacles (`SubgoalGraph` has the theory).
//! Only they have rows, and their hops are edges of their graph. `tables.rs` lists the subgoals
//! that each cell sees, and how far runs from it reach. `distance.wgsl` says what a request reads;
//! `labels.wgsl` joins the rows of both ends, and `path.wgsl` follows the hops.

mod tables;
mod turns;

use portolan::atlas::SubgoalGraph;
use portolan::cost::{DIAGONAL, STRAIGHT};
use portolan::{Connectivity, CsrGraph, Grid, Map, Progress};

use self::tables::Tables;
use super::form::{Form, PathSize, Program, check_turns};
use super::labels::{GROUP, Hops, Labels, Layout, RECORD_WORDS};
use super::{
    GpuAtlasConfig, GpuAtlasForm, NAME, SEGMENTS, check_size, lanes, segment_bits, segments,
};
use crate::batch::MOST_STEPS;
use crate::device::Gpu;
use crate::error::{GpuError, GpuLimit};

/// The bit of a hop whose edge starts with the steps of the second kind.
const SECOND_FIRST: u32 = 1 << 31;

/// The bytes of an entry of a row: a cost and a hop.
const ENTRY_BYTES: u64 = 8;

/// The grid, if it can have this form.
pub(super) fn supported(map: &Map) -> Result<&Grid, GpuError> {
    let reason = match map.as_grid() {
        None => "the map is a graph",
        Some(grid) if grid.has_terrain() => "it has terrain costs",
        Some(grid) if grid.connectivity() == Connectivity::Hex => "its cells are hexagons",
        Some(grid) if grid.width().max(grid.height()) > u32::from(u16::MAX) => {
            "it has more than 65,535 columns or rows"
        }
        Some(grid) => return Ok(grid),
    };
    let reason = format!("the uniform form does not work because {reason}; use the general form");
    Err(GpuError::Unsupported { method: NAME, reason })
}

/// Prepares a map on the host and uploads its tables.
pub(super) fn build(
    gpu: &Gpu,
    map: &Map,
    config: &GpuAtlasConfig,
    progress: &dyn Progress,
) -> Result<Form, GpuError> {
    let grid = supported(map)?;
    let subgoals = SubgoalGraph::of_map(map, &config.cuts(), progress)?;
    let graph = graph_of(&subgoals)?;
    let segment_bits = segment_bits(gpu);
    let layout = Layout::new(&graph, subgoals.separators(), 1 << segment_bits);
    let tables = Tables::new(grid, &subgoals, &layout.ends)?;
    let label_bytes = layout.groups * GROUP * ENTRY_BYTES;
    let words = RECORD_WORDS * layout.records.len() + tables.words.len();
    let bytes = label_bytes + 4 * words as u64 + 8 * map.node_count() as u64;
    let in_segments = (SEGMENTS as u64 * GROUP * ENTRY_BYTES) << segment_bits;
    check_size("labels of subgoals", (label_bytes, in_segments), gpu.binding_limit())?;
    check_size("the uniform form of the map", (bytes, config.memory_limit), GpuLimit::Memory)?;
    if gpu.is_software() {
        let turns = turns::most_turns(grid, &layout, &tables, lanes(gpu));
        check_turns(gpu, turns, "the general form")?;
    }
    let labels = layout.fill(&graph, progress)?;
    let paths = path_sizes(grid, &labels);

    let segment = (GROUP << segment_bits) as usize;
    let hops = marked_hops(&subgoals, &layout, labels.hops);
    let records = gpu.upload("records of subgoals", &records(grid, &subgoals, &layout))?;
    let words = gpu.upload("subgoals of cells", &tables.words)?;
    let clearances = gpu.upload("lines of sight", tables::clearances(grid).as_flattened())?;
    let costs = segments(gpu, "labels", &labels.costs, segment)?;
    let hops = segments(gpu, "hops", &hops, segment)?;
    let is_level = grid.connectivity() == Connectivity::Four;
    let both_extra = if is_level { STRAIGHT } else { DIAGONAL - STRAIGHT };
    let shared = [
        ("WIDTH", f64::from(grid.width())),
        ("IS_LEVEL", f64::from(u8::from(is_level))),
        ("STRAIGHT", f64::from(STRAIGHT)),
        ("BOTH_EXTRA", f64::from(both_extra)),
        ("DIRECTORY", f64::from(tables.directory)),
        ("TILES_ACROSS", f64::from(tables::tiles_across(grid))),
    ];
    let bits = f64::from(segment_bits);
    let used_segments = layout.groups.div_ceil(1 << segment_bits).max(1);
    let of_rows = [
        ("HEIGHT", f64::from(grid.height())),
        ("SEGMENT_BITS", bits),
        ("SEGMENTS", used_segments as f64),
    ];
    // A hop is a word, and four are a group.
    let of_hops = [("HOP_SEGMENT_BITS", bits + 2.0)];
    let [cells, view, subgoals] =
        [include_str!("../cells.wgsl"), include_str!("view.wgsl"), include_str!("subgoals.wgsl")];
    Ok(Form {
        kind: GpuAtlasForm::Uniform,
        bytes,
        lanes: lanes(gpu),
        paths,
        path: Program {
            sources: vec![
                cells,
                view,
                subgoals,
                include_str!("path.wgsl"),
                include_str!("../legs.wgsl"),
            ],
            constants: [&shared[..], &of_hops].concat(),
            buffers: [vec![(0, records.clone()), (1, words.clone())], hops].concat(),
        },
        distance: Program {
            sources: vec![
                cells,
                view,
                subgoals,
                include_str!("sight.wgsl"),
                include_str!("labels.wgsl"),
                include_str!("distance.wgsl"),
            ],
            constants: [&shared[..], &of_rows].concat(),
            buffers: [vec![(0, records), (1, words), (5, clearances)], costs].concat(),
        },
    })
}

/// The sizes of legs, and of cells.
fn path_sizes(grid: &Grid, labels: &Labels) -> [PathSize; 2] {
    let across = u64::from(grid.width() + grid.height());
    // An edge has two legs, and longer ones than an answer can tell are cut.
    let pieces = u64::from(1 + grid.width().max(grid.height()) / MOST_STEPS);
    let usual_legs = (4.0 * labels.mean_hops) as u64 + 8;
    let most_legs = (4 * u64::from(labels.most_hops) + 4) * pieces;
    // Two entries, and the runs at both ends.
    let most_cells = 2 * u64::from(labels.greatest / STRAIGHT) + 2 * across;
    let most_cells = most_cells.min(grid.passable_count() as u64);
    // Both walks take a turn per leg and one per edge, the second also one per cell that it writes.
    let turns = 3 * most_legs;
    [
        PathSize { usual: usual_legs / 2, most: most_legs, turns },
        PathSize { usual: across, most: most_cells, turns: turns + most_cells },
    ]
}

/// The graph of the subgoals as a map.
fn graph_of(subgoals: &SubgoalGraph) -> Result<Map, GpuError> {
    let count = subgoals.cells().len();
    let edges_of = |tail| subgoals.edges(tail).map(move |edge| (tail, edge.head, edge.cost));
    let edges = (0..count as u32).flat_map(edges_of);
    match CsrGraph::from_edges(count, edges) {
        Ok(graph) => Ok(graph.into()),
        Err(error) => Err(GpuError::Unsupported { method: NAME, reason: error.to_string() }),
    }
}

/// The records of `subgoals.wgsl`.
fn records(grid: &Grid, subgoals: &SubgoalGraph, layout: &Layout) -> Vec<u32> {
    let record =
        |(&[row, _, entries, depth, high, low, first_end, _], &cell): (&[u32; RECORD_WORDS], _)| {
            let (x, y) = grid.position(cell).unwrap_or_default();
            [row, entries, x | y << 16, depth, high, low, first_end, 0]
        };
    layout.records.iter().zip(subgoals.cells()).flat_map(record).collect()
}

/// The hops with [`SECOND_FIRST`].
fn marked_hops(subgoals: &SubgoalGraph, layout: &Layout, hops: Hops) -> Vec<u32> {
    let Hops::Nodes(mut hops) = hops else { return Vec::new() };
    let mut second_first = Vec::new();
    for (subgoal, record) in (0..).zip(&layout.records) {
        second_first.clear();
        let edges = subgoals.edges(subgoal).filter(|edge| edge.second_first);
        second_first.extend(edges.map(|edge| edge.head));
        let start = record[0] as usize * GROUP as usize;
        for hop in &mut hops[start..start + record[2] as usize] {
            if second_first.binary_search(hop).is_ok() {
                *hop |= SECOND_FIRST;
            }
        }
    }
    hops
}

#[cfg(test)]
mod tests;
