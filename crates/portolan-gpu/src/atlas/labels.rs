//! Hub labels for every node, in the layout of the device.
//!
//! The nodes are ordered by the separators: those of the root region first, then level by level.
//! The hubs of a node are all nodes of the regions above its own, root first, then the nodes of its
//! own region up to the node itself. Its row has one entry per hub: the cost of the shortest path
//! through nodes that do not come before the hub, and the next hop of that path. On a shortest path
//! between two nodes, the first node in the order is a hub of both, and both its entries are the
//! true costs. So the least sum of two entries of one hub is the distance.
//!
//! Rows of two nodes have the same hubs at the same positions as far as their regions have the same
//! ancestors. A row starts at a multiple of four entries and is not split between buffers.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use portolan::atlas::{SeparatorRegion, Separators};
use portolan::{BuildError, Cost, Map, NodeId, Progress, UNREACHABLE};

use super::hub_search::{HubGraph, HubSearch, Settled, Side};

/// Entries of a row are read in groups of this many.
pub(super) const GROUP: u64 = 4;

/// The words of a record, see `labels.wgsl`.
pub(super) const RECORD_WORDS: usize = 8;

/// Where rows are: everything but their entries.
pub(super) struct Layout {
    /// For each node: the first group of its rows in both directions, the number of entries, the
    /// depth and the code of its region, and the region's first position in `ends`.
    pub(super) records: Vec<[u32; RECORD_WORDS]>,
    /// For each region, from the root down to it: the number of hubs in and above that ancestor.
    pub(super) ends: Vec<u32>,
    /// All nodes with rows, in the order of the separators, each with the position of its own
    /// entry.
    hubs: Vec<(NodeId, u32)>,
    /// The position of each node in `hubs`; `u32::MAX` for nodes without rows.
    order: Vec<u32>,
    /// All groups, padding included.
    pub(super) groups: u64,
}

/// The entries of all rows.
pub(super) struct Labels {
    pub(super) costs: Vec<Cost>,
    pub(super) hops: Hops,
    /// Whether every path has a finite cost, and every sum of two entries too.
    pub(super) finite: bool,
    /// The greatest cost of an entry.
    pub(super) greatest: Cost,
    /// The mean number of hops of an entry of the first region, and the most of all.
    pub(super) mean_hops: f64,
    pub(super) most_hops: u32,
}

/// The next hops.
pub(super) enum Hops {
    /// On grids: a heading and a number of steps in a byte.
    Steps(Vec<u8>),
    /// On graphs: the next node.
    Nodes(Vec<NodeId>),
}

impl Hops {
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Steps(hops) => hops.len() as u64,
            Self::Nodes(hops) => 4 * hops.len() as u64,
        }
    }
}

/// The position of a group of entries; rows must not cross multiples of `segment` groups.
fn place(groups: &mut u64, entries: u32, segment: u64) -> u64 {
    let len = u64::from(entries).div_ceil(GROUP);
    if *groups / segment != (*groups + len - 1) / segment {
        *groups = groups.next_multiple_of(segment);
    }
    let start = *groups;
    *groups += len;
    start
}

impl Layout {
    /// The layout for buffers of `segment` groups. Directed maps have two rows per node.
    pub(super) fn new(map: &Map, separators: &Separators, segment: u64) -> Self {
        let nodes = map.node_count();
        let mut layout = Self {
            records: vec![[0; RECORD_WORDS]; nodes],
            ends: Vec::new(),
            hubs: Vec::new(),
            order: vec![u32::MAX; nodes],
            groups: 0,
        };
        let directed = !map.is_undirected();
        let mut first_ends: Vec<u32> = Vec::new();
        for SeparatorRegion { parent, depth, code, nodes } in separators.regions() {
            let first_end = layout.ends.len();
            let above = match parent {
                None => 0,
                Some(parent) => {
                    let start = first_ends[parent as usize] as usize;
                    layout.ends.extend_from_within(start..start + depth as usize);
                    layout.ends.last().copied().unwrap_or(0)
                }
            };
            layout.ends.push(above + nodes.len() as u32);
            first_ends.push(first_end as u32);
            for (&node, entries) in nodes.iter().zip(above + 1..) {
                let row = place(&mut layout.groups, entries, segment);
                let back = match directed {
                    true => place(&mut layout.groups, entries, segment),
                    false => row,
                };
                let [row, back] = [row, back].map(|group| group as u32);
                let (high, low) = ((code >> 32) as u32, code as u32);
                let record = [row, back, entries, depth, high, low, first_end as u32, 0];
                layout.records[node as usize] = record;
                layout.order[node as usize] = layout.hubs.len() as u32;
                layout.hubs.push((node, entries - 1));
            }
        }
        layout
    }

