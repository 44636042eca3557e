// @ts-check
// Small pieces of pages: elements, controls, figures, notices.

/**
 * An element. Attributes that begin with `on` are listeners, `class` and the like are attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {{ [name: string]: any }} [attributes]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

let lastId = 0;

/** An id that no other element has. */
export function freshId() {
  lastId += 1;
  return `e${lastId}`;
}

/**
 * A labelled control.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {HTMLElement} [value] shown at the end of the label
 */
export function field(label, control, value) {
  control.id ||= freshId();
  return element("div", { class: "field" }, element("label", { for: control.id }, label, value), control);
}

/**
 * A choice of one.
 * @param {{ value: string, title: string }[]} options
 * @param {string} value
 * @param {(value: string) => void} onChange
 */
export function select(options, value, onChange) {
  const made = element("select", { onchange: () => onChange(made.value) });
  made.append(...options.map((option) => element("option", { value: option.value }, option.title)));
  made.value = value;
  return made;
}

/**
 * A labelled slider that shows its number.
 * @param {string} label
 * @param {{ least: number, most: number, value: number, step?: number, unit?: string }} range
 * @param {(value: number) => void} onInput
 */
export function slider(label, range, onInput) {
  const shown = element("span", { class: "value number" }, `${range.value}${range.unit ?? ""}`);
  const input = element("input", {
    type: "range", min: range.least, max: range.most, step: range.step ?? 1,
    oninput: () => {
      shown.textContent = `${input.value}${range.unit ?? ""}`;
      onInput(Number(input.value));
    },
  });
  input.value = String(range.value);
  const whole = field(label, input, shown);
  return Object.assign(whole, {
    input,
    /** @param {number} value */
    set(value) {
      input.value = String(value);
      shown.textContent = `${input.value}${range.unit ?? ""}`;
    },
  });
}

/**
 * @param {string} label
 * @param {boolean} value
 * @param {(value: boolean) => void} onChange
 */
export function checkbox(label, value, onChange) {
  const input = element("input", { type: "checkbox", onchange: () => onChange(input.checked) });
  input.checked = value;
  return Object.assign(element("label", { class: "check" }, input, label), { input });
}

/**
 * @param {string} label
 * @param {() => void} onClick
 * @param {{ [name: string]: any }} [attributes]
 */
export function button(label, onClick, attributes = {}) {
  return element("button", { type: "button", onclick: onClick, ...attributes }, label);
}

/** @param {string} title @param {...(Node | string | null)} children */
export function section(title, ...children) {
  return element("section", {}, element("h2", {}, title), ...children);
}

/**
 * A text that teaches.
 * @param {string} title
 * @param {...string} paragraphs
 */
export function lesson(title, ...paragraphs) {
  const texts = paragraphs.map((text) => element("p", {}, text));
  return element("section", { class: "lesson" }, element("h2", {}, title), ...texts);
}

/**
 * A table of figures: a row for each name, a column for each set of values.
 * @param {string[]} columns titles; none for a single column without a title
 * @param {[string, ...string[]][]} rows
 */
export function figures(columns, rows) {
  const head = columns.length
    ? element("thead", {}, element("tr", {}, element("td"), ...columns.map((name) => element("th", { scope: "col" }, name))))
    : null;
  const body = rows.map(([name, ...values]) =>
    element("tr", {}, element("th", { scope: "row" }, name), ...values.map((value) => element("td", { class: "number" }, value))));
  return element("table", { class: "figures" }, head, element("tbody", {}, ...body));
}

/**
 * A table of figures whose values change often: a row for each name.
 * @param {string[]} names
 */
export function liveFigures(names) {
  const head = element("tr");
  const rows = names.map((name) => element("tr", {}, element("th", { scope: "row" }, name)));
  const whole = element("table", { class: "figures" }, element("thead", {}, head), element("tbody", {}, ...rows));
  return Object.assign(whole, {
    /** Sets the titles of the columns; a single one needs none. @param {string[]} titles */
    setColumns(titles) {
      head.replaceChildren(element("td"), ...titles.map((title) => element("th", { scope: "col" }, title)));
      head.hidden = titles.length < 2;
      for (const row of rows) {
        while (row.cells.length > titles.length + 1) row.deleteCell(-1);
        while (row.cells.length < titles.length + 1) row.append(element("td", { class: "number" }));
      }
    },
    /** Writes the values of a column. @param {number} column @param {string[]} values in the order of the names */
    set(column, values) {
      values.forEach((value, at) => {
        const cell = rows[at].cells[column + 1];
        if (cell && cell.textContent !== value) cell.textContent = value;
      });
    },
  });
}

/** A bar for long work, hidden until it starts, with a button that cancels. @param {() => void} [onCancel] */
export function progressBar(onCancel) {
  const text = element("span", {}, "");
  const bar = element("progress", { max: 1, "aria-label": "Progress" });
  const cancel = onCancel ? button("Cancel", onCancel) : null;
  const whole = element("div", { class: "progress", hidden: true }, element("div", { class: "row" }, text, cancel), bar);
  return Object.assign(whole, {
    /** @param {{ phase: string, done: number, total: number }} progress */
    show(progress) {
      whole.hidden = false;
      text.textContent = progress.phase;
      if (progress.total > 0) bar.value = progress.done / progress.total;
      else bar.removeAttribute("value");
    },
    hide() {
      whole.hidden = true;
    },
  });
}

/**
 * Tells the user something, until it is dismissed or, unless it is wrong, for a few seconds.
 * @param {string} text
 * @param {{ wrong?: boolean, help?: string }} [more]
 */
export function notice(text, { wrong = false, help = "" } = {}) {
  const host = document.getElementById("notices");
  if (!host) return;
  const dismiss = () => made.remove();
  const made = element("div", { class: wrong ? "notice wrong" : "notice" },
    element("div", {}, element("p", {}, text), help ? element("p", { class: "lesson" }, help) : null),
    button("×", dismiss, { "aria-label": "Dismiss" }));
  const same = [...host.children].find((other) => other.textContent === made.textContent);
  same?.remove();
  host.append(made);
  if (!wrong) setTimeout(dismiss, 6000);
}

/** Shows an error of the lab; a cancelled request is none. @param {unknown} error */
export function showError(error) {
  if (error && typeof error === "object" && "cancelled" in error && error.cancelled) return;
  const help = error && typeof error === "object" && "help" in error ? String(error.help) : "";
  notice(error instanceof Error ? error.message : String(error), { wrong: true, help });
}

/** @param {number} micros */
export function duration(micros) {
  if (micros < 1) return `${Math.round(micros * 1000)} ns`;
  if (micros < 1000) return `${digits(micros)} µs`;
  return micros < 1e6 ? `${digits(micros / 1e3)} ms` : `${digits(micros / 1e6)} s`;
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${digits(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${digits(bytes / 1e6)} MB` : `${digits(bytes / 1e9)} GB`;
}

/** @param {number} count */
export function grouped(count) {
  return count.toLocaleString("en");
}

/** Three significant digits. @param {number} value */
export function digits(value) {
  if (value === 0) return "0";
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(places, 3));
}
