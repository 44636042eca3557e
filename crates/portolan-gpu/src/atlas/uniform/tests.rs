use portolan::atlas::{Atlas, AtlasConfig};
use portolan::generate::{Random, Rooms};
use portolan::{Build, Engine, NodeId, Query};
use portolan_testkit::worlds::{self, World};

use super::*;
use crate::atlas::{GpuAtlas, GpuAtlasForm};
use crate::batch::{GpuRound, PathForm, Request};
use crate::check::check_engine;
use crate::device::GpuOptions;
use crate::engine::GpuEngine;

fn config() -> GpuAtlasConfig {
    GpuAtlasConfig { form: GpuAtlasForm::Uniform, ..GpuAtlasConfig::default() }
}

fn gpu() -> Gpu {
    Gpu::new().expect("a GPU, or a software driver")
}

#[test]
fn drawn_and_random_worlds() {
    let gpu = gpu();
    let mut built = 0;
    for world in worlds::drawn().into_iter().chain((0..40).map(worlds::random)) {
        match GpuAtlas::build(&gpu, &world.map, &config()) {
            Ok(atlas) => {
                built += 1;
                check_engine(&atlas, &world);
            }
            Err(error) => {
                assert!(matches!(error, GpuError::Unsupported { .. }), "{error}\n{world}");
                assert!(supported(&world.map).is_err(), "{world}");
            }
        }
    }
    assert!(built > 20, "{built}");
}

/// A grid of random obstacles or rooms, under any rules that the uniform form knows.
fn random_world(seed: u64) -> World {
    let mut random = Random::new(seed);
    let (width, height) = (1 + random.below(45) as u32, 1 + random.below(45) as u32);
    let blocked = [0.01, 0.05, 0.2, 0.4][random.below(4) as usize];
    let grid = match random.chance(0.3) && width.min(height) > 7 {
        true => Rooms { width, height, room: 7, seed, ..Rooms::default() }.generate().unwrap(),
        false => Grid::from_fn(width, height, |_, _| !random.chance(blocked)).unwrap(),
    };
    let (rules, connectivity, corners) = worlds::rules()[random.below(4) as usize];
    let grid = grid.with_connectivity(connectivity).with_corners(corners);
    World::new(format!("random grid of seed {seed}, {rules}"), grid)
}

#[test]
fn larger_random_worlds() {
    let gpu = gpu();
    for world in (0..16).map(random_world) {
        check_engine(&GpuAtlas::build(&gpu, &world.map, &config()).unwrap(), &world);
    }
}

/// Random requests, some of which start or end in a wall.
fn sample(map: &Map, count: usize) -> Vec<Request> {
    let mut random = Random::new(5);
    let mut node = || random.below(map.node_count() as u64) as NodeId;
    (0..count).map(|_| (node(), node())).collect()
}

/// Compares costs with an engine of the CPU, and walks all paths.
fn check_sample(atlas: &GpuAtlas, requests: &[Request]) {
    let map = atlas.map().clone();
    let cpu = Atlas::build(&map, &AtlasConfig::default()).unwrap();
    let mut query = cpu.query();
    let distances = atlas.distances(requests).unwrap();
    let paths = [PathForm::Legs, PathForm::Nodes].map(|form| atlas.find_all_as(form, requests));
    let paths = paths.map(Result::unwrap);
    for (index, &(from, to)) in requests.iter().enumerate() {
        let expected = query.distance(from, to);
        assert_eq!(distances.get(index), Some(expected.clone()), "{from} to {to}");
        for paths in &paths {
            let path = paths.get(index).unwrap();
            assert_eq!(path.clone().map(|path| path.map(|path| path.cost())), expected);
            if let Ok(Some(path)) = path {
                assert_eq!(map.walk(path.nodes()), Ok(path.cost()), "{from} to {to}");
                assert_eq!((path.nodes().next(), path.nodes().last()), (Some(from), Some(to)));
            }
        }
    }
}

#[test]
fn large_rooms_as_on_the_cpu() {
    let map: Map = Rooms::default().generate().unwrap().into();
    let uniform = GpuAtlas::build(&gpu(), &map, &config()).unwrap();
    check_sample(&uniform, &sample(&map, 2000));
    let form = GpuAtlasForm::General;
    let general = GpuAtlas::build(&gpu(), &map, &GpuAtlasConfig { form, ..config() }).unwrap();
    assert!(10 * uniform.memory_bytes() < general.memory_bytes());
}

