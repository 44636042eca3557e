//! A plot as a file of its own: the drawing with its titles, legend and notes as text.

use super::key::{colour_class, sample};
use super::lines::{HEIGHT, contents, description};
use super::{GAP, LINE, STYLE, WIDTH, words};
use crate::report::plot::{colours, labels};
use crate::report::{Plot, text};

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
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" role=\"img\" \
         aria-label=\"{}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"-{GAP:.0} 0 {width:.0} {height:.0}\">\n<style>\n{STYLE}{FONT}</style>\n\
         <rect x=\"-{GAP:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" fill=\"var(--page)\"/>\n\
         {contents}</svg>\n",
        text::html(&description(plot))
    )
}

fn legend(plot: &Plot, page: &mut Lines) {
    let names = plot.names();
    let labels = labels(&names);
    if labels.iter().all(String::is_empty) {
        return;
    }
    for ((series, label), colour) in plot.series.iter().zip(&labels).zip(colours(&names)) {
        let sample = sample(colour, series.source, series.draw);
        let sample = format!(r#"<g class="{}">{sample}</g>"#, colour_class(colour));
        let label = format!(r#"<g class="label">{}</g>"#, words(SAMPLE, 14.0, "start", label));
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
        self.contents += &format!("<g transform=\"translate(0 {below:.1})\">{contents}</g>\n");
        self.below += height;
    }
}
