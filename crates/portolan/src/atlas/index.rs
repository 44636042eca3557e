//! An index of any form, and the draft from which it is built.
//!
//! A [`Draft`] is dissected and its size is known, but its tables are empty. So a form that does
//! not fit into the memory limit is rejected before its tables are computed.

use std::sync::Arc;

use super::config::{AtlasConfig, Form};
use super::general::build;
use super::general::index::GeneralIndex;
use super::general::labels::layout::LabelScope;
use super::plan::{AtlasForm, AtlasLabels, Choice, FormReason, Plan};
use super::search::{SearchIndex, SearchOutline};
use super::uniform::{self, UniformIndex};
use crate::build::{BuildError, Progress};
use crate::map::Map;

/// The bytes that the uniform form takes for each cell at least: bitmaps and numbers of subgoals.
const LEAST_UNIFORM: u64 = 1;

/// The index of an [`Atlas`](super::Atlas).
#[derive(Clone)]
pub(super) enum Index {
    General(GeneralIndex),
    Uniform(UniformIndex),
    Search(SearchIndex),
}

impl Index {
    pub(super) fn map(&self) -> &Map {
        match self {
            Self::General(index) => &index.map,
            Self::Uniform(uniform) => uniform.map(),
            Self::Search(search) => search.map(),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::General(index) => index.memory_bytes(),
            Self::Uniform(uniform) => uniform.memory_bytes(),
            Self::Search(search) => search.memory_bytes(),
        }
    }

    /// Whether both have the same labels, or none.
    pub(super) fn shares_labels(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::General(a), Self::General(b)) => match (&a.labels, &b.labels) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            },
            (Self::Uniform(a), Self::Uniform(b)) => a.shares_labels(b),
            _ => false,
        }
    }

    /// The same index on an equal map.
    pub(super) fn on(self, map: &Map) -> Self {
        match self {
            Self::General(index) => Self::General(GeneralIndex { map: map.clone(), ..index }),
            Self::Uniform(uniform) => Self::Uniform(uniform.on(map)),
            Self::Search(search) => Self::Search(search),
        }
    }

    /// The index of the map that its labels are for. `None` if edits have dropped the labels.
    pub(super) fn before_edits(&self) -> Option<Self> {
        match self {
            Self::General(index) => index.labels.is_some().then(|| self.clone()),
            Self::Uniform(uniform) => Some(Self::Uniform(uniform.before_edits())),
            Self::Search(_) => None,
        }
    }

    /// The index of the general form; panics on other forms.
    #[cfg(test)]
    pub(super) fn general(&mut self) -> &mut GeneralIndex {
        match self {
            Self::General(index) => index,
            Self::Uniform(_) | Self::Search(_) => panic!("the index has another form"),
        }
    }

    pub(super) fn form(&self, reason: FormReason) -> AtlasForm {
        match self {
            Self::General(index) => {
                let labels = index.labels.as_ref();
                let cached_paths = labels.is_some_and(|labels| labels.has_cached_paths());
                let labels = general_labels(index.label_scope(), cached_paths);
                AtlasForm { labels, reason, regions: index.tree.len() }
            }
            Self::Uniform(uniform) => uniform.form(reason),
            Self::Search(search) => search.form(reason),
        }
    }
}

/// An index before its tables are computed.
pub(super) enum Draft {
    General(Box<GeneralIndex>, Choice),
    Uniform(Box<uniform::UniformOutline>, FormReason),
    Search(SearchOutline),
}

impl Draft {
    /// Drafts the fastest allowed form that fits into the memory limit. If none does, and the
    /// configuration asks for no particular form, a search answers.
    pub(super) fn new(
        map: &Map,
        config: &AtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        match Self::with_regions(map, config, progress) {
            Err(BuildError::MemoryLimit { needed, .. }) if config.form == Form::Fastest => {
                Ok(Self::Search(SearchOutline::new(map, config, needed)?))
            }
            drafted => drafted,
        }
    }

