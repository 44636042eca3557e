//! Portals in an index file.
//!
//! | section | of | what |
//! |---|---|---|
//! | `portal.shape` | `u32` | version of this layout; the number of regions; whether the map is undirected; whether costs outgrew their numbers; the unit that distances are counted in, or 0 |
//! | `portal.regions` | `u16` | by node, or by usable node, its region, or its portal behind the last region |
//! | `portal.distances` | `u32`, or `u16` of a unit | from portal to portal |
//! | `portal.hops` | `u64` | two bits for any two portals of a region |
//!
//! Which portals lie beside which regions follows from the map. Opening reads the regions, with
//! their checksum, and checks that no edge joins two of them; distances and hops stay in the file,
//! and a wrong one can make answers wrong and no more than that.

use super::layout::{Layout, Packing};
use super::tables::{Hops, Portals};
use crate::map::Map;
use crate::partition::MAX_NUMBERS;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};
use crate::true_distance::matrix::DistanceMatrix;

const VERSION: u32 = 1;

const SHAPE: &str = "portal.shape";
const REGIONS: &str = "portal.regions";
const DISTANCES: &str = "portal.distances";
const HOPS: &str = "portal.hops";

/// Adds portals to an index.
pub(crate) fn store_portals<'a>(
    portals: &'a Portals,
    undirected: bool,
    writer: &mut IndexWriter<'a>,
) {
    let Portals { layout, distances, hops, overflowed } = portals;
    let flags = [undirected.into(), (*overflowed).into()];
    let shape = vec![VERSION, layout.regions(), flags[0], flags[1], distances.unit()];
    writer
        .section_owned(SHAPE, shape)
        .section(REGIONS, layout.numbers())
        .section(HOPS, hops.bits());
    distances.store(DISTANCES, writer);
}

/// The portals that were stored for this map.
pub(crate) fn open_portals(index: &IndexFile, map: &Map) -> Result<Portals, OpenError> {
    index.verify_section(SHAPE)?;
    index.verify_section(REGIONS)?;
    let undirected = map.is_undirected();
    let (regions, overflowed, unit) = read_shape(&index.section::<u32>(SHAPE)?, undirected)?;
    let numbers = index.section::<u16>(REGIONS)?.to_vec();
    let loose = numbers.len() == map.node_count();
    let packing = if loose { Packing::Loose } else { Packing::Packed };
    let layout = Layout::new(map, numbers, regions, packing)
        .map_err(|error| unusable(REGIONS, error.to_string()))?;
    let distances = DistanceMatrix::open(index, DISTANCES, (layout.portals(), undirected), unit)?;
    let hops = Hops::from_bits(&layout, index.section(HOPS)?)
        .ok_or_else(|| unusable(HOPS, "their number does not suit the regions".into()))?;
    Ok(Portals { layout, distances, hops, overflowed })
}

fn read_shape(shape: &[u32], undirected: bool) -> Result<(u32, bool, u32), OpenError> {
    match *shape {
        [VERSION, regions, directions, overflowed @ (0 | 1), unit]
            if regions as usize <= MAX_NUMBERS && directions == u32::from(undirected) =>
        {
            Ok((regions, overflowed == 1, unit))
        }
        [version, ..] if version != VERSION => {
            Err(unusable(SHAPE, format!("it has version {version} and {VERSION} is expected")))
        }
        _ => Err(unusable(SHAPE, format!("{shape:?} describes no portals"))),
    }
}
