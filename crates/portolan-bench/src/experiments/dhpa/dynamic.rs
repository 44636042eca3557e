//! Figure 7: builds and searches together while obstacles move.
//!
//! Obstacles of 2 x 2 cells cover a fiftieth of the map. In every round all of them move at
//! random, every engine follows, and answers the same searches. Moving the obstacles is one
//! edit, and following it is what an engine's `refresh` takes: the paper's building.

use std::time::Instant;

use portolan::changes::CellChange;
use portolan::generate::{Pairs, Random};
use portolan::{Changes, Engine, Map, NodeId};

use super::Plan;
use crate::experiments::Steps;
use crate::timing::find_into;
use crate::workload::{Expected, Query, Subject};
use crate::{Error, engines, judge};

/// Engines that the paper does not have, beside the two that it compares.
pub(super) const OTHERS: [&str; 7] =
    ["hpa", "dhpa", "shpa", "atlas", "ppa", "differential", "astar"];

/// The side of an obstacle, and the share of the map's cells that obstacles cover.
const SIDE: u32 = 2;
const SHARE: f64 = 0.02;

/// The most searches after a build; the paper has 10, 20 and so on up to this.
pub(super) const MOST: usize = 100;
const STEP: usize = 10;

/// Seconds of all maps and rounds.
pub(super) struct Totals {
    pub(super) engines: Vec<Total>,
    pub(super) maps: usize,
    pub(super) rounds: usize,
    pub(super) checked: usize,
    pub(super) faults: Vec<String>,
}

/// Seconds of one engine.
pub(super) struct Total {
    pub(super) name: &'static str,
    pub(super) builds: f64,
    /// By how many searches follow a build, less one: those of the last of them.
    searches: Vec<f64>,
}

impl Total {
    /// All searches if this many follow a build.
    pub(super) fn searching(&self, per_build: usize) -> f64 {
        self.searches.iter().take(per_build).sum()
    }

    /// The same with the builds.
    pub(super) fn total(&self, per_build: usize) -> f64 {
        self.builds + self.searching(per_build)
    }
}

impl Totals {
    /// 10, 20 and so on.
    pub(super) fn steps() -> impl Iterator<Item = usize> {
        (STEP..=MOST).step_by(STEP)
    }

    pub(super) fn of(&self, name: &str) -> Option<&Total> {
        self.engines.iter().find(|total| total.name == name)
    }

    /// From how many searches per build on one engine takes less time than another.
    pub(super) fn overtakes(&self, faster: &str, slower: &str) -> Option<usize> {
        let (faster, slower) = (self.of(faster)?, self.of(slower)?);
        let is_faster = |&per_build: &usize| faster.total(per_build) < slower.total(per_build);
        let steps: Vec<usize> = Self::steps().collect();
        steps.into_iter().rev().take_while(is_faster).last()
    }
}

