// @ts-check
// One search, or two beside each other: drag the ends, choose the engines, play the steps.
//
// `search_pane.js` is one engine on the map, `search_player.js` the slider over the steps.

import { Camera } from "../../grid_view.js";
import { mapPanel } from "../../map_panel.js";
import { needsGrid } from "../../needs_grid.js";
import { INK, styleAt } from "../../palette.js";
import { SharedHandle } from "../../shared_handle.js";
import { distantCells, nearestCell } from "../../store.js";
import { checkbox, duration, element, field, grouped, lesson, liveFigures, section, showError, size, slider } from "../../ui.js";
import { Connection } from "../../wire.js";
import { FRONTIER, Pane } from "./pane.js";
import { Player } from "./player.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {{ name: string, summary: string, exact: boolean, unsupported: string | null, settings: string[] }} Offered */

/** @type {import("../../main.js").View} */
export default { id: "search", title: "Search", mount };

const ROWS = ["Length", "Cells on the path", "Nodes expanded", "Nodes generated", "Time", "Time to build", "Memory of the index", "Always the shortest"];

/** The settings of engines: labels, ranges and defaults. */
const SETTINGS = [
  { name: "memory", label: "Memory limit", least: 1, most: 1024, value: 256, unit: " MiB" },
  { name: "landmarks", label: "Landmarks", least: 1, most: 32, value: 8, unit: "" },
  { name: "cluster", label: "Cells along a cluster", least: 4, most: 64, value: 10, unit: "" },
];

/** Nothing was dragged for so long: time is measured well, and the link is written. */
const SETTLE_MILLISECONDS = 200;

