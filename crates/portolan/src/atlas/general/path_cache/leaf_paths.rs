//! Leaf paths: the nodes along the paths between the members of a leaf and its border.
//!
//! The paths to one border node form a tree. It is divided into *runs* (heavy paths): a run
//! continues from a member to the child with the largest subtree. So a path consists of few runs,
//! at most the logarithm of the number of members, and a run is contiguous in memory. A *run part*
//! is the part of a member's path in its own run. A word beside the run refers to the run part with
//! which the path continues: after a forward run, before a backward run.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::NodeSpan;
use crate::atlas::general::core::ReducedGraph;
use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::tables::homes::Home;
use crate::atlas::general::tables::region::{BORDER, Region};
use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};
use crate::store::Words;

/// A run part in one word: its start relative to the first node of the leaf, and in the low bits
/// the number of its nodes. Zero nodes mean that there is no path.
pub(crate) type RunPart = u32;

/// Bits for the number of nodes.
const LEN_BITS: u32 = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeafPaths {
    /// First position in `parts` by region.
    first: Vec<u32>,
    /// First position in `nodes` by region.
    pub(crate) first_node: Words,
    /// By direction: for all members and all border nodes of their leaf the run part.
    pub(crate) parts: [Words; 2],
    /// The runs, each with the run part of its continuation.
    pub(crate) nodes: Words,
}

impl LeafPaths {
    /// Builds the paths of all leaves; `None` if they take more than `limit` bytes or a leaf is too
    /// large for the encoding.
    pub(crate) fn build(index: &GeneralIndex, reduced: &ReducedGraph, limit: u64) -> Option<Self> {
        let (first, count) = first_parts(index)?;
        let fits = |nodes: usize| {
            (4 * (2 * first.len() + 2 * count + nodes)) as u64 <= limit
                && u32::try_from(nodes).is_ok()
        };
        if !fits(0) {
            return None;
        }
        let leaves = index.regions.par_iter().map(|region| LeafRuns::of(reduced, region));
        let leaves: Vec<LeafRuns> = leaves.collect::<Option<_>>()?;
        let total: usize = leaves.iter().map(|runs| runs.nodes.len()).sum();
        if !fits(total) {
            return None;
        }
        let mut parts = [Vec::with_capacity(count), Vec::with_capacity(count)];
        let (mut first_node, mut nodes) = (Vec::new(), Vec::with_capacity(total));
        for runs in leaves {
            first_node.push(nodes.len() as u32);
            nodes.extend(runs.nodes);
            for (all, own) in parts.iter_mut().zip(runs.parts) {
                all.extend(own);
            }
        }
        Some(Self {
            first,
            first_node: first_node.into(),
            parts: parts.map(Words::from),
            nodes: nodes.into(),
        })
    }

    /// Wraps stored words; `None` if their number is wrong.
    pub(crate) fn from_words(
        index: &GeneralIndex,
        first_node: Words,
        parts: [Words; 2],
        nodes: Words,
    ) -> Option<Self> {
        let (first, count) = first_parts(index)?;
        let fit = parts.iter().all(|parts| parts.len() == count) && first_node.len() == first.len();
        fit.then_some(Self { first, first_node, parts, nodes })
    }

    /// The run parts of a member for all `border` border nodes.
    #[inline(always)]
    pub(crate) fn of(&self, direction: Direction, home: Home, border: usize) -> &[RunPart] {
        let first =
            self.first.get(home.region as usize).map_or(usize::MAX, |&first| first as usize);
        let start = first.saturating_add(home.slot as usize * border);
        self.parts[direction as usize].get(start..start.saturating_add(border)).unwrap_or_default()
    }

    /// The nodes of a run part; `None` if there is no path.
    #[inline(always)]
    pub(crate) fn span(&self, leaf: RegionId, part: RunPart) -> Option<NodeSpan> {
        let (start, len) = (part >> LEN_BITS, part & ((1 << LEN_BITS) - 1));
        let first = *self.first_node.get(leaf as usize).filter(|_| len > 0)?;
        Some(NodeSpan { start: first.saturating_add(start), len })
    }

    /// The run part with which the path continues after a span; `None` if the span is invalid.
    #[inline(always)]
    pub(crate) fn continuation(&self, direction: Direction, span: NodeSpan) -> Option<RunPart> {
        let at = match direction {
            Direction::Forward => span.start.checked_add(span.len)? as usize,
            Direction::Backward => (span.start as usize).checked_sub(1)?,
        };
        self.nodes.get(at).copied()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(Words::memory_bytes).sum();
        4 * self.first.len() + self.first_node.memory_bytes() + parts + self.nodes.memory_bytes()
    }
}

/// First position in `parts` by region, and the number of parts; `None` if 32 bits do not suffice.
fn first_parts(index: &GeneralIndex) -> Option<(Vec<u32>, usize)> {
    let mut first = Vec::with_capacity(index.regions.len());
    let mut count = 0_usize;
    for region in &index.regions {
        first.push(u32::try_from(count).ok()?);
        if region.leaf().is_some() {
            count = count.checked_add(region.members.len().checked_mul(region.border.len())?)?;
        }
    }
    Some((first, count))
}

/// The runs of one leaf.
#[derive(Default)]
struct LeafRuns {
    parts: [Vec<RunPart>; 2],
    nodes: Vec<u32>,
}

