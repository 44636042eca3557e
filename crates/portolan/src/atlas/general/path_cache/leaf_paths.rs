//! Legs: the nodes along the ways between the members of a leaf and its border, ready to be copied
//! into a path.
//!
//! The ways to one border node make a tree. It is cut into *runs*, each of which goes on from a
//! member to the heaviest of those behind it, so that a way meets few runs (at most the logarithm
//! of the number of members), and a run lies side by side in memory as it is walked. A *leg* is the
//! part of a member's way that lies in its own run; a word beside the run tells the leg with which
//! the way goes on: behind a run that leads out, before one that leads in.

use crate::atlas::general::core::ReducedGraph;
use crate::atlas::general::index::GeneralIndex;
use crate::atlas::general::path_cache::NodeSpan;
use crate::atlas::general::tables::homes::Home;
use crate::atlas::general::tables::region::{BORDER, Region};
use std::cmp::Reverse;

use rayon::prelude::*;

use crate::atlas::separator_tree::RegionId;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Direction, NodeId};
use crate::store::Words;

/// A leg in one word: where it begins, counted from its leaf's first node, and in the low bits how
/// many nodes it has; none where there is nothing to walk.
pub(crate) type RunPart = u32;

/// The bits of a leg that count its nodes.
const LEN_BITS: u32 = 12;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeafPaths {
    /// By region where the legs of its members begin.
    first: Vec<u32>,
    /// By region where its nodes begin.
    pub(crate) first_node: Words,
    /// The legs of all members to all border nodes of their leaf, out and into.
    pub(crate) parts: [Words; 2],
    /// The runs, with a leg beside each.
    pub(crate) nodes: Words,
}

