// @ts-check
// Engines that cut the map into regions: the regions of any level, and one query step by step.

import { GridView, pathDrawing } from "../../grid_view.js";
import { ENGINES, engineText } from "./texts.js";
import { Level, connectDrawing, dotsDrawing, hubsDrawing, joinDrawing, runsDrawing } from "./drawings.js";
import { mapPanel } from "../../map_panel.js";
import { INK, SERIES, isDark, rgb } from "../../palette.js";
import { distantCells, nearestCell } from "../../store.js";
import { button, checkbox, digits, duration, element, field, figures, grouped, lesson, progressBar, section, select, showError, size, slider } from "../../ui.js";
import { Connection } from "../../wire.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../store.js").GridMap} GridMap */
/** @typedef {import("./texts.js").Step} Step */
/**
 * @typedef {object} Opened
 * @property {string | null} form
 * @property {number[]} regions by level, the finest first
 * @property {boolean} ofSubgoals
 * @property {number} indexBytes
 * @property {number} buildMillis
 * @property {boolean} exact
 */

/** @type {import("../../main.js").View} */
export default { id: "hierarchies", title: "Hierarchies", mount };

/** The level to begin with has at most so many regions. */
const CLEAR = 40;

/** @param {HTMLElement} host @param {Store} store */
function mount(host, store) {
  const view = new Hierarchies(host, store);
  return () => view.close();
}

/** The view. What it shows follows from its fields by `paint` and `draw`. */
class Hierarchies {
  /** @param {HTMLElement} host @param {Store} store */
  constructor(host, store) {
    this.host = host;
    this.store = store;
    this.connection = new Connection();
    const { link } = store;
    this.engine = ENGINES.some(({ name }) => name === link.hierarchy) ? link.hierarchy : "atlas";
    this.cluster = Math.min(Math.max(store.number("hcluster", 16), 4), 64);
    this.clusterLevels = Math.min(Math.max(store.number("clusterlevels", 3), 1), 4);
    /** @type {Step} */
    this.step = /** @type {Step} */ (["all", "connect", "join", "unpack"].includes(link.stage) ? link.stage : "all");
    this.level = store.number("level", -1);
    this.showsRegions = true;
    this.showsPlain = link.plain === "1";
    this.ends = [store.number("from", -1), store.number("to", -1)];
    /** The cell under the pointer or clicked last; -1 for none. */
    this.pointed = -1;
    /** The region that is marked; -1 for none. */
    this.marked = -1;
    /** @type {Opened | null} */
    this.opened = null;
    /** Levels that have arrived. @type {Map<number, Level>} */
    this.levels = new Map();
    /** The newest answer. @type {import("../../wire.js").Reply | null} */
    this.answer = null;
    /** Counts engines and maps, so that late replies are recognised. */
    this.era = 0;

    this.view = new GridView({ label: "The map with its regions and the path" });
    this.view.onHover = (cell) => this.point(cell);
    this.view.onClick = (cell) => this.point(cell);
    this.teaching = element("div");
    this.progress = progressBar(() => this.connection.cancel());
    this.settings = element("div", { class: "row" });
    this.form = element("p", { class: "lesson" });
    this.levelBox = element("div");
    this.stepText = element("p", { "aria-live": "polite" });
    this.legend = element("p", { class: "lesson" });
    this.numbers = element("div");
    this.region = element("div");
    this.stepButtons = STEPS.map(({ step, title }) => button(title, () => this.chooseStep(step)));

    this.onMap = () => this.showMap();
    this.onTheme = () => {
      this.view.paintMap();
      this.paint();
      this.draw();
    };
    store.addEventListener("map", this.onMap);
    store.addEventListener("theme", this.onTheme);
    this.showMap();
  }

  close() {
    this.store.removeEventListener("map", this.onMap);
    this.store.removeEventListener("theme", this.onTheme);
    this.view.close();
    this.connection.close();
    delete this.host.dataset.settled;
  }

  /** Shows the page for the present map. */
  showMap() {
    const map = this.store.grid;
    for (const handle of [...this.view.handles]) this.view.removeHandle(handle);
    if (!map) {
      this.host.replaceChildren(this.forGraphs());
      this.host.dataset.settled = "true";
      return;
    }
    if (!this.view.host.isConnected) this.host.replaceChildren(this.page());
    this.view.setMap(map);
    const fits = (/** @type {number} */ cell) => map.cells[cell] > 0;
    const isInside = this.ends.every((cell) => cell >= 0 && cell < map.cells.length);
    this.ends = isInside ? this.ends.map((cell) => nearestCell(map, cell, fits)) : distantCells(map);
    const moved = (/** @type {0 | 1} */ which) => (/** @type {number} */ cell) => {
      this.ends[which] = cell;
      this.ask();
    };
    const snap = (/** @type {number} */ cell) => nearestCell(map, cell, fits);
    this.view.addHandle({ label: "Start", colour: INK.start, shape: "circle", cell: this.ends[0], snap, onMove: moved(0) });
    this.view.addHandle({ label: "Goal", colour: INK.goal, shape: "cross", cell: this.ends[1], snap, onMove: moved(1) });
    this.open();
  }

