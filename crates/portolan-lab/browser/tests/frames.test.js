// Dragging stays smooth. `npm run measure` measures it properly; here a busy machine of CI must not
// fail, so only a page that stalls does.

import assert from "node:assert/strict";
import test from "node:test";

import { DRAGGED, framesOfDrag, quantile } from "./frames.js";
import { withPage } from "./harness.js";

/** Milliseconds; at 60 frames a second a frame takes 17. */
const STALLED = 250;

test("dragging on 512 x 512 cells with two engines does not stall", (t) => withPage(async ({ page, open }) => {
  await open(DRAGGED);
  await page.locator("table.figures").first().waitFor();
  const times = await framesOfDrag(page, 3);
  const [half, most] = [quantile(times, 0.5), quantile(times, 0.95)];
  t.diagnostic(`${times.length} frames; median ${half.toFixed(1)} ms, 95 of 100 below ${most.toFixed(1)} ms`);
  assert.ok(most < STALLED, `${most} ms`);
}));
