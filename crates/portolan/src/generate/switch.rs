//! Whole maps that replace each other, as a dynamic scenario.

use super::arena::MOST;
use super::script::{ScenarioDraft, check_dynamic_size};
use super::{GenerateError, Random, check_number};
use crate::formats::movingai::{DynamicScenario, Patch, Stamp};
use crate::grid::Grid;

/// A dynamic scenario that replaces the whole map again and again: the given maps in turn.
///
/// After each edit come queries on the current map, with the length of a shortest path: eight
/// moves, corners never cut. Only which cells are passable is taken from the maps. The scenario is
/// as wide and as high as the largest of them; cells outside a smaller one are blocked.
///
/// ```
/// use portolan::generate::{Caves, Rooms, Switch};
/// let rooms = Rooms { width: 64, height: 64, ..Rooms::default() }.generate()?;
/// let caves = Caves { width: 64, height: 64, grain: 2, ..Caves::default() }.generate()?;
/// let switch = Switch { edits: 4, queries: 5, seed: 1 };
/// let (scenario, patches) = switch.generate(&[rooms, caves], "switch.patch")?;
/// assert_eq!((patches.len(), scenario.commands.len()), (2, 4 + 4 * 5));
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    /// The number of edits, each of which replaces the whole map.
    pub edits: u32,
    /// The number of queries after each edit.
    pub queries: u32,
    /// The seed of the queries.
    pub seed: u64,
}

impl Default for Switch {
    fn default() -> Self {
        Self { edits: 20, queries: 100, seed: 0 }
    }
}

impl Switch {
    /// Generates the scenario and a patch for each map. `patches` is the name of the patch file in
    /// the scenario.
    pub fn generate(
        &self,
        maps: &[Grid],
        patches: &str,
    ) -> Result<(DynamicScenario, Vec<Patch>), GenerateError> {
        check_number("maps", maps.len() as u64, 1u32, MOST)?;
        check_number("edits", self.edits, 1u32, MOST)?;
        check_number("queries", self.queries, 1u32, MOST)?;
        let width = maps.iter().map(Grid::width).max().unwrap_or(0);
        let height = maps.iter().map(Grid::height).max().unwrap_or(0);
        check_dynamic_size((width, height), 1)?;
        let patch = |map: &Grid| {
            let cell = |cell: u32| map.is_passable(cell % width, cell / width);
            Patch::new(width, (0..width * height).map(cell).collect())
        };
        let shapes = maps.iter().filter_map(patch).collect();
        let mut draft = ScenarioDraft::new((width, height), shapes, patches)?;
        let mut random = Random::new(self.seed);
        for bucket in 0..self.edits {
            draft.stamp(Stamp { bucket, patch: bucket % maps.len() as u32, at: (0, 0) })?;
            draft.add_queries(bucket, self.queries, random.bits())?;
        }
        Ok(draft.finish())
    }
}
