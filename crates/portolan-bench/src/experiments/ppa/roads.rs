//! Figures 12 to 16: road networks of growing size.

use portolan::generate::Roads;
use portolan::heuristic::{Geometric, Heuristic as _, HeuristicChoice, LowerBound as _};
use portolan::ppa::PpaConfig;

use super::rooms::RoomRun;
use super::{Plan, astar, build, paper};
use crate::Error;
use crate::experiments::trial::{Draw as DrawSearches, Measured, Trial};
use crate::experiments::{Steps, because};
use crate::report::{
    Axis, Better, Cell, Comparison, Draw, Mark, Note, Plot, Section, Series, Table,
};
use crate::text::grouped;
use crate::workload::{Subject, maps};

/// The real roads, by the folder of maps.
const REAL: [&str; 2] = ["roads/luxembourg-distance.gr", "roads/luxembourg-time.gr"];
const COORDINATES: &str = "roads/luxembourg.co";

/// What was measured on one network.
pub(super) struct RoadRun {
    pub(super) name: String,
    nodes: usize,
    pub(super) searches: usize,
    /// Whether the straight line is no bound here, since edges of zero weight join different
    /// places.
    is_blind: bool,
    astar: Measured,
    ppa: Measured,
    subgraphs: usize,
    leaf_borders: usize,
    build: f64,
    cutting: f64,
    table_mb: f64,
}

impl RoadRun {
    pub(super) fn faults(&self) -> impl Iterator<Item = &String> {
        self.astar.faults.iter().chain(&self.ppa.faults)
    }

    /// What tables call it, beside its size.
    fn label(&self) -> &str {
        if self.is_real() { &self.name } else { "generated" }
    }

    fn is_real(&self) -> bool {
        self.name.ends_with(".gr")
    }
}

/// How many steps [`run`] takes at most.
pub(super) fn steps(plan: &Plan) -> usize {
    plan.road_nodes.len() + REAL.len()
}

pub(super) fn run(plan: &Plan, steps: &Steps<'_>) -> Result<Vec<RoadRun>, Error> {
    let mut runs = Vec::new();
    for &nodes in &plan.road_nodes {
        steps.next(format!("{} nodes", grouped(nodes)));
        let config = Roads { nodes, seed: plan.seed, ..Roads::default() };
        runs.push(run_on(maps::roads(&config)?, plan)?);
    }
    for name in REAL.into_iter().filter(|_| !plan.quick) {
        steps.next(name.trim_start_matches("roads/"));
        if let Some(subject) = maps::roads_in(plan.folder, name, COORDINATES)? {
            runs.push(run_on(subject, plan)?);
        }
    }
    Ok(runs)
}

fn run_on(subject: Subject, plan: &Plan) -> Result<RoadRun, Error> {
    let draw = DrawSearches { count: plan.road_searches, steps: 0..=usize::MAX, seed: plan.seed };
    let trial = Trial::draw(subject, &draw)?;
    let subject = &trial.subject;
    let heuristic = HeuristicChoice::Euclidean;
    let config =
        PpaConfig { heuristic, memory_limit: u64::MAX, threads: 1, ..PpaConfig::default() };
    let built = build(subject, &config)?;
    let astar = astar(subject, HeuristicChoice::Euclidean)?;
    let [astar, ppa] = <[Measured; 2]>::try_from(trial.compare(&[&astar, &built.ppa])?)
        .expect("as many as were asked");
    let summary = built.ppa.summary();
    Ok(RoadRun {
        name: subject.path.display().to_string(),
        nodes: subject.map.usable_count(),
        searches: trial.count(),
        is_blind: is_blind(&trial),
        astar,
        ppa,
        subgraphs: summary.subgraphs.iter().sum(),
        leaf_borders: summary.leaf_borders,
        build: built.seconds,
        cutting: built.cutting,
        table_mb: summary.table_bytes as f64 / 1e6,
    })
}

fn is_blind(trial: &Trial) -> bool {
    let bound = Geometric::new(&trial.subject.map, HeuristicChoice::Euclidean);
    bound.is_ok_and(|bound| {
        let mut queries = trial.workload.queries.iter();
        queries.all(|query| bound.toward(query.to).at(query.from) == Some(0))
    })
}

