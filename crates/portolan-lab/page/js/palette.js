// @ts-check
// Colours that colour-blind people can tell apart (Okabe and Ito), and scales of even lightness.

/** Roles on the map. The same in light and dark. */
export const INK = {
  start: "#d55e00",
  goal: "#8a3ffc",
  path: "#d55e00",
  second: "#009e73",
  landmark: "#00795c",
  portal: "#e69f00",
  separator: "#cc79a7",
  agent: "#0072b2",
  broken: "#d62728",
  changed: "#f0e442",
};

/** Distinct fills for regions, engines and series. */
export const SERIES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a6ff0", "#8c8c00"];

/** Whether the page is dark. */
export function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

/** The colours of the ground, as words of a picture (alpha, blue, green, red). */
export function ground() {
  return isDark()
    ? { wall: rgb(70, 78, 90), floor: [34, 38, 44], rough: [96, 74, 40] }
    : { wall: rgb(108, 117, 130), floor: [255, 255, 255], rough: [176, 137, 84] };
}

/** A colour as a word of a picture. @param {number} r @param {number} g @param {number} b @param {number} [a] */
export function rgb(r, g, b, a = 255) {
  return ((a << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

// Anchors of viridis (van der Walt and Smith) and of single hues.
/** @type {{ [name: string]: number[][] }} */
const SCALES = {
  viridis: [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]],
  blue: [[12, 72, 130], [72, 144, 205], [170, 208, 240]],
  orange: [[168, 74, 0], [230, 140, 30], [250, 205, 140]],
  grey: [[60, 60, 60], [220, 220, 220]],
};

/** @type {Map<string, Uint32Array>} */
const tables = new Map();

/**
 * 256 colours from the first to the last of a scale, as words of a picture.
 * @param {"viridis" | "blue" | "orange" | "grey"} name
 * @param {number} [alpha]
 */
export function scale(name, alpha = 255) {
  const key = `${name} ${alpha}`;
  let table = tables.get(key);
  if (!table) {
    table = Uint32Array.from({ length: 256 }, (_, index) => {
      const [r, g, b] = colourAt(name, index / 255);
      return rgb(r, g, b, alpha);
    });
    tables.set(key, table);
  }
  return table;
}

/** @param {string} name @param {number} share from 0 to 1 */
export function colourAt(name, share) {
  const anchors = SCALES[name];
  const at = Math.min(Math.max(share, 0), 1) * (anchors.length - 1);
  const low = Math.min(Math.floor(at), anchors.length - 2);
  return anchors[low].map((value, channel) => Math.round(value + (anchors[low + 1][channel] - value) * (at - low)));
}

/** The same for styles. @param {string} name @param {number} share */
export function styleAt(name, share) {
  return `rgb(${colourAt(name, share).join(" ")})`;
}
