//! Statistics of portals, for reports.

use std::fmt;

use super::tables::PortalTables;

/// Statistics of the portals of a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PortalSummary {
    /// Number of regions.
    pub regions: usize,
    /// Number of portals.
    pub portals: usize,
    /// Number of portals of a region, on average.
    pub portals_per_region: f64,
    /// The probability that two random nodes are in different regions.
    pub apart: f64,
}

impl fmt::Display for PortalSummary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { regions, portals, portals_per_region, .. } = self;
        write!(out, "{regions} regions, {portals} portals, {portals_per_region:.1} per region")
    }
}

impl PortalTables {
    pub(crate) fn summary(&self) -> PortalSummary {
        let layout = &self.layout;
        let regions = layout.regions() as usize;
        let mut sizes = vec![0u64; regions + layout.portals()];
        let numbers = layout.numbers().iter().map(|&number| usize::from(number));
        numbers.for_each(|number| sizes.get_mut(number).into_iter().for_each(|size| *size += 1));
        let lists: usize = layout.portal_lists().map(<[u16]>::len).sum();
        let usable = layout.usable().max(1) as f64;
        // A portal is in no region, so it counts as a region of its own.
        let together: f64 = sizes.iter().map(|&size| (size as f64 / usable).powi(2)).sum();
        PortalSummary {
            regions,
            portals: layout.portals(),
            portals_per_region: lists as f64 / regions.max(1) as f64,
            apart: if layout.usable() == 0 { 0.0 } else { 1.0 - together },
        }
    }
}
