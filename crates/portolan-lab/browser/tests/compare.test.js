// The view Compare: a benchmark on a dropped map, held against `portolan bench`.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { PHONE, withPage } from "./harness.js";

/** Times differ from run to run; everything else must not. */
const TIMES = /_us$|_s$/;

/** A small map in a file. */
function rooms(command) {
  const map = join(mkdtempSync(join(tmpdir(), "portolan-")), "rooms.map");
  command(["generate", "rooms", "--size", "48", "--room", "8", "--seed", "3", "-o", map]);
  return map;
}

/** Opens the view and drops a map on it. */
async function dropped({ page, open }, map, link = "") {
  await open(`tab=compare&compare-queries=40&compare-seed=7&compare-memory=64${link}`);
  await settled(page, "listed");
  await page.getByLabel("Map file").setInputFiles(map);
  await page.waitForFunction(() => document.querySelector("code.command")?.textContent?.includes("rooms.map"));
  await settled(page, "listed");
}

const settled = (page, state) => page.waitForSelector(`#view[data-settled="${state}"]`, { timeout: 120_000 });

/** What a button downloads. */
async function downloaded(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
  return readFileSync(await download.path(), "utf8");
}

const withoutTimes = (rows) => rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !TIMES.test(name))));

test("a benchmark has the numbers of the command line, and can be saved", () => withPage(async (lab) => {
  const { page, command, shot } = lab;
  const map = rooms(command);
  await dropped(lab, map, "&compare-without=perfect-portal.canonical");
  await page.getByRole("button", { name: "Run the benchmark" }).click();
  await settled(page, "measured");

  const shown = JSON.parse(await downloaded(page, "JSON"));
  const engines = shown.map(({ engine }) => engine);
  assert.ok(engines.includes("atlas") && engines.includes("hpa") && !engines.includes("canonical"), engines.join());
  const words = (await page.locator("code.command").textContent()).split(" ");
  const [program, ...args] = words.map((word) => (word === "rooms.map" ? map : word));
  assert.equal(program, "portolan");
  const printed = JSON.parse(command([...args, "--json"]));
  assert.deepEqual(withoutTimes(shown), withoutTimes(printed));
  assert.deepEqual(Object.keys(shown[0]), Object.keys(printed[0]), "and in the same order");

  const csv = (await downloaded(page, "CSV")).trim().split("\n");
  assert.equal(csv[0], Object.keys(printed[0]).join(","));
  assert.equal(csv.length, printed.length + 1);
  const chart = await downloaded(page, "SVG");
  assert.ok(chart.startsWith("<svg xmlns="));

  // Every engine has a row with its numbers, and a point with its name.
  const atlas = printed.find(({ engine }) => engine === "atlas");
  const row = page.locator('tr[data-engine="atlas"]');
  assert.match(await row.innerText(), new RegExp(`${atlas.queries} of ${atlas.queries}`));
  for (const engine of engines) {
    assert.equal(await page.locator(`.mark[data-engine="${engine}"]`).count(), 1, engine);
  }
  const overlaps = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll(".bench-chart .label text")].map((text) => text.getBoundingClientRect());
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom;
    return boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => meet(a, b))).length;
  });
  assert.equal(overlaps, 0, "names that cover each other");

  await page.locator('.mark[data-engine="ppa"]').focus();
  await page.locator(".tip", { hasText: "ppa" }).waitFor();
  await page.getByRole("button", { name: "Index", exact: true }).click();
  const first = await page.locator(".figures.wide tbody th").first().innerText();
  assert.equal(printed.find(({ engine }) => engine === first.replace("≈ ", "")).index_bytes, Math.min(...printed.map((figures) => figures.index_bytes)));
  await shot("compare");
}));

test("a benchmark can be cancelled, and keeps what was measured", () => withPage(async ({ page, open }) => {
  const source = { from: "generated", kind: "caves", size: 384, grain: 4, seed: 1 };
  await open(new URLSearchParams({ tab: "compare", map: JSON.stringify({ source }), "compare-queries": "2000" }).toString());
  await settled(page, "listed");
  await page.getByRole("button", { name: "None" }).click();
  await page.getByLabel("astar", { exact: true }).check();
  await page.getByLabel("dijkstra", { exact: true }).check();
  await page.getByRole("button", { name: "Run the benchmark" }).click();
  await page.locator("progress").waitFor({ state: "visible" });
  const start = Date.now();
  await page.getByRole("button", { name: "Cancel" }).click();
  await settled(page, "cancelled");
  assert.ok(Date.now() - start < 5000, "cancelling takes long");
  assert.match(await page.locator("#view").innerText(), /Stopped after \d engines?\./);
  assert.ok(await page.getByRole("button", { name: "Run the benchmark" }).isEnabled());
}));

test("engines that do not support a map say why", () => withPage(async ({ page, open, shot }) => {
  const source = { from: "generated", kind: "roads", size: 2, grain: 10, seed: 1 };
  await open(new URLSearchParams({ tab: "compare", map: JSON.stringify({ source }), "compare-queries": "20" }).toString());
  await settled(page, "listed");
  await page.locator("summary").click();
  assert.match(await page.locator("details").innerText(), /hpa: .{10}/);
  await page.getByRole("button", { name: "Run the benchmark" }).click();
  await settled(page, "measured");
  assert.ok(await page.locator("tr[data-engine]").count() > 8);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE.width, `the page is ${width} pixels wide`);
  await shot("compare-phone");
}, { viewport: PHONE, theme: "dark" }));
