//! Ways read off from distances, neighbour by neighbour.

use super::perfect::rows::Rows;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId};
use crate::heuristic::{Geometric, GeometricBound, LowerBound};
use crate::location::Extent;
use crate::portal::bound::layout::Layout;
use crate::search::Observer;

/// A way through a region to the portal at some place in its list; with `turned`, against the
/// edges, on a graph that is turned as well.
pub(crate) struct Descent<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) rows: &'a Rows,
    pub(crate) region: u32,
    /// The place of the portal that it leads to, and its node.
    pub(crate) place: usize,
    pub(crate) goal: NodeId,
    pub(crate) turned: bool,
}

impl Descent<'_> {
    /// Adds the nodes after `from`, which lies so far from the portal, up to the portal. False
    /// where no neighbour is as much nearer as the step to it costs, which is so in damaged files
    /// only.
    pub(crate) fn follow(
        &self,
        graph: &impl Graph,
        from: NodeId,
        left: Cost,
        path: &mut Vec<NodeId>,
        observer: &mut impl Observer,
    ) -> bool {
        descend(graph, (from, self.goal), left, path, observer, |head, rest| {
            if rest == 0 {
                return head == self.goal;
            }
            self.layout.number(head) == self.region
                && self.rows.row(self.layout, self.region, head, self.turned)[self.place] == rest
        })
    }
}

/// A way through a region to a portal that is no longer than the bound: every step on it comes
/// nearer by what it costs.
pub(crate) struct Straight<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) base: &'a Geometric,
    pub(crate) region: u32,
    pub(crate) goal: NodeId,
}

impl Straight<'_> {
    /// Adds the nodes after `from`, which lies so far from the portal. False where the way is
    /// longer than the bound, or where the first step that comes nearer, again and again, ends at a
    /// wall: that takes a search.
    pub(crate) fn follow(
        &self,
        graph: &impl Graph,
        from: NodeId,
        left: Cost,
        path: &mut Vec<NodeId>,
        observer: &mut impl Observer,
    ) -> bool {
        let goal = self.base.position(self.goal);
        let is_left =
            |node: NodeId, left: Cost| self.base.between(self.base.position(node), goal) == left;
        is_left(from, left)
            && descend(graph, (from, self.goal), left, path, observer, |head, rest| {
                is_left(head, rest)
                    && (head == self.goal || self.layout.number(head) == self.region)
            })
    }
}

/// Adds the nodes after the first end, which lies so far from the second, up to that: each time the
/// first neighbour that is on the way with as much left as the step leaves. False, with nothing
/// added, where there is none. Every step costs something, so it ends.
#[inline(always)]
fn descend(
    graph: &impl Graph,
    (from, goal): (NodeId, NodeId),
    mut left: Cost,
    path: &mut Vec<NodeId>,
    observer: &mut impl Observer,
    is_on_the_way: impl Fn(NodeId, Cost) -> bool,
) -> bool {
    let (before, mut here) = (path.len(), from);
    while here != goal {
        observer.expanded(here, left);
        let mut next = None;
        graph.out_edges(here, |head, weight| {
            let Some(rest) = left.checked_sub(weight) else { return };
            if next.is_none() && weight > 0 && is_on_the_way(head, rest) {
                next = Some((head, rest));
            }
        });
        let Some((head, rest)) = next else {
            path.truncate(before);
            return false;
        };
        path.push(head);
        (here, left) = (head, rest);
    }
    left == 0
}

/// A region without its portals, and one edge from the start right to the goal: the best way by
/// portals.
pub(crate) struct Detour<'a, G> {
    pub(crate) graph: &'a G,
    pub(crate) layout: &'a Layout,
    pub(crate) region: u32,
    pub(crate) ends: (NodeId, NodeId),
    /// What that way costs; [`UNREACHABLE`] where there is none.
    pub(crate) around: Cost,
}

impl<G: Graph> Graph for Detour<'_, G> {
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.graph.contains(node)
    }

    fn extent(&self) -> Extent {
        self.graph.extent()
    }

    #[inline(always)]
    fn out_edges(&self, tail: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.graph.out_edges(tail, |head, weight| {
            if self.layout.number(head) == self.region {
                visit(head, weight);
            }
        });
        if tail == self.ends.0 && self.around != UNREACHABLE {
            visit(self.ends.1, self.around);
        }
    }

    /// It is searched forward only.
    fn in_edges(&self, _: NodeId, _: impl FnMut(NodeId, Cost)) {}

    fn is_undirected(&self) -> bool {
        false
    }

    fn may_reach(&self, _: NodeId, _: NodeId) -> bool {
        true
    }
}

/// Bounds on ways inside a region: the differences of the distances to its portals, which are
/// landmarks here.
pub(crate) struct WithinBound<'a> {
    layout: &'a Layout,
    rows: &'a Rows,
    region: u32,
    straight: GeometricBound,
    /// Of the goal.
    out: &'a [Cost],
    into: &'a [Cost],
    start: NodeId,
    goal: NodeId,
}

impl<'a> WithinBound<'a> {
    pub(crate) fn new(
        layout: &'a Layout,
        rows: &'a Rows,
        base: &Geometric,
        region: u32,
        (start, goal): (NodeId, NodeId),
    ) -> Self {
        let straight = base.with_end(goal);
        let out = rows.row(layout, region, goal, false);
        let into = rows.row(layout, region, goal, true);
        Self { layout, rows, region, straight, out, into, start, goal }
    }
}

impl LowerBound for WithinBound<'_> {
    fn at(&mut self, node: NodeId) -> Option<Cost> {
        let mut most = self.straight.at(node)?;
        // From the start a way may lead by portals, which bounds inside the region know nothing of.
        if node == self.start || node == self.goal {
            return Some(most);
        }
        let out = self.rows.row(self.layout, self.region, node, false);
        for (&here, &there) in out.iter().zip(self.out).filter(|&(_, &there)| there != UNREACHABLE)
        {
            if here == UNREACHABLE {
                return None;
            }
            most = most.max(here.saturating_sub(there));
        }
        let into = self.rows.row(self.layout, self.region, node, true);
        for (&here, &there) in into.iter().zip(self.into).filter(|&(&here, _)| here != UNREACHABLE)
        {
            if there == UNREACHABLE {
                return None;
            }
            most = most.max(there.saturating_sub(here));
        }
        Some(most)
    }
}
