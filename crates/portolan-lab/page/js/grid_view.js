// @ts-check
// A grid on a canvas: pan and zoom, coloured cells, drawings on top, and handles to drag. Several
// views of one map can share their camera.

import { ground, rgb } from "./palette.js";
import { button, element } from "./ui.js";

/** @typedef {import("./store.js").GridMap} GridMap */
/** @typedef {(context: CanvasRenderingContext2D, view: GridView) => void} Drawing */
/**
 * @typedef {object} HandleOptions
 * @property {string} label what a screen reader says
 * @property {string} colour
 * @property {"circle" | "cross" | "diamond" | "square"} shape
 * @property {number} cell
 * @property {(cell: number) => void} onMove
 * @property {(cell: number) => number} [snap] the cell that it goes to instead, such as the nearest free one
 * @property {() => void} [onRemove] called for the keys Delete and Backspace
 * @property {string} [text] a letter or number on it
 */

/** Where a map lies on the screen: pixels per cell, and the position of its corner. */
export class Camera {
  constructor() {
    this.zoom = 0;
    this.x = 0;
    this.y = 0;
    /** @type {Set<GridView>} */
    this.views = new Set();
  }

  changed() {
    for (const view of this.views) view.redraw();
  }
}

/** A grid on a canvas. */
export class GridView {
  /** @param {{ camera?: Camera, caption?: string, label?: string }} [options] */
  constructor({ camera = new Camera(), caption, label = "Map" } = {}) {
    this.camera = camera;
    camera.views.add(this);
    this.canvas = element("canvas", { role: "img", "aria-label": label });
    this.caption = element("div", { class: "caption" }, caption ?? "");
    this.caption.hidden = !caption;
    const zoom = element("div", { class: "zoom", title: "Arrow keys move the map", onkeydown: (/** @type {KeyboardEvent} */ event) => this.panByKey(event) },
      button("+", () => this.zoomBy(1.5), { "aria-label": "Zoom in" }),
      button("−", () => this.zoomBy(1 / 1.5), { "aria-label": "Zoom out" }),
      button("⤢", () => this.fit(), { "aria-label": "Show the whole map" }));
    this.host = element("div", { class: "map" }, this.canvas, this.caption, zoom);
    /** @type {GridMap | null} */
    this.map = null;
    /** The map as a picture, a pixel per cell. */
    this.picture = document.createElement("canvas");
    /** Colours of cells over the map, by name and in that order. @type {Map<string, HTMLCanvasElement>} */
    this.tints = new Map();
    /** Drawings over the cells. @type {Map<string, Drawing>} */
    this.drawings = new Map();
    /** @type {Handle[]} */
    this.handles = [];
    /** Called while the pointer paints, if set; dragging then paints instead of moving the map. @type {((cell: number, isFirst: boolean) => void) | null} */
    this.onPaint = null;
    /** Called when a cell is clicked. @type {((cell: number) => void) | null} */
    this.onClick = null;
    /** Called when the pointer is over another cell; -1 outside. @type {((cell: number) => void) | null} */
    this.onHover = null;
    this.isStale = false;
    this.watchPointer();
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(this.host);
  }

  /** Ends its work for good. */
  close() {
    this.resizing.disconnect();
    this.camera.views.delete(this);
  }

  /** Shows a map. Cells and drawings of the last one are removed. @param {GridMap} map */
  setMap(map) {
    const isOtherSize = map.width !== this.map?.width || map.height !== this.map?.height;
    this.map = map;
    this.tints.clear();
    this.drawings.clear();
    this.paintMap();
    if (isOtherSize || !this.camera.zoom) this.fit();
    this.redraw();
  }

  /** Paints the map again, after a change of its cells or of the theme. */
  paintMap() {
    const map = this.map;
    if (!map) return;
    const { wall, floor, rough } = ground();
    const floors = Uint32Array.from({ length: 256 }, (_, factor) => {
      const share = Math.min(Math.max(factor - 1, 0) / 9, 1);
      const [r, g, b] = floor.map((value, channel) => Math.round(value + (rough[channel] - value) * share));
      return factor === 0 ? wall : rgb(r, g, b);
    });
    paint(this.picture, map, (pixels) => {
      for (let cell = 0; cell < pixels.length; cell++) pixels[cell] = floors[map.cells[cell]];
    });
    this.redraw();
  }

