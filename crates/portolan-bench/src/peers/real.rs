//! Real maps with the queries of their files.
//!
//! `PORTOLAN_MAPS` names their folder; the default is `shared/maps` beside the checkout.

use std::fs;
use std::path::{Path, PathBuf};

use portolan::Map;
use portolan::formats::{dimacs, movingai};

use super::Problem;
use crate::engines::{self, PLAIN};
use crate::workload::files::{in_file, read};
use crate::workload::{Expected, Subject, Wanted, Workload};

/// The scenarios (`.map.scen`) and queries (`.queries`) of real maps in these folders, in a fixed
/// order, whose [`name`] contains this.
pub fn files(folders: &[&str], part: &str) -> Vec<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/maps");
    let root = std::env::var_os("PORTOLAN_MAPS").map_or_else(|| beside.into(), PathBuf::from);
    let in_folder = |folder: &&str| {
        let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let found: Vec<PathBuf> = folders.iter().flat_map(in_folder).collect();
    let of = |ending: &str| {
        let wanted = |file: &&PathBuf| file.to_string_lossy().ends_with(ending);
        let mut files: Vec<PathBuf> = found.iter().filter(wanted).cloned().collect();
        files.sort();
        files
    };
    let mut files = [of(".map.scen"), of(".queries")].concat();
    files.retain(|file| name(file).contains(part));
    files
}

/// The folder and the name of the map that these queries belong to, as in `rooms/8room_000`.
pub fn name(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let endings = [".map.scen", ".scen", ".queries"];
    let name = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    format!("{folder}/{name}")
}

/// Reads a scenario or queries, and the map beside them; at most so many of the queries, spread
/// evenly over the file.
pub(crate) fn load(file: &Path, limit: usize) -> Result<(Subject, Workload), Problem> {
    let subject = Subject::new(name(file), load_map(file)?);
    let limit = Some(u32::try_from(limit).unwrap_or(u32::MAX));
    let wanted = Wanted { scen: Some(file.into()), limit, ..Wanted::default() };
    let workload = Workload::gather(&subject, &wanted, &())?;
    Ok((subject, workload))
}

/// The map alone: `NAME.map` for `NAME.map.scen` and `NAME.scen`; `NAME.gr` for `NAME.queries`,
/// with the coordinates of `NAME.co` or, if several metrics share them, of `A.co` for
/// `A-METRIC.gr`.
pub fn load_map(file: &Path) -> Result<Map, Problem> {
    if file.extension().is_some_and(|extension| extension == "scen") {
        let places = [file.with_extension(""), file.with_extension("map")];
        let place = places.iter().find(|path| path.is_file()).unwrap_or(&places[0]);
        return Ok(movingai::read_map(&read(place)?).map_err(in_file(place))?.into());
    }
    let place = file.with_extension("gr");
    let graph = dimacs::read_gr(&read(&place)?).map_err(in_file(&place))?;
    let shared = file.to_string_lossy().rsplit_once('-').map(|(a, _)| format!("{a}.co"));
    let places = [Some(file.with_extension("co")), shared.map(PathBuf::from)];
    let Some(places) = places.into_iter().flatten().find(|path| path.is_file()) else {
        return Ok(graph.into());
    };
    let points = dimacs::read_co(&read(&places)?).map_err(in_file(&places))?;
    Ok(graph.with_coordinates(points)?.into())
}

/// Replaces the lengths of the file, which are rounded, with the exact costs that A* finds; an
/// error if they contradict each other.
pub(crate) fn solve(subject: &Subject, workload: &mut Workload) -> Result<(), Problem> {
    let engine = engines::build_named(PLAIN, subject)?;
    let mut query = engine.query();
    for asked in &mut workload.queries {
        let cost = query.distance(asked.from, asked.to)?;
        let agrees = match (&asked.expected, cost) {
            (Expected::Length(line), Some(cost)) => line.agrees(subject.map.length(cost)),
            (Expected::Cost(expected), cost) => *expected == cost,
            _ => false,
        };
        if !agrees {
            let query = asked.describe(subject);
            return Err(
                format!("{query}: the shortest path costs {cost:?}, unlike the file").into()
            );
        }
        asked.expected = Expected::Cost(cost);
    }
    Ok(())
}

/// Puts the queries into an order of which every beginning is spread evenly over the file.
pub(crate) fn stagger(workload: &mut Workload) {
    /// Multiples of the golden ratio leave no large gap between their fractions.
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let queries = std::mem::take(&mut workload.queries).into_iter().enumerate();
    let mut numbered: Vec<_> =
        queries.map(|(index, query)| ((index as f64 * GOLDEN).fract(), query)).collect();
    numbered.sort_by(|a, b| a.0.total_cmp(&b.0));
    workload.queries = numbered.into_iter().map(|(_, query)| query).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_beginning_of_a_staggered_order_is_spread() {
        let mut workload = Workload::of_costs((0..100).map(|node| (node, node, Some(0))));
        stagger(&mut workload);
        for count in [5, 10, 20, 50] {
            let mut nodes: Vec<_> =
                workload.queries[..count].iter().map(|query| query.from).collect();
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
        let (subject, mut workload) = load(&folder.path().join("a.scen"), 9).unwrap();
        solve(&subject, &mut workload).unwrap();
        assert_eq!((workload.queries.len(), workload.invalid.len()), (1, 1));
        let cost = portolan::cost::STRAIGHT + portolan::cost::DIAGONAL;
        let expected = &workload.queries[0].expected;
        assert!(matches!(expected, Expected::Cost(found) if *found == Some(cost)));

        write("a.scen", "version 1\n0 a.map 3 2 0 0 2 1 2.3\n");
        let (subject, mut workload) = load(&folder.path().join("a.scen"), 9).unwrap();
        assert!(solve(&subject, &mut workload).is_err());
    }

    #[test]
    fn names_are_folder_and_map() {
        assert_eq!(name(Path::new("maps/rooms/8room_000.map.scen")), "rooms/8room_000");
        assert_eq!(name(Path::new("maps/own/a.scen")), "own/a");
        assert_eq!(name(Path::new("roads/a-time.queries")), "roads/a-time");
    }
}
