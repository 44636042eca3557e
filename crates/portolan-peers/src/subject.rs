//! A real map, the queries of its file, and what the answers should be.

use std::fs;
use std::path::{Path, PathBuf};

use portolan::formats::movingai::{self, ScenarioLine};
use portolan::formats::{dimacs, queries};
use portolan::search_engine::{SearchConfig, SearchEngine};
use portolan::{Build, Cost, Engine, Map, NodeId, Query};
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
    /// Lines of the file that were left out, since an end is blocked or not on the map.
    pub unusable: usize,
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

/// The scenarios (`.map.scen`) and queries (`.queries`) of real maps in these folders, in a fixed
/// order, whose name (see [`Subject::name`]) contains this.
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
    /// Reads a scenario or queries, and the map that lies beside it; of the queries at most so
    /// many, spread evenly over the file.
    pub fn load(file: &Path, limit: usize) -> Result<Self, Problem> {
        let map = Self::load_map(file)?;
        let text = fs::read(file)?;
        let asks: Vec<Option<Ask>> = match &map {
            Map::Grid(grid) => {
                let lines = movingai::read_scen(&text)?.into_iter();
                let ask = |line: ScenarioLine| {
                    let node = |(x, y)| grid.node(x, y);
                    let (from, to) = (node(line.start)?, node(line.goal)?);
                    Some(Ask { from, to, expected: Expected::Length(line) })
                };
                lines.map(ask).collect()
            }
            Map::Graph(_) => {
                let lines = queries::read(&text)?.into_iter();
                lines.map(|line| Some(Ask::new(line.from, line.to, line.cost))).collect()
            }
        };
        let total = asks.len();
        let usable = |ask: &Ask| map.contains(ask.from) && map.contains(ask.to);
        let asks: Vec<Ask> = asks.into_iter().flatten().filter(usable).collect();
        let unusable = total - asks.len();
        let asks: Vec<Ask> = spread(asks, limit).collect();
        if asks.is_empty() {
            return Err("there is no query in it that can be asked".into());
        }
        Ok(Self { name: name(file), map, asks, unusable })
    }

    /// Takes the exact costs that an A* of ours finds for the lengths of the file, which are
    /// rounded; an error where they contradict each other.
    pub fn solve(&mut self) -> Result<(), Problem> {
        let engine = SearchEngine::build(&self.map, &SearchConfig::default())?;
        let mut query = engine.query();
        for ask in &mut self.asks {
            let cost = query.distance(ask.from, ask.to)?;
            if !ask.accepts(&self.map, cost) {
                return Err(format!("the shortest path costs {cost:?}, unlike {ask:?}").into());
            }
            ask.expected = Expected::Cost(cost);
        }
        Ok(())
    }

    /// Puts the queries into an order of which every beginning is spread evenly over the file.
    pub fn stagger(&mut self) {
        /// Multiples of the golden ratio leave no large gap between their fractions.
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let mut numbered: Vec<(f64, Ask)> = std::mem::take(&mut self.asks)
            .into_iter()
            .enumerate()
            .map(|(index, ask)| ((index as f64 * GOLDEN).fract(), ask))
            .collect();
        numbered.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.asks = numbered.into_iter().map(|(_, ask)| ask).collect();
    }

    /// The map alone: `NAME.map` for `NAME.map.scen` and `NAME.scen`; `NAME.gr` for `NAME.queries`,
    /// with the coordinates of `NAME.co` or, where several metrics share them, of `A.co` for
    /// `A-METRIC.gr`.
    pub fn load_map(file: &Path) -> Result<Map, Problem> {
        if file.extension().is_some_and(|extension| extension == "scen") {
            let places = [file.with_extension(""), file.with_extension("map")];
            let place = places.iter().find(|path| path.is_file()).unwrap_or(&places[0]);
            return Ok(movingai::read_map(&fs::read(place)?)?.into());
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

    /// The length of the shortest path, to the rounding of the file; `None` where there is none.
    pub fn optimum(&self, map: &Map) -> Option<f64> {
        match &self.expected {
            Expected::Length(line) => Some(line.length),
            Expected::Cost(cost) => cost.map(|cost| map.length(cost)),
        }
    }

    /// A query whose answer is known.
    pub fn new(from: NodeId, to: NodeId, cost: Option<Cost>) -> Self {
        Self { from, to, expected: Expected::Cost(cost) }
    }
}

/// The folder and the name of the map that these queries belong to, as in `rooms/8room_000`.
pub fn name(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let endings = [".map.scen", ".scen", ".queries"];
    let name = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
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
    fn every_beginning_of_a_staggered_order_is_spread() {
        let map = Map::from(portolan::Grid::new(100, 1).unwrap());
        let asks = (0..100).map(|node| Ask::new(node, node, Some(0))).collect();
        let mut subject = Subject { name: "test".into(), map, asks, unusable: 0 };
        subject.stagger();
        for count in [5, 10, 20, 50] {
            let mut nodes: Vec<NodeId> = subject.asks[..count].iter().map(|ask| ask.from).collect();
            nodes.sort_unstable();
            let widest = nodes.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
            assert!((widest as usize) <= 300 / count, "{count}: {nodes:?}");
        }
    }

    #[test]
    fn lengths_are_replaced_by_exact_costs() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("a.map", "type octile\nheight 2\nwidth 3\nmap\n...\n...\n");
        let outside = "0 a.map 3 2 0 0 3 1 3.41\n";
        write("a.scen", &format!("version 1\n0 a.map 3 2 0 0 2 1 2.41\n{outside}"));
        let mut subject = Subject::load(&folder.path().join("a.scen"), 9).unwrap();
        subject.solve().unwrap();
        assert_eq!((subject.asks.len(), subject.unusable), (1, 1));
        let cost = portolan::cost::STRAIGHT + portolan::cost::DIAGONAL;
        let ask = &subject.asks[0];
        assert!(
            ask.accepts(&subject.map, Some(cost)) && !ask.accepts(&subject.map, Some(cost + 1))
        );

        write("a.scen", "version 1\n0 a.map 3 2 0 0 2 1 2.3\n");
        let mut subject = Subject::load(&folder.path().join("a.scen"), 9).unwrap();
        assert!(subject.solve().is_err());
    }

    #[test]
    fn names_are_folder_and_map() {
        assert_eq!(name(Path::new("maps/rooms/8room_000.map.scen")), "rooms/8room_000");
        assert_eq!(name(Path::new("maps/own/a.scen")), "own/a");
        assert_eq!(name(Path::new("roads/a-time.queries")), "roads/a-time");
    }
}
