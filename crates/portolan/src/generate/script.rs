//! A dynamic scenario while it is generated.

use rayon::prelude::*;

use super::{GenerateError, Pairs, check_number};
use crate::changes::Changes;
use crate::formats::movingai::{
    Command, DynamicScenario, MOST_DYNAMIC_CELLS, Patch, ScenarioLine, Stamp,
};
use crate::graph::Endpoints;
use crate::grid::Grid;
use crate::heuristic::{Geometric, Heuristic, HeuristicChoice};
use crate::map::Map;
use crate::search::{Scratch, astar};

/// The number of decimals in MovingAI scenarios.
const DECIMALS: u8 = 8;

/// A partial scenario, and the map at its end.
pub(super) struct ScenarioDraft {
    grid: Grid,
    patches: Vec<Patch>,
    scenario: DynamicScenario,
}

impl ScenarioDraft {
    /// A scenario without commands. `name` is that of the patch file.
    pub(super) fn new(
        (width, height): (u32, u32),
        patches: Vec<Patch>,
        name: &str,
    ) -> Result<Self, GenerateError> {
        let grid = Grid::new(width, height)?;
        let name = name.to_owned();
        let scenario = DynamicScenario { width, height, patches: name, commands: Vec::new() };
        Ok(Self { grid, patches, scenario })
    }

    pub(super) fn stamp(&mut self, stamp: Stamp) -> Result<(), GenerateError> {
        let cells =
            self.patches[stamp.patch as usize].stamp(&self.grid, stamp.at).collect::<Vec<_>>();
        let changes = Changes::from(cells);
        self.grid.apply(&changes).expect("patches are cut off at the border of the map");
        self.scenario.commands.push(Command::Stamp(stamp));
        Ok(())
    }

    /// Adds random queries that have a path.
    pub(super) fn add_queries(
        &mut self,
        bucket: u32,
        count: u32,
        seed: u64,
    ) -> Result<(), GenerateError> {
        let map = Map::from(&self.grid);
        let pairs = Pairs { count: count as usize, seed, ..Pairs::default() }.generate(&map)?;
        let geometric =
            Geometric::new(&map, HeuristicChoice::Auto).expect("every grid has a geometric bound");
        let line = |scratch: &mut Scratch, (from, to): Endpoints| {
            let bound = &mut geometric.toward(to);
            let cost = astar::find(&self.grid, scratch, (from, to), bound, &mut ()).ok()??;
            let (start, goal) = (self.grid.position(from)?, self.grid.position(to)?);
            let length = Some(f64::from(cost) / f64::from(self.grid.unit()));
            let DynamicScenario { width, height, .. } = self.scenario;
            let (map, decimals) = (String::new(), DECIMALS);
            Some(ScenarioLine { bucket, map, width, height, start, goal, length, decimals })
        };
        let solved: Vec<Option<ScenarioLine>> =
            pairs.into_par_iter().map_init(Scratch::default, line).collect();
        self.scenario.commands.extend(solved.into_iter().flatten().map(Command::Query));
        Ok(())
    }

    pub(super) fn finish(self) -> (DynamicScenario, Vec<Patch>) {
        (self.scenario, self.patches)
    }
}

/// Checks the size of the map of a dynamic scenario; `least` is the shortest side allowed.
pub(super) fn check_dynamic_size(
    (width, height): (u32, u32),
    least: u32,
) -> Result<(), GenerateError> {
    let cells = |other: u32| MOST_DYNAMIC_CELLS / u64::from(other.max(1));
    check_number("width", width, least, cells(least))?;
    check_number("height", height, least, cells(width))
}
