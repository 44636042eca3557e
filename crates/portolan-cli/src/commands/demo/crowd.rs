//! Many agents with two exits, by one flow field that is repaired as the map changes.

use std::time::{Duration, Instant};

use portolan::crowd::FlowField;
use portolan::generate::Random;
use portolan::{Changes, Graph, Grid, Map, NodeId};
use portolan_bench::picture::{self, CrowdView, Key};
use portolan_bench::report::{Picture, Section};
use portolan_bench::text::{self, grouped};
use portolan_bench::timing::{Times, micros};
use portolan_bench::workload::{Reference, Subject, Workload};

use super::{page_table, worlds};
use crate::error::Error;
use crate::output::Output;

const AGENTS: usize = 500;
const FRAMES: usize = 60;
/// Frames from one edit to the next.
const EDIT_EVERY: usize = 5;

/// How it went.
struct Walk {
    field: FlowField,
    build: Duration,
    /// All steps of a frame.
    steps: Times,
    repairs: Times,
    agents: Vec<NodeId>,
    tracks: Vec<Vec<NodeId>>,
    edited: Vec<NodeId>,
    arrived: usize,
    /// Steps that are not legal, and costs that are not the least.
    wrong: usize,
}

/// Lets the agents walk, prints what it takes, and makes a section of it; returns the number of
/// wrong answers.
pub(super) fn show(
    subject: &Subject,
    workload: &Workload,
    output: &mut Output,
) -> Result<(Option<Section>, usize), Error> {
    let ends = worlds::longest(workload).map(|query| [query.from, query.to]);
    let (Map::Grid(grid), Some(exits)) = (&subject.map, ends) else { return Ok((None, 0)) };
    let agents = grouped(AGENTS);
    writeln!(
        output,
        "\nA crowd: {agents} agents in the cave, two exits, an edit every {EDIT_EVERY} frames"
    )?;
    let walk = walk(subject, grid, &exits)?;
    let steps: usize = walk.tracks.iter().map(|track| track.len() - 1).sum();
    let checked = match walk.wrong {
        0 => "steps legal, costs least".to_owned(),
        wrong => format!("{} WRONG", grouped(wrong)),
    };
    let rows: Vec<Vec<String>> = [
        ("build the flow field", text::micros(micros(&walk.build))),
        ("repair it after an edit", text::time(walk.repairs.mean())),
        ("all steps of a frame", text::time(walk.steps.mean())),
        ("frames", grouped(FRAMES)),
        ("steps taken", grouped(steps)),
        ("agents at an exit", grouped(walk.arrived)),
        ("memory", text::bytes(walk.field.memory_bytes())),
        ("checked", checked),
    ]
    .map(|(what, figure)| vec![what.to_owned(), figure])
    .into();
    let headings = ["flow field", ""];
    let table = page_table(&headings, &rows);
    write!(output, "{}", table.to_text())?;
    output.flush()?;
    let mut section = Section::new("A crowd");
    section.push(format!(
        "{agents} agents in the cave walk to the nearer of two exits. One flow field serves all of them: it knows the next step of every \
         cell. Every {EDIT_EVERY} frames a cell in somebody's way is blocked, and the field is repaired. Every step is checked against \
         the map, the costs at the start against a Dijkstra search, and the field at the end against a new one."
    ));
    let view = CrowdView {
        costs: walk.field.costs(),
        tracks: &walk.tracks,
        agents: &walk.agents,
        exits: &exits,
        edited: &walk.edited,
        legend: &[Key::Exits, Key::Agents, Key::Tracks, Key::Edited, Key::Farther, Key::Walls],
    };
    let png = picture::draw_crowd(grid, &view)?;
    crate::files::write(&subject.path.with_file_name("crowd.png"), |out| out.write_all(&png))?;
    let alt = "Agents on their way to two exits, and where they have walked";
    let caption = format!("After {FRAMES} frames.");
    section.push(Picture { caption, ..Picture::new(png, alt) });
    section.push(page_table(&["what", "figure"], &rows));
    Ok((Some(section), walk.wrong))
}

