// @ts-check
// What the view Hierarchies says about each engine.

import { digits, grouped } from "../../ui.js";

/** @typedef {"all" | "connect" | "join" | "unpack"} Step */
/**
 * What the sentences of a step count. Pairs are those of start and goal.
 * @typedef {object} Facts
 * @property {boolean} isFound
 * @property {number[]} gates of the finest regions of both ends
 * @property {number} expanded
 * @property {number} waypoints
 * @property {number} cells of the path
 * @property {string | null} meeting
 * @property {string} form
 * @property {number[]} seen
 * @property {number[]} joined
 * @property {number[]} rows
 * @property {number[]} hops
 * @property {number} both hubs in both rows
 * @property {number[] | null} halves lengths
 * @property {boolean} ofSubgoals
 */
/**
 * @typedef {object} EngineText
 * @property {string} name of the engine
 * @property {string} title
 * @property {string[]} texts a lesson
 * @property {string} waiting before the first answer
 * @property {string} gates the name of the cells that lead out of a region
 * @property {string} bytes the name of what is stored for a region
 * @property {string} between what cells in no region are
 * @property {boolean} hasSeparators whether cells between regions are marked, not those at borders
 * @property {boolean} clusters whether the size of regions is set in cells
 * @property {{ [step in Step]: (facts: Facts) => string }} steps
 */

const NONE = "There is no path between these cells.";
const WAITING = "The index is being built.";

/** A count with its noun. @param {number} count @param {string} one @param {string} [many] */
const counted = (count, one, many = `${one}s`) => `${grouped(count)} ${count === 1 ? one : many}`;

/** Steps that have nothing to show without a path. @param {{ [step in Step]: (facts: Facts) => string }} steps */
function withPath(steps) {
  const guarded = (/** @type {Step} */ step) => (/** @type {Facts} */ facts) => facts.isFound ? steps[step](facts) : NONE;
  return { all: guarded("all"), connect: guarded("connect"), join: guarded("join"), unpack: guarded("unpack") };
}

const atlasSteps = withPath({
  all: ({ meeting, both, cells }) =>
    meeting === "sight" ? "The goal is in line of sight: one run answers, and no row is read."
      : meeting === "bend" ? "Both ends see the same corner: two runs answer, and no row is needed."
        : meeting === "hub" && both > 0 ? `The rows of start and goal have ${counted(both, "hub")} in common. The best of them is on the path of ${counted(cells, "cell")}.`
          : meeting === "hub" ? "The costs that both ends carry up the tree meet at the marked cell."
            : "A small search within one region answers.",
  connect: ({ meeting, ofSubgoals, seen, joined }) =>
    meeting === "sight" ? "The goal is in line of sight, so there is nothing to connect."
      : ofSubgoals ? `The start sees ${counted(seen[0], "subgoal")} and the goal is seen from ${grouped(seen[1])}. ${grouped(joined[0])} and ${grouped(joined[1])} of them may be on a shortest path (solid lines); bounds rule out the others (dashed).`
        : `Each end has ${joined[0] + joined[1] > 2 ? "the rows of the separators around its leaf" : "a row of its own"}, so nothing is searched.`,
  join: ({ meeting, rows, both, halves }) =>
    meeting !== "hub" || both === 0 ? "Nothing is joined for this path."
      : `The rows list ${grouped(rows[0])} and ${counted(rows[1], "hub")}; ${grouped(both)} are in both. At each, both costs are added. The least sum is at the marked hub${halves ? `: ${digits(halves[0])} from the start and ${digits(halves[1])} to the goal` : ""}.`,
  unpack: ({ meeting, hops, cells }) =>
    meeting !== "hub" ? `The path of ${counted(cells, "cell")} is written down directly.`
      : `Next to every cost a row stores the first step toward its hub. Following these hops, ${grouped(hops[0])} from the start and ${grouped(hops[1])} from the goal, gives the ${counted(cells, "cell")} of the path.`,
});

const portalConnect = (/** @type {Facts} */ { gates }) =>
  `The start's region has ${counted(gates[0], "portal")}, the goal's has ${grouped(gates[1])}. Every path between the regions uses one of each. An end that is a portal itself needs none.`;

