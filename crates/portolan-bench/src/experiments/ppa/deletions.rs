//! The experiment of random edge deletions on the room map.

use std::hint::black_box;
use std::time::Instant;

use portolan::changes::Changes;
use portolan::generate::{Pairs, Random};
use portolan::heuristic::{Geometric, HeuristicChoice};
use portolan::{CsrGraph, Engine, Graph, GraphBuilder, Map, NodeId, Point, Query as _};

use super::{Cuts, Plan, astar, build, paper};
use crate::experiments::trial::Spread;
use crate::experiments::{Steps, because};
use crate::report::{Better, Cell, Comparison, Section, Table};
use crate::text::grouped;
use crate::timing::find_into;
use crate::workload::{Expected, Query, Subject};
use crate::{Error, engines, judge};

/// How many steps [`run`] takes.
pub(super) const STEPS: usize = 1;

/// How many random pairs are queried after each deletion, beside the ends of the edge.
const PAIRS: usize = 3;

/// What following deletions took, with one way to cut.
pub(super) struct DeletionRun {
    cuts: Cuts,
    deletions: usize,
    edges: usize,
    top_members: usize,
    /// Seconds to build the index on one thread.
    pub(super) build: f64,
    pub(super) refresh: Spread,
    /// Of which, timed by itself: measuring the straight line against every edge.
    bound: Spread,
    /// Deleting the edge from the map, before the refresh.
    edit: Spread,
    /// Answers that were checked.
    pub(super) checked: usize,
    pub(super) faults: Vec<String>,
}

pub(super) fn run(
    plan: &Plan,
    cuts: Cuts,
    rooms: &Subject,
    steps: &Steps<'_>,
) -> Result<DeletionRun, Error> {
    steps.next("edge deletions");
    let graph = graph_of(&rooms.map)?;
    let mut random = Random::new(plan.seed);
    let mut edges: Vec<(NodeId, NodeId)> = two_way_edges(&graph).collect();
    let edge_count = edges.len();
    random.shuffle(&mut edges);
    edges.truncate(plan.deletions);

    let mut subject = Subject::new(rooms.path.clone(), graph);
    let config = cuts.config();
    let built = build(&subject, &config)?;
    let top_members = built.ppa.summary().top_members;
    let build = built.seconds;
    let mut ppa: Box<dyn Engine> = Box::new(built.ppa);
    let (mut refreshes, mut bounds, mut edits) = (Vec::new(), Vec::new(), Vec::new());
    let (mut checked, mut faults) = (0, Vec::new());
    for (number, &(tail, head)) in edges.iter().enumerate() {
        let changes = Changes::new().delete_edge(tail, head).delete_edge(head, tail);
        let start = Instant::now();
        subject.map.apply(&changes)?;
        edits.push(start.elapsed());
        let start = Instant::now();
        ppa = ppa.refresh(&subject.map, &changes).map_err(engines::cannot_build("ppa"))?;
        refreshes.push(start.elapsed());
        let start = Instant::now();
        let _ = black_box(Geometric::new(&subject.map, config.heuristic));
        bounds.push(start.elapsed());
        let seed = plan.seed.wrapping_add(number as u64);
        let mut pairs = Pairs { count: PAIRS, even_lengths: false, seed }
            .generate(&subject.map)
            .map_err(Error::Generate)?;
        pairs.extend([(tail, head), (head, tail)]);
        checked += pairs.len();
        let wrong = check_against_astar(&*ppa, &subject, &pairs)?;
        faults.extend(wrong.into_iter().map(|fault| format!("deletion {}: {fault}", number + 1)));
    }
    Ok(DeletionRun {
        cuts,
        deletions: edges.len(),
        edges: edge_count,
        top_members,
        build,
        refresh: Spread::of(&refreshes),
        bound: Spread::of(&bounds),
        edit: Spread::of(&edits),
        checked,
        faults,
    })
}

/// What is wrong with the answers to these pairs, described.
fn check_against_astar(
    ppa: &dyn Engine,
    subject: &Subject,
    pairs: &[(NodeId, NodeId)],
) -> Result<Vec<String>, Error> {
    let astar = astar(subject, HeuristicChoice::Euclidean)?;
    let (mut reference, mut asked) = (astar.query(), ppa.query());
    let mut path = Vec::new();
    let mut faults = Vec::new();
    for (index, &(from, to)) in pairs.iter().enumerate() {
        let cost = reference.distance(from, to).map_err(|error| subject.refused(&error))?;
        let (number, expected) = (index + 1, Expected::Cost(cost));
        let query = Query { number, from, to, expected, from_file: false };
        let answered = find_into(&mut *asked, from, to, &mut path);
        if let Some(fault) = judge::judge(&subject.map, &query, true, answered, &path).fault {
            faults.push(fault.describe(subject, &query));
        }
    }
    Ok(faults)
}

