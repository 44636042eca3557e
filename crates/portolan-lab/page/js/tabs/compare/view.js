// @ts-check
// A benchmark on the present map: engines against each other in time and memory.

import { mapPanel } from "../../map_panel.js";
import {
  button, checkbox, duration, element, field, grouped, lesson, progressBar, section, select, showError, size,
} from "../../ui.js";
import { Connection } from "../../wire.js";
import { BenchChart } from "./chart.js";
import { command, csv, download, json } from "./export.js";

/** @typedef {import("../../store.js").Store} Store */
/**
 * The figures of an engine, as `portolan bench --json` prints them.
 * @typedef {object} Figures
 * @property {string} engine
 * @property {boolean} exact
 * @property {string | null} form
 * @property {number | null} build_s
 * @property {number} index_bytes
 * @property {number} queries
 * @property {number | null} mean_us
 * @property {number | null} median_us
 * @property {number | null} expanded_mean
 * @property {number | null} suboptimality_mean
 * @property {number | null} suboptimality_max
 */
/** @typedef {{ figures: Figures, wrong: number, faults: string[] }} Measured */
/** @typedef {{ name: string, summary: string, exact: boolean, unsupported: string | null }} Offered */
/** @typedef {{ queries: number, seed: number, memory: number }} Plan */

/** @type {import("../../main.js").View} */
export default { id: "compare", title: "Compare", mount };

/** Each column: its heading, the number it sorts by, and what it shows. @type {[string, (row: Measured) => number, (row: Measured) => string][]} */
const COLUMNS = [
  ["Build", ({ figures }) => figures.build_s ?? 0, ({ figures }) => time((figures.build_s ?? 0) * 1e6)],
  ["Index", ({ figures }) => figures.index_bytes, ({ figures }) => size(figures.index_bytes)],
  ["Mean time", ({ figures }) => figures.mean_us ?? 0, ({ figures }) => time(figures.mean_us)],
  ["Median time", ({ figures }) => figures.median_us ?? 0, ({ figures }) => time(figures.median_us)],
  ["Nodes expanded", ({ figures }) => figures.expanded_mean ?? 0, ({ figures }) => grouped(Math.round(figures.expanded_mean ?? 0))],
  ["Longer than shortest", ({ figures }) => figures.suboptimality_mean ?? 0, excess],
  ["Right answers", ({ wrong }) => -wrong, ({ figures, wrong }) => `${grouped(figures.queries - wrong)} of ${grouped(figures.queries)}`],
];

/** @param {number | null} micros */
function time(micros) {
  return micros === null ? "–" : duration(micros);
}

/** @param {Measured} row */
function excess({ figures }) {
  if (figures.exact) return "shortest";
  const percent = (/** @type {number | null} */ share) => `${((share ?? 0) * 100).toFixed(2)} %`;
  return `${percent(figures.suboptimality_mean)}, at most ${percent(figures.suboptimality_max)}`;
}

