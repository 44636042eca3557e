//! `gpu-hierarchical`: near-optimal paths over an abstract graph, for large maps and crowds.
//!
//! Follows HBDnA* of Inam, Cederman and Tsigas (*A\* Algorithm for Graphics Processors*, 3.4). The
//! map is cut into clusters of 20 x 20 cells, which meet at exits (`clusters.rs` says where). From
//! every cell of a cluster, the step toward each of its exits is stored, half a byte each; so are
//! the costs between the exits. A search visits only exits, and every part of its path is stored.
//!
//! One invocation answers a request (`search.wgsl`). It follows the stored paths from both ends to
//! the exits of their clusters, runs A* over exits, and writes the path leg by leg. If both ends
//! are in one cluster, the cells of that cluster take part in the search. An invocation that has
//! finished takes the next request of the round, so short searches do not wait for long ones.
//!
//! | buffer | contents |
//! |---|---|
//! | `stored` | clusters, exits, links, costs, steps and passable cells, see `graph.rs` |
//! | `table` | for each invocation, the nodes of its search: an open hash table |
//! | `heap` | for each invocation, its open list: a binary heap |
//!
//! Tables and heaps are small at first, so that many invocations run at the same time. Requests
//! whose search does not fit are answered again with larger ones, until all of the abstract graph
//! fits. These tiers take turns, so they divide the same two buffers. Ends in different components
//! are recognised by the components of their exits.
//!
//! llvmpipe 22 runs 65,535 iterations of loops per invocation and launch, then ends every loop
//! silently. So on software drivers an invocation answers one request, expands a few nodes per
//! launch, and resumes its search in the next; requests that remain are answered again with more
//! launches. At the end, every invocation checks whether loops still run. A path so long that they
//! do not ends in an error.
//!
//! A path is never better than the abstract graph allows: it crosses borders at exits. It is a
//! cheapest path among those. What is connected on the map is connected in the abstract graph.

mod clusters;
mod graph;
#[cfg(test)]
mod tests;
mod tiers;

use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, Zeroable};
use portolan::{Cost, Map, UNREACHABLE};
use wgpu::{Buffer, CommandEncoder};

use crate::batch::{GpuRound, PATH_ANSWER_WORDS, PathForm, Positions, Request, STATE_FULL};
use crate::device::{
    Gpu, HEADER_WORDS, Kernel, Launch, POOL_SOURCE, RoundShape, Rounds, Timing, batch_room,
    make_room,
};
use crate::engine::{GpuEngine, run_paths};
use crate::error::GpuError;
use crate::grid::{DeviceGrid, GRID_SOURCE};
use graph::{AbstractGraph, Sections};
use tiers::{MOST_REQUESTS, Memory, Tier};

const NAME: &str = "gpu-hierarchical";

/// The invocations of a workgroup in `search.wgsl`.
const WORKGROUP: u64 = 64;

/// The smallest and largest side of clusters. Paths within larger ones might overflow.
const SIZES: std::ops::RangeInclusive<u32> = 2..=64;

/// Settings of [`GpuHierarchical`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuHierarchicalConfig {
    /// The side of a cluster in cells, 2 to 64. Larger clusters have fewer exits in all, so
    /// searches are shorter, paths are longer, and more time and memory goes into steps toward
    /// exits.
    pub cluster_size: u32,
}

impl Default for GpuHierarchicalConfig {
    fn default() -> Self {
        Self { cluster_size: 20 }
    }
}

/// Near-optimal paths on grids, over clusters and their exits.
///
/// ```
/// use portolan::{Grid, Map};
/// use portolan_gpu::{Gpu, GpuEngine, GpuHierarchical, GpuHierarchicalConfig};
///
/// let map = Map::from(Grid::new(50, 50)?);
/// let engine = GpuHierarchical::build(&Gpu::new()?, &map, &GpuHierarchicalConfig::default())?;
/// let paths = engine.find_all(&[(0, 2_499)])?;
/// let path = paths.get(0).expect("one request")?.expect("open ground");
/// assert_eq!(map.walk(path.nodes().collect::<Vec<_>>()), Ok(path.cost()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuHierarchical {
    gpu: Gpu,
    map: Map,
    grid: DeviceGrid,
    sections: Sections,
    stored: Buffer,
    /// The most nodes and edges that a search can have.
    largest_search: [u64; 2],
    kernels: Kernels<Kernel>,
    is_software: bool,
    working: Mutex<Option<Working>>,
}

