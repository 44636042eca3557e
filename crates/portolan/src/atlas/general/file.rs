//! The index as a file, and back.
//!
//! | section | of | what |
//! |---|---|---|
//! | `shape` | `u32` | version of this layout; 1 where trees and chains are off the core, else 0; labels: 0 none, 1 at the borders of leaves, 2 for every node; 0 without strips, 1 with strips, 2 with legs and jumps instead; the leaf size asked for or 0; how many nodes edits have lifted; the two words of the scale |
//! | `tree` | `u32` | the number of children of each region |
//! | `sizes` | `u32` | of each region the number of members and of border nodes |
//! | `separators`, `insides` | `u32` | the members of branches, by rank; those of leaves |
//! | `borders`, `lifts` | `u32` | the border nodes, and their places in F of the parent |
//! | `core-…` | `u32` | the arrays of a core without trees and chains |
//! | `cross` | `u32` | the crossings of all regions |
//! | `via-…` | `u32` | the tables of branches |
//! | `reach-…`, `steps-…`, `enter-…` | `u32`, `u16`, `u16` | the tables of leaves |
//! | `costs-…`, `hops-…` | `u32`, `u16` | the rows of labels and the hops beside them |
//! | `exit-rows`, `exits` | `u32` | by rank where its list of exits begins, and the lists |
//! | `strip-starts`, `strips` | `u32` | by pair of a leaf's border nodes, and by edge between separator nodes, where its strip begins, and the strips |
//! | `legs-…`, `leg-rows`, `leg-nodes` | `u32` | by member and border node of a leaf its leg, both ways on every map; by region where its nodes begin; and the runs of nodes |
//! | `next-…`, `numbers-…` | `u32`, `u16` | beside the hops the ranks that jumps lead to, and the numbers of their pieces, both ways on every map |
//! | `jump-rows-…`, `jumps-…`, `routes` | `u32` | by rank where its pieces begin, both ways on every map; where each begins and how many nodes it has; the nodes |
//! | `gates-…` | `u8` | beside the rows of nodes inside leaves the border nodes by which ways leave |
//!
//! Tables end in `-out`, and on directed maps there is a second that ends in `-into`. All are in
//! the order of the regions' numbers, without gaps. The rest follows: where nodes are at home from
//! the members, where rows lie from the tree and the members. What is not written cannot
//! contradict.
//!
//! Opening reads the lists, all of them, with their checksums, and checks every number that leads
//! anywhere all the same. The tables stay in the file: only their lengths are checked, so any
//! number may stand in them, and what queries read there is a cost, or held against the list that
//! it leads into.

use std::sync::Arc;

use super::core::{Arrays, Reduced, Scale};
use super::homes::Homes;
use super::index::{Core, GeneralIndex, on_core};
use super::labels::gates::Gates;
use super::labels::hops::{Exits, Hops, ranks_of_borders};
use super::labels::{Labels, Layout};
use super::path_cache::Ready;
use super::path_cache::jumps::Jumps;
use super::path_cache::legs::Legs;
use super::path_cache::strips::{Strips, first_edges, first_pairs};
use super::tables::node_of_f;
use super::tables::region::{Both, Branch, Leaf, Place, Places, Region, Tables, Way};
use crate::atlas::AtlasConfig;
use crate::atlas::separator_tree::{NONE, RegionId, Tree};
use crate::graph::{Graph, NodeId};
use crate::map::Map;
use crate::store::{
    Array, Element, Fingerprint, IndexFile, IndexWriter, OpenError, Sequence, Words, unusable,
};

/// The version of the layout above; the container has its own.
const VERSION: u32 = 2;

const SHAPE: &str = "shape";
const TREE: &str = "tree";
const SIZES: &str = "sizes";
const SEPARATORS: &str = "separators";
const INSIDES: &str = "insides";
const BORDERS: &str = "borders";
const LIFTS: &str = "lifts";
const CROSS: &str = "cross";
const VIA: Names = ["via-out", "via-into"];
const REACH: Names = ["reach-out", "reach-into"];
const STEPS: Names = ["steps-out", "steps-into"];
const ENTER: Names = ["enter-out", "enter-into"];
const COSTS: Names = ["costs-out", "costs-into"];
const HOPS: Names = ["hops-out", "hops-into"];
const EXIT_ROWS: &str = "exit-rows";
const EXITS: &str = "exits";
const STRIP_STARTS: &str = "strip-starts";
const STRIPS: &str = "strips";
const LEGS: Names = ["legs-out", "legs-into"];
const LEG_ROWS: &str = "leg-rows";
const LEG_NODES: &str = "leg-nodes";
const NEXT: Names = ["next-out", "next-into"];
const NUMBERS: Names = ["numbers-out", "numbers-into"];
const JUMP_ROWS: Names = ["jump-rows-out", "jump-rows-into"];
const JUMPS: Names = ["jumps-out", "jumps-into"];
const ROUTES: &str = "routes";
const GATES: Names = ["gates-out", "gates-into"];

