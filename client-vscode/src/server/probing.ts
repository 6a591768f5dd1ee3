/** What an interpreter has: its version, the server's, and whether all that the server needs is there. */

import { run, type RunOptions } from "./processes";

export interface Probe {
  /** The interpreter's version, as in "3.12.1". */
  python: string;
  /** The server's version, undefined where it is not installed. */
  server?: string;
}

const PROBE = `
import json, sys
from importlib.util import find_spec
try:
    from dl_bug_lsp import __version__ as server
    server = server if find_spec("pygls") and find_spec("lsprotocol") else None
except Exception:
    server = None
print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "server": server}))
`;
const TIMEOUT = 20_000;

/** Ask an interpreter; undefined where it is none. `cwd` must be no folder of the workspace: Python imports from it. */
export async function probe(interpreter: string, cwd: string, ask: typeof run = run): Promise<Probe | undefined> {
  const options: RunOptions = { cwd, timeout: TIMEOUT };
  const ran = await ask(interpreter, ["-c", PROBE], options);
  try {
    const found = JSON.parse(ran.stdout.trim().split("\n").pop() ?? "") as { python: string; server: string | null };
    return found.server === null ? { python: found.python } : { python: found.python, server: found.server };
  } catch {
    return undefined;
  }
}

/** Whether an interpreter is new enough for the server. */
export function isNewEnough(python: string): boolean {
  const [major = 0, minor = 0] = python.split(".").map(Number);
  return major > 3 || (major === 3 && minor >= 10);
}

/** Whether a server of a version speaks as this extension expects: the same first two numbers. */
export function fits(server: string, extension: string): boolean {
  const of = (version: string): string => version.split(".").slice(0, 2).join(".");
  return of(server) === of(extension);
}
