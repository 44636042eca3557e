//! Portals in an index file.
//!
//! | section | type | content |
//! |---|---|---|
//! | `portal.shape` | `u32` | layout version; number of regions; whether the map is undirected; whether a cost overflowed; the unit of distances, or 0 |
//! | `portal.regions` | `u16` | for each node, or each usable node, its region, or its portal plus the number of regions |
//! | `portal.distances` | `u32`, or `u16` in units | from portal to portal |
//! | `portal.hops` | `u64` | two bits for each pair of portals of a region ([`Crossings`]) |
//!
//! The portals of each region follow from the map. Opening reads the regions, with their checksum,
//! and checks that no edge joins two of them. Distances and crossings stay in the file. Wrong ones
//! can make answers wrong, but cannot panic.

use super::crossings::Crossings;
use super::layout::{Packing, PortalLayout};
use super::tables::PortalTables;
use crate::map::Map;
use crate::partition::MAX_NUMBERS;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};
use crate::true_distance::matrix::DistanceMatrix;

const VERSION: u32 = 1;

const SHAPE: &str = "portal.shape";
const REGIONS: &str = "portal.regions";
const DISTANCES: &str = "portal.distances";
const HOPS: &str = "portal.hops";

/// Adds portals to an index file.
pub(crate) fn store_portals<'a>(
    portals: &'a PortalTables,
    undirected: bool,
    writer: &mut IndexWriter<'a>,
) {
    let PortalTables { layout, distances, crossings, overflowed } = portals;
    let flags = [undirected.into(), (*overflowed).into()];
    let shape = vec![VERSION, layout.regions(), flags[0], flags[1], distances.unit()];
    writer
        .section_owned(SHAPE, shape)
        .section(REGIONS, layout.numbers())
        .section(HOPS, crossings.bits());
    distances.store(DISTANCES, writer);
}

/// Opens the portals in an index file, which has been checked to belong to this map.
pub(crate) fn open_portals(index: &IndexFile, map: &Map) -> Result<PortalTables, OpenError> {
    index.verify_section(SHAPE)?;
    index.verify_section(REGIONS)?;
    let undirected = map.is_undirected();
    let (regions, overflowed, unit) = read_shape(&index.section::<u32>(SHAPE)?, undirected)?;
    let numbers = index.section::<u16>(REGIONS)?.to_vec();
    let loose = numbers.len() == map.node_count();
    let packing = if loose { Packing::Loose } else { Packing::Packed };
    let layout = PortalLayout::new(map, numbers, regions, packing)
        .map_err(|error| unusable(REGIONS, error.to_string()))?;
    let distances = DistanceMatrix::open(index, DISTANCES, (layout.portals(), undirected), unit)?;
    let crossings = Crossings::from_bits(&layout, index.section(HOPS)?)
        .ok_or_else(|| unusable(HOPS, "its length does not match the regions".into()))?;
    Ok(PortalTables { layout, distances, crossings, overflowed })
}

fn read_shape(shape: &[u32], undirected: bool) -> Result<(u32, bool, u32), OpenError> {
    match *shape {
        [VERSION, regions, directions, overflowed @ (0 | 1), unit]
            if regions as usize <= MAX_NUMBERS && directions == u32::from(undirected) =>
        {
            Ok((regions, overflowed == 1, unit))
        }
        [version, ..] if version != VERSION => {
            Err(unusable(SHAPE, format!("its version is {version}, expected {VERSION}")))
        }
        _ => Err(unusable(SHAPE, format!("{shape:?} is not a valid header"))),
    }
}
