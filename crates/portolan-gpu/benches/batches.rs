//! Batches on the GPU beside the same batches on all cores.
//!
//! ```sh
//! cargo bench -p portolan-gpu --bench batches -- [--share N] [--methods A,B] [--memory GIB] [--uniform] MAP...
//! ```
//!
//! For each map and method: random requests, their distances and paths on the GPU, and by the
//! method's counterpart on the CPU in all threads. Times are medians of three runs, after a run
//! that compares every cost of an exact method with `atlas` on the CPU and walks every path. A rate
//! counts the whole batch with both transfers; `kernel` is what the device measures without them.
//! `--share N` divides the sizes of all batches, for slow devices. `--memory GIB` is the working
//! memory of a batch, 8 by default. `--uniform` measures that form of `gpu-atlas`.

use std::time::{Duration, Instant};

use portolan::generate::Pairs;
use portolan::{Map, NodeId, Settings, batch, formats, registry};
use portolan_gpu::{
    Gpu, GpuAtlas, GpuAtlasConfig, GpuAtlasForm, GpuEngine, GpuMethod, GpuOptions, GpuRound,
    METHODS,
};

/// The most requests of a batch: distances and paths on the GPU, then both on the CPU. Batches take
/// about a second on the CPU, and four times as many requests are asked for on the GPU.
const MOST: [usize; 3] = [16_000_000, 4_000_000, 1_000_000];

/// The requests by which the CPU's rate is estimated, enough for all of its threads; also the
/// fewest of a batch.
const FEW: usize = 32_768;

const RUNS: usize = 3;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let (mut share, mut memory, mut names, mut maps) = (1, 8, None, Vec::new());
    let mut form = GpuAtlasForm::Fastest;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo adds this.
            "--bench" => {}
            "--share" => share = arguments.next().ok_or("--share takes a number")?.parse()?,
            "--memory" => memory = arguments.next().ok_or("--memory takes a number")?.parse()?,
            "--methods" => names = Some(arguments.next().ok_or("--methods takes names")?),
            "--uniform" => form = GpuAtlasForm::Uniform,
            _ => maps.push(argument),
        }
    }
    let options = GpuOptions { working_memory: Some(memory << 30), ..GpuOptions::default() };
    let gpu = Gpu::with_options(options)?;
    println!("{}, {memory} GiB, and {} threads", gpu.name(), rayon::current_num_threads());
    for path in maps {
        let map = formats::open(&path)?;
        println!("\n{path}: {} nodes", map.usable_count());
        for method in METHODS {
            let wanted = |names: &String| names.split(',').any(|name| name == method.name);
            if names.as_ref().is_none_or(wanted) {
                measure(&gpu, &map, (method, form), share)?;
            }
        }
    }
    Ok(())
}