impl LeafPaths {
    /// The legs of all leaves; `None` where they would take more than so many bytes, and where
    /// leaves are too large to count their nodes in a word.
    pub(crate) fn build(index: &GeneralIndex, reduced: &ReducedGraph, limit: u64) -> Option<Self> {
        let (first, count) = first_legs(index)?;
        let fits = |nodes: usize| {
            (4 * (2 * first.len() + 2 * count + nodes)) as u64 <= limit
                && u32::try_from(nodes).is_ok()
        };
        if !fits(0) {
            return None;
        }
        let leaves = index.regions.par_iter().map(|region| Laid::of(reduced, region));
        let leaves: Vec<Laid> = leaves.collect::<Option<_>>()?;
        let total: usize = leaves.iter().map(|laid| laid.nodes.len()).sum();
        if !fits(total) {
            return None;
        }
        let mut parts = [Vec::with_capacity(count), Vec::with_capacity(count)];
        let (mut first_node, mut nodes) = (Vec::new(), Vec::with_capacity(total));
        for laid in leaves {
            first_node.push(nodes.len() as u32);
            nodes.extend(laid.nodes);
            for (all, own) in parts.iter_mut().zip(laid.parts) {
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

    /// The legs that lie in these words; `None` where the words are too few or too many.
    pub(crate) fn from_words(
        index: &GeneralIndex,
        first_node: Words,
        parts: [Words; 2],
        nodes: Words,
    ) -> Option<Self> {
        let (first, count) = first_legs(index)?;
        let fit = parts.iter().all(|parts| parts.len() == count) && first_node.len() == first.len();
        fit.then_some(Self { first, first_node, parts, nodes })
    }

    /// The legs of a member to so many border nodes.
    #[inline(always)]
    pub(crate) fn of(&self, direction: Direction, home: Home, border: usize) -> &[RunPart] {
        let first =
            self.first.get(home.region as usize).map_or(usize::MAX, |&first| first as usize);
        let start = first.saturating_add(home.slot as usize * border);
        self.parts[direction as usize].get(start..start.saturating_add(border)).unwrap_or_default()
    }

    /// The nodes of a leg in a leaf; `None` where there is nothing to walk.
    #[inline(always)]
    pub(crate) fn span(&self, leaf: RegionId, leg: RunPart) -> Option<NodeSpan> {
        let (start, len) = (leg >> LEN_BITS, leg & ((1 << LEN_BITS) - 1));
        let first = *self.first_node.get(leaf as usize).filter(|_| len > 0)?;
        Some(NodeSpan { start: first.saturating_add(start), len })
    }

    /// The leg with which the way goes on behind a piece; `None` where there is no such word.
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

/// By region where the legs of its members begin, and how many there are; `None` for more than can
/// be numbered.
fn first_legs(index: &GeneralIndex) -> Option<(Vec<u32>, usize)> {
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

/// The legs of one leaf.
#[derive(Default)]
struct Laid {
    parts: [Vec<RunPart>; 2],
    nodes: Vec<u32>,
}

impl Laid {
    /// `None` where the nodes are too many to count, and where steps lead nowhere.
    fn of(reduced: &ReducedGraph, region: &Region) -> Option<Self> {
        let mut laid = Self::default();
        let Some(leaf) = region.leaf() else { return Some(laid) };
        let (members, border) = (region.members.len(), region.border.len());
        for direction in [Direction::Forward, Direction::Backward] {
            laid.parts[direction as usize] = vec![0; members * border];
            for to in 0..border {
                let steps = &leaf.steps.of(direction)[to * members..(to + 1) * members];
                // The steps of a damaged file may lead to members that there are not.
                let is_step = |&step: &u16| step == BORDER || usize::from(step) < members;
                if !steps.iter().all(is_step) {
                    return None;
                }
                let costs = (0..members).map(|slot| leaf.reach.of(direction)[slot * border + to]);
                let directions =
                    PathTree { reduced, region, direction, to, steps, costs: costs.collect() };
                directions.lay(&mut laid)?;
            }
        }
        Some(laid)
    }
}

/// The ways between all members of a leaf and one border node.
struct PathTree<'a> {
    reduced: &'a ReducedGraph,
    region: &'a Region,
    direction: Direction,
    to: usize,
    /// By member the next on its way to the border node.
    steps: &'a [u16],
    costs: Vec<Cost>,
}

impl PathTree<'_> {
    fn lay(&self, laid: &mut Laid) -> Option<()> {
        let mut nearest: Vec<u16> = (0..self.costs.len() as u16).collect();
        nearest.retain(|&member| self.costs[usize::from(member)] != UNREACHABLE);
        nearest.sort_by_key(|&member| self.costs[usize::from(member)]);
        let heaviest = self.heaviest(&nearest);
        let mut run = Vec::new();
        // Nearer members first: when a run begins, that on which it hangs has been laid.
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
                Direction::Forward => self.lay_out(&run, laid)?,
                Direction::Backward => self.lay_into(&run, laid)?,
            }
        }
        Some(())
    }

    /// By member the one with the most others behind it of those that come to it; [`BORDER`] for
    /// none.
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

    /// From the last member of a run to what it hangs on.
    fn lay_out(&self, run: &[u16], laid: &mut Laid) -> Option<()> {
        let mut starts = Vec::with_capacity(run.len());
        for &member in run.iter().rev() {
            starts.push((member, laid.nodes.len()));
            let next = self.steps[usize::from(member)];
            self.step(self.node(member), self.node(next), laid);
        }
        let end = laid.nodes.len();
        for (member, start) in starts {
            *self.leg(member, laid) = packed(start, end - start)?;
        }
        self.link(run[0], laid);
        Some(())
    }

    /// From what a run hangs on to its last member.
    fn lay_into(&self, run: &[u16], laid: &mut Laid) -> Option<()> {
        self.link(run[0], laid);
        let start = laid.nodes.len();
        for &member in run {
            let before = self.steps[usize::from(member)];
            self.step(self.node(before), self.node(member), laid);
            *self.leg(member, laid) = packed(start, laid.nodes.len() - start)?;
        }
        Some(())
    }

    fn step(&self, from: NodeId, to: NodeId, laid: &mut Laid) {
        self.reduced.nodes_between(from, to, &mut laid.nodes);
        laid.nodes.push(to);
    }

    /// Writes down with which leg the way of a run's first member goes on.
    fn link(&self, top: u16, laid: &mut Laid) {
        let leg = match self.steps[usize::from(top)] {
            BORDER => 0,
            next => *self.leg(next, laid),
        };
        laid.nodes.push(leg);
    }

    fn leg<'l>(&self, member: u16, laid: &'l mut Laid) -> &'l mut RunPart {
        let at = usize::from(member) * self.region.border.len() + self.to;
        &mut laid.parts[self.direction as usize][at]
    }

    fn node(&self, member: u16) -> NodeId {
        match member {
            BORDER => self.region.border[self.to],
            member => self.region.members[usize::from(member)],
        }
    }
}

/// A leg of so many nodes; `None` where the numbers are too large.
fn packed(start: usize, len: usize) -> Option<RunPart> {
    let fits = start < 1 << (u32::BITS - LEN_BITS) && len < 1 << LEN_BITS;
    fits.then_some((start << LEN_BITS | len) as RunPart)
}