  /**
   * Colours cells. `fill` gets a word per cell, all transparent; see `rgb` in palette.js.
   * @param {string} name
   * @param {((pixels: Uint32Array) => void) | null} fill null removes the colours
   * @param {boolean} [isKept] whether `fill` gets the last colours instead of none
   */
  tint(name, fill, isKept = false) {
    if (!this.map) return;
    if (!fill) {
      this.tints.delete(name);
    } else {
      const picture = this.tints.get(name) ?? document.createElement("canvas");
      paint(picture, this.map, fill, isKept);
      this.tints.set(name, picture);
    }
    this.redraw();
  }

  /** Draws over the cells, in the coordinates of cells. @param {string} name @param {Drawing | null} drawing */
  draw(name, drawing) {
    if (drawing) this.drawings.set(name, drawing);
    else this.drawings.delete(name);
    this.redraw();
  }

  /** @param {HandleOptions} options */
  addHandle(options) {
    const handle = new Handle(this, options);
    this.handles.push(handle);
    this.host.append(handle.element);
    handle.place();
    return handle;
  }

  /** @param {Handle} handle */
  removeHandle(handle) {
    this.handles = this.handles.filter((other) => other !== handle);
    handle.element.remove();
  }

  /** Shows the whole map. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!this.map || !width || !height) return;
    const { camera } = this;
    camera.zoom = Math.min((width - 16) / this.map.width, (height - 16) / this.map.height);
    camera.x = (width - this.map.width * camera.zoom) / 2;
    camera.y = (height - this.map.height * camera.zoom) / 2;
    camera.changed();
  }

  /** @param {number} factor @param {number} [x] @param {number} [y] the point that stays */
  zoomBy(factor, x = this.host.clientWidth / 2, y = this.host.clientHeight / 2) {
    const { camera } = this;
    const zoom = Math.min(Math.max(camera.zoom * factor, 0.1), 64);
    camera.x = x - ((x - camera.x) * zoom) / camera.zoom;
    camera.y = y - ((y - camera.y) * zoom) / camera.zoom;
    camera.zoom = zoom;
    camera.changed();
  }

  /** @param {KeyboardEvent} event */
  panByKey(event) {
    const steps = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (!step) return;
    event.preventDefault();
    this.camera.x += 60 * step[0];
    this.camera.y += 60 * step[1];
    this.camera.changed();
  }

  /** Moves the map so that a cell can be seen. @param {number} cell */
  reveal(cell) {
    const margin = 24;
    const [x, y] = this.middleOf(cell);
    const { clientWidth: width, clientHeight: height } = this.host;
    const dx = Math.max(margin - x, 0) || Math.min(width - margin - x, 0);
    const dy = Math.max(margin - y, 0) || Math.min(height - margin - y, 0);
    if (!dx && !dy) return;
    this.camera.x += dx;
    this.camera.y += dy;
    this.camera.changed();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    if (!width || !height) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.fit();
    this.redraw();
  }

  /** Draws the next frame anew. */
  redraw() {
    if (this.isStale) return;
    this.isStale = true;
    requestAnimationFrame(() => {
      this.isStale = false;
      this.render();
    });
  }

  render() {
    const context = this.canvas.getContext("2d");
    if (!context || !this.map) return;
    const ratio = window.devicePixelRatio || 1;
    const { zoom, x, y } = this.camera;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
    context.imageSmoothingEnabled = zoom * ratio < 1;
    context.drawImage(this.picture, 0, 0);
    for (const picture of this.tints.values()) context.drawImage(picture, 0, 0);
    this.renderOver(context);
  }

  /** Draws what lies over the map, and places the handles. @param {CanvasRenderingContext2D} context */
  renderOver(context) {
    for (const drawing of this.drawings.values()) {
      context.save();
      drawing(context, this);
      context.restore();
    }
    for (const handle of this.handles) handle.place();
  }

  /** The cell at a position on the screen; -1 outside. @param {number} clientX @param {number} clientY */
  cellAt(clientX, clientY) {
    if (!this.map) return -1;
    const box = this.host.getBoundingClientRect();
    const x = Math.floor((clientX - box.left - this.camera.x) / this.camera.zoom);
    const y = Math.floor((clientY - box.top - this.camera.y) / this.camera.zoom);
    const isInside = x >= 0 && y >= 0 && x < this.map.width && y < this.map.height;
    return isInside ? y * this.map.width + x : -1;
  }