/// Kernels, or kernels with their buffers, for costs and for paths.
#[derive(Debug)]
struct Kernels<T> {
    costs: Steps<T>,
    paths: Steps<T>,
}

/// The kernel that begins searches, and the one that continues them on software drivers.
#[derive(Debug)]
struct Steps<T> {
    first: T,
    next: Option<T>,
}

/// The memory of batches, made for the first and again for larger ones.
#[derive(Debug)]
struct Working {
    /// The requests that batches may have.
    room: u64,
    /// By table size.
    tiers: Vec<Tier>,
    memory: Memory,
    /// Kernels by tier.
    rounds: Rounds<Vec<Kernels<Launch>>>,
}

/// The uniform `hierarchy` of `search.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Constants {
    sections: Sections,
    table_bits: u32,
    heap_size: u32,
    invocations: u32,
    requests: u32,
    expansions: u32,
    turns: u32,
}

impl GpuHierarchical {
    /// Cuts the map into clusters and finds the paths between their exits, on all cores.
    pub fn build(gpu: &Gpu, map: &Map, config: &GpuHierarchicalConfig) -> Result<Self, GpuError> {
        let unsupported = |reason: String| GpuError::Unsupported { method: NAME, reason };
        let size = config.cluster_size;
        let grid = map.as_grid().ok_or_else(|| {
            unsupported("clusters are squares of cells; use another method for graphs".to_owned())
        })?;
        if !SIZES.contains(&size) {
            let (least, most) = (SIZES.start(), SIZES.end());
            return Err(unsupported(format!(
                "clusters of {size} x {size} cells; choose {least} to {most}"
            )));
        }
        // First, because it finds out at once whether the map fits.
        let device_grid = DeviceGrid::new(gpu, grid)?;
        let AbstractGraph { sections, words, edges } = AbstractGraph::new(grid, size)?;
        let is_software = gpu.is_software();
        let kernel = |with_paths: bool, resumes: bool| {
            let constants = [("with_paths", with_paths), ("resumes", resumes)];
            let constants = constants.map(|(name, value)| (name, f64::from(u8::from(value))));
            let sources = [GRID_SOURCE, POOL_SOURCE, include_str!("search.wgsl")];
            Kernel::new(gpu, NAME, &sources, "answer_requests", &constants)
        };
        let steps = |with_paths: bool| {
            let next = is_software.then(|| kernel(with_paths, true)).transpose()?;
            Ok::<_, GpuError>(Steps { first: kernel(with_paths, false)?, next })
        };
        let shared_cells = u64::from(size * size);
        Ok(Self {
            grid: device_grid,
            stored: gpu.upload("the abstract graph", &words)?,
            largest_search: [
                u64::from(sections.exits) + shared_cells + 2,
                // Beside the edges of exits and cells: from both ends to their exits.
                edges + 8 * shared_cells + 2 * u64::from(sections.exits) + 2,
            ],
            sections,
            kernels: Kernels { costs: steps(false)?, paths: steps(true)? },
            is_software,
            working: Mutex::default(),
            gpu: gpu.clone(),
            map: map.clone(),
        })
    }

    fn run(
        &self,
        requests: &[Request],
        with_paths: bool,
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        let mut working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        let count = (requests.len() as u64).min(MOST_REQUESTS);
        let is_usable = |it: &Working| it.room >= count && !it.rounds.is_broken();
        // The old memory goes before there is new.
        let Working { tiers, memory, rounds, .. } = match working.take().filter(is_usable) {
            Some(usable) => working.insert(usable),
            None => {
                let room = batch_room(count);
                let made = make_room(room, |room| self.working(room))?;
                working.insert(Working { room, ..made })
            }
        };
        let mut timing = Timing::default();
        let mut without_state: Option<Vec<u32>> = None;
        for (number, tier) in tiers.iter().enumerate() {
            rounds.limit(tier.requests());
            let record =
                |bound: &Vec<Kernels<Launch>>, encoder: &mut CommandEncoder, count: u64| {
                    memory.begin(&self.gpu, encoder, (tier, count));
                    let Kernels { costs, paths } = &bound[number];
                    let Steps { first, next } = if with_paths { paths } else { costs };
                    let workgroups = count.min(tier.invocations).div_ceil(WORKGROUP);
                    first.record(&self.gpu, encoder, workgroups);
                    for next in (1..tier.launches).filter_map(|_| next.as_ref()) {
                        next.record(&self.gpu, encoder, workgroups);
                    }
                };
            let positions = without_state.as_deref().map_or(Positions::From(0), Positions::Listed);
            let (on, of) = ((&self.gpu, &mut *rounds), (&self.map, PathForm::Legs));
            let (more, full) = run_paths(on, of, (requests, positions), record, visit)?;
            timing = timing.plus(more);
            if full.is_empty() {
                break;
            }
            if tier.is_last {
                let reason = "a search takes more memory, or on a software driver more steps, \
                              than a storage binding allows; use larger clusters or another device";
                return Err(GpuError::Unsupported { method: NAME, reason: reason.to_owned() });
            }
            without_state = Some(full);
        }
        Ok(timing)
    }