fn walk(subject: &Subject, grid: &Grid, exits: &[NodeId]) -> Result<Walk, Error> {
    let mut random = Random::new(subject.settings.seed);
    let start = Instant::now();
    let refused = |error| subject.refused(&error);
    let field = FlowField::new(&subject.map, exits).map_err(refused)?;
    let build = start.elapsed();
    let floor: Vec<NodeId> = (0..grid.node_count() as NodeId)
        .filter(|&node| grid.contains(node) && field.next(node).is_some())
        .collect();
    let agents: Vec<NodeId> = (0..AGENTS)
        .filter_map(|_| floor.get(random.below(floor.len().max(1) as u64) as usize))
        .copied()
        .collect();
    let wrong = wrong_costs(&subject.map, &field, &agents);
    let tracks = agents.iter().map(|&agent| vec![agent]).collect();
    let (steps, repairs, edited) = (Times::default(), Times::default(), Vec::new());
    let mut walk = Walk { field, build, steps, repairs, agents, tracks, edited, arrived: 0, wrong };
    let mut map = subject.map.clone();
    for frame in 1..=FRAMES {
        if frame % EDIT_EVERY == 0 {
            walk.block_somewhere(&mut map, exits, &mut random)?;
        }
        walk.step(&map);
    }
    let new = FlowField::new(&map, exits).map_err(refused)?;
    walk.wrong += usize::from(new != walk.field);
    walk.arrived = walk.agents.iter().filter(|agent| exits.contains(agent)).count();
    Ok(walk)
}

/// How many agents get another cost than that of a plain search from the exits. On grids of one
/// terrain paths cost the same in both directions.
fn wrong_costs(map: &Map, field: &FlowField, agents: &[NodeId]) -> usize {
    let mut reference = Reference::new(map);
    let mut nearest = vec![None; agents.len()];
    for &exit in field.goals() {
        for (nearest, cost) in nearest.iter_mut().zip(reference.costs(exit, agents)) {
            *nearest = (*nearest).into_iter().chain(cost).min();
        }
    }
    let told = agents.iter().map(|&agent| field.cost(agent).ok().flatten().map(u64::from));
    told.zip(nearest).filter(|(told, nearest)| told != nearest).count()
}

impl Walk {
    /// Blocks a cell that an agent would walk on soon and that is free, and repairs the field.
    fn block_somewhere(
        &mut self,
        map: &mut Map,
        exits: &[NodeId],
        random: &mut Random,
    ) -> Result<(), Error> {
        const AHEAD: usize = 8;
        const TRIES: usize = 50;
        for _ in 0..TRIES {
            let agent = self.agents[random.below(self.agents.len().max(1) as u64) as usize];
            let cell = (0..AHEAD).try_fold(agent, |node, _| self.field.next(node));
            let is_free = |cell: &NodeId| !exits.contains(cell) && !self.agents.contains(cell);
            let Some(cell) = cell.filter(is_free) else { continue };
            let changes = Changes::new().block(cell);
            map.apply(&changes).map_err(portolan_bench::Error::from)?;
            let start = Instant::now();
            self.field.repair(map, &changes);
            self.repairs.add(start.elapsed());
            self.edited.push(cell);
            return Ok(());
        }
        Ok(())
    }

    fn step(&mut self, map: &Map) {
        let before = self.agents.clone();
        let start = Instant::now();
        for agent in &mut self.agents {
            *agent = self.field.next(*agent).unwrap_or(*agent);
        }
        self.steps.add(start.elapsed());
        for ((from, &to), track) in before.into_iter().zip(&self.agents).zip(&mut self.tracks) {
            if from != to {
                self.wrong += usize::from(map.step_cost(from, to).is_none());
                track.push(to);
            }
        }
    }
}
