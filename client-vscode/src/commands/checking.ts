/** Checking the programs of a folder by hand; commands that start are checked by `capture/`. */

import * as vscode from "vscode";
import type { CheckReport, Waiting } from "../protocol";
import { selectedInterpreter } from "../server/environments";

export function checkByHand(server: Waiting): vscode.Disposable {
  return vscode.commands.registerCommand("dlBug.checkBeforeRun", async () => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const open = uri && vscode.workspace.getWorkspaceFolder(uri);
    const folder = open ?? vscode.workspace.workspaceFolders?.[0];
    if (folder === undefined) {
      void vscode.window.showInformationMessage("Open a folder first: its programs are checked.");
      return;
    }
    if (!(await server.ready())) {
      return;
    }
    const python = await selectedInterpreter(folder.uri);
    const report = await server.execute<CheckReport | null>("dlBug.check", { workspace: folder.uri.toString(), python });
    if (report === null) {
      return;
    }
    if (report.findings.length === 0 && report.programs.length === 0) {
      void vscode.window.showInformationMessage(`DL Bug: no program was found to check in ${folder.name}.`);
    } else if (report.findings.length === 0) {
      void vscode.window.showInformationMessage(`DL Bug: nothing found in ${folder.name}.`);
    } else {
      await vscode.commands.executeCommand("workbench.actions.view.problems");
    }
  });
}
