// @ts-check
// Draws roads and touched nodes without a graphics card. Roads are painted into a picture that is
// larger than the screen, a slice per frame; until it is ready the last one is shown in its place,
// moved and scaled. So panning and zooming stay smooth however many roads there are.

/** @typedef {import("./index.js").RoadIndex} RoadIndex */
/** @typedef {import("./road_map.js").Look} Look */
/** @typedef {import("./road_map.js").Dots} Dots */
/** @typedef {{ canvas: HTMLCanvasElement, zoom: number, x: number, y: number }} Picture */

/** How much a picture reaches beyond the screen on each side, as a share of the screen. */
const MARGIN = 0.3;
/** Milliseconds of a frame for painting. */
const SLICE = 5;
/** Milliseconds without zooming before the map is painted at its new size. */
const PAUSE = 120;
/** Roads that are painted before the clock is looked at. */
const BATCH = 500;

export class CanvasPainter {
  /** @param {() => void} onPainted called when there is something new to be seen */
  constructor(onPainted) {
    this.name = "canvas";
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.onPainted = onPainted;
    /** @type {RoadIndex | null} */
    this.index = null;
    /** @type {Dots} */
    this.dots = { places: new Float32Array(), inks: new Uint32Array() };
    /** The finished picture of the roads. @type {Picture | null} */
    this.roads = null;
    /** The one in the making, and the roads that are still missing. @type {{ picture: Picture, look: Look, runs: [number, number][] } | null} */
    this.job = null;
    /** The touched nodes. @type {Picture | null} */
    this.touched = null;
    this.frame = 0;
    /** Pixels per unit in the last frame, and when that changed. */
    this.zoom = 0;
    this.zoomed = 0;
    this.isStale = false;
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.canvas.remove();
  }

  /** @param {RoadIndex} index */
  setRoads(index) {
    this.index = index;
    this.roads = null;
    this.touched = null;
    this.job = null;
    this.dots = { places: new Float32Array(), inks: new Uint32Array() };
  }

  /** @param {Dots} dots */
  setDots(dots) {
    this.dots = dots;
    this.touched = null;
  }

  /** @param {Look} look */
  draw(look) {
    const { canvas } = this;
    if (canvas.width !== look.width || canvas.height !== look.height) {
      canvas.width = look.width;
      canvas.height = look.height;
    }
    const context = canvas.getContext("2d");
    if (!context) return;
    // While the map is zoomed, the last pictures are scaled.
    if (this.zoom !== look.zoom) [this.zoom, this.zoomed] = [look.zoom, performance.now()];
    const isZooming = this.roads !== null && performance.now() < this.zoomed + PAUSE;
    if (isZooming) {
      this.onPainted();
    } else {
      // One in the making is worth finishing as long as it is of use.
      const isUnderway = this.serves(this.job?.picture ?? null, look, 3);
      if (this.isStale || (!isUnderway && !this.serves(this.roads, look, 0.5))) this.begin(look);
    }
    if (!this.touched || (!isZooming && !this.serves(this.touched, look, 1))) this.touched = this.paintDots(look);
    context.clearRect(0, 0, look.width, look.height);
    for (const picture of [this.roads, this.touched]) {
      if (!picture) continue;
      const scale = look.zoom / picture.zoom;
      const { width, height } = picture.canvas;
      context.drawImage(picture.canvas, look.x - picture.x * scale, look.y - picture.y * scale, width * scale, height * scale);
    }
  }

  /** The roads are painted anew, in other colours. */
  forget() {
    this.isStale = true;
  }

  /**
   * Whether a picture is sharp at this camera and covers the screen, with a part of its margin left.
   * @param {Picture | null} picture
   * @param {Look} look
   * @param {number} used how much of the margin may be used
   */
  serves(picture, look, used) {
    if (!picture || picture.zoom !== look.zoom) return false;
    const { width, height } = picture.canvas;
    const [right, below] = [(width - look.width) / 2, (height - look.height) / 2];
    const [dx, dy] = [look.x - (picture.x - right), look.y - (picture.y - below)];
    return Math.abs(dx) <= used * right && Math.abs(dy) <= used * below;
  }

  /** @param {Look} look @returns {Picture} */
  blank({ width, height, zoom, x, y }) {
    const canvas = document.createElement("canvas");
    const [right, below] = [Math.round(width * MARGIN), Math.round(height * MARGIN)];
    canvas.width = width + 2 * right;
    canvas.height = height + 2 * below;
    return { canvas, zoom, x: x + right, y: y + below };
  }

  /** Begins a picture. @param {Look} look */
  begin(look) {
    if (!this.index) return;
    this.isStale = false;
    const picture = this.blank(look);
    const { width, height } = picture.canvas;
    const [left, top] = [-picture.x / look.zoom, -picture.y / look.zoom];
    const box = { left, top, right: left + width / look.zoom, bottom: top + height / look.zoom };
    this.job = { picture, look, runs: this.index.roadsIn(box) };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.goOn());
  }

  /** Paints a slice. */
  goOn() {
    const { job, index } = this;
    const context = job?.picture.canvas.getContext("2d");
    if (!job || !index || !context) return;
    const { picture: { zoom, x, y }, look } = job;
    const { segments } = index;
    const until = performance.now() + SLICE;
    context.strokeStyle = `rgb(${look.ink.slice(0, 3).join(" ")} / ${look.ink[3] / 255})`;
    context.lineWidth = Math.max(look.roadWidth, 1);
    context.lineCap = look.roadWidth > 2 ? "round" : "butt";
    while (job.runs.length && performance.now() < until) {
      const run = job.runs[0];
      const end = Math.min(run[0] + BATCH, run[1]);
      context.beginPath();
      for (let at = 4 * run[0]; at < 4 * end; at += 4) {
        context.moveTo(segments[at] * zoom + x, segments[at + 1] * zoom + y);
        context.lineTo(segments[at + 2] * zoom + x, segments[at + 3] * zoom + y);
      }
      context.stroke();
      run[0] = end;
      if (run[0] === run[1]) job.runs.shift();
    }
    if (job.runs.length) {
      // The first picture is shown while it grows.
      if (!this.roads) this.roads = job.picture;
      if (this.roads === job.picture) this.onPainted();
      this.frame = requestAnimationFrame(() => this.goOn());
    } else {
      this.roads = job.picture;
      this.job = null;
      this.onPainted();
    }
  }

  /** Touched nodes as squares, pixel by pixel. @param {Look} look */
  paintDots(look) {
    const { places, inks } = this.dots;
    const picture = this.blank(look);
    if (inks.length === 0) return picture;
    const context = picture.canvas.getContext("2d");
    const { width, height } = picture.canvas;
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const side = Math.max(Math.round(look.dotWidth * 0.85), 1);
    for (let at = 0; at < inks.length; at++) {
      const left = Math.round(places[2 * at] * look.zoom + picture.x - side / 2);
      const top = Math.round(places[2 * at + 1] * look.zoom + picture.y - side / 2);
      if (left < 0 || top < 0 || left + side > width || top + side > height) continue;
      for (let row = top; row < top + side; row++) {
        pixels.fill(inks[at], row * width + left, row * width + left + side);
      }
    }
    context?.putImageData(image, 0, 0);
    return picture;
  }
}
