//! Checks of arrays from a file.
//!
//! In linear time, checks all lengths and indices, and that following them ends. Costs are not
//! checked: a wrong cost gives wrong answers, nothing worse.

use super::reduced::{Arrays, IN_EDGE, NONE, OUT_EDGE, RECORD, ReducedGraph, STRAND};
use crate::graph::{Graph, NodeId};

impl ReducedGraph {
    /// The core of a map with `nodes` nodes from stored arrays, or the reason why they are invalid.
    pub(crate) fn from_arrays(nodes: usize, arrays: Arrays) -> Result<Self, String> {
        check_lengths(nodes, &arrays)?;
        let core = Self { arrays };
        core.check_strands()?;
        (0..nodes as NodeId).try_for_each(|node| core.check_record(node))?;
        let Arrays { out_first, out_edges, in_first, in_edges, .. } = &core.arrays;
        let is_chain = |id: u32| core.strand(id).is_some_and(|strand| strand.is_chain());
        core.check_rows(
            "leave",
            out_first,
            out_edges.as_chunks().0,
            |&[_, _, chain]: &[u32; 3]| chain == NONE || is_chain(chain),
        )?;
        if !core.is_undirected() {
            core.check_rows("enter", in_first, in_edges.as_chunks().0, |_: &[u32; 2]| true)?;
        }
        Ok(core)
    }

    fn check_strands(&self) -> Result<(), String> {
        let (strands, _) = self.arrays.strands.as_chunks::<STRAND>();
        let ends = strands.first().zip(strands.last()).map(|(first, last)| (first[0], last[0]));
        let slots = self.arrays.slots.len();
        if ends != Some((0, slots as u32)) || !strands.is_sorted_by_key(|strand| strand[0]) {
            return Err(format!("the strands do not divide {slots} slots"));
        }
        for id in 0..strands.len() as u32 - 1 {
            let Some(strand) = self.strand(id) else { continue };
            let level = self.level_of(strand.near).filter(|&level| level < strand.level);
            let ends_well = match strand.is_chain() {
                true => self.contains(strand.near) && self.contains(strand.far),
                false => true,
            };
            if level.is_none() || !ends_well {
                let (near, far) = (strand.near, strand.far);
                return Err(format!("strand {id} cannot be attached to {near} and {far}"));
            }
            for slot in strand.start..strand.end {
                let node = self.arrays.slots[slot];
                let record = self.record(node);
                if (record.slot as usize, record.strand) != (slot, id) {
                    return Err(format!(
                        "slot {slot} has node {node}, whose record names another slot"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Zero for a core node; `None` if the map has no such node.
    fn level_of(&self, node: NodeId) -> Option<u32> {
        match self.strand(self.record(node).strand) {
            Some(strand) => Some(strand.level),
            None => self.contains(node).then_some(0),
        }
    }

    fn check_record(&self, node: NodeId) -> Result<(), String> {
        let record = self.record(node);
        let [near, far] = record.accesses.map(|access| access.core);
        let in_place = match record.strand {
            NONE => record.slot == NONE && (near == node || near == NONE) && far == NONE,
            id => self.strand(id).is_some_and(|strand| {
                let slot = record.slot as usize;
                (strand.start..strand.end).contains(&slot)
                    && self.arrays.slots.get(slot) == Some(&node)
                    && self.contains(near)
            }),
        };
        if in_place && (far == NONE || self.contains(far)) {
            return Ok(());
        }
        Err(format!(
            "node {node} cannot be in slot {} with access to {near} and {far}",
            record.slot
        ))
    }

    fn check_rows<const N: usize>(
        &self,
        what: &str,
        first: &[u32],
        edges: &[[u32; N]],
        edge_is_valid: impl Fn(&[u32; N]) -> bool,
    ) -> Result<(), String> {
        if first.first() != Some(&0)
            || first.last().map(|&end| end as usize) != Some(edges.len())
            || !first.is_sorted()
        {
            return Err(format!("the rows do not divide {} edges that {what} nodes", edges.len()));
        }
        for (node, ends) in (0..).zip(first.windows(2)) {
            let row = &edges[ends[0] as usize..ends[1] as usize];
            let valid = row
                .iter()
                .all(|edge| edge[0] != node && self.contains(edge[0]) && edge_is_valid(edge));
            let ascends = row.is_sorted_by(|a, b| a[0] < b[0]);
            if !valid || !ascends || !(row.is_empty() || self.contains(node)) {
                return Err(format!("the edges that {what} node {node} are invalid"));
            }
        }
        Ok(())
    }
}

fn check_lengths(nodes: usize, arrays: &Arrays) -> Result<(), String> {
    let expect = |what: &str, found: usize, expected: usize| match found == expected {
        true => Ok(()),
        false => Err(format!("{found} numbers for {what} where {expected} are expected")),
    };
    let whole = |what: &str, found: usize, size: usize| match found.is_multiple_of(size) {
        true => Ok(()),
        false => Err(format!("{found} numbers for {what} are not a multiple of {size}")),
    };
    let slots = arrays.slots.len();
    let directed = !arrays.in_first.is_empty();
    expect("the records", arrays.records.len(), nodes * RECORD)?;
    expect("the steps up", arrays.rise.len(), slots)?;
    expect("the steps down", arrays.fall.len(), if directed { slots } else { 0 })?;
    whole("the strands", arrays.strands.len(), STRAND)?;
    expect("the rows out", arrays.out_first.len(), nodes + 1)?;
    whole("the edges out", arrays.out_edges.len(), OUT_EDGE)?;
    let edges = arrays.out_edges.len() / OUT_EDGE;
    expect("the rows in", arrays.in_first.len(), if directed { nodes + 1 } else { 0 })?;
    expect("the edges in", arrays.in_edges.len(), if directed { edges * IN_EDGE } else { 0 })
}