/// Runs are longer than a byte of clearance and a leg can tell.
#[test]
fn long_corridors() {
    let bend = |x: u32, y: u32| y == 0 || y == 2 || x == 19_999;
    for (_, connectivity, corners) in worlds::rules().into_iter().take(4) {
        let grid = Grid::from_fn(20_000, 3, bend).unwrap();
        let map: Map = grid.with_connectivity(connectivity).with_corners(corners).into();
        let atlas = GpuAtlas::build(&gpu(), &map, &config()).unwrap();
        let ends = [0, 1, 255, 9000, 19_999, 39_999, 40_000, 59_999];
        let requests: Vec<Request> =
            ends.iter().flat_map(|&from| ends.map(|to| (from, to))).collect();
        check_sample(&atlas, &requests);
    }
}

#[test]
fn many_rounds_and_single_invocations_answer_alike() {
    let map: Map =
        Rooms { width: 96, height: 96, room: 8, ..Rooms::default() }.generate().unwrap().into();
    let requests = sample(&map, 1000);
    let answers = |atlas: &GpuAtlas| {
        let costs = atlas.distances(&requests).unwrap();
        let mut rounds = costs.timing().rounds;
        let mut legs = vec![Vec::new(); requests.len()];
        let mut visit = |round: GpuRound<'_>| {
            for (index, path) in round.iter() {
                legs[index].extend(path.iter().flatten().flat_map(|path| path.legs()));
            }
        };
        rounds += atlas.visit_paths(&requests, &mut visit).unwrap().rounds;
        (costs.costs().to_vec(), legs, rounds)
    };
    let build = |gpu: &Gpu| GpuAtlas::build(gpu, &map, &config()).unwrap();
    let (costs, legs, rounds) = answers(&build(&gpu()));
    assert_eq!(rounds, 2);
    assert!(legs.iter().any(|legs| legs.len() > 10));
    let mut single = build(&gpu());
    single.form.lanes = 1;
    assert!(answers(&single) == (costs.clone(), legs.clone(), 2));
    let options = GpuOptions { working_memory: Some(50_000), ..GpuOptions::default() };
    let (many_costs, many_legs, rounds) = answers(&build(&Gpu::with_options(options).unwrap()));
    assert!(many_costs == costs && many_legs == legs && rounds > 10, "{rounds} rounds");
}

#[test]
fn the_form_follows_from_the_memory_limit() {
    let gpu = gpu();
    let map: Map =
        Rooms { width: 96, height: 96, room: 8, ..Rooms::default() }.generate().unwrap().into();
    let build = |form, memory_limit| {
        GpuAtlas::build(&gpu, &map, &GpuAtlasConfig { form, memory_limit, ..config() })
    };
    let [general, uniform] = [GpuAtlasForm::General, GpuAtlasForm::Uniform]
        .map(|form| build(form, u64::MAX).unwrap().memory_bytes());
    let fastest = |limit| build(GpuAtlasForm::Fastest, limit).map(|atlas| atlas.form());
    assert_eq!(fastest(u64::MAX), Ok(GpuAtlasForm::General));
    assert_eq!(fastest(general - 1), Ok(GpuAtlasForm::Uniform));
    assert_eq!(fastest(uniform), Ok(GpuAtlasForm::Uniform));
    let too_large = GpuError::TooLarge {
        what: "the uniform form of the map",
        needed: uniform,
        available: uniform - 1,
        limit: GpuLimit::Memory,
    };
    assert_eq!(fastest(uniform - 1), Err(too_large));
}

/// A hall of ragged walls: every cell sees hundreds of corners.
#[test]
fn too_many_corners_in_view_are_refused_on_software_drivers() {
    let is_ragged = |depth: u32, at: u32| depth < 2 && (at / (1 + depth)).is_multiple_of(2);
    let is_open = |x: u32, y: u32| !is_ragged(x.min(199 - x), y) && !is_ragged(y.min(199 - y), x);
    let map: Map = Grid::from_fn(200, 200, is_open).unwrap().into();
    let gpu = gpu();
    let built = GpuAtlas::build(&gpu, &map, &config());
    if !gpu.is_software() {
        return check_sample(&built.unwrap(), &sample(&map, 200));
    }
    let refused = built.expect_err("its kernel may be cut");
    assert!(matches!(refused, GpuError::Unsupported { method: NAME, .. }), "{refused}");
    assert!(refused.to_string().contains("the general form"), "{refused}");
}
