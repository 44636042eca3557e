// @ts-check
// A chart of the last values of something that goes on.

import { lines } from "./chart.js";
import { SERIES } from "./palette.js";
import { element } from "./ui.js";

/** Values that are shown. */
const MOST = 120;

/** The chart is drawn at most so often, in milliseconds. */
const PAUSE = 200;

export class RunningChart {
  /**
   * @param {string} label
   * @param {{ title: string, colour?: string }[]} series
   * @param {(value: number) => string} format
   */
  constructor(label, series, format) {
    this.label = label;
    this.format = format;
    /** @type {{ title: string, colour: string, values: number[] }[]} */
    this.series = series.map(({ title, colour }, at) => ({ title, colour: colour ?? SERIES[at], values: [] }));
    this.drawn = 0;
    this.timer = 0;
    this.chart = element("div");
    const legend = this.series.map(({ title, colour }) =>
      element("span", {}, element("span", { class: "swatch", style: `background:${colour}` }), ` ${title}`));
    this.host = element("div", {}, this.chart, series.length > 1 ? element("div", { class: "row legend" }, ...legend) : null);
    this.draw();
  }

  /** Adds a value for each series. @param {number[]} values */
  add(values) {
    this.series.forEach((one, at) => {
      one.values.push(values[at]);
      if (one.values.length > MOST) one.values.shift();
    });
    const wait = this.drawn + PAUSE - performance.now();
    if (!this.timer) this.timer = window.setTimeout(() => this.draw(), Math.max(wait, 0));
  }

  clear() {
    for (const one of this.series) one.values.length = 0;
    this.draw();
  }

  draw() {
    this.timer = 0;
    this.drawn = performance.now();
    this.chart.replaceChildren(lines(this.series, { label: this.label, format: this.format, height: 90 }));
  }
}
