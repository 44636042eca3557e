//! Landmarks: stored distances that make the lower bound of A* better.
//!
//! Every request says all that the answer depends on: the map, painted cells, landmarks and ends.
//! What is kept between requests only saves time: dragging a landmark costs one wave.
//!
//! - `ground.rs`: the map before and after painted cells, and distances that are kept.
//! - `bound.rs`: the lower bound from the columns of landmarks.
//! - `look.rs`: both searches, the numbers of each landmark, and a colour field.
//! - `field.rs`: what the field shows. `wind.rs`: arrows along the heuristic.
//! - `placement.rs`: strategies of the library, by themselves and compared.
//! - `sites.rs`: how much a landmark on each cell would help.

mod bound;
mod field;
mod ground;
mod look;
mod placement;
mod sites;
mod wind;

use portolan::NodeId;
use serde::Deserialize;

use super::Topic;
use crate::error::{LabError, bad_request};
use crate::maps::MapChoice;
use crate::task::{Reply, Task};
use crate::wire::Part;
use field::Show;
use ground::EditedMap;
use wind::Wind;

/// The most landmarks of a request.
const MOST_LANDMARKS: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Landmarks {
    ground: Option<EditedMap>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum Ask {
    /// The names of the strategies that place landmarks.
    Strategies,
    /// Searches from one end to the other without and with landmarks, and a colour field.
    Look {
        scene: LandmarkScene,
        from: NodeId,
        to: NodeId,
        show: Show,
        #[serde(default)]
        wind: Option<Wind>,
        /// A landmark, by its place in the list, whose paths to both ends are wanted.
        #[serde(default)]
        triangle: Option<usize>,
    },
    /// The bounds between a cell and the fixed end of a field.
    Probe { scene: LandmarkScene, cell: NodeId, fixed: NodeId },
    /// Landmarks placed by a strategy of the library.
    Place { scene: LandmarkScene, strategy: String, count: usize, seed: u32 },
    /// All strategies and the present landmarks, compared on random pairs.
    Compare { scene: LandmarkScene, count: usize, seed: u32 },
    /// How much one more landmark on each cell would improve the bounds between random cells.
    Sites { scene: LandmarkScene, near: NodeId, samples: usize, seed: u32 },
}

/// A map with landmarks. Cells that were painted are the part `painted`; each changes from free to
/// blocked or back.
#[derive(Debug, Deserialize)]
pub(super) struct LandmarkScene {
    map: MapChoice,
    landmarks: Vec<NodeId>,
    /// The distances of landmarks were computed after this many of the painted cells.
    #[serde(default)]
    known: usize,
}

impl Topic for Landmarks {
    type Ask = Ask;

    fn answer(&mut self, ask: Ask, task: &Task<'_>) -> Result<Reply, LabError> {
        match ask {
            Ask::Strategies => Ok(Reply::new(placement::strategies())),
            Ask::Look { scene, from, to, show, wind, triangle } => {
                let look = look::Look { from, to, show, wind, triangle };
                look.answer(self.ground(&scene, task)?, &scene.landmarks, task)
            }
            Ask::Probe { scene, cell, fixed } => {
                look::probe(self.ground(&scene, task)?, &scene.landmarks, (cell, fixed))
            }
            Ask::Place { scene, strategy, count, seed } => {
                check_number("number of landmarks", count, 1, MOST_LANDMARKS)?;
                let ground = self.ground(&scene, task)?;
                placement::place(ground, &strategy, (count, seed.into()), task)
            }
            Ask::Compare { scene, count, seed } => {
                check_number("number of landmarks", count, 1, MOST_LANDMARKS)?;
                let ground = self.ground(&scene, task)?;
                placement::compare(ground, &scene.landmarks, (count, seed.into()), task)
            }
            Ask::Sites { scene, near, samples, seed } => {
                check_number("number of samples", samples, 2, sites::MOST_SAMPLES)?;
                let ground = self.ground(&scene, task)?;
                sites::answer(ground, &scene.landmarks, (near, samples, seed.into()), task)
            }
        }
    }
}

impl Landmarks {
    /// The ground of a scene, the kept one if it still fits.
    fn ground(
        &mut self,
        scene: &LandmarkScene,
        task: &Task<'_>,
    ) -> Result<&mut EditedMap, LabError> {
        if scene.landmarks.len() > MOST_LANDMARKS {
            return Err(LabError::TooLarge {
                what: "the scene".into(),
                found: format!("{} landmarks", scene.landmarks.len()),
                most: format!("{MOST_LANDMARKS} landmarks"),
            });
        }
        let painted = match task.part("painted") {
            Ok(Part::U32(cells)) => cells.as_slice(),
            _ => &[],
        };
        let map = task.shelf.map(&scene.map, task)?;
        let kept = self.ground.take();
        let ground = EditedMap::of(kept, &map, (painted, scene.known))?;
        ground.check_landmarks(&scene.landmarks)?;
        Ok(self.ground.insert(ground))
    }
}

fn check_number(what: &str, found: usize, least: usize, most: usize) -> Result<(), LabError> {
    match (least..=most).contains(&found) {
        true => Ok(()),
        false => Err(bad_request(format!("the {what} is {found}; from {least} to {most} fit"))),
    }
}

#[cfg(test)]
mod tests;
