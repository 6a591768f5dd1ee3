/** Which command starts the server: the first of the setting, the environment, PATH, our own environment. */

import { fits, isNewEnough, type Probe } from "./probing";

export interface Found {
  command: string;
  args: string[];
  /** Where it is from, in words. */
  from: string;
  version: string;
  /** Whether its version is one that this extension knows. */
  fits: boolean;
}

export interface Search {
  found?: Found;
  /** One sentence for each candidate, in the order in which they were tried. */
  tried: string[];
  /** An interpreter that is new enough to make an environment with. */
  base?: string;
}

/** What the search asks of the world; tests answer for it. */
export interface World {
  interpreterSetting(): string;
  importStrategy(): string;
  isTrusted(): boolean;
  selected(): Promise<string | undefined>;
  /** Interpreters of environments in the workspace's folders, as in `.venv`. */
  inFolders(): string[];
  onPath(name: string): string | undefined;
  managed(): string | undefined;
  probe(interpreter: string): Promise<Probe | undefined>;
  version(script: string): Promise<string | undefined>;
}

/** Said where the setting is empty as far as this window reads it: a user's own is not read on another machine. */
export const UNSET = "the setting dlBug.interpreter: not set for the machine that this window works on";

const NAMES = ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "py"];

export async function findServer(world: World, extension: string): Promise<Search> {
  const search: Search = { tried: [] };
  const setting = world.interpreterSetting().trim();
  if (setting !== "") {
    await tryInterpreter(search, world, extension, setting, "the setting dlBug.interpreter");
    return search;
  }
  search.tried.push(UNSET);
  const environment = world.importStrategy() !== "useBundled";
  if (environment) {
    await tryEnvironment(search, world, extension);
  }
  const managed = search.found ? undefined : world.managed();
  if (managed !== undefined) {
    await tryInterpreter(search, world, extension, managed, "the extension's own environment");
  }
  if (!search.found && search.base === undefined) {
    await findBase(search, world);
  }
  return search;
}

async function tryEnvironment(search: Search, world: World, extension: string): Promise<void> {
  const selected = await world.selected();
  if (selected !== undefined && (await tryInterpreter(search, world, extension, selected, "the selected interpreter"))) {
    return;
  }
  // What lies in the workspace is run only where the user trusts it.
  for (const interpreter of world.isTrusted() ? world.inFolders() : []) {
    if (await tryInterpreter(search, world, extension, interpreter, "the folder's environment")) {
      return;
    }
  }
  const script = world.onPath("dl-bug-lsp");
  if (script !== undefined) {
    const version = await world.version(script);
    search.tried.push(`${script} on PATH: ${version === undefined ? "does not run" : `server ${version}`}`);
    if (version !== undefined) {
      search.found = { command: script, args: ["server"], from: "PATH", version, fits: fits(version, extension) };
      return;
    }
  }
  for (const name of ["python3", "python"]) {
    const interpreter = world.onPath(name);
    if (interpreter !== undefined && (await tryInterpreter(search, world, extension, interpreter, `${name} on PATH`))) {
      return;
    }
  }
}

async function tryInterpreter(search: Search, world: World, extension: string, interpreter: string, from: string): Promise<boolean> {
  const probe = await world.probe(interpreter);
  if (probe === undefined) {
    search.tried.push(`${from}: ${interpreter} does not run`);
    return false;
  }
  const words = probe.server === undefined ? "without the server" : `server ${probe.server}`;
  search.tried.push(`${from}: ${interpreter} is Python ${probe.python}, ${words}`);
  if (isNewEnough(probe.python)) {
    search.base ??= interpreter;
  }
  if (probe.server === undefined) {
    return false;
  }
  const args = ["-m", "dl_bug_lsp", "server"];
  search.found = { command: interpreter, args, from, version: probe.server, fits: fits(probe.server, extension) };
  return true;
}

async function findBase(search: Search, world: World): Promise<void> {
  for (const name of NAMES) {
    const interpreter = world.onPath(name);
    const probe = interpreter === undefined ? undefined : await world.probe(interpreter);
    if (interpreter !== undefined && probe !== undefined && isNewEnough(probe.python)) {
      search.base = interpreter;
      return;
    }
  }
}
