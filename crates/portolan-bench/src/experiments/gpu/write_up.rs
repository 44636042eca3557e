//! The report: tables and plots, and what the paper says of its curves beside what ours show.

use super::batches::{Curve, MOST, Point};
use super::{ASTAR, COOPERATIVE, HIERARCHICAL, OnMap, PRECALCULATED, Plan, Results, maps, paper};
use crate::experiments::circumstances;
use crate::gpu::{self, Gpu};
use crate::report::{Axis, Cell, Mark, Note, Plot, Report, Section, Series, Table};
use crate::text::{self, grouped};

const INTRO: &str = "Whole batches of agents on the GPU: standard A* with one agent per invocation, pre-calculated paths, several \
    invocations per agent, and a hierarchy of clusters (Inam, Cederman and Tsigas 2010); then batches beyond those of the paper, \
    with every engine of the GPU.";

const METHOD: &str = "A time is that of a whole batch of full paths, from the call to the last answer, transfers included: the best of \
    three runs. Beside it is the counterpart of the engine on all cores of the same machine, which answers the same batch in the same run. The \
    paper has curves without figures, measured on a GeForce GTX 260 of 2008, so that only their order and their shapes are compared. Its \
    maps were not published. Ours are generated: with as many walkable cells (Table 1), and caves of which about as many clusters of 10 x 10 \
    cells have a walkable cell (Table 2).";

const SOFTWARE: &str = "The GPU is a software driver: its kernels run on the cores of the CPU, so that its times say nothing about a GPU.";

pub(super) fn report(plan: &Plan, gpu: &Gpu, results: &Results, stem: &str) -> Report {
    let mut report = Report::new("A* on graphics processors");
    report.intro = format!("{INTRO}\n\n{METHOD}");
    let adapter = gpu::adapters().into_iter().find(|adapter| adapter.name == gpu.name());
    let driver = adapter.as_ref().map_or(String::new(), |adapter| {
        format!(", {}, {}, {}", adapter.kind, adapter.backend, adapter.driver)
    });
    report.facts.push(("GPU".into(), format!("{}{driver}", gpu.name())));
    let memory = text::bytes(gpu.working_memory());
    report.facts.push(("Memory of a batch on the GPU".into(), format!("at most {memory}")));
    let mut sections = vec![figure5(plan, results, stem)];
    sections.extend(figures6_and_7(plan, results, stem));
    sections.extend(figures8_to_10(plan, results, stem));
    sections.push(beyond(plan, results, stem));
    if adapter.is_some_and(|adapter| adapter.kind == "software driver") {
        sections[0].blocks.insert(0, Note::new(Mark::Neutral, SOFTWARE).into());
    }
    report.sections = sections;
    report
}

/// What came out, in a line: the most paths per second beyond the paper.
pub(super) fn headline(results: &Results) -> String {
    let points = results.many.iter().flat_map(|on_map| {
        on_map.curves.iter().filter(|curve| curve.exact).flat_map(move |curve| {
            curve
                .points
                .iter()
                .filter_map(move |point| Some((on_map, curve, point, point.speed()?)))
        })
    });
    match points.max_by(|a, b| a.3.total_cmp(&b.3)) {
        None => "no engine of the GPU could serve the large batches".into(),
        Some((on_map, curve, point, speed)) => {
            let beside = point.ratio().map_or(String::new(), |ratio| {
                format!(", {ratio:.1} times as many as {} on all cores", curve.counterpart)
            });
            format!(
                "{}: {} agents on {}, {} paths per second{beside}",
                curve.name(),
                grouped(point.agents),
                on_map.name,
                grouped(speed as u64)
            )
        }
    }
}

impl Point {
    /// Paths per second on the GPU.
    fn speed(&self) -> Option<f64> {
        self.gpu_time().map(|time| self.agents as f64 / time)
    }

    /// How many times as fast as the CPU the GPU is.
    fn ratio(&self) -> Option<f64> {
        Some(self.cpu? / self.gpu_time()?)
    }
}