/// The passable cells of a grid as nodes, its steps as edges, with coordinates in the unit of the
/// weights.
fn graph_of(map: &Map) -> Result<CsrGraph, Error> {
    let Map::Grid(grid) = map else { unreachable!("the room map is a grid") };
    let mut ids = vec![None; grid.node_count()];
    let mut points = Vec::new();
    let unit = grid.unit() as i32;
    for (node, id) in ids.iter_mut().enumerate() {
        let Some((x, y)) = grid.position(node as NodeId) else { continue };
        if grid.is_passable(x, y) {
            *id = Some(points.len() as NodeId);
            points.push(Point { x: x as i32 * unit, y: y as i32 * unit });
        }
    }
    let refused = |error| Error::Generate(portolan::generate::GenerateError::Graph(error));
    let mut builder = GraphBuilder::new(points.len()).map_err(refused)?;
    for (node, tail) in ids.iter().enumerate() {
        let Some(tail) = *tail else { continue };
        let mut added = Ok(());
        grid.out_edges(node as NodeId, |head, weight| {
            if let (Some(head), Ok(())) = (ids[head as usize], &added) {
                added = builder.add_edge(tail, head, weight);
            }
        });
        added.map_err(refused)?;
    }
    builder.set_coordinates(points).map_err(refused)?;
    Ok(builder.build())
}

fn two_way_edges(graph: &CsrGraph) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
    (0..graph.node_count() as NodeId).flat_map(|tail| {
        let heads = graph.edges(tail).map(|(head, _)| head);
        heads.filter(move |&head| tail < head).map(move |head| (tail, head))
    })
}

pub(super) fn section(plan: &Plan, runs: &[DeletionRun]) -> Section {
    let (deletions, edges) = runs.first().map_or((0, 0), |run| (run.deletions, run.edges));
    let words = format!(
        "The room map as an undirected graph of {} edges, of which {} are deleted at random, one after the \
         other and both directions at once. After each the index is refreshed, and the ends of the edge and \
         {PAIRS} random pairs are asked and compared with A*.",
        grouped(edges),
        grouped(deletions)
    );
    let mut table = Table::new([
        "Index",
        "Build [s]",
        "Mean [ms]",
        "Median [ms]",
        "Longest [ms]",
        "Build : mean",
        "Bound [ms]",
        "Edit [ms]",
    ])
    .caption(
        "The time to refresh the index after one deletion; the build on one thread. Bound: what a \
         refresh does first, measuring the straight line against every edge of the new map, timed by itself. \
         Edit: deleting the \
         edge from the map, which comes before and is not counted.",
    );
    let milliseconds = |seconds: f64| Cell::number(seconds * 1e3, 3);
    if !plan.quick {
        table.row([
            "PPA* (paper)".into(),
            Cell::number(paper::ROOM_BUILD_S, 2),
            milliseconds(paper::DELETION_S),
            Cell::missing(),
            Cell::missing(),
            Cell::number(paper::ROOM_BUILD_S / paper::DELETION_S, 0),
        ]);
    }
    for run in runs {
        table.row([
            Cell::text(run.cuts.name()),
            Cell::number(run.build, 2),
            milliseconds(run.refresh.mean),
            milliseconds(run.refresh.median),
            milliseconds(run.refresh.longest),
            Cell::number(run.build / run.refresh.mean, 0),
            milliseconds(run.bound.mean),
            milliseconds(run.edit.mean),
        ]);
    }
    let rows: Vec<Comparison> = runs.iter().flat_map(|run| comparisons(plan, run)).collect();
    Section::new(format!("{} edge deletions", grouped(deletions)))
        .with(words)
        .with(table)
        .with(rows)
}

fn comparisons(plan: &Plan, run: &DeletionRun) -> [Comparison; 2] {
    let name = run.cuts.name();
    let time = Comparison {
        paper: plan.published(paper::DELETION_S),
        ..Comparison::new(format!("{name}: one deletion"), Better::Lower, run.refresh.mean)
    };
    let ratio = Comparison {
        paper: plan.published(paper::ROOM_BUILD_S / paper::DELETION_S),
        ..Comparison::new(
            format!("{name}: the build, in deletions"),
            Better::Higher,
            run.build / run.refresh.mean,
        )
    };
    [
        because(time.unit("s"), || run.where_time_goes()),
        because(ratio, || {
            format!(
                "The build is {:.0} times as fast as the paper's, a deletion only {:.0} times. {}",
                paper::ROOM_BUILD_S / run.build,
                paper::DELETION_S / run.refresh.mean,
                run.where_time_goes()
            )
        }),
    ]
}

impl DeletionRun {
    /// What most of a refresh is spent on.
    fn where_time_goes(&self) -> String {
        let share = 100.0 * self.bound.mean / self.refresh.mean;
        if share >= 50.0 {
            return format!(
                "{share:.0} % of it go into measuring the straight line against every edge of the new map, \
                 which has nothing to do with the tables."
            );
        }
        format!(
            "Where distances between borders change, the levels above follow, up to the table of {0} x {0} \
             at the top; the longest refresh takes {1:.1} times the median. {share:.0} % go into measuring \
             the straight line against every edge of the new map.",
            grouped(self.top_members),
            self.refresh.longest / self.refresh.median
        )
    }
}