    /// A draft with a separator tree. Maps are only cut for forms that may fit.
    fn with_regions(
        map: &Map,
        config: &AtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let limit = config.limit(map);
        let (mut least, mut slower) = (None, None);
        let least_uniform = LEAST_UNIFORM * map.node_count() as u64;
        if config.form == Form::Fastest && limit < least_uniform {
            least = UniformIndex::supports(map).is_ok().then_some(least_uniform);
        } else if matches!(config.form, Form::Fastest | Form::Uniform) {
            let cuts = (&build::partitioner(map, config), build::leaf_size(config, uniform::LEAF));
            match uniform::UniformOutline::new(map, cuts, limit, progress) {
                Ok(outline) => {
                    let asked = config.form == Form::Uniform;
                    let why = match outline.too_large() {
                        Some(needed) => FormReason::TooLarge { needed, limit },
                        None if asked => FormReason::Requested,
                        None => FormReason::Fastest,
                    };
                    if asked || outline.beats(true) {
                        return Ok(Self::Uniform(Box::new(outline), why));
                    }
                    least = outline.too_large();
                    slower = Some((Box::new(outline), why));
                }
                Err(error) if config.form == Form::Uniform => return Err(error),
                Err(BuildError::MemoryLimit { needed, .. }) => least = Some(needed),
                Err(BuildError::Unsupported(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let least_general = build::least_bytes(map);
        if config.form == Form::Fastest && limit < least_general {
            // The size of a drafted form is known exactly, that of others only from below.
            let needed = least.unwrap_or(least_general);
            let refused = Err(BuildError::MemoryLimit { needed, limit, smaller: None });
            return slower.map_or(refused, |(outline, why)| Ok(Self::Uniform(outline, why)));
        }
        let index = build::outline(map, config, progress)?;
        match Choice::new(&index, config) {
            Ok(mut choice) => {
                if let Some((outline, why)) = slower.filter(|(outline, _)| {
                    outline.beats(choice.labels == Some(LabelScope::AllNodes))
                }) {
                    return Ok(Self::Uniform(outline, why));
                }
                if let (Some(needed), FormReason::Fastest) = (least, choice.why) {
                    choice.why = FormReason::TooLarge { needed, limit: choice.limit };
                }
                Ok(Self::General(Box::new(index), choice))
            }
            Err(BuildError::MemoryLimit { needed, limit, smaller }) => {
                if let Some((outline, why)) = slower {
                    return Ok(Self::Uniform(outline, why));
                }
                let needed = least.map_or(needed, |least| needed.min(least));
                Err(BuildError::MemoryLimit { needed, limit, smaller })
            }
            Err(error) => Err(error),
        }
    }

    /// What is planned; `limit`: the memory limit that applied.
    pub(super) fn plan(&self, limit: u64) -> Plan {
        match self {
            Self::General(index, choice) => {
                let labels = general_labels(choice.labels, false);
                let (reason, regions) = (choice.why, index.tree.len());
                Plan { bytes: choice.bytes, limit, form: AtlasForm { labels, reason, regions } }
            }
            Self::Uniform(outline, why) => {
                Plan { bytes: outline.bytes(), limit, form: outline.form(*why) }
            }
            Self::Search(outline) => outline.plan(limit),
        }
    }

    /// Computes the tables.
    pub(super) fn finish(self, progress: &dyn Progress) -> Result<(Index, FormReason), BuildError> {
        match self {
            Self::General(mut index, choice) => {
                build::fill(&mut index, progress)?;
                let (index, why) = build::with_labels(*index, choice, progress)?;
                Ok((Index::General(index), why))
            }
            Self::Uniform(outline, why) => Ok((Index::Uniform(outline.fill(progress)?), why)),
            Self::Search(outline) => {
                let (search, why) = outline.finish(progress)?;
                Ok((Index::Search(search), why))
            }
        }
    }
}

fn general_labels(labels: Option<LabelScope>, cached_paths: bool) -> AtlasLabels {
    match labels {
        Some(LabelScope::AllNodes) => AtlasLabels::Nodes { cached_paths },
        Some(LabelScope::SeparatorNodes) => AtlasLabels::Borders { cached_paths },
        None => AtlasLabels::None,
    }
}
