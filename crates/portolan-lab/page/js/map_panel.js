// @ts-check
// Chooses a map: from the gallery, generated, or a dropped file.

import { button, element, field, select, showError, slider } from "./ui.js";

/** @typedef {import("./store.js").Store} Store */

/** @type {Promise<any> | null} */
let listing = null;

/**
 * Controls that open maps.
 * @param {Store} store
 */
export function mapPanel(store) {
  const host = element("section", {}, element("h2", {}, "Map"));
  listing ??= store.connection.ask({ topic: "maps", do: "list" }).then(({ data }) => data);
  listing.then((data) => host.append(...controls(store, data)), showError);
  return host;
}

/** @param {Store} store @param {any} data */
function controls(store, data) {
  const source = store.choice.source;
  const open = (/** @type {Partial<import("./store.js").MapChoice>} */ change) =>
    store.open({ ...store.choice, ...change }).catch(showError);
  const options = [
    ...data.gallery.map((/** @type {any} */ { name, title }) => ({ value: `gallery ${name}`, title })),
    ...data.kinds.map((/** @type {any} */ { kind, title }) => ({ value: `kind ${kind}`, title: `Generate: ${title}` })),
    { value: "file", title: source.from === "file" ? `File: ${source.name}` : "A file of your own…" },
  ];
  const present = source.from === "gallery" ? `gallery ${source.name}` : source.from === "file" ? "file" : `kind ${source.kind}`;
  const settings = element("div", { class: "row" });

  const picker = element("input", {
    type: "file", hidden: true, multiple: true, accept: ".map,.gr,.co,.png,.txt", "aria-label": "Map file",
    onchange: () => dropFiles(store, picker.files).catch(showError),
  });

  const showKind = (/** @type {string} */ name) => {
    const kind = data.kinds.find((/** @type {any} */ known) => known.kind === name);
    const generated = source.from === "generated" && source.kind === name ? source : null;
    const values = { size: generated?.size ?? kind.size.proposal, grain: generated?.grain ?? kind.grain.proposal, seed: generated?.seed ?? 1 };
    const generate = () => open({ source: { from: "generated", kind: name, ...values } });
    const seed = element("input", { type: "number", min: 0, max: 4294967295, onchange: () => { values.seed = Number(seed.value); } });
    seed.value = String(values.seed);
    const range = (/** @type {"size" | "grain"} */ key) =>
      slider(kind[key].label, { least: kind[key].least, most: kind[key].most, value: values[key] }, (value) => { values[key] = value; });
    settings.replaceChildren(range("size"), range("grain"), field("Seed", seed), button("Generate", generate, { class: "primary" }));
    return generate;
  };

  const choose = select(options, present, (value) => {
    const [from, name] = value.split(" ");
    settings.replaceChildren();
    if (from === "gallery") open({ source: { from, name } });
    else if (from === "kind") showKind(name)();
    else picker.click();
  });
  if (source.from === "generated") showKind(source.kind ?? "rooms");

  const moves = select([
    { value: "eight never", title: "Eight, never past corners" },
    { value: "eight past-one", title: "Eight, past one corner" },
    { value: "eight always", title: "Eight, between corners too" },
    { value: "four never", title: "Four" },
  ], `${store.choice.moves} ${store.choice.corners}`, (value) => {
    const [moves, corners] = value.split(" ");
    open({ moves, corners });
  });
  const movesField = field("Moves", moves);
  movesField.hidden = store.graph !== null;
  return [field("Choose, generate, or drop a file anywhere", choose), settings, movesField, picker];
}

/**
 * Opens a dropped map. A `.co` file beside a `.gr` has its coordinates.
 * @param {Store} store
 * @param {FileList | File[] | null} files
 */
export async function dropFiles(store, files) {
  const all = [...(files ?? [])];
  const coordinates = all.find(({ name }) => name.toLowerCase().endsWith(".co"));
  const map = all.find((file) => file !== coordinates);
  if (!map) throw new Error("Drop the map together with its coordinates.");
  /** @type {{ [name: string]: Uint8Array }} */
  const parts = { file: new Uint8Array(await map.arrayBuffer()) };
  if (coordinates) parts.coordinates = new Uint8Array(await coordinates.arrayBuffer());
  const { data } = await store.connection.ask({ topic: "maps", do: "drop", name: map.name }, { parts });
  await store.open({ ...store.choice, source: data.source });
}
