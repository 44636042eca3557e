// Measures the lab on this machine: the time to its first page, and frames while a handle is
// dragged. Use an optimised program and leave the machine alone meanwhile:
//
//     cargo build --release && PORTOLAN=../../../target/release/portolan npm run measure

import { DRAGGED, framesOfDrag, quantile } from "./tests/frames.js";
import { launch, startLab } from "./tests/program.js";

const STARTS = 10;
const SECONDS = 10;

const starts = [];
for (let round = 0; round < STARTS; round++) {
  const begin = performance.now();
  const lab = await startLab();
  await (await fetch(lab.address)).text();
  starts.push(performance.now() - begin);
  await lab.end();
}
starts.sort((a, b) => a - b);
console.log(`from start to first page: median ${quantile(starts, 0.5).toFixed(0)} ms of ${STARTS} starts, at most ${starts.at(-1).toFixed(0)} ms`);

const lab = await startLab();
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(`${lab.address}#${DRAGGED}`);
await page.locator("table.figures").first().waitFor();
const times = await framesOfDrag(page, SECONDS);
await browser.close();
await lab.end();
const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(times, share).toFixed(1));
console.log(`dragging with astar and atlas on 512 x 512 cells: ${times.length} frames in ${SECONDS} s; p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`);
