//! Applies changes and reduces them to the actual differences.

use super::{CellChange, ChangeError, Changes, TerrainChange};
use crate::graph::NodeId;
use crate::grid::Grid;
use crate::map::Map;

/// The map after these changes, and the differences: on grids every changed cell once, in ascending
/// order. `None` if nothing differs.
pub(crate) fn applied(map: &Map, changes: Changes) -> Result<Option<(Map, Changes)>, ChangeError> {
    if changes.is_empty() {
        return Ok(None);
    }
    let mut after = map.clone();
    after.apply(&changes)?;
    let changes = match (map, &after) {
        (Map::Grid(before), Map::Grid(after)) => differences(before, after, &changes),
        _ => changes,
    };
    Ok((!changes.is_empty()).then_some((after, changes)))
}

fn differences(before: &Grid, after: &Grid, changes: &Changes) -> Changes {
    let ascending = |mut nodes: Vec<NodeId>| {
        nodes.sort_unstable();
        nodes.dedup();
        nodes.into_iter().filter_map(|node| Some((node, before.position(node)?)))
    };
    let cells = changes.cells.iter().map(|change| change.node).collect();
    let cells = ascending(cells).filter_map(|(node, (x, y))| {
        let passable = after.is_passable(x, y);
        (passable != before.is_passable(x, y)).then_some(CellChange { node, passable })
    });
    let terrain = changes.terrain.iter().map(|change| change.node).collect();
    let terrain = ascending(terrain).filter_map(|(node, (x, y))| {
        let factor = after.factor(x, y)?;
        (Some(factor) != before.factor(x, y)).then_some(TerrainChange { node, factor })
    });
    Changes { cells: cells.collect(), terrain: terrain.collect(), ..Changes::default() }
}
