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
