// The view Crowds: thousands of agents by every method that this machine has.

import assert from "node:assert/strict";
import { test } from "node:test";

import { withPage } from "./harness.js";
import { until } from "./until.js";

/** @param {string} name */
const gallery = (name) => encodeURIComponent(JSON.stringify({ source: { from: "gallery", name } }));

test("ten thousand agents walk by every method", () => withPage(async ({ page, url, shot }) => {
  await page.goto(url("tab=crowds&crowdsAgents=10000&crowdsRenew=no"));
  const { gpu } = await until(page, ({ step, waiting }) => Number(step) > 5 && waiting === "0");
  await shot("crowds");
  const method = page.getByLabel("Agents find their ways by");
  const isDisabled = await method.locator("option[value=gpu-paths]").evaluate((option) => option.hasAttribute("disabled"));
  assert.equal(isDisabled, gpu === "none");
  for (const by of gpu === "none" ? ["paths"] : ["paths", "gpu-fields", "gpu-paths"]) {
    await method.selectOption(by);
    await until(page, (data) => data.by === by && data.settled === "true" && data.waiting === "0" && Number(data.since) > 2);
  }
  await shot("crowds-by-paths");
}));

test("a goal is moved by the keyboard, and the crowd follows", () => withPage(async ({ page, url }) => {
  await page.goto(url(`tab=crowds&map=${gallery("open")}&crowdsAgents=500&crowdsGoals=1&crowdsRenew=no`));
  await until(page, ({ step }) => Number(step) > 2);
  const goal = page.getByRole("button", { name: /^Goal 1/ });
  const before = await goal.getAttribute("aria-label");
  await goal.focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("ArrowRight");
  const { step: then } = await until(page, () => true);
  await until(page, ({ step, waiting }) => Number(step) > Number(then) + 2 && waiting === "0");
  assert.notEqual(await goal.getAttribute("aria-label"), before);
}));

test("a graph is explained", () => withPage(async ({ page, url }) => {
  await page.goto(url(`tab=crowds&map=${gallery("roads")}&crowdsGoals=99`));
  await page.getByRole("button", { name: "Open a grid instead" }).click();
  await until(page, ({ step }) => Number(step) > 0);
}));
