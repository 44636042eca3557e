//! What all engines on the GPU share.

use std::fmt;

use portolan::{Cost, Map};
use wgpu::CommandEncoder;

use crate::batch::{
    GpuDistances, GpuPaths, GpuRound, POOL_FULL, PathForm, Positions, Request, STATE_FULL,
};
use crate::device::{Gpu, Rounds, Timing};
use crate::error::{GpuError, GpuLimit};

/// An engine that answers batches of any size on the GPU.
///
/// Exact engines answer with the costs of single queries on the CPU, in the order of the requests.
/// Batches of several threads run one after the other.
pub trait GpuEngine: fmt::Debug + Send + Sync {
    /// The name under which [`METHODS`](crate::METHODS) lists it.
    fn name(&self) -> &'static str;

    /// Whether its paths are always shortest paths.
    fn exact(&self) -> bool;

    /// The map that it was built for.
    fn map(&self) -> &Map;

    /// The device that it uses.
    fn gpu(&self) -> &Gpu;

    /// Bytes of the map and precomputed data on the device, without the memory of batches.
    fn memory_bytes(&self) -> u64;

    /// The form that its data takes, where it has a choice: `general`, `clusters of 20`.
    fn form_name(&self) -> Option<String> {
        None
    }

    /// Replaces the contents of `costs` by the costs of the requests' paths, in their order;
    /// [`UNREACHABLE`](portolan::UNREACHABLE) where there is no path, or an error.
    fn distances_into(
        &self,
        requests: &[Request],
        costs: &mut Vec<Cost>,
    ) -> Result<Timing, GpuError>;

    /// Finds the paths of all requests and visits them round by round, without copying them.
    /// `visit` must not use this engine, whose memory is locked meanwhile.
    fn visit_paths(
        &self,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError>;

    /// The costs of the requests' paths.
    fn distances<'a>(&self, requests: &'a [Request]) -> Result<GpuDistances<'a>, GpuError> {
        let mut costs = Vec::new();
        let timing = self.distances_into(requests, &mut costs)?;
        Ok(GpuDistances { map: self.map().clone(), requests, costs, timing })
    }

    /// The paths of all requests.
    fn find_all<'a>(&self, requests: &'a [Request]) -> Result<GpuPaths<'a>, GpuError> {
        let mut paths = GpuPaths::new(self.map(), requests);
        let timing = self.visit_paths(requests, &mut |round| paths.add(&round))?;
        paths.set_timing(timing);
        Ok(paths)
    }
}

/// The rounds of an engine whose kernels answer with costs alone.
pub(crate) fn run_distances<T>(
    (gpu, rounds): (&Gpu, &mut Rounds<T>),
    requests: &[Request],
    record: impl Fn(&T, &mut CommandEncoder, u64),
    costs: &mut Vec<Cost>,
) -> Result<Timing, GpuError> {
    costs.clear();
    costs.reserve(requests.len());
    let batch = (requests, Positions::From(0));
    rounds.run(gpu, batch, u64::MAX, record, &mut |_, answers, _| costs.extend_from_slice(answers))
}

/// The rounds of an engine whose kernels answer with paths, for the requests at these positions.
/// Requests that found the pool full are answered again in smaller rounds. Returns the positions of
/// those that found the state of the search full.
pub(crate) fn run_paths<T>(
    (gpu, rounds): (&Gpu, &mut Rounds<T>),
    (map, form): (&Map, PathForm),
    (requests, positions): (&[Request], Positions<'_>),
    record: impl Fn(&T, &mut CommandEncoder, u64),
    visit: &mut dyn FnMut(GpuRound<'_>),
) -> Result<(Timing, Vec<u32>), GpuError> {
    let (mut timing, mut without_state) = (Timing::default(), Vec::new());
    let mut most = rounds.shape().requests;
    let mut listed: Option<Vec<u32>> = None;
    loop {
        let positions = listed.as_deref().map_or(positions, Positions::Listed);
        let mut without_pool = Vec::new();
        let run =
            rounds.run(gpu, (requests, positions), most, &record, &mut |range, words, pool| {
                let (answers, _) = words.as_chunks::<3>();
                let positions = positions.skip(range.start);
                for (index, answer) in answers.iter().enumerate() {
                    match answer[1] {
                        POOL_FULL => without_pool.push(positions.at(index) as u32),
                        STATE_FULL => without_state.push(positions.at(index) as u32),
                        _ => {}
                    }
                }
                visit(GpuRound { map, form, requests, positions, answers, pool });
            });
        timing = timing.plus(run?);
        if without_pool.is_empty() {
            return Ok((timing, without_state));
        }
        if most == 1 {
            let available = 4 * rounds.shape().pool_words;
            let needed = available + 4;
            let limit = match needed > gpu.max_binding() {
                true => gpu.binding_limit(),
                false => GpuLimit::WorkingMemory,
            };
            return Err(GpuError::TooLarge { what: "a path", needed, available, limit });
        }
        most = (most / 4).max(1);
        listed = Some(without_pool);
    }
}
