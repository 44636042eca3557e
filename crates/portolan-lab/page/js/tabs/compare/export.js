// @ts-check
// What a benchmark leaves: files, and the command that repeats it.

/** @typedef {import("./view.js").Figures} Figures */

/** The names of figures in the order of `portolan bench --json`. */
const NAMES = [
  "engine", "exact", "form", "build_s", "build_cpu_s", "index_bytes", "queries", "invalid", "found", "mean_us",
  "median_us", "p99_us", "distance_mean_us", "expanded_mean", "generated_mean", "optimal", "suboptimality_mean",
  "suboptimality_max", "illegal",
];

/** @param {Figures} row @returns {[string, unknown][]} */
function ordered(row) {
  const values = Object.entries(row);
  const rank = (/** @type {string} */ name) => (NAMES.includes(name) ? NAMES.indexOf(name) : NAMES.length);
  return values.sort(([a], [b]) => rank(a) - rank(b));
}

/** Figures as `portolan bench --json` prints them. @param {Figures[]} rows */
export function json(rows) {
  return `${JSON.stringify(rows.map((row) => Object.fromEntries(ordered(row))), null, 2)}\n`;
}

/** Figures as comma-separated values. @param {Figures[]} rows */
export function csv(rows) {
  const quoted = (/** @type {unknown} */ value) => {
    const text = value === null ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const names = ordered(rows[0]).map(([name]) => name);
  const lines = rows.map((row) => ordered(row).map(([, value]) => quoted(value)).join(","));
  return `${[names.join(","), ...lines].join("\n")}\n`;
}

/** Saves a text under this name. @param {string} name @param {string} type @param {string} text */
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after this function has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/**
 * The command that measures the same.
 * @param {import("../../store.js").Store} store
 * @param {import("./view.js").Plan} plan
 * @param {string[]} engines
 * @param {number} supported how many engines there are to choose from
 */
export function command(store, { queries, seed, memory }, engines, supported) {
  const { source, moves, corners } = store.choice;
  const file = source.from === "file" ? source.name ?? "MAP" : "MAP";
  const words = ["portolan bench", /[^\w.-]/.test(file) ? `'${file}'` : file];
  if (store.grid && moves !== "eight") words.push(`--moves ${moves}`);
  if (store.grid && moves === "eight" && corners !== "never") words.push(`--corners ${corners === "past-one" ? "one" : corners}`);
  if (store.graph?.points && source.from === "file") words.push("--coordinates FILE.co");
  words.push(`--random ${queries} --seed ${seed} --memory ${memory}MiB`);
  if (engines.length < supported) words.push(`--engines ${engines.join(",")}`);
  return words.join(" ");
}
