/** Running short programs: their output, their end, never a shell. */

import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

export interface Ran {
  ok: boolean;
  stdout: string;
  stderr: string;
  /** Set where the program could not be started or was ended. */
  error?: string;
}

export interface RunOptions {
  cwd: string;
  timeout: number;
  signal?: AbortSignal;
}

export function run(command: string, args: string[], options: RunOptions): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { ...options, windowsHide: true, maxBuffer: 16 * 1024 * 1024, env: { ...process.env, PYTHONUTF8: "1" } },
      (error, stdout, stderr) => {
        const ran: Ran = { ok: error === null, stdout, stderr };
        resolve(error === null ? ran : { ...ran, error: error.message.split("\n")[0]! });
      },
    );
  });
}

/** The full path of a program that is on PATH, undefined where none is. */
export function which(name: string, env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string | undefined {
  const windows = platform === "win32";
  const endings = windows ? (env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  for (const folder of (env["PATH"] ?? env["Path"] ?? "").split(windows ? ";" : ":")) {
    // A relative entry would depend on the workspace: nothing of it may be run unasked.
    if (!path.isAbsolute(folder)) {
      continue;
    }
    for (const ending of endings) {
      const place = path.join(folder, name + ending.toLowerCase());
      try {
        fs.accessSync(place, fs.constants.X_OK);
        if (fs.statSync(place).isFile()) {
          return place;
        }
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}
