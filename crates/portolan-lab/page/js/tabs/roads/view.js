// @ts-check
// A road network: two points, the path between them, and what engines touch to find it.

import { mapPanel } from "../../map_panel.js";
import { INK, scale, styleAt } from "../../palette.js";
import { button, duration, element, field, figures, grouped, lesson, notice, progressBar, section, select, showError, size } from "../../ui.js";
import { Connection } from "../../wire.js";
import { RoadIndex } from "./index.js";
import { RoadView, roadDots, roadPath } from "./road_map.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {{ cost: number | null, steps: number, expanded: number, compared: number, micros: number, buildMillis: number, indexBytes: number, form: string | null }} Answer */
/** @typedef {{ engine: string, answer: Answer, order: Uint32Array, path: Uint32Array }} Found */

/** @type {import("../../main.js").View} */
export default { id: "roads", title: "Roads", mount };

/** The engine that answers where another was cancelled. */
const PLAIN = "astar";
/** The scales of both engines, and the colours of their paths. */
const HUES = /** @type {const} */ (["blue", "orange"]);
const PATHS = ["#8a3ffc", INK.second];

/** @param {HTMLElement} host @param {Store} store */
function mount(host, store) {
  const place = element("div", { class: "view" });
  host.append(place);
  delete host.dataset.settled;
  let leave = () => {};
  const show = () => {
    leave();
    place.replaceChildren();
    leave = store.graph?.points ? mountRoads(host, place, store) : mountExplanation(host, place, store);
  };
  store.addEventListener("map", show);
  show();
  return () => {
    store.removeEventListener("map", show);
    leave();
  };
}

/**
 * What to do with a map that cannot be drawn as roads.
 * @param {HTMLElement} host @param {HTMLElement} place @param {Store} store
 */
function mountExplanation(host, place, store) {
  const gallery = button("Open the road network of the gallery", () =>
    store.open({ ...store.choice, source: { from: "gallery", name: "roads" } }).catch(showError), { class: "primary" });
  const text = store.graph
    ? ["This network has no coordinates",
      "A .gr file has roads and lengths, but not where junctions lie. The coordinates are in a .co file beside it. Drop both files on the page together."]
    : ["This view is for road networks",
      "The present map is a grid of cells. Open a network here, or drop a .gr file together with the .co file that has its coordinates."];
  place.append(
    element("div", { class: "stage" }, element("div", { class: "sheet" },
      element("div", { class: "card" }, element("h2", {}, text[0]), element("p", {}, text[1]), element("p", {}, gallery)))),
    element("div", { class: "side" }, about(), mapPanel(store)));
  host.dataset.settled = "explained";
  return () => {};
}

/** @param {Answer} answer */
function touched({ expanded, compared }) {
  if (compared > 0) return `${grouped(compared)} junctions looked up`;
  return expanded > 0 ? `${grouped(expanded)} junctions searched` : "no junction searched";
}

function about() {
  return lesson("Shortest paths on roads",
    "Drag the two ends, or click to set the start and the goal in turn. Coloured junctions were searched, the dark ones first.",
    "A plain search spreads in all directions; stored distances point it to the goal. With a full index nothing is searched: the distances of both ends to some important junctions are looked up, and the least sum is the answer. The price is memory, and the time to build it.");
}

