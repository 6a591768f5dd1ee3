/** The extension's own environment: made on one click from the wheel that the extension carries. */

import * as fs from "node:fs";
import * as path from "node:path";
import { run, type Ran } from "./processes";

const READY = ".ready";
const TIMEOUT = 10 * 60_000;

export class SetUpError extends Error {}

export interface Places {
  /** A folder of ours; environments of other versions in it are removed. */
  storage: string;
  /** The folder that holds the wheel. */
  wheels: string;
  version: string;
}

function folderOf(places: Places): string {
  return path.join(places.storage, `server-${places.version}`);
}

export function interpreterIn(folder: string, platform: string = process.platform): string {
  return platform === "win32" ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

/** The interpreter of an environment that was finished, undefined where there is none. */
export function managedInterpreter(places: Places): string | undefined {
  const folder = folderOf(places);
  return fs.existsSync(path.join(folder, READY)) ? interpreterIn(folder) : undefined;
}

export function wheelIn(folder: string): string {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith(".whl")) : [];
  if (names.length !== 1) {
    throw new SetUpError("This build of the extension carries no server; install it with: pip install dl-bug-lsp");
  }
  return path.join(folder, names[0]!);
}

/** Make the environment; `step` is told what is done. Throws `SetUpError` with one sentence for people. */
export async function makeEnvironment(
  places: Places,
  base: string,
  step: (words: string) => void,
  signal?: AbortSignal,
  runs: typeof run = run,
): Promise<string> {
  const wheel = wheelIn(places.wheels);
  const folder = folderOf(places);
  fs.mkdirSync(places.storage, { recursive: true });
  for (const name of fs.readdirSync(places.storage)) {
    if (name.startsWith("server-")) {
      fs.rmSync(path.join(places.storage, name), { recursive: true, force: true });
    }
  }
  const options = { cwd: places.storage, timeout: TIMEOUT, ...(signal ? { signal } : {}) };
  try {
    step("making a Python environment");
    demand(await runs(base, ["-m", "venv", folder], options), signal);
    step("installing the server");
    const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", wheel];
    demand(await runs(interpreterIn(folder), pip, options), signal);
    fs.writeFileSync(path.join(folder, READY), "");
    return interpreterIn(folder);
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function demand(ran: Ran, signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new SetUpError("Setting up the server was cancelled.");
  }
  if (!ran.ok) {
    throw new SetUpError(`${reasonOf(`${ran.stdout}\n${ran.stderr}`)} (${lastLine(ran)})`);
  }
}

const OFFLINE =
  /NewConnectionError|Temporary failure in name resolution|getaddrinfo failed|Max retries exceeded|Network is unreachable|No matching distribution found|ProxyError|ConnectionError|Connection refused/;

/** Why it failed, as far as the output tells. */
export function reasonOf(output: string): string {
  if (/ensurepip is not available|No module named '?(?:venv|ensurepip)/.test(output)) {
    return "This Python cannot make environments: install its venv package (on Debian and Ubuntu python3-venv).";
  }
  if (/CERTIFICATE_VERIFY_FAILED|SSLError/.test(output)) {
    return "The package index's certificate was refused: set pip's cert option for your network.";
  }
  if (OFFLINE.test(output)) {
    return "The server's Python packages could not be downloaded: this machine seems to be offline or behind a proxy. Install dl-bug-lsp into an environment yourself and name it in dlBug.interpreter.";
  }
  if (/No space left on device/.test(output)) {
    return "The disk is full.";
  }
  return "The server could not be installed; the log has what pip printed.";
}

function lastLine(ran: Ran): string {
  const lines = `${ran.stdout}\n${ran.stderr}`.split("\n").filter((line) => line.trim() !== "");
  return (lines.pop() ?? ran.error ?? "no output").trim().slice(0, 200);
}
