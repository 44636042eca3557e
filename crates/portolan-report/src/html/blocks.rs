//! The pieces of a section as HTML.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::plot::{LeftOut, colours, labels};
use crate::text::html as escape;
use crate::{
    Align, BarChart, Block, Cell, Draw, Mark, Picture, Plot, Source, Table, comparison, svg,
};

pub(super) fn block(block: &Block) -> String {
    match block {
        Block::Text(words) => super::text(words),
        Block::Note(note) => note_line(note.mark, &note.text),
        Block::Table(data) => table(data, "data"),
        Block::Comparisons(rows) if rows.is_empty() => String::new(),
        Block::Comparisons(rows) => table(&comparison::table(rows), "verdicts"),
        Block::Plot(data) => plot(data),
        Block::Bars(data) => bars(data),
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
    let draws = plot.series.iter().map(|series| Some(series.draw));
    figure(&Figure {
        title: &plot.title,
        legend: legend(&plot.names(), draws),
        above: plot.y.label(),
        drawing,
        below: plot.x.label(),
        left_out,
        caption: &plot.caption,
        data: plot.points_table(),
    })
}

fn bars(chart: &BarChart) -> String {
    figure(&Figure {
        title: &chart.title,
        legend: legend(&chart.names(), chart.series.iter().map(|_| None)),
        above: String::new(),
        drawing: svg::bars(chart),
        below: chart.axis.label(),
        left_out: chart.left_out(),
        caption: &chart.caption,
        data: chart.values_table(),
    })
}

/// What stands around a drawing.
struct Figure<'a> {
    title: &'a str,
    legend: String,
    /// The title of the upward axis.
    above: String,
    drawing: String,
    /// The title of the axis to the right.
    below: String,
    left_out: LeftOut,
    caption: &'a str,
    data: Table,
}

fn figure(figure: &Figure<'_>) -> String {
    let line = |class: &str, words: &str| match words.is_empty() {
        true => String::new(),
        false => format!("<p class=\"{class}\">{}</p>\n", escape(words)),
    };
    let notes: String = figure.left_out.notes().iter().map(|note| line("left-out", note)).collect();
    format!(
        "<figure class=\"plot\">\n{}{}{}{}\n{}{notes}{}<details>\n\
         <summary>The numbers</summary>\n{}</details>\n</figure>\n",
        line("title", figure.title),
        figure.legend,
        line("axis above", &figure.above),
        figure.drawing,
        line("axis below", &figure.below),
        caption(figure.caption),
        table(&figure.data, "data"),
    )
}

/// The list of series; none where there is nothing to tell apart.
fn legend(names: &[(&str, Source)], draws: impl Iterator<Item = Option<Draw>>) -> String {
    let labels = labels(names);
    if labels.iter().all(String::is_empty) {
        return String::new();
    }
    let entry = |((label, colour), (&(_, source), draw))| {
        format!("<li>{}{}</li>\n", svg::key(colour, source, draw), escape(label))
    };
    let styles = labels.iter().map(String::as_str).zip(colours(names));
    let entries: String = styles.zip(names.iter().zip(draws)).map(entry).collect();
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
