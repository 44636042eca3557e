//! Closed matrices against Floyd's algorithm in 64 bits, and indexes byte for byte.

use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::build::BuildError;
use portolan::generate::Random;
use portolan::ppa::{Ppa, PpaConfig, Tables};
use portolan::{Build, Cost, Engine, Grid, Map};
use portolan_testkit::index_file::bytes_of;
use portolan_testkit::worlds::{drawn, one_way_streets, random};

use super::*;
use crate::device::GpuOptions;

fn tables(working_memory: u64) -> GpuTables {
    let options = GpuOptions { working_memory: Some(working_memory), ..GpuOptions::default() };
    let gpu = Gpu::with_options(options).expect("a GPU, or a software driver");
    GpuTables::new(&gpu).expect("the kernels compile")
}

/// A matrix with this share of edges, of weights up to some limit.
fn matrix(nodes: usize, through: usize, random: &mut Random) -> CostMatrix {
    let share = [0.02, 0.3, 1.0][random.below(3) as usize];
    let heaviest = [1, 50, u64::from(UNREACHABLE) - 1][random.below(3) as usize];
    let mut costs: Vec<Cost> = (0..nodes * nodes)
        .map(|_| match random.chance(share) {
            true => random.below(heaviest + 1) as Cost,
            false => UNREACHABLE,
        })
        .collect();
    (0..nodes).for_each(|node| costs[node * nodes + node] = 0);
    CostMatrix { nodes, through, costs }
}

fn closed(matrix: &CostMatrix) -> Vec<Cost> {
    let nodes = matrix.nodes;
    let mut costs: Vec<u64> = matrix.costs.iter().map(|&cost| cost.into()).collect();
    for middle in 0..matrix.through {
        for tail in 0..nodes {
            for head in 0..nodes {
                let cost = costs[tail * nodes + middle] + costs[middle * nodes + head];
                let least = &mut costs[tail * nodes + head];
                *least = cost.min(*least);
            }
        }
    }
    costs.into_iter().map(|cost| cost.min(UNREACHABLE.into()) as Cost).collect()
}

#[test]
fn matrices_of_all_sizes_are_closed() {
    let mut random = Random::new(4);
    // In 512 KiB, batches are cut.
    for tables in [tables(1 << 30), tables(512 << 10)] {
        let sizes = [0, 1, 2, 31, 32, 33, 64, 100, 5, 5, 65, 40, 150];
        let mut all: Vec<CostMatrix> = sizes
            .iter()
            .flat_map(|&nodes| [0, 1, nodes / 2, nodes].map(|through| (nodes, through.min(nodes))))
            .map(|(nodes, through)| matrix(nodes, through, &mut random))
            .collect();
        let expected: Vec<Vec<Cost>> = all.iter().map(closed).collect();
        assert!(tables.most_nodes() >= 150, "{}", tables.most_nodes());
        let mut given: Vec<&mut CostMatrix> = all.iter_mut().collect();
        tables.close(&mut given).expect("a working device");
        for (matrix, expected) in all.iter().zip(expected) {
            assert!(matrix.costs == expected, "{} through {}", matrix.nodes, matrix.through);
        }
    }
}

fn rooms() -> Map {
    let mut random = Random::new(9);
    let grid = Grid::from_fn(70, 60, |x, y| {
        let is_wall = x % 10 == 9 || y % 10 == 9;
        !is_wall || random.chance(0.15)
    });
    let grid = grid.expect("a size");
    let factors = (0..70 * 60).map(|_| 1 + random.below(5) as u8).collect();
    Map::from(grid.with_terrain(factors).expect("factors"))
}

fn worlds() -> impl Iterator<Item = Map> {
    let small = drawn().into_iter().step_by(7).chain((0..24).map(random)).map(|world| world.map);
    small.chain([one_way_streets(), rooms()])
}

/// The index, or why there is none.
fn built<E: Build>(
    map: &Map,
    config: &E::Config,
    watch: &dyn Progress,
) -> Result<Vec<u8>, BuildError> {
    E::build_watched(map, config, watch).map(|engine| bytes_of(&engine as &dyn Engine))
}

#[test]
fn an_atlas_has_the_same_bytes_as_without_a_gpu() {
    // The second takes small regions only.
    for tables in [tables(1 << 30), tables(64 << 10)] {
        for map in worlds() {
            for (form, leaf) in [(Form::General, 4), (Form::Climb, 20)] {
                let config = AtlasConfig { form, leaf_size: Some(leaf), ..AtlasConfig::default() };
                let expected = built::<Atlas>(&map, &config, &());
                assert!(built::<Atlas>(&map, &config, &tables) == expected, "{form:?} of {map:?}");
            }
        }
    }
}

#[test]
fn ppa_has_the_same_bytes_as_without_a_gpu() {
    let tables = tables(1 << 30);
    for map in worlds() {
        for choice in [Tables::Distances, Tables::Steps] {
            for memory_limit in [u64::MAX, 64 << 20] {
                let default = PpaConfig::default();
                let config = PpaConfig { tables: choice, memory_limit, splits: Some(2), ..default };
                let expected = built::<Ppa>(&map, &config, &());
                assert!(built::<Ppa>(&map, &config, &tables) == expected, "{choice:?} of {map:?}");
            }
        }
    }
}
