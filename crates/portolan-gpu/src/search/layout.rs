//! How the memory of searches is divided.

use bytemuck::{Pod, Zeroable};
use portolan::Grid;

use crate::device::Gpu;

/// The bytes of a page with its record.
const PAGE_BYTES: u64 = 256 + 16;

/// The quads of 16 bytes in which an agent keeps its registers.
const REGISTER_QUADS: u64 = 4;

/// More agents than any device keeps busy.
const MOST_AGENTS: u64 = 1 << 17;

/// Agents of a later pass: requests that run out of memory are answered again with this many times
/// as much.
const GROWTH: u64 = 2;

/// The sizes of the two buffers of all searches, and how the passes share them.
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

/// How many agents share the memory, and the quads of their heaps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass {
    pub(super) agents: u64,
    heap_quads: u64,
    pub(super) is_last: bool,
}

/// The uniform `search` of `state.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Constants {
    agents: u32,
    agent_quads: u32,
    heaps: u32,
    heap_quads: u32,
    is_last_pass: u32,
    pages: u32,
    tiles_across: u32,
    actions: u32,
    answer_words: u32,
    pool_words: u32,
}

impl Layout {
    /// For at most so many searches at a time on this grid, within so many bytes.
    pub(super) fn new(gpu: &Gpu, grid: &Grid, [most, quad_entries]: [u64; 2], budget: u64) -> Self {
        let (width, height) = (u64::from(grid.width()), u64::from(grid.height()));
        let (cells, tiles_across) = (width * height, width.div_ceil(8));
        let tiles = tiles_across * height.div_ceil(8);
        let agent_quads = REGISTER_QUADS + tiles.div_ceil(4);
        // Each cell is open at most once after stale entries have been dropped. Some more are added
        // before a kernel looks.
        let full_heap = (cells + 1024).div_ceil(quad_entries);
        let first_heap = (cells / 64).clamp(1024, cells + 1024).div_ceil(quad_entries);
        // Between rooms, searches that lead far reach 0.3 of the map on average, and others less.
        let typical_pages = (tiles * 3 / 10).max(64).min(tiles);
        let agent_bytes = 16 * (agent_quads + first_heap);
        let binding = gpu.max_binding();
        let agents = (budget / (agent_bytes + typical_pages * PAGE_BYTES))
            .min(binding / agent_bytes)
            .min(binding / (typical_pages * PAGE_BYTES))
            .min(most)
            .clamp(1, MOST_AGENTS);
        // At least one agent must be able to search the whole map.
        let heaps = agents * agent_quads;
        let one_heap = 16 * (heaps + full_heap);
        let agent_bytes = (agents * agent_bytes).max(one_heap).min(binding);
        let page_bytes = (agents * typical_pages).max(tiles + 1) * PAGE_BYTES;
        let page_bytes = page_bytes.min(binding);
        // Beside the pages there is page 0.
        let pages = (page_bytes / PAGE_BYTES).saturating_sub(1);
        let heap_quads = (agent_bytes / 16).saturating_sub(heaps);
        let for_all = (pages / tiles).min(heap_quads / full_heap).clamp(1, agents);
        let pass = |agents: u64| Pass {
            agents,
            heap_quads: (heap_quads / agents).min(4 * full_heap),
            is_last: agents == for_all,
        };
        let mut passes = vec![pass(agents)];
        while let Some(last) = passes.last().filter(|last| last.agents > for_all) {
            passes.push(pass((last.agents / GROWTH).max(for_all)));
        }
        let needed = one_heap.max((tiles + 1) * PAGE_BYTES);
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
            is_last_pass: u32::from(pass.is_last),
            pages: self.pages as u32,
            tiles_across: self.tiles_across as u32,
            actions: actions as u32,
            answer_words: answer_words as u32,
            pool_words: pool_words as u32,
        }
    }
}