/** @param {HTMLElement} host @param {Store} store */
function mount(host, store) {
  const connection = new Connection();
  const camera = new Camera();
  const stage = element("div", { class: "stage" });
  const figures = liveFigures(ROWS);
  const forms = element("div", {});
  const player = new Player(store.link.step ? store.number("step", 0) : null, showStep);
  /** Engines by name. @type {Map<string, Offered>} */
  let offered = new Map();
  /** The chosen engines; the second may be absent. */
  const names = [store.link.a ?? store.link.engine ?? "astar", store.link.b ?? ""];
  const chosen = Object.fromEntries(SETTINGS.map(({ name, least, most, value }) =>
    [name, Math.min(Math.max(store.number(name, value), least), most)]));
  /** @type {Pane[]} */
  let panes = [];
  /** @type {SharedHandle[]} */
  let handles = [];
  let ends = [0, 0];
  let settling = 0;
  let isMounted = true;

  /** @param {string} name */
  function engineOf(name) {
    /** @type {{ name: string, [setting: string]: any }} */
    const engine = { name };
    for (const setting of offered.get(name)?.settings ?? []) engine[setting] = chosen[setting];
    return engine;
  }

  /** Asks all engines. @param {boolean} measure */
  function run(measure) {
    delete host.dataset.settled;
    clearTimeout(settling);
    const asked = panes.map((pane, at) => {
      const unsupported = offered.get(names[at])?.unsupported;
      if (unsupported) {
        pane.clear();
        pane.turnTo("");
        pane.say(`${names[at]} does not work here: ${unsupported}`);
        update();
        return Promise.resolve();
      }
      return pane.ask({ map: store.choice, engine: engineOf(names[at]), from: ends[0], to: ends[1], measure });
    });
    if (measure) {
      Promise.all(asked).then(() => { host.dataset.settled = "true"; });
    } else {
      settling = setTimeout(settle, SETTLE_MILLISECONDS);
    }
  }

  function settle() {
    remember();
    run(true);
  }

  function remember() {
    const used = new Set(names.flatMap((name) => offered.get(name)?.settings ?? []));
    store.remember({
      from: ends[0], to: ends[1], a: names[0], b: names[1], engine: null, step: player.step,
      ...Object.fromEntries(SETTINGS.map(({ name, value }) => [name, used.has(name) && chosen[name] !== value ? chosen[name] : null])),
      frontier: frontier.input.checked ? null : 0,
    });
  }

  /** Shows what the panes have found. */
  function update() {
    player.setTotal(Math.max(...panes.map((pane) => pane.steps), 0));
    for (const pane of panes) pane.show(player.step ?? Infinity);
    const lengths = panes.flatMap((pane) => pane.found?.length ?? []);
    panes.forEach((pane, at) => {
      pane.view.caption.hidden = false;
      pane.view.caption.textContent = names[at];
      figures.set(at, rowsOf(pane.found, Math.min(...lengths)));
    });
    forms.replaceChildren(...panes.flatMap((pane, at) => {
      const form = pane.found?.form;
      return form ? [element("p", { class: "engine-note" }, `${names[at]} chose: ${form}`)] : [];
    }));
  }

  /** @param {number} step @param {boolean} isPlaying */
  function showStep(step, isPlaying) {
    for (const pane of panes) pane.show(player.step === null ? Infinity : step);
    if (!isPlaying) {
      clearTimeout(settling);
      settling = setTimeout(remember, SETTLE_MILLISECONDS);
    }
  }

  /** Makes a pane for each engine. */
  function arrange() {
    const count = names[1] ? 2 : 1;
    while (panes.length > count) panes.pop()?.close();
    while (panes.length < count) panes.push(new Pane(camera, update));
    stage.classList.toggle("two", count === 2);
    stage.replaceChildren(...panes.map((pane) => pane.view.host));
    figures.setColumns(names.slice(0, count));
    const map = store.grid;
    if (!map) return;
    for (const pane of panes) {
      pane.hasFrontier = frontier.input.checked;
      if (pane.view.map !== map) pane.view.setMap(map);
      pane.clear();
    }
    update();
    for (const handle of handles) handle.remove();
    const snap = (/** @type {number} */ cell) => nearestCell(map, cell, (other) => map.cells[other] > 0);
    const moved = (/** @type {0 | 1} */ which) => (/** @type {number} */ cell) => {
      ends[which] = cell;
      run(false);
    };
    const views = panes.map((pane) => pane.view);
    handles = [
      new SharedHandle(views, { label: "Start", colour: INK.start, shape: "circle", cell: ends[0], snap, onMove: moved(0) }),
      new SharedHandle(views, { label: "Goal", colour: INK.goal, shape: "cross", cell: ends[1], snap, onMove: moved(1) }),
    ];
  }

  /** Begins with another map. */
  async function show() {
    const map = store.grid;
    player.pause();
    if (!map) {
      for (const handle of handles) handle.remove();
      handles = [];
      for (const pane of panes) {
        pane.clear();
        pane.turnTo("");
      }
      update();
      stage.classList.remove("two");
      stage.replaceChildren(needsGrid(store, "This view colours the cells of grids. Searches on roads have a view of their own, where the map can be panned and zoomed."));
      host.dataset.settled = "true";
      return;
    }
    delete host.dataset.settled;
    const isEnd = (/** @type {number} */ cell) => map.cells[cell] > 0;
    const linked = [store.number("from", -1), store.number("to", -1)];
    ends = linked.every(isEnd) ? linked : distantCells(map);
    try {
      const { data } = await connection.ask({ topic: "search", do: "engines", map: store.choice });
      if (!isMounted || store.grid !== map) return;
      offered = new Map(data.map((/** @type {Offered} */ engine) => [engine.name, engine]));
    } catch (error) {
      showError(error);
      return;
    }
    names[0] = offered.has(names[0]) ? names[0] : "astar";
    names[1] = offered.has(names[1]) ? names[1] : "";
    choosers.forEach((chooser, at) => fillChooser(chooser, at, names[at]));
    list.replaceChildren(...described());
    arrange();
    chose();
  }

  /** After the choice of engines or their settings. */
  function chose() {
    remember();
    const used = new Set(names.flatMap((name) => offered.get(name)?.settings ?? []));
    SETTINGS.forEach(({ name }, at) => { settings[at].hidden = !used.has(name); });
    names.forEach((name, at) => { notes[at].textContent = offered.get(name)?.summary ?? ""; });
    run(true);
  }

  /** @param {HTMLSelectElement} chooser @param {number} at @param {string} name */
  function fillChooser(chooser, at, name) {
    const group = (/** @type {string} */ label, /** @type {boolean} */ exact) => {
      const members = [...offered.values()].filter((engine) => engine.exact === exact);
      const options = members.map((engine) =>
        element("option", { value: engine.name }, engine.unsupported ? `${engine.name} (not on this map)` : engine.name));
      return element("optgroup", { label }, ...options);
    };
    chooser.replaceChildren();
    if (at === 1) chooser.append(element("option", { value: "" }, "nothing"));
    chooser.append(group("Exact: always a shortest path", true), group("Nearly exact: faster, paths a little longer", false));
    chooser.value = name;
  }

  function described() {
    return [...offered.values()].flatMap(({ name, summary, exact, unsupported }) => [
      element("dt", {}, name),
      element("dd", {}, `${summary}${exact ? "" : " (nearly exact)"}${unsupported ? `. Not on this map: ${unsupported}` : ""}`),
    ]);
  }

  const choosers = [0, 1].map((at) => {
    const chooser = element("select", {
      onchange: () => {
        const had = names[1] !== "";
        names[at] = chooser.value;
        const map = store.grid;
        if (map && (had !== (names[1] !== ""))) arrange();
        else figures.setColumns(names.slice(0, panes.length));
        for (const pane of panes) if (pane.found?.engine !== names[panes.indexOf(pane)]) pane.clear();
        update();
        chose();
      },
    });
    return chooser;
  });
  const notes = [0, 1].map(() => element("p", { class: "engine-note" }));
  const settings = SETTINGS.map(({ name, label, least, most, unit }) =>
    slider(label, { least, most, value: chosen[name], unit }, (value) => {
      chosen[name] = value;
      clearTimeout(settling);
      // A build for every position of the slider would take too long.
      settling = setTimeout(chose, SETTLE_MILLISECONDS);
    }));
  const frontier = checkbox("Show the frontier: cells that wait to be expanded", store.link.frontier !== "0", (checked) => {
    for (const pane of panes) {
      pane.hasFrontier = checked;
      pane.repaint(player.step ?? Infinity);
    }
    remember();
  });
  const list = element("dl", { class: "engine-list" });

  host.append(element("div", { class: "view" },
    stage,
    element("div", { class: "side" },
      lesson("What a search touches",
        "Drag the orange start and the violet cross, or focus them and use the arrow keys. Blue cells were expanded: the search looked at all their neighbours, at dark ones first.",
        "An engine with an index stored distances before, which takes time and memory, and then expands few cells or none. Choose a second engine to compare, and press Play: both expand cells at the same pace."),
      section("Engines", field("Engine", choosers[0]), notes[0], field("Beside it", choosers[1]), notes[1], ...settings,
        element("details", {}, element("summary", {}, "All engines"), list)),
      section("What it took", figures, forms),
      section("Step by step", player.element, frontier, legend()),
      mapPanel(store))));

  const onMap = () => {
    store.remember({ from: null, to: null, step: null });
    player.step = null;
    show();
  };
  const repaint = () => {
    for (const pane of panes) pane.view.paintMap();
  };
  store.addEventListener("map", onMap);
  store.addEventListener("theme", repaint);
  show();
  return () => {
    isMounted = false;
    delete host.dataset.settled;
    clearTimeout(settling);
    player.pause();
    store.removeEventListener("map", onMap);
    store.removeEventListener("theme", repaint);
    for (const pane of panes) pane.close();
    connection.close();
  };
}

