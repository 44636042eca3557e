// The view Search: two engines, dragging, playing, links, maps that do not fit.

import assert from "node:assert/strict";
import test from "node:test";

import { PHONE, withPage } from "./harness.js";

const TOWN = { from: "generated", kind: "town", size: 128, grain: 24, seed: 3 };
const mapOf = (source) => `map=${encodeURIComponent(JSON.stringify({ source }))}`;
const settled = (page) => page.waitForSelector("#view[data-settled]");

/** The values of a row of the figures. */
const row = async (page, name) =>
  (await page.locator("table.figures tr", { hasText: name }).first().locator("td").allInnerTexts()).map((text) => text.trim());

/** Drags a handle to a share of the map, in steps. */
async function drag(page, label, [x, y], steps = 10) {
  const from = await page.getByLabel(new RegExp(`^${label}, at`)).first().boundingBox();
  const map = await page.locator(".map").first().boundingBox();
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(map.x + map.width * x, map.y + map.height * y, { steps });
  await page.mouse.up();
}

test("two exact engines find paths of the same length, and one expands less", () => withPage(async ({ page, open, shot }) => {
  await open(`tab=search&${mapOf(TOWN)}&a=astar&b=atlas`);
  await settled(page);
  await drag(page, "Goal", [0.3, 0.6]);
  await settled(page);
  const [first, second] = await row(page, "Length");
  assert.equal(first, second);
  const [expanded, fewer] = (await row(page, "Nodes expanded")).map((text) => Number(text.replaceAll(",", "")));
  assert.ok(fewer < expanded);
  await shot("search");
}));

test("a link restores ends, engines, settings and the step", () => withPage(async ({ page, open }) => {
  await open(`tab=search&${mapOf(TOWN)}&a=astar&b=differential&landmarks=3`);
  await settled(page);
  await page.getByLabel(/^Start, at/).first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await settled(page);
  await page.getByLabel(/Expanded so far/).fill("40");
  await page.waitForFunction(() => location.hash.includes("step=40"));
  const before = { start: await page.getByLabel(/^Start, at/).first().getAttribute("aria-label"), length: await row(page, "Length") };
  const link = new URL(page.url()).hash.slice(1);
  await open(link);
  await settled(page);
  const after = { start: await page.getByLabel(/^Start, at/).first().getAttribute("aria-label"), length: await row(page, "Length") };
  assert.deepEqual(after, before);
  assert.equal(await page.getByLabel(/Expanded so far/).inputValue(), "40");
  assert.equal(await page.getByLabel(/^Landmarks/).inputValue(), "3");
}));

