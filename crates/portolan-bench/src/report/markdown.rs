//! The report as Markdown, in GitHub's dialect.

use crate::report::text::{markdown as escape, markdown_link, paragraphs};
use crate::report::{
    Align, Block, Cell, Mark, Picture, Plot, Report, Section, Table, comparison, svg,
};

/// The whole document: blocks with an empty line between them.
pub(crate) fn document(report: &Report) -> String {
    let mut blocks = vec![format!("# {}", escape(&report.title))];
    blocks.extend(text(&report.intro));
    blocks.push(circumstances(report));
    blocks.extend(report.tally().line().map(|(mark, line)| note(mark, &line)));
    for section in &report.sections {
        blocks.push(format!("## {}", escape(&section.heading)));
        blocks.extend(section.blocks.iter().flat_map(block));
    }
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// The circumstances and these sections without their headings, for another document.
pub(crate) fn part<'a>(report: &Report, sections: impl Iterator<Item = &'a Section>) -> String {
    let mut blocks = vec![circumstances(report)];
    blocks.extend(sections.flat_map(|section| &section.blocks).flat_map(block));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn circumstances(report: &Report) -> String {
    let fact = |(name, value)| format!("- {}: {}", escape(name), escape(value));
    report.circumstances().map(fact).collect::<Vec<_>>().join("\n")
}

fn block(block: &Block) -> Vec<String> {
    match block {
        Block::Text(words) => text(words),
        Block::Note(data) => vec![note(data.mark, &data.text)],
        Block::Table(data) => vec![table(data), emphasis(&data.caption)],
        Block::Comparisons(rows) if rows.is_empty() => Vec::new(),
        Block::Comparisons(rows) => vec![table(&comparison::table(rows))],
        Block::Plot(data @ Plot { link: Some(link), .. }) => {
            let drawing = image(&svg::description(data), link);
            vec![strong(&data.title), drawing, emphasis(&data.caption)]
        }
        Block::Plot(data) => {
            let missing = data.series.iter().flat_map(|series| &series.points);
            let missing = missing.filter(|(x, y)| !x.is_finite() || !y.is_finite()).count();
            figure(&data.title, &data.points_table(), missing, &data.caption)
        }
        Block::Picture(data) => vec![picture(data), emphasis(&data.caption)],
    }
}

fn text(words: &str) -> Vec<String> {
    paragraphs(words).iter().map(|words| escape(words)).collect()
}

fn note(mark: Mark, words: &str) -> String {
    format!("> {} {}", mark.glyph(), escape(words))
}

/// A plot: its numbers, and a word on those that are none.
fn figure(title: &str, data: &Table, missing: usize, caption: &str) -> Vec<String> {
    let left_out = match missing {
        0 => String::new(),
        1 => "1 value is left out: not a finite number.".into(),
        _ => format!("{missing} values are left out: not finite numbers."),
    };
    let heading = match (title.is_empty(), data.caption.is_empty()) {
        (_, true) => strong(title),
        (true, false) => escape(&data.caption),
        (false, false) => format!("{}: {}", strong(title), escape(&data.caption)),
    };
    vec![heading, table(data), left_out, emphasis(caption)]
}

fn picture(picture: &Picture) -> String {
    match &picture.link {
        Some(link) => image(&picture.alt, link),
        None => escape(&picture.alt),
    }
}

fn image(alt: &str, link: &str) -> String {
    format!("![{}](<{}>)", escape(alt), markdown_link(link))
}

fn table(table: &Table) -> String {
    let columns = 0..table.width();
    if columns.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let head =
        |column: usize| table.columns.get(column).map_or(String::new(), |head| escape(&head.name));
    let rule = |column| match table.align(column) {
        Align::Left => ":--".to_owned(),
        Align::Center => ":-:".to_owned(),
        Align::Right => "--:".to_owned(),
    };
    let row = |row: &Vec<Cell>| {
        line(columns.clone().map(|column| row.get(column).map_or("–".into(), cell)).collect())
    };
    let heads = line(columns.clone().map(head).collect());
    let rules = line(columns.clone().map(rule).collect());
    [heads, rules].into_iter().chain(table.rows.iter().map(row)).collect::<Vec<_>>().join("\n")
}

fn cell(cell: &Cell) -> String {
    let Some(words) = cell.words() else { return "–".into() };
    match cell.mark {
        Some(Mark::Good) => strong(&words),
        Some(Mark::Bad) => emphasis(&words),
        _ => escape(&words),
    }
}

fn strong(words: &str) -> String {
    wrapped("**", words)
}

fn emphasis(words: &str) -> String {
    wrapped("_", words)
}

fn wrapped(sign: &str, words: &str) -> String {
    let words = escape(words);
    if words.is_empty() { words } else { format!("{sign}{words}{sign}") }
}
