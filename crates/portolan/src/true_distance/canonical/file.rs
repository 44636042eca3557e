//! Canonical distances in an index file.
//!
//! | section | type | content |
//! |---|---|---|
//! | `canonical.shape` | `u32` | layout version; number of canonical nodes; number that each node stores; whether a cost overflowed; the units of the distances and of the costs, or 0 |
//! | `canonical.distances` | `u32`, or `u16` in units | between canonical nodes |
//! | `canonical.from-names`, `canonical.from-costs` | `u16`, and as distances | for each usable node, the nearest canonical nodes, and the distances from them |
//! | `canonical.to-names`, `canonical.to-costs` | the same | the same in the other direction, on directed maps |

use super::CanonicalTables;
use super::nearest::NearestCanonical;
use crate::map::Map;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};
use crate::true_distance::matrix::DistanceMatrix;
use crate::true_distance::packed_costs::PackedCosts;
use crate::true_distance::ranks::Ranks;

const VERSION: u32 = 1;
const SHAPE: &str = "canonical.shape";
const DISTANCES: &str = "canonical.distances";
const FROM: [&str; 2] = ["canonical.from-names", "canonical.from-costs"];
const TO: [&str; 2] = ["canonical.to-names", "canonical.to-costs"];

pub(super) fn store<'a>(tables: &'a CanonicalTables, writer: &mut IndexWriter<'a>) {
    let CanonicalTables { distances, from, to, overflowed, .. } = tables;
    let sizes = [distances.size() as u32, from.per_node() as u32, (*overflowed).into()];
    let units = [distances.unit(), from.arrays().1.unit()];
    let shape = [VERSION].into_iter().chain(sizes).chain(units).collect();
    writer.section_owned(SHAPE, shape);
    distances.store(DISTANCES, writer);
    let lists = [Some((from, FROM)), to.as_ref().map(|to| (to, TO))];
    for (list, [names, costs]) in lists.into_iter().flatten() {
        let arrays = list.arrays();
        writer.section(names, arrays.0);
        arrays.1.store(costs, writer);
    }
}

pub(super) fn open(index: &IndexFile, map: &Map) -> Result<CanonicalTables, OpenError> {
    index.verify_section(SHAPE)?;
    let (count, per_node, overflowed, units) = match *index.section::<u32>(SHAPE)? {
        [VERSION, count, per_node, overflowed @ (0 | 1), a, b] if count <= u32::from(u16::MAX) => {
            (count as usize, per_node as usize, overflowed == 1, [a, b])
        }
        ref shape => return Err(unusable(SHAPE, format!("{shape:?} is not a valid header"))),
    };
    let (ranks, undirected) = (Ranks::of(map), map.is_undirected());
    let distances = DistanceMatrix::open(index, DISTANCES, (count, undirected), units[0])?;
    let list = |[names, costs]: [&'static str; 2]| {
        let costs = PackedCosts::open(index, costs, units[1])?;
        let list =
            NearestCanonical::from_arrays(ranks.count(), per_node, index.section(names)?, costs);
        list.ok_or_else(|| unusable(names, format!("it does not have {per_node} per node")))
    };
    let from = list(FROM)?;
    let to = if undirected { None } else { Some(list(TO)?) };
    Ok(CanonicalTables { ranks, distances, from, to, overflowed })
}
