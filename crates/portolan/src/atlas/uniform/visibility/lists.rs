//! Stored visibility lists.
//!
//! In open areas, scanning bitmaps takes most of a query's time. Neighbouring cells see nearly the
//! same subgoals, so the cells of a tile share one list of all subgoals that any of them sees. It
//! is about 1.5 times as long as the list of a single cell. Each cell has a bit per listed subgoal.
//! The lists contain exactly the subgoals that a scan finds ([`View::ahead`], [`View::behind`]).
//! The cost to a subgoal is the distance, because the run to it is free.
//!
//! There is one list per tile and endpoint: the numbers of the subgoals, their cells, then the bits
//! of each cell of the tile, row by row. The directory has the start and the length of every list.

use super::Endpoint;
use crate::atlas::uniform::labels::SubgoalId;
use crate::atlas::uniform::subgoals::{PaddedCell, Subgoals, View};
use crate::cost::{Cost, UNREACHABLE};
use crate::kernel::{WORD, at_most, prefetch_element, prefetch_lines, weigh};
use crate::store::Words;

/// The side of a tile in cells, as a power of two.
pub(super) const TILE: u32 = 3;

/// Cells of a tile.
pub(super) const CELLS: usize = 1 << (2 * TILE);

/// The lists of all tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VisibilityLists {
    /// Tiles per row.
    pub(super) across: u32,
    /// The number of all subgoals.
    pub(super) count: usize,
    /// By tile and endpoint: where the list starts, and how many subgoals it has.
    pub(crate) directory: Words,
    pub(crate) lists: Words,
}

/// The list of a tile, with the bits of one cell.
struct TileList<'a> {
    numbers: &'a [SubgoalId],
    /// Reaches into what follows, up to a whole number of words of bits.
    cells: &'a [u32],
    bits: &'a [u32],
}

/// Bounds of the subgoals on the list of a cell.
#[derive(Debug, Default)]
pub(crate) struct ListBounds {
    /// How many of them the cell sees.
    pub(crate) count: usize,
    /// By slot on the list: the cost to the subgoal, and a lower bound for the paths over it;
    /// [`UNREACHABLE`] if it is not visible.
    costs: Vec<[Cost; WORD]>,
    sums: Vec<[Cost; WORD]>,
}

/// A subgoal on a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListedSubgoal {
    pub(crate) number: SubgoalId,
    pub(crate) cell: PaddedCell,
    pub(crate) cost: Cost,
    /// A lower bound for paths over it.
    pub(crate) bound: Cost,
}

impl VisibilityLists {
    /// Wraps stored lists; `None` if the directory does not match the map.
    pub(crate) fn from_stored(subgoals: &Subgoals, directory: Words, lists: Words) -> Option<Self> {
        let [across, down] = tile_counts(&subgoals.view);
        let (tiles, count) = (across as usize * down as usize, subgoals.all().count());
        (directory.len() == 4 * tiles).then_some(Self { across, count, directory, lists })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.directory.memory_bytes() + self.lists.memory_bytes()
    }

    #[inline(always)]
    pub(super) fn prefetch_directory(&self, endpoint: Endpoint, cell: PaddedCell) {
        let at = self.directory_index(endpoint, cell);
        prefetch_element(&self.directory, at);
    }

    #[inline(always)]
    pub(super) fn prefetch_list(&self, endpoint: Endpoint, cell: PaddedCell) {
        if let Some(TileList { numbers, cells, bits }) = self.list(endpoint, cell) {
            prefetch_lines::<2, _>(numbers);
            prefetch_lines::<2, _>(cells);
            prefetch_lines::<1, _>(bits);
        }
    }

