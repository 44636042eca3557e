//! Gates in an index file.
//!
//! | section | of | what |
//! |---|---|---|
//! | `gateway.shape` | `u32` | version of this layout; whether costs outgrew their numbers; the unit that distances are counted in, or 0 |
//! | `gateway.zones` | `u16` | by cell its zone; 65535 where it is blocked or its zone has no gate |
//! | `gateway.lines` | `u32` | by gate its first and its last cell, zone by zone |
//! | `gateway.distances` | `u32`, or `u16` of a unit | from gate to gate |

use super::Gateway;
use super::gates::Gates;
use crate::grid::Grid;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};
use crate::true_distance::costs::Costs;
use crate::true_distance::matrix::Matrix;

const VERSION: u32 = 1;
const SHAPE: &str = "gateway.shape";
const ZONES: &str = "gateway.zones";
const LINES: &str = "gateway.lines";
const DISTANCES: &str = "gateway.distances";

pub(super) fn store<'a>(gateway: &'a Gateway, writer: &mut IndexWriter<'a>) {
    let (zones, lines) = gateway.gates.arrays();
    let distances = gateway.distances.costs();
    writer
        .section_owned(SHAPE, vec![VERSION, gateway.heavy.into(), distances.unit()])
        .section(ZONES, zones)
        .section(LINES, lines);
    distances.store(DISTANCES, writer);
}

pub(super) fn open(index: &IndexFile, grid: &Grid) -> Result<(Gates, Matrix, bool), OpenError> {
    for section in [SHAPE, ZONES, LINES] {
        index.verify_section(section)?;
    }
    let (heavy, unit) = match *index.section::<u32>(SHAPE)? {
        [VERSION, heavy @ (0 | 1), unit] => (heavy == 1, unit),
        ref shape => return Err(unusable(SHAPE, format!("{shape:?} describes no gates"))),
    };
    let gates = Gates::from_arrays(grid, index.section(ZONES)?, index.section(LINES)?);
    let gates = gates.map_err(|reason| unusable(LINES, reason))?;
    let distances = Costs::open(index, DISTANCES, unit)?;
    let distances = Matrix::from_costs(gates.len(), true, distances);
    let distances = distances.ok_or_else(|| {
        unusable(DISTANCES, format!("they are not those between {} gates", gates.len()))
    })?;
    Ok((gates, distances, heavy))
}
