//! The structural check of Atlas: nothing to say of what was built, and something of whatever was
//! altered.

use portolan::atlas::{Atlas, AtlasConfig};
use portolan::generate::{Random, Roads, Rooms};
use portolan::store::IndexFile;
use portolan::{Build, Map};
use portolan_testkit::forms;
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::worlds::{World, drawn, one_way_streets, random};

fn check(world: &World) {
    for leaf in [1, 3, 10] {
        for atlas in forms::all(&world.map, leaf) {
            atlas.validate().unwrap_or_else(|broken| panic!("{broken}\n{world}"));
        }
    }
}

#[test]
fn drawn_worlds_are_sound() {
    drawn().iter().for_each(check);
}

#[test]
fn random_worlds_are_sound() {
    (0..150).for_each(|seed| check(&random(seed)));
}

/// What an entry of a section is altered to, where the check must find it.
fn altered(section: &str, found: u32) -> Option<u32> {
    let unreachable = u32::MAX;
    match section.split('-').next()? {
        "crossings" | "via" | "reach" | "steps" | "enter" => Some(found ^ 1),
        // Rows are filled up with what is never read; one cost is as good as another that no path
        // needs.
        "costs" if found == unreachable => None,
        // Words of edges and hops; those between them are never read.
        "rows" | "rare" => Some(found ^ 1),
        "blocks" if found == 0 => None,
        "blocks" => Some(found ^ 1),
        "costs" if found == 0 => Some(1),
        "costs" => Some(0),
        // Other hops may be as short.
        "hops" if found == u32::from(u16::MAX) => None,
        "hops" => Some(60_000),
        _ => None,
    }
}

#[test]
fn whatever_is_altered_is_found() {
    let rooms = Rooms { width: 30, height: 24, room: 6, ..Rooms::default() }.generate().unwrap();
    let roads = Roads { nodes: 300, ..Roads::default() }.generate().unwrap();
    let mut draw = Random::new(1);
    for map in [rooms.into(), roads.into(), one_way_streets()] {
        let mut found = std::collections::BTreeSet::new();
        for atlas in forms::all(&map, 3) {
            let bytes = bytes_of(&atlas);
            let index = IndexFile::from_bytes(bytes.clone()).unwrap();
            for section in index.sections() {
                let narrow =
                    ["steps", "enter", "hops"].iter().any(|name| section.name.starts_with(name));
                let size = if narrow { 2 } else { 4 };
                let entries = section.length / size as u64;
                for _ in 0..entries.min(20) {
                    let at = section.offset as usize + size * draw.below(entries) as usize;
                    let mut entry = [0; 4];
                    entry[..size].copy_from_slice(&bytes[at..at + size]);
                    let mut entry = altered(section.name, u32::from_le_bytes(entry));
                    if section.name.starts_with("hops") {
                        // Where there is no way, a hop may be anything.
                        let name = section.name.replace("hops", "costs");
                        let costs = index.sections().find(|costs| costs.name == name).unwrap();
                        let beside = (at - section.offset as usize) / size;
                        let cost = &bytes[costs.offset as usize + 4 * beside..][..4];
                        entry = entry.filter(|_| cost != [0xff; 4]);
                    }
                    let Some(entry) = entry else { continue };
                    let mut damaged = bytes.clone();
                    damaged[at..at + size].copy_from_slice(&entry.to_le_bytes()[..size]);
                    let index = IndexFile::from_bytes(damaged).unwrap();
                    let opened = Atlas::open(&index, &map, &AtlasConfig::default()).unwrap();
                    assert!(opened.validate().is_err(), "byte {at} of {}", section.name);
                    found.insert(section.name.to_owned());
                }
            }
        }
        let expected = match &map {
            Map::Grid(_) => 11,
            Map::Graph(_) if map.is_undirected() => 7,
            Map::Graph(_) => 13,
        };
        assert_eq!(found.len(), expected, "{found:?}");
    }
}
