// @ts-check
// The edited map on the page: what is painted, who walks where, what flashes.

import { Agents, eachFrame } from "../../agents.js";
import { INK, isDark, rgb } from "../../palette.js";
import { showError } from "../../ui.js";

/** @typedef {import("../../store.js").GridMap} GridMap */
/** @typedef {import("../../wire.js").Reply} Reply */
/** @typedef {import("../../grid_view.js").GridView} GridView */

/** Milliseconds that flashes and broken paths stay. */
const FLASH = 800;
const BROKEN = 1200;

/** The colour of agents without a path. */
const WAITING = "#808890";

/** Flashes that are drawn at a time. */
const MOST_FLASHES = 6;

/** Draws the world, keeps its clock and sends what is painted. */
export class EditsWorld {
  /**
   * @param {GridView} view
   * @param {import("../../wire.js").Connection} connection
   * @param {(data: any, kind: string) => void} onReply
   */
  constructor(view, connection, onReply) {
    this.view = view;
    this.connection = connection;
    this.onReply = onReply;
    /** A copy of the map, which is painted. @type {GridMap | null} */
    this.map = null;
    this.agents = new Agents();
    /** The cell of each agent. */
    this.cells = new Uint32Array(0);
    /** Whether each agent has no path. */
    this.waits = new Uint8Array(0);
    /** The rest of the path of each agent, and how much of it is walked. @type {{ cells: Uint32Array, at: number }[]} */
    this.paths = [];
    this.showsPaths = true;
    /** @type {Map<number, number>} */
    this.painted = new Map();
    this.stroke = 0;
    /** @type {{ picture: HTMLCanvasElement, since: number }[]} */
    this.flashes = [];
    /** @type {{ cells: Uint32Array, agent: number, since: number }[]} */
    this.broken = [];
    /** Cells a second. */
    this.speed = 8;
    this.isRunning = true;
    /** Whether the lab has the map. */
    this.isReady = false;
    this.isStepping = false;
    this.isSending = false;
    this.mapIsStale = false;
    this.pathsAreStale = false;
    /** Counts maps, so that replies about an older one are left out. */
    this.generation = 0;
    this.nextStep = 0;
    this.stopFrames = eachFrame((now) => this.frame(now));
  }

  close() {
    this.stopFrames();
    this.generation += 1;
  }

  /** Begins with a copy of a map. @param {GridMap} map */
  begin(map) {
    this.generation += 1;
    this.map = { ...map, cells: map.cells.slice() };
    this.agents = new Agents();
    this.waits = new Uint8Array(0);
    [this.paths, this.flashes, this.broken] = [[], [], []];
    this.painted.clear();
    this.isReady = false;
    this.isStepping = false;
    this.isSending = false;
    this.view.setMap(this.map);
    this.view.draw("world", (context) => this.draw(context));
  }

  /** Whether everything painted has been answered. */
  get isSettled() {
    return this.painted.size === 0 && !this.isSending;
  }

  /** Sets a cell at once on the page, and soon in the lab. @param {number} cell @param {number} value */
  paint(cell, value) {
    if (!this.map || this.map.cells[cell] === value) return;
    this.map.cells[cell] = value;
    this.painted.set(cell, value);
    this.mapIsStale = true;
  }

  /**
   * Asks the lab for something that changes the world.
   * @param {import("../../wire.js").Header} header
   * @param {{ parts?: { [name: string]: import("../../wire.js").Numbers }, onProgress?: (progress: import("../../wire.js").Progress) => void }} [more]
   */
  async ask(header, more) {
    const generation = this.generation;
    const reply = await this.connection.ask({ topic: "edits", ...header }, more);
    if (generation === this.generation) this.take(reply, header.do);
    return reply;
  }

  /** @param {number} now */
  frame(now) {
    if (!this.map) return;
    if (this.isReady && this.painted.size > 0 && !this.isSending) this.send();
    if (this.isReady && this.isRunning && !this.isStepping && now >= this.nextStep) this.step(now);
    if (this.mapIsStale) this.view.paintMap();
    if (this.pathsAreStale) this.paintPaths();
    this.mapIsStale = false;
    this.pathsAreStale = false;
    this.view.render();
  }

  /** @param {number} now */
  step(now) {
    const generation = this.generation;
    this.isStepping = true;
    this.nextStep = Math.max(this.nextStep + this.stepTime, now);
    this.ask({ do: "step" }).catch((error) => {
      if (generation !== this.generation) return;
      this.isRunning = false;
      showError(error);
    }).finally(() => {
      if (generation === this.generation) this.isStepping = false;
    });
  }

  get stepTime() {
    return 1000 / this.speed;
  }

  send() {
    const generation = this.generation;
    const parts = { cells: Uint32Array.from(this.painted.keys()), values: Uint8Array.from(this.painted.values()) };
    this.painted.clear();
    this.isSending = true;
    this.ask({ do: "paint", stroke: this.stroke }, { parts }).catch(showError).finally(() => {
      if (generation === this.generation) this.isSending = false;
    });
  }