/** @param {any} found @param {number} shortest of all panes */
function rowsOf(found, shortest) {
  if (!found) return ROWS.map(() => "");
  const longer = found.length === null ? 0 : found.length / shortest - 1;
  const length = found.length === null ? "no path" : found.length.toFixed(2);
  return [
    longer > 1e-9 ? `${length} (+${(100 * longer).toFixed(longer < 0.001 ? 3 : 1)} %)` : length,
    grouped(found.steps + 1),
    grouped(found.expanded),
    grouped(found.generated),
    found.measured ? duration(found.micros) : `about ${duration(found.micros)}`,
    found.indexBytes ? duration(1e3 * found.buildMillis) : "none",
    found.indexBytes ? size(found.indexBytes) : "none",
    found.exact ? "yes" : "no",
  ];
}

function legend() {
  const colours = [0, 0.25, 0.5, 0.75, 1].map((share) => styleAt("blue", share)).join(", ");
  return element("div", { class: "legend" },
    element("div", { class: "bar-of-scale", style: `background: linear-gradient(to right, ${colours})` }),
    element("div", { class: "ends" }, element("span", {}, "expanded first"), element("span", {}, "expanded last")),
    element("div", { class: "keys" },
      element("span", {}, element("span", { class: "swatch", style: `background: rgb(${FRONTIER.join(" ")})` }), " frontier"),
      element("span", {}, element("span", { class: "swatch", style: `background: ${INK.path}` }), " path")));
}
