//! A map from its file, seen as the options say.

use std::path::{Path, PathBuf};

use portolan::formats::{self, FormatError, Kind};
use portolan::{
    Connectivity, Corners, CsrGraph, EndpointError, Grid, Location, Map, NodeId, Settings,
};

use crate::args::{MapArgs, MapOptions, Place};
use crate::error::Error;
use crate::files;

/// A map with its name and what engines on it are built with.
pub(crate) struct Loaded {
    /// The file it came from.
    pub(crate) path: PathBuf,
    /// The format of that file.
    pub(crate) kind: Kind,
    /// The map itself.
    pub(crate) map: Map,
    /// The side of the unit that moves; the map has been made for it.
    pub(crate) agent: u32,
    /// Where a drawing marks the start and the goal.
    pub(crate) marks: Marks,
    /// What engines are built with.
    pub(crate) settings: Settings,
}

/// The places that a drawing marks `S` and `T`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    pub(crate) start: Option<Place>,
    pub(crate) goal: Option<Place>,
}

/// DIMACS files count nodes from one.
const FIRST_ID: u32 = 1;

impl Loaded {
    /// Reads the map and everything that belongs to it.
    pub(crate) fn load(args: &MapArgs) -> Result<Self, Error> {
        Self::read(&args.map, &args.options)
    }

    /// The same, where the file is not the command's own argument.
    pub(crate) fn read(path: &Path, args: &MapOptions) -> Result<Self, Error> {
        let bytes = read(path)?;
        let kind = Kind::of(&path.to_string_lossy(), &bytes)
            .ok_or_else(|| Error::UnknownKind { path: path.into() })?;
        let (map, marks) = read_map(kind, &bytes).map_err(in_file(path))?;
        drop(bytes);
        let map = match map {
            Map::Grid(grid) => Map::Grid(grid_as_asked(grid, path, args)?),
            Map::Graph(graph) => Map::Graph(graph_as_asked(graph, path, args)?),
        };
        let settings = Settings {
            heuristic: args.heuristic.geometric,
            stored: args.heuristic.stored.clone(),
            differential: args.differential(),
            cluster_size: args.cluster,
            cluster_levels: args.levels.into(),
            memory_limit: args.memory.bytes(map.usable_count()),
            seed: args.seed,
            threads: args.threads.into(),
        };
        let agent = args.agent.unwrap_or(1);
        Ok(Self { path: path.into(), kind, map, agent, marks, settings })
    }

    /// A map that was just made, as if it had been read from this file.
    pub(crate) fn made(path: PathBuf, map: Map) -> Self {
        let kind = match map {
            Map::Grid(_) => Kind::MovingAiMap,
            Map::Graph(_) => Kind::DimacsGraph,
        };
        let (marks, settings) = (Marks::default(), Settings::default());
        Self { path, kind, map, agent: 1, marks, settings }
    }

    /// The error of something that needs to know where the nodes of a graph lie.
    pub(crate) fn without_coordinates(&self, consequence: String) -> Error {
        let beside = self.path.with_extension("co");
        let beside = beside.is_file().then_some(beside);
        Error::NoCoordinates { path: self.path.clone(), consequence, beside }
    }

    /// What the map is, in one word.
    pub(crate) fn word(&self) -> &'static str {
        match self.map {
            Map::Grid(_) => "grid",
            Map::Graph(_) => "graph",
        }
    }

    /// Whether the lengths of MovingAI scenarios hold: eight moves, corners never cut, one terrain,
    /// a unit of one cell.
    pub(crate) fn has_scenario_rules(&self) -> bool {
        match &self.map {
            Map::Grid(grid) => {
                grid.connectivity() == Connectivity::Eight
                    && grid.corners() == Corners::Never
                    && !grid.has_terrain()
                    && self.agent == 1
            }
            Map::Graph(_) => true,
        }
    }

    /// The node at a place of the map; it may be blocked.
    pub(crate) fn node_at(&self, place: Place) -> Option<NodeId> {
        match (&self.map, place) {
            (Map::Grid(grid), Place::Cell(x, y)) => grid.node(x, y),
            (Map::Graph(_), Place::Node(id)) => {
                id.checked_sub(FIRST_ID).filter(|&node| (node as usize) < self.map.node_count())
            }
            _ => None,
        }
    }

    /// The same for a place that an option names; where there is none, says what would be one.
    pub(crate) fn node(&self, option: &'static str, place: Place) -> Result<NodeId, Error> {
        self.node_at(place).ok_or_else(|| match (&self.map, place) {
            (Map::Grid(grid), Place::Cell(x, y)) => {
                let size = (grid.width(), grid.height());
                let nearest = grid.nearest_passable(x, y);
                Error::CellOutside { option, cell: (x, y), size, nearest }
            }
            (Map::Graph(_), Place::Node(id)) => {
                Error::NodeOutside { option, id, nodes: self.map.node_count() }
            }
            (map, place) => {
                let wanted = if matches!(map, Map::Grid(_)) { "cell" } else { "node" };
                Error::WrongPlace { option, given: place.to_string(), wanted }
            }
        })
    }

    /// The same, where it must not be blocked.
    pub(crate) fn free_node(&self, option: &'static str, place: Place) -> Result<NodeId, Error> {
        let node = self.node(option, place)?;
        match (&self.map, place) {
            (Map::Grid(grid), Place::Cell(x, y)) if !grid.is_passable(x, y) => {
                let nearest = grid.nearest_passable(x, y);
                Err(Error::CellBlocked { option, cell: (x, y), agent: self.agent, nearest })
            }
            _ => Ok(node),
        }
    }

    /// Where a node lies, as people write it.
    pub(crate) fn place(&self, node: NodeId) -> Place {
        match &self.map {
            Map::Grid(grid) => {
                let (x, y) = (node % grid.width(), node / grid.width());
                Place::Cell(x, y)
            }
            Map::Graph(_) => Place::Node(node.saturating_add(FIRST_ID)),
        }
    }

    /// A location as people write it: files number the nodes of graphs from one.
    fn named(&self, at: Location) -> Place {
        match at {
            Location::Node(node) => self.place(node),
            Location::Cell { x, y } => Place::Cell(x as u32, y as u32),
        }
    }

    /// Why an engine refuses a query, with places as people write them.
    pub(crate) fn refusal(&self, error: &EndpointError) -> String {
        match *error {
            EndpointError::Outside { at, .. } => format!("{} is not on the map", self.named(at)),
            EndpointError::Blocked { at } => format!("{} is blocked", self.named(at)),
            EndpointError::CostOverflow { from, to } => {
                let (from, to) = (self.named(from), self.named(to));
                format!("the path from {from} to {to} costs more than a cost can hold")
            }
            _ => error.to_string(),
        }
    }

    /// The same as an error.
    pub(crate) fn refused(&self, error: &EndpointError) -> Error {
        Error::Refused { reason: self.refusal(error) }
    }
}

