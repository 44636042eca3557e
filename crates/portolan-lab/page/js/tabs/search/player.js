// @ts-check
// Plays a search: a slider over its steps, play and pause, single steps, and a speed.

import { button, element, field, grouped, select } from "../../ui.js";

const SPEEDS = [
  { value: "3", title: "Whole search in 3 seconds" },
  { value: "8", title: "Whole search in 8 seconds" },
  { value: "20", title: "Whole search in 20 seconds" },
  { value: "60", title: "Whole search in a minute" },
];

export class Player {
  /** @param {number | null} step where to begin; null at the end @param {(step: number, isPlaying: boolean) => void} onStep */
  constructor(step, onStep) {
    this.onStep = onStep;
    this.total = 0;
    /** The step that is shown; null for the last, whatever it is. */
    this.step = step;
    this.seconds = 8;
    this.frame = 0;
    this.slider = element("input", {
      type: "range", min: 0, max: 0, step: 1,
      oninput: () => { this.pause(); this.go(Number(this.slider.value)); },
    });
    this.shown = element("span", { class: "value number" });
    this.toggle = button("Play", () => (this.frame ? this.pause() : this.play()), { class: "primary" });
    const back = button("◂", () => { this.pause(); this.go(this.at - 1); }, { "aria-label": "One step back", title: "One step back" });
    const forth = button("▸", () => { this.pause(); this.go(this.at + 1); }, { "aria-label": "One step forward", title: "One step forward" });
    const end = button("End", () => { this.pause(); this.go(this.total); }, { title: "Show the finished search" });
    const speed = select(SPEEDS, String(this.seconds), (value) => { this.seconds = Number(value); });
    this.element = element("div", { class: "player" },
      field("Expanded so far", this.slider, this.shown),
      element("div", { class: "row" }, this.toggle, back, forth, end),
      field("Speed", speed));
  }

  /** The step that is shown. */
  get at() {
    return this.step === null ? this.total : Math.min(this.step, this.total);
  }

  /** The searches have so many steps now. @param {number} total */
  setTotal(total) {
    this.total = total;
    this.slider.max = String(total);
    this.update();
  }

  /** @param {number} step */
  go(step) {
    const within = Math.min(Math.max(step, 0), this.total);
    this.step = within >= this.total ? null : within;
    this.update();
    this.onStep(this.at, this.frame !== 0);
  }

  play() {
    let position = this.at >= this.total ? 0 : this.at;
    let last = performance.now();
    const next = (/** @type {number} */ now) => {
      position += (Math.max(now - last, 0) / 1000) * (this.total / this.seconds);
      last = now;
      if (position >= this.total) {
        this.pause();
        this.go(this.total);
      } else {
        this.frame = requestAnimationFrame(next);
        this.go(Math.floor(position));
      }
    };
    this.frame = requestAnimationFrame(next);
    this.toggle.textContent = "Pause";
  }

  pause() {
    if (!this.frame) return;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.toggle.textContent = "Play";
    this.onStep(this.at, false);
  }

  update() {
    this.slider.value = String(this.at);
    this.shown.textContent = `${grouped(this.at)} of ${grouped(this.total)}`;
  }
}