impl Curve {
    /// Seconds on the GPU for this many agents.
    fn at(&self, agents: usize) -> Option<f64> {
        self.points.iter().find(|point| point.agents == agents)?.gpu_time()
    }

    fn series(&self, name: impl Into<String>) -> Series {
        let points = self.points.iter();
        let points =
            points.filter_map(|point| Some((point.agents as f64, point.gpu_time()? * 1e3)));
        Series::ours(name, points)
    }

    fn series_on_cpu(&self, name: impl Into<String>) -> Series {
        let points = self.points.iter();
        let points = points.filter_map(|point| Some((point.agents as f64, point.cpu? * 1e3)));
        Series::ours(name, points)
    }
}

/// What the paper says of its curves, and how often it holds of ours. A quick run concludes
/// nothing.
fn claim(section: &mut Section, plan: &Plan, says: &str, cases: &[Option<bool>], here: &str) {
    let known: Vec<bool> = cases.iter().copied().flatten().collect();
    if plan.quick || known.is_empty() {
        return;
    }
    let holds = known.iter().filter(|&&holds| holds).count();
    let mark = match holds {
        0 => Mark::Bad,
        _ if holds == known.len() => Mark::Good,
        _ => Mark::Neutral,
    };
    let text =
        format!("The paper: {says} Here this holds in {holds} of {} cases{here}.", known.len());
    section.push(Note::new(mark, text));
}

/// The range of some ratios, in words.
fn range(ratios: impl Iterator<Item = f64>) -> String {
    let (least, most) = ratios.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), ratio| {
        (least.min(ratio), most.max(ratio))
    });
    let words = |ratio: f64| match ratio {
        _ if ratio < 0.1 => format!("{ratio:.4}"),
        _ if ratio < 10.0 => format!("{ratio:.2}"),
        _ => format!("{ratio:.1}"),
    };
    if least > most { "unknown".into() } else { format!("{} to {}", words(least), words(most)) }
}

/// The times of all batches and engines on these maps.
fn table(maps: &[OnMap], caption: &str) -> Table {
    let mut table = Table::new([
        "Map",
        "Engine",
        "Build [ms]",
        "On device [MB]",
        "Agents",
        "GPU [ms]",
        "Upload [ms]",
        "Kernel [ms]",
        "Download [ms]",
        "Rounds",
        "Paths/s",
        "CPU, all cores [ms]",
        "Times as fast",
        "Longer, mean [%]",
        "Longer, most [%]",
    ])
    .caption(caption);
    for on_map in maps {
        for curve in &on_map.curves {
            let head = [Cell::text(&on_map.name), Cell::text(curve.name())];
            let Some(last) = curve.points.len().checked_sub(1) else {
                let reason = curve.refused.clone().unwrap_or_default();
                table.row(head.into_iter().chain([Cell::text(format!("not possible: {reason}"))]));
                continue;
            };
            for (index, point) in curve.points.iter().enumerate() {
                // What belongs to the engine stands in its last row.
                let of_engine = |value: f64, digits| match index == last && value.is_finite() {
                    true => Cell::number(value, digits),
                    false => Cell::missing(),
                };
                let ms = |seconds: Option<f64>| {
                    seconds.map_or(Cell::missing(), |seconds| Cell::number(seconds * 1e3, 3))
                };
                let part = |of: fn(&gpu::Timing) -> std::time::Duration| {
                    let time = point.gpu.as_ref().map(|timing| of(timing).as_secs_f64());
                    ms(time.filter(|&time| time > 0.0))
                };
                let number = |value: Option<f64>, digits| {
                    value.map_or(Cell::missing(), |value| Cell::number(value, digits))
                };
                table.row(head.clone().into_iter().chain([
                    of_engine(curve.build * 1e3, 1),
                    of_engine(curve.device_bytes as f64 / 1e6, 2),
                    Cell::number(point.agents as f64, 0),
                    ms(point.gpu_time()),
                    part(|timing| timing.upload),
                    part(|timing| timing.kernel),
                    part(|timing| timing.download),
                    number(point.gpu.map(|timing| f64::from(timing.rounds)), 0),
                    number(point.speed(), 0),
                    ms(point.cpu),
                    number(point.ratio(), 2),
                    of_engine(100.0 * curve.excess.0, 3),
                    of_engine(100.0 * curve.excess.1, 2),
                ]));
            }
        }
    }
    table
}

