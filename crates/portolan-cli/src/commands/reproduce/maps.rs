//! The maps of the experiments: real ones where they are there, else generated ones.

use std::path::Path;

use portolan::formats::{self, Kind};
use portolan::generate::{Roads, Rooms};

use crate::error::Error;
use crate::files;
use crate::load::{Loaded, in_file};

/// The map of this file, or `None` where there is no such file.
pub(crate) fn grid_in(folder: &Path, name: &str) -> Result<Option<Loaded>, Error> {
    let path = folder.join(name);
    if !path.is_file() {
        return Ok(None);
    }
    let map = formats::read_map(Kind::MovingAiMap, &files::read(&path)?).map_err(in_file(&path))?;
    Ok(Some(named(name, map)))
}

/// The road network of these files, edges and coordinates, or `None` where one of them is missing.
pub(crate) fn roads_in(
    folder: &Path,
    name: &str,
    coordinates: &str,
) -> Result<Option<Loaded>, Error> {
    let (path, coordinates) = (folder.join(name), folder.join(coordinates));
    if !path.is_file() || !coordinates.is_file() {
        return Ok(None);
    }
    let graph = formats::dimacs::read_gr(&files::read(&path)?).map_err(in_file(&path))?;
    let points = formats::dimacs::read_co(&files::read(&coordinates)?);
    let points = points.map_err(in_file(&coordinates))?;
    let graph = graph
        .with_coordinates(points)
        .map_err(|error| Error::Coordinates { path: coordinates, error })?;
    Ok(Some(named(name, graph.into())))
}

/// A generated map of rooms.
pub(crate) fn rooms(config: &Rooms) -> Result<Loaded, Error> {
    let grid = config.generate().map_err(Error::Generate)?;
    let (width, height, room) = (config.width, config.height, config.room);
    let name = format!("generated {room}room, {width}x{height}, seed {}", config.seed);
    Ok(named(&name, grid.into()))
}

/// A generated road network.
pub(crate) fn roads(config: &Roads) -> Result<Loaded, Error> {
    let graph = config.generate().map_err(Error::Generate)?;
    let name = format!("generated roads, {} nodes, seed {}", config.nodes, config.seed);
    Ok(named(&name, graph.into()))
}

/// Under the last part of its name only: reports are not to tell where files lie.
fn named(name: &str, map: portolan::Map) -> Loaded {
    let name = Path::new(name).file_name().unwrap_or_default();
    Loaded::made(name.into(), map)
}
