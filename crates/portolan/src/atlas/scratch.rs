//! Query scratch for either form.

use super::general::query::GeneralScratch;
use super::uniform::UniformScratch;

/// Scratch space of queries on an [`Atlas`](super::Atlas). It has both parts, since an edit may
/// change the form.
#[derive(Default)]
pub(crate) struct AtlasScratch {
    pub(super) general: Box<GeneralScratch>,
    pub(super) uniform: Box<UniformScratch>,
}

/// Runs a query on an index of either form.
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
        }
    };
}

pub(super) use on_form;
