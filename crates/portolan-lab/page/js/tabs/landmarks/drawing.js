// @ts-check
// How the view Landmarks colours cells and draws arrows and triangles.

import { pathDrawing } from "../../grid_view.js";
import { INK, colourAt, isDark, rgb, scale, styleAt } from "../../palette.js";
import { element } from "../../ui.js";

/** Values of fields, as in `src/topics/landmarks/field.rs`. */
const FULL = 250;
const NO_LANDMARK = 254;
const NOTHING = 255;

/** The fill of each landmark's region and handle; from the ninth on, paler ones. */
const FILLS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#7a6ff0", "#8c8c00", "#882255"];

/** Cells expanded without landmarks only, and with landmarks. */
export const SEARCHED = { plain: [170, 208, 240], guided: [12, 72, 130] };
const EXACT = [230, 159, 0];

/** @param {number} index of a landmark */
export function fillOf(index) {
  const fill = FILLS[index % FILLS.length];
  return index < FILLS.length ? fill : `color-mix(in srgb, ${fill} 60%, white)`;
}

/** @param {number} index @param {number} alpha */
function wordOf(index, alpha) {
  const hex = parseInt(FILLS[index % FILLS.length].slice(1), 16);
  const pale = index < FILLS.length ? 0 : 0.4;
  const [r, g, b] = [hex >> 16, (hex >> 8) & 255, hex & 255].map((value) => Math.round(value + (255 - value) * pale));
  return rgb(r, g, b, alpha);
}

/**
 * What the colours can show.
 * @type {{ [what: string]: { title: string, least: string, most: (length: number) => string } }}
 */
export const FIELDS = {
  landmarks: { title: "the landmark heuristic", least: "0", most: steps },
  distance: { title: "the distance heuristic", least: "0", most: steps },
  truth: { title: "the true distance", least: "0", most: steps },
  "landmark-share": { title: "landmark heuristic ÷ true distance", least: "50 % or less", most: () => "below 100 %" },
  "distance-share": { title: "distance heuristic ÷ true distance", least: "50 % or less", most: () => "below 100 %" },
  best: { title: "the best landmark", least: "", most: () => "" },
  gain: { title: "what landmarks add to the distance heuristic", least: "nothing", most: steps },
  reuse: { title: "bound of landmarks alone ÷ true distance", least: "0 %", most: () => "below 100 %" },
  excess: { title: "bounds above the true distance (stale landmarks)", least: "just above", most: steps },
  sites: { title: "the value of one more landmark", least: "nothing", most: () => "best" },
};

/** @param {number} length */
function steps(length) {
  return `${length.toFixed(length < 100 ? 1 : 0)} steps`;
}

/** The colours of all values of a field. @param {string} what */
export function coloursOf(what) {
  const table = new Uint32Array(256);
  for (let value = 0; value <= FULL; value++) table[value] = colourOf(what, value);
  table[NO_LANDMARK] = isDark() ? rgb(90, 96, 104, 190) : rgb(190, 194, 200, 190);
  table[NOTHING] = 0;
  return table;
}

/** @param {string} what @param {number} value */
function colourOf(what, value) {
  const share = value / FULL;
  switch (what) {
    case "best": return wordOf(value, 190);
    case "landmark-share": case "distance-share": case "reuse": {
      if (value === FULL) return rgb(EXACT[0], EXACT[1], EXACT[2], 230);
      // Good bounds differ in the upper half.
      const shown = what === "reuse" ? share : 2 * share - 1;
      const [r, g, b] = colourAt("blue", 1 - shown);
      return rgb(r, g, b, 225);
    }
    case "gain": {
      const [r, g, b] = colourAt("orange", 1 - share);
      return value === 0 ? 0 : rgb(r, g, b, 225);
    }
    case "excess": return rgb(214, 39, 40, 70 + Math.round(160 * share));
    default: return scale("viridis", 225)[Math.round(share * 255)];
  }
}

