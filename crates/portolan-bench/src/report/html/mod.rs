//! The report as one HTML page.
//!
//! The page is also well-formed XML, which the tests use to check it. It forbids itself by its
//! security policy to load or run anything.

mod blocks;

use crate::report::text::paragraphs;
use crate::report::{Report, Section, svg};
use crate::svg::escaped as escape;

const STYLE: &str = include_str!("page.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/// With more sections than this the page has a list of them.
const FEW_SECTIONS: usize = 3;

/// The whole page.
pub(crate) fn page(report: &Report) -> String {
    let title = escape(&report.title);
    let sections: String =
        report.sections.iter().enumerate().map(|(i, part)| section(i, part)).collect();
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>{title}</title>
<style>
{drawings}{STYLE}</style>
</head>
<body>
<main>
<header>
<h1>{title}</h1>
{intro}{circumstances}{tally}</header>
{contents}{sections}</main>
</body>
</html>
"#,
        drawings = svg::STYLE,
        intro = text(&report.intro),
        circumstances = circumstances(report),
        tally = tally(report),
        contents = contents(report),
    )
}

/// Paragraphs of plain text.
fn text(words: &str) -> String {
    paragraphs(words).iter().map(|words| format!("<p>{}</p>\n", escape(words))).collect()
}

fn circumstances(report: &Report) -> String {
    let row = |(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
    let rows: String = report.circumstances().map(row).collect();
    if rows.is_empty() { rows } else { format!("<dl>\n{rows}</dl>\n") }
}

fn tally(report: &Report) -> String {
    report.tally().line().map_or(String::new(), |(mark, line)| blocks::note_line(mark, &line))
}

fn contents(report: &Report) -> String {
    if report.sections.len() <= FEW_SECTIONS {
        return String::new();
    }
    let entry = |(i, section): (usize, &Section)| {
        format!("<li><a href=\"#section-{}\">{}</a></li>\n", i + 1, escape(&section.heading))
    };
    let entries: String = report.sections.iter().enumerate().map(entry).collect();
    format!("<nav aria-label=\"Contents\">\n<ol>\n{entries}</ol>\n</nav>\n")
}

fn section(index: usize, section: &Section) -> String {
    let blocks: String = section.blocks.iter().map(blocks::block).collect();
    let heading = escape(&section.heading);
    let id = index + 1;
    format!("<section id=\"section-{id}\">\n<h2>{heading}</h2>\n{blocks}</section>\n")
}
