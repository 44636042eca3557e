//! One check per reader: whatever the bytes, it must not panic, a refusal must be fit to be
//! printed, and what was read must survive being written and read again.
//!
//! The fuzz targets and the tests of the library (`tests/suite/formats/fuzz.rs`) share these.

use std::fmt::{Debug, Display};
use std::io;

use portolan::atlas::{Atlas, AtlasConfig};
use portolan::changes::{CellChange, EdgeChange};
use portolan::formats::{FormatError, MapFormat, ascii, dimacs, movingai, png, queries, terrain};
use portolan::store::{Fingerprint, IndexFile};
use portolan::{
    Build, Changes, Cost, CsrGraph, Engine, Graph, GraphBuilder, Grid, Map, NodeId, Query,
    Settings, registry,
};
use twox_hash::XxHash3_64;

/// A function that panics where a reader does not keep its word.
pub type Check = fn(&[u8]);

/// Every fuzz target by name.
pub const TARGETS: &[(&str, Check)] = &[
    ("movingai_map", movingai_map),
    ("movingai_scen", movingai_scen),
    ("movingai_dynamic", movingai_dynamic),
    ("movingai_patches", movingai_patches),
    ("dimacs_gr", dimacs_gr),
    ("dimacs_co", dimacs_co),
    ("queries", queries),
    ("ascii", ascii),
    ("terrain", terrain),
    ("png_map", png_map),
    ("store_open", store_open),
    ("atlas_open", atlas_open),
    ("bounds_open", bounds_open),
];

/// Checks the reader of grids.
pub fn movingai_map(bytes: &[u8]) {
    check(bytes, movingai::read_map, movingai::write_map);
}

/// Checks the reader of scenarios.
pub fn movingai_scen(bytes: &[u8]) {
    check(bytes, movingai::read_scen, |lines, out| movingai::write_scen(lines, out));
    for line in movingai::read_scen(bytes).unwrap_or_default() {
        assert!(line.agrees(line.length), "{line:?}");
    }
}

/// Checks the reader of scenarios whose map changes; there is no writer.
pub fn movingai_dynamic(bytes: &[u8]) {
    match movingai::read_dynamic(bytes) {
        Err(error) => check_message(&error),
        Ok(scenario) => {
            assert!(Grid::check_size(scenario.width, scenario.height).is_ok());
            for command in &scenario.commands {
                if let movingai::Command::Query(line) = command {
                    assert!(line.agrees(line.length), "{line:?}");
                }
            }
        }
    }
}

/// Checks the reader of patches, and stamps each; there is no writer.
pub fn movingai_patches(bytes: &[u8]) {
    let grid = Grid::new(7, 5).expect("a small grid");
    match movingai::read_patches(bytes) {
        Err(error) => check_message(&error),
        Ok(patches) => {
            for patch in patches {
                let cells = u64::from(patch.width()) * u64::from(patch.height());
                assert!(cells > 0 && cells <= bytes.len() as u64);
                for at in [(0, 0), (3, 4), (u32::MAX, u32::MAX)] {
                    assert!(patch.stamp(&grid, at).all(|change| change.node < 35));
                }
            }
        }
    }
}

/// Checks the reader of graphs.
pub fn dimacs_gr(bytes: &[u8]) {
    let read = |bytes: &[u8]| dimacs::read_gr(bytes).map(Comparable);
    check(bytes, read, |graph, out| dimacs::write_gr(&graph.0, out));
}

/// Checks the reader of coordinates.
pub fn dimacs_co(bytes: &[u8]) {
    check(bytes, dimacs::read_co, |points, out| dimacs::write_co(points, out));
}

/// Checks the reader of queries on graphs.
pub fn queries(bytes: &[u8]) {
    check(bytes, queries::read, |queries, out| queries::write(queries, out));
}

/// Checks the reader of drawings.
pub fn ascii(bytes: &[u8]) {
    let without_path = |bytes: &[u8]| ascii::read(bytes).map(|drawing| drawing.grid);
    check(bytes, without_path, |grid, out| ascii::write(grid, &[], out));
    let Ok(drawing) = ascii::read(bytes) else { return };
    // A path of one or two cells draws the marks back, unless there is a goal without a start.
    if drawing.start.is_some() || drawing.goal.is_none() {
        let ends = [drawing.start, drawing.goal].into_iter().flatten();
        let path: Vec<NodeId> = ends.filter_map(|(x, y)| drawing.grid.node(x, y)).collect();
        check(bytes, ascii::read, |drawing, out| ascii::write(&drawing.grid, &path, out));
    }
}

/// Checks the reader of terrain.
pub fn terrain(bytes: &[u8]) {
    check(bytes, terrain::read, terrain::write);
}

