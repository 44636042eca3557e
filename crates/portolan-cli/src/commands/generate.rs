//! `portolan generate`.

use std::path::{Path, PathBuf};

use portolan::formats::dimacs;
use portolan::formats::movingai::{self, Command, DynamicScenario, Patch, ScenarioLine};
use portolan::formats::queries::{self, GraphQuery};
use portolan::generate::{
    Arena, Caves, GenerateError, Mazes, Obstacles, Pairs, Roads, Rooms, Streets, Switch,
};
use portolan::{CsrGraph, Graph, Grid, Map};
use portolan_bench::text::{count, grouped};
use portolan_bench::workload::files::{has_extension, with_suffix};
use portolan_bench::workload::{self, Subject};

use crate::args::{ArenaArgs, GenerateArgs, GridArgs, MapKind, OutputArgs, Product, SwitchArgs};
use crate::error::Error;
use crate::output::Output;
use crate::{Outcome, files, load};

pub(crate) fn run(args: &GenerateArgs, output: &mut Output) -> Result<Outcome, Error> {
    match &args.product {
        Product::Map(kind) => write_map(kind, output)?,
        Product::Arena(args) => write_arena(args, output)?,
        Product::Switch(args) => write_switch(args, output)?,
    }
    Ok(Outcome::Done)
}

/// A map, and what belongs to it.
fn write_map(kind: &MapKind, output: &mut Output) -> Result<(), Error> {
    let (args, is_grid) = match kind {
        MapKind::Rooms { grid, .. }
        | MapKind::Maze { grid, .. }
        | MapKind::Cave { grid, .. }
        | MapKind::Random { grid, .. }
        | MapKind::Streets { grid, .. } => (&grid.output, true),
        MapKind::Roads { output, .. } => (output, false),
    };
    let names = Names::of(args, is_grid)?;
    check_outputs(names.all())?;
    let setting = |error| Error::Setting { kind: kind.name(), error };
    match generate(kind).map_err(setting)? {
        Map::Grid(grid) if grid.passable_count() == 0 => {
            Err(Error::NothingPassable { kind: kind.name() })
        }
        Map::Grid(grid) => write_grid(grid, args, &names, output),
        Map::Graph(graph) => write_roads(graph, args, &names, output),
    }
}

/// The map that the settings describe. Defaults that do not fit shrink; what was chosen stays as it
/// is.
fn generate(kind: &MapKind) -> Result<Map, GenerateError> {
    let size = |grid: &GridArgs| (grid.size.width, grid.size.height, grid.output.seed);
    let shorter = |grid: &GridArgs| grid.size.width.min(grid.size.height);
    Ok(match *kind {
        MapKind::Rooms { ref grid, room, doors, islands } => {
            let (width, height, seed) = size(grid);
            let room = room.unwrap_or(Rooms::default().room.min(shorter(grid)).max(2));
            Rooms { width, height, room, doors, connected: !islands, seed }.generate()?.into()
        }
        MapKind::Maze { ref grid, corridor, branching, loops } => {
            let (width, height, seed) = size(grid);
            let widest = shorter(grid).saturating_sub(1).max(1);
            let corridor = corridor.unwrap_or(Mazes::default().corridor.min(widest));
            Mazes { width, height, corridor, branching, loops, seed }.generate()?.into()
        }
        MapKind::Cave { ref grid, grain, fill, rounds, islands } => {
            /// A cave of fewer grains across is mostly wall.
            const GRAINS: u32 = 16;
            let (width, height, seed) = size(grid);
            let coarsest = (shorter(grid) / GRAINS).max(1);
            let grain = grain.unwrap_or(Caves::default().grain.min(coarsest));
            let largest_only = !islands;
            Caves { width, height, grain, fill, rounds, largest_only, seed }.generate()?.into()
        }
        MapKind::Random { ref grid, blocked, islands } => {
            let (width, height, seed) = size(grid);
            Obstacles { width, height, blocked, largest_only: !islands, seed }.generate()?.into()
        }
        MapKind::Streets { ref grid, block, avenue, lane, built, river, connected } => {
            /// The smallest that a generator agrees to build on.
            const LEAST_BLOCK: u32 = 8;
            let (width, height, seed) = size(grid);
            let usual = Streets::default();
            let block = block.unwrap_or(usual.block.min(shorter(grid).max(LEAST_BLOCK)));
            let part = |of: u32| (of * block.min(usual.block) / usual.block).max(1);
            let lane = lane.unwrap_or(part(usual.lane).min(avenue.unwrap_or(u32::MAX)).max(1));
            let avenue = avenue.unwrap_or(part(usual.avenue).max(lane));
            let river = river.unwrap_or(part(usual.river));
            let largest_only = connected;
            Streets { width, height, block, avenue, lane, built, river, largest_only, seed }
                .generate()?
                .into()
        }
        MapKind::Roads { ref output, nodes, metric, towns, one_way, dead_ends } => {
            let (metric, seed) = (metric.into(), output.seed);
            Roads { nodes, metric, towns, one_way, dead_ends, seed }.generate()?.into()
        }
    })
}

