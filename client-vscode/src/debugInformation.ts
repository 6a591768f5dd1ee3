/** What to paste into a bug report: versions, the server and how it was found, settings; no texts of logs. */

import * as os from "node:os";
import * as vscode from "vscode";
import type { Failures } from "./views/failures";
import type { Server } from "./server/server";
import { settingsFor } from "./server/settings";

export function debugInformation(server: Server, failures: Failures, activation: number): string {
  const found = server.search.found;
  const lines = [
    `Extension: ${server.version}, activated in ${activation.toFixed(0)} ms`,
    `Editor: ${vscode.env.appName} ${vscode.version}${vscode.env.remoteName ? ` (remote: ${vscode.env.remoteName})` : ""}`,
    `Node.js: ${process.version} on ${os.platform()} ${os.release()} ${os.arch()}`,
    `Server: ${server.state}${server.problem ? ` (${server.problem})` : ""}${server.processId ? `, process ${server.processId}` : ""}`,
    `Server says: ${server.serverInfo ? `${server.serverInfo.name} ${server.serverInfo.version ?? ""}` : "nothing"}`,
    `Command: ${found ? [found.command, ...found.args].join(" ") : "none"}${found ? ` (from ${found.from})` : ""}`,
    ...server.search.tried.map((one) => `Tried: ${one}`),
    `Trusted: ${vscode.workspace.isTrusted}`,
    `Folders: ${(vscode.workspace.workspaceFolders ?? []).length}`,
    `Shell integration: ${vscode.window.terminals.filter((one) => (one as { shellIntegration?: unknown }).shellIntegration).length} of ${vscode.window.terminals.length} terminals`,
    `Failures: ${failures.shown().length}`,
    `Settings for the server: ${JSON.stringify(settingsFor(vscode.workspace.workspaceFolders?.[0]?.uri))}`,
  ];
  return lines.join("\n");
}

const SCHEME = "dl-bug-information";
const PAGE = vscode.Uri.from({ scheme: SCHEME, path: "/DL Bug Information.log" });

/** The information as a document, ready to be copied; it asks for no saving. */
export class InformationDocument implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private text = "";
  readonly onDidChange = this.changed.event;

  async show(text: string): Promise<void> {
    this.text = text;
    this.changed.fire(PAGE);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(PAGE));
  }

  provideTextDocumentContent(): string {
    return this.text;
  }

  dispose(): void {
    vscode.Disposable.from(this.registration, this.changed).dispose();
  }
}
