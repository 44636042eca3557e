// The view Hierarchies: every engine, its levels and steps, and numbers that equal the command
// line's.

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { PHONE, withPage } from "./harness.js";

const SIDE = 96;
const SOURCE = { from: "generated", kind: "rooms", size: SIDE, grain: 8, seed: 5 };
const ENGINES = ["atlas", "atlas-general", "ppa", "portal-search", "perfect-portal", "hpa", "dhpa", "shpa"];

/** @param {{ [key: string]: string }} more */
const link = (more) => new URLSearchParams({ tab: "hierarchies", map: JSON.stringify({ source: SOURCE }), ...more }).toString();

/** Waits until the page shows the answer for these ends and this engine; returns level and ends. */
async function settled(page, engine, ends) {
  const main = page.locator("main");
  await page.waitForFunction(([engine, ends]) => {
    const words = document.querySelector("main")?.dataset.settled?.split(" ");
    return words?.[0] === engine && (!ends || words.slice(2).join() === ends);
  }, [engine, ends?.join()]);
  const [, level, from, to] = (await main.getAttribute("data-settled")).split(" ").map(Number);
  return { level, ends: [from, to] };
}

/** The values beside a name in the tables of figures. */
const figure = (page, name) => page.locator("table.figures tr", { has: page.getByRole("rowheader", { name, exact: true }) }).locator("td");

/** The same map as a file, for the command line. */
function mapFile(command) {
  const map = join(mkdtempSync(join(tmpdir(), "portolan-")), "rooms.map");
  command(["generate", "rooms", "--size", String(SIDE), "--room", "8", "--seed", "5", "-o", map]);
  return map;
}

const place = (cell) => `${cell % SIDE},${Math.floor(cell / SIDE)}`;

test("every engine shows its levels and steps, and the command line's length", () => withPage(async ({ page, open, shot, command }) => {
  const map = mapFile(command);
  for (const engine of ENGINES) {
    await open(link({ hierarchy: engine }));
    const { ends } = await settled(page, engine);
    const settings = engine.endsWith("hpa") ? ["--cluster", "16"] : [];
    if (engine === "hpa") settings.push("--levels", "3");
    const answer = ["query", map, "--engine", engine, ...settings, "--from", place(ends[0]), "--to", place(ends[1]), "--json"];
    const { length } = JSON.parse(command(answer));
    assert.equal(await figure(page, "Length").first().innerText(), length.toFixed(2), engine);
    for (const step of ["1 Connect", "2 Join", "3 Unpack"]) {
      const button = page.getByRole("button", { name: step });
      await button.click();
      assert.equal(await button.getAttribute("aria-pressed"), "true");
      assert.ok((await page.locator("p[aria-live]").innerText()).length > 20);
    }
    await page.getByRole("button", { name: "Whole", exact: true }).click();
    const levels = page.getByLabel(/^Level, from/);
    if (await levels.count()) {
      await levels.focus();
      await page.keyboard.press("Home");
      await settled(page, engine);
      await page.waitForFunction(() => document.querySelector("main")?.dataset.settled?.split(" ")[1] === "0");
    }
    assert.match(await figure(page, "Number").innerText(), /^\d[\d,]* of \d/);
    await shot(`hierarchies-${engine}`);
  }
}));

test("dragging the start asks for a new path, and a link restores it", () => withPage(async ({ page, open, command }) => {
  const map = mapFile(command);
  await open(link({ hierarchy: "atlas" }));
  const before = await settled(page, "atlas");
  const box = await page.getByLabel(/^Start, at/).boundingBox();
  const canvas = await page.locator("canvas").first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(canvas.x + canvas.width * 0.45, canvas.y + canvas.height * 0.55, { steps: 20 });
  await page.mouse.up();
  await page.waitForFunction((old) => {
    const start = new URLSearchParams(location.hash.slice(1)).get("from");
    return start !== old && document.querySelector("main")?.dataset.settled?.split(" ")[2] === start;
  }, String(before.ends[0]));
  const { ends } = await settled(page, "atlas");
  const shown = await figure(page, "Length").first().innerText();
  const { length } = JSON.parse(command(["query", map, "--from", place(ends[0]), "--to", place(ends[1]), "--json"]));
  assert.equal(shown, length.toFixed(2));
  const hash = await page.evaluate(() => location.hash.slice(1));
  await open(hash);
  assert.deepEqual((await settled(page, "atlas", ends)).ends, ends);
  await open(`${hash}&from=x&to=-4&level=900&hierarchy=nothing&step=none`);
  await settled(page, "atlas");
}));

test("a region under the pointer shows its numbers", () => withPage(async ({ page, open }) => {
  await open(link({ hierarchy: "hpa", level: "0" }));
  await settled(page, "hpa");
  const canvas = await page.locator("canvas").first().boundingBox();
  await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
  await page.getByRole("heading", { name: "Region under the pointer" }).waitFor();
}));

test("a road network gets an explanation and a way out", () => withPage(async ({ page, open, shot }) => {
  await open(new URLSearchParams({ tab: "hierarchies", map: JSON.stringify({ source: { from: "gallery", name: "roads" } }) }).toString());
  await page.getByRole("heading", { name: "This map is a road network" }).waitFor();
  await shot("hierarchies-roads");
  await page.getByRole("button", { name: "Open a map of rooms" }).click();
  await settled(page, "atlas");
}));

test("the view fits on a phone", () => withPage(async ({ page, open, shot }) => {
  await open(link({ hierarchy: "ppa" }));
  await settled(page, "ppa");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE.width, `${width} pixels wide`);
  await shot("hierarchies-phone");
}, { viewport: PHONE, theme: "dark" }));
