// Maps that are dropped on the page, and files that are none.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test from "node:test";

import { withPage } from "./harness.js";
import { refusal } from "./program.js";

/** Drops files on the page, as from a file manager. @param {import("playwright-core").Page} page @param {{ name: string, bytes: Buffer }[]} files */
async function dropOn(page, files) {
  const sent = files.map(({ name, bytes }) => ({ name, text: bytes.toString("base64") }));
  await page.evaluate((files) => {
    const transfer = new DataTransfer();
    for (const { name, text } of files) {
      transfer.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
    }
    document.dispatchEvent(new DragEvent("dragover", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, sent);
}

const text = (name, content) => ({ name, bytes: Buffer.from(content) });
const file = (path) => ({ name: basename(path), bytes: readFileSync(path) });

/** The link holds a map with this name. */
const isOpen = (page, name) => page.waitForFunction((name) => new URLSearchParams(location.hash.slice(1)).get("map")?.includes(`"${name}"`), name);

const MAP = "type octile\nheight 4\nwidth 5\nmap\n.....\n.@@@.\n.....\n.....\n";

test("maps of every format can be dropped", () => withPage(async ({ page, open, shot, command }) => {
  const folder = mkdtempSync(join(tmpdir(), "portolan-"));
  const path = (/** @type {string} */ name) => join(folder, name);
  command(["generate", "rooms", "--size", "64", "--seed", "3", "-o", path("rooms.map")]);
  command(["generate", "roads", "--nodes", "500", "--seed", "3", "-o", path("roads.gr")]);
  await open("tab=search");

  await dropOn(page, [file(path("rooms.map"))]);
  await isOpen(page, "rooms.map");
  await dropOn(page, [text("drawing.txt", "S..#\n.#..\n...T\n")]);
  await isOpen(page, "drawing.txt");
  const picture = await pictureOfMap(page);
  await dropOn(page, [{ name: "picture.png", bytes: picture }]);
  await isOpen(page, "picture.png");
  await dropOn(page, [file(path("roads.gr")), file(path("roads.co"))]);
  await isOpen(page, "roads.gr");
  await shot("dropped-roads");
  assert.equal(await page.locator(".notice.wrong").count(), 0);

  // The link restores the file as long as this lab runs.
  const link = page.url().split("#")[1];
  await open(link);
  await isOpen(page, "roads.gr");
  assert.equal(await page.locator(".notice.wrong").count(), 0);
}));

/** A picture of black and white cells, made by the browser. */
async function pictureOfMap(page) {
  const address = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [40, 30];
    const context = canvas.getContext("2d");
    context.fillStyle = "white";
    context.fillRect(0, 0, 40, 30);
    context.fillStyle = "black";
    context.fillRect(19, 0, 2, 25);
    return canvas.toDataURL("image/png");
  });
  return Buffer.from(address.split(",")[1], "base64");
}

/** Files that are no maps; their names are known to a reader unless `reader` is false. */
const BROKEN = [
  { name: "short.map", content: "type octile\nheight 4\nwidth 5\nmap\n.....\n" },
  { name: "wide.map", content: "type octile\nheight 1\nwidth 5\nmap\n..........\n" },
  { name: "head.map", content: "type octile\nheight many\n" },
  { name: "huge.map", content: "type octile\nheight 99999\nwidth 99999\nmap\n" },
  { name: "road.gr", content: "p sp 2 1\na 1 9 5\n" },
  { name: "broken.png", content: "\x89PNG\r\n\x1a\nbut no more" },
  { name: "empty.map", content: "" },
  { name: "letter.doc", content: "Dear lab,", reader: false },
];

/** What the reader says, as the command line prints it. */
function words(name, bytes) {
  const path = join(mkdtempSync(join(tmpdir(), "portolan-")), name);
  writeFileSync(path, bytes);
  const [error, help] = refusal(["info", path]).split("\n");
  return [error.split(`${name}\``)[1].replace(/^[,:] /, ""), help.replace("help: ", "")];
}

test("broken files are refused in the words of their reader, and the map stays", () => withPage(async ({ page, open, shot }) => {
  await open("tab=search");
  await dropOn(page, [text("good.map", MAP)]);
  await isOpen(page, "good.map");
  for (const { name, content, reader = true } of BROKEN) {
    const bytes = Buffer.from(content, "latin1");
    await dropOn(page, [{ name, bytes }]);
    const notice = page.locator(".notice.wrong").last();
    await notice.waitFor();
    const said = await notice.innerText();
    for (const expected of [name, ...(reader ? words(name, bytes) : [])]) {
      assert.ok(said.includes(expected), `${name}: ${JSON.stringify(expected)} is not in ${JSON.stringify(said)}`);
    }
    await isOpen(page, "good.map");
    if (name === "short.map") await shot("broken-file");
    await notice.getByRole("button", { name: "Dismiss" }).click();
  }
  await dropOn(page, [text("only.co", "p aux sp co 0\n")]);
  await page.locator(".notice.wrong", { hasText: "together with" }).waitFor();
}));