pub(super) fn run(
    maps: &[Subject],
    names: &[&'static str],
    plan: &Plan,
    steps: &Steps<'_>,
) -> Result<Totals, Error> {
    let total = |&name: &&'static str| Total { name, builds: 0.0, searches: vec![0.0; MOST] };
    let engines = names.iter().map(total).collect();
    let mut totals =
        Totals { engines, maps: maps.len(), rounds: plan.rounds, checked: 0, faults: Vec::new() };
    for map in maps {
        steps.next(format!("moving obstacles on {}", map.path.display()));
        totals.run_on(map, plan)?;
    }
    Ok(totals)
}

impl Totals {
    fn run_on(&mut self, subject: &Subject, plan: &Plan) -> Result<(), Error> {
        let mut random = Random::new(plan.seed);
        let mut blocked = Vec::new();
        let mut map = subject.map.clone();
        let build = |name: &str| engines::build_named(name, subject);
        let names = self.engines.iter().map(|total| total.name);
        let mut built = names.map(build).collect::<Result<Vec<_>, Error>>()?;
        let mut astar = build("astar")?;
        for round in 0..=plan.rounds {
            let changes = moved(&subject.map, &mut blocked, &mut random);
            map.apply(&changes)?;
            astar = astar.refresh(&map, &changes).map_err(engines::cannot_build("astar"))?;
            let searches = searches(&map, &*astar, plan.seed.wrapping_add(round as u64))?;
            for (at, engine) in built.iter_mut().enumerate() {
                // The searches above have made the map compute what it computes on first use, so no
                // engine pays for that.
                let start = Instant::now();
                let refused = engines::cannot_build(engine.name());
                *engine = engine.refresh(&map, &changes).map_err(refused)?;
                let build = start.elapsed().as_secs_f64();
                let seconds = self.ask(&**engine, &map, subject, &searches);
                // In the first round obstacles appear; after that they move.
                if round > 0 {
                    let total = &mut self.engines[at];
                    total.builds += build;
                    total.searches.iter_mut().zip(seconds).for_each(|(sum, one)| *sum += one);
                }
            }
        }
        Ok(())
    }

    /// The seconds of each search; answers are judged.
    fn ask(
        &mut self,
        engine: &dyn Engine,
        map: &Map,
        subject: &Subject,
        searches: &[Query],
    ) -> Vec<f64> {
        const SHOWN: usize = 5;
        let mut query = engine.query();
        let mut path: Vec<NodeId> = Vec::new();
        let mut times = Vec::with_capacity(searches.len());
        for search in searches {
            let start = Instant::now();
            let answered = find_into(&mut *query, search.from, search.to, &mut path);
            times.push(start.elapsed().as_secs_f64());
            let verdict = judge::judge(map, search, engine.exact(), answered, &path);
            self.checked += 1;
            if let Some(fault) = verdict.fault.filter(|_| self.faults.len() < SHOWN) {
                self.faults.push(format!("{}: {}", engine.name(), fault.describe(subject, search)));
            }
        }
        times
    }
}

/// Takes the obstacles away and puts as many elsewhere; what is blocked on the map itself stays so.
fn moved(map: &Map, blocked: &mut Vec<NodeId>, random: &mut Random) -> Changes {
    let mut changes = Changes::default();
    let Map::Grid(grid) = map else { return changes };
    let free = blocked.drain(..).map(|node| CellChange { node, passable: true });
    changes.cells.extend(free);
    let area = f64::from(grid.width()) * f64::from(grid.height());
    let count = (area * SHARE / f64::from(SIDE * SIDE)).round() as usize;
    for _ in 0..count {
        let x = random.below(u64::from(grid.width())) as u32;
        let y = random.below(u64::from(grid.height())) as u32;
        let cells = (0..SIDE * SIDE).map(|at| (x + at % SIDE, y + at / SIDE));
        blocked.extend(
            cells.filter(|&(x, y)| grid.is_passable(x, y)).filter_map(|(x, y)| grid.node(x, y)),
        );
    }
    changes.cells.extend(blocked.iter().map(|&node| CellChange { node, passable: false }));
    changes
}

/// Random searches between cells that reach each other, with what A* finds.
fn searches(map: &Map, astar: &dyn Engine, seed: u64) -> Result<Vec<Query>, Error> {
    let pairs = Pairs { count: MOST, even_lengths: false, seed };
    let pairs = pairs.generate(map).map_err(Error::Generate)?;
    let mut query = astar.query();
    let numbered = pairs.into_iter().zip(1..);
    let search = |((from, to), number)| {
        let expected = Expected::Cost(query.distance(from, to).ok().flatten());
        Query { number, from, to, expected, from_file: false }
    };
    Ok(numbered.map(search).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan::Grid;

    #[test]
    fn obstacles_cover_a_fiftieth_and_leave_nothing_behind() {
        let map = Map::from(Grid::from_fn(60, 50, |x, _| x != 7).unwrap());
        let (mut edited, mut blocked) = (map.clone(), Vec::new());
        let mut random = Random::new(3);
        for _ in 0..20 {
            let changes = moved(&map, &mut blocked, &mut random);
            edited.apply(&changes).unwrap();
            let covered = map.usable_count() - edited.usable_count();
            assert!((40..=60).contains(&covered), "{covered}");
        }
        let last =
            Changes::from_iter(blocked.iter().map(|&node| CellChange { node, passable: true }));
        edited.apply(&last).unwrap();
        assert_eq!(edited.usable_count(), map.usable_count());
    }
}
