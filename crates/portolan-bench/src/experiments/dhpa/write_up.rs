//! The report: the paper's figures beside ours.

use super::dynamic::{MOST, Totals};
use super::searches::Searches;
use super::{CLUSTER, Plan, Results, paper};
use crate::experiments::because;
use crate::report::{Axis, Better, Cell, Comparison, Plot, Report, Section, Series, Table};
use crate::text::grouped;
use crate::workload::Subject;

const INTRO: &str = "HPA* (Botea, Müller and Schaeffer 2004), DHPA* and SHPA* (Kring, Champandard and Samarin 2010). DHPA* stores for every cell what it costs to the abstract nodes of its cluster; SHPA* has merged clusters and \
    straight lines for costs.";

/// Where the maps are those of the paper.
const COMPARABLE: &str = "The maps are those of Baldur's Gate, which both papers use. The paper's times are from a processor of \
    2008, so only ratios can be compared.";

/// Where they are not.
const GENERATED: &str = "The maps are generated caves, so the paper's figures, which are for the maps of Baldur's Gate, are not \
    shown. The real ones belong into the folder bgmaps of the one that --maps or PORTOLAN_MAPS names.";

const HPA: usize = 0;
const DHPA: usize = 1;
const SHPA: usize = 2;

pub(super) fn report(plan: &Plan, maps: &[Subject], results: &Results, stem: &str) -> Report {
    let mut report = Report::new("DHPA* and SHPA*");
    let maps_are = if plan.generated { GENERATED } else { COMPARABLE };
    report.intro = format!("{INTRO}\n\n{maps_are}");
    let cells: usize = maps.iter().map(|map| map.map.usable_count()).sum();
    let origin = if plan.generated { "generated caves" } else { "maps of Baldur's Gate" };
    let words = format!("{} {origin}, {} passable cells together", maps.len(), grouped(cells));
    report.facts.push(("Maps".into(), words));
    report.facts.push(("Searches".into(), format!("{} random pairs on each map", plan.searches)));
    report.sections.push(figure5(plan, results));
    report.sections.push(figure6(plan, &results.searches, stem));
    report.sections.push(figure7(plan, &results.dynamic, stem));
    report.sections.push(others(&results.others));
    report
}

/// What came out, in a line.
pub(super) fn headline(results: &Results) -> String {
    let searches = &results.searches;
    let (dhpa, shpa) = (searches.mean(|one| one.speed(DHPA)), searches.mean(|one| one.speed(SHPA)));
    format!("searches as fast as those of HPA*: DHPA* {dhpa:.1} times, SHPA* {shpa:.1} times")
}

/// The paper's figure, which is for its own maps only.
fn published(plan: &Plan, row: Comparison, figure: f64) -> Comparison {
    if plan.generated { row } else { row.paper(figure) }
}

fn figure5(plan: &Plan, results: &Results) -> Section {
    let mut table =
        with_paper(plan, "Cluster size", &["Clusters", "HPA* [s]", "DHPA* [s]", "DHPA* to HPA*"])
            .caption("All maps together, on one thread; best of three builds of each map.");
    let mut rows = Vec::new();
    for (total, (size, clusters, hpa, dhpa)) in results.builds.iter().zip(paper::BUILDS) {
        let [ours_hpa, ours_dhpa] = total.seconds;
        let pairs = [
            (clusters, total.clusters as f64, 0),
            (hpa, ours_hpa, 3),
            (dhpa, ours_dhpa, 3),
            (dhpa / hpa, ours_dhpa / ours_hpa, 3),
        ];
        let cells = pairs.into_iter().flat_map(|figures| beside_paper(plan, figures));
        table.row([Cell::number(f64::from(size), 0)].into_iter().chain(cells));
        let what = format!("Building DHPA* to building HPA*, clusters of {}", total.size);
        let row = Comparison::new(what, Better::Lower, ours_dhpa / ours_hpa);
        let row = published(plan, row, dhpa / hpa);
        rows.push(because(row, || {
            "Both search every cluster from each of its nodes; filling the cache comes on top and weighs more where searching is fast.".into()
        }));
    }
    let largest = &results.largest;
    let mut memory = with_paper(plan, "Largest map, clusters of 10", &[""]).caption(format!(
        "The largest map is {}. An entry takes three bytes; the paper's took eight, and would have taken three.",
        largest.name
    ));
    let [dhpa_bytes, hpa_bytes] = largest.bytes.map(|bytes| bytes as f64 / 1e6);
    let figures = [
        ("Clusters", 809.0, largest.clusters as f64, 0),
        ("Entries of the cache of DHPA*", paper::ENTRIES, largest.entries as f64, 0),
        ("DHPA* at eight bytes [MB]", paper::CACHE_MB, f64::NAN, 1),
        (
            "DHPA* at three bytes [MB]; ours with clusters and links",
            paper::COMPACT_MB,
            dhpa_bytes,
            2,
        ),
        ("Costs between nodes of HPA*", paper::WAYS, largest.ways as f64, 0),
        ("HPA* [MB]; ours with clusters and links", 0.142, hpa_bytes, 2),
    ];
    for (what, paper, ours, digits) in figures {
        // A figure that the paper alone has says nothing of other maps.
        if !plan.generated || !ours.is_nan() {
            let cells = beside_paper(plan, (paper, ours, digits));
            memory.row([Cell::text(what)].into_iter().chain(cells));
        }
    }
    Section::new("Figure 5: builds").with(conclusions(plan, rows)).with(table).with(memory)
}