/** @param {HTMLElement} host @param {HTMLElement} place @param {Store} store */
function mountRoads(host, place, store) {
  const connection = new Connection();
  const map = /** @type {import("../../store.js").GraphMap} */ (store.graph);
  const view = new RoadView({ label: "The road network with the path and the junctions that were touched", painter: store.link.painter });
  const results = element("div", { role: "status" });
  const progress = progressBar(() => connection.cancel());
  /** The engine, and the one beside it or none. @type {[string, string]} */
  let engines = [store.link["road-engine"] ?? PLAIN, store.link["road-other"] ?? ""];
  let shading = store.link["road-shading"] === "even" ? "even" : "order";
  /** @type {[number, number]} */
  let ends = [0, 0];
  /** Which end the next click sets. @type {0 | 1} */
  let clicked = 0;
  /** @type {Found[]} */
  let found = [];
  /** @type {RoadIndex | null} */
  let index = null;
  let isOpen = true;
  const selects = element("div", { class: "row" });

  /** Opens the map: how it lies, and which engines support it. */
  async function open() {
    try {
      const [proportions, offered] = await Promise.all([
        connection.ask({ topic: "roads", do: "proportions", map: store.choice }),
        connection.ask({ topic: "compare", do: "engines", map: store.choice }),
      ]);
      if (!isOpen) return;
      index = new RoadIndex(map, proportions.data.x);
      const names = offered.data.engines.filter((/** @type {any} */ { unsupported }) => unsupported === null).map((/** @type {any} */ { name }) => name);
      if (!names.includes(engines[0])) engines[0] = PLAIN;
      if (!names.includes(engines[1])) engines[1] = "";
      showSelects(names);
      view.setRoads(index);
      ends = restoredEnds(index);
      for (const which of /** @type {(0 | 1)[]} */ ([0, 1])) addHandle(which);
      view.onClick = (node) => {
        view.handles[clicked].moveTo(node);
        clicked = clicked === 0 ? 1 : 0;
      };
      run();
    } catch (error) {
      showError(error);
    }
  }

  /** @param {RoadIndex} index @returns {[number, number]} */
  function restoredEnds(index) {
    const otherwise = index.distantNodes(map.ends);
    const isNode = (/** @type {number} */ node) => node >= 0 && node < index.count;
    const linked = [store.number("road-from", -1), store.number("road-to", -1)];
    return isNode(linked[0]) && isNode(linked[1]) ? [linked[0], linked[1]] : otherwise;
  }

  /** @param {0 | 1} which */
  function addHandle(which) {
    view.addHandle({
      label: which === 0 ? "Start" : "Goal",
      colour: which === 0 ? INK.start : INK.goal,
      shape: which === 0 ? "circle" : "cross",
      cell: ends[which],
      onMove: (node) => {
        ends[which] = node;
        store.remember({ "road-from": ends[0], "road-to": ends[1] });
        run();
      },
    });
  }

  /** @param {string[]} names */
  function showSelects(names) {
    const options = names.map((value) => ({ value, title: value }));
    const choose = (/** @type {0 | 1} */ which) => (/** @type {string} */ value) => {
      engines[which] = value;
      store.remember({ "road-engine": engines[0], "road-other": engines[1] });
      run();
    };
    selects.replaceChildren(
      field("Engine", select(options, engines[0], choose(0))),
      field("Compared with", select([{ value: "", title: "none" }, ...options], engines[1], choose(1))));
  }

  /** Finds the path by one engine after the other. */
  const run = () => connection.latest("path", async () => {
    delete host.dataset.settled;
    const [from, to] = ends;
    /** @type {Found[]} */
    const next = [];
    for (const [which, engine] of engines.entries()) {
      if (!engine || (which === 1 && engine === engines[0])) continue;
      try {
        const { data, parts } = await connection.ask(
          { topic: "roads", do: "path", map: store.choice, engine: { name: engine }, from, to },
          { onProgress: (state) => progress.show({ ...state, phase: `${engine}: ${state.phase}` }) });
        next.push({ engine, answer: data, order: parts.order, path: parts.path });
      } catch (error) {
        if (!isOpen) return;
        giveUp(which, engine, error);
      }
      progress.hide();
    }
    found = next;
    draw();
    host.dataset.settled = "found";
  });

  /** Goes back to engines that can answer. @param {number} which @param {string} engine @param {unknown} error */
  function giveUp(which, engine, error) {
    const wasCancelled = error instanceof Error && "cancelled" in error && error.cancelled;
    if (wasCancelled) notice(`The build of ${engine} was cancelled.`);
    else showError(error);
    const otherwise = which === 0 && engine !== PLAIN ? PLAIN : "";
    if (which === 0 && otherwise === "") return;
    engines[which] = otherwise;
    const control = /** @type {HTMLSelectElement | undefined} */ (selects.querySelectorAll("select")[which]);
    if (control) control.value = otherwise;
    store.remember({ "road-engine": engines[0], "road-other": engines[1] });
    if (otherwise) run();
  }

  function draw() {
    if (!index) return;
    view.setDots(dots(index));
    for (const which of [0, 1]) {
      const one = found[which];
      const isLookedUp = one && one.answer.compared > 0;
      view.draw(`looked up ${which}`, isLookedUp ? roadDots(one.order, index, styleAt(HUES[which], 0.15)) : null);
      view.draw(`path ${which}`, one ? roadPath(one.path, index, PATHS[which], which === 0 ? 5 : 2, which === 0) : null);
    }
    view.caption.hidden = found.length === 0;
    view.caption.replaceChildren(...found.map(({ engine, answer }, which) => element("div", {},
      element("span", { class: "swatch", style: `background: ${styleAt(HUES[which], 0.3)}` }), ` ${engine}: `,
      touched(answer))));
    results.replaceChildren(...table());
  }

  /** The searched junctions of all engines, those of the engine with fewer on top. @param {RoadIndex} index */
  function dots({ points }) {
    const layers = found.map(({ order, answer }, which) =>
      ({ order: answer.expanded > 0 ? order : new Uint32Array(), colours: scale(HUES[which], 230) }));
    layers.sort((a, b) => b.order.length - a.order.length);
    const count = layers.reduce((sum, { order }) => sum + order.length, 0);
    const [places, inks] = [new Float32Array(2 * count), new Uint32Array(count)];
    let at = 0;
    for (const { order, colours } of layers) {
      const last = Math.max(order.length - 1, 1);
      for (let step = 0; step < order.length; step++, at++) {
        places[2 * at] = points[2 * order[step]];
        places[2 * at + 1] = points[2 * order[step] + 1];
        inks[at] = shading === "even" ? colours[90] : colours[Math.floor((255 * step) / last)];
      }
    }
    return { places, inks };
  }

  function table() {
    if (found.length === 0) return [];
    const of = (/** @type {(one: Answer) => string} */ show) => found.map(({ answer }) => show(answer));
    /** @type {[string, ...string[]][]} */
    const rows = [
      ["Cost", ...of(({ cost }) => (cost === null ? "no path" : grouped(cost)))],
      ["Roads on the path", ...of(({ steps }) => grouped(steps))],
      ["Junctions searched", ...of(({ expanded }) => grouped(expanded))],
      ["Stored distances added", ...of(({ compared }) => grouped(compared))],
      ["Share of the map", ...of(({ expanded, compared }) => `${((100 * Math.max(expanded, compared)) / map.nodes).toFixed(1)} %`)],
      ["Time", ...of(({ micros }) => duration(micros))],
      ["Index", ...of(({ indexBytes }) => size(indexBytes))],
      ["Built in", ...of(({ buildMillis }) => duration(1000 * buildMillis))],
    ];
    const forms = found.filter(({ answer }) => answer.form !== null)
      .map(({ engine, answer }) => element("p", { class: "lesson" }, `${engine}: ${answer.form}`));
    const none = found.some(({ answer }) => answer.cost === null)
      ? [element("p", { class: "lesson" }, "No road leads from the start to the goal: they are in separate parts, or one-way streets are in the way.")] : [];
    return [figures(found.map(({ engine }) => engine), rows), ...none, ...forms];
  }

  const shade = select([{ value: "order", title: "By order, dark first" }, { value: "even", title: "All alike" }], shading, (value) => {
    shading = value === "even" ? "even" : "order";
    store.remember({ "road-shading": shading === "even" ? "even" : null });
    draw();
  });
  place.append(
    element("div", { class: "stage" }, view.host),
    element("div", { class: "side" },
      about(),
      section("Engines", selects, progress, results, field("Shading", shade)),
      section("Network", figures([], [["Junctions", grouped(map.nodes)], ["Roads, each way", grouped(map.edges)], ["Memory", size(map.memory)]])),
      mapPanel(store)));
  const repaint = () => view.paintMap();
  store.addEventListener("theme", repaint);
  open();
  return () => {
    isOpen = false;
    store.removeEventListener("theme", repaint);
    view.close();
    connection.close();
  };
}
