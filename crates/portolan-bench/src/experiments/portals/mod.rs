//! `portolan reproduce portals`: the tables of the paper on portal-based true-distance heuristics.

mod contenders;
mod kinds;
mod paper;
mod runs;
mod write_up;

use std::path::Path;

use self::kinds::Kind;
use super::{Experiment, Options, Steps, reached};
use crate::report::Report;
use crate::{Bars, Error};

/// How large the experiments are.
struct Plan<'a> {
    folder: Option<&'a Path>,
    quick: bool,
    seed: u64,
    /// How many maps of rooms, and as many mazes.
    maps: u32,
    /// Cells of a side of a map of rooms; mazes have twice as many once they are doubled.
    side: u32,
    searches: usize,
    /// Whether the Baldur's Gate map is that of the paper.
    gate_is_real: bool,
}

pub(super) fn run(options: &Options, bars: &dyn Bars) -> Result<Experiment, Error> {
    let plan = Plan::new(options)?;
    let steps = Kind::ALL.iter().map(|&kind| runs::steps(&plan, kind)).sum();
    let steps = Steps::new(steps, bars);
    let runs = Kind::ALL.map(|kind| runs::run(&plan, kind, &steps));
    drop(steps);
    let runs = runs.into_iter().collect::<Result<Vec<_>, _>>()?;

    let mut report = Report::new("Portal-based true-distance heuristics");
    report.intro = INTRO.into();
    report.sections.extend(write_up::sections(&plan, &runs));
    let outcome = reached(&report);
    Ok(Experiment {
        report,
        outcome,
        checked: runs.iter().map(|run| run.checked).sum(),
        held_against: "its cost is that of A*".into(),
        faults: runs.into_iter().flat_map(|run| run.faults).collect(),
    })
}

const INTRO: &str = "Tables 1 to 4 and Figure 4 of the paper (Goldenberg, Felner, Sturtevant and Schaeffer 2010, \
    Portal-Based True-Distance Heuristics for Path Finding), on maps of its kinds.\n\n\
    Nodes and times are those of A* with the Manhattan distance, or the octile distance on the Baldur's Gate map, \
    taken as one. Memory is counted in units of |V|: one entry of four bytes for every passable cell. Every method \
    gets the same number of bytes. Portolan keeps more in them than the paper's four bytes an entry: regions have \
    numbers of two bytes, and on four-connected maps, where every distance is a whole number of steps, distances \
    have two bytes as well, and nothing is lost. Times are full paths on one thread, best of three per search, and \
    both engines take turns; the paper's times are from another machine, so only ratios can be compared.";

impl<'a> Plan<'a> {
    fn new(options: &Options<'a>) -> Result<Self, Error> {
        let Options { seed, quick, .. } = *options;
        let most = options.queries.map_or(usize::MAX, |queries| queries as usize);
        let (maps, side, searches) =
            if quick { (1, 48, 20) } else { (paper::MAPS, 256, paper::SEARCHES) };
        let folder = options.maps;
        Ok(Self {
            folder,
            quick,
            seed,
            maps: options.count.unwrap_or(maps),
            side,
            searches: searches.min(most),
            gate_is_real: kinds::real_gate(folder, quick)?.is_some(),
        })
    }

    /// A figure of the paper, where it has one and this run can be compared with it.
    fn published(&self, kind: Kind, figure: f64) -> Option<f64> {
        let is_alike = !self.quick && (kind != Kind::Gate || self.gate_is_real);
        (is_alike && figure > 0.0).then_some(figure)
    }
}
