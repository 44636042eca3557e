//! The items that most programs need: `use portolan::prelude::*;`.

pub use crate::changes::{Changes, Editor};
pub use crate::cost::Cost;
pub use crate::crowd::FlowField;
pub use crate::engine::{Build, Engine, Query};
pub use crate::finder::PathFinder;
pub use crate::graph::{CsrGraph, NodeId};
pub use crate::grid::{Connectivity, Corners, Grid};
pub use crate::location::{Cell, Location};
pub use crate::map::Map;
pub use crate::registry::Settings;
pub use crate::route::{Route, RouteStatus};
pub use crate::world::World;
