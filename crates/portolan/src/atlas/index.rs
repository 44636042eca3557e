//! Either kind of index, and the way to one: drafted first, filled when it is known to fit.

use super::config::{AtlasConfig, Form};
use super::general::build;
use super::general::index::GeneralIndex;
use super::general::labels::layout::LabelScope;
use super::plan::{AtlasForm, AtlasLabels, Choice, FormReason, Plan};
use super::uniform::{self, Uniform};

use crate::build::{BuildError, Progress};
use crate::map::Map;

/// What an [`Atlas`](super::Atlas) is made of.
#[derive(Clone)]
pub(super) enum Index {
    General(GeneralIndex),
    Uniform(Uniform),
}

impl Index {
    pub(super) fn map(&self) -> &Map {
        match self {
            Self::General(index) => &index.map,
            Self::Uniform(uniform) => uniform.map(),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::General(index) => index.memory_bytes(),
            Self::Uniform(uniform) => uniform.memory_bytes(),
        }
    }

    /// The index of the general form, for tests that have asked for it.
    #[cfg(test)]
    pub(super) fn general(&mut self) -> &mut GeneralIndex {
        match self {
            Self::General(index) => index,
            Self::Uniform(_) => panic!("the general form was asked for"),
        }
    }

    /// Which form it has, and why.
    pub(super) fn form(&self, reason: FormReason) -> AtlasForm {
        match self {
            Self::General(index) => {
                let labels = index.labels.as_ref();
                let strips = labels.is_some_and(|labels| labels.has_cached_paths());
                let labels = general_labels(index.label_scope(), strips);
                AtlasForm { labels, reason, regions: index.tree.len() }
            }
            Self::Uniform(uniform) => uniform.form(reason),
        }
    }
}

/// An index that is cut and counted, but not filled.
pub(super) enum Draft {
    General(Box<GeneralIndex>, Choice),
    Uniform(Box<uniform::Outline>, FormReason),
}

impl Draft {
    /// The fastest of the allowed forms that fits.
    pub(super) fn new(
        map: &Map,
        config: &AtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, BuildError> {
        let (mut least, mut slower) = (None, None);
        if matches!(config.form, Form::Fastest | Form::Uniform) {
            let cuts = (&build::partitioner(map, config), build::leaf_size(config, uniform::LEAF));
            match uniform::Outline::new(map, cuts, config.memory_limit, progress) {
                Ok(outline) => {
                    let asked = config.form == Form::Uniform;
                    let limit = config.memory_limit;
                    let why = match outline.too_large() {
                        Some(needed) => FormReason::TooLarge { needed, limit },
                        None if asked => FormReason::Asked,
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

    pub(super) fn plan(&self) -> Plan {
        match self {
            Self::General(index, choice) => {
                let labels = general_labels(choice.labels, false);
                let (reason, regions) = (choice.why, index.tree.len());
                Plan { bytes: choice.bytes, form: AtlasForm { labels, reason, regions } }
            }
            Self::Uniform(outline, why) => {
                Plan { bytes: outline.bytes(), form: outline.form(*why) }
            }
        }
    }

    /// Fills what was drafted.
    pub(super) fn finish(self, progress: &dyn Progress) -> Result<(Index, FormReason), BuildError> {
        match self {
            Self::General(mut index, choice) => {
                build::fill(&mut index, progress)?;
                let (index, why) = build::with_labels(*index, choice, progress)?;
                Ok((Index::General(index), why))
            }
            Self::Uniform(outline, why) => Ok((Index::Uniform(outline.fill(progress)?), why)),
        }
    }
}

/// The labels of a general form: whether there are some, and if so, whether for nodes inside leaves
/// as well.
fn general_labels(labels: Option<LabelScope>, strips: bool) -> AtlasLabels {
    match labels {
        Some(LabelScope::AllNodes) => AtlasLabels::Nodes { strips },
        Some(LabelScope::SeparatorNodes) => AtlasLabels::Borders { strips },
        None => AtlasLabels::None,
    }
}
