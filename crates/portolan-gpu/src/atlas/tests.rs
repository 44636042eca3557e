use portolan::Grid;
use portolan::generate::{Mazes, Rooms};
use portolan_testkit::worlds::{self, World};

use portolan::Map;
use portolan::atlas::Separators;

use super::labels::Layout;
use super::*;
use crate::GpuOptions;
use crate::batch::{PathForm, Request};
use crate::check::{check_engine, requests};
use crate::engine::GpuEngine;

fn gpu() -> Gpu {
    Gpu::new().expect("a GPU, or a software driver")
}

fn build(gpu: &Gpu, map: &Map) -> GpuAtlas {
    GpuAtlas::build(gpu, map, &GpuAtlasConfig::default()).unwrap()
}

/// A maze has long paths, of many legs and of very different lengths.
fn maze() -> Map {
    Mazes { width: 51, height: 41, ..Mazes::default() }.generate().unwrap().into()
}

#[test]
fn drawn_and_random_worlds() {
    let gpu = gpu();
    for world in worlds::drawn().into_iter().chain((0..20).map(worlds::random)) {
        match GpuAtlas::build(&gpu, &world.map, &GpuAtlasConfig::default()) {
            Ok(atlas) => check_engine(&atlas, &world),
            Err(error) => {
                assert!(matches!(error, GpuError::Unsupported { .. }), "{error}\n{world}");
                assert!(world.map.as_graph().is_some(), "{world}");
            }
        }
    }
}

#[test]
fn without_subgroup_operations() {
    let mut atlas = build(&gpu(), &maze());
    atlas.form.lanes = 1;
    check_engine(&atlas, &World::new("a maze", maze()));
}

/// Tiny segments spread the labels over all three buffers.
#[test]
fn labels_in_three_buffers() {
    let config = AtlasConfig { leaf_size: Some(8), ..AtlasConfig::default() };
    let fits = |width: u32| {
        let map = Map::from(Grid::new(width, 20).unwrap());
        let separators = Separators::of_map(&map, &config, &()).unwrap();
        let layout = |bits: u32| Layout::new(&map, &separators, 1 << bits);
        let three = |(bits, layout): &(u32, Layout)| layout.groups.div_ceil(1 << bits) == 3;
        let found = (5..20).map(|bits| (bits, layout(bits))).find(three);
        found.map(|(bits, layout)| (map, bits, layout))
    };
    let (map, bits, layout) = (20..60).find_map(fits).expect("a grid whose labels have this size");
    let labels = layout.fill(&map, &()).unwrap();
    let gpu = gpu();
    let form = general::upload(&gpu, &map, (layout, labels), bits).unwrap();
    assert!(form.distance.constants.contains(&("SEGMENTS", 3.0)));
    let atlas = GpuAtlas::new(&gpu, &map, form);
    check_engine(&atlas, &World::new("an empty grid", map));
}

#[test]
fn many_rounds_answer_like_one() {
    let map = maze();
    let atlas = build(&gpu(), &map);
    let requests = requests(&map);
    let (one, costs) = (atlas.find_all(&requests).unwrap(), atlas.distances(&requests).unwrap());
    let little = GpuOptions { working_memory: Some(40_000), ..GpuOptions::default() };
    let gpu = Gpu::with_options(little).unwrap();
    let atlas = build(&gpu, &map);
    for form in [PathForm::Legs, PathForm::Nodes] {
        let many = atlas.find_all_as(form, &requests).unwrap();
        assert!(one.timing().rounds < 3 && many.timing().rounds > 20, "{:?}", many.timing());
        for (one, many) in one.iter().zip(many.iter()) {
            let nodes = |path: Option<crate::GpuPath<'_>>| path.map(|path| path.nodes().collect());
            let (one, many): (Option<Vec<_>>, Option<Vec<_>>) =
                (one.map(nodes).unwrap_or_default(), many.map(nodes).unwrap_or_default());
            assert_eq!(one, many);
        }
    }
    assert_eq!(atlas.distances(&requests).unwrap().costs(), costs.costs());
}

#[test]
fn small_batches_take_little_memory_and_large_ones_get_more() {
    let map = maze();
    let atlas = build(&gpu(), &map);
    let all = requests(&map);
    let ask = |count: usize| {
        let requests = &all[..count];
        let (paths, costs) = (atlas.find_all(requests), atlas.distances(requests));
        assert!(paths.unwrap().timing().rounds == 1 && costs.unwrap().timing().rounds == 1);
        atlas.bytes_of_rounds()
    };
    let small = ask(1);
    assert!(small[0] < 100_000 && small[1] < 4 << 20, "{small:?}");
    assert_eq!(ask(64), small);
    let large = ask(1200);
    assert!(large > small && large[0] < 1_000_000 && large[1] < 64 << 20, "{large:?}");
    // They are kept.
    assert_eq!([ask(1), ask(2048.min(all.len()))], [large; 2]);
}

