// @ts-check
// A map that is painted while agents walk on it.

import { GridView } from "../../grid_view.js";
import { dropFiles, mapPanel } from "../../map_panel.js";
import { INK } from "../../palette.js";
import { RunningChart } from "../../running_chart.js";
import {
  button, checkbox, duration, element, field, figures, grouped, lesson, notice, progressBar, section, select, showError, slider,
} from "../../ui.js";
import { Connection } from "../../wire.js";
import { needsGrid } from "../../needs_grid.js";
import { EditsWorld } from "./world.js";

/** @typedef {import("../../store.js").Store} Store */

/** @type {import("../../main.js").View} */
export default { id: "edits", title: "Edits", mount };

const ENGINES = [
  { value: "atlas", title: "atlas: labels that go stale and are renewed" },
  { value: "atlas-climb", title: "atlas-climb: regions, without labels" },
  { value: "ppa", title: "ppa: tables of regions" },
  { value: "hpa", title: "hpa: clusters (paths slightly longer)" },
  { value: "dhpa", title: "dhpa: clusters with stored ways" },
  { value: "differential", title: "differential: landmarks" },
  { value: "bidirectional", title: "bidirectional: no index" },
  { value: "astar", title: "astar: no index" },
];

const FOLLOWS = [
  { value: "auto", title: "Inside the edit, if that is fast" },
  { value: "at-once", title: "Always inside the edit" },
  { value: "behind", title: "Always in the background" },
];

const TOOLS = [
  { value: "wall", title: "Wall" },
  { value: "door", title: "Door" },
  { value: "terrain", title: "Terrain" },
  { value: "move", title: "Move map" },
];

/** Milliseconds between two changes of doors. */
const RUSH = 600;

/** @param {{ value: string }[]} options @param {string | undefined} value */
function known(options, value) {
  return options.find((option) => option.value === value)?.value ?? options[0].value;
}

