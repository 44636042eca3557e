//! The report: tables with the paper's figures beside ours.

use super::contenders::{Contender, RIVALS, VERSIONS};
use super::kinds::Kind;
use super::runs::{KindRun, Memory, Ratios, mean};
use super::{Plan, paper};
use crate::experiments::because;
use crate::report::{Axis, Better, Cell, Comparison, Mark, Note, Plot, Section, Series, Table};

pub(super) fn sections(plan: &Plan, runs: &[KindRun]) -> Vec<Section> {
    let of = |kind: Kind| runs.iter().find(|run| run.kind == kind);
    let mut sections = vec![aims(plan, runs), maps(plan, runs), table1(runs)];
    sections.extend(of(Kind::Rooms).map(|run| table2(plan, run)));
    let tables = [
        (Kind::Rooms, "Table 3, rooms: nodes", &paper::TABLE3_ROOMS),
        (Kind::Mazes, "Table 3, mazes: nodes", &paper::TABLE3_MAZES),
    ];
    for (kind, heading, table) in tables {
        sections.extend(of(kind).map(|run| table3(plan, run, heading, table)));
    }
    sections.push(figure4(runs));
    sections.extend(of(Kind::Gate).map(|run| table4(plan, run)));
    sections.push(gateway(plan, runs));
    sections
}

/// How much faster than A* the two engines are that this is all about.
fn aims(plan: &Plan, runs: &[KindRun]) -> Section {
    const AIM: f64 = 10.0;
    let mut section = Section::new("Against A* at 8 |V|");
    for run in runs.iter().filter(|run| run.kind != Kind::Gate) {
        for contender in [Contender::Enhanced, Contender::Perfect] {
            let ratios = run.ratios(contender, Memory::Whole(8.0));
            let Some(ratios) = ratios.filter(|ratios| !ratios.times.is_empty()) else {
                let words = format!(
                    "{} on {}: it does not fit into 8 |V|.",
                    contender.name(),
                    run.kind.name().to_lowercase(),
                );
                section.push(Note::new(Mark::Neutral, words));
                continue;
            };
            let faster = 1.0 / mean(&ratios.times);
            let mark = match faster >= AIM {
                _ if plan.quick => Mark::Neutral,
                true => Mark::Good,
                false => Mark::Bad,
            };
            let words = format!(
                "{} on {}: {faster:.1} times as fast as A*; the aim is {AIM}.",
                contender.name(),
                run.kind.name().to_lowercase(),
            );
            section.push(Note::new(mark, words));
        }
    }
    section
}

fn maps(plan: &Plan, runs: &[KindRun]) -> Section {
    let mut table = Table::new([
        "Maps",
        "Cells |V|",
        "Path length",
        "Nodes of A*",
        "Time of A* [us]",
        "What they are",
    ]);
    for run in runs {
        table.row([
            run.kind.name().into(),
            Cell::number(run.cells, 0),
            Cell::number(run.steps, 1),
            Cell::number(run.nodes, 0),
            Cell::number(run.seconds * 1e6, 1),
            run.kind.describe(plan).into(),
        ]);
    }
    let words = format!(
        "{} random searches on each map. The paper's rooms have paths of {} steps, for which A* expands {} nodes; it \
         does not say so of its mazes. How long the ways of a maze are for its size decides every ratio: one that is \
         a single winding corridor has nothing for a search to go astray in.",
        plan.searches,
        paper::ROOM_STEPS,
        paper::ROOM_NODES
    );
    Section::new("The maps").with(words).with(table)
}

fn table1(runs: &[KindRun]) -> Section {
    let mut table = Table::new([
        "Maps",
        "Memory [|V|]",
        "Portals per region, paper",
        "ours",
        "Regions, paper",
        "ours",
        "Apart, paper",
        "ours",
    ]);
    for run in runs {
        let (portals, regions, apart) = match run.kind {
            Kind::Rooms => (paper::ROOM_PORTALS, paper::ROOM_REGIONS, paper::ROOM_APART),
            Kind::Mazes => (paper::MAZE_PORTALS, paper::MAZE_REGIONS, paper::MAZE_APART),
            Kind::Gate => (paper::GATE_PORTALS, paper::GATE_REGIONS, paper::GATE_APART),
        };
        for (at, (memory, summaries)) in run.cuts.iter().enumerate() {
            let figure = |figures: &[f64], digits| {
                figures.get(at).map_or(Cell::missing(), |&figure| Cell::number(figure, digits))
            };
            let ours = |of: fn(&portolan::portal::bound::PortalSummary) -> f64, digits| {
                Cell::number(mean(&summaries.iter().map(of).collect::<Vec<_>>()), digits)
            };
            table.row([
                run.kind.name().into(),
                memory_words(*memory).into(),
                figure(&portals, 1),
                ours(|summary| summary.portals_per_region, 1),
                figure(&regions, 0),
                ours(|summary| summary.regions as f64, 0),
                figure(&apart, 2),
                ours(|summary| summary.apart, 2),
            ]);
        }
    }
    let words = "Memory does not include what tells regions apart. \"Apart\" is how probably start and goal lie in \
        different regions. The paper's numbers of regions on rooms are as printed; they contradict its portals per \
        region: within |V| / 64 there is room for the distances between 39 portals, which lie beside 7 regions if \
        each has 11.9. On mazes and rooms distances take two bytes here and four in the paper, so that there are \
        about 1.4 times as many portals.";
    Section::new("Table 1: regions and portals").with(words).with(table)
}