fn plot(title: &str, stem: &str, file: &str, all: Vec<Series>) -> Plot {
    let (x, y) = (Axis::linear("Agents"), Axis::log("Time of the batch").unit("ms"));
    let plot = Plot::new(title, x, y).link(format!("{stem}-{file}.svg"));
    all.into_iter().fold(plot, Plot::with)
}

fn figure5(plan: &Plan, results: &Results, stem: &str) -> Section {
    let mut section = Section::new("Figure 5: all pairs on the maps of Table 1");
    let of = |engine: &str| -> Vec<Option<f64>> {
        let curve = |on_map: &OnMap| on_map.curve(engine, None)?.at(on_map.agents);
        results.all_pairs.iter().map(curve).collect()
    };
    let [standard, tables, cooperative] = [ASTAR, PRECALCULATED, COOPERATIVE].map(of);
    let compare = |a: &[Option<f64>], b: &[Option<f64>]| -> Vec<Option<bool>> {
        a.iter().zip(b).map(|(a, b)| Some((*a)? < (*b)?)).collect()
    };
    let ratios = |a: &[Option<f64>], b: &[Option<f64>]| {
        range(a.iter().zip(b).filter_map(|(a, b)| Some((*a)? / (*b)?)))
    };
    for (says, faster, slower) in [
        ("pre-calculated paths take less time than standard A*.", &tables, &standard),
        ("several threads per agent take less time than standard A*.", &cooperative, &standard),
        ("pre-calculated paths take less time than several threads.", &tables, &cooperative),
    ] {
        let here = format!("; the ratios of the times are {}", ratios(faster, slower));
        claim(&mut section, plan, says, &compare(faster, slower), &here);
    }
    let series = |engine: &str| {
        let points = results.all_pairs.iter().filter_map(|on_map| {
            Some((on_map.agents as f64, on_map.curve(engine, None)?.at(on_map.agents)? * 1e3))
        });
        Series::ours(engine, points)
    };
    let (x, y) = (Axis::log("Agents"), Axis::log("Time of the batch").unit("ms"));
    let plot = Plot::new("Figure 5. All pairs", x, y).link(format!("{stem}-figure5.svg"));
    let plot = [ASTAR, PRECALCULATED, COOPERATIVE].map(series).into_iter().fold(plot, Plot::with);
    let caption = "From every walkable node to every one. The build of gpu-precalculated finds the paths that it stores.";
    section.with(plot).with(table(&results.all_pairs, caption))
}

