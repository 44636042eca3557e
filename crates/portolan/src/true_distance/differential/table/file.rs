//! The table in an index file.
//!
//! | section | type | content |
//! |---|---|---|
//! | `differential.shape` | `u32` | layout version; bits per entry; whether rows have both directions; whether only usable nodes have rows; landmarks per row; unit; gcd; largest entry; the meaning of a blank; whether entries are exact; whether they are stale |
//! | `differential.landmarks` | `u32` | the landmarks |
//! | `differential.entries` | `u8`, `u16` or `u32` | the rows |
//!
//! Entries are not used as indices. A wrong entry makes a bound wrong, but cannot panic.

use super::numbering::Numbering;
use super::{Blank, Entries, Table, group_count, on_width};
use crate::map::Map;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};
use crate::true_distance::ranks::Ranks;

const VERSION: u32 = 2;

const SHAPE: &str = "differential.shape";
const LANDMARKS: &str = "differential.landmarks";
const ENTRIES: &str = "differential.entries";

/// The meanings of a blank, by their number in the file.
const BLANKS: [Blank; 3] = [Blank::NoPath, Blank::TooFar, Blank::Unknown];

pub(crate) fn store<'a>(table: &'a Table, stale: bool, writer: &mut IndexWriter<'a>) {
    let bits = 8 * table.precision().bytes() as u32;
    let blank = BLANKS.iter().position(|&blank| blank == table.blank).unwrap_or(2) as u32;
    let ranked = table.numbering.is_ranked();
    let shape = vec![
        VERSION,
        bits,
        table.directed.into(),
        ranked.into(),
        table.kept as u32,
        table.unit,
        table.gcd,
        table.largest,
        blank,
        table.exact.into(),
        stale.into(),
    ];
    writer.section_owned(SHAPE, shape).section(LANDMARKS, &table.landmarks);
    on_width!(Entries, &table.entries, entries => writer.section(ENTRIES, entries));
}

/// The error for stale distances if the config requires exact bounds.
pub(crate) fn stale_error() -> OpenError {
    let reason = "its distances are stale because costs have fallen; rebuild it, or open it with a config that allows stale bounds";
    unusable(SHAPE, reason.into())
}

/// The table, and whether it is stale.
pub(crate) fn open(index: &IndexFile, map: &Map) -> Result<(Table, bool), OpenError> {
    for section in [SHAPE, LANDMARKS] {
        index.verify_section(section)?;
    }
    let shape = index.section::<u32>(SHAPE)?;
    let landmarks = index.section::<u32>(LANDMARKS)?.to_vec();
    let [
        VERSION,
        bits,
        directed @ 0..=1,
        ranked @ 0..=1,
        kept,
        unit @ 1..=u32::MAX,
        gcd @ 1..=u32::MAX,
        largest,
        blank @ 0..=2,
        exact @ 0..=1,
        stale @ 0..=1,
    ] = *shape
    else {
        let reason = match *shape {
            [version, ..] if version != VERSION => {
                format!("its version is {version}, expected {VERSION}")
            }
            _ => format!("{:?} is not a valid header", &*shape),
        };
        return Err(unusable(SHAPE, reason));
    };
    let kept = kept as usize;
    if kept > landmarks.len() || (kept == 0) != landmarks.is_empty() {
        let reason = format!("{kept} entries per node for {} landmarks", landmarks.len());
        return Err(unusable(SHAPE, reason));
    }
    if !unit.is_multiple_of(gcd) {
        return Err(unusable(SHAPE, format!("the unit {unit} is not a multiple of {gcd}")));
    }
    if directed == 0 && exact == 1 && !map.is_undirected() {
        return Err(unusable(SHAPE, "it is for an undirected map".into()));
    }
    let entries = match bits {
        32 => Entries::Bits32(index.section(ENTRIES)?),
        16 => Entries::Bits16(index.section(ENTRIES)?),
        8 => Entries::Bits8(index.section(ENTRIES)?),
        _ => return Err(unusable(SHAPE, format!("entries of {bits} bits"))),
    };
    let numbering = match ranked {
        0 => Numbering::ById { rows: map.node_count() },
        _ => Numbering::Ranked(Ranks::of(map)),
    };
    let groups = group_count(landmarks.len(), kept);
    let (directed, exact, stale) = (directed == 1, exact == 1, stale == 1);
    let blank = BLANKS[blank as usize];
    let table = Table {
        landmarks,
        directed,
        numbering,
        kept,
        groups,
        unit,
        gcd,
        entries,
        largest,
        blank,
        exact,
    };
    let expected = table.numbering.rows() as u128 * table.stride() as u128;
    let found = on_width!(Entries, &table.entries, entries => entries.len());
    if found as u128 != expected {
        return Err(unusable(ENTRIES, format!("{found} entries, expected {expected}")));
    }
    Ok((table, stale))
}
