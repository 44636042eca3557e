//! Batches of an engine that searches: rounds, and passes for requests that need more memory.
//!
//! The host answers requests between components by itself: it hands [`NOTHING`] to the device
//! instead, which would otherwise search the whole component of the goal. It also sorts the rest,
//! the longest first, so that no agent starts a long search when all others are nearly done.

use std::slice;
use std::sync::{Mutex, MutexGuard};

use portolan::{Cell, Cost, Grid, Map, NodeId, UNREACHABLE};
use rayon::prelude::*;
use wgpu::{Buffer, BufferUsages, CommandEncoder, DeviceType};

use super::layout::{self, Layout, Pass};
use crate::batch::{GpuRound, PATH_ANSWER_WORDS, PathForm, Positions, Request, STATE_FULL};
use crate::device::{
    Binding, Gpu, HEADER_WORDS, Kernel, Launch, POOL_SOURCE, RoundBuffers, RoundShape, Rounds,
    Timing, batch_room, make_room,
};
use crate::engine::run_paths;
use crate::error::GpuError;
use crate::grid::{DeviceGrid, GRID_SOURCE};

/// What the device gets instead of a request without a path.
const NOTHING: Request = (NodeId::MAX, NodeId::MAX);

/// The words of an answer without a path: cost, and whether memory sufficed.
const COST_ANSWER_WORDS: u64 = 2;

/// The most requests of a round.
const ROUND_REQUESTS: u64 = 1 << 18;

/// The most requests of a round for each agent.
const AGENT_REQUESTS: u64 = 16;

/// The most actions of an agent in one run of a kernel: a fraction of a second.
const ACTIONS: u64 = 1 << 14;

/// The same on software drivers: Mesa's llvmpipe ends all loops of an invocation when they have
/// made 65,535 turns together.
const SOFTWARE_ACTIONS: u64 = 128;

/// A kernel that searches, and how it is run.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) sources: &'static [&'static str],
    /// Agents of a workgroup.
    pub(super) group_agents: u64,
    /// Open cells that take a quad of memory.
    pub(super) quad_entries: u64,
    /// Whether it binds a buffer of tables.
    pub(super) has_tables: bool,
}

/// A kernel that searches on a map, and the memory of its batches.
#[derive(Debug)]
pub(super) struct Batches {
    gpu: Gpu,
    map: Map,
    grid: DeviceGrid,
    program: Program,
    /// What the kernel binds beside the memory of searches.
    tables: Option<Buffer>,
    /// Cells that are not blocked.
    usable: u64,
    /// The most actions of an agent in one run of the kernel.
    pub(super) actions: u64,
    /// The banks into which the memory is divided.
    pub(super) banks: u64,
    reset: Kernel,
    kernel: Kernel,
    working: Mutex<Option<Working>>,
}

/// The memory of batches, made for the first and again for much larger ones.
struct Working {
    /// The size of the batches that it is for.
    most: u64,
    layout: Layout,
    /// The buffers of all banks.
    pages: Vec<Buffer>,
    agents: Vec<Buffer>,
    for_costs: Option<Rounds<Vec<Runs>>>,
    for_paths: Option<Rounds<Vec<Runs>>>,
}

/// The kernels of a pass, bound to the buffers of a round.
#[derive(Debug)]
struct Runs {
    reset: Launch,
    search: Launch,
    pass: Pass,
}

/// On software drivers, the most open cells of a map for each turn that the loops of a kernel may
/// make. A leg has two cells at least, and most have more.
const MOST_ON_SOFTWARE: u64 = 4;