  page() {
    const engines = ENGINES.map(({ name, title }) => ({ value: name, title }));
    const choose = select(engines, this.engine, (name) => {
      this.engine = name;
      this.level = -1;
      this.open();
    });
    const regions = checkbox("Colour the regions", this.showsRegions, (shows) => {
      this.showsRegions = shows;
      this.paint();
    });
    const plain = checkbox("Show what plain A* expands", this.showsPlain, (shows) => {
      this.showsPlain = shows;
      this.store.remember({ plain: shows ? 1 : "" });
      this.draw();
    });
    return element("div", { class: "view" },
      element("div", { class: "stage" }, this.view.host),
      element("div", { class: "side" },
        section("Hierarchy", field("Engine", choose), this.settings, this.progress, this.form, this.levelBox, regions, plain),
        section("A query, step by step", element("div", { class: "steps", role: "group", "aria-label": "Step" }, ...this.stepButtons), this.stepText, this.legend, this.numbers),
        this.region,
        this.teaching,
        mapPanel(this.store)));
  }

  /** For maps that this view does not draw. */
  forGraphs() {
    const roads = document.getElementById("tab-roads");
    const rooms = { ...this.store.choice, source: { from: "gallery", name: "rooms" } };
    return element("div", { class: "view" },
      element("div", { class: "stage" }, element("div", { class: "map" }, element("div", { class: "loading" },
        element("h2", {}, "This map is a road network"),
        element("p", {}, "Hierarchies are drawn on grids here. The view Roads shows what a query touches on a network."),
        element("div", { class: "row" },
          roads ? button("Go to Roads", () => roads.click(), { class: "primary" }) : null,
          button("Open a map of rooms", () => this.store.open(rooms).catch(showError)))))),
      element("div", { class: "side" }, mapPanel(this.store)));
  }

  /** The engine, as the lab names it. */
  get choice() {
    const isHierarchy = engineText(this.engine).clusters;
    return {
      name: this.engine,
      ...(isHierarchy ? { cluster: this.cluster } : {}),
      ...(this.engine === "hpa" ? { levels: this.clusterLevels } : {}),
    };
  }

  /** A request about the present map and engine. @param {string} what @param {{ [name: string]: any }} [more] */
  request(what, more = {}) {
    return { topic: "hierarchies", do: what, map: this.store.choice, engine: this.choice, ...more };
  }

  /** Builds the engine and shows it. */
  open() {
    const era = ++this.era;
    delete this.host.dataset.settled;
    this.opened = null;
    this.answer = null;
    this.levels.clear();
    this.marked = this.pointed = -1;
    for (const name of ["regions", "region", "plain"]) this.view.tint(name, null);
    for (const name of DRAWINGS) this.view.draw(name, NOTHING);
    this.store.remember({ hierarchy: this.engine, hcluster: this.cluster, clusterlevels: this.clusterLevels });
    const { title, texts } = engineText(this.engine);
    this.teaching.replaceChildren(lesson(title, ...texts));
    this.showSettings();
    this.form.textContent = "";
    this.levelBox.replaceChildren();
    this.numbers.replaceChildren();
    this.region.replaceChildren();
    this.showStep();
    // What is still being built for the last engine or map is no longer wanted.
    this.connection.cancel();
    this.connection.latest("open", async () => {
      if (era !== this.era) return;
      try {
        const onProgress = (/** @type {import("../../wire.js").Progress} */ progress) => this.progress.show(progress);
        const { data } = await this.connection.ask(this.request("open"), { onProgress });
        if (era !== this.era) return;
        this.opened = data;
        const last = data.regions.length - 1;
        const clear = data.regions.findIndex((/** @type {number} */ count) => count <= CLEAR);
        if (this.level < 0 || this.level > last) this.level = clear < 0 ? last : Math.min(clear, Math.max(last - 1, 0));
        this.form.textContent = `${(data.form ?? title).replace(/^./, (/** @type {string} */ first) => first.toUpperCase())}. Built in ${duration(1e3 * data.buildMillis)}, ${size(data.indexBytes)}.`;
        this.showLevels();
        this.showLevel();
        this.ask();
      } catch (error) {
        if (era !== this.era) return;
        const isCancelled = error && typeof error === "object" && "cancelled" in error && error.cancelled;
        this.form.textContent = isCancelled ? "Cancelled. Choose an engine or a map to go on." : "This engine cannot be built here.";
        showError(error);
      } finally {
        if (era === this.era) this.progress.hide();
      }
    });
  }

