//! How the memory of searches is divided.

use bytemuck::{Pod, Zeroable};
use portolan::Grid;

use crate::device::Gpu;

/// The bytes of a page with its record.
const PAGE_BYTES: u64 = 256 + 16;

/// The bytes before the pages of a bank.
const BANK_BYTES: u64 = 256;

/// The quads of 16 bytes in which an agent keeps its registers.
const REGISTER_QUADS: u64 = 4;

/// More agents than any device keeps busy.
const MOST_AGENTS: u64 = 1 << 17;

/// More banks than the memory of a device has bindings.
const MOST_BANKS: u64 = 64;

/// Agents of a later pass: requests that run out of memory are answered again with this many times
/// as much.
const GROWTH: u64 = 2;

/// The sizes of the two buffers of each bank, and how the passes share them.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) pages: u64,
    pub(super) page_bytes: u64,
    pub(super) agent_bytes: u64,
    tiles_across: u64,
    /// The quads of the registers and the directory of an agent.
    agent_quads: u64,
    /// The first quad of the heaps.
    heaps: u64,
    /// The first has as many agents as possible. In the last, memory suffices for any search,
    /// unless the map is too large for one.
    pub(super) passes: Vec<Pass>,
    /// The memory that suffices for any search: bytes of the larger buffer.
    pub(super) needed: u64,
}

/// How many agents share a bank, and the quads of their heaps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass {
    pub(super) agents: u64,
    heap_quads: u64,
    /// Whether a full heap drops its stale entries. That changes which of several shortest paths is
    /// found, so only heaps of the largest size do, which follows from the map alone; others give
    /// up. Where memory is too little for that size, those of the last pass do.
    drops_stale: bool,
    pub(super) is_last: bool,
}

/// What searches on a map need.
#[derive(Debug, Clone, Copy)]
struct Needs {
    tiles: u64,
    tiles_across: u64,
    /// The quads of the registers and the directory of an agent.
    agent_quads: u64,
    /// The quads of a heap that is large enough for any search.
    full_heap: u64,
    /// Bytes of an agent in the first pass: all but the pages, and the pages.
    agent_bytes: u64,
    page_bytes: u64,
}

/// The uniform `search` of `state.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Constants {
    agents: u32,
    agent_quads: u32,
    heaps: u32,
    heap_quads: u32,
    drops_stale: u32,
    pages: u32,
    tiles_across: u32,
    actions: u32,
    answer_words: u32,
    pool_words: u32,
}

/// The number of banks with which searches on this grid can use so many bytes.
pub(super) fn banks(gpu: &Gpu, grid: &Grid, quad_entries: u64, budget: u64) -> u64 {
    let needs = Needs::of(grid, quad_entries);
    let banks = needs.agents(budget).div_ceil(needs.bank_agents(gpu));
    banks.min(gpu.most_buffers_in_arrays() / 2).clamp(1, MOST_BANKS)
}

impl Layout {
    /// For at most so many searches at a time on this grid, in so many banks, within so many bytes.
    pub(super) fn new(
        gpu: &Gpu,
        grid: &Grid,
        [most, quad_entries]: [u64; 2],
        banks: u64,
        budget: u64,
    ) -> Self {
        let needs = Needs::of(grid, quad_entries);
        let Needs { tiles, tiles_across, agent_quads, full_heap, .. } = needs;
        let agents = needs.agents(budget).min(most).div_ceil(banks).min(needs.bank_agents(gpu));
        let binding = gpu.max_binding();
        // At least one agent must be able to search the whole map.
        let heaps = (agents * agent_quads).next_multiple_of(2);
        let one_heap = 16 * (heaps + full_heap);
        let agent_bytes = (agents * needs.agent_bytes).max(one_heap).min(binding);
        let one_map = BANK_BYTES + (tiles + 1) * PAGE_BYTES;
        let page_bytes = (BANK_BYTES + agents * needs.page_bytes).max(one_map).min(binding);
        // Beside the pages there is page 0.
        let pages = ((page_bytes - BANK_BYTES) / PAGE_BYTES).saturating_sub(1);
        let heap_quads = (agent_bytes / 16).saturating_sub(heaps);
        let for_all = (pages / tiles).min(heap_quads / full_heap).clamp(1, agents);
        let pass = |agents: u64| {
            let is_last = agents == for_all;
            // Even, as heaps begin at sectors of memory.
            let heap_quads = (heap_quads / agents).min(full_heap) & !1;
            Pass { agents, heap_quads, drops_stale: is_last || heap_quads == full_heap, is_last }
        };
        let mut passes = vec![pass(agents)];
        while let Some(last) = passes.last().filter(|last| last.agents > for_all) {
            passes.push(pass((last.agents / GROWTH).max(for_all)));
        }
        let needed = one_heap.max(one_map);
        Self { pages, page_bytes, agent_bytes, tiles_across, agent_quads, heaps, passes, needed }
    }

    pub(super) fn constants(
        &self,
        pass: Pass,
        actions: u64,
        answer_words: u64,
        pool_words: u64,
    ) -> Constants {
        Constants {
            agents: pass.agents as u32,
            agent_quads: self.agent_quads as u32,
            heaps: self.heaps as u32,
            heap_quads: pass.heap_quads as u32,
            drops_stale: u32::from(pass.drops_stale),
            pages: self.pages as u32,
            tiles_across: self.tiles_across as u32,
            actions: actions as u32,
            answer_words: answer_words as u32,
            pool_words: pool_words as u32,
        }
    }
}

impl Needs {
    fn of(grid: &Grid, quad_entries: u64) -> Self {
        let (width, height) = (u64::from(grid.width()), u64::from(grid.height()));
        let (cells, tiles_across) = (width * height, width.div_ceil(8));
        let tiles = tiles_across * height.div_ceil(8);
        let agent_quads = REGISTER_QUADS + tiles.div_ceil(4);
        // Each cell is open at most once after stale entries have been dropped. Some more are added
        // before a kernel looks.
        let full_heap = (cells + 1024).div_ceil(quad_entries).next_multiple_of(2);
        let first_heap = (cells / 32).clamp(1024, cells + 1024).div_ceil(quad_entries);
        // Between rooms, searches that lead far reach 0.3 of the map on average, and others less.
        let typical_pages = (tiles * 3 / 10).max(64).min(tiles);
        Self {
            tiles,
            tiles_across,
            agent_quads,
            full_heap,
            agent_bytes: 16 * (agent_quads + first_heap),
            page_bytes: typical_pages * PAGE_BYTES,
        }
    }

    /// How many search at the same time within so many bytes.
    fn agents(&self, budget: u64) -> u64 {
        (budget / (self.agent_bytes + self.page_bytes)).clamp(1, MOST_AGENTS)
    }

    /// How many find room in a bank.
    fn bank_agents(&self, gpu: &Gpu) -> u64 {
        let binding = gpu.max_binding();
        let by_pages = binding.saturating_sub(BANK_BYTES) / self.page_bytes;
        (binding / self.agent_bytes).min(by_pages).max(1)
    }
}