impl Batches {
    pub(super) fn build(gpu: &Gpu, map: &Map, program: Program) -> Result<Self, GpuError> {
        let actions = match gpu.device().adapter_info().device_type {
            DeviceType::Cpu => SOFTWARE_ACTIONS,
            _ => ACTIONS,
        };
        let grid = map.as_grid().ok_or_else(|| GpuError::Unsupported {
            method: program.name,
            reason: "it searches on grids only; use an index of hub labels for graphs".to_owned(),
        })?;
        let cells = map.node_count() as u64;
        if cells > MOST_CELLS {
            let reason = format!(
                "it has {cells} cells, and kernels can number {MOST_CELLS}; use a smaller map, or \
                 an engine of the CPU"
            );
            return Err(GpuError::Unsupported { method: program.name, reason });
        }
        // Directories are cleared and paths copied in loops of their own.
        if map.usable_count() as u64 > MOST_ON_SOFTWARE.saturating_mul(gpu.most_turns()) {
            let reason = "kernels of a software driver end their loops too early for so large a \
                          map; use a GPU, or gpu-atlas";
            return Err(GpuError::Unsupported { method: program.name, reason: reason.to_owned() });
        }
        let banks = layout::banks(gpu, grid, program.quad_entries, budget(gpu));
        let source = source(&program, banks);
        let compile = |entry| {
            let array = Binding::Write(banks as u32);
            let search = [
                Binding::Uniform,
                Binding::Read,
                Binding::Write(1),
                Binding::Write(1),
                Binding::Read,
            ];
            let search = &search[..if program.has_tables { 5 } else { 4 }];
            let grid = [Binding::Uniform, Binding::Read, Binding::Read];
            let groups = [&grid[..], search, &[array, array]];
            Kernel::with_bindings(
                gpu,
                program.name,
                &[GRID_SOURCE, POOL_SOURCE, &source],
                entry,
                &groups,
            )
        };
        Ok(Self {
            gpu: gpu.clone(),
            map: map.clone(),
            grid: DeviceGrid::new(gpu, grid)?,
            tables: None,
            usable: map.usable_count() as u64,
            actions,
            banks,
            reset: compile("reset")?,
            kernel: compile("search_paths")?,
            working: Mutex::new(None),
            program,
        })
    }

    /// Binds a buffer beside the memory of searches.
    pub(super) fn with_tables(self, tables: Buffer) -> Self {
        Self { tables: Some(tables), ..self }
    }

