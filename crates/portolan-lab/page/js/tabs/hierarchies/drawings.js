// @ts-check
// What the view Hierarchies draws on a grid: regions of a level, and the steps of a query.

import { INK, SERIES, isDark, rgb, styleAt } from "../../palette.js";

/** @typedef {import("../../store.js").GridMap} GridMap */
/** @typedef {import("../../grid_view.js").Drawing} Drawing */
/** @typedef {import("./texts.js").EngineText} EngineText */

/** More marks than this are drawn as small squares, which is faster than dots. */
const MANY = 4000;

/** The regions of one level. */
export class Level {
  /** @param {{ [name: string]: any }} parts @param {GridMap} map */
  constructor(parts, map) {
    this.map = map;
    /** By cell; at least `count` for cells in no region. @type {Uint32Array} */
    this.regionOf = parts.regionOf;
    /** By region. @type {Uint32Array} */
    this.nodes = parts.nodes;
    /** @type {Uint32Array} */
    this.bytes = parts.bytes;
    /** @type {Uint32Array} */
    this.parents = parts.parents;
    /** @type {Uint32Array} */
    this.gateCounts = parts.gateCounts;
    /** One region after the other. @type {Uint32Array} */
    this.gates = parts.gates;
    /** @type {Uint32Array} */
    this.separators = parts.separators;
    this.count = this.nodes.length;
    /** The start of each region's gates. */
    this.firstGate = new Uint32Array(this.count + 1);
    for (let id = 0; id < this.count; id++) this.firstGate[id + 1] = this.firstGate[id] + this.gateCounts[id];
    this.colours = distinctColours(this.regionOf, this.count, map.width);
  }

  /** The gates of a region. @param {number} id */
  gatesOf(id) {
    return this.gates.subarray(this.firstGate[id], this.firstGate[id + 1]);
  }

  /** The gates of the region at a cell. @param {number} cell */
  gatesAt(cell) {
    const id = this.regionOf[cell];
    return id < this.count ? this.gatesOf(id) : new Uint32Array();
  }

  /** Colours all regions, their rims more. @param {Uint32Array} pixels */
  fill(pixels) {
    const { regionOf, count, colours, map: { width } } = this;
    const [inside, rim] = isDark() ? [80, 165] : [70, 150];
    const soft = WORDS.map((word) => withAlpha(word, inside));
    const strong = WORDS.map((word) => withAlpha(word, rim));
    for (let cell = 0; cell < pixels.length; cell++) {
      const id = regionOf[cell];
      if (id >= count) continue;
      const right = (cell + 1) % width ? regionOf[cell + 1] : id;
      const below = cell + width < pixels.length ? regionOf[cell + width] : id;
      const isRim = (right !== id && right < count) || (below !== id && below < count);
      pixels[cell] = (isRim ? strong : soft)[colours[id]];
    }
  }

  /** Colours one region. @param {Uint32Array} pixels @param {number} id */
  fillOne(pixels, id) {
    const word = withAlpha(WORDS[this.colours[id]], 150);
    for (let cell = 0; cell < pixels.length; cell++) if (this.regionOf[cell] === id) pixels[cell] = word;
  }

  /** The cells between regions, or at their borders. @param {EngineText} text @returns {Drawing} */
  marks(text) {
    const [cells, colour] = text.hasSeparators ? [this.separators, INK.separator] : [this.gates, INK.portal];
    return squaresDrawing(cells, colour);
  }
}

const WORDS = SERIES.map((style) => {
  const value = parseInt(style.slice(1), 16);
  return rgb(value >> 16, (value >> 8) & 255, value & 255);
});

/** @param {number} word @param {number} alpha */
function withAlpha(word, alpha) {
  return ((word & 0xffffff) | (alpha << 24)) >>> 0;
}

/**
 * A colour for each region; those that touch, or are separated by one cell, differ if possible.
 * @param {Uint32Array} regionOf
 * @param {number} count
 * @param {number} width
 */
