//! What edits cost: one engine follows a script, and every answer after an edit is judged.

use std::hint::black_box;
use std::time::Instant;

use portolan::registry::Method;
use portolan::world::{Follow, Recipe, Snapshot, Standing, World, WorldError};
use portolan::{Engine, Map, NodeId};

use super::{Times, find_into};
use crate::judge::{self, Answered, Faults};
use crate::workload::dynamic::Script;
use crate::workload::edits::Step;
use crate::workload::{Query, Subject};
use crate::{Bars, Error, engines};

/// What one engine needed for a script.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Following the edits.
    pub edits: Times,
    /// The first path after each edit, with the creation of the query object.
    pub first: Times,
    /// The paths after that.
    pub later: Times,
    /// Wrong answers.
    pub faults: Faults,
}

/// Follows the script while this holds, from the map on which the engine was built.
///
/// The map is edited from scratch for every engine, so each pays for what a map finds when it is
/// first queried, such as its components.
pub fn follow(
    mut engine: Box<dyn Engine>,
    subject: &Subject,
    script: &[Step],
    mut go_on: impl FnMut() -> bool,
    bars: &dyn Bars,
) -> Result<Replayed, Error> {
    let bar = bars.bar(engine.name(), script.len());
    let mut replayed = Replayed::default();
    let mut map = subject.map.clone();
    for (number, step) in (1..).zip(script).take_while(|_| go_on()) {
        map.apply(&step.changes)?;
        let start = Instant::now();
        let refreshed = engine.refresh(&map, &step.changes);
        let refreshed = refreshed.map_err(engines::cannot_build(engine.name()))?;
        replayed.edits.add(start.elapsed());
        engine = refreshed;
        replayed.search(&map, &*engine, number, subject, &step.searches)?;
        bar.inc(1);
    }
    Ok(replayed)
}

/// Takes a world with one engine through a dynamic scenario. With `advance`, engines that were
/// rebuilt in the background are used after every edit.
pub fn replay(
    method: &'static dyn Method,
    script: &Script,
    advance: bool,
    bars: &dyn Bars,
) -> Result<Replayed, Error> {
    let subject = &script.subject;
    let refused = |error| match error {
        WorldError::Build(error) => engines::cannot_build(method.name())(error),
        other => Error::Refused { reason: other.to_string() },
    };
    engines::takes_bounds(method, subject)?;
    let world = World::new(subject.map.clone()).map_err(refused)?;
    let recipe = Recipe::method(method, subject.settings.clone());
    world.add_with(recipe, Follow::AtOnce).map_err(refused)?;
    let bar = bars.bar(method.name(), script.steps.len());
    let mut replayed = Replayed::default();
    let Map::Grid(mut grid) = subject.map.clone() else { return Ok(replayed) };
    for (number, step) in script.steps.iter().enumerate() {
        let changes = script.stamp(&mut grid, step)?;
        let mut snapshot = world.snapshot();
        // Stamps that change nothing are not an edit.
        if !changes.is_empty() {
            let start = Instant::now();
            let edit = world.apply(&changes).map_err(refused)?;
            snapshot = match advance {
                true => world.advance().snapshot,
                false => edit.snapshot().clone(),
            };
            replayed.edits.add(start.elapsed());
        }
        is_current(method, &snapshot, number)?;
        let query = || snapshot.query_by(method.name()).map_err(refused);
        let answers = replayed.ask(query, &step.queries)?;
        replayed.judge(snapshot.map(), method.exact(), number, (subject, &step.queries), answers);
        bar.inc(1);
    }
    Ok(replayed)
}

/// An error where A* would answer under the engine's name.
fn is_current(method: &dyn Method, snapshot: &Snapshot, edit: usize) -> Result<(), Error> {
    let reason = match snapshot.standing(method.name()) {
        Some(Standing::Current(_)) => return Ok(()),
        Some(Standing::Failed(error)) => error.to_string(),
        _ => "it is not ready".into(),
    };
    Err(Error::LeftBehind { engine: method.name(), edit, reason })
}

impl Replayed {
    /// Asks for the paths after an edit, then judges them.
    pub(super) fn search(
        &mut self,
        map: &Map,
        engine: &dyn Engine,
        edit: usize,
        subject: &Subject,
        searches: &[Query],
    ) -> Result<(), Error> {
        let query = || Ok(engine.query() as Box<dyn portolan::Query>);
        let answers = self.ask(query, searches)?;
        self.judge(map, engine.exact(), edit, (subject, searches), answers);
        Ok(())
    }

    /// Asks for the paths; nothing is judged before all have been found.
    fn ask<'a>(
        &mut self,
        new_query: impl Fn() -> Result<Box<dyn portolan::Query + 'a>, Error>,
        searches: &[Query],
    ) -> Result<Vec<(Answered, Vec<NodeId>)>, Error> {
        let mut answers = Vec::with_capacity(searches.len());
        let mut asked = None;
        for search in searches {
            let mut path = Vec::new();
            let start = Instant::now();
            let (query, times) = match &mut asked {
                Some(query) => (query, &mut self.later),
                None => (asked.insert(new_query()?), &mut self.first),
            };
            let answered = find_into(&mut **query, search.from, search.to, &mut path);
            black_box(&path);
            times.add(start.elapsed());
            answers.push((answered, path));
        }
        Ok(answers)
    }

    fn judge(
        &mut self,
        map: &Map,
        exact: bool,
        edit: usize,
        (subject, searches): (&Subject, &[Query]),
        answers: Vec<(Answered, Vec<NodeId>)>,
    ) {
        for (search, (answered, path)) in searches.iter().zip(answers) {
            let verdict = judge::judge(map, search, exact, answered, &path);
            self.faults.note(&verdict, edit, (subject, search));
        }
    }

    /// All paths, the first ones after an edit included.
    pub fn paths(&self) -> Times {
        self.first.all().iter().chain(self.later.all()).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Expected;
    use crate::workload::edits::{Where, draw};
    use portolan::Grid;

    #[test]
    fn an_engine_that_follows_edits_is_right_and_a_wrong_answer_is_found() {
        for open in [true, false] {
            let map = Grid::from_fn(12, 12, |x, _| open || x == 3).unwrap();
            let subject = Subject::new("x.map", map);
            let mut script = draw(&subject, 40, Where::Anywhere, &()).unwrap();
            let astar = || engines::build_named("astar", &subject).unwrap();
            let replayed = follow(astar(), &subject, &script, || true, &()).unwrap();
            assert_eq!(replayed.faults.count(), 0);
            let asked = script.iter().map(|step| step.searches.len()).sum::<usize>();
            assert_eq!(replayed.paths().all().len(), asked);
            for step in &mut script[10..20] {
                step.searches[2].expected = Expected::Cost(Some(1));
            }
            let replayed = follow(astar(), &subject, &script, || true, &()).unwrap();
            let (wrong, lines) = (replayed.faults.count(), replayed.faults.lines("astar"));
            assert_eq!((wrong, lines.len()), (10, 6));
            assert!(lines[0].starts_with("astar: after edit 11, query 53, "), "{lines:?}");
        }
    }
}