    /// Bytes of the records and the ends.
    pub(super) fn bytes(&self) -> u64 {
        (size_of_val(self.records.as_slice()) + size_of_val(self.ends.as_slice())) as u64
    }

    /// Computes all entries. Fails only if it is cancelled.
    pub(super) fn fill(&self, map: &Map, progress: &dyn Progress) -> Result<Labels, BuildError> {
        let entries = (self.groups * GROUP) as usize;
        let costs: Vec<AtomicU32> = atomics(entries, || AtomicU32::new(UNREACHABLE));
        let is_grid = map.as_grid().is_some();
        let steps: Vec<AtomicU8> = atomics(if is_grid { entries } else { 0 }, AtomicU8::default);
        let nodes: Vec<AtomicU32> = atomics(if is_grid { 0 } else { entries }, AtomicU32::default);
        let sides =
            if map.is_undirected() { &[Side::ToHub][..] } else { &[Side::ToHub, Side::FromHub] };
        let (done, cancelled) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (finite, mut greatest) = (AtomicBool::new(true), AtomicU32::new(0));
        let first_region = self.ends.first().copied().unwrap_or(0);
        let (first_hops, first_entries) = (AtomicU64::new(0), AtomicU64::new(0));
        let most_hops = AtomicU32::new(0);
        let graph = HubGraph::new(map, &self.order);
        let fill = |search: &mut HubSearch, (hub, entry): (NodeId, u32)| {
            let (mut hops_here, mut entries_here, mut most, mut top) = (0_u64, 0_u64, 0, 0);
            for &side in sides {
                let visit = |settled: Settled| {
                    let record = &self.records[settled.node as usize];
                    let group = record[usize::from(side == Side::FromHub)];
                    let at = group as usize * GROUP as usize + entry as usize;
                    costs[at].store(settled.cost, Ordering::Relaxed);
                    match is_grid {
                        true => steps[at].store(settled.hop, Ordering::Relaxed),
                        false => nodes[at].store(settled.next, Ordering::Relaxed),
                    }
                    (hops_here, entries_here) =
                        (hops_here + u64::from(settled.hops), entries_here + 1);
                    (most, top) = (settled.hops.max(most), settled.cost.max(top));
                };
                if !search.run(&graph, hub, side, visit) {
                    finite.store(false, Ordering::Relaxed);
                }
            }
            if entry < first_region {
                first_hops.fetch_add(hops_here, Ordering::Relaxed);
                first_entries.fetch_add(entries_here, Ordering::Relaxed);
            }
            most_hops.fetch_max(most, Ordering::Relaxed);
            greatest.fetch_max(top, Ordering::Relaxed);
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            if progress.advance("labels", done, self.hubs.len()).is_break() {
                cancelled.store(true, Ordering::Relaxed);
            }
        };
        // The first hubs have the longest searches, so the threads take them in order.
        let taken = AtomicUsize::new(0);
        rayon::broadcast(|_| {
            let mut search = HubSearch::new(&graph);
            while let Some(&hub) = self.hubs.get(taken.fetch_add(1, Ordering::Relaxed)) {
                if cancelled.load(Ordering::Relaxed) {
                    return;
                }
                fill(&mut search, hub);
            }
        });
        if cancelled.into_inner() {
            return Err(BuildError::Cancelled);
        }
        let entries = first_entries.into_inner().max(1);
        Ok(Labels {
            costs: costs.into_iter().map(AtomicU32::into_inner).collect(),
            hops: match is_grid {
                true => Hops::Steps(steps.into_iter().map(AtomicU8::into_inner).collect()),
                false => Hops::Nodes(nodes.into_iter().map(AtomicU32::into_inner).collect()),
            },
            finite: finite.into_inner() && *greatest.get_mut() < 1 << 31,
            greatest: greatest.into_inner(),
            mean_hops: first_hops.into_inner() as f64 / entries as f64,
            most_hops: most_hops.into_inner(),
        })
    }
}

fn atomics<T>(len: usize, value: impl Fn() -> T) -> Vec<T> {
    std::iter::repeat_with(value).take(len).collect()
}