  /** The middle of a cell in pixels of the host. @param {number} cell @returns {[number, number]} */
  middleOf(cell) {
    const { zoom, x, y } = this.camera;
    const width = this.map?.width ?? 1;
    return [x + ((cell % width) + 0.5) * zoom, y + (Math.floor(cell / width) + 0.5) * zoom];
  }

  /** A cell as people write it. @param {number} cell */
  nameOf(cell) {
    const width = this.map?.width ?? 1;
    return `${cell % width}, ${Math.floor(cell / width)}`;
  }

  /** The cell so many steps away, or the last one on the map. @param {number} cell @param {number} dx @param {number} dy @param {number} reach */
  ahead(cell, dx, dy, reach) {
    if (!this.map) return cell;
    const { width, height } = this.map;
    const x = Math.min(Math.max((cell % width) + dx * reach, 0), width - 1);
    const y = Math.min(Math.max(Math.floor(cell / width) + dy * reach, 0), height - 1);
    return y * width + x;
  }

  watchPointer() {
    /** Pointers that are down, with their last positions. @type {Map<number, [number, number]>} */
    const down = new Map();
    let hasMoved = false;
    let isPainting = false;
    let hovered = -1;
    const { canvas, camera } = this;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      down.set(event.pointerId, [event.clientX, event.clientY]);
      // Two fingers zoom; they click nothing.
      hasMoved = down.size > 1;
      isPainting = this.onPaint !== null && event.button === 0 && down.size === 1;
      if (isPainting) this.paintAt(event, true);
    });
    canvas.addEventListener("pointermove", (event) => {
      const last = down.get(event.pointerId);
      if (!last) {
        const cell = this.cellAt(event.clientX, event.clientY);
        if (cell !== hovered) this.onHover?.(cell);
        hovered = cell;
        return;
      }
      const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
      if (isPainting) {
        for (const part of event.getCoalescedEvents?.() ?? [event]) this.paintAt(part, false);
      } else if (down.size === 2) {
        const other = [...down].find(([id]) => id !== event.pointerId)?.[1] ?? last;
        const box = this.host.getBoundingClientRect();
        const before = Math.hypot(last[0] - other[0], last[1] - other[1]);
        const after = Math.hypot(event.clientX - other[0], event.clientY - other[1]);
        if (before > 0) this.zoomBy(after / before, other[0] - box.left, other[1] - box.top);
      } else if (hasMoved || Math.hypot(dx, dy) > 3) {
        hasMoved = true;
        camera.x += dx;
        camera.y += dy;
        camera.changed();
      } else {
        return;
      }
      down.set(event.pointerId, [event.clientX, event.clientY]);
    });
    const lift = (/** @type {PointerEvent} */ event) => {
      const wasDown = down.delete(event.pointerId);
      if (wasDown && !hasMoved && !isPainting && event.type === "pointerup") {
        const cell = this.cellAt(event.clientX, event.clientY);
        if (cell >= 0) this.onClick?.(cell);
      }
      isPainting = false;
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => this.onHover?.(-1));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.host.getBoundingClientRect();
      this.zoomBy(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
  }

  /** @param {PointerEvent} event @param {boolean} isFirst */
  paintAt(event, isFirst) {
    const cell = this.cellAt(event.clientX, event.clientY);
    if (cell >= 0) this.onPaint?.(cell, isFirst);
  }
}

/** The pixels of pictures, so that painting one again allocates nothing. @type {WeakMap<HTMLCanvasElement, { image: ImageData, words: Uint32Array }>} */
const pixelsOf = new WeakMap();

/**
 * Fills a picture with a pixel per cell.
 * @param {HTMLCanvasElement} picture
 * @param {GridMap} map
 * @param {(pixels: Uint32Array) => void} fill
 * @param {boolean} [isKept] whether `fill` gets the last pixels instead of transparent ones
 */