/// The sections of a table for each way.
type Names = [&'static str; 2];

/// The index, ready to be written.
pub(crate) fn store<'a>(index: &'a GeneralIndex, config: &AtlasConfig) -> IndexWriter<'a> {
    let mut writer = IndexWriter::new(config.form.engine_name(), Fingerprint::of(&index.map));
    let (ids, regions) = (0..index.tree.len() as RegionId, || index.regions.iter());
    let of_branches = || regions().filter(|region| region.branch().is_some());
    let of_leaves = || regions().filter(|region| region.leaf().is_some());
    let size = |region: &Arc<Region>| [region.members.len() as u32, region.border.len() as u32];
    writer
        .section_owned(SHAPE, Shape::of(index, config).to_words().to_vec())
        .section_owned(TREE, ids.map(|id| index.tree.children(id).count() as u32).collect())
        .section_owned(SIZES, regions().flat_map(size).collect())
        .section_in_pieces(SEPARATORS, of_branches().map(|region| &*region.members))
        .section_in_pieces(INSIDES, of_leaves().map(|region| &*region.members))
        .section_in_pieces(BORDERS, regions().map(|region| &*region.border))
        .section_in_pieces(LIFTS, regions().map(|region| &*region.lift))
        .section_in_pieces(CROSS, regions().map(|region| &*region.cross));
    let undirected = index.undirected();
    let branches = || regions().filter_map(|region| region.branch());
    let leaves = || regions().filter_map(|region| region.leaf());
    add_tables(&mut writer, undirected, VIA, branches().map(|branch| &branch.via));
    add_tables(&mut writer, undirected, REACH, leaves().map(|leaf| &leaf.reach));
    add_tables(&mut writer, undirected, STEPS, leaves().map(|leaf| &leaf.steps));
    add_tables(&mut writer, undirected, ENTER, leaves().map(|leaf| &leaf.enter));
    if let Core::Reduced(reduced) = &index.core {
        for (name, array) in reduced.arrays().named() {
            writer.section(name, array);
        }
    }
    if let Some(Labels { costs, hops, strips, ready, .. }) = index.labels.as_deref() {
        add_tables(&mut writer, undirected, COSTS, [costs].into_iter());
        add_tables(&mut writer, undirected, HOPS, [&hops.hops].into_iter());
        writer.section(EXIT_ROWS, &hops.exits.first).section(EXITS, &hops.exits.lists);
        if let Some(strips) = strips {
            writer.section(STRIP_STARTS, &strips.starts).section(STRIPS, &strips.nodes);
        }
        if let Some(Ready { legs, gates, jumps, .. }) = ready {
            let [out, into] = &legs.legs;
            writer.section(LEGS[0], out).section(LEGS[1], into);
            writer.section(LEG_ROWS, &legs.first_node).section(LEG_NODES, &legs.nodes);
            add_tables(&mut writer, undirected, GATES, [&gates.gates].into_iter());
            add_tables(&mut writer, false, NEXT, [&jumps.next].into_iter());
            add_tables(&mut writer, false, NUMBERS, [&jumps.numbers].into_iter());
            for way in [Way::Out as usize, Way::Into as usize] {
                writer.section(JUMP_ROWS[way], &jumps.first[way]);
                writer.section(JUMPS[way], &jumps.pieces[way]);
            }
            writer.section(ROUTES, &jumps.nodes);
        }
    }
    writer
}

fn add_tables<'a, T: Element>(
    writer: &mut IndexWriter<'a>,
    undirected: bool,
    [out, into]: Names,
    tables: impl Iterator<Item = &'a Both<Array<T>>> + Clone,
) {
    writer.section_in_pieces(out, tables.clone().map(|table| &*table.out));
    if !undirected {
        writer.section_in_pieces(into, tables.filter_map(|table| table.into.as_deref()));
    }
}

