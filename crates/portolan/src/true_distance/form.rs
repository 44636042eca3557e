//! What stored bounds are made of, as a value. `Display` says it in words.

use std::fmt;

use super::differential::{Placement, Precision};
use crate::portal::bound::PortalSummary;

/// What a stored bound is made of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum BoundForm {
    /// Of a [`Differential`](super::Differential).
    Landmarks {
        /// How many there are.
        landmarks: usize,
        /// How they were placed.
        placement: Placement,
        /// How many each node has entries for; `None` for all.
        kept: Option<usize>,
        /// How many bits an entry takes.
        precision: Precision,
        /// Whether there are entries for passable cells only.
        passable_only: bool,
    },
    /// Of a [`Canonical`](super::Canonical).
    Canonical {
        /// How many canonical nodes there are.
        canonical: usize,
        /// How many of them each node stores.
        nearest: usize,
    },
    /// Of a [`Border`](super::Border).
    Border {
        /// How many regions there are.
        regions: usize,
    },
    /// Of a [`Gateway`](super::Gateway).
    Gateway {
        /// How many zones have gates.
        zones: usize,
        /// How many gates there are.
        gates: usize,
    },
    /// Of a [`Portal`](crate::portal::bound::Portal).
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

impl fmt::Display for PortalSummary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { regions, portals, portals_per_region, .. } = self;
        let beside = format_args!("{portals_per_region:.1} beside each region");
        write!(out, "{regions} regions, {portals} portals, {beside}")
    }
}