  showSettings() {
    const change = (/** @type {() => void} */ set) => {
      set();
      this.level = -1;
      this.open();
    };
    /** @type {HTMLElement[]} */
    const parts = [];
    if (engineText(this.engine).clusters) {
      const cells = slider("Cells along a cluster", { least: 4, most: 64, value: this.cluster }, () => {});
      cells.input.onchange = () => change(() => { this.cluster = Number(cells.input.value); });
      parts.push(cells);
    }
    if (this.engine === "hpa") {
      const levels = slider("Levels of clusters", { least: 1, most: 4, value: this.clusterLevels }, () => {});
      levels.input.onchange = () => change(() => { this.clusterLevels = Number(levels.input.value); });
      parts.push(levels);
    }
    // Moving a slider with the keys opens the engine again; its control keeps the focus.
    const isThere = this.settings.dataset.engine === this.engine;
    if (!isThere) this.settings.replaceChildren(...parts);
    this.settings.dataset.engine = this.engine;
  }

  /** The slider of levels. */
  showLevels() {
    const { regions } = /** @type {Opened} */ (this.opened);
    if (regions.length < 2) {
      this.levelBox.replaceChildren(element("p", { class: "lesson" }, `One level of ${grouped(regions[0])} regions.`));
      return;
    }
    const name = () => `${this.level}: ${grouped(regions[this.level])} ${regions[this.level] === 1 ? "region" : "regions"}`;
    const shown = element("span", { class: "value number" }, name());
    const input = element("input", {
      type: "range", min: 0, max: regions.length - 1,
      oninput: () => {
        this.level = Number(input.value);
        shown.textContent = name();
        input.setAttribute("aria-valuetext", name());
        this.showLevel();
      },
    });
    input.value = String(this.level);
    input.setAttribute("aria-valuetext", name());
    this.levelBox.replaceChildren(field("Level; 0 is the finest", input, shown));
  }

  /** Shows the chosen level, once it is there, and fetches the finest one, to which ends connect. */
  showLevel() {
    this.store.remember({ level: this.level });
    const era = this.era;
    this.connection.latest("level", async () => {
      try {
        for (const level of new Set([this.level, 0])) {
          if (era !== this.era || this.levels.has(level)) continue;
          const { parts } = await this.connection.ask(this.request("level", { level }));
          const map = this.store.grid;
          if (era === this.era && map) this.levels.set(level, new Level(parts, map));
        }
        if (era !== this.era) return;
        this.paint();
        this.draw();
      } catch (error) {
        showError(error);
      }
    });
  }

  /** Asks for the path between the ends. */
  ask() {
    if (!this.opened) return;
    delete this.host.dataset.settled;
    this.store.remember({ from: this.ends[0], to: this.ends[1] });
    const era = this.era;
    this.connection.latest("query", async () => {
      const [from, to] = this.ends;
      try {
        const answer = await this.connection.ask(this.request("query", { from, to, compare: true }));
        if (era !== this.era) return;
        this.answer = answer;
        this.draw();
      } catch (error) {
        showError(error);
      }
    });
  }

  /** @param {Step} step */
  chooseStep(step) {
    this.step = step;
    this.store.remember({ stage: step === "all" ? "" : step });
    this.draw();
  }

  /** Colours the regions of the level. */
  paint() {
    const level = this.levels.get(this.level);
    this.view.tint("regions", level && this.showsRegions ? (pixels) => level.fill(pixels) : null);
    this.view.draw("separators", level && this.showsRegions ? level.marks(engineText(this.engine)) : NOTHING);
    this.marked = -1;
    this.point(this.pointed);
  }

