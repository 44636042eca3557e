//! The general form: labels of all nodes.
//!
//! `distance*.wgsl` finds the hub of each request, `path*.wgsl` follows the hops of both ends to
//! it, `matrix.wgsl` computes blocks of distance matrices.

use std::sync::{Mutex, PoisonError};

use portolan::atlas::{AtlasConfig, Separators};
use portolan::{Cost, Map, Progress};
use wgpu::{Buffer, CommandEncoder};

use super::labels::{GROUP, Hops, Labels, Layout};
use super::{ALONE, AllRounds, GpuAtlasConfig, MOST_LANES, NAME, SEGMENTS, TURNS, ready, segments};
use crate::batch::{GpuRound, PATH_ANSWER_WORDS, PathForm, Positions, Request};
use crate::device::{Gpu, Kernel, Launch, RoundBuffers, RoundShape, Rounds, Timing};
use crate::engine::{run_distances, run_paths};
use crate::error::GpuError;

/// Labels of all nodes.
#[derive(Debug)]
pub(super) struct General {
    pub(super) gpu: Gpu,
    pub(super) map: Map,
    pub(super) buffers: Buffers,
    pub(super) lanes: u32,
    /// The hops of a usual path and more than those of the longest.
    usual_hops: u64,
    most_hops: u64,
    rounds: Mutex<AllRounds>,
}

/// What lies on the device.
#[derive(Debug)]
pub(super) struct Buffers {
    records: Buffer,
    ends: Buffer,
    costs: [Buffer; SEGMENTS],
    hops: [Buffer; SEGMENTS],
    segment_bits: u32,
    pub(super) used_segments: u64,
    pub(super) bytes: u64,
}

