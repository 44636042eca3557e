//! `portolan info`.

use portolan::atlas::{Atlas, AtlasConfig, Form, Plan};
use portolan::formats::MapFormat;
use portolan::graph::{strong_components, weak_components};
use portolan::{Connectivity, Corners, CsrGraph, Graph, Grid, METHODS, Map, NodeId};
use portolan_bench::text::{bytes, count, grouped, percent};
use portolan_bench::workload::Subject;
use portolan_bench::{Bars as _, engines};
use serde::Serialize;

use crate::Outcome;
use crate::args::InfoArgs;
use crate::error::Error;
use crate::load::{self, Loaded};
use crate::output::Output;

/// Everything there is to say about a map, in the order it is said.
#[derive(Serialize)]
struct Info {
    file: String,
    format: &'static str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    grid: Option<GridInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<GraphInfo>,
    memory_bytes: usize,
    engines: Vec<EngineInfo>,
    index: IndexInfo,
}

/// What the best index on the map comes to within the memory limit. It is planned, not built.
#[derive(Serialize)]
struct IndexInfo {
    engine: &'static str,
    /// Which form was chosen and why, and what it takes.
    form: String,
    bytes: u64,
    /// The memory limit in bytes.
    limit: u64,
}

#[derive(Serialize)]
struct GridInfo {
    width: u32,
    height: u32,
    cells: usize,
    passable: usize,
    moves: &'static str,
    corners: &'static str,
    agent: u32,
    components: Parts,
    /// The smallest and the largest factor.
    terrain: Option<[u8; 2]>,
}

#[derive(Serialize)]
struct GraphInfo {
    nodes: usize,
    edges: usize,
    undirected: bool,
    weakly_connected: Parts,
    strongly_connected: Parts,
    /// The smallest and the largest x, then y.
    coordinates: Option<Extent>,
}

#[derive(Serialize)]
struct Parts {
    count: usize,
    largest: usize,
}

#[derive(Serialize)]
struct Extent {
    x: [i32; 2],
    y: [i32; 2],
}

#[derive(Serialize)]
struct EngineInfo {
    name: &'static str,
    exact: bool,
    summary: &'static str,
    supported: bool,
    /// Why not.
    reason: Option<String>,
}

pub(crate) fn run(args: &InfoArgs, output: &mut Output) -> Result<Outcome, Error> {
    let loaded = load::read(&args.map.map, &args.map.options)?;
    let info = Info::of(&loaded, IndexInfo::of(&loaded.subject, output)?);
    if args.json {
        output.json(&info)?;
        return Ok(Outcome::Done);
    }
    for (label, value) in info.lines() {
        writeln!(output, "{label:14} {value}")?;
    }
    writeln!(output, "\nengines")?;
    for engine in &info.engines {
        let mark = if engine.supported { "yes" } else { "no" };
        let text = engine.reason.as_deref().unwrap_or(engine.summary);
        writeln!(output, "  {:18} {mark:4} {text}", engine.name)?;
    }
    Ok(Outcome::Done)
}

impl Info {
    fn of(loaded: &Loaded, index: IndexInfo) -> Self {
        let subject = &loaded.subject;
        let (grid, graph) = match &subject.map {
            Map::Grid(grid) => (Some(GridInfo::of(grid, subject.agent)), None),
            Map::Graph(graph) => (None, Some(GraphInfo::of(graph))),
        };
        let engines = METHODS.iter().map(|method| {
            let supports = engines::supports(*method, subject);
            EngineInfo {
                name: method.name(),
                exact: method.exact(),
                summary: method.summary(),
                supported: supports.is_ok(),
                reason: supports.err().map(|unsupported| unsupported.reason),
            }
        });
        Self {
            file: subject.path.display().to_string(),
            format: format_name(loaded.kind),
            kind: subject.word(),
            grid,
            graph,
            memory_bytes: subject.map.memory_bytes(),
            engines: engines.collect(),
            index,
        }
    }

    /// What people read: labels and values.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines =
            vec![("file", self.file.clone()), ("kind", format!("{}, {}", self.kind, self.format))];
        if let Some(grid) = &self.grid {
            grid.add_lines(&mut lines);
        }
        if let Some(graph) = &self.graph {
            graph.add_lines(&mut lines);
        }
        lines.push(("memory", bytes(self.memory_bytes)));
        lines.push((self.index.engine, self.index.text()));
        lines
    }
}

