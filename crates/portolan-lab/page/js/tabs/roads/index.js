// @ts-check
// Where the nodes and roads of a network lie on the page: north up, the longer side 1000 units.
// Nodes and roads are sorted by tiles, so that the nearest node is found at once and only what can
// be seen is drawn.

/** @typedef {import("../../store.js").GraphMap} GraphMap */
/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */

/** The length of the longer side. */
export const SIDE = 1000;

/** Nodes of a tile, on average. */
const NODES_PER_TILE = 16;

export class RoadIndex {
  /**
   * @param {GraphMap} map with coordinates
   * @param {number} shrink how much a unit of x is drawn narrower than one of y
   */
  constructor(map, shrink) {
    const points = /** @type {Float32Array} */ (map.points);
    this.count = points.length / 2;
    let [mostX, mostY] = [0, 0];
    for (let node = 0; node < this.count; node++) {
      mostX = Math.max(mostX, points[2 * node]);
      mostY = Math.max(mostY, points[2 * node + 1]);
    }
    const scale = SIDE / Math.max(mostX * shrink, mostY, 1);
    /** Positions of nodes, two numbers each. */
    this.points = new Float32Array(points.length);
    for (let node = 0; node < this.count; node++) {
      this.points[2 * node] = points[2 * node] * shrink * scale;
      this.points[2 * node + 1] = (mostY - points[2 * node + 1]) * scale;
    }
    this.width = Math.max(mostX * shrink * scale, 1);
    this.height = Math.max(mostY * scale, 1);
    const wanted = Math.max(this.count / NODES_PER_TILE, 1);
    /** The side of a tile. */
    this.tile = Math.max(Math.sqrt((this.width * this.height) / wanted), SIDE / 400);
    this.columns = Math.ceil(this.width / this.tile) + 1;
    this.rows = Math.ceil(this.height / this.tile) + 1;
    const tileCount = this.columns * this.rows;
    const tileOf = (/** @type {number} */ node) => this.tileAt(this.points[2 * node], this.points[2 * node + 1]);
    const [nodesBefore, nodes] = sorted(this.count, tileCount, tileOf);
    /** How many nodes come before each tile. */
    this.nodesBefore = nodesBefore;
    /** Nodes by tile. */
    this.nodes = nodes;
    // Roads by the tile of their middle. Long ones come first, whatever their tile.
    const { ends } = map;
    const at = (/** @type {number} */ end, /** @type {0 | 1} */ axis) => this.points[2 * ends[end] + axis];
    const placeOf = (/** @type {number} */ road) => {
      const [a, b] = [2 * road, 2 * road + 1];
      const isLong = Math.abs(at(a, 0) - at(b, 0)) > this.tile || Math.abs(at(a, 1) - at(b, 1)) > this.tile;
      return isLong ? 0 : 1 + this.tileAt((at(a, 0) + at(b, 0)) / 2, (at(a, 1) + at(b, 1)) / 2);
    };
    const [before, roads] = sorted(ends.length / 2, 1 + tileCount, placeOf);
    /** How many roads come before each tile; the first entry is for long roads. */
    this.roadsBefore = before;
    /** Four numbers for each road. */
    this.segments = new Float32Array(4 * roads.length);
    roads.forEach((road, place) => {
      const [a, b] = [2 * road, 2 * road + 1];
      this.segments.set([at(a, 0), at(a, 1), at(b, 0), at(b, 1)], 4 * place);
    });
  }

  /** @param {number} x @param {number} y */
  tileAt(x, y) {
    const column = Math.min(Math.max(Math.floor(x / this.tile), 0), this.columns - 1);
    const row = Math.min(Math.max(Math.floor(y / this.tile), 0), this.rows - 1);
    return row * this.columns + column;
  }

  /**
   * Runs of roads that may be seen in this box, as the first and the one after the last.
   * @param {Box} box
   * @returns {[number, number][]}
   */
  roadsIn(box) {
    const { columns, roadsBefore: before } = this;
    const first = this.tileAt(box.left - this.tile, box.top - this.tile);
    const last = this.tileAt(box.right + this.tile, box.bottom + this.tile);
    /** @type {[number, number][]} */
    const runs = [[0, before[1]]];
    for (let row = Math.floor(first / columns); row <= Math.floor(last / columns); row++) {
      const from = before[1 + row * columns + (first % columns)];
      const to = before[2 + row * columns + (last % columns)];
      const run = runs[runs.length - 1];
      if (run[1] === from) run[1] = to;
      else if (to > from) runs.push([from, to]);
    }
    return runs;
  }

