// @ts-check
// Charts as SVG: lines over time, points with two logarithmic axes.

import { SERIES } from "./palette.js";

const SPACE = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {{ [name: string]: any }} attributes
 * @param {...(Node | string)} children
 */
export function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * Lines over a running number.
 * @param {{ title: string, values: number[], colour?: string }[]} series
 * @param {{ width?: number, height?: number, label: string, format: (value: number) => string }} options
 */
export function lines(series, { width = 320, height = 120, label, format }) {
  const all = series.flatMap(({ values }) => values);
  const most = Math.max(...all, 1e-9);
  const count = Math.max(...series.map(({ values }) => values.length), 2);
  const x = (/** @type {number} */ at) => 4 + ((width - 8) * at) / (count - 1);
  const y = (/** @type {number} */ value) => height - 4 - ((height - 20) * value) / most;
  const paths = series.map(({ title, values, colour }, index) => {
    const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const style = colour ?? SERIES[index % SERIES.length];
    return svg("polyline", { points, fill: "none", stroke: style, "stroke-width": 1.5 }, svg("title", {}, title));
  });
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    svg("line", { x1: 4, x2: width - 4, y1: y(most), y2: y(most), stroke: "currentColor", "stroke-opacity": 0.25, "stroke-dasharray": "3 3" }),
    svg("text", { x: 4, y: 12, "font-size": 11, fill: "currentColor" }, `${label}, at most ${format(most)}`),
    ...paths);
}
