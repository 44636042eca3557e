//! Hub labels of subgoals: for grids of one terrain, far less memory than labels
//! for every cell.
//!
//! Shortest paths bend only at subgoals, the corners of obstacles (`SubgoalGraph` has the theory).
//! Only they have rows, and their hops are edges of their graph. `tables.rs` lists the subgoals
//! that each cell sees, and how far runs from it reach. `distance.wgsl` says what a request reads;
//! `labels.wgsl` joins the rows of both ends, and `path.wgsl` follows the hops.

mod tables;

use std::sync::{Mutex, PoisonError};

use portolan::atlas::{AtlasConfig, SubgoalGraph};
use portolan::cost::{DIAGONAL, STRAIGHT};
use portolan::{Connectivity, Cost, CsrGraph, Grid, Map, Progress};
use wgpu::{Buffer, CommandEncoder};

use self::tables::Tables;
use super::labels::{GROUP, Hops, Labels, Layout, RECORD_WORDS};
use super::{ALONE, AllRounds, GpuAtlasConfig, MOST_LANES, NAME, SEGMENTS, TURNS, ready, segments};
use crate::batch::{GpuRound, MOST_STEPS, PATH_ANSWER_WORDS, PathForm, Positions, Request};
use crate::device::{Gpu, Kernel, Launch, RoundBuffers, RoundShape, Rounds, Timing};
use crate::engine::{run_distances, run_paths};
use crate::error::GpuError;

/// The bit of a hop whose edge starts with the steps of the second kind.
const SECOND_FIRST: u32 = 1 << 31;

/// The bytes of an entry of a row: a cost and a hop.
const ENTRY_BYTES: u64 = 8;

