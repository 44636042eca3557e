//! A plot as a file of its own: the drawing with its titles, legend and notes as text.

use std::fmt::Display;

use super::key::{colour_class, sample};
use super::lines::{HEIGHT, contents, description};
use super::{GAP, LINE, STYLE, WIDTH, words};
use crate::report::Plot;
use crate::report::plot::{colours, labels};
use crate::svg::element;

/// Room for the sample before a label of the legend.
const SAMPLE: f64 = 44.0;
/// Letters of the page have a font from around them; those of a file do not.
const FONT: &str = "text { font-family: system-ui, sans-serif; }\n";

/// The whole file.
pub(crate) fn alone(plot: &Plot) -> String {
    let (drawing, left_out) = contents(plot);
    let mut page = Lines { contents: String::new(), below: GAP };
    page.line(0.0, "start", &plot.title);
    legend(plot, &mut page);
    page.line(0.0, "start", &plot.y.label());
    page.block(HEIGHT, &drawing);
    page.line(WIDTH / 2.0, "middle", &plot.x.label());
    for note in left_out.notes() {
        page.line(0.0, "start", &note);
    }
    let Lines { contents, below } = page;
    // Letters and markers reach a little beyond the edges of what is laid out.
    let (width, height) = (WIDTH + 2.0 * GAP, below + GAP);
    let (wide, high) = (format!("{width:.0}"), format!("{height:.0}"));
    let (left, view) = (format!("-{GAP:.0}"), format!("-{GAP:.0} 0 {width:.0} {height:.0}"));
    let paper = element(
        "rect",
        &[("x", &left), ("width", &wide), ("height", &high), ("fill", &"var(--page)")],
        "",
    );
    let attributes: [(&str, &dyn Display); 7] = [
        ("xmlns", &"http://www.w3.org/2000/svg"),
        ("class", &"drawing"),
        ("role", &"img"),
        ("aria-label", &description(plot)),
        ("width", &wide),
        ("height", &high),
        ("viewBox", &view),
    ];
    let style = format!("\n<style>\n{STYLE}{FONT}</style>\n");
    element("svg", &attributes, &format!("{style}{paper}\n{contents}")) + "\n"
}

fn legend(plot: &Plot, page: &mut Lines) {
    let names = plot.names();
    let labels = labels(&names);
    if plot.names_at_points || labels.iter().all(String::is_empty) {
        return;
    }
    for ((series, label), colour) in plot.series.iter().zip(&labels).zip(colours(&names)) {
        let sample = sample(colour, series.source, series.draw);
        let sample = element("g", &[("class", &colour_class(colour))], &sample);
        let label = element("g", &[("class", &"label")], &words(SAMPLE, 14.0, "start", label));
        page.block(LINE, &(sample + &label));
    }
}

/// Things one below the other.
struct Lines {
    contents: String,
    /// Where the next one starts.
    below: f64,
}

impl Lines {
    /// A line of text; none where there is none.
    fn line(&mut self, x: f64, anchor: &str, text: &str) {
        if !text.is_empty() {
            self.block(LINE, &words(x, 14.0, anchor, text));
        }
    }

    fn block(&mut self, height: f64, contents: &str) {
        let below = self.below;
        let transform = format!("translate(0 {below:.1})");
        self.contents += &element("g", &[("transform", &transform)], contents);
        self.contents.push('\n');
        self.below += height;
    }
}
