//! Distances between all sources and all targets, block by block: while the host copies one block,
//! the device computes the next.

use std::ops::Range;
use std::time::Instant;

use portolan::engine::CostAnswer;
use portolan::{Cost, Map, NodeId};
use rayon::prelude::*;
use wgpu::{Buffer, BufferUsages, MapMode, SubmissionIndex};

use super::{GpuAtlas, GpuAtlasForm};
use crate::batch::answer;
use crate::device::{Kernel, Timing, wait, with_mapped};
use crate::engine::GpuEngine;
use crate::error::GpuError;

/// The side of a tile of `matrix.wgsl`.
const TILE: usize = 32;

/// The most targets and answers of a block. Larger ones use the device no better.
const MOST_TARGETS: usize = 1 << 14;
const MOST_ANSWERS: u64 = 1 << 24;

/// The blocks in flight.
const SLOTS: usize = 2;

/// Distances between all sources and all targets.
#[derive(Debug, Clone)]
pub struct GpuMatrix<'a> {
    map: Map,
    sources: &'a [NodeId],
    targets: &'a [NodeId],
    costs: Vec<Cost>,
    timing: Timing,
}

/// Part of a matrix: positions of sources and of targets.
type Block = (Range<usize>, Range<usize>);

/// A block in flight.
struct Slot {
    answers: Buffer,
    download: Buffer,
    running: Option<(Block, SubmissionIndex)>,
}

impl GpuMatrix<'_> {
    /// All costs, one row per source; [`UNREACHABLE`](portolan::UNREACHABLE) where there is no
    /// path, or an error.
    pub fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// The answer to the request from a source to a target, by their positions. `None` beyond the
    /// matrix.
    pub fn get(&self, source: usize, target: usize) -> Option<CostAnswer> {
        let request = (*self.sources.get(source)?, *self.targets.get(target)?);
        let cost = self.costs[source * self.targets.len() + target];
        Some(answer(&self.map, request, cost))
    }

    /// How long it took in all, and the number of blocks.
    pub fn timing(&self) -> Timing {
        self.timing
    }
}

