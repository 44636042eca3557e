//! Ten thousand agents on a map of 512 x 512 cells that changes in every frame.
//!
//! Four camps walk toward goals of their own, each by a flow field that is repaired after every
//! edit. Walls fall down right before somebody's feet, others are broken through. Every step is
//! held against the map of its frame, and the fields against fields made anew. The picture shows
//! the walls, the ways that were walked in the colour of the camp, the agents where they are at
//! last, the goals, and in red and green the cells that were blocked and freed.
//!
//! `cargo run --release --example crowd [PICTURE.png]`

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use portolan::changes::Editor;
use portolan::crowd::FlowField;
use portolan::generate::{Random, Rooms};
use portolan::world::World;
use portolan::{Graph, Grid, Map, NodeId};

const SIZE: u32 = 512;
const AGENTS: usize = 10_000;
const FRAMES: usize = 60;

/// Agents that share their goals.
struct Camp {
    field: FlowField,
    agents: Vec<NodeId>,
}

/// How long the parts of a frame took.
#[derive(Default, Clone, Copy)]
struct Times {
    edit: Duration,
    repair: Duration,
    steps: Duration,
}

impl Times {
    fn whole(&self) -> Duration {
        self.edit + self.repair + self.steps
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let default = || std::env::temp_dir().join("portolan-crowd.png");
    let path = std::env::args_os().nth(1).map_or_else(default, PathBuf::from);

    let grid = Rooms { width: SIZE, height: SIZE, room: 16, ..Rooms::default() }.generate()?;
    let mut random = Random::new(1);
    let begun = Instant::now();
    let mut camps = camps(&grid, &mut random)?;
    let made = begun.elapsed();
    let mut picture = Picture::of(&grid);
    let world = World::new(grid)?;

    let mut frames = Vec::new();
    let (mut taken, mut looked_at) = (0, 0);
    for frame in 0..FRAMES {
        let mut times = Times::default();
        let cell = choose(&camps, world.snapshot().map(), frame, &mut random)
            .ok_or("nothing is left to build or to break")?;
        let clock = Instant::now();
        let edit =
            world.edit(|e: &mut Editor<'_>| e.set_passable(cell, !e.map().contains(cell)))?;
        times.edit = clock.elapsed();

        let map = edit.snapshot().map();
        for (number, camp) in camps.iter_mut().enumerate() {
            let clock = Instant::now();
            looked_at += camp.field.repair(map, edit.changes());
            times.repair += clock.elapsed();

            let before = camp.agents.clone();
            let clock = Instant::now();
            for agent in &mut camp.agents {
                *agent = camp.field.next(*agent).unwrap_or(*agent);
            }
            times.steps += clock.elapsed();
            for (&from, &to) in before.iter().zip(&camp.agents) {
                picture.walked(from, number);
                let legal = from == to || map.step_cost(from, to).is_some();
                assert!(
                    legal && map.contains(to),
                    "frame {frame}: {from} -> {to} is no legal step"
                );
                taken += usize::from(from != to);
            }
        }
        picture.edited(cell, map.contains(cell));
        frames.push(times);
    }
    world.advance();

    let end = world.snapshot();
    let mut arrived = 0;
    for camp in &camps {
        assert!(
            camp.field == FlowField::new(end.map(), camp.field.goals())?,
            "a repair went wrong"
        );
        arrived += camp.agents.iter().filter(|agent| camp.field.goals().contains(agent)).count();
    }
    let milliseconds = |part: fn(&Times) -> Duration| {
        let parts: Vec<f64> = frames.iter().map(|times| part(times).as_secs_f64() * 1e3).collect();
        let mean = parts.iter().sum::<f64>() / parts.len() as f64;
        format!("mean {mean:.2} ms, worst {:.2} ms", parts.into_iter().fold(0.0, f64::max))
    };
    println!("{AGENTS} agents, {SIZE} x {SIZE} cells, {FRAMES} frames with an edit each");
    println!("a frame:       {}", milliseconds(Times::whole));
    println!("  the edit:    {}", milliseconds(|times| times.edit));
    println!("  {} repairs:   {}", camps.len(), milliseconds(|times| times.repair));
    println!("  all steps:   {}", milliseconds(|times| times.steps));
    println!(
        "a repair looks at {} of {} steps; making {} fields anew took {:.1} ms",
        looked_at / (FRAMES * camps.len()),
        end.map().usable_count(),
        camps.len(),
        made.as_secs_f64() * 1e3
    );
    println!("{taken} steps taken, none of them invalid; {arrived} agents have arrived");

    camps.iter().enumerate().for_each(|(number, camp)| picture.arrived(camp, number));
    picture.write(&path)?;
    println!("picture: {}", path.display());
    Ok(())
}

/// Four camps of the same size all over the map, with one to three goals each.
fn camps(grid: &Grid, random: &mut Random) -> Result<Vec<Camp>, Box<dyn std::error::Error>> {
    let goals: [&[(u32, u32)]; 4] = [
        &[(256, 256)],
        &[(30, 30), (480, 480)],
        &[(480, 30), (30, 480)],
        &[(256, 20), (60, 400), (450, 400)],
    ];
    let map = Map::from(grid);
    let floor: Vec<NodeId> =
        (0..grid.node_count() as NodeId).filter(|&node| grid.contains(node)).collect();
    let mut camps = Vec::new();
    for goals in goals {
        let near = goals.iter().filter_map(|&(x, y)| grid.nearest_passable(x, y));
        let goals: Vec<NodeId> = near.filter_map(|(x, y)| grid.node(x, y)).collect();
        let field = FlowField::new(&map, &goals)?;
        let mut agent = || floor[random.below(floor.len() as u64) as usize];
        let agents = (0..AGENTS / 4).map(|_| agent()).collect();
        camps.push(Camp { field, agents });
    }
    Ok(camps)
}

/// The cell of this frame's edit. In turns: one that somebody will want to walk on soon, where
/// nobody stands, to be blocked; and one with a wall on it, to be freed.
fn choose(camps: &[Camp], map: &Map, frame: usize, random: &mut Random) -> Option<NodeId> {
    let mut tries = 0..100_000;
    if frame % 2 == 1 {
        let mut cell = |_| random.below(map.node_count() as u64) as NodeId;
        return tries.by_ref().map(&mut cell).find(|&cell| !map.contains(cell));
    }
    let ahead = |_| {
        let camp = &camps[random.below(camps.len() as u64) as usize];
        let agent = camp.agents[random.below(camp.agents.len() as u64) as usize];
        (0..1 + random.below(12)).try_fold(agent, |node, _| camp.field.next(node))
    };
    let taken = |cell: NodeId| {
        camps.iter().any(|camp| camp.agents.contains(&cell) || camp.field.goals().contains(&cell))
    };
    tries.by_ref().filter_map(ahead).find(|&cell| !taken(cell))
}

/// Colours: floor, wall, blocked and freed cells, goals, then ways and agents of the camps.
const PALETTE: [[u8; 3]; 13] = [
    [250, 249, 246],
    [70, 74, 84],
    [214, 39, 40],
    [34, 160, 60],
    [20, 20, 20],
    [205, 224, 245],
    [253, 224, 196],
    [222, 214, 240],
    [244, 218, 230],
    [31, 100, 190],
    [230, 120, 10],
    [110, 70, 180],
    [200, 40, 120],
];
const WALKED: u8 = 5;
const STANDS: u8 = 9;

/// A colour of the palette per cell.
struct Picture {
    cells: Vec<u8>,
    edits: Vec<(NodeId, u8)>,
}

impl Picture {
    fn of(grid: &Grid) -> Self {
        let nodes = 0..grid.node_count() as NodeId;
        Self {
            cells: nodes.map(|node| u8::from(!grid.contains(node))).collect(),
            edits: Vec::new(),
        }
    }

    fn walked(&mut self, node: NodeId, camp: usize) {
        self.cells[node as usize] = WALKED + camp as u8;
    }

    fn edited(&mut self, node: NodeId, freed: bool) {
        self.edits.push((node, if freed { 3 } else { 2 }));
    }

    /// Agents where they are at last, and their goals.
    fn arrived(&mut self, camp: &Camp, number: usize) {
        for &node in &camp.agents {
            self.cells[node as usize] = STANDS + number as u8;
        }
        for &goal in camp.field.goals() {
            self.blot(goal, 5, 4);
            self.blot(goal, 3, STANDS + number as u8);
        }
    }

    /// A square of so many cells round a cell.
    fn blot(&mut self, node: NodeId, radius: i64, colour: u8) {
        let size = i64::from(SIZE);
        let (x, y) = (i64::from(node) % size, i64::from(node) / size);
        for y in (y - radius).max(0)..=(y + radius).min(size - 1) {
            for x in (x - radius).max(0)..=(x + radius).min(size - 1) {
                self.cells[(y * size + x) as usize] = colour;
            }
        }
    }

    /// Two pixels a side for each cell.
    fn write(mut self, path: &PathBuf) -> Result<(), Box<dyn std::error::Error>> {
        for (node, colour) in std::mem::take(&mut self.edits) {
            self.blot(node, 1, colour);
        }
        let mut encoder = png::Encoder::new(File::create(path)?, 2 * SIZE, 2 * SIZE);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(PALETTE.concat());
        let doubled = |cells: &[u8]| -> Vec<u8> { cells.iter().flat_map(|&c| [c, c]).collect() };
        let rows = self.cells.chunks(SIZE as usize).map(doubled);
        let pixels: Vec<u8> = rows.flat_map(|row| [row.clone(), row].concat()).collect();
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(())
    }
}