export function distinctColours(regionOf, count, width) {
  /** @type {Set<number>[]} */
  const around = Array.from({ length: count }, () => new Set());
  const note = (/** @type {number} */ a, /** @type {number} */ b) => {
    if (a !== b && a < count && b < count) {
      around[a].add(b);
      around[b].add(a);
    }
  };
  for (let cell = 0; cell < regionOf.length; cell++) {
    const id = regionOf[cell];
    if (id >= count) continue;
    const x = cell % width;
    for (let step = 1; step <= 2; step++) {
      if (x + step < width) note(id, regionOf[cell + step]);
      if (cell + step * width < regionOf.length) note(id, regionOf[cell + step * width]);
    }
  }
  const colours = new Uint8Array(count);
  const uses = new Uint32Array(SERIES.length);
  for (let id = 0; id < count; id++) {
    const taken = new Uint8Array(SERIES.length);
    for (const other of around[id]) if (other < id) taken[colours[other]] = 1;
    // Of the free colours, the one used least so far.
    let best = -1;
    for (let colour = 0; colour < SERIES.length; colour++) {
      if (!taken[colour] && (best < 0 || uses[colour] < uses[best])) best = colour;
    }
    colours[id] = best < 0 ? id % SERIES.length : best;
    uses[colours[id]]++;
  }
  return colours;
}

/**
 * Dots of so many pixels on cells, at least as large as half a cell.
 * @param {ArrayLike<number>} cells
 * @param {string} colour
 * @param {number} radius
 * @param {string} [outline]
 * @returns {Drawing}
 */
export function dotsDrawing(cells, colour, radius, outline = "#ffffff") {
  if (cells.length > MANY) return squaresDrawing(cells, colour);
  return (context, { map, camera: { zoom } }) => {
    if (!map) return;
    const size = Math.max(radius / zoom, 0.3);
    context.beginPath();
    for (let at = 0; at < cells.length; at++) {
      const x = (cells[at] % map.width) + 0.5;
      const y = Math.floor(cells[at] / map.width) + 0.5;
      context.moveTo(x + size, y);
      context.arc(x, y, size, 0, 7);
    }
    context.fillStyle = colour;
    context.fill();
    // Around small dots an outline would be all that one sees.
    if (cells.length > 1000 || radius < 3.5) return;
    context.lineWidth = 1 / zoom;
    context.strokeStyle = outline;
    context.stroke();
  };
}

/** @param {ArrayLike<number>} cells @param {string} colour @returns {Drawing} */
function squaresDrawing(cells, colour) {
  return (context, { map, camera: { zoom } }) => {
    if (!map) return;
    // At least three pixels wide, unless there are very many.
    const side = Math.max(cells.length > 2 * MANY ? 1 : 3 / zoom, 0.8);
    const inset = (1 - side) / 2;
    context.fillStyle = colour;
    for (let at = 0; at < cells.length; at++) {
      context.fillRect((cells[at] % map.width) + inset, Math.floor(cells[at] / map.width) + inset, side, side);
    }
  };
}

/**
 * Straight lines from each end to the cells that it is connected to.
 * @param {number[]} ends
 * @param {ArrayLike<number>[]} cells
 * @returns {Drawing}
 */
export function connectDrawing(ends, cells) {
  const dots = [dotsDrawing(cells[0], INK.start, 3), dotsDrawing(cells[1], INK.goal, 3)];
  return (context, view) => {
    const { map, camera: { zoom } } = view;
    if (!map) return;
    [INK.start, INK.goal].forEach((colour, side) => {
      context.beginPath();
      for (let at = 0; at < cells[side].length; at++) {
        moveTo(context, ends[side], map.width);
        lineTo(context, cells[side][at], map.width);
      }
      context.strokeStyle = colour;
      context.globalAlpha = 0.75;
      context.lineWidth = 1.25 / zoom;
      context.stroke();
      context.globalAlpha = 1;
      dots[side](context, view);
    });
  };
}

/**
 * The runs from the start to the subgoals that it sees, and from those that see the goal. Runs
 * whose rows are joined are solid.
 * @param {number[]} ends
 * @param {Uint32Array[]} seen
 * @param {Uint32Array[]} joined
 * @param {{ moves: string }} rules
 * @returns {Drawing}
 */