#[test]
fn matrices_equal_single_distances() {
    let rooms = Rooms { width: 80, height: 60, room: 7, ..Rooms::default() }.generate().unwrap();
    let worlds = [Map::from(rooms), worlds::one_way_streets(), Grid::new(30, 3).unwrap().into()];
    for map in worlds {
        let nodes = map.node_count() as u32;
        let sources: Vec<_> = (0..nodes).step_by(nodes as usize / 90 + 1).chain([nodes]).collect();
        let targets: Vec<_> = (0..nodes).rev().step_by(nodes as usize / 70 + 1).collect();
        // The second device has room for a few answers at a time.
        let little = GpuOptions { working_memory: Some(16 * 1000), ..GpuOptions::default() };
        for options in [GpuOptions::default(), little] {
            let atlas = build(&Gpu::with_options(options).unwrap(), &map);
            let matrix = atlas.matrix(&sources, &targets).unwrap();
            let pairs = sources.iter().flat_map(|&s| targets.iter().map(move |&t| (s, t)));
            let pairs: Vec<Request> = pairs.collect();
            let single = atlas.distances(&pairs).unwrap();
            assert_eq!(matrix.costs(), single.costs());
            assert_eq!(matrix.get(1, 2), single.get(targets.len() + 2));
        }
    }
}

#[test]
fn both_forms_have_the_same_matrices() {
    let rooms = Rooms { width: 80, height: 60, room: 7, ..Rooms::default() }.generate().unwrap();
    let map = Map::from(rooms);
    let (sources, targets): (Vec<_>, Vec<_>) =
        ((0..4800).step_by(97).collect(), (0..900).collect());
    let matrix = |form| {
        let config = GpuAtlasConfig { form, ..GpuAtlasConfig::default() };
        let atlas = GpuAtlas::build(&gpu(), &map, &config).unwrap();
        assert_eq!(atlas.form(), form);
        atlas.matrix(&sources, &targets).unwrap().costs().to_vec()
    };
    assert_eq!(matrix(GpuAtlasForm::General), matrix(GpuAtlasForm::Uniform));
}

#[test]
fn empty_batches_and_matrices() {
    let atlas = build(&gpu(), &Grid::new(3, 3).unwrap().into());
    assert!(atlas.find_all(&[]).unwrap().is_empty());
    assert!(atlas.distances(&[]).unwrap().costs().is_empty());
    assert!(atlas.matrix(&[], &[1]).unwrap().costs().is_empty());
    assert!(atlas.matrix(&[1], &[]).unwrap().costs().is_empty());
    assert_eq!(atlas.matrix(&[1], &[]).unwrap().get(0, 0), None);
}

#[test]
fn matrices_beyond_the_memory_of_the_host_are_refused() {
    let atlas = build(&gpu(), &Grid::new(3, 3).unwrap().into());
    // More than a process can address.
    let nodes = vec![0; 8_000_000];
    let refused = atlas.matrix(&nodes, &nodes).map(|_| ());
    assert!(matches!(refused, Err(GpuError::OutOfHostMemory { .. })), "{refused:?}");
    let nothing = super::matrix::room(usize::MAX, 2);
    assert!(matches!(nothing, Err(GpuError::OutOfHostMemory { bytes: u64::MAX, .. })));
}

#[test]
fn labels_beyond_the_limit_are_refused_before_they_are_computed() {
    let config = GpuAtlasConfig { memory_limit: 1000, ..GpuAtlasConfig::default() };
    let error = GpuAtlas::build(&gpu(), &maze(), &config).unwrap_err();
    let expected = |error: &GpuError| {
        matches!(error, GpuError::TooLarge { available: 1000, limit: GpuLimit::Memory, .. })
    };
    assert!(expected(&error), "{error}");
}

#[test]
fn labels_beyond_the_bindings_name_the_option_that_limits_them() {
    let options = GpuOptions { max_binding: Some(4096), ..GpuOptions::default() };
    let gpu = Gpu::with_options(options).unwrap();
    let map = Grid::new(40, 40).unwrap().into();
    let config = GpuAtlasConfig { form: GpuAtlasForm::General, ..GpuAtlasConfig::default() };
    // Raising the memory limit would not help.
    for memory_limit in [1000, u64::MAX] {
        let config = GpuAtlasConfig { memory_limit, ..config.clone() };
        let error = GpuAtlas::build(&gpu, &map, &config).unwrap_err();
        let is_expected = matches!(error, GpuError::TooLarge { limit: GpuLimit::MaxBinding, .. });
        assert!(is_expected, "{error}");
    }
}

#[test]
fn a_build_can_be_cancelled() {
    let stop = |_: &'static str, _: usize, _: usize| std::ops::ControlFlow::Break(());
    let config = GpuAtlasConfig::default();
    let error = GpuAtlas::build_watched(&gpu(), &maze(), &config, &stop).unwrap_err();
    assert_eq!(error, GpuError::Build(portolan::BuildError::Cancelled));
}
