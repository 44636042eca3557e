//! The maps of the experiments: real ones where they are there, else generated ones.

use std::path::Path;

use portolan::formats::{self, MapFormat};
use portolan::generate::{Caves, Mazes, Obstacles, Roads, Rooms, Streets};

use super::Subject;
use super::files::{self, in_file};
use crate::Error;

/// The map of this file, or `None` where there is no such file.
pub(crate) fn grid_in(folder: Option<&Path>, name: &str) -> Result<Option<Subject>, Error> {
    let Some(path) = folder.map(|folder| folder.join(name)) else { return Ok(None) };
    if !path.is_file() {
        return Ok(None);
    }
    let map =
        formats::read_map(MapFormat::MovingAiMap, &files::read(&path)?).map_err(in_file(&path))?;
    Ok(Some(named(name, map)))
}

/// All `.map` files of a folder inside this one, by name; none where there is no such folder.
pub(crate) fn grids_in(folder: Option<&Path>, name: &str) -> Result<Vec<Subject>, Error> {
    let Some(folder) = folder.map(|folder| folder.join(name)) else { return Ok(Vec::new()) };
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.retain(|name| files::has_extension(Path::new(name), "map"));
    names.sort();
    let grids = names.iter().map(|name| grid_in(Some(&folder), &name.to_string_lossy()));
    Ok(grids.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// The names of all grids and road networks in this folder and the folders inside it, sorted. Those
/// of roads end in `.gr`.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(inside) = folders.pop() {
        let path = folder.join(&inside);
        let unreadable = |error| files::read_error(&path, error);
        for entry in std::fs::read_dir(&path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = format!("{inside}{}", entry.file_name().to_string_lossy());
            let is_map = |extension| files::has_extension(Path::new(&name), extension);
            if entry.file_type().map_err(unreadable)?.is_dir() {
                folders.push(name + "/");
            } else if is_map("map") || is_map("gr") {
                names.push(name);
            }
        }
    }
    names.sort();
    Ok(names)
}

/// The map of one of the [`names_in`] a folder. The coordinates of `roads/x-time.gr` are in
/// `roads/x-time.co` or `roads/x.co`; without them a network has none.
pub(crate) fn map_in(folder: &Path, name: &str) -> Result<Option<Subject>, Error> {
    let Some(stem) = name.strip_suffix(".gr") else { return grid_in(Some(folder), name) };
    let shared = stem.rsplit_once('-').map_or(stem, |(shared, _)| shared);
    for stem in [stem, shared] {
        if let Some(roads) = roads_in(Some(folder), name, &format!("{stem}.co"))? {
            return Ok(Some(roads));
        }
    }
    let path = folder.join(name);
    let graph = formats::dimacs::read_gr(&files::read(&path)?).map_err(in_file(&path))?;
    Ok(Some(named(name, graph.into())))
}

