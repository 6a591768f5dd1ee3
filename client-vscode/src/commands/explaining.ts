/** The page about a kind of failure: what it is, how it shows, what usually helps. */

import * as vscode from "vscode";
import type { Failures } from "../views/failures";
import { named } from "./naming";

const SOURCE = "dl-bug";

export function explainCategory(failures: Failures): vscode.Disposable {
  return vscode.commands.registerCommand("dlBug.explainCategory", async (argument?: unknown) => {
    const { report, failure } = named(argument);
    const shown = failures.listed.find((one) => report === undefined || one.report === report);
    const told = shown?.failures.find((one) => (failure === undefined ? one.primary : one.failure === failure));
    if (told === undefined) {
      vscode.window.setStatusBarMessage("DL Bug: no failures", 5000);
      return;
    }
    const page = pageOf(told.category);
    if (page === undefined) {
      // The report ends with the page; a failure without a mark has no link of its own.
      await vscode.commands.executeCommand("dlBug.showReport", argument);
      return;
    }
    await vscode.commands.executeCommand("markdown.showPreview", page);
  });
}

/** The page that the marks of a category link to. */
function pageOf(category: string): vscode.Uri | undefined {
  for (const [, diagnostics] of vscode.languages.getDiagnostics()) {
    for (const { source, code } of diagnostics) {
      if (source === SOURCE && typeof code === "object" && code.value === category) {
        return code.target;
      }
    }
  }
  return undefined;
}
