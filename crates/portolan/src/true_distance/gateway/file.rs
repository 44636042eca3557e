//! Gates in an index file.
//!
//! | section | type | content |
//! |---|---|---|
//! | `gateway.shape` | `u32` | layout version; whether a cost overflowed; the unit of distances, or 0 |
//! | `gateway.zones` | `u16` | the zone of each cell; 65535 if it is blocked or its zone has no gate |
//! | `gateway.lines` | `u32` | the first and last cell of each gate, zone by zone |
//! | `gateway.distances` | `u32`, or `u16` in units | from gate to gate |

use super::Gateway;
use super::gates::Gates;
use crate::grid::Grid;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};
use crate::true_distance::matrix::DistanceMatrix;

const VERSION: u32 = 1;
const SHAPE: &str = "gateway.shape";
const ZONES: &str = "gateway.zones";
const LINES: &str = "gateway.lines";
const DISTANCES: &str = "gateway.distances";

pub(super) fn store<'a>(gateway: &'a Gateway, writer: &mut IndexWriter<'a>) {
    let (zones, lines) = gateway.gates.arrays();
    let distances = &gateway.distances;
    writer
        .section_owned(SHAPE, vec![VERSION, gateway.overflowed.into(), distances.unit()])
        .section(ZONES, zones)
        .section(LINES, lines);
    distances.store(DISTANCES, writer);
}

pub(super) fn open(
    index: &IndexFile,
    grid: &Grid,
) -> Result<(Gates, DistanceMatrix, bool), OpenError> {
    for section in [SHAPE, ZONES, LINES] {
        index.verify_section(section)?;
    }
    let (overflowed, unit) = match *index.section::<u32>(SHAPE)? {
        [VERSION, overflowed @ (0 | 1), unit] => (overflowed == 1, unit),
        ref shape => return Err(unusable(SHAPE, format!("{shape:?} is not a valid header"))),
    };
    let gates = Gates::from_arrays(grid, index.section(ZONES)?, index.section(LINES)?);
    let gates = gates.map_err(|reason| unusable(LINES, reason))?;
    let distances = DistanceMatrix::open(index, DISTANCES, (gates.len(), true), unit)?;
    Ok((gates, distances, overflowed))
}