fn measure(
    gpu: &Gpu,
    map: &Map,
    (method, form): (&GpuMethod, GpuAtlasForm),
    share: usize,
) -> Result<(), Failure> {
    let settings = Settings { memory_limit: u64::MAX.into(), ..Settings::default() };
    let start = Instant::now();
    let built = match method.name {
        "gpu-atlas" => {
            let config = GpuAtlasConfig { form, ..GpuAtlasConfig::default() };
            GpuAtlas::build(gpu, map, &config).map(|engine| Box::new(engine) as Box<dyn GpuEngine>)
        }
        _ => method.build(gpu, map, &settings),
    };
    let engine = match built {
        Ok(engine) => engine,
        Err(error) => {
            println!("{}: {error}", method.name);
            return Ok(());
        }
    };
    let (built, megabytes) = (start.elapsed().as_secs_f64(), engine.memory_bytes() as f64 / 1e6);
    println!("{}: built in {built:.2} s, {megabytes:.1} MB", method.name);
    let pairs = |count: usize| Pairs { count, even_lengths: false, seed: 7 }.generate(map);
    let counterpart = registry::method(method.counterpart).ok_or("a method of the CPU")?;
    let cpu = counterpart.build(map, &settings)?;
    let few = pairs((FEW / share).max(1))?;
    let estimate = 1e6 * rate(few.len(), || drop(batch::find_all(|| cpu.query(), &few, 0)));
    // Labels answer far more requests than the CPU's lookups.
    let more = if method.counterpart == "atlas" { 100 } else { 4 };
    let [distances, paths, on_cpu] = MOST.map(|most| most / share);
    let on_cpu = pairs((estimate as usize).clamp(few.len(), on_cpu.max(few.len())))?;
    let size = |most: usize| (more * on_cpu.len()).min(most).max(1);
    let (distances, paths) = (pairs(size(distances))?, pairs(size(paths))?);
    check(engine.as_ref(), &on_cpu)?;

    let rates = [
        rate(on_cpu.len(), || drop(batch::distances(|| cpu.query(), &on_cpu, 0))),
        rate(on_cpu.len(), || drop(batch::find_all(|| cpu.query(), &on_cpu, 0))),
    ];
    println!(
        "  {} on the CPU: {:.4} M distances/s, {:.4} M paths/s",
        cpu.name(),
        rates[0],
        rates[1]
    );

    let mut costs = Vec::new();
    let kernel =
        median(|| engine.distances_into(&distances, &mut costs).map(|timing| timing.kernel))?;
    let total = rate(distances.len(), || drop(engine.distances_into(&distances, &mut costs)));
    print(("distances", total), millions(distances.len(), kernel), rates[0]);

    let mut kernel = Duration::ZERO;
    let total = rate(paths.len(), || {
        // Reads every answer where the device wrote it.
        let mut answers = 0;
        let visit = &mut |round: GpuRound<'_>| answers += round.iter().count();
        kernel = engine.visit_paths(&paths, visit).unwrap_or_default().kernel;
        assert_eq!(answers, paths.len());
    });
    print(("paths, visited", total), millions(paths.len(), kernel), rates[1]);
    let total = rate(paths.len(), || drop(engine.find_all(&paths)));
    print(("paths, copied", total), millions(paths.len(), kernel), rates[1]);
    Ok(())
}

/// Compares the costs of both kinds of batches with the CPU's and walks all paths. Prints how much
/// longer than the shortest the paths of an inexact method are.
fn check(engine: &dyn GpuEngine, pairs: &[(NodeId, NodeId)]) -> Result<(), Failure> {
    let map = engine.map();
    let settings = Settings { memory_limit: u64::MAX.into(), ..Settings::default() };
    let exact = registry::method("atlas").ok_or("atlas")?.build(map, &settings)?;
    let truth = batch::distances(|| exact.query(), pairs, 0)?;
    let (costs, paths) = (engine.distances(pairs)?, engine.find_all(pairs)?);
    let (mut sum, mut most, mut found) = (0.0, 0.0_f64, 0);
    for (at, (truth, &(_, to))) in truth.into_iter().zip(pairs).enumerate() {
        let truth = truth?;
        let path = paths.get(at).ok_or("an answer to every request")??;
        let cost = path.map(|path| path.cost());
        assert_eq!(costs.get(at), Some(Ok(cost)), "{:?}", pairs[at]);
        assert!(!engine.exact() || cost == truth, "{:?}: {cost:?}, not {truth:?}", pairs[at]);
        let (Some(path), Some(truth)) = (path, truth) else { continue };
        assert_eq!((map.walk(path.nodes()), path.nodes().last()), (Ok(path.cost()), Some(to)));
        let excess = f64::from(path.cost()) / f64::from(truth.max(1)) - 1.0;
        (sum, most, found) = (sum + excess.max(0.0), most.max(excess), found + 1);
    }
    println!("  {found} of {} requests have a path; all are right", pairs.len());
    if !engine.exact() {
        let mean = sum / f64::from(found.max(1));
        println!(
            "  paths too long by {:.2} % on average, {:.1} % at most",
            100.0 * mean,
            100.0 * most
        );
    }
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
