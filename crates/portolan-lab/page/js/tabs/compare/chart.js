// @ts-check
// The chart of a benchmark. The lab draws it, the same as in reports; here its points can be
// pointed at and reached by the keyboard.

import { duration, element, figures, grouped, size } from "../../ui.js";

/** @typedef {import("./view.js").Figures} Figures */

export class BenchChart {
  constructor() {
    this.drawing = element("div", { class: "bench-chart" });
    this.tip = element("div", { class: "tip", role: "status" });
    this.tip.hidden = true;
    this.host = element("div", { class: "scrolling" }, element("div", { class: "tipped" }, this.drawing, this.tip));
    /** @type {Map<string, SVGElement>} */
    this.marks = new Map();
  }

  /** @param {string} text SVG @param {Figures[]} rows */
  show(text, rows) {
    const drawing = /** @type {SVGElement} */ (/** @type {unknown} */ (
      document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true)));
    // The page has styles of its own for both themes.
    drawing.querySelector("style")?.remove();
    drawing.setAttribute("role", "group");
    this.marks.clear();
    this.tip.hidden = true;
    for (const mark of /** @type {NodeListOf<SVGElement>} */ (drawing.querySelectorAll(".mark"))) {
      const title = mark.querySelector("title");
      const name = (title?.textContent ?? "").split(":")[0].replace("≈ ", "");
      const row = rows.find(({ engine }) => engine === name);
      if (!row) continue;
      mark.setAttribute("aria-label", title?.textContent ?? "");
      title?.remove();
      mark.setAttribute("tabindex", "0");
      mark.setAttribute("role", "img");
      mark.dataset.engine = name;
      for (const event of ["pointerenter", "focus"]) mark.addEventListener(event, () => this.explain(mark, row));
      for (const event of ["pointerleave", "blur"]) mark.addEventListener(event, () => { this.tip.hidden = true; });
      this.marks.set(name, mark);
    }
    this.drawing.replaceChildren(drawing);
  }

  /** Makes one point stand out. @param {string | null} engine */
  light(engine) {
    for (const [name, mark] of this.marks) mark.classList.toggle("lit", name === engine);
  }

  /** @param {SVGElement} mark @param {Figures} row */
  explain(mark, row) {
    const time = (/** @type {number | null} */ micros) => (micros === null ? "–" : duration(micros));
    this.tip.replaceChildren(element("strong", {}, row.engine), figures([], [
      ["Mean time", time(row.mean_us)],
      ["Median time", time(row.median_us)],
      ["Index", size(row.index_bytes)],
      ["Build", time((row.build_s ?? 0) * 1e6)],
      ["Nodes expanded", grouped(Math.round(row.expanded_mean ?? 0))],
    ]));
    this.tip.hidden = false;
    const [at, around] = [mark.getBoundingClientRect(), this.drawing.getBoundingClientRect()];
    const [x, y] = [at.left + at.width / 2 - around.left, at.top + at.height / 2 - around.top];
    const isRight = x > around.width / 2;
    this.tip.style.left = `${isRight ? x - this.tip.offsetWidth - 14 : x + 14}px`;
    this.tip.style.top = `${Math.min(Math.max(y - 20, 0), Math.max(around.height - this.tip.offsetHeight, 0))}px`;
  }
}