    pub(super) fn name(&self) -> &'static str {
        self.program.name
    }

    pub(super) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(super) fn map(&self) -> &Map {
        &self.map
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.grid.memory_bytes() + self.tables.as_ref().map_or(0, Buffer::size)
    }

    /// See [`GpuEngine::distances_into`](crate::GpuEngine::distances_into).
    pub(super) fn distances_into(
        &self,
        requests: &[Request],
        costs: &mut Vec<Cost>,
    ) -> Result<Timing, GpuError> {
        let count = requests.len();
        let (requests, order) = self.connected_by_length(requests);
        let mut working = self.lock();
        let working = self.working(&mut working, count)?;
        let mut rounds = match working.for_costs.take() {
            Some(rounds) => rounds,
            None => self.rounds(working, [COST_ANSWER_WORDS, 0])?,
        };
        costs.clear();
        costs.resize(count, UNREACHABLE);
        let timing = self.passes(&working.layout, order, |pass, positions| {
            let mut without_state = Vec::new();
            let batch = (&requests[..], Positions::Listed(positions));
            let timing = rounds.run(
                &self.gpu,
                batch,
                u64::MAX,
                |runs: &Vec<Runs>, encoder, count| self.record(&runs[pass], encoder, count),
                &mut |range, words, _| {
                    let (answers, _) = words.as_chunks::<2>();
                    for (&position, &[cost, status]) in positions[range].iter().zip(answers) {
                        match status {
                            STATE_FULL => without_state.push(position),
                            _ => costs[position as usize] = cost,
                        }
                    }
                },
            )?;
            Ok((timing, without_state))
        });
        working.for_costs = Some(rounds);
        timing
    }

    /// See [`GpuEngine::visit_paths`](crate::GpuEngine::visit_paths).
    pub(super) fn visit_paths(
        &self,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        let (connected, order) = self.connected_by_length(requests);
        let mut working = self.lock();
        let working = self.working(&mut working, requests.len())?;
        let mut rounds = match working.for_paths.take() {
            Some(rounds) => rounds,
            None => {
                // Most paths have far fewer legs.
                let grid = self.grid();
                let words = u64::from(grid.width() + grid.height()) / 8 + 16;
                self.rounds(working, [PATH_ANSWER_WORDS, words])?
            }
        };
        let timing = self.passes(&working.layout, order, |pass, positions| {
            run_paths(
                (&self.gpu, &mut rounds),
                (&self.map, PathForm::Legs),
                (&connected, Positions::Listed(positions)),
                |runs: &Vec<Runs>, encoder, count| self.record(&runs[pass], encoder, count),
                &mut |round| visit(GpuRound { requests, ..round }),
            )
        });
        working.for_paths = Some(rounds);
        timing
    }

    /// Runs passes until the requests at all positions are answered. `run` answers some, and
    /// returns the positions of those that need more memory or more time.
    fn passes(
        &self,
        layout: &Layout,
        mut positions: Vec<u32>,
        mut run: impl FnMut(usize, &[u32]) -> Result<(Timing, Vec<u32>), GpuError>,
    ) -> Result<Timing, GpuError> {
        let mut timing = Timing::default();
        let mut pass = 0;
        while !positions.is_empty() {
            let (more, left) = run(pass, &positions)?;
            timing = timing.plus(more);
            if pass + 1 < layout.passes.len() {
                pass += 1;
            } else if left.len() == positions.len() {
                let available = layout.page_bytes.max(layout.agent_bytes);
                let needed = layout.needed.max(available + 1);
                return Err(GpuError::TooLarge {
                    what: "the memory of a search",
                    needed,
                    available,
                    limit: self.gpu.binding_limit(),
                });
            }
            positions = left;
        }
        Ok(timing)
    }

    /// The requests, with [`NOTHING`] in place of those without a path, and their positions, those
    /// that lead far first. Uses all threads, so no lock may be held: a thread that waits may take
    /// up work that needs the lock.
    fn connected_by_length(&self, requests: &[Request]) -> (Vec<Request>, Vec<u32>) {
        let connected = requests.par_iter().map(|&(from, to)| match self.map.may_reach(from, to) {
            true => (from, to),
            false => NOTHING,
        });
        let connected: Vec<Request> = connected.collect();
        let order = self.longest_first(&connected);
        (connected, order)
    }

    /// The positions of requests, those that lead far first.
    fn longest_first(&self, requests: &[Request]) -> Vec<u32> {
        let grid = self.grid();
        let distance = |(from, to): Request| match (grid.cell(from), grid.cell(to)) {
            (Some(from), Some(to)) => Some(farther(from, to)),
            _ => None,
        };
        let mut positions: Vec<(std::cmp::Reverse<Option<u32>>, u32)> = requests
            .par_iter()
            .zip(0..requests.len() as u32)
            .map(|(&request, position)| (std::cmp::Reverse(distance(request)), position))
            .collect();
        positions.par_sort_unstable();
        positions.into_iter().map(|(_, position)| position).collect()
    }

    fn grid(&self) -> &Grid {
        self.map.as_grid().expect("checked when built")
    }

    fn lock(&self) -> MutexGuard<'_, Option<Working>> {
        self.working.lock().unwrap_or_else(|poisoned| {
            // A visitor panicked, and rounds are in any state.
            self.working.clear_poison();
            let mut working = poisoned.into_inner();
            *working = None;
            working
        })
    }

    /// The memory for batches of so many requests. Directories must be empty, so after an error
    /// there is new memory.
    fn working<'a>(
        &self,
        working: &'a mut Option<Working>,
        count: usize,
    ) -> Result<&'a mut Working, GpuError> {
        let is_usable = |it: &Working| {
            let mut rounds = it.for_costs.iter().chain(&it.for_paths);
            it.most >= count as u64 && !rounds.any(Rounds::is_broken)
        };
        match working.take_if(|it| is_usable(it)) {
            Some(usable) => Ok(working.insert(usable)),
            None => {
                // The old memory goes first.
                *working = None;
                let most = batch_room(count as u64);
                let made = make_room(most, |room| self.make(room))?;
                Ok(working.insert(Working { most, ..made }))
            }
        }
    }

    /// The memory for so many searches at a time.
    fn make(&self, most: u64) -> Result<Working, GpuError> {
        let (gpu, grid, entries) = (&self.gpu, self.grid(), self.program.quad_entries);
        let layout = Layout::new(gpu, grid, [most, entries], self.banks, budget(gpu));
        let buffers = |what, bytes| {
            let buffer = |_| gpu.buffer(what, bytes, BufferUsages::STORAGE);
            (0..self.banks).map(buffer).collect::<Result<Vec<_>, _>>()
        };
        Ok(Working {
            most,
            pages: buffers("costs of searches", layout.page_bytes)?,
            agents: buffers("open lists of searches", layout.agent_bytes)?,
            layout,
            for_costs: None,
            for_paths: None,
        })
    }

    fn rounds(
        &self,
        working: &Working,
        [answer_words, path_words]: [u64; 2],
    ) -> Result<Rounds<Vec<Runs>>, GpuError> {
        let gpu = &self.gpu;
        let words = [answer_words, path_words];
        // An eighth of the memory is for these rounds, and `fit` uses all of it.
        let most = (RoundShape::fit(gpu, words, 0, u64::MAX).requests / 8).max(1);
        let agents = self.banks * working.layout.passes[0].agents;
        let most = most.min(ROUND_REQUESTS).min(working.most).min(AGENT_REQUESTS * agents);
        let mut shape = RoundShape::fit(gpu, words, 0, most);
        if path_words > 0 {
            let room = gpu.max_binding() / 4 - HEADER_WORDS;
            shape.pool_words = shape.pool_words.max(self.usable.div_ceil(2)).min(room);
        }
        Rounds::new(gpu, shape, |RoundBuffers { requests, answers, pool }| {
            let layout = &working.layout;
            let runs = layout.passes.iter().map(|&pass| {
                let constants =
                    layout.constants(pass, self.actions, answer_words, shape.pool_words);
                let uniform = &gpu.uniform("search", &constants)?;
                let one = |(binding, buffer)| (binding, slice::from_ref(buffer));
                let search = [uniform, requests, answers, pool].into_iter().chain(&self.tables);
                let search: Vec<(u32, &[Buffer])> = (0..).zip(search).map(one).collect();
                let banks = [(0, &working.pages[..]), (1, &working.agents[..])];
                let groups = [&self.grid.bindings().map(one)[..], &search, &banks];
                Ok(Runs {
                    reset: self.reset.bind_arrays(gpu, &groups)?,
                    search: self.kernel.bind_arrays(gpu, &groups)?,
                    pass,
                })
            });
            runs.collect()
        })
    }

    /// Records the runs of a round of so many requests.
    fn record(&self, runs: &Runs, encoder: &mut CommandEncoder, count: u64) {
        let agents = runs.pass.agents.min(count.div_ceil(self.banks));
        let reset = (self.banks * runs.pass.agents.max(8)).max(count);
        runs.reset.record(&self.gpu, encoder, reset.div_ceil(64));
        // A cell is expanded once and reached at most once by each neighbour, but on average far
        // less often. Requests that do not come to an end are answered in the next pass. Runs that
        // find nothing to do take almost no time.
        let at_worst = if runs.pass.is_last { 10 } else { 2 };
        let turns = count.div_ceil(self.banks * agents);
        let actions = (2 * turns + at_worst) * (self.usable + 32);
        let groups = self.banks * agents.div_ceil(self.program.group_agents);
        runs.search.record_times(&self.gpu, encoder, groups, actions.div_ceil(self.actions));
    }
}

