//! Moving obstacles on open ground, as a dynamic scenario.

use super::script::{ScenarioDraft, check_dynamic_size};
use super::{GenerateError, Random, check_number};
use crate::formats::movingai::{DynamicScenario, Patch, Stamp};

/// A dynamic scenario: obstacles appear on open ground, then some of them move repeatedly.
///
/// Obstacles are solid blocks, and rooms with one door. After each edit come queries on the current
/// map, with the length of a shortest path: eight moves, corners never cut. Where obstacles
/// overlap, the first one that moves away frees the cells.
///
/// ```
/// use portolan::generate::Arena;
/// let arena = Arena { edits: 3, queries: 5, ..Arena::default() };
/// let (scenario, patches) = arena.generate("arena.patch")?;
/// assert_eq!((scenario.width, scenario.height), (256, 256));
/// assert!(patches.len() > 2 && scenario.commands.len() > 4 * 5);
/// # Ok::<(), portolan::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Arena {
    /// Columns of the map.
    pub width: u32,
    /// Rows of the map.
    pub height: u32,
    /// The number of obstacles. More obstacles make more detours, then unreachable parts.
    pub obstacles: u32,
    /// The longest side of an obstacle, from 2 to the shorter side of the map.
    pub side: u32,
    /// The number of edits after the first, which places all obstacles.
    pub edits: u32,
    /// The number of obstacles that move in each edit, at most all.
    pub moved: u32,
    /// The number of queries after each edit.
    pub queries: u32,
    /// The seed of the obstacles and queries.
    pub seed: u64,
}

impl Default for Arena {
    fn default() -> Self {
        Self {
            width: 256,
            height: 256,
            obstacles: 80,
            side: 24,
            edits: 20,
            moved: 4,
            queries: 10,
            seed: 0,
        }
    }
}

/// The largest number of obstacles, edits, and queries per edit.
pub(super) const MOST: u32 = 100_000;

impl Arena {
    /// Generates the scenario and its patches. `patches` is the name of the patch file in the
    /// scenario.
    pub fn generate(&self, patches: &str) -> Result<(DynamicScenario, Vec<Patch>), GenerateError> {
        self.check()?;
        let mut random = Random::new(self.seed);
        let (shapes, outlines) = self.shapes(&mut random);
        let mut draft = ScenarioDraft::new((self.width, self.height), shapes, patches)?;
        let mut placed: Vec<Stamp> = Vec::new();
        for bucket in 0..=self.edits {
            let count = if bucket == 0 { self.obstacles } else { self.moved };
            let mut leaving = Vec::new();
            if bucket > 0 {
                random.shuffle(&mut placed);
                leaving = placed.split_off(placed.len() - count as usize);
            }
            for stamp in leaving {
                // The open patch of a shape comes after the shape.
                draft.stamp(Stamp { patch: stamp.patch + 1, bucket, ..stamp })?;
            }
            for _ in 0..count {
                let shape = random.below(outlines.len() as u64) as usize;
                let (across, down) = outlines[shape];
                let x = random.below((self.width - across + 1).into()) as u32;
                let y = random.below((self.height - down + 1).into()) as u32;
                let stamp = Stamp { bucket, patch: 2 * shape as u32, at: (x, y) };
                draft.stamp(stamp)?;
                placed.push(stamp);
            }
            draft.add_queries(bucket, self.queries, random.bits())?;
        }
        Ok(draft.finish())
    }

    fn check(&self) -> Result<(), GenerateError> {
        check_dynamic_size((self.width, self.height), 2)?;
        check_number("side", self.side, 2u32, self.width.min(self.height))?;
        check_number("obstacles", self.obstacles, 1u32, MOST)?;
        check_number("edits", self.edits, 0u32, MOST)?;
        check_number("moved", self.moved, 1u32, self.obstacles)?;
        check_number("queries", self.queries, 1u32, MOST)
    }

    /// Pairs of patches, a shape and open ground of its size, and the size of each pair.
    fn shapes(&self, random: &mut Random) -> (Vec<Patch>, Vec<(u32, u32)>) {
        const SHAPES: usize = 12;
        /// The least side of a room with an interior.
        const ROOM: u32 = 4;
        let least = (self.side / 4).max(2);
        let (mut patches, mut outlines) = (Vec::new(), Vec::new());
        for shape in 0..SHAPES {
            let mut side = || least + random.below((self.side - least + 1).into()) as u32;
            let (width, height) = (side(), side());
            let has_inside = shape % 2 == 1 && width.min(height) >= ROOM;
            let wall = |cell: u32| {
                let (x, y) = (cell % width, cell / width);
                x == 0 || y == 0 || x == width - 1 || y == height - 1
            };
            let mut cells: Vec<bool> =
                (0..width * height).map(|cell| has_inside && !wall(cell)).collect();
            if has_inside {
                // The door is in the upper or the lower wall, never in a corner.
                let x = 1 + random.below((width - 2).into()) as u32;
                let y = if random.chance(0.5) { 0 } else { height - 1 };
                cells[(y * width + x) as usize] = true;
            }
            let open = vec![true; cells.len()];
            patches.extend(Patch::new(width, cells).into_iter().chain(Patch::new(width, open)));
            outlines.push((width, height));
        }
        (patches, outlines)
    }
}
