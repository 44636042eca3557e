// The program `portolan`, its lab, and a browser, as processes.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

/** The program `portolan`. */
export const program = process.env.PORTOLAN
  ? resolve(process.env.PORTOLAN)
  : resolve(import.meta.dirname, "../../../../target/debug/portolan");

/** Runs the program `portolan`; returns what it prints. @param {string[]} args */
export function command(args) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 });
}

/** What the program says of input that it refuses. @param {string[]} args */
export function refusal(args) {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 2, `\`portolan ${args.join(" ")}\` refuses: ${stderr}`);
  return stderr;
}

/**
 * Starts a lab.
 * @param {string[]} [args] of `portolan lab`
 * @returns {Promise<{ address: string, pid: number, end: () => Promise<number | null> }>} its
 *   address, and what stops it and returns its exit code
 */
export async function startLab(args = []) {
  const child = spawn(program, ["lab", "--port", "0", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  // Also when this program ends early.
  const kill = () => child.kill();
  process.once("exit", kill);
  child.once("close", () => process.off("exit", kill));
  const ended = new Promise((done) => child.once("close", done));
  const failed = new Promise((_, fail) => {
    child.once("error", fail);
    child.once("close", (code) => fail(new Error(`\`${program} lab\` ended with code ${code}`)));
  });
  failed.catch(() => {});
  const lines = createInterface(child.stdout);
  const first = new Promise((line) => lines.once("line", line));
  const address = /** @type {string} */ (await Promise.race([first, failed]));
  const end = () => {
    child.kill("SIGINT");
    return /** @type {Promise<number | null>} */ (ended);
  };
  return { address, pid: /** @type {number} */ (child.pid), end };
}

/** Starts a browser without windows. */
export function launch() {
  const fromVariable = process.env.CHROMIUM;
  const executablePath = fromVariable ?? (existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : "chromium");
  // Chromium's sandbox refuses to run as root, as in containers of CI.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}
