//! Atlas in all of its forms, with leaves so small that drawn worlds have deep trees.

use portolan::Engine;
use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan_testkit::matrix::check_engine;
use portolan_testkit::worlds::{World, drawn, random};

/// The index in each form: rows for every node, rows at the borders of leaves, tables.
fn forms(world: &World, leaf: usize) -> Vec<Atlas> {
    let config = |form, memory_limit| AtlasConfig {
        form,
        memory_limit,
        leaf_size: Some(leaf),
        ..AtlasConfig::default()
    };
    let map = &world.map;
    let full = Atlas::build(map, &config(Form::Fastest, None)).unwrap();
    let less = Engine::memory_bytes(&full) as u64 - 1;
    let smaller = Atlas::build(map, &config(Form::Fastest, Some(less)));
    let climb = Atlas::build(map, &config(Form::Climb, None)).unwrap();
    [full, climb].into_iter().chain(smaller.ok()).collect()
}

fn check(world: &World) {
    for leaf in [1, 3, 10] {
        for atlas in forms(world, leaf) {
            check_engine(&atlas, world);
        }
    }
}

#[test]
fn drawn_worlds() {
    drawn().iter().for_each(check);
}

#[test]
fn random_worlds() {
    (5000..5300).for_each(|seed| check(&random(seed)));
}
