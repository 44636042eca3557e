// @ts-check
// Agents that walk from cell to cell. The lab tells their cells step by step; between two steps they
// move smoothly.

/** Farther jumps are not walked. */
const LONGEST_STEP = 3;

/** The positions of agents, in cells. */
export class Agents {
  constructor() {
    this.count = 0;
    /** Where the agents were at the last step, x and y in turn. */
    this.before = new Float32Array(0);
    /** Where they are to be at the next one. */
    this.after = new Float32Array(0);
    this.start = 0;
    this.time = 1;
    this.width = 1;
  }

  /**
   * Takes the cells of a step, to be reached after some time.
   * @param {Uint32Array} cells
   * @param {number} width of the map
   * @param {number} time in milliseconds
   */
  receive(cells, width, time) {
    const now = performance.now();
    const share = this.share(now);
    const isSame = cells.length === this.count && width === this.width;
    const after = new Float32Array(2 * cells.length);
    const before = new Float32Array(2 * cells.length);
    for (let agent = 0; agent < cells.length; agent++) {
      const at = 2 * agent;
      after[at] = (cells[agent] % width) + 0.5;
      after[at + 1] = Math.floor(cells[agent] / width) + 0.5;
      before[at] = after[at];
      before[at + 1] = after[at + 1];
      if (!isSame) continue;
      const x = this.before[at] + (this.after[at] - this.before[at]) * share;
      const y = this.before[at + 1] + (this.after[at + 1] - this.before[at + 1]) * share;
      if (Math.abs(x - after[at]) + Math.abs(y - after[at + 1]) > 2 * LONGEST_STEP) continue;
      before[at] = x;
      before[at + 1] = y;
    }
    [this.count, this.width, this.start, this.time] = [cells.length, width, now, time];
    [this.before, this.after] = [before, after];
  }

  /** How much of the step has passed. @param {number} now */
  share(now) {
    return Math.min(Math.max((now - this.start) / this.time, 0), 1);
  }

  /**
   * Where the agents are now: x and y in turn.
   * @param {number} now
   * @param {Float32Array} [into]
   */
  positions(now, into = new Float32Array(2 * this.count)) {
    const share = this.share(now);
    const { before, after } = this;
    for (let at = 0; at < into.length; at++) into[at] = before[at] + (after[at] - before[at]) * share;
    return into;
  }
}

/** Calls `frame` for every frame of the screen until it is stopped. @param {(now: number) => void} frame */
export function eachFrame(frame) {
  let handle = 0;
  const next = (/** @type {number} */ now) => {
    handle = requestAnimationFrame(next);
    frame(now);
  };
  handle = requestAnimationFrame(next);
  return () => cancelAnimationFrame(handle);
}