pub(super) fn section(plan: &Plan, runs: &[RoadRun], rooms: &RoomRun) -> Section {
    let cuts = "Networks are cut as the program chooses: twice, into leaves of up to 200 nodes, where the table \
        at the top stays small, and else into 4 again and again, as in the paper.";
    let real = match runs.iter().any(RoadRun::is_real) {
        true => "Generated networks, and the roads of Luxembourg by metres and by time.",
        false => "Generated networks only; the real roads were not there.",
    };
    let mut section = Section::new("Road networks: Figures 12 to 16").with(format!(
        "{real} {} random pairs on each, the straight line as bound for both methods. {cuts} The paper's \
         networks are of California, and undirected as far as it says; these have one-way streets.",
        grouped(plan.road_searches)
    ));
    let blind: Vec<&str> =
        runs.iter().filter(|run| run.is_blind).map(|run| run.name.as_str()).collect();
    if !blind.is_empty() {
        section.push(Note::new(
            Mark::Neutral,
            format!(
                "{}: edges of zero weight join different places, so no straight line bounds anything. A* \
                 is Dijkstra's algorithm there, and PPA* searches without a bound too.",
                blind.join(", ")
            ),
        ));
    }
    section.push(comparisons(plan, runs));
    for figure in figures(plan, runs, rooms) {
        section.push(figure);
    }
    section.with(searches_table(runs)).with(builds_table(runs))
}

fn comparisons(plan: &Plan, runs: &[RoadRun]) -> Vec<Comparison> {
    let Some(run) = runs.iter().filter(|run| !run.is_real()).max_by_key(|run| run.nodes) else {
        return Vec::new();
    };
    let nodes = grouped(run.nodes);
    let build = Comparison {
        paper: plan.published(paper::LARGEST_ROADS.1),
        ..Comparison::new(
            format!("Figure 15: precalculation, {nodes} nodes"),
            Better::Lower,
            run.build,
        )
    };
    let ratio = Comparison {
        paper: plan.published(paper::GENERATED_RATIO),
        ..Comparison::new(
            format!("Figure 14: nodes generated by A* for one by PPA*, {nodes} nodes"),
            Better::Higher,
            run.astar.generated / run.ppa.generated,
        )
    };
    vec![
        because(build.unit("s"), || {
            format!("One thread, of which cutting takes {:.1} s.", run.cutting)
        }),
        because(ratio, || {
            format!(
                "The paper says \"an order of magnitude\". The cuts leave {} borders on the leaves here, \
                 and every one that a search meets is generated.",
                grouped(run.leaf_borders)
            )
        }),
    ]
}

fn figures(plan: &Plan, runs: &[RoadRun], rooms: &RoomRun) -> Vec<Plot> {
    let generated: Vec<&RoadRun> = runs.iter().filter(|run| !run.is_real()).collect();
    // By metres, as the generated ones.
    let real = runs.iter().find(|run| run.is_real());
    let both = |title: &str, axis: Axis, figure: &dyn Fn(&Measured) -> f64| {
        let points = |of: &dyn Fn(&RoadRun) -> f64| {
            generated.iter().map(|run| (run.nodes as f64, of(run))).collect::<Vec<_>>()
        };
        let mut plot = Plot::new(title, Axis::log("Nodes"), axis)
            .with(Series::ours("A*", points(&|run| figure(&run.astar))))
            .with(Series::ours("PPA*", points(&|run| figure(&run.ppa))));
        if let Some(run) = real {
            let nodes = run.nodes as f64;
            for (name, of) in [("A*, Luxembourg", &run.astar), ("PPA*, Luxembourg", &run.ppa)] {
                let series = Series::ours(name, [(nodes, figure(of))]);
                plot = plot.with(series.draw(Draw::Markers));
            }
        }
        plot.caption("The paper's values are in its plot only.")
    };
    let time = both("Figure 12. Average search time", Axis::log("Time").unit("ms"), &|of| {
        of.time.mean * 1e3
    });
    let expanded =
        both("Figure 13. Expanded nodes per search", Axis::log("Nodes expanded"), &|of| {
            of.expanded
        });
    let made = both("Figure 14. Generated nodes per search", Axis::log("Nodes generated"), &|of| {
        of.generated
    });
    vec![
        time,
        expanded,
        made,
        precalculation(plan, &generated, real),
        memory(plan, &generated, real, rooms),
    ]
}