fn table2(plan: &Plan, run: &KindRun) -> Section {
    let mut nodes = Vec::new();
    let mut times =
        Table::new(["Memory [|V|]"].into_iter().map(String::from).chain(VERSIONS.iter().flat_map(
            |version| [format!("{}, paper", version.name()), format!("{}, ours", version.name())],
        )));
    for (memory, paper_nodes, paper_times) in paper::TABLE2 {
        let mut row: Vec<Cell> = vec![memory_words(memory).into()];
        for (at, version) in VERSIONS.into_iter().enumerate() {
            let ratios = run.ratios(version, Memory::Beside(memory));
            nodes.extend(ratios.and_then(|ratios| {
                compare(plan, run.kind, ratios, memory, paper_nodes[at], &ratios.nodes)
            }));
            row.push(published_cell(paper_times[at]));
            row.push(ratios.map_or(Cell::missing(), |ratios| Cell::number(mean(&ratios.times), 3)));
        }
        times.row(row);
    }
    let words = "Rooms; memory does not include what tells regions apart. PH is A* with the portal heuristic, PH+ME \
        Portal-Based Search, PHe the same with the better direction for each hop, PPH the perfect portal heuristic, \
        whose nodes are those that its paths are read off at. The paper's PPH stops to cut as soon as the distances of all nodes \
        fit, and so has few and large regions; ours goes on, since more regions can take less memory.";
    let times = times.caption("Times, A* taken as one.");
    Section::new("Table 2: versions of the portal heuristic, nodes")
        .with(words)
        .with(nodes)
        .with(times)
}

fn table3(plan: &Plan, run: &KindRun, heading: &str, table: &[(f64, [f64; 5])]) -> Section {
    let mut rows = Vec::new();
    for &(memory, figures) in table {
        for (contender, figure) in RIVALS.into_iter().zip(figures) {
            let ratios = run.ratios(contender, Memory::Whole(memory));
            rows.extend(
                ratios.and_then(|ratios| {
                    compare(plan, run.kind, ratios, memory, figure, &ratios.nodes)
                }),
            );
        }
    }
    Section::new(heading).with("Memory includes everything.").with(rows)
}

/// A figure of ours beside the paper's, if there is either; with a reason where ours is worse.
fn compare(
    plan: &Plan,
    kind: Kind,
    ratios: &Ratios,
    memory: f64,
    figure: f64,
    ours: &[f64],
) -> Option<Comparison> {
    let published = plan.published(kind, figure);
    let what = format!("{} at {} |V|", ratios.contender.name(), memory_words(memory));
    if ours.is_empty() {
        // Where both have nothing there is nothing to say.
        let row = Comparison { paper: published, ..Comparison::new(what, Better::Lower, f64::NAN) };
        return published.map(|_| row.note("It does not fit into as many bytes here."));
    }
    let row = Comparison { paper: published, ..Comparison::new(what, Better::Lower, mean(ours)) };
    let form = ratios.form.clone();
    let within = row.ratio().is_some_and(|ratio| ratio <= 1.1);
    let row = because(row, || match within {
        true => "Within a tenth.".into(),
        false => why(kind, ratios.contender).into(),
    });
    Some(if row.note.is_empty() { row.note(form) } else { row })
}

/// Why a figure is worse than the paper's.
fn why(kind: Kind, contender: Contender) -> &'static str {
    match (contender, kind) {
        (Contender::Differential, _) => {
            "Where passable cells lie takes memory too, so that one landmark fewer fits than in the paper; where distances \
             are rounded to two bytes more fit, but bounds are then just below whole lengths, and ties are expanded."
        }
        (Contender::Border | Contender::Canonical, Kind::Gate) => {
            "These bounds are not consistent, and nodes that are expanded again count again here; the paper does not \
             say how it counts them. On open ground, where many paths are as short, there are many such nodes."
        }
        (Contender::Border, _) => {
            "The paper does not say how it cuts maps for this heuristic; ours are the cuts of the portals."
        }
        (Contender::Perfect, Kind::Gate) => "Regions of open ground have many portals.",
        (_, Kind::Gate) => {
            "Regions of open ground have many portals, which every bound looks at, and a step of A* is cheap here."
        }
        _ => {
            "The cuts depend on the paths that are drawn, and the maps are of the paper's kind but not its own."
        }
    }
}

