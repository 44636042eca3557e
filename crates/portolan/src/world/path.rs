//! Paths that know their version, and whether they still hold.

use super::Version;
use crate::cost::{Cost, plus};
use crate::graph::{Graph, NodeId};
use crate::map::{IllegalPath, Map, on_graph};

/// A path, owned, with the version of the world it was found in and how far it has been walked.
///
/// ```
/// use portolan::Grid;
/// use portolan::world::World;
/// let world = World::new(Grid::new(20, 10)?)?;
/// let mut path = world.snapshot().find(0, 19)?.expect("nothing is in the way");
/// path.walk(5);
/// let edit = world.edit(|e| e.block(3))?; // behind the unit
/// assert!(edit.snapshot().is_valid(&path));
/// let edit = world.edit(|e| e.block(12))?;
/// let step = edit.snapshot().first_blocked_step(&path).expect("that cell is on the way");
/// assert_eq!((step.tail, step.head, step.cost), (11, 12, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    version: Version,
    cost: Cost,
    nodes: Vec<NodeId>,
    /// What each step cost in that version.
    steps: Vec<Cost>,
    /// Which of the nodes is stood on.
    at: usize,
}

/// A step of a path that is not what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedStep {
    /// The place of its tail on the path, from zero.
    pub index: usize,
    /// Where it starts.
    pub tail: NodeId,
    /// Where it leads; the same where the path ends here and this node itself is blocked.
    pub head: NodeId,
    /// What it costs now, which is not what it did; `None` where it is not legal any more.
    pub cost: Option<Cost>,
}

impl Path {
    /// Walks the nodes on the map of this version.
    pub(super) fn new(
        version: Version,
        map: &Map,
        nodes: Vec<NodeId>,
    ) -> Result<Self, IllegalPath> {
        let mut steps = Vec::with_capacity(nodes.len().saturating_sub(1));
        let mut cost = 0;
        for (index, pair) in nodes.windows(2).enumerate() {
            let (tail, head) = (pair[0], pair[1]);
            let step = map.step_cost(tail, head);
            let step = step.ok_or_else(|| match map.contains(tail) {
                false => IllegalPath::Node { index, at: map.location(tail) },
                true if !map.contains(head) => {
                    IllegalPath::Node { index: index + 1, at: map.location(head) }
                }
                true => {
                    IllegalPath::Step { index, tail: map.location(tail), head: map.location(head) }
                }
            })?;
            cost = plus(cost, step).ok_or(IllegalPath::Overflow)?;
            steps.push(step);
        }
        match nodes[..] {
            [] => Err(IllegalPath::Empty),
            [node] if !map.contains(node) => {
                Err(IllegalPath::Node { index: 0, at: map.location(node) })
            }
            _ => Ok(Self { version, cost, nodes, steps, at: 0 }),
        }
    }

    /// The version of the world it was found in.
    pub fn version(&self) -> Version {
        self.version
    }

    /// What all of it cost then.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// What the rest of it cost then.
    pub fn remaining_cost(&self) -> Cost {
        self.steps[self.at..].iter().sum()
    }

    /// All its nodes, both ends included.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The nodes still to walk, the one that is stood on first.
    pub fn remaining(&self) -> &[NodeId] {
        &self.nodes[self.at..]
    }

    /// How many steps have been walked.
    pub fn walked(&self) -> usize {
        self.at
    }

    /// The node that is stood on.
    pub fn position(&self) -> NodeId {
        self.nodes[self.at]
    }

    /// The last node.
    pub fn goal(&self) -> NodeId {
        self.nodes[self.nodes.len() - 1]
    }

    /// Whether there is nothing left to walk.
    pub fn is_finished(&self) -> bool {
        self.at + 1 == self.nodes.len()
    }

    /// Walks so many steps on, at most to the end; gives the node that is stood on then.
    pub fn walk(&mut self, steps: usize) -> NodeId {
        self.at = self.at.saturating_add(steps).min(self.steps.len());
        self.position()
    }

    /// The first of the steps from one place to below another, none of them walked, that is not what it was.
    pub(super) fn first_blocked(
        &self,
        map: &Map,
        from: usize,
        below: usize,
    ) -> Option<BlockedStep> {
        let range = from.max(self.at)..below.min(self.steps.len());
        on_graph!(map, graph => self.first_blocked_on(graph, range))
    }

    /// How many steps there are in all.
    pub(super) fn step_count(&self) -> usize {
        self.steps.len()
    }

    fn first_blocked_on(
        &self,
        graph: &impl Graph,
        mut range: std::ops::Range<usize>,
    ) -> Option<BlockedStep> {
        if self.is_finished() {
            let node = self.position();
            let blocked = BlockedStep { index: self.at, tail: node, head: node, cost: None };
            return (!graph.contains(node)).then_some(blocked);
        }
        range.find_map(|index| {
            let (tail, head) = (self.nodes[index], self.nodes[index + 1]);
            let cost = crate::map::step_cost(graph, tail, head);
            let same = cost == Some(self.steps[index]);
            (!same).then_some(BlockedStep { index, tail, head, cost })
        })
    }
}
