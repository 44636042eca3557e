//! The cells of subgoals by number, and the hubs of label entries.
//!
//! The entries of a label are the members of the regions on the path down to the subgoal's own
//! region, and members of a region are numbered consecutively. Sixteen consecutive members form a
//! *stretch* with a known bounding box, so that a query can skip stretches that are too far away.
//! To keep stretches short, members of a region are sorted along its longer side.

use crate::atlas::separator_tree::dissect::Dissection;
use crate::atlas::separator_tree::{NO_REGION, RegionId};
use crate::atlas::uniform::labels::{HubLabels, LabelHead, SubgoalId};
use crate::atlas::uniform::subgoals::PaddedCell;
use crate::cost::{Cost, DIAGONAL, STRAIGHT};
use crate::graph::NodeId;

/// Members per stretch.
pub(super) const STRETCH: usize = 16;

/// A cell without a margin: its column in the lower half, its row in the upper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedCell(pub(crate) u32);

/// A bounding box: the least and the largest column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellBounds {
    x: [u16; 2],
    y: [u16; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RegionSpan {
    /// The first member of the region.
    number: SubgoalId,
    /// Its first stretch.
    stretch: u32,
}

/// Consecutive entries: a stretch or the beginning of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryRange {
    /// The first entry.
    pub(super) entry: usize,
    /// The hub of the first entry.
    pub(super) number: SubgoalId,
    pub(super) len: usize,
    pub(super) bounds: CellBounds,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct HubPositions {
    /// By number, with padding so that whole stretches can be read.
    at: Vec<u32>,
    /// By region.
    sections: Vec<RegionSpan>,
    /// For each region, the regions on the path from the root; parallel to `HubLabels::ends`.
    path: Vec<u32>,
    stretches: Vec<CellBounds>,
}

impl HubPositions {
    pub(super) fn new(Dissection { tree, members }: &Dissection, width: u32) -> Self {
        let count: usize = members.iter().map(Vec::len).sum();
        let mut at = Vec::with_capacity(count + STRETCH);
        let mut sections = Vec::with_capacity(members.len());
        let mut stretches = Vec::new();
        let (mut path, mut first): (Vec<u32>, Vec<usize>) = (Vec::new(), Vec::new());
        for (id, members) in (0..).zip(members) {
            sections.push(RegionSpan {
                number: at.len() as SubgoalId,
                stretch: stretches.len() as u32,
            });
            at.extend(members.iter().map(|&node| packed(node, width).0));
            stretches.extend(members.chunks(STRETCH).map(|nodes| bounds(nodes, width)));
            let region = tree.node(id);
            first.push(path.len());
            if region.parent != NO_REGION {
                let from = first[region.parent as usize];
                path.extend_from_within(from..=from + tree.node(region.parent).depth as usize);
            }
            path.push(id);
        }
        at.resize(count + STRETCH, 0);
        Self { at, sections, path, stretches }
    }

    /// The first member of a region.
    pub(super) fn first(&self, id: RegionId) -> SubgoalId {
        self.sections[id as usize].number
    }

    #[inline(always)]
    pub(super) fn of(&self, number: SubgoalId) -> PackedCell {
        PackedCell(self.at[number as usize])
    }

    #[inline(always)]
    pub(super) fn octile(&self, a: SubgoalId, b: SubgoalId) -> Cost {
        self.of(a).octile(self.of(b))
    }

    /// The positions of a whole stretch, starting at a number.
    #[inline(always)]
    pub(super) fn stretch(&self, number: SubgoalId) -> Option<&[u32; STRETCH]> {
        self.at.get(number as usize..)?.first_chunk()
    }

    /// The hubs of the entries of a label.
    pub(super) fn chain(
        &self,
        labels: &HubLabels,
        head: &LabelHead,
    ) -> impl Iterator<Item = SubgoalId> {
        let sections = self.sections_above(labels, head);
        let len = head.len as usize;
        sections
            .flat_map(|(section, entries)| section.number..section.number + entries.len() as u32)
            .take(len)
    }

    /// The hub of an entry of a label.
    pub(super) fn hub(
        &self,
        labels: &HubLabels,
        head: &LabelHead,
        entry: usize,
    ) -> Option<SubgoalId> {
        let ends = labels.ends(head);
        let depth = ends.partition_point(|&end| end as usize <= entry);
        let above = if depth == 0 { 0 } else { ends[depth - 1] as usize };
        let region = *self.path.get(head.first_end as usize + depth)?;
        Some(self.sections.get(region as usize)?.number + (entry - above) as SubgoalId)
    }

    /// Visits the stretches that cover a range of entries.
    #[inline(always)]
    pub(super) fn ranges(
        &self,
        labels: &HubLabels,
        head: &LabelHead,
        range: std::ops::Range<usize>,
        mut visit: impl FnMut(EntryRange),
    ) {
        for (section, entries) in self.sections_above(labels, head) {
            if entries.start >= range.end {
                return;
            }
            let end = entries.end.min(range.end);
            let skipped = range.start.saturating_sub(entries.start) / STRETCH;
            let mut entry = entries.start + skipped * STRETCH;
            let mut stretch = section.stretch as usize + skipped;
            while entry < end {
                visit(EntryRange {
                    entry,
                    number: section.number + (entry - entries.start) as SubgoalId,
                    len: STRETCH.min(end - entry),
                    bounds: self.stretches[stretch],
                });
                entry += STRETCH;
                stretch += 1;
            }
        }
    }

    /// The regions on the path down to a subgoal's own, each with the entries of its members.
    #[inline(always)]
    fn sections_above(
        &self,
        labels: &HubLabels,
        head: &LabelHead,
    ) -> impl Iterator<Item = (RegionSpan, std::ops::Range<usize>)> {
        let mut start = 0;
        let ends = labels.ends(head);
        let path = &self.path[head.first_end as usize..][..ends.len()];
        path.iter().zip(ends).map(move |(&region, &end)| {
            let entries = start..end as usize;
            start = entries.end;
            (self.sections[region as usize], entries)
        })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&self.at[..])
            + size_of_val(&self.sections[..])
            + size_of_val(&self.path[..])
            + size_of_val(&self.stretches[..])
    }
}

