// @ts-check
// The scene of the view Landmarks: ends, landmarks, painted cells, and what is shown; and its link.

import { distantCells, nearestCell } from "../../store.js";
import { FIELDS } from "./drawing.js";

/** @typedef {import("../../store.js").GridMap} GridMap */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("./lessons.js").Lesson} Lesson */

export const MOST_LANDMARKS = 16;

/** Painted cells are in the link up to this number. */
const MOST_LINKED = 1000;

export const WINDS = [
  { value: "", title: "none" },
  { value: "distance", title: "along the distance heuristic" },
  { value: "landmarks", title: "along the landmark heuristic" },
  { value: "truth", title: "along the true distance" },
];

export class Scene {
  /** @param {GridMap} chosen the map without painted cells */
  constructor(chosen) {
    this.chosen = chosen;
    /** The map with painted cells. */
    this.map = { ...chosen, cells: chosen.cells.slice() };
    /** Start and goal. @type {number[]} */
    this.ends = [this.at([0.2 * chosen.width, 0.3 * chosen.height]), this.at([0.75 * chosen.width, 0.65 * chosen.height])];
    /** Whether the ends were chosen, and not proposed. */
    this.isArranged = false;
    /** @type {number[]} */
    this.landmarks = [];
    /** Cells that change from free to blocked or back, in their order. @type {number[]} */
    this.painted = [];
    /** So many of them were there when the distances of landmarks were computed. */
    this.known = 0;
    this.what = "landmark-share";
    this.fixed = "goal";
    this.wind = "";
    /** The landmark whose triangle is drawn; -1 for none. */
    this.triangle = -1;
  }

  /** The free cell nearest to this one. @param {number} cell */
  free(cell) {
    return nearestCell(this.map, cell, (other) => this.map.cells[other] > 0);
  }

  /** The cell at a spot of a lesson. @param {[number, number]} spot */
  at([x, y]) {
    const [cx, cy] = [Math.min(Math.floor(x), this.map.width - 1), Math.min(Math.floor(y), this.map.height - 1)];
    return this.free(cy * this.map.width + cx);
  }

  /** Moves the ends into one part of the map. */
  spread() {
    this.ends = distantCells(this.map);
  }

  /** Changes a cell from free to blocked or back. @param {number} cell */
  toggle(cell) {
    this.painted.push(cell);
    this.map.cells[cell] = this.map.cells[cell] ? 0 : this.chosen.cells[cell] || 1;
  }

  /** Undoes all painting. */
  clean() {
    this.painted = [];
    this.known = 0;
    this.map.cells.set(this.chosen.cells);
  }

  /** Sets up a lesson. @param {Lesson} lesson */
  begin({ ends, landmarks, what, fixed, wind, triangle, painted }) {
    this.clean();
    this.isArranged = ends !== undefined;
    if (ends) this.ends = [this.at(ends[0]), this.at(ends[1])];
    if (landmarks) this.landmarks = landmarks.map((spot) => this.at(spot));
    this.what = what ?? this.what;
    this.fixed = fixed ?? this.fixed;
    this.wind = wind ?? "";
    this.triangle = triangle ?? -1;
    const [x, y, width, height] = painted ?? [0, 0, 0, 0];
    for (let at = 0; at < width * height; at++) {
      this.toggle((y + Math.floor(at / width)) * this.map.width + x + (at % width));
    }
  }

  /** What requests say of it. @param {Store} store */
  asked(store) {
    return { map: store.choice, landmarks: this.landmarks, known: this.known };
  }

  /** Reads what a link says; what it damages stays. @param {Store} store */
  restore(store) {
    const { link } = store;
    const count = this.map.cells.length;
    const cells = (/** @type {string | undefined} */ text) =>
      (text ?? "").split(".").filter(Boolean).map((digits) => parseInt(digits, 36)).filter((cell) => cell >= 0 && cell < count);
    for (const cell of cells(link.painted).slice(0, MOST_LINKED)) this.toggle(cell);
    this.known = Math.min(Math.max(store.number("known", 0), 0), this.painted.length);
    const linked = [store.number("from", -1), store.number("to", -1)];
    if (linked.every((cell) => this.map.cells[cell] > 0)) {
      this.ends = linked;
      this.isArranged = true;
    }
    const landmarks = [...new Set(cells(link.lm).map((cell) => this.free(cell)))];
    if (link.lm !== undefined) this.landmarks = landmarks.slice(0, MOST_LANDMARKS);
    if (link.show && link.show in FIELDS) this.what = link.show;
    if (link.fixed === "start") this.fixed = "start";
    if (WINDS.some(({ value }) => value === link.wind)) this.wind = link.wind;
    const triangle = store.number("triangle", -1);
    if (triangle >= 0 && triangle < this.landmarks.length) this.triangle = triangle;
  }

  /** Writes it to the link. @param {Store} store */
  remember(store) {
    const digits = (/** @type {number[]} */ cells) => cells.map((cell) => cell.toString(36)).join(".");
    const isLinked = this.painted.length > 0 && this.painted.length <= MOST_LINKED;
    store.remember({
      from: this.ends[0], to: this.ends[1], lm: digits(this.landmarks) || ".", show: this.what,
      fixed: this.fixed === "start" ? "start" : null, wind: this.wind,
      triangle: this.triangle < 0 ? null : this.triangle,
      painted: isLinked ? digits(this.painted) : null, known: isLinked ? this.known : null,
    });
  }
}

/** The keys that {@link Scene.remember} writes. */
export const LINK_KEYS = ["from", "to", "lm", "show", "fixed", "wind", "triangle", "painted", "known"];
