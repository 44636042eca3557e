//! What an engine is made of, as a value. `Display` says it in words.

use std::fmt;

use crate::atlas::AtlasForm;
use crate::hpa::HpaForm;
use crate::portal::bound::PortalSummary;
use crate::ppa::PpaForm;
use crate::true_distance::BoundForm;

/// What an engine is made of, and where there are several forms, which was chosen and why.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig, AtlasLabels, FormReason};
/// use portolan::engine::EngineForm;
/// use portolan::{Engine, Grid, Map};
/// let atlas = Atlas::build(&Map::from(Grid::new(9, 9)?), &AtlasConfig::default())?;
/// let Some(EngineForm::Atlas(form)) = Engine::form(&atlas) else { panic!("an atlas has a form") };
/// assert!(matches!(form.labels, AtlasLabels::Subgoals { .. }));
/// assert_eq!(form.reason, FormReason::Fastest);
/// assert!(form.to_string().starts_with("labels of "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EngineForm {
    /// Of a search: its stored bounds, in the order in which they were chosen.
    Bounds(Vec<BoundForm>),
    /// Of searches along portals.
    Portals(PortalSummary),
    /// Of Partially Precomputed A*.
    Ppa(PpaForm),
    /// Of Atlas.
    Atlas(AtlasForm),
    /// Of HPA* and DHPA*.
    Hpa(HpaForm),
    /// Of SHPA*.
    Shpa {
        /// How many abstract nodes there are.
        nodes: usize,
        /// How many regions.
        regions: usize,
    },
}

impl fmt::Display for EngineForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounds(bounds) => {
                for (at, bound) in bounds.iter().enumerate() {
                    let before = if at > 0 { "; " } else { "" };
                    write!(out, "{before}{bound}")?;
                }
                Ok(())
            }
            Self::Portals(portals) => portals.fmt(out),
            Self::Ppa(ppa) => ppa.fmt(out),
            Self::Atlas(atlas) => atlas.fmt(out),
            Self::Hpa(hpa) => hpa.fmt(out),
            Self::Shpa { nodes, regions } => write!(out, "{nodes} nodes in {regions} regions"),
        }
    }
}
