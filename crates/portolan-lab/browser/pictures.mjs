// Makes the pictures of the documentation: a screenshot of each view in docs/images/lab.
//
//     npm run pictures            all; or name some: npm run pictures -- search roads

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, startLab } from "./tests/program.js";
import { recoded } from "./recode.mjs";

const FOLDER = join(import.meta.dirname, "../../../docs/images/lab");
const MOST_BYTES = 150_000;

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ map: object, link?: { [key: string]: string }, settled?: string, act?: (page: Page) => Promise<void> }} Scene */

const gallery = (/** @type {string} */ name) => ({ from: "gallery", name });
const generated = (kind, size, grain, seed) => ({ from: "generated", kind, size, grain, seed });

/** Waits until the view shows its newest answer. @param {Page} page @param {string} [value] */
const settled = (page, value = "") => page.waitForFunction((value) => {
  const found = document.getElementById("view")?.dataset.settled;
  return value ? found === value : found && found !== "false";
}, value, { timeout: 120_000 });

/** Waits until a number that the view says of itself is larger. @param {Page} page @param {string} name @param {number} least */
const above = (page, name, least) => page.waitForFunction(([name, least]) => Number(document.getElementById("view")?.dataset[name]) > least,
  /** @type {const} */ ([name, least]), { timeout: 120_000 });

/** @type {{ [view: string]: Scene }} */
const SCENES = {
  search: { map: generated("rooms", 128, 12, 4), link: { a: "astar", b: "atlas" } },
  landmarks: { map: generated("rooms", 96, 8, 5) },
  hierarchies: { map: generated("rooms", 96, 8, 5), link: { hierarchy: "atlas" } },
  edits: {
    map: gallery("caves"), link: { editsAgents: "150", editsBrush: "5" },
    act: async (page) => {
      await above(page, "step", 5);
      const map = await page.locator(".map canvas").first().boundingBox();
      const at = (x, y) => /** @type {const} */ ([map.x + map.width * x, map.y + map.height * y]);
      await page.mouse.move(...at(0.4, 0.35));
      await page.mouse.down();
      await page.mouse.move(...at(0.6, 0.6), { steps: 30 });
      await page.mouse.up();
      await above(page, "version", 0);
    },
  },
  crowds: { map: gallery("town"), link: { crowdsAgents: "4000" }, act: (page) => above(page, "step", 120) },
  compare: {
    map: generated("rooms", 96, 8, 3), link: { "compare-queries": "100" },
    act: async (page) => {
      await page.getByRole("button", { name: "Run the benchmark" }).click();
      await settled(page, "measured");
    },
  },
  roads: { map: gallery("roads"), link: { "road-engine": "astar", "road-other": "atlas" } },
};

mkdirSync(FOLDER, { recursive: true });
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SCENES);
const lab = await startLab();
const browser = await launch();
for (const view of wanted) {
  const { map, link = {}, act } = SCENES[view];
  const page = await browser.newPage({ viewport: { width: 1200, height: 720 }, colorScheme: "light" });
  const scene = new URLSearchParams({ tab: view, map: JSON.stringify({ source: map }), ...link });
  await page.goto(`${lab.address}#${scene}`);
  await settled(page);
  await act?.(page);
  const bytes = recoded(await page.screenshot());
  writeFileSync(join(FOLDER, `${view}.png`), bytes);
  console.log(`${view}.png: ${Math.round(bytes.length / 1000)} kB`);
  if (bytes.length > MOST_BYTES) throw new Error(`${view}.png has more than ${MOST_BYTES} bytes; choose a simpler scene`);
  await page.close();
}
await browser.close();
await lab.end();
