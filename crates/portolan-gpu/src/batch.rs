//! The answers to a batch, in the order of its requests.
//!
//! The device writes paths as 16-bit legs on grids and as nodes on graphs, and they stay that way
//! until somebody asks for cells. Blocked cells and places outside the map are found when an answer
//! is read, so a batch is never checked beforehand and one invalid request does not spoil it.

use portolan::engine::CostAnswer;
use portolan::grid::Heading;
use portolan::{Cell, Cost, EndpointError, Map, NodeId, UNREACHABLE};

use crate::device::{Timing, on_all_cores};

/// A request: start and goal.
pub type Request = (NodeId, NodeId);

/// The words of an answer of the device with a path: cost, first word in the pool, number of legs
/// or nodes.
pub(crate) const PATH_ANSWER_WORDS: u64 = 3;

/// Instead of the first word: the pool was full.
pub(crate) const POOL_FULL: u32 = u32::MAX;

/// Instead of the first word: the kernel needs more memory for this request than it had.
pub(crate) const STATE_FULL: u32 = u32::MAX - 1;

/// The lowest bit of the heading in a leg; below are the steps.
const HEADING_SHIFT: u32 = 13;

/// The most steps of a leg. Longer straight parts take several.
pub(crate) const MOST_STEPS: u32 = (1 << HEADING_SHIFT) - 1;

/// The costs of a batch, in the order of its requests.
#[derive(Debug, Clone)]
pub struct GpuDistances<'a> {
    pub(crate) map: Map,
    pub(crate) requests: &'a [Request],
    pub(crate) costs: Vec<Cost>,
    pub(crate) timing: Timing,
}

impl GpuDistances<'_> {
    /// All costs; [`UNREACHABLE`] where there is no path, or an error.
    pub fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// The answer to a request, as a [`portolan::Query`] gives it. `None` beyond the last request.
    pub fn get(&self, request: usize) -> Option<CostAnswer> {
        Some(answer(&self.map, *self.requests.get(request)?, *self.costs.get(request)?))
    }

    /// All answers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = CostAnswer> {
        (0..self.costs.len()).map(|request| self.get(request).unwrap_or(Ok(None)))
    }

    /// How long the parts of the batch took.
    pub fn timing(&self) -> Timing {
        self.timing
    }
}

/// What a query would answer where the device reports this cost.
pub(crate) fn answer(map: &Map, (from, to): Request, cost: Cost) -> CostAnswer {
    if cost != UNREACHABLE {
        return Ok(Some(cost));
    }
    map.check(from).and_then(|()| map.check(to))?;
    // On grids components are exact, and engines of graphs refuse maps whose costs may overflow.
    match map {
        Map::Grid(_) if map.may_reach(from, to) => {
            Err(EndpointError::CostOverflow { from: map.location(from), to: map.location(to) })
        }
        _ => Ok(None),
    }
}

/// The paths of a batch, in the order of its requests.
#[derive(Clone)]
pub struct GpuPaths<'a> {
    map: Map,
    requests: &'a [Request],
    form: PathForm,
    answers: Vec<[u32; 3]>,
    /// The pools of all rounds.
    chunks: Vec<Vec<u32>>,
    chunk_of: Vec<u32>,
    timing: Timing,
}

/// A path of a batch.
#[derive(Debug, Clone, Copy)]
pub struct GpuPath<'a> {
    map: &'a Map,
    form: PathForm,
    from: NodeId,
    cost: Cost,
    words: &'a [u32],
    len: usize,
}

/// What the device writes for a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PathForm {
    /// Straight parts on grids, four bytes for two of them; nodes on graphs. The host expands them
    /// to cells when asked.
    #[default]
    Legs,
    /// All nodes, four bytes each.
    Nodes,
}

/// A straight part of a path on a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuLeg {
    /// The direction of its steps.
    pub heading: Heading,
    /// The number of its steps.
    pub steps: u32,
}

/// The answer to a request for a path: `None` if there is none, or an error.
pub type GpuPathAnswer<'a> = Result<Option<GpuPath<'a>>, EndpointError>;

/// Some answers of a batch, still in the memory that the device wrote.
#[derive(Debug, Clone, Copy)]
pub struct GpuRound<'a> {
    pub(crate) map: &'a Map,
    pub(crate) form: PathForm,
    pub(crate) requests: &'a [Request],
    /// The positions of the answers in the batch.
    pub(crate) positions: Positions<'a>,
    pub(crate) answers: &'a [[u32; 3]],
    pub(crate) pool: &'a [u32],
}

/// Which requests a round answers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Positions<'a> {
    From(usize),
    /// The requests at these positions.
    Listed(&'a [u32]),
}

impl Positions<'_> {
    /// How many there are, of a batch of this size.
    pub(crate) fn count(&self, batch: usize) -> usize {
        match self {
            Self::From(first) => batch - first,
            Self::Listed(positions) => positions.len(),
        }
    }

    /// The positions from this one on.
    pub(crate) fn skip(self, count: usize) -> Self {
        match self {
            Self::From(first) => Self::From(first + count),
            Self::Listed(positions) => Self::Listed(&positions[count..]),
        }
    }

    pub(crate) fn at(&self, index: usize) -> usize {
        match self {
            Self::From(first) => first + index,
            Self::Listed(positions) => positions[index] as usize,
        }
    }
}

