//! Which edges a grid's subgoals get, and the regions they are cut into.
//!
//! Labels follow the edges: the fewer, the smaller the separators. In small rooms and among
//! scattered obstacles the plain reduction has many fewer than the taut one, in the open up to five
//! times as many. But it ties the ends of a path to more subgoals and makes paths of more edges,
//! which takes more time than smaller labels save unless it wins clearly (`ARCHITECTURE.md` has
//! figures). Other moves and corner rules have the taut one alone.

use crate::atlas::separator_tree::dissect::{Dissection, dissect};
use crate::atlas::uniform::subgoals::{Reduction, Subgoals};
use crate::build::{BuildError, Progress, Watch};
use crate::graph::Point;
use crate::grid::Grid;
use crate::partition::{Partitioner, Topology};

/// The better of a grid's reductions.
fn subgoals_of(grid: &Grid) -> Subgoals {
    let taut = Subgoals::new(grid, Reduction::Taut);
    if !Reduction::of(grid).contains(&Reduction::Plain) {
        return taut;
    }
    let plain = Subgoals::new(grid, Reduction::Plain);
    if 2 * plain.edge_count() <= taut.edge_count() { plain } else { taut }
}

/// The subgoals of a grid and their regions.
pub(crate) fn reduce(
    grid: &Grid,
    partitioner: &Partitioner,
    leaf_size: usize,
    progress: &dyn Progress,
) -> Result<(Subgoals, Dissection), BuildError> {
    let subgoals = subgoals_of(grid);
    let topology = Topology::of_graph(&subgoals)?.with_points(|node| {
        let spot = subgoals.view.spot(node);
        Point { x: spot.x as i32, y: spot.y as i32 }
    });
    let watch = Watch::new(progress, "regions", topology.node_count());
    let dissection = dissect(topology, partitioner, leaf_size, &watch)?;
    watch.check()?;
    Ok((subgoals, dissection))
}