  /** Shows the numbers of the region at a cell. @param {number} cell -1 for that of the start */
  point(cell) {
    this.pointed = cell;
    const level = this.levels.get(this.level);
    if (!level || !this.opened) return;
    const at = cell < 0 ? this.ends[0] : cell;
    const id = level.regionOf[at];
    if (cell >= 0 && id === this.marked) return;
    const isRegion = id < level.count;
    this.marked = cell >= 0 && isRegion ? id : -1;
    this.view.tint("region", this.marked < 0 ? null : (pixels) => level.fillOne(pixels, id));
    this.view.draw("gates", this.marked < 0 ? NOTHING : dotsDrawing(level.gatesOf(id), INK.portal, 3));
    const text = engineText(this.engine);
    if (!isRegion) {
      const map = this.store.grid;
      const what = map && map.cells[at] === 0 ? "A wall." : text.between;
      this.region.replaceChildren(section("Region under the pointer", element("p", { class: "lesson" }, what)));
      return;
    }
    const parent = level.parents[id];
    const levels = this.opened.regions.length;
    this.region.replaceChildren(section(cell < 0 ? "Region of the start" : "Region under the pointer", figures([], [
      ["Number", `${grouped(id)} of ${grouped(level.count)}`],
      [this.opened.ofSubgoals ? "Subgoals" : "Cells", grouped(level.nodes[id])],
      [text.gates, grouped(level.gateCounts[id])],
      [text.bytes, size(level.bytes[id])],
      ["Level", levels > 1 ? `${this.level} of 0 to ${levels - 1}` : "the only one"],
      ["Part of", parent < 0xffffffff ? `region ${grouped(parent)} on level ${this.level + 1}` : "no larger region"],
    ])));
  }

  showStep() {
    STEPS.forEach(({ step }, at) => this.stepButtons[at].setAttribute("aria-pressed", String(step === this.step)));
    const text = engineText(this.engine);
    this.stepText.textContent = this.answer ? text.steps[this.step](this.facts()) : text.waiting;
  }

  /** What the sentences of the steps count. */
  facts() {
    const { data, parts } = /** @type {import("../../wire.js").Reply} */ (this.answer);
    const finest = this.levels.get(0);
    const gates = this.ends.map((cell) => {
      const id = finest?.regionOf[cell] ?? 0xffffffff;
      return finest && id < finest.count ? finest.gateCounts[id] : 0;
    });
    const both = parts.startHubs ? commonHubs(parts) : [];
    const halves = this.halves();
    return {
      isFound: data.cost !== null, gates, expanded: data.expanded, waypoints: Math.max(parts.waypoints.length - 2, 0),
      cells: parts.path.length, meeting: data.meeting?.kind ?? null, form: this.opened?.form ?? "",
      seen: [parts.startSeen?.length ?? 0, parts.goalSeen?.length ?? 0],
      joined: [parts.startJoined?.length ?? 0, parts.goalJoined?.length ?? 0],
      rows: [parts.startHubs?.length ?? 0, parts.goalHubs?.length ?? 0],
      hops: [parts.startHops?.length ?? 0, parts.goalHops?.length ?? 0],
      both: both.length, halves, ofSubgoals: this.opened?.ofSubgoals ?? false,
    };
  }

  /** The lengths of both halves of a path over a hub. */
  halves() {
    const { data, parts } = /** @type {import("../../wire.js").Reply} */ (this.answer);
    const hub = data.meeting?.node;
    if (data.meeting?.kind !== "hub" || !parts.startHubs.length || !data.cost) return null;
    const unit = data.length / data.cost;
    return [
      parts.startCosts[parts.startHubs.indexOf(hub)] * unit,
      parts.goalCosts[parts.goalHubs.indexOf(hub)] * unit,
    ];
  }

  /** Draws the answer as far as the chosen step shows it. */
  draw() {
    this.showStep();
    const { view, step, answer } = this;
    if (!answer || !this.opened) return;
    const { data, parts } = answer;
    const shows = (/** @type {Step[]} */ ...steps) => steps.includes(step);
    const isAtlas = Boolean(data.meeting);
    const finest = this.levels.get(0);

    view.tint("plain", this.showsPlain ? (pixels) => {
      const colour = isDark() ? rgb(170, 180, 195, 90) : rgb(60, 70, 85, 80);
      for (const cell of parts.plain) pixels[cell] = colour;
    } : null);
    const connects = shows("connect") || (step === "all" && isAtlas && this.opened.ofSubgoals);
    view.draw("connect", !connects ? NOTHING : this.opened.ofSubgoals && isAtlas
      ? runsDrawing(this.ends, [parts.startSeen, parts.goalSeen], [parts.startJoined, parts.goalJoined], this.store.choice)
      : connectDrawing(this.ends, isAtlas ? [parts.startJoined, parts.goalJoined] : this.ends.map((cell) => finest?.gatesAt(cell) ?? [])));
    view.draw("generated", shows("all", "join") ? dotsDrawing(parts.generated, SERIES[4], 2.5) : NOTHING);
    view.draw("expanded", shows("all", "join") ? dotsDrawing(parts.expanded, SERIES[0], 3) : NOTHING);
    view.draw("path", shows("all", "unpack") ? pathDrawing(parts.path, INK.path) : NOTHING);
    view.draw("hubs", isAtlas && step === "join" ? hubsDrawing(parts, commonHubs(parts)) : NOTHING);
    // The rows of an atlas say how long the path is, not yet where it goes.
    view.draw("waypoints", step === "unpack" || (!isAtlas && shows("all", "join")) ? joinDrawing(parts, step === "join") : NOTHING);
    view.draw("hub", isAtlas && data.meeting.node !== null ? dotsDrawing([data.meeting.node], INK.changed, 7, "#1b1f24") : NOTHING);
    this.legend.replaceChildren(...legend(step, isAtlas, this.opened.ofSubgoals));
    this.showNumbers();
    this.point(this.pointed);
    const isComplete = this.levels.has(this.level) && this.levels.has(0);
    if (isComplete) this.host.dataset.settled = [this.engine, this.level, ...this.ends].join(" ");
  }

