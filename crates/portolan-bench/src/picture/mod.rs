//! Pictures of maps, searches and paths.
//!
//! `grid` and `graph` turn a map and a search into a `Scene`: layers of cells, lines and discs in
//! pixels, each in an `Ink`. The backends `png` and `svg` draw any scene and know nothing of maps;
//! `terminal` draws the cells of a small grid as text.

mod graph;
mod grid;
mod ink;
mod legend;
mod letters;
mod png;
mod scene;
mod svg;
mod terminal;

use std::path::Path;

use portolan::search::{Counter, Observer};
use portolan::{Cost, Grid, Map, NodeId};

use crate::Error;
use crate::workload::Subject;
use crate::workload::files::has_extension;
pub use graph::shrink_of_x;
use ink::Ink;
pub use legend::Key;
pub use terminal::draw as draw_in_terminal;

/// What a picture of a map shows.
pub struct View<'a> {
    /// What a search expanded.
    pub searched: &'a Searched,
    /// What a second search expanded, for comparison; on grids only.
    pub inner: Option<&'a Searched>,
    /// Other nodes to mark; on grids only.
    pub landmarks: &'a [NodeId],
    /// The nodes of the path; empty if there is none.
    pub path: &'a [NodeId],
    /// The nodes of another path, below it; on grids only.
    pub before: &'a [NodeId],
    /// Start and goal.
    pub ends: (NodeId, NodeId),
    /// The items of the legend; no legend without any.
    pub legend: &'a [Key],
}

/// A crowd on a grid with cells of several pixels.
pub struct CrowdView<'a> {
    /// The cost from each node to the nearest exit.
    pub costs: &'a [Cost],
    /// Where each agent has walked.
    pub tracks: &'a [Vec<NodeId>],
    /// Where each agent is.
    pub agents: &'a [NodeId],
    /// Where they walk to.
    pub exits: &'a [NodeId],
    /// The cells that were blocked meanwhile.
    pub edited: &'a [NodeId],
    /// See [`View::legend`].
    pub legend: &'a [Key],
}

impl<'a> View<'a> {
    /// A search and the path it found.
    pub fn of(searched: &'a Searched, path: &'a [NodeId], ends: (NodeId, NodeId)) -> Self {
        Self { searched, inner: None, landmarks: &[], path, before: &[], ends, legend: &[] }
    }
}

/// An observer that counts, and remembers which nodes were expanded.
pub struct Searched {
    /// How many nodes were expanded and generated.
    pub counter: Counter,
    expanded: Vec<bool>,
}

impl Searched {
    /// For a map of this many nodes; with 0, nodes are only counted.
    pub fn new(nodes: usize) -> Self {
        Self { counter: Counter::default(), expanded: vec![false; nodes] }
    }

    fn contains(&self, node: NodeId) -> bool {
        self.expanded.get(node as usize).is_some_and(|&expanded| expanded)
    }
}

impl Observer for Searched {
    fn expanded(&mut self, node: NodeId, cost: Cost) {
        self.counter.expanded(node, cost);
        if let Some(expanded) = self.expanded.get_mut(node as usize) {
            *expanded = true;
        }
    }

    fn generated(&mut self, node: NodeId, cost: Cost) {
        self.counter.generated(node, cost);
    }
}

/// The two kinds of picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Pixels.
    Png,
    /// Shapes.
    Svg,
}

impl Format {
    /// By the extension of the file's name.
    pub fn of(path: &Path) -> Option<Self> {
        match () {
            () if has_extension(path, "png") => Some(Self::Png),
            () if has_extension(path, "svg") => Some(Self::Svg),
            () => None,
        }
    }
}

/// An error if the map cannot be drawn. Call it before any long work.
pub fn check(subject: &Subject) -> Result<(), Error> {
    match &subject.map {
        Map::Graph(graph) if graph.coordinates().is_none() => {
            Err(subject.without_coordinates("there is nothing to draw it by".into()))
        }
        _ => Ok(()),
    }
}

/// Draws a view of the map.
pub fn draw(map: &Map, view: &View, format: Format) -> Result<Vec<u8>, Error> {
    let scene = match map {
        Map::Grid(grid) => grid::scene(grid, view),
        Map::Graph(graph) => graph::scene(graph, graph.coordinates().unwrap_or(&[]), view),
    };
    encode(legend::with_legend(scene, view.legend), format)
}

/// Draws a crowd, as PNG.
pub fn draw_crowd(grid: &Grid, view: &CrowdView) -> Result<Vec<u8>, Error> {
    encode(legend::with_legend(grid::crowd_scene(grid, view), view.legend), Format::Png)
}

fn encode(scene: scene::Scene, format: Format) -> Result<Vec<u8>, Error> {
    if format == Format::Svg {
        return Ok(svg::draw(&scene).into_bytes());
    }
    let mut bytes = Vec::new();
    png::write(&scene, &mut bytes).map_err(Error::Picture)?;
    Ok(bytes)
}
