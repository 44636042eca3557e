//! A real map, the queries of its file, and what the answers should be.

use std::fs;
use std::path::{Path, PathBuf};

use portolan::formats::movingai::{self, ScenarioLine};
use portolan::formats::{dimacs, queries};
use portolan::{Cost, Map, NodeId};
use portolan_testkit::real;

use crate::Problem;

/// A map and what is asked on it.
pub struct Subject {
    /// Its folder and its name, as in `rooms/8room_000`.
    pub name: String,
    /// The map.
    pub map: Map,
    /// In the order of the file.
    pub asks: Vec<Ask>,
}

/// A query and its answer.
#[derive(Debug)]
pub struct Ask {
    /// Where the path starts.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    expected: Expected,
}

#[derive(Debug)]
enum Expected {
    /// A length, to the rounding of the file.
    Length(ScenarioLine),
    /// The cost itself; `None` for no path.
    Cost(Option<Cost>),
}

/// The scenarios (`.map.scen`) and queries (`.queries`) of real maps in these folders, in a fixed order, whose name
/// (see [`Subject::name`]) contains this.
pub fn files(folders: &[&str], part: &str) -> Vec<PathBuf> {
    let mut found = real::files(".map.scen");
    found.extend(real::files(".queries"));
    found.retain(|file| {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
        folders.contains(&folder.to_string_lossy().as_ref()) && name(file).contains(part)
    });
    found
}

impl Subject {
    /// Reads a scenario or queries, and the map that lies beside it; of the queries at most so many, spread
    /// evenly over the file.
    pub fn load(file: &Path, limit: usize) -> Result<Self, Problem> {
        let map = Self::load_map(file)?;
        let text = fs::read(file)?;
        let asks: Vec<Ask> = match &map {
            Map::Grid(grid) => {
                let lines = movingai::read_scen(&text)?;
                spread(lines, limit)
                    .map(|line| {
                        let node = |(x, y)| grid.node(x, y).ok_or("a query outside the map");
                        let (from, to) = (node(line.start)?, node(line.goal)?);
                        Ok(Ask { from, to, expected: Expected::Length(line) })
                    })
                    .collect::<Result<_, Problem>>()?
            }
            Map::Graph(_) => spread(queries::read(&text)?, limit)
                .map(|line| Ask {
                    from: line.from,
                    to: line.to,
                    expected: Expected::Cost(line.cost),
                })
                .collect(),
        };
        if let Some(ask) = asks.iter().find(|ask| !map.contains(ask.from) || !map.contains(ask.to))
        {
            return Err(format!("an end that is blocked or not on the map: {ask:?}").into());
        }
        if asks.is_empty() {
            return Err("there is no query in it".into());
        }
        Ok(Self { name: name(file), map, asks })
    }

    /// The map alone: `NAME.map` for `NAME.map.scen`; `NAME.gr` for `NAME.queries`, with the coordinates of
    /// `NAME.co` or, where several metrics share them, of `A.co` for `A-METRIC.gr`.
    pub fn load_map(file: &Path) -> Result<Map, Problem> {
        if file.extension().is_some_and(|extension| extension == "scen") {
            return Ok(movingai::read_map(&fs::read(file.with_extension(""))?)?.into());
        }
        let graph = dimacs::read_gr(&fs::read(file.with_extension("gr"))?)?;
        let shared = file.to_string_lossy().rsplit_once('-').map(|(a, _)| format!("{a}.co"));
        let places = [Some(file.with_extension("co")), shared.map(PathBuf::from)];
        let Some(places) = places.into_iter().flatten().find(|path| path.is_file()) else {
            return Ok(graph.into());
        };
        let points = dimacs::read_co(&fs::read(places)?)?;
        Ok(graph.with_coordinates(points)?.into())
    }
}

impl Ask {
    /// Whether this is the right answer.
    pub fn accepts(&self, map: &Map, found: Option<Cost>) -> bool {
        match (&self.expected, found) {
            (Expected::Length(line), Some(cost)) => line.agrees(map.length(cost)),
            (Expected::Length(_), None) => false,
            (Expected::Cost(expected), found) => *expected == found,
        }
    }

    #[cfg(test)]
    pub(crate) fn new(from: NodeId, to: NodeId, cost: Option<Cost>) -> Self {
        Self { from, to, expected: Expected::Cost(cost) }
    }
}

fn name(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".map.scen").trim_end_matches(".queries");
    format!("{folder}/{name}")
}

/// At most so many of the items, spread evenly.
fn spread<T>(items: Vec<T>, limit: usize) -> impl Iterator<Item = T> {
    let (total, kept) = (items.len(), limit.min(items.len()));
    let mut next = 0;
    items.into_iter().enumerate().filter_map(move |(index, item)| {
        let wanted = next < kept && index == next * total / kept;
        next += usize::from(wanted);
        wanted.then_some(item)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_spread_over_the_whole_file() {
        let spread = |total, limit| spread((0..total).collect(), limit).collect::<Vec<usize>>();
        assert_eq!(spread(10, 5), [0, 2, 4, 6, 8]);
        assert_eq!(spread(7, 3), [0, 2, 4]);
        assert_eq!(spread(3, 9), [0, 1, 2]);
        assert!(spread(0, 3).is_empty() && spread(3, 0).is_empty());
    }

    #[test]
    fn names_are_folder_and_map() {
        assert_eq!(name(Path::new("maps/rooms/8room_000.map.scen")), "rooms/8room_000");
        assert_eq!(name(Path::new("roads/a-time.queries")), "roads/a-time");
    }
}