  showNumbers() {
    const { data } = /** @type {import("../../wire.js").Reply} */ (this.answer);
    const { plain } = data;
    const length = (/** @type {number | null} */ value) => value === null ? "no path" : value.toFixed(2);
    const surplus = !this.opened?.exact && data.length && plain?.length ? 100 * (data.length / plain.length - 1) : null;
    this.numbers.replaceChildren(figures(["This engine", "Plain A*"], [
      ["Length", length(data.length), length(plain.length)],
      ...(surplus === null ? [] : [/** @type {[string, string, string]} */ (["Longer by", `${surplus < 0.005 ? "0" : digits(surplus)} %`, ""])]),
      ["Nodes expanded", grouped(data.expanded), grouped(plain.expanded)],
      ["Nodes generated", grouped(data.generated), grouped(plain.generated)],
      ["Time", duration(data.micros), duration(plain.micros)],
    ]));
  }
}

/** @type {{ step: Step, title: string }[]} */
const STEPS = [
  { step: "all", title: "Whole" },
  { step: "connect", title: "1 Connect" },
  { step: "join", title: "2 Join" },
  { step: "unpack", title: "3 Unpack" },
];

/** Keeps the place of a drawing among the others. */
const NOTHING = () => {};

/** All drawings, in their order from below. */
const DRAWINGS = ["separators", "gates", "connect", "generated", "expanded", "path", "hubs", "waypoints", "hub"];

/**
 * The hubs of both rows with the sum of their costs.
 * @param {{ [name: string]: any }} parts
 * @returns {{ node: number, sum: number }[]}
 */
function commonHubs(parts) {
  const costs = new Map();
  parts.startHubs.forEach((/** @type {number} */ node, /** @type {number} */ at) => costs.set(node, parts.startCosts[at]));
  const common = [];
  for (let at = 0; at < parts.goalHubs.length; at++) {
    const cost = costs.get(parts.goalHubs[at]);
    if (cost !== undefined) common.push({ node: parts.goalHubs[at], sum: cost + parts.goalCosts[at] });
  }
  return common;
}

/** What the colours of a step mean. @param {Step} step @param {boolean} isAtlas @param {boolean} ofSubgoals */
function legend(step, isAtlas, ofSubgoals) {
  const entry = (/** @type {string} */ colour, /** @type {string} */ text) =>
    element("span", {}, Object.assign(element("span", { class: "swatch" }), { style: `background:${colour}` }), ` ${text}   `);
  const hub = entry(INK.changed, "where both halves meet");
  const path = entry(INK.path, "path");
  if (isAtlas) {
    if (step === "connect") return ofSubgoals ? [entry(INK.start, "seen from the start"), entry(INK.goal, "seen from the goal"), hub] : [hub];
    if (step === "join") return [entry("#35b779", "hub of both rows, the brighter the shorter the way over it"), entry("#8a94a3", "hub of one row"), hub];
    return step === "unpack" ? [path, entry(INK.second, "end of a hop"), hub] : [path, hub];
  }
  if (step === "connect") return [entry(INK.start, "from the start"), entry(INK.goal, "to the goal")];
  const touched = [entry(SERIES[0], "expanded"), entry(SERIES[4], "generated")];
  if (step === "join") return [...touched, entry(INK.second, "the way over the regions")];
  return step === "unpack" ? [path, entry(INK.second, "where pieces meet")] : [path, ...touched];
}