export function runsDrawing(ends, seen, joined, rules) {
  const kept = joined.map((cells) => new Set(cells));
  const dots = [dotsDrawing(seen[0], INK.start, 3), dotsDrawing(seen[1], INK.goal, 3)];
  return (context, view) => {
    const { map, camera: { zoom } } = view;
    if (!map) return;
    [INK.start, INK.goal].forEach((colour, side) => {
      context.strokeStyle = colour;
      for (const isKept of [false, true]) {
        context.beginPath();
        for (const cell of seen[side]) {
          if (kept[side].has(cell) !== isKept) continue;
          const [from, to] = side === 0 ? [ends[0], cell] : [cell, ends[1]];
          moveTo(context, from, map.width);
          lineTo(context, bend(from, to, map.width, rules.moves), map.width);
          lineTo(context, to, map.width);
        }
        context.lineWidth = (isKept ? 1.75 : 1) / zoom;
        context.globalAlpha = isKept ? 0.9 : 0.7;
        context.setLineDash(isKept ? [] : [3 / zoom, 3 / zoom]);
        context.stroke();
      }
      context.setLineDash([]);
      context.globalAlpha = 1;
      dots[side](context, view);
    });
  };
}

/** Where a run turns: diagonal steps come first, and with four moves horizontal ones. @param {number} from @param {number} to @param {number} width @param {string} moves */
export function bend(from, to, width, moves) {
  const [x, y] = [from % width, Math.floor(from / width)];
  const [dx, dy] = [(to % width) - x, Math.floor(to / width) - y];
  if (moves === "four") return y * width + x + dx;
  const steps = Math.min(Math.abs(dx), Math.abs(dy));
  return (y + Math.sign(dy) * steps) * width + x + Math.sign(dx) * steps;
}

/**
 * The hubs of both rows; those in both are coloured by how short the way over them is.
 * @param {{ [name: string]: any }} parts
 * @param {{ node: number, sum: number }[]} common
 * @returns {Drawing}
 */
export function hubsDrawing(parts, common) {
  const shared = new Set(common.map(({ node }) => node));
  const others = [...parts.startHubs, ...parts.goalHubs].filter((node) => !shared.has(node));
  const least = Math.min(...common.map(({ sum }) => sum));
  // Ways twice as long as the shortest are all the same.
  const classes = 8;
  /** @type {number[][]} */
  const groups = Array.from({ length: classes }, () => []);
  for (const { node, sum } of common) {
    const share = Math.min(Math.max(2 - sum / Math.max(least, 1), 0), 1);
    groups[Math.min(Math.floor(share * classes), classes - 1)].push(node);
  }
  const drawings = [
    dotsDrawing(others, "#8a94a3", 2),
    ...groups.map((nodes, at) => dotsDrawing(nodes, styleAt("viridis", (at + 0.5) / classes), 3.5)),
  ];
  return (context, view) => drawings.forEach((drawing) => drawing(context, view));
}

/**
 * Where the pieces of a path meet: dots, and straight lines between them.
 * @param {{ [name: string]: any }} parts
 * @param {boolean} isBold
 * @returns {Drawing}
 */
export function joinDrawing({ waypoints }, isBold) {
  const dots = dotsDrawing(waypoints, INK.second, 3.5);
  return (context, view) => {
    const { map, camera: { zoom } } = view;
    if (!map || waypoints.length === 0) return;
    context.beginPath();
    waypoints.forEach((/** @type {number} */ cell, /** @type {number} */ at) =>
      at === 0 ? moveTo(context, cell, map.width) : lineTo(context, cell, map.width));
    context.strokeStyle = INK.second;
    context.lineWidth = (isBold ? 3 : 1.5) / zoom;
    if (!isBold) context.setLineDash([4 / zoom, 3 / zoom]);
    context.stroke();
    context.setLineDash([]);
    dots(context, view);
  };
}

/** @param {CanvasRenderingContext2D} context @param {number} cell @param {number} width */
function moveTo(context, cell, width) {
  context.moveTo((cell % width) + 0.5, Math.floor(cell / width) + 0.5);
}

/** @param {CanvasRenderingContext2D} context @param {number} cell @param {number} width */
function lineTo(context, cell, width) {
  context.lineTo((cell % width) + 0.5, Math.floor(cell / width) + 0.5);
}
