//! `portolan demo`: what a newcomer runs first.

use std::path::{Path, PathBuf};
use std::time::Instant;

use portolan::formats::{dimacs, movingai};
use portolan::generate::{Caves, GenerateError, Roads, Rooms};
use portolan::{Map, NodeId};

use crate::Outcome;
use crate::args::DemoArgs;
use crate::engines;
use crate::error::Error;
use crate::files;
use crate::load::Loaded;
use crate::measure::{self, Measured};
use crate::output::Output;
use crate::picture::{self, Searched, View};
use crate::text::{self, grouped};
use crate::workload::{Expected, Query, Workload};

/// A map of the demonstration.
struct World {
    name: &'static str,
    title: &'static str,
    make: fn() -> Result<Map, GenerateError>,
}

const WORLDS: [World; 3] = [
    World {
        name: "rooms.map",
        title: "Rooms with doors",
        make: || {
            Ok(Rooms { width: 144, height: 96, room: 12, seed: 4, ..Rooms::default() }
                .generate()?
                .into())
        },
    },
    World {
        name: "cave.map",
        title: "A cave",
        make: || {
            Ok(Caves { width: 144, height: 96, grain: 3, fill: 0.45, seed: 8, ..Caves::default() }
                .generate()?
                .into())
        },
    },
    World {
        name: "roads.gr",
        title: "A road network",
        make: || Ok(Roads { nodes: 3000, seed: 3, ..Roads::default() }.generate()?.into()),
    },
];

/// What an index may take; with more, cutting regions for portals takes longer than a demonstration should.
const MEMORY: u64 = 8 << 20;

/// Small enough for a terminal of 80 columns.
const SMALL: Rooms = Rooms { width: 73, height: 37, room: 9, doors: 0.7, connected: true, seed: 5 };

pub(crate) fn run(args: &DemoArgs, output: &mut Output) -> Result<Outcome, Error> {
    let start = Instant::now();
    let folder = &args.output;
    std::fs::create_dir_all(folder)
        .map_err(|source| Error::Write { path: folder.clone(), source })?;
    let mut wrong = show_small(output)?;
    let mut examples = Vec::new();
    for world in &WORLDS {
        let map = (world.make)().map_err(Error::Generate)?;
        let mut loaded = Loaded::made(folder.join(world.name), map);
        loaded.settings.threads = args.threads.into();
        loaded.settings.memory_limit = MEMORY;
        let workload = Workload::random(&loaded, args.queries, output)?;
        write_map(&loaded)?;
        wrong += compare(world, &loaded, &workload, output)?;
        let query = longest(&workload);
        draw(&loaded, query, &loaded.path.with_extension("png"))?;
        examples.push(query.map(|query| (loaded.place(query.from), loaded.place(query.to))));
    }
    if wrong == 0 {
        writeln!(
            output,
            "\nEvery path was walked step by step and compared with a reference search: those of \
             exact engines are all optimal.\nDone in {:.1} s.",
            start.elapsed().as_secs_f64()
        )?;
    } else {
        let wrong = text::count(wrong, "answer is", "answers are");
        writeln!(output, "\n{wrong} WRONG; this is a bug.")?;
    }
    suggest(folder, &examples, output)?;
    Ok(if wrong == 0 { Outcome::Done } else { Outcome::Wrong })
}

/// A map that fits a terminal, with a path across it; gives how many answers are wrong.
fn show_small(output: &mut Output) -> Result<usize, Error> {
    let map = Map::from(SMALL.generate().map_err(Error::Generate)?);
    let loaded = Loaded::made(PathBuf::from("small.map"), map);
    let workload = Workload::random(&loaded, 40, output)?;
    let method = engines::find("astar")?;
    let wrong = measure::measure(method, &loaded, &workload, output)?.tally.faults.len();
    let (Map::Grid(grid), Some(query)) = (&loaded.map, longest(&workload)) else {
        return Ok(wrong);
    };
    let (searched, path) = search(&loaded, query)?;
    let view = View::of(&searched, &path, (query.from, query.to));
    let colour = output.colours_out();
    let steps = text::count(path.len().saturating_sub(1), "step", "steps");
    writeln!(output, "A shortest path, found by A*, {steps} from S to T:\n")?;
    write!(output, "{}", picture::draw_in_terminal(grid, &view, colour))?;
    Ok(wrong)
}