    /// The memory for batches of so many requests.
    fn working(&self, room: u64) -> Result<Working, GpuError> {
        let gpu = &self.gpu;
        let tiers = Tier::all(gpu, self.largest_search, self.is_software, room);
        let memory = Memory::new(gpu, &tiers)?;
        let most = tiers.iter().map(|tier| tier.requests()).max().unwrap_or(1);
        let shape = self.shape(most.min(room));
        let rounds = Rounds::new(gpu, shape, |buffers| {
            let round = [(0, &buffers.requests), (1, &buffers.answers), (2, &buffers.pool)];
            tiers.iter().map(|tier| self.bind(tier, &memory, &round)).collect()
        })?;
        Ok(Working { room, tiers, memory, rounds })
    }

    fn bind(
        &self,
        tier: &Tier,
        memory: &Memory,
        round: &[(u32, &Buffer)],
    ) -> Result<Kernels<Launch>, GpuError> {
        let gpu = &self.gpu;
        let constants = Constants {
            sections: self.sections,
            table_bits: tier.table_bits,
            heap_size: tier.heap_size as u32,
            invocations: tier.invocations as u32,
            requests: tier.requests_each,
            expansions: tier.expansions,
            turns: 4,
        };
        let constants = gpu.uniform(NAME, &constants)?;
        let (table, heap) = memory.of(tier);
        let grid = self.grid.bindings();
        let hierarchy =
            [(0, &constants), (1, &self.stored), (2, table), (3, heap), (4, &memory.searched)];
        let groups = [&grid[..], &hierarchy[..], round];
        let bind = |steps: &Steps<Kernel>| {
            let next = steps.next.as_ref().map(|next| next.bind(gpu, &groups)).transpose()?;
            Ok::<_, GpuError>(Steps { first: steps.first.bind(gpu, &groups)?, next })
        };
        let Kernels { costs, paths } = &self.kernels;
        Ok(Kernels { costs: bind(costs)?, paths: bind(paths)? })
    }

    /// Rounds of at most so many requests, with room for the longest path.
    fn shape(&self, most: u64) -> RoundShape {
        let (width, height) =
            self.map.as_grid().map_or((0, 0), |grid| (grid.width(), grid.height()));
        let path_words = 16 + u64::from(width + height) / 4;
        // Doubles what `fit` counts for transfers, because searches take the other half.
        let state_bytes = 24 * (5 + path_words);
        let mut shape =
            RoundShape::fit(&self.gpu, [PATH_ANSWER_WORDS, path_words], state_bytes, most);
        // Paths do not visit a cell twice.
        let longest = (u64::from(width) * u64::from(height)).div_ceil(2);
        let by_binding = self.gpu.max_binding() / 4 - HEADER_WORDS;
        shape.pool_words = shape.pool_words.max(longest).min(by_binding);
        shape
    }
}

impl GpuEngine for GpuHierarchical {
    fn name(&self) -> &'static str {
        NAME
    }

    fn exact(&self) -> bool {
        false
    }

    fn map(&self) -> &Map {
        &self.map
    }

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn memory_bytes(&self) -> u64 {
        self.grid.memory_bytes() + self.stored.size()
    }

    fn form_name(&self) -> Option<String> {
        Some(format!("clusters of {}", self.sections.size))
    }

    fn distances_into(
        &self,
        requests: &[Request],
        costs: &mut Vec<Cost>,
    ) -> Result<Timing, GpuError> {
        costs.clear();
        costs.resize(requests.len(), UNREACHABLE);
        self.run(requests, false, &mut |round| {
            for (index, answer) in round.answers.iter().enumerate() {
                if answer[1] < STATE_FULL {
                    costs[round.positions.at(index)] = answer[0];
                }
            }
        })
    }

    fn visit_paths(
        &self,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        self.run(requests, true, visit)
    }
}
