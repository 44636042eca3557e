//! What engines are asked, and what the answers should be.
//!
//! | file | what is inside |
//! |---|---|
//! | `subject` | the map under test, places on it |
//! | `mod` | queries with their expected answers |
//! | `reference` | the Dijkstra search that gives the answers that no file gives |
//! | `edits` | edits drawn at random, and the queries after each |
//! | `dynamic` | scenarios of version 2: edits and queries in turn |
//! | `maps` | real maps in a folder, and generated ones that replace them |
//! | `files` | files into memory |
//!
//! Queries come from a scenario or are drawn at random. Those with an end that is blocked or
//! outside the map are set aside as invalid. If no answer is known, or if the known lengths do not
//! hold under the map's rules, the `Reference` gives it. It also checks every line that says "no
//! path", which an engine could agree with for the wrong reason: a cost that overflows is not a
//! missing path.

pub mod dynamic;
pub mod edits;
pub mod files;
pub(crate) mod maps;
mod reference;
mod subject;

use std::fmt;
use std::path::{Path, PathBuf};

use portolan::formats::movingai::{self, ScenarioLine};
use portolan::formats::queries;
use portolan::generate::{Pairs, Random};
use portolan::{Cost, Map, NodeId, UNREACHABLE};

use crate::engines::{self, PLAIN};
use crate::{Bars, Error, parallel, text};
use files::in_file;
pub(crate) use reference::Reference;
pub use subject::{Place, Subject};

/// Queries with their answers.
pub struct Workload {
    /// Where they come from.
    pub source: Source,
    /// The valid queries.
    pub queries: Vec<Query>,
    /// The invalid ones, each described.
    pub invalid: Vec<String>,
    /// Those for which the file says "no path" and the map has one, each described.
    pub disputed: Vec<String>,
    /// Whether the answers are the reference's, as a rule, and not the scenario's.
    pub by_reference: bool,
}

/// A query with its answer.
#[derive(Debug, Clone)]
pub struct Query {
    /// Its place in the file or the order of drawing, from one.
    pub(crate) number: usize,
    /// Where the path starts.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// What the answer should be.
    pub expected: Expected,
    /// Whether that is what the file says, which may be mistaken.
    pub(crate) from_file: bool,
}

/// What a query's answer should be.
#[derive(Debug, Clone)]
pub enum Expected {
    /// The length that a scenario gives, to its own rounding; there is one.
    Length(ScenarioLine),
    /// The exact cost; `None` for no path.
    Cost(Option<Cost>),
    /// There is a path, but its cost does not fit into a [`Cost`].
    Overflow,
}

/// Where queries come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// Drawn from a seed.
    Random {
        /// How many.
        count: usize,
        /// The seed.
        seed: u64,
    },
}

/// Names the size of a unit of more than one cell.
pub struct ForAgent(pub u32);

impl fmt::Display for ForAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0;
        if size > 1 { write!(out, " for a unit of {size} x {size} cells") } else { Ok(()) }
    }
}

/// Which queries are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// A file with queries: a scenario on grids, `.queries` on graphs.
    pub scen: Option<PathBuf>,
    /// Draw this many at random instead.
    pub random: Option<u32>,
    /// At most this many, spread evenly over the file.
    pub limit: Option<u32>,
}

/// How many queries are drawn by default.
const DEFAULT_RANDOM: u32 = 1000;

/// One in this many random queries has ends that need not reach each other.
const ARBITRARY: usize = 10;

/// A query before it is checked against the map.
struct Raw {
    from: Place,
    to: Place,
    known: Option<Expected>,
}

impl Workload {
    /// The queries that are wanted.
    pub fn gather(subject: &Subject, wanted: &Wanted, bars: &dyn Bars) -> Result<Self, Error> {
        let source = match (&wanted.scen, wanted.random) {
            (Some(path), _) => Source::File(path.clone()),
            (None, Some(count)) => Source::random(count, subject),
            (None, None) => scenario_beside(&subject.path, &subject.map)
                .map_or_else(|| Source::random(DEFAULT_RANDOM, subject), Source::File),
        };
        Self::of(subject, source, wanted.limit, bars)
    }