impl<'a> GpuRound<'a> {
    /// The answers, each with the position of its request in the batch. Every request of a batch
    /// comes in exactly one round.
    pub fn iter(&self) -> impl Iterator<Item = (usize, GpuPathAnswer<'a>)> + use<'a> {
        let Self { map, form, requests, positions, answers, pool } = *self;
        let is_final = |(_, answer): &(usize, &[u32; 3])| answer[1] < STATE_FULL;
        answers.iter().enumerate().filter(is_final).map(move |(index, answer)| {
            let at = positions.at(index);
            (at, path((map, form), requests[at], *answer, pool))
        })
    }
}

/// The path of an answer, whose words are in this pool.
fn path<'a>(
    (map, form): (&'a Map, PathForm),
    request: Request,
    [cost, start, len]: [u32; 3],
    pool: &'a [u32],
) -> GpuPathAnswer<'a> {
    let Some(cost) = answer(map, request, cost)? else { return Ok(None) };
    let count = if form == PathForm::Legs { len.div_ceil(2) } else { len };
    let words = pool.get(start as usize..).and_then(|words| words.get(..count as usize));
    let (words, len) = (words.unwrap_or_default(), len as usize);
    Ok(Some(GpuPath { map, form, from: request.0, cost, words, len }))
}

impl<'a> GpuPaths<'a> {
    /// Without answers yet.
    pub(crate) fn new(map: &Map, requests: &'a [Request]) -> Self {
        Self {
            map: map.clone(),
            requests,
            form: PathForm::Nodes,
            answers: vec![[UNREACHABLE, 0, 0]; requests.len()],
            chunks: Vec::new(),
            chunk_of: vec![0; requests.len()],
            timing: Timing::default(),
        }
    }

    /// Copies the answers of a round.
    pub(crate) fn add(&mut self, round: &GpuRound<'_>) {
        let chunk = self.chunks.len() as u32;
        self.form = round.form;
        let mut words = vec![0; round.pool.len()];
        let piece = round.pool.len().div_ceil(rayon::current_num_threads()).max(1 << 16);
        let mut pieces: Vec<_> = words.chunks_mut(piece).zip(round.pool.chunks(piece)).collect();
        on_all_cores(&mut pieces, |(to, from)| to.copy_from_slice(from));
        self.chunks.push(words);
        if let Positions::From(first) = round.positions {
            let range = first..first + round.answers.len();
            self.answers[range.clone()].copy_from_slice(round.answers);
            self.chunk_of[range].fill(chunk);
            return;
        }
        for (index, answer) in round.answers.iter().enumerate() {
            let at = round.positions.at(index);
            (self.answers[at], self.chunk_of[at]) = (*answer, chunk);
        }
    }

    pub(crate) fn set_timing(&mut self, timing: Timing) {
        self.timing = timing;
    }

    /// The number of requests.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether there were no requests.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// The answer to a request, as a [`portolan::Query`] gives it. `None` beyond the last request.
    pub fn get(&self, request: usize) -> Option<GpuPathAnswer<'_>> {
        let answer = *self.answers.get(request)?;
        let chunk = self.chunks.get(self.chunk_of[request] as usize);
        let words = chunk.map(Vec::as_slice).unwrap_or_default();
        Some(path((&self.map, self.form), self.requests[request], answer, words))
    }

    /// All answers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = GpuPathAnswer<'_>> {
        (0..self.len()).map(|request| self.get(request).unwrap_or(Ok(None)))
    }

    /// How long the parts of the batch took.
    pub fn timing(&self) -> Timing {
        self.timing
    }
}

impl std::fmt::Debug for GpuPaths<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("GpuPaths")
            .field("len", &self.len())
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}

impl<'a> GpuPath<'a> {
    /// What the path costs.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// How long the path is, in the map's own unit, as in [`portolan::Route::length`].
    pub fn length(&self) -> f64 {
        self.map.length(self.cost)
    }

    /// The straight parts of the path, in order; none if the device wrote [`PathForm::Nodes`].
    /// Consecutive ones may have the same heading.
    pub fn legs(&self) -> impl ExactSizeIterator<Item = GpuLeg> + use<'a> {
        let legs: &[u16] = match self.form {
            PathForm::Legs => bytemuck::cast_slice(self.words),
            PathForm::Nodes => &[],
        };
        legs[..self.len.min(legs.len())].iter().map(|&leg| GpuLeg::from_bits(leg))
    }

    /// The cells of the path, both ends included; none on graphs.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<'a> {
        let map = self.map;
        self.nodes().map_while(move |node| map.cell(node))
    }

    /// The nodes of the path, both ends included; a start that is the goal comes once.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        let nodes = if self.form == PathForm::Nodes { self.words } else { &[] };
        let width = self.map.as_grid().map_or(0, |grid| grid.width());
        let steps = self.legs().flat_map(move |GpuLeg { heading, steps }| {
            let (dx, dy) = heading.delta();
            let delta = width.wrapping_mul(dy as u32).wrapping_add(dx as u32);
            std::iter::repeat_n(delta, steps as usize)
        });
        let on_grid = steps.scan(self.from, |node, delta| {
            *node = node.wrapping_add(delta);
            Some(*node)
        });
        std::iter::once(self.from).chain(on_grid).chain(nodes.iter().copied())
    }

    /// Fills a buffer with the nodes of the path. Its contents are replaced.
    pub fn nodes_into(&self, nodes: &mut Vec<NodeId>) {
        nodes.clear();
        nodes.extend(self.nodes());
    }
}

impl GpuLeg {
    fn from_bits(bits: u16) -> Self {
        let bits = u32::from(bits);
        let heading = Heading::ALL[(bits >> HEADING_SHIFT) as usize];
        Self { heading, steps: bits & MOST_STEPS }
    }
}
