// What a person with VS Code and nothing else sees, step by step, in the real workbench.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { CLIENT, open, runInHost, start } from "./workbench.mjs";

const HOME = process.env.DL_BUG_TEST_HOME;
/** An interpreter with the frameworks: trainings are then run and recorded in the editor's terminal. */
const FRAMEWORKS = process.env.DL_BUG_TEST_FRAMEWORKS;
const TRAININGS = path.join(CLIENT, "../tests/monitoring/trainings");
/** A pattern: of the steps after the first, only those whose names it matches are run. */
const ONLY = new RegExp(process.env.DL_BUG_TEST_ONLY ?? "");
const SUSPECT = "self.head = Linear(hidden * 2, classes)";
const MESSAGE = "mat1 and mat2 shapes cannot be multiplied (8x32 and 64x10)";

test("the extension in the workbench", { timeout: 1_200_000 }, async (t) => {
  const running = await start();
  t.after(() => running.close());
  const { run } = running;
  const folder = path.join(run, "digits");
  const file = (name) => path.join(folder, name);
  const original = fs.readFileSync(file("model.py"), "utf8");
  let vs = await open(running, folder);
  let page = vs.page;
  let broken = false;

  const step = (name, work) =>
    t.test(name, async (one) => {
      if (broken) return one.skip("an earlier step failed");
      if (!ONLY.test(name) && !name.startsWith("without the server")) return one.skip("not asked for");
      try {
        await work();
      } catch (error) {
        broken = true;
        if (!page.isClosed()) await page.screenshot({ path: path.join(HOME, "failed.png") });
        throw error;
      }
    });
  /** What the program prints when it fails, run outside of the editor. */
  const failing = () => {
    try {
      execFileSync("python3", ["train.py"], { cwd: folder, env: { ...process.env, PYTHONPATH: path.join(run, "site-packages"), PYTHONDONTWRITEBYTECODE: "1" }, stdio: "pipe" });
    } catch (error) {
      return `${error.stdout}${error.stderr}`;
    }
    throw new Error("the program did not fail");
  };
  const clear = async () => {
    await vs.command("DL Bug: Clear All Failures");
    await vs.status("DL Bug: watching").waitFor();
  };

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
    await vs.status("1 failure").waitFor({ timeout: 300_000 });
    await page.locator(".notification-toast").first().waitFor({ state: "hidden" });
    if (process.env.DL_BUG_TEST_ONLY) await clear();
  });

  await step("the failure of the terminal is marked, with lens, hover, problems and tree", async () => {
    await vs.openFile("model.py");
    await vs.squiggle().waitFor();
    await vs.lens(/Suspicious places? 1/).waitFor();
    await vs.noToasts();
    await vs.shot("terminal");
    await vs.line("self.head = Linear").hover({ position: { x: 120, y: 8 } });
    const hover = page.locator(".monaco-hover:visible", { hasText: "Tensor Mismatch" }).first();
    await hover.waitFor();
    const told = await hover.innerText();
    const places = ["suspicious place 1", "What usually helps", "makes 64 of 32", "the last line of yours"].map((one) => told.indexOf(one));
    assert.ok(places[0] >= 0 && places.every((one, index) => index === 0 || one > places[index - 1]), `${places}: ${told}`);
    await vs.shot("hover");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+M");
    await page.locator(".markers-panel .monaco-list-row", { hasText: "mat1 and mat2" }).first().waitFor();
    await vs.row("mat1 and mat2 shapes").waitFor();
    await vs.row("1. model.py:7").locator(".monaco-tl-twistie").click();
    await vs.row("makes 64 of 32").waitFor();
    assert.equal(await page.locator(".activitybar .badge-content:visible", { hasText: "1" }).count(), 1);
    await vs.shot("tree");
  });

  await step("the log of a terminal's failure is its text, at the failure", async () => {
    await vs.openFile("train.py");
    await vs.command("DL Bug: Open Log at Failure");
    await vs.tab("python3 train.py").waitFor();
    await vs.line("Traceback (most recent call last)").waitFor();
    await vs.line(`RuntimeError: ${MESSAGE}`).waitFor();
    await vs.look("log-of-terminal");
    await vs.follow(/model/);
    await vs.tab("model.py").waitFor();
    await vs.status("Ln 11, Col \\d+").waitFor();
  });

  await step("a lens offers the evidence; the report shows the code and the category", async () => {
    await vs.lens(/Suspicious places? 1/).click();
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "makes 64 of 32" }).first().waitFor();
    await vs.shot("lens");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "Show Report" }).click();
    await vs.tab("Preview DL Bug Report").waitFor();
    const inner = page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
    await inner.locator("h2", { hasText: "The code" }).waitFor();
    await inner.locator("h2", { hasText: "About: Tensor Mismatch" }).waitFor();
    await vs.shot("report");
    await vs.command("View: Close Editor");
  });

  await step("keys lead from place to place; the heat map colours lines", async () => {
    await vs.openFile("train.py");
    await page.keyboard.press("Control+Alt+.");
    await vs.tab("model.py").waitFor();
    await vs.status("DL Bug: place 1 of \\d+ .*").waitFor();
    // In which files the weaker places lie is the ranking's business.
    for (const [key, number] of [[".", 2], [".", 3], [",", 2], [",", 1]]) {
      await page.keyboard.press(`Control+Alt+${key}`);
      await vs.status(`DL Bug: place ${number} of \\d+ .*`).waitFor();
    }
    await vs.tab("model.py").waitFor();
    await vs.command("DL Bug: Toggle Heat Map");
    // The words at the line's end are a style's content, so they are no text of the page.
    const told = () =>
      [...document.querySelectorAll(".view-line span")].some((one) => getComputedStyle(one, "::after").content.includes("Tensor Mismatch"));
    await page.waitForFunction(told);
    await vs.shot("heat-map");
    await vs.theme("Default Light Modern");
    await vs.look("heat-map-light");
    await vs.theme("Default Dark Modern");
    await vs.command("DL Bug: Toggle Heat Map");
    await page.waitForFunction(`!(${told})()`);
  });

  await step("the same command's success takes the failure back, within a second the next one is shown", async () => {
    await vs.openFile("model.py");
    fs.writeFileSync(file("model.py"), original.replace("hidden * 2", "hidden"));
    await vs.line("Linear(hidden, classes)").waitFor();
    await vs.command("Terminal: Focus Terminal");
    await vs.type("python3 train.py");
    await vs.status("DL Bug: watching").waitFor();
    fs.writeFileSync(file("model.py"), original);
    await vs.line("hidden * 2").waitFor();
    await vs.type("clear; python3 train.py");
    await vs.printed("RuntimeError: mat1").waitFor();
    const printed = Date.now();
    await vs.squiggle().waitFor();
    console.log(`from the printed error to the marked line: ${Date.now() - printed} ms`);
    await vs.type("ls nothing-here");
    await vs.type("git -C / log");
    await vs.type("python3 train.py >/dev/null 2>&1");
    await vs.type(`python3 -c 'import time; print("wait" + "ing", flush=True); time.sleep(60)'`);
    await vs.printed("waiting").waitFor();
    await page.keyboard.press("Control+C");
    await vs.type("echo all of it | tr a-z A-Z");
    await vs.printed("ALL OF IT").waitFor();
    await vs.status("1 failure").waitFor();
    await clear();
  });

  await step("pasting: the clipboard's failure, else a document to paste into", async () => {
    await vs.copy(failing());
    await vs.command("DL Bug: Localize Pasted Traceback");
    await vs.status("1 failure").waitFor();
    await vs.tab("model.py").waitFor();
    await clear();
    await vs.copy("nothing of interest");
    await vs.command("DL Bug: Localize Pasted Traceback");
    await vs.tab("Untitled-1").waitFor();
    await vs.editor().click();
    await vs.paste(failing());
    await vs.status("1 failure").waitFor();
    await vs.tab("model.py").waitFor();
    await clear();
  });

  await step("a log that fails is followed; its links lead to the code", async () => {
    fs.mkdirSync(file("runs"));
    fs.writeFileSync(file("runs/job.log"), failing());
    await vs.status("1 failure").waitFor();
    await vs.openFile("job.log");
    await vs.follow(/model/);
    await vs.tab("model.py").waitFor();
    await vs.status("Ln 11, Col \\d+").waitFor();
    await vs.openFile("job.log");
    await vs.menu(vs.line("training on"), "Localize Log File");
    await vs.tab("model.py").waitFor();
    await clear();
    await vs.command("View: Show Explorer");
    await vs.openFile("job.log");
    await vs.openFile("train.py");
    await vs.menu(vs.row("job.log"), "Localize Log File");
    await vs.tab("model.py").waitFor();
    await vs.status("1 failure").waitFor();
    await vs.showTree();
    await vs.inline(vs.row(MESSAGE), "Open Log at Failure");
    await vs.tab("job.log").waitFor();
    await clear();
    fs.rmSync(file("runs"), { recursive: true });
  });

  await step("an edit moves the mark, deleting the line takes it away", async () => {
    await vs.copy(failing());
    await vs.command("DL Bug: Localize Pasted Traceback");
    await vs.tab("model.py").waitFor();
    await vs.squiggle().waitFor();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Enter");
    await vs.squiggle().waitFor();
    await vs.row("1. model.py:8").click();
    await vs.status("Ln 8, Col \\d+").waitFor();
    await vs.editor().locator("textarea, .native-edit-context").first().focus();
    await page.keyboard.press("Control+Shift+K");
    await vs.lens(/Suspicious places? 1/).waitFor({ state: "hidden" });
    await vs.squiggle().waitFor({ state: "hidden" });
    await vs.command("File: Revert File");
    await vs.line("hidden * 2").waitFor();
    await clear();
  });

  await step("places and failures are dismissed in the tree", async () => {
    await vs.copy(failing());
    await vs.command("DL Bug: Localize Pasted Traceback");
    await vs.squiggle().waitFor();
    await vs.inline(vs.row("1. model.py:7"), "Dismiss Place");
    await vs.squiggle().waitFor({ state: "hidden" });
    await vs.row("2. ").waitFor();
    await vs.inline(vs.row(MESSAGE), "Dismiss Failure");
    await vs.status("DL Bug: watching").waitFor();
  });

  await step("a killed server comes back and still knows the failure", async () => {
    await vs.copy(failing());
    await vs.command("DL Bug: Localize Pasted Traceback");
    await vs.squiggle().waitFor();
    const processes = () => execFileSync("pgrep", ["-f", `${running.user}.*dl_bug_lsp server`], { encoding: "utf8" }).trim().split("\n");
    const [before] = processes();
    process.kill(Number(before), "SIGKILL");
    await vs.squiggle().waitFor({ state: "hidden" });
    await vs.squiggle().waitFor();
    await vs.status("1 failure").waitFor();
    assert.notEqual(processes()[0], before);
    await vs.command("DL Bug: Restart Server");
    await vs.squiggle().waitFor({ state: "hidden" });
    await vs.squiggle().waitFor();
    await page.reload();
    await vs.status("1 failure").waitFor({ timeout: 60_000 });
    await vs.showTree();
    await vs.row("1. model.py:7").waitFor();
    await clear();
  });

  await step("a notebook's cell that fails is marked, in itself and in what it calls", async () => {
    const saved = ["explore.ipynb", "sizes.ipynb"].map((name) => [name, fs.readFileSync(file(name), "utf8")]);
    const fail = async (name) => {
      await vs.openFile(name);
      await page.locator(".notebookOverlay .cell:visible").first().waitFor();
      await vs.command("Notebook: Run All");
      const kernel = page.locator(".quick-input-list .monaco-list-row", { hasText: "Test Kernel" }).first();
      await kernel.or(vs.status("1 failure")).first().waitFor();
      if (await kernel.isVisible()) await kernel.click();
      await vs.status("1 failure").waitFor();
      await vs.row(`notebook: ${name}`).waitFor();
      // What the saved file holds is no second failure.
      await vs.command("File: Save");
      for (let tries = 0; !fs.readFileSync(file(name), "utf8").includes('"traceback"'); tries++) {
        assert.ok(tries < 180, "the notebook was not saved");
        await page.waitForTimeout(250);
      }
    };
    await clear();
    await fail("explore.ipynb");
    await vs.row("1. model.py:7").waitFor();
    await clear();
    await fail("sizes.ipynb");
    await vs.row(/1\. sizes\.ipynb cell 1/).waitFor();
    await page.locator(".notebookOverlay .squiggly-warning:visible").first().waitFor();
    await vs.command("View: Toggle Panel Visibility");
    await page.mouse.move(700, 700);
    await vs.shot("notebook");
    await vs.status("1 failure").waitFor();
    await vs.command("View: Toggle Panel Visibility");
    await clear();
    // A saved error is a failure again for a window in which the notebook is not open.
    for (const [name, text] of saved) fs.writeFileSync(file(name), text);
  });

  await step("a debug session that stops on an exception is localized", async () => {
    await vs.openFile("train.py");
    await vs.command("Debug: Start Debugging");
    await page.locator(".debug-toolbar").waitFor({ timeout: 40_000 });
    await vs.status("1 failure").waitFor({ timeout: 60_000 });
    await vs.command("Debug: Stop");
    await page.locator(".debug-toolbar").waitFor({ state: "hidden" });
    await vs.showTree();
    await vs.row("debug: Train").waitFor();
    await vs.row("1. model.py:7").waitFor();
    await vs.shot("debugger");
    await clear();
  });

  await step("a task that fails is localized", async () => {
    await vs.quick("F1", ">Tasks: Run Task", "Tasks: Run Task");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "train the model" }).first().click();
    await vs.status("1 failure").waitFor();
    await clear();
  });

  await step("two folders are served by one server", async () => {
    const workspace = path.join(run, "both.code-workspace");
    fs.writeFileSync(workspace, JSON.stringify({ folders: [{ path: "digits" }, { path: "second" }] }));
    await page.context().close();
    vs = await open(running, workspace);
    page = vs.page;
    await vs.status("DL Bug: watching").waitFor({ timeout: 60_000 });
    await vs.command("Terminal: Create New Terminal");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "second" }).first().click();
    await page.locator(".terminal-wrapper.active .xterm-rows", { hasText: /[$#]/ }).waitFor();
    await vs.type("python3 scores.py; cd ../digits; python3 train.py");
    await vs.status("2 failures|1 failure").waitFor();
    await vs.type("python3 ../second/scores.py");
    await vs.status("2 failures").waitFor();
    await vs.showTree();
    await vs.row("division by zero").waitFor();
    await vs.row("scores.py").waitFor();
    // The server of the window that was closed ends when its extension host does.
    const servers = () => execFileSync("pgrep", ["-fc", `${running.user}.*dl_bug_lsp server`], { encoding: "utf8" }).trim();
    for (let tries = 0; tries < 240 && servers() !== "1"; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    assert.equal(servers(), "1");
    await vs.look("two-folders");
  });

  await step("before a run: a key that the settings lack and a missing file are marked, on a clean project nothing", async () => {
    // It waits, so that what is found stands there before the run fails.
    const program = 'import json\n\ninput("begin? ")\nsettings = json.load(open("settings.json"))\nrows = open("data/labels.tsv").read()\nprint(settings["batch_size"], rows)\n';
    fs.mkdirSync(file("data"), { recursive: true });
    fs.writeFileSync(file("data/label.tsv"), "7\n");
    fs.writeFileSync(file("settings.json"), '{\n  "epochs": 3,\n  "batchsize": 8\n}\n');
    fs.writeFileSync(file("score.py"), program);
    // The list of problems is drawn as far as it is seen: what was found must stand at its top, and
    // what a check says of the other folder stays until that one is checked again.
    await page.context().close();
    vs = await open(running, path.join(run, "digits"));
    page = vs.page;
    await vs.status("DL Bug: watching|1 failure|2 failures").waitFor({ timeout: 60_000 });
    await vs.command("Terminal: Kill All Terminals");
    await vs.command("DL Bug: Clear All Failures");
    await vs.openFile("score.py");
    await vs.terminal();
    await vs.type("python3 score.py");
    await page.keyboard.press("Control+Shift+M");
    const row = (text) => page.locator(".markers-panel .monaco-list-row", { hasText: text }).first();
    await row("There is 'data/label.tsv'").waitFor({ timeout: 60_000 });
    await row("reads 'batch_size', which is not set").waitFor();
    await vs.shot("before-a-run");
    await vs.command("Terminal: Focus Terminal");
    await page.keyboard.press("Enter");
    await vs.status("1 failure").waitFor();
    await clear();
    fs.renameSync(file("data/label.tsv"), file("data/labels.tsv"));
    fs.writeFileSync(file("settings.json"), '{\n  "epochs": 3,\n  "batch_size": 8\n}\n');
    const aside = ["train.py", "model.py"];
    for (const name of aside) fs.renameSync(file(name), path.join(run, name));
    await vs.terminal();
    await vs.type("python3 score.py");
    await page.keyboard.press("Control+Shift+M");
    await vs.problems("No Problems").waitFor({ timeout: 60_000 });
    await vs.command("DL Bug: Check Before a Run");
    await page.locator(".notification-toast", { hasText: "nothing found in digits" }).waitFor({ timeout: 60_000 });
    assert.equal(await page.locator(".markers-panel .monaco-list-row").count(), 0, "nothing is marked on a clean project");
    await vs.command("Terminal: Focus Terminal");
    await page.keyboard.press("Enter");
    await vs.noToasts();
    for (const name of aside) fs.renameSync(path.join(run, name), file(name));
    for (const name of ["score.py", "settings.json", "data"]) fs.rmSync(file(name), { recursive: true });
  });

  for (const name of ["plain_loop", "lightning", "transformers", "keras"]) {
    await step(`a recorded training that has learned nothing is marked at its cause: ${name}`, async () => {
      const training = path.join(run, name);
      const { lines } = JSON.parse(fs.readFileSync(path.join(TRAININGS, name, "truth.json"), "utf8"));
      fs.mkdirSync(training);
      fs.copyFileSync(path.join(TRAININGS, name, "train.py"), path.join(training, "train.py"));
      await page.context().close();
      vs = await open(running, training);
      page = vs.page;
      await vs.status("DL Bug: watching").waitFor({ timeout: 60_000 });
      await vs.openFile("train.py");
      if (FRAMEWORKS) {
        const server = execFileSync("pgrep", ["-fa", `${running.user}.*dl_bug_lsp server`], { encoding: "utf8" }).split(" ")[1];
        await vs.terminal();
        await vs.type(`${server} -m dl_bug_lsp run --monitor -- ${FRAMEWORKS} train.py`);
      } else {
        // What the same command left behind when the program was run with the frameworks.
        fs.mkdirSync(path.join(training, ".dlbug"));
        fs.copyFileSync(path.join(TRAININGS, name, "training.db"), path.join(training, ".dlbug", "training.db"));
      }
      await vs.status("1 failure").waitFor({ timeout: FRAMEWORKS ? 400_000 : 60_000 });
      await vs.showTree();
      const first = page.locator(".part.sidebar .monaco-list-row", { hasText: /^\s*1\. train\.py:/ }).first();
      await first.waitFor();
      const line = Number(/train\.py:(\d+)/.exec(await first.innerText())[1]);
      assert.ok(lines.includes(line), `line ${line} is marked, not one of ${lines}`);
      await first.click();
      await vs.status(`Ln ${line}, Col \\d+.*`).waitFor();
      await vs.squiggle().waitFor();
      if (name === "lightning") {
        await page.keyboard.press("Control+Shift+M");
        await page.locator(".markers-panel .monaco-list-row", { hasText: "softmax" }).first().waitFor();
        await vs.noToasts();
        await vs.shot("training");
      }
    });
  }

  await step("debug information names the server and the activation's cost", async () => {
    await vs.command("DL Bug: Print Debug Information");
    await vs.tab("DL Bug Information").waitFor();
    await vs.line("Server says: dl-bug-lsp").waitFor();
    const text = (await vs.line("activated in").innerText()).replaceAll("\u00a0", " ");
    console.log(text);
    assert.ok(Number(/activated in (\d+)/.exec(text)[1]) < 100);
  });

  await step("a server of another version is used, and said", async () => {
    const odd = path.join(run, "odd");
    fs.mkdirSync(odd);
    fs.writeFileSync(path.join(odd, "sitecustomize.py"), 'import dl_bug_lsp\n\ndl_bug_lsp.__version__ = "9.0.0"\n');
    const own = execFileSync("pgrep", ["-fa", `${running.user}.*dl_bug_lsp server`], { encoding: "utf8" }).split(" ")[1];
    fs.writeFileSync(path.join(odd, "python"), `#!/bin/sh\nPYTHONPATH=${odd} exec ${own} "$@"\n`, { mode: 0o755 });
    await vs.set({ "dlBug.interpreter": path.join(odd, "python") });
    await page.locator(".notification-toast", { hasText: /server 9\.0\.0 .* another version than the extension/ }).waitFor();
    await vs.status("DL Bug: watching|\\d failures").waitFor();
    await vs.set({ "dlBug.interpreter": null });
    await vs.noToasts();
  });

  await step("tests inside the extension host, on the real API", async () => {
    await page.context().close();
    await running.restartForTests();
    const { code, printed } = await runInHost(running, folder, path.join(CLIENT, "test/host/index.js"));
    console.log(printed.join("\n"));
    assert.equal(code, 0);
  });
});

