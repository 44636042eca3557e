//! One version of the map, for units of every size.
//!
//! The first layer is the map itself, for units of one cell. Each other layer is the map for a
//! larger unit ([`Grid::for_agent`](crate::Grid::for_agent)). It follows an edit by the few cells
//! at which a unit fits now and did not before, or vice versa. A layer that an edit does not change
//! is shared with the version before.

use std::sync::Arc;

use super::WorldError;
use crate::build::BuildError;
use crate::changes::Changes;
use crate::engine::{Build, Engine};

use crate::map::Map;
use crate::search_engine::{SearchConfig, SearchEngine};

/// A version of the map.
#[derive(Clone)]
pub(super) struct Ground {
    layers: Arc<[Arc<Layer>]>,
}

/// A version of the map for units of one size, with the search that answers if no engine is
/// current.
pub(super) struct Layer {
    size: u32,
    /// A* on the map, which it owns.
    plain: SearchEngine,
}

/// What an edit changed, layer by layer.
#[derive(Debug, Clone, Default)]
pub(super) struct LayerChanges(Vec<Changes>);

impl LayerChanges {
    /// Changes of one layer.
    pub(super) fn of(layer: usize, changes: Changes) -> Self {
        let mut layers = vec![Changes::default(); layer];
        layers.push(changes);
        Self(layers)
    }

    /// What changed in a layer; `None` if nothing did.
    pub(super) fn get(&self, layer: usize) -> Option<&Changes> {
        self.0.get(layer).filter(|changes| !changes.is_empty())
    }
}

impl Ground {
    /// The first version, for units of one cell and these sizes.
    pub(super) fn new(map: Map, sizes: &[u32]) -> Result<Self, WorldError> {
        let mut sizes = sizes.to_vec();
        sizes.retain(|&size| size != 1);
        sizes.sort_unstable();
        sizes.dedup();
        let mut layers = Vec::new();
        for size in sizes {
            let grid = map.as_grid().ok_or(WorldError::SizeOnGraph { size })?;
            layers.push(Arc::new(Layer::new(size, grid.for_agent(size)?.into())?));
        }
        layers.insert(0, Arc::new(Layer::new(1, map)?));
        Ok(Self { layers: layers.into() })
    }

    /// The version after an edit, which made `map` by `changes`.
    pub(super) fn edited(
        &self,
        map: Map,
        changes: Changes,
    ) -> Result<(Self, LayerChanges), WorldError> {
        let (mut layers, mut all) = (Vec::new(), Vec::new());
        for layer in &self.layers[1..] {
            let Some((grid, sized)) = map.as_grid().zip(layer.map().as_grid()) else { continue };
            let changes = grid.agent_changes(sized, layer.size, &changes);
            layers.push(match changes.is_empty() {
                true => Arc::clone(layer),
                false => {
                    let mut sized = layer.map().clone();
                    sized.apply(&changes)?;
                    Arc::new(layer.refreshed(sized, &changes)?)
                }
            });
            all.push(changes);
        }
        layers.insert(0, Arc::new(self.layers[0].refreshed(map, &changes)?));
        all.insert(0, changes);
        Ok((Self { layers: layers.into() }, LayerChanges(all)))
    }

    /// The layers by size. The first is for units of one cell.
    pub(super) fn layers(&self) -> &[Arc<Layer>] {
        &self.layers
    }

    /// The map itself.
    pub(super) fn map(&self) -> &Map {
        self.layers[0].map()
    }
}

impl Layer {
    fn new(size: u32, map: Map) -> Result<Self, BuildError> {
        map.warm_up();
        Ok(Self { size, plain: SearchEngine::build(&map, &SearchConfig::default())? })
    }

    /// The layer after changes that led to this map. Its queries share the scratch space of earlier
    /// versions.
    fn refreshed(&self, map: Map, changes: &Changes) -> Result<Self, BuildError> {
        // Finds the components if the edit could not repair them.
        map.warm_up();
        Ok(Self { size: self.size, plain: self.plain.refreshed(&map, changes)? })
    }

    /// The side of the units, in cells.
    pub(super) fn size(&self) -> u32 {
        self.size
    }

    pub(super) fn map(&self) -> &Map {
        self.plain.map()
    }

    /// A* on this version.
    pub(super) fn plain(&self) -> &SearchEngine {
        &self.plain
    }
}
