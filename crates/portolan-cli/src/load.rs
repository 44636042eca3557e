//! A map from its file, as the options modify it.

use std::path::Path;

use portolan::formats::{self, FormatError, MapFormat};
use portolan::{CsrGraph, Grid, Map, NodeId, Settings};
use portolan_bench::workload::files::{self, in_file};
use portolan_bench::workload::{Place, Subject};

use crate::args::{MapArgs, MapOptions, Memory};
use crate::error::Error;

/// A map as its file has it.
pub(crate) struct Loaded {
    pub(crate) subject: Subject,
    /// The format of the file.
    pub(crate) kind: MapFormat,
    /// The start that a drawing marks `S`.
    pub(crate) start: Option<Place>,
    /// The goal that a drawing marks `T`.
    pub(crate) goal: Option<Place>,
}

/// Reads the grid of a file, without any options.
pub(crate) fn grid(path: &Path) -> Result<Grid, Error> {
    let (_, map, _) = read_file(path)?;
    match map {
        Map::Grid(grid) => Ok(grid),
        Map::Graph(_) => Err(wrong_option("`generate switch`", "grids", "graph", path)),
    }
}

/// Reads the map and everything that belongs to it.
pub(crate) fn load(args: &MapArgs) -> Result<Subject, Error> {
    Ok(read(&args.map, &args.options)?.subject)
}

/// The same, with what only the file knows.
pub(crate) fn read(path: &Path, args: &MapOptions) -> Result<Loaded, Error> {
    let (kind, map, marks) = read_file(path)?;
    let map = match map {
        Map::Grid(grid) => Map::Grid(modified_grid(grid, path, args)?),
        Map::Graph(graph) => Map::Graph(modified_graph(graph, path, args)?),
    };
    let settings = Settings {
        heuristic: args.heuristic.geometric,
        stored: args.heuristic.stored.clone(),
        differential: args.differential(),
        cluster_size: args.cluster,
        cluster_levels: args.levels.into(),
        memory_limit: Memory::limit(args.memory, map.usable_count()),
        seed: args.seed,
        threads: args.threads.into(),
    };
    let agent = args.agent.unwrap_or(1);
    let subject = Subject { agent, settings, ..Subject::new(path, map) };
    let [start, goal] = marks.map(|cell| cell.map(|(x, y)| Place::Cell(x, y)));
    Ok(Loaded { subject, kind, start, goal })
}

/// The node at a place that an option names; it may be blocked.
pub(crate) fn node(subject: &Subject, option: &'static str, place: Place) -> Result<NodeId, Error> {
    subject.node_at(place).ok_or_else(|| match (&subject.map, place) {
        (Map::Grid(grid), Place::Cell(x, y)) => {
            let size = (grid.width(), grid.height());
            let nearest = grid.nearest_passable(x, y);
            Error::CellOutside { option, cell: (x, y), size, nearest }
        }
        (Map::Graph(_), Place::Node(id)) => {
            Error::NodeOutside { option, id, nodes: subject.map.node_count() }
        }
        (map, place) => {
            let wanted = if matches!(map, Map::Grid(_)) { "cell" } else { "node" };
            Error::WrongPlace { option, given: place.to_string(), wanted }
        }
    })
}

/// The same, but it must not be blocked.
pub(crate) fn free_node(
    subject: &Subject,
    option: &'static str,
    place: Place,
) -> Result<NodeId, Error> {
    let node = node(subject, option, place)?;
    match (&subject.map, place) {
        (Map::Grid(grid), Place::Cell(x, y)) if !grid.is_passable(x, y) => {
            let nearest = grid.nearest_passable(x, y);
            Err(Error::CellBlocked { option, cell: (x, y), agent: subject.agent, nearest })
        }
        _ => Ok(node),
    }
}

/// The cells that a drawing marks as start and goal.
type Marks = [Option<(u32, u32)>; 2];

fn read_file(path: &Path) -> Result<(MapFormat, Map, Marks), Error> {
    let bytes = files::read(path)?;
    let kind = MapFormat::of(&path.to_string_lossy(), &bytes)
        .ok_or_else(|| Error::UnknownKind { path: path.into() })?;
    let (map, marks) = read_map(kind, &bytes).map_err(in_file(path))?;
    Ok((kind, map, marks))
}

fn read_map(kind: MapFormat, bytes: &[u8]) -> Result<(Map, Marks), FormatError> {
    if kind != MapFormat::Drawing {
        return Ok((formats::read_map(kind, bytes)?, [None; 2]));
    }
    let drawing = formats::ascii::read(bytes)?;
    Ok((drawing.grid.into(), [drawing.start, drawing.goal]))
}

fn modified_grid(mut grid: Grid, path: &Path, args: &MapOptions) -> Result<Grid, Error> {
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

fn modified_graph(graph: CsrGraph, path: &Path, args: &MapOptions) -> Result<CsrGraph, Error> {
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
    let points = formats::dimacs::read_co(&files::read(path)?).map_err(in_file(path))?;
    let graph = graph.with_coordinates(points);
    let path = path.clone();
    Ok(graph.map_err(|error| portolan_bench::Error::Coordinates { path, error })?)
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
    let bytes = files::read(path)?;
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

/// Reports that this build reads no pictures, with the error that reading a map from one gives.
#[cfg(not(feature = "png"))]
fn read_picture(bytes: &[u8]) -> Result<formats::terrain::TerrainRows, FormatError> {
    match formats::read_map(MapFormat::Png, bytes) {
        Err(error) => Err(error),
        Ok(_) => formats::terrain::read(bytes),
    }
}
