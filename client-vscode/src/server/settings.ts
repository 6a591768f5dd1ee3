/** What the server is told of the settings: its own, and only those that somebody has set. */

import * as vscode from "vscode";
import { SERVER_SETTINGS } from "../generated";

/** Settings as nested tables; a key that is at its default stays out, so that a project's own wins. */
export function settingsFor(resource: vscode.Uri | undefined): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration("dlBug", resource ?? null);
  const out: Record<string, unknown> = {};
  for (const key of SERVER_SETTINGS) {
    const at = configuration.inspect<unknown>(key);
    const value = at?.workspaceFolderValue ?? at?.workspaceValue ?? at?.globalValue;
    if (value === undefined) {
      continue;
    }
    const parts = key.split(".");
    let table = out;
    for (const part of parts.slice(0, -1)) {
      table = (table[part] ??= {}) as Record<string, unknown>;
    }
    table[parts[parts.length - 1]!] = value;
  }
  return out;
}
