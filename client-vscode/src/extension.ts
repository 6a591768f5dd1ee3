/** The extension's start: everything is made here and joined; the server starts beside it. */

import * as vscode from "vscode";
import { HandingOver } from "./assistants/handingOver";
import { SecondOpinion } from "./assistants/secondOpinion";
import { registerTools } from "./assistants/tools";
import { Captures } from "./capture/captures";
import { DebugCapture } from "./capture/debugging";
import { NotebookCapture } from "./capture/notebooks";
import { TerminalCapture } from "./capture/terminal";
import { checkByHand } from "./commands/checking";
import { explainCategory } from "./commands/explaining";
import { Places } from "./commands/places";
import { Texts } from "./commands/texts";
import { debugInformation, InformationDocument } from "./debugInformation";
import type { Waiting } from "./protocol";
import type { Channels } from "./server/clientOptions";
import { Server } from "./server/server";
import { Failures } from "./views/failures";
import { HeatMap } from "./views/heatMap";
import { ReportDocuments } from "./views/report";
import { StatusItem } from "./views/status";
import { FailuresTree } from "./views/tree";
import { isSameUri } from "./views/words";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const began = performance.now();
  const channels = makeChannels();
  const running = new Server(context, channels);
  server = running;
  const waitedFor: Waiting = {
    get isRunning() {
      return running.isRunning;
    },
    execute: (command, argument) => running.execute(command, argument),
    ready: () => ready(running),
  };
  const failures = new Failures(running);
  const status = new StatusItem();
  let waiting = 0;
  const captures = new Captures(running, channels.client, (count) => {
    waiting = count;
    update();
  }, () => setting<string[]>("capture.ignoredCategories", []));
  const update = (): void => {
    const shown = failures.shown().length;
    status.show({ state: running.state, isIndexing: running.isIndexing, failures: shown, place: failures.firstPlace(), waiting, problem: running.problem });
    void vscode.commands.executeCommand("setContext", "dlBug.hasFailures", shown > 0);
  };
  const reports = new ReportDocuments(failures, running);
  const information = new InformationDocument();
  const heatMap = new HeatMap(running, failures);
  const places = new Places(waitedFor, failures, reports);
  const handing = new HandingOver(waitedFor, failures);
  context.subscriptions.push(
    handing,
    registerTools(running, handing),
    new SecondOpinion(waitedFor, failures, handing, () => setting("secondOpinion", false)),
    channels.client, channels.server, channels.trace, running, failures, status, reports, heatMap, places,
    new FailuresTree(failures),
    new Texts(waitedFor, (report) => places.found(report)),
    new TerminalCapture(captures, { terminal: () => setting("capture.terminal", true), tasks: () => setting("capture.tasks", true) }),
    new DebugCapture(captures, () => setting("capture.debug", true)),
    new NotebookCapture(captures, () => setting("capture.notebook", true)),
    running.onDidChangeState((state) => {
      update();
      if (state === "running") {
        void captures.flush();
      }
    }),
    running.onDidChangeFailures(() => void failures.refresh()),
    // Edits move places: the server tells of that by the diagnostics alone.
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (failures.places().some(({ place }) => uris.some((uri) => isSameUri(place.uri, uri)))) {
        void failures.refresh();
      }
    }),
    failures.onDidChange((listed) => {
      captures.take(listed);
      update();
    }),
    explainCategory(failures),
    checkByHand(waitedFor),
    vscode.commands.registerCommand("dlBug.toggleHeatMap", () => heatMap.toggle()),
    vscode.commands.registerCommand("dlBug.setUp", () => running.setUp()),
    vscode.commands.registerCommand("dlBug.restartServer", () => running.restart()),
    vscode.commands.registerCommand("dlBug.showLogs", () => channels.client.show()),
    information,
    vscode.commands.registerCommand("dlBug.printDebugInformation", async () => {
      const text = debugInformation(running, failures, activation);
      channels.client.info(`debug information\n${text}`);
      await information.show(text);
    }),
  );
  update();
  const activation = performance.now() - began;
  channels.client.info(`activated in ${activation.toFixed(1)} ms`);
  void running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

function makeChannels(): Channels {
  const channel = (name: string): vscode.LogOutputChannel => vscode.window.createOutputChannel(name, { log: true });
  return { client: channel("DL Bug"), server: channel("DL Bug Server"), trace: channel("DL Bug Trace") };
}

function setting<T>(key: string, otherwise: T): T {
  return vscode.workspace.getConfiguration("dlBug").get<T>(key, otherwise);
}

/** Whether a command can be run now; who asks before the server is there is told what to do. */
async function ready(running: Server): Promise<boolean> {
  if (!running.isRunning && running.state !== "missing" && running.state !== "stopped") {
    await running.start();
  }
  if (running.isRunning) {
    return true;
  }
  const missing = running.state === "missing";
  const choice = await vscode.window.showInformationMessage(
    missing ? "DL Bug needs its server; it is installed into the extension's own storage." : "The DL Bug server does not run.",
    missing ? "Set Up" : "Restart Server",
  );
  if (choice !== undefined) {
    await vscode.commands.executeCommand(missing ? "dlBug.setUp" : "dlBug.restartServer");
  }
  return running.isRunning;
}