/// Checks the readers of pictures; there is no writer, so what was read is drawn.
pub fn png_map(bytes: &[u8]) {
    let terrain = png::read_terrain(bytes);
    match png::read_map(bytes) {
        Err(error) => check_message(&error),
        Ok(grid) => {
            match terrain {
                Err(error) => check_message(&error),
                Ok(terrain) => {
                    assert_eq!((terrain.width, terrain.height), (grid.width(), grid.height()));
                    assert!(!terrain.factors.contains(&0));
                }
            }
            if grid.node_count() < 1 << 12 {
                let mut drawing = Vec::new();
                ascii::write(&grid, &[], &mut drawing).expect("every grid can be drawn");
                assert_eq!(ascii::read(&drawing).expect("a drawing can be read").grid, grid);
            }
        }
    }
}

/// Checks the reader of index files, as the bytes are and with right checksums, without which few
/// get far.
pub fn store_open(bytes: &[u8]) {
    check_index(bytes);
    let mut mended = bytes.to_vec();
    mend_index(&mut mended);
    check_index(&mended);
}

fn check_index(bytes: &[u8]) {
    let index = match IndexFile::from_bytes(bytes.to_vec()) {
        Err(error) => return check_message(&error),
        Ok(index) => index,
    };
    match index.verify() {
        Err(error) => check_message(&error),
        Ok(()) => assert!(laid_out(&index, bytes) == bytes, "a valid file has only one form"),
    }
}

/// The file that these sections make, from the table in the head of `portolan::store` alone.
fn laid_out(index: &IndexFile, bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 128 + 64 * index.sections().len()];
    let put = |file: &mut Vec<u8>, at: usize, field: &[u8]| {
        file[at..at + field.len()].copy_from_slice(field);
    };
    put(&mut file, 0, b"\x89PTLN\r\n\x1a");
    put(&mut file, 8, &0x0102_0304u32.to_le_bytes());
    put(&mut file, 12, &1u32.to_le_bytes());
    put(&mut file, 32, &index.fingerprint().to_u128().to_le_bytes());
    put(&mut file, 48, &(index.sections().len() as u64).to_le_bytes());
    put(&mut file, 56, index.engine().as_bytes());
    for (line, section) in (128..).step_by(64).zip(index.sections()) {
        let offset = file.len() as u64;
        put(&mut file, line, section.name.as_bytes());
        put(&mut file, line + 40, &offset.to_le_bytes());
        put(&mut file, line + 48, &section.length.to_le_bytes());
        file.extend(&bytes[section.offset as usize..][..section.length as usize]);
        file.resize(file.len().next_multiple_of(64), 0);
    }
    mend_index(&mut file);
    file
}

/// Checks what Atlas makes of an index file: the bytes get right checksums, and are said to be of
/// one map after the other; every question that can be asked of the index is asked.
pub fn atlas_open(bytes: &[u8]) {
    for map in index_maps() {
        let Some(index) = index_of(&map, bytes) else { return };
        let atlas = match Atlas::open(&index, &map, &AtlasConfig::default()) {
            Err(error) => {
                check_message(&error);
                continue;
            }
            Ok(atlas) => atlas,
        };
        let mut query = Engine::query(&atlas);
        let nodes: Vec<NodeId> = (0..map.node_count() as NodeId).collect();
        let (mut pairs, mut lengths) = (Vec::new(), Vec::new());
        for &from in &nodes {
            let _ = query.distances_from(from, &nodes);
            for &to in &nodes {
                let _ = query.distance(from, to);
                let length = query.find(from, to).ok().flatten().map(|route| route.nodes().len());
                assert!(length.unwrap_or(0) <= 4 * nodes.len() + 4);
                pairs.push((from, to));
                lengths.push(length);
            }
        }
        query.find_each(&pairs, &mut |at, answer| {
            let length = answer.ok().flatten().map(|route| route.nodes().len());
            assert_eq!(length, lengths[at], "a batch answers as single queries do");
        });
        query.distance_each(&pairs, &mut |_, _| {});
        // What follows from the index may be as wrong.
        let relabelled = atlas.relabelled().ok();
        let refreshed = follow(&atlas, &map);
        for atlas in relabelled.iter().chain(&refreshed) {
            let mut query = Engine::query(atlas);
            for &(from, to) in &pairs {
                let _ = query.find(from, to).map(|route| route.map(|route| route.nodes().len()));
            }
        }
    }
}

/// The index after an edit of its map.
fn follow(atlas: &Atlas, map: &Map) -> Option<Atlas> {
    let mut map = map.clone();
    let mut changes = Changes::default();
    match map {
        Map::Grid(_) => changes.cells.push(CellChange { node: 5, passable: false }),
        Map::Graph(_) => changes.edges.push(EdgeChange::Insert { tail: 7, head: 4, weight: 1 }),
    }
    map.apply(&changes).expect("the cell and the nodes are on the map");
    atlas.refreshed(&map, &changes).ok()
}

/// The methods whose tables [`bounds_open`] opens: A* by stored bounds, and searches along portals.
pub const BOUNDS: [&str; 7] =
    ["differential", "canonical", "border", "gateway", "portal", "portal-search", "perfect-portal"];