fn figures6_and_7(plan: &Plan, results: &Results, stem: &str) -> [Section; 2] {
    let [map_a, map_b, ..] = &results.large[..] else { return Default::default() };
    let standard = |on_map: &OnMap, agents| on_map.curve(ASTAR, None)?.at(agents);
    let best = Some(paper::BEST_SIZE);
    let hierarchy = |on_map: &OnMap, agents| on_map.curve(HIERARCHICAL, best)?.at(agents);
    let ratios =
        |a: &dyn Fn(usize) -> Option<f64>, b: &dyn Fn(usize) -> Option<f64>| -> Vec<Option<f64>> {
            plan.agents.iter().map(|&agents| Some(a(agents)? / b(agents)?)).collect()
        };
    let judged = |ratios: &[Option<f64>], holds: &dyn Fn(f64) -> bool| -> Vec<Option<bool>> {
        ratios.iter().map(|ratio| ratio.map(holds)).collect()
    };
    let words = |ratios: &[Option<f64>]| range(ratios.iter().copied().flatten());

    let mut six = Section::new("Figure 6: standard A* and the hierarchy");
    let on_a = ratios(&|n| standard(map_a, n), &|n| hierarchy(map_a, n));
    let on_b = ratios(&|n| standard(map_b, n), &|n| hierarchy(map_b, n));
    let here =
        |ratios: &[Option<f64>]| format!("; standard A* takes {} times as long", words(ratios));
    let says =
        "on map A both take about the same time (here: between two thirds and one and a half).";
    claim(
        &mut six,
        plan,
        says,
        &judged(&on_a, &|ratio| (0.667..=1.5).contains(&ratio)),
        &here(&on_a),
    );
    let says = "on map B standard A* takes much longer than the hierarchy (here: more than one and a half times).";
    claim(&mut six, plan, says, &judged(&on_b, &|ratio| ratio > 1.5), &here(&on_b));
    if !plan.quick {
        six.push(limits(results));
    }
    let series = [map_a, map_b].into_iter().flat_map(|on_map| {
        let curves = [on_map.curve(ASTAR, None), on_map.curve(HIERARCHICAL, best)];
        curves.into_iter().flatten().flat_map(move |curve| {
            let name = format!("{}, {}", curve.name(), on_map.name);
            let on_cpu = format!("{}, CPU, {}", curve.counterpart, on_map.name);
            [curve.series(name), curve.series_on_cpu(on_cpu)]
        })
    });
    let title = "Figure 6. Standard A* and the hierarchy";
    let six = six.with(plot(title, stem, "figure6", series.collect()));

    let mut seven = Section::new("Figure 7: how much walkable area matters");
    seven.push("The batches are those of Figure 6.");
    let standard_ratios = ratios(&|n| standard(map_b, n), &|n| standard(map_a, n));
    let hierarchy_ratios = ratios(&|n| hierarchy(map_b, n), &|n| hierarchy(map_a, n));
    let steadier = standard_ratios.iter().zip(&hierarchy_ratios);
    let steadier: Vec<_> = steadier.map(|(a, b)| Some((*b)? < (*a)?)).collect();
    let here = format!(
        "; from map A to map B times grow by factors of {} with standard A* and {} with the hierarchy",
        words(&standard_ratios),
        words(&hierarchy_ratios)
    );
    let says = "more walkable area slows standard A* down more than the hierarchy.";
    claim(&mut seven, plan, says, &steadier, &here);
    let most = plan.agents.iter().position(|&agents| agents == paper::MOST_STANDARD);
    if let Some(ratio) = most.and_then(|at| standard_ratios[at]) {
        let says = "with 1,600 agents standard A* takes almost twice as long on map B as on map A.";
        let here = format!("; it takes {ratio:.2} times as long");
        claim(&mut seven, plan, says, &[Some((1.5..=2.5).contains(&ratio))], &here);
    }
    [six, seven]
}

/// How many agents there may be at once.
fn limits(results: &Results) -> Note {
    let (mut answered, mut rounds) = (0, 0);
    for on_map in results.large.iter().chain(&results.many) {
        for curve in on_map.curves.iter().filter(|curve| curve.engine == ASTAR) {
            for (agents, timing) in curve.points.iter().filter_map(|p| Some((p.agents, p.gpu?))) {
                if agents > answered {
                    (answered, rounds) = (agents, timing.rounds);
                }
            }
        }
    }
    let mark = if answered > paper::MOST_STANDARD { Mark::Good } else { Mark::Neutral };
    let words = format!(
        "The paper: memory limits standard A* to {} agents, and clusters of 10 on map B to {}. Here batches are cut into rounds; \
         the largest batch of standard A* has {} agents in {}.",
        grouped(paper::MOST_STANDARD),
        grouped(paper::MOST_SMALL_CLUSTERS),
        grouped(answered),
        text::count(rounds, "round", "rounds")
    );
    Note::new(mark, words)
}