test("a search plays to its end", () => withPage(async ({ page, open }) => {
  await open(`tab=search&${mapOf(TOWN)}`);
  await settled(page);
  await page.getByLabel("Speed").selectOption("3");
  await page.getByRole("button", { name: "Play" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  const slider = page.getByLabel(/Expanded so far/);
  const total = await slider.getAttribute("max");
  await page.waitForFunction(() => Number(document.querySelector(".player input").value) > 0);
  await page.getByRole("button", { name: "Play" }).waitFor();
  assert.equal(await slider.inputValue(), total);
}));

test("a damaged link, a road network and an engine that does not fit are explained", () => withPage(async ({ page, open, shot }) => {
  await open(`tab=search&a=nonsense&b=5&from=-4&to=99999999&step=x&landmarks=-1&${mapOf(TOWN)}`);
  await settled(page);
  assert.match((await row(page, "Length"))[0], /^\d/);
  await open(`tab=search&${mapOf({ from: "gallery", name: "roads" })}`);
  await page.getByText("This map is a road network").waitFor();
  await page.getByRole("button", { name: "Open a grid instead" }).click();
  await settled(page);
  await open(`tab=search&a=atlas-uniform&${mapOf({ from: "gallery", name: "hills" })}`);
  await page.getByText("atlas-uniform does not work here").waitFor();
  await shot("search-unsupported");
}));

test("on a dropped map, an unreachable goal gets the path to the nearest cell", () => withPage(async ({ page, open }) => {
  await open(`tab=search&${mapOf(TOWN)}`);
  await settled(page);
  const drawing = Array.from({ length: 20 }, () => "..........#.........").join("\n");
  await page.locator("input[type=file]").setInputFiles({ name: "two.txt", mimeType: "text/plain", buffer: Buffer.from(drawing) });
  await page.waitForFunction(() => location.hash.includes("two.txt"));
  await settled(page);
  await drag(page, "Start", [0.3, 0.5]);
  await drag(page, "Goal", [0.7, 0.5]);
  await settled(page);
  assert.equal((await row(page, "Length"))[0], "no path");
  await page.getByText("No path: the goal is in another part of the map").waitFor();
}));

test("the view fits on a phone", () => withPage(async ({ page, open, shot }) => {
  await open(`tab=search&${mapOf(TOWN)}&a=astar&b=hpa`);
  await settled(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await shot("search-phone");
}, { viewport: PHONE, theme: "dark" }));

test("dragging on 512 x 512 cells with astar and atlas keeps the frame rate", () => withPage(async ({ page, open }) => {
  await open("tab=search&a=astar&b=atlas");
  await settled(page);
  const box = await page.getByLabel(/^Start, at/).first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  const map = await page.locator(".map").first().boundingBox();
  const round = async () => {
    await page.evaluate(() => {
      window.frameTimes = [];
      let last = performance.now();
      const next = (now) => {
        window.frameTimes.push(now - last);
        last = now;
        window.frame = requestAnimationFrame(next);
      };
      window.frame = requestAnimationFrame(next);
    });
    for (let at = 0; at < 90; at++) {
      const angle = at / 14;
      await page.mouse.move(map.x + map.width * (0.55 + 0.35 * Math.cos(angle)), map.y + map.height * (0.5 + 0.25 * Math.sin(angle)));
    }
    const times = await page.evaluate(() => {
      cancelAnimationFrame(window.frame);
      return window.frameTimes.slice(2).sort((a, b) => a - b);
    });
    return times[Math.floor(times.length * 0.95)];
  };
  // Whatever else the machine does must not spoil all rounds.
  let best = Infinity;
  for (let attempt = 0; attempt < 6 && best >= 20; attempt++) best = Math.min(best, await round());
  await page.mouse.up();
  // Machines that test do other work meanwhile, so only a page that hangs fails; `npm run measure` measures.
  assert.ok(best < 250, `p95 of frame times is ${best} ms`);
}));

test("another engine ends a build that takes long", () => withPage(async ({ page, open }) => {
  await open("tab=search&a=canonical");
  await page.locator(".overlay .progress:not([hidden])").first().waitFor();
  await page.locator("select").first().selectOption("astar");
  await page.waitForSelector("#view[data-settled=true]");
  assert.equal(await page.locator(".map .caption").first().innerText(), "astar");
  assert.match(await page.locator(".figures").first().innerText(), /Index\s+none|none/);
}));

test("a handle beyond the edge of a zoomed map is brought back by the keyboard", () => withPage(async ({ page, open }) => {
  await open("tab=search");
  await page.waitForSelector("#view[data-settled=true]");
  for (let times = 0; times < 4; times++) await page.getByRole("button", { name: "Zoom in" }).first().click();
  await page.getByRole("button", { name: "Show the whole map" }).first().focus();
  for (let times = 0; times < 4; times++) await page.getByRole("button", { name: "Zoom in" }).first().press("Enter");
  await page.getByRole("button", { name: "Show the whole map" }).first().focus();
  await page.keyboard.press("Tab");
  // The handle is placed with the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const { scroll, isInside } = await page.evaluate(() => {
    const handle = /** @type {HTMLElement} */ (document.activeElement);
    const map = /** @type {HTMLElement} */ (handle.closest(".map"));
    const [at, box] = [handle.getBoundingClientRect(), map.getBoundingClientRect()];
    return { scroll: map.scrollLeft + map.scrollTop, isInside: at.left >= box.left && at.right <= box.right && at.top >= box.top && at.bottom <= box.bottom };
  });
  assert.equal(scroll, 0);
  assert.ok(isInside, "the focused handle is in view");
}));
