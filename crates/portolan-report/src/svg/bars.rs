//! Bar charts.

use super::key::{colour_class, source_class};
use super::{
    CHARACTER, Frame, GAP, LINE, WIDTH, drawing, fitting, labels_room, room, title, words,
};
use crate::plot::{colours, labels};
use crate::text::shortened;
use crate::ticks::Span;
use crate::{BarChart, Scale};

/// The height of a bar, and of a bar with the gap under it.
const BAR: f64 = 17.0;
const PITCH: f64 = 20.0;

/// The chart without its title and legend.
pub(crate) fn bars(chart: &BarChart) -> String {
    let values: Vec<f64> = (0..chart.groups())
        .flat_map(|group| (0..chart.series.len()).filter_map(move |i| chart.bar(group, i)))
        .collect();
    let span = Span::around(values.iter().copied(), chart.axis.scale, true);
    let numbers: Vec<String> = values.iter().map(|&value| chart.axis.value(value)).collect();
    // A unit of any length must not squeeze the bars out of the picture.
    let margin = (room(numbers.iter().map(String::as_str)) + GAP).min(WIDTH * 0.4);

    let named = chart.categories.iter().any(|name| !name.is_empty());
    let label = if named { LINE + 2.0 } else { 0.0 };
    let group_height = label + chart.series.len() as f64 * PITCH + GAP;
    let body = if values.is_empty() { 3.0 * LINE } else { chart.groups() as f64 * group_height };

    let ticks = fitting(WIDTH - margin - GAP, |most| span.ticks(most));
    let left = (labels_room(&ticks) / 2.0).max(GAP);
    let right = WIDTH - margin.max(left);
    let frame = Frame { left, right, top: 0.0, bottom: body };

    let mut contents = frame.x_axis(&ticks);
    if values.is_empty() {
        contents += &words(frame.x(0.5), frame.y(0.5), "middle", "no data");
    } else {
        for group in 0..chart.groups() {
            let top = group as f64 * group_height;
            contents += &group_label(chart, group, top);
            contents += &group_bars(chart, group, top + label, &frame, &span);
        }
    }
    let description = format!(
        "Bar chart: {}. {}: {}",
        chart.title,
        chart.axis.label(),
        labels(&chart.names()).join(", ")
    );
    drawing(body + LINE + GAP, &description, &contents)
}

/// The name of a group above its bars, cut where it does not fit.
fn group_label(chart: &BarChart, group: usize, top: f64) -> String {
    let name = chart.category(group);
    if name.is_empty() {
        return String::new();
    }
    let short = shortened(name, (WIDTH / CHARACTER) as usize);
    let label = words(2.0, top + LINE - 4.0, "start", &short);
    format!(r#"<g class="label">{}{label}</g>"#, title(name))
}

fn group_bars(chart: &BarChart, group: usize, top: f64, frame: &Frame, span: &Span) -> String {
    let names = chart.names();
    let (labels, colours) = (labels(&names), colours(&names));
    let base = match chart.axis.scale {
        Scale::Linear => frame.x(span.fraction(0.0)),
        Scale::Logarithmic => frame.left,
    };
    let mut out = String::new();
    for (i, series) in chart.series.iter().enumerate() {
        let y = top + i as f64 * PITCH;
        let Some(value) = chart.bar(group, i) else {
            out += &words(base + 6.0, y + BAR - 4.0, "start", "–");
            continue;
        };
        let end = frame.x(span.fraction(value));
        // A bar of no length would be lost.
        let (x, width) = (base.min(end), (end - base).abs().max(1.5));
        let number = chart.axis.value(value);
        let words_of = [chart.category(group), &labels[i], &number];
        let full = words_of.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
        out += &format!(
            r#"<g class="{}"><rect class="bar {}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{BAR}">{}</rect></g>{}"#,
            colour_class(colours[i]),
            source_class(series.source),
            title(&full.join(": ")),
            words(
                base.max(end) + 6.0,
                y + BAR - 4.0,
                "start",
                &shortened(&number, (WIDTH * 0.4 / CHARACTER) as usize)
            ),
        );
    }
    out
}
