//! A crowd in a building: agents in four teams, new goals every second, on the GPU and on the CPU.
//!
//! ```sh
//! cargo run --release -p portolan-gpu --example teams -- --agents 100000 --frames 180 --out teams.png
//! ```
//!
//! Writes an animated PNG, which browsers play, and the time per frame. Both sides move every agent
//! along the same cells, which is checked in every frame.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use portolan::crowd::FlowField;
use portolan::generate::{Random, Rooms};
use portolan::{Grid, Map, NodeId};
use portolan_gpu::{Gpu, GpuCrowd, GpuFields, GpuFlowField};
use rayon::prelude::*;

/// A team has a colour and goals.
const TEAMS: [[u8; 3]; 4] = [[235, 94, 85], [58, 134, 255], [255, 190, 11], [6, 167, 125]];
const GOALS: usize = 3;
const FRAMES_PER_SECOND: u32 = 30;

struct Options {
    agents: usize,
    frames: u32,
    size: u32,
    out: Option<String>,
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

fn run() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let rooms =
        Rooms { width: options.size, height: options.size, connected: true, ..Rooms::default() };
    let grid = rooms.generate()?;
    let map = Map::from(grid.clone());
    let free: Vec<NodeId> =
        (0..map.node_count() as NodeId).filter(|&node| map.contains(node)).collect();
    let mut random = Random::new(1);
    let mut cells = |count: usize| -> Vec<NodeId> {
        (0..count).map(|_| free[random.below(free.len() as u64) as usize]).collect()
    };
    let starts = cells(options.agents);
    let mut agents: Vec<(NodeId, u32)> =
        starts.into_iter().zip((0..TEAMS.len() as u32).cycle()).collect();

    let gpu = Gpu::new()?;
    println!("{} agents on {} cells, {}", options.agents, free.len(), gpu.name());
    let fields = GpuFields::build(&gpu, &map)?;
    let mut crowd = GpuCrowd::new(&fields, &agents)?;
    let mut on_gpu: Vec<GpuFlowField> = Vec::new();
    let mut on_cpu: Vec<FlowField> = Vec::new();
    let mut movie = options.out.as_ref().map(|path| movie(path, &options)).transpose()?;
    let (mut gpu_times, mut cpu_times) = (Vec::new(), Vec::new());
    for frame in 0..options.frames {
        let goals: Option<Vec<Vec<NodeId>>> =
            (frame % FRAMES_PER_SECOND == 0).then(|| TEAMS.iter().map(|_| cells(GOALS)).collect());

        let start = Instant::now();
        if let Some(goals) = &goals {
            on_gpu = goals.iter().map(|goals| fields.field(goals)).collect::<Result<_, _>>()?;
        }
        crowd.advance(&on_gpu.iter().collect::<Vec<_>>(), 1)?;
        let positions = crowd.positions()?;
        gpu_times.push(start.elapsed());

        let start = Instant::now();
        if let Some(goals) = &goals {
            let fields = goals.par_iter().map(|goals| FlowField::new(&map, goals));
            on_cpu = fields.collect::<Result<_, _>>()?;
        }
        agents.par_iter_mut().for_each(|(node, team)| {
            *node = on_cpu[*team as usize].next(*node).unwrap_or(*node);
        });
        cpu_times.push(start.elapsed());

        let same = positions.iter().zip(&agents).all(|(node, agent)| *node == agent.0);
        assert!(same, "the GPU and the CPU differ in frame {frame}");
        if let Some(movie) = &mut movie {
            movie.write_image_data(&picture(&grid, &agents, &on_cpu))?;
        }
    }
    if let Some(movie) = movie {
        movie.finish()?;
    }
    report("GPU", &gpu_times);
    report("CPU", &cpu_times);
    Ok(())
}

/// The time of frames with new goals, and of those without.
fn report(name: &str, times: &[Duration]) {
    let mean = |is_wanted: fn(usize) -> bool| {
        let wanted: Vec<f64> = (0..times.len())
            .filter(|&frame| is_wanted(frame))
            .map(|frame| 1e3 * times[frame].as_secs_f64())
            .collect();
        match wanted.is_empty() {
            true => "-".to_owned(),
            false => format!("{:.2} ms", wanted.iter().sum::<f64>() / wanted.len() as f64),
        }
    };
    println!(
        "{name}: {} per frame with new goals, {} otherwise",
        mean(|frame| frame % FRAMES_PER_SECOND as usize == 0),
        mean(|frame| frame % FRAMES_PER_SECOND as usize != 0)
    );
}

fn movie(path: &str, options: &Options) -> Result<png::Writer<BufWriter<File>>, Box<dyn Error>> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, options.size, options.size);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_animated(options.frames.max(1), 0)?;
    encoder.set_frame_delay(1, FRAMES_PER_SECOND as u16)?;
    Ok(encoder.write_header()?)
}

/// Walls, floor, agents in the colours of their teams, and goals as squares.
fn picture(grid: &Grid, agents: &[(NodeId, u32)], fields: &[FlowField]) -> Vec<u8> {
    let (width, height) = (grid.width(), grid.height());
    let cells = (0..width * height).map(|node| (node % width, node / width));
    let mut pixels: Vec<[u8; 3]> =
        cells.map(|(x, y)| if grid.is_passable(x, y) { [245; 3] } else { [60; 3] }).collect();
    for &(node, team) in agents {
        pixels[node as usize] = TEAMS[team as usize];
    }
    for (field, colour) in fields.iter().zip(TEAMS) {
        for &goal in field.goals() {
            let (x, y) = (goal % width, goal / width);
            for row in y.saturating_sub(2)..(y + 3).min(height) {
                for column in x.saturating_sub(2)..(x + 3).min(width) {
                    pixels[(row * width + column) as usize] = colour;
                }
            }
        }
    }
    pixels.concat()
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { agents: 100_000, frames: 90, size: 512, out: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or(format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--agents" => options.agents = value.parse()?,
            "--frames" => options.frames = value.parse()?,
            "--size" => options.size = value.parse()?,
            "--out" => options.out = Some(value),
            _ => return Err(format!("{flag}: use --agents, --frames, --size, --out").into()),
        }
    }
    Ok(options)
}
