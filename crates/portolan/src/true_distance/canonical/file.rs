//! Canonical distances in an index file.
//!
//! | section | of | what |
//! |---|---|---|
//! | `canonical.shape` | `u32` | version of this layout; how many canonical nodes; how many each node stores; whether costs outgrew their numbers; the units that the distances and the costs are counted in, or 0 |
//! | `canonical.distances` | `u32`, or `u16` of a unit | between canonical nodes |
//! | `canonical.from-names`, `canonical.from-costs` | `u16`, and as distances | by usable node the nearest canonical ones, and how far it is from them |
//! | `canonical.to-names`, `canonical.to-costs` | the same | the same the other way round, on directed maps |

use super::Tables;
use super::near::Near;
use crate::map::Map;
use crate::store::{IndexFile, IndexWriter, OpenError, unusable};
use crate::true_distance::costs::Costs;
use crate::true_distance::matrix::Matrix;
use crate::true_distance::ranks::Ranks;

const VERSION: u32 = 1;
const SHAPE: &str = "canonical.shape";
const DISTANCES: &str = "canonical.distances";
const FROM: [&str; 2] = ["canonical.from-names", "canonical.from-costs"];
const TO: [&str; 2] = ["canonical.to-names", "canonical.to-costs"];

pub(super) fn store<'a>(tables: &'a Tables, writer: &mut IndexWriter<'a>) {
    let Tables { distances, from, to, heavy, .. } = tables;
    let sizes = [distances.size() as u32, from.each() as u32, (*heavy).into()];
    let units = [distances.costs().unit(), from.arrays().1.unit()];
    let shape = [VERSION].into_iter().chain(sizes).chain(units).collect();
    writer.section_owned(SHAPE, shape);
    distances.costs().store(DISTANCES, writer);
    for (near, [names, costs]) in
        [Some((from, FROM)), to.as_ref().map(|to| (to, TO))].into_iter().flatten()
    {
        let arrays = near.arrays();
        writer.section(names, arrays.0);
        arrays.1.store(costs, writer);
    }
}

pub(super) fn open(index: &IndexFile, map: &Map) -> Result<Tables, OpenError> {
    index.verify_section(SHAPE)?;
    let (count, each, heavy, units) = match *index.section::<u32>(SHAPE)? {
        [VERSION, count, each, heavy @ (0 | 1), a, b] if count <= u32::from(u16::MAX) => {
            (count as usize, each as usize, heavy == 1, [a, b])
        }
        ref shape => return Err(unusable(SHAPE, format!("{shape:?} describes no such tables"))),
    };
    let (ranks, undirected) = (Ranks::of(map), map.is_undirected());
    let distances = Costs::open(index, DISTANCES, units[0])?;
    let distances = Matrix::from_costs(count, undirected, distances);
    let distances = distances.ok_or_else(|| {
        unusable(DISTANCES, format!("they are not those between {count} canonical nodes"))
    })?;
    let near = |[names, costs]: [&str; 2]| {
        let costs = Costs::open(index, costs, units[1])?;
        let near = Near::from_arrays(ranks.count(), each, index.section(names)?, costs);
        near.ok_or_else(|| unusable(names, format!("they are not {each} for each node")))
    };
    let from = near(FROM)?;
    let to = if undirected { None } else { Some(near(TO)?) };
    Ok(Tables { ranks, distances, from, to, heavy })
}
