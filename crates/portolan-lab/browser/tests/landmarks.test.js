// The view Landmarks: lessons, dragging, placement, painting, links.

import assert from "node:assert/strict";
import test from "node:test";

import { PHONE, withPage } from "./harness.js";

const mapOf = (source) => `map=${encodeURIComponent(JSON.stringify({ source }))}`;
const CAVES = mapOf({ from: "generated", kind: "caves", size: 96, grain: 3, seed: 3 });
const settled = (page) => page.waitForSelector("#view[data-settled]");

const numbers = async (page, name) => {
  const cells = page.locator("table.figures tr", { hasText: name }).first().locator("td");
  return (await cells.allInnerTexts()).map((text) => Number(text.replace(/[^\d.]/g, "")));
};

test("every lesson shows its scene", () => withPage(async ({ page, open, shot }) => {
  await open("tab=landmarks&lesson=wind");
  await settled(page);
  const lessons = await page.getByLabel("Lesson").locator("option").evaluateAll((options) => options.map((option) => option.value));
  assert.ok(lessons.length >= 9);
  for (const lesson of lessons.slice(1)) {
    await page.getByLabel("Lesson").selectOption(lesson);
    await page.waitForFunction((lesson) => location.hash.includes(`lesson=${lesson}`), lesson);
    await settled(page);
    const [plain, guided] = await numbers(page, "Cells expanded");
    assert.ok(plain > 0 && guided > 0, lesson);
    await shot(`landmarks-${lesson}`);
  }
}));

test("landmarks are placed, make A* expand less, and never change the length", () => withPage(async ({ page, open, shot }) => {
  await open(`tab=landmarks&${CAVES}`);
  await settled(page);
  assert.equal(await page.locator(".chip").count(), 8);
  const [plain, guided] = await numbers(page, "Cells expanded");
  assert.ok(guided < plain);
  const [length, same] = await numbers(page, "Path length");
  assert.equal(length, same);
  const [distance, landmarks] = await numbers(page, "Of the true distance");
  assert.ok(distance < landmarks && landmarks <= 100);
  await shot("landmarks");
}));

test("landmarks are moved and removed by keys, and the link restores them", () => withPage(async ({ page, open }) => {
  await open(`tab=landmarks&${CAVES}`);
  await settled(page);
  const second = page.getByLabel(/^Landmark 2, at/).first();
  const before = await second.getAttribute("aria-label");
  await second.focus();
  for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
  assert.notEqual(await second.getAttribute("aria-label"), before);
  await page.getByLabel(/^Landmark 1, at/).first().focus();
  await page.keyboard.press("Delete");
  await settled(page);
  assert.equal(await page.locator(".chip").count(), 7);
  await page.getByRole("button", { name: "Triangle of landmark 3" }).click();
  await page.getByText("Their difference").waitFor();
  await settled(page);
  const state = async () => [await numbers(page, "Cells expanded"), await page.locator(".handle").evaluateAll((all) => all.map((one) => one.ariaLabel))];
  const kept = await state();
  await open(new URL(page.url()).hash.slice(1));
  await settled(page);
  assert.deepEqual(await state(), kept);
  await page.getByText("Their difference").waitFor();
}));

test("stale landmarks miss a short cut until they are computed again", () => withPage(async ({ page, open }) => {
  await open("tab=landmarks&lesson=changes");
  await settled(page);
  const [truth, stale] = await numbers(page, "Path length");
  assert.ok(stale > truth);
  await page.getByRole("button", { name: "Compute again" }).click();
  await settled(page);
  const [same, fresh] = await numbers(page, "Path length");
  assert.deepEqual([same, fresh], [truth, truth]);
  // Draws a wall beside the hole.
  const map = await page.locator(".map").first().boundingBox();
  await page.mouse.move(map.x + map.width * 0.4, map.y + map.height * 0.45);
  await page.mouse.down();
  await page.mouse.move(map.x + map.width * 0.4, map.y + map.height * 0.55, { steps: 5 });
  await page.mouse.up();
  await page.getByText("cells changed since").waitFor();
}));

test("the best site is found and taken, and strategies are compared", () => withPage(async ({ page, open }) => {
  await open(`tab=landmarks&${CAVES}&lm=.&show=sites`);
  await settled(page);
  await page.getByText("with a landmark on the best site").waitFor();
  await page.getByRole("button", { name: "On the best site" }).click();
  await page.locator(".chip").first().waitFor();
  await page.getByRole("button", { name: "Compare all strategies" }).click();
  await page.waitForSelector('[data-rows="7"]');
}));

test("a road network and a damaged link are explained", () => withPage(async ({ page, open }) => {
  await open(`tab=landmarks&${mapOf({ from: "gallery", name: "roads" })}`);
  await page.getByText("This map is a road network").waitFor();
  await open(`tab=landmarks&${CAVES}&lm=zzzzzzz.-1.%00.q&painted=zzzzzzz.1&known=99&triangle=77&show=x&wind=y&from=a&to=-1`);
  await settled(page);
  assert.ok((await numbers(page, "Cells expanded"))[0] > 0);
}));

test("the view fits on a phone", () => withPage(async ({ page, open, shot }) => {
  await open(`tab=landmarks&lesson=triangle`);
  await settled(page);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await shot("landmarks-phone");
}, { viewport: PHONE, theme: "dark" }));