fn figures8_to_10(plan: &Plan, results: &Results, stem: &str) -> Vec<Section> {
    let sizes = paper::CLUSTERS.map(|(size, _)| size);
    let curve =
        |on_map: &'_ OnMap, size: u32, agents| on_map.curve(HIERARCHICAL, Some(size))?.at(agents);
    let with_obstacles = &results.large[..results.large.len().min(2)];

    let mut eight = Section::new("Figure 8: cluster sizes");
    let cases: Vec<Option<bool>> = with_obstacles
        .iter()
        .flat_map(|on_map| {
            plan.agents.iter().map(move |&agents| {
                let others = sizes[1..].iter().map(|&size| curve(on_map, size, agents));
                let slowest = others.collect::<Option<Vec<_>>>()?.into_iter().fold(0.0, f64::max);
                Some(curve(on_map, sizes[0], agents)? > slowest)
            })
        })
        .collect();
    let says = "clusters of 10 take longer than larger ones.";
    claim(&mut eight, plan, says, &cases, " (maps A and B, every number of agents)");
    let pairs = with_obstacles.iter().flat_map(|on_map| {
        sizes.windows(2).map(move |pair| {
            let excess = |size| on_map.curve(HIERARCHICAL, Some(size)).map(|curve| curve.excess.0);
            Some(excess(pair[0])? <= excess(pair[1])?)
        })
    });
    let says = "the larger the clusters, the longer the paths.";
    claim(
        &mut eight,
        plan,
        says,
        &pairs.collect::<Vec<_>>(),
        ", from one size to the next (maps A and B)",
    );
    let series = with_obstacles.iter().flat_map(|on_map| {
        let curves = sizes.into_iter().filter_map(|size| on_map.curve(HIERARCHICAL, Some(size)));
        curves.map(move |curve| {
            curve.series(format!("clusters of {}, {}", curve.cluster.unwrap_or(0), on_map.name))
        })
    });
    let plotted = plot("Figure 8. Cluster sizes", stem, "figure8", series.collect());
    let caption = "All batches of Figures 6 to 9. Paths are compared with the shortest; build times are those of Figure 10.";
    let eight = eight.with(plotted).with(table(&results.large, caption));

    let mut nine = Section::new("Figure 9: the hierarchy on all three maps");
    let best = paper::BEST_SIZE;
    let ratios: Vec<Option<f64>> = plan
        .agents
        .iter()
        .map(|&agents| {
            let times = results.large.iter().map(|on_map| curve(on_map, best, agents));
            let times = times.collect::<Option<Vec<_>>>()?;
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            Some(times.into_iter().fold(0.0, f64::max) / least)
        })
        .collect();
    let cases: Vec<_> = ratios.iter().map(|ratio| ratio.map(|ratio| ratio <= 2.0)).collect();
    let says = "the walkable area hardly changes the time (here: the slowest map takes at most twice as long as the fastest).";
    let here = format!("; the factors are {}", range(ratios.iter().copied().flatten()));
    claim(&mut nine, plan, says, &cases, &here);
    let series = results.large.iter().filter_map(|on_map| {
        Some(on_map.curve(HIERARCHICAL, Some(best))?.series(on_map.name.as_str()))
    });
    let nine = nine.with(plot("Figure 9. Clusters of 20", stem, "figure9", series.collect()));
    vec![eight, nine, figure10(plan, results, stem)]
}

