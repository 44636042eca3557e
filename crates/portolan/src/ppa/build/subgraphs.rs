//! Subgraphs: their members with the borders first, and their tables.

use crate::build::CostMatrix;
use crate::cost::{Cost, UNREACHABLE};
use crate::graph::{Graph, NodeId, touching};
use crate::map::on_graph;
use crate::ppa::index::{PpaIndex, Subgraph};
use crate::ppa::region_tree::SubgraphId;
use crate::ppa::tables::rows::LeafRows;
use crate::ppa::tables::{Table, TableLayout};
use crate::search::queue::Queue;

/// Builds the leaf of these nodes.
pub(crate) fn leaf(
    graph: &impl Graph,
    undirected: bool,
    members: Vec<NodeId>,
    layout: TableLayout,
    with_steps: bool,
) -> Subgraph {
    fill_leaf(graph, &leaf_members(graph, undirected, members), layout, with_steps)
}

/// Copies the members and fills the table.
pub(super) fn fill_leaf(
    graph: &impl Graph,
    members: &Subgraph,
    layout: TableLayout,
    with_steps: bool,
) -> Subgraph {
    let rows = LeafRows::new(graph, &members.members);
    let mut queue = Queue::default();
    let (count, borders) = (members.members.len(), members.borders);
    let table = Table::new(layout, count, borders, with_steps, |member, costs, steps| {
        rows.compute(member, costs, steps, &mut queue);
    });
    let heavy = rows.is_heavy() || is_heavy(&table);
    members.with_table(table, heavy)
}

/// Starts the table of a subgraph: the edges between its members, and whether one is heavy.
pub(super) fn draft(index: &PpaIndex, level: usize, id: SubgraphId) -> (CostMatrix, bool) {
    let members = index.subgraph(id);
    if level > 0 {
        let rows = index.upper_rows(id, members);
        return (rows.matrix(index), rows.is_heavy());
    }
    let rows = on_graph!(&index.map, graph => LeafRows::new(graph, &members.members));
    (rows.matrix(), rows.is_heavy())
}

/// Copies the members, and fills the table from the closed matrix.
pub(super) fn finish(
    index: &PpaIndex,
    id: SubgraphId,
    closed: &CostMatrix,
    has_heavy_edges: bool,
) -> Subgraph {
    let members = index.subgraph(id);
    let (count, borders) = (members.members.len(), members.borders);
    let table = Table::new(index.layout, count, borders, false, |member, costs, _| {
        costs.copy_from_slice(closed.row(member));
    });
    let heavy = has_heavy_edges || is_heavy(&table);
    members.with_table(table, heavy)
}

/// The leaf of these nodes, borders first, with an empty table.
pub(super) fn leaf_members(
    graph: &impl Graph,
    undirected: bool,
    mut members: Vec<NodeId>,
) -> Subgraph {
    members.sort_unstable();
    let is_border = |node: NodeId| {
        let mut found = false;
        touching(graph, undirected, node, |other, _| {
            found |= members.binary_search(&other).is_err();
        });
        found
    };
    let (mut ordered, inner): (Vec<NodeId>, Vec<NodeId>) =
        members.iter().partition(|&&node| is_border(node));
    let borders = ordered.len();
    ordered.extend(inner);
    let (slots, first_slot) = (Vec::new(), vec![0]);
    let table = Table::empty();
    Subgraph { members: ordered, borders, slots, first_slot, table, heavy: false }
}

/// Builds a subgraph above the leaves; those below it must be in the index already.
pub(crate) fn upper(index: &PpaIndex, level: usize, id: SubgraphId, with_steps: bool) -> Subgraph {
    let members = on_graph!(&index.map, graph => upper_members(index, graph, level, id));
    fill_upper(index, id, &members, with_steps)
}

/// Copies the members and fills the table.
pub(super) fn fill_upper(
    index: &PpaIndex,
    id: SubgraphId,
    members: &Subgraph,
    with_steps: bool,
) -> Subgraph {
    let rows = index.upper_rows(id, members);
    let (count, borders) = (members.members.len(), members.borders);
    let table = Table::new(index.layout, count, borders, with_steps, |member, costs, steps| {
        rows.compute(index, member, costs, steps);
    });
    let heavy = rows.is_heavy() || is_heavy(&table);
    members.with_table(table, heavy)
}

/// The borders of the children, those that are also borders here first; with an empty table.
pub(crate) fn upper_members(
    index: &PpaIndex,
    graph: &impl Graph,
    level: usize,
    id: SubgraphId,
) -> Subgraph {
    let mut entries = Vec::new();
    let mut first_slot = vec![0];
    for child in index.tree.children(id) {
        let child = index.subgraph(child);
        entries.extend_from_slice(&child.members[..child.borders]);
        first_slot.push(entries.len() as u32);
    }
    let border: Vec<bool> =
        entries.iter().map(|&node| index.is_border(graph, node, level, id)).collect();
    let borders = border.iter().filter(|&&border| border).count();
    let mut members = vec![0; entries.len()];
    let mut slots = Vec::with_capacity(entries.len());
    let (mut next_border, mut next_inner) = (0, borders);
    for (&node, is_border) in entries.iter().zip(border) {
        let next = if is_border { &mut next_border } else { &mut next_inner };
        members[*next] = node;
        slots.push(*next as u32);
        *next += 1;
    }
    let table = Table::empty();
    Subgraph { members, borders, slots, first_slot, table, heavy: false }
}

/// Whether a distance is so large that a sum of two may overflow; assumed for tables on demand.
pub(crate) fn is_heavy(table: &Table) -> bool {
    table.is_on_demand()
        || table.entries().any(|cost: Cost| cost > UNREACHABLE / 2 && cost != UNREACHABLE)
}
