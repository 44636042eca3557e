//! Writes a sample report with one of everything. The numbers are made up.
//!
//! `cargo run -p portolan-report --example sample -- sample.html sample.md`

use portolan_report::{
    Axis, BarChart, BarSeries, Better, Cell, Comparison, Draw, Mark, Note, Picture, Plot, Report,
    Section, Series, Table,
};

fn main() -> std::io::Result<()> {
    let mut paths = std::env::args().skip(1);
    let report = sample();
    std::fs::write(paths.next().unwrap_or("sample.html".into()), report.to_html())?;
    match paths.next() {
        Some(path) => std::fs::write(path, report.to_markdown()),
        None => Ok(()),
    }
}

fn sample() -> Report {
    let mut report = Report::new("A sample report: Partially Precomputed A*");
    report.intro = "Every kind of block, with numbers that are made up.\n\n\
        Text is plain text: <b>tags</b>, *stars* and | bars stay what they are."
        .into();
    report.date = "2026-01-31".into();
    report.machine = "Some processor, 2.6 GHz, one thread".into();
    report.facts = vec![("Command".into(), "portolan reproduce ppa --seed 1".into())];
    report.sections = vec![verdicts(), curves(), charts(), edge_cases()];
    report
}

fn verdicts() -> Section {
    let figures = vec![
        Comparison::new("Nodes expanded per search", Better::Lower, 41.25).paper(53.0),
        Comparison::new("Time per search", Better::Lower, 0.0213).paper(1.4).unit("ms"),
        Comparison::new("Memory", Better::Lower, 203.0)
            .paper(176.0)
            .unit("MB")
            .note("Our regions have more border nodes: the map was cut along other lines."),
        Comparison::new("Paths per second", Better::Higher, 46_900.0)
            .note("The paper does not report it."),
    ];
    let mut table = Table::new(["Method", "Time [ms]", "Expanded", "Memory [MB]"])
        .caption("Table 1. 291 searches on a room map of 205,373 nodes. Best values are bold.");
    let rows = [
        ("A*", 12.313, 24_180.0, None),
        ("Differential heuristic", 2.054, 3479.0, Some(16.4)),
        ("PPA*", 0.0213, 41.25, Some(203.0)),
    ];
    for (method, time, expanded, memory) in rows {
        let memory = memory.map_or(Cell::missing(), |memory| Cell::number(memory, 1));
        table.row([method.into(), Cell::number(time, 3), Cell::number(expanded, 2), memory]);
    }
    table.mark_best(1, Better::Lower);
    table.mark_best(2, Better::Lower);
    Section::new("The room map")
        .with("The map and the lengths of the searches are those of the paper.")
        .with(figures)
        .with(table)
        .with(Note::new(Mark::Good, "Every path was walked: legal, and as short as Dijkstra's."))
        .with(Note::new(Mark::Neutral, "The paper measured on a processor of 2011."))
        .with(Note::new(Mark::Bad, "Memory is above the paper's figure."))
}

fn curves() -> Section {
    let sizes = [11_383.0, 24_117.0, 50_904.0, 99_220.0, 200_284.0];
    let curve = |factor: f64, power: f64| sizes.map(|n: f64| (n, factor * n.powf(power)));
    let times = Plot::new("Average search time", Axis::log("Nodes"), Axis::log("Time").unit("ms"))
        .with(Series::ours("A*", curve(2e-4, 1.02)))
        .with(Series::paper("A*", curve(9e-4, 1.03)))
        .with(Series::ours("PPA*", curve(4e-4, 0.45)))
        .with(Series::paper("PPA*", curve(2e-3, 0.52)))
        .caption("Figure 12 of the paper. Both axes are logarithmic.");
    let precalculation =
        Plot::new("Precalculation", Axis::linear("Nodes"), Axis::linear("Time").unit("s"))
            .with(Series::ours("One thread", curve(1e-5, 1.35)))
            .with(Series::ours("Two threads", curve(6e-6, 1.35)).draw(Draw::Line))
            .with(Series::paper("One thread", curve(1.6e-6, 1.6)).draw(Draw::Markers));
    Section::new("Road maps")
        .with("1,000 random pairs on each of five maps.")
        .with(times)
        .with(precalculation)
}

fn charts() -> Section {
    let memory = BarChart::new("Precomputed memory", Axis::log("Memory").unit("MB"))
        .categories(["11,383 nodes", "50,904 nodes", "200,284 nodes"])
        .with(BarSeries::ours("PPA*", [4.1, 31.0, 160.0].map(Some)))
        .with(BarSeries::paper("PPA*", [None, None, Some(176.0)]))
        .with(BarSeries::ours("Full matrix", [518.0, 10_364.0, 160_455.0].map(Some)));
    let change = BarChart::new("Change against the last version", Axis::linear("Time").unit("%"))
        .categories(["rooms", "mazes", "roads"])
        .with(BarSeries::ours("", [-12.5, 3.1, -0.4].map(Some)));
    let picture = Picture {
        caption: "A map of 64 x 48 cells, one pixel each.".into(),
        pixelated: true,
        ..Picture::new(rooms_png(64, 48), "Square rooms with doors")
    };
    Section::new("Charts and pictures").with(memory).with(change).with(picture)
}

fn edge_cases() -> Section {
    let axes = || (Axis::linear("x"), Axis::log("y"));
    let (x, y) = axes();
    let gaps = Plot::new("Values that cannot be drawn", x, y).with(Series::ours(
        "with gaps",
        [(0.0, 1.0), (1.0, 1e9), (2.0, 0.0), (3.0, 1e-6), (4.0, f64::NAN), (5.0, 1e3), (6.0, 5e4)],
    ));
    let (x, y) = axes();
    let empty = Plot::new("No data at all", x, y);
    let many =
        (0..12).fold(Plot::new("Many series", Axis::linear("x"), Axis::linear("y")), |plot, i| {
            let name = format!("Series {i}");
            plot.with(Series::ours(name, (0..6).map(|x| (f64::from(x), f64::from(x * 3 + i * 4)))))
        });
    let long = "a very long name that would never fit beside a drawing ".repeat(3);
    let labels = BarChart::new("Long names", Axis::linear(&long))
        .categories([&long, "short"])
        .with(BarSeries::ours(&long, [Some(1.0), Some(123_456_789.0)]));
    Section::new("Edge cases").with(gaps).with(empty).with(many).with(labels)
}

/// A small map of rooms as a PNG file.
fn rooms_png(width: u32, height: u32) -> Vec<u8> {
    let wall = |x: u32, y: u32| match (x % 8, y % 8) {
        (0, y) => y != 3,
        (x, 0) => x != 5,
        _ => false,
    };
    let cells = (0..width * height).map(|i| if wall(i % width, i / width) { 60 } else { 240 });
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a small picture");
    writer.write_image_data(&cells.collect::<Vec<u8>>()).expect("as many bytes as pixels");
    drop(writer);
    bytes
}
