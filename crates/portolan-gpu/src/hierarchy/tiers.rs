//! Searches with small tables first, then with larger ones, and the memory that all of them share.

use std::cell::Cell;

use wgpu::{Buffer, BufferUsages, CommandEncoder};

use super::WORKGROUP;
use crate::device::Gpu;
use crate::error::GpuError;

/// The most invocations at the same time. More than any device runs.
const MOST_INVOCATIONS: u64 = 1 << 16;

/// The requests that an invocation answers in a round, on average.
const REQUESTS: u64 = 8;

/// The most requests of a round.
pub(super) const MOST_REQUESTS: u64 = MOST_INVOCATIONS * REQUESTS;

/// The nodes that an invocation of a software driver expands per launch, the launches of the first
/// tier, and by what factor they grow.
const SOFTWARE_EXPANSIONS: u32 = 16;
const SOFTWARE_LAUNCHES: u64 = 4;
const LAUNCH_GROWTH: u64 = 8;

/// The logarithm of the entries of the first tables.
const FIRST_TABLE_BITS: u32 = 11;

/// Each next table is so many times as large, as a logarithm.
const TABLE_GROWTH_BITS: u32 = 3;

/// The highest number of a search. Entries of tables have a bit more.
pub(super) const MOST_SEARCHES: u32 = u32::MAX / 2;

/// Searches with tables of one size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tier {
    pub(super) table_bits: u32,
    pub(super) heap_size: u64,
    pub(super) invocations: u64,
    /// The most requests that an invocation answers in a launch, and nodes that it expands.
    pub(super) requests_each: u32,
    pub(super) expansions: u32,
    pub(super) launches: u64,
    pub(super) is_last: bool,
}

/// The memory of searches, which all tiers share.
#[derive(Debug)]
pub(super) struct Memory {
    /// Has the tables, unless the heaps of a tier take more.
    pub(super) large: Buffer,
    pub(super) small: Buffer,
    /// The uniform `searched` of `search.wgsl`, and what the next round writes there.
    pub(super) searched: Buffer,
    pub(super) next: Cell<u32>,
    has_large_tables: Cell<bool>,
}

impl Tier {
    /// All tiers for searches of at most so many nodes and edges, the smallest tables first. At
    /// most `room` searches run at the same time.
    pub(super) fn all(
        gpu: &Gpu,
        largest_search: [u64; 2],
        is_software: bool,
        room: u64,
    ) -> Vec<Self> {
        let mut tiers: Vec<Self> = Vec::new();
        while tiers.last().is_none_or(|tier| !tier.is_last) {
            let mut tier = Self::new(gpu, tiers.len() as u32, largest_search, is_software);
            // The memory is divided in such a way that the first tier, which answers most requests,
            // uses all of it.
            let [large, small] = tiers.first().unwrap_or(&tier).bytes();
            // Half of the working memory is for searches, the other half for rounds.
            let parts = gpu.working_memory() / 2 / (large + small);
            let [own_large, own_small] = tier.bytes();
            let by_memory = (parts * large / own_large).min(parts * small / own_small);
            let by_binding = gpu.max_binding() / own_large;
            let invocations = by_memory.min(by_binding).min(MOST_INVOCATIONS).min(room);
            tier.invocations = match invocations / WORKGROUP * WORKGROUP {
                0 => invocations.max(1),
                whole => whole,
            };
            tiers.push(tier);
        }
        tiers
    }

    /// A tier without invocations yet.
    fn new(gpu: &Gpu, number: u32, [nodes, edges]: [u64; 2], is_software: bool) -> Self {
        let last_bits = (2 * nodes).next_power_of_two().trailing_zeros();
        let table_bits = (FIRST_TABLE_BITS + TABLE_GROWTH_BITS * number).min(last_bits);
        let heap_size = match table_bits == last_bits {
            true => (edges + 3).min(gpu.max_binding() / 8),
            false => 1 << table_bits,
        };
        let (requests_each, expansions, launches) = match is_software {
            true => {
                let launches = SOFTWARE_LAUNCHES * LAUNCH_GROWTH.saturating_pow(number);
                (1, SOFTWARE_EXPANSIONS, launches)
            }
            false => (u32::MAX, u32::MAX, 1),
        };
        let has_all_launches = u64::from(expansions).saturating_mul(launches) >= edges;
        let is_last = table_bits == last_bits && has_all_launches;
        Self { table_bits, heap_size, invocations: 0, requests_each, expansions, launches, is_last }
    }

    /// The most requests of a round.
    pub(super) fn requests(&self) -> u64 {
        self.invocations * u64::from(self.requests_each).min(REQUESTS)
    }

    /// The bytes of an invocation in the large buffer and in the small one.
    fn bytes(&self) -> [u64; 2] {
        let (table, heap) = (16 << self.table_bits, 8 * self.heap_size);
        [heap.max(table), heap.min(table)]
    }

    pub(super) fn has_large_tables(&self) -> bool {
        16 << self.table_bits >= 8 * self.heap_size
    }
}

impl Memory {
    /// Memory that suffices for each tier by itself.
    pub(super) fn new(gpu: &Gpu, tiers: &[Tier]) -> Result<Self, GpuError> {
        // Tables are cleared when all numbers have been used.
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let buffer = |part: usize| {
            let bytes = tiers.iter().map(|tier| tier.invocations * tier.bytes()[part]).max();
            gpu.buffer("tables and open lists", bytes.unwrap_or(0), usage)
        };
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        Ok(Self {
            large: buffer(0)?,
            small: buffer(1)?,
            searched: gpu.buffer("the number of searches", 4, uniform)?,
            next: Cell::new(0),
            has_large_tables: Cell::new(true),
        })
    }

    /// The buffers of tables and of heaps.
    pub(super) fn of(&self, tier: &Tier) -> (&Buffer, &Buffer) {
        match tier.has_large_tables() {
            true => (&self.large, &self.small),
            false => (&self.small, &self.large),
        }
    }

    /// Begins a round of at most so many searches. Their numbers are higher than those of all
    /// before, unless the tables are cleared.
    pub(super) fn begin(
        &self,
        gpu: &Gpu,
        encoder: &mut CommandEncoder,
        (tier, count): (&Tier, u64),
    ) {
        let count = count as u32;
        let has_large_tables = tier.has_large_tables();
        let was_heap = self.has_large_tables.replace(has_large_tables) != has_large_tables;
        if was_heap || self.next.get() > MOST_SEARCHES - count {
            encoder.clear_buffer(self.of(tier).0, 0, None);
            self.next.set(0);
        }
        gpu.queue().write_buffer(&self.searched, 0, &self.next.get().to_le_bytes());
        self.next.set(self.next.get() + count);
    }
}
