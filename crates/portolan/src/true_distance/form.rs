//! The form of a stored bound: what was built, as a value with a `Display`.

use std::fmt;

use super::differential::{Placement, Precision};
use crate::portal::bound::PortalSummary;

/// What was built for a stored bound.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum BoundForm {
    /// A [`Differential`](super::Differential).
    Landmarks {
        /// Number of landmarks.
        landmarks: usize,
        /// How they were placed.
        placement: Placement,
        /// Number of landmarks that each node has entries for; `None` for all.
        kept: Option<usize>,
        /// Bits per entry.
        precision: Precision,
        /// Whether only passable cells have entries.
        passable_only: bool,
    },
    /// A [`Canonical`](super::Canonical).
    Canonical {
        /// Number of canonical nodes.
        canonical: usize,
        /// Number of canonical nodes that each node stores.
        nearest: usize,
    },
    /// A [`Border`](super::Border).
    Border {
        /// Number of regions.
        regions: usize,
    },
    /// A [`Gateway`](super::Gateway).
    Gateway {
        /// Number of zones that have gates.
        zones: usize,
        /// Number of gates.
        gates: usize,
    },
    /// A [`Portal`](crate::portal::bound::Portal).
    Portal(PortalSummary),
}

impl fmt::Display for BoundForm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Landmarks { landmarks, placement, kept, precision, passable_only } => {
                write!(out, "{landmarks} landmarks ({placement}), ")?;
                match kept {
                    Some(kept) => write!(out, "{kept} of them a node")?,
                    None => out.write_str("all")?,
                }
                let rows = if *passable_only { ", passable cells only" } else { "" };
                write!(out, ", {} bits{rows}", 8 * precision.bytes())
            }
            Self::Canonical { canonical, nearest } => {
                write!(out, "{canonical} canonical nodes, {nearest} stored at each node")
            }
            Self::Border { regions } => write!(out, "{regions} regions"),
            Self::Gateway { zones, gates } => write!(out, "{zones} zones, {gates} gates"),
            Self::Portal(portals) => portals.fmt(out),
        }
    }
}

/// What the stored bounds of a search are made of, in the order in which they were chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundForms(pub Vec<BoundForm>);

impl fmt::Display for BoundForms {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bounds) = self;
        for (at, bound) in bounds.iter().enumerate() {
            let before = if at > 0 { "; " } else { "" };
            write!(out, "{before}{bound}")?;
        }
        Ok(())
    }
}
