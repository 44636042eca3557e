// @ts-check
// Landmarks: plain A* against A* with stored distances, and how good these distances are.
//
// `landmarks_scene.js` has the state, `landmarks_lessons.js` the texts, `landmarks_drawing.js` the
// colours and arrows.

import { Camera, GridView, pathDrawing } from "../../grid_view.js";
import { mapPanel } from "../../map_panel.js";
import { needsGrid } from "../../needs_grid.js";
import { INK } from "../../palette.js";
import { SharedHandle } from "../../shared_handle.js";
import { button, digits, duration, element, field, figures, grouped, lesson as lessonText, liveFigures, notice, progressBar, section, select, showError, slider } from "../../ui.js";
import { Connection } from "../../wire.js";
import { FIELDS, SEARCHED, coloursOf, fillOf, legendOf, searchedColours, triangleDrawing, windDrawing } from "./drawing.js";
import { LESSONS } from "./lessons.js";
import { LINK_KEYS, MOST_LANDMARKS, Scene, WINDS } from "./scene.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("./lessons.js").Lesson} Lesson */

/** @type {import("../../main.js").View} */
export default { id: "landmarks", title: "Landmarks", mount };

const ROWS = ["Cells expanded", "Path length", "Time", "Of the true distance, mean"];

/** Nothing changed for so long: the link is written, and slow answers are asked for. */
const SETTLE_MILLISECONDS = 200;

/** Cells from one arrow of the wind to the next, for this many arrows along a side. */
const ARROWS = 32;

const SAMPLES = 24;