/// Asks every engine the same queries and prints what each needed; gives how many answers are wrong.
fn compare(
    world: &World,
    loaded: &Loaded,
    workload: &Workload,
    output: &mut Output,
) -> Result<usize, Error> {
    let size = match &loaded.map {
        Map::Grid(grid) => format!("{} x {} cells", grid.width(), grid.height()),
        Map::Graph(graph) => {
            let (nodes, edges) = (loaded.map.node_count(), graph.edge_count());
            format!("{} nodes, {} edges", grouped(nodes), grouped(edges))
        }
    };
    let asked = workload.queries.len();
    let queries = text::count(asked, "query", "queries");
    writeln!(output, "\n{} ({size}), {queries}", world.title)?;
    let selection = engines::select(&["all".to_owned()], loaded)?;
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    let mut wrong = 0;
    let mut reference = None;
    for &method in &selection.chosen {
        let measured = measure::measure(method, loaded, workload, output)?;
        let mean = measured.paths.mean().unwrap_or(0.0);
        let slowest = *reference.get_or_insert(mean);
        wrong += measured.tally.faults.len();
        faults.extend(measured.tally.first_faults(loaded, workload));
        rows.push(row(method.name(), &measured, slowest / mean.max(f64::MIN_POSITIVE), asked));
    }
    let headings = ["engine", "time per path", "expanded", "speed-up", "checked"];
    write!(output, "{}", text::table(&headings, &rows))?;
    for skipped in &selection.skipped {
        writeln!(output, "  {} left out: {}", skipped.method, skipped.reason)?;
    }
    for fault in faults {
        writeln!(output, "  WRONG: {fault}")?;
    }
    output.flush()?;
    Ok(wrong)
}

fn row(name: &str, measured: &Measured, speed_up: f64, asked: usize) -> Vec<String> {
    let tally = &measured.tally;
    let checked = match (tally.faults.len(), tally.optimal) {
        (0, optimal) if optimal == asked => format!("{} optimal", text::all(asked)),
        (0, optimal) => format!("{} legal, {optimal} optimal", text::all(asked)),
        (faults, _) => format!("{faults} of {asked} WRONG"),
    };
    let expanded = measured.counter.expanded / asked.max(1) as u64;
    vec![
        name.to_owned(),
        text::micros(measured.paths.mean().unwrap_or(0.0)),
        grouped(expanded),
        format!("{speed_up:.1} x"),
        checked,
    ]
}

/// The query with the dearest path.
fn longest(workload: &Workload) -> Option<&Query> {
    workload.queries.iter().max_by_key(|query| match query.expected {
        Expected::Cost(cost) => cost,
        Expected::Length(_) | Expected::Overflow => None,
    })
}

fn search(loaded: &Loaded, query: &Query) -> Result<(Searched, Vec<NodeId>), Error> {
    let engine = engines::build(engines::find("astar")?, loaded)?;
    let mut searched = Searched::new(loaded.map.node_count());
    let mut path = Vec::new();
    let mut asked = engine.query();
    let route = asked
        .find_observed(query.from, query.to, &mut searched)
        .map_err(|error| loaded.refused(&error))?;
    if let Some(route) = route {
        route.nodes_into(&mut path);
    }
    Ok((searched, path))
}

fn draw(loaded: &Loaded, query: Option<&Query>, file: &Path) -> Result<(), Error> {
    let Some(query) = query else { return Ok(()) };
    let (searched, path) = search(loaded, query)?;
    let view = View::of(&searched, &path, (query.from, query.to));
    picture::write(loaded, &view, file)
}

fn write_map(loaded: &Loaded) -> Result<(), Error> {
    match &loaded.map {
        Map::Grid(grid) => {
            files::write(&loaded.path, |mut out| movingai::write_map(grid, &mut out))
        }
        Map::Graph(graph) => {
            files::write(&loaded.path, |mut out| dimacs::write_gr(graph, &mut out))?;
            let points = graph.coordinates().unwrap_or(&[]);
            let file = loaded.path.with_extension("co");
            files::write(&file, |mut out| dimacs::write_co(points, &mut out))
        }
    }
}

/// Says where the pictures are and what to try next.
fn suggest(
    folder: &Path,
    examples: &[Option<(crate::args::Place, crate::args::Place)>],
    output: &mut Output,
) -> Result<(), Error> {
    let file = |name: &str| folder.join(name).display().to_string();
    let quoted = |name: &str| text::shell_word(&file(name));
    let pictures =
        WORLDS.map(|world| file(&world.name.replace(".map", ".png").replace(".gr", ".png")));
    writeln!(output, "\nPictures of the longest paths:\n  {}", pictures.join("\n  "))?;
    let program = output.program();
    writeln!(output, "\nTry next:")?;
    if let Some(Some((from, to))) = examples.get(1) {
        let (map, picture) = (quoted("cave.map"), quoted("path.svg"));
        writeln!(output, "  {program} query {map} --from {from} --to {to} --picture {picture}")?;
    }
    let (roads, coordinates) = (quoted("roads.gr"), quoted("roads.co"));
    writeln!(output, "  {program} bench {roads} --coordinates {coordinates} --random 500")?;
    let maze = quoted("maze.map");
    writeln!(
        output,
        "  {program} generate maze --size 300x200 --corridor 3 --queries 500 -o {maze}"
    )
}
