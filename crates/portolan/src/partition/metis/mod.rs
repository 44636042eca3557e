//! Cuts by METIS (Karypis and Kumar 1998), through its C interface. The only unsafe code of
//! `partition`.
//!
//! METIS draws its random numbers from this crate (`random.rs`), so the result depends on the input
//! alone, and separators are found in parallel. For cuts of edges METIS installs process-wide
//! handlers of SIGABRT and SIGTERM while it works, so those calls exclude all others.
//!
//! METIS trusts its input and prints on invalid input. It only gets connected graphs of at least
//! two nodes, as a [`CoarseGraph`]. Their rows are sorted and symmetric; lengths and ranges are
//! checked again before the call.
#![allow(unsafe_code)]

mod coarse;
mod random;

use std::ptr::null_mut;

use metis_sys as sys;
use rayon::prelude::*;
use sys::idx_t;

use self::coarse::CoarseGraph;
use super::bisect::SideLimits;
use super::flow::{CutKind, LeastCutFinder};
use super::inertial::{BestCut, SIDE_BY_SIDE};
use super::{CutSide, PartitionError, Topology};

/// The smallest tolerance that METIS supports.
const TIGHTEST: f64 = 1.001;

/// The number of different seeds of METIS.
const SEEDS: u64 = idx_t::MAX as u64;

/// A small cut of a connected topology within the limits: the best of `tries`. The limits allow all
/// nodes on both sides together, and all but one on each.
///
/// METIS may exceed the limits, and separates only into halves. Searching for smaller cuts near
/// those of METIS repairs both.
pub(super) fn cut(
    topology: &Topology,
    kind: CutKind,
    limits: SideLimits,
    tries: u32,
    seed: u64,
) -> Result<Vec<CutSide>, PartitionError> {
    let coarse = CoarseGraph::of(topology);
    let mut input = MetisGraph::new(&coarse)?;
    let cutter = LeastCutFinder::new(topology, kind);
    let half = limits.a.min(limits.b);
    let try_once = |input: &mut MetisGraph, best: &mut BestCut<'_>, number: u32| {
        let mut options = options(seed.wrapping_add(u64::from(number)))?;
        let found = if kind == CutKind::Nodes && 2 * half >= topology.node_count() {
            input.cut_nodes(&mut options, half)?
        } else {
            input.cut_edges(&mut options, limits)?
        };
        best.try_near(coarse.spread(found));
        Ok(())
    };
    let mut best = BestCut::new(&cutter, limits);
    if topology.node_count() < SIDE_BY_SIDE {
        (0..tries.max(1)).try_for_each(|number| try_once(&mut input, &mut best, number))?;
        return Ok(best.into_sides());
    }
    // Independent, so that one cut is improved while METIS works on the next; the best is the same.
    let tried = (0..tries.max(1)).into_par_iter().map(|number| {
        let mut best = BestCut::new(&cutter, limits);
        try_once(&mut input.clone(), &mut best, number).map(|()| best)
    });
    for other in tried.collect::<Result<Vec<_>, PartitionError>>()? {
        best.take_from(other);
    }
    Ok(best.into_sides())
}

/// A graph in the types of METIS.
#[derive(Clone)]
struct MetisGraph {
    groups: idx_t,
    nodes: f64,
    first: Vec<idx_t>,
    heads: Vec<idx_t>,
    weights: Vec<idx_t>,
    sizes: Vec<idx_t>,
}

impl MetisGraph {
    fn new(coarse: &CoarseGraph<'_>) -> Result<Self, PartitionError> {
        let (groups, entries) = (coarse.len(), coarse.heads().len());
        let (first, heads) = (coarse.first(), coarse.heads());
        let nodes = (0..groups as u32).map(|group| u64::from(coarse.size(group))).sum::<u64>();
        let weight = coarse.weights().map_or(entries as u64, |weights| {
            assert_eq!(weights.len(), entries);
            weights.iter().map(|&weight| u64::from(weight)).sum()
        });
        // The row index counts one more.
        if nodes >= idx_t::MAX as u64 || weight > idx_t::MAX as u64 {
            return Err(PartitionError::TooLarge { nodes: nodes as usize, entries, weight });
        }
        assert!(groups >= 2 && first.len() == groups + 1 && first[0] == 0);
        assert!(first.is_sorted() && first[groups] as usize == entries && entries > 0);
        assert!(heads.iter().all(|&head| (head as usize) < groups));
        // All values are at most the checked sums.
        let cast = |values: &[u32]| values.iter().map(|&value| value as idx_t).collect();
        Ok(Self {
            groups: groups as idx_t,
            nodes: nodes as f64,
            first: cast(first),
            heads: cast(heads),
            weights: coarse.weights().map_or_else(|| vec![1; entries], cast),
            sizes: (0..groups as u32).map(|group| coarse.size(group) as idx_t).collect(),
        })
    }

