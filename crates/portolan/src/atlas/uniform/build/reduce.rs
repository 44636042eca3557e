//! Chooses the reduction of a grid and dissects its subgoals into regions.
//!
//! Labels follow the edges: fewer edges give smaller separators. In small rooms and among scattered
//! obstacles the plain reduction has far fewer edges than the taut one; in the open it has up to
//! five times as many. But it gives endpoints more accesses and paths more edges, which costs more
//! time than smaller labels save unless the plain reduction wins clearly (`ARCHITECTURE.md` has
//! figures). Other moves and corner rules only have the taut reduction.

use crate::atlas::separator_tree::dissect::{Dissection, dissect};
use crate::atlas::uniform::subgoals::{Reduction, Subgoals};
use crate::build::{BuildError, Progress, Watch};
use crate::graph::Point;
use crate::grid::Grid;
use crate::partition::{Partitioner, Topology};

/// The better reduction of a grid.
fn subgoals_of(grid: &Grid) -> Subgoals {
    if !Reduction::of(grid).contains(&Reduction::Plain) {
        return Subgoals::new(grid, Reduction::Taut);
    }
    let (taut, plain) = rayon::join(
        || Subgoals::new(grid, Reduction::Taut),
        || Subgoals::new(grid, Reduction::Plain),
    );
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
    let topology = Topology::of_nodes(&subgoals, subgoals.all().collect())?.with_points(|node| {
        let cell = subgoals.view.cell(node);
        Point { x: cell.x as i32, y: cell.y as i32 }
    });
    let watch = Watch::new(progress, "regions", topology.node_count());
    let dissection = dissect(topology, partitioner, leaf_size, &watch)?;
    watch.check()?;
    Ok((subgoals, dissection))
}
