// @ts-check
// The frame around the views: tabs, theme, shared links, dropped files.

import { dropFiles } from "./map_panel.js";
import { Store } from "./store.js";
import landmarks from "./tabs/landmarks/view.js";
import crowds from "./tabs/crowds/view.js";
import edits from "./tabs/edits/view.js";
import compare from "./tabs/compare/view.js";
import hierarchies from "./tabs/hierarchies/view.js";
import roads from "./tabs/roads/view.js";
import search from "./tabs/search/view.js";
import { element, notice, showError } from "./ui.js";

/**
 * A view. `mount` fills the host and returns what ends it.
 * @typedef {{ id: string, title: string, mount: (host: HTMLElement, store: Store) => (() => void) }} View
 */

/** @type {View[]} */
const VIEWS = [search, landmarks, hierarchies, edits, crowds, compare, roads];

const store = new Store();
store.restore();
const host = /** @type {HTMLElement} */ (document.getElementById("view"));
const bar = /** @type {HTMLElement} */ (document.getElementById("tabs"));
/** Ends the present view. @type {() => void} */
let leave = () => {};

const tabs = VIEWS.map((view) => element("button", {
  type: "button", role: "tab", id: `tab-${view.id}`, "aria-controls": "view",
  onclick: () => show(view),
}, view.title));
bar.append(...tabs);
bar.addEventListener("keydown", (event) => {
  const at = tabs.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (at < 0 || !step) return;
  event.preventDefault();
  const next = (at + step + tabs.length) % tabs.length;
  tabs[next].focus();
  show(VIEWS[next]);
});

/** @param {View} view */
function show(view) {
  leave();
  store.remember({ tab: view.id });
  tabs.forEach((tab, at) => {
    const isChosen = VIEWS[at] === view;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  });
  host.setAttribute("role", "tabpanel");
  host.setAttribute("aria-labelledby", `tab-${view.id}`);
  host.replaceChildren();
  document.title = `${view.title} – Portolan lab`;
  leave = view.mount(host, store);
}

/** @param {string} theme */
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  store.dispatchEvent(new Event("theme"));
}

const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");
setTheme(localStorage.getItem("theme") ?? (systemIsDark.matches ? "dark" : "light"));
document.getElementById("theme")?.addEventListener("click", () => {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("theme", theme);
  setTheme(theme);
});

document.getElementById("share")?.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    notice("The link to this scene is in the clipboard.");
  } catch {
    notice(`The address of this page restores the scene: ${location.href}`);
  }
});

// A link that is pasted into the address of an open lab restores its scene, too.
window.addEventListener("hashchange", () => location.reload());
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  host.focus();
});

document.addEventListener("dragover", (event) => {
  event.preventDefault();
  host.classList.add("dropping");
});
document.addEventListener("dragleave", () => host.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  host.classList.remove("dropping");
  dropFiles(store, event.dataTransfer?.files ?? null).catch(showError);
});

try {
  await store.open(store.choice);
} catch (error) {
  showError(error);
  // The link may name a file that this lab has not seen.
  await store.open({ source: { from: "gallery", name: "rooms" }, moves: "eight", corners: "never" }).catch(showError);
}
const first = store.link.tab ?? (store.graph ? "roads" : "search");
show(VIEWS.find(({ id }) => id === first) ?? VIEWS[0]);
document.documentElement.dataset.ready = "true";
