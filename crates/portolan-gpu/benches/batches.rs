//! Batches on the GPU beside the same batches on all cores.
//!
//! ```sh
//! cargo bench -p portolan-gpu --bench batches -- MAP...
//! ```
//!
//! For each map: random requests, exact distances and paths by `gpu-atlas`, and by the fastest form
//! and the general form of the CPU's `atlas` in all threads. Times are medians of five runs, after a
//! run that compares every cost of the GPU with the CPU's and walks every path. A rate counts the
//! whole batch with both transfers; `kernel` is what the device measures without them.

use std::time::{Duration, Instant};

use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::generate::Pairs;
use portolan::{Build, Engine, Map, NodeId, UNREACHABLE, batch, formats};
use portolan_gpu::{Gpu, GpuAtlas, GpuAtlasConfig, GpuEngine, GpuOptions, PathForm};

/// The requests of a batch of distances on the GPU, of paths on the GPU, and of either on the CPU.
const DISTANCES: usize = 16_000_000;
const PATHS: usize = 4_000_000;
const ON_CPU: usize = 1_000_000;

const RUNS: usize = 5;

type Pair = (NodeId, NodeId);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let (shares, maps): (Vec<_>, Vec<_>) =
        arguments.partition(|text| text.starts_with('/') && text.len() < 6);
    // `/100` divides the sizes of all batches, for slow devices.
    let share = shares.first().and_then(|text| text[1..].parse().ok()).unwrap_or(1);
    let gpu =
        Gpu::with_options(GpuOptions { working_memory: Some(4 << 30), ..GpuOptions::default() })?;
    println!("{} and {} threads", gpu.name(), rayon::current_num_threads());
    for path in maps {
        let map = formats::open(&path)?;
        println!("\n{path}: {} nodes", map.usable_count());
        measure(&gpu, &map, share)?;
    }
    Ok(())
}

fn measure(gpu: &Gpu, map: &Map, share: usize) -> Result<(), Box<dyn std::error::Error>> {
    let pairs = |count: usize| {
        let count = (count / share).max(1);
        Pairs { count, even_lengths: false, seed: 7 }.generate(map)
    };
    let start = Instant::now();
    let atlas = GpuAtlas::build(gpu, map, &GpuAtlasConfig::default())?;
    let build = start.elapsed();
    println!(
        "gpu-atlas: {:.2} s, {:.1} MB",
        build.as_secs_f64(),
        atlas.memory_bytes() as f64 / 1e6
    );

    let few = pairs(ON_CPU)?;
    check(map, &atlas, &few)?;
    let mut cpu = [[0.0_f64; 2]; 2];
    for (form, rates) in [Form::Uniform, Form::General].into_iter().zip(&mut cpu) {
        let config = AtlasConfig { form, memory_limit: u64::MAX, ..AtlasConfig::default() };
        let Ok(engine) = Atlas::build(map, &config) else { continue };
        rates[0] = rate(few.len(), || drop(batch::distances(|| engine.query(), &few, 0)));
        rates[1] = rate(few.len(), || drop(batch::find_all(|| engine.query(), &few, 0)));
        println!("{form:?} on the CPU: {:.2} M distances/s, {:.2} M paths/s", rates[0], rates[1]);
    }
    let best = |kind: usize| cpu[0][kind].max(cpu[1][kind]);

    let many = pairs(DISTANCES)?;
    let mut costs = Vec::new();
    let kernel = median(|| atlas.distances_into(&many, &mut costs).map(|timing| timing.kernel))?;
    let total = rate(many.len(), || drop(atlas.distances_into(&many, &mut costs)));
    print(("distances", total), millions(many.len(), kernel), best(0));

    let many = pairs(PATHS)?;
    for form in [PathForm::Legs, PathForm::Nodes] {
        let mut words = 0;
        let mut timing = portolan_gpu::Timing::default();
        let total = rate(many.len(), || {
            words = 0;
            // Reads every answer where the device wrote it.
            let visit = &mut |round: portolan_gpu::GpuRound<'_>| words += round.iter().count();
            timing = atlas.visit_paths_as(form, &many, visit).unwrap_or_default();
        });
        let what = format!("paths as {form:?}, visited");
        print((&what, total), millions(words, timing.kernel), best(1));
        println!("  {timing:?}");
        let total = rate(many.len(), || drop(atlas.find_all_as(form, &many)));
        print((&format!("paths as {form:?}, copied"), total), 0.0, best(1));
    }
    Ok(())
}

/// Compares the costs of both kinds of batches with the CPU's and walks all paths.
fn check(map: &Map, atlas: &GpuAtlas, pairs: &[Pair]) -> Result<(), Box<dyn std::error::Error>> {
    let config = AtlasConfig { memory_limit: u64::MAX, ..AtlasConfig::default() };
    let engine = Atlas::build(map, &config)?;
    let truth = batch::distances(|| engine.query(), pairs, 0)?;
    let costs = atlas.distances(pairs)?;
    for form in [PathForm::Legs, PathForm::Nodes] {
        let paths = atlas.find_all_as(form, pairs)?;
        for (at, truth) in truth.iter().enumerate() {
            assert_eq!(costs.get(at).as_ref(), Some(truth), "{:?}", pairs[at]);
            let path = paths.get(at).expect("an answer to every request")?;
            assert_eq!(path.map(|path| path.cost()), truth.clone()?);
            if let Some(path) = path {
                let last = path.nodes().last();
                assert_eq!((map.walk(path.nodes()), last), (Ok(path.cost()), Some(pairs[at].1)));
            }
        }
    }
    let found = costs.costs().iter().filter(|&&cost| cost != UNREACHABLE).count();
    println!("{} of {} requests have a path; all costs and paths are right", found, pairs.len());
    Ok(())
}

fn millions(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64() / 1e6
}

/// Millions of requests in a second, in the median run.
fn rate(count: usize, mut work: impl FnMut()) -> f64 {
    let times = median(|| {
        let start = Instant::now();
        work();
        Ok::<_, std::convert::Infallible>(start.elapsed())
    });
    times.map_or(0.0, |time| millions(count, time))
}

fn median<E>(mut time: impl FnMut() -> Result<Duration, E>) -> Result<Duration, E> {
    let mut times = (0..RUNS).map(|_| time()).collect::<Result<Vec<_>, E>>()?;
    times.sort_unstable();
    Ok(times[RUNS / 2])
}

fn print((what, total): (&str, f64), kernel: f64, cpu: f64) {
    println!(
        "{what}: {total:.1} M/s ({kernel:.1} in the kernel), {:.1} times the CPU",
        total / cpu
    );
}
