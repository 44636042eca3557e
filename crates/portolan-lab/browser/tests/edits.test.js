// The view Edits: walls are painted, paths break and are found again, engines follow.

import assert from "node:assert/strict";
import { test } from "node:test";

import { withPage } from "./harness.js";
import { until } from "./until.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {string} name */
const gallery = (name) => encodeURIComponent(JSON.stringify({ source: { from: "gallery", name } }));

/** A number of the table of figures. @param {Page} page @param {string} name */
async function figure(page, name) {
  const text = await page.locator(".figures tr", { hasText: name }).locator("td").innerText();
  return Number(text.replace(/,/g, ""));
}

/** The middle of a cell of the map `wall` on the screen. @param {Page} page @param {[number, number]} cell */
async function place(page, [x, y]) {
  const [width, height] = [48, 32];
  const box = await page.locator(".map canvas").boundingBox();
  assert.ok(box);
  const zoom = Math.min((box.width - 16) / width, (box.height - 16) / height);
  const left = box.x + (box.width - width * zoom) / 2;
  const top = box.y + (box.height - height * zoom) / 2;
  return /** @type {const} */ ([left + (x + 0.5) * zoom, top + (y + 0.5) * zoom]);
}

/** @param {Page} page @param {[number, number]} from @param {[number, number]} to */
async function drag(page, from, to) {
  await page.mouse.move(...await place(page, from));
  await page.mouse.down();
  await page.mouse.move(...await place(page, to), { steps: 8 });
  await page.mouse.up();
}

test("a wall breaks paths, which are found again, and is undone", () => withPage(async ({ page, url, shot }) => {
  await page.goto(url(`tab=edits&map=${gallery("wall")}&editsAgents=60&editsBrush=1`));
  await until(page, ({ settled, step }) => settled === "true" && Number(step) > 2);
  // A door near the top, then the gap at the bottom is closed.
  await page.getByRole("button", { name: "Door", exact: true }).click();
  await drag(page, [24, 2], [24, 3]);
  await until(page, ({ settled, version }) => settled === "true" && Number(version) > 0);
  await page.getByRole("button", { name: "Wall", exact: true }).click();
  await drag(page, [24, 27], [24, 31]);
  const { broken } = await until(page, ({ settled, broken }) => settled === "true" && Number(broken) > 0);
  await shot("edits");
  assert.ok(await figure(page, "Paths broken") >= Number(broken));
  assert.ok(await figure(page, "Paths found") > 0);

  const { version: before } = await until(page, ({ settled }) => settled === "true");
  await page.getByRole("button", { name: "Undo" }).click();
  await until(page, ({ version }) => Number(version) > Number(before));
}));

test("engines are changed while agents walk, and doors shut by themselves", () => withPage(async ({ page, url, shot }) => {
  await page.goto(url(`tab=edits&map=${gallery("caves")}&editsAgents=100`));
  await until(page, ({ settled, step }) => settled === "true" && Number(step) > 1);
  for (const engine of ["ppa", "astar", "hpa"]) {
    await page.getByLabel("Finds the paths").selectOption(engine);
    await page.locator(".status", { hasText: `${engine} answers` }).waitFor();
  }
  const { version: before } = await until(page, () => true);
  await page.getByLabel(/Rush hour/).check();
  await until(page, ({ version, rebuilt }) => Number(version) > Number(before) + 2 && Number(rebuilt) > 0);
  await shot("edits-rush-hour");
}));

test("terrain is painted, and the map is cleared", () => withPage(async ({ page, url }) => {
  await page.goto(url(`tab=edits&map=${gallery("wall")}&editsAgents=40&editsBrush=4&editsEngine=ppa`));
  await until(page, ({ settled, step }) => settled === "true" && Number(step) > 1);
  await page.getByRole("button", { name: "Terrain", exact: true }).click();
  await until(page, ({ settled, terrain }) => settled === "true" && terrain === "true");
  await drag(page, [5, 10], [40, 29]);
  const { version } = await until(page, ({ settled, version }) => settled === "true" && Number(version) > 0);
  await page.getByRole("button", { name: "Clear" }).click();
  await until(page, (data) => Number(data.version) > Number(version));
}));

test("the keyboard paints, and the edited map becomes that of all views", () => withPage(async ({ page, url }) => {
  await page.goto(url(`tab=edits&map=${gallery("wall")}&editsAgents=20`));
  await until(page, ({ settled }) => settled === "true");
  await page.getByRole("button", { name: /^Brush; Enter paints/ }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await until(page, ({ settled, version }) => settled === "true" && Number(version) > 0);
  await page.getByRole("button", { name: "Use this map in all views" }).click();
  await page.getByText("All views now show the edited map.").waitFor();
  await until(page, ({ settled, version }) => settled === "true" && version === "0");
}));

test("a damaged link and a graph do not break the view", () => withPage(async ({ page, url }) => {
  await page.goto(url("tab=edits&editsEngine=starling&editsAgents=-7&editsBrush=x&editsTool=axe"));
  await until(page, ({ settled, step }) => settled === "true" && Number(step) > 0);
  await page.goto(url(`tab=edits&map=${gallery("roads")}`));
  await page.getByRole("button", { name: "Open a grid instead" }).click();
  await until(page, ({ settled, step }) => settled === "true" && Number(step) > 0);
}));
