// @ts-check
// One engine on the map: asks it, and shows what it touched up to any step.

import { GridView, pathDrawing } from "../../grid_view.js";
import { INK, rgb, scale } from "../../palette.js";
import { button, element, progressBar, showError } from "../../ui.js";
import { Connection, Refusal } from "../../wire.js";

/** @typedef {import("../../grid_view.js").Camera} Camera */
/** @typedef {{ map: any, engine: { name: string }, from: number, to: number, measure: boolean }} Question */

/** Cells that wait on the open list. */
export const FRONTIER = [230, 159, 0];

export class Pane {
  /** @param {Camera} camera @param {() => void} onAnswer called when there is something new to show */
  constructor(camera, onAnswer) {
    this.onAnswer = onAnswer;
    // Of its own, so that a slow engine does not hold up the other.
    this.connection = new Connection();
    this.view = new GridView({ camera, caption: " ", label: "The map with the cells that the search touched" });
    this.progress = progressBar(() => this.connection.cancel());
    this.note = element("div", { hidden: true, role: "status" });
    this.view.host.append(element("div", { class: "overlay" }, this.note, this.progress));
    /** The last answer. @type {any} */
    this.found = null;
    /** Twice each node, and one more if it was generated and not expanded. */
    this.events = new Uint32Array(0);
    /** @type {ArrayLike<number>} */
    this.path = [];
    /** How far the cells are painted: events, and expanded nodes among them. */
    this.painted = { events: 0, steps: 0 };
    this.hasFrontier = true;
    /** The map and the engine that are asked. */
    this.subject = "";
  }

  close() {
    this.view.close();
    this.connection.close();
  }

  /** The steps of the search. */
  get steps() {
    return this.found?.expanded ?? 0;
  }

  /** Forgets the last answer. */
  clear() {
    this.found = null;
    this.events = new Uint32Array(0);
    this.path = [];
    this.painted = { events: 0, steps: 0 };
    this.view.tint("touched", null);
    this.view.draw("path", null);
  }

  /** Asks, or asks again when the last answer is there. @param {Question} question @returns {Promise<void>} when it is answered; never if a newer one takes its place */
  ask(question) {
    const subject = JSON.stringify([question.map, question.engine]);
    this.turnTo(subject);
    return new Promise((done) => this.connection.latest("run", async () => {
      if (subject !== this.subject) return;
      try {
        const { data, parts } = await this.connection.ask(
          { topic: "search", do: "run", events: true, ...question },
          { onProgress: (progress) => subject === this.subject && this.progress.show(progress) });
        if (subject !== this.subject) return;
        this.found = { ...data, engine: question.engine.name };
        this.events = parts.events;
        this.path = parts.path;
        this.painted = { events: 0, steps: 0 };
        this.say(data.length === null
          ? "No path: the goal is in another part of the map. The line leads to the nearest cell that can be reached."
          : "");
        this.onAnswer();
      } catch (error) {
        if (subject === this.subject) this.refused(error, question);
      } finally {
        if (subject === this.subject) {
          this.progress.hide();
          done();
        }
      }
    }));
  }

  /** What is built or searched for another map or engine is no longer wanted. @param {string} subject */
  turnTo(subject) {
    if (subject === this.subject) return;
    this.subject = subject;
    this.connection.cancel();
    this.progress.hide();
    this.say("");
  }

  /** @param {unknown} error @param {Question} question */
  refused(error, question) {
    this.clear();
    if (error instanceof Refusal && error.cancelled) {
      this.say("Cancelled.", button("Build it again", () => this.ask(question)));
    } else if (error instanceof Refusal) {
      this.say(`${error.message} ${error.help}`);
    } else {
      showError(error);
    }
    this.onAnswer();
  }

  /** @param {string} text @param {...HTMLElement} more */
  say(text, ...more) {
    this.note.hidden = !text;
    if (this.note.textContent !== text || more.length) this.note.replaceChildren(text, " ", ...more);
  }

  /** Shows the search after so many expanded nodes. @param {number} steps */
  show(steps) {
    const { events, painted } = this;
    const upTo = Math.min(steps, this.steps);
    if (upTo < painted.steps) this.painted = { events: 0, steps: 0 };
    this.view.tint("touched", (pixels) => {
      if (this.painted.events === 0) pixels.fill(0);
      this.paint(pixels, events, upTo);
    }, true);
    const isDone = this.found && steps >= this.steps;
    this.view.draw("path", isDone ? pathDrawing(this.path, INK.path) : null);
  }

  /** @param {Uint32Array} pixels @param {Uint32Array} events @param {number} upTo */
  paint(pixels, events, upTo) {
    const colours = scale("blue", 215);
    const [r, g, b] = FRONTIER;
    const waiting = this.hasFrontier ? rgb(r, g, b, 200) : 0;
    const ofStep = 255 / Math.max(this.steps - 1, 1);
    let { events: at, steps } = this.painted;
    // What the last step generated belongs to it.
    for (; at < events.length; at++) {
      const event = events[at];
      const cell = event >>> 1;
      if (cell >= pixels.length) continue;
      if (event & 1) {
        if (pixels[cell] === 0) pixels[cell] = waiting;
      } else {
        if (steps >= upTo) break;
        pixels[cell] = colours[(steps * ofStep) | 0];
        steps++;
      }
    }
    this.painted = { events: at, steps };
  }

  /** Paints everything again. @param {number} steps */
  repaint(steps) {
    this.painted = { events: 0, steps: 0 };
    this.show(steps);
  }
}
