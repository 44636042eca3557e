// @ts-check
// Thousands of agents with few goals, moved by paths, by flow fields, or by the GPU.

import { Agents, eachFrame } from "../../agents.js";
import { GridView } from "../../grid_view.js";
import { mapPanel } from "../../map_panel.js";
import { SERIES } from "../../palette.js";
import { RunningChart } from "../../running_chart.js";
import { nearestCell } from "../../store.js";
import {
  button, checkbox, duration, element, field, figures, grouped, lesson, progressBar, section, select, showError, slider,
} from "../../ui.js";
import { Connection } from "../../wire.js";
import { needsGrid } from "../../needs_grid.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../wire.js").Reply} Reply */

/** @type {import("../../main.js").View} */
export default { id: "crowds", title: "Crowds", mount };

const METHODS = [
  { value: "fields", title: "A flow field for each goal" },
  { value: "paths", title: "A path for each agent" },
  { value: "gpu-fields", title: "Flow fields on the GPU" },
  { value: "gpu-paths", title: "A batch of paths on the GPU" },
];

const ENGINES = [
  { value: "atlas", title: "atlas: looks paths up" },
  { value: "ppa", title: "ppa: tables of regions" },
  { value: "dhpa", title: "dhpa: clusters (paths slightly longer)" },
  { value: "differential", title: "differential: landmarks" },
  { value: "astar", title: "astar: no index" },
];

/** Milliseconds between two changes of all goals. */
const RENEWAL = 6000;

/** Agents stand beside each other within a cell, at one of so many places. */
const PLACES = 64;