    /// The queries that are wanted, in random order. Without a file there are only this many
    /// starts, each with several goals, so that the reference search takes little longer than for
    /// one goal.
    pub(crate) fn gather_few(
        subject: &Subject,
        wanted: &Wanted,
        starts: usize,
        bars: &dyn Bars,
    ) -> Result<Self, Error> {
        const GOALS: usize = 5;
        const LIMIT: u32 = 200;
        let beside = scenario_beside(&subject.path, &subject.map);
        let seed = subject.settings.seed;
        let mut workload = match (wanted.scen.clone().or(beside), wanted.random) {
            (_, Some(count)) => {
                Self::of(subject, Source::random(count, subject), wanted.limit, bars)?
            }
            (Some(path), None) => {
                let most = if subject.has_scenario_rules() { LIMIT } else { starts as u32 };
                let limit = Some(wanted.limit.unwrap_or(most));
                Self::of(subject, Source::File(path), limit, bars)?
            }
            (None, None) => {
                let pairs = draw(subject, starts, seed)?;
                let goals = (0..GOALS).flat_map(|shift| {
                    pairs.iter().zip(pairs.iter().cycle().skip(shift)).map(|(start, goal)| Raw {
                        from: start.from,
                        to: goal.to,
                        known: None,
                    })
                });
                let source = Source::random((GOALS * starts) as u32, subject);
                Self::of_raw(subject, source, goals.collect(), wanted.limit, bars)?
            }
        };
        let mut random = Random::new(seed);
        for index in (1..workload.queries.len()).rev() {
            workload.queries.swap(index, random.below(index as u64 + 1) as usize);
        }
        Ok(workload)
    }

    /// Queries with known answers, as starts, goals and costs.
    #[cfg(any(test, feature = "gpu"))]
    pub(crate) fn of_costs(
        queries: impl IntoIterator<Item = (NodeId, NodeId, Option<Cost>)>,
    ) -> Self {
        let query = |(index, (from, to, cost))| Query {
            number: index + 1,
            from,
            to,
            expected: Expected::Cost(cost),
            from_file: false,
        };
        let queries: Vec<Query> = queries.into_iter().enumerate().map(query).collect();
        let source = Source::Random { count: queries.len(), seed: 0 };
        let (invalid, disputed) = (Vec::new(), Vec::new());
        Self { source, queries, invalid, disputed, by_reference: false }
    }

    /// Queries drawn at random.
    pub fn random(subject: &Subject, count: u32, bars: &dyn Bars) -> Result<Self, Error> {
        Self::of(subject, Source::random(count, subject), None, bars)
    }

    fn of(
        subject: &Subject,
        source: Source,
        limit: Option<u32>,
        bars: &dyn Bars,
    ) -> Result<Self, Error> {
        let raw = match &source {
            Source::File(path) => read(subject, path)?,
            Source::Random { count, seed } => draw(subject, *count, *seed)?,
        };
        Self::of_raw(subject, source, raw, limit, bars)
    }

    fn of_raw(
        subject: &Subject,
        source: Source,
        raw: Vec<Raw>,
        limit: Option<u32>,
        bars: &dyn Bars,
    ) -> Result<Self, Error> {
        let by_reference = matches!(source, Source::Random { .. }) || !subject.has_scenario_rules();
        let (mut queries, mut invalid) = (Vec::new(), Vec::new());
        for (index, raw) in spread(raw, limit) {
            let number = index + 1;
            match (free_node(subject, "start", raw.from), free_node(subject, "goal", raw.to)) {
                (Ok(from), Ok(to)) => {
                    let known = raw.known.filter(|_| !by_reference);
                    let from_file = known.is_some();
                    let expected = known.unwrap_or(Expected::Cost(None));
                    queries.push(Query { number, from, to, expected, from_file });
                }
                (Err(reason), _) | (_, Err(reason)) => {
                    invalid.push(format!("query {number}: {reason}"));
                }
            }
        }
        if queries.is_empty() {
            return Err(Error::NoQuery { of: source, invalid });
        }
        let mut workload = Self { source, queries, invalid, disputed: Vec::new(), by_reference };
        workload.solve(subject, bars)?;
        Ok(workload)
    }

