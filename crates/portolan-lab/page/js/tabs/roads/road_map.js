// @ts-check
// A road network on a canvas, with the camera, the pointer and the handles of a grid. What a grid
// calls a cell is a node here.

import { GridView } from "../../grid_view.js";
import { isDark } from "../../palette.js";
import { CanvasPainter } from "./canvas.js";
import { GlPainter } from "./gl.js";

/** @typedef {import("./index.js").RoadIndex} RoadIndex */
/**
 * What a painter draws: where the map lies on the screen, in pixels of the device, and how.
 * @typedef {object} Look
 * @property {number} width of the screen
 * @property {number} height
 * @property {number} zoom pixels per unit
 * @property {number} x the corner of the map
 * @property {number} y
 * @property {import("./index.js").Box} box what can be seen, in units of the map
 * @property {number} roadWidth
 * @property {number} dotWidth
 * @property {number[]} ink red, green, blue and alpha of roads
 */
/** Positions of touched nodes, and their colours as words of a picture. @typedef {{ places: Float32Array, inks: Uint32Array }} Dots */

export class RoadView extends GridView {
  /** @param {{ label: string, painter?: string }} options `painter` is `webgl` or `canvas`; by default what is faster here */
  constructor({ label, painter }) {
    super({ label });
    /** @type {RoadIndex | null} */
    this.index = null;
    const redraw = () => this.redraw();
    const fallBack = () => this.setPainter(new CanvasPainter(redraw));
    /** @type {GlPainter | CanvasPainter} */
    this.painter = (painter === "canvas" ? null : GlPainter.create(painter === "webgl", fallBack)) ?? new CanvasPainter(redraw);
    this.setPainter(this.painter);
    /** @type {Dots} */
    this.dots = { places: new Float32Array(), inks: new Uint32Array() };
  }

  /** @param {GlPainter | CanvasPainter} painter */
  setPainter(painter) {
    if (painter !== this.painter) this.painter.close();
    this.painter = painter;
    this.host.prepend(painter.canvas);
    this.host.dataset.painter = painter.name;
    if (this.index) {
      painter.setRoads(this.index);
      painter.setDots(this.dots);
      this.redraw();
    }
  }

  close() {
    super.close();
    this.painter.close();
  }

  /** @param {RoadIndex} index */
  setRoads(index) {
    this.index = index;
    this.drawings.clear();
    this.painter.setRoads(index);
    this.fit();
    this.redraw();
  }

  /** Colours nodes; the last ones are on top. @param {Dots} dots */
  setDots(dots) {
    this.dots = dots;
    this.painter.setDots(dots);
    this.redraw();
  }

  /** Colours of another theme. */
  paintMap() {
    if (this.painter instanceof CanvasPainter) this.painter.forget();
    this.redraw();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!this.index || !width || !height) return;
    const { camera, index } = this;
    camera.zoom = Math.min((width - 32) / index.width, (height - 32) / index.height);
    camera.x = (width - index.width * camera.zoom) / 2;
    camera.y = (height - index.height * camera.zoom) / 2;
    camera.changed();
  }

  render() {
    const context = this.canvas.getContext("2d");
    if (!context || !this.index || !this.canvas.width) return;
    const ratio = window.devicePixelRatio || 1;
    const { zoom, x, y } = this.camera;
    const { width, height } = this.canvas;
    // The distance between neighbours on the screen decides how wide things are.
    const spacing = (this.index.tile / 4) * zoom;
    const [left, top] = [-x / zoom, -y / zoom];
    this.painter.draw({
      width, height, zoom: zoom * ratio, x: x * ratio, y: y * ratio,
      box: { left, top, right: left + width / ratio / zoom, bottom: top + height / ratio / zoom },
      roadWidth: Math.min(Math.max(spacing / 8, 0.8), 5) * ratio,
      dotWidth: Math.min(Math.max(spacing * 0.6, 2.5), 11) * ratio,
      ink: isDark() ? [122, 134, 150, 255] : [138, 147, 160, 255],
    });
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
    this.renderOver(context);
  }

  /** The node nearest to a position on the screen. @param {number} clientX @param {number} clientY */
  cellAt(clientX, clientY) {
    if (!this.index) return -1;
    const box = this.host.getBoundingClientRect();
    const { zoom, x, y } = this.camera;
    return this.index.nearest((clientX - box.left - x) / zoom, (clientY - box.top - y) / zoom);
  }

  /** @param {number} node @returns {[number, number]} */
  middleOf(node) {
    const { zoom, x, y } = this.camera;
    const points = this.index?.points;
    return points ? [x + points[2 * node] * zoom, y + points[2 * node + 1] * zoom] : [x, y];
  }

  /** @param {number} node */
  nameOf(node) {
    return `junction ${node + 1}`;
  }

  /** @param {number} node @param {number} dx @param {number} dy @param {number} reach */
  ahead(node, dx, dy, reach) {
    return this.index?.ahead(node, dx, dy, reach) ?? node;
  }
}

/**
 * A drawing of a path over junctions.
 * @param {ArrayLike<number>} nodes
 * @param {RoadIndex} index
 * @param {string} colour
 * @param {number} pixels the width of the line
 * @param {boolean} hasRim whether it has a white rim
 * @returns {import("../../grid_view.js").Drawing}
 */
export function roadPath(nodes, { points }, colour, pixels, hasRim) {
  return (context, { camera }) => {
    if (nodes.length === 0) return;
    context.beginPath();
    for (let at = 0; at < nodes.length; at++) context.lineTo(points[2 * nodes[at]], points[2 * nodes[at] + 1]);
    context.lineJoin = "round";
    context.lineCap = "round";
    if (hasRim) {
      context.strokeStyle = "#ffffff";
      context.lineWidth = (pixels + 2.5) / camera.zoom;
      context.stroke();
    }
    context.strokeStyle = colour;
    context.lineWidth = pixels / camera.zoom;
    context.stroke();
  };
}

/**
 * A drawing of a few junctions that stand out.
 * @param {ArrayLike<number>} nodes
 * @param {RoadIndex} index
 * @param {string} colour
 * @returns {import("../../grid_view.js").Drawing}
 */
export function roadDots(nodes, { points }, colour) {
  return (context, { camera }) => {
    const radius = 4 / camera.zoom;
    context.beginPath();
    for (let at = 0; at < nodes.length; at++) {
      const [x, y] = [points[2 * nodes[at]], points[2 * nodes[at] + 1]];
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.fillStyle = colour;
    context.fill();
    context.strokeStyle = "#ffffff";
    context.lineWidth = 1 / camera.zoom;
    context.stroke();
  };
}
