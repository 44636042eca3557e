//! Runs several queries at once on one thread: while one waits for memory, others compute.
//!
//! Queries come in an order in which neighbours start and end close to each other (`order`). The
//! shared parts of their paths are unpacked once (`shared_paths`).

use super::order::OrderedPair;
use super::shared_paths::SharedPaths;
use crate::atlas::uniform::index::LabelledGrid;
use crate::atlas::uniform::lookup::{BatchPath, QueryScratch, find_all};
use crate::cost::Cost;

/// How many queries run at once.
const ABREAST: usize = 8;

/// Scratch space of queries that run at once.
#[derive(Debug, Default)]
pub(crate) struct InterleavedQueries {
    queries: [QueryScratch; ABREAST],
    paths: SharedPaths,
}

impl InterleavedQueries {
    /// Visits the path of each pair; `None` if the labels contain no path.
    pub(crate) fn look_up(
        &mut self,
        labelled: &LabelledGrid,
        pairs: &[OrderedPair],
        mut visit: impl FnMut(&OrderedPair, Option<BatchPath<'_>>),
    ) {
        let Self { queries, paths } = self;
        paths.forget();
        let mut groups = equal_pairs(pairs);
        while let Some((queries, groups)) = find(queries, labelled, &mut groups) {
            queries.iter_mut().for_each(|query| query.begin_to_unpack(labelled));
            for (query, group) in queries.iter_mut().zip(groups) {
                let path = query.follow(labelled, paths);
                group.iter().for_each(|pair| visit(pair, path));
            }
        }
    }

    /// Visits the cost of each pair; `None` if the labels contain no path.
    pub(crate) fn distances(
        &mut self,
        labelled: &LabelledGrid,
        pairs: &[OrderedPair],
        mut visit: impl FnMut(&OrderedPair, Option<Cost>),
    ) {
        let mut groups = equal_pairs(pairs);
        while let Some((queries, groups)) = find(&mut self.queries, labelled, &mut groups) {
            for (query, group) in queries.iter().zip(groups) {
                group.iter().for_each(|pair| visit(pair, query.cost()));
            }
        }
    }
}

/// Groups of equal pairs, each of which is looked up once.
fn equal_pairs(pairs: &[OrderedPair]) -> impl Iterator<Item = &[OrderedPair]> {
    pairs.chunk_by(|a, b| a.endpoints == b.endpoints)
}

/// Finds the best paths of the next groups; `None` after the last.
#[inline(always)]
fn find<'q, 'a>(
    queries: &'q mut [QueryScratch; ABREAST],
    labelled: &LabelledGrid,
    groups: &mut impl Iterator<Item = &'a [OrderedPair]>,
) -> Option<(&'q mut [QueryScratch], [&'a [OrderedPair]; ABREAST])> {
    let mut count = 0;
    let mut next = [&[][..]; ABREAST];
    for ((query, next), group) in queries.iter_mut().zip(&mut next).zip(groups) {
        let (from, to) = group[0].endpoints;
        query.begin(labelled, from, to);
        *next = group;
        count += 1;
    }
    let queries = &mut queries[..count];
    find_all(labelled, queries);
    (count > 0).then_some((queries, next))
}