/** @param {HTMLElement} host @param {Store} store */
function mount(host, store) {
  const connection = new Connection();
  const camera = new Camera();
  const searched = new GridView({ camera, caption: "Cells expanded", label: "The map with the cells that both searches expanded" });
  const coloured = new GridView({ camera, caption: "Heuristic", label: "The map coloured by the heuristic" });
  const views = [searched, coloured];
  const stage = element("div", { class: "stage two" });
  const table = liveFigures(ROWS);
  table.setColumns(["distance only", "landmarks"]);
  const readout = element("div", { hidden: true });
  const progress = progressBar(() => connection.cancel());
  coloured.host.append(element("div", { class: "overlay" }, readout, progress));
  /** @type {Scene | null} */
  let scene = null;
  /** The lesson that the next map is for. @type {Lesson | null} */
  let coming = null;
  let lesson = LESSONS.find(({ id }) => id === store.link.lesson) ?? LESSONS[0];
  /** @type {SharedHandle[]} */
  let handles = [];
  /** The best site of the last answer about sites; -1 if it is not for this scene. */
  let bestSite = -1;
  let legendKey = "";
  let settling = 0;
  let isMounted = true;
  let isPainting = false;
  let count = 8;
  /** Placements that have been asked for and not yet come. */
  let placing = 0;

  /** Asks for both searches and the field; `isWhole` if it is known that nothing changes soon. */
  function look(isWhole = false) {
    delete host.dataset.settled;
    clearTimeout(settling);
    bestSite = -1;
    connection.latest("look", async () => {
      const now = scene;
      if (!now) return;
      const stride = Math.max(Math.round(Math.max(now.map.width, now.map.height) / ARROWS), 1);
      const what = now.what === "sites" ? "truth" : now.what;
      try {
        const { data, parts } = await connection.ask({
          topic: "landmarks", do: "look", scene: now.asked(store), from: now.ends[0], to: now.ends[1],
          show: { what, fixed: now.fixed },
          wind: now.wind ? { of: now.wind, stride } : null,
          triangle: now.triangle >= 0 ? now.triangle : null,
        }, { parts: now.painted.length ? { painted: Uint32Array.from(now.painted) } : undefined });
        if (now !== scene) return;
        const isApart = data.plain.length === null && !now.isArranged;
        now.isArranged = true;
        if (isApart) {
          now.spread();
          arrange();
          look(true);
        } else {
          showLook(now, data, parts, stride);
        }
      } catch (error) {
        showError(error);
      }
    });
    if (isWhole) connection.latest("settle", settle);
    else settling = setTimeout(() => connection.latest("settle", settle), SETTLE_MILLISECONDS);
  }

  /** Writes the link, and asks what takes long. */
  async function settle() {
    const now = scene;
    if (!now || !isMounted) return;
    now.remember(store);
    store.remember({ lesson: lesson === LESSONS[0] ? null : lesson.id });
    if (now.what === "sites") await weighSites(now);
    // The connection answers in order, so the last look is answered when this is.
    await connection.ask({ topic: "landmarks", do: "strategies" }).catch(showError);
    if (isMounted && !placing) host.dataset.settled = "true";
  }

  /** @param {Scene} now @param {any} data @param {any} parts @param {number} stride */
  function showLook(now, data, parts, stride) {
    const states = searchedColours(now.landmarks.length > 0);
    searched.tint("searched", (pixels) => {
      const cells = parts.searched;
      for (let cell = 0; cell < pixels.length; cell++) pixels[cell] = states[cells[cell]];
    });
    if (now.what !== "sites") {
      paintField(now.what, parts.field);
      showLegend(now, data.field.most);
      if (now.what === "excess" && data.field.exceeding === 0) say("No bound exceeds the true distance.");
      else say("");
    }
    const isLonger = data.guided.length !== null && data.guided.length > data.plain.length + 1e-9;
    searched.draw("true", isLonger ? pathDrawing(parts.plain, INK.second) : null);
    searched.draw("path", pathDrawing(parts.guided, INK.path));
    coloured.draw("path", pathDrawing(parts.guided, INK.path, 1.5));
    coloured.draw("wind", parts.wind ? windDrawing(parts.wind, stride) : null);
    const sides = now.triangle >= 0 ? data.landmarks[now.triangle] : null;
    const triangle = sides ? triangleDrawing([
      [parts.sideStart, `start to ${now.triangle + 1}: ${lengthText(sides.toStart)}`],
      [parts.sideGoal, `goal to ${now.triangle + 1}: ${lengthText(sides.toGoal)}`],
    ], INK.landmark) : null;
    for (const view of views) view.draw("triangle", triangle);
    showNumbers(now, data, isLonger);
  }

  /** @param {Scene} now @param {any} data @param {boolean} isLonger */
  function showNumbers(now, data, isLonger) {
    [data.plain, data.guided].forEach((found, at) => {
      const share = at === 0 ? data.field.meanDistance : data.field.meanLandmarks;
      table.set(at, [
        grouped(found.expanded),
        found.length === null ? "no path" : found.length.toFixed(2),
        duration(found.micros),
        `${(100 * share).toFixed(1)} %`,
      ]);
    });
    const ratio = data.plain.expanded / Math.max(data.guided.expanded, 1);
    const fewer = ratio > 1.05 ? `${digits(ratio)} times fewer cells with landmarks.` : "Landmarks make no difference here.";
    verdict.textContent = data.plain.length === null
      ? "There is no path between start and goal."
      : isLonger
        ? `Stale landmarks: the orange path is ${(data.guided.length - data.plain.length).toFixed(2)} steps longer than the shortest one, which is green.`
        : now.landmarks.length ? fewer : "No landmarks yet. Click a free cell of the map to put one there.";
    const sides = now.triangle >= 0 ? data.landmarks[now.triangle] : null;
    triangleTable.hidden = !sides;
    if (sides) {
      triangleTable.replaceChildren(figures([], [
        [`Start to landmark ${now.triangle + 1}`, lengthText(sides.toStart)],
        [`Goal to landmark ${now.triangle + 1}`, lengthText(sides.toGoal)],
        ["Their difference, the landmark's bound", lengthText(sides.bound)],
        ["Distance heuristic", lengthText(data.distance)],
        ["True distance from start to goal", lengthText(data.plain.length)],
      ]));
    }
    data.landmarks.forEach((/** @type {any} */ { bound }, /** @type {number} */ at) => {
      const chip = chips.children[at];
      if (chip instanceof HTMLElement) chip.title = `Its bound from start to goal: ${lengthText(bound)}`;
    });
  }

  /** @param {string} what @param {Uint8Array} values */
  function paintField(what, values) {
    const colours = coloursOf(what);
    coloured.tint("field", (pixels) => {
      for (let cell = 0; cell < pixels.length; cell++) pixels[cell] = colours[values[cell]];
    });
  }

  /** @param {Scene} now @param {number} most */
  function showLegend(now, most) {
    const key = `${now.what} ${most.toFixed(1)} ${now.landmarks.length}`;
    if (key !== legendKey) legend.replaceChildren(legendOf(now.what, most, now.landmarks.length));
    legendKey = key;
    const { title } = FIELDS[now.what];
    coloured.caption.textContent = title[0].toUpperCase() + title.slice(1);
  }

  /** @param {string} text */
  function say(text) {
    readout.hidden = !text;
    if (readout.textContent !== text) readout.textContent = text;
  }

  /** Weighs all cells as sites of one more landmark. @param {Scene} now */
  async function weighSites(now) {
    try {
      const { data, parts } = await connection.ask({
        topic: "landmarks", do: "sites", scene: now.asked(store), near: now.ends[0], samples: SAMPLES, seed: 1,
      }, {
        parts: now.painted.length ? { painted: Uint32Array.from(now.painted) } : undefined,
        onProgress: (report) => progress.show(report),
      });
      if (now !== scene || now.what !== "sites") return;
      paintField("sites", parts.field);
      showLegend(now, 0);
      bestSite = data.best;
      coloured.draw("samples", spotsDrawing(parts.samples));
      say(`Bounds reach ${(100 * data.now).toFixed(1)} % of the true distances of ${grouped(data.pairs)} pairs; with a landmark on the best site ${(100 * data.withBest).toFixed(1)} %.`);
    } catch (error) {
      showError(error);
    } finally {
      progress.hide();
    }
  }

  /** Puts handles on all views, and chips into the list. */
  function arrange() {
    const now = scene;
    for (const handle of handles) handle.remove();
    handles = [];
    if (!now) return;
    const snap = (/** @type {number} */ cell) => now.free(cell);
    const end = (/** @type {0 | 1} */ at, /** @type {string} */ label, /** @type {string} */ colour, /** @type {"circle" | "cross"} */ shape) =>
      new SharedHandle(views, { label, colour, shape, cell: now.ends[at], snap, onMove: (cell) => { now.ends[at] = cell; look(); } });
    handles = [
      ...now.landmarks.map((cell, at) => new SharedHandle(views, {
        label: `Landmark ${at + 1}`, colour: fillOf(at), shape: "diamond", text: String(at + 1), cell, snap,
        onMove: (moved) => { now.landmarks[at] = moved; look(); },
        onRemove: () => removeLandmark(at),
      })),
      end(0, "Start", INK.start, "circle"),
      end(1, "Goal", INK.goal, "cross"),
    ];
    chips.replaceChildren(...now.landmarks.map((_, at) => {
      const name = element("button", {
        type: "button", "aria-pressed": String(now.triangle === at), "aria-label": `Triangle of landmark ${at + 1}`,
        onclick: () => { now.triangle = now.triangle === at ? -1 : at; arrange(); look(true); },
      }, String(at + 1));
      const swatch = element("span", { class: "swatch", style: `background: ${fillOf(at)}` });
      return element("span", { class: "chip" }, swatch, name, button("×", () => removeLandmark(at), { "aria-label": `Remove landmark ${at + 1}` }));
    }));
    add.disabled = now.landmarks.length >= MOST_LANDMARKS;
    what.value = now.what;
    fixed.value = now.fixed;
    wind.value = now.wind;
    for (const view of views) {
      view.onPaint = isPainting ? paintCell : null;
      view.onClick = (cell) => { if (now.map.cells[cell] > 0) addLandmark(cell); };
    }
    paint.setAttribute("aria-pressed", String(isPainting));
    showEdits();
  }

  /** @param {number} cell */
  function addLandmark(cell) {
    if (!scene) return;
    if (scene.landmarks.length >= MOST_LANDMARKS) {
      notice(`There are at most ${MOST_LANDMARKS} landmarks.`);
      return;
    }
    if (scene.landmarks.includes(cell)) return;
    scene.landmarks.push(cell);
    arrange();
    look(true);
  }

  /** @param {number} at */
  function removeLandmark(at) {
    if (!scene) return;
    scene.landmarks.splice(at, 1);
    scene.triangle = -1;
    arrange();
    add.focus();
    look(true);
  }

  /** Whether the pointer blocks cells, or frees them. */
  let blocks = true;
  /** @param {number} cell @param {boolean} isFirst */
  function paintCell(cell, isFirst) {
    const now = scene;
    if (!now) return;
    if (isFirst) blocks = now.map.cells[cell] > 0;
    const isTaken = now.ends.includes(cell) || now.landmarks.includes(cell);
    if (now.map.cells[cell] > 0 !== blocks || isTaken) return;
    now.toggle(cell);
    for (const view of views) view.paintMap();
    showEdits();
    look();
  }

  function showEdits() {
    const stale = scene ? scene.painted.length - scene.known : 0;
    edits.textContent = stale > 0
      ? `${grouped(stale)} cells changed since the distances of the landmarks were computed.`
      : "The landmarks know the map as it is.";
    renew.disabled = stale === 0;
    undo.disabled = !scene?.painted.length;
  }

  /** Begins with the map of the store. @param {boolean} isLinked whether the link describes the scene */
  function begin(isLinked) {
    const map = store.grid;
    if (!map) {
      scene = null;
      arrange();
      stage.classList.remove("two");
      stage.replaceChildren(needsGrid(store, "This view colours the cells of grids. Landmarks work on roads as well; the engine differential uses them there."));
      host.dataset.settled = "true";
      return;
    }
    stage.classList.add("two");
    stage.replaceChildren(...views.map((view) => view.host));
    scene = new Scene(map);
    if (coming) scene.begin(coming);
    else if (isLinked) scene.restore(store);
    const isNew = scene.landmarks.length === 0 && !coming && (!isLinked || store.link.lm === undefined);
    coming = null;
    for (const view of views) view.setMap(scene.map);
    arrange();
    look(true);
    if (isNew) place("farthest");
  }

  /** @param {Lesson} next */
  async function teach(next) {
    lesson = next;
    texts.replaceChildren(...next.text.map((text) => element("p", {}, text)));
    isPainting = next.isPainting ?? false;
    if (!next.map) {
      arrange();
      if (scene) settle();
      return;
    }
    coming = next;
    const source = { from: "gallery", name: next.map };
    await store.open({ source, moves: "eight", corners: "never" }).catch(showError);
  }

  /** @param {string} strategy */
  async function place(strategy) {
    const now = scene;
    if (!now) return;
    placing++;
    delete host.dataset.settled;
    try {
      const { parts } = await connection.ask(
        { topic: "landmarks", do: "place", scene: now.asked(store), strategy, count, seed: 1 + Math.floor(Math.random() * 1e6) },
        { parts: { painted: Uint32Array.from(now.painted) }, onProgress: (report) => progress.show(report) });
      if (now !== scene) return;
      now.landmarks = [...parts.landmarks];
      now.known = now.painted.length;
      now.triangle = -1;
      arrange();
    } catch (error) {
      showError(error);
    } finally {
      placing--;
      progress.hide();
      if (isMounted) look(true);
    }
  }

  async function compare() {
    const now = scene;
    if (!now) return;
    comparing.disabled = true;
    try {
      const { data } = await connection.ask(
        { topic: "landmarks", do: "compare", scene: now.asked(store), count, seed: 1 },
        { parts: { painted: Uint32Array.from(now.painted) }, onProgress: (report) => progress.show(report) });
      const rows = data.rows.map((/** @type {any} */ row) => [
        row.name === "none" ? "no landmarks" : row.name === "yours" ? `yours (${now.landmarks.length})` : row.name,
        `${(100 * row.share).toFixed(1)} %`, grouped(Math.round(row.expanded)), row.millis ? duration(1e3 * row.millis) : "",
      ]);
      results.replaceChildren(
        element("p", { class: "engine-note" }, `Means over ${data.pairs} random paths, ${count} landmarks each.`),
        figures(["bound", "cells", "to place"], rows));
      results.dataset.rows = String(rows.length);
    } catch (error) {
      showError(error);
    } finally {
      progress.hide();
      comparing.disabled = false;
    }
  }

  /** Shows the numbers of a cell. @param {number} cell */
  function probe(cell) {
    const now = scene;
    if (!now || now.what === "sites") return;
    if (cell < 0 || !now.map.cells[cell]) return say("");
    connection.latest("probe", async () => {
      if (now !== scene) return;
      const end = now.fixed === "goal" ? 1 : 0;
      try {
        const { data } = await connection.ask(
          { topic: "landmarks", do: "probe", scene: now.asked(store), cell, fixed: now.ends[end] },
          { parts: now.painted.length ? { painted: Uint32Array.from(now.painted) } : undefined });
        const best = Math.max(data.distance, ...data.bounds);
        const by = best > data.distance ? ` by landmark ${data.bounds.indexOf(best) + 1}` : "";
        say(`${end ? "From here to the goal" : "From the start to here"}: distance heuristic ${lengthText(data.distance)} · with landmarks ${lengthText(best)}${by} · true ${lengthText(data.truth)}`);
      } catch (error) {
        showError(error);
      }
    });
  }

  const texts = element("div", {});
  const chooser = select(LESSONS.map(({ id, title }) => ({ value: id, title })), lesson.id, (id) => {
    const next = LESSONS.find((other) => other.id === id);
    if (next) teach(next);
  });
  const verdict = element("p", { role: "status" });
  const triangleTable = element("div", { hidden: true });
  const chips = element("div", { class: "chips" });
  const legend = element("div", {});
  const results = element("div", {});
  const edits = element("p", { class: "engine-note" });
  const add = button("Add a landmark", () => {
    // Where the present ones help least; without any, far from everything.
    if (scene) addLandmark(bestSite >= 0 ? bestSite : scene.free(Math.floor(Math.random() * scene.map.cells.length)));
  });
  const best = button("On the best site", async () => {
    if (!scene) return;
    if (scene.what !== "sites") {
      scene.what = what.value = "sites";
      await weighSites(scene);
    }
    if (bestSite >= 0) addLandmark(bestSite);
  }, { title: "Weighs every cell of the map, and puts a landmark where it adds most" });
  const strategy = select([{ value: "farthest", title: "farthest" }], "farthest", () => {});
  const strategyNote = element("p", { class: "engine-note" });
  connection.ask({ topic: "landmarks", do: "strategies" }).then(({ data }) => {
    strategy.replaceChildren(...data.map((/** @type {any} */ { name }) => element("option", { value: name }, name)));
    strategy.value = "farthest";
    const explain = () => { strategyNote.textContent = data.find((/** @type {any} */ { name }) => name === strategy.value)?.text ?? ""; };
    strategy.addEventListener("change", explain);
    explain();
  }, showError);
  const comparing = button("Compare all strategies", compare);
  const what = select(Object.entries(FIELDS).map(([value, { title }]) => ({ value, title })), "landmark-share", (value) => {
    if (!scene) return;
    scene.what = value;
    coloured.draw("samples", null);
    look(true);
  });
  const fixed = select([
    { value: "goal", title: "every cell is a start, to this goal" },
    { value: "start", title: "every cell is a goal, from this start" },
  ], "goal", (value) => { if (scene) { scene.fixed = value; look(true); } });
  const wind = select(WINDS, "", (value) => { if (scene) { scene.wind = value; look(true); } });
  const paint = button("Draw walls", () => { isPainting = !isPainting; arrange(); }, { "aria-pressed": "false", title: "Draw with the pointer: free cells become walls, walls become free" });
  const renew = button("Compute again", () => {
    if (!scene) return;
    scene.known = scene.painted.length;
    showEdits();
    look(true);
  }, { class: "primary", title: "Computes the distances of all landmarks on the map as it is now" });
  const undo = button("Undo all", () => {
    if (!scene) return;
    scene.clean();
    for (const view of views) view.paintMap();
    showEdits();
    look(true);
  });
  const swatch = (/** @type {number[]} */ colour, /** @type {string} */ text) =>
    element("span", {}, element("span", { class: "swatch", style: `background: rgb(${colour.join(" ")})` }), ` ${text}`);

  host.append(element("div", { class: "view" },
    stage,
    element("div", { class: "side" },
      element("section", { class: "lesson" }, field("Lesson", chooser), texts),
      section("Plain A* and A* with landmarks",
        element("div", { class: "legend" }, element("div", { class: "keys" },
          swatch(SEARCHED.plain, "distance only"), swatch(SEARCHED.guided, "with landmarks"))),
        table, verdict, triangleTable),
      section("Landmarks", chips,
        element("p", { class: "engine-note" }, "Press a number to draw the triangle of that landmark with start and goal."),
        element("div", { class: "row" }, add, best),
        element("div", { class: "row" }, field("Strategy", strategy), button("Place them", () => place(strategy.value), { class: "primary" })),
        strategyNote,
        slider("How many", { least: 1, most: MOST_LANDMARKS, value: count }, (value) => { count = value; }),
        comparing, results),
      section("Colours on the right", field("Show", what), field("For", fixed), legend, field("Wind: arrows", wind)),
      section("Change the map", edits, element("div", { class: "row" }, paint, renew, undo)),
      mapPanel(store),
      lessonText("Source", "The lessons follow “Differential heuristics” by Amit Patel (redblobgames.com), an unfinished draft. In papers, landmarks are called ALT or differential heuristics."))));

  for (const view of views) view.onHover = probe;
  const onMap = () => {
    store.remember(Object.fromEntries(LINK_KEYS.map((key) => [key, null])));
    results.replaceChildren();
    begin(false);
  };
  const repaint = () => {
    for (const view of views) view.paintMap();
    if (scene) look(true);
  };
  store.addEventListener("map", onMap);
  store.addEventListener("theme", repaint);
  texts.replaceChildren(...lesson.text.map((text) => element("p", {}, text)));
  isPainting = lesson.isPainting ?? false;
  // A link that names a lesson only sets it up; one with landmarks has what became of it.
  if (lesson.map && store.link.lm === undefined) teach(lesson);
  else begin(true);
  return () => {
    isMounted = false;
    delete host.dataset.settled;
    clearTimeout(settling);
    store.removeEventListener("map", onMap);
    store.removeEventListener("theme", repaint);
    for (const view of views) view.close();
    connection.close();
  };
}

/** @param {number | null} length */
function lengthText(length) {
  return length === null ? "no path" : length.toFixed(2);
}

/** Dots on cells. @param {Uint32Array} cells @returns {import("../../grid_view.js").Drawing} */
function spotsDrawing(cells) {
  return (context, { map, camera }) => {
    if (!map) return;
    context.fillStyle = "#ffffff";
    context.strokeStyle = "#16191d";
    context.lineWidth = 1.5 / camera.zoom;
    for (const cell of cells) {
      context.beginPath();
      context.arc((cell % map.width) + 0.5, Math.floor(cell / map.width) + 0.5, 3.5 / camera.zoom, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  };
}
