// @ts-check
// What all views share: the map, the ends of the path, and the link that restores a scene.

/**
 * @typedef {{ from: string, name?: string, hash?: string, kind?: string, size?: number, grain?: number, seed?: number }} MapSource
 * @typedef {{ source: MapSource, moves: string, corners: string }} MapChoice
 * @typedef {{ kind: "grid", width: number, height: number, passable: number, terrain: boolean, memory: number, cells: Uint8Array }} GridMap
 * @typedef {{ kind: "graph", nodes: number, edges: number, unit: number, has_coordinates: boolean, memory: number, ends: Uint32Array, points: Float32Array | null }} GraphMap
 */

import { Connection } from "./wire.js";

/** The state of the lab. Emits `map` when the map changes, and `theme`. */
export class Store extends EventTarget {
  constructor() {
    super();
    /** For maps; views have connections of their own. */
    this.connection = new Connection();
    /** @type {MapChoice} */
    this.choice = { source: { from: "gallery", name: "rooms" }, moves: "eight", corners: "never" };
    /** @type {GridMap | GraphMap | null} */
    this.map = null;
    /** What the link says of each view. @type {{ [key: string]: string }} */
    this.link = {};
  }

  /** The map if it is a grid. @returns {GridMap | null} */
  get grid() {
    return this.map?.kind === "grid" ? this.map : null;
  }

  /** The map if it is a graph. @returns {GraphMap | null} */
  get graph() {
    return this.map?.kind === "graph" ? this.map : null;
  }

  /** Opens a map and tells all views. Keeps the present one if that fails. @param {MapChoice} choice */
  async open(choice) {
    const reply = await this.connection.ask({ topic: "maps", do: "open", map: choice });
    const { cells, edges, points } = reply.parts;
    this.choice = choice;
    this.map = reply.data.kind === "grid"
      ? { ...reply.data, cells }
      : { ...reply.data, ends: edges, points: points ?? null };
    this.remember({ map: JSON.stringify(choice) });
    this.dispatchEvent(new Event("map"));
  }

  /** Reads the link. */
  restore() {
    this.link = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    try {
      const choice = JSON.parse(this.link.map ?? "null");
      if (choice?.source) this.choice = { ...this.choice, ...choice };
    } catch {
      // A damaged link restores what can be read.
    }
  }

  /** Writes values to the link; empty ones are left out. @param {{ [key: string]: string | number | undefined | null }} values */
  remember(values) {
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined || value === null || value === "") delete this.link[key];
      else this.link[key] = String(value);
    }
    history.replaceState(null, "", `#${new URLSearchParams(this.link)}`);
  }

  /** A number of the link. @param {string} key @param {number} otherwise */
  number(key, otherwise) {
    const value = Number(this.link[key] ?? NaN);
    return Number.isInteger(value) ? value : otherwise;
  }
}

/**
 * Two distant free cells to begin with, in the same component.
 * @param {GridMap} map
 * @returns {[number, number]}
 */
export function distantCells(map) {
  const free = (/** @type {number} */ cell) => map.cells[cell] > 0;
  const middle = Math.floor(map.height / 2) * map.width + Math.floor(map.width / 2);
  const start = nearestCell(map, middle, free);
  // The last cell of a breadth-first wave is far away, and the last one from there is farther.
  const far = lastOfWave(map, start);
  return [far, lastOfWave(map, far)];
}

/** @param {GridMap} map @param {number} start */
function lastOfWave(map, start) {
  const seen = new Uint8Array(map.cells.length);
  const queue = new Uint32Array(map.cells.length);
  let [head, tail] = [0, 1];
  queue[0] = start;
  seen[start] = 1;
  while (head < tail) {
    const cell = queue[head++];
    const x = cell % map.width;
    for (const next of [x > 0 ? cell - 1 : -1, x + 1 < map.width ? cell + 1 : -1, cell - map.width, cell + map.width]) {
      if (next >= 0 && next < seen.length && !seen[next] && map.cells[next] > 0) {
        seen[next] = 1;
        queue[tail++] = next;
      }
    }
  }
  return queue[tail - 1];
}

/**
 * The cell nearest to this one that fits, itself if it does.
 * @param {GridMap} map
 * @param {number} cell
 * @param {(cell: number) => boolean} fits
 */
export function nearestCell(map, cell, fits) {
  const [x, y] = [cell % map.width, Math.floor(cell / map.width)];
  for (let radius = 0; radius < Math.max(map.width, map.height); radius++) {
    let [best, least] = [-1, Infinity];
    for (let dy = -radius; dy <= radius; dy++) {
      const step = Math.abs(dy) === radius ? 1 : 2 * radius;
      for (let dx = -radius; dx <= radius; dx += step || 1) {
        const [cx, cy] = [x + dx, y + dy];
        if (cx < 0 || cy < 0 || cx >= map.width || cy >= map.height) continue;
        const distance = dx * dx + dy * dy;
        if (distance < least && fits(cy * map.width + cx)) [best, least] = [cy * map.width + cx, distance];
      }
    }
    if (best >= 0) return best;
  }
  return cell;
}
