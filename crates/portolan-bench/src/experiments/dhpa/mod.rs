//! `portolan reproduce dhpa`: the experiments of the paper on DHPA* and SHPA*.
//!
//! Three of them, on the maps of Baldur's Gate: how long builds take (Figure 5), how fast searches
//! are by the length of the shortest path (Figure 6), and what searches and builds take together
//! when obstacles move (Figure 7).

mod builds;
mod dynamic;
mod paper;
mod searches;
mod write_up;

use std::path::Path;

use portolan::generate::Caves;

use super::{Experiment, Options, Steps};
use crate::workload::{Subject, maps};
use crate::{Bars, Error};

/// The engines of the paper, in its order.
const HIERARCHIES: [&str; 3] = ["hpa", "dhpa", "shpa"];

/// The cluster size of the second and the third experiment.
const CLUSTER: u32 = 10;

/// How large the experiments are.
struct Plan<'a> {
    folder: Option<&'a Path>,
    quick: bool,
    /// Whether the maps are not those of the paper.
    generated: bool,
    seed: u64,
    /// Searches on each map.
    searches: usize,
    /// How often obstacles move on each map.
    rounds: usize,
}

/// All that was measured.
struct Results {
    builds: Vec<builds::Total>,
    largest: builds::Largest,
    searches: searches::Searches,
    dynamic: dynamic::Totals,
    /// The same for other engines, on a few of the maps.
    others: dynamic::Totals,
}

pub(super) fn run(options: &Options, bars: &dyn Bars) -> Result<Experiment, Error> {
    let Options { quick, seed, .. } = *options;
    let usual = if quick { 20 } else { 200 };
    let searches = options.queries.map_or(usual, |queries| queries as usize);
    let rounds = if quick { 1 } else { 10 };
    let generated = false;
    let mut plan = Plan { folder: options.maps, quick, generated, seed, searches, rounds };
    let maps = plan.maps()?;
    let steps = Steps::new(4 * maps.len(), bars);
    let measured = Results {
        builds: builds::run(&maps, &steps)?,
        largest: builds::largest(&maps)?,
        searches: searches::run(&maps, &plan, &steps)?,
        dynamic: dynamic::run(&maps, &["hpa", "dhpa"], &plan, &steps)?,
        others: dynamic::run(&plan.few(&maps), &dynamic::OTHERS, &plan, &steps)?,
    };
    drop(steps);
    let Results { searches, dynamic, others, .. } = &measured;
    let faults = [&searches.faults, &dynamic.faults, &others.faults];
    Ok(Experiment {
        report: write_up::report(&plan, &maps, &measured, options.stem),
        outcome: write_up::headline(&measured),
        checked: searches.checked + dynamic.checked + others.checked,
        held_against: "none is shorter than that of A*, nor missing where A* finds one".into(),
        faults: faults.into_iter().flatten().cloned().collect(),
    })
}

impl Plan<'_> {
    /// The maps of Baldur's Gate where they are there; else, and in a quick run, generated caves of
    /// their sizes.
    fn maps(&mut self) -> Result<Vec<Subject>, Error> {
        let found = match self.quick {
            true => Vec::new(),
            false => maps::grids_in(self.folder, "bgmaps")?,
        };
        self.generated = found.is_empty();
        let mut found = match self.generated {
            false => found,
            true => {
                let sizes =
                    if self.quick { vec![40, 60] } else { (50..=320).step_by(30).collect() };
                let cave = |size: u32| {
                    maps::cave(&Caves {
                        width: size,
                        height: size,
                        seed: self.seed,
                        ..Caves::default()
                    })
                };
                sizes.into_iter().map(cave).collect::<Result<_, _>>()?
            }
        };
        for map in &mut found {
            map.settings.threads = 1;
            map.settings.cluster_size = CLUSTER;
            map.settings.seed = self.seed;
        }
        Ok(found)
    }

    /// A few of the maps, for engines that take long to follow many edits at once.
    fn few(&self, maps: &[Subject]) -> Vec<Subject> {
        const FEW: usize = 8;
        let every = maps.len().div_ceil(FEW).max(1);
        maps.iter().step_by(every).cloned().collect()
    }
}
