//! The report: the paper's figures beside ours.

use portolan_report::{
    Axis, Better, Cell, Comparison, Mark, Note, Plot, Report, Section, Series, Table,
};

use super::dynamic::{MOST, Totals};
use super::searches::Searches;
use super::{CLUSTER, Plan, Results, paper};
use crate::commands::reproduce::because;
use crate::load::Loaded;
use crate::text::grouped;

const INTRO: &str = "HPA* (Botea, Müller and Schaeffer 2004), DHPA* and SHPA* (Kring, Champandard and Samarin 2010) on the maps of Baldur's Gate \
    that both papers use. DHPA* stores for every cell what it costs to the abstract nodes of its cluster; SHPA* has merged clusters and \
    straight lines for costs. The paper's times are those of a processor of 2008; what can be compared are ratios.";

const HPA: usize = 0;
const DHPA: usize = 1;
const SHPA: usize = 2;

pub(super) fn report(plan: &Plan, maps: &[Loaded], results: &Results, stem: &str) -> Report {
    let mut report = Report::new("DHPA* and SHPA*");
    report.intro = INTRO.into();
    let cells: usize = maps.iter().map(|map| map.map.usable_count()).sum();
    let words = format!("{}, {} passable cells together", maps.len(), grouped(cells));
    report.facts.push(("Maps".into(), words));
    report.facts.push(("Searches".into(), format!("{} random pairs on each map", plan.searches)));
    if plan.quick {
        report.sections.push(Section::new("A quick run").with(Note::new(
            Mark::Neutral,
            "The maps are small and generated and the searches few: nothing can be learnt from these figures.",
        )));
    }
    if plan.generated && !plan.quick {
        let words = format!(
            "There is no folder `bgmaps` in `{}`, so the maps are generated caves, and the paper's figures beside ours are for other maps.",
            plan.folder.display()
        );
        let note = Note::new(Mark::Neutral, words);
        report.sections.push(Section::new("Other maps").with(note));
    }
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
    let mut table = Table::new([
        "Cluster size",
        "Clusters, paper",
        "ours",
        "HPA*, paper [s]",
        "ours [s]",
        "DHPA*, paper [s]",
        "ours [s]",
        "DHPA* to HPA*, paper",
        "ours",
    ])
    .caption("All maps together, on one thread; best of three builds of each map.");
    let mut rows = Vec::new();
    for (total, (size, clusters, hpa, dhpa)) in results.builds.iter().zip(paper::BUILDS) {
        let [ours_hpa, ours_dhpa] = total.seconds;
        table.row([
            Cell::number(f64::from(size), 0),
            Cell::number(clusters, 0),
            Cell::number(total.clusters as f64, 0),
            Cell::number(hpa, 3),
            Cell::number(ours_hpa, 3),
            Cell::number(dhpa, 3),
            Cell::number(ours_dhpa, 3),
            Cell::number(dhpa / hpa, 3),
            Cell::number(ours_dhpa / ours_hpa, 3),
        ]);
        let what = format!("Building DHPA* to building HPA*, clusters of {}", total.size);
        let row = Comparison::new(what, Better::Lower, ours_dhpa / ours_hpa);
        let row = published(plan, row, dhpa / hpa);
        rows.push(because(row, || {
            "Both search every cluster from each of its nodes; filling the cache comes on top and weighs more where searching is fast.".into()
        }));
    }
    let largest = &results.largest;
    let mut memory = Table::new(["Largest map, clusters of 10", "Paper", "Ours"]).caption(format!(
        "Ours is {}. An entry takes three bytes; the paper's took eight, and would have taken three.",
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
        let ours = if ours.is_nan() { Cell::missing() } else { Cell::number(ours, digits) };
        memory.row([Cell::text(what), Cell::number(paper, digits), ours]);
    }
    Section::new("Figure 5: builds").with(rows).with(table).with(memory)
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
    Section::new("Figure 6: searches").with(rows).with(words).with(plot).with(table)
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
         is then asked up to {MOST} random searches. The paper finds HPA* faster up to 20 searches and DHPA* from there on.",
        totals.rounds, totals.maps
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
        .with(vec![row])
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

/// Seconds of every engine.
fn seconds(totals: &Totals) -> Table {
    let heads = Totals::steps().map(|searches| format!("{searches} searches [s]"));
    let columns = ["Engine".to_owned(), "Builds [s]".to_owned()].into_iter().chain(heads);
    let mut table = Table::new(columns.collect::<Vec<_>>()).caption(
        "All maps and moves together: the builds alone, and with so many searches after each.",
    );
    for total in &totals.engines {
        let searches = Totals::steps().map(|searches| Cell::number(total.total(searches), 3));
        let cells = [Cell::text(total.name), Cell::number(total.builds, 3)].into_iter();
        table.row(cells.chain(searches));
    }
    table
}