function paint(picture, { width, height }, fill, isKept = false) {
  if (picture.width !== width || picture.height !== height) {
    picture.width = width;
    picture.height = height;
  }
  const context = picture.getContext("2d");
  if (!context) return;
  let pixels = pixelsOf.get(picture);
  if (!pixels || pixels.image.width !== width || pixels.image.height !== height) {
    const image = new ImageData(width, height);
    pixels = { image, words: new Uint32Array(image.data.buffer) };
    pixelsOf.set(picture, pixels);
  } else if (!isKept) {
    pixels.words.fill(0);
  }
  fill(pixels.words);
  context.putImageData(pixels.image, 0, 0);
}

const SHAPES = {
  circle: '<circle cx="10" cy="10" r="7"/>',
  cross: '<path d="M4 4 16 16M16 4 4 16" fill="none" stroke-width="4.5" stroke-linecap="round"/>',
  diamond: '<path d="M10 2 18 10 10 18 2 10Z"/>',
  square: '<rect x="4" y="4" width="12" height="12"/>',
};

/** A point on a cell, to be dragged, or moved by the arrow keys. */
export class Handle {
  /** @param {GridView} view @param {HandleOptions} options */
  constructor(view, { label, colour, shape, cell, onMove, snap, onRemove, text }) {
    this.view = view;
    this.label = label;
    this.cell = cell;
    this.onMove = onMove;
    this.snap = snap ?? ((/** @type {number} */ to) => to);
    this.hint = onRemove ? "arrow keys move it, Delete removes it" : "arrow keys move it";
    this.element = element("button", { type: "button", class: "handle" });
    this.element.innerHTML = `<svg viewBox="0 0 20 20" fill="${colour}" stroke="${colour}" aria-hidden="true">${SHAPES[shape]}</svg>`;
    if (text) this.element.append(element("span", { "aria-hidden": "true" }, text));
    this.element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.element.focus({ preventScroll: true });
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (!this.element.hasPointerCapture(event.pointerId)) return;
      const at = view.cellAt(event.clientX, event.clientY);
      if (at >= 0) this.moveTo(at);
    });
    this.element.addEventListener("focus", () => {
      if (this.element.matches(":focus-visible")) view.reveal(this.cell);
    });
    this.element.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const step = steps[/** @type {keyof typeof steps} */ (event.key)];
      if (!step) return;
      event.preventDefault();
      const before = this.cell;
      let last = -1;
      // Where it snaps back, such as in front of a wall, a longer step may lead across.
      for (let reach = event.shiftKey ? 10 : 1; this.cell === before; reach++) {
        const at = view.ahead(before, step[0], step[1], reach);
        if (at === last) break;
        last = at;
        this.moveTo(at);
      }
      view.reveal(this.cell);
    });
    if (onRemove) {
      this.element.addEventListener("keydown", (event) => {
        if (event.key !== "Delete" && event.key !== "Backspace") return;
        event.preventDefault();
        onRemove();
      });
    }
  }

  /** Moves it and tells so. @param {number} cell */
  moveTo(cell) {
    const to = this.snap(cell);
    if (to === this.cell) return;
    this.set(to);
    this.onMove(to);
  }

  /** Moves it without telling so. @param {number} cell */
  set(cell) {
    this.cell = cell;
    this.place();
  }

  /** Puts the element where the cell is. */
  place() {
    const [x, y] = this.view.middleOf(this.cell);
    this.element.style.left = `${x}px`;
    this.element.style.top = `${y}px`;
    const name = `${this.label}, at ${this.view.nameOf(this.cell)}; ${this.hint}`;
    if (this.element.getAttribute("aria-label") !== name) this.element.setAttribute("aria-label", name);
  }
}

/**
 * A drawing of a path over the middles of cells.
 * @param {ArrayLike<number>} cells
 * @param {string} colour
 * @param {number} [pixels] the width of the line
 * @returns {Drawing}
 */
export function pathDrawing(cells, colour, pixels = 3) {
  return (context, { map, camera }) => {
    if (!map || cells.length === 0) return;
    context.beginPath();
    for (let at = 0; at < cells.length; at++) {
      const x = (cells[at] % map.width) + 0.5;
      const y = Math.floor(cells[at] / map.width) + 0.5;
      if (at === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.lineJoin = "round";
    context.lineCap = "round";
    context.strokeStyle = "#ffffff";
    context.lineWidth = (pixels + 2) / camera.zoom;
    context.stroke();
    context.strokeStyle = colour;
    context.lineWidth = pixels / camera.zoom;
    context.stroke();
  };
}