impl GpuAtlas {
    /// The distances from all sources to all targets. The general form computes them by tiles; the
    /// uniform form answers a request for each.
    ///
    /// ```
    /// use portolan_gpu::{Gpu, GpuAtlas, GpuAtlasConfig};
    /// let map = portolan::Grid::new(20, 20)?.into();
    /// let atlas = GpuAtlas::build(&Gpu::new()?, &map, &GpuAtlasConfig::default())?;
    /// let matrix = atlas.matrix(&[0, 21], &[399, 21, 380])?;
    /// assert_eq!(matrix.get(1, 1), Some(Ok(Some(0))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn matrix<'a>(
        &self,
        sources: &'a [NodeId],
        targets: &'a [NodeId],
    ) -> Result<GpuMatrix<'a>, GpuError> {
        let start = Instant::now();
        let mut costs = room(sources.len(), targets.len())?;
        let rounds = match self.form.kind {
            GpuAtlasForm::Uniform => self.fill_by_requests(sources, targets, &mut costs)?,
            _ => {
                let blocks = blocks(self.most_answers(), sources.len(), targets.len());
                let rounds = blocks.len() as u32;
                if rounds > 0 {
                    self.fill_by_tiles(sources, targets, blocks, &mut costs)?;
                }
                rounds
            }
        };
        let timing = Timing { total: start.elapsed(), rounds, ..Timing::default() };
        Ok(GpuMatrix { map: self.map().clone(), sources, targets, costs, timing })
    }

    fn fill_by_requests(
        &self,
        sources: &[NodeId],
        targets: &[NodeId],
        costs: &mut [Cost],
    ) -> Result<u32, GpuError> {
        let (mut requests, mut answers, mut rounds) = (Vec::new(), Vec::new(), 0);
        for (rows, columns) in blocks(MOST_ANSWERS, sources.len(), targets.len()) {
            requests.clear();
            for &source in &sources[rows.clone()] {
                requests.extend(targets[columns.clone()].iter().map(|&target| (source, target)));
            }
            rounds += self.distances_into(&requests, &mut answers)?.rounds;
            copy(&answers, &(rows, columns), targets.len(), costs);
        }
        Ok(rounds)
    }

    /// The most answers that fit into a buffer of a block, of which there are two per slot.
    fn most_answers(&self) -> u64 {
        let by_memory = self.gpu.working_memory() / (2 * SLOTS as u64);
        (self.gpu.max_binding().min(by_memory) / 4).clamp(1, MOST_ANSWERS)
    }

    fn fill_by_tiles(
        &self,
        sources: &[NodeId],
        targets: &[NodeId],
        blocks: Vec<Block>,
        costs: &mut [Cost],
    ) -> Result<(), GpuError> {
        let gpu = &self.gpu;
        let kernel = self.matrix_kernel()?;
        let lists = [gpu.upload("sources", sources)?, gpu.upload("targets", targets)?];
        let bytes = 4 * blocks.iter().map(|(s, t)| s.len() * t.len()).max().unwrap_or(0) as u64;
        let slot = |_| {
            let on_device = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
            let to_host = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            let answers = gpu.buffer("distances", bytes, on_device)?;
            let download = gpu.buffer("distances", bytes, to_host)?;
            Ok(Slot { answers, download, running: None })
        };
        let mut slots = (0..SLOTS).map(slot).collect::<Result<Vec<_>, GpuError>>()?;
        let width = targets.len();
        let count = blocks.len();
        let mut blocks = blocks.into_iter();
        for turn in 0..count + SLOTS {
            let slot = &mut slots[turn % SLOTS];
            if let Some((block, submission)) = slot.running.take() {
                wait(gpu, Some(submission))?;
                let bytes = 4 * (block.0.len() * block.1.len()) as u64;
                with_mapped(gpu, &slot.download, bytes, |words| copy(words, &block, width, costs))?;
            }
            if let Some(block) = blocks.next() {
                let submission = self.start(&kernel, &lists, &block, slot)?;
                slot.running = Some((block, submission));
            }
        }
        Ok(())
    }

    fn matrix_kernel(&self) -> Result<Kernel, GpuError> {
        let sources = [
            include_str!("rows.wgsl"),
            include_str!("general/labels.wgsl"),
            include_str!("general/matrix.wgsl"),
        ];
        Kernel::new(&self.gpu, "matrix", &sources, "matrix", &self.form.distance.constants)
    }

    fn start(
        &self,
        kernel: &Kernel,
        [sources, targets]: &[Buffer; 2],
        (rows, columns): &Block,
        slot: &Slot,
    ) -> Result<SubmissionIndex, GpuError> {
        let gpu = &self.gpu;
        let block = [rows.start, rows.len(), columns.start, columns.len()].map(|n| n as u32);
        let block = gpu.uniform("block", &block)?;
        let lists = [(0, &block), (1, sources), (2, targets), (3, &slot.answers)];
        let launch = self.form.distance.bind(gpu, kernel, &lists)?;
        let tiles = rows.len().div_ceil(TILE) * columns.len().div_ceil(TILE);
        let bytes = 4 * (rows.len() * columns.len()) as u64;
        gpu.guarded(("a block of distances", bytes), |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            launch.record(gpu, &mut encoder, tiles as u64);
            encoder.copy_buffer_to_buffer(&slot.answers, 0, &slot.download, 0, bytes);
            let submission = gpu.queue().submit([encoder.finish()]);
            slot.download.map_async(MapMode::Read, 0..bytes, |_| {});
            submission
        })
    }
}

/// Memory for a matrix. Every block overwrites its part; zeros are not written before.
pub(super) fn room(rows: usize, columns: usize) -> Result<Vec<Cost>, GpuError> {
    let count = rows.checked_mul(columns);
    // A vector of zeros cannot fail, so another one tries whether there is room.
    let mut trial: Vec<Cost> = Vec::new();
    match count.filter(|&count| trial.try_reserve_exact(count).is_ok()) {
        Some(count) => {
            drop(trial);
            Ok(vec![0; count])
        }
        None => {
            let bytes = 4_u64.saturating_mul(rows as u64).saturating_mul(columns as u64);
            Err(GpuError::OutOfHostMemory { what: "distances", bytes })
        }
    }
}

/// Cuts a matrix into blocks of at most so many answers.
fn blocks(most_answers: u64, sources: usize, targets: usize) -> Vec<Block> {
    let width = targets.min(MOST_TARGETS).min(most_answers as usize);
    if width == 0 {
        return Vec::new();
    }
    let height = (most_answers as usize / width).max(1);
    let pieces = |len: usize, most: usize| {
        (0..len).step_by(most).map(move |start| start..(start + most).min(len))
    };
    pieces(sources, height)
        .flat_map(|rows| pieces(targets, width).map(move |columns| (rows.clone(), columns)))
        .collect()
}

/// Copies the answers of a block to their places in a matrix of this width.
fn copy(words: &[u32], (rows, columns): &Block, width: usize, costs: &mut [Cost]) {
    let matrix_rows = costs[rows.start * width..rows.end * width].par_chunks_mut(width);
    let block_rows = words.par_chunks(columns.len());
    matrix_rows.zip(block_rows).for_each(|(to, from)| to[columns.clone()].copy_from_slice(from));
}
