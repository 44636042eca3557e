//! The Markdown document: whole tables, no stray markup, plots as tables.

use crate::report::{
    Axis, Better, Cell, Comparison, Mark, Note, Picture, Plot, Report, Section, Series, Table,
};

/// A report of one section.
fn document(section: Section) -> String {
    let mut report = Report::new("T");
    report.sections.push(section);
    report.to_markdown()
}

#[track_caller]
fn check(section: Section, expected: &str) {
    assert_eq!(document(section), format!("# T\n\n## S\n\n{}\n", expected.trim()));
}

/// The number of cells in a row: bars that are not escaped, less one.
fn cells(row: &str) -> usize {
    let bars = row.match_indices('|').filter(|&(at, _)| !row[..at].ends_with('\\'));
    bars.count() - 1
}

#[test]
fn head_of_a_report() {
    let report = Report {
        title: "A* again".into(),
        intro: "First.\n\nSecond.".into(),
        date: "today".into(),
        machine: String::new(),
        facts: vec![("Seed".into(), "1".into())],
        sections: vec![],
    };
    let expected = "# A\\* again\n\nFirst.\n\nSecond.\n\n- Date: today\n- Seed: 1\n";
    assert_eq!(report.to_markdown(), expected);
}

#[test]
fn tables() {
    let mut table = Table::new(["Name", "Time [ms]"]).caption("Cap_tion");
    table.row(["a|b".into(), Cell::number(1.5, 2).marked(Mark::Good)]);
    table.row(["c".into(), Cell::number(f64::NAN, 2)]);
    table.row([Cell::text("bad").marked(Mark::Bad)]);
    check(
        Section::new("S").with(table),
        r"
| Name | Time \[ms\] |
| :-- | --: |
| a\|b | **1.50** |
| c | – |
| _bad_ | – |

_Cap\_tion_",
    );
}

#[test]
fn comparisons_with_a_tally() {
    let rows = vec![
        Comparison::new("Time", Better::Lower, 0.5).paper(1.0).unit("ms"),
        Comparison::new("Memory", Better::Lower, 3.0).paper(2.0).note("Wider ids."),
    ];
    let document = document(Section::new("S").with(rows));
    assert!(document.contains("> ✗ 1 of 2 published figures are reached."));
    assert!(document.contains("| Time | 1 ms | 0.5 ms | 0.5 | **✓ reached, 2× better** |  |"));
    assert!(
        document.contains("| Memory | 2 | 3 | 1.5 | _✗ not reached, 1.5× worse_ | Wider ids. |")
    );
}

#[test]
fn plots_with_a_link_become_drawings() {
    let plot = Plot::new("Times", Axis::log("Nodes"), Axis::log("Time").unit("ms"))
        .with(Series::ours("A*", [(10.0, 0.5)]))
        .caption("Why.")
        .link("times.svg");
    check(
        Section::new("S").with(plot),
        r"
**Times**

![Plot: Times. Time \[ms\] against Nodes: A\*](<times.svg>)

_Why._",
    );
}

#[test]
fn plots_become_tables() {
    let plot = Plot::new("Times", Axis::log("Nodes"), Axis::log("Time").unit("ms"))
        .with(Series::ours("A*", [(10.0, 0.5), (1000.0, 0.0), (20.0, f64::NAN)]))
        .with(Series::paper("A*", [(10.0, 0.75)]));
    check(
        Section::new("S").with(plot),
        r"
**Times**: Time \[ms\]

| Nodes | A\* (ours) | A\* (paper) |
| --: | --: | --: |
| 10 | 0.5 | 0.75 |
| 1,000 | 0 | – |

1 value is left out: not a finite number.",
    );
}

#[test]
fn notes_and_pictures() {
    let picture =
        |link: Option<&str>| Picture { link: link.map(Into::into), ..Picture::new([1], "A [map]") };
    let section = Section::new("S")
        .with(Note::new(Mark::Good, "Fine."))
        .with(picture(Some("maps/a b.png")))
        .with(picture(None));
    check(section, "> ✓ Fine.\n\n![A \\[map\\]](<maps/a%20b.png>)\n\nA \\[map\\]");
}

#[test]
fn all_rows_of_a_table_have_as_many_cells() {
    let hostile = "a|b\\|c\\\n| d `|` e";
    let mut table = Table::new([hostile, "x"]);
    table.row([hostile]);
    table.row([hostile; 3]);
    let plot = Plot::new(hostile, Axis::linear(hostile), Axis::linear(hostile))
        .with(Series::ours(hostile, [(1.0, 1.0), (1.0, 2.0)]))
        .with(Series::paper(hostile, [(3.0, 1.0)]));
    let comparison = Comparison::new(hostile, Better::Higher, 1.0).paper(2.0).note(hostile);
    let document = document(Section::new("S").with(table).with(plot).with(comparison));
    let tables: Vec<&str> = document.split("\n\n").filter(|b| b.starts_with('|')).collect();
    assert_eq!(tables.len(), 3);
    for table in tables {
        let widths: Vec<usize> = table.lines().map(cells).collect();
        assert!(widths.iter().all(|&width| width == widths[0]), "{widths:?}\n{table}");
    }
}