    /// Computes the bounds of paths between two cells over the subgoals that the first one sees.
    /// Returns the subgoal with the least bound.
    #[inline(always)]
    pub(crate) fn bound(
        &self,
        view: &View,
        endpoint: Endpoint,
        [from, to]: [PaddedCell; 2],
        bounds: &mut ListBounds,
    ) -> Option<ListedSubgoal> {
        bounds.count = 0;
        let list = self.list(endpoint, from)?;
        let (cells, _) = list.cells.as_chunks::<WORD>();
        let ListBounds { count, costs, sums } = bounds;
        if costs.len() < cells.len() {
            costs.resize(cells.len(), [0; WORD]);
            sums.resize(cells.len(), [0; WORD]);
        }
        *count = list.bits.iter().map(|bits| bits.count_ones() as usize).sum();
        let ends = [from, to].map(|PaddedCell { x, y }| x | y << 16);
        let least = weigh(cells, list.bits, ends, view.diagonal_extra(), costs, sums);
        if least == UNREACHABLE {
            return None;
        }
        let words = (0..).step_by(WORD).zip(&sums[..cells.len()]);
        let mut found = words.map(|(first, sums)| (first, at_most(sums, least)));
        let (first, mask) = found.find(|&(_, mask)| mask != 0)?;
        list.subgoal(bounds, first + mask.trailing_zeros() as usize)
    }

    /// Visits the subgoals whose bound is at most `most`. `bounds` must come from
    /// [`bound`](Self::bound) with the same endpoint and cell.
    #[inline(always)]
    pub(crate) fn each(
        &self,
        endpoint: Endpoint,
        from: PaddedCell,
        most: Cost,
        bounds: &ListBounds,
        mut visit: impl FnMut(ListedSubgoal),
    ) {
        let Some(list) = self.list(endpoint, from) else { return };
        let words = list.bits.iter().zip(&bounds.sums);
        for (first, (&bits, sums)) in (0..).step_by(WORD).zip(words) {
            let mut word = bits & at_most(sums, most);
            while word != 0 {
                let slot = first + word.trailing_zeros() as usize;
                word &= word - 1;
                if let Some(listed) = list.subgoal(bounds, slot) {
                    visit(listed);
                }
            }
        }
    }

    #[inline(always)]
    fn directory_index(&self, endpoint: Endpoint, PaddedCell { x, y }: PaddedCell) -> usize {
        4 * ((y >> TILE) * self.across + (x >> TILE)) as usize + 2 * endpoint as usize
    }

    #[inline(always)]
    fn list(&self, endpoint: Endpoint, cell: PaddedCell) -> Option<TileList<'_>> {
        let at = self.directory_index(endpoint, cell);
        let &[first, count] = self.directory.get(at..at + 2)? else { return None };
        let (first, count) = (first as usize, count as usize);
        // A list contains each subgoal once, unless the file is damaged.
        if count > self.count {
            return None;
        }
        let list = self.lists.get(first..)?;
        let width = count.div_ceil(WORD);
        let bits = 2 * count + cell_in_tile(cell) * width;
        Some(TileList {
            numbers: list.get(..count)?,
            cells: list.get(count..count + width * WORD)?,
            bits: list.get(bits..bits + width)?,
        })
    }
}

impl TileList<'_> {
    #[inline(always)]
    fn subgoal(&self, bounds: &ListBounds, slot: usize) -> Option<ListedSubgoal> {
        let (number, cell) = (*self.numbers.get(slot)?, *self.cells.get(slot)?);
        let cost = *bounds.costs.as_flattened().get(slot)?;
        let bound = *bounds.sums.as_flattened().get(slot)?;
        Some(ListedSubgoal {
            number,
            cell: PaddedCell { x: cell & 0xffff, y: cell >> 16 },
            cost,
            bound,
        })
    }
}

/// The number of tiles across and down.
pub(super) fn tile_counts(view: &View) -> [u32; 2] {
    view.size().map(|cells| cells.div_ceil(1 << TILE))
}