/** @param {number} value @param {number} least @param {number} most */
function within(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/** @param {HTMLElement} host @param {Store} store */
function mount(host, store) {
  const connection = new Connection();
  const view = new GridView({ label: "The map that is edited, with agents on it" });
  const scene = {
    engine: known(ENGINES, store.link.editsEngine),
    follow: known(FOLLOWS, store.link.editsFollow),
    agents: within(store.number("editsAgents", 120), 20, 500),
    speed: within(store.number("editsSpeed", 8), 1, 30),
    tool: known(TOOLS, store.link.editsTool),
    brush: within(store.number("editsBrush", 3), 1, 25),
    factor: 5,
  };
  const totals = { edits: 0, broken: 0, queries: 0, lastEdit: 0, lastQuery: 0, rebuilt: "", version: 0, waiting: 0 };
  const bar = progressBar(() => connection.cancel());
  const status = element("p", { class: "status", role: "status" }, "Starting…");
  const table = element("div");
  const editChart = new RunningChart("Time per edit", [{ title: "edit", colour: INK.portal }], duration);
  const queryChart = new RunningChart("Time per query", [{ title: "query", colour: INK.agent }], duration);
  const world = new EditsWorld(view, connection, shown);
  world.speed = scene.speed;
  /** What the world has. */
  let present = { engine: scene.engine, follow: scene.follow };
  let hasTerrain = false;
  let lastCell = -1;
  let rush = 0;

  const remember = () => store.remember({
    editsEngine: scene.engine, editsFollow: scene.follow, editsAgents: scene.agents, editsSpeed: scene.speed,
    editsTool: scene.tool, editsBrush: scene.brush,
  });

  /** Shows what a reply tells. @param {any} data @param {string} kind */
  function shown(data, kind) {
    const { engine } = data;
    hasTerrain = data.terrain;
    undo.disabled = data.undoable === 0;
    [totals.version, totals.waiting] = [data.version, data.waiting];
    if (data.editMicros !== null && data.changed > 0) {
      editChart.add([data.editMicros]);
      totals.edits += 1;
      totals.broken += data.broken;
      totals.lastEdit = data.editMicros;
    }
    if (data.answers > 0) {
      totals.lastQuery = data.planMicros / data.answers;
      totals.queries += data.answers;
      queryChart.add([totals.lastQuery]);
    }
    if (data.rebuiltAll) totals.rebuilt = "everything";
    else if (data.rebuiltParts > 0) totals.rebuilt = grouped(data.rebuiltParts);
    else if (data.changed > 0) totals.rebuilt = data.rebuiltParts === 0 ? "none" : "–";
    const words = engine.state === "ready"
      ? (engine.busy ? `${engine.name} answers, and is renewed in the background` : `${engine.name} answers`)
      : engine.state === "behind"
        ? `${engine.name} is being rebuilt; A* answers meanwhile`
        : `${engine.name} cannot be built for this map (${engine.reason}); A* answers instead`;
    if (status.textContent !== words) status.textContent = words;
    status.dataset.state = engine.busy && engine.state === "ready" ? "busy" : engine.state;
    if (kind !== "step" || data.step % 4 === 0) showTotals();
    Object.assign(host.dataset, {
      step: data.step, version: data.version, terrain: data.terrain, engine: engine.state, broken: totals.broken,
    });
    if (data.changed > 0) host.dataset.rebuilt = String(data.rebuiltParts ?? 0);
    // Once this reply is no longer under way.
    setTimeout(() => { host.dataset.settled = String(world.isSettled); });
  }

  function showTotals() {
    table.replaceChildren(figures([], [
      ["Last edit, with the engine", totals.edits ? duration(totals.lastEdit) : "–"],
      ["Regions rebuilt by it", totals.rebuilt || "–"],
      ["Paths broken, all together", grouped(totals.broken)],
      ["Time per path", totals.queries ? duration(totals.lastQuery) : "–"],
      ["Paths found", grouped(totals.queries)],
      ["Agents without a path", grouped(totals.waiting)],
      ["Edits so far", grouped(totals.edits)],
    ]));
  }

  const watched = { onProgress: bar.show };
  /** Runs long work with a progress bar. @param {() => Promise<any>} work */
  const long = async (work) => {
    host.dataset.settled = "false";
    try {
      return await work();
    } finally {
      bar.hide();
    }
  };

  const start = async () => {
    for (const handle of [...view.handles]) view.removeHandle(handle);
    const map = store.grid;
    stage.replaceChildren(map ? view.host : needsGrid(store, "Walls and doors are painted cell by cell, and a road network has none."));
    if (!map) {
      status.textContent = "Choose a grid to begin.";
      host.dataset.settled = "true";
      return;
    }
    world.begin(map);
    Object.assign(totals, { edits: 0, broken: 0, queries: 0, lastEdit: 0, lastQuery: 0, rebuilt: "" });
    editChart.clear();
    queryChart.clear();
    addBrushHandle(map);
    if (scene.tool === "terrain") setTool("wall");
    const generation = world.generation;
    status.textContent = `Building ${scene.engine}…`;
    try {
      const { engine, follow, agents } = scene;
      await long(() => world.ask({ do: "start", map: store.choice, engine: { name: engine }, follow, agents, seed: 1 }, watched));
      present = { engine, follow };
    } catch (error) {
      if (generation !== world.generation) return;
      showError(error);
      if (scene.engine === "astar") {
        status.textContent = "This map cannot be edited here. Choose another one.";
        host.dataset.settled = "true";
        return;
      }
      // A map that this engine cannot take, or a build that was cancelled.
      scene.engine = "astar";
      chooser.value = "astar";
      start();
    }
  };

  const change = (/** @type {import("../../wire.js").Header} */ header) => {
    remember();
    return long(() => world.ask(header, watched)).catch((error) => {
      showError(error);
      host.dataset.settled = "true";
    });
  };
  const setEngine = async () => {
    const { engine, follow } = scene;
    status.textContent = `Building ${engine}…`;
    try {
      await long(() => world.ask({ do: "engine", engine: { name: engine }, follow }, watched));
      present = { engine, follow };
    } catch (error) {
      // The world still has the last one.
      showError(error);
      Object.assign(scene, present);
      [chooser.value, followers.value] = [scene.engine, scene.follow];
    }
    remember();
  };

  /** The value that the tool paints on a cell; -1 leaves it. @param {number} cell */
  const valueAt = (cell) => {
    const present = world.map?.cells[cell] ?? 0;
    if (scene.tool === "wall") return 0;
    if (scene.tool === "door") return present === 0 ? 1 : present;
    return present === 0 ? -1 : scene.factor;
  };

  /** Paints with the brush around a cell. @param {number} cell */
  const dab = (cell) => {
    const { map } = world;
    if (!map) return;
    const [x, y] = [cell % map.width, Math.floor(cell / map.width)];
    const [low, high] = [Math.floor((scene.brush - 1) / 2), Math.floor(scene.brush / 2)];
    const radius = scene.brush / 2;
    for (let dy = -low; dy <= high; dy++) {
      for (let dx = -low; dx <= high; dx++) {
        const [cx, cy] = [x + dx, y + dy];
        if (cx < 0 || cy < 0 || cx >= map.width || cy >= map.height) continue;
        const shift = scene.brush % 2 ? 0 : 0.5;
        if (scene.brush > 3 && Math.hypot(dx - shift, dy - shift) > radius) continue;
        const value = valueAt(cy * map.width + cx);
        if (value >= 0) world.paint(cy * map.width + cx, value);
      }
    }
    host.dataset.settled = "false";
  };

  /** Paints a line from the last cell. @param {number} cell @param {boolean} isFirst */
  const paint = (cell, isFirst) => {
    const width = world.map?.width ?? 1;
    if (isFirst) world.stroke += 1;
    const from = isFirst || lastCell < 0 ? cell : lastCell;
    lastCell = cell;
    if (scene.tool === "terrain" && !hasTerrain) {
      notice("The map is being prepared for terrain; paint again in a moment.");
      return;
    }
    const [x, y] = [from % width, Math.floor(from / width)];
    const [dx, dy] = [(cell % width) - x, Math.floor(cell / width) - y];
    const steps = Math.max(Math.abs(dx), Math.abs(dy), 1);
    for (let step = from === cell ? steps : 1; step <= steps; step++) {
      dab(Math.round(y + (dy * step) / steps) * width + Math.round(x + (dx * step) / steps));
    }
  };

  /** A brush for the keyboard, seen while it has the focus. @param {import("../../store.js").GridMap} map */
  const addBrushHandle = (map) => {
    const cell = Math.floor(map.height / 2) * map.width + Math.floor(map.width / 2);
    const handle = view.addHandle({ label: "Brush; Enter paints", colour: INK.portal, shape: "square", cell, onMove: outline });
    handle.element.classList.add("on-focus");
    handle.element.addEventListener("click", () => paint(handle.cell, true));
  };

  /** Draws the outline of the brush. @param {number} cell */
  const outline = (cell) => {
    if (cell < 0 || scene.tool === "move") {
      view.draw("brush", null);
      return;
    }
    view.draw("brush", (context, { map, camera }) => {
      if (!map) return;
      const low = Math.floor((scene.brush - 1) / 2);
      context.strokeStyle = INK.portal;
      context.lineWidth = 2 / camera.zoom;
      context.strokeRect((cell % map.width) - low, Math.floor(cell / map.width) - low, scene.brush, scene.brush);
    });
  };

  const setTool = async (/** @type {string} */ tool) => {
    scene.tool = tool;
    remember();
    view.onPaint = tool === "move" ? null : paint;
    view.canvas.style.cursor = tool === "move" ? "grab" : "crosshair";
    factor.hidden = tool !== "terrain";
    brush.hidden = tool === "move";
    for (const one of tools) one.setAttribute("aria-pressed", String(one.dataset.tool === tool));
    if (tool === "terrain" && !hasTerrain && world.isReady) {
      await change({ do: "terrain" });
      notice(`The map now has terrain, and ${scene.engine} was built for it.`);
    }
  };

  const tools = TOOLS.map(({ value, title }) => button(title, () => setTool(value), { "data-tool": value }));
  const brush = slider("Brush", { least: 1, most: 25, value: scene.brush, unit: " cells" }, (value) => {
    scene.brush = value;
    remember();
  });
  const factor = slider("A step there costs", { least: 2, most: 9, value: scene.factor, unit: " times" }, (value) => { scene.factor = value; });
  const undo = button("Undo", () => change({ do: "undo" }), { id: "undo" });
  const clear = button("Clear", () => change({ do: "clear" }), { title: "Makes the map as it was" });
  const play = button("Pause", () => {
    world.isRunning = !world.isRunning;
    play.textContent = world.isRunning ? "Pause" : "Play";
  });
  const chooser = select(ENGINES, scene.engine, (value) => {
    scene.engine = value;
    setEngine();
  });
  const followers = select(FOLLOWS, scene.follow, (value) => {
    scene.follow = value;
    setEngine();
  });
  const agents = slider("Agents", { least: 20, most: 500, value: scene.agents, step: 10 }, (value) => {
    scene.agents = value;
    connection.latest("agents", () => change({ do: "agents", agents: scene.agents }));
  });
  const speed = slider("Steps a second", { least: 1, most: 30, value: scene.speed }, (value) => {
    [scene.speed, world.speed] = [value, value];
    remember();
  });
  const rushHour = checkbox("Rush hour: doors shut and open by themselves", false, (isOn) => {
    clearInterval(rush);
    rush = isOn ? window.setInterval(() => {
      if (world.isReady && world.isRunning && !document.hidden) connection.latest("doors", () => world.ask({ do: "doors", count: 3 }).then(() => {}).catch(showError));
    }, RUSH) : 0;
  });
  const showPaths = checkbox("Show paths", true, (isOn) => {
    world.showsPaths = isOn;
    world.pathsAreStale = true;
  });
  const hand = button("Use this map in all views", async () => {
    try {
      const { parts } = await connection.ask({ topic: "edits", do: "export" });
      await dropFiles(store, [new File([parts.file], "edited.map")]);
      notice("All views now show the edited map.");
    } catch (error) {
      showError(error);
    }
  });
  const stage = element("div", { class: "stage" }, view.host);
  const badge = element("div", { class: "badge" }, status);
  host.append(element("div", { class: "view" },
    element("div", { class: "stage-and-badge" }, stage, badge),
    element("div", { class: "side" },
      lesson("Maps that change",
        "Draw a wall in front of the agents. Every path that it cuts turns red and is found again at once; all others stay valid and are not touched."),
      section("Paint",
        element("div", { class: "row", role: "group", "aria-label": "Tool" }, ...tools), brush, factor,
        element("div", { class: "row" }, undo, clear, play), rushHour),
      section("Engine", field("Finds the paths", chooser), field("Follows edits", followers), bar),
      section("What it takes", editChart.host, queryChart.host, table),
      section("Agents", agents, speed, showPaths),
      lesson("Why it stays fast",
        "A precomputed index describes the old map. An engine that follows edits repairs only what the edit can have changed: orange areas are the regions that were rebuilt, dark cells are the crossings between them.",
        "If that takes long, it happens in the background, and plain A* answers meanwhile, slower but never wrong. The line over the map says who answers.",
        "Compare A*, whose edits cost nothing and whose queries are slow, with atlas or ppa. Terrain makes steps dearer, so a path may break without any wall: its cost is no longer right."),
      section("This map", element("p", { class: "lesson" }, "You paint a copy that belongs to this view."), element("div", { class: "row" }, hand)),
      mapPanel(store))));
  const repaint = () => { [world.mapIsStale, world.pathsAreStale] = [true, true]; };
  view.onHover = outline;
  store.addEventListener("map", start);
  store.addEventListener("theme", repaint);
  setTool(scene.tool === "terrain" ? "wall" : scene.tool);
  showTotals();
  start();
  return () => {
    store.removeEventListener("map", start);
    store.removeEventListener("theme", repaint);
    clearInterval(rush);
    world.close();
    view.close();
    connection.close();
    for (const key of ["settled", "step", "version", "terrain", "engine", "broken", "rebuilt"]) delete host.dataset[key];
  };
}
