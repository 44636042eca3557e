//! Checks an engine against the reference Dijkstra of the test kit. For tests only.

use portolan::{EndpointError, Map, NodeId, UNREACHABLE};
use portolan_testkit::reference::Reference;
use portolan_testkit::worlds::World;

use crate::batch::{GpuPathAnswer, Request};
use crate::engine::GpuEngine;

/// All pairs of nodes of a small map, and nodes outside; of a large one, those of some nodes.
pub(crate) fn requests(map: &Map) -> Vec<Request> {
    let nodes = map.node_count() as NodeId;
    let every = (nodes / 40).max(1);
    let ends = || (0..nodes).step_by(every as usize).chain([nodes, NodeId::MAX]);
    ends().flat_map(|from| ends().map(move |to| (from, to))).collect()
}

/// Asks for distances and paths of many pairs and compares all answers.
pub(crate) fn check_engine(engine: &dyn GpuEngine, world: &World) {
    let requests = requests(&world.map);
    let distances = engine.distances(&requests).unwrap_or_else(|error| panic!("{error}\n{world}"));
    let paths = engine.find_all(&requests).unwrap_or_else(|error| panic!("{error}\n{world}"));
    let truth = Truth::new(&world.map);
    let mut known = (NodeId::MAX, Vec::new());
    for (index, &(from, to)) in requests.iter().enumerate() {
        if known.0 != from && truth.reference.is_usable(from) {
            known = (from, truth.reference.distances(from));
        }
        let expected = truth.expected((from, to), &known.1);
        let (cost, path) = (distances.get(index).unwrap(), paths.get(index).unwrap());
        let what = format!("{from} to {to}\n{world}");
        if engine.exact() {
            assert_eq!(cost, expected, "{what}");
        }
        assert_eq!(cost.clone().map(|cost| cost.is_some()), expected.map(|cost| cost.is_some()));
        truth.check_path((from, to), (cost, path), &what);
    }
}

struct Truth<'a> {
    map: &'a Map,
    reference: Reference,
}

impl<'a> Truth<'a> {
    fn new(map: &'a Map) -> Self {
        Self { map, reference: Reference::new(map) }
    }

    fn expected(
        &self,
        (from, to): Request,
        distances: &[Option<u64>],
    ) -> Result<Option<u32>, EndpointError> {
        self.map.check(from).and_then(|()| self.map.check(to))?;
        let Some(cost) = distances[to as usize] else { return Ok(None) };
        match u32::try_from(cost) {
            Ok(cost) if cost != UNREACHABLE => Ok(Some(cost)),
            _ => {
                let [from, to] = [from, to].map(|node| self.map.location(node));
                Err(EndpointError::CostOverflow { from, to })
            }
        }
    }

    fn check_path(
        &self,
        (from, to): Request,
        (cost, path): (Result<Option<u32>, EndpointError>, GpuPathAnswer<'_>),
        what: &str,
    ) {
        let found = path.clone().map(|path| path.map(|path| path.cost()));
        assert_eq!(found, cost, "{what}");
        if let Ok(Some(path)) = path {
            let nodes: Vec<NodeId> = path.nodes().collect();
            let walked = self.reference.walk(&nodes, from, to);
            assert_eq!(walked, Ok(u64::from(path.cost())), "{nodes:?}\n{what}");
        }
    }
}
