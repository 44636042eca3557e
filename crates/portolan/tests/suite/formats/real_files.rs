//! Every real map, scenario, graph and query file is read, and survives being written and read
//! again.

use std::{fs, io};

use portolan::formats::{self, FormatError, MapFormat, dimacs, movingai, queries};
use portolan::{Cost, CsrGraph, Graph, NodeId};
use portolan_testkit::real;

/// Runs a check on the content of every file with this extension; there must be some.
fn for_each(extension: &str, mut check: impl FnMut(&str, &[u8])) {
    let files = real::files(&format!(".{extension}"));
    assert!(!files.is_empty() || real::folder().is_none(), "no .{extension} file");
    for path in files {
        check(&path.display().to_string(), &fs::read(&path).unwrap());
    }
}

fn read_again<T>(
    name: &str,
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<T, FormatError>,
    write: impl Fn(&T, &mut Vec<u8>) -> io::Result<()>,
) -> (T, T) {
    let first = read(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut written = Vec::new();
    write(&first, &mut written).unwrap();
    let again = read(&written).unwrap_or_else(|error| panic!("{name}, written: {error}"));
    (first, again)
}

#[test]
fn maps_survive_a_round_trip() {
    for_each("map", |name, bytes| {
        let write = |grid: &_, out: &mut _| movingai::write_map(grid, out);
        let (grid, again) = read_again(name, bytes, movingai::read_map, write);
        assert!(grid == again, "{name}");
        assert_eq!(MapFormat::of("", bytes), Some(MapFormat::MovingAiMap), "{name}");
    });
}

#[test]
fn scenarios_survive_a_round_trip() {
    for_each("scen", |name, bytes| {
        // Dynamic scenarios are another format.
        if bytes.starts_with(b"version 2") {
            return;
        }
        let write = |lines: &Vec<_>, out: &mut _| movingai::write_scen(lines, out);
        let (lines, again) = read_again(name, bytes, movingai::read_scen, write);
        assert!(!lines.is_empty() && lines == again, "{name}");
        for line in &lines {
            assert!(line.start.0 < line.width && line.goal.1 < line.height, "{name}: {line:?}");
            assert!(line.agrees(line.length), "{name}: {line:?}");
        }
    });
}

#[test]
fn graphs_survive_a_round_trip() {
    let edges = |graph: &CsrGraph| -> Vec<Vec<(NodeId, Cost)>> {
        (0..graph.node_count() as NodeId).map(|tail| graph.edges(tail).collect()).collect()
    };
    for_each("gr", |name, bytes| {
        let write = |graph: &_, out: &mut _| dimacs::write_gr(graph, out);
        let (graph, again) = read_again(name, bytes, dimacs::read_gr, write);
        assert!(graph.edge_count() > 0 && edges(&graph) == edges(&again), "{name}");
        assert_eq!(MapFormat::of("", bytes), Some(MapFormat::DimacsGraph), "{name}");
        let map = formats::read_map(MapFormat::DimacsGraph, bytes).unwrap();
        assert_eq!(map.node_count(), graph.node_count(), "{name}");
    });
}

#[test]
fn coordinates_survive_a_round_trip() {
    for_each("co", |name, bytes| {
        let write = |points: &Vec<_>, out: &mut _| dimacs::write_co(points, out);
        let (points, again) = read_again(name, bytes, dimacs::read_co, write);
        assert!(!points.is_empty() && points == again, "{name}");
    });
}

#[test]
fn queries_survive_a_round_trip() {
    for_each("queries", |name, bytes| {
        let write = |queries: &Vec<_>, out: &mut _| queries::write(queries, out);
        let (queries, again) = read_again(name, bytes, queries::read, write);
        assert!(!queries.is_empty() && queries == again, "{name}");
    });
}

#[test]
fn dynamic_scenarios_are_read_with_their_patches() {
    let Some(folder) = real::folder().map(|folder| folder.join("dynamic")) else { return };
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let scenario = movingai::read_dynamic(&read("dao_arena2.scen")).unwrap();
    assert_eq!((scenario.width, scenario.height), (281, 209));
    let patches = movingai::read_patches(&read(&scenario.patches)).unwrap();
    let (mut stamps, mut queries) = (0, 0);
    for command in &scenario.commands {
        match command {
            movingai::Command::Stamp(stamp) => {
                stamps += 1;
                let patch = &patches[stamp.patch as usize];
                let (right, below) = (stamp.at.0 + patch.width(), stamp.at.1 + patch.height());
                assert!(right <= 281 && below <= 209, "{stamp:?}");
            }
            movingai::Command::Query(line) => queries += u32::from(line.length > Some(0.0)),
        }
    }
    assert_eq!((patches.len(), stamps, queries), (336, 439, 2000));
}
