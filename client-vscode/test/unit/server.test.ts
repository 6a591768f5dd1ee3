import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Backoff } from "../../src/server/backoff";
import { selectedInterpreter } from "../../src/server/environments";
import { findServer, UNSET, type World } from "../../src/server/finding";
import { interpreterIn, makeEnvironment, managedInterpreter, reasonOf, SetUpError } from "../../src/server/managed";
import { fits, isNewEnough, probe } from "../../src/server/probing";
import { type Ran, which } from "../../src/server/processes";
import { settingsFor } from "../../src/server/settings";
import { Uri, world as vscodeWorld } from "../fake/vscode";

const PYTHONS: Record<string, { python: string; server?: string }> = {
  "/with": { python: "3.12.1", server: "0.1.5" },
  "/without": { python: "3.11.2" },
  "/old": { python: "3.8.1", server: "0.2.0" },
  "/ancient": { python: "2.7.18" },
};
const answers = (own: Partial<World> = {}): World => ({
  interpreterSetting: () => "",
  importStrategy: () => "fromEnvironment",
  isTrusted: () => true,
  selected: () => Promise.resolve(undefined),
  inFolders: () => [],
  onPath: () => undefined,
  managed: () => undefined,
  probe: (interpreter) => Promise.resolve(PYTHONS[interpreter]),
  version: () => Promise.resolve(undefined),
  ...own,
});
const from = async (own: Partial<World>) => (await findServer(answers(own), "0.1.0")).found?.from;

describe("finding the server", () => {
  it("takes the setting and nothing else where it is set", async () => {
    const search = await findServer(answers({ interpreterSetting: () => "/without", selected: () => Promise.resolve("/with") }), "0.1.0");
    expect(search.found).toBeUndefined();
    expect(search.tried).toEqual(["the setting dlBug.interpreter: /without is Python 3.11.2, without the server"]);
    expect(await from({ interpreterSetting: () => " /with " })).toBe("the setting dlBug.interpreter");
  });
  it("says where the setting is not set for this machine", async () => {
    const search = await findServer(answers({ selected: () => Promise.resolve("/without") }), "0.1.0");
    expect(search.tried[0]).toBe(UNSET);
    expect(search.tried).toHaveLength(2);
  });
  it("asks the selected interpreter, then the folder's environment, then PATH, then our own", async () => {
    const all = {
      selected: () => Promise.resolve("/with"),
      inFolders: () => ["/with"],
      onPath: (name: string) => (name === "dl-bug-lsp" ? "/script" : "/with"),
      version: () => Promise.resolve("0.1.0"),
      managed: () => "/with",
    };
    expect(await from(all)).toBe("the selected interpreter");
    expect(await from({ ...all, selected: () => Promise.resolve("/without") })).toBe("the folder's environment");
    expect(await from({ ...all, selected: () => Promise.resolve(undefined), inFolders: () => [] })).toBe("PATH");
    const without = { ...all, selected: () => Promise.resolve(undefined), inFolders: () => [], version: () => Promise.resolve(undefined) };
    expect(await from(without)).toBe("python3 on PATH");
    expect(await from({ ...without, onPath: () => undefined })).toBe("the extension's own environment");
    expect(await from({ ...all, importStrategy: () => "useBundled" })).toBe("the extension's own environment");
  });
  it("runs nothing that lies in a folder without trust", async () => {
    const probed: string[] = [];
    const own = { isTrusted: () => false, inFolders: () => ["/with"], probe: (one: string) => (probed.push(one), Promise.resolve(undefined)) };
    expect(await from(own)).toBeUndefined();
    expect(probed).not.toContain("/with");
  });
  it("says whether the version fits, and finds a base for an environment of our own", async () => {
    expect((await findServer(answers({ selected: () => Promise.resolve("/old") }), "0.1.0")).found).toMatchObject({ fits: false, version: "0.2.0" });
    const onPath = (name: string) => ({ python: "/ancient", "python3.12": "/without" })[name];
    expect(await findServer(answers({ onPath }), "0.1.0")).toMatchObject({ base: "/without" });
    expect((await findServer(answers({ onPath: () => "/ancient" }), "0.1.0")).base).toBeUndefined();
  });
});

describe("versions", () => {
  it.each([["0.1.0", "0.1.9", true], ["0.1.0", "0.2.0", false], ["1.2.0.dev1", "1.2.3", true]])("%s, %s", (a, b, same) => expect(fits(a, b)).toBe(same));
  it.each([["3.10.0", true], ["3.9.18", false], ["2.7.18", false], ["4.0.0", true], ["", false]])("%s", (one, enough) => expect(isNewEnough(one)).toBe(enough));
});

describe("probing", () => {
  const says = (stdout: string) => () => Promise.resolve({ ok: true, stdout, stderr: "" });
  it("reads the last line", async () => {
    expect(await probe("python", "/", says('hello\n{"python": "3.12.0", "server": null}\n'))).toEqual({ python: "3.12.0" });
  });
  it("gives nothing for what is no Python", async () => expect(await probe("python", "/", says("Python was not found"))).toBeUndefined());
});