/** @param {number} value @param {number} least @param {number} most */
function within(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/** @param {HTMLElement} host @param {Store} store */
function mount(host, store) {
  const connection = new Connection();
  const view = new GridView({ label: "The map with the crowd" });
  const scene = {
    method: METHODS.find(({ value }) => value === store.link.crowdsBy)?.value ?? "fields",
    engine: ENGINES.find(({ value }) => value === store.link.crowdsEngine)?.value ?? "atlas",
    agents: within(store.number("crowdsAgents", 5000), 100, 10000),
    goals: within(store.number("crowdsGoals", 4), 1, 8),
    speed: within(store.number("crowdsSpeed", 10), 1, 30),
    renews: store.link.crowdsRenew !== "no",
  };
  let agents = new Agents();
  /** The goal of each agent. @type {Uint8Array} */
  let targets = new Uint8Array(0);
  /** @type {Float32Array} */
  let places = new Float32Array(0);
  let isRunning = true;
  let isStepping = false;
  let isReady = false;
  let generation = 0;
  let nextStep = 0;
  let lastRenewal = 0;
  /** The step since which the present method moves the crowd. */
  let firstStep = 0;
  let drawTime = 0;
  let frames = 0;
  const offsets = Float32Array.from({ length: 2 * PLACES }, (_, at) => ((at * 0.618034 * (at % 2 ? 1 : 1.7)) % 1) * 0.7 - 0.35);

  const bar = progressBar(() => connection.cancel());
  const table = element("div");
  const chart = new RunningChart("Time per step", [{ title: "finding ways" }, { title: "moving" }, { title: "drawing a frame" }], duration);
  const status = element("p", { class: "status", role: "status" }, "Starting…");
  const reason = element("p", { class: "lesson" });

  const remember = () => store.remember({
    crowdsBy: scene.method, crowdsEngine: scene.engine, crowdsAgents: scene.agents, crowdsGoals: scene.goals,
    crowdsSpeed: scene.speed, crowdsRenew: scene.renews ? "" : "no",
  });
  const method = () => scene.method === "paths" ? { by: "paths", engine: { name: scene.engine } } : { by: scene.method };
  const title = () => METHODS.find(({ value }) => value === scene.method)?.title ?? "";

  /** Shows a reply. @param {Reply} reply */
  const take = ({ data, parts }) => {
    const map = store.grid;
    if (!map) return;
    agents.receive(parts.positions, map.width, 1000 / scene.speed);
    targets = parts.targets;
    if (places.length !== 2 * agents.count) places = new Float32Array(2 * agents.count);
    placeGoals(parts.goals);
    const drawing = frames ? (1000 * drawTime) / frames : 0;
    [drawTime, frames] = [0, 0];
    if (data.step > 0) chart.add([data.computeMicros, data.moveMicros, drawing]);
    const words = data.waiting > 0
      ? `${title()}: ${grouped(data.waiting)} of ${grouped(agents.count)} agents do not know their way yet`
      : `${title()}: all ${grouped(agents.count)} agents know their way`;
    if (status.textContent !== words) status.textContent = words;
    status.dataset.state = data.waiting > 0 ? "behind" : "ready";
    // Some agents arrive in every step; searches for many tell more.
    if (data.fields > 0 || data.paths >= agents.count / 10 || (data.paths > 0 && !computed)) computed = data;
    if (data.step % 5 === 0) showTable(data, drawing);
    Object.assign(host.dataset, {
      step: data.step, since: data.step - firstStep, waiting: data.waiting, by: scene.method, settled: "true",
    });
  };

  /** The last reply with fields or many paths. @type {any} */
  let computed = null;
  /** @param {any} data @param {number} drawing */
  const showTable = (data, drawing) => {
    const what = computed?.fields ? `${grouped(computed.fields)} fields` : `${grouped(computed?.paths ?? 0)} paths`;
    table.replaceChildren(figures([], [
      ["Last search for many", computed ? what : "–"],
      ["Its time", computed ? duration(computed.computeMicros) : "–"],
      ["For each agent", computed ? duration(computed.computeMicros / Math.max(computed.paths || agents.count, 1)) : "–"],
      ["Moving all agents", duration(data.moveMicros)],
      ["Drawing a frame", drawing ? duration(drawing) : "–"],
      ["Goals reached", grouped(data.arrivals)],
    ]));
  };

  /** @param {Uint32Array} goals */
  const placeGoals = (goals) => {
    const map = store.grid;
    if (!map) return;
    while (view.handles.length > goals.length) view.removeHandle(view.handles[view.handles.length - 1]);
    goals.forEach((cell, at) => {
      const handle = view.handles[at];
      if (handle) {
        if (!handle.element.matches(":active")) handle.cell = cell;
        return;
      }
      view.addHandle({
        label: `Goal ${at + 1}`, colour: SERIES[at], shape: "diamond", cell,
        snap: (moved) => nearestCell(map, moved, (one) => map.cells[one] > 0),
        onMove: (moved) => {
          const free = nearestCell(map, moved, (one) => map.cells[one] > 0);
          const now = view.handles.map((other) => nearestCell(map, other.cell, (one) => map.cells[one] > 0));
          now[at] = free;
          lastRenewal = performance.now();
          store.remember({ crowdsAt: now.join(".") });
          connection.latest("goals", () =>
            connection.ask({ topic: "crowds", do: "goals" }, { parts: { goals: Uint32Array.from(now) } }).then(() => {}).catch(showError));
        },
      });
    });
  };

  /** The goals of the link, if they fit the map. @param {import("../../store.js").GridMap} map */
  const goalsOfLink = (map) => {
    const cells = (store.link.crowdsAt ?? "").split(".").map(Number);
    return cells.length === scene.goals && cells.every((cell) => map.cells[cell] > 0) ? cells : null;
  };

  /**
   * Runs long work with a progress bar, while the crowd rests.
   * @param {import("../../wire.js").Header} header
   * @param {{ [name: string]: import("../../wire.js").Numbers }} [parts]
   */
  const long = async (header, parts) => {
    const mine = ++generation;
    isReady = false;
    isStepping = false;
    host.dataset.settled = "false";
    status.textContent = "Preparing…";
    try {
      const reply = await connection.ask({ topic: "crowds", map: store.choice, method: method(), ...header }, { parts, onProgress: bar.show });
      if (mine !== generation) return;
      computed = null;
      chart.clear();
      firstStep = reply.data.step;
      take(reply);
      isReady = true;
    } catch (error) {
      if (mine !== generation) return;
      showError(error);
      if (scene.method === "fields") {
        status.textContent = "This map cannot be used here. Choose another one.";
        host.dataset.settled = "true";
        return;
      }
      // A build that failed or was cancelled.
      scene.method = "fields";
      chooser.value = "fields";
      showMethod();
      start();
    } finally {
      if (mine === generation) bar.hide();
    }
  };

  const start = () => {
    for (const handle of [...view.handles]) view.removeHandle(handle);
    const map = store.grid;
    stage.replaceChildren(map ? view.host : needsGrid(store, "The agents of this view walk from cell to cell, and a road network has none."));
    if (!map) {
      generation += 1;
      isReady = false;
      status.textContent = "Choose a grid to begin.";
      host.dataset.settled = "true";
      return;
    }
    view.setMap(map);
    view.draw("crowd", draw);
    agents = new Agents();
    lastRenewal = performance.now();
    const given = goalsOfLink(map);
    if (!given) store.remember({ crowdsAt: "" });
    long({ do: "start", agents: scene.agents, goals: scene.goals, seed: 1 }, given ? { goals: Uint32Array.from(given) } : undefined);
  };

  const frame = (/** @type {number} */ now) => {
    if (isReady && isRunning && !isStepping && now >= nextStep) {
      const mine = generation;
      isStepping = true;
      nextStep = Math.max(nextStep + 1000 / scene.speed, now);
      const renew = scene.renews && now - lastRenewal > RENEWAL;
      if (renew) lastRenewal = now;
      connection.ask({ topic: "crowds", do: "step", renew }).then((reply) => {
        if (mine === generation) take(reply);
      }).catch((error) => {
        if (mine !== generation) return;
        isRunning = false;
        showError(error);
      }).finally(() => {
        if (mine === generation) isStepping = false;
      });
    }
    if (!isReady) return;
    const before = performance.now();
    view.render();
    drawTime += performance.now() - before;
    frames += 1;
  };

  /** @type {import("../../grid_view.js").Drawing} */
  const draw = (context, { camera }) => {
    agents.positions(performance.now(), places);
    const side = Math.max(0.55, 2.2 / camera.zoom);
    const half = side / 2;
    for (let goal = 0; goal < scene.goals; goal++) {
      context.fillStyle = SERIES[goal];
      for (let agent = 0; agent < targets.length; agent++) {
        if (targets[agent] !== goal) continue;
        const place = 2 * (agent % PLACES);
        context.fillRect(places[2 * agent] + offsets[place] - half, places[2 * agent + 1] + offsets[place + 1] - half, side, side);
      }
    }
  };

  const showMethod = () => {
    engines.hidden = scene.method !== "paths";
    remember();
  };
  const chooser = select(METHODS, scene.method, (value) => {
    scene.method = value;
    showMethod();
    long({ do: "method" });
  });
  const engines = field("Engine", select(ENGINES, scene.engine, (value) => {
    scene.engine = value;
    remember();
    long({ do: "method" });
  }));
  let restart = 0;
  const restartSoon = () => {
    remember();
    clearTimeout(restart);
    restart = window.setTimeout(start, 250);
  };
  const count = slider("Agents", { least: 100, most: 10000, value: scene.agents, step: 100 }, (value) => {
    scene.agents = value;
    restartSoon();
  });
  const goals = slider("Goals", { least: 1, most: 8, value: scene.goals }, (value) => {
    scene.goals = value;
    restartSoon();
  });
  const speed = slider("Steps a second", { least: 1, most: 30, value: scene.speed }, (value) => {
    scene.speed = value;
    remember();
  });
  const renew = checkbox(`New goals every ${RENEWAL / 1000} seconds`, scene.renews, (isOn) => {
    scene.renews = isOn;
    lastRenewal = performance.now();
    remember();
  });
  const play = button("Pause", () => {
    isRunning = !isRunning;
    play.textContent = isRunning ? "Pause" : "Play";
  });
  const stage = element("div", { class: "stage" }, view.host);
  host.append(element("div", { class: "view" },
    element("div", { class: "stage-and-badge" }, stage, element("div", { class: "badge" }, status)),
    element("div", { class: "side" },
      lesson("Many agents, few goals",
        "Each agent walks to the goal of its colour, then to the next one. Drag a goal: all who are on their way there need a new way at once."),
      section("Method", field("Agents find their ways by", chooser), engines, reason, bar, element("div", { class: "row" }, play)),
      section("Time per frame", chart.host, table),
      section("Crowd", count, goals, speed, renew),
      lesson("When each method wins",
        "A flow field is one search from the goal over the whole map, after which every agent only looks up its next step. It costs the same for ten agents and for ten thousand, so it wins when many share few goals.",
        "Single paths cost a query for each agent, on all cores. With an index such as atlas that is microseconds, and it wins when there are few agents, many different goals, or a large map of which little is walked. With plain A* you see agents wait for their paths.",
        "A GPU finds thousands of paths in one batch, or the field and all steps without leaving the device. It pays for large crowds; small ones do not fill it."),
      mapPanel(store))));

  connection.ask({ topic: "crowds", do: "devices" }).then(({ data }) => {
    const { gpu, cores } = data;
    for (const option of chooser.options) {
      option.disabled = option.value.startsWith("gpu") && !gpu.name;
    }
    host.dataset.gpu = gpu.name ?? "none";
    reason.textContent = gpu.name
      ? `${cores} cores; GPU: ${gpu.name}.`
      : `${cores} cores. The GPU cannot be chosen: ${gpu.reason}.`;
    if (!gpu.name && scene.method.startsWith("gpu")) {
      scene.method = "fields";
      chooser.value = "fields";
    }
    showMethod();
    start();
  }).catch(showError);

  const repaint = () => view.paintMap();
  const stopFrames = eachFrame(frame);
  store.addEventListener("map", start);
  store.addEventListener("theme", repaint);
  showMethod();
  return () => {
    store.removeEventListener("map", start);
    store.removeEventListener("theme", repaint);
    stopFrames();
    clearTimeout(restart);
    generation += 1;
    view.close();
    connection.close();
    for (const key of ["settled", "step", "since", "waiting", "by", "gpu"]) delete host.dataset[key];
  };
}
