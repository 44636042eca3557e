//! A dynamic scenario as steps: an edit, and the queries up to the next one.
//!
//! Patches are stamped when a step is replayed and not before: a short file may stamp large patches
//! very often, so cells are never held for more than one step.

use std::path::Path;

use portolan::changes::CellChange;
use portolan::formats::movingai::{self, Command, Patch, ScenarioLine, Stamp};
use portolan::generate::GenerateError;
use portolan::{Changes, Grid, NodeId};

use super::files::{self, in_file};
use super::{Expected, Query, Source, Subject};
use crate::Error;

/// What happens to the map, and in what order.
pub struct Script {
    /// The map at first, wholly passable, with what engines on it are built with.
    pub subject: Subject,
    /// The edits and queries in their order.
    pub(crate) steps: Vec<Step>,
    /// Invalid queries, each described.
    pub invalid: Vec<String>,
    /// How many queries there are.
    pub queries: usize,
    patches: Vec<Patch>,
}

/// An edit, none before the first, and the queries that follow it.
#[derive(Default)]
pub(crate) struct Step {
    pub(crate) stamps: Vec<Stamp>,
    pub(crate) queries: Vec<Query>,
}

impl Script {
    /// Reads the scenario and its patches.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = files::read(path)?;
        if !super::is_dynamic(&text) && movingai::read_scen(&text).is_ok() {
            return Err(Error::StaticScenario { path: path.into() });
        }
        let scenario = movingai::read_dynamic(&text).map_err(in_file(path))?;
        let name = Path::new(&scenario.patches);
        if name.file_name() != Some(name.as_os_str()) {
            let (path, name) = (path.into(), scenario.patches);
            return Err(Error::PatchesElsewhere { path, name });
        }
        let beside = path.with_file_name(name);
        let patches = movingai::read_patches(&files::read(&beside)?).map_err(in_file(&beside))?;
        let grid = Grid::new(scenario.width, scenario.height);
        let mut grid = grid.map_err(GenerateError::Grid).map_err(Error::Generate)?;
        let subject = Subject::new(path, &grid);
        let (steps, invalid) = (vec![Step::default()], Vec::new());
        let mut script = Self { subject, steps, invalid, queries: 0, patches };
        for (index, command) in scenario.commands.into_iter().enumerate() {
            match command {
                Command::Stamp(stamp) => script.edit(&mut grid, stamp, (path, index + 1))?,
                Command::Query(line) => script.ask(&grid, line),
            }
        }
        if script.queries == 0 {
            let (of, invalid) = (Source::File(path.into()), script.invalid);
            return Err(Error::NoQuery { of, invalid });
        }
        Ok(script)
    }

    /// How many edits there are.
    pub fn edits(&self) -> usize {
        self.steps.iter().filter(|step| !step.stamps.is_empty()).count()
    }

    /// Stamps the patches of a step on a grid; says which cells are not as they were.
    pub(crate) fn stamp(&self, grid: &mut Grid, step: &Step) -> Result<Changes, Error> {
        let before = grid.clone();
        for stamp in &step.stamps {
            if let Some(patch) = self.patches.get(stamp.patch as usize) {
                set(grid, patch, stamp)?;
            }
        }
        let rows = (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (x, y)));
        let cells = (0..).zip(rows).filter_map(|(node, (x, y)): (NodeId, _)| {
            let passable = grid.is_passable(x, y);
            (passable != before.is_passable(x, y)).then_some(CellChange { node, passable })
        });
        Ok(cells.collect())
    }

    /// Adds to the edit under way, or begins one behind queries.
    fn edit(
        &mut self,
        grid: &mut Grid,
        stamp: Stamp,
        (path, command): (&Path, usize),
    ) -> Result<(), Error> {
        let (number, patches) = (stamp.patch, self.patches.len());
        let patch = self.patches.get(number as usize);
        let patch = patch.ok_or_else(|| Error::NoSuchPatch {
            path: path.into(),
            command,
            patch: number,
            patches,
        })?;
        let size = (grid.width(), grid.height());
        if stamp.at.0 >= size.0 || stamp.at.1 >= size.1 {
            return Err(Error::StampOutside { path: path.into(), command, at: stamp.at, size });
        }
        set(grid, patch, &stamp)?;
        let is_under_way = |step: &Step| step.queries.is_empty() && !step.stamps.is_empty();
        match self.steps.last_mut().filter(|step| is_under_way(step)) {
            Some(step) => step.stamps.push(stamp),
            None => self.steps.push(Step { stamps: vec![stamp], queries: Vec::new() }),
        }
        Ok(())
    }

    fn ask(&mut self, grid: &Grid, line: ScenarioLine) {
        let number = 1 + self.queries + self.invalid.len();
        let node = |what: &str, (x, y): (u32, u32)| match grid.node(x, y) {
            None => Err(format!("query {number}: {what} {x},{y} lies outside the map")),
            Some(_) if !grid.is_passable(x, y) => {
                Err(format!("query {number}: {what} {x},{y} is blocked"))
            }
            Some(node) => Ok::<NodeId, String>(node),
        };
        match (node("start", line.start), node("goal", line.goal)) {
            (Ok(from), Ok(to)) => {
                let expected = Expected::from(line);
                let query = Query { number, from, to, expected, from_file: true };
                self.queries += 1;
                if let Some(step) = self.steps.last_mut() {
                    step.queries.push(query);
                }
            }
            (Err(reason), _) | (_, Err(reason)) => self.invalid.push(reason),
        }
    }
}

fn set(grid: &mut Grid, patch: &Patch, stamp: &Stamp) -> Result<(), Error> {
    Ok(grid.apply(&patch.stamp(grid, stamp.at).collect::<Changes>())?)
}