/// Checks in the same way what stored bounds make of an index file, whichever it says that it has.
/// Paths may be too long, but lead over ground that there is.
pub fn bounds_open(bytes: &[u8]) {
    for map in index_maps() {
        let Some(index) = index_of(&map, bytes) else { return };
        let known = BOUNDS.iter().find(|&&name| name == index.engine());
        let Some(method) = known.and_then(|name| registry::method(name)) else { return };
        let opened = match method.open(&index, &map, &Settings::default()) {
            Err(error) => {
                check_message(&error);
                continue;
            }
            Ok(opened) => opened,
        };
        let mut query = opened.query();
        let nodes = map.node_count() as NodeId;
        for (from, to) in (0..nodes).flat_map(|from| [(from, 0), (from, 3), (from, nodes - 1)]) {
            let _ = query.distance(from, to);
            if let Ok(Some(route)) = query.find(from, to) {
                assert!(map.walk(route.nodes()).is_ok(), "{from} to {to}");
            }
        }
    }
}

/// The index file that these bytes are once checksums are right and it is said to be of this map.
fn index_of(map: &Map, bytes: &[u8]) -> Option<IndexFile> {
    let mut mended = bytes.to_vec();
    if let Some(fingerprint) = mended.get_mut(32..48) {
        fingerprint.copy_from_slice(&Fingerprint::of(map).to_u128().to_le_bytes());
    }
    mend_index(&mut mended);
    IndexFile::from_bytes(mended).ok()
}

/// The maps that indices are tried on: a grid, and streets with a chain, dead ends and one-way
/// edges.
pub fn index_maps() -> [Map; 2] {
    let grid = ascii::read(b"...# / .#.. / ....").expect("a drawing").grid;
    let mut streets = GraphBuilder::new(11).expect("few nodes");
    let mut join = |tail, head, weight| {
        streets.add_edge(tail, head, weight).expect("nodes that there are");
    };
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5), (5, 2), (1, 3), (3, 6), (6, 7)] {
        join(a, b, a + 2);
        join(b, a, b % 3);
    }
    for (tail, head) in [(8, 1), (8, 9), (9, 3), (2, 8), (10, 9)] {
        join(tail, head, 5);
    }
    [grid.into(), streets.build().into()]
}

/// Gives an index its right length and checksums, as far as it can be followed.
fn mend_index(bytes: &mut [u8]) {
    let number = |bytes: &[u8], at: usize| {
        let number = bytes.get(at..)?.first_chunk()?;
        usize::try_from(u64::from_le_bytes(*number)).ok()
    };
    let put = |bytes: &mut [u8], at: usize, number: u64| {
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    };
    let Some(count) = number(bytes, 48) else { return };
    let Some(end) = count.checked_mul(64).and_then(|table| table.checked_add(128)) else { return };
    if end > bytes.len() {
        return;
    }
    for line in (128..end).step_by(64) {
        let (offset, length) = (number(bytes, line + 40), number(bytes, line + 48));
        let contents = offset
            .zip(length)
            .and_then(|(offset, length)| bytes.get(offset..offset.checked_add(length)?));
        if let Some(contents) = contents {
            put(bytes, line + 56, XxHash3_64::oneshot(contents));
        }
    }
    put(bytes, 24, bytes.len() as u64);
    put(bytes, 16, XxHash3_64::oneshot(&bytes[24..end]));
}

fn check<T: PartialEq + Debug>(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<T, FormatError>,
    write: impl Fn(&T, &mut Vec<u8>) -> io::Result<()>,
) {
    let _ = MapFormat::of("", bytes);
    match read(bytes) {
        Err(error) => check_message(&error),
        Ok(first) => {
            let mut written = Vec::new();
            write(&first, &mut written).expect("what was read can be written");
            let again = read(&written).expect("what was written can be read");
            assert!(first == again, "{first:?} became {again:?}");
        }
    }
}

fn check_message(error: &impl Display) {
    let message = error.to_string();
    let is_fit = message.len() < 400 && !message.contains(char::is_control);
    assert!(is_fit, "a message that garbles the screen: {message:?}");
}

/// A graph that can be compared.
struct Comparable(CsrGraph);

impl Comparable {
    fn edges(&self) -> impl Iterator<Item = (NodeId, NodeId, Cost)> + '_ {
        let nodes = 0..self.0.node_count() as NodeId;
        nodes.flat_map(|tail| self.0.edges(tail).map(move |(head, weight)| (tail, head, weight)))
    }
}

impl PartialEq for Comparable {
    fn eq(&self, other: &Self) -> bool {
        self.0.node_count() == other.0.node_count() && self.edges().eq(other.edges())
    }
}

impl Debug for Comparable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} nodes, {:?}", self.0.node_count(), self.edges().collect::<Vec<_>>())
    }
}
