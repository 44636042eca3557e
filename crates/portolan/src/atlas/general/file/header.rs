//! The words of a general index in the `form` section: everything that the lists and tables do not
//! tell.

use crate::atlas::AtlasConfig;
use crate::atlas::file::{FORM, StoredForm};
use crate::atlas::general::core::Scale;
use crate::atlas::general::index::{Core, GeneralIndex};
use crate::atlas::general::labels::Labels;
use crate::atlas::general::labels::layout::LabelScope;
use crate::store::{OpenError, unusable};

/// Which paths are cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CachedPaths {
    None,
    HopPaths,
    /// Everything in [`PathCache`](crate::atlas::general::path_cache::PathCache), without hop
    /// paths.
    All,
}

pub(super) struct Header {
    /// Whether the core is a reduced graph.
    pub(super) reduced: bool,
    pub(super) labels: Option<LabelScope>,
    pub(super) cached: CachedPaths,
    /// Whether members of leaves have links.
    pub(super) links: bool,
    /// The configured leaf size.
    pub(super) leaf_size: Option<usize>,
    pub(super) lifted: usize,
    pub(super) scale: Scale,
}

impl Header {
    pub(super) fn of(index: &GeneralIndex, config: &AtlasConfig) -> Self {
        Self {
            reduced: matches!(index.core, Core::Reduced(_)),
            labels: index.label_scope(),
            cached: match index.labels.as_deref() {
                Some(Labels { cache: Some(_), .. }) => CachedPaths::All,
                Some(Labels { hop_paths: Some(_), .. }) => CachedPaths::HopPaths,
                _ => CachedPaths::None,
            },
            links: index.labels.as_deref().is_some_and(|labels| labels.links.is_some()),
            leaf_size: config.leaf_size,
            lifted: index.lifted,
            scale: index.scale,
        }
    }

    /// The words of the section `form`.
    pub(super) fn section(&self) -> Vec<u32> {
        let labels = match self.labels {
            None => 0,
            Some(LabelScope::SeparatorNodes) => 1,
            Some(LabelScope::AllNodes) => 2,
        };
        let cached = match self.cached {
            CachedPaths::None => 0,
            CachedPaths::HopPaths => 1,
            CachedPaths::All => 2,
        };
        // The build treats zero as one, and everything above the maximum as the maximum.
        let leaf_size = self.leaf_size.map_or(0, |size| size.clamp(1, u32::MAX as usize));
        let [shift, overflows] = self.scale.to_words();
        let (reduced, lifted) = (u32::from(self.reduced), self.lifted as u32);
        let links = u32::from(self.links);
        let words = [reduced, labels, cached, links, leaf_size as u32, lifted, shift, overflows];
        StoredForm::General.section(&words)
    }

    pub(super) fn read(parameters: &[u32]) -> Result<Self, OpenError> {
        let [
            reduced @ 0..=1,
            labels @ 0..=2,
            cached @ 0..=2,
            links @ 0..=1,
            leaf_size,
            lifted,
            shift,
            overflows,
        ] = *parameters
        else {
            return Err(unusable(FORM, format!("{parameters:?} do not describe a general index")));
        };
        let scopes = [None, Some(LabelScope::SeparatorNodes), Some(LabelScope::AllNodes)];
        let caches = [CachedPaths::None, CachedPaths::HopPaths, CachedPaths::All];
        Ok(Self {
            reduced: reduced == 1,
            labels: scopes[labels as usize],
            cached: caches[cached as usize],
            links: links == 1,
            leaf_size: Some(leaf_size as usize).filter(|&size| size > 0),
            lifted: lifted as usize,
            scale: Scale::from_words([shift, overflows])
                .map_err(|reason| unusable(FORM, reason))?,
        })
    }
}
