//! The peak memory of building an Atlas. The limits are what METIS's cuts make possible.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use portolan::atlas::{Atlas, AtlasConfig, AtlasForm, AtlasLabels, Form, FormReason};
use portolan::build::Smaller;
use portolan::generate::{Random, Rooms};
use portolan::{Build, BuildError, Engine, Grid, Map};
use portolan_testkit::allocator::{self, Allocated};

/// What a build takes at its peak, above what was held before.
struct Measured {
    built: Result<Atlas, BuildError>,
    peak: usize,
    held: usize,
    /// Whether a table was begun.
    filled: bool,
}

fn measure(map: &Map, form: Form, limit: u64) -> Measured {
    let config = AtlasConfig { form, memory_limit: limit.into(), ..AtlasConfig::default() };
    let filled = AtomicBool::new(false);
    let progress = |phase: &'static str, _, _| {
        filled.fetch_or(phase != "regions", Relaxed);
        ControlFlow::Continue(())
    };
    let build = || Atlas::build_watched(map, &config, &progress);
    let (built, Allocated { peak, held, .. }) = allocator::measure(build);
    Measured { built, peak, held, filled: filled.load(Relaxed) }
}

#[test]
fn a_build_takes_the_limit_and_200_bytes_a_node() {
    let _alone = allocator::alone();
    let grid = Rooms { width: 512, height: 512, room: 8, ..Rooms::default() }.generate().unwrap();
    let spare = 200 * grid.passable_count();
    let map = Map::from(grid);
    for (form, limit) in
        [(Form::General, 40_000_000), (Form::Climb, 16 << 20), (Form::Fastest, 128 << 20)]
    {
        let Measured { built, peak, held, .. } = measure(&map, form, limit);
        let (atlas, allowed) = (built.unwrap(), limit as usize + spare);
        let counted = Engine::memory_bytes(&atlas);
        // What lies in large pages does not come from the allocator.
        let mapped = counted.saturating_sub(held);
        let peak = peak + mapped;
        println!("{form:?}: peak {peak}, allowed {allowed}, held {held}, counted {counted}");
        assert!(peak <= allowed, "{form:?}: {peak} bytes at the peak, {allowed} allowed");
        assert!(held <= counted + counted / 8, "{form:?}: {held} held, {counted} counted");
        drop(atlas);

        // Nothing fits: known before a table is begun, with the least that would do. Where no form
        // is asked for, a search answers.
        let too_little = 1 << 20;
        let Measured { built, peak, filled, .. } = measure(&map, form, too_little);
        let (needed, smaller) = refused(built, form);
        let allowed = too_little as usize + spare;
        println!("{form:?} refused: peak {peak}, allowed {allowed}, needed {needed}");
        assert!(peak <= allowed, "{form:?} refused: {peak} bytes at the peak, {allowed} allowed");
        assert!(filled == (form == Form::Fastest) && smaller.is_none(), "{form:?}: {smaller:?}");

        let Measured { built, .. } = measure(&map, form, needed - 1);
        let (again, smaller) = refused(built, form);
        assert!(again == needed, "{form:?}: {again} and {needed}");
        assert_eq!(
            smaller.map(|other| other.engine),
            (form == Form::General).then_some("atlas-climb")
        );

        // What is needed is enough, and all of it is used.
        let Measured { built, peak, .. } = measure(&map, form, needed);
        let allowed = needed as usize + spare;
        assert!(peak <= allowed, "{form:?}: {peak} bytes at the peak, {allowed} allowed");
        assert_eq!(Engine::memory_bytes(&built.unwrap()) as u64, needed, "{form:?}");
    }
    labels_in_codes();
}

/// What an index would take at least, and what would take less.
fn refused(built: Result<Atlas, BuildError>, form: Form) -> (u64, Option<Smaller>) {
    match built {
        Err(BuildError::MemoryLimit { needed, smaller, .. }) if form != Form::Fastest => {
            (needed, smaller)
        }
        Ok(atlas) if form == Form::Fastest => match atlas.form() {
            AtlasForm {
                labels: AtlasLabels::Search { landmarks: 1.. },
                reason: FormReason::TooLarge { needed, .. },
                ..
            } => (needed, None),
            other => panic!("{other}"),
        },
        other => panic!("{form:?}: {other:?}"),
    }
}

/// Where plain labels of corners do not fit, those in codes are never there as plain ones either.
fn labels_in_codes() {
    let mut random = Random::new(1);
    let grid = Grid::from_fn(256, 256, |_, _| !random.chance(0.1)).unwrap();
    let spare = 200 * grid.passable_count();
    let map = Map::from(grid);
    let plain = measure(&map, Form::Uniform, u64::MAX).built.unwrap();
    let limit = Engine::memory_bytes(&plain) as u64 / 3;
    drop(plain);
    let Measured { built, peak, held, .. } = measure(&map, Form::Uniform, limit);
    let (atlas, allowed) = (built.unwrap(), limit as usize + spare);
    let counted = Engine::memory_bytes(&atlas);
    let peak = peak + counted.saturating_sub(held);
    println!("in codes: peak {peak}, allowed {allowed}, held {held}, counted {counted}");
    assert!(peak <= allowed, "{peak} bytes at the peak, {allowed} allowed");
    assert!(held <= counted + counted / 8, "{held} held, {counted} counted");
    drop(atlas);

    let Measured { built, filled, .. } = measure(&map, Form::Uniform, 1 << 20);
    let Err(BuildError::MemoryLimit { needed, .. }) = built else { panic!("a mebibyte is enough") };
    // The smallest form has arcs and no labels.
    assert!(!filled && needed < counted as u64, "{needed} needed, {counted} held before");
}