impl IndexInfo {
    fn of(subject: &Subject, output: &Output) -> Result<Self, Error> {
        let engine = engines::BEST;
        let config = AtlasConfig::from_settings(&subject.settings, Form::Fastest);
        let plan = Atlas::plan(&subject.map, &config, &*output.bars().bar(engine, 1));
        let Plan { bytes, limit, form, .. } = plan.map_err(engines::cannot_build(engine))?;
        Ok(Self { engine, form: form.to_string(), bytes, limit })
    }

    fn text(&self) -> String {
        let [size, limit] = [self.bytes, self.limit].map(|amount| bytes(amount as usize));
        format!("{size} of {limit}: {}", self.form)
    }
}

impl GridInfo {
    fn of(grid: &Grid, agent: u32) -> Self {
        let terrain = grid.factors().and_then(|factors| {
            let free = (0..grid.node_count() as NodeId)
                .filter(|&node| grid.contains(node))
                .map(|node| factors[node as usize]);
            Some([free.clone().min()?, free.max()?])
        });
        Self {
            width: grid.width(),
            height: grid.height(),
            cells: grid.node_count(),
            passable: grid.passable_count(),
            moves: match grid.connectivity() {
                Connectivity::Four => "four",
                Connectivity::Eight => "eight",
                Connectivity::Hex => "hex",
            },
            corners: match grid.corners() {
                Corners::Never => "never",
                Corners::PastOne => "one",
                Corners::Always => "always",
            },
            agent,
            components: Parts::of(&weak_components(grid)),
            terrain,
        }
    }

    fn add_lines(&self, lines: &mut Vec<(&'static str, String)>) {
        let passable = percent(self.passable, self.cells);
        let corners = if self.moves == "eight" {
            format!(", corners cut: {}", self.corners)
        } else {
            String::new()
        };
        lines.push(("size", format!("{} x {} cells", self.width, self.height)));
        lines.push((
            "passable",
            format!("{} of {} cells, {passable}", grouped(self.passable), grouped(self.cells)),
        ));
        lines.push(("moves", format!("{}{corners}", self.moves)));
        if self.agent > 1 {
            lines.push(("unit", format!("{0} x {0} cells", self.agent)));
        }
        lines.push(("components", self.components.text("cell", "cells")));
        let terrain = self.terrain.map(|[least, most]| format!("factors {least} to {most}"));
        lines.push(("terrain", terrain.unwrap_or_else(|| "uniform".into())));
    }
}

impl GraphInfo {
    fn of(graph: &CsrGraph) -> Self {
        let coordinates = graph.coordinates().and_then(|points| {
            let range = |of: fn(&portolan::Point) -> i32| {
                Some([points.iter().map(of).min()?, points.iter().map(of).max()?])
            };
            Some(Extent { x: range(|point| point.x)?, y: range(|point| point.y)? })
        });
        Self {
            nodes: graph.node_count(),
            edges: graph.edge_count(),
            undirected: graph.is_undirected(),
            weakly_connected: Parts::of(graph.components()),
            strongly_connected: Parts::of(&strong_components(graph)),
            coordinates,
        }
    }

    fn add_lines(&self, lines: &mut Vec<(&'static str, String)>) {
        let ways = if self.undirected { "all both ways" } else { "some one way only" };
        lines.push(("nodes", grouped(self.nodes)));
        lines.push(("edges", format!("{} directed, {ways}", grouped(self.edges))));
        lines.push(("weak parts", self.weakly_connected.text("node", "nodes")));
        lines.push(("strong parts", self.strongly_connected.text("node", "nodes")));
        let extent = self.coordinates.as_ref().map(|Extent { x, y }| {
            format!("x from {} to {}, y from {} to {}", x[0], x[1], y[0], y[1])
        });
        lines.push(("coordinates", extent.unwrap_or_else(|| "none".into())));
    }
}

impl Parts {
    fn of(components: &portolan::graph::Components) -> Self {
        let largest = components.sizes().first().map_or(0, |&(_, size)| size);
        Self { count: components.count(), largest }
    }

    fn text(&self, one: &str, many: &str) -> String {
        format!("{}, the largest of {}", grouped(self.count), count(self.largest, one, many))
    }
}

fn format_name(kind: MapFormat) -> &'static str {
    match kind {
        MapFormat::MovingAiMap => "MovingAI map",
        MapFormat::DimacsGraph => "DIMACS graph",
        MapFormat::Drawing => "drawing",
        MapFormat::Png => "PNG picture",
        _ => "map",
    }
}
