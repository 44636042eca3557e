//! `fast_paths`: contraction hierarchies on the map as a general graph.
//!
//! Its preparation can be neither stopped nor bounded, and takes very long on some grids. So it
//! runs in a child process, which is this program started again (see [`serve`]) and ends itself at
//! the deadline, even where its parent is gone by then. The hierarchy comes back through a pipe;
//! nothing is kept on disk.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use std::{io, thread};

use cpu_time::ProcessTime;
use fast_paths::{FastGraph, InputGraph, PathCalculator, ShortestPath};
use portolan::{Cost, Graph, Map, NodeId};

use super::{Problem, real};
use crate::judge::Answered;
use crate::timing::Contestant;

/// A hierarchy, and the processor time that it took.
pub(crate) struct Prepared {
    /// The hierarchy.
    pub(crate) graph: FastGraph,
    /// Of all threads together; reading the map does not count.
    pub(crate) cpu: Duration,
}

/// The first argument of a child.
const PREPARE: &str = "--prepare-fast-paths";

/// The exit code of a child that has run out of time.
const TOO_LATE: i32 = 75;

/// Weights are multiplied by this, since `fast_paths` leaves out edges of weight 0. They get weight
/// 1, and no path has so many edges that these could add up to a unit.
const SCALE: usize = 1 << 24;

/// Prepares the map beside these queries in a child process; `None` if that does not end in time.
pub(crate) fn prepare_in_child(
    queries: &Path,
    limit: Duration,
) -> Result<Option<Prepared>, Problem> {
    let child = Command::new(std::env::current_exe()?)
        .arg(PREPARE)
        .arg(queries)
        .arg(limit.as_secs().to_string())
        .stderr(Stdio::inherit())
        .output()?;
    if child.status.code() == Some(TOO_LATE) {
        return Ok(None);
    }
    if !child.status.success() {
        return Err(format!("the preparation ended with {}", child.status).into());
    }
    let (seconds, graph): (f64, FastGraph) = postcard::from_bytes(&child.stdout)?;
    Ok(Some(Prepared { graph, cpu: Duration::from_secs_f64(seconds) }))
}

/// What a benchmark does first: `None` where these are its own arguments, else it was started as a
/// child and has done its work.
pub(crate) fn serve(arguments: &[OsString]) -> Option<ExitCode> {
    let [first, queries, seconds] = arguments else { return None };
    if first != PREPARE {
        return None;
    }
    let limit = seconds.to_str().and_then(|text| text.parse().ok()).unwrap_or(0);
    thread::spawn(move || {
        thread::sleep(Duration::from_secs(limit));
        std::process::exit(TOO_LATE);
    });
    Some(match prepare_and_send(Path::new(queries)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    })
}

fn prepare_and_send(queries: &Path) -> Result<(), Problem> {
    let Prepared { graph, cpu } = prepare(&real::load_map(queries)?);
    let bytes = postcard::to_stdvec(&(cpu.as_secs_f64(), graph))?;
    Ok(io::stdout().write_all(&bytes)?)
}

/// Prepares a map in this process, however long it takes.
pub(crate) fn prepare(map: &Map) -> Prepared {
    let numbers = Numbers::of(map);
    let mut input = InputGraph::new();
    match map {
        Map::Grid(grid) => add_edges(grid, &numbers, &mut input),
        Map::Graph(graph) => add_edges(graph, &numbers, &mut input),
    }
    input.freeze();
    let start = ProcessTime::now();
    let graph = fast_paths::prepare(&input);
    Prepared { cpu: start.elapsed(), graph }
}

impl Prepared {
    /// What the hierarchy takes in memory, counted from its public parts: three words a node and
    /// five an edge.
    pub(crate) fn memory_bytes(&self) -> usize {
        let edges = self.graph.get_num_out_edges() + self.graph.get_num_in_edges();
        (3 * self.graph.get_num_nodes() + 5 * edges) * size_of::<usize>()
    }
}

fn add_edges(graph: &impl Graph, numbers: &Numbers, input: &mut InputGraph) {
    for (number, &tail) in numbers.nodes.iter().enumerate() {
        graph.out_edges(tail, |head, weight| {
            let head = numbers.numbers[head as usize] as usize;
            if head != number {
                input.add_edge(number, head, (weight as usize * SCALE).max(1));
            }
        });
    }
}

/// The usable nodes of a map, counted without gaps.
struct Numbers {
    /// By node; meaningless for those that cannot be used.
    numbers: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Numbers {
    fn of(map: &Map) -> Self {
        let mut nodes = Vec::new();
        let numbers = (0..map.node_count() as NodeId)
            .map(|node| {
                let number = nodes.len() as u32;
                if map.contains(node) {
                    nodes.push(node);
                }
                number
            })
            .collect();
        Self { numbers, nodes }
    }
}

/// A prepared map that answers.
pub(crate) struct FastPaths<'a> {
    graph: &'a FastGraph,
    calculator: PathCalculator,
    numbers: Numbers,
    found: Option<ShortestPath>,
}

impl<'a> FastPaths<'a> {
    /// For the map that was prepared.
    pub(crate) fn new(map: &Map, prepared: &'a Prepared) -> Self {
        let graph = &prepared.graph;
        let calculator = fast_paths::create_calculator(graph);
        Self { graph, calculator, numbers: Numbers::of(map), found: None }
    }
}

impl Contestant for FastPaths<'_> {
    fn name(&self) -> &str {
        "fast_paths"
    }

    fn exact(&self) -> bool {
        true
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Answered {
        let number = |node: NodeId| self.numbers.numbers[node as usize] as usize;
        let (from, to) = (number(from), number(to));
        // It knows no nodes behind the last that has an edge.
        self.found = if from.max(to) < self.graph.get_num_nodes() {
            self.calculator.calc_path(self.graph, from, to)
        } else {
            (from == to).then(|| ShortestPath::singular(from))
        };
        Ok(self.found.as_ref().map(|path| (path.get_weight() / SCALE) as Cost))
    }

    fn path(&self) -> Vec<NodeId> {
        let numbers = self.found.iter().flat_map(ShortestPath::get_nodes);
        numbers.map(|&number| self.numbers.nodes[number]).collect()
    }
}
