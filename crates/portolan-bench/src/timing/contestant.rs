//! Anything that answers queries on one map.

use portolan::search::Counter;
use portolan::{Engine, NodeId, Query};

use crate::judge::Answered;

/// Anything that answers queries on one map: an engine, or another crate.
///
/// Work that is needed only once, or only to judge an answer, belongs outside [`find`](Self::find),
/// which is timed.
pub(crate) trait Contestant {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// Whether its paths are always shortest ones.
    fn exact(&self) -> bool {
        false
    }

    /// Finds a full path, node by node, and keeps it.
    fn find(&mut self, from: NodeId, to: NodeId) -> Answered;

    /// Like [`find`](Self::find), never timed; counts what is expanded and generated if it can.
    fn find_counted(&mut self, from: NodeId, to: NodeId, _: &mut Counter) -> Answered {
        self.find(from, to)
    }

    /// The path that was found last; empty if there was none.
    fn path(&self) -> Vec<NodeId>;

    /// Whether [`find`](Self::find) answers with a cost in our units. Otherwise only the path
    /// counts.
    fn has_costs(&self) -> bool {
        true
    }

    /// The cost alone; `None` for a contestant that finds no cost without its path.
    fn distance(&mut self, _from: NodeId, _to: NodeId) -> Option<Answered> {
        None
    }

    /// The most bytes that queries held so far, if that is counted.
    #[cfg(feature = "peers")]
    fn working_bytes(&self) -> usize {
        0
    }
}

/// An engine of Portolan.
pub(crate) struct Own<'a> {
    engine: &'a dyn Engine,
    query: Box<dyn Query + 'a>,
    path: Vec<NodeId>,
    has_distances: bool,
}

impl<'a> Own<'a> {
    /// Asks for paths and for distances alone.
    pub(crate) fn new(engine: &'a dyn Engine) -> Self {
        Self { engine, query: engine.query(), path: Vec::new(), has_distances: true }
    }

    /// Asks for paths only.
    pub(crate) fn paths_only(engine: &'a dyn Engine) -> Self {
        Self { has_distances: false, ..Self::new(engine) }
    }
}

impl Contestant for Own<'_> {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn exact(&self) -> bool {
        self.engine.exact()
    }

    fn find(&mut self, from: NodeId, to: NodeId) -> Answered {
        find_into(&mut *self.query, from, to, &mut self.path)
    }

    fn find_counted(&mut self, from: NodeId, to: NodeId, counter: &mut Counter) -> Answered {
        self.path.clear();
        let route = self.query.find_observed(from, to, counter)?;
        Ok(route.map(|route| {
            route.nodes_into(&mut self.path);
            route.cost()
        }))
    }

    fn path(&self) -> Vec<NodeId> {
        self.path.clone()
    }

    fn distance(&mut self, from: NodeId, to: NodeId) -> Option<Answered> {
        self.has_distances.then(|| self.query.distance(from, to))
    }
}

/// Finds a path into a buffer, which is empty if there is none.
pub(crate) fn find_into(
    query: &mut dyn Query,
    from: NodeId,
    to: NodeId,
    path: &mut Vec<NodeId>,
) -> Answered {
    path.clear();
    Ok(query.find(from, to)?.map(|route| {
        route.nodes_into(path);
        route.cost()
    }))
}
