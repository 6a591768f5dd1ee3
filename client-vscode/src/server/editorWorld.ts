/** What the search for the server asks, answered by the editor: settings, trust, folders, other extensions. */

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { selectedInterpreter } from "./environments";
import type { World } from "./finding";
import { interpreterIn, managedInterpreter, type Places } from "./managed";
import { probe } from "./probing";
import { run, which } from "./processes";

/** `cwd` is a folder of ours: in the workspace Python would import what lies there. */
export function editorWorld(places: Places, cwd: string): World {
  return {
    interpreterSetting: () => absolute(configuration().get<string>("interpreter", "")),
    importStrategy: () => configuration().get<string>("importStrategy", "fromEnvironment"),
    isTrusted: () => vscode.workspace.isTrusted,
    selected: () => trustedSelection(),
    inFolders: () => environmentsInFolders(),
    onPath: (name) => which(name),
    managed: () => managedInterpreter(places),
    probe: (interpreter) => probe(interpreter, cwd),
    version: async (script) => /(\d+\.\d+\S*)/.exec((await run(script, ["--version"], { cwd, timeout: 20_000 })).stdout)?.[1],
  };
}

/** The selected interpreter, but none that lies in a folder without trust. */
async function trustedSelection(): Promise<string | undefined> {
  const selected = await selectedInterpreter(firstFolder()?.uri);
  const isOutside = selected === undefined || vscode.workspace.getWorkspaceFolder(vscode.Uri.file(selected)) === undefined;
  return vscode.workspace.isTrusted || isOutside ? selected : undefined;
}

export function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("dlBug", firstFolder()?.uri ?? null);
}

function firstFolder(): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.workspaceFolders?.[0];
}

/** A setting's path: `~` is the user's folder, a relative one is the first folder's. */
function absolute(setting: string): string {
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  const folder = firstFolder()?.uri.fsPath ?? "";
  const place = setting.trim().replace(/^~(?=[\\/])/, home).replace("${workspaceFolder}", folder);
  return place === "" || path.isAbsolute(place) || !/[\\/]/.test(place) ? place : path.join(folder, place);
}

function environmentsInFolders(): string[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
  return folders
    .flatMap((folder) => [".venv", "venv"].map((name) => interpreterIn(path.join(folder.uri.fsPath, name))))
    .filter((place) => fs.existsSync(place));
}
