//! Figures of a report inside a Markdown page that people write.
//!
//! Such a page has places for sections: a line `<!-- figures: HEADING -->` and, after it, a line
//! `<!-- end of figures -->`. What is between belongs to the section of this heading; everything
//! else stays as it was written.

use crate::report::{Report, Section, markdown};

const BEGIN: &str = "<!-- figures: ";
const BEGIN_END: &str = " -->";
const END: &str = "<!-- end of figures -->";

/// The headings for which a page has a place, in its order.
pub fn places(page: &str) -> Vec<&str> {
    let (mut places, mut open) = (Vec::new(), None);
    for line in page.lines() {
        if let Some(heading) = heading(line) {
            open = Some(heading);
        } else if line.trim() == END {
            places.extend(open.take());
        }
    }
    places
}

impl Report {
    /// The page with the figures of this report. A place gets the circumstances, the section of its
    /// heading, and the `shared` sections; places of other headings stay as they are.
    pub fn fill(&self, page: &str, shared: &[&str]) -> String {
        let known = places(page);
        let with_heading = |heading: &str| self.sections.iter().find(|it| it.heading == heading);
        let (mut filled, mut is_replaced) = (String::with_capacity(page.len()), false);
        for line in page.split_inclusive('\n') {
            is_replaced &= line.trim() != END;
            if is_replaced {
                continue;
            }
            filled += line;
            let heading = heading(line).filter(|heading| known.contains(heading));
            if let Some(section) = heading.and_then(with_heading) {
                let shared = shared.iter().filter_map(|&heading| with_heading(heading));
                let sections: Vec<&Section> = [section].into_iter().chain(shared).collect();
                filled += &format!("\n{}\n", markdown::part(self, sections.into_iter()));
                is_replaced = true;
            }
        }
        filled
    }
}

fn heading(line: &str) -> Option<&str> {
    line.trim().strip_prefix(BEGIN)?.strip_suffix(BEGIN_END)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Ours\n\n<!-- figures: A -->\nold\n<!-- end of figures -->\nwords\n\
        <!-- figures: B -->\nkept\n<!-- end of figures -->\n<!-- figures: open -->\nend\n";

    #[test]
    fn only_the_sections_of_the_report_are_replaced() {
        assert_eq!(places(PAGE), ["A", "B"]);
        let mut report = Report::new("x");
        report.date = "2026-01-31".into();
        for (heading, words) in [("A", "new"), ("C", "nowhere"), ("Answers", "right")] {
            report.sections.push(Section::new(heading).with(words));
        }
        let filled = report.fill(PAGE, &["Answers"]);
        let expected = PAGE.replace("old\n", "\n- Date: 2026-01-31\n\nnew\n\nright\n\n");
        assert_eq!(filled, expected);
        assert_eq!(report.fill(&filled, &["Answers"]), filled, "again");
    }

    #[test]
    fn a_place_without_an_end_is_none() {
        let mut report = Report::new("x");
        report.sections.push(Section::new("open").with("lost"));
        assert_eq!(report.fill(PAGE, &[]), PAGE);
        assert!(places("words").is_empty());
    }
}
