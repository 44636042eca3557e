//! Gates in an index file.
//!
//! | section | of | what |
//! |---|---|---|
//! | `gateway.shape` | `u32` | version of this layout; whether costs outgrew their numbers |
//! | `gateway.zones` | `u16` | by cell its zone; 65535 where it is blocked or its zone has no gate |
//! | `gateway.lines` | `u32` | by gate its first and its last cell, zone by zone |
//! | `gateway.distances` | `u32` | from gate to gate |

use super::Gateway;
use super::gates::Gates;
use crate::grid::Grid;
use crate::heuristic::matrix::Matrix;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};

const VERSION: u32 = 1;
const SHAPE: &str = "gateway.shape";
const ZONES: &str = "gateway.zones";
const LINES: &str = "gateway.lines";
const DISTANCES: &str = "gateway.distances";

pub(super) fn store<'a>(gateway: &'a Gateway, writer: &mut IndexWriter<'a>) {
    let (zones, lines) = gateway.gates.arrays();
    writer
        .section_owned(SHAPE, vec![VERSION, gateway.heavy.into()])
        .section(ZONES, zones)
        .section(LINES, lines)
        .section(DISTANCES, gateway.distances.entries());
}

pub(super) fn open(index: &IndexFile, grid: &Grid) -> Result<(Gates, Matrix, bool), OpenError> {
    for section in [SHAPE, ZONES, LINES] {
        index.verify_section(section)?;
    }
    let heavy = match *index.section::<u32>(SHAPE)? {
        [VERSION, heavy @ (0 | 1)] => heavy == 1,
        ref shape => return Err(unusable(SHAPE, format!("{shape:?} describes no gates"))),
    };
    let gates = Gates::from_arrays(grid, index.section(ZONES)?, index.section(LINES)?);
    let gates = gates.map_err(|reason| unusable(LINES, reason))?;
    let distances = Matrix::from_entries(gates.len(), true, index.section(DISTANCES)?);
    let distances = distances.ok_or_else(|| {
        unusable(DISTANCES, format!("they are not those between {} gates", gates.len()))
    })?;
    Ok((gates, distances, heavy))
}
