// @ts-check
// What a view of grids shows instead of a road network.

import { button, element, showError } from "./ui.js";

/**
 * Explains that the view is for grids, and offers ways out.
 * @param {import("./store.js").Store} store
 * @param {string} text
 */
export function needsGrid(store, text) {
  const roads = document.getElementById("tab-roads");
  const openRooms = () => store.open({ ...store.choice, source: { from: "gallery", name: "rooms" } }).catch(showError);
  return element("div", { class: "elsewhere" },
    element("h2", {}, "This map is a road network"),
    element("p", {}, text),
    element("div", { class: "row" },
      roads ? button("Show it in the view Roads", () => roads.click(), { class: "primary" }) : null,
      button("Open a grid instead", openRooms)));
}