const portalUnpack = (/** @type {Facts} */ { waypoints, cells }) =>
  `The path crosses ${counted(waypoints, "portal")}. Between two of them it stays in one region, where it is found step by step. That gives ${counted(cells, "cell")}.`;

const clusterUnpack = (/** @type {Facts} */ { cells }) =>
  `Each piece between two entrances is filled in with cells, and the path is straightened. That gives ${counted(cells, "cell")}, often not along the abstract path any more.`;

const clusterJoin = (/** @type {Facts} */ { waypoints, expanded }) =>
  waypoints === 0 ? "The ends are close together, so a plain search on the map answers."
    : `A* searches the graph of entrances. Its path has ${counted(waypoints, "entrance")}. With the pieces between them, the search expanded ${counted(expanded, "node")}.`;

const clusterAll = (/** @type {Facts} */ { waypoints, cells }) =>
  waypoints === 0 ? `The ends are close together. A plain search found the ${counted(cells, "cell")} of the path.`
    : `The path of ${counted(cells, "cell")} was planned over ${counted(waypoints, "entrance")} (green).`;

const clusterConnect = (/** @type {Facts} */ { gates }) =>
  `The start's cluster has ${counted(gates[0], "entrance")}, the goal's has ${grouped(gates[1])}. The lines show what the start can reach first, and from where the goal can be reached.`;