  /** The node nearest to a position. @param {number} x @param {number} y */
  nearest(x, y) {
    const { points, columns, rows, tile } = this;
    const home = this.tileAt(x, y);
    const [column, row] = [home % columns, Math.floor(home / columns)];
    let [best, least] = [-1, Infinity];
    for (let ring = 0; ring < Math.max(columns, rows); ring++) {
      // Everything in later rings is farther away than this, unless the position is outside.
      if (best >= 0 && least < ((ring - 1) * tile) ** 2) break;
      for (let r = Math.max(row - ring, 0); r <= Math.min(row + ring, rows - 1); r++) {
        const isEdge = Math.abs(r - row) === ring;
        for (let c = column - ring; c <= column + ring; c += isEdge || ring === 0 ? 1 : 2 * ring) {
          if (c < 0 || c >= columns) continue;
          const at = r * columns + c;
          for (let place = this.nodesBefore[at]; place < this.nodesBefore[at + 1]; place++) {
            const node = this.nodes[place];
            const distance = (points[2 * node] - x) ** 2 + (points[2 * node + 1] - y) ** 2;
            if (distance < least) [best, least] = [node, distance];
          }
        }
      }
    }
    return best;
  }

  /**
   * A node in this direction: the nearest to a point a little away, or farther if there is none.
   * @param {number} node
   * @param {number} dx
   * @param {number} dy
   * @param {number} reach
   */
  ahead(node, dx, dy, reach) {
    const [x, y] = [this.points[2 * node], this.points[2 * node + 1]];
    for (let distance = (this.tile * reach) / 4; distance < 2 * SIDE; distance *= 1.5) {
      const found = this.nearest(x + dx * distance, y + dy * distance);
      const progress = (this.points[2 * found] - x) * dx + (this.points[2 * found + 1] - y) * dy;
      if (found !== node && progress > 0) return found;
    }
    return node;
  }

  /** Two distant nodes of the largest part to begin with. @param {Uint32Array} ends @returns {[number, number]} */
  distantNodes(ends) {
    const part = largestPart(this.count, ends);
    const nearest = (/** @type {number} */ x, /** @type {number} */ y) => {
      let [best, least] = [0, Infinity];
      for (let node = 0; node < this.count; node++) {
        if (!part[node]) continue;
        const distance = (this.points[2 * node] - x) ** 2 + (this.points[2 * node + 1] - y) ** 2;
        if (distance < least) [best, least] = [node, distance];
      }
      return best;
    };
    return [nearest(this.width * 0.2, this.height * 0.75), nearest(this.width * 0.75, this.height * 0.25)];
  }
}

/**
 * Sorts things by tile, by counting: how many come before each tile, and their order.
 * @param {number} count
 * @param {number} tiles
 * @param {(thing: number) => number} tileOf
 * @returns {[Uint32Array, Uint32Array]}
 */
function sorted(count, tiles, tileOf) {
  const tile = Uint32Array.from({ length: count }, (_, thing) => tileOf(thing));
  const before = new Uint32Array(tiles + 1);
  for (const at of tile) before[at + 1] += 1;
  for (let at = 0; at < tiles; at++) before[at + 1] += before[at];
  const next = before.slice();
  const order = new Uint32Array(count);
  for (let thing = 0; thing < count; thing++) order[next[tile[thing]]++] = thing;
  return [before, order];
}

/** Which nodes are in the largest part, whichever way roads lead. @param {number} count @param {Uint32Array} ends */
function largestPart(count, ends) {
  const above = Uint32Array.from({ length: count }, (_, node) => node);
  const root = (/** @type {number} */ node) => {
    while (above[node] !== node) {
      above[node] = above[above[node]];
      node = above[node];
    }
    return node;
  };
  for (let road = 0; road < ends.length; road += 2) above[root(ends[road])] = root(ends[road + 1]);
  const sizes = new Uint32Array(count);
  for (let node = 0; node < count; node++) sizes[root(node)] += 1;
  let largest = 0;
  for (let node = 0; node < count; node++) if (sizes[node] > sizes[largest]) largest = node;
  return Uint8Array.from({ length: count }, (_, node) => (root(node) === largest ? 1 : 0));
}
