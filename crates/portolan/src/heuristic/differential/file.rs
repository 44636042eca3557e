//! The table in an index file, and back.
//!
//! | section | of | what |
//! |---|---|---|
//! | `differential.shape` | `u32` | version of this layout; whether rows have both directions; whether entries prove that there is no path; whether they are exact |
//! | `differential.landmarks` | `u32` | the landmarks |
//! | `differential.entries` | `u32` | the rows |
//!
//! An entry leads nowhere: a wrong one makes a bound wrong, and no more.

use super::table::Table;
use crate::map::Map;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};

const VERSION: u32 = 1;

const SHAPE: &str = "differential.shape";
const LANDMARKS: &str = "differential.landmarks";
const ENTRIES: &str = "differential.entries";

pub(super) fn store<'a>(table: &'a Table, writer: &mut IndexWriter<'a>) {
    let flags = [table.is_directed(), table.proves(), table.is_exact()].map(u32::from);
    writer
        .section_owned(SHAPE, [&[VERSION], &flags[..]].concat())
        .section(LANDMARKS, table.landmarks())
        .section(ENTRIES, table.entries());
}

pub(super) fn open(index: &IndexFile, map: &Map) -> Result<Table, OpenError> {
    for section in [SHAPE, LANDMARKS] {
        index.verify_section(section)?;
    }
    let shape = index.section::<u32>(SHAPE)?;
    let (directed, proves, exact) = match *shape {
        [VERSION, directed @ 0..=1, proves @ 0..=1, exact @ 0..=1] => {
            (directed == 1, proves == 1, exact == 1)
        }
        [version, ..] if version != VERSION => {
            let reason = format!("it has version {version} and {VERSION} is expected");
            return Err(unusable(SHAPE, reason));
        }
        _ => return Err(unusable(SHAPE, format!("{:?} describes no table", &*shape))),
    };
    if directed == map.is_undirected() {
        return Err(unusable(SHAPE, "it is of a map with other directions".into()));
    }
    let landmarks = index.section::<u32>(LANDMARKS)?.to_vec();
    let entries = index.section::<u32>(ENTRIES)?;
    let stride = landmarks.len() as u128 * if directed { 2 } else { 1 };
    let expected = stride * map.node_count() as u128;
    if entries.len() as u128 != expected {
        let found = entries.len();
        return Err(unusable(ENTRIES, format!("{found} entries where {expected} are expected")));
    }
    Ok(Table::of(landmarks, directed, entries, proves, exact))
}
