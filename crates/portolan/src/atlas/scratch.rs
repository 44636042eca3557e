//! Query scratch for every form.

use super::general::query::GeneralScratch;
use super::search::SearchScratch;
use super::uniform::UniformScratch;

/// Scratch space of queries on an [`Atlas`](super::Atlas). It has all parts, since an edit may
/// change the form.
#[derive(Default)]
pub(crate) struct AtlasScratch {
    pub(super) general: Box<GeneralScratch>,
    pub(super) uniform: Box<UniformScratch>,
    pub(super) search: Box<SearchScratch>,
}

/// Runs a query on an index of any form.
macro_rules! on_form {
    ($atlas:expr, $scratch:expr, $query:ident => $answer:expr) => {
        match &$atlas.index {
            Index::General(index) => {
                #[allow(unused_mut)]
                let mut $query = GeneralQuery::new(index, &mut $scratch.general);
                $answer
            }
            Index::Uniform(index) => {
                #[allow(unused_mut)]
                let mut $query = UniformQuery::new(index, &mut $scratch.uniform);
                $answer
            }
            Index::Search(index) => {
                #[allow(unused_mut)]
                let mut $query = SearchQuery::new(index, &mut $scratch.search);
                $answer
            }
        }
    };
}

pub(super) use on_form;