/** @param {string} what @param {number} most the length of the fullest colour @param {number} count of landmarks */
export function legendOf(what, most, count) {
  const key = (/** @type {string} */ colour, /** @type {string} */ text) =>
    element("span", {}, element("span", { class: "swatch", style: `background: ${colour}` }), ` ${text}`);
  if (what === "best") {
    const keys = Array.from({ length: count }, (_, index) => key(fillOf(index), String(index + 1)));
    return element("div", { class: "legend" }, element("div", { class: "keys" }, ...keys, key("#a9adb3", "plain distance")));
  }
  const { least, most: mostText } = FIELDS[what];
  const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    if (what === "excess") return `rgb(214 39 40 / ${0.28 + 0.62 * share})`;
    if (what === "gain") return styleAt("orange", 1 - share);
    return what.endsWith("share") || what === "reuse" ? styleAt("blue", 1 - share) : styleAt("viridis", share);
  });
  const isShare = what.endsWith("share") || what === "reuse";
  return element("div", { class: "legend" },
    element("div", { class: "bar-of-scale", style: `background: linear-gradient(to right, ${stops.join(", ")})` }),
    element("div", { class: "ends" }, element("span", {}, least), element("span", {}, mostText(most))),
    isShare ? element("div", { class: "keys" }, key(`rgb(${EXACT.join(" ")})`, "exactly the true distance")) : null);
}

/** Colours of the four states of a searched cell. @param {boolean} hasLandmarks without any, both searches are the same */
export function searchedColours(hasLandmarks) {
  const [plain, guided] = [SEARCHED.plain, SEARCHED.guided].map(([r, g, b]) => rgb(r, g, b, 235));
  return hasLandmarks ? Uint32Array.of(0, plain, guided, guided) : Uint32Array.of(0, plain, plain, plain);
}

/**
 * Arrows; see `src/topics/landmarks/wind.rs`.
 * @param {Uint8Array} arrows
 * @param {number} stride
 * @returns {import("../../grid_view.js").Drawing}
 */
export function windDrawing(arrows, stride) {
  return (context, { map, camera }) => {
    if (!map) return;
    const across = Math.ceil(map.width / stride);
    const half = stride * 0.36;
    for (const isWrong of [false, true]) {
      context.beginPath();
      for (let at = 0; at < arrows.length; at++) {
        const arrow = arrows[at];
        if (arrow === NOTHING || (arrow >= 16) !== isWrong) continue;
        const [dx, dy] = [(arrow % 16) % 3 - 1, Math.floor((arrow % 16) / 3) - 1];
        const length = Math.hypot(dx, dy) || 1;
        const [ux, uy] = [(dx / length) * half, (dy / length) * half];
        const x = (at % across) * stride + Math.floor(stride / 2) + 0.5;
        const y = Math.floor(at / across) * stride + Math.floor(stride / 2) + 0.5;
        context.moveTo(x - ux, y - uy);
        context.lineTo(x + ux, y + uy);
        context.moveTo(x + ux * 0.2 - uy * 0.6, y + uy * 0.2 + ux * 0.6);
        context.lineTo(x + ux, y + uy);
        context.lineTo(x + ux * 0.2 + uy * 0.6, y + uy * 0.2 - ux * 0.6);
      }
      context.lineCap = "round";
      context.lineJoin = "round";
      for (const [colour, width] of /** @type {[string, number][]} */ ([["#ffffffcc", 4], [isWrong ? INK.broken : "#004b80", 1.8]])) {
        context.strokeStyle = colour;
        context.lineWidth = width / camera.zoom;
        context.stroke();
      }
    }
  };
}

/**
 * The paths from both ends to a landmark, with their lengths.
 * @param {[ArrayLike<number>, string][]} sides paths and what is written beside them
 * @param {string} colour
 * @returns {import("../../grid_view.js").Drawing}
 */
export function triangleDrawing(sides, colour) {
  return (context, view) => {
    const { map, camera } = view;
    if (!map) return;
    for (const [path] of sides) {
      context.setLineDash([6 / camera.zoom, 5 / camera.zoom]);
      pathDrawing(path, colour, 2.5)(context, view);
    }
    context.setLineDash([]);
    context.font = `600 ${13 / camera.zoom}px system-ui, sans-serif`;
    context.textAlign = "center";
    for (const [path, text] of sides) {
      if (!path.length || !text) continue;
      const middle = path[Math.floor(path.length / 2)];
      const [x, y] = [(middle % map.width) + 0.5, Math.floor(middle / map.width) + 0.5];
      const width = context.measureText(text).width + 10 / camera.zoom;
      context.fillStyle = "rgb(255 255 255 / 92%)";
      context.fillRect(x - width / 2, y - 10 / camera.zoom, width, 20 / camera.zoom);
      context.fillStyle = "#16191d";
      context.fillText(text, x, y + 4.5 / camera.zoom);
    }
  };
}