fn figure4(runs: &[KindRun]) -> Section {
    let mut section = Section::new("Figure 4: time by memory").with(
        "The paper's curves are not in its text; its Tables 2 and 4 have some of the times. Memory from |V| / 64 to 16 |V|, \
         once with everything counted, where a method begins at the least that it fits into, and for portals once without what \
         tells regions apart, which takes half of |V| and is all that keeps them from beginning at |V| / 64.",
    );
    type Part = fn(Memory) -> Option<f64>;
    let whole: Part = |memory| if let Memory::Whole(count) = memory { Some(count) } else { None };
    let beside: Part = |memory| if let Memory::Beside(count) = memory { Some(count) } else { None };
    let portals = &[Contender::Enhanced, Contender::Perfect][..];
    let parts =
        [("everything counted", &RIVALS[..], whole), ("regions not counted", portals, beside)];
    for run in runs.iter().filter(|run| run.kind != Kind::Gate) {
        for (words, contenders, part) in parts {
            let (x, y) = (Axis::log("Memory").unit("|V|"), Axis::log("Time, A* taken as one"));
            let title = format!("Figure 4. {}, {words}", run.kind.name());
            let mut plot = Plot::new(title, x, y);
            for &contender in contenders {
                let of = run
                    .results
                    .iter()
                    .filter(|result| result.contender == contender && !result.times.is_empty());
                let points =
                    of.filter_map(|result| Some((part(result.memory)?, mean(&result.times))));
                let mut points: Vec<_> = points.collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                plot = plot.with(Series::ours(contender.name(), points));
            }
            section.push(plot);
        }
    }
    section
}

fn table4(plan: &Plan, run: &KindRun) -> Section {
    let mut rows = Vec::new();
    for (memory, nodes, times) in paper::TABLE4 {
        for (at, contender) in RIVALS.into_iter().enumerate() {
            let Some(ratios) = run.ratios(contender, Memory::Whole(memory)) else { continue };
            let figure = |figures: &[f64; 4]| figures.get(at).copied().unwrap_or(0.0);
            rows.extend(compare(plan, run.kind, ratios, memory, figure(&nodes), &ratios.nodes));
            let time = compare(plan, run.kind, ratios, memory, figure(&times), &ratios.times);
            rows.extend(
                time.filter(|row| row.ours.is_finite())
                    .map(|row| Comparison { what: format!("{}, time", row.what), ..row }),
            );
        }
    }
    let words = "Memory includes everything. Distances take four bytes here, since straight and diagonal steps have no \
        common unit.";
    Section::new("Table 4: the Baldur's Gate map, nodes and time").with(words).with(rows)
}

fn gateway(plan: &Plan, runs: &[KindRun]) -> Section {
    let mut table = Table::new([
        "Maps",
        "Memory [|V|], paper",
        "ours",
        "Nodes, paper",
        "ours",
        "Time, ours",
        "Ours",
    ]);
    for (run, [_, _, memory, nodes]) in runs.iter().zip(paper::GATEWAY) {
        let Some(ratios) = run.ratios(Contender::Gateway, Memory::Any) else { continue };
        let ours = |values: &[f64], digits| Cell::number(mean(values), digits);
        let published = |figure| {
            plan.published(run.kind, figure).map_or(Cell::missing(), |f| Cell::number(f, 3))
        };
        table.row([
            run.kind.name().into(),
            published(memory),
            ours(&ratios.entries, 2),
            published(nodes),
            ours(&ratios.nodes, 3),
            ours(&ratios.times, 3),
            ratios.form.clone().into(),
        ]);
    }
    let words = "The memory of the gateway heuristic is fixed by the map. The paper counts 1,027 regions and 2,719 gates \
        on rooms, 4,185 and 8,443 on mazes, 91 and 255 on the Baldur's Gate map.";
    Section::new("Section 6.3: the gateway heuristic").with(words).with(table)
}

fn published_cell(figure: f64) -> Cell {
    if figure > 0.0 { Cell::number(figure, 3) } else { Cell::missing() }
}

/// An amount of memory as the paper writes it.
fn memory_words(memory: f64) -> String {
    if memory < 1.0 { format!("1/{:.0}", 1.0 / memory) } else { format!("{memory:.0}") }
}
