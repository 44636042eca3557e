// @ts-check
// A handle that is shown on several views of one map, and is at the same cell on all of them.

/** @typedef {import("./grid_view.js").GridView} GridView */
/** @typedef {import("./grid_view.js").HandleOptions} HandleOptions */

export class SharedHandle {
  /** @param {GridView[]} views @param {HandleOptions} options */
  constructor(views, options) {
    this.views = views;
    const onMove = (/** @type {number} */ cell) => {
      this.set(cell);
      options.onMove(cell);
    };
    this.handles = views.map((view) => view.addHandle({ ...options, onMove }));
  }

  /** Its cell. */
  get cell() {
    return this.handles[0].cell;
  }

  /** Moves it without telling so. @param {number} cell */
  set(cell) {
    for (const handle of this.handles) handle.set(cell);
  }

  remove() {
    this.handles.forEach((handle, at) => this.views[at].removeHandle(handle));
  }
}