/// The index that was stored for this map, and the leaf size that was asked for.
pub(crate) fn open(
    index: &IndexFile,
    map: &Map,
) -> Result<(GeneralIndex, Option<usize>), OpenError> {
    for section in [SHAPE, TREE, SIZES, SEPARATORS, INSIDES, BORDERS, LIFTS] {
        index.verify_section(section)?;
    }
    let shape = Shape::read(&index.section::<u32>(SHAPE)?)?;
    let core = read_core(index, map, &shape)?;
    let undirected = on_core!(&core, graph => graph.is_undirected());
    let tree = read_tree(&index.section::<u32>(TREE)?, map.node_count())?;
    let (regions, places) = Reader::new(index, undirected)?.regions(index, &tree, map)?;
    let homeless = on_core!(&core, graph => {
        let nodes = 0..graph.node_count() as NodeId;
        nodes.clone().find(|&node| graph.contains(node) && places.of(node).home == NONE)
    });
    if let Some(node) = homeless {
        return Err(unusable(INSIDES, format!("node {node} is nowhere")));
    }
    let (map, tree) = (map.clone(), Arc::new(tree));
    let (scale, lifted) = (shape.scale, shape.lifted);
    let mut opened = GeneralIndex { map, core, scale, tree, places, regions, labels: None, lifted };
    if shape.labels != Stored::None {
        opened.labels = Some(Arc::new(read_labels(index, &opened, &shape)?));
    }
    Ok((opened, shape.leaf_size))
}

/// Which rows of labels there are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    None,
    AtBorders,
    ForEvery,
}

/// What lies ready to be copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Laid {
    Nothing,
    Strips,
    Ready,
}

/// What the lists and tables do not say.
struct Shape {
    reduced: bool,
    labels: Stored,
    strips: Laid,
    leaf_size: Option<usize>,
    lifted: usize,
    scale: Scale,
}

impl Shape {
    fn of(index: &GeneralIndex, config: &AtlasConfig) -> Self {
        Self {
            reduced: matches!(index.core, Core::Reduced(_)),
            labels: match &index.labels {
                None => Stored::None,
                Some(labels) if labels.layout.has_inside() => Stored::ForEvery,
                Some(_) => Stored::AtBorders,
            },
            strips: match index.labels.as_deref() {
                Some(Labels { ready: Some(_), .. }) => Laid::Ready,
                Some(Labels { strips: Some(_), .. }) => Laid::Strips,
                _ => Laid::Nothing,
            },
            leaf_size: config.leaf_size,
            lifted: index.lifted,
            scale: index.scale,
        }
    }

    fn to_words(&self) -> [u32; 8] {
        let labels = match self.labels {
            Stored::None => 0,
            Stored::AtBorders => 1,
            Stored::ForEvery => 2,
        };
        // A leaf size of zero is one; any beyond what fits is as good as the largest that does.
        let leaf_size = self.leaf_size.map_or(0, |size| size.clamp(1, u32::MAX as usize));
        let [shift, overflows] = self.scale.to_words();
        let strips = match self.strips {
            Laid::Nothing => 0,
            Laid::Strips => 1,
            Laid::Ready => 2,
        };
        let (reduced, lifted) = (u32::from(self.reduced), self.lifted as u32);
        [VERSION, reduced, labels, strips, leaf_size as u32, lifted, shift, overflows]
    }

    fn read(words: &[u32]) -> Result<Self, OpenError> {
        match *words {
            [
                VERSION,
                reduced @ 0..=1,
                labels @ 0..=2,
                strips @ 0..=2,
                leaf_size,
                lifted,
                shift,
                overflows,
            ] => Ok(Self {
                reduced: reduced == 1,
                strips: [Laid::Nothing, Laid::Strips, Laid::Ready][strips as usize],
                labels: [Stored::None, Stored::AtBorders, Stored::ForEvery][labels as usize],
                lifted: lifted as usize,
                leaf_size: Some(leaf_size as usize).filter(|&size| size > 0),
                scale: Scale::from_words([shift, overflows])
                    .map_err(|reason| unusable(SHAPE, reason))?,
            }),
            [version, ..] if version != VERSION => {
                Err(unusable(SHAPE, format!("it has version {version} and {VERSION} is expected")))
            }
            _ => Err(unusable(SHAPE, format!("{} numbers describe no index", words.len()))),
        }
    }
}