    /// Finds the missing answers with the reference, one search for each start.
    fn solve(&mut self, subject: &Subject, bars: &dyn Bars) -> Result<(), Error> {
        let mut unsure: Vec<usize> = (0..self.queries.len())
            .filter(|&index| self.queries[index].is_unsure(&subject.map))
            .collect();
        if unsure.is_empty() {
            return Ok(());
        }
        unsure.sort_by_key(|&index| self.queries[index].from);
        let groups: Vec<&[usize]> =
            unsure.chunk_by(|&a, &b| self.queries[a].from == self.queries[b].from).collect();
        let bar = bars.bar("reference answers", unsure.len());
        let answers = parallel::map_in_order(
            &groups,
            || Reference::new(&subject.map),
            |reference, group| {
                if bars.is_cancelled() {
                    return Vec::new();
                }
                let goals: Vec<NodeId> =
                    group.iter().map(|&index| self.queries[index].to).collect();
                bar.inc(group.len() as u64);
                reference.costs(self.queries[group[0]].from, &goals)
            },
        );
        if bars.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let mut disputed = Vec::new();
        for (index, answer) in unsure.into_iter().zip(answers.into_iter().flatten()) {
            let query = &mut self.queries[index];
            let says_none = query.from_file && matches!(query.expected, Expected::Cost(None));
            query.from_file = false;
            query.expected = Expected::from(answer);
            let found = match query.expected {
                Expected::Cost(Some(cost)) => text::length(subject.map.length(cost)),
                Expected::Overflow => "more than a cost can hold".to_owned(),
                _ => continue,
            };
            if says_none {
                let described = query.describe(subject);
                disputed.push((
                    index,
                    format!("{described}: a path of {found} exists, the file says there is none"),
                ));
            }
        }
        disputed.sort_unstable();
        self.disputed = disputed.into_iter().map(|(_, described)| described).collect();
        Ok(())
    }
}

impl Query {
    /// The query as people write it.
    pub(crate) fn describe(&self, subject: &Subject) -> String {
        let (from, to) = (subject.place(self.from), subject.place(self.to));
        format!("query {}, {from} to {to}", self.number)
    }

    /// Whether the file gives no answer, says that there is no path, or gives a length that may not
    /// fit into a cost.
    fn is_unsure(&self, map: &Map) -> bool {
        const NEARLY: f64 = 0.999;
        match &self.expected {
            Expected::Length(line) => line.length.is_none_or(|length| {
                length * f64::from(map.unit()) > NEARLY * f64::from(UNREACHABLE)
            }),
            Expected::Cost(cost) => cost.is_none(),
            Expected::Overflow => false,
        }
    }
}

impl From<ScenarioLine> for Expected {
    fn from(line: ScenarioLine) -> Self {
        match line.length {
            Some(_) => Self::Length(line),
            None => Self::Cost(None),
        }
    }
}

impl From<Option<u64>> for Expected {
    fn from(cost: Option<u64>) -> Self {
        match cost {
            None => Self::Cost(None),
            Some(cost) if cost < u64::from(UNREACHABLE) => Self::Cost(Some(cost as Cost)),
            Some(_) => Self::Overflow,
        }
    }
}

impl Source {
    fn random(count: u32, subject: &Subject) -> Self {
        Self::Random { count: count as usize, seed: subject.settings.seed }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(out, "{}", path.display()),
            Self::Random { count, seed } => {
                let queries = text::count(*count, "random query", "random queries");
                write!(out, "{queries}, seed {seed}")
            }
        }
    }
}

/// Random queries with the costs that A* finds, for a file. Those that cost more than a cost can
/// hold are left out.
pub fn solved(
    subject: &Subject,
    pairs: &Pairs,
    bars: &dyn Bars,
) -> Result<Vec<queries::GraphQuery>, Error> {
    let pairs = pairs.generate(&subject.map).map_err(Error::Generate)?;
    let engine = engines::build_named(PLAIN, subject)?;
    let bar = bars.bar("queries", pairs.len());
    let solve = |query: &mut Box<dyn portolan::Query + Send + Sync>, &(from, to): &_| {
        bar.inc(1);
        let cost = query.distance(from, to).ok()?;
        Some(queries::GraphQuery { from, to, cost })
    };
    let solved = parallel::map_in_order(&pairs, || engine.query(), solve);
    Ok(solved.into_iter().flatten().collect())
}

/// The node at a place, or why it cannot be used.
fn free_node(subject: &Subject, what: &str, place: Place) -> Result<NodeId, String> {
    match subject.node_at(place) {
        Some(node) if subject.map.contains(node) => Ok(node),
        Some(_) => Err(format!("{what} {place} is blocked{}", ForAgent(subject.agent))),
        None => Err(format!("{what} {place} lies outside the map")),
    }
}

