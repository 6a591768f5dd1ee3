// A code-server of one test: a fresh profile, the extension installed, a page that shows a folder.
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { format, promisify } from "node:util";
import { chromium } from "playwright-core";

const HERE = path.dirname(fileURLToPath(import.meta.url));
export const CLIENT = path.resolve(HERE, "../..");
const HOME = process.env.DL_BUG_TEST_HOME;
const CHROMIUM_ARGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const SETTINGS = {
  "files.autoSave": "off",
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "chat.disableAIFeatures": true,
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "editor.accessibilitySupport": "off",
  "editor.minimap.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "git.enabled": false,
  "files.hotExit": "off",
  "workbench.editor.empty.hint": "hidden",
  "window.restoreWindows": "none",
  "terminal.integrated.gpuAcceleration": "off",
  "terminal.integrated.stickyScroll.enabled": false,
  "terminal.integrated.defaultProfile.linux": "bash",
  "debug.internalConsoleOptions": "neverOpen",
  "debug.onTaskErrors": "debugAnyway",
  "editor.quickSuggestions": { other: "off" },
  "workbench.colorTheme": "Default Dark Modern",
};

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * Start a code-server on a copy of the fixture, with a fresh profile; `close` ends it.
 * `trust` asks for trust in folders as for a real user; `env` and `settings` are added to the usual ones.
 */
