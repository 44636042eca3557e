// What surrounds the views, by the example of the view Search: links, handles, numbers.

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { withPage } from "./harness.js";
import { startLab } from "./program.js";

const SOURCE = { from: "generated", kind: "rooms", size: 96, grain: 8, seed: 5 };
const LINK = new URLSearchParams({ tab: "search", map: JSON.stringify({ source: SOURCE }) }).toString();

/** The same map as a file, and what `portolan query` finds on it. */
function lengthByCommand(command, [from, to]) {
  const map = join(mkdtempSync(join(tmpdir(), "portolan-")), "rooms.map");
  command(["generate", "rooms", "--size", "96", "--room", "8", "--seed", "5", "-o", map]);
  return JSON.parse(command(["query", map, "--from", from, "--to", to, "--json"])).length;
}

/** The cell of a handle, as `x,y`. */
async function cellOf(page, label) {
  const name = await page.getByLabel(new RegExp(`^${label}, at`)).getAttribute("aria-label");
  return name.match(/at (\d+), (\d+)/).slice(1).join();
}

/** The first value beside a name in the table of figures. */
const figure = (page, name) => page.locator("table.figures tr", { hasText: name }).locator("td").first();

test("dragging the start changes the path, whose length is the command line's", () => withPage(async ({ page, open, command }) => {
  await open(LINK);
  const length = figure(page, "Length");
  const before = await length.innerText();
  const box = await page.getByLabel(/^Start, at/).boundingBox();
  const map = await page.locator("canvas").first().boundingBox();
  const at = await cellOf(page, "Start");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(map.x + map.width * 0.45, map.y + map.height * 0.55, { steps: 20 });
  await page.mouse.up();
  assert.notEqual(await cellOf(page, "Start"), at);
  const ends = [await cellOf(page, "Start"), await cellOf(page, "Goal")];
  const expected = lengthByCommand(command, ends).toFixed(2);
  assert.notEqual(before, expected);
  await page.waitForFunction((expected) => [...document.querySelectorAll("table.figures td")].some((cell) => cell.textContent === expected), expected);
}));

test("the page says when its lab is stopped", () => withPage(async ({ page }) => {
  const lab = await startLab();
  await page.goto(`${lab.address}#${LINK}`);
  await figure(page, "Length").waitFor();
  assert.equal(await lab.end(), 0, "its exit code");
  await page.getByLabel(/^Start, at/).press("ArrowRight");
  await page.getByText("Start `portolan lab` again").waitFor();
}, { expected: /WebSocket connection to .* failed/ }));