fn figure10(plan: &Plan, results: &Results, stem: &str) -> Section {
    let mut section = Section::new("Figure 10: building the hierarchy");
    let sizes = paper::CLUSTERS.map(|(size, _)| size);
    let most = plan.agents.iter().copied().max().unwrap_or(0);
    let curves = |on_map: &OnMap| -> Vec<(f64, Option<f64>)> {
        let curves = sizes.into_iter().filter_map(|size| on_map.curve(HIERARCHICAL, Some(size)));
        curves.map(|curve| (curve.build, curve.at(most))).collect()
    };
    let cases = results.large.iter().flat_map(curves).map(|(build, all)| Some(build < all?));
    let says = "building takes less time than the paths of the largest batch.";
    claim(&mut section, plan, says, &cases.collect::<Vec<_>>(), " (every map and cluster size)");
    let spread = results.large.iter().map(|on_map| {
        let builds: Vec<f64> = curves(on_map).into_iter().map(|(build, _)| build).collect();
        let least = builds.iter().copied().fold(f64::INFINITY, f64::min);
        builds.into_iter().fold(0.0, f64::max) / least
    });
    let spread: Vec<f64> = spread.filter(|ratio| ratio.is_finite()).collect();
    let says =
        "the cluster size hardly changes the time of a build (here: by a factor of two at most).";
    let cases: Vec<_> = spread.iter().map(|&ratio| Some(ratio <= 2.0)).collect();
    let here = format!("; the factors are {}", range(spread.iter().copied()));
    claim(&mut section, plan, says, &cases, &here);

    let heads = results.large.iter().map(|on_map| on_map.name.as_str());
    let mut clusters = Table::new(["Cluster size"].into_iter().chain(heads)).caption(
        "Table 2: clusters with a walkable cell. In brackets those of the paper, whose maps are others; it leaves incomplete clusters at the edges out.",
    );
    for (size, published) in paper::CLUSTERS {
        let counts = results.large.iter().zip(published).map(|(on_map, published)| {
            let count = on_map.subject.map.as_grid().map_or(0, |grid| maps::clusters(grid, size));
            Cell::text(if plan.quick { grouped(count) } else { format!("{count} ({published})") })
        });
        clusters.row([Cell::number(f64::from(size), 0)].into_iter().chain(counts));
    }
    let series = results.large.iter().map(|on_map| {
        let curves = sizes.into_iter().filter_map(|size| on_map.curve(HIERARCHICAL, Some(size)));
        let points = curves.map(|curve| (f64::from(curve.cluster.unwrap_or(0)), curve.build * 1e3));
        Series::ours(on_map.name.as_str(), points)
    });
    let (x, y) = (Axis::linear("Cluster size"), Axis::linear("Build").unit("ms"));
    let plot = Plot::new("Figure 10. Building the hierarchy", x, y);
    let plot = plot.link(format!("{stem}-figure10.svg"));
    section.with(series.fold(plot, Plot::with)).with(clusters)
}

fn beyond(plan: &Plan, results: &Results, stem: &str) -> Section {
    let mut section = Section::new("Beyond the paper: every engine, more agents");
    if !plan.quick {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let ratios = results.many.iter().flat_map(|on_map| &on_map.curves);
        let ratios: Vec<f64> =
            ratios.filter_map(|curve| curve.points.iter().rev().find_map(Point::ratio)).collect();
        let faster = ratios.iter().filter(|&&ratio| ratio > 1.0).count();
        let words = format!(
            "On {} of {} maps and engines, the largest batch takes less time on the GPU than on {}; the GPU is {} times as fast.",
            faster,
            ratios.len(),
            text::count(cores, "core", "cores"),
            range(ratios.iter().copied())
        );
        section.push(Note::new(Mark::Neutral, words));
    }
    for (number, on_map) in (1..).zip(&results.many) {
        let (x, y) = (Axis::log("Agents"), Axis::log("Time of the batch").unit("ms"));
        let title = format!("Every engine on {}", on_map.name);
        let plot = Plot::new(title, x, y).link(format!("{stem}-beyond{number}.svg"));
        section.push(
            on_map.curves.iter().fold(plot, |plot, curve| plot.with(curve.series(curve.name()))),
        );
    }
    let caption = format!(
        "Missing times would have been longer than {MOST} seconds, as the batch before shows. The machine: {}.",
        circumstances::machine()
    );
    section.with(table(&results.many, &caption))
}