/// A file without the mark that some editors put before UTF-8 text; no format here begins with it.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let mut bytes = files::read(path)?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(bytes)
}

/// The map, and what a drawing marks on it.
fn read_map(kind: Kind, bytes: &[u8]) -> Result<(Map, Marks), FormatError> {
    if kind != Kind::Drawing {
        return Ok((formats::read_map(kind, bytes)?, Marks::default()));
    }
    let drawing = formats::ascii::read(bytes)?;
    let place = |cell: Option<(u32, u32)>| cell.map(|(x, y)| Place::Cell(x, y));
    let marks = Marks { start: place(drawing.start), goal: place(drawing.goal) };
    Ok((drawing.grid.into(), marks))
}

/// Puts the file's name to what is wrong in it.
pub(crate) fn in_file(path: &Path) -> impl FnOnce(FormatError) -> Error {
    move |error| Error::Format { path: path.into(), error }
}

fn grid_as_asked(mut grid: Grid, path: &Path, args: &MapOptions) -> Result<Grid, Error> {
    if args.coordinates.is_some() {
        return Err(wrong_option("--coordinates", "graphs", "grid", path));
    }
    if let Some(terrain) = &args.terrain {
        grid = with_terrain(grid, terrain)?;
    }
    if let Some(moves) = args.moves {
        grid = grid.with_connectivity(moves.into());
    }
    if let Some(corners) = args.corners {
        grid = grid.with_corners(corners.into());
    }
    let agent = args.agent.unwrap_or(1);
    let seen = grid.for_agent(agent).map_err(Error::Agent)?;
    match seen.passable_count() == 0 && grid.passable_count() > 0 {
        true => Err(Error::AgentTooLarge { path: path.into(), agent, largest: largest(&grid) }),
        false => Ok(seen),
    }
}

/// The side of the largest unit that fits anywhere.
fn largest(grid: &Grid) -> u32 {
    let clearance = grid.clearance();
    let cells = (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (x, y)));
    cells.map(|(x, y)| clearance.at(x, y).into()).max().unwrap_or(0)
}

fn graph_as_asked(graph: CsrGraph, path: &Path, args: &MapOptions) -> Result<CsrGraph, Error> {
    let grid_options = [
        ("--moves", args.moves.is_some()),
        ("--corners", args.corners.is_some()),
        ("--terrain", args.terrain.is_some()),
        ("--agent", args.agent.is_some()),
    ];
    if let Some((option, _)) = grid_options.into_iter().find(|&(_, given)| given) {
        return Err(wrong_option(option, "grids", "graph", path));
    }
    let Some(path) = &args.coordinates else { return Ok(graph) };
    let points = formats::dimacs::read_co(&read(path)?).map_err(in_file(path))?;
    graph.with_coordinates(points).map_err(|error| Error::Coordinates { path: path.clone(), error })
}

fn wrong_option(
    option: &'static str,
    wanted: &'static str,
    found: &'static str,
    path: &Path,
) -> Error {
    Error::WrongOption { option, wanted, found, path: path.into() }
}

fn with_terrain(grid: Grid, path: &Path) -> Result<Grid, Error> {
    let bytes = read(path)?;
    let rows = if bytes.starts_with(b"\x89PNG") || files::has_extension(path, "png") {
        read_picture(&bytes)
    } else {
        formats::terrain::read(&bytes)
    };
    let rows = rows.map_err(in_file(path))?;
    let (found, expected) = ((rows.width, rows.height), (grid.width(), grid.height()));
    let wrong_size = || Error::TerrainSize { path: path.into(), found, expected };
    if found != expected {
        return Err(wrong_size());
    }
    grid.with_terrain(rows.factors).map_err(|_| wrong_size())
}

#[cfg(feature = "png")]
fn read_picture(bytes: &[u8]) -> Result<formats::terrain::TerrainRows, FormatError> {
    formats::png::read_terrain(bytes)
}

/// Says that pictures are left out in this build, as reading a map from one does.
#[cfg(not(feature = "png"))]
fn read_picture(bytes: &[u8]) -> Result<formats::terrain::TerrainRows, FormatError> {
    match formats::read_map(Kind::Png, bytes) {
        Err(error) => Err(error),
        Ok(_) => formats::terrain::read(bytes),
    }
}