export async function start({ trust = false, env: more = {}, settings = {} } = {}) {
  // Always the same place: its name is on the pictures.
  const run = path.join(os.tmpdir(), "dl-bug");
  fs.rmSync(run, { recursive: true, force: true });
  fs.cpSync(path.join(HERE, "fixture"), run, { recursive: true });
  fs.renameSync(path.join(run, "library"), path.join(run, "site-packages"));
  const user = path.join(run, "profile");
  writeSettings(user, { ...SETTINGS, ...settings });
  fs.writeFileSync(path.join(run, "config.yaml"), "auth: none\n");
  fs.mkdirSync(path.join(run, "home"));
  fs.writeFileSync(path.join(run, "home", ".bashrc"), "PS1='$ '\n");
  const extensions = path.join(run, "extensions");
  const entry = path.join(HOME, "code-server/node_modules/code-server/out/node/entry.js");
  const shared = [entry, "--config", path.join(run, "config.yaml"), "--user-data-dir", user, "--extensions-dir", extensions];
  const env = {
    ...process.env,
    PYTHONPATH: path.join(run, "site-packages"),
    PYTHONDONTWRITEBYTECODE: "1",
    DL_BUG_TEST_PYTHON: path.join(HOME, "python/bin/python"),
    XDG_CACHE_HOME: path.join(run, "cache"),
    HOME: path.join(run, "home"),
    HISTFILE: "",
    ...more,
  };
  const vsix = fs.readdirSync(CLIENT).find((name) => name.endsWith(".vsix"));
  for (const file of [path.join(CLIENT, vsix), path.join(HOME, "helper.vsix")]) {
    await promisify(execFile)("node", [...shared, "--install-extension", file], { env });
  }
  const log = fs.openSync(path.join(HOME, "code-server.log"), "w");
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: CHROMIUM_ARGS });
  const running = { run, user, browser };
  let server;
  const serve = async (...options) => {
    const port = await freePort();
    running.base = `http://127.0.0.1:${port}`;
    const args = [...shared, "--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--disable-telemetry", "--disable-update-check", ...options];
    server = spawn("node", trust ? args : [...args, "--disable-workspace-trust"], { env, stdio: ["ignore", log, log] });
    for (let tries = 0; tries < 240; tries++) {
      const is = await fetch(`${running.base}/healthz`).then((answer) => answer.ok, () => false);
      if (is) break;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  const end = async () => {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill();
    await ended;
  };
  running.close = async () => {
    await browser.close();
    await end();
  };
  // With the driver of VS Code's own tests no notification is shown, so the other steps are run without it.
  running.restartForTests = async () => {
    await end();
    await serve("--vscode-option", "enable-smoke-test-driver");
  };
  await serve();
  return running;
}

/**
 * Write settings where a window on another machine reads them. A setting of a machine counts there only in
 * `Machine/settings.json`: from the user's own file the first window of a profile does not take it, later ones may.
 */
function writeSettings(user, settings) {
  const manifest = JSON.parse(fs.readFileSync(path.join(CLIENT, "package.json"), "utf8"));
  const properties = Object.assign({}, ...manifest.contributes.configuration.map((group) => group.properties));
  const isOfMachine = ([key]) => properties[key]?.scope?.startsWith("machine") ?? false;
  const entries = Object.entries(settings);
  for (const [folder, kept] of [["User", entries.filter((entry) => !isOfMachine(entry))], ["Machine", entries.filter(isOfMachine)]]) {
    fs.mkdirSync(path.join(user, folder), { recursive: true });
    fs.writeFileSync(path.join(user, folder, "settings.json"), JSON.stringify(Object.fromEntries(kept)));
  }
}

/** Open a folder or a `.code-workspace` file in a page of its own. */
export async function open(running, place, size) {
  for (let tries = 1; ; tries++) {
    const page = await newPage(running, size);
    await page.goto(addressOf(running, place));
    try {
      await page.locator(".part.statusbar .statusbar-item", { hasText: "DL Bug" }).first().waitFor({ timeout: 45_000 });
      return new Workbench(page);
    } catch (error) {
      // Now and then the page of a machine under load never gets its connection to the host of extensions.
      if (tries === 3) throw error;
      await page.context().close();
    }
  }
}

/** Open a folder and run tests in its extension host; returns what they printed and the exit code. */
export async function runInHost(running, place, tests) {
  const page = await newPage(running);
  const printed = [];
  const ended = new Promise((resolve) => page.exposeFunction("codeAutomationExit", (code) => resolve(code)));
  await page.exposeFunction("codeAutomationLog", (_type, args) => printed.push(format(...args)));
  const remote = (where) => `vscode-remote://${new URL(running.base).host}${where}`;
  const payload = [["extensionDevelopmentPath", remote(path.join(HERE, "helper"))], ["extensionTestsPath", remote(tests)]];
  await page.goto(`${addressOf(running, place)}&payload=${encodeURIComponent(JSON.stringify(payload))}`);
  const code = await ended;
  await page.context().close();
  return { code, printed: printed.filter((line) => line.startsWith("host: ")) };
}

async function newPage({ base, browser }, { width = 1280, height = 800 } = {}) {
  const context = await browser.newContext({ viewport: { width, height } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: base });
  // What is not of this machine is refused at once; the test must not depend on it.
  await context.route((url) => url.hostname !== "127.0.0.1", (route) => route.abort());
  return await context.newPage();
}

function addressOf({ base }, place) {
  const kind = place.endsWith(".code-workspace") ? "workspace" : "folder";
  return `${base}/?${kind}=${encodeURIComponent(place)}`;
}

export class Workbench {
  constructor(page) {
    this.page = page;
    page.setDefaultTimeout(45_000);
  }

  quickInput() {
    return this.page.locator(".quick-input-widget:visible input.input");
  }

  async quick(key, text, row) {
    const input = this.quickInput();
    const found = this.page.locator(".quick-input-list .monaco-list-row", { hasText: row }).first();
    // What else takes the focus meanwhile (an editor that is being shown) closes the input, and a new file
    // may not be listed yet: once more, then.
    for (let tries = 1; ; tries++) {
      await this.page.keyboard.press(key);
      try {
        await input.waitFor({ state: "visible", timeout: 5000 });
        await input.fill(text, { timeout: 1000 });
        await found.click({ timeout: 5000 });
        return;
      } catch (error) {
        if (tries === 4) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  command(title) {
    return this.quick("F1", `>${title}`, title);
  }

  async openFile(name) {
    await this.quick("Control+P", name, name);
    await this.tab(name).waitFor();
  }

  tab(name) {
    return this.page.locator(".tab.active", { hasText: name }).first();
  }

  editor() {
    return this.page.locator(".editor-group-container.active .monaco-editor[role=code]").first();
  }

  line(text) {
    return this.page.locator(".editor-group-container.active .view-line", { hasText: text.replaceAll(" ", "\u00a0") }).first();
  }

  lens(text) {
    return this.page.locator(".editor-group-container.active .codelens-decoration a", { hasText: text }).first();
  }

  squiggle(severity = "warning") {
    return this.page.locator(`.editor-group-container.active .squiggly-${severity}`).first();
  }

  /** The status item when it says exactly this. */
  status(text) {
    return this.page.locator(".part.statusbar .statusbar-item", { hasText: new RegExp(`^\\s*${text}\\s*$`) }).first();
  }

  problems(label) {
    return this.page.locator(`#status\\.problems[aria-label="${label}"]`);
  }

  async paste(text) {
    await this.copy(text);
    await this.page.keyboard.press("Control+V");
  }

  copy(text) {
    return this.page.evaluate((value) => navigator.clipboard.writeText(value), text);
  }

  /** A row of the view DL Failures. */
  row(text) {
    return this.page.locator(".part.sidebar .monaco-list-row", { hasText: text }).first();
  }

  async inline(row, label) {
    await row.hover();
    await row.locator(`.action-label[aria-label^="${label}"]`).click();
  }

  showTree() {
    return this.command("View: Show DL Failures");
  }

  async noToasts() {
    await this.command("Notifications: Clear All Notifications");
    await this.page.locator(".notification-toast").first().waitFor({ state: "hidden" });
  }

  /** Open a terminal whose shell integration is on. */
  async terminal() {
    await this.command("Terminal: Create New Terminal");
    await this.page.locator(".terminal-wrapper.active .xterm-rows").waitFor();
    await this.page.locator(".terminal-wrapper.active .xterm-rows", { hasText: /[$#]/ }).waitFor();
  }

  /** A line of the terminal that begins so. */
  printed(text) {
    const start = new RegExp(`^${text.replaceAll(" ", "[ \u00a0]")}`);
    return this.page.locator(".terminal-wrapper.active .xterm-rows > div", { hasText: start }).first();
  }

  async type(command) {
    await this.page.locator(".terminal-wrapper.active textarea.xterm-helper-textarea").first().focus();
    await this.page.keyboard.type(`${command}\n`);
  }

  /** Set some of the user's settings; `null` takes one away. */
  async set(settings) {
    await this.command("Tests: Change Settings");
    await this.quickInput().fill(JSON.stringify(settings));
    await this.page.keyboard.press("Enter");
  }

  async theme(name) {
    await this.set({ "workbench.colorTheme": name });
    await this.page.locator(`.monaco-workbench${name.includes("Light") ? ".vs" : ".vs-dark"}`).waitFor();
  }

  /** Follow a link of a document. With the key held down it is drawn anew, so no element is clicked. */
  async follow(text) {
    const link = this.page.locator(".editor-group-container.active .detected-link", { hasText: text }).first();
    await link.waitFor();
    const { x, y, width, height } = await link.boundingBox();
    await this.page.keyboard.down("Control");
    await this.page.mouse.move(x + width / 2 - 3, y + height / 2);
    await this.page.mouse.move(x + width / 2, y + height / 2);
    await this.page.locator(".detected-link-active").first().waitFor();
    await this.page.mouse.click(x + width / 2, y + height / 2);
    await this.page.keyboard.up("Control");
  }

  /** Choose from the context menu of what is under the pointer. */
  async menu(target, entry) {
    await target.click({ button: "right" });
    const found = this.page.locator(".monaco-menu .action-item", { hasText: entry }).first();
    // A menu does not hear of the mouse at first, and the keyboard is its own from the start.
    await found.hover();
    await this.page.locator(".monaco-menu .action-item:has(.focused), .monaco-menu .action-item.focused", { hasText: entry }).first().waitFor();
    await this.page.keyboard.press("Enter");
    await found.waitFor({ state: "hidden" });
  }

  /** A picture for the README: in few colours, since the package is small. */
  async shot(name) {
    const place = path.join(CLIENT, "images", `${name}.png`);
    await this.page.waitForTimeout(400); // what fades in is there
    await this.page.screenshot({ path: place });
    await promisify(execFile)(path.join(HOME, "python/bin/python"), [path.join(HERE, "shrink.py"), place]);
  }

  /** A picture to look at, not for the README. */
  look(name) {
    return this.page.screenshot({ path: path.join(HOME, `${name}.png`) });
  }
}