/// The uniform form.
#[derive(Debug)]
pub(super) struct Uniform {
    pub(super) gpu: Gpu,
    pub(super) map: Map,
    buffers: Buffers,
    /// Constants of all kernels.
    constants: Vec<(&'static str, f64)>,
    lanes: u32,
    /// The legs of a usual path, and more than any path has.
    usual_legs: u64,
    most_legs: u64,
    /// The same of cells.
    usual_cells: u64,
    most_cells: u64,
    rounds: Mutex<AllRounds>,
}

/// What lies on the device.
#[derive(Debug)]
struct Buffers {
    records: Buffer,
    tables: Buffer,
    clearances: Buffer,
    costs: [Buffer; SEGMENTS],
    hops: [Buffer; SEGMENTS],
    bytes: u64,
}

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

impl Uniform {
    pub(super) fn build(
        gpu: &Gpu,
        map: &Map,
        config: &GpuAtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, GpuError> {
        let grid = supported(map)?;
        let GpuAtlasConfig { memory_limit, leaf_size, partitioner, .. } = config.clone();
        let cuts =
            AtlasConfig { leaf_size: Some(leaf_size), partitioner, ..AtlasConfig::default() };
        let subgoals = SubgoalGraph::of_map(map, &cuts, progress)?;
        let graph = graph_of(&subgoals)?;
        let segment_bits = segment_bits_of(gpu);
        let layout = Layout::new(&graph, subgoals.separators(), 1 << segment_bits);
        let tables = Tables::new(grid, &subgoals, &layout.ends)?;
        let label_bytes = layout.groups * GROUP * ENTRY_BYTES;
        let words = RECORD_WORDS * layout.records.len() + tables.words.len();
        let needed = label_bytes + 4 * words as u64 + 8 * map.node_count() as u64;
        if needed > memory_limit {
            let what = "the uniform form of the map";
            return Err(GpuError::TooLarge { what, needed, available: memory_limit });
        }
        let available = (SEGMENTS as u64 * GROUP * ENTRY_BYTES) << segment_bits;
        if label_bytes > available {
            let what = "the labels of subgoals";
            return Err(GpuError::TooLarge { what, needed: label_bytes, available });
        }
        let labels = layout.fill(&graph, progress)?;
        let constants = vec![
            ("WIDTH", f64::from(grid.width())),
            ("HEIGHT", f64::from(grid.height())),
            ("IS_LEVEL", f64::from(u8::from(is_level(grid)))),
            ("STRAIGHT", f64::from(STRAIGHT)),
            ("BOTH_EXTRA", f64::from(if is_level(grid) { STRAIGHT } else { DIAGONAL - STRAIGHT })),
            ("SEGMENT_BITS", f64::from(segment_bits)),
            ("SEGMENTS", layout.groups.div_ceil(1 << segment_bits).max(1) as f64),
            ("DIRECTORY", f64::from(tables.directory)),
            ("TILES_ACROSS", f64::from(tables::tiles_across(grid))),
        ];
        // An edge has two legs, and longer ones than an answer can tell are cut.
        let pieces = u64::from(1 + grid.width().max(grid.height()) / MOST_STEPS);
        Ok(Self {
            gpu: gpu.clone(),
            map: map.clone(),
            lanes: match gpu.has_subgroups() {
                true => gpu.subgroup_size().clamp(1, MOST_LANES),
                false => 1,
            },
            usual_legs: (4.0 * labels.mean_hops) as u64 + 8,
            most_legs: (4 * u64::from(labels.most_hops) + 4) * pieces,
            usual_cells: u64::from(grid.width() + grid.height()),
            // Two entries, and the runs at both ends.
            most_cells: (2 * u64::from(labels.greatest / STRAIGHT)
                + 2 * u64::from(grid.width() + grid.height()))
            .min(grid.passable_count() as u64),
            rounds: Mutex::default(),
            buffers: Buffers::upload(gpu, grid, &subgoals, (layout, labels), &tables)?,
            constants,
        })
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.buffers.bytes
    }

    pub(super) fn distances_into(
        &self,
        requests: &[Request],
        costs: &mut Vec<Cost>,
    ) -> Result<Timing, GpuError> {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let rounds = ready(&mut rounds.distances, || self.distance_rounds())?;
        let record = |distance: &Launch, encoder: &mut CommandEncoder, count| {
            self.record_distances(distance, encoder, count);
        };
        run_distances((&self.gpu, rounds), requests, record, costs)
    }

    pub(super) fn visit_paths_as(
        &self,
        form: PathForm,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let rounds = ready(&mut rounds.paths[form as usize], || self.path_rounds(form))?;
        let record = |[distance, path]: &[Launch; 2], encoder: &mut CommandEncoder, count| {
            self.record_distances(distance, encoder, count);
            path.record(&self.gpu, encoder, count.div_ceil(ALONE));
        };
        let batch = (requests, Positions::From(0));
        let (timing, _) = run_paths((&self.gpu, rounds), (&self.map, form), batch, record, visit)?;
        Ok(timing)
    }

    fn distance_rounds(&self) -> Result<Rounds<Launch>, GpuError> {
        let shape = RoundShape::fit(&self.gpu, [1, 0], 0, u64::MAX);
        let kernel = self.distance_kernel(1)?;
        Rounds::new(&self.gpu, shape, |buffers| self.bind_distances(&kernel, buffers))
    }

    fn path_rounds(&self, form: PathForm) -> Result<Rounds<[Launch; 2]>, GpuError> {
        let (usual, most) = match form {
            PathForm::Legs => (self.usual_legs / 2, self.most_legs),
            PathForm::Nodes => (self.usual_cells, self.most_cells),
        };
        // Both walks take a turn per leg, the second also one per cell that it writes.
        let cells = if form == PathForm::Nodes { self.most_cells } else { 0 };
        if 2 * self.most_legs + cells > self.gpu.most_turns() {
            let reason = "its paths may have more steps than a kernel of a software driver can \
                          take; use a GPU, or ask for distances";
            return Err(GpuError::Unsupported { method: NAME, reason: reason.to_owned() });
        }
        // The words in use are counted in 32 bits, also those that the pool has no room for.
        let most = (1 << 31) / most.max(1);
        let shape = RoundShape::fit(&self.gpu, [PATH_ANSWER_WORDS, usual], 0, most);
        let distance = self.distance_kernel(PATH_ANSWER_WORDS)?;
        let path = self.path_kernel(form, shape)?;
        let Buffers { records, tables, hops: [a, b, c], .. } = &self.buffers;
        let group = [(0, records), (1, tables), (2, a), (3, b), (4, c)];
        Rounds::new(&self.gpu, shape, |buffers| {
            let RoundBuffers { requests, answers, pool } = buffers;
            let round = [(0, requests), (1, answers), (2, pool)];
            let path = path.bind(&self.gpu, &[&group, &round])?;
            Ok([self.bind_distances(&distance, buffers)?, path])
        })
    }

    fn distance_kernel(&self, answer_words: u64) -> Result<Kernel, GpuError> {
        let rest = match self.lanes {
            1 => include_str!("distance_alone.wgsl"),
            _ => include_str!("distance_subgroup.wgsl"),
        };
        let sources = [
            include_str!("view.wgsl"),
            include_str!("sight.wgsl"),
            include_str!("subgoals.wgsl"),
            include_str!("labels.wgsl"),
            include_str!("distance.wgsl"),
            rest,
        ];
        let mut constants = self.constants.clone();
        constants.push(("LANES", f64::from(self.lanes)));
        constants.push(("ANSWER_WORDS", answer_words as f64));
        Kernel::new(&self.gpu, "distance", &sources, "distance", &constants)
    }

    fn path_kernel(&self, form: PathForm, shape: RoundShape) -> Result<Kernel, GpuError> {
        let sources =
            [include_str!("view.wgsl"), include_str!("subgoals.wgsl"), include_str!("path.wgsl")];
        let mut constants = self.constants.clone();
        constants.push(("POOL_WORDS", shape.pool_words as f64));
        constants.push(("WRITES_NODES", f64::from(form as u8)));
        Kernel::new(&self.gpu, "paths", &sources, "path", &constants)
    }

    fn bind_distances(&self, kernel: &Kernel, buffers: &RoundBuffers) -> Result<Launch, GpuError> {
        let Buffers { records, tables, clearances, costs: [a, b, c], .. } = &self.buffers;
        let group = [(0, records), (1, tables), (2, a), (3, b), (4, c), (5, clearances)];
        let round = [(0, &buffers.requests), (1, &buffers.answers)];
        kernel.bind(&self.gpu, &[&group, &round])
    }

    fn record_distances(&self, distance: &Launch, encoder: &mut CommandEncoder, count: u64) {
        let per_group = match self.lanes {
            1 => ALONE,
            lanes => TURNS * 128 / u64::from(lanes),
        };
        distance.record(&self.gpu, encoder, count.div_ceil(per_group));
    }
}

impl Buffers {
    fn upload(
        gpu: &Gpu,
        grid: &Grid,
        subgoals: &SubgoalGraph,
        (layout, labels): (Layout, Labels),
        tables: &Tables,
    ) -> Result<Self, GpuError> {
        let hops = marked_hops(subgoals, &layout, labels.hops);
        let records = records(grid, subgoals, &layout);
        let clearances = tables::clearances(grid);
        let segment = (GROUP << segment_bits_of(gpu)) as usize;
        Ok(Self {
            bytes: 4 * (records.len() + tables.words.len()) as u64
                + 8 * clearances.len() as u64
                + ENTRY_BYTES * hops.len() as u64,
            records: gpu.upload("records of subgoals", &records)?,
            tables: gpu.upload("subgoals of cells", &tables.words)?,
            clearances: gpu.upload("lines of sight", clearances.as_flattened())?,
            costs: segments(gpu, "labels", &labels.costs, segment)?,
            hops: segments(gpu, "hops", &hops, segment)?,
        })
    }
}

/// The groups of entries in one buffer, as a power of two.
fn segment_bits_of(gpu: &Gpu) -> u32 {
    (gpu.max_binding() / (4 * GROUP)).max(1).ilog2().min(28)
}

fn is_level(grid: &Grid) -> bool {
    grid.connectivity() == Connectivity::Four
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