/// Obstacles that move.
fn write_arena(args: &ArenaArgs, output: &mut Output) -> Result<(), Error> {
    let names = DynamicNames::of(&args.output)?;
    let usual = Arena::default();
    let (width, height) = (args.size.width, args.size.height);
    // As dense as the usual one.
    let share = |of: u32| {
        let cells = u64::from(width) * u64::from(height) * u64::from(of);
        u32::try_from(cells / u64::from(usual.width * usual.height)).unwrap_or(u32::MAX)
    };
    let obstacles = args.obstacles.unwrap_or(share(usual.obstacles).clamp(1, usual.obstacles));
    let arena = Arena {
        width,
        height,
        obstacles,
        side: args.side.unwrap_or(usual.side.min(width.min(height) / 3).max(2)),
        edits: args.edits,
        moved: args.moved.unwrap_or(usual.moved.min(obstacles)),
        queries: args.queries,
        seed: args.seed,
    };
    let generated = arena.generate(&names.patch_name());
    let generated = generated.map_err(|error| Error::Setting { kind: "arena", error })?;
    names.write(generated, args.edits + 1, output)
}

/// Maps that replace each other.
fn write_switch(args: &SwitchArgs, output: &mut Output) -> Result<(), Error> {
    let names = DynamicNames::of(&args.output)?;
    let maps = args.maps.iter().map(|path| load::grid(path)).collect::<Result<Vec<_>, _>>()?;
    let switch = Switch { edits: args.edits, queries: args.queries, seed: args.seed };
    let generated = switch.generate(&maps, &names.patch_name());
    let generated = generated.map_err(|error| Error::Setting { kind: "switch", error })?;
    names.write(generated, args.edits, output)
}

/// The files of a scenario whose map changes.
struct DynamicNames {
    scenario: PathBuf,
    patches: PathBuf,
}

impl DynamicNames {
    fn of(scenario: &Path) -> Result<Self, Error> {
        check_extension(scenario, "scen", "scenarios", ".scen")?;
        let patches = scenario.with_extension("patch");
        check_outputs([scenario, patches.as_path()])?;
        Ok(Self { scenario: scenario.to_owned(), patches })
    }

    /// The name of the patch file in the scenario.
    fn patch_name(&self) -> String {
        self.patches.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn write(
        &self,
        (scenario, patches): (DynamicScenario, Vec<Patch>),
        edits: u32,
        output: &mut Output,
    ) -> Result<(), Error> {
        files::write(&self.patches, |mut out| movingai::write_patches(&patches, &mut out))?;
        files::write(&self.scenario, |mut out| movingai::write_dynamic(&scenario, &mut out))?;
        let is_query = |command: &&Command| matches!(command, Command::Query(_));
        let queries = scenario.commands.iter().filter(is_query).count();
        writeln!(
            output,
            "{}: {} x {} cells, {}, {}",
            self.scenario.display(),
            scenario.width,
            scenario.height,
            count(edits, "edit", "edits"),
            count(queries, "query", "queries")
        )?;
        let patches = count(patches.len(), "patch", "patches");
        writeln!(output, "{}: {patches}", self.patches.display())
    }
}

fn check_outputs<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), Error> {
    paths.into_iter().try_for_each(|path| files::check_output(path, []))
}

/// The files to be written.
struct Names {
    map: PathBuf,
    coordinates: Option<PathBuf>,
    queries: Option<PathBuf>,
}