/// A table whose figures have a column of the paper's beside ours, where the maps are those of the
/// paper.
fn with_paper(plan: &Plan, first: &str, figures: &[&str]) -> Table {
    let heads = figures.iter().flat_map(|&figure| match (plan.generated, figure) {
        (true, "") => vec!["Here".to_owned()],
        (true, figure) => vec![figure.to_owned()],
        (false, "") => vec!["Paper".to_owned(), "Ours".to_owned()],
        (false, figure) => vec![format!("{figure}, paper"), "ours".to_owned()],
    });
    Table::new([first.to_owned()].into_iter().chain(heads).collect::<Vec<_>>())
}

/// The cells of one figure in such a table.
fn beside_paper(plan: &Plan, (paper, ours, digits): (f64, f64, usize)) -> Vec<Cell> {
    let ours = if ours.is_nan() { Cell::missing() } else { Cell::number(ours, digits) };
    if plan.generated { vec![ours] } else { vec![Cell::number(paper, digits), ours] }
}

/// Rows that a quick run must not have: nothing can be concluded from it.
fn conclusions(plan: &Plan, rows: Vec<Comparison>) -> Vec<Comparison> {
    if plan.quick { Vec::new() } else { rows }
}

fn figure6(plan: &Plan, searches: &Searches, stem: &str) -> Section {
    let all = searches.all();
    let faster = |what: &str, figure, ours| {
        published(plan, Comparison::new(what, Better::Higher, ours), figure).unit("times")
    };
    let longer = |what: &str, figure, ours| {
        published(plan, Comparison::new(what, Better::Lower, ours), figure).unit("%")
    };
    let speed = |engine| searches.mean(|one| one.speed(engine));
    let best = |engine| {
        let buckets = searches.most(|one| one.speed(engine));
        buckets.max(searches.neighbours.speed(engine))
    };
    let rows = vec![
        faster("DHPA*, as fast as HPA*, mean of buckets", paper::DHPA_SPEED.0, speed(DHPA)),
        faster("DHPA*, as fast as HPA*, at best", paper::DHPA_SPEED.1, best(DHPA)),
        faster("SHPA*, as fast as HPA*, mean of buckets", paper::SHPA_SPEED.0, speed(SHPA)),
        faster("SHPA*, as fast as HPA*, at best", paper::SHPA_SPEED.1, best(SHPA)),
        longer(
            "DHPA*, longer than HPA*, at most in a bucket of ten searches or more",
            paper::DHPA_LONGER,
            searches.most(|one| one.longer_than_hpa(DHPA)),
        ),
        longer("HPA*, longer than the shortest, mean", paper::HPA_LONGER.0, all.longer(HPA)),
        longer("SHPA*, longer than the shortest, mean", paper::SHPA_LONGER.0, all.longer(SHPA)),
        longer(
            "SHPA*, longer than the shortest, at most in a bucket of ten searches or more",
            paper::SHPA_LONGER.1,
            searches.most(|one| one.longer(SHPA)),
        ),
    ];
    let mut table = Table::new([
        "Length from",
        "Searches",
        "HPA* [µs]",
        "DHPA* [µs]",
        "SHPA* [µs]",
        "DHPA*, times as fast",
        "SHPA*, times as fast",
        "HPA* longer [%]",
        "DHPA* longer [%]",
        "SHPA* longer [%]",
    ])
    .caption("By the length of the shortest path. Times are means per search, each with its best of three; longer than the shortest path.");
    let mut row = |name: Cell, one: &super::searches::Bucket| {
        let micros = |engine: usize| Cell::number(one.seconds[engine] / one.count as f64 * 1e6, 2);
        table.row([
            name,
            Cell::number(one.count as f64, 0),
            micros(HPA),
            micros(DHPA),
            micros(SHPA),
            Cell::number(one.speed(DHPA), 2),
            Cell::number(one.speed(SHPA), 2),
            Cell::number(one.longer(HPA), 2),
            Cell::number(one.longer(DHPA), 2),
            Cell::number(one.longer(SHPA), 2),
        ]);
    };
    if searches.neighbours.count > 0 {
        row(Cell::text("clusters that touch"), &searches.neighbours);
    }
    for (from, bucket) in searches.filled() {
        row(Cell::number(from, 0), bucket);
    }
    row(Cell::text("all"), &all);
    let (x, y) = (Axis::linear("Length of the shortest path"), Axis::log("Times as fast as HPA*"));
    let series = |name: &str, engine| {
        let points = searches.filled().map(|(from, one)| (from, one.speed(engine)));
        Series::ours(name, points.collect::<Vec<_>>())
    };
    let plot = Plot::new("Figure 6. Speed of searches beside HPA*", x, y)
        .with(series("DHPA*", DHPA))
        .with(series("SHPA*", SHPA))
        .link(format!("{stem}-speed.svg"));
    let [hpa, dhpa, shpa] = searches.bytes.map(|bytes| bytes as f64 / 1e6);
    let words = format!(
        "Clusters of {CLUSTER} cells a side. On all maps together HPA* takes {hpa:.1} MB, DHPA* {dhpa:.1} MB and SHPA* {shpa:.1} MB."
    );
    Section::new("Figure 6: searches")
        .with(conclusions(plan, rows))
        .with(words)
        .with(plot)
        .with(table)
}