impl General {
    /// Prepares a map on the host and uploads its labels.
    pub(super) fn build(
        gpu: &Gpu,
        map: &Map,
        config: &GpuAtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, GpuError> {
        let GpuAtlasConfig { memory_limit, leaf_size, partitioner, .. } = config.clone();
        let cuts =
            AtlasConfig { leaf_size: Some(leaf_size), partitioner, ..AtlasConfig::default() };
        let separators = Separators::of_map(map, &cuts, progress)?;
        let segment_bits = (gpu.max_binding() / (4 * GROUP)).max(1).ilog2().min(28);
        let layout = Layout::new(map, &separators, 1 << segment_bits);
        drop(separators);
        let is_grid = map.as_grid().is_some();
        let entry_bytes = if is_grid { 4 + 1 } else { 4 + 4 };
        let needed = layout.groups * GROUP * entry_bytes + layout.bytes();
        let available = ((SEGMENTS as u64 * GROUP * entry_bytes) << segment_bits).min(memory_limit);
        if needed > available {
            return Err(GpuError::TooLarge { what: "the labels of the map", needed, available });
        }
        let (needed, available) = (size_of_val(&layout.records[..]) as u64, gpu.max_binding());
        if needed > available {
            return Err(GpuError::TooLarge { what: "the records of nodes", needed, available });
        }
        let labels = layout.fill(map, progress)?;
        if !is_grid && !labels.finite {
            let reason = "costs of 2,147,483,648 and more cannot be added on the device; divide the \
                          weights of the graph by a common factor";
            return Err(GpuError::Unsupported { method: NAME, reason: reason.to_owned() });
        }
        Self::upload(gpu, map, (layout, labels), segment_bits)
    }

    pub(super) fn upload(
        gpu: &Gpu,
        map: &Map,
        (layout, labels): (Layout, Labels),
        segment_bits: u32,
    ) -> Result<Self, GpuError> {
        let segment = (GROUP as usize) << segment_bits;
        let hops = match &labels.hops {
            Hops::Steps(hops) => segments(gpu, "hops", hops, segment)?,
            Hops::Nodes(hops) => segments(gpu, "hops", hops, segment)?,
        };
        let buffers = Buffers {
            records: gpu.upload("records of nodes", layout.records.as_flattened())?,
            ends: gpu.upload("ends of regions", &layout.ends)?,
            costs: segments(gpu, "labels", &labels.costs, segment)?,
            bytes: layout.bytes() + 4 * labels.costs.len() as u64 + labels.hops.bytes(),
            hops,
            segment_bits,
            used_segments: layout.groups.div_ceil(1 << segment_bits).max(1),
        };
        let lanes = match gpu.has_subgroups() {
            true => gpu.subgroup_size().clamp(1, MOST_LANES),
            false => 1,
        };
        Ok(Self {
            gpu: gpu.clone(),
            map: map.clone(),
            lanes,
            // Both ends have hops, and most paths are at most a quarter longer than the mean.
            usual_hops: (2.5 * labels.mean_hops) as u64 + 8,
            most_hops: 2 * u64::from(labels.most_hops) + 1,
            rounds: Mutex::default(),
            buffers,
        })
    }

    pub(super) fn visit_paths_as(
        &self,
        form: PathForm,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        let form = if self.map.as_grid().is_some() { form } else { PathForm::Nodes };
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let rounds = &mut rounds.paths[form as usize];
        let rounds = ready(rounds, || self.path_rounds(form))?;
        let record = |[distance, path]: &[Launch; 2], encoder: &mut CommandEncoder, count| {
            self.record_distances(distance, encoder, count);
            path.record(&self.gpu, encoder, count.div_ceil(ALONE));
        };
        let batch = (requests, Positions::From(0));
        let (timing, _) = run_paths((&self.gpu, rounds), (&self.map, form), batch, record, visit)?;
        Ok(timing)
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

    fn distance_rounds(&self) -> Result<Rounds<Launch>, GpuError> {
        let shape = RoundShape::fit(&self.gpu, [1, 0], 0, u64::MAX);
        let kernel = self.distance_kernel(1)?;
        Rounds::new(&self.gpu, shape, |buffers| self.bind_distances(&kernel, buffers))
    }

    fn path_rounds(&self, form: PathForm) -> Result<Rounds<[Launch; 2]>, GpuError> {
        // Both walks take a turn or two per hop, and cells one per step.
        let turns = self.most_hops * if form == PathForm::Legs { 4 } else { 4 + 32 };
        if turns > self.gpu.most_turns() {
            let reason = "its paths have more steps than a kernel of a software driver can take; \
                          use a GPU, or ask for distances";
            return Err(GpuError::Unsupported { method: NAME, reason: reason.to_owned() });
        }
        // Legs take half a word; a hop has up to 31 steps, but few in most maps.
        let (usual, most) = match (form, self.map.as_grid()) {
            (PathForm::Legs, _) => (self.usual_hops / 2, self.most_hops),
            (PathForm::Nodes, Some(_)) => (4 * self.usual_hops, 32 * self.most_hops),
            (PathForm::Nodes, None) => (self.usual_hops, self.most_hops),
        };
        // The words in use are counted in 32 bits, also those that the pool has no room for.
        let shape = RoundShape::fit(&self.gpu, [PATH_ANSWER_WORDS, usual], 0, (1 << 31) / most);
        let (distance, path) =
            (self.distance_kernel(PATH_ANSWER_WORDS)?, self.path_kernel(form, shape)?);
        let Buffers { records, hops, .. } = &self.buffers;
        let group = [(0, records), (1, &hops[0]), (2, &hops[1]), (3, &hops[2])];
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
        let sources = [include_str!("labels.wgsl"), include_str!("distance.wgsl"), rest];
        let [bits, segments] = self.buffers.constants();
        let constants = [
            bits,
            segments,
            ("LANES", f64::from(self.lanes)),
            ("ANSWER_WORDS", answer_words as f64),
        ];
        Kernel::new(&self.gpu, "distance", &sources, "distance", &constants)
    }

    fn bind_distances(&self, kernel: &Kernel, buffers: &RoundBuffers) -> Result<Launch, GpuError> {
        let labels = self.buffers.labels();
        let round = [(0, &buffers.requests), (1, &buffers.answers)];
        kernel.bind(&self.gpu, &[&labels, &round])
    }

    fn record_distances(&self, distance: &Launch, encoder: &mut CommandEncoder, count: u64) {
        let per_group = match self.lanes {
            1 => ALONE,
            lanes => TURNS * 128 / u64::from(lanes),
        };
        distance.record(&self.gpu, encoder, count.div_ceil(per_group));
    }

    fn path_kernel(&self, form: PathForm, shape: RoundShape) -> Result<Kernel, GpuError> {
        let bits = f64::from(self.buffers.segment_bits);
        let pool = ("POOL_WORDS", shape.pool_words as f64);
        let walk = include_str!("path.wgsl");
        match self.map.as_grid() {
            Some(grid) => {
                let sources = [walk, include_str!("path_grid.wgsl")];
                let constants = [
                    pool,
                    ("SEGMENT_BITS", bits),
                    ("WRITES_NODES", f64::from(form as u8)),
                    ("WIDTH", f64::from(grid.width())),
                ];
                Kernel::new(&self.gpu, "paths", &sources, "path", &constants)
            }
            None => {
                let sources = [walk, include_str!("path_graph.wgsl")];
                // A word per entry, of which a group has four.
                let constants = [pool, ("SEGMENT_BITS", bits + 2.0)];
                Kernel::new(&self.gpu, "paths", &sources, "path", &constants)
            }
        }
    }
}

impl Buffers {
    /// The constants of `labels.wgsl`.
    pub(super) fn constants(&self) -> [(&'static str, f64); 2] {
        let bits = ("SEGMENT_BITS", f64::from(self.segment_bits));
        [bits, ("SEGMENTS", self.used_segments as f64)]
    }

    /// Group 0 of the kernels that read rows.
    pub(super) fn labels(&self) -> [(u32, &Buffer); 5] {
        let [a, b, c] = &self.costs;
        [(0, &self.records), (1, &self.ends), (2, a), (3, b), (4, c)]
    }
}