/// The road network of these files, edges and coordinates, or `None` where one of them is missing.
pub(crate) fn roads_in(
    folder: Option<&Path>,
    name: &str,
    coordinates: &str,
) -> Result<Option<Subject>, Error> {
    let Some(folder) = folder else { return Ok(None) };
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
pub(crate) fn rooms(config: &Rooms) -> Result<Subject, Error> {
    let grid = config.generate().map_err(Error::Generate)?;
    let (width, height, room) = (config.width, config.height, config.room);
    let name = format!("generated {room}room, {width}x{height}, seed {}", config.seed);
    Ok(named(&name, grid.into()))
}

/// A generated maze.
pub(crate) fn maze(config: &Mazes) -> Result<Subject, Error> {
    let grid = config.generate().map_err(Error::Generate)?;
    let (width, height, corridor) = (config.width, config.height, config.corridor);
    let name = format!("generated maze{corridor}, {width}x{height}, seed {}", config.seed);
    Ok(named(&name, grid.into()))
}

/// A generated cave.
pub(crate) fn cave(config: &Caves) -> Result<Subject, Error> {
    let grid = config.generate().map_err(Error::Generate)?;
    let name = format!("generated cave, {}x{}, seed {}", config.width, config.height, config.seed);
    Ok(named(&name, grid.into()))
}

/// A generated town.
pub(crate) fn streets(config: &Streets) -> Result<Subject, Error> {
    let grid = config.generate().map_err(Error::Generate)?;
    let Streets { width, height, seed, .. } = config;
    Ok(named(&format!("generated streets, {width}x{height}, seed {seed}"), grid.into()))
}

/// Cells that are blocked at random.
pub(crate) fn noise(config: &Obstacles) -> Result<Subject, Error> {
    let grid = config.generate().map_err(Error::Generate)?;
    let Obstacles { width, height, seed, .. } = config;
    Ok(named(&format!("generated noise, {width}x{height}, seed {seed}"), grid.into()))
}

/// A generated road network.
pub(crate) fn roads(config: &Roads) -> Result<Subject, Error> {
    let graph = config.generate().map_err(Error::Generate)?;
    let name = format!("generated roads, {} nodes, seed {}", config.nodes, config.seed);
    Ok(named(&name, graph.into()))
}

/// Named by the last part of the path only: reports do not show where files are stored.
fn named(name: &str, map: portolan::Map) -> Subject {
    let name = Path::new(name).file_name().unwrap_or_default();
    Subject::new(name, map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn maps_are_read_where_they_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("rooms")).unwrap();
        assert!(grid_in(Some(path), "rooms/a.map").unwrap().is_none());
        fs::write(path.join("rooms/a.map"), "type octile\nheight 1\nwidth 2\nmap\n..\n").unwrap();
        let grid = grid_in(Some(path), "rooms/a.map").unwrap().unwrap();
        assert_eq!((grid.map.usable_count(), grid.path.as_path()), (2, Path::new("a.map")));
        assert_eq!(grids_in(Some(path), "rooms").unwrap().len(), 1);
        assert!(grids_in(Some(path), "nowhere").unwrap().is_empty());

        fs::write(path.join("a.gr"), "p sp 2 1\na 1 2 7\n").unwrap();
        assert!(roads_in(Some(path), "a.gr", "a.co").unwrap().is_none());
        fs::write(path.join("a.co"), "p aux sp co 2\nv 1 0 0\nv 2 5 0\n").unwrap();
        assert_eq!(roads_in(Some(path), "a.gr", "a.co").unwrap().unwrap().map.usable_count(), 2);

        fs::copy(path.join("a.gr"), path.join("rooms/a-time.gr")).unwrap();
        fs::copy(path.join("a.gr"), path.join("rooms/b.gr")).unwrap();
        fs::copy(path.join("a.co"), path.join("rooms/a.co")).unwrap();
        assert_eq!(
            names_in(path).unwrap(),
            ["a.gr", "rooms/a-time.gr", "rooms/a.map", "rooms/b.gr"]
        );
        for (name, has_coordinates) in [("rooms/a-time.gr", true), ("rooms/b.gr", false)] {
            let map = map_in(path, name).unwrap().unwrap().map;
            assert_eq!(map.as_graph().unwrap().coordinates().is_some(), has_coordinates, "{name}");
        }
    }

    #[test]
    fn damaged_maps_are_errors_and_not_replaced_in_silence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("a.map"), "type octile\nheight 9\n").unwrap();
        assert!(matches!(grid_in(Some(path), "a.map"), Err(Error::Format { .. })));
        fs::write(path.join("a.gr"), "p sp 2 1\na 1 2 7\n").unwrap();
        fs::write(path.join("a.co"), "p aux sp co 1\nv 1 0 0\n").unwrap();
        assert!(matches!(roads_in(Some(path), "a.gr", "a.co"), Err(Error::Coordinates { .. })));
    }
}