/// The scenario beside a map, under the usual name.
fn scenario_beside(path: &Path, map: &Map) -> Option<PathBuf> {
    let name = match map {
        Map::Grid(_) => files::with_suffix(path, ".scen"),
        Map::Graph(_) => path.with_extension("queries"),
    };
    name.is_file().then_some(name)
}

fn read(subject: &Subject, path: &Path) -> Result<Vec<Raw>, Error> {
    let (is_scen, is_queries) =
        (files::has_extension(path, "scen"), files::has_extension(path, "queries"));
    let wrong =
        |wanted| Err(Error::WrongScenario { path: path.into(), wanted, found: subject.word() });
    match &subject.map {
        Map::Grid(_) if is_queries => wrong("graphs"),
        Map::Graph(_) if is_scen => wrong("grids"),
        Map::Grid(grid) => {
            let text = files::read(path)?;
            if is_dynamic(&text) {
                return Err(Error::DynamicScenario { path: path.into() });
            }
            let lines = movingai::read_scen(&text).map_err(in_file(path))?;
            let expected = (grid.width(), grid.height());
            let sizes = lines.iter().map(|line| (line.width, line.height));
            if let Some((index, found)) = sizes.enumerate().find(|&(_, size)| size != expected) {
                let (path, query) = (path.into(), index + 1);
                return Err(Error::ScenarioSize { path, query, found, expected });
            }
            Ok(lines.into_iter().map(Raw::from).collect())
        }
        Map::Graph(_) => {
            let lines = queries::read(&files::read(path)?).map_err(in_file(path))?;
            Ok(lines.into_iter().map(|query| Raw::of_graph(subject, query)).collect())
        }
    }
}

/// Whether a scenario is of the second version, in which the map changes between the queries.
pub(crate) fn is_dynamic(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next() == Some(b"version") && matches!(words.next(), Some(b"2" | b"2.0"))
}

fn draw(subject: &Subject, count: usize, seed: u64) -> Result<Vec<Raw>, Error> {
    let pairs = Pairs { count, seed, even_lengths: false };
    let mut pairs = pairs.generate(&subject.map).map_err(Error::Generate)?;
    let mut random = Random::new(seed);
    let nodes = subject.map.node_count() as u64;
    for pair in pairs.iter_mut().skip(ARBITRARY - 1).step_by(ARBITRARY) {
        let to = random.below(nodes) as NodeId;
        if subject.map.contains(to) {
            pair.1 = to;
        }
    }
    let raw = |(from, to)| Raw { from: subject.place(from), to: subject.place(to), known: None };
    Ok(pairs.into_iter().map(raw).collect())
}

/// At most `limit` items, spread evenly, with their positions in the list.
fn spread<T>(items: Vec<T>, limit: Option<u32>) -> impl Iterator<Item = (usize, T)> {
    let total = items.len();
    let kept = limit.map_or(total, |limit| total.min(limit as usize));
    // Item i is kept where i * kept / total steps up; that happens `kept` times.
    let step = move |index: usize| (index as u128 * kept as u128).div_ceil(total.max(1) as u128);
    items.into_iter().enumerate().filter(move |&(index, _)| step(index) < step(index + 1))
}

impl From<ScenarioLine> for Raw {
    fn from(line: ScenarioLine) -> Self {
        let (from, to) =
            (Place::Cell(line.start.0, line.start.1), Place::Cell(line.goal.0, line.goal.1));
        Self { from, to, known: Some(Expected::from(line)) }
    }
}

impl Raw {
    fn of_graph(subject: &Subject, query: queries::GraphQuery) -> Self {
        let (from, to) = (subject.place(query.from), subject.place(query.to));
        Self { from, to, known: Some(Expected::Cost(query.cost)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_spread_over_the_whole_list() {
        for (total, limit, expected) in [
            (10, None, (0..10).collect::<Vec<_>>()),
            (10, Some(20), (0..10).collect()),
            (10, Some(5), vec![0, 2, 4, 6, 8]),
            (10, Some(1), vec![0]),
            (0, Some(3), vec![]),
            (7, Some(3), vec![0, 2, 4]),
        ] {
            let kept: Vec<usize> =
                spread((0..total).collect(), limit).map(|(_, item)| item).collect();
            assert_eq!(kept.len(), total.min(limit.unwrap_or(99) as usize), "{total} {limit:?}");
            assert_eq!(kept, expected, "{total} {limit:?}");
        }
    }
}