/** @type {EngineText[]} */
export const ENGINES = [
  {
    name: "atlas", title: "Atlas", waiting: WAITING, gates: "Adjacent separators", bytes: "Its rows", hasSeparators: true, clusters: false,
    between: "A separator of this level or one above it, or ground without corners.",
    texts: [
      "Where the ground costs the same everywhere, shortest paths bend only around corners. Atlas keeps just these corners, called subgoals, and the runs between them.",
      "A separator is a small set of subgoals that splits the others in two. Each half is split again, which makes a tree of regions. Cells have the colour of a subgoal near them.",
      "Every subgoal has a row: what it costs to each separator above it, its hubs. A query looks which subgoals both ends see, adds up their rows, and takes the least sum. Nothing is searched.",
      "On maps with terrain or very many corners Atlas takes its general form, in which cells take the place of subgoals.",
    ],
    steps: atlasSteps,
  },
  {
    name: "atlas-general", title: "Atlas, general form", waiting: WAITING, gates: "Adjacent separators", bytes: "Its tables", hasSeparators: true, clusters: false,
    between: "A separator of this level or one above it.",
    texts: [
      "This form works on every map. A separator is a small set of cells that splits the others in two. Each half is split again, down to leaves of 128 cells.",
      "Every separator cell, and if memory allows every cell, has a row: what it costs to each separator cell above it, its hubs.",
      "A shortest path between two regions passes a separator above both, so the best sum of both rows is the distance. The pink cells are all separators down to the chosen level.",
    ],
    steps: atlasSteps,
  },
  {
    name: "ppa", title: "Partially Precomputed A*", waiting: WAITING, gates: "Border cells", bytes: "Its table", hasSeparators: false, clusters: false,
    between: "This cell is in no region.",
    texts: [
      "The map is cut into regions, and each region is cut again. A cell with a step that leaves its region is a border of it.",
      "A finest region has a table of the distances between all its cells. A larger one has a table of the distances between the borders of the regions inside it.",
      "A query is A* on a tiny graph: from the start to the borders of its region, on to the borders of larger regions, and down again to the goal. Every edge is one entry of a table. The answer is exact.",
    ],
    steps: withPath({
      all: ({ expanded, waypoints, cells }) => `The search expanded ${counted(expanded, "node")} and found a way over ${counted(waypoints, "border")}. The tables turn it into ${counted(cells, "cell")}.`,
      connect: ({ gates }) => `The table of the start's finest region tells what each of its ${counted(gates[0], "border cell")} costs. The same is known for the ${grouped(gates[1])} of the goal's.`,
      join: ({ expanded, waypoints }) => `A* goes up through the borders of ever larger regions, and down to the goal. It expanded ${counted(expanded, "node")}; the best way over them has ${counted(waypoints, "border")}.`,
      unpack: ({ waypoints, cells }) => `Each of the ${counted(waypoints + 1, "hop")} lies within one table, whose row shows the step before its end, and so on. That gives ${counted(cells, "cell")}.`,
    }),
  },
  {
    name: "portal-search", title: "Portal search", waiting: WAITING, gates: "Portals", bytes: "Its lists", hasSeparators: true, clusters: false,
    between: "A portal. It joins regions and is in none.",
    texts: [
      "Portals are single cells that separate regions: no step leads from one region to another except through a portal. They lie in doors and narrow passages.",
      "The true distances between all portals are stored. A* has to search only the start's region and the goal's region, and jumps from one to the other.",
      "The way between the portals is filled in afterwards, one region at a time. On open ground regions have many portals, and the method loses its advantage.",
    ],
    steps: withPath({
      all: ({ waypoints, cells, expanded }) => `The path of ${counted(cells, "cell")} uses ${counted(waypoints, "portal")}; ${counted(expanded, "node")} were expanded.`,
      connect: portalConnect,
      join: ({ expanded, waypoints }) => `A* searches both regions, joined by the stored distances between their portals. With filling in the path, it expanded ${counted(expanded, "node")}. The way leads over ${counted(waypoints, "portal")}.`,
      unpack: portalUnpack,
    }),
  },
  {
    name: "perfect-portal", title: "Perfect portals", waiting: WAITING, gates: "Portals", bytes: "Distances of its cells", hasSeparators: true, clusters: false,
    between: "A portal. It joins regions and is in none.",
    texts: [
      "Portals are single cells that separate regions: no step leads from one region to another except through a portal.",
      "Beside the distances between all portals, every cell stores its distance to each portal of its region.",
      "So the distance between two regions is the least of some sums: to a portal, from there to another, and from that to the goal. The path is read off without a search.",
    ],
    steps: withPath({
      all: ({ waypoints, cells }) => `The path of ${counted(cells, "cell")} uses ${counted(waypoints, "portal")}.`,
      connect: portalConnect,
      join: ({ gates, waypoints }) => `${counted(gates[0], "portal")} times ${grouped(gates[1])}: these sums are compared. The least leads over ${counted(waypoints, "portal")}.`,
      unpack: portalUnpack,
    }),
  },
  {
    name: "hpa", title: "HPA*", waiting: WAITING, gates: "Entrances", bytes: "Its costs", hasSeparators: false, clusters: true,
    between: "This cell is in no cluster.",
    texts: [
      "The grid is cut into square clusters. Where two of them touch, one or two pairs of cells become entrances. The costs between the entrances of a cluster are stored.",
      "A query finds the costs from the start to the entrances of its cluster, searches the small graph of entrances, and fills in the cells between them.",
      "With several levels, four clusters make one of the next level. Paths are legal and found whenever there is one, but they may be slightly longer than the shortest.",
    ],
    steps: withPath({ all: clusterAll, connect: clusterConnect, join: clusterJoin, unpack: clusterUnpack }),
  },
  {
    name: "dhpa", title: "DHPA*", waiting: WAITING, gates: "Entrances", bytes: "Its costs and directions", hasSeparators: false, clusters: true,
    between: "This cell is in no cluster.",
    texts: [
      "Clusters and entrances are those of HPA*. In addition every cell stores, for each entrance of its cluster, the cost to get there and the direction of the first step.",
      "So both ends are connected by reading a table, and pieces within a cluster are followed direction by direction without a search.",
      "The search ends at the first entrance that it finds in the goal's cluster, so paths are somewhat longer again.",
    ],
    steps: withPath({ all: clusterAll, connect: clusterConnect, join: clusterJoin, unpack: clusterUnpack }),
  },
  {
    name: "shpa", title: "SHPA*", waiting: WAITING, gates: "Entrances", bytes: "Its entrances", hasSeparators: false, clusters: true,
    between: "This cell is in no region.",
    texts: [
      "Square clusters are split into connected pieces, and small pieces are merged into regions of any shape. Places such as rooms then become one region each.",
      "No costs are stored. The search over entrances takes straight lines for them, which needs little memory and may choose a longer way.",
      "The pieces within regions are found by A* and the path is straightened at the end.",
    ],
    steps: withPath({ all: clusterAll, connect: clusterConnect, join: clusterJoin, unpack: clusterUnpack }),
  },
];

/** @param {string} name */
export function engineText(name) {
  return ENGINES.find((text) => text.name === name) ?? ENGINES[0];
}
