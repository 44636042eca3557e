//! The report itself: sections of blocks, in the order in which they are read.

use crate::report::{Comparison, Plot, Table, Tally, html, markdown};

/// An experiment written up: what was done, on what machine, and what came out.
///
/// See the [module](crate::report) for an example.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The heading of the page.
    pub(crate) title: String,
    /// What the report is about; blank lines separate paragraphs.
    pub intro: String,
    /// When the experiment ran, as it should be shown; not shown when empty.
    pub date: String,
    /// Where the experiment ran, as it should be shown; not shown when empty.
    pub machine: String,
    /// Further circumstances as name and value: the command, the seed, the version.
    pub(crate) facts: Vec<(String, String)>,
    /// The body.
    pub sections: Vec<Section>,
}

impl Report {
    /// A report with nothing but a title.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// The report as one HTML page that needs no other file.
    pub fn to_html(&self) -> String {
        html::page(self)
    }

    /// The report as Markdown in GitHub's dialect; plots become tables of their points, or
    /// links to drawings where they have one.
    pub fn to_markdown(&self) -> String {
        markdown::document(self)
    }

    /// How many published figures the report reaches, over all sections.
    pub(crate) fn tally(&self) -> Tally {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        Tally::of(blocks.flat_map(|block| match block {
            Block::Comparisons(rows) => rows.as_slice(),
            _ => &[],
        }))
    }

    /// Gives every picture a file beside the report, for the Markdown. Their names begin with
    /// `stem`.
    pub(crate) fn link_pictures(&mut self, stem: &str) {
        let blocks = self.sections.iter_mut().flat_map(|section| &mut section.blocks);
        let pictures = blocks.filter_map(|block| match block {
            Block::Picture(picture) => Some(picture),
            _ => None,
        });
        for (number, picture) in (1..).zip(pictures) {
            picture.link = Some(format!("{stem}-{number}.png"));
        }
    }

    /// The plots and pictures that the Markdown shows as files, with the names of these.
    pub fn linked(&self) -> impl Iterator<Item = (&str, Vec<u8>)> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Plot(plot) => Some((plot.link.as_deref()?, plot.to_svg().into_bytes())),
            Block::Picture(picture) => Some((picture.link.as_deref()?, picture.png.clone())),
            _ => None,
        })
    }

    /// Date, machine and facts as rows of name and value, without the empty ones.
    pub(crate) fn circumstances(&self) -> impl Iterator<Item = (&str, &str)> {
        let named = [("Date", self.date.as_str()), ("Machine", self.machine.as_str())];
        let facts = self.facts.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        named.into_iter().chain(facts).filter(|(_, value)| !value.is_empty())
    }
}

/// A heading and its contents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub(crate) heading: String,
    /// The contents, in order.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section without contents.
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), blocks: Vec::new() }
    }

    /// Adds a block at the end: text, a note, a table, a plot, a picture, comparisons.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.blocks.push(block.into());
    }

    /// [`push`](Self::push) for building in one expression.
    pub fn with(mut self, block: impl Into<Block>) -> Self {
        self.push(block);
        self
    }
}

/// One piece of a section. Every variant has a `From`, so [`Section::with`] takes the pieces
/// themselves.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Plain text; blank lines separate paragraphs.
    Text(String),
    /// One line with a verdict.
    Note(Note),
    /// Rows and columns.
    Table(Table),
    /// Published figures beside ours.
    Comparisons(Vec<Comparison>),
    /// Points in a plane.
    Plot(Plot),
    /// A raster picture.
    Picture(Picture),
}

macro_rules! block_from {
    ($($from:ty => $variant:ident),*) => {$(
        impl From<$from> for Block {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}
block_from!(&str => Text, String => Text, Note => Note, Table => Table, Plot => Plot,
    Picture => Picture, Vec<Comparison> => Comparisons);

impl From<Comparison> for Block {
    fn from(row: Comparison) -> Self {
        Self::Comparisons(vec![row])
    }
}

/// A verdict on a number or a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// Neither; worth a look.
    #[default]
    Neutral,
    /// As hoped, or the best of its kind.
    Good,
    /// Short of what was hoped.
    Bad,
}

impl Mark {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Good => "good",
            Self::Bad => "bad",
        }
    }

    pub(crate) fn glyph(self) -> &'static str {
        match self {
            Self::Neutral => "•",
            Self::Good => "✓",
            Self::Bad => "✗",
        }
    }
}

/// One line with a verdict: "every path was walked and is optimal".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    /// The verdict.
    pub(crate) mark: Mark,
    /// What is judged, and why so.
    pub(crate) text: String,
}

impl Note {
    /// A note with a verdict.
    pub fn new(mark: Mark, text: impl Into<String>) -> Self {
        Self { mark, text: text.into() }
    }
}

/// A PNG picture, kept inside the HTML page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// The bytes of the PNG file.
    pub png: Vec<u8>,
    /// A description for readers who cannot see it.
    pub alt: String,
    /// The line under the picture; none when empty.
    pub caption: String,
    /// Keep the edges of enlarged pixels hard: right for maps with a pixel per cell, wrong for
    /// photographs.
    pub pixelated: bool,
    /// The path of a copy of the file, relative to the Markdown file, which cannot contain it.
    /// Without it, the Markdown has the words only.
    pub link: Option<String>,
}

impl Picture {
    /// A picture and its description.
    pub fn new(png: impl Into<Vec<u8>>, alt: impl Into<String>) -> Self {
        Self { png: png.into(), alt: alt.into(), ..Self::default() }
    }
}
