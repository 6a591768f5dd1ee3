// What a person with VS Code and nothing else sees, step by step, in the real workbench.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { open, start } from "./workbench.mjs";

const HOME = process.env.DL_BUG_TEST_HOME;
const ONLY = process.env.DL_BUG_TEST_ONLY;

test("the extension in the workbench", { timeout: 280_000 }, async (t) => {
  const running = await start();
  t.after(() => running.close());
  const { run } = running;
  const folder = path.join(run, "digits");
  const file = (name) => path.join(folder, name);
  const code = (name) => fs.readFileSync(file(name), "utf8");
  const original = code("model.py");
  let vs = await open(running, folder);
  let page = vs.page;
  let broken = false;

  const step = (name, work) =>
    t.test(name, async (one) => {
      if (broken) return one.skip("an earlier step failed");
      try {
        await work();
      } catch (error) {
        broken = true;
        await page.screenshot({ path: path.join(HOME, "failed.png") });
        throw error;
      }
    });

  await step("without the server, a failed command waits and one click sets it up", async () => {
    await vs.status("DL Bug: set up").waitFor({ timeout: 60_000 });
    assert.equal(await page.locator(".notification-toast").count(), 0, "no popup on the first run");
    await vs.terminal();
    await vs.type("python3 train.py");
    await vs.status("DL Bug: set up to see 1 failure").waitFor();
    await vs.showTree();
    const button = page.locator(".welcome-view-content a.monaco-button", { hasText: "Set Up" });
    await button.waitFor();
    await vs.shot("set-up");
    await button.click();
    await vs.status("1 failure").waitFor({ timeout: 120_000 });
  });

  await step("the failure of the terminal is marked, with lens, hover, problems and tree", async () => {
    await vs.openFile("model.py");
    await vs.squiggle().waitFor();
    await vs.lens("Suspicious place 1").waitFor();
    await page.locator(".notification-toast").first().waitFor({ state: "hidden" });
    await vs.shot("terminal");
    await vs.line("self.head = Linear").hover({ position: { x: 120, y: 8 } });
    const hover = page.locator(".monaco-hover:visible", { hasText: "Tensor Mismatch" }).first();
    await hover.waitFor();
    assert.match(await hover.innerText(), /What usually helps/);
    await vs.shot("hover");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+M");
    const rows = page.locator(".markers-panel .monaco-list-row");
    await rows.filter({ hasText: "mat1 and mat2" }).first().waitFor();
    const place = page.locator(".sidebar .monaco-list-row", { hasText: "1. model.py:7" });
    await place.waitFor();
    await page.locator(".sidebar .monaco-list-row", { hasText: "mat1 and mat2 shapes" }).first().waitFor();
    await place.locator(".monaco-tl-twistie").click();
    await page.locator(".sidebar .monaco-list-row", { hasText: "the size that the message says" }).first().waitFor();
    assert.equal(await page.locator(".activitybar .badge-content:visible", { hasText: "1" }).count(), 1);
    await vs.shot("tree");
  });
});