fn read_core(index: &IndexFile, map: &Map, shape: &Shape) -> Result<Core, OpenError> {
    if !shape.reduced {
        return match map {
            Map::Grid(grid) => Ok(Core::Grid(Box::new(grid.clone()))),
            Map::Graph(_) => Err(unusable(SHAPE, "the core of a graph is no grid".into())),
        };
    }
    let arrays = Arrays::from_named(|name| {
        index.verify_section(name)?;
        index.section(name)
    })?;
    let reduced = Reduced::from_arrays(map.node_count(), arrays);
    Ok(Core::Reduced(Arc::new(reduced.map_err(|reason| unusable("core-records", reason))?)))
}

pub(crate) fn read_tree(children: &[u32], nodes: usize) -> Result<Tree, OpenError> {
    let count = children.len();
    // Of a map's tree every leaf has a node of its own, or its parent has.
    let tree = (count / 4 <= nodes).then(|| Tree::new(children.iter().copied())).flatten();
    let tree = tree.filter(|tree| {
        let depths = (0..count as RegionId).map(|id| u64::from(tree.link(id).depth) + 1);
        u32::try_from(depths.sum::<u64>()).is_ok()
    });
    tree.ok_or_else(|| unusable(TREE, format!("{count} numbers make no tree of {nodes} nodes")))
}

/// The sections that belong to one region after the other.
struct Reader {
    separators: Sequence<u32>,
    insides: Sequence<u32>,
    borders: Sequence<u32>,
    lifts: Sequence<u32>,
    cross: Sequence<u32>,
    via: Both<Sequence<u32>>,
    reach: Both<Sequence<u32>>,
    steps: Both<Sequence<u16>>,
    enter: Both<Sequence<u16>>,
}

impl Reader {
    fn new(index: &IndexFile, undirected: bool) -> Result<Self, OpenError> {
        let words = |section| Sequence::new(index, section);
        Ok(Self {
            separators: words(SEPARATORS)?,
            insides: words(INSIDES)?,
            borders: words(BORDERS)?,
            lifts: words(LIFTS)?,
            cross: words(CROSS)?,
            via: sequences(index, undirected, VIA)?,
            reach: sequences(index, undirected, REACH)?,
            steps: sequences(index, undirected, STEPS)?,
            enter: sequences(index, undirected, ENTER)?,
        })
    }

    /// All regions, and where the nodes of the map are at home.
    fn regions(
        mut self,
        index: &IndexFile,
        tree: &Tree,
        map: &Map,
    ) -> Result<(Vec<Arc<Region>>, Places), OpenError> {
        let sizes: Words = index.section(SIZES)?;
        let (sizes, rest) = sizes.as_chunks::<2>();
        if sizes.len() != tree.len() || !rest.is_empty() {
            let (found, regions) = (2 * sizes.len() + rest.len(), tree.len());
            return Err(unusable(SIZES, format!("{found} numbers for {regions} regions")));
        }
        let mut places = vec![Place::NOWHERE; map.node_count()];
        let mut regions: Vec<Arc<Region>> = Vec::with_capacity(tree.len());
        for (id, &[members, border]) in (0..).zip(sizes) {
            let region = self.region(tree.is_leaf(id), members as usize, border as usize)?;
            settle(id, &region.members, &mut places)?;
            // Parents come before their children.
            let parent = regions.get(tree.link(id).parent as usize);
            check_border(id, &region, parent.map(|parent| &**parent))?;
            regions.push(Arc::new(region));
        }
        self.finish()?;
        Ok((regions, Places::from_list(&places)))
    }

    fn region(&mut self, leaf: bool, count: usize, border: usize) -> Result<Region, OpenError> {
        // Too much for any file where it does not fit.
        let table = |rows: usize, columns: usize| rows.saturating_mul(columns);
        let members = if leaf { &mut self.insides } else { &mut self.separators }.take(count)?;
        let tables = match leaf {
            false => {
                let length = table(count.saturating_add(border), count);
                Tables::Branch(Branch { via: take(&mut self.via, length)? })
            }
            true => Tables::Leaf(Leaf {
                reach: take(&mut self.reach, table(count, border))?,
                steps: take(&mut self.steps, table(count, border))?,
                enter: take(&mut self.enter, table(border, border))?,
            }),
        };
        Ok(Region {
            members,
            border: self.borders.take(border)?,
            lift: self.lifts.take(border)?,
            cross: self.cross.take(table(border, border))?,
            tables,
        })
    }

