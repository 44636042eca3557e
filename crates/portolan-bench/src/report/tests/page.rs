//! The HTML page: well-formed, alone in the world, and safe against any text.

use crate::report::{
    Axis, Better, Cell, Comparison, Mark, Note, Picture, Plot, Report, Section, Series, Table,
};
use roxmltree::{Document, Node, ParsingOptions};

const HOSTILE: &str =
    "</style><script src='x'>alert(\"1\")</script>&amp;]]><!-- -->\u{0}\u{1b}|*_`\n";

fn plot(text: &str) -> Plot {
    Plot::new(text, Axis::log(text).unit(text), Axis::linear(text).unit(text))
        .with(Series::ours(text, [(1.0, 2.0), (10.0, 3.0)]))
        .with(Series::paper(text, [(1.0, 4.0), (10.0, 5.0), (0.0, 1.0)]))
        .caption(text)
}

/// One of everything, with the same text wherever there can be text.
fn report(text: &str) -> Report {
    let mut table = Table::new([text, "numbers"]).caption(text);
    table.row([text.into(), Cell::number(1.0, 2)]);
    table.row([Cell::missing().marked(Mark::Bad), Cell::text(text).marked(Mark::Good)]);
    let comparison = Comparison::new(text, Better::Lower, 2.0).paper(1.0).unit(text).note(text);
    let picture = Picture {
        caption: text.into(),
        link: Some(text.into()),
        ..Picture::new(*b"\x89PNG", text)
    };
    let section = Section::new(text)
        .with(text)
        .with(Note::new(Mark::Neutral, text))
        .with(table)
        .with(plot(text))
        .with(vec![comparison.clone(), comparison])
        .with(picture);
    Report {
        title: text.into(),
        intro: text.into(),
        date: text.into(),
        machine: text.into(),
        facts: vec![(text.into(), text.into())],
        sections: vec![section; 4],
    }
}

/// The page as XML, which it is careful to be.
fn parse(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap_or_else(|error| panic!("{error}\n{page}"))
}

fn elements<'a>(page: &'a Document<'_>, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    page.root().descendants().filter(move |node| node.tag_name().name() == name)
}

#[test]
fn the_page_is_well_formed() {
    for text in ["", "plain", HOSTILE, &"long ".repeat(1000), "\u{202e}路🗺"] {
        parse(&report(text).to_html());
    }
    parse(&Report::default().to_html());
}

#[test]
fn a_plot_in_a_file_of_its_own_is_well_formed_and_says_everything() {
    for text in ["", "plain", HOSTILE, "\u{202e}路🗺"] {
        let drawing = plot(text).to_svg();
        let drawing = parse(&drawing);
        assert!(elements(&drawing, "script").next().is_none());
        let root = drawing.root_element();
        assert_eq!(root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
    }
    let drawing = plot("words").to_svg();
    for expected in [
        ">words (ours)<",
        ">words (paper)<",
        ">words [words]<",
        ">1 value is not drawn: zero or negative on a logarithmic axis.<",
    ] {
        assert!(drawing.contains(expected), "{expected}: {drawing}");
    }
    assert!(!drawing.contains("url(") && !drawing.contains("href"));
}

#[test]
fn hostile_text_adds_no_elements() {
    let count = |text| {
        let page = report(text).to_html();
        let page = parse(&page);
        assert_eq!(elements(&page, "script").count(), 0);
        page.root().descendants().filter(Node::is_element).count()
    };
    assert_eq!(count(HOSTILE), count("plain"));
}

#[test]
fn the_page_loads_nothing() {
    let page = report("plain").to_html();
    let page = parse(&page);
    for node in page.root().descendants().filter(Node::is_element) {
        for attribute in node.attributes() {
            let local = match attribute.name() {
                "href" => attribute.value().starts_with("#section-"),
                "src" => attribute.value().starts_with("data:image/png;base64,"),
                name => !name.starts_with("on") && !attribute.value().contains("url("),
            };
            assert!(local, "{attribute:?}");
        }
    }
    let style = elements(&page, "style").next().and_then(|style| style.text()).unwrap();
    assert!(!style.contains("url(") && !style.contains("@import"));
}

#[test]
fn pictures_are_inside_the_page() {
    assert!(report("x").to_html().contains("src=\"data:image/png;base64,iVBORw==\""));
}

#[test]
fn drawings_have_names_and_points_have_titles() {
    let page = report("words").to_html();
    let page = parse(&page);
    for drawing in elements(&page, "svg") {
        let named = drawing.attribute("role") == Some("img")
            && drawing.attribute("aria-label").is_some_and(|name| name.contains("words"));
        assert!(named || drawing.attribute("aria-hidden") == Some("true"));
    }
    let titles: Vec<&str> = elements(&page, "title").filter_map(|title| title.text()).collect();
    assert!(titles.contains(&"words (paper): 10 words, 5 words"), "{titles:?}");
}

#[test]
fn ids_are_unique_and_links_lead_somewhere() {
    let page = report("x").to_html();
    let page = parse(&page);
    let mut ids: Vec<&str> = page.root().descendants().filter_map(|n| n.attribute("id")).collect();
    for link in elements(&page, "a").filter_map(|link| link.attribute("href")) {
        assert!(ids.contains(&&link[1..]), "{link}");
    }
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn rows_have_as_many_cells_as_there_are_heads() {
    let mut ragged = Table::new(["a", "b"]);
    ragged.row(["1"]);
    ragged.row(["1", "2", "3"]);
    let mut report = report("x");
    report.sections.push(Section::new("").with(ragged));
    let page = report.to_html();
    for table in elements(&parse(&page), "table") {
        let rows = table.descendants().filter(|node| node.has_tag_name("tr"));
        let mut widths = rows.map(|row| row.children().filter(Node::is_element).count());
        let heads = widths.next().unwrap();
        assert!(widths.all(|width| width == heads));
    }
}

/// The widest tables of the experiments were clipped.
#[test]
fn a_table_of_ten_columns_fits_the_page() {
    let page = report("x").to_html();
    let (_, width) = page.split_once("main { max-width: ").unwrap();
    let width: u32 = width.split_once("px").unwrap().0.parse().unwrap();
    // In pixels: 8 for each of nine digits, 20 around a cell, 32 at the sides of the page.
    assert!(10 * (9 * 8 + 20) <= width - 32, "{width} pixels");
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let page = report("x").to_html();
    assert!(page.contains("1 value is not drawn: zero or negative on a logarithmic axis."));
}

#[test]
fn same_report_same_bytes() {
    assert_eq!(report("x").to_html(), report("x").to_html());
    assert_eq!(report("x").to_markdown(), report("x").to_markdown());
}
