//! One engine taken through the script: timed, and every answer checked.

use std::hint::black_box;
use std::time::Instant;

use portolan::{Engine, NodeId};

use super::script::Step;
use crate::check::{self, Answered, Faults};
use crate::engines;
use crate::error::Error;
use crate::load::Loaded;
use crate::measure::Times;
use crate::output::Output;
use crate::workload::Query;

/// What one engine needed for the script.
#[derive(Default)]
pub(crate) struct Replayed {
    /// The refresh after every edit.
    pub(crate) edits: Times,
    /// The search right after it, with the making of its query.
    pub(crate) first: Times,
    /// The searches that follow.
    pub(crate) later: Times,
    pub(crate) faults: Faults,
}

/// Follows the script, while this holds, from the map as it was loaded, on which the engine has
/// been built.
///
/// The map is edited anew for every engine. What a map finds when first asked, such as its
/// components, is thus paid for by each, as it would be if it were alone.
pub(crate) fn replay(
    mut engine: Box<dyn Engine>,
    loaded: &Loaded,
    script: &[Step],
    mut go_on: impl FnMut() -> bool,
    output: &Output,
) -> Result<Replayed, Error> {
    let bar = output.progress(engine.name(), script.len());
    let mut replayed = Replayed::default();
    let mut map = loaded.map.clone();
    for (number, step) in (1..).zip(script).take_while(|_| go_on()) {
        map.apply(&step.changes)?;
        let start = Instant::now();
        let refreshed =
            engine.refresh(&map, &step.changes).map_err(engines::cannot_build(engine.name()))?;
        replayed.edits.add(start.elapsed());
        engine = refreshed;
        let answers = replayed.ask(&*engine, &step.searches);
        for (search, (answered, path)) in step.searches.iter().zip(answers) {
            let answer = answered.map(|cost| cost.map(|cost| (cost, path.as_slice())));
            let verdict = check::judge(&map, search, engine.exact(), answer);
            replayed.faults.note(&verdict, number, (loaded, search));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(replayed)
}

impl Replayed {
    /// Asks for the paths; nothing is looked at before all have been found.
    fn ask(&mut self, engine: &dyn Engine, searches: &[Query]) -> Vec<(Answered, Vec<NodeId>)> {
        let mut answers = Vec::with_capacity(searches.len());
        let mut query = None;
        for search in searches {
            let mut path = Vec::new();
            let start = Instant::now();
            let is_first = query.is_none();
            let query = query.get_or_insert_with(|| engine.query());
            let answered = query.find(search.from, search.to).map(|route| {
                route.map(|route| {
                    route.nodes_into(&mut path);
                    route.cost()
                })
            });
            black_box(&path);
            let times = if is_first { &mut self.first } else { &mut self.later };
            times.add(start.elapsed());
            answers.push((answered, path));
        }
        answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::edit_bench::script::{self, Where};
    use crate::output::Surroundings;
    use portolan::store::{IndexWriter, Unstorable};
    use portolan::{BuildError, Changes, Grid, Map};
    use std::sync::Arc;

    /// An engine that never learns of an edit.
    #[derive(Debug)]
    struct Stale {
        engine: Arc<dyn Engine>,
        exact: bool,
    }

    impl Engine for Stale {
        fn name(&self) -> &'static str {
            "stale"
        }

        fn exact(&self) -> bool {
            self.exact
        }

        fn refresh(&self, _: &Map, _: &Changes) -> Result<Box<dyn Engine>, BuildError> {
            Ok(Box::new(Self { engine: self.engine.clone(), exact: self.exact }))
        }

        fn memory_bytes(&self) -> usize {
            0
        }

        fn store(&self) -> Result<IndexWriter<'_>, Unstorable> {
            self.engine.store()
        }

        fn map(&self) -> &Map {
            self.engine.map()
        }

        fn query(&self) -> Box<dyn portolan::Query + Send + Sync + '_> {
            self.engine.query()
        }

        fn owned_query(self: Arc<Self>) -> Box<dyn portolan::Query + Send + Sync> {
            Arc::clone(&self.engine).owned_query()
        }
    }

    /// The number of wrong answers on an open map, or on one with a single open column at first.
    fn wrong(stale: bool, exact: bool, open: bool) -> usize {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let output = Output::new(&mut out, &mut err, Surroundings::default());
        let map = Grid::from_fn(12, 12, |x, _| open || x == 3).unwrap();
        let loaded = Loaded::made("x.map".into(), map.into());
        let script = script::draw(&loaded, 40, Where::Anywhere, &output).unwrap();
        let mut engine = engines::build(engines::find("astar").unwrap(), &loaded).unwrap();
        if stale {
            engine = Box::new(Stale { engine: engine.into(), exact });
        }
        let replayed = replay(engine, &loaded, &script, || true, &output).unwrap();
        let (wrong, lines) = (replayed.faults.len(), replayed.faults.lines("stale"));
        assert_eq!(lines.len(), wrong.min(6));
        assert!(lines.iter().take(5).all(|line| line.starts_with("stale: after edit ")));
        wrong
    }

    #[test]
    fn an_engine_that_follows_edits_is_never_wrong() {
        assert_eq!((wrong(false, true, true), wrong(false, true, false)), (0, 0));
    }

    #[test]
    fn an_engine_that_misses_edits_is_found_out() {
        // Paths through cells that were blocked, whether the engine promises shortest paths or not.
        assert!(wrong(true, true, true) > 0 && wrong(true, false, true) > 0);
        // And places that it does not know to be free.
        assert!(wrong(true, false, false) > 0);
    }
}
