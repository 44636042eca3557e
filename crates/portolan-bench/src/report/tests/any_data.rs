//! No data makes a renderer panic or leaves a drawing with numbers that are none.

use crate::report::{
    Axis, Better, Cell, Comparison, Draw, Plot, Report, Scale, Section, Series, Source, Table,
};

/// Values at the edges of what an `f64` can be.
const EDGES: [f64; 19] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.0 + f64::EPSILON,
    5e-324,
    -5e-324,
    f64::MIN_POSITIVE,
    1e-250,
    1e250,
    -1e250,
    1e251,
    f64::MAX,
    f64::MIN,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    999_999.999_999,
    1e15,
];

/// Numbers from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn value(&mut self) -> f64 {
        match self.below(4) {
            0 => EDGES[self.below(EDGES.len())],
            1 => f64::from_bits(self.next()),
            2 => self.below(1000) as f64,
            _ => self.next() as f64 / 2f64.powi(self.below(120) as i32),
        }
    }

    fn axis(&mut self) -> Axis {
        let scale = if self.below(2) == 0 { Scale::Linear } else { Scale::Logarithmic };
        Axis { title: self.text(), unit: self.text(), scale }
    }

    fn text(&mut self) -> String {
        ["", "ms", "<&>", "a name"][self.below(4)].repeat(self.below(40))
    }

    fn source(&mut self) -> Source {
        if self.below(2) == 0 { Source::Ours } else { Source::Paper }
    }

    fn series(&mut self) -> Series {
        let draw = [Draw::Line, Draw::Markers, Draw::Both, Draw::Steps][self.below(4)];
        let points = (0..self.below(6)).map(|_| (self.value(), self.value())).collect();
        Series { name: self.text(), source: self.source(), draw, points }
    }

    fn section(&mut self) -> Section {
        let mut plot = Plot::new(self.text(), self.axis(), self.axis());
        plot.series = (0..self.below(4)).map(|_| self.series()).collect();
        plot.names_at_points = self.below(2) == 0;
        let mut table = Table::new((0..self.below(4)).map(|_| self.text()));
        for _ in 0..self.below(4) {
            table.row((0..self.below(5)).map(|_| Cell::number(self.value(), self.below(400))));
        }
        table.mark_best(self.below(4), Better::Lower);
        let comparison = Comparison::new("x", Better::Higher, self.value()).paper(self.value());
        Section::new(self.text()).with(plot).with(table).with(comparison)
    }
}

/// Renders both forms and looks for numbers that are none in the drawings.
#[track_caller]
fn check(section: Section, what: &str) {
    let mut report = Report::new("T");
    report.sections.push(section);
    report.to_markdown();
    let page = report.to_html();
    let page = roxmltree::Document::parse_with_options(
        &page,
        roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
    )
    .unwrap_or_else(|error| panic!("{what}: {error}"));
    let inside = |node: &roxmltree::Node| node.ancestors().any(|node| node.has_tag_name("svg"));
    for node in page.root().descendants().filter(|node| node.is_element() && inside(node)) {
        for attribute in node.attributes().filter(|attribute| attribute.name() != "aria-label") {
            let value = attribute.value();
            assert!(!value.contains("NaN") && !value.contains("inf"), "{what}: {attribute:?}");
            assert!(value.len() < 200, "{what}: {attribute:?}");
        }
    }
}

fn scales() -> [(Scale, Scale); 4] {
    use Scale::{Linear, Logarithmic};
    [(Linear, Linear), (Linear, Logarithmic), (Logarithmic, Linear), (Logarithmic, Logarithmic)]
}

#[test]
fn every_pair_of_edges() {
    for (x, y) in scales() {
        for a in EDGES {
            for b in EDGES {
                let axis = |scale| Axis { scale, ..Axis::linear("x").unit("u") };
                let plot = Plot::new("", axis(x), axis(y))
                    .with(Series::ours("", [(a, b), (b, a)]))
                    .with(Series::paper("", [(a, a)]));
                check(Section::new("").with(plot), &format!("{a:e} {b:e} {x:?} {y:?}"));
            }
        }
    }
}

#[test]
fn random_reports() {
    for seed in 0..2000 {
        check(Random(seed).section(), &format!("seed {seed}"));
    }
}

#[test]
fn empty_things() {
    let axes = || Axis::default();
    let section = Section::new("")
        .with("")
        .with(Plot::new("", axes(), axes()))
        .with(Plot::new("", axes(), Axis::log("")).with(Series::ours("", [])))
        .with(Table::default())
        .with(Vec::<Comparison>::new());
    check(section, "empty");
}

#[test]
fn very_long_names() {
    let long = "name ".repeat(10_000);
    let plot = Plot::new(&long, Axis::linear(&long).unit(&long), Axis::log(&long))
        .with(Series::ours(&long, [(1.0, 1.0)]));
    check(Section::new(&long).with(plot), "long");
}