describe("settings", () => {
  beforeEach(() => vscodeWorld.reset());
  it("are sent only where somebody set them, the folder's before the user's", () => {
    vscodeWorld.settings.set("top", { defaultValue: 10 });
    vscodeWorld.settings.set("codeLens", { defaultValue: true, globalValue: false, workspaceFolderValue: true });
    vscodeWorld.settings.set("logs.exclude", { defaultValue: [], workspaceValue: ["data/**"] });
    vscodeWorld.settings.set("interpreter", { globalValue: "/x" });
    expect(settingsFor(undefined)).toEqual({ codeLens: true, logs: { exclude: ["data/**"] } });
  });
});

describe("the selected interpreter", () => {
  const extension = (exports: unknown, isActive = true) => ({ isActive, exports, activate: () => Promise.resolve(exports) });
  beforeEach(() => vscodeWorld.reset());
  it("is the Python extension's", async () => {
    const environments = { getActiveEnvironmentPath: () => "p", resolveEnvironment: () => Promise.resolve({ executable: { uri: Uri.file("/sel") } }) };
    vscodeWorld.extensions.set("ms-python.python", extension({ environments }, false));
    expect(await selectedInterpreter(undefined)).toBe("/sel");
  });
  it("is the Python Environments extension's where that is there", async () => {
    const getEnvironment = () => Promise.resolve({ execInfo: { run: { executable: "/env" } } });
    vscodeWorld.extensions.set("ms-python.vscode-python-envs", extension({ getEnvironment }));
    expect(await selectedInterpreter(undefined)).toBe("/env");
  });
  it("is nothing without either, or with one that fails", async () => {
    expect(await selectedInterpreter(undefined)).toBeUndefined();
    vscodeWorld.extensions.set("ms-python.python", extension({ environments: { getActiveEnvironmentPath: () => "p", resolveEnvironment: () => Promise.reject(new Error()) } }));
    expect(await selectedInterpreter(undefined)).toBeUndefined();
  });
});

describe("restarts", () => {
  it("wait longer each time, end, and begin anew after a while", () => {
    const backoff = new Backoff(3, 1000, 10);
    expect([0, 1, 2, 3].map((at) => backoff.next(at))).toEqual([10, 20, 40, undefined]);
    expect(backoff.next(5000)).toBe(10);
    backoff.reset();
    expect(backoff.next(5001)).toBe(10);
  });
});

describe("an environment of our own", () => {
  let folder: string;
  const places = () => ({ storage: path.join(folder, "storage"), wheels: path.join(folder, "wheel"), version: "0.1.0" });
  const fine: Ran = { ok: true, stdout: "", stderr: "" };
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "dl-bug-"));
    fs.mkdirSync(path.join(folder, "wheel"));
    fs.writeFileSync(path.join(folder, "wheel", "dl_bug_lsp-0.1.0-py3-none-any.whl"), "");
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const runs = (answer: (args: string[]) => Ran) => (_command: string, args: string[]) => {
    if (args[1] === "venv") {
      fs.mkdirSync(args[2]!, { recursive: true });
    }
    return Promise.resolve(answer(args));
  };
  it("is made of the wheel, and replaces older ones", async () => {
    fs.mkdirSync(path.join(folder, "storage", "server-0.0.9"), { recursive: true });
    expect(managedInterpreter(places())).toBeUndefined();
    const steps: string[] = [];
    const all: string[][] = [];
    await makeEnvironment(places(), "/python", (words) => steps.push(words), undefined, runs((args) => (all.push(args), fine)));
    expect(managedInterpreter(places())).toBe(interpreterIn(path.join(folder, "storage", "server-0.1.0")));
    expect(fs.readdirSync(path.join(folder, "storage"))).toEqual(["server-0.1.0"]);
    expect(all[1]?.at(-1)).toMatch(/dl_bug_lsp-0\.1\.0.*\.whl$/);
    expect(steps).toHaveLength(2);
  });
  it("is not left half made, and says why in one sentence", async () => {
    const offline = "ERROR: No matching distribution found for pygls";
    const made = makeEnvironment(places(), "/python", () => undefined, undefined, runs((args) => (args[1] === "pip" ? { ok: false, stdout: "", stderr: offline } : fine)));
    await expect(made).rejects.toThrow(/offline or behind a proxy.*No matching distribution/);
    expect(fs.readdirSync(path.join(folder, "storage"))).toEqual([]);
  });
  it("says so where the extension carries no wheel", async () => {
    fs.rmSync(path.join(folder, "wheel"), { recursive: true });
    await expect(makeEnvironment(places(), "/python", () => undefined)).rejects.toThrow(SetUpError);
  });
  it.each([
    ["The virtual environment was not created because ensurepip is not available", /python3-venv/],
    ["Temporary failure in name resolution", /offline/],
    ["SSLError(CERTIFICATE_VERIFY_FAILED)", /certificate/],
    ["OSError: [Errno 28] No space left on device", /disk is full/],
    ["something else", /the log has/],
  ])("%s", (output, words) => expect(reasonOf(output)).toMatch(words));
});

describe("programs on PATH", () => {
  it("are found in absolute folders only", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "dl-bug-"));
    const program = path.join(folder, "tool");
    fs.writeFileSync(program, "", { mode: 0o755 });
    fs.writeFileSync(path.join(folder, "text"), "", { mode: 0o644 });
    const env = { PATH: `.:${folder}` };
    expect(which("tool", env, "linux")).toBe(program);
    expect(which("text", env, "linux")).toBeUndefined();
    expect(which("tool", { PATH: path.relative(process.cwd(), folder) }, "linux")).toBeUndefined();
    fs.rmSync(folder, { recursive: true });
  });
});
