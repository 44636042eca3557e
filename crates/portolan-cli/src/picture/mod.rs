//! Pictures of maps, searches and paths.
//!
//! [`grid`] and [`graph`] turn what is to be seen into one [`Scene`](scene::Scene): layers of
//! cells, lines and discs in pixels, each in an [`Ink`]. The backends [`png`] and [`svg`] draw any
//! scene and know nothing of maps; [`terminal`] draws the cells of a small grid as text.

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

use crate::error::Error;
use crate::files;
use crate::load::Loaded;
use ink::Ink;
pub(crate) use legend::Key;
pub(crate) use terminal::draw as draw_in_terminal;

/// What is to be seen on a map.
pub(crate) struct View<'a> {
    /// What a search expanded.
    pub(crate) searched: &'a Searched,
    /// What another expanded that is to be compared with it; on grids only.
    pub(crate) inner: Option<&'a Searched>,
    /// Nodes to be marked beside the ends; on grids only.
    pub(crate) landmarks: &'a [NodeId],
    /// The nodes of the path; none where there is none.
    pub(crate) path: &'a [NodeId],
    /// The nodes of another path, below it; on grids only.
    pub(crate) before: &'a [NodeId],
    /// Start and goal.
    pub(crate) ends: (NodeId, NodeId),
    /// What the strip under the picture explains; no strip without any.
    pub(crate) legend: &'a [Key],
}

/// A crowd on a grid, each of whose cells is large enough to be seen.
pub(crate) struct CrowdView<'a> {
    /// What the way to the nearest exit costs, by node.
    pub(crate) costs: &'a [Cost],
    /// Where each agent has walked.
    pub(crate) tracks: &'a [Vec<NodeId>],
    /// Where each agent is.
    pub(crate) agents: &'a [NodeId],
    pub(crate) exits: &'a [NodeId],
    /// The cells that were blocked meanwhile.
    pub(crate) edited: &'a [NodeId],
    /// See [`View::legend`].
    pub(crate) legend: &'a [Key],
}

impl<'a> View<'a> {
    /// A search and the path it found.
    pub(crate) fn of(searched: &'a Searched, path: &'a [NodeId], ends: (NodeId, NodeId)) -> Self {
        Self { searched, inner: None, landmarks: &[], path, before: &[], ends, legend: &[] }
    }
}

/// An observer that counts, and remembers which nodes were expanded.
pub(crate) struct Searched {
    pub(crate) counter: Counter,
    expanded: Vec<bool>,
}

impl Searched {
    /// Nothing yet, on a map of so many nodes; with none, nodes are only counted.
    pub(crate) fn new(nodes: usize) -> Self {
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
pub(crate) enum Format {
    Png,
    Svg,
}

impl Format {
    /// By the extension of the file's name.
    pub(crate) fn of(path: &Path) -> Result<Self, Error> {
        match () {
            () if files::has_extension(path, "png") => Ok(Self::Png),
            () if files::has_extension(path, "svg") => Ok(Self::Svg),
            () => Err(Error::OutputKind {
                path: path.into(),
                what: "pictures",
                extensions: ".png or .svg",
            }),
        }
    }
}

/// Whether the map can be drawn at all; cheap, so that it is asked before any long work.
pub(crate) fn check(loaded: &Loaded, path: &Path) -> Result<(), Error> {
    Format::of(path)?;
    match &loaded.map {
        Map::Graph(graph) if graph.coordinates().is_none() => {
            Err(loaded.without_coordinates("there is nothing to draw it by".into()))
        }
        _ => Ok(()),
    }
}

/// Draws a view of the map into memory, as PNG.
pub(crate) fn png(map: &Map, view: &View) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    png::write(&scene(map, view), &mut bytes)?;
    Ok(bytes)
}

/// The same for a crowd.
pub(crate) fn crowd_png(grid: &Grid, view: &CrowdView) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    png::write(&legend::with_legend(grid::crowd_scene(grid, view), view.legend), &mut bytes)?;
    Ok(bytes)
}

fn scene(map: &Map, view: &View) -> scene::Scene {
    let scene = match map {
        Map::Grid(grid) => grid::scene(grid, view),
        Map::Graph(graph) => graph::scene(graph, graph.coordinates().unwrap_or(&[]), view),
    };
    legend::with_legend(scene, view.legend)
}

/// Draws a view of the map into a file.
pub(crate) fn write(loaded: &Loaded, view: &View, path: &Path) -> Result<(), Error> {
    check(loaded, path)?;
    let scene = scene(&loaded.map, view);
    let format = Format::of(path)?;
    files::write(path, |out| match format {
        Format::Png => png::write(&scene, out),
        Format::Svg => svg::write(&scene, out),
    })
}