impl Names {
    fn of(args: &OutputArgs, is_grid: bool) -> Result<Self, Error> {
        let map = args.output.clone();
        let scen = args.scen.as_deref();
        if is_grid {
            check_extension(&map, "map", "grids", ".map")?;
            scen.map_or(Ok(()), |path| check_extension(path, "scen", "queries on grids", ".scen"))?;
        } else {
            check_extension(&map, "gr", "road networks", ".gr")?;
            scen.map_or(Ok(()), |path| {
                check_extension(path, "queries", "queries on graphs", ".queries")
            })?;
        }
        let beside = match is_grid {
            true => args.queries.map(|_| with_suffix(&map, ".scen")),
            false => Some(map.with_extension("queries")),
        };
        let queries = args.scen.clone().or(beside);
        let coordinates = (!is_grid).then(|| map.with_extension("co"));
        Ok(Self { map, coordinates, queries })
    }
}

impl Names {
    fn all(&self) -> impl Iterator<Item = &Path> {
        let beside = self.coordinates.as_deref().into_iter().chain(self.queries.as_deref());
        [self.map.as_path()].into_iter().chain(beside)
    }
}

/// Refuses a name that would not be known again for what it is.
fn check_extension(
    path: &Path,
    extension: &str,
    what: &'static str,
    extensions: &'static str,
) -> Result<(), Error> {
    if has_extension(path, extension) {
        return Ok(());
    }
    Err(Error::OutputKind { path: path.into(), what, extensions })
}

fn write_grid(
    grid: Grid,
    args: &OutputArgs,
    names: &Names,
    output: &mut Output,
) -> Result<(), Error> {
    let solved = match &names.queries {
        Some(_) => solve(grid.clone().into(), args, output)?,
        None => Vec::new(),
    };
    files::write(&names.map, |mut out| movingai::write_map(&grid, &mut out))?;
    writeln!(
        output,
        "{}: {} x {} cells, {} of them passable",
        names.map.display(),
        grid.width(),
        grid.height(),
        grouped(grid.passable_count())
    )?;
    let Some(path) = &names.queries else { return Ok(()) };
    let mut lines: Vec<ScenarioLine> =
        solved.iter().filter_map(|query| scenario_line(&grid, &names.map, query)).collect();
    lines.sort_by_key(|line| line.bucket);
    files::write(path, |mut out| movingai::write_scen(&lines, &mut out))?;
    writeln!(output, "{}: {}", path.display(), count(lines.len(), "query", "queries"))
}

fn write_roads(
    graph: CsrGraph,
    args: &OutputArgs,
    names: &Names,
    output: &mut Output,
) -> Result<(), Error> {
    let (nodes, edges) = (graph.node_count(), graph.edge_count());
    let solved = solve(graph.clone().into(), args, output)?;
    files::write(&names.map, |mut out| dimacs::write_gr(&graph, &mut out))?;
    let (nodes, edges) = (grouped(nodes), grouped(edges));
    writeln!(output, "{}: {nodes} nodes, {edges} directed edges", names.map.display())?;
    if let (Some(path), Some(points)) = (&names.coordinates, graph.coordinates()) {
        files::write(path, |mut out| dimacs::write_co(points, &mut out))?;
        writeln!(output, "{}: their coordinates", path.display())?;
    }
    let Some(path) = &names.queries else { return Ok(()) };
    files::write(path, |mut out| queries::write(&solved, &mut out))?;
    writeln!(output, "{}: {}", path.display(), count(solved.len(), "query", "queries"))
}

/// Random queries and what their shortest paths cost.
fn solve(map: Map, args: &OutputArgs, output: &Output) -> Result<Vec<GraphQuery>, Error> {
    let usual = Pairs::default();
    let count = args.queries.map_or(usual.count, |count| count as usize);
    let pairs = Pairs { count, seed: args.seed, ..usual };
    Ok(workload::solved(&Subject::new("generated", map), &pairs, &output.bars())?)
}

/// A query as scenarios write it. Those without a path are left out: not every reader of static
/// scenarios knows that -1 means that.
fn scenario_line(grid: &Grid, map: &Path, query: &GraphQuery) -> Option<ScenarioLine> {
    /// Queries whose lengths differ by less than this share a bucket, as in the MovingAI files.
    const BUCKET: f64 = 4.0;
    /// As many as the MovingAI files have.
    const DECIMALS: u8 = 8;
    let length = f64::from(query.cost?) / f64::from(grid.unit());
    Some(ScenarioLine {
        bucket: (length / BUCKET) as u32,
        map: map.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        width: grid.width(),
        height: grid.height(),
        start: grid.position(query.from)?,
        goal: grid.position(query.to)?,
        length: Some(length),
        decimals: DECIMALS,
    })
}
