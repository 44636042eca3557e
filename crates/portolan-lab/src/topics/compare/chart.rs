//! Time against memory, as the drawings that reports have.

use portolan_bench::report::{Axis, Draw, Plot, Series};
use portolan_bench::timing::Figures;
use serde::Serialize;

/// The chart as SVG, once for each kind of time.
#[derive(Debug, Serialize)]
pub(super) struct Charts {
    mean: String,
    median: String,
}

impl Charts {
    /// Engines on a map of this many bytes, which counts as memory too: without it engines that
    /// store nothing would have no place on a logarithmic axis.
    pub(super) fn of(measured: &[Figures], map_bytes: usize) -> Self {
        let chart = |title: &str, time: fn(&Figures) -> Option<f64>| {
            let points: Vec<Point> = measured
                .iter()
                .filter_map(|figures| {
                    let memory = (figures.index_bytes + map_bytes) as f64 / f64::from(1 << 20);
                    Some(Point { figures, memory, time: time(figures)? })
                })
                .collect();
            plot(title, &points).to_svg()
        };
        Self {
            mean: chart("Mean time per path", |figures| figures.mean_us),
            median: chart("Median time per path", |figures| figures.median_us),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Point<'a> {
    figures: &'a Figures,
    /// In MiB.
    memory: f64,
    /// In microseconds.
    time: f64,
}

fn plot(title: &str, points: &[Point<'_>]) -> Plot {
    let (x, y) = (Axis::log("Memory of map and index").unit("MiB"), Axis::log(title).unit("µs"));
    let front = Series::ours("best exact engines", front(points)).draw(Draw::Steps);
    let plot = Plot::new("", x, y).names_at_points().with(front);
    points.iter().fold(plot, |plot, point| {
        let mark = if point.figures.exact { "" } else { "≈ " };
        let name = format!("{mark}{}", point.figures.engine);
        plot.with(Series::ours(name, [(point.memory, point.time)]).draw(Draw::Markers))
    })
}

/// The exact engines that no other exact one beats in both, by memory.
fn front(points: &[Point<'_>]) -> Vec<(f64, f64)> {
    let mut exact: Vec<_> = points.iter().filter(|point| point.figures.exact).collect();
    exact.sort_by(|a, b| a.memory.total_cmp(&b.memory).then(a.time.total_cmp(&b.time)));
    let mut least = f64::INFINITY;
    let best = exact.into_iter().filter(|point| {
        let is_faster = point.time < least;
        least = least.min(point.time);
        is_faster
    });
    best.map(|point| (point.memory, point.time)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portolan::generate::Rooms;
    use portolan_bench::engines;
    use portolan_bench::timing;
    use portolan_bench::workload::{Subject, Workload};

    /// The figures of an engine, with other times.
    fn figures(name: &str) -> Figures {
        let rooms = Rooms { width: 24, height: 24, room: 6, ..Rooms::default() };
        let subject = Subject::new("rooms", rooms.generate().unwrap());
        let workload = Workload::random(&subject, 3, &()).unwrap();
        let method = engines::find(name).unwrap();
        let measured = timing::measure(method, &subject, &workload, &()).unwrap();
        Figures::new(method, &measured, &workload)
    }

    #[test]
    fn the_front_has_exact_engines_that_none_beats_in_both() {
        let (exact, near) = (figures("astar"), figures("hpa"));
        let at = |figures, (memory, time)| Point { figures, memory, time };
        let points = [
            at(&exact, (4.0, 2.0)),
            at(&exact, (1.0, 9.0)),
            at(&exact, (2.0, 9.0)),
            at(&exact, (2.0, 5.0)),
            at(&exact, (3.0, 6.0)),
            at(&near, (1.0, 1.0)),
        ];
        assert_eq!(front(&points), [(1.0, 9.0), (2.0, 5.0), (4.0, 2.0)]);
        assert!(front(&[]).is_empty());
    }

    #[test]
    fn every_engine_is_named_in_the_chart() {
        let charts = Charts::of(&[figures("astar"), figures("hpa")], 1000);
        for chart in [charts.mean, charts.median] {
            assert!(chart.contains(">astar</text>") && chart.contains(">≈ hpa</text>"), "{chart}");
        }
    }
}