    /// A small cut of edges whose sides are in proportion to the limits.
    fn cut_edges(
        &mut self,
        options: &mut Options,
        limits: SideLimits,
    ) -> Result<Vec<CutSide>, PartitionError> {
        let (limit_a, limit_b) = (limits.a as f64, limits.b as f64);
        let share = (limit_a / (limit_a + limit_b)) as f32;
        let mut shares = [share, 1.0 - share];
        let mut excess = [((limit_a + limit_b) / self.nodes).max(TIGHTEST) as f32];
        let (mut constraints, mut parts, mut cut) = (1, 2, 0);
        self.call(CutKind::Edges, |input, part| {
            // SAFETY: the rows are symmetric, as those of every `CoarseGraph`, and checked by
            // `MetisGraph::new`; sizes and `part` have an entry for each group, weights for each
            // entry; `shares` has one for each of two parts, `excess` one for the only constraint.
            // METIS allows the null pointer for the vertex sizes, which only another objective
            // uses.
            unsafe {
                sys::METIS_PartGraphRecursive(
                    &mut input.groups,
                    &mut constraints,
                    input.first.as_mut_ptr(),
                    input.heads.as_mut_ptr(),
                    input.sizes.as_mut_ptr(),
                    null_mut(),
                    input.weights.as_mut_ptr(),
                    &mut parts,
                    shares.as_mut_ptr(),
                    excess.as_mut_ptr(),
                    options.as_mut_ptr(),
                    &mut cut,
                    part.as_mut_ptr(),
                )
            }
        })
    }

    /// A small separator with about `most` nodes or fewer on each side.
    fn cut_nodes(
        &mut self,
        options: &mut Options,
        most: usize,
    ) -> Result<Vec<CutSide>, PartitionError> {
        let excess = 2.0 * most as f64 / self.nodes - 1.0;
        options[sys::moptions_et_METIS_OPTION_UFACTOR as usize] =
            ((excess * 1000.0) as idx_t).max(1);
        let mut size = 0;
        self.call(CutKind::Nodes, |input, part| {
            // SAFETY: as above.
            unsafe {
                sys::METIS_ComputeVertexSeparator(
                    &mut input.groups,
                    input.first.as_mut_ptr(),
                    input.heads.as_mut_ptr(),
                    input.sizes.as_mut_ptr(),
                    options.as_mut_ptr(),
                    &mut size,
                    part.as_mut_ptr(),
                )
            }
        })
    }

    /// Calls METIS and converts its result to sides.
    fn call(
        &mut self,
        kind: CutKind,
        run: impl FnOnce(&mut Self, &mut [idx_t]) -> i32,
    ) -> Result<Vec<CutSide>, PartitionError> {
        let mut part = vec![0; self.groups as usize];
        let status = random::turn(kind == CutKind::Edges, || run(self, &mut part));
        if status != sys::rstatus_et_METIS_OK {
            return Err(PartitionError::Metis { status });
        }
        let side = |part| match part {
            0 => CutSide::A,
            1 => CutSide::B,
            _ => CutSide::Separator,
        };
        Ok(part.into_iter().map(side).collect())
    }
}

type Options = [idx_t; sys::METIS_NOPTIONS as usize];

fn options(seed: u64) -> Result<Options, PartitionError> {
    let mut options = [0; sys::METIS_NOPTIONS as usize];
    // SAFETY: writes METIS_NOPTIONS entries, which is the length of the array.
    let status = unsafe { sys::METIS_SetDefaultOptions(options.as_mut_ptr()) };
    if status != sys::rstatus_et_METIS_OK {
        return Err(PartitionError::Metis { status });
    }
    // C's `rand` treats the seeds 0 and 1 alike, and METIS takes -1 for "no seed". This leaves 1 to
    // 2^31 - 1.
    options[sys::moptions_et_METIS_OPTION_SEED as usize] = (seed % SEEDS) as idx_t + 1;
    Ok(options)
}