impl LeafRuns {
    /// `None` if there are too many nodes, or if a step is invalid.
    fn of(reduced: &ReducedGraph, region: &Region) -> Option<Self> {
        let mut runs = Self::default();
        let Some(leaf) = region.leaf() else { return Some(runs) };
        let (members, border) = (region.members.len(), region.border.len());
        for direction in [Direction::Forward, Direction::Backward] {
            runs.parts[direction as usize] = vec![0; members * border];
            for to in 0..border {
                let steps = &leaf.steps.of(direction)[to * members..(to + 1) * members];
                // Steps from a damaged file may name members that do not exist.
                let is_step = |&step: &u16| step == BORDER || usize::from(step) < members;
                if !steps.iter().all(is_step) {
                    return None;
                }
                let costs = (0..members).map(|slot| leaf.reach.of(direction)[slot * border + to]);
                let directions =
                    PathTree { reduced, region, direction, to, steps, costs: costs.collect() };
                directions.store_runs(&mut runs)?;
            }
        }
        Some(runs)
    }
}

/// The paths between all members of a leaf and one border node.
struct PathTree<'a> {
    reduced: &'a ReducedGraph,
    region: &'a Region,
    direction: Direction,
    to: usize,
    /// For each member the next one on its path.
    steps: &'a [u16],
    costs: Vec<Cost>,
}

impl PathTree<'_> {
    fn store_runs(&self, runs: &mut LeafRuns) -> Option<()> {
        let mut nearest: Vec<u16> = (0..self.costs.len() as u16).collect();
        nearest.retain(|&member| self.costs[usize::from(member)] != UNREACHABLE);
        nearest.sort_by_key(|&member| self.costs[usize::from(member)]);
        let heaviest = self.heaviest(&nearest);
        let mut run = Vec::new();
        // By ascending cost, so the run to which a run is attached exists already.
        for &top in &nearest {
            let before = self.steps[usize::from(top)];
            if before != BORDER && heaviest[usize::from(before)] == top {
                continue;
            }
            run.clear();
            let mut member = top;
            while member != BORDER {
                run.push(member);
                member = heaviest[usize::from(member)];
            }
            match self.direction {
                Direction::Forward => self.store_forward(&run, runs)?,
                Direction::Backward => self.store_backward(&run, runs)?,
            }
        }
        Some(())
    }

    /// For each member the child with the largest subtree; [`BORDER`] if there is none.
    fn heaviest(&self, nearest: &[u16]) -> Vec<u16> {
        let mut sizes = vec![1_u32; self.costs.len()];
        let mut heaviest = vec![BORDER; self.costs.len()];
        for &member in nearest.iter().rev() {
            let next = usize::from(self.steps[usize::from(member)]);
            let Some(size) = sizes.get(next) else { continue };
            let own = sizes[usize::from(member)];
            let known = heaviest[next];
            let key = |member: u16| (sizes[usize::from(member)], Reverse(member));
            if known == BORDER || key(member) > key(known) {
                heaviest[next] = member;
            }
            sizes[next] = size + own;
        }
        heaviest
    }

    /// Stores a forward run: from its last member to the node to which it is attached.
    fn store_forward(&self, run: &[u16], runs: &mut LeafRuns) -> Option<()> {
        let mut starts = Vec::with_capacity(run.len());
        for &member in run.iter().rev() {
            starts.push((member, runs.nodes.len()));
            let next = self.steps[usize::from(member)];
            self.step(self.node(member), self.node(next), runs);
        }
        let end = runs.nodes.len();
        for (member, start) in starts {
            *self.part(member, runs) = pack(start, end - start)?;
        }
        self.link(run[0], runs);
        Some(())
    }

    /// Stores a backward run: from the node to which it is attached to its last member.
    fn store_backward(&self, run: &[u16], runs: &mut LeafRuns) -> Option<()> {
        self.link(run[0], runs);
        let start = runs.nodes.len();
        for &member in run {
            let before = self.steps[usize::from(member)];
            self.step(self.node(before), self.node(member), runs);
            *self.part(member, runs) = pack(start, runs.nodes.len() - start)?;
        }
        Some(())
    }

    fn step(&self, from: NodeId, to: NodeId, runs: &mut LeafRuns) {
        self.reduced.nodes_between(from, to, &mut runs.nodes);
        runs.nodes.push(to);
    }

    /// Stores the continuation of the path of a run's first member.
    fn link(&self, top: u16, runs: &mut LeafRuns) {
        let part = match self.steps[usize::from(top)] {
            BORDER => 0,
            next => *self.part(next, runs),
        };
        runs.nodes.push(part);
    }

    fn part<'l>(&self, member: u16, runs: &'l mut LeafRuns) -> &'l mut RunPart {
        let at = usize::from(member) * self.region.border.len() + self.to;
        &mut runs.parts[self.direction as usize][at]
    }

    fn node(&self, member: u16) -> NodeId {
        match member {
            BORDER => self.region.border[self.to],
            member => self.region.members[usize::from(member)],
        }
    }
}

/// `None` if the numbers are too large.
fn pack(start: usize, len: usize) -> Option<RunPart> {
    let fits = start < 1 << (u32::BITS - LEN_BITS) && len < 1 << LEN_BITS;
    fits.then_some((start << LEN_BITS | len) as RunPart)
}
