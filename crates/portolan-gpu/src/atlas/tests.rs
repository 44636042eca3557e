use portolan_testkit::worlds;

use super::*;
use crate::check::check_engine;

fn gpu() -> Gpu {
    Gpu::new().expect("a GPU, or a software driver")
}

fn build(gpu: &Gpu, map: &Map) -> GpuAtlas {
    GpuAtlas::build(gpu, map, &GpuAtlasConfig::default()).unwrap()
}

#[test]
fn drawn_and_random_worlds() {
    let gpu = gpu();
    for world in worlds::drawn().into_iter().chain((0..40).map(worlds::random)) {
        match GpuAtlas::build(&gpu, &world.map, &GpuAtlasConfig::default()) {
            Ok(atlas) => check_engine(&atlas, &world),
            Err(error) => {
                assert!(matches!(error, GpuError::Unsupported { .. }), "{error}\n{world}");
                assert!(world.map.as_graph().is_some(), "{world}");
            }
        }
    }
}