/// The engine with a field `batches` answers by it.
macro_rules! answer_by_batches {
    ($engine:ty) => {
        impl $crate::GpuEngine for $engine {
            fn name(&self) -> &'static str {
                self.batches.name()
            }

            fn exact(&self) -> bool {
                true
            }

            fn map(&self) -> &portolan::Map {
                self.batches.map()
            }

            fn gpu(&self) -> &$crate::Gpu {
                self.batches.gpu()
            }

            fn memory_bytes(&self) -> u64 {
                self.batches.memory_bytes()
            }

            fn distances_into(
                &self,
                requests: &[$crate::Request],
                costs: &mut Vec<portolan::Cost>,
            ) -> Result<$crate::Timing, $crate::GpuError> {
                self.batches.distances_into(requests, costs)
            }

            fn visit_paths(
                &self,
                requests: &[$crate::Request],
                visit: &mut dyn FnMut($crate::GpuRound<'_>),
            ) -> Result<$crate::Timing, $crate::GpuError> {
                self.batches.visit_paths(requests, visit)
            }
        }
    };
}
pub(super) use answer_by_batches;

/// The bytes for the memory of searches; the rest is for rounds.
fn budget(gpu: &Gpu) -> u64 {
    gpu.working_memory() / 4 * 3
}

/// The source of a program for so many banks. Without arrays of bindings, if there is one: not all
/// devices have them.
fn source(program: &Program, banks: u64) -> String {
    let source = format!("const BANKS: u32 = {banks}u;\n{}", program.sources.concat());
    match banks {
        1 => source
            .replace("binding_array<Pages, BANKS>", "Pages")
            .replace("binding_array<Agents, BANKS>", "Agents")
            .replace("[bank]", ""),
        _ => source,
    }
}

/// Headings share a word with the number of a cell.
const MOST_CELLS: u64 = 1 << 28;

fn farther(a: Cell, b: Cell) -> u32 {
    a.x.abs_diff(b.x).max(a.y.abs_diff(b.y))
}

impl std::fmt::Debug for Working {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Working").finish_non_exhaustive()
    }
}