/** @param {HTMLElement} host @param {Store} store */
function mount(host, store) {
  const connection = new Connection();
  /** @type {Plan} */
  const plan = {
    queries: store.number("compare-queries", 100),
    seed: store.number("compare-seed", 1),
    memory: store.number("compare-memory", 128),
  };
  /** Engines that are not wanted. @type {Set<string>} */
  const unwanted = new Set((store.link["compare-without"] ?? "").split(".").filter(Boolean));
  /** @type {Offered[]} */
  let offered = [];
  /** @type {Measured[]} */
  let rows = [];
  /** @type {{ [kind: string]: string }} */
  let charts = {};
  let isRunning = false;
  /** The column that sorts; -1 for the order of the list. */
  let sortedBy = -1;
  let isDescending = false;
  let run = 0;

  const chart = new BenchChart();
  const progress = progressBar();
  const table = element("div", { class: "scrolling", tabindex: 0, role: "region", "aria-label": "Figures of all engines" });
  const log = element("ul", { class: "log" });
  const summary = element("p", { class: "lesson", role: "status" }, "");
  const kinds = [{ value: "mean", title: "Mean time per path" }, { value: "median", title: "Median time per path" }];
  const kind = select(kinds, "mean", () => drawChart());
  kind.setAttribute("aria-label", "Time shown");
  const start = button("Run the benchmark", () => measure(), { class: "primary" });
  const stop = button("Cancel", () => connection.cancel(), { hidden: true });
  const name = () => `portolan-bench-${plan.queries}-queries`;
  const all = () => rows.map(({ figures }) => figures);
  const exports = element("div", { class: "row" },
    button("CSV", () => download(`${name()}.csv`, "text/csv", csv(all())), { title: "All figures as a table" }),
    button("JSON", () => download(`${name()}.json`, "application/json", json(all())), { title: "As `portolan bench --json` prints it" }),
    button("SVG", () => download(`${name()}.svg`, "image/svg+xml", charts[kind.value]), { title: "The chart" }));
  const shell = element("code", { class: "command" });
  const results = element("div", { class: "results" },
    element("div", { class: "card" }, element("div", { class: "row" }, kind, element("span", { class: "quiet" }, "Download"), exports), chart.host,
      element("p", { class: "lesson" }, "Lower left is better. The line joins the exact engines that no other beats in both time and memory. ≈ marks engines whose paths may be longer than the shortest.")),
    element("div", { class: "card" }, table));
  results.hidden = true;
  const leftOut = element("div", { class: "card" }, element("h2", {}, "Log"), log);
  leftOut.hidden = true;

  const list = element("div", { class: "choices" });
  const number = (/** @type {keyof Plan} */ key, /** @type {string} */ label, /** @type {number} */ least, /** @type {number} */ most) => {
    const input = element("input", {
      type: "number", min: least, max: most, step: 1,
      onchange: () => {
        plan[key] = clamped(Number(input.value), least, most, plan[key]);
        input.value = String(plan[key]);
        store.remember({ [`compare-${key}`]: plan[key] });
        showCommand();
      },
    });
    plan[key] = clamped(plan[key], least, most, least);
    input.value = String(plan[key]);
    return field(label, input);
  };

  const chosen = () => offered.filter(({ name, unsupported }) => unsupported === null && !unwanted.has(name)).map(({ name }) => name);

  function showCommand() {
    shell.textContent = command(store, plan, chosen(), offered.filter(({ unsupported }) => unsupported === null).length);
    start.disabled = chosen().length === 0 || isRunning;
  }

  function rememberEngines() {
    store.remember({ "compare-without": [...unwanted].join(".") });
    showCommand();
  }

  function showEngines() {
    const supported = offered.filter(({ unsupported }) => unsupported === null);
    const boxes = supported.map(({ name, summary, exact }) => {
      const box = checkbox(exact ? name : `≈ ${name}`, !unwanted.has(name), (value) => {
        if (value) unwanted.delete(name);
        else unwanted.add(name);
        rememberEngines();
      });
      box.title = summary;
      return box;
    });
    const setAll = (/** @type {boolean} */ value) => {
      unwanted.clear();
      if (!value) supported.forEach(({ name }) => unwanted.add(name));
      boxes.forEach(({ input }) => { input.checked = value; });
      rememberEngines();
    };
    const others = offered.filter(({ unsupported }) => unsupported !== null);
    list.replaceChildren(
      element("div", { class: "row" }, button("All", () => setAll(true)), button("None", () => setAll(false))),
      element("div", { class: "columns", role: "group", "aria-label": "Engines to measure" }, ...boxes),
      others.length === 0 ? "" : element("details", {}, element("summary", {}, `${others.length} do not support this map`),
        element("ul", { class: "log" }, ...others.map(({ name, unsupported }) => element("li", {}, element("strong", {}, name), `: ${unsupported}`)))));
    showCommand();
  }

  /** Asks which engines support the map. What was measured on another one is gone. */
  async function open() {
    run += 1;
    const current = run;
    connection.cancel();
    setRunning(false);
    progress.hide();
    [rows, charts, offered] = [[], {}, []];
    summary.textContent = "";
    log.replaceChildren();
    leftOut.hidden = true;
    results.hidden = true;
    delete host.dataset.settled;
    try {
      const { data } = await connection.ask({ topic: "compare", do: "engines", map: store.choice });
      if (current !== run) return;
      offered = data.engines;
      showEngines();
      setRunning(false);
      host.dataset.settled = "listed";
    } catch (error) {
      showError(error);
    }
  }

  /** Runs the benchmark. Engines appear as they are measured. */
  async function measure() {
    run += 1;
    const current = run;
    [rows, charts] = [[], {}];
    log.replaceChildren();
    leftOut.hidden = true;
    summary.textContent = "";
    setRunning(true);
    progress.show({ phase: "Starting", done: 0, total: 1 });
    delete host.dataset.settled;
    let outcome = "measured";
    try {
      const { data } = await connection.ask(
        { topic: "compare", do: "run", map: store.choice, engines: chosen(), plan },
        { onProgress: (state) => current === run && progress.show(state), onEvent: ({ data }) => current === run && receive(data) });
      if (current !== run) return;
      summary.textContent = data.wrong === 0
        ? `${count(data.measured, "engine")} measured. All answers are right: every path was walked and compared with a reference search.`
        : `${count(data.measured, "engine")} measured. ${count(data.wrong, "answer")} wrong; see below.`;
    } catch (error) {
      if (current !== run) return;
      outcome = "cancelled";
      summary.textContent = `Stopped after ${count(rows.length, "engine")}.`;
      showError(error);
    } finally {
      if (current === run) {
        setRunning(false);
        progress.hide();
        host.dataset.settled = outcome;
      }
    }
  }

  /** @param {any} event */
  function receive(event) {
    if (event.event === "left-out") {
      note(event.engine, event.reason);
      return;
    }
    rows.push(event);
    charts = event.charts;
    for (const fault of event.faults) note(event.figures.engine, fault);
    results.hidden = false;
    drawChart();
    drawTable();
  }

  /** @param {string} engine @param {string} reason */
  function note(engine, reason) {
    leftOut.hidden = false;
    log.append(element("li", {}, element("strong", {}, engine), `: ${reason}`));
  }

  function drawChart() {
    if (charts[kind.value]) chart.show(charts[kind.value], all());
  }

  function drawTable() {
    const sorted = [...rows];
    const by = COLUMNS[sortedBy]?.[1];
    if (by) sorted.sort((a, b) => (isDescending ? by(b) - by(a) : by(a) - by(b)));
    const heads = COLUMNS.map(([title], at) => {
      const order = sortedBy === at ? (isDescending ? "descending" : "ascending") : "none";
      const sort = button(title, () => {
        isDescending = sortedBy === at && !isDescending;
        sortedBy = at;
        drawTable();
      }, { title: `Sort by ${title.toLowerCase()}` });
      return element("th", { scope: "col", "aria-sort": order }, sort);
    });
    const body = sorted.map((row) => {
      const { engine, exact, form } = row.figures;
      const line = element("tr", { class: row.wrong ? "wrong" : null, "data-engine": engine },
        element("th", { scope: "row", title: form }, exact ? engine : `≈ ${engine}`),
        ...COLUMNS.map(([, , show]) => element("td", { class: "number" }, show(row))));
      line.addEventListener("pointerenter", () => chart.light(engine));
      line.addEventListener("pointerleave", () => chart.light(null));
      return line;
    });
    table.replaceChildren(element("table", { class: "figures wide" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Engine"), ...heads)),
      element("tbody", {}, ...body)));
  }

  /** @param {boolean} value */
  function setRunning(value) {
    isRunning = value;
    stop.hidden = !value;
    start.disabled = value || chosen().length === 0;
    for (const made of exports.children) /** @type {HTMLButtonElement} */ (made).disabled = value;
  }

  host.append(element("div", { class: "view flowing" },
    element("div", { class: "stage" }, element("div", { class: "sheet" },
      element("div", { class: "card" }, element("div", { class: "row" }, start, stop), progress, summary),
      results, leftOut)),
    element("div", { class: "side" },
      lesson("Which engine suits this map?",
        "Every engine answers the same random queries on the present map. One that stores more usually answers faster, so the question is what you can afford: memory, time to build, time per path.",
        "Each query is timed three times for the full path and counts with its best time. Before that, every path is walked step by step and its cost compared with a plain search."),
      section("Queries", element("div", { class: "row" }, number("queries", "Number", 1, 10_000), number("seed", "Seed", 0, 4294967295)),
        number("memory", "Memory limit of an index in MiB", 1, 1024)),
      section("Engines", list),
      section("On the command line", shell),
      mapPanel(store))));
  store.addEventListener("map", open);
  open();
  return () => {
    run += 1;
    store.removeEventListener("map", open);
    connection.close();
  };
}

/** @param {number} value @param {number} least @param {number} most @param {number} otherwise */
function clamped(value, least, most, otherwise) {
  return Number.isFinite(value) ? Math.min(Math.max(Math.round(value), least), most) : otherwise;
}

/** @param {number} number @param {string} noun */
function count(number, noun) {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}