/// Sorts the members of each region along its longer side.
pub(super) fn sort_members(members: &mut [Vec<NodeId>], width: u32) {
    for members in members {
        let CellBounds { x, y } = bounds(members, width);
        let wide = x[1].wrapping_sub(x[0]) > y[1].wrapping_sub(y[0]);
        members.sort_unstable_by_key(|&node| {
            let place = packed(node, width);
            if wide { (place.x(), place.y()) } else { (place.y(), place.x()) }
        });
    }
}

impl PackedCell {
    /// Both coordinates fit: this form supports at most 16 bits of width and height.
    pub(super) fn of(cell: PaddedCell) -> Self {
        Self((cell.x - 1) | (cell.y - 1) << 16)
    }

    pub(super) fn cell(self) -> PaddedCell {
        PaddedCell { x: u32::from(self.x()) + 1, y: u32::from(self.y()) + 1 }
    }

    #[inline(always)]
    fn x(self) -> u16 {
        self.0 as u16
    }

    #[inline(always)]
    fn y(self) -> u16 {
        (self.0 >> 16) as u16
    }

    #[inline(always)]
    pub(super) fn octile(self, other: Self) -> Cost {
        octile(self.x().abs_diff(other.x()), self.y().abs_diff(other.y()))
    }
}

impl CellBounds {
    /// A lower bound on the distance to any cell in the box.
    #[inline(always)]
    pub(super) fn octile(&self, to: PackedCell) -> Cost {
        let beyond =
            |[low, high]: [u16; 2], at: u16| low.saturating_sub(at).max(at.saturating_sub(high));
        octile(beyond(self.x, to.x()), beyond(self.y, to.y()))
    }
}

#[inline(always)]
fn octile(wide: u16, high: u16) -> Cost {
    let (more, less) = (Cost::from(wide.max(high)), Cost::from(wide.min(high)));
    more * STRAIGHT + less * (DIAGONAL - STRAIGHT)
}

fn packed(node: NodeId, width: u32) -> PackedCell {
    PackedCell((node % width) | ((node / width) << 16))
}

fn bounds(nodes: &[NodeId], width: u32) -> CellBounds {
    let grown = |[low, high]: [u16; 2], at: u16| [low.min(at), high.max(at)];
    let none = CellBounds { x: [u16::MAX, 0], y: [u16::MAX, 0] };
    nodes.iter().map(|&node| packed(node, width)).fold(none, |bounds, place| CellBounds {
        x: grown(bounds.x, place.x()),
        y: grown(bounds.y, place.y()),
    })
}
