// The times between frames while a handle is dragged.

/** A search by `astar` beside one by `atlas`, on 512 x 512 cells. */
export const DRAGGED = new URLSearchParams({
  tab: "search", map: JSON.stringify({ source: { from: "gallery", name: "rooms" } }), a: "astar", b: "atlas",
}).toString();

/**
 * Drags the start over the map with the mouse, without a pause.
 * @param {import("playwright-core").Page} page
 * @param {number} seconds
 * @returns {Promise<number[]>} milliseconds between frames, in ascending order
 */
export async function framesOfDrag(page, seconds) {
  const box = await page.getByLabel(/^Start/).first().boundingBox();
  const map = await page.locator(".map").first().boundingBox();
  if (!box || !map) throw new Error("there is no start to be dragged");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  let isDone = false;
  const measured = page.evaluate((seconds) => new Promise((done) => {
    /** @type {number[]} */
    const times = [];
    const begin = performance.now();
    let last = begin;
    const frame = (/** @type {number} */ now) => {
      times.push(now - last);
      last = now;
      // The first frames belong to what was before.
      if (now - begin > 1000 * seconds) done(times.slice(5));
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }), seconds).finally(() => { isDone = true; });
  for (let turn = 0; !isDone; turn += 0.02) {
    const [x, y] = [0.5 + 0.4 * Math.cos(2 * turn), 0.5 + 0.4 * Math.sin(3 * turn)];
    await page.mouse.move(map.x + map.width * x, map.y + map.height * y);
  }
  await page.mouse.up();
  return (await measured).sort((a, b) => a - b);
}

/** @param {number[]} sorted @param {number} share */
export const quantile = (sorted, share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)];