test("a folder without trust, on a machine without a network", { timeout: 300_000 }, async (t) => {
  const settings = { "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.banner": "never" };
  const running = await start({ trust: true, env: { PIP_INDEX_URL: "http://127.0.0.1:9/simple", PIP_RETRIES: "0", PIP_CONFIG_FILE: "/dev/null" }, settings });
  t.after(() => running.close());
  const folder = path.join(running.run, "digits");
  const proof = path.join(running.run, "was-run");
  const python = path.join(folder, ".venv/bin/python");
  fs.mkdirSync(path.dirname(python), { recursive: true });
  fs.writeFileSync(python, `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
  fs.writeFileSync(path.join(folder, ".vscode/settings.json"), JSON.stringify({ "dlBug.interpreter": python }));
  const vs = await open(running, folder);
  t.afterEach(() => vs.look("untrusted"));

  await t.test("nothing of the folder is run; the set-up says that there is no network", async () => {
    await vs.status("DL Bug: set up").waitFor({ timeout: 60_000 });
    assert.equal(await vs.page.locator(".notification-toast").count(), 0);
    assert.equal(fs.existsSync(proof), false);
    await vs.status("DL Bug: set up").click();
    await vs.page.locator(".notification-toast", { hasText: /seems to be offline/ }).waitFor({ timeout: 200_000 });
    await vs.look("offline");
    await vs.status("DL Bug: set up").waitFor();
    assert.equal(fs.existsSync(proof), false);
  });

  await t.test("with trust the folder chooses", async () => {
    await vs.noToasts();
    await vs.command("Workspaces: Manage Workspace Trust");
    await vs.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/ }).first().click();
    for (let tries = 0; !fs.existsSync(proof); tries++) {
      assert.ok(tries < 80, "the folder's interpreter was not tried");
      await vs.page.waitForTimeout(250);
    }
  });
});
