//! A crowd that changes its mind: 100,000 agents in rooms, each with a new goal every second. Draws
//! a PNG file per second and prints the time per frame, on the GPU and on all cores of the CPU.
//!
//! ```sh
//! cargo run --release -p portolan-gpu --example own_goals -- --agents 100000 --seconds 5 -o goals
//! ```

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use portolan::atlas::{Atlas, AtlasConfig};
use portolan::generate::{Random, Rooms};
use portolan::{Build, Engine, Grid, Map, NodeId, batch};
use portolan_gpu::{Gpu, GpuAtlas, GpuAtlasConfig, GpuEngine, Request};

/// Frames in a second. In each, one agent of so many gets a new goal.
const FRAMES: usize = 60;

struct Options {
    agents: usize,
    seconds: usize,
    side: u32,
    folder: PathBuf,
}

/// An agent walks along its path, a cell per frame.
#[derive(Default, Clone)]
struct Agent {
    path: Vec<NodeId>,
    at: usize,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let options = options()?;
    std::fs::create_dir_all(&options.folder)?;
    let rooms = Rooms { width: options.side, height: options.side, room: 8, ..Rooms::default() };
    let grid = rooms.generate()?;
    let map = Map::from(grid.clone());
    let gpu = Gpu::new()?;
    let on_gpu = GpuAtlas::build(&gpu, &map, &GpuAtlasConfig::default())?;
    let config = AtlasConfig { memory_limit: u64::MAX.into(), ..AtlasConfig::default() };
    let on_cpu = Atlas::build(&map, &config)?;
    let cells: Vec<NodeId> = (0..map.node_count() as NodeId).filter(|&n| map.contains(n)).collect();
    let mut random = Random::new(1);
    let mut draw = || cells[random.below(cells.len() as u64) as usize];
    let stand = |start| Agent { path: vec![start], at: 0 };
    let mut agents: Vec<Agent> = (0..options.agents).map(|_| stand(draw())).collect();
    let (mut gpu_time, mut cpu_time, mut worst) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for frame in 0..options.seconds * FRAMES {
        let turn = (frame % FRAMES..agents.len()).step_by(FRAMES);
        let requests: Vec<Request> = turn.clone().map(|at| (agents[at].cell(), draw())).collect();

        let start = Instant::now();
        let paths = on_gpu.find_all(&requests)?;
        let elapsed = start.elapsed();
        // The first frame also makes the buffers.
        if frame > 0 {
            (gpu_time, worst) = (gpu_time + elapsed, worst.max(elapsed));
        }
        let start = Instant::now();
        let same = batch::find_all(|| on_cpu.query(), &requests, 0)?;
        cpu_time += start.elapsed();

        for ((at, path), same) in turn.zip(paths.iter()).zip(same.iter()) {
            let (path, same) = (path?, same?);
            assert_eq!(path.map(|path| path.cost()), same.map(|path| path.cost()));
            if let Some(path) = path {
                (agents[at].path, agents[at].at) = (path.nodes().collect(), 0);
            }
        }
        agents.iter_mut().for_each(|agent| agent.at = (agent.at + 1).min(agent.path.len() - 1));
        if frame % FRAMES == FRAMES - 1 {
            let file = options.folder.join(format!("second-{:03}.png", frame / FRAMES + 1));
            picture(&grid, &agents, &file)?;
        }
    }
    let frames = (options.seconds * FRAMES) as u32;
    println!(
        "{} agents on {} x {} cells, {frames} frames",
        agents.len(),
        options.side,
        options.side
    );
    println!("{}: {:.2?} per frame, {worst:.2?} at most", gpu.name(), gpu_time / (frames - 1));
    println!("CPU, {} threads: {:.2?} per frame", rayon::current_num_threads(), cpu_time / frames);
    println!("pictures are in {}", options.folder.display());
    Ok(())
}

impl Agent {
    fn cell(&self) -> NodeId {
        self.path[self.at]
    }
}

/// Walls dark, floor light, agents red: the more in a cell, the darker.
fn picture(grid: &Grid, agents: &[Agent], file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let (width, height) = (grid.width(), grid.height());
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| grid.is_passable(x, y)));
    let mut pixels: Vec<[u8; 3]> =
        cells.map(|open| if open { [245; 3] } else { [60, 64, 72] }).collect();
    for agent in agents {
        let [red, green, blue] = &mut pixels[agent.cell() as usize];
        (*red, *green, *blue) = (215, green.saturating_sub(60), blue.saturating_sub(60));
    }
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(file)?), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels.as_flattened())?;
    Ok(())
}

fn options() -> Result<Options, Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join("portolan-goals");
    let mut options = Options { agents: 100_000, seconds: 5, side: 512, folder };
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{flag} takes a value"))?;
        match flag.as_str() {
            "--agents" => options.agents = value.parse::<usize>()?.max(1),
            "--seconds" => options.seconds = value.parse::<usize>()?.max(1),
            "--side" => options.side = value.parse()?,
            "-o" => options.folder = value.into(),
            _ => return Err(format!("`{flag}` is none of --agents, --seconds, --side, -o").into()),
        }
    }
    Ok(options)
}