    fn finish(self) -> Result<(), OpenError> {
        for list in [self.separators, self.insides, self.borders, self.lifts, self.cross] {
            list.finish()?;
        }
        finish(self.via)?;
        finish(self.reach)?;
        finish(self.steps)?;
        finish(self.enter)
    }
}

fn sequences<T: Element>(
    index: &IndexFile,
    undirected: bool,
    [out, into]: Names,
) -> Result<Both<Sequence<T>>, OpenError> {
    Ok(Both {
        out: Sequence::new(index, out)?,
        into: (!undirected).then(|| Sequence::new(index, into)).transpose()?,
    })
}

/// The next table, of this length each way.
fn take<T: Element>(
    from: &mut Both<Sequence<T>>,
    length: usize,
) -> Result<Both<Array<T>>, OpenError> {
    Ok(Both {
        out: from.out.take(length)?,
        into: from.into.as_mut().map(|into| into.take(length)).transpose()?,
    })
}

fn finish<T: Element>(sequences: Both<Sequence<T>>) -> Result<(), OpenError> {
    sequences.out.finish()?;
    sequences.into.map_or(Ok(()), Sequence::finish)
}

fn settle(home: RegionId, members: &[NodeId], places: &mut [Place]) -> Result<(), OpenError> {
    let nodes = places.len();
    for (slot, &node) in (0..).zip(members) {
        match places.get_mut(node as usize) {
            Some(place) if place.home == NONE => *place = Place { home, slot },
            _ => {
                let reason = format!(
                    "node {node} in region {home} is there twice or is none of {nodes} nodes"
                );
                return Err(unusable(SEPARATORS, reason));
            }
        }
    }
    Ok(())
}

/// Whether every border node is where its lift says in F of the parent, and all are in order. What
/// is in F of the parent is at home above the child; the separator comes first there, but lies
/// deeper than the border.
fn check_border(id: RegionId, region: &Region, parent: Option<&Region>) -> Result<(), OpenError> {
    let Some(parent) = parent else {
        return match region.border.is_empty() {
            true => Ok(()),
            false => Err(unusable(BORDERS, "there is nothing above the root".into())),
        };
    };
    let wide = parent.members.len() as u32;
    let lifted = region.border.iter().zip(region.lift.iter());
    let lifted = lifted.clone().all(|(&node, &at)| node_of_f(parent, at as usize) == Some(node))
        && region.lift.is_sorted_by(|&a, &b| (a < wide, a) < (b < wide, b));
    match lifted {
        true => Ok(()),
        false => Err(unusable(LIFTS, format!("they are not those of the border of region {id}"))),
    }
}

fn read_labels(file: &IndexFile, index: &GeneralIndex, shape: &Shape) -> Result<Labels, OpenError> {
    let GeneralIndex { tree, places, regions, .. } = index;
    let layout = Layout::new(tree, regions, shape.labels == Stored::ForEvery);
    file.verify_section(EXIT_ROWS)?;
    file.verify_section(EXITS)?;
    let mut costs = sequences(file, index.undirected(), COSTS)?;
    let mut hops = sequences(file, index.undirected(), HOPS)?;
    let rows = take(&mut costs, layout.entries())?;
    let steps = take(&mut hops, layout.separator_entries())?;
    finish(costs)?;
    finish(hops)?;
    let (first_border, borders) = ranks_of_borders(tree, places, regions, &layout);
    let exits = Exits {
        first: file.section(EXIT_ROWS)?,
        lists: file.section(EXITS)?,
        // Ranks are the numbers of the separators' nodes.
        nodes: file.section(SEPARATORS)?,
        first_border: first_border.into(),
        borders: borders.into(),
    };
    check_exits(&exits, tree, layout.separators())?;
    let (mut strips, mut ready) = (None, None);
    match shape.strips {
        Laid::Nothing => {}
        Laid::Strips => strips = Some(read_strips(file, index, &exits)?),
        Laid::Ready => {
            let (legs, gates) = (read_legs(file, index)?, read_gates(file, index, &layout)?);
            let jumps = read_jumps(file, &layout)?;
            let Core::Reduced(reduced) = &index.core else {
                return Err(unusable(SHAPE, "legs belong to cores that leave nodes out".into()));
            };
            let homes = Homes::new(reduced, places);
            ready = Some(Ready { legs, jumps, gates, homes });
        }
    }
    Ok(Labels { layout, costs: rows, hops: Hops { hops: steps, exits }, strips, ready })
}

