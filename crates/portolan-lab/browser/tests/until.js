// Waits for what a view shows. The page forbids evaluated code, so `page.waitForFunction` cannot be
// used; this asks from outside.

import { setTimeout as pause } from "node:timers/promises";

/** How long a test waits, in milliseconds. */
const PATIENCE = 30_000;

/**
 * Waits until the data of the view (`host.dataset`) fit; returns them.
 * @param {import("playwright-core").Page} page
 * @param {(data: { [name: string]: string | undefined }) => boolean} fits
 */
export async function until(page, fits) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const data = await page.evaluate(() => ({ .../** @type {HTMLElement} */ (document.getElementById("view")).dataset }));
    if (fits(data)) return data;
    if (Date.now() > end) throw new Error(`the view still shows ${JSON.stringify(data)}`);
    await pause(30);
  }
}