  /** Shows a reply. @param {Reply} reply @param {string} kind */
  take({ data, parts }, kind) {
    const { map } = this;
    if (!map || !parts.positions) return;
    const now = performance.now();
    // An edit moves only agents that step aside.
    const hasMoved = (/** @type {number} */ cell, /** @type {number} */ agent) => cell !== this.cells[agent];
    if (kind === "step" || parts.positions.length !== this.cells.length || parts.positions.some(hasMoved)) {
      this.agents.receive(parts.positions, map.width, this.stepTime);
    }
    this.cells = parts.positions;
    this.waits = parts.waits;
    this.isReady = true;
    parts.cells.forEach((/** @type {number} */ cell, /** @type {number} */ at) => {
      // What has been painted since is newer.
      if (this.painted.has(cell) || map.cells[cell] === parts.values[at]) return;
      map.cells[cell] = parts.values[at];
      this.mapIsStale = true;
    });
    for (const agent of parts.broken) {
      const path = this.paths[agent];
      if (path) this.broken.push({ cells: path.cells.subarray(path.at), agent, since: now });
      delete this.paths[agent];
    }
    let first = 0;
    parts.planned.forEach((/** @type {number} */ agent, /** @type {number} */ at) => {
      const end = parts.ends[at];
      this.paths[agent] = { cells: parts.nodes.slice(first, end), at: 0 };
      first = end;
    });
    this.paths.length = Math.min(this.paths.length, this.agents.count);
    this.paths.forEach((path, agent) => {
      if (path && path.cells[path.at + 1] === parts.positions[agent]) path.at += 1;
    });
    this.pathsAreStale = true;
    if (data.rebuiltAll) this.flash(Uint32Array.from(map.cells.keys()), null);
    else if (parts.rebuilt.length > 0) this.flash(parts.rebuilt, parts.levels);
    else if (kind !== "paint" && parts.cells.length > 0) this.flash(parts.cells, null);
    this.onReply(data, kind);
  }

  /** Lets cells light up. @param {Uint32Array} cells @param {Uint8Array | null} levels */
  flash(cells, levels) {
    const { map } = this;
    if (!map) return;
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [map.width, map.height];
    const context = picture.getContext("2d");
    if (!context) return;
    const image = new ImageData(map.width, map.height);
    const pixels = new Uint32Array(image.data.buffer);
    // Whole regions lightly, the cells that join them strongly.
    const [region, border] = [rgb(230, 159, 0, 110), rgb(213, 94, 0, 230)];
    for (let at = 0; at < cells.length; at++) {
      const isBorder = levels !== null && levels[at] > 0;
      if (isBorder || pixels[cells[at]] === 0) pixels[cells[at]] = isBorder ? border : region;
    }
    context.putImageData(image, 0, 0);
    this.flashes.push({ picture, since: performance.now() });
    if (this.flashes.length > MOST_FLASHES) this.flashes.shift();
  }

  paintPaths() {
    const { paths, view } = this;
    if (!this.showsPaths) {
      view.tint("paths", null);
      return;
    }
    const colour = isDark() ? rgb(86, 180, 233, 100) : rgb(0, 114, 178, 75);
    view.tint("paths", (pixels) => {
      for (const path of paths) {
        if (!path) continue;
        for (let at = path.at; at < path.cells.length; at++) pixels[path.cells[at]] = colour;
      }
    });
  }

  /** @param {CanvasRenderingContext2D} context */
  draw(context) {
    const { map, view } = this;
    if (!map) return;
    const now = performance.now();
    const { zoom } = view.camera;
    this.flashes = this.flashes.filter(({ since }) => now - since < FLASH);
    for (const { picture, since } of this.flashes) {
      context.globalAlpha = 1 - (now - since) / FLASH;
      context.drawImage(picture, 0, 0);
    }
    this.broken = this.broken.filter(({ since }) => now - since < BROKEN);
    const red = new Set();
    context.strokeStyle = INK.broken;
    context.lineWidth = Math.max(2 / zoom, 0.3);
    context.lineJoin = "round";
    context.setLineDash([6 / zoom, 5 / zoom]);
    for (const { cells, agent, since } of this.broken) {
      red.add(agent);
      context.globalAlpha = 1 - (now - since) / BROKEN;
      context.beginPath();
      for (let at = 0; at < cells.length; at++) {
        context.lineTo((cells[at] % map.width) + 0.5, Math.floor(cells[at] / map.width) + 0.5);
      }
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
    const positions = this.agents.positions(now);
    const radius = Math.max(0.5, 5.5 / zoom);
    context.imageSmoothingEnabled = true;
    for (let agent = 0; agent < this.agents.count; agent++) {
      const picture = dot(red.has(agent) ? INK.broken : this.waits[agent] ? WAITING : INK.agent);
      context.drawImage(picture, positions[2 * agent] - radius, positions[2 * agent + 1] - radius, 2 * radius, 2 * radius);
    }
  }
}

/** Pictures of dots by colour. @type {Map<string, HTMLCanvasElement>} */
const dots = new Map();

/** A dot with a white rim, as a picture: much faster than drawing a circle each time. @param {string} colour */
function dot(colour) {
  let picture = dots.get(colour);
  if (!picture) {
    const side = 32;
    picture = document.createElement("canvas");
    [picture.width, picture.height] = [side, side];
    const context = picture.getContext("2d");
    if (context) {
      context.arc(side / 2, side / 2, side / 2 - 4, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.fill();
      context.lineWidth = 4;
      context.strokeStyle = "#ffffff";
      context.stroke();
    }
    dots.set(colour, picture);
  }
  return picture;
}