fn figure7(plan: &Plan, totals: &Totals, stem: &str) -> Section {
    let overtakes = totals.overtakes("dhpa", "hpa").map_or(f64::NAN, |searches| searches as f64);
    let row = Comparison::new(
        "Searches per build from which on DHPA* takes less time in all",
        Better::Lower,
        overtakes,
    );
    let row = published(plan, row, paper::OVERTAKES);
    let words = format!(
        "Obstacles of 2 x 2 cells on a fiftieth of each map move {} times on {} maps. An engine follows each move by a refresh and \
         is then asked up to {MOST} random searches.{}",
        totals.rounds,
        totals.maps,
        match plan.generated {
            true => "",
            false => " The paper finds HPA* faster up to 20 searches and DHPA* from there on.",
        }
    );
    let axis = || Axis::linear("Searches per build");
    let mut plot =
        Plot::new("Figure 7. Builds and searches", axis(), Axis::linear("Total").unit("s"));
    for total in &totals.engines {
        let points = Totals::steps().map(|searches| (searches as f64, total.total(searches)));
        plot = plot.with(Series::ours(total.name, points.collect::<Vec<_>>()));
    }
    let plot = plot.link(format!("{stem}-dynamic.svg"));
    Section::new("Figure 7: obstacles that move")
        .with(conclusions(plan, vec![row]))
        .with(words)
        .with(plot)
        .with(seconds(totals))
}

fn others(totals: &Totals) -> Section {
    let words = format!(
        "The same on {} of the maps. Exact engines answer exactly after every move; portolan edit-bench measures edits of one cell.",
        totals.maps
    );
    Section::new("Other engines while obstacles move").with(words).with(seconds(totals))
}

/// Seconds of every engine, a column for each.
fn seconds(totals: &Totals) -> Table {
    let heads = totals.engines.iter().map(|total| format!("{} [s]", total.name));
    let heads = ["Searches after each move".to_owned()].into_iter().chain(heads);
    let mut table = Table::new(heads.collect::<Vec<_>>()).caption(
        "All maps and moves together: builds and searches; with no searches, the builds alone.",
    );
    let row = |searches: usize, of: &dyn Fn(usize) -> f64| {
        let cells = (0..totals.engines.len()).map(|engine| Cell::number(of(engine), 3));
        [Cell::number(searches as f64, 0)].into_iter().chain(cells).collect::<Vec<_>>()
    };
    table.row(row(0, &|engine| totals.engines[engine].builds));
    for searches in Totals::steps() {
        table.row(row(searches, &|engine| totals.engines[engine].total(searches)));
    }
    table
}
