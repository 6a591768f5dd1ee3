/** The status item: set up, starting, indexing, watching, or how many failures there are. */

import * as vscode from "vscode";
import type { State } from "../server/server";

export interface Facts {
  state: State;
  isIndexing: boolean;
  failures: number;
  /** The newest failure's first place (`model.py:7`) and the doubt that there is; none where no place is known. */
  place?: string | undefined;
  /** Captured texts that wait for a server. */
  waiting: number;
  problem?: string | undefined;
}

export interface Look {
  text: string;
  tooltip: string;
  command: string;
  isWarning: boolean;
}

export function look(facts: Facts): Look {
  const { state, failures, waiting } = facts;
  const count = (n: number): string => (n === 1 ? "1 failure" : `${n} failures`);
  const focus = "dlBug.failures.focus";
  switch (state) {
    case "missing":
      return {
        text: waiting > 0 ? `$(debug) DL Bug: set up to see ${count(waiting)}` : "$(debug) DL Bug: set up",
        tooltip: `Click to set up the server (${facts.problem ?? "no Python with the server was found"}).`,
        command: "dlBug.setUp",
        isWarning: waiting > 0,
      };
    case "stopped":
      return {
        text: "$(debug) DL Bug: stopped",
        tooltip: `Click to start the server again (${facts.problem ?? "it was ended"}).`,
        command: "dlBug.restartServer",
        isWarning: true,
      };
    case "settingUp":
      return { text: "$(sync~spin) DL Bug: setting up", tooltip: "The server is installed.", command: "dlBug.showLogs", isWarning: false };
    case "searching":
    case "starting":
      return { text: "$(sync~spin) DL Bug", tooltip: "The server starts.", command: "dlBug.showLogs", isWarning: false };
    case "running":
      if (failures > 0) {
        const where = facts.place === undefined ? "" : `: ${facts.place}`;
        return { text: `$(debug) ${count(failures)}${where}`, tooltip: "Show the failures and their suspicious places.", command: focus, isWarning: false };
      }
      return facts.isIndexing
        ? { text: "$(sync~spin) DL Bug: indexing", tooltip: "The folders are read for the first time.", command: focus, isWarning: false }
        : { text: "$(debug) DL Bug: watching", tooltip: "Failures of the terminal, the debugger, notebooks and logs are shown as they come.", command: focus, isWarning: false };
  }
}

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("dlBug.status", vscode.StatusBarAlignment.Left, 10);

  constructor() {
    this.item.name = "DL Bug";
  }

  show(facts: Facts): void {
    const { text, tooltip, command, isWarning } = look(facts);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.backgroundColor = isWarning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