/// Strips lead nowhere but into paths, and where they begin is held against their length when they
/// are read.
fn read_strips(file: &IndexFile, index: &GeneralIndex, exits: &Exits) -> Result<Strips, OpenError> {
    let numbered = first_pairs(&index.regions).and_then(|(first, pairs)| {
        let (first_edge, count) = first_edges(index, exits, pairs)?;
        Some((first, first_edge, count))
    });
    let (first, first_edge, count) = numbered
        .ok_or_else(|| unusable(BORDERS, "leaves have too many border nodes for strips".into()))?;
    let starts: Words = file.section(STRIP_STARTS)?;
    if starts.len() != count + 1 {
        let found = starts.len();
        return Err(unusable(STRIP_STARTS, format!("{found} numbers where {} belong", count + 1)));
    }
    Ok(Strips { first: first.into(), first_edge, starts, nodes: file.section(STRIPS)? })
}

/// Legs are held against the runs when they are read, and so is what goes on behind a run.
fn read_legs(file: &IndexFile, index: &GeneralIndex) -> Result<Legs, OpenError> {
    let legs = [file.section(LEGS[0])?, file.section(LEGS[1])?];
    let wrong = || unusable(LEGS[0], "there is not one for each member and border node".into());
    let (first_node, nodes) = (file.section(LEG_ROWS)?, file.section(LEG_NODES)?);
    Legs::from_words(index, first_node, legs, nodes).ok_or_else(wrong)
}

/// What jumps lead to is held against the list that it leads into when it is read.
fn read_jumps(file: &IndexFile, layout: &Layout) -> Result<Jumps, OpenError> {
    let mut next = sequences(file, false, NEXT)?;
    let mut numbers = sequences(file, false, NUMBERS)?;
    let jumps = Jumps {
        next: take(&mut next, layout.separator_entries())?,
        numbers: take(&mut numbers, layout.separator_entries())?,
        first: [file.section(JUMP_ROWS[0])?, file.section(JUMP_ROWS[1])?],
        pieces: [file.section(JUMPS[0])?, file.section(JUMPS[1])?],
        nodes: file.section(ROUTES)?,
    };
    finish(next)?;
    finish(numbers)?;
    Ok(jumps)
}

fn read_gates(file: &IndexFile, index: &GeneralIndex, layout: &Layout) -> Result<Gates, OpenError> {
    let mut gates = sequences(file, index.undirected(), GATES)?;
    let read = take(&mut gates, layout.entries() - layout.separator_entries())?;
    finish(gates)?;
    let wrong = || unusable(GATES[0], "there is not one for each entry".into());
    Gates::from_arrays(layout, read).ok_or_else(wrong)
}

/// Whether the exits of all ranks lead to ranks, and across leaves from where these have the node
/// in their border.
fn check_exits(exits: &Exits, tree: &Tree, ranks: usize) -> Result<(), OpenError> {
    let (first, lists) = (&*exits.first, &*exits.lists);
    let ends = (first.first().copied(), first.last().map(|&end| end as usize));
    if first.len() != ranks + 1 || ends != (Some(0), Some(lists.len())) || !first.is_sorted() {
        let length = lists.len();
        return Err(unusable(EXIT_ROWS, format!("{length} numbers are no lists of {ranks} nodes")));
    }
    for (rank, ends) in (0..).zip(first.windows(2)) {
        let list = &lists[ends[0] as usize..ends[1] as usize];
        let (edges, leaves) = exits.of(rank);
        let (leaves, rest) = leaves.as_chunks::<3>();
        let mut next = list.first().map_or(0, |&edges| u64::from(edges));
        let counted = !list.is_empty() && edges.len() as u64 == next && rest.is_empty();
        let lead_to_ranks = edges.is_sorted_by(|a, b| a < b)
            && edges.last().is_none_or(|&last| (last as usize) < ranks);
        let cross_leaves = leaves.iter().all(|&[base, leaf, at]| {
            let is_leaf = (leaf as usize) < tree.len() && tree.is_leaf(leaf);
            let border = if is_leaf { exits.border(leaf) } else { &[] };
            let follows = u64::from(base) == next;
            next += border.len() as u64;
            follows && border.get(at as usize) == Some(&rank)
        });
        if !(counted && lead_to_ranks && cross_leaves) {
            return Err(unusable(EXITS, format!("the node of rank {rank} cannot have these")));
        }
    }
    Ok(())
}
