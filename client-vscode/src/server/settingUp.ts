/** Making the extension's own environment where people see it: progress, a way to stop it, one sentence on failure. */

import * as vscode from "vscode";
import { makeEnvironment, type Places, SetUpError } from "./managed";
import { run } from "./processes";

/** Return why there is no environment now, undefined where it was made. */
export async function setUpWithProgress(places: Places, base: string, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const logged: typeof run = async (command, args, options) => {
    log.info(`running ${command} ${args.join(" ")}`);
    const ran = await run(command, args, options);
    log[ran.ok ? "debug" : "error"](`${ran.stdout}\n${ran.stderr}`);
    return ran;
  };
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "DL Bug", cancellable: true },
      async (progress, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => abort.abort());
        await makeEnvironment(places, base, (message) => progress.report({ message }), abort.signal, logged);
      },
    );
    return undefined;
  } catch (error) {
    const words = error instanceof SetUpError ? error.message : `The server could not be set up: ${(error as Error).message}`;
    log.error(words);
    return words;
  }
}
