//! The pieces of a section as HTML.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::report::plot::{colours, labels};
use crate::report::{Align, Block, Cell, Mark, Picture, Plot, Series, Table, comparison, svg};
use crate::svg::escaped as escape;

pub(super) fn block(block: &Block) -> String {
    match block {
        Block::Text(words) => super::text(words),
        Block::Note(note) => note_line(note.mark, &note.text),
        Block::Table(data) => table(data, "data"),
        Block::Comparisons(rows) if rows.is_empty() => String::new(),
        Block::Comparisons(rows) => table(&comparison::table(rows), "verdicts"),
        Block::Plot(data) => plot(data),
        Block::Picture(data) => picture(data),
    }
}

/// A line with a verdict.
pub(super) fn note_line(mark: Mark, words: &str) -> String {
    format!("<p class=\"note {}\">{} {}</p>\n", mark.class(), mark.glyph(), escape(words))
}

/// A table in a box that scrolls sideways where the screen is too narrow for it. (The style sheet
/// turns the rows of the class `verdicts` into cards there.)
fn table(table: &Table, class: &str) -> String {
    let aligns: Vec<Align> = (0..table.width()).map(|column| table.align(column)).collect();
    let head = |(column, align): (usize, &Align)| {
        let name = table.columns.get(column).map_or("", |column| column.name.as_str());
        format!("<th scope=\"col\"{}>{}</th>", classes(*align, None), escape(name))
    };
    let missing = Cell::missing();
    let row = |row: &Vec<Cell>| {
        let cells = row.iter().chain(std::iter::repeat(&missing));
        let cells = aligns.iter().zip(cells).map(|(align, data)| cell(data, *align));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let heads: String = aligns.iter().enumerate().map(head).collect();
    let rows: String = table.rows.iter().map(row).collect();
    let name = if table.caption.is_empty() { "Table" } else { &table.caption };
    format!(
        "<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table class=\"{class}\">\n\
         <thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n{}</figure>\n",
        escape(name),
        caption(&table.caption),
    )
}

fn cell(cell: &Cell, align: Align) -> String {
    let classes = classes(align, cell.mark);
    let Some(words) = cell.words() else {
        return format!("<td{classes}><span class=\"missing\">–</span></td>");
    };
    let words = escape(&words);
    match cell.mark {
        Some(Mark::Good) => format!("<td{classes}><strong>{words}</strong></td>"),
        Some(Mark::Bad) => format!("<td{classes}><em>{words}</em></td>"),
        _ => format!("<td{classes}>{words}</td>"),
    }
}

/// The class attribute of a cell.
fn classes(align: Align, mark: Option<Mark>) -> String {
    let side = match align {
        Align::Left => None,
        Align::Center => Some("center"),
        Align::Right => Some("right"),
    };
    let classes: Vec<&str> = side.into_iter().chain(mark.map(Mark::class)).collect();
    if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) }
}

fn caption(words: &str) -> String {
    if words.is_empty() {
        return String::new();
    }
    format!("<figcaption>{}</figcaption>\n", escape(words))
}

fn plot(plot: &Plot) -> String {
    let (drawing, left_out) = svg::lines(plot);
    let line = |class: &str, words: &str| match words.is_empty() {
        true => String::new(),
        false => format!("<p class=\"{class}\">{}</p>\n", escape(words)),
    };
    let notes: String = left_out.notes().iter().map(|note| line("left-out", note)).collect();
    format!(
        "<figure class=\"plot\">\n{}{}{}{drawing}\n{}{notes}{}<details>\n\
         <summary>The numbers</summary>\n{}</details>\n</figure>\n",
        line("title", &plot.title),
        legend(plot),
        line("axis above", &plot.y.label()),
        line("axis below", &plot.x.label()),
        caption(&plot.caption),
        table(&plot.points_table(), "data"),
    )
}

/// The list of series; none if no series has a name.
fn legend(plot: &Plot) -> String {
    let names = plot.names();
    let labels = labels(&names);
    if plot.names_at_points || labels.iter().all(String::is_empty) {
        return String::new();
    }
    let entry = |((series, label), colour): ((&Series, &String), usize)| {
        let key = svg::key(colour, series.source, series.draw);
        format!("<li>{key}{}</li>\n", escape(label))
    };
    let entries: String = plot.series.iter().zip(&labels).zip(colours(&names)).map(entry).collect();
    format!("<ul class=\"legend\">\n{entries}</ul>\n")
}

fn picture(picture: &Picture) -> String {
    let class = if picture.pixelated { " class=\"pixelated\"" } else { "" };
    format!(
        "<figure>\n<img{class} src=\"data:image/png;base64,{}\" alt=\"{}\"/>\n{}</figure>\n",
        STANDARD.encode(&picture.png),
        escape(&picture.alt),
        caption(&picture.caption),
    )
}