fn precalculation(plan: &Plan, generated: &[&RoadRun], real: Option<&RoadRun>) -> Plot {
    let points = generated.iter().map(|run| (run.nodes as f64, run.build));
    let plot = Plot::new(
        "Figure 15. Precalculation times",
        Axis::log("Nodes"),
        Axis::log("Time").unit("s"),
    );
    let mut plot = plot.with(Series::ours("PPA*", points));
    if !plan.quick {
        plot = plot.with(Series::paper("PPA*", [paper::LARGEST_ROADS]));
    }
    let real = real.map(|run| (run.nodes as f64, run.build));
    if let Some(point) = real {
        plot = plot.with(Series::ours("PPA*, Luxembourg", [point]).draw(Draw::Markers));
    }
    plot.caption("On one thread. The paper states the time of its largest network.")
}

fn memory(plan: &Plan, generated: &[&RoadRun], real: Option<&RoadRun>, rooms: &RoomRun) -> Plot {
    let sizes = generated.iter().map(|run| run.nodes as f64);
    let mut plot = Plot::new(
        "Figure 16. Precomputed memory",
        Axis::log("Nodes"),
        Axis::log("Memory").unit("MB"),
    )
    .with(Series::ours("All pairs", sizes.map(|nodes| (nodes, paper::matrix_mb(nodes)))))
    .with(Series::ours("PPA*", generated.iter().map(|run| (run.nodes as f64, run.table_mb))));
    if let Some(run) = real {
        let point = (run.nodes as f64, run.table_mb);
        plot = plot.with(Series::ours("PPA*, Luxembourg", [point]).draw(Draw::Markers));
    }
    let room = (rooms.nodes() as f64, rooms.shapes[0].table_mb());
    plot = plot.with(Series::ours("PPA*, room map", [room]).draw(Draw::Markers));
    if !plan.quick {
        let stated = Series::paper("PPA*, room map", [(paper::ROOM_NODES, paper::ROOM_MB)]);
        plot = plot.with(stated.draw(Draw::Markers));
    }
    plot.caption("All pairs at four bytes a pair. The paper states the memory of its room map.")
}

fn searches_table(runs: &[RoadRun]) -> Table {
    let mut table = Table::new([
        "Network",
        "Nodes",
        "A* [ms]",
        "PPA* [ms]",
        "Times as fast",
        "A* exp.",
        "PPA* exp.",
        "A* gen.",
        "PPA* gen.",
    ])
    .caption(
        "Means of all searches on each network; exp. and gen. are nodes expanded and generated.",
    );
    for run in runs {
        table.row([
            Cell::text(run.label()),
            Cell::number(run.nodes as f64, 0),
            Cell::number(run.astar.time.mean * 1e3, 3),
            Cell::number(run.ppa.time.mean * 1e3, 3),
            Cell::number(run.astar.time.mean / run.ppa.time.mean, 1),
            Cell::number(run.astar.expanded, 0),
            Cell::number(run.ppa.expanded, 1),
            Cell::number(run.astar.generated, 0),
            Cell::number(run.ppa.generated, 1),
        ]);
    }
    table
}

fn builds_table(runs: &[RoadRun]) -> Table {
    let mut table = Table::new([
        "Network",
        "Nodes",
        "Subgraphs",
        "Leaf borders",
        "Build [s]",
        "Cutting [s]",
        "Tables [MB]",
        "Of all pairs [%]",
    ])
    .caption("Builds on one thread; cutting is part of it.");
    for run in runs {
        table.row([
            Cell::text(run.label()),
            Cell::number(run.nodes as f64, 0),
            Cell::number(run.subgraphs as f64, 0),
            Cell::number(run.leaf_borders as f64, 0),
            Cell::number(run.build, 2),
            Cell::number(run.cutting, 2),
            Cell::number(run.table_mb, 1),
            Cell::number(100.0 * run.table_mb / paper::matrix_mb(run.nodes as f64), 3),
        ]);
    }
    table
}
