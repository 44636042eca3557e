// What holds for every view: it opens without an error, also from a damaged link and for a map of
// the wrong kind, and it is accessible, on a laptop and on a phone, in light and dark.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";

import { PHONE, withPage } from "./harness.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Roads, on which views of grids have to say so. */
const GRAPH = JSON.stringify({ source: { from: "gallery", name: "roads" } });

/** The tabs, by their ids. @param {import("playwright-core").Page} page */
async function tabsOf(page) {
  const ids = await page.getByRole("tab").evaluateAll((tabs) => tabs.map((tab) => tab.id.replace("tab-", "")));
  assert.notEqual(ids.length, 0, "there are tabs");
  return ids;
}

/** Waits until a view shows its newest answer. */
const settle = (page) => page.waitForFunction(() => {
  const { settled } = document.getElementById("view")?.dataset ?? {};
  return settled && settled !== "false";
});

/** Fails if the view has a serious defect for people who cannot see, or cannot use a mouse. */
async function checkAccess(page, what) {
  // As the debugger's expression, for the page refuses scripts of others.
  await page.evaluate(`${AXE};0`);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const found = serious.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join("\n")}`);
  assert.deepEqual(found, [], what);
}

for (const [device, viewport] of Object.entries({ laptop: undefined, phone: PHONE })) {
  for (const theme of /** @type {const} */ (["light", "dark"])) {
    test(`every view is accessible on a ${device} in ${theme}`, () => withPage(async ({ page, open, shot }) => {
      for (const tab of await tabsOf(page)) {
        await open(`tab=${tab}`);
        await settle(page);
        await shot(`${tab}-${device}-${theme}`);
        await checkAccess(page, `${tab}, ${device}, ${theme}`);
        const { scrollWidth, clientWidth } = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return { scrollWidth, clientWidth };
        });
        assert.ok(scrollWidth <= clientWidth, `${tab} is wider than a ${device}: ${scrollWidth} of ${clientWidth} pixels`);
      }
    }, { viewport, theme, reducedMotion: true }));
  }
}

test("views follow each other by mouse and keyboard, and each is in the link", () => withPage(async ({ page }) => {
  const ids = await tabsOf(page);
  for (const id of ids) {
    await page.locator(`#tab-${id}`).click();
    await settle(page);
    assert.match(page.url(), new RegExp(`tab=${id}`));
  }
  await page.locator(`#tab-${ids[0]}`).click();
  for (const id of [...ids.slice(1), ids[0]]) {
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector(`#tab-${id}[aria-selected=true]:focus`);
    await settle(page);
  }
}));

test("a view that is left while requests wait closes its socket", () => withPage(async ({ page, open }) => {
  // Counted in the page: the browser reports no end of the sockets of a page that was left.
  await page.addInitScript(() => {
    window.sockets = [];
    window.WebSocket = class extends WebSocket {
      constructor(/** @type {URL} */ address) {
        super(address);
        window.sockets.push(this);
      }
    };
  });
  await open("tab=landmarks");
  await settle(page);
  const handle = page.locator(".handle").first();
  const box = await handle.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let step = 1; step <= 20; step++) await page.mouse.move(box.x + 8 * step, box.y + 5 * step);
  // No waiting for answers.
  await page.evaluate(() => document.getElementById("tab-compare")?.click());
  await page.mouse.up();
  await settle(page);
  // One for maps, and one for the view that is shown.
  await page.waitForFunction(() => {
    const open = window.sockets.filter(({ readyState }) => readyState !== WebSocket.CLOSED);
    return window.sockets.length > 2 && open.length === 2;
  });
}));

test("a link that is pasted into an open lab opens its scene", () => withPage(async ({ page, open }) => {
  await open("tab=search");
  await page.evaluate(() => { location.hash = "tab=compare"; });
  await page.waitForSelector("#tab-compare[aria-selected=true]");
  await settle(page);
}));

test("views of grids explain themselves on a graph, and those of graphs on a grid", () => withPage(async ({ page, open, shot }) => {
  for (const tab of await tabsOf(page)) {
    await open(new URLSearchParams({ tab, map: GRAPH }).toString());
    await settle(page);
    await shot(`${tab}-on-a-graph`);
    assert.equal(await page.locator(".notice.wrong").count(), 0, `${tab}: an error instead of an explanation`);
    assert.notEqual((await page.locator("#view").innerText()).trim(), "", `${tab} is empty`);
  }
}));

const DAMAGED = [
  "tab=nonsense",
  "tab=search&map=%7B",
  "tab=search&map=%7B%7D",
  `tab=search&map=${encodeURIComponent('{"source":{"from":"gallery","name":"missing"}}')}`,
  `tab=search&map=${encodeURIComponent('{"source":{"from":"file","name":"gone.map","hash":"0"}}')}`,
  `tab=search&map=${encodeURIComponent('{"source":{"from":"generated","kind":"rooms","size":99999,"grain":8,"seed":1}}')}`,
  "from=-1&to=99999999999&engine=nonsense&step=NaN&a=&=b&%=%",
];

test("damaged links open a lab all the same", () => withPage(async ({ page, open }) => {
  for (const link of DAMAGED) {
    await open(link);
    await settle(page);
    await page.locator("canvas").first().waitFor();
  }
  for (const tab of await tabsOf(page)) {
    const keys = new Set([...page.url().matchAll(/[#&]([^=&]+)=/g)].map(([, key]) => key));
    const wild = [...keys].filter((key) => key !== "tab" && key !== "map").map((key) => `${key}=%00-1e999`);
    await open([`tab=${tab}`, ...wild].join("&"));
    await settle(page);
  }
}));
