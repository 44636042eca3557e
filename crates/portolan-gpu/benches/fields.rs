//! Flow fields, crowds and tables on the GPU beside the CPU.
//!
//! ```sh
//! cargo bench -p portolan-gpu --bench fields -- MAP...
//! ```
//!
//! For each map: a field to one goal and to eight, a step of a million agents, and builds of
//! `atlas-general`, `atlas-climb` and `ppa` whose tables the GPU computes. Medians of five runs, of
//! builds three. Every field is compared with the CPU's, every agent's place with the field, and
//! every index byte by byte.

use std::time::{Duration, Instant};

use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::crowd::FlowField;
use portolan::generate::Random;
use portolan::ppa::{Ppa, PpaConfig};
use portolan::{Build, Map, NodeId, formats};
use portolan_gpu::{Gpu, GpuCrowd, GpuFields, GpuTables};
use rayon::prelude::*;

const AGENTS: usize = 1_000_000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    println!("{} and {} threads", gpu.name(), rayon::current_num_threads());
    for path in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        let map = formats::open(&path)?;
        println!("\n{path}: {} nodes", map.usable_count());
        if map.as_grid().is_some() {
            fields(&gpu, &map)?;
        }
        let tables = GpuTables::new(&gpu)?;
        for form in [Form::General, Form::Climb] {
            let config =
                AtlasConfig { form, memory_limit: u64::MAX.into(), ..AtlasConfig::default() };
            builds::<Atlas>(&format!("atlas {form:?}"), &map, &config, &tables)?;
        }
        let config = PpaConfig { memory_limit: u64::MAX, ..PpaConfig::default() };
        builds::<Ppa>("ppa", &map, &config, &tables)?;
    }
    Ok(())
}

fn fields(gpu: &Gpu, map: &Map) -> Result<(), Failure> {
    let mut random = Random::new(7);
    let free: Vec<NodeId> = (0..map.node_count() as NodeId).filter(|&n| map.contains(n)).collect();
    let mut draw = || free[random.below(free.len() as u64) as usize];
    let on_gpu = GpuFields::build(gpu, map)?;
    for count in [1, 8] {
        let goals: Vec<NodeId> = (0..count).map(|_| draw()).collect();
        let expected = FlowField::new(map, &goals)?;
        let mut field = on_gpu.field(&goals)?;
        assert_eq!(field.costs()?, expected.costs());
        let cpu = median(5, || FlowField::new(map, &goals))?;
        let resident = median(5, || {
            on_gpu.refill(&mut field, &goals)?;
            // Waits for the device.
            field.costs().map(drop)
        })?;
        println!("field, {count} goals: {}, {} passes", ratio(resident, cpu), field.passes());
    }

    let goals = [draw()];
    let field = on_gpu.field(&goals)?;
    let expected = field.download()?;
    let starts: Vec<(NodeId, u32)> = (0..AGENTS).map(|_| (draw(), 0)).collect();
    let mut crowd = GpuCrowd::new(&on_gpu, &starts)?;
    let mut on_cpu: Vec<NodeId> = starts.iter().map(|&(start, _)| start).collect();
    const STEPS: u32 = 64;
    let start = Instant::now();
    crowd.advance(&[&field], STEPS)?;
    let places = crowd.positions()?;
    let device = start.elapsed();
    let start = Instant::now();
    for _ in 0..STEPS {
        on_cpu.par_iter_mut().for_each(|at| *at = expected.next(*at).unwrap_or(*at));
    }
    let cpu = start.elapsed();
    assert_eq!(places, on_cpu);
    println!("{AGENTS} agents, {STEPS} steps: {}", ratio(device, cpu));
    Ok(())
}

fn builds<E: Build>(
    name: &str,
    map: &Map,
    config: &E::Config,
    tables: &GpuTables,
) -> Result<(), Failure> {
    if let Err(reason) = E::supports(map, config) {
        println!("{name}: {reason}");
        return Ok(());
    }
    let on_cpu = E::build(map, config)?;
    let on_gpu = E::build_watched(map, config, tables)?;
    let bytes = |engine: &E| -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        engine.store()?.write_to(&mut bytes)?;
        Ok(bytes)
    };
    assert_eq!(bytes(&on_cpu)?, bytes(&on_gpu)?, "{name}");
    let cpu = median(3, || E::build(map, config))?;
    let device = median(3, || E::build_watched(map, config, tables))?;
    println!("build of {name}: {}", ratio(device, cpu));
    Ok(())
}

fn median<T, E>(runs: usize, mut work: impl FnMut() -> Result<T, E>) -> Result<Duration, E> {
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        drop(work()?);
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[runs / 2])
}

fn ratio(device: Duration, cpu: Duration) -> String {
    let [device, cpu] = [device, cpu].map(|time| 1e3 * time.as_secs_f64());
    format!("{device:.2} ms on the GPU, {cpu:.2} ms on the CPU, {:.1} times", cpu / device)
}