/// The index of a cell in its tile.
#[inline(always)]
pub(super) fn cell_in_tile(PaddedCell { x, y }: PaddedCell) -> usize {
    let inside = |at: u32| (at & ((1 << TILE) - 1)) as usize;
    inside(y) << TILE | inside(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::uniform::LEAF;
    use crate::atlas::uniform::build::reduce::reduce;
    use crate::atlas::uniform::labels::HubLabels;
    use crate::atlas::uniform::labels::numbers::CellNumbers;
    use crate::atlas::uniform::subgoals::{Reduction, VisibleSubgoal};
    use crate::graph::{Graph, NodeId};
    use crate::grid::{Connectivity, Corners, Grid};
    use crate::partition::Partitioner;
    use crate::random::Random;

    /// The numbers of all subgoals in the order of their cells.
    fn numbers(subgoals: &Subgoals) -> CellNumbers {
        let mut numbers = vec![SubgoalId::MAX; subgoals.node_count()];
        subgoals.all().zip(0..).for_each(|(node, number)| numbers[node as usize] = number);
        CellNumbers::PerCell(numbers.into())
    }

    fn random_grid(random: &mut Random) -> Grid {
        let (width, height) = (1 + random.below(40) as u32, 1 + random.below(40) as u32);
        let density = [0.02, 0.1, 0.3, 0.5][random.below(4) as usize];
        let grid = Grid::from_fn(width, height, |_, _| !random.chance(density)).unwrap();
        match random.below(5) {
            0 => grid.with_connectivity(Connectivity::Four),
            1 => grid.with_corners(Corners::PastOne),
            2 => grid.with_corners(Corners::Always),
            _ => grid,
        }
    }

    #[test]
    fn lists_equal_a_scan() {
        let mut random = Random::new(11);
        for round in 0..300 {
            let grid = random_grid(&mut random);
            let reductions = Reduction::of(&grid);
            let subgoals = Subgoals::new(&grid, reductions[round % reductions.len()]);
            let (view, numbers) = (&subgoals.view, numbers(&subgoals));
            let (width, height) = (grid.width(), grid.height());
            let lists =
                VisibilityLists::build(&subgoals, &numbers, u64::MAX, &()).unwrap().unwrap();
            for node in (0..subgoals.node_count() as NodeId).filter(|&node| grid.contains(node)) {
                let cell = view.cell(node);
                for endpoint in [Endpoint::Start, Endpoint::Goal] {
                    let mut expected = Vec::new();
                    let see = |seen: VisibleSubgoal| {
                        assert_eq!(view.distance(cell, seen.cell), seen.cost, "round {round}");
                        if endpoint == Endpoint::Start {
                            let arrival = view.arrival(cell, seen.cell);
                            assert_ne!(arrival & seen.arrival, 0, "round {round}");
                        }
                        expected.push((numbers.of(view.node(seen.cell)), seen.cell));
                    };
                    match endpoint {
                        Endpoint::Start => view.ahead(cell, see),
                        Endpoint::Goal => view.behind(cell, see),
                    }
                    let (mut found, mut bounds) = (Vec::new(), ListBounds::default());
                    let endpoints =
                        [cell, view.cell(random.below(u64::from(width * height)) as NodeId)];
                    let best = lists.bound(view, endpoint, endpoints, &mut bounds);
                    let bound = |cell| {
                        view.distance(endpoints[0], cell) + view.distance(cell, endpoints[1])
                    };
                    lists.each(endpoint, cell, UNREACHABLE - 1, &bounds, |listed| {
                        let costs = (view.distance(cell, listed.cell), bound(listed.cell));
                        assert_eq!((listed.cost, listed.bound), costs, "round {round}");
                        assert!(best.is_some_and(|best| best.bound <= listed.bound));
                        found.push((listed.number, listed.cell));
                    });
                    assert_eq!(bounds.count, found.len());
                    found.sort_unstable_by_key(|&(number, _)| number);
                    expected.sort_unstable_by_key(|&(number, _)| number);
                    expected.dedup();
                    assert_eq!(
                        found, expected,
                        "round {round}, {endpoint:?} at {cell:?}\n{grid:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn lists_respect_the_limit_and_the_size_of_the_map() {
        let mut grid = Grid::new(20, 12).unwrap();
        grid.set_passable(7, 5, false).unwrap();
        let (subgoals, dissection) = reduce(&grid, &Partitioner::default(), LEAF, &()).unwrap();
        let labels =
            HubLabels::with_layout(&dissection.tree, &dissection.members, &subgoals).unwrap();
        let within =
            |bytes| VisibilityLists::build(&subgoals, &labels.numbers, bytes, &()).unwrap();
        let lists = within(u64::MAX).unwrap();
        let bytes = lists.memory_bytes() as u64;
        assert_eq!(within(bytes), Some(lists.clone()));
        assert_eq!(within(bytes - 1), None);
        let VisibilityLists { directory, lists, .. } = lists;
        assert!(
            VisibilityLists::from_stored(&subgoals, directory.clone(), lists.clone()).is_some()
        );
        let short = directory.slice(4..).unwrap();
        assert!(VisibilityLists::from_stored(&subgoals, short, lists).is_none());
    }
}
