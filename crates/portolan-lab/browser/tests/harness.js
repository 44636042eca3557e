// The lab in a real browser. Each file of tests has a lab and a browser of its own, which end with
// it. A test fails if the page logs an error, throws one, or cannot load a file.
//
//     import test from "node:test";
//     import { withPage } from "./harness.js";
//
//     test("the search view opens", () => withPage(async ({ page, url, shot, command }) => {
//       await page.goto(url("tab=search"));
//       ...
//     }));
//
// Environment: PORTOLAN names the program, CHROMIUM the browser, PORTOLAN_SHOTS the folder that
// keeps screenshots.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after } from "node:test";

import { command, launch, startLab } from "./program.js";

/** How long a test waits for anything on the page, in milliseconds. */
const PATIENCE = 30_000;

const LAPTOP = { width: 1280, height: 800 };

/**
 * @typedef {object} Options
 * @property {{ width: number, height: number }} [viewport] a laptop's by default; `PHONE` is the other
 * @property {"light" | "dark"} [theme]
 * @property {boolean} [reducedMotion]
 * @property {RegExp} [expected] errors that the test causes on purpose
 *
 * @typedef {object} Lab
 * @property {import("playwright-core").Page} page opened on the lab and ready
 * @property {(link?: string) => string} url the address that opens this scene
 * @property {(link?: string) => Promise<void>} open opens a scene and waits until it is ready
 * @property {(name: string) => Promise<string>} shot keeps a screenshot; returns its path
 * @property {(args: string[]) => string} command runs the program; returns what it prints
 */

export const PHONE = { width: 390, height: 844 };

/** Screenshots of this run. */
export const shots = process.env.PORTOLAN_SHOTS
  ? resolve(process.env.PORTOLAN_SHOTS)
  : mkdtempSync(join(tmpdir(), "portolan-shots-"));
mkdirSync(shots, { recursive: true });

/** @type {Promise<import("playwright-core").Browser> | null} */
let browser = null;
/** @type {Promise<{ address: string, end: () => Promise<number | null> }> | null} */
let server = null;

/**
 * Opens the lab on a new page, runs the test, and fails if the page reported an error.
 * @param {(lab: Lab) => Promise<void>} test
 * @param {Options} [options]
 */
export async function withPage(test, { viewport = LAPTOP, theme = "light", reducedMotion = false, expected } = {}) {
  browser ??= launch();
  server ??= startLab();
  const { address } = await server;
  const context = await (await browser).newContext({
    viewport, colorScheme: theme, reducedMotion: reducedMotion ? "reduce" : "no-preference",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const errors = watchErrors(page);
  let opened = 0;
  // The query makes every address another page: one that differs in its link only is not reloaded.
  const url = (link = "") => `${address}?${++opened}#${link}`;
  const open = async (link = "") => {
    await page.goto(url(link));
    await page.waitForSelector("html[data-ready]");
  };
  const shot = async (/** @type {string} */ name) => {
    const path = join(shots, `${name}.png`);
    await page.screenshot({ path });
    return path;
  };
  try {
    await open();
    await test({ page, url, open, shot, command });
  } catch (error) {
    // What the page looked like tells more than what did not come.
    const path = await shot(`failed-${Date.now()}`).catch(() => "no screenshot");
    throw new Error(`${error.message}\nscreenshot: ${path}\nerrors of the page: ${errors.join("\n") || "none"}`, { cause: error });
  } finally {
    await context.close();
  }
  const unexpected = errors.filter((error) => !expected?.test(error));
  assert.deepEqual(unexpected, [], "the page reported errors");
}

/** The errors of a page, as they come. @param {import("playwright-core").Page} page */
function watchErrors(page) {
  /** @type {string[]} */
  const errors = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => errors.push(`uncaught: ${error.stack ?? error.message}`));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // Leaving a page ends its requests.
    if (reason !== "net::ERR_ABORTED") errors.push(`request: ${request.url()}: ${reason}`);
  });
  return errors;
}

after(async () => {
  await (await browser)?.close();
  await (await server)?.end();
});
